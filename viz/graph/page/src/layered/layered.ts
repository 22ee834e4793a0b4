// Draws graphs in layers: what comes first stands above, and edges go down. This is package viz/layered of the Go side in
// TypeScript, for pages in which boxes open and close; both give the same pictures, number by number, which a test holds
// them to. What the steps do and why stands there.

import { Level, socketKey, type Socket } from "./layers.ts";
import { picture } from "./route.ts";

export interface Node {
  width: number;
  height: number;
  box: number; // in which it lies; -1: in none
  lane: number; // column of a node that lies in no box; -1: in none
}

export interface Box {
  parent: number; // -1: an outermost one
  title: number; // width of what is written in its upper left corner
}

export interface Edge {
  from: number;
  to: number;
  back: boolean; // it leads to an earlier node and has no say in who stands above
}

export interface Graph {
  nodes: Node[];
  boxes: Box[];
  edges: Edge[];
  lanes: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Picture {
  width: number;
  height: number;
  nodes: Rect[];
  boxes: Rect[];
  lanes: Rect[];
  lines: Point[][];
  crossings: number;
}

export const mostDummies = 40_000;

// End says how an edge runs: from the node upper down to the node lower, which meet in one level.
export interface End {
  upper: number;
  lower: number;
  meet: number;
  reversed: boolean;
  self: boolean;
}

export function layout(graph: Graph): Picture {
  const l = new Layout(graph);
  for (let i = l.levels.length - 1; i >= 0; i--) l.level(i).lay(); // inner boxes first
  return picture(l);
}

export class Layout {
  readonly levels: Level[] = []; // the outermost one, then the inside of each box
  budget = mostDummies;
  readonly ends: End[] = [];

  constructor(readonly g: Graph) {
    for (let i = 0; i <= g.boxes.length; i++) this.levels.push(new Level(this, i));
    const first = g.boxes.map(() => -1); // the first node within each box
    g.nodes.forEach((node, n) => {
      for (let b = node.box; b >= 0 && first[b]! < 0; b = g.boxes[b]!.parent) first[b] = n;
    });
    const members: { first: number; node: number; box: number }[][] = this.levels.map(() => []);
    g.nodes.forEach((node, n) => members[node.box + 1]!.push({ first: n, node: n, box: -1 }));
    g.boxes.forEach((box, b) => {
      if (first[b]! >= 0) members[box.parent + 1]!.push({ first: first[b]!, node: -1, box: b });
    });
    members.forEach((list, i) => {
      const v = this.level(i);
      list.sort((a, b) => a.first - b.first); // stable
      list.forEach((m, k) => {
        const node = g.nodes[m.node];
        if (node) v.ofNode.set(m.node, k);
        else v.ofBox.set(m.box, k);
        v.items.push({
          node: m.node, box: m.box, port: false, down: false,
          width: node?.width ?? 0, height: node?.height ?? 0, lane: node && i === 0 ? node.lane : -1, loops: false,
        });
      });
    });
    this.meetings();
  }

  level(i: number): Level {
    const v = this.levels[i];
    if (!v) throw new Error(`there is no level ${i}; there are ${this.levels.length}`);
    return v;
  }

  // meetings finds for each edge the level in which its ends are different items, and which of them is above there.
  private meetings(): void {
    const { g } = this;
    const lifted: [number, number][][] = this.levels.map(() => []);
    for (const edge of g.edges) {
      if (edge.from === edge.to) {
        const meet = g.nodes[edge.from]!.box + 1;
        const v = this.level(meet);
        this.ends.push({ upper: edge.from, lower: edge.to, meet, reversed: false, self: true });
        v.items[v.ofNode.get(edge.from)!]!.loops = true;
        continue;
      }
      const meet = this.meet(edge.from, edge.to);
      this.ends.push({ upper: edge.from, lower: edge.to, meet, reversed: false, self: false });
      if (!edge.back) lifted[meet]!.push([this.itemOf(meet, edge.from), this.itemOf(meet, edge.to)]);
    }
    this.levels.forEach((v, i) => {
      const after: number[][] = v.items.map(() => []);
      for (const [from, to] of lifted[i]!) after[from]!.push(to);
      v.turn = topological(after);
    });
    for (const d of this.ends) {
      if (d.self) continue;
      const v = this.level(d.meet);
      if (v.turn[this.itemOf(d.meet, d.upper)]! > v.turn[this.itemOf(d.meet, d.lower)]!) {
        [d.upper, d.lower] = [d.lower, d.upper];
        d.reversed = true;
      }
      const upper = this.attach(v, d.upper, true);
      v.arc(upper, this.attach(v, d.lower, false));
    }
  }

  // attach leads an edge of a node from within the boxes of the level, through their ports, to the item that holds the node.
  private attach(v: Level, node: number, down: boolean): Socket {
    const item = this.itemOf(v.index, node);
    const box = v.items[item]!.box;
    if (box < 0) return { item, port: 0 };
    const inner = this.level(box + 1);
    const key = socketKey(node, down);
    let port = inner.ports.get(key);
    if (port === undefined) {
      const from = this.attach(inner, node, down);
      port = inner.items.length;
      inner.ports.set(key, port);
      inner.items.push({ node: -1, box: -1, lane: -1, port: true, down, width: 0, height: 0, loops: false });
      const at = { item: port, port: 0 };
      if (down) inner.arc(from, at);
      else inner.arc(at, from);
    }
    return { item, port: port + 1 };
  }

  // meet returns the innermost level that holds both nodes.
  private meet(a: number, b: number): number {
    const { nodes, boxes } = this.g;
    const above = new Set([-1]);
    for (let box = nodes[a]!.box; box >= 0; box = boxes[box]!.parent) above.add(box);
    let box = nodes[b]!.box;
    while (!above.has(box)) box = boxes[box]!.parent;
    return box + 1;
  }

  // itemOf returns the item of a level that is or holds a node.
  itemOf(at: number, node: number): number {
    const v = this.level(at);
    const direct = v.ofNode.get(node);
    if (direct !== undefined) return direct;
    let box = this.g.nodes[node]!.box;
    while (this.g.boxes[box]!.parent + 1 !== at) box = this.g.boxes[box]!.parent;
    return v.ofBox.get(box)!;
  }
}

// topological numbers vertices so that edges go up in number. Where cycles leave no choice, the first vertex is next.
function topological(after: number[][]): number[] {
  const waits = after.map(() => 0);
  for (const list of after) for (const to of list) waits[to]!++;
  const turn = after.map(() => -1);
  const ready: number[] = [];
  waits.forEach((n, i) => n === 0 && ready.push(i));
  for (let next = 0, first = 0; next < after.length; next++) {
    if (next === ready.length) {
      while (turn[first]! >= 0) first++;
      ready.push(first);
    }
    const i = ready[next]!;
    turn[i] = next;
    for (const to of after[i]!) if (--waits[to]! === 0 && turn[to]! < 0) ready.push(to);
  }
  return turn;
}
