// One graph on one page, and what the user does with it.

import { begin, center, fit, keep, zoom, type Camera } from "./camera.ts";
import { layout, type Picture, type Rect } from "./layered/layered.ts";
import { connect, fromHash, matches, selectionOf, toHash, type Selection } from "./link.ts";
import { near, Shown, type Outline, type State, type Visible } from "./outline.ts";
import { caption, measures, paint, privileges, type Painting } from "./paint.ts";
import { brief, describe, describeEdge, h, sourceTable } from "./panels.ts";
import { search } from "./search.ts";

function element<T extends Element = HTMLElement>(id: string): T {
  const found = document.querySelector<T>("#" + id);
  if (!found) throw new Error(`the page has no element "${id}"`);
  return found;
}

const keys: [string, string][] = [
  ["drag", "move"], ["wheel + -", "zoom"], ["f", "fit"], ["/", "search"], ["click", "select"], ["double click, enter", "open or close"],
  ["n", "neighbors only"], ["r", "as at first"], ["esc", "nothing selected"],
];

export class Page {
  private readonly shown: Shown;
  private readonly canvas = element<SVGSVGElement>("canvas");
  private readonly view = element<SVGGElement>("view");
  private readonly tip = element("tip");
  private readonly box = element<HTMLInputElement>("search");
  private readonly send: (of: Selection) => void;
  private visible: Visible = { nodes: [], boxes: [], edges: [] };
  private picture: Picture = { width: 0, height: 0, nodes: [], boxes: [], lanes: [], lines: [], crossings: 0 };
  private painting: Painting = { nodes: [], boxes: new Map(), edges: [] };
  private camera: Camera = { x: 0, y: 0, scale: 1 };
  private selected = -1; // a part
  private details = false; // nodes say what the runtime calls things
  private radius = 0; // of the neighborhood that alone is shown; 0: everything
  private found: number[] = [];
  private turn = -1; // of the found ones
  private active: boolean; // the wheel zooms
  private clicked = -1; // what the first click of a double click was on
  private drag: { x: number; y: number; camera: Camera; moved: boolean } | undefined;

  constructor(private readonly outline: Outline, private readonly embedded: boolean) {
    this.shown = new Shown(outline);
    this.active = !embedded;
    this.send = connect((of) => this.receive(of));
    element("title").textContent = outline.title;
    element("note").textContent = outline.note;
    element("hint").replaceChildren(...keys.map(([key, about]) => h("span", {}, h("kbd", {}, key), " " + about)), ...this.legend());
    element("details").hidden = !outline.parts.some((p) => p.more);
    this.draw();
    this.start();
    this.listen();
    const wanted = fromHash(this.hash());
    if (wanted.ops.length + wanted.tasks.length > 0) this.receive(wanted);
  }

  // legend says what the marks on edges mean, where there are any.
  private legend(): HTMLElement[] {
    const { flows } = this.shown.outline;
    if (!flows.some((f) => f.updated || f.reduced)) return [];
    const words = ["written, then read", "written, then read and written", "reduced into, then read"];
    return privileges().map((sample, k) => h("span", { class: "privilege" }, sample, " " + words[k]!));
  }

  private hash(): string {
    try {
      return location.hash;
    } catch {
      return "";
    }
  }

