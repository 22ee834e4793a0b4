// Level of detail: what is drawn of a row of bars, in time that depends on the pixels and
// not on the bars. A bar of at least a pixel is drawn as it is. Shorter ones are gathered by pixel;
// their pixel is as dense as they cover it.

import type { Emit, Rect } from "./source.ts";
import { at, type Bars } from "./trace.ts";
import type { View } from "./view.ts";

// Row is a run of bars that share a lane and a row.
//
// Bars are sorted by lane, row and start, and those of a row do not overlap, so that their ends ascend as well, and a row
// is a range of indices in which one can search by halves.
export interface Row {
  lane: number;
  row: number;
  first: number;
  end: number; // one behind the last
}

// findRows cuts the sorted bars into rows.
export function findRows(bars: Bars): Row[] {
  const rows: Row[] = [];
  let first = 0;
  for (let i = 1; i <= bars.count; i++) {
    if (i === bars.count || bars.lane[i] !== bars.lane[first] || bars.row[i] !== bars.row[first]) {
      rows.push({ lane: at(bars.lane, first), row: at(bars.row, first), first, end: i });
      first = i;
    }
  }
  return rows;
}

// prefixSums[i] is the time of all bars before i.
//
// The sum over bars [i, j) is sums[j] - sums[i]: what a pixel of many bars is covered by, without a look at them.
export function prefixSums(bars: Bars): Float64Array {
  const sums = new Float64Array(bars.count + 1);
  for (let i = 0; i < bars.count; i++) sums[i + 1] = at(sums, i) + at(bars.dur, i);
  return sums;
}

// firstFrom returns the first bar of [lo, hi) that starts at t or later.
export function firstFrom(bars: Bars, lo: number, hi: number, t: number): number {
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (at(bars.start, mid) < t) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

// firstVisible returns the first bar of a row that ends after t. Bars of a row do not overlap.
export function firstVisible(bars: Bars, row: Row, t: number): number {
  const i = firstFrom(bars, row.first, row.end, t);
  return i > row.first && at(bars.start, i - 1) + at(bars.dur, i - 1) > t ? i - 1 : i;
}

// samples is how many bars of a pixel are looked at for the one that colors it.
const samples = 12;

// drawRow emits what a row looks like in a view of width pixels.
//
// Each turn emits one rectangle and goes on behind it, by a search where bars share a pixel. So there are at most as many
// turns as pixels plus bars of a pixel or more, which are no more than pixels either:
//
//	bars     [       ][ ]|||| |||||||[     ]
//	pixels   ....................  |   |
//	emitted  bar      bar  one for each pixel that shorter bars begin in, cover = their time / the pixel's
export function drawRow(bars: Bars, sums: Float64Array, row: Row, v: View, width: number, rect: Rect, emit: Emit): void {
  const scale = width / (v.t1 - v.t0);
  let i = firstVisible(bars, row, v.t0);
  while (i < row.end && at(bars.start, i) < v.t1) {
    const start = at(bars.start, i);
    const dur = at(bars.dur, i);
    if (dur * scale >= 1) {
      one(bars, i, rect);
      emit(rect);
      i++;
      continue;
    }
    const pixel = Math.floor((start - v.t0) * scale);
    let j = Math.max(i + 1, firstFrom(bars, i, row.end, v.t0 + (pixel + 1) / scale));
    if (j > i + 1 && at(bars.dur, j - 1) * scale >= 1) j--; // a long bar begins in this pixel
    one(bars, longest(bars, i, j), rect);
    if (j > i + 1) {
      rect.t0 = v.t0 + pixel / scale;
      rect.t1 = v.t0 + (pixel + 1) / scale;
      rect.count = j - i;
      rect.cover = Math.min(1, (at(sums, j) - at(sums, i)) * scale);
    }
    emit(rect);
    i = j;
  }
}

// one makes a rectangle of a bar.
function one(bars: Bars, i: number, rect: Rect): void {
  rect.id = i;
  rect.t0 = at(bars.start, i);
  rect.dur = at(bars.dur, i);
  rect.t1 = rect.t0 + rect.dur;
  rect.group = at(bars.group, i);
  rect.task = at(bars.task, i);
  rect.op = at(bars.op, i);
  rect.bytes = at(bars.bytes, i);
  rect.count = 1;
  rect.cover = 1;
}

// longest returns the longest of some evenly spread bars.
function longest(bars: Bars, lo: number, hi: number): number {
  const step = Math.max(1, Math.floor((hi - lo) / samples));
  let best = lo;
  for (let i = lo; i < hi; i += step) {
    if (at(bars.dur, i) > at(bars.dur, best)) best = i;
  }
  return best;
}
