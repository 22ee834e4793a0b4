// The card of a node or an edge, and the text of its cell. Everything that users named goes into text nodes.

import type { Edge, Outline, Part, Place, Source } from "./outline.ts";
import { edgeText } from "./paint.ts";
import { duration, percent, rate, runs, size } from "./text.ts";

export function h(name: string, attributes: Record<string, string> = {}, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const kinds: Record<string, string> = {
  "op-map": "computes each element by itself", "op-reduce": "reduces", "op-contract": "sums products", "op-scan": "scans along an axis",
  "op-move": "moves or converts", "op-fill": "fills", "op-call": "a named routine", "op-fallback": "ran in NumPy", "op-several": "several operations",
  "task-run": "runs", "task-copy": "copies bytes between memories", "task-free": "gives memory back",
  "store-input": "comes from outside", "store-output": "stays at the end", rest: "the rest, which took the least time",
};

function rows(of: [string, string | HTMLElement][]): HTMLElement {
  return h("table", {}, ...of.filter(([, value]) => value !== "").map(([key, value]) => h("tr", {}, h("th", {}, key), h("td", {}, value))));
}

export function lineText(outline: Outline, place: Place | undefined): string {
  const source = place && outline.sources.find((s) => s.id === place.source);
  return source?.text.split("\n")[place!.line - 1]?.trim() ?? "";
}

// fused says how many operations run as one.
function fused(lines: { operations: number }[]): string {
  return `${lines.reduce((sum, l) => sum + l.operations, 0)} operations in one pass`;
}

// whereOf names all lines of a part.
function whereOf(outline: Outline, p: Part): string {
  if (p.where) return p.where;
  const source = outline.sources.find((s) => s.id === p.place?.source);
  return p.place ? `${source?.name ?? "?"} line ${p.place.line}` : "";
}

// brief is what the pointer is told of a part.
export function brief(outline: Outline, p: Part, opens: string): Node[] {
  const { ns = 0, bytes = 0 } = p;
  return [
    h("div", { class: "name" }, `${p.name} ${p.count ?? ""}`),
    rows([
      ["time", ns > 0 ? `${duration(ns)}${p.share ? ` (${percent(p.share)})` : ""}` : ""],
      ["bytes", bytes > 0 ? [size(bytes), rate(bytes, ns)].filter(Boolean).join(", ") : ""],
      [p.fused ? fused(p.fused) : "line", whereOf(outline, p)],
      ["rate in all", p.rate ?? ""],
    ]),
    ...(opens ? [h("div", { class: "faint" }, opens)] : []),
  ];
}

// describe is the card of a part. Details are what the runtime calls things, by number.
export function describe(outline: Outline, p: Part, opens: string, details: boolean): Node[] {
  const { ns = 0, bytes = 0 } = p;
  const text = lineText(outline, p.place);
  const out: Node[] = [
    h("div", { class: "name" }, `${p.name} ${p.count ?? ""}`),
    rows([
      ["kind", kinds[p.class] ?? p.class],
      ["time", ns > 0 ? `${duration(ns)}${p.share ? ` (${percent(p.share)})` : ""}` : ""],
      ["bytes", bytes > 0 ? [size(bytes), rate(bytes, ns)].filter(Boolean).join(", ") : ""],
      ["device", p.device ?? ""],
      ["critical path", p.critical ? "yes" : ""],
      ["operations", details && p.ops ? runs("o", p.ops) : ""],
      ["tasks", details && p.tasks ? runs("t", p.tasks) : ""],
      ["called", details && p.more ? p.more.join(", ") : ""],
      ["line", p.fused ? "" : whereOf(outline, p)],
      ["rate in all", p.rate ?? ""],
    ]),
  ];
  if (p.fused) {
    const lines = p.fused.map((l) => h("tr", {}, h("td", {}, String(l.operations)), h("td", { class: "faint" }, l.place), h("td", { class: "code" }, l.text ?? ""), h("td", { class: "faint" }, l.rate ?? "")));
    out.push(h("table", { class: "uses parts" }, h("caption", {}, fused(p.fused) + ":"), ...lines));
  } else if (text) out.push(h("pre", {}, text));
  if (p.uses?.length) {
    out.push(h("table", { class: "uses" }, ...p.uses.map((u) =>
      h("tr", {}, h("td", { class: "how " + u.how }, u.how), h("td", {}, details || !u.name ? [u.name, u.store].filter(Boolean).join(" ") : u.name), h("td", {}, u.text ?? ""), h("td", {}, u.bytes ? size(u.bytes) : "")))));
  } else if (!p.ops && !p.tasks && p.tip) {
    out.push(h("pre", {}, p.tip));
  }
  const copied = p.tip?.split("\n").find((line) => line.startsWith("copied for it: "));
  if (copied) out.push(h("div", { class: "copied" }, copied));
  if (opens) out.push(h("div", { class: "faint" }, opens));
  else if (p.hidden) out.push(h("div", { class: "faint" }, `its ${p.hidden} parts are not in this page; the viewer and saved files hold more`));
  return out;
}

export function describeEdge(e: Edge, from: Part, to: Part): Node[] {
  const kind = e.carried ? "from one iteration to the next" : e.order ? "order only, no data" : e.pointwise ? "pointwise: each task waits for one task, not for all" : "";
  const uses = [e.reduced ? "reduced into" : "", e.updated ? "read and written" : ""].filter(Boolean).join(", then ");
  return [
    h("div", { class: "name" }, `${from.name} \u2192 ${to.name}`),
    rows([["carries", edgeText(e)], ["kind", kind], ["privilege", uses], ["critical path", e.critical ? "yes" : ""]]),
  ];
}

// sourceTable is the text of a source with the time of its lines.
export function sourceTable(source: Source, shares: Map<number, number>, chosen: number): HTMLElement {
  const lines = source.text.replace(/\n$/, "").split("\n");
  return h("table", { class: "source" }, h("caption", {}, source.name), ...lines.map((text, k) => {
    const share = shares.get(k + 1) ?? 0;
    const row = h("tr", { "data-line": String(k + 1), class: (k + 1 === chosen ? "chosen " : "") + (shares.has(k + 1) ? "busy" : "") },
      h("td", { class: "number" }, String(k + 1)), h("td", { class: "heat" }, share > 0.0005 ? percent(share) : ""), h("td", { class: "code" }, text));
    row.style.setProperty("--heat", `${Math.round(Math.sqrt(share) * 60)}%`);
    return row;
  }));
}
