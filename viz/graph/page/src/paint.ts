// Paints a laid out graph as SVG. Everything that users named goes into text nodes.

import type { Picture, Point, Rect } from "./layered/layered.ts";
import type { Edge, Part, Shown, Visible } from "./outline.ts";
import { size } from "./text.ts";

const namespace = "http://www.w3.org/2000/svg";

export function s(name: string, attributes: Record<string, string | number> = {}, ...children: (Node | string)[]): SVGElement {
  const made = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

const aboveText = 5;
const nameLine = 16;
const detailLine = 14;
const arrow = 6;
const labelSize = 11;

// Painting is what stands on the page: the elements by position in Visible.
export interface Painting {
  nodes: SVGElement[];
  boxes: Map<number, SVGElement>;
  edges: SVGElement[];
}

export function paint(into: SVGElement, shown: Shown, v: Visible, p: Picture, lanes: string[], details: boolean): Painting {
  const laneGroups = p.lanes.map((r, i) => frame("lane", r, lanes[i] ?? ""));
  const boxes = new Map(v.boxes.map((part, i) => [part, box(shown, part, p.boxes[i]!)]));
  const edges = v.edges.map((e, i) => edge(e, p.lines[i]!));
  const nodes = v.nodes.map((part, i) => node(shown.part(part), part, p.nodes[i]!, shown.openings(part).length > 0, details));
  const labels = labelAll(v.edges, p);
  into.replaceChildren(...laneGroups, ...boxes.values(), ...edges, ...nodes, ...labels);
  return { nodes, boxes, edges };
}

function frame(kind: string, r: Rect, label: string): SVGElement {
  const g = s("g", { class: kind });
  if (r.width === 0) return g;
  g.append(
    s("rect", { x: r.x, y: r.y, width: r.width, height: r.height, rx: 8 }),
    s("text", { x: r.x + 9, y: r.y + 14, class: "caption" }, label),
  );
  return g;
}

// caption is what stands in the corner of a box.
export function caption(part: Part): string {
  if (part.loop) return `repeats ${part.count ?? ""}`;
  return `${part.name} ${part.count ?? ""}`.trim();
}

function box(shown: Shown, i: number, r: Rect): SVGElement {
  const part = shown.part(i);
  const g = frame("box" + (part.loop ? " loop" : "") + (part.critical ? " critical" : ""), r, caption(part));
  g.dataset["part"] = String(i);
  let x = r.x + r.width - 8;
  const button = (text: string, action: string, about: string) => {
    const width = 8 + 5.6 * text.length;
    x -= width + 3;
    g.append(s("g", { class: "button", "data-action": action },
      s("title", {}, about), s("rect", { x, y: r.y + 3, width, height: 14, rx: 4 }), s("text", { x: x + width / 2, y: r.y + 13.5 }, text)));
  };
  button("\u2212", "closed", "show as one node");
  const other = shown.state(i) === "folded" ? "open" : "folded";
  if (part.loop && shown.openings(i).includes(other)) {
    if (r.width > 170) button(other === "open" ? "iterations" : "fold", other, other === "open" ? "show the iterations one by one" : "show the body once");
    else button(other === "open" ? "\u2261" : "\u21bb", other, other === "open" ? "show the iterations one by one" : "show the body once");
  }
  return g;
}

function node(part: Part, i: number, r: Rect, opens: boolean, details: boolean): SVGElement {
  const g = s("g", { class: `node ${part.class}${part.critical ? " critical" : ""}`, "data-part": i, tabindex: -1 });
  const rx = part.shape === "ellipse" ? r.height / 2 : part.shape === "rect" ? 0 : 6;
  const rect = { x: r.x, y: r.y, width: r.width, height: r.height, rx, class: "shape" };
  if (part.color) {
    g.classList.add("colored");
    g.style.setProperty("--color", part.color);
  }
  if (part.count && part.shape !== "ellipse") g.append(s("rect", { ...rect, x: r.x + 3, y: r.y + 3 }));
  g.append(s("rect", rect));
  if ((part.share ?? 0) >= 0.005) {
    g.append(s("rect", { class: "heat", x: r.x + 4, y: r.y + r.height - 4.5, height: 3, rx: 1.5, width: Math.max(2, part.share! * (r.width - 8)) }));
  }
  const x = r.x + r.width / 2;
  let y = r.y + aboveText + nameLine - 4;
  g.append(s("text", { x, y, class: "name" }, s("tspan", {}, part.name), part.count ? "\u00a0" + part.count : ""));
  for (const line of linesOf(part, details)) g.append(s("text", { x, y: (y += detailLine), class: "detail" }, line));
  if (opens) {
    g.append(s("g", { class: "button", "data-action": "open" },
      s("title", {}, "open"), s("rect", { x: r.x + r.width - 9, y: r.y - 6, width: 14, height: 14, rx: 7 }), s("text", { x: r.x + r.width - 2, y: r.y + 4.5 }, "+")));
  }
  return g;
}

// linesOf are the small lines of a node, and measures its extent.
function linesOf(part: Part, details: boolean): string[] {
  return [...(part.lines ?? []), ...(details ? (part.more ?? []) : [])];
}

export function measures(part: Part, details: boolean): { width: number; height: number } {
  return details && part.mw && part.mh ? { width: part.mw, height: part.mh } : { width: part.w, height: part.h };
}

export function edgeClass(e: Edge): string {
  const kind = e.carried ? " carried" : e.order ? " order" : e.pointwise ? " pointwise" : "";
  return "edge" + kind + (e.critical ? " critical" : "");
}

function edge(e: Edge, line: Point[]): SVGElement {
  const [path, head] = curve(line, e.from === e.to);
  const g = s("g", { class: edgeClass(e) }, s("path", { class: "grip", d: path }), s("path", { class: "line", d: path }), s("path", { class: "head", d: head }));
  const last = line[line.length - 1]!;
  if (e.from === e.to) return g;
  if (e.updated) g.append(ring("updated", last.x, last.y + (last.y < line[line.length - 2]!.y ? 1 : -1) * (arrow + ringSize + 1.5)));
  if (e.reduced) g.append(ring("reduced", line[0]!.x, line[0]!.y + (line[1]!.y < line[0]!.y ? -1 : 1) * ringSize));
  return g;
}

const ringSize = 2.6;

// ring marks an end of an edge: an open one at its tail for what is reduced into, a full one before its head for what is updated.
function ring(kind: string, cx: number, cy: number): SVGElement {
  return s("circle", { class: kind, cx, cy, r: ringSize });
}

// privileges is the legend of the marks at the ends of edges.
export function privileges(): SVGElement[] {
  const sample = (mark: SVGElement | undefined) => {
    const g = s("g", { class: "edge" }, s("path", { class: "line", d: "M2 6L22 6" }), s("path", { class: "head", d: "M28 6L22 3L22 9Z" }));
    if (mark) g.append(mark);
    return s("svg", { width: 30, height: 12, class: "sample" }, g);
  };
  return [sample(undefined), sample(ring("updated", 17.5, 6)), sample(ring("reduced", 5, 6))];
}

// curve returns the path of a line, which bends only between layers, and that of its arrow's head.
export function curve(line: Point[], self: boolean): [string, string] {
  const last = line[line.length - 1]!;
  const before = line[line.length - 2]!;
  const dx = self ? -1 : 0;
  const dy = self ? 0 : last.y < before.y ? -1 : 1;
  const end = { x: last.x - dx * arrow, y: last.y - dy * arrow };
  let path = `M${line[0]!.x} ${line[0]!.y}`;
  for (let k = 1; k < line.length; k++) {
    const a = line[k - 1]!;
    const c = k === line.length - 1 ? end : line[k]!;
    const middle = (a.y + c.y) / 2;
    if (self && k === 2) path += `A${(a.y - c.y) / 2} ${(a.y - c.y) / 2} 0 0 0 ${c.x} ${c.y}`;
    else if (self || a.x === c.x) path += `L${c.x} ${c.y}`;
    else path += `C${a.x} ${middle} ${c.x} ${middle} ${c.x} ${c.y}`;
  }
  return [path, `M${last.x} ${last.y}L${end.x - dy * 3} ${end.y - dx * 3}L${end.x + dy * 3} ${end.y + dx * 3}Z`];
}

export function edgeText(e: Edge): string {
  const more = e.more + Math.max(0, e.label.length - 2);
  const names = e.label.slice(0, 2).join(", ") + (more > 0 ? ` +${more}` : "");
  return [names, e.bytes > 0 ? size(e.bytes) : ""].filter(Boolean).join(" \u00b7 ");
}

// labelAll writes what flows beside the lines, where there is room.
function labelAll(edges: Edge[], p: Picture): SVGElement[] {
  const taken: Rect[] = p.nodes.slice();
  const out: SVGElement[] = [];
  edges.forEach((e, i) => {
    const text = edgeText(e);
    if (!text || edges.length > 600) return;
    const width = text.length * labelSize * 0.56;
    for (const share of [0.5, 0.35, 0.65, 0.2, 0.8]) {
      const at = along(p.lines[i]!, share);
      const place = [at.x + 4 + (e.from === e.to ? bulge(p.lines[i]!) : 0), at.x - 4 - width]
        .map((x) => ({ x, y: at.y - labelSize / 2 - 1, width, height: labelSize + 2 }))
        .find((r) => !taken.some((o) => r.x < o.x + o.width && o.x < r.x + r.width && r.y < o.y + o.height && o.y < r.y + r.height));
      if (!place) continue;
      taken.push(place);
      out.push(s("text", { class: "label", x: place.x, y: place.y + labelSize }, text));
      return;
    }
  });
  return out;
}

// bulge is how far the arc of a line from a node to itself reaches beyond its points; see curve.
function bulge(line: Point[]): number {
  return Math.abs(line[1]!.y - line[2]!.y) / 2;
}

// along returns the point at a share of a line's height.
function along(line: Point[], share: number): Point {
  const first = line[0]!;
  const last = line[line.length - 1]!;
  const y = first.y + share * (last.y - first.y);
  for (let k = 1; k < line.length; k++) {
    const a = line[k - 1]!;
    const b = line[k]!;
    if ((y - a.y) * (y - b.y) > 0 || a.y === b.y) continue;
    const t = (y - a.y) / (b.y - a.y);
    return { x: a.x + t * t * (3 - 2 * t) * (b.x - a.x), y };
  }
  return { x: (first.x + last.x) / 2, y };
}