  // draw lays out and paints what is open.
  private draw(): void {
    this.tip.hidden = true;
    this.visible = this.shown.visible();
    if (this.radius > 0 && this.selected >= 0) this.visible = this.neighborhood(this.visible);
    const { nodes, boxes, edges } = this.visible;
    const boxAt = new Map(boxes.map((part, i) => [part, i]));
    const part = (i: number) => this.shown.part(i);
    const lanes = this.outline.kind === "events" ? this.devices() : [];
    this.picture = layout({
      nodes: nodes.map((i) => ({
        ...measures(part(i), this.details), box: boxAt.get(part(i).in) ?? -1, lane: part(i).in < 0 ? lanes.indexOf(part(i).device ?? "") : -1,
      })),
      boxes: boxes.map((i) => ({ parent: boxAt.get(part(i).in) ?? -1, title: 6.4 * caption(part(i)).length + (part(i).loop ? 110 : 30) })),
      edges: edges.map((e) => ({ from: e.from, to: e.to, back: e.carried })),
      lanes: lanes.length,
    });
    this.painting = paint(this.view, this.shown, this.visible, this.picture, lanes, this.details);
    element("count").textContent = `${nodes.length} nodes` + (this.radius > 0 ? ` within ${this.radius}` : "");
    element<HTMLButtonElement>("reset").hidden = !this.shown.changed() && this.radius === 0;
    this.mark();
    this.move();
  }

  // devices are the lanes of the outermost nodes; with a single one there are none.
  private devices(): string[] {
    const all = new Set(this.visible.nodes.map((i) => this.shown.part(i)).filter((p) => p.in < 0 && p.device).map((p) => p.device!));
    return all.size < 2 ? [] : [...all].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  }

  private neighborhood(v: Visible): Visible {
    const from = v.nodes.flatMap((part, at) => (this.isWithin(part, this.selected) ? [at] : []));
    const kept = [...near(v, from, this.radius)].sort((a, b) => a - b);
    const at = new Map(kept.map((old, i) => [old, i]));
    const nodes = kept.map((i) => v.nodes[i]!);
    const around = new Set(nodes.flatMap((i) => this.shown.path(i)));
    return {
      nodes,
      boxes: v.boxes.filter((i) => around.has(i)),
      edges: v.edges.filter((e) => at.has(e.from) && at.has(e.to)).map((e) => ({ ...e, from: at.get(e.from)!, to: at.get(e.to)! })),
    };
  }

  private isWithin(part: number, of: number): boolean {
    return this.shown.path(part).includes(of);
  }

  // mark shows what is selected, found and beside it.
  private mark(): void {
    const chosen = this.visible.nodes.flatMap((part, at) => (this.selected >= 0 && this.isWithin(part, this.selected) ? [at] : []));
    const beside = near(this.visible, chosen, 1);
    const hits = new Set(this.found);
    const hit = (part: number) => hits.has(part) || this.hiddenHits.has(part);
    this.visible.nodes.forEach((part, at) => {
      const { classList } = this.painting.nodes[at]!;
      classList.toggle("selected", chosen.includes(at));
      classList.toggle("dim", (chosen.length > 0 && !beside.has(at)) || (hits.size > 0 && !hit(part)));
      classList.toggle("found", hits.size > 0 && hit(part));
    });
    this.visible.edges.forEach((e, i) => {
      const near = chosen.includes(e.from) || chosen.includes(e.to);
      this.painting.edges[i]!.classList.toggle("near", near);
      this.painting.edges[i]!.classList.toggle("dim", chosen.length > 0 && !near);
    });
    for (const [part, box] of this.painting.boxes) box.classList.toggle("selected", part === this.selected);
  }

  private get hiddenHits(): Set<number> {
    return new Set(this.found.flatMap((i) => this.shown.path(i)));
  }

  private move(): void {
    const { x, y, scale } = this.camera;
    this.view.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    // What lies outside is said, with the way there.
    const page = this.page();
    const outside = this.picture.nodes.filter((r) => r.x * scale + x > page.width - 8 || (r.x + r.width) * scale + x < 8 || r.y * scale + y > page.height - 8 || (r.y + r.height) * scale + y < 8);
    const below = outside.filter((r) => r.y * scale + y > page.height - 8).length;
    const rest = element("rest");
    rest.hidden = outside.length === 0;
    rest.textContent = below > 0 ? `${below} more below \u25be` : `all ${this.picture.nodes.length} nodes`;
    rest.dataset["way"] = below > 0 ? "down" : "fit";
  }

