// The source of a page that holds its own bars, and works off-line.

import { drawRow, findRows, firstVisible, prefixSums, type Row } from "./bins.ts";
import { Matcher, parseQuery } from "./query.ts";
import { compareHits, newRect, type Emit, type Found, type MemoryPlot, type Neighbours, type Path, type Plot, type Source, type TotalRow, type Track } from "./source.ts";
import { at, nameOf, type Bar, type Bars, type Meta } from "./trace.ts";
import type { View } from "./view.ts";

const plotParts = 400;

interface Task {
  planned: number;
  after: number[];
}

// It answers what a server would, from columns that are sorted by lane, row and start. Loops over all bars are fine in
// here, since the page carries all of them. What only some questions need, the tasks' links and the bar of each
// task, is made when it is first asked for.
export class Embedded implements Source {
  readonly live = false;
  readonly loading = false;
  readonly notes: string[] = [];
  changed = (): void => undefined;
  progress = (): void => undefined;
  private readonly byLane = new Map<number, Row[]>();
  private readonly sums: Float64Array;
  private readonly rect = newRect();
  private readonly span: View;
  private plots: { view: View; lanes: number[][]; values: (Plot | undefined)[] } | undefined;
  private tasks: Map<number, Task> | undefined;
  private barOfTask: Map<number, number> | undefined;

  constructor(readonly meta: Meta, private readonly bars: Bars) {
    this.sums = prefixSums(bars);
    for (const row of findRows(bars)) {
      const rows = this.byLane.get(row.lane);
      if (rows) rows.push(row);
      else this.byLane.set(row.lane, [row]);
    }
    let start = Infinity;
    let end = -Infinity;
    for (let i = 0; i < bars.count; i++) {
      start = Math.min(start, at(bars.start, i));
      end = Math.max(end, at(bars.start, i) + at(bars.dur, i));
    }
    this.span = bars.count > 0 ? { t0: start, t1: end } : { t0: 0, t1: 1000 };
  }

  whole = (): View => this.span;
  count = (): number => this.bars.count;
  now = (): number => this.span.t1;
  running = (): [] => [];
  rows = (lane: number): number[] => (this.byLane.get(lane) ?? []).map((r) => r.row);

  show(view: View, _px: number, _tracks: Track[], plots: number[][]): void {
    this.plots = { view, lanes: plots, values: [] };
  }

  draw(track: Track, view: View, px: number, emit: Emit): void {
    const row = this.byLane.get(track.lane)?.find((r) => r.row === track.row);
    if (row) drawRow(this.bars, this.sums, row, view, px, this.rect, emit);
  }

  plot(index: number): Plot | undefined {
    const { plots } = this;
    const lanes = plots?.lanes[index];
    if (!plots || !lanes) return undefined;
    return (plots.values[index] ??= { ...plots.view, values: this.usage(lanes, plots.view) });
  }

  // usage adds up how busy lanes were in each part of a view.
  private usage(lanes: number[], v: View): Float32Array {
    const out = new Float32Array(plotParts);
    const scale = plotParts / (v.t1 - v.t0);
    for (const lane of lanes) {
      for (const row of this.byLane.get(lane) ?? []) {
        drawRow(this.bars, this.sums, row, v, plotParts, this.rect, (r) => {
          if (!this.busy(r.group)) return;
          const x0 = Math.max((r.t0 - v.t0) * scale, 0);
          const x1 = Math.min((r.t1 - v.t0) * scale, plotParts);
          for (let x = Math.floor(x0); x < x1; x++) {
            out[x] = Math.min(1, at(out, x) + (r.cover * (Math.min(x1, x + 1) - Math.max(x0, x))) / lanes.length);
          }
        });
      }
    }
    return out;
  }

  private busy(group: number): boolean {
    const { kind } = nameOf(this.meta, group);
    return this.meta.kinds.some((k) => k.name === kind && k.busy);
  }

  private get(i: number): Bar {
    const { bars } = this;
    return {
      id: i, lane: at(bars.lane, i), row: at(bars.row, i), start: at(bars.start, i), dur: at(bars.dur, i), bytes: at(bars.bytes, i),
      task: at(bars.task, i), op: at(bars.op, i), group: at(bars.group, i),
    };
  }

  bar = (id: number): Promise<Bar | undefined> => Promise.resolve(id >= 0 && id < this.bars.count ? this.get(id) : undefined);

