// The canvas. Everything that is drawn is decided elsewhere; this file knows pixels and colors.

import { drawRow } from "./bins.ts";
import { axisHeight, type Layout } from "./lanes.ts";
import type { Match } from "./search.ts";
import { duration, time } from "./text.ts";
import { at, type Trace } from "./trace.ts";
import { ticks, type View } from "./view.ts";

export const gutter = 132; // pixels for the lanes' names
const labelWidth = 40; // narrowest bar that gets a label

// Scene is what a frame shows.
export interface Scene {
  trace: Trace;
  sums: Float64Array;
  layout: Layout;
  view: View;
  busy: Map<number, number>; // share of the view in which a lane was busy
  match: Match | undefined;
  selected: number; // bar, -1 is none
  hovered: number;
  place: number; // place whose bars stand out, 0 is none
}

// Theme has the colors that come from the page.
export interface Theme {
  text: string;
  faint: string;
  line: string;
  band: string;
  back: string;
  mark: string;
}

export interface Renderer {
  // draw draws a frame and returns how many rectangles stand for bars.
  draw(scene: Scene): number;
}

// CanvasRenderer draws on a 2D canvas that it keeps as sharp as the screen.
export class CanvasRenderer implements Renderer {
  private readonly context: CanvasRenderingContext2D;
  private readonly canvas: HTMLCanvasElement;
  private readonly theme: () => Theme;

  constructor(canvas: HTMLCanvasElement, theme: () => Theme) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser has no 2D canvas");
    this.canvas = canvas;
    this.context = context;
    this.theme = theme;
  }

  draw(scene: Scene): number {
    const { canvas, context: c } = this;
    const theme = this.theme();
    const width = canvas.clientWidth;
    const height = scene.layout.height;
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
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
    c.restore();
    this.names(scene, theme);
    return drawn;
  }

  private bands(scene: Scene, theme: Theme, width: number): void {
    this.context.fillStyle = theme.band;
    scene.layout.lanes.forEach((lane, k) => {
      if (k % 2 === 0) this.context.fillRect(0, lane.top - 2, width, lane.height + 4);
    });
  }

  private axis(scene: Scene, theme: Theme, plot: number, height: number): void {
    const c = this.context;
    const { step, times } = ticks(scene.view, plot);
    const scale = plot / (scene.view.t1 - scene.view.t0);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.textAlign = "left";
    for (const t of times) {
      const x = Math.round(gutter + (t - scene.view.t0) * scale);
      c.fillStyle = theme.line;
      c.fillRect(x, 0, 1, height);
      c.fillStyle = theme.faint;
      c.fillText(time(t, step), x + 4, axisHeight / 2);
    }
  }

  private bars(scene: Scene, theme: Theme, plot: number): number {
    const c = this.context;
    const { bars, meta } = scene.trace;
    const labels: [number, number, number, number, number][] = [];
    let drawn = 0;
    let fill = "";
    for (const lane of scene.layout.lanes) {
      for (const box of lane.rows) {
        drawRow(bars, scene.sums, box.row, scene.view, plot, (x0, x1, i, count, cover) => {
          const color = at(meta.names, at(bars.name, i)).color;
          if (color !== fill) c.fillStyle = fill = color;
          const lit = this.lit(scene, i, count);
          c.globalAlpha = (count > 1 || cover < 1 ? 0.35 + 0.65 * cover : 1) * (lit ? 1 : 0.18);
          const left = gutter + Math.max(x0, -2);
          const right = gutter + Math.min(x1, plot + 2);
          // Neighbours stay apart by a hair where there is room for it.
          const w = right - left > 4 ? right - left - 0.6 : Math.max(right - left, 1);
          c.fillRect(left, box.top, w, box.height);
          drawn++;
          if (count === 1 && right - left >= labelWidth && box.height >= 10) labels.push([i, left, box.top, w, box.height]);
        });
      }
    }
    c.globalAlpha = 1;
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.textAlign = "left";
    for (const [i, x, y, w, h] of labels) {
      const name = at(meta.names, at(bars.name, i));
      c.globalAlpha = this.lit(scene, i, 1) ? 1 : 0.3;
      c.fillStyle = dark(name.color) ? "#ffffff" : "#101418";
      const visible = Math.max(x, gutter);
      const text = shorten(c, name.text, x + w - visible - 8);
      if (text !== "") c.fillText(text, visible + 4, y + h / 2 + 0.5);
    }
    c.globalAlpha = 1;
    for (const i of [scene.selected, scene.hovered]) this.outline(scene, i, theme, plot);
    return drawn;
  }

  // lit says whether a rectangle stands out while something is searched for or pointed at.
  private lit(scene: Scene, bar: number, count: number): boolean {
    const { match, place } = scene;
    const { bars } = scene.trace;
    for (let i = bar; i < Math.min(bar + count, bars.count); i++) {
      if ((!match || match.hits[i] === 1) && (place === 0 || bars.place[i] === place)) return true;
      if (i - bar > 64) return false;
    }
    return false;
  }

  private outline(scene: Scene, i: number, theme: Theme, plot: number): void {
    if (i < 0) return;
    const { bars } = scene.trace;
    const c = this.context;
    const scale = plot / (scene.view.t1 - scene.view.t0);
    for (const lane of scene.layout.lanes) {
      const box = lane.rows.find((r) => i >= r.row.first && i < r.row.end);
      if (!box) continue;
      const x = gutter + (at(bars.start, i) - scene.view.t0) * scale;
      c.strokeStyle = theme.mark;
      c.lineWidth = 2;
      c.strokeRect(x - 0.5, box.top - 0.5, Math.max(at(bars.dur, i) * scale, 2), box.height + 1);
    }
  }

  private names(scene: Scene, theme: Theme): void {
    const c = this.context;
    c.fillStyle = theme.line;
    c.fillRect(gutter - 1, 0, 1, scene.layout.height);
    c.textBaseline = "middle";
    c.fillStyle = theme.faint;
    c.font = "11px system-ui, sans-serif";
    c.textAlign = "left";
    c.fillText(`${duration(scene.view.t1 - scene.view.t0)} shown`, 8, axisHeight / 2);
    for (const box of scene.layout.lanes) {
      const lane = at(scene.trace.meta.lanes, box.lane);
      const small = box.height < 12;
      const y = box.top + Math.min(box.height, 20) / 2;
      const share = scene.busy.get(box.lane);
      c.textAlign = "right";
      c.fillStyle = theme.faint;
      c.font = `${small ? 8 : 10}px system-ui, sans-serif`;
      const busy = share === undefined ? "" : `${Math.round(share * 100)}%`;
      c.fillText(busy, gutter - 8, y);
      const room = gutter - 20 - c.measureText(busy).width;
      c.textAlign = "left";
      c.fillStyle = theme.text;
      c.font = `${small ? 8 : 12}px system-ui, sans-serif`;
      c.fillText(shorten(c, lane.name, room), 8, y);
    }
  }
}

// shorten cuts a text to a width, with an ellipsis where that leaves anything to read.
function shorten(c: CanvasRenderingContext2D, text: string, width: number): string {
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
