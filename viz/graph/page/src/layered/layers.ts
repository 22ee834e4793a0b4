// A level, and its layers: longest paths, and a dummy on each layer that a line passes.

import type { Layout } from "./layered.ts";
import { order } from "./order.ts";
import { place } from "./place.ts";

export const betweenLayers = 38;
export const besideNodes = 18;
const widestLayer = 1500;

export interface Item {
  node: number; // one of node and box is -1, both of a port
  box: number;
  port: boolean;
  down: boolean;
  width: number;
  height: number;
  lane: number;
  loops: boolean;
}

// Socket is where an edge meets an item: a box's port, which counts from 1, or 0 for the middle.
export interface Socket {
  item: number;
  port: number;
}

export interface Arc {
  upper: Socket;
  lower: Socket;
  path: number[] | undefined;
}

export interface Link {
  to: number;
  here: number; // from the vertices' middles to where the line meets them
  there: number;
  weight: number;
}

export interface Vertex {
  rank: number;
  at: number;
  lane: number;
  width: number;
  height: number;
  dummy: boolean;
  x: number;
  up: Link[];
  down: Link[];
}

export function socketKey(node: number, down: boolean): number {
  return 2 * node + (down ? 1 : 0);
}

export class Level {
  items: Item[] = [];
  readonly ofNode = new Map<number, number>();
  readonly ofBox = new Map<number, number>();
  readonly ports = new Map<number, number>();
  turn: number[] = [];
  readonly arcs: Arc[] = [];
  readonly arcAt = new Map<string, number>();
  vertices: Vertex[] = [];
  layers: number[][] = [];
  top: number[] = [];
  bottom: number[] = [];
  width = 0;
  height = 0;
  lanes: { left: number; width: number }[] = [];
  crossings = 0;

  constructor(readonly l: Layout, readonly index: number) {}

  arc(upper: Socket, lower: Socket): void {
    const key = arcKey(upper, lower);
    if (this.arcAt.has(key)) return;
    this.arcAt.set(key, this.arcs.length);
    this.arcs.push({ upper, lower, path: undefined });
  }

  // lay lays the level out. Those of its boxes have been.
  lay(): void {
    for (const it of this.items) {
      if (it.box < 0) continue;
      const inner = this.l.level(it.box + 1);
      it.width = inner.width;
      it.height = inner.height;
    }
    this.rank();
    this.split();
    order(this);
    place(this);
  }

  vertex(i: number): Vertex {
    return this.vertices[i]!;
  }

  // offset returns how far to the right of an item's middle a socket lies.
  offset(s: Socket): number {
    if (s.port === 0) return 0;
    const inner = this.l.level(this.items[s.item]!.box + 1);
    return inner.vertex(s.port - 1).x - inner.width / 2;
  }

  // rank gives each item a layer: below all that it follows, and where a layer is full, below that.
  private rank(): void {
    const { items } = this;
    const above: number[][] = items.map(() => []);
    const below: number[][] = items.map(() => []);
    for (const a of this.arcs) {
      if (items[a.upper.item]!.port || items[a.lower.item]!.port) continue;
      above[a.lower.item]!.push(a.upper.item);
      below[a.upper.item]!.push(a.lower.item);
    }
    const order: number[] = [];
    this.turn.forEach((turn, i) => (order[turn] = i));
    const exits = items.some((it) => it.port && it.down);
    const base = items.some((it) => it.port && !it.down) ? 1 : 0;
    const ranks = items.map(() => 0);
    const used: number[] = [];
    const room = (rank: number, width: number) => (used[rank] ?? 0) === 0 || used[rank]! + width <= widestLayer;
    const use = (rank: number, width: number) => (used[rank] = (used[rank] ?? 0) + width);
    let lowest = 0;
    for (const i of order) {
      let rank = base;
      for (const j of above[i]!) rank = Math.max(rank, ranks[j]! + 1);
      const width = items[i]!.width + besideNodes;
      while (!room(rank, width)) rank++;
      use(rank, width);
      ranks[i] = rank;
      lowest = Math.max(lowest, rank);
    }
    for (const i of order.slice().reverse()) { // down to what waits for it, where that shortens lines
      if (below[i]!.length <= above[i]!.length) continue;
      let rank = Infinity;
      for (const j of below[i]!) rank = Math.min(rank, ranks[j]! - 1);
      const width = items[i]!.width + besideNodes;
      while (rank > ranks[i]! && !room(rank, width)) rank--;
      if (rank <= ranks[i]!) continue;
      use(ranks[i]!, -width);
      use(rank, width);
      ranks[i] = rank;
    }
    if (order.length === 0) lowest = base;
    const layers = lowest + 1 + (exits ? 1 : 0);
    this.vertices = items.map((it, i) => ({
      rank: it.port && it.down ? layers - 1 : ranks[i]!, at: 0, lane: it.lane + 1, width: it.width, height: it.height,
      dummy: false, x: 0, up: [], down: [],
    }));
    this.layers = Array.from({ length: layers }, () => []);
  }

  // split puts a dummy on each layer that an arc passes, and links neighbors.
  private split(): void {
    for (const a of this.arcs) {
      const from = a.upper.item;
      const to = a.lower.item;
      const start = this.vertex(from);
      const end = this.vertex(to);
      const span = end.rank - start.rank;
      if (span < 1 || span - 1 > this.l.budget) continue;
      this.l.budget -= span - 1;
      a.path = [from];
      let last = from;
      let here = this.offset(a.upper);
      for (let s = 1; s <= span; s++) {
        let next = to;
        let there = this.offset(a.lower);
        if (s < span) {
          next = this.vertices.length;
          there = 0;
          this.vertices.push({
            rank: start.rank + s, at: 0, lane: 2 * s < span ? start.lane : end.lane, width: 0, height: 0, dummy: true, x: 0, up: [], down: [],
          });
        }
        const weight = s > 1 && s < span ? 8 : span > 1 ? 2 : 1; // long lines are straight before anything else
        this.vertex(last).down.push({ to: next, here, there, weight });
        this.vertex(next).up.push({ to: last, here: there, there: here, weight });
        a.path.push(next);
        last = next;
        here = 0;
      }
    }
  }
}

export function arcKey(upper: Socket, lower: Socket): string {
  return `${upper.item}.${upper.port}-${lower.item}.${lower.port}`;
}
