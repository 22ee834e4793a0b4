// The panels around the canvas, as DOM. Texts of the user's program only ever become text
// nodes.

import { count, duration, rate, size } from "./text.ts";
import { at, type Trace } from "./trace.ts";
import type { Total, Totals } from "./totals.ts";

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

// describe returns what a tooltip says about a bar.
export function describe(trace: Trace, i: number): HTMLElement {
  const { bars, meta } = trace;
  const name = at(meta.names, at(bars.name, i));
  const place = at(meta.places, at(bars.place, i));
  const form = at(meta.forms, at(bars.form, i));
  const source = meta.sources.find((s) => s.id === place.source);
  const ns = at(bars.dur, i);
  const bytes = at(bars.bytes, i);
  const line = place.line > 0 ? (source?.text.split("\n")[place.line - 1] ?? "").trim() : "";
  const facts: [string, string][] = [
    ["kind", join(" ", name.kind, form.kind && form.kind !== name.kind ? `(${form.kind})` : "")],
    ["task", join(", ", bars.task[i] ? `t${at(bars.task, i)}` : "", bars.op[i] ? `o${at(bars.op, i)}` : "")],
    ["lane", at(meta.lanes, at(bars.lane, i)).name],
    ["time", `${duration(ns)}, from ${duration(at(bars.start, i))} on`],
    ["bytes", bytes > 0 ? join(", ", size(bytes), rate(bytes, ns)) : ""],
    ["shape", form.shape],
    ["where", place.text],
  ];
  const rows = facts.filter(([, value]) => value !== "").map(([key, value]) => h("tr", {}, h("th", {}, key), h("td", {}, value)));
  const box = h("div", {}, h("div", { class: "name" }, swatch(name.color), name.text), h("table", {}, ...rows));
  if (line !== "") box.append(h("pre", { class: "line" }, line));
  if (form.program !== "") box.append(h("pre", { class: "program" }, form.program.trimEnd()));
  return box;
}

function join(separator: string, ...parts: string[]): string {
  return parts.filter((p) => p !== "").join(separator);
}

// hint says what the wheel, the pointer and the keys do: in a page of its own, or embedded in another page,
// before and after the click that gives the timeline the wheel.
export function hint(embedded: boolean, wheelIsOurs: boolean): HTMLElement[] {
  const page: [string[], string][] = [
    [["wheel", "w", "s"], "zoom"], [["drag", "shift+wheel", "a", "d"], "move"], [["f"], "fit"], [["/"], "search"],
    [["click"], "select"], [["double click"], "zoom to a bar"],
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
export function legend(trace: Trace, totals: Totals, pick: (text: string) => void): HTMLElement[] {
  const seen = new Map<number, number>();
  for (const sum of totals.ops) seen.set(sum.name, (seen.get(sum.name) ?? 0) + sum.time);
  const top = [...seen].sort((a, b) => b[1] - a[1]).slice(0, 14);
  const chips = top.map(([index]) => {
    const name = at(trace.meta.names, index);
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
export function table(title: string, trace: Trace, rows: Total[], pick: (row: Total) => void): HTMLElement {
  const { meta } = trace;
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
      : [h("td", {}, place.text), h("td", { class: "code" }, lineText(trace, row.place))];
    for (const cell of cells) cell.title = cell.textContent ?? ""; // where it is cut off
    const tr = h(
      "tr", { tabindex: "0" }, ...cells, h("td", { class: "number" }, duration(row.time)), h("td", {}, bar),
      h("td", { class: "number" }, count(row.count)), h("td", { class: "number" }, row.bytes > 0 ? size(row.bytes) : ""),
      h("td", { class: "number" }, rate(row.bytes, row.time)),
    );
    tr.addEventListener("click", () => pick(row));
    return tr;
  });
  const head = ["", "", "time", "", "count", "bytes", "rate"].map((text, k) => h("th", k >= 2 ? { class: "number" } : {}, k === 0 ? title : text));
  const out = h("table", { class: "totals" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body));
  if (rows.length > shownRows) out.append(h("caption", {}, `and ${rows.length - shownRows} more`));
  return out;
}

function lineText(trace: Trace, place: number): string {
  const { source, line } = at(trace.meta.places, place);
  return trace.meta.sources.find((s) => s.id === source)?.text.split("\n")[line - 1]?.trim() ?? "";
}

// sources shows the text of each source that did something, with the time of each line beside it.
export function sources(trace: Trace, totals: Totals, chosen: number, pick: (place: number) => void): HTMLElement[] {
  const { meta } = trace;
  const times = new Map<string, { time: number; place: number }>();
  let most = 1;
  for (const row of totals.lines) {
    const { source, line } = at(meta.places, row.place);
    times.set(`${source}:${line}`, { time: row.time, place: row.place });
    most = Math.max(most, row.time);
  }
  const out: HTMLElement[] = [];
  for (const source of meta.sources) {
    if (source.text === "" || ![...times.keys()].some((key) => key.startsWith(`${source.id}:`))) continue;
    const lines = source.text.replace(/\n+$/, "").split("\n").map((text, k) => {
      const spent = times.get(`${source.id}:${k + 1}`);
      const heat = h("td", { class: "number heat" }, spent ? duration(spent.time) : "");
      if (spent) heat.style.setProperty("--heat", String(Math.round(12 + (spent.time / most) * 50)) + "%");
      const row = h("tr", spent?.place === chosen && chosen !== 0 ? { class: "chosen" } : {}, heat, h("td", { class: "number faint" }, String(k + 1)), h("td", { class: "code" }, text));
      if (spent) {
        row.classList.add("busy");
        row.addEventListener("click", () => pick(spent.place));
      }
      return row;
    });
    out.push(h("h2", {}, source.name), h("table", { class: "source" }, h("tbody", {}, ...lines)));
  }
  return out;
}
