// The page: draws what its source has, and answers the user.

import { readHash, readSelection, writeHash, type Selection, type Shown } from "./address.ts";
import { CanvasRenderer, gutter, readTheme, type Theme } from "./draw.ts";
import { listen } from "./input.ts";
import { blockAt, busyKinds, layOut, rowAt, type Layout } from "./lanes.ts";
import { drawMemory } from "./memory.ts";
import { brief, describe, describeMany, deviceTable, element, h, help, hint, legend, ratioTable, sources, table } from "./panels.ts";
import { Finder } from "./finder.ts";
import { Gauge } from "./gauge.ts";
import type { MemoryPlot, Neighbours, Path, Rect, Source, Track } from "./source.ts";
import { count, duration, size } from "./text.ts";
import { addUp, type Totals } from "./totals.ts";
import { at, placeOf, type Bar } from "./trace.ts";
import { clamp, fit, zoom, type View } from "./view.ts";

const restMs = 120; // the tables follow when the view has come to rest
const liveMs = 500; // or this often while a run goes on
const longAnswers: Record<string, string> = { search: "searching", next: "searching", path: "critical path" };
const followed = 10e9; // nanoseconds that are shown of a run that is followed

// Page holds what the user has chosen, and nothing of the run: that is the source's, which draws from it at any time.
//
//	source.changed --> news --> redraw --+--> paint --> frame      at most once per refresh of the screen
//	input ----------> move, select ------+
//	                                     +--> panels               tables: when the view rests, or each half second of
//	                                                               a run that goes on
//
// Questions to a source are answered later. Each kind has a counter (panelsRun, selectRun) that goes up with the question;
// an answer whose number is not the newest is dropped.
export class Page {
  readonly canvas = element("canvas") as HTMLCanvasElement;
  readonly tip = element("tip");
  readonly finder: Finder;
  view: View = { t0: 0, t1: 1000 };
  following = false;
  wheelIsOurs: boolean;
  span: View | undefined; // selected stretch of time
  private readonly frameBox = element("frame");
  private readonly memoryCanvas = element("memory") as HTMLCanvasElement;
  private readonly renderer = new CanvasRenderer(this.canvas, () => this.theme);
  private readonly collapsed = new Set<string>();
  private readonly channel = openChannel();
  private layout: Layout = { lanes: [], blocks: [], titles: [], height: 100 };
  private layoutKey = "";
  private theme: Theme = readTheme();
  private totals: Totals = { ops: [], lines: [], lanes: [], devices: [], ratios: [], lineRatios: [], bars: 0 };
  private totalsView: View = this.view;
  private summed = false;
  private memory: { plots: MemoryPlot[]; view: View } = { plots: [], view: this.view };
  private selected: Bar | undefined;
  private neighbours: Neighbours | undefined;
  private path: Path | undefined;
  private hovered = -1;
  private place = 0; // only its bars are lit; 0 is all
  private marked = 0; // its line is marked
  private dirty = false;
  private timer = 0;
  private lastPanels = 0;
  private panelsRun = 0; // counts what the panels were asked, so that a late answer is dropped
  private selectRun = 0;
  private begun = false;
  private sourceState = "";
  private readonly gauge: Gauge;