  // start shows the graph at first: all of it where its text can be read then, else its beginning.
  private start(): void {
    this.camera = begin(this.picture, this.page());
    this.move();
  }

  // onward goes on to what lies below, or shows everything.
  private onward(): void {
    if (element("rest").dataset["way"] === "fit") {
      this.fit();
      return;
    }
    this.camera = { ...this.camera, y: this.camera.y - this.page().height * 0.8 };
    this.move();
  }

  private page(): { width: number; height: number } {
    const { clientWidth, clientHeight } = this.canvas;
    return { width: clientWidth, height: clientHeight };
  }

  private fit(): void {
    this.camera = fit(this.picture, this.page());
    this.move();
  }

  private rectOf(part: number): Rect | undefined {
    const at = this.visible.nodes.indexOf(part);
    return at >= 0 ? this.picture.nodes[at] : this.picture.boxes[this.visible.boxes.indexOf(part)];
  }

  // open puts a part into a state; it stays where it is on the page.
  private open(part: number, state: State): void {
    const before = this.rectOf(part);
    this.shown.set(part, state);
    this.draw();
    const after = this.rectOf(part);
    if (before && after) this.camera = keep(this.camera, before, after);
    this.move();
  }

  // toggle opens a node and closes a box.
  private toggle(part: number): void {
    const openings = this.shown.openings(part);
    if (openings.length === 0) return;
    this.open(part, this.visible.nodes.includes(part) ? openings[0]! : "closed");
  }

  private select(part: number, tell = true): void {
    this.selected = part;
    if (this.radius > 0) {
      this.radius = 0;
      this.draw();
    }
    this.mark();
    this.panel();
    if (!tell) return;
    const p = part >= 0 ? this.shown.part(part) : undefined;
    if (p) this.send(selectionOf(p));
    try {
      history.replaceState(null, "", toHash(p) || location.pathname + location.search);
    } catch {
      // A frame without an address has nothing to remember it in.
    }
  }

  // receive shows what the timeline selected, or an address names: the smallest visible parts that hold it.
  private receive(of: Selection): void {
    const hits = this.visible.nodes.filter((part) => matches(this.shown.part(part), of));
    const exact = hits.length > 0 ? hits : this.visible.nodes.filter((part) => of.place && matches(this.shown.part(part), { ops: [], tasks: [], place: of.place }));
    this.select(exact[0] ?? -1, false);
    this.show(exact[0] ?? -1);
  }

  // show brings a part into sight, if it is not.
  private show(part: number): void {
    const r = part >= 0 ? this.rectOf(part) : undefined;
    if (!r) return;
    const { x, y, scale } = this.camera;
    const page = this.page();
    const [left, top] = [x + r.x * scale, y + r.y * scale];
    if (left >= 0 && top >= 0 && left + r.width * scale <= page.width && top + r.height * scale <= page.height) return;
    this.camera = center(this.camera, r, page);
    this.move();
  }

  private panel(): void {
    const side = element("side");
    const p = this.selected >= 0 ? this.shown.part(this.selected) : undefined;
    side.hidden = !p;
    if (!p) return;
    element("chosen").replaceChildren(...describe(this.outline, p, this.opensText(this.selected), this.details));
    const source = this.outline.sources.find((s) => s.id === p.place?.source);
    element("source").replaceChildren(...(source ? [sourceTable(source, this.lineShares(source.id), p.place?.line ?? 0)] : []));
    // Not scrollIntoView, which would scroll the notebook around the frame as well.
    const line = element("source").querySelector<HTMLElement>(".chosen");
    if (line) side.scrollTop = Math.max(0, line.offsetTop + element("source").offsetTop - side.clientHeight / 2);
  }

