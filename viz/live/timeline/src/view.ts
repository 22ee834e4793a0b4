// The visible part of the time axis.

export interface View {
  t0: number; // nanoseconds
  t1: number;
}

// shortest is the narrowest view: 20 ns, below which no clock tells anything.
const shortest = 20;

// fit shows everything with a little air.
export function fit(start: number, end: number): View {
  const air = Math.max((end - start) * 0.01, shortest / 2);
  return { t0: start - air, t1: end + air };
}

// zoom makes the view factor times as long and keeps the time at fraction where it is.
export function zoom(v: View, factor: number, fraction: number, whole: View): View {
  const length = Math.min(Math.max((v.t1 - v.t0) * factor, shortest), whole.t1 - whole.t0);
  const fixed = v.t0 + (v.t1 - v.t0) * fraction;
  return clamp({ t0: fixed - length * fraction, t1: fixed + length * (1 - fraction) }, whole);
}

// pan moves by a fraction of the view's length.
export function pan(v: View, fraction: number, whole: View): View {
  const by = (v.t1 - v.t0) * fraction;
  return clamp({ t0: v.t0 + by, t1: v.t1 + by }, whole);
}

// clamp moves a view into the whole without changing its length if that can be.
export function clamp(v: View, whole: View): View {
  const length = Math.min(v.t1 - v.t0, whole.t1 - whole.t0);
  const t0 = Math.min(Math.max(v.t0, whole.t0), whole.t1 - length);
  return { t0, t1: t0 + length };
}

// ticks returns round times in the view, about one per 120 pixels, and their common step.
//
// Steps are 1, 2 or 5 times a power of ten nanoseconds, the least that leaves 120 pixels to a label.
export function ticks(v: View, width: number): { step: number; times: number[] } {
  const rough = ((v.t1 - v.t0) * 120) / Math.max(width, 1);
  const power = Math.pow(10, Math.floor(Math.log10(Math.max(rough, 1e-9))));
  const step = power * ([1, 2, 5].find((m) => m * power >= rough) ?? 10);
  const times: number[] = [];
  for (let k = Math.ceil(v.t0 / step); k * step <= v.t1; k++) times.push(k * step);
  return { step, times };
}
