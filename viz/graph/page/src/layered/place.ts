// Positions by least squares under minimal distances.

import { besideNodes, betweenLayers, type Level, type Link } from "./layers.ts";

const besideLines = 11;
const portGap = 12;
const boxPadding = 12;
export const titleHeight = 20;
const laneGap = 30;
export const margin = 8;
export const loopReach = 16;
const placeRounds = 6;

// place gives every vertex its x, and layers and the level their measures.
export function place(v: Level): void {
  const lanes = v.index === 0 ? v.l.g.lanes : 0;
  v.lanes = Array.from({ length: lanes }, () => ({ left: 0, width: 0 }));
  const padding = v.index > 0 ? boxPadding : margin;
  let left = 0;
  for (let lane = 0; lane <= lanes; lane++) { // 0 is what lies in no lane
    const rows = v.layers.map((layer) => layer.filter((i) => v.vertex(i).lane === lane || lanes === 0));
    if (rows.every((row) => row.length === 0)) continue;
    relax(v, rows);
    const [low, high] = extent(v, rows);
    if (lane > 0) left += laneGap / 2;
    for (const row of rows) for (const i of row) v.vertex(i).x += left + padding - low;
    if (lane > 0) v.lanes[lane - 1] = { left: left + padding - boxPadding, width: high - low + 2 * boxPadding };
    left += high - low;
    if (lanes > 0) left += laneGap;
  }
  if (lanes > 0) left -= laneGap;
  v.width = left + 2 * padding;
  if (lanes > 0) v.width += boxPadding;
  stack(v, padding);
  title(v);
}

// title makes room for the text of a box.
function title(v: Level): void {
  if (v.index === 0) return;
  const wide = v.l.g.boxes[v.index - 1]!.title + 2 * boxPadding;
  if (wide <= v.width) return;
  const shift = (wide - v.width) / 2;
  for (const w of v.vertices) w.x += shift;
  v.width = wide;
}

// stack gives the layers their heights, one below the other.
function stack(v: Level, padding: number): void {
  let y = padding;
  if (v.index > 0) y = titleHeight + 4;
  else if (v.lanes.length > 0) y += titleHeight;
  v.top = [];
  v.bottom = [];
  v.layers.forEach((layer, r) => {
    let height = 0;
    for (const i of layer) height = Math.max(height, v.vertex(i).height);
    const port = layer.length > 0 && layer.every((i) => v.vertex(i).dummy || v.items[i]?.port);
    if (port && r === 0 && v.index > 0) {
      v.top.push(0);
      v.bottom.push(0);
      y = titleHeight + 4;
      return;
    }
    if (port && r === v.layers.length - 1 && v.index > 0) y += -betweenLayers + portGap + 6;
    v.top.push(y);
    v.bottom.push(y + height);
    y += height + betweenLayers;
  });
  y -= betweenLayers;
  const exits = v.layers[v.layers.length - 1]?.some((i) => v.items[i]?.port && v.items[i]?.down);
  v.height = exits ? y : y + padding;
  if (v.index === 0 && v.lanes.length > 0) v.height += boxPadding;
}

// extent returns the leftmost and the rightmost border.
function extent(v: Level, rows: number[][]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const row of rows) {
    for (const i of row) {
      const w = v.vertex(i);
      low = Math.min(low, w.x - w.width / 2);
      high = Math.max(high, w.x + w.width / 2 + (v.items[i]?.loops ? loopReach : 0));
    }
  }
  return [low, high];
}

// apart is the least distance between the middles of two neighbors.
function apart(v: Level, a: number, b: number): number {
  const x = v.vertex(a);
  const y = v.vertex(b);
  let gap = x.dummy || y.dummy ? besideLines : besideNodes;
  if (v.items[a]?.loops) gap += loopReach;
  return x.width / 2 + y.width / 2 + gap;
}

// relax places each row where its neighbors would have it, from above and from below in turn, and both at last.
function relax(v: Level, rows: number[][]): void {
  const inside = v.vertices.map(() => false);
  for (const row of rows) {
    let x = 0;
    row.forEach((i, k) => {
      if (k > 0) x += apart(v, row[k - 1]!, i);
      v.vertex(i).x = x;
      inside[i] = true;
    });
    for (const i of row) v.vertex(i).x -= x / 2;
  }
  for (let round = 0; round < placeRounds; round++) {
    const both = round >= placeRounds / 2;
    for (let r = 0; r < rows.length; r++) settle(v, rows[r]!, inside, true, both);
    for (let r = rows.length - 1; r >= 0; r--) settle(v, rows[r]!, inside, both, true);
  }
}

// settle places a row so that the sum of the squared deviations from where neighbors pull is least: vertices that pull
// against one another form a block, which moves as one.
function settle(v: Level, row: number[], inside: boolean[], up: boolean, down: boolean): void {
  const blocks: { sum: number; weight: number; n: number }[] = [];
  const shift: number[] = [];
  row.forEach((i, k) => {
    const w = v.vertex(i);
    shift.push(k > 0 ? shift[k - 1]! + apart(v, row[k - 1]!, i) : 0);
    let sum = 0;
    let weight = 0;
    const pull = (links: Link[]) => {
      for (const d of links) {
        if (!inside[d.to]) continue;
        sum += d.weight * (v.vertex(d.to).x + d.there - d.here);
        weight += d.weight;
      }
    };
    if (up) pull(w.up);
    if (down) pull(w.down);
    if (weight === 0) {
      weight = 0.01;
      sum = weight * w.x;
    }
    let b = { sum: sum - weight * shift[k]!, weight, n: 1 };
    for (let last = blocks[blocks.length - 1]; last && last.sum * b.weight > b.sum * last.weight; last = blocks[blocks.length - 1]) {
      b = { sum: last.sum + b.sum, weight: last.weight + b.weight, n: last.n + b.n };
      blocks.pop();
    }
    blocks.push(b);
  });
  let k = 0;
  for (const b of blocks) {
    for (let n = 0; n < b.n; n++, k++) v.vertex(row[k]!).x = b.sum / b.weight + shift[k]!;
  }
}
