// Numbers as people read them, in the same words as profiler.Duration and Size of the Go side.

function three(v: number): string {
  return v < 9.995 ? v.toFixed(2) : v < 99.95 ? v.toFixed(1) : v.toFixed(0);
}

export function duration(ns: number): string {
  if (ns < 0) return "-" + duration(-ns); // of a cell, say, that had begun before the first record was written
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 999.5e3) return three(ns / 1e3) + " us";
  if (ns < 999.5e6) return three(ns / 1e6) + " ms";
  return three(ns / 1e9) + " s";
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999.5e3) return three(bytes / 1e3) + " kB";
  if (bytes < 999.5e6) return three(bytes / 1e6) + " MB";
  return three(bytes / 1e9) + " GB";
}

export function rate(bytes: number, ns: number): string {
  return bytes > 0 && ns > 0 ? three(bytes / ns) + " GB/s" : "";
}

// time writes a tick of the axis with as many digits as its step needs.
export function time(ns: number, step: number): string {
  const [unit, name] = step >= 1e8 ? [1e9, "s"] : step >= 1e5 ? [1e6, "ms"] : step >= 100 ? [1e3, "us"] : [1, "ns"];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
  return `${(ns / unit).toFixed(digits)} ${name}`;
}

export function count(n: number): string {
  return n.toLocaleString("en-US");
}