  // lineShares are the lines' shares of the time, by the outermost parts that have one.
  private lineShares(source: number): Map<number, number> {
    const shares = new Map<number, number>();
    this.outline.parts.forEach((p) => {
      const outer = p.in < 0 ? !p.loop : p.fold && !p.loop && this.shown.part(p.in).loop;
      if (outer && p.place?.source === source) shares.set(p.place.line, (shares.get(p.place.line) ?? 0) + (p.share ?? 0));
    });
    return shares;
  }

  private opensText(part: number): string {
    return this.shown.openings(part).length > 0 ? "double click: " + (this.visible.nodes.includes(part) ? "open" : "close") : "";
  }

  private find(step: number): void {
    this.found = search(this.outline, this.box.value);
    element("found").textContent = this.box.value ? `${this.found.length} found` : "";
    if (this.found.length > 0 && step !== 0) {
      this.turn = (this.turn + step + this.found.length) % this.found.length;
      const part = this.found[this.turn]!;
      this.shown.reveal(part);
      this.selected = part;
      this.draw();
      this.panel();
      const r = this.rectOf(part);
      if (r) this.camera = center(this.camera, r, this.page());
      this.move();
    } else {
      this.turn = -1;
      this.mark();
    }
  }

  private reset(): void {
    this.shown.reset();
    this.radius = 0;
    this.draw();
    this.start();
  }

  // neighbors shows what is near the selected node alone, further with each call, and everything in the end.
  private neighbors(): void {
    if (this.selected < 0) return;
    this.radius = (this.radius + 1) % 4;
    this.draw();
    this.fit();
  }

  private partAt(target: EventTarget | null): number {
    const found = target instanceof Element ? target.closest<SVGElement>("[data-part]") : null;
    return found ? Number(found.dataset["part"]) : -1;
  }

