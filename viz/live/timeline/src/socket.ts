// The source of a page that its server tells about a run, while it goes on or afterwards.

import { newRect, type Emit, type Found, type MemoryPlot, type Neighbours, type Path, type Plot, type Running, type Source, type Sums, type TotalRow, type Track } from "./source.ts";
import type { Bar, KindInfo, Meta, Run, Tables } from "./trace.ts";
import { barId, decodePicture, drawTrack, replaceTail, type TrackPicture } from "./wire.ts";
import { duration } from "./text.ts";
import type { View } from "./view.ts";

interface BarJSON extends Omit<Bar, "id"> {
  at: number;
}

interface Hello {
  title: string;
  live: boolean;
  origin: number;
  kinds: KindInfo[];
  machine: { key: string; value: string }[];
  notes: string[];
  runs: Run[];
}

interface Pulse {
  now: number;
  start: number;
  end: number;
  count: number;
  thinned: number;
  until: number;
  stretch: number;
  dropped: number;
  lost: number;
  hidden: number;
  loading: boolean;
  rows: number[][];
  running: Running[];
}

type Message = { type: string; id?: number; error?: string; value?: unknown };

// Asked is a window that the server was asked for: wider than the view, so that small moves need no answer.
interface Asked {
  id: number;
  t0: number;
  t1: number;
  perPixel: number;
  tracks: string;
}

const key = (lane: number, row: number): number => lane * 65536 + row;

// The protocol is that of FORMAT.md. Text is JSON, pictures are binary (wire.ts):
//
//	server                                        page
//	hello    a run begins: kinds, machine   -->   tables are emptied, pictures dropped
//	tables   rows that are new              -->   appended: indices stay
//	pulse    a few times a second: counts   -->   the clock's offset, notes, running tasks
//	                                        <--   view     tracks, window and pixels
//	picture  columns of the window          -->   replaced, or their tails
//	usage    plots of collapsed blocks      -->
//	                                        <--   search, next, totals, task, ...   with an id
//	answer   by id                          -->   the promise that waits for it
//
// When the connection is lost, the page keeps what it has, and tries again after 500 ms, twice as long each time, up to
// 8 seconds.
export class Socket implements Source {
  live = false;
  notes: string[] = [];
  changed = (): void => undefined;
  progress: (what: string, part: number, found: number | undefined) => void = () => undefined;
  begun: () => void = () => undefined; // called with the first state, and after another run has begun
  private socket: WebSocket | undefined;
  private pulse: Pulse = { now: 0, start: 0, end: 1000, count: 0, thinned: 0, until: 0, stretch: 0, dropped: 0, lost: 0, hidden: 0, loading: false, rows: [], running: [] };
  private offset = Infinity; // of the server's clock to that of the page
  private pictures = new Map<number, TrackPicture>();
  private window: { t0: number; perPixel: number } = { t0: 0, perPixel: 1 };
  private asked: Asked | undefined;
  private shown = 0; // id of the picture that is drawn
  private plots: Plot[] = [];
  private ids = 0;
  private waiting = new Map<number, { what: string; done: (value: unknown) => void; failed: (error: Error) => void }>();
  private readonly rect = newRect();
  private retry = 250;
  loading = false;
  private fresh = true; // the next pulse is the first one of a run

  constructor(readonly meta: Meta, private readonly address: string) {
    this.connect();
  }