  totals(v: View): Promise<TotalRow[]> {
    const { bars } = this;
    const rows = new Map<number, TotalRow>();
    const groups = Math.max(this.meta.groups.length, 1);
    for (const list of this.byLane.values()) {
      for (const row of list) {
        for (let i = firstVisible(bars, row, v.t0); i < row.end && at(bars.start, i) < v.t1; i++) {
          const group = at(bars.group, i);
          const key = row.lane * groups + group;
          let sum = rows.get(key);
          if (!sum) rows.set(key, (sum = [row.lane, group, 0, 0, 0]));
          sum[2]++;
          sum[3] += Math.max(0, Math.min(at(bars.start, i) + at(bars.dur, i), v.t1) - Math.max(at(bars.start, i), v.t0));
          sum[4] += at(bars.bytes, i);
        }
      }
    }
    return Promise.resolve([...rows.values()]);
  }

  private matcher(text: string): ((i: number) => boolean) | undefined {
    const q = parseQuery(text);
    if (!q) return undefined;
    const m = new Matcher(this.meta, q);
    const { bars } = this;
    return (i) => m.bar(at(bars.lane, i), at(bars.group, i), at(bars.dur, i), at(bars.task, i), at(bars.op, i));
  }

  async search(text: string): Promise<Found | undefined> {
    const hit = this.matcher(text);
    if (!hit) return undefined;
    const found: Found = { count: 0, time: 0, unseen: 0, first: undefined };
    for (let i = 0; i < this.bars.count; i++) {
      if (!hit(i)) continue;
      found.count++;
      found.time += at(this.bars.dur, i);
      if (!found.first || at(this.bars.start, i) < found.first.start) found.first = this.get(i);
    }
    return found;
  }

  async next(text: string, from: Bar | undefined, back: boolean): Promise<Bar | undefined> {
    const hit = this.matcher(text);
    if (!hit) return undefined;
    const start = from ?? { id: back ? Infinity : -1, lane: 0, row: 0, start: back ? Infinity : -Infinity, dur: 0, bytes: 0, task: 0, op: 0, group: 0 };
    let best: Bar | undefined;
    for (let i = 0; i < this.bars.count; i++) {
      const t = at(this.bars.start, i);
      if ((back ? t > start.start : t < start.start) || !hit(i)) continue;
      const bar = this.get(i);
      if (back ? compareHits(bar, start) < 0 && (!best || compareHits(bar, best) > 0) : compareHits(bar, start) > 0 && (!best || compareHits(bar, best) < 0)) best = bar;
    }
    return best;
  }

  async marks(text: string, v: View, px: number, lanes: number[]): Promise<number[][]> {
    const hit = this.matcher(text);
    if (!hit) return [];
    const scale = px / (v.t1 - v.t0);
    return lanes.map((lane) => {
      const there = new Uint8Array(px);
      for (const row of this.byLane.get(lane) ?? []) {
        for (let i = firstVisible(this.bars, row, v.t0); i < row.end && at(this.bars.start, i) < v.t1; i++) {
          if (!hit(i)) continue;
          const x0 = Math.max(Math.floor((at(this.bars.start, i) - v.t0) * scale), 0);
          const x1 = Math.min(Math.floor((at(this.bars.start, i) + at(this.bars.dur, i) - v.t0) * scale), px - 1);
          there.fill(1, x0, x1 + 1);
        }
      }
      const out = [lane];
      there.forEach((mark, x) => mark === 1 && out.push(x));
      return out;
    });
  }

  private links(): Map<number, Task> {
    if (this.tasks) return this.tasks;
    this.tasks = new Map();
    const { tasks } = this.meta;
    for (let i = 0; i < tasks.length; ) {
      const n = at(tasks, i + 2);
      this.tasks.set(at(tasks, i), { planned: at(tasks, i + 1), after: tasks.slice(i + 3, i + 3 + n) });
      i += 3 + n;
    }
    return this.tasks;
  }

  private ofTask(id: number): Bar | undefined {
    if (!this.barOfTask) {
      this.barOfTask = new Map();
      for (let i = 0; i < this.bars.count; i++) {
        const task = at(this.bars.task, i);
        const known = this.barOfTask.get(task);
        if (task !== 0 && (known === undefined || (this.busy(at(this.bars.group, i)) && at(this.bars.dur, i) > at(this.bars.dur, known)))) this.barOfTask.set(task, i);
      }
    }
    const i = this.barOfTask.get(id);
    return i === undefined ? undefined : this.get(i);
  }

