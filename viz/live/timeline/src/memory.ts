// The plot of the memory in use, under the lanes.

import { gutter, type Theme } from "./draw.ts";
import type { MemoryPlot } from "./source.ts";
import { size } from "./text.ts";
import { at, type Meta } from "./trace.ts";
import type { View } from "./view.ts";

const colors = ["#4e86c6", "#57a55a", "#c9a227", "#9b72cf", "#3bb3b3", "#d06ba8", "#a9765a", "#8fb339", "#6f7fd8", "#2f8f83"];
const lowest = 64;
const perRow = 2; // names beside the plot

// drawMemory draws how much each memory held in the time that the plots were made for, as the view lies now.
export function drawMemory(canvas: HTMLCanvasElement, meta: Meta, plots: MemoryPlot[], made: View, v: View, theme: Theme): void {
  canvas.hidden = plots.length === 0;
  const c = canvas.getContext("2d");
  if (!c || plots.length === 0) return;
  const height = Math.max(lowest, 24 + 14 * Math.ceil(plots.length / perRow));
  canvas.style.height = `${height}px`;
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.fillStyle = theme.back;
  c.fillRect(0, 0, width, height);
  let most = 1;
  for (const plot of plots) for (let i = 0; i < plot.values.length; i++) most = Math.max(most, at(plot.values, i));
  const scale = (width - gutter) / (v.t1 - v.t0);
  c.save();
  c.beginPath();
  c.rect(gutter, 0, width - gutter, height);
  c.clip();
  plots.forEach((plot, k) => {
    const step = (made.t1 - made.t0) / plot.values.length;
    c.strokeStyle = c.fillStyle = at(colors, k % colors.length);
    c.lineWidth = 1.5;
    c.beginPath();
    for (let i = 0; i < plot.values.length; i++) {
      const x = gutter + (made.t0 + i * step - v.t0) * scale;
      const y = height - 2 - (at(plot.values, i) / most) * (height - 18);
      if (i === 0) c.moveTo(x, y);
      else c.lineTo(x, y);
      c.lineTo(x + step * scale, y);
    }
    c.stroke();
    c.globalAlpha = 0.15;
    c.lineTo(gutter + (made.t1 - v.t0) * scale, height);
    c.lineTo(gutter + (made.t0 - v.t0) * scale, height);
    c.fill();
    c.globalAlpha = 1;
  });
  c.restore();
  c.font = "11px system-ui, sans-serif";
  c.textBaseline = "top";
  c.fillStyle = theme.faint;
  c.fillText(`peak ${size(most)}`, 8, 4);
  plots.forEach((plot, k) => {
    c.fillStyle = at(colors, k % colors.length);
    c.fillText(at(meta.lanes, plot.lane).name.replace(/ memory$/, ""), 8 + (k % perRow) * 62, 20 + Math.floor(k / perRow) * 14, 58);
  });
}