  private connect(): void {
    const socket = new WebSocket(this.address);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      this.retry = 250;
      if (typeof event.data === "string") this.text(JSON.parse(event.data) as Message);
      else this.picture(event.data);
    };
    socket.onclose = (event) => {
      for (const { failed } of this.waiting.values()) failed(new Error("the connection to the server is lost"));
      this.waiting.clear();
      this.asked = undefined;
      this.pulse = { ...this.pulse, running: [] };
      this.notes = [event.code === 1008 ? `The server sent this page away: ${event.reason}` : "The server does not answer; this is what was there last. The page tries again by itself."];
      this.changed();
      this.retry = Math.min(this.retry * 2, 8000);
      window.setTimeout(() => this.connect(), this.retry);
    };
  }

  private text(m: Message): void {
    switch (m.type) {
      case "hello":
        this.hello(m as unknown as Hello);
        break;
      case "tables":
        this.tables(m as unknown as Tables);
        break;
      case "pulse":
        this.beat(m as unknown as Pulse);
        break;
      case "usage": {
        const { t0, t1, plots } = m as unknown as { t0: number; t1: number; plots: number[][] };
        this.plots = plots.map((values) => ({ t0, t1, values }));
        break;
      }
      case "answer": {
        const wait = this.waiting.get(m.id ?? 0);
        this.waiting.delete(m.id ?? 0);
        if (m.error) wait?.failed(new Error(m.error));
        else wait?.done(m.value);
        return;
      }
      case "progress": {
        const { part, value } = m as unknown as { part: number; value?: { count: number } };
        const wait = this.waiting.get(m.id ?? 0);
        if (wait) this.progress(wait.what, part, value?.count);
        return;
      }
    }
    this.changed();
  }

  private hello(m: Hello): void {
    const { meta } = this;
    Object.assign(meta, { title: m.title, origin: m.origin, kinds: m.kinds, machine: m.machine, notes: m.notes, runs: m.runs });
    for (const table of [meta.lanes, meta.names, meta.places, meta.forms, meta.groups, meta.sources]) table.length = 0;
    this.live = m.live;
    this.pictures = new Map();
    this.asked = undefined;
    this.offset = Infinity;
    this.fresh = true;
  }

  private tables(m: Tables): void {
    const { meta } = this;
    meta.lanes.push(...m.lanes);
    meta.names.push(...m.names);
    meta.places.push(...m.places);
    meta.forms.push(...m.forms);
    for (const group of m.groups) meta.groups.push(group); // may be many
    for (const source of m.sources) {
      const known = meta.sources.findIndex((s) => s.id === source.id);
      if (known >= 0) meta.sources[known] = source;
      else meta.sources.push(source);
    }
  }

  private beat(m: Pulse): void {
    this.pulse = m;
    this.loading = m.loading;
    // The message that was quickest on its way tells best how the clocks lie to each other.
    this.offset = Math.min(this.offset, performance.now() * 1e6 - m.now);
    const notes = [...this.meta.notes];
    if (m.loading) notes.push(`The profile is being read: ${m.count.toLocaleString("en-US")} bars so far.`);
    if (m.lost > 0) notes.push(`${m.lost} older records are lost, because the recorder keeps only the newest of each lane.`);
    if (m.thinned > 0) notes.push(`${m.thinned.toLocaleString("en-US")} older bars, up to ${duration(m.until)}, are there as sums of ${duration(m.stretch)} each: that is as far as one can zoom in there. ` + (this.live ? "" : "weft view --memory 8GB keeps more bars."));
    if (m.dropped > 0) notes.push(`${m.dropped} older records are no longer shown.`);
    if (m.hidden > 0) notes.push(`${m.hidden} records that overlap more than 64 others are not drawn.`);
    this.notes = notes;
    if (this.fresh) {
      this.fresh = false;
      this.begun();
    }
  }

  // A picture of a new window replaces all; those that follow for the same window only bring what has changed since, from a
  // time on. One for an older question than that which is drawn is dropped.
  private picture(data: ArrayBuffer): void {
    const p = decodePicture(data);
    if (p.id !== this.shown) {
      if (this.asked && p.id < this.asked.id && this.shown > p.id) return;
      this.pictures = new Map();
      this.shown = p.id;
      this.window = { t0: p.t0, perPixel: p.perPixel };
    }
    for (const part of p.parts) {
      const at = key(part.track.lane, part.track.row);
      const old = this.pictures.get(at);
      this.pictures.set(at, old ? replaceTail(old, part, p) : part.track);
    }
    this.changed();
  }

  private send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  // ask asks the server. A question takes the place of an older one of its kind, which then has no answer.
  private ask(question: object): Promise<unknown> {
    const id = ++this.ids;
    const what = Object.keys(question)[0] ?? "";
    for (const [old, wait] of this.waiting) if (wait.what === what && what !== "bar") this.waiting.delete(old);
    return new Promise((done, failed) => {
      this.waiting.set(id, { what, done, failed });
      if (!this.send({ id, ...question })) {
        this.waiting.delete(id);
        failed(new Error("the connection to the server is lost"));
      }
    });
  }

  whole(): View {
    const end = this.running().length > 0 ? Math.max(this.pulse.end, this.now()) : this.pulse.end;
    return { t0: this.pulse.start, t1: Math.max(end, this.pulse.start + 1000) };
  }

  thinned(): Sums | undefined {
    const { thinned, until, stretch } = this.pulse;
    return thinned > 0 ? { until, stretch } : undefined;
  }

  count = (): number => this.pulse.count;
  lost = (): number => this.pulse.lost;
  running = (): readonly Running[] => this.pulse.running;
  plot = (index: number): Plot | undefined => this.plots[index];

  now(): number {
    return Number.isFinite(this.offset) ? performance.now() * 1e6 - this.offset : 0;
  }

  rows(lane: number): number[] {
    const rows = this.pulse.rows[lane] ?? [];
    const own = this.pulse.running.find((r) => r.lane === lane && !rows.includes(r.row));
    return own ? [...rows, own.row].sort((a, b) => a - b) : rows;
  }

  // The window that is asked for is wider than the view by 0.4 of its length at each side (the whole of it ahead in a run that
  // goes on), and stays good while the scale is between 0.6 and 1.5 of its own:
  //
  //	asked   |-----------------------------------|
  //	view           |-----------------|            moves within: drawn from what is there, nothing is asked
  show(view: View, px: number, tracks: Track[], plots: number[][]): void {
    const length = view.t1 - view.t0;
    const perPixel = length / px;
    const names = tracks.map((t) => `${t.lane}.${t.row}`).join() + "|" + plots.map((p) => p.join(".")).join();
    const { asked } = this;
    const inside = asked && view.t0 >= asked.t0 && view.t1 <= asked.t1;
    const alike = asked && perPixel > asked.perPixel * 0.6 && perPixel < asked.perPixel * 1.5;
    if (asked && inside && alike && asked.tracks === names) return;
    if (asked && this.shown !== asked.id) return; // one question at a time; the frame after its answer asks again
    const t0 = view.t0 - length * 0.4;
    const t1 = view.t1 + length * (this.live ? 1 : 0.4);
    const all = Math.min(Math.round((px * (t1 - t0)) / length), 8000);
    const id = ++this.ids;
    if (!this.send({ id, view: { t0, t1, px: all, tracks: tracks, usage: plots } })) return;
    this.asked = { id, t0, t1, perPixel, tracks: names };
  }

  draw(track: Track, view: View, _px: number, emit: Emit): void {
    const picture = this.pictures.get(key(track.lane, track.row));
    if (picture) drawTrack(picture, this.window, view, this.rect, emit);
  }

  private own(bar: BarJSON | null | undefined): Bar | undefined {
    return bar ? { ...bar, id: barId(bar.lane, bar.at) } : undefined;
  }

  private ownAll(bars: (BarJSON | null)[] | null | undefined): Bar[] {
    return (bars ?? []).map((b) => this.own(b)).filter((b) => b !== undefined);
  }

  // An id is 2^32 times the lane plus the record's number in the lane (barId), which a double holds exactly.
  async bar(id: number): Promise<Bar | undefined> {
    return this.own((await this.ask({ bar: { lane: Math.floor(id / 2 ** 32), at: id % 2 ** 32 } })) as BarJSON | null);
  }

  async totals(v: View): Promise<TotalRow[]> {
    return ((await this.ask({ totals: v })) ?? []) as TotalRow[];
  }

  async search(text: string): Promise<Found | undefined> {
    const found = (await this.ask({ search: { text } })) as { count: number; time: number; unseen: number; first: BarJSON | null } | undefined;
    return found ? { count: found.count, time: found.time, unseen: found.unseen, first: this.own(found.first) } : undefined;
  }

  async next(text: string, from: Bar | undefined, back: boolean): Promise<Bar | undefined> {
    const start = from ? from.start : back ? 2 ** 51 : -(2 ** 51);
    return this.own((await this.ask({ next: { text, start, lane: from?.lane ?? 0, at: from ? from.id % 2 ** 32 : 0, back } })) as BarJSON | null);
  }

  async marks(text: string, v: View, px: number, lanes: number[]): Promise<number[][]> {
    return ((await this.ask({ marks: { text, ...v, px: Math.min(px, 8000), lanes } })) ?? []) as number[][];
  }

  async task(id: number): Promise<Neighbours> {
    const m = (await this.ask({ task: id })) as { bar: BarJSON | null; planned: number; ready: number; before: BarJSON[]; behind: BarJSON[]; gone: number };
    return { bar: this.own(m.bar), planned: m.planned, ready: m.ready, before: this.ownAll(m.before), behind: this.ownAll(m.behind), gone: m.gone };
  }

  async memory(v: View, px: number): Promise<MemoryPlot[]> {
    return ((await this.ask({ memory: { ...v, px } })) ?? []) as MemoryPlot[];
  }

  async path(v: View): Promise<Path> {
    const m = (await this.ask({ path: v })) as Omit<Path, "bars"> & { bars: BarJSON[] };
    return { ...m, bars: this.ownAll(m.bars) };
  }
}
