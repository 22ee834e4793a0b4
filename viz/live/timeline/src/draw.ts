// The canvas. Everything that is drawn is decided elsewhere; this file knows pixels and colors.
//
//   0        gutter                                                    width
//   +-----------+--------------------------------------------------------+ 0
//   | 3 ms shown|  10 ms        12 ms        14 ms      axis              |
//   +-----------+--------------------------------------------------------+ axisHeight
//   | cpu0   87%|  [bar  ][b]   ||||||||  strips: pixels of many bars    |   a lane, of one row or more
//   | > gpus (4)|  ~~~~~~~~~~~  plot of a collapsed block                |   a block
//   +-----------+--------------------------------------------------------+ layout.height
//
// A time t is at gutter + (t - view.t0) * scale, where scale is pixels per nanosecond. Times are doubles: 2^53 nanoseconds
// are a hundred days. The layers are drawn from back to front, and clipped to the plot: bands, axis, bars, plots, what
// runs, overlays; the names come last, over what bars leave of the gutter.

import { axisHeight, boxOf, type Layout } from "./lanes.ts";
import type { Matcher } from "./query.ts";
import type { Neighbours, Path, Rect, Source } from "./source.ts";
import { Strips } from "./strips.ts";
import { duration, time } from "./text.ts";
import { at, nameOf, partsOf, type Bar } from "./trace.ts";
import { ticks, type View } from "./view.ts";

export const gutter = 132; // pixels for the lanes' names
const mostOutlined = 60; // bars of a path that are framed one by one
const stripe = 4; // pixels, of the band that marks a longer one
const nameHeight = 12; // pixels from one lane's name to the next
const labelWidth = 40; // narrowest bar that gets a label

// Scene is what a frame shows.
export interface Scene {
  source: Source;
  layout: Layout;
  view: View;
  visible: [number, number]; // the part of the canvas that is not scrolled away
  busy: Map<number, number>; // share of the view in which a lane was busy
  match: Matcher | undefined;
  marks: number[][]; // lane, and the pixels in which bars match
  marksView: View | undefined;
  selected: Bar | undefined;
  hovered: number; // id of a bar, -1 is none
  place: number; // place whose bars stand out, 0 is none
  span: View | undefined; // selected stretch of time
  neighbours: Neighbours | undefined;
  path: Path | undefined;
}

// Theme has the colors that come from the page.
export interface Theme {
  text: string;
  faint: string;
  line: string;
  band: string;
  back: string;
  mark: string;
  path: string;
}

// readTheme asks the page for them.
export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  return { text: color("--text"), faint: color("--faint"), line: color("--line"), band: color("--band"), back: color("--back"), mark: color("--mark"), path: color("--path") };
}

