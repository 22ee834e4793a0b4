// Where a page's bars come from: the page itself, or the server that it came from. Everything else is the same for both.

import type { Bar, Meta } from "./trace.ts";
import type { View } from "./view.ts";

// A track is one row of a lane: bars of a row do not overlap, so a lane in which they nest has several.
export interface Track {
  lane: number;
  row: number;
}

// Rect is what is drawn: one bar, or all those of a pixel. It is used again for the next one.
export interface Rect {
  t0: number;
  t1: number;
  id: number; // the bar, or one of the longest ones
  group: number;
  count: number; // 1 for a single bar
  cover: number; // how much of it they cover
  dur: number; // of a single bar, like what follows
  bytes: number;
  task: number;
  op: number;
}

export type Emit = (rect: Rect) => void;

export function newRect(): Rect {
  return { t0: 0, t1: 0, id: 0, group: 0, count: 1, cover: 1, dur: 0, bytes: 0, task: 0, op: 0 };
}

// Running is a task that has begun and not ended.
export interface Running {
  lane: number;
  row: number;
  start: number;
  kind: string;
  task: number;
  op: number;
  group: number;
}

// TotalRow adds up one group on one lane: lane, group, count, time, bytes.
export type TotalRow = [number, number, number, number, number];

export interface Found {
  count: number;
  time: number;
  unseen: number; // bars of which there are only sums, which do not tell
  first: Bar | undefined;
}

// Neighbours of a task. Planned and ready are -1 where they are not known.
export interface Neighbours {
  bar: Bar | undefined;
  planned: number;
  ready: number;
  before: Bar[];
  behind: Bar[];
  gone: number; // of those that it waited for, how many have no bar here
}

export interface Path {
  bars: Bar[]; // the newest of them
  count: number;
  time: number;
  whole: boolean; // all tasks of the run were looked at
  known: number; // of so many it is known what they waited for
  tasks: number; // of so many
  more?: boolean; // and of some that are forgotten altogether
}

// Sums say that bars that ended before some time are there in sums only, each of which stands for a stretch of time.
export interface Sums {
  until: number;
  stretch: number;
}

export interface MemoryPlot {
  lane: number;
  values: ArrayLike<number>;
}

// Plot is how busy some lanes were in equal parts of a stretch of time.
export interface Plot {
  t0: number;
  t1: number;
  values: ArrayLike<number>;
}

// There are two: Embedded has all bars in the page and works without a server, Socket asks one. A page calls show before
// draw in each frame. draw is synchronous and emits what is there; everything that may take a server's time returns a
// promise. changed and progress are the page's, which the source calls.
export interface Source {
  readonly meta: Meta; // its tables grow
  readonly live: boolean;
  readonly loading: boolean; // there is more to come of a recorded run
  readonly notes: string[];
  changed: () => void; // called when there is something new to draw
  progress: (what: string, part: number, found: number | undefined) => void; // called while the answer to a question takes long
  thinned(): Sums | undefined;
  whole(): View; // the first start and the last end
  count(): number;
  rows(lane: number): number[]; // rows that hold bars
  now(): number; // of a run that goes on
  running(): readonly Running[];
  // show says what the page shows; draw emits what there is of it by now, which follows.
  show(view: View, px: number, tracks: Track[], plots: number[][]): void;
  draw(track: Track, view: View, px: number, emit: Emit): void;
  plot(index: number): Plot | undefined;
  bar(id: number): Promise<Bar | undefined>;
  totals(v: View): Promise<TotalRow[]>;
  search(text: string): Promise<Found | undefined>;
  next(text: string, from: Bar | undefined, back: boolean): Promise<Bar | undefined>;
  marks(text: string, v: View, px: number, lanes: number[]): Promise<number[][]>;
  task(id: number): Promise<Neighbours>;
  memory(v: View, px: number): Promise<MemoryPlot[]>;
  path(v: View): Promise<Path>;
}

// compareHits orders bars as one steps through them, like the server does.
export function compareHits(a: Bar, b: Bar): number {
  return a.start - b.start || a.lane - b.lane || a.id - b.id;
}
