// What the tables below the timeline say, for the visible part or a selected span.

import type { TotalRow } from "./source.ts";
import { at, nameOf, partsOf, type Meta } from "./trace.ts";

export interface Total {
  name: number; // index into names, -1 in tables by line
  place: number;
  count: number;
  time: number;
  bytes: number;
  moving: number; // time of tasks and copies, of which the rate is
  moved: number; // bytes of these
}

export interface LaneTotal {
  lane: number;
  busy: number; // time in which something ran
  count: number;
}

// Device adds up the lanes of one device.
export interface Device {
  name: string;
  lanes: number; // processors
  busy: number; // of its processors
  bytes: number; // moved by copies
  count: number;
}

// Ratio compares the two runs of a page.
export interface Ratio {
  name: number;
  place: string;
  time: [number, number];
  count: [number, number];
}

export interface Totals {
  ops: Total[];
  lines: Total[];
  lanes: LaneTotal[];
  devices: Device[];
  ratios: Ratio[];
  lineRatios: Ratio[];
  bars: number;
}

// busyNames tells for each name whether its bars count as work.
export function busyNames(meta: Meta): boolean[] {
  const busy = new Set(meta.kinds.filter((k) => k.busy).map((k) => k.name));
  return meta.names.map((n) => busy.has(n.kind));
}

// addUp makes the tables out of sums by lane and group. Time is that within the span; counts and bytes are those of all
// bars that touch it.
//
// Groups whose kind is not busy, such as waits and plans, count as bars and are in no table. A fused pass is divided among
// the lines whose operations it has, by their number (partsOf).
export function addUp(meta: Meta, rows: TotalRow[]): Totals {
  const busy = busyNames(meta);
  const ops = new Map<string, Total>();
  const lines = new Map<number, Total>();
  const lanes = new Map<number, LaneTotal>();
  const devices = new Map<string, Device & { seen: Set<number> }>();
  const ratios = new Map<string, Ratio>();
  const lineRatios = new Map<string, Ratio>();
  let bars = 0;
  for (const [lane, group, count, time, bytes] of rows) {
    bars += count;
    const { name, place } = at(meta.groups, group);
    const info = at(meta.lanes, lane);
    const kind = nameOf(meta, group).kind;
    const sum = entry(lanes, lane, () => ({ lane, busy: 0, count: 0 }));
    sum.count += count;
    if (!busy[name]) continue;
    sum.busy += time;
    const device = entry(devices, `${info.run}/${info.device || info.name}`, () => ({ name: (info.device || info.name) + (info.run === 1 ? " (B)" : ""), lanes: 0, busy: 0, bytes: 0, count: 0, seen: new Set<number>() }));
    if (info.kind !== "copy") {
      device.seen.add(lane);
      device.lanes = device.seen.size;
      device.busy += time;
    }
    device.count += count;
    if (kind === "copy") device.bytes += bytes;
    const grow = (total: Total, part: number) => {
      total.count += count;
      total.time += part * time;
      total.bytes += part * bytes;
      if (kind !== "run" && kind !== "copy") return;
      total.moving += part * time;
      total.moved += part * bytes;
    };
    grow(entry(ops, `${name} ${place}`, () => ({ name, place, count: 0, time: 0, bytes: 0, moving: 0, moved: 0 })), 1);
    // A fused pass is that of all its lines, as in profiles by lines.
    for (const [of, part] of partsOf(meta, group)) if (at(meta.places, of).line > 0) grow(entry(lines, of, () => ({ name: -1, place: of, count: 0, time: 0, bytes: 0, moving: 0, moved: 0 })), part);
    const where = at(meta.places, place);
    if (meta.runs.length < 2) continue;
    const compare = (ratio: Ratio) => {
      ratio.time[info.run === 1 ? 1 : 0] += time;
      ratio.count[info.run === 1 ? 1 : 0] += count;
    };
    compare(entry(ratios, String(name), () => ({ name, place: "", time: [0, 0], count: [0, 0] })));
    if (where.line > 0) compare(entry(lineRatios, where.text, () => ({ name: -1, place: where.text, time: [0, 0], count: [0, 0] })));
  }
  const byTime = (a: Total, b: Total) => b.time - a.time || a.place - b.place || a.name - b.name;
  const byBoth = (a: Ratio, b: Ratio) => Math.max(...b.time) - Math.max(...a.time) || a.name - b.name;
  return {
    ops: [...ops.values()].sort(byTime), lines: [...lines.values()].sort(byTime), lanes: [...lanes.values()], devices: [...devices.values()],
    ratios: [...ratios.values()].sort(byBoth), lineRatios: [...lineRatios.values()].sort(byBoth), bars,
  };
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