interface Label {
  text: string;
  color: string;
  lit: boolean;
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Drawn {
  bars: number;
  growing: number; // pixels of the longest bar that still grows, -1 without one
}

// CanvasRenderer draws on a 2D canvas that it keeps as sharp as the screen.
export class CanvasRenderer {
  private readonly c: CanvasRenderingContext2D;
  private readonly strips = new Strips();
  private readonly labels: Label[] = [];
  private hoveredBox: { x: number; y: number; w: number; h: number } | undefined;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly theme: () => Theme) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser has no 2D canvas");
    this.c = context;
  }

  draw(scene: Scene): Drawn {
    const { canvas, c } = this;
    const theme = this.theme();
    const width = canvas.clientWidth;
    const height = scene.layout.height;
    const ratio = window.devicePixelRatio || 1;
    const tall = `${height}px`;
    if (canvas.style.height !== tall) canvas.style.height = tall;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.globalAlpha = 1;
    c.fillStyle = theme.back;
    c.fillRect(0, 0, width, height);
    const plot = Math.max(width - gutter, 1);
    this.bands(scene, theme, width);
    this.axis(scene, theme, plot, height);
    c.save();
    c.beginPath();
    c.rect(gutter, 0, plot, height);
    c.clip();
    const drawn = this.bars(scene, theme, plot);
    this.plots(scene, theme, plot);
    const growing = this.running(scene, theme, plot);
    this.overlays(scene, theme, plot, height);
    c.restore();
    this.names(scene, theme);
    return { bars: drawn, growing };
  }

  private bands(scene: Scene, theme: Theme, width: number): void {
    this.c.fillStyle = theme.band;
    scene.layout.lanes.forEach((lane, k) => {
      if (k % 2 === 0) this.c.fillRect(0, lane.top - 2, width, lane.height + 4);
    });
  }

  private axis(scene: Scene, theme: Theme, plot: number, height: number): void {
    const { c } = this;
    const { step, times } = ticks(scene.view, plot);
    const scale = plot / (scene.view.t1 - scene.view.t0);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.textAlign = "left";
    for (const t of times) {
      const x = Math.round(gutter + (t - scene.view.t0) * scale);
      c.fillStyle = theme.line;
      c.fillRect(x, 0, 1, height);
      const label = time(t, step);
      if (x + 6 + c.measureText(label).width > gutter + plot) continue; // half of it would be cut off
      c.fillStyle = theme.faint;
      c.fillText(label, x + 4, axisHeight / 2);
    }
  }

  // bars draws the lanes that are in sight. A bar of two pixels or more is a rectangle of its own; what is narrower, or
  // stands for several bars, is added up by pixels and painted behind all rectangles (strips.ts): a million bars
  // cost as much as there are pixels. Labels come last, so that the font is set once.
  private bars(scene: Scene, theme: Theme, plot: number): number {
    const { c, strips, labels } = this;
    const { source, view } = scene;
    const { meta } = source;
    const scale = plot / (view.t1 - view.t0);
    let drawn = 0;
    let fill = "";
    labels.length = 0;
    this.hoveredBox = undefined;
    strips.begin(Math.ceil(plot));
    for (const lane of scene.layout.lanes) {
      if (lane.top > scene.visible[1] || lane.top + lane.height < scene.visible[0]) continue;
      for (const box of lane.rows) {
        strips.next(box.top, box.height);
        source.draw({ lane: lane.lane, row: box.row }, view, plot, (r) => {
          drawn++;
          const name = nameOf(meta, r.group);
          const lit = this.lit(scene, lane.lane, r);
          const x0 = (r.t0 - view.t0) * scale;
          const x1 = (r.t1 - view.t0) * scale;
          if (r.count > 1 || x1 - x0 < 2) {
            strips.put(x0, x1, name.color, (r.count > 1 ? 0.35 + 0.65 * r.cover : 1) * (lit ? 1 : 0.18));
            return;
          }
          if (name.color !== fill) c.fillStyle = fill = name.color;
          c.globalAlpha = lit ? 1 : 0.18;
          const left = gutter + Math.max(x0, -2);
          const right = gutter + Math.min(x1, plot + 2);
          // Neighbours stay apart by a hair where there is room for it.
          const w = right - left > 4 ? right - left - 0.6 : right - left;
          c.fillRect(left, box.top, w, box.height);
          if (r.id === scene.hovered) this.hoveredBox = { x: left, y: box.top, w, h: box.height };
          if (right - left >= labelWidth && box.height >= 10) labels.push({ text: name.text, color: name.color, lit, x: left, y: box.top, w, h: box.height });
        });
      }
    }
    c.globalAlpha = 1;
    strips.paint(c, gutter);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.textAlign = "left";
    for (const label of labels) this.label(label);
    c.globalAlpha = 1;
    const box = this.hoveredBox as { x: number; y: number; w: number; h: number } | undefined;
    if (box) this.frame(box.x, box.y, box.w, box.h, theme.mark);
    return drawn;
  }

  private label(label: Label): void {
    const { c } = this;
    c.globalAlpha = label.lit ? 1 : 0.3;
    c.fillStyle = dark(label.color) ? "#ffffff" : "#101418";
    const visible = Math.max(label.x, gutter);
    const text = shorten(c, label.text, label.x + label.w - visible - 8);
    if (text !== "") c.fillText(text, visible + 4, label.y + label.h / 2 + 0.5);
  }

  // lit says whether a rectangle stands out while something is searched for or pointed at.
  private lit(scene: Scene, lane: number, r: Rect): boolean {
    const { match, place } = scene;
    if (place !== 0 && !partsOf(scene.source.meta, r.group).some(([of]) => of === place)) return false;
    if (!match) return true;
    return r.count > 1 ? match.group(r.group, lane) : match.bar(lane, r.group, r.dur, r.task, r.op);
  }

  // plots draws how busy the lanes of collapsed blocks were.
  private plots(scene: Scene, theme: Theme, plot: number): void {
    const { c } = this;
    const { view } = scene;
    const scale = plot / (view.t1 - view.t0);
    for (const block of scene.layout.blocks) {
      const values = block.collapsed ? scene.source.plot(block.plot) : undefined;
      if (!values) continue;
      const bottom = block.top + block.height;
      const step = (values.t1 - values.t0) / values.values.length;
      c.fillStyle = theme.band;
      c.fillRect(gutter, block.top, plot, block.height);
      c.fillStyle = "#4e86c6";
      c.beginPath();
      c.moveTo(gutter, bottom);
      for (let i = 0; i < values.values.length; i++) {
        const x = gutter + (values.t0 + i * step - view.t0) * scale;
        const y = bottom - at(values.values, i) * (block.height - 2);
        c.lineTo(x, y);
        c.lineTo(x + step * scale, y);
      }
      c.lineTo(gutter + (values.t1 - view.t0) * scale, bottom);
      c.closePath();
      c.fill();
    }
  }

  // running draws what goes on right now, up to the present time.
  private running(scene: Scene, theme: Theme, plot: number): number {
    const { c } = this;
    const { source, view } = scene;
    const scale = plot / (view.t1 - view.t0);
    const now = source.now();
    let longest = -1;
    for (const bar of source.running()) {
      const box = boxOf(scene.layout, bar.lane, bar.row);
      if (!box || now < view.t0 || bar.start > view.t1) continue;
      const name = nameOf(source.meta, bar.group);
      const x0 = gutter + Math.max((bar.start - view.t0) * scale, -2);
      const x1 = gutter + Math.min((Math.max(now, bar.start) - view.t0) * scale, plot + 2);
      const w = Math.max(x1 - x0, 2);
      longest = Math.max(longest, (now - bar.start) * scale);
      c.globalAlpha = 0.75;
      c.fillStyle = name.color;
      c.fillRect(x0, box.top, w, box.height);
      c.globalAlpha = 1;
      c.fillStyle = theme.mark;
      c.fillRect(x1 - 2, box.top, 2, box.height); // the edge that moves
      if (w >= labelWidth && box.height >= 10) this.label({ text: `${name.text} ${duration(Math.max(now - bar.start, 0))}`, color: name.color, lit: true, x: x0, y: box.top, w, h: box.height });
    }
    if (source.live && now >= view.t0 && now <= view.t1) {
      c.fillStyle = theme.faint;
      c.globalAlpha = 0.5;
      c.fillRect(gutter + (now - view.t0) * scale, 0, 1, scene.layout.height);
      c.globalAlpha = 1;
    }
    return longest;
  }

  // overlays draws what the reader has asked for, over all bars: hits, a span of time, the critical path, and the selected
  // bar with the tasks before and behind it. The selected bar is last, as its frame may not be hidden.
  private overlays(scene: Scene, theme: Theme, plot: number, height: number): void {
    const { c } = this;
    const { view, span, neighbours, path, selected } = scene;
    const scale = plot / (view.t1 - view.t0);
    const x = (t: number) => gutter + (t - view.t0) * scale;
    this.marks(scene, plot);
    if (span) {
      c.fillStyle = "#3b82f6";
      c.globalAlpha = 0.16;
      c.fillRect(x(span.t0), 0, (span.t1 - span.t0) * scale, height);
      c.globalAlpha = 1;
      c.fillRect(x(span.t0), 0, 1, height);
      c.fillRect(x(span.t1), 0, 1, height);
    }
    if (path && path.bars.length > mostOutlined) this.band(scene, path.bars, theme.path, plot);
    else if (path) {
      path.bars.forEach((bar, i) => {
        const before = path.bars[i - 1];
        if (before) this.arrow(scene, before, bar, theme.path, x);
        this.outline(scene, bar, theme.path, x);
      });
    }
    if (!selected) return;
    if (neighbours) {
      this.states(scene, selected, neighbours, x);
      for (const bar of neighbours.before) this.arrow(scene, bar, selected, "#d97706", x);
      for (const bar of neighbours.behind) this.arrow(scene, selected, bar, "#0d9488", x);
    }
    this.outline(scene, selected, theme.mark, x);
  }

  // band marks a path of many bars: by a line below each, gathered by pixels, and where any of them ran by a stripe above all lanes.
  // Frames and arrows of a thousand bars would hide the bars.
  private band(scene: Scene, bars: Bar[], color: string, plot: number): void {
    const { c } = this;
    const scale = plot / (scene.view.t1 - scene.view.t0);
    const rows = new Map<number, Uint8Array>();
    const mark = (y: number, bar: Bar) => {
      const x0 = Math.floor((bar.start - scene.view.t0) * scale);
      const x1 = Math.max(Math.ceil((bar.start + bar.dur - scene.view.t0) * scale), x0 + 1);
      if (x1 <= 0 || x0 >= plot) return;
      let row = rows.get(y);
      if (!row) rows.set(y, (row = new Uint8Array(Math.ceil(plot))));
      row.fill(1, Math.max(x0, 0), Math.min(x1, row.length));
    };
    const top = axisHeight - stripe - 1;
    for (const bar of bars) {
      mark(top, bar);
      const box = boxOf(scene.layout, bar.lane, bar.row);
      if (box) mark(box.top + box.height - 1, bar);
    }
    c.fillStyle = color;
    for (const [y, row] of rows) {
      for (let x = row.indexOf(1); x >= 0; ) {
        const end = row.indexOf(0, x);
        const to = end < 0 ? row.length : end;
        c.fillRect(gutter + x, y, to - x, y === top ? stripe : 2);
        x = row.indexOf(1, to);
      }
    }
  }

  // marks shows where hits lie that are too short to be seen.
  private marks(scene: Scene, plot: number): void {
    const view = scene.marksView;
    if (!view || !scene.match) return;
    const scale = plot / (scene.view.t1 - scene.view.t0);
    const step = (view.t1 - view.t0) / plot;
    this.c.fillStyle = "#eab308";
    for (const [lane, ...pixels] of scene.marks) {
      const box = scene.layout.lanes.find((l) => l.lane === lane);
      if (!box) continue;
      for (const px of pixels) this.c.fillRect(gutter + (view.t0 + px * step - scene.view.t0) * scale, box.top - 2, Math.max(step * scale, 1), 2);
    }
  }

  // states draws what a task did before it ran, as thin bars: deferred while it waited for others, then ready.
  private states(scene: Scene, bar: Bar, n: Neighbours, x: (t: number) => number): void {
    const box = boxOf(scene.layout, bar.lane, bar.row);
    if (!box || n.planned < 0) return;
    const { c } = this;
    const ready = n.ready >= 0 ? Math.min(n.ready, bar.start) : bar.start;
    c.fillStyle = "#9aa5b4";
    c.fillRect(x(n.planned), box.top + box.height / 2 - 1, Math.max(x(ready) - x(n.planned), 0), 2);
    c.fillStyle = "#d97706";
    c.fillRect(x(ready), box.top + box.height / 2 - 2, Math.max(x(bar.start) - x(ready), 0), 4);
  }

  private outline(scene: Scene, bar: Bar, color: string, x: (t: number) => number): void {
    const box = boxOf(scene.layout, bar.lane, bar.row);
    if (box) this.frame(x(bar.start), box.top, Math.max(x(bar.start + bar.dur) - x(bar.start), 2), box.height, color);
  }

  private frame(x: number, y: number, w: number, h: number, color: string): void {
    this.c.strokeStyle = color;
    this.c.lineWidth = 2;
    this.c.strokeRect(x - 0.5, y - 0.5, w, h + 1);
  }

  // arrow leads from the end of a bar to the beginning of another. It leaves and arrives level, so that it can be told
  // from the bars' edges where both are close together.
  private arrow(scene: Scene, from: Bar, to: Bar, color: string, x: (t: number) => number): void {
    const a = boxOf(scene.layout, from.lane, from.row);
    const b = boxOf(scene.layout, to.lane, to.row);
    if (!a || !b) return;
    const { c } = this;
    const [x0, y0] = [x(from.start + from.dur), a.top + a.height / 2];
    const [x1, y1] = [x(to.start), b.top + b.height / 2];
    const bend = Math.max(Math.abs(x1 - x0) / 2, 14);
    c.strokeStyle = c.fillStyle = color;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(x0, y0);
    c.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 4, y1);
    c.stroke();
    c.beginPath();
    c.moveTo(x1, y1);
    c.lineTo(x1 - 6, y1 - 3.5);
    c.lineTo(x1 - 6, y1 + 3.5);
    c.fill();
  }

  private names(scene: Scene, theme: Theme): void {
    const { c } = this;
    c.fillStyle = theme.line;
    c.fillRect(gutter - 1, 0, 1, scene.layout.height);
    c.textBaseline = "middle";
    this.text(`${duration(scene.view.t1 - scene.view.t0)} shown`, 8, axisHeight / 2, theme.faint, 11);
    for (const title of scene.layout.titles) this.text(title.text, 8, title.top + title.height / 2, theme.text, 12, "600 ");
    for (const block of scene.layout.blocks) {
      if (!block.collapsed) continue;
      this.text("\u25b8", 6, block.top + block.height / 2, theme.faint, 11);
      this.text(`${block.name} (${block.lanes.length})`, 18, block.top + block.height / 2, theme.text, 12);
    }
    let named = -nameHeight;
    for (const box of scene.layout.lanes) {
      const lane = at(scene.source.meta.lanes, box.lane);
      const y = box.top + Math.min(box.height, 20) / 2;
      if (y - named < nameHeight) continue; // of low lanes not each has room for its name
      named = y;
      const share = scene.busy.get(box.lane);
      c.textAlign = "right";
      c.fillStyle = theme.faint;
      c.font = "11px system-ui, sans-serif";
      const busy = share === undefined ? "" : `${Math.round(Math.min(share, 1) * 100)}%`;
      c.fillText(busy, gutter - 8, y);
      const room = gutter - 30 - c.measureText(busy).width;
      if (box.first) this.text("\u25be", 6, y, theme.faint, 11);
      this.text(shorten(c, lane.name, room), 18, y, theme.text, box.height < 12 ? 11 : 12);
    }
  }

  private text(text: string, x: number, y: number, color: string, size: number, weight = ""): void {
    const { c } = this;
    c.textAlign = "left";
    c.fillStyle = color;
    c.font = `${weight}${size}px system-ui, sans-serif`;
    c.fillText(text, x, y);
  }
}

// shorten cuts a text to a width, with an ellipsis where that leaves anything to read.
export function shorten(c: CanvasRenderingContext2D, text: string, width: number): string {
  const full = c.measureText(text).width;
  if (full <= width) return text;
  const keep = Math.floor((text.length * (width - 8)) / full);
  return keep < 2 ? "" : text.slice(0, keep) + "\u2026";
}

const darkness = new Map<string, boolean>();

// dark says whether white text reads better than black on #rrggbb.
function dark(color: string): boolean {
  let known = darkness.get(color);
  if (known === undefined) {
    const part = (i: number) => parseInt(color.slice(i, i + 2), 16);
    known = 0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5) < 140;
    darkness.set(color, known);
  }
  return known;
}
