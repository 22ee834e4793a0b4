// The page: reads the data that stands in it, draws, and answers the user.

import { barAt, findRows, prefixSums, type Row } from "./bins.ts";
import { CanvasRenderer, gutter, type Theme } from "./draw.ts";
import { layOut, rowAt } from "./lanes.ts";
import { describe, h, hint, legend, sources, table } from "./panels.ts";
import { search, type Match } from "./search.ts";
import { count } from "./text.ts";
import { addUp, type Totals } from "./totals.ts";
import { at, decode, type Meta, type Trace } from "./trace.ts";
import { clamp, fit, pan, zoom, type View } from "./view.ts";

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element "${id}"`);
  return found;
}

// load takes the trace out of the page: JSON, and columns as base64 of gzip.
async function load(): Promise<Trace> {
  const meta = JSON.parse(element("meta").textContent ?? "") as Meta;
  const packed = Uint8Array.from(atob((element("data").textContent ?? "").trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return decode(meta, await new Response(stream).arrayBuffer());
}

class Page {
  private readonly rows: Row[];
  private readonly sums: Float64Array;
  private readonly whole: View;
  private readonly canvas = element("canvas") as HTMLCanvasElement;
  private readonly box = element("search") as HTMLInputElement;
  private readonly tip = element("tip");
  private readonly renderer: CanvasRenderer;
  private readonly layout;
  private view: View;
  private totals: Totals;
  private totalsView: View | undefined;
  private match: Match | undefined;
  private selected = -1;
  private hovered = -1;
  private place = 0; // only its bars are lit; 0 is all
  private marked = 0; // its line is marked
  private dirty = false;
  private timer = 0;
  private wheelIsOurs: boolean;
  private drag: { x: number; view: View; moved: boolean } | undefined;

  constructor(private readonly trace: Trace) {
    const { bars, meta } = trace;
    this.rows = findRows(bars);
    this.sums = prefixSums(bars);
    this.layout = layOut(meta.lanes, this.rows);
    this.wheelIsOurs = !meta.embedded;
    let start = Infinity;
    let end = -Infinity;
    for (let i = 0; i < bars.count; i++) {
      start = Math.min(start, at(bars.start, i));
      end = Math.max(end, at(bars.start, i) + at(bars.dur, i));
    }
    this.whole = bars.count > 0 ? fit(start, end) : { t0: 0, t1: 1000 };
    this.view = this.whole;
    this.totals = addUp(trace, this.rows, this.view);
    this.renderer = new CanvasRenderer(this.canvas, theme);
    this.head();
    this.listen();
    this.panels();
    this.redraw();
  }

  private head(): void {
    const { meta } = this.trace;
    element("title").textContent = meta.title;
    element("summary").textContent = meta.summary;
    element("notes").replaceChildren(...meta.notes.map((note) => h("p", {}, note)));
    element("links").replaceChildren(...meta.links.map((link) => h("a", { href: link.href }, link.text)));
    element("hint").replaceChildren(...hint(meta.embedded, this.wheelIsOurs));
    element("machine").textContent = meta.machine.map((f) => `${f.key}: ${f.value}`).join(", ");
  }

  // redraw asks for a frame; there is at most one per refresh of the screen.
  private redraw(): void {
    if (this.dirty) return;
    this.dirty = true;
    requestAnimationFrame(() => {
      this.dirty = false;
      this.frame();
    });
    // The tables follow when the view has come to rest.
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.panels(), 120);
  }

  private frame(): void {
    const busy = new Map<number, number>();
    const length = this.view.t1 - this.view.t0;
    const scale = this.totalsView === this.view ? length : 0;
    for (const lane of this.totals.lanes) if (scale > 0 && this.counts(lane.lane)) busy.set(lane.lane, lane.busy / scale);
    const drawn = this.renderer.draw({
      trace: this.trace, sums: this.sums, layout: this.layout, view: this.view, busy,
      match: this.match, selected: this.selected, hovered: this.hovered, place: this.place,
    });
    // Tests read these.
    const { dataset } = document.documentElement;
    dataset["bars"] = String(drawn);
    dataset["total"] = String(this.trace.bars.count);
    dataset["lanes"] = String(this.layout.lanes.length);
  }

  // counts says whether a lane's share of busy time means anything.
  private counts(lane: number): boolean {
    return ["cpu", "gpu", "copy"].includes(at(this.trace.meta.lanes, lane).kind);
  }

  private panels(): void {
    if (this.totalsView !== this.view) {
      this.totals = addUp(this.trace, this.rows, this.view);
      this.totalsView = this.view;
      this.redraw();
    }
    const { trace, totals } = this;
    const choose = (place: number) => {
      this.place = this.place === place ? 0 : place;
      this.panels();
      this.redraw();
    };
    element("legend").replaceChildren(...legend(trace, totals, (text) => this.find(text)));
    element("ops").replaceChildren(table("operation", trace, totals.ops, (row) => this.find(at(trace.meta.names, row.name).text)));
    element("lines").replaceChildren(...(totals.lines.length > 0 ? [table("line", trace, totals.lines, (row) => choose(row.place))] : []));
    element("sources").replaceChildren(...sources(trace, totals, this.place || this.marked, choose));
    const part = totals.bars === trace.bars.count ? "" : `visible part: ${count(totals.bars)} of ${count(trace.bars.count)} bars`;
    element("part").textContent = part;
  }

  private find(text: string): void {
    this.box.value = this.box.value === text ? "" : text;
    this.runSearch();
  }

  private runSearch(): void {
    this.match = search(this.trace, this.box.value);
    element("found").textContent = this.match ? `${count(this.match.count)} found` : "";
    document.documentElement.dataset["found"] = this.match ? String(this.match.count) : "";
    this.redraw();
  }

  // showMatch brings the first bar that was found into view.
  private showMatch(): void {
    const i = this.match?.first ?? -1;
    if (i < 0) return;
    const { bars } = this.trace;
    const middle = at(bars.start, i) + at(bars.dur, i) / 2;
    const length = Math.min(this.view.t1 - this.view.t0, Math.max(at(bars.dur, i) * 20, 1000));
    this.view = clamp({ t0: middle - length / 2, t1: middle + length / 2 }, this.whole);
    this.selected = i;
    this.redraw();
  }

  private plot(): number {
    return Math.max(this.canvas.clientWidth - gutter, 1);
  }

  private barUnder(event: MouseEvent): number {
    const x = event.offsetX - gutter;
    const row = rowAt(this.layout, event.offsetY);
    if (!row || x < 0) return -1;
    const perPixel = (this.view.t1 - this.view.t0) / this.plot();
    return barAt(this.trace.bars, row.row, this.view.t0 + x * perPixel, perPixel * 2);
  }

  // takeWheel says whose the plain wheel is. Inside another page it scrolls that page, until the user has
  // clicked here and for as long as the pointer stays, so that scrolling past never zooms by accident.
  private takeWheel(ours: boolean): void {
    if (!this.trace.meta.embedded || this.wheelIsOurs === ours) return;
    this.wheelIsOurs = ours;
    element("hint").replaceChildren(...hint(true, ours));
    document.documentElement.classList.toggle("active", ours);
  }

  private listen(): void {
    const { canvas } = this;
    document.addEventListener("pointerdown", () => this.takeWheel(true));
    document.documentElement.addEventListener("pointerleave", () => {
      if (!this.drag) this.takeWheel(false);
    });
    window.addEventListener("blur", () => this.takeWheel(false));
    canvas.addEventListener("wheel", (event) => {
      if (!this.wheelIsOurs && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        this.view = pan(this.view, (event.deltaX || event.deltaY) / this.plot(), this.whole);
      } else {
        const fraction = Math.min(Math.max((event.offsetX - gutter) / this.plot(), 0), 1);
        this.view = zoom(this.view, Math.pow(1.0016, event.deltaY * (event.deltaMode === 1 ? 30 : 1)), fraction, this.whole);
      }
      this.hover(event); // another bar is under the pointer now
      this.redraw();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.focus();
      canvas.setPointerCapture(event.pointerId);
      this.drag = { x: event.offsetX, view: this.view, moved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      const { drag } = this;
      if (drag) {
        const by = drag.x - event.offsetX;
        if (Math.abs(by) > 3) drag.moved = true;
        if (drag.moved) {
          this.view = pan(drag.view, by / this.plot(), this.whole);
          this.hide();
          this.redraw();
        }
        return;
      }
      this.hover(event);
    });
    canvas.addEventListener("pointerup", (event) => {
      const { drag } = this;
      this.drag = undefined;
      if (drag && !drag.moved) this.select(this.barUnder(event));
    });
    canvas.addEventListener("lostpointercapture", () => (this.drag = undefined));
    canvas.addEventListener("pointerleave", () => this.hide());
    canvas.addEventListener("dblclick", (event) => {
      const i = this.barUnder(event);
      if (i < 0) return;
      const { bars } = this.trace;
      const air = Math.max(at(bars.dur, i) * 0.1, 10);
      this.view = clamp({ t0: at(bars.start, i) - air, t1: at(bars.start, i) + at(bars.dur, i) + air }, this.whole);
      this.redraw();
    });
    document.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("input", () => this.runSearch());
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.showMatch();
    });
    element("fit").addEventListener("click", () => {
      this.view = this.whole;
      this.redraw();
    });
    new ResizeObserver(() => this.redraw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  private key(event: KeyboardEvent): void {
    if (event.target === this.box) {
      if (event.key === "Escape") {
        this.box.value = "";
        this.runSearch();
        this.box.blur();
      }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, () => View> = {
      w: () => zoom(this.view, 0.7, 0.5, this.whole),
      s: () => zoom(this.view, 1 / 0.7, 0.5, this.whole),
      a: () => pan(this.view, -0.2, this.whole),
      d: () => pan(this.view, 0.2, this.whole),
      f: () => this.whole,
    };
    const move = moves[event.key.toLowerCase()];
    if (move) {
      this.view = move();
      this.redraw();
    } else if (event.key === "/") {
      this.box.focus();
    } else if (event.key === "Escape") {
      this.place = 0;
      this.takeWheel(false);
      this.select(-1);
    } else {
      return;
    }
    event.preventDefault();
  }

  private select(bar: number): void {
    this.selected = bar;
    this.marked = bar < 0 ? 0 : at(this.trace.bars.place, bar);
    this.place = 0;
    element("chosen").replaceChildren(...(bar < 0 ? [] : [describe(this.trace, bar)]));
    document.documentElement.dataset["selected"] = String(bar);
    this.panels();
    this.showLine();
    this.redraw();
  }

  // showLine scrolls the sources to the chosen line, and nothing around them: the page must not move
  // away under the pointer (scrollIntoView would do that, and the wheel would miss the canvas).
  private showLine(): void {
    const box = element("sources");
    const line = box.querySelector<HTMLElement>("tr.chosen");
    if (!line) return;
    const above = line.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (above < 0 || above + line.offsetHeight > box.clientHeight) box.scrollTop += above - box.clientHeight / 2;
  }

  private hover(event: MouseEvent): void {
    const i = this.barUnder(event);
    if (i !== this.hovered) {
      this.hovered = i;
      this.canvas.style.cursor = i < 0 ? "grab" : "pointer";
      this.tip.replaceChildren(...(i < 0 ? [] : [describe(this.trace, i)]));
      this.redraw();
    }
    this.tip.hidden = i < 0;
    if (i < 0) return;
    const { offsetWidth: w, offsetHeight: tall } = this.tip;
    const x = event.clientX + 16 + w > window.innerWidth ? event.clientX - w - 12 : event.clientX + 16;
    const y = Math.min(event.clientY + 16, window.innerHeight - tall - 8);
    this.tip.style.left = `${Math.max(x, 4)}px`;
    this.tip.style.top = `${Math.max(y, 4)}px`;
  }

  private hide(): void {
    this.tip.hidden = true;
    if (this.hovered >= 0) {
      this.hovered = -1;
      this.redraw();
    }
  }
}

function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  return { text: color("--text"), faint: color("--faint"), line: color("--line"), band: color("--band"), back: color("--back"), mark: color("--mark") };
}

load().then(
  (trace) => {
    new Page(trace);
  },
  (error: unknown) => {
    // Nothing may fail silently: the page says what its browser could not do.
    document.documentElement.dataset["error"] = String(error);
    element("notes").replaceChildren(h("p", { class: "error" }, `The timeline cannot be shown: ${String(error)}. A browser of 2023 or later is needed.`));
  },
);
