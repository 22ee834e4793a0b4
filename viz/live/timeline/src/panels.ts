// The panels around the canvas, as DOM. Texts of the user's program only ever become text
// nodes.

import { count, duration, rate, size } from "./text.ts";
import { lineText } from "./query.ts";
import type { Neighbours, Sums } from "./source.ts";
import { at, nameOf, numberText, type Bar, type Meta } from "./trace.ts";
import type { Device, Ratio, Total, Totals } from "./totals.ts";

export function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element "${id}"`);
  return found;
}

// h makes an element.
export function h(tag: string, attributes: Record<string, string>, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// swatch is a little square of a color. Styles are set as properties, which every content policy allows.
export function swatch(color: string): HTMLElement {
  const square = h("span", { class: "swatch" });
  square.style.background = color;
  return square;
}

// brief is what the pointer is told of a bar.
export function brief(meta: Meta, bar: Bar): HTMLElement {
  const group = at(meta.groups, bar.group);
  const name = at(meta.names, group.name);
  const facts = [duration(bar.dur), bar.bytes > 0 ? size(bar.bytes) : "", bar.bytes > 0 ? rate(bar.bytes, bar.dur) : ""].filter(Boolean).join(", ");
  const place = at(meta.places, group.place);
  const { parts, lines } = at(meta.forms, group.form);
  const about = join(" \u00b7 ", at(meta.lanes, bar.lane).name, parts ? "" : place.text, group.detail ?? "");
  const card = h("div", {}, h("div", { class: "name" }, swatch(name.color), name.text), h("div", {}, facts));
  if (parts && lines) card.append(h("div", { class: "fused" }, `${fused(parts)} ${lines}`));
  if (place.rate) card.append(h("div", { class: "faint" }, `the line in all: ${place.rate}`));
  card.append(h("div", { class: "faint" }, about));
  return card;
}

// fused says how many operations run as one.
function fused(parts: [number, number][]): string {
  return `${parts.reduce((sum, [, operations]) => sum + operations, 0)} operations in one pass:`;
}

// fusedLines are the lines whose operations a bar computes, with their texts and rates.
function fusedLines(meta: Meta, parts: [number, number][]): HTMLElement {
  const rows = parts.map(([of, operations]) => {
    const place = at(meta.places, of);
    return h("tr", {}, h("td", { class: "number" }, `${operations}`), h("td", { class: "faint" }, place.text), h("td", { class: "code" }, lineText(meta, place.source, place.line).trim()), h("td", { class: "faint" }, place.rate ?? ""));
  });
  return h("table", { class: "parts" }, h("caption", {}, fused(parts)), ...rows);
}

// describe is the card of a bar; neighbours are what is known of its task. What the runtime calls things is behind a switch.
export function describe(meta: Meta, bar: Bar, n?: Neighbours): HTMLElement {
  const group = at(meta.groups, bar.group);
  const name = at(meta.names, group.name);
  const place = at(meta.places, group.place);
  const form = at(meta.forms, group.form);
  const line = lineText(meta, place.source, place.line).trim();
  const ready = n && n.ready >= 0 ? Math.min(n.ready, bar.start) : -1;
  const facts: [string, string][] = [
    ["kind", join(" ", name.kind, form.kind && form.kind !== name.kind ? `(${form.kind})` : "")],
    ["task", join(", ", bar.task ? numberText(meta, "t", bar.task) : "", bar.op ? numberText(meta, "o", bar.op) : "")],
    ["lane", at(meta.lanes, bar.lane).name],
    ["time", `${duration(bar.dur)}, from ${duration(bar.start)} on`],
    ["deferred", ready >= 0 && n ? duration(ready - n.planned) : ""],
    ["ready", ready >= 0 ? `${duration(bar.start - ready)} before it ran` : ""],
    ["waited for", n ? waitedFor(meta, n) : ""],
    ["waited by", n && n.behind.length > 0 ? tasks(meta, n.behind) : ""],
    ["bytes", bar.bytes > 0 ? join(", ", size(bar.bytes), rate(bar.bytes, bar.dur)) : ""],
    ["detail", group.detail ?? ""],
    ["shape", form.shape],
    ["where", form.lines ?? place.text],
    ["rate in all", form.parts ? "" : (place.rate ?? "")],
  ];
  const rows = facts.filter(([, value]) => value !== "").map(([key, value]) => h("tr", {}, h("th", {}, key), h("td", {}, value)));
  const box = h("div", {}, h("div", { class: "name" }, swatch(name.color), name.text), h("table", {}, ...rows));
  if (form.parts) box.append(fusedLines(meta, form.parts));
  else if (line !== "") box.append(h("pre", { class: "line" }, line));
  if (form.program !== "") box.append(h("details", {}, h("summary", {}, "details"), h("div", {}, form.name), h("pre", { class: "program" }, form.program.trimEnd())));
  return box;
}

// describeMany says what is known of the bars of one pixel.
export function describeMany(meta: Meta, count: number, group: number, cover: number, sums: Sums | undefined): HTMLElement {
  const name = nameOf(meta, group);
  return h("div", {}, h("div", { class: "name" }, swatch(name.color), `${name.text} and others`),
    h("div", {}, sums
      ? `${count} bars begin in these ${duration(sums.stretch)}. They are too old to be kept one by one.`
      : `${count} bars, ${Math.round(cover * 100)}% of this time. Zoom in to tell them apart.`));
}

const listed = 8;

function tasks(meta: Meta, bars: Bar[]): string {
  const names = bars.slice(0, listed).map((b) => `${numberText(meta, "t", b.task)} ${nameOf(meta, b.group).text}`);
  return names.join(", ") + (bars.length > listed ? ` and ${bars.length - listed} more` : "");
}

// waitedFor names the tasks that a task waited for, and tells of those that no arrow can lead to.
export function waitedFor(meta: Meta, n: Neighbours): string {
  const gone = n.gone === 0 ? "" : `${n.gone} task${n.gone === 1 ? "" : "s"} that ${n.gone === 1 ? "is" : "are"} not here one by one any more`;
  return join(" and ", n.before.length > 0 ? tasks(meta, n.before) : "", gone);
}

function join(separator: string, ...parts: string[]): string {
  return parts.filter((p) => p !== "").join(separator);
}

// hint says what the wheel, the pointer and the keys do: in a page of its own, or embedded in another page,
// before and after the click that gives the timeline the wheel.
export function hint(embedded: boolean, wheelIsOurs: boolean): HTMLElement[] {
  const page: [string[], string][] = [
    [["wheel", "w", "s"], "zoom"], [["drag", "shift+wheel", "a", "d"], "move"], [["f"], "fit"], [["/"], "search"],
    [["click"], "select"], [["double click"], "zoom to a bar"], [["shift+drag"], "statistics of a span"], [["c"], "critical path"], [["?"], "help"],
  ];
  const before: [string[], string][] = [
    [["click"], "select a bar, then the wheel zooms"], [["ctrl+wheel"], "zoom at once"], [["drag"], "move"], [["double click"], "zoom to a bar"],
  ];
  const after: [string[], string][] = [
    [["wheel", "w", "s"], "zoom"], [["drag", "a", "d"], "move"], [["f"], "fit"], [["/"], "search"], [["double click"], "zoom to a bar"],
    [["Esc"], "or leave: the wheel scrolls again"],
  ];
  const lines = !embedded ? page : wheelIsOurs ? after : before;
  return lines.map(([keys, text]) => h("span", {}, ...keys.flatMap((key) => [h("kbd", {}, key), " "]), text));
}

// legend shows the names that take most of the time, and their colors.
export function legend(meta: Meta, totals: Totals, pick: (text: string) => void): HTMLElement[] {
  const seen = new Map<number, number>();
  for (const sum of totals.ops) seen.set(sum.name, (seen.get(sum.name) ?? 0) + sum.time);
  const top = [...seen].sort((a, b) => b[1] - a[1]).slice(0, 14);
  const chips = top.map(([index]) => {
    const name = at(meta.names, index);
    const text = name.kind === "run" || name.kind === name.text ? name.text : `${name.text} (${name.kind})`;
    const chip = h("button", { class: "chip", type: "button", title: "search for it" }, swatch(name.color), text);
    chip.addEventListener("click", () => pick(name.text));
    return chip;
  });
  if (seen.size > top.length) chips.push(h("span", { class: "faint" }, `and ${seen.size - top.length} more`));
  return chips;
}

const shownRows = 40;

// table makes one of the summary tables. A click on a row calls pick.
export function table(title: string, meta: Meta, rows: Total[], pick: (row: Total) => void): HTMLElement {
  const all = rows.reduce((sum, row) => sum + row.time, 0);
  const body = rows.slice(0, shownRows).map((row) => {
    const place = at(meta.places, row.place);
    const name = row.name >= 0 ? at(meta.names, row.name) : undefined;
    const share = all > 0 ? row.time / all : 0;
    const bar = h("span", { class: "share" });
    bar.style.width = `${Math.round(share * 44)}px`;
    if (name) bar.style.background = name.color;
    const cells = name
      ? [h("td", {}, swatch(name.color), name.text), h("td", { class: "faint" }, place.text)]
      : [h("td", {}, place.text), h("td", { class: "code" }, lineText(meta, place.source, place.line).trim())];
    for (const cell of cells) cell.title = cell.textContent ?? ""; // where it is cut off
    const tr = h(
      "tr", { tabindex: "0" }, ...cells, h("td", { class: "number" }, duration(row.time)), h("td", {}, bar),
      h("td", { class: "number" }, count(row.count)), h("td", { class: "number" }, row.bytes > 0 ? size(row.bytes) : ""),
      h("td", { class: "number" }, rate(row.moved, row.moving)),
    );
    if (!name && place.rate) tr.lastElementChild?.setAttribute("title", `${place.rate}, over all of this timeline`);
    tr.addEventListener("click", () => pick(row));
    return tr;
  });
  const head = ["", "", "time", "", "count", "bytes", "rate"].map((text, k) => h("th", k >= 2 ? { class: "number" } : {}, k === 0 ? title : text));
  const out = h("table", { class: "totals" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body));
  if (rows.length > shownRows) out.append(h("caption", {}, `and ${rows.length - shownRows} more`));
  return out;
}

// deviceTable says how busy the devices were in a span of some length.
export function deviceTable(rows: Device[], length: number): HTMLElement {
  const body = rows.map((row) => {
    const share = length > 0 ? Math.min(row.busy / length / Math.max(row.lanes, 1), 1) : 0;
    const bar = h("span", { class: "share" });
    bar.style.width = `${Math.round(share * 44)}px`;
    return h("tr", {}, h("td", {}, row.name), h("td", { class: "number" }, duration(row.busy)), h("td", {}, bar), h("td", { class: "number" }, `${Math.round(share * 100)}%`),
      h("td", { class: "number" }, count(row.count)), h("td", { class: "number" }, row.bytes > 0 ? size(row.bytes) : ""));
  });
  const head = ["device", "busy", "", "share", "count", "moved"].map((text, k) => h("th", k > 0 ? { class: "number" } : {}, text));
  return h("table", { class: "totals devices" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body));
}

// ratioTable compares two runs, by operation or by line.
export function ratioTable(title: string, meta: Meta, rows: Ratio[], pick: (text: string) => void): HTMLElement {
  const body = rows.slice(0, shownRows).map((row) => {
    const name = row.name >= 0 ? at(meta.names, row.name) : undefined;
    const ratio = row.time[0] > 0 && row.time[1] > 0 ? row.time[1] / row.time[0] : 0;
    const text = ratio > 0 ? `${ratio.toFixed(2)}x` : row.time[0] > 0 ? "only in A" : "only in B";
    const tr = h("tr", { tabindex: "0" }, h("td", {}, ...(name ? [swatch(name.color), name.text] : [row.place])), h("td", { class: "number" }, duration(row.time[0])),
      h("td", { class: "number" }, duration(row.time[1])), h("td", { class: ratio > 1.1 ? "number slower" : ratio > 0 && ratio < 0.9 ? "number faster" : "number" }, text),
      h("td", { class: "number" }, count(row.count[0])), h("td", { class: "number" }, count(row.count[1])));
    tr.addEventListener("click", () => pick(name ? name.text : ""));
    return tr;
  });
  const head = [title, "A", "B", "B / A", "count A", "count B"].map((text, k) => h("th", k > 0 ? { class: "number" } : {}, text));
  return h("table", { class: "totals ratios" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body));
}

interface Heat {
  time: number;
  bytes: number;
  count: number;
  place: number;
}

// sources shows the text of each source that did something, with the time, bytes and tasks of each line beside it.
export function sources(meta: Meta, totals: Totals, chosen: number, pick: (place: number) => void): HTMLElement[] {
  const heat = new Map<number, Map<number, Heat>>();
  let most = 1;
  for (const row of totals.lines) {
    const { source, line } = at(meta.places, row.place);
    if (!heat.has(source)) heat.set(source, new Map());
    heat.get(source)?.set(line, row);
    most = Math.max(most, row.time);
  }
  const out: HTMLElement[] = [];
  for (const source of meta.sources) {
    const lines = heat.get(source.id);
    if (source.text === "" || !lines) continue;
    const rows = source.text.replace(/\n+$/, "").split("\n").map((text, k) => sourceLine(text, k + 1, lines.get(k + 1), most, chosen, pick));
    const head = h("tr", {}, ...["time", "bytes", "tasks", "", ""].map((name) => h("th", { class: "number" }, name)));
    out.push(h("h2", {}, source.name), h("table", { class: "source" }, h("thead", {}, head), h("tbody", {}, ...rows)));
  }
  return out;
}

function sourceLine(text: string, line: number, spent: Heat | undefined, most: number, chosen: number, pick: (place: number) => void): HTMLElement {
  const heat = h("td", { class: "number heat" }, spent ? duration(spent.time) : "");
  if (spent) heat.style.setProperty("--heat", String(Math.round(12 + (spent.time / most) * 50)) + "%");
  const row = h("tr", spent?.place === chosen && chosen !== 0 ? { class: "chosen" } : {}, heat, h("td", { class: "number faint" }, spent && spent.bytes > 0 ? size(spent.bytes) : ""),
    h("td", { class: "number faint" }, spent ? count(spent.count) : ""), h("td", { class: "number faint" }, String(line)), h("td", { class: "code" }, text));
  if (spent) {
    row.classList.add("busy");
    row.dataset["line"] = String(line);
    row.addEventListener("click", () => pick(spent.place));
  }
  return row;
}

const helpKeys: [string[], string][] = [
  [["wheel", "w", "s"], "zoom in and out"], [["drag", "shift+wheel", "a", "d", "\u2190", "\u2192"], "move in time"], [["f"], "fit: the selected bar or span, or everything"],
  [["l"], "follow the run that goes on"], [["click"], "select a bar: what it waited for, what waited for it"], [["double click"], "zoom to a bar"], [["shift+drag"], "select a span: statistics of it"],
  [["/"], "search the whole trace"], [["n", "p"], "next and previous bar that was found"], [["c"], "critical path"], [["\u25be"], "collapse a device to a plot of how busy it is"],
  [["Esc"], "let go of everything"], [["?"], "this help"],
];

const helpWords: [string, string][] = [
  ["matmul", "a part of an operation's name, a line's text, a shape, a program"], ["t45 o12", "a task, an operation"], [">10ms <2us", "longer, shorter"],
  ["kind:copy", "kinds: run, copy, wait, plan, fallback, alloc, free, cell"], ["on:gpu0", "a lane, a device or a kind of lanes"], ["line:7", "a line"],
];

// help says what the keys and the words of a search do.
export function help(): HTMLElement[] {
  const table = (rows: HTMLElement[]) => h("table", {}, h("tbody", {}, ...rows));
  return [
    h("h2", {}, "Keys"), table(helpKeys.map(([keys, text]) => h("tr", {}, h("td", {}, ...keys.flatMap((k) => [h("kbd", {}, k), " "])), h("td", {}, text)))),
    h("h2", {}, "Search: words that must all hold"), table(helpWords.map(([word, text]) => h("tr", {}, h("td", {}, h("kbd", {}, word)), h("td", {}, text)))),
  ];
}
