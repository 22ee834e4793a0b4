// The order within the layers.

import type { Level, Link } from "./layers.ts";

const sweeps = 9;
const swapRounds = 4;
const manyLinks = 4096;

// order puts the vertices of each layer in an order with few crossings. The best order wins.
export function order(v: Level): void {
  depthFirst(v);
  number(v);
  let best = keep(v);
  let least = count(v);
  for (let s = 0; s < sweeps && least > 0; s++) {
    if (s % 2 === 0) for (let rank = 1; rank < v.layers.length; rank++) barycentre(v, rank, false);
    else for (let rank = v.layers.length - 2; rank >= 0; rank--) barycentre(v, rank, true);
    if (s >= sweeps - 4) swap(v);
    const n = count(v);
    if (n < least) {
      best = keep(v);
      least = n;
    }
  }
  v.layers = best;
  v.crossings = least;
  number(v);
}

function keep(v: Level): number[][] {
  return v.layers.map((layer) => layer.slice());
}

// depthFirst fills the layers in the order in which a walk along the lines comes by.
function depthFirst(v: Level): void {
  const seen = v.vertices.map(() => false);
  const stack: number[] = [];
  v.vertices.forEach((w, first) => {
    if (seen[first] || w.up.length > 0) return;
    stack.push(first);
    for (let i = stack.pop(); i !== undefined; i = stack.pop()) {
      if (seen[i]) continue;
      seen[i] = true;
      const { rank, down } = v.vertex(i);
      v.layers[rank]!.push(i);
      for (let k = down.length - 1; k >= 0; k--) stack.push(down[k]!.to);
    }
  });
  for (const layer of v.layers) byLane(v, layer);
}

function byLane(v: Level, layer: number[]): void {
  layer.sort((a, b) => v.vertex(a).lane - v.vertex(b).lane); // stable
}

function number(v: Level): void {
  for (const layer of v.layers) renumber(v, layer);
}

function renumber(v: Level, layer: number[]): void {
  layer.forEach((i, at) => (v.vertex(i).at = at));
}

// seat is the place of a link's end in its layer: that of the vertex, and where on it.
function seat(v: Level, k: Link): number {
  const w = v.vertex(k.to);
  return w.at + fraction(k.there, w.width);
}

function fraction(offset: number, width: number): number {
  return offset / (width + 1);
}

// barycentre sorts a layer by the means of the neighbors' seats. Vertices without neighbors stay where they are.
function barycentre(v: Level, rank: number, fromBelow: boolean): void {
  const layer = v.layers[rank]!;
  const keys = new Map<number, number>();
  for (const i of layer) {
    const links = fromBelow ? v.vertex(i).down : v.vertex(i).up;
    if (links.length === 0) continue;
    let sum = 0;
    for (const k of links) sum += seat(v, k);
    keys.set(i, sum / links.length);
  }
  const moving = [...keys.keys()].sort((a, b) => v.vertex(a).lane - v.vertex(b).lane || keys.get(a)! - keys.get(b)!);
  let next = 0;
  layer.forEach((i, at) => {
    if (keys.has(i)) layer[at] = moving[next++]!;
  });
  if (v.index === 0 && v.l.g.lanes > 0) byLane(v, layer); // one that stayed may now stand among another lane's
  renumber(v, layer);
}

// swap exchanges neighbors while that removes crossings.
function swap(v: Level): void {
  for (let round = 0; round < swapRounds; round++) {
    let better = false;
    for (const layer of v.layers) {
      for (let at = 0; at + 1 < layer.length; at++) {
        const a = v.vertex(layer[at]!);
        const b = v.vertex(layer[at + 1]!);
        if (a.lane !== b.lane) continue;
        const now = between(v, a.up, b.up) + between(v, a.down, b.down);
        if (now === 0 || between(v, b.up, a.up) + between(v, b.down, a.down) >= now) continue;
        [layer[at], layer[at + 1]] = [layer[at + 1]!, layer[at]!];
        [a.at, b.at] = [b.at, a.at];
        better = true;
      }
    }
    if (!better) return;
  }
}

// between counts the crossings of the links of a vertex with those of its right neighbor.
function between(v: Level, left: Link[], right: Link[]): number {
  if (left.length * right.length > manyLinks) return 0;
  let n = 0;
  for (const a of left) {
    const at = seat(v, a);
    for (const b of right) if (seat(v, b) < at) n++;
  }
  return n;
}

// count counts all crossings: for each layer the inversions of its lines' lower ends.
function count(v: Level): number {
  let n = 0;
  for (const layer of v.layers) {
    const lines: [number, number][] = [];
    for (const i of layer) {
      const w = v.vertex(i);
      for (const d of w.down) lines.push([w.at + fraction(d.here, w.width), seat(v, d)]);
    }
    lines.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    n += inversions(lines.map((line) => line[1]));
  }
  return n;
}

// inversions counts the pairs that stand in the wrong order, and sorts.
function inversions(s: number[]): number {
  if (s.length < 2) return 0;
  const half = s.length >> 1;
  const left = s.slice(0, half);
  const right = s.slice(half);
  let n = inversions(left) + inversions(right);
  for (let k = 0, i = 0, j = 0; k < s.length; k++) {
    if (i < left.length && (j === right.length || left[i]! <= right[j]!)) s[k] = left[i++]!;
    else {
      s[k] = right[j++]!;
      n += left.length - i;
    }
  }
  return n;
}