  private listen(): void {
    this.canvas.addEventListener("wheel", (event) => {
      if (!this.active && !event.ctrlKey) return;
      event.preventDefault();
      const r = this.canvas.getBoundingClientRect();
      const scroll = event.deltaMode === 1 ? 30 * event.deltaY : event.deltaY;
      this.camera = zoom(this.camera, Math.exp(-scroll / 400), event.clientX - r.left, event.clientY - r.top);
      this.move();
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => {
      this.active = true;
      document.body.classList.add("active");
      if (event.button !== 0) return;
      this.drag = { x: event.clientX, y: event.clientY, camera: this.camera, moved: false };
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const d = this.drag;
      if (d && Math.hypot(event.clientX - d.x, event.clientY - d.y) > 3 && !d.moved) {
        d.moved = true;
        this.canvas.setPointerCapture(event.pointerId);
      }
      if (d?.moved) {
        this.camera = { ...d.camera, x: d.camera.x + event.clientX - d.x, y: d.camera.y + event.clientY - d.y };
        this.move();
        this.tip.hidden = true;
        return;
      }
      this.hover(event);
    });
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("pointerup", () => {
      if (this.drag?.moved) setTimeout(() => (this.drag = undefined)); // behind the click that follows
      else this.drag = undefined;
    });
    this.canvas.addEventListener("click", (event) => {
      if (this.drag?.moved) return;
      const part = this.partAt(event.target);
      const action = event.target instanceof Element ? event.target.closest<SVGElement>("[data-action]")?.dataset["action"] : undefined;
      if (part >= 0 && action === "open" && this.visible.nodes.includes(part)) this.toggle(part);
      else if (part >= 0 && action) this.open(part, action as State);
      else if (event.detail < 2) this.select(part);
    });
    // The first click of a double click opens the panel, which takes room: under the second click may be another node by then, or
    // the panel. So what was under the first one counts.
    window.addEventListener("click", (event) => {
      if (event.detail > 1) return;
      const on = event.target instanceof Element && this.canvas.contains(event.target) && !event.target.closest("[data-action]");
      this.clicked = on && !this.drag?.moved ? this.partAt(event.target) : -1;
    }, { capture: true });
    window.addEventListener("dblclick", () => {
      if (this.clicked >= 0) this.toggle(this.clicked);
    });
    this.box.addEventListener("input", () => this.find(0));
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.find(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") {
        this.box.value = "";
        this.find(0);
        this.canvas.focus();
      }
    });
    element("fit").addEventListener("click", () => this.fit());
    element("rest").addEventListener("click", () => this.onward());
    element("details").addEventListener("click", () => {
      this.details = !this.details;
      element("details").classList.toggle("on", this.details);
      this.draw();
      this.start();
      this.panel();
    });
    for (const kind of ["wheel", "keydown", "scroll", "blur"]) window.addEventListener(kind, () => (this.tip.hidden = true));
    element("reset").addEventListener("click", () => this.reset());
    element("source").addEventListener("click", (event) => {
      const line = event.target instanceof Element ? Number(event.target.closest<HTMLElement>("[data-line]")?.dataset["line"]) : NaN;
      const place = this.shown.part(Math.max(this.selected, 0)).place;
      if (!place || !line) return;
      const part = this.visible.nodes.find((i) => this.shown.part(i).place?.line === line && this.shown.part(i).place?.source === place.source);
      if (part !== undefined) this.select(part);
      this.show(part ?? -1);
    });
    window.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.receive(fromHash(this.hash())));
    let wide = this.page().width;
    new ResizeObserver(() => {
      if (this.page().width !== wide && !this.shown.changed()) this.start();
      wide = this.page().width;
    }).observe(this.canvas);
  }

  private hover(event: PointerEvent): void {
    const part = this.partAt(event.target);
    const edge = event.target instanceof Element ? this.painting.edges.indexOf(event.target.closest(".edge") as SVGElement) : -1;
    if (part >= 0 && this.visible.nodes.includes(part)) {
      this.tip.replaceChildren(...brief(this.outline, this.shown.part(part), this.opensText(part)));
    } else if (edge >= 0) {
      const e = this.visible.edges[edge]!;
      this.tip.replaceChildren(...describeEdge(e, this.shown.part(this.visible.nodes[e.from]!), this.shown.part(this.visible.nodes[e.to]!)));
    } else {
      this.tip.hidden = true;
      return;
    }
    this.tip.hidden = false;
    const { offsetWidth, offsetHeight } = this.tip;
    const x = event.clientX + 16 + offsetWidth > innerWidth ? event.clientX - offsetWidth - 12 : event.clientX + 16;
    const y = Math.min(event.clientY + 16, innerHeight - offsetHeight - 4);
    this.tip.style.left = `${Math.max(2, x)}px`;
    this.tip.style.top = `${Math.max(2, y)}px`;
  }

  private key(event: KeyboardEvent): void {
    if (event.target === this.box || event.ctrlKey || event.metaKey || event.altKey) return;
    const { width, height } = this.page();
    const pan = (x: number, y: number) => {
      this.camera = { ...this.camera, x: this.camera.x + x, y: this.camera.y + y };
      this.move();
    };
    const by = (factor: number) => {
      this.camera = zoom(this.camera, factor, width / 2, height / 2);
      this.move();
    };
    const actions: Record<string, () => void> = {
      "+": () => by(1.25), "=": () => by(1.25), "-": () => by(0.8), w: () => by(1.25), s: () => by(0.8),
      ArrowLeft: () => pan(60, 0), ArrowRight: () => pan(-60, 0), ArrowUp: () => pan(0, 60), ArrowDown: () => pan(0, -60), a: () => pan(60, 0), d: () => pan(-60, 0),
      f: () => this.fit(), r: () => this.reset(), n: () => this.neighbors(), "/": () => this.box.focus(), Enter: () => this.selected >= 0 && this.toggle(this.selected),
      Escape: () => {
        this.active = !this.embedded;
        document.body.classList.toggle("active", this.active && this.embedded);
        this.select(-1);
      },
      "?": () => (element("hint").hidden = !element("hint").hidden),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
