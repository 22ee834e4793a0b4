// Where lanes and their rows lie on the canvas. The lanes of a device are a block, which can be collapsed to one plot.

import { at, type Meta } from "./trace.ts";

export const axisHeight = 24;
const plotHeight = 30;
const titleHeight = 18;

// RowBox is a row of a lane on the canvas, in CSS pixels from its top.
export interface RowBox {
  row: number;
  top: number;
  height: number;
}

export interface LaneBox {
  lane: number;
  block: number; // index into blocks
  first: boolean; // of its block
  top: number;
  height: number;
  rows: RowBox[];
}

// Block is a device with its lanes, or the program's lanes.
export interface Block {
  key: string;
  name: string;
  run: number;
  lanes: number[];
  collapsed: boolean;
  top: number; // of its plot, where it is collapsed
  height: number;
  plot: number; // number of the plot, -1 where it is not collapsed
}

// Title stands above the lanes of one of two runs.
export interface Title {
  text: string;
  top: number;
  height: number;
}

//	axis              axisHeight
//	title of run 0    only where two runs are compared
//	block gpu0        its lanes one below the other, each with its rows
//	  lane  row 0     rowHeight: 20, 14 or 8 pixels, by how many rows there are in all
//	        row 1     thinner: bars within bars of row 0
//	block cpu         collapsed: one plot of plotHeight
export interface Layout {
  lanes: LaneBox[];
  blocks: Block[];
  titles: Title[];
  height: number;
}

// processors are the kinds of lanes that are shown even when nothing happened on them.
const processors = new Set(["cpu", "gpu"]);

// busyKinds are the kinds of lanes whose share of busy time means something.
export const busyKinds = new Set(["cpu", "gpu", "copy"]);

// blocksOf groups lanes by run and device, in the order of their first lanes.
export function blocksOf(meta: Meta, shown: number[], collapsed: ReadonlySet<string>): Block[] {
  const blocks: Block[] = [];
  const byKey = new Map<string, Block>();
  for (const index of shown) {
    const lane = at(meta.lanes, index);
    const key = `${lane.run}/${lane.device || lane.kind}`;
    let block = byKey.get(key);
    if (!block) {
      block = { key, name: lane.device || lane.kind, run: lane.run, lanes: [], collapsed: collapsed.has(key), top: 0, height: 0, plot: -1 };
      byKey.set(key, block);
      blocks.push(block);
    }
    block.lanes.push(index);
  }
  return blocks.sort((a, b) => a.run - b.run);
}

// layOut stacks the blocks in their order. With many rows they become thinner.
export function layOut(meta: Meta, rowsOf: (lane: number) => number[], collapsed: ReadonlySet<string>): Layout {
  const rows = meta.lanes.map((_, i) => rowsOf(i));
  const shown = meta.lanes.map((_, i) => i).filter((i) => at(rows, i).length > 0 || processors.has(at(meta.lanes, i).kind));
  const blocks = blocksOf(meta, shown, collapsed);
  const total = blocks.reduce((sum, b) => sum + (b.collapsed ? 1 : b.lanes.reduce((n, l) => n + Math.max(at(rows, l).length, 1), 0)), 0);
  const rowHeight = total <= 40 ? 20 : total <= 100 ? 14 : 8;
  const thin = Math.max(6, rowHeight - 4);
  const gap = total <= 100 ? 4 : 2;
  const layout: Layout = { lanes: [], blocks, titles: [], height: 0 };
  let top = axisHeight + gap;
  let plots = 0;
  let run = -1;
  blocks.forEach((block, k) => {
    const title = meta.runs[block.run];
    if (block.run !== run && title) {
      layout.titles.push({ text: title.title, top, height: titleHeight });
      top += titleHeight;
    }
    run = block.run;
    block.top = top;
    if (block.collapsed) {
      block.plot = plots++;
      block.height = plotHeight;
      top += plotHeight + gap;
      return;
    }
    block.lanes.forEach((lane, n) => {
      // The further rows of a lane are mostly bars around or within bars, and thinner.
      let y = top;
      const boxes = at(rows, lane).map((row, i) => {
        const box = { row, top: y, height: (i === 0 ? rowHeight : thin) - 1 };
        y += box.height + 1;
        return box;
      });
      const height = Math.max(rowHeight, y - top);
      layout.lanes.push({ lane, block: k, first: n === 0, top, height, rows: boxes });
      top += height + gap;
    });
    block.height = top - block.top;
  });
  layout.height = top;
  return layout;
}

// rowAt returns the row at a height, if there is one.
export function rowAt(layout: Layout, y: number): { lane: number; row: number } | undefined {
  for (const lane of layout.lanes) {
    if (y < lane.top || y >= lane.top + lane.height) continue;
    const row = lane.rows.find((r) => y >= r.top && y < r.top + r.height + 1);
    return row && { lane: lane.lane, row: row.row };
  }
  return undefined;
}

// blockAt returns the block whose name stands at a height, if there is one.
export function blockAt(layout: Layout, y: number): Block | undefined {
  return layout.blocks.find((b) => y >= b.top && y < b.top + (b.collapsed ? b.height : 20));
}

// boxOf returns where the bars of a row lie: in its own box, or in the plot of its collapsed block.
export function boxOf(layout: Layout, lane: number, row: number): { top: number; height: number } | undefined {
  const own = layout.lanes.find((l) => l.lane === lane);
  if (own) return own.rows.find((r) => r.row === row) ?? own.rows[own.rows.length - 1];
  return layout.blocks.find((b) => b.collapsed && b.lanes.includes(lane));
}