  constructor(readonly source: Source) {
    this.wheelIsOurs = !source.meta.embedded;
    this.gauge = new Gauge(source);
    this.finder = new Finder(source, () => this.redraw());
    source.changed = () => this.news();
    source.progress = (what, part, found) => this.tellProgress(what, part, found);
    element("help").append(...help());
    this.channel?.addEventListener("message", (event: MessageEvent<unknown>) => {
      const told = readSelection(event.data);
      if (told) this.follow(told);
    });
    listen(this);
    if (!source.meta.embedded) window.addEventListener("hashchange", () => this.show(readHash(location.hash)));
    for (const kind of ["blur", "scroll", "keydown"]) window.addEventListener(kind, () => this.hide());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor());
    this.head();
  }

  // begin is called when there is something to show, and again when another run has begun.
  begin(): void {
    this.begun = true;
    this.selected = this.neighbours = this.path = this.span = undefined;
    this.finder.forget();
    this.summed = false;
    this.place = this.marked = 0;
    this.following = this.source.live || this.source.loading;
    const { t0, t1 } = this.source.whole();
    this.view = this.source.live ? { t0: Math.max(t0, t1 - followed), t1: Math.max(t1, t0 + 1e6) } : fit(t0, t1);
    this.head();
    if (!this.source.meta.embedded) this.show(readHash(location.hash));
    if (this.source.meta.served) void this.links();
    this.redraw();
  }

  whole(): View {
    const { t0, t1 } = this.source.whole();
    if (!this.source.live) return fit(t0, t1);
    return { t0: Math.min(t0, this.view.t0), t1: Math.max(t1, this.view.t1) };
  }

  private head(): void {
    const { meta } = this.source;
    element("title").textContent = meta.title;
    document.title = meta.title;
    element("links").replaceChildren(...meta.links.map((link) => h("a", { href: link.href }, link.text)));
    element("hint").replaceChildren(...hint(meta.embedded, this.wheelIsOurs));
    element("machine").textContent = meta.machine.map((f) => `${f.key}: ${f.value}`).join(", ");
  }

  // links asks the server what else there is.
  private async links(): Promise<void> {
    try {
      const answer = await fetch(new URL("links.json", location.href));
      if (answer.ok) this.source.meta.links = (await answer.json()) as { text: string; href: string }[];
    } catch {
      return; // the server is gone, which the page says already
    }
    this.head();
  }

  // news draws what the source has sent; the tables follow if there is more than before.
  private news(): void {
    const state = `${this.source.count()} ${this.source.running().length} ${this.source.notes.length}`;
    if (state === this.sourceState) {
      this.paint();
      return;
    }
    this.sourceState = state;
    this.redraw();
  }

  // paint asks for a frame; there is at most one per refresh of the screen.
  private paint(): void {
    if (this.dirty) return;
    this.dirty = true;
    requestAnimationFrame(() => {
      this.dirty = false;
      this.frame();
    });
  }

  // redraw asks for a frame, and for the tables of what it shows.
  redraw(): void {
    this.paint();
    // While a run goes on the view never rests.
    const due = performance.now() - this.lastPanels > liveMs && this.source.live ? 0 : restMs;
    if (this.source.live && this.timer !== 0 && this.following) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.lastPanels = performance.now();
      void this.panels();
    }, this.source.live && this.following ? Math.max(due, liveMs - (performance.now() - this.lastPanels)) : restMs);
  }

  // The layout depends on which rows there are, on what is collapsed and on the number of runs: while these are the same,
  // boxes stay where they are, so that a frame of a run that goes on allocates none.
  private relayout(): void {
    const { source } = this;
    const rows = source.meta.lanes.map((_, i) => source.rows(i));
    const key = rows.map((r) => r.join(".")).join() + [...this.collapsed].join() + source.meta.runs.length;
    if (key === this.layoutKey) return;
    this.layoutKey = key;
    this.layout = layOut(source.meta, (lane) => rows[lane] ?? [], this.collapsed);
  }

  // In this order: boxes, the view, what the source has to send for it, the canvas, and the notes around it. Tracks that are
  // scrolled away, but for 40 pixels, are not asked for.
  private frame(): void {
    const began = performance.now();
    const { source } = this;
    this.relayout();
    const active = source.live && source.running().length > 0;
    if (this.following && this.begun) this.catchUp();
    const visible: [number, number] = [this.frameBox.scrollTop - 40, this.frameBox.scrollTop + this.frameBox.clientHeight + 40];
    const tracks: Track[] = [];
    for (const lane of this.layout.lanes) {
      if (lane.top > visible[1] || lane.top + lane.height < visible[0]) continue;
      for (const row of lane.rows) tracks.push({ lane: lane.lane, row: row.row });
    }
    if (this.begun) source.show(this.view, this.plot(), tracks, this.layout.blocks.filter((b) => b.collapsed).map((b) => this.plotted(b.lanes)));
    const length = this.totalsView.t1 - this.totalsView.t0;
    const busy = new Map<number, number>();
    for (const lane of this.totals.lanes) if (busyKinds.has(at(source.meta.lanes, lane.lane).kind)) busy.set(lane.lane, lane.busy / length);
    const drawn = this.renderer.draw({
      source, layout: this.layout, view: this.view, visible, busy, match: this.finder.match, marks: this.finder.marks, marksView: this.finder.marksView,
      selected: this.selected, hovered: this.hovered, place: this.place, span: this.span, neighbours: this.neighbours, path: this.path,
    });
    drawMemory(this.memoryCanvas, source.meta, this.memory.plots, this.memory.view, this.view, this.theme);
    element("notes").hidden = source.notes.length + source.meta.notes.length === 0;
    const notes = source.meta.served ? source.notes : source.meta.notes;
    if (element("notes").childElementCount !== notes.length || notes.some((n, i) => element("notes").children[i]?.textContent !== n)) {
      element("notes").replaceChildren(...notes.map((note) => h("p", {}, note)));
    }
    element("live").hidden = !source.live;
    element("live").classList.toggle("on", this.following);
    this.gauge.note(drawn, performance.now() - began, this.view, this.following, this.layout.lanes.length);
    if (active) this.paint(); // running bars grow with every frame
  }

  // plotted are the lanes of a block of which it means something how busy they were; all if there are none.
  private plotted(lanes: number[]): number[] {
    const busy = lanes.filter((lane) => busyKinds.has(at(this.source.meta.lanes, lane).kind));
    return busy.length > 0 ? busy : lanes;
  }

  // catchUp moves the view with the newest time.
  private catchUp(): void {
    const whole = this.source.whole();
    if (!this.source.live) {
      this.view = fit(whole.t0, whole.t1);
      this.following = this.source.loading;
      return;
    }
    const length = this.view.t1 - this.view.t0;
    const t1 = whole.t1 + length * 0.04;
    // A young run fills the width, an old one moves on at its scale.
    if (length < followed && t1 - whole.t0 < followed && t1 > this.view.t1) this.view = { t0: Math.min(this.view.t0, t1 - length), t1 };
    else this.view = { t0: t1 - length, t1 };
  }

  // The tables are about the selected span where there is one, the memory plot always about the view.
  private async panels(): Promise<void> {
    if (!this.begun) return;
    const run = ++this.panelsRun;
    const view = this.span ?? this.view;
    const shown = this.view;
    try {
      const [rows, plots] = await Promise.all([this.source.totals(view), this.source.memory(shown, Math.min(this.plot(), 800))]);
      if (run !== this.panelsRun) return;
      this.totals = addUp(this.source.meta, rows);
      this.totalsView = view;
      this.summed = true;
      this.memory = { plots, view: shown };
      await this.finder.findMarks(shown, this.plot(), this.layout.lanes.map((l) => l.lane));
    } catch (error) {
      this.source.notes.push(String(error));
    }
    if (run !== this.panelsRun) return;
    this.tables();
    this.remember();
    this.paint();
  }

  private tables(): void {
    const { totals } = this;
    const { meta } = this.source;
    const choose = (place: number) => this.choosePlace(place);
    element("summary").textContent = this.summary();
    element("legend").replaceChildren(...legend(meta, totals, (text) => this.find(text)));
    const compared = meta.runs.length > 1;
    element("ops").replaceChildren(...(compared ? [ratioTable("operation", meta, totals.ratios, (text) => this.find(text))] : [table("operation", meta, totals.ops, (row) => this.find(at(meta.names, row.name).text))]));
    const lines = totals.lines.length === 0 ? [] : compared ? [ratioTable("line", meta, totals.lineRatios, () => undefined)] : [table("line", meta, totals.lines, (row) => choose(row.place))];
    element("lines").replaceChildren(...lines);
    element("devices").replaceChildren(...(totals.devices.length > 0 ? [deviceTable(totals.devices, this.totalsView.t1 - this.totalsView.t0)] : []));
    element("sources").replaceChildren(...sources(meta, totals, this.place || this.marked, choose));
    const all = totals.bars >= this.source.count();
    const what = this.span ? `selected span of ${duration(this.span.t1 - this.span.t0)}: ` : "visible part: ";
    element("part").textContent = all && !this.span ? "" : `${what}${count(totals.bars)} of ${count(this.source.count())} bars`;
  }

  private summary(): string {
    const { meta } = this.source;
    if (!meta.served) return meta.summary;
    const { t0, t1 } = this.source.whole();
    const running = this.source.running().length;
    const moved = this.totals.devices.reduce((sum, d) => sum + d.bytes, 0);
    return `${count(this.source.count())} bars over ${duration(t1 - t0)}` + (moved > 0 ? `, ${size(moved)} moved` : "") + (running > 0 ? `, ${running} running` : "");
  }

  // remember writes the view into the page's address.
  private remember(): void {
    const { meta } = this.source;
    if (meta.embedded || !this.summed) return;
    const shown: Shown = this.following ? {} : { t0: this.view.t0 + meta.origin, t1: this.view.t1 + meta.origin };
    if (this.selected?.task) shown.task = this.selected.task;
    else if (this.selected?.op) shown.op = this.selected.op;
    if (this.finder.box.value !== "") shown.q = this.finder.box.value;
    if (this.path) shown.path = true;
    const hash = writeHash(shown);
    if (hash === location.hash || (hash === "#" && location.hash === "")) return;
    try {
      history.replaceState(null, "", hash);
    } catch {
      return; // a page from a file in some browsers
    }
  }

  // show shows what an address asks for.
  //
  // Times in an address are on the recorder's clock, so that it means the same when the page has another time 0.
  private show(shown: Shown): void {
    const { origin } = this.source.meta;
    if (shown.t0 !== undefined && shown.t1 !== undefined && shown.t1 > shown.t0) {
      this.following = false;
      const wanted = { t0: shown.t0 - origin, t1: shown.t1 - origin };
      this.view = this.source.loading ? wanted : clamp(wanted, this.whole());
    }
    if (shown.q !== undefined && shown.q !== this.finder.box.value) {
      this.finder.box.value = shown.q;
      void this.finder.run();
    }
    if (shown.task !== undefined && shown.task !== this.selected?.task) void this.selectTask(shown.task, shown.t0 === undefined);
    else if (shown.op !== undefined && shown.op !== this.selected?.op && shown.task === undefined) this.find(`o${shown.op}`);
    if (shown.path === true && !this.path) void this.togglePath();
    this.redraw();
  }

  // follow shows what was selected on the graph's page.
  private follow(told: Selection): void {
    const [task] = told.tasks;
    const [op] = told.ops;
    const place = told.place ? this.source.meta.places.findIndex((p) => p.source === told.place?.source && p.line === told.place.line) : -1;
    this.marked = Math.max(place, 0);
    // One task is a bar, one operation a few of them; for a loop or a line all bars of the line are lit.
    if (task !== undefined && told.tasks.length === 1) void this.selectTask(task, true);
    else if (op !== undefined && (told.ops.length === 1 || place <= 0)) {
      this.finder.box.value = `o${op}`;
      void this.finder.run().then(() => this.step(false));
    } else if (place > 0) this.choosePlace(place, true);
    this.tables();
    this.showLine();
  }

  find(text: string): void {
    this.finder.box.value = this.finder.box.value === text ? "" : text;
    void this.finder.run();
  }

  // step goes to the next bar that was found, or back to the one before.
  async step(back: boolean): Promise<void> {
    const bar = await this.finder.next(this.selected, back);
    if (!bar) return;
    this.bring(bar);
    this.select(bar);
  }

  // bring moves a bar into view if it is not there.
  private bring(bar: Bar): void {
    this.following = false;
    const seen = (this.view.t1 - this.view.t0) / this.plot();
    if (bar.start >= this.view.t0 && bar.start + bar.dur <= this.view.t1 && bar.dur > 3 * seen) return;
    const middle = bar.start + bar.dur / 2;
    const length = Math.min(this.view.t1 - this.view.t0, Math.max(bar.dur * 20, 1000));
    this.view = clamp({ t0: middle - length / 2, t1: middle + length / 2 }, this.whole());
    const lane = this.layout.lanes.find((l) => l.lane === bar.lane);
    if (lane && (lane.top < this.frameBox.scrollTop || lane.top > this.frameBox.scrollTop + this.frameBox.clientHeight - 30)) this.frameBox.scrollTop = lane.top - 60;
  }

  private async selectTask(task: number, zoomTo: boolean): Promise<void> {
    const known = await this.source.task(task);
    if (!known.bar) return;
    if (zoomTo) this.bring(known.bar);
    this.select(known.bar, false);
  }

  async togglePath(): Promise<void> {
    this.path = this.path ? undefined : await this.source.path(this.span ?? this.source.whole());
    element("path").classList.toggle("on", this.path !== undefined);
    const found = element("found");
    if (this.path) found.textContent = this.path.bars.length > 0 ? `critical path${this.partial()}: ${count(this.path.count)} tasks, ${duration(this.path.time)}` : "what tasks waited for is not known here";
    document.documentElement.dataset["path"] = this.path ? String(this.path.bars.length) : "";
    this.redraw();
  }

  // partial says of how many tasks a path is, where it is not of all.
  private partial(): string {
    const { known, tasks, whole, more } = this.path!;
    return whole ? "" : ` of ${count(known)} of ${count(tasks)}${more ? " and more" : ""} tasks (it is not known what the others waited for)`;
  }

  // tellProgress says how far a long answer is.
  private tellProgress(what: string, part: number, found: number | undefined): void {
    const name = longAnswers[what];
    if (name !== undefined) element("found").textContent = `${name}: ${Math.floor(part * 100)}%` + (found ? `, ${count(found)} found so far` : "");
  }

  plot(): number {
    return Math.max(this.canvas.clientWidth - gutter, 1);
  }

  timeAt(x: number): number {
    return this.view.t0 + ((x - gutter) * (this.view.t1 - this.view.t0)) / this.plot();
  }

  // under returns what lies under the pointer: a bar, or what stands for several.
  private under(event: MouseEvent): (Rect & Track) | undefined {
    const row = rowAt(this.layout, event.offsetY);
    if (!row || event.offsetX < gutter) return undefined;
    const perPixel = (this.view.t1 - this.view.t0) / this.plot();
    const t = this.timeAt(event.offsetX);
    let best: (Rect & Track) | undefined;
    let distance = perPixel * 2;
    this.source.draw(row, this.view, this.plot(), (r) => {
      const away = Math.max(r.t0 - t, t - r.t1, 0);
      if (away < distance || (away === distance && (!best || r.count < best.count))) {
        distance = away;
        best = { ...r, ...row };
      }
    });
    return best;
  }

  async pick(event: MouseEvent): Promise<void> {
    if (event.offsetX < gutter) {
      this.toggle(event.offsetY);
      return;
    }
    const rect = this.under(event);
    this.select(rect && (rect.count === 1 ? barOf(rect) : await this.source.bar(rect.id)));
  }

  // toggle collapses the block whose name was clicked, or opens it.
  private toggle(y: number): void {
    const block = blockAt(this.layout, y);
    if (!block) return;
    if (!this.collapsed.delete(block.key)) this.collapsed.add(block.key);
    this.redraw();
  }

  async zoomTo(event: MouseEvent): Promise<void> {
    const rect = this.under(event);
    const bar = rect && (rect.count === 1 ? barOf(rect) : await this.source.bar(rect.id));
    if (bar) this.fitTo({ t0: bar.start, t1: bar.start + bar.dur });
  }

  private fitTo(v: View): void {
    this.following = false;
    const air = Math.max((v.t1 - v.t0) * 0.1, 10);
    this.view = clamp({ t0: v.t0 - air, t1: v.t1 + air }, this.whole());
    this.redraw();
  }

  // fit shows the selected span or bar, and the whole if nothing is selected or it is shown already.
  fit(): void {
    const { span, selected } = this;
    const wanted = span ?? (selected && { t0: selected.start, t1: selected.start + selected.dur });
    const length = this.view.t1 - this.view.t0;
    if (wanted && length > (wanted.t1 - wanted.t0) * 1.3) {
      this.fitTo(wanted);
      return;
    }
    this.following = false;
    const { t0, t1 } = this.source.whole();
    this.move(fit(t0, t1));
  }

  // move shows another part because the user wants it: the page no longer follows the run.
  move(view: View): void {
    this.following = false;
    this.view = view;
    this.redraw();
  }

  zoomBy(factor: number, fraction: number): void {
    if (!this.following) {
      this.move(zoom(this.view, factor, fraction, this.whole()));
      return;
    }
    const length = Math.max((this.view.t1 - this.view.t0) * factor, 1000);
    this.view = { t0: this.view.t1 - length, t1: this.view.t1 };
    this.redraw();
  }

  goLive(): void {
    if (!this.source.live) return;
    this.following = true;
    this.redraw();
  }

  letGo(): void {
    this.place = 0;
    this.span = undefined;
    element("help").hidden = true;
    if (this.path) void this.togglePath();
    this.select(undefined);
  }

  // takeWheel says whose the plain wheel is. Inside another page it scrolls that page, until the user has
  // clicked here and for as long as the pointer stays, so that scrolling past never zooms by accident.
  takeWheel(ours: boolean): void {
    if (!this.source.meta.embedded || this.wheelIsOurs === ours) return;
    this.wheelIsOurs = ours;
    element("hint").replaceChildren(...hint(true, ours));
    document.documentElement.classList.toggle("active", ours);
  }

  private choosePlace(place: number, keep = false): void {
    this.place = this.place === place && !keep ? 0 : place;
    this.tables();
    const { source, line } = at(this.source.meta.places, place);
    if (this.place !== 0) this.say({ ops: [], tasks: [], place: { source, line } });
    this.redraw();
  }

  select(bar: Bar | undefined, tell = true): void {
    const { meta } = this.source;
    const run = ++this.selectRun;
    this.selected = bar;
    this.neighbours = undefined;
    const place = bar ? at(meta.groups, bar.group).place : 0;
    this.marked = place;
    this.place = 0;
    element("chosen").replaceChildren(...(bar ? [describe(meta, bar)] : []));
    document.documentElement.dataset["selected"] = bar ? String(bar.id) : "-1";
    document.documentElement.dataset["arrows"] = "";
    this.tables();
    this.showLine();
    this.redraw();
    if (!bar) return;
    const { source, line } = placeOf(meta, bar.group);
    if (tell) this.say({ ops: bar.op ? [bar.op] : [], tasks: bar.task ? [bar.task] : [], ...(line > 0 ? { place: { source, line } } : {}) });
    if (!bar.task) return;
    this.source.task(bar.task).then((n) => {
      if (run !== this.selectRun) return;
      this.neighbours = n;
      document.documentElement.dataset["arrows"] = `${n.before.length} ${n.behind.length}`;
      element("chosen").replaceChildren(describe(meta, bar, n));
      this.redraw();
    }, () => undefined); // the connection is lost, which the page says already
  }

  private say(select: Selection): void {
    this.channel?.postMessage({ from: "timeline", select });
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

  hover(event: MouseEvent): void {
    const rect = this.under(event);
    const id = rect ? rect.id + (rect.count > 1 ? 0.5 : 0) : -1;
    if (id !== this.hovered) {
      this.hovered = id;
      this.canvas.style.cursor = rect ? "pointer" : event.offsetX < gutter ? "default" : "grab";
      if (rect) this.explain(rect);
      this.redraw();
    }
    this.tip.hidden = !rect;
    if (!rect) return;
    const { offsetWidth: w, offsetHeight: tall } = this.tip;
    const x = event.clientX + 16 + w > window.innerWidth ? event.clientX - w - 12 : event.clientX + 16;
    const y = Math.min(event.clientY + 16, window.innerHeight - tall - 8);
    this.tip.style.left = `${Math.max(x, 4)}px`;
    this.tip.style.top = `${Math.max(y, 4)}px`;
  }

  private explain(rect: Rect & Track): void {
    const { meta } = this.source;
    if (rect.count > 1) {
      const sums = this.source.thinned();
      const coarse = sums && rect.t0 < sums.until && rect.t1 - rect.t0 < sums.stretch ? sums : undefined;
      this.tip.replaceChildren(describeMany(meta, rect.count, rect.group, rect.cover, coarse));
      return;
    }
    this.tip.replaceChildren(brief(meta, barOf(rect)));
  }

  hide(): void {
    this.tip.hidden = true;
    if (this.hovered >= 0) {
      this.hovered = -1;
      this.redraw();
    }
  }

  private recolor(): void {
    this.theme = readTheme();
    this.redraw();
  }
}

// barOf returns the bar that a rectangle is.
function barOf(r: Rect & Track): Bar {
  return { id: r.id, lane: r.lane, row: r.row, start: r.t0, dur: r.dur, bytes: r.bytes, task: r.task, op: r.op, group: r.group };
}

function openChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel("weft");
  } catch {
    return undefined; // a frame that may not
  }
}
