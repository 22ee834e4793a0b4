// Puts the levels into one another and leads the edges through them.

import type { Layout, Picture, Point, Rect } from "./layered.ts";
import { arcKey, socketKey, type Level, type Socket } from "./layers.ts";
import { loopReach, margin } from "./place.ts";

export function picture(l: Layout): Picture {
  const { g } = l;
  const root = l.level(0);
  const p: Picture = {
    width: round(root.width), height: round(root.height), nodes: g.nodes.map(nowhere), boxes: g.boxes.map(nowhere),
    lanes: Array.from({ length: g.lanes }, nowhere), lines: [], crossings: 0,
  };
  const origin: Point[] = l.levels.map(() => ({ x: 0, y: 0 }));
  const corner: Point[][] = []; // of the items, by level
  l.levels.forEach((v, i) => {
    p.crossings += v.crossings;
    const at = origin[i]!;
    corner.push(v.items.map((it, k) => {
      const w = v.vertex(k);
      const x = at.x + w.x - w.width / 2;
      const y = at.y + (v.top[w.rank]! + v.bottom[w.rank]!) / 2 - w.height / 2;
      const rect = { x: round(x), y: round(y), width: round(it.width), height: round(it.height) };
      if (it.node >= 0) p.nodes[it.node] = rect;
      if (it.box >= 0) {
        p.boxes[it.box] = rect;
        origin[it.box + 1] = { x, y };
      }
      return { x, y };
    }));
  });
  root.lanes.forEach((lane, i) => {
    if (lane.width > 0) p.lanes[i] = { x: round(lane.left), y: margin, width: round(lane.width), height: round(root.height - 2 * margin) };
  });
  p.lines = l.ends.map((d) => {
    const v = l.level(d.meet);
    if (d.self) {
      const k = v.ofNode.get(d.upper)!;
      return selfLine(corner[d.meet]![k]!, v.items[k]!);
    }
    const points: Point[] = [];
    leave(l, points, v, d.upper, origin);
    follow(v, points, socket(l, v, d.upper, true), socket(l, v, d.lower, false), origin[v.index]!);
    enter(l, points, v, d.lower, origin);
    const line = straighten(points.map((q) => ({ x: round(q.x), y: round(q.y) })));
    return d.reversed ? line.reverse() : line;
  });
  return p;
}

function nowhere(): Rect {
  return { x: 0, y: 0, width: 0, height: 0 };
}

// round is Go's math.Round of tenths: halves go away from zero.
function round(x: number): number {
  const tenths = x * 10;
  return (tenths < 0 ? -Math.round(-tenths) : Math.round(tenths)) / 10;
}

function socket(l: Layout, v: Level, node: number, down: boolean): Socket {
  const item = l.itemOf(v.index, node);
  const box = v.items[item]!.box;
  return { item, port: box < 0 ? 0 : l.level(box + 1).ports.get(socketKey(node, down))! + 1 };
}

// leave leads from a node out of the boxes of a level, innermost first.
function leave(l: Layout, points: Point[], v: Level, node: number, origin: Point[]): void {
  const box = v.items[l.itemOf(v.index, node)]!.box;
  if (box < 0) return;
  const inner = l.level(box + 1);
  leave(l, points, inner, node, origin);
  const port = { item: inner.ports.get(socketKey(node, true))!, port: 0 };
  follow(inner, points, socket(l, inner, node, true), port, origin[inner.index]!);
}

// enter leads from the border of a level's box in to a node.
function enter(l: Layout, points: Point[], v: Level, node: number, origin: Point[]): void {
  const box = v.items[l.itemOf(v.index, node)]!.box;
  if (box < 0) return;
  const inner = l.level(box + 1);
  const port = { item: inner.ports.get(socketKey(node, false))!, port: 0 };
  follow(inner, points, port, socket(l, inner, node, false), origin[inner.index]!);
  enter(l, points, inner, node, origin);
}

// follow adds the points of one arc. In a layer a line goes straight down; only between layers it bends.
function follow(v: Level, points: Point[], upper: Socket, lower: Socket, at: Point): void {
  const a = v.arcs[v.arcAt.get(arcKey(upper, lower))!]!;
  const add = (x: number, y: number) => points.push({ x: at.x + x, y: at.y + y });
  const path = a.path ?? [a.upper.item, a.lower.item]; // there was no room for dummies
  path.forEach((i, n) => {
    const w = v.vertex(i);
    const top = v.top[w.rank]!;
    const bottom = v.bottom[w.rank]!;
    const middle = (top + bottom) / 2;
    if (n === 0) {
      const x = w.x + v.offset(a.upper);
      add(x, middle + w.height / 2);
      add(x, bottom);
    } else if (n === path.length - 1) {
      const x = w.x + v.offset(a.lower);
      add(x, top);
      add(x, middle - w.height / 2);
    } else {
      add(w.x, top);
      add(w.x, bottom);
    }
  });
}

// straighten leaves out repeated points and those in the middle of vertical lines.
function straighten(points: Point[]): Point[] {
  const out: Point[] = [];
  for (const p of points) {
    const last = out[out.length - 1];
    const before = out[out.length - 2];
    if (last && last.x === p.x && last.y === p.y) continue;
    if (last && before && last.x === p.x && before.x === p.x) out[out.length - 1] = p;
    else out.push(p);
  }
  return out;
}

// selfLine leaves a node on its right side and comes back there.
function selfLine(at: Point, size: { width: number; height: number }): Point[] {
  const x = at.x + size.width;
  const y = at.y + size.height / 2;
  const rise = Math.min(size.height / 4, 9);
  return [[x, y + rise], [x + loopReach, y + rise], [x + loopReach, y - rise], [x, y - rise]].map(([px, py]) => ({ x: round(px!), y: round(py!) }));
}
