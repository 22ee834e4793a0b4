// The graph with all that its nodes can be opened into, and what of it is visible in a state: see Outline of viz/graph/outline.go.

export interface Outline {
  kind: "dataflow" | "events";
  title: string;
  note: string;
  parts: Part[];
  grains: number[][]; // the smallest part, then that of each folded loop around it
  flows: Flow[];
  sources: Source[];
}

export interface Part {
  in: number;
  loop?: boolean;
  fold?: boolean;
  class: string;
  shape?: string;
  name: string;
  count?: string;
  lines?: string[];
  more?: string[]; // further lines, for those who ask for details
  color?: string; // #rrggbb: of the operation in all pictures
  tip?: string;
  w: number;
  h: number;
  mw?: number; // the measures with the further lines
  mh?: number;
  share?: number;
  ns?: number;
  bytes?: number;
  device?: string;
  critical?: boolean;
  uses?: { how: string; name?: string; store: string; text?: string; bytes?: number }[];
  place?: Place;
  where?: string; // all its lines: In[3] lines 4-7
  rate?: string; // of the line, over all its passes
  fused?: { place: string; text?: string; rate?: string; operations: number }[]; // the lines whose operations it computes in one pass
  ops?: [number, number][];
  tasks?: [number, number][];
  hidden?: number;
}

export interface Place {
  source: number;
  line: number;
}

export interface Flow {
  from: number;
  to: number;
  names?: string[];
  more?: number;
  bytes?: number;
  again?: number; // bytes that another part of the same operation reads as well, and which count there
  order?: boolean;
  pointwise?: boolean;
  critical?: boolean;
  inner?: boolean;
  reduced?: boolean; // what flows was reduced into
  updated?: boolean; // what reads it writes it as well
}

export interface Source {
  id: number;
  name: string;
  text: string;
}

// How a part is shown: as a node, or as a box around its children. A loop's box has its body, or its iterations.
export type State = "closed" | "folded" | "open";

export interface Edge {
  from: number; // positions in Visible.nodes
  to: number;
  label: string[];
  more: number;
  bytes: number;
  again: number;
  carried: boolean;
  order: boolean;
  pointwise: boolean;
  critical: boolean;
  reduced: boolean;
  updated: boolean;
}

// Visible is what one state shows: parts that are nodes, those that are boxes, outer ones first, and edges.
export interface Visible {
  nodes: number[];
  boxes: number[];
  edges: Edge[];
}

export class Shown {
  private readonly states = new Map<number, State>();
  private readonly children: number[][];

  constructor(readonly outline: Outline) {
    this.children = outline.parts.map(() => []);
    outline.parts.forEach((p, i) => p.in >= 0 && this.children[p.in]!.push(i));
  }

  part(i: number): Part {
    const p = this.outline.parts[i];
    if (!p) throw new Error(`there is no part ${i}; there are ${this.outline.parts.length}`);
    return p;
  }

  // openings are the states, besides that of a node, in which a part can be.
  openings(i: number): State[] {
    const p = this.part(i);
    const of = this.children[i]!;
    const out: State[] = [];
    if (p.loop && !p.fold && of.some((c) => this.part(c).fold)) out.push("folded");
    if (of.some((c) => !this.part(c).fold || p.fold)) out.push("open");
    return out;
  }

  state(i: number): State {
    const p = this.part(i);
    return this.states.get(i) ?? (!p.loop ? "closed" : p.fold ? "open" : "folded");
  }

  set(i: number, state: State): void {
    this.states.set(i, state);
  }

  reset(): void {
    this.states.clear();
  }

  // changed says whether anything is not as it was at first.
  changed(): boolean {
    return this.states.size > 0;
  }

  // path are the parts around a part, the outermost first, and the part itself; up to, but without, a given one.
  path(i: number, within = -1): number[] {
    const out: number[] = [];
    for (let at = i; at >= 0 && at !== within; at = this.part(at).in) out.push(at);
    return out.reverse();
  }

  // reveal opens all that is around a part.
  reveal(i: number): void {
    for (const at of this.path(i).slice(0, -1)) {
      const inFold = this.path(i).some((q) => this.part(q).fold && this.part(q).in === at);
      this.set(at, inFold && !this.part(at).fold ? "folded" : "open");
    }
  }

