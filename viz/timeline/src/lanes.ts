// Where lanes and their rows lie on the canvas.

import type { Row } from "./bins.ts";
import type { Lane } from "./trace.ts";

export const axisHeight = 24;

// LaneBox is a lane on the canvas, in CSS pixels from its top.
export interface LaneBox {
  lane: number;
  top: number;
  height: number;
  rows: RowBox[];
}

export interface RowBox {
  row: Row;
  top: number;
  height: number;
}

export interface Layout {
  lanes: LaneBox[];
  height: number;
}

// processors are the kinds of lanes that are shown even when nothing happened on them.
const processors = new Set(["cpu", "gpu"]);

// layOut stacks the lanes in their order. With many rows they become thinner.
export function layOut(lanes: Lane[], rows: Row[]): Layout {
  const byLane = new Map<number, Row[]>();
  for (const row of rows) {
    const list = byLane.get(row.lane);
    if (list) list.push(row);
    else byLane.set(row.lane, [row]);
  }
  const shown = lanes.map((_, i) => i).filter((i) => byLane.has(i) || processors.has(lanes[i]?.kind ?? ""));
  const total = rows.length + shown.length;
  const rowHeight = total <= 40 ? 20 : total <= 100 ? 14 : 8;
  const gap = total <= 100 ? 4 : 2;
  let top = axisHeight + gap;
  const boxes: LaneBox[] = [];
  for (const lane of shown) {
    const own = byLane.get(lane) ?? [];
    // The further rows of a lane are mostly bars within bars, and thinner.
    const rowBoxes = own.map((row, k) => {
      const height = k === 0 ? rowHeight : Math.max(6, rowHeight - 4);
      const y = top + (k === 0 ? 0 : rowHeight + (k - 1) * Math.max(6, rowHeight - 4));
      return { row, top: y, height: height - 1 };
    });
    const last = rowBoxes[rowBoxes.length - 1];
    const height = Math.max(rowHeight, last ? last.top + last.height + 1 - top : 0);
    boxes.push({ lane, top, height, rows: rowBoxes });
    top += height + gap;
  }
  return { lanes: boxes, height: top };
}

// rowAt returns the row at a height, if there is one.
export function rowAt(layout: Layout, y: number): RowBox | undefined {
  for (const lane of layout.lanes) {
    if (y < lane.top || y >= lane.top + lane.height) continue;
    return lane.rows.find((r) => y >= r.top && y < r.top + r.height + 1);
  }
  return undefined;
}