  async task(id: number): Promise<Neighbours> {
    const links = this.links();
    const own = links.get(id);
    const bars = (ids: number[]) => ids.slice(0, 200).map((t) => this.ofTask(t)).filter((b) => b !== undefined);
    const waited = own?.after ?? [];
    const before = bars(waited);
    const gone = waited.slice(0, 200).length - before.length;
    const behind: number[] = [];
    for (const [other, task] of links) if (task.after.includes(id)) behind.push(other);
    const known = own !== undefined && before.length === waited.length;
    const ready = known ? before.reduce((t, b) => Math.max(t, b.start + b.dur), own.planned) : -1;
    return { bar: this.ofTask(id), planned: own?.planned ?? -1, ready, before, behind: bars(behind), gone };
  }

  // A memory's level is the sum of allocations and frees until then, from meta.held at time 0 on. A pixel shows the highest
  // level within it, so that a peak does not vanish when it is shorter than a pixel.
  async memory(v: View, px: number): Promise<MemoryPlot[]> {
    const { bars, meta } = this;
    const changes = new Map<number, [number, number][]>();
    for (let i = 0; i < bars.count; i++) {
      const { kind } = nameOf(meta, at(bars.group, i));
      if (kind !== "alloc" && kind !== "free") continue;
      const lane = at(bars.lane, i);
      if (!changes.has(lane)) changes.set(lane, []);
      changes.get(lane)?.push([at(bars.start, i) + at(bars.dur, i), kind === "alloc" ? at(bars.bytes, i) : -at(bars.bytes, i)]);
    }
    return [...changes].map(([lane, list]) => {
      list.sort((a, b) => a[0] - b[0]);
      const values = new Float64Array(px);
      let level = meta.held?.[lane] ?? 0;
      let k = 0;
      for (let x = 0; x < px; x++) {
        const until = v.t0 + ((v.t1 - v.t0) * (x + 1)) / px;
        const from = v.t0 + ((v.t1 - v.t0) * x) / px;
        let most = -1;
        for (let change = list[k]; change && change[0] < until; change = list[++k]) {
          if (change[0] >= from && most < 0) most = level;
          level = Math.max(level + change[1], 0);
          if (change[0] >= from) most = Math.max(most, level);
        }
        values[x] = Math.max(most, level);
      }
      return { lane, values };
    });
  }

  thinned(): undefined {
    return undefined;
  }

  // ran counts the tasks that ran or copied something in a stretch of time.
  private ran(v: View): number {
    if (v.t0 <= this.span.t0 && v.t1 >= this.span.t1 && this.meta.ran !== undefined) return this.meta.ran;
    const tasks = new Set<number>();
    for (let i = 0; i < this.bars.count; i++) {
      const inside = at(this.bars.start, i) >= v.t0 && at(this.bars.start, i) + at(this.bars.dur, i) <= v.t1;
      if (inside && at(this.bars.task, i) !== 0 && this.busy(at(this.bars.group, i))) tasks.add(at(this.bars.task, i));
    }
    return tasks.size;
  }

  // The critical path is the longest chain of tasks that waited for each other, by time. Tasks have larger numbers than those
  // that they wait for, so that one pass in their order suffices (dynamic programming over a graph that is sorted
  // already): best[t] is t's time and the most that any of its predecessors has.
  async path(v: View): Promise<Path> {
    const best = new Map<number, { time: number; from: number }>();
    let last = 0;
    for (const [id, task] of [...this.links()].sort((a, b) => a[0] - b[0])) {
      const bar = this.ofTask(id);
      if (!bar || bar.start < v.t0 || bar.start + bar.dur > v.t1) continue;
      let time = bar.dur;
      let from = 0;
      for (const before of task.after) {
        const there = best.get(before);
        if (there && there.time + bar.dur > time) {
          time = there.time + bar.dur;
          from = before;
        }
      }
      best.set(id, { time, from });
      if (last === 0 || time > (best.get(last)?.time ?? 0)) last = id;
    }
    const all = this.ran(v);
    const bars: Bar[] = [];
    for (let id = last; id !== 0; id = best.get(id)?.from ?? 0) {
      const bar = this.ofTask(id);
      if (bar) bars.unshift(bar);
    }
    return { bars, count: bars.length, time: best.get(last)?.time ?? 0, whole: best.size >= all, known: best.size, tasks: all };
  }
}