  // nodeOf returns the part as which a grain is visible.
  nodeOf(grain: number): number {
    const [smallest, ...folds] = this.outline.grains[grain]!;
    const path = this.path(smallest!);
    let loops = 0;
    for (const [k, at] of path.entries()) {
      const last = k === path.length - 1;
      const state = this.state(at);
      const { loop, fold } = this.part(at);
      if (loop && !fold) {
        const body = folds[loops++] ?? -1;
        if (state === "closed") return at;
        if (state === "folded" || last) return body < 0 ? at : this.foldedNode(at, body);
      } else if (last || state === "closed") {
        return at;
      }
    }
    return smallest!;
  }

  private foldedNode(loop: number, body: number): number {
    const path = this.path(body, loop);
    return path.find((at) => this.state(at) === "closed") ?? body;
  }

  visible(): Visible {
    const { grains, flows } = this.outline;
    const position = new Map<number, number>();
    const at = grains.map((_, g) => {
      const part = this.nodeOf(g);
      if (!position.has(part)) position.set(part, position.size);
      return position.get(part)!;
    });
    const nodes = [...position.keys()];
    const boxes = new Set<number>();
    for (const i of nodes) for (const box of this.path(i).slice(0, -1)) boxes.add(box);
    const edges = new Map<number, Edge>();
    for (const f of flows) {
      const from = at[f.from]!;
      const to = at[f.to]!;
      if (from === to && (f.inner || !this.part(nodes[from]!).fold)) continue;
      const key = from * nodes.length + to;
      let e = edges.get(key);
      if (!e) {
        const carried = from === to || (from > to && this.turns(nodes[from]!, nodes[to]!));
        e = { from, to, label: [], more: 0, bytes: 0, again: 0, carried, order: true, pointwise: true, critical: false, reduced: false, updated: false };
        edges.set(key, e);
      }
      for (const name of f.names ?? []) if (!e.label.includes(name)) e.label.push(name);
      e.more += f.more ?? 0;
      e.bytes += f.bytes ?? 0;
      e.again += f.again ?? 0;
      e.order &&= f.order ?? false;
      e.pointwise &&= f.pointwise ?? false;
      e.critical ||= f.critical ?? false;
      e.reduced ||= f.reduced ?? false;
      e.updated ||= f.updated ?? false;
    }
    for (const e of edges.values()) if (e.bytes === 0) e.bytes = e.again; // the part that counts it is another node
    for (const e of edges.values()) e.pointwise &&= this.several(nodes[e.from]!) && this.several(nodes[e.to]!);
    return { nodes, boxes: [...boxes].sort((a, b) => a - b), edges: [...edges.values()] };
  }

  // several says whether a part stands for more than one task.
  private several(i: number): boolean {
    const runs = this.part(i).tasks ?? [];
    return runs.length > 1 || runs.some(([low, high]) => high > low);
  }

  // turns says whether two nodes lie in one folded loop, so that an edge back leads to the next iteration.
  private turns(a: number, b: number): boolean {
    const loop = (i: number) => this.path(i).find((q) => this.part(q).loop && this.state(q) === "folded");
    const around = loop(a);
    return around !== undefined && around === loop(b);
  }
}

// near returns the positions of the nodes that are at most radius edges away from some others.
export function near(v: Visible, from: Iterable<number>, radius: number): Set<number> {
  const found = new Set(from);
  let edge = [...found];
  for (let step = 0; step < radius && edge.length > 0; step++) {
    const inside = new Set(edge);
    edge = [];
    for (const e of v.edges) {
      for (const [a, b] of [[e.from, e.to], [e.to, e.from]] as const) {
        if (inside.has(a) && !found.has(b)) {
          found.add(b);
          edge.push(b);
        }
      }
    }
  }
  return found;
}

// holds says whether runs of ids have one of some ids.
export function holds(runs: [number, number][] | undefined, ids: readonly number[]): boolean {
  return (runs ?? []).some(([low, high]) => ids.some((id) => id >= low && id <= high));
}

// ids writes runs out, up to a number of ids.
export function ids(runs: [number, number][] | undefined, most: number): number[] {
  const out: number[] = [];
  for (const [low, high] of runs ?? []) for (let id = low; id <= high && out.length < most; id++) out.push(id);
  return out;
}
