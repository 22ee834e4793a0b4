// What the tables below the timeline say, for the visible part.

import { at, type Meta, type Trace } from "./trace.ts";
import { firstVisible, type Row } from "./bins.ts";
import type { View } from "./view.ts";

export interface Total {
  name: number; // index into names, -1 in tables by line
  place: number;
  count: number;
  time: number;
  bytes: number;
}

export interface LaneTotal {
  lane: number;
  busy: number; // time in which something ran
  count: number;
}

export interface Totals {
  ops: Total[];
  lines: Total[];
  lanes: LaneTotal[];
  bars: number;
}

// busyKinds returns the kinds that count as work.
export function busyKinds(meta: Meta): Set<string> {
  return new Set(meta.kinds.filter((k) => k.busy).map((k) => k.name));
}

// addUp adds up the parts of bars that lie in a view; counts and bytes are those of all bars that touch it.
export function addUp(trace: Trace, rows: Row[], v: View): Totals {
  const { bars, meta } = trace;
  const busyKind = busyKinds(meta);
  const busyName = meta.names.map((n) => busyKind.has(n.kind));
  const ops = new Map<number, Total>();
  const lines = new Map<number, Total>();
  const spans = new Map<number, [number, number][]>();
  const lanes: LaneTotal[] = [];
  const laneOf = new Map<number, LaneTotal>();
  const grow = (totals: Map<number, Total>, key: number, name: number, place: number, time: number, bytes: number) => {
    let sum = totals.get(key);
    if (!sum) totals.set(key, (sum = { name, place, count: 0, time: 0, bytes: 0 }));
    sum.count++;
    sum.time += time;
    sum.bytes += bytes;
  };
  let n = 0;
  for (const row of rows) {
    let lane = laneOf.get(row.lane);
    if (!lane) {
      lane = { lane: row.lane, busy: 0, count: 0 };
      laneOf.set(row.lane, lane);
      lanes.push(lane);
      spans.set(row.lane, []);
    }
    const list = spans.get(row.lane) ?? [];
    for (let i = firstVisible(bars, row, v.t0); i < row.end && at(bars.start, i) < v.t1; i++) {
      n++;
      lane.count++;
      const name = at(bars.name, i);
      if (!busyName[name]) continue;
      const from = Math.max(at(bars.start, i), v.t0);
      const to = Math.min(at(bars.start, i) + at(bars.dur, i), v.t1);
      if (row.row === 0) lane.busy += Math.max(0, to - from);
      list.push([from, to]);
      const place = at(bars.place, i);
      grow(ops, name * meta.places.length + place, name, place, to - from, at(bars.bytes, i));
      if (place !== 0 && at(meta.places, place).line > 0) grow(lines, place, -1, place, to - from, at(bars.bytes, i));
    }
  }
  for (const lane of lanes) {
    if (rows.some((r) => r.lane === lane.lane && r.row > 0)) lane.busy = union(spans.get(lane.lane) ?? []);
  }
  const sorted = (totals: Map<number, Total>) => [...totals.values()].sort((a, b) => b.time - a.time || a.place - b.place || a.name - b.name);
  return { ops: sorted(ops), lines: sorted(lines), lanes, bars: n };
}

// union returns how much time a set of spans covers.
export function union(spans: [number, number][]): number {
  spans.sort((a, b) => a[0] - b[0]);
  let sum = 0;
  let until = -Infinity;
  for (const [from, to] of spans) {
    if (to > until) {
      sum += to - Math.max(from, until);
      until = to;
    }
  }
  return sum;
}
