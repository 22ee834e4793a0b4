import assert from "node:assert/strict";
import { test } from "node:test";
import { drawRow, findRows, firstVisible, prefixSums } from "../src/bins.ts";
import { axisHeight, layOut, rowAt } from "../src/lanes.ts";
import { Embedded } from "../src/embedded.ts";
import { waitedFor } from "../src/panels.ts";
import { newRect } from "../src/source.ts";
import { duration, rate, size, time } from "../src/text.ts";
import { addUp } from "../src/totals.ts";
import { at, decode, type Bars, type Lane, type Meta } from "../src/trace.ts";
import { readHash, readSelection, writeHash } from "../src/address.ts";
import { clamp, fit, pan, ticks, zoom } from "../src/view.ts";

interface Trace {
  meta: Meta;
  bars: Bars;
}

interface Bar {
  lane?: number;
  row?: number;
  start: number;
  dur: number;
  name?: number;
  place?: number;
  form?: number;
  task?: number;
  op?: number;
  bytes?: number;
}

const lane = (name: string, kind = "cpu"): Lane => ({ name, kind, device: "", lost: 0, run: 0 });

function trace(bars: Bar[], lanes: Lane[] = [lane("cpu0"), lane("cpu1")]): Trace {
  const n = bars.length;
  const data = new ArrayBuffer(n * 40);
  const meta: Meta = {
    title: "", summary: "", notes: [], embedded: false, served: false, origin: 0, count: n, tasks: [], runs: [], lanes, machine: [], links: [],
    kinds: [{ name: "run", busy: true, doc: "" }, { name: "wait", busy: false, doc: "" }],
    names: [{ text: "add", kind: "run", color: "#000000" }, { text: "sin", kind: "run", color: "#000000" }, { text: "float()", kind: "wait", color: "#000000" }],
    places: [{ source: 0, line: 0, text: "" }, { source: 1, line: 7, text: "In [1] line 7" }],
    // Every name with every place and form.
    groups: [0, 1, 2].flatMap((name) => [0, 1].flatMap((place) => [0, 1].map((form) => ({ name, place, form })))),
    forms: [{ name: "", kind: "", shape: "", program: "" }, { name: "", kind: "map", shape: "(10,10)", program: "program fused" }],
    sources: [{ id: 1, name: "In [1]", text: "" }],
  };
  const out = { meta, bars: decode(n, data) };
  bars.forEach((bar, i) => {
    out.bars.start[i] = bar.start;
    out.bars.dur[i] = bar.dur;
    out.bars.bytes[i] = bar.bytes ?? 0;
    out.bars.task[i] = bar.task ?? 0;
    out.bars.op[i] = bar.op ?? 0;
    out.bars.group[i] = (bar.name ?? 0) * 4 + (bar.place ?? 0) * 2 + (bar.form ?? 0);
    out.bars.lane[i] = bar.lane ?? 0;
    out.bars.row[i] = bar.row ?? 0;
  });
  return out;
}

type Rect = { x0: number; x1: number; bar: number; count: number; cover: number };

function draw(t: Trace, t0: number, t1: number, width: number): Rect[] {
  const rects: Rect[] = [];
  for (const row of findRows(t.bars)) {
    drawRow(t.bars, prefixSums(t.bars), row, { t0, t1 }, width, newRect(), (r) => {
      const scale = width / (t1 - t0);
      rects.push({ x0: (r.t0 - t0) * scale, x1: (r.t1 - t0) * scale, bar: r.id, count: r.count, cover: r.cover });
    });
  }
  return rects;
}

test("columns of the wrong length are refused", () => {
  assert.throws(() => decode(0, new ArrayBuffer(8)), /wanted 0/);
});

test("rows are cut where lane or row changes", () => {
  const rows = findRows(trace([{ start: 0, dur: 1 }, { start: 2, dur: 1 }, { start: 0, dur: 9, row: 1 }, { lane: 1, start: 0, dur: 1 }]).bars);
  assert.deepEqual(rows, [{ lane: 0, row: 0, first: 0, end: 2 }, { lane: 0, row: 1, first: 2, end: 3 }, { lane: 1, row: 0, first: 3, end: 4 }]);
  assert.deepEqual(findRows(trace([]).bars), []);
});

test("wide bars are drawn exactly, also those that reach into the view", () => {
  const t = trace([{ start: 0, dur: 50 }, { start: 60, dur: 20 }, { start: 150, dur: 100 }, { start: 300, dur: 5 }]);
  assert.deepEqual(draw(t, 40, 240, 200), [
    { x0: -40, x1: 10, bar: 0, count: 1, cover: 1 },
    { x0: 20, x1: 40, bar: 1, count: 1, cover: 1 },
    { x0: 110, x1: 210, bar: 2, count: 1, cover: 1 },
  ]);
});

test("short bars are gathered by pixel, none is forgotten, and the longest gives the color", () => {
  const bars: Bar[] = [];
  for (let i = 0; i < 1000; i++) bars.push({ start: i * 10, dur: i % 10 === 3 ? 9 : 5 });
  const rects = draw(trace(bars), 0, 10000, 100);
  assert.equal(rects.length, 100);
  assert.equal(rects.reduce((sum, r) => sum + r.count, 0), 1000);
  for (const r of rects) {
    assert.equal(r.count, 10);
    assert.equal(r.bar % 10, 3);
    assert.ok(Math.abs(r.cover - 0.54) < 1e-9, `cover is ${r.cover}`);
  }
});

test("a long bar that begins in a pixel of short ones stays a bar", () => {
  const rects = draw(trace([{ start: 0, dur: 1 }, { start: 2, dur: 1 }, { start: 4, dur: 500 }]), 0, 1000, 100);
  assert.deepEqual(rects.map((r) => [r.bar, r.count]), [[0, 2], [2, 1]]);
});

test("a million bars need no more rectangles than there are pixels", () => {
  const n = 1_000_000;
  const t = trace([]);
  const many: Trace = { meta: { ...t.meta, count: n }, bars: decode(n, new ArrayBuffer(n * 40)) };
  for (let i = 0; i < n; i++) {
    many.bars.start[i] = i * 100;
    many.bars.dur[i] = 80;
  }
  const rects = draw(many, 0, n * 100, 2000);
  assert.ok(rects.length <= 2001, `${rects.length} rectangles`);
  assert.equal(rects.reduce((sum, r) => sum + r.count, 0), n);
  assert.ok(rects.every((r) => r.count === 1 || Math.abs(r.cover - 0.8) < 0.01));
});

test("random rows: every visible bar is in exactly one rectangle", () => {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let round = 0; round < 200; round++) {
    const bars: Bar[] = [];
    let now = 0;
    for (let i = 0; i < 60; i++) {
      now += Math.floor(random() * 30);
      const dur = Math.floor(random() * random() * 200);
      bars.push({ start: now, dur });
      now += dur;
    }
    const t0 = Math.floor(random() * now);
    const t1 = t0 + 1 + Math.floor(random() * now);
    const seen = new Array<number>(bars.length).fill(0);
    let next = -1;
    for (const r of draw(trace(bars), t0, t1, 1 + Math.floor(random() * 300))) {
      const from = next < 0 ? bars.findIndex((b) => b.start + b.dur > t0 || b.start >= t0) : next;
      for (let i = from; i < from + r.count; i++) seen[i] = (seen[i] ?? 0) + 1;
      assert.ok(r.bar >= from && r.bar < from + r.count);
      next = from + r.count;
    }
    bars.forEach((b, i) => {
      const visible = b.start < t1 && (b.start + b.dur > t0 || b.start >= t0);
      assert.equal(seen[i], visible ? 1 : 0, `round ${round}, bar ${i} of [${b.start}, ${b.start + b.dur}) in [${t0}, ${t1})`);
    });
  }
});

test("what lies under the pointer", () => {
  const t = trace([{ start: 0, dur: 50 }, { start: 60, dur: 0 }]);
  const row = at(findRows(t.bars), 0);
  assert.equal(firstVisible(t.bars, row, 49), 0);
  assert.equal(firstVisible(t.bars, row, 50), 1);
});

test("the view zooms around the pointer and stays inside", () => {
  const whole = fit(0, 1000);
  assert.deepEqual(whole, { t0: -10, t1: 1010 });
  const near = zoom(whole, 0.5, 0.25, whole);
  assert.equal(near.t1 - near.t0, 510);
  assert.ok(Math.abs(near.t0 + 510 * 0.25 - (whole.t0 + 1020 * 0.25)) < 1e-9);
  assert.deepEqual(zoom(near, 100, 0.5, whole), whole);
  assert.equal(zoom(near, 1e-9, 0.5, whole).t1 - zoom(near, 1e-9, 0.5, whole).t0, 20);
  assert.equal(pan(near, -100, whole).t0, whole.t0);
  assert.equal(pan(near, 100, whole).t1, whole.t1);
  assert.deepEqual(clamp({ t0: -5000, t1: 9000 }, whole), whole);
  const empty = fit(5, 5);
  assert.ok(empty.t1 > empty.t0);
});

test("ticks are round and not too dense", () => {
  for (const [t0, t1] of [[0, 1000], [123, 456], [-10, 1e9], [0, 20]] as const) {
    const { step, times } = ticks({ t0, t1 }, 1200);
    assert.ok(times.length >= 3 && times.length <= 11, `${times.length} ticks from ${t0} to ${t1}`);
    assert.ok(/^[125]0*$/.test(String(Math.round(step))), `step ${step}`);
    for (const t of times) assert.ok(t >= t0 && t <= t1);
  }
});

test("lanes: idle processors are shown, idle channels are not, rows do not overlap", () => {
  const lanes = [lane("cpu0"), lane("cpu0 copy", "copy"), lane("gpu0", "gpu"), lane("program", "program")];
  const t = trace([{ start: 0, dur: 9 }, { start: 1, dur: 2, row: 1 }, { lane: 3, start: 0, dur: 1 }], lanes);
  const source = new Embedded(t.meta, t.bars);
  const layout = layOut(t.meta, (l) => source.rows(l), new Set());
  assert.deepEqual(layout.lanes.map((l) => l.lane), [0, 2, 3]);
  let y = axisHeight;
  for (const box of layout.lanes) {
    assert.ok(box.top >= y);
    let inner = box.top;
    for (const row of box.rows) {
      assert.ok(row.top >= inner);
      inner = row.top + row.height;
      assert.deepEqual(rowAt(layout, row.top + 1), { lane: box.lane, row: row.row });
    }
    assert.ok(inner <= box.top + box.height);
    y = box.top + box.height;
  }
  assert.ok(layout.height >= y);
  assert.equal(rowAt(layout, 0), undefined);
});

test("many rows stay on a canvas", () => {
  const lanes = Array.from({ length: 1000 }, (_, i) => lane(`cpu${i}`));
  assert.ok(layOut(trace([], lanes).meta, () => [], new Set()).height < 16000);
});

test("search by number, name, place, shape, program, length and lane", async () => {
  const t = trace([
    { start: 0, dur: 1, name: 0, task: 1, op: 3 },
    { start: 2, dur: 5, name: 1, task: 3, op: 4, place: 1 },
    { start: 4, dur: 1, name: 1, task: 13, op: 4, form: 1, lane: 1 },
  ]);
  const source = new Embedded(t.meta, t.bars);
  const hits = async (query: string) => {
    let out = "";
    let bar = await source.next(query, undefined, false);
    for (; bar; bar = await source.next(query, bar, false)) out += String(bar.id);
    assert.equal((await source.search(query))?.count, out.length);
    return out;
  };
  assert.equal(await source.search("  "), undefined);
  for (const [query, want] of [
    ["t3", "1"], ["O4", "12"], ["SIN", "12"], ["line 7", "1"], ["line:7", "1"], ["10,10", "2"], ["fused", "2"], ["cpu1", "2"], ["nothing", ""],
    ["sin >4ns", "1"], ["sin <4ns", "2"], ["kind:run on:cpu0", "01"], ["kind:wait", ""],
  ] as const) assert.equal(await hits(query), want, query);
  assert.equal((await source.next("sin", undefined, true))?.id, 2);
  await assert.rejects(source.search(">fast"), /the length "fast"/);
});

test("totals are those of the visible part; waiting is not work", async () => {
  const t = trace([
    { start: 0, dur: 100, place: 1, bytes: 10 },
    { start: 100, dur: 50, name: 1, place: 1, bytes: 20 },
    { start: 40, dur: 20, row: 1, name: 1 },
    { lane: 1, start: 0, dur: 500, name: 2 },
  ]);
  const source = new Embedded(t.meta, t.bars);
  const all = addUp(t.meta, await source.totals({ t0: 0, t1: 1000 }));
  assert.deepEqual(all.ops.map((s) => [s.name, s.place, s.count, s.time, s.bytes]), [[0, 1, 1, 100, 10], [1, 1, 1, 50, 20], [1, 0, 1, 20, 0]]);
  assert.deepEqual(all.lines.map((s) => [s.place, s.count, s.time]), [[1, 2, 150]]);
  assert.deepEqual(all.devices.map((d) => [d.name, d.busy, d.count]), [["cpu0", 170, 3]]);
  assert.equal(all.bars, 4);
  const part = addUp(t.meta, await source.totals({ t0: 90, t1: 110 }));
  assert.deepEqual(part.ops.map((s) => [s.name, s.time]), [[0, 10], [1, 10]]);
});

test("two runs are compared by operation and by line", async () => {
  const t = trace([{ start: 0, dur: 100, place: 1 }, { lane: 1, start: 0, dur: 250, place: 1 }, { lane: 1, start: 250, dur: 10, name: 1 }]);
  t.meta.runs = [{ title: "a", first: 0 }, { title: "b", first: 1000 }];
  at(t.meta.lanes, 1).run = 1;
  const all = addUp(t.meta, await new Embedded(t.meta, t.bars).totals({ t0: 0, t1: 1000 }));
  assert.deepEqual(all.ratios.map((r) => [r.name, ...r.time]), [[0, 100, 250], [1, 0, 10]]);
  assert.deepEqual(all.lineRatios.map((r) => [r.place, ...r.time]), [["In [1] line 7", 100, 250]]);
});

test("a task's neighbours, its states and the critical path", async () => {
  const t = trace([{ start: 0, dur: 50, task: 1 }, { start: 60, dur: 20, task: 3 }, { lane: 1, start: 0, dur: 55, task: 2 }, { lane: 1, start: 90, dur: 5, task: 4 }]);
  t.meta.tasks = [2, 0, 0, 3, 10, 2, 1, 2, 4, 11, 1, 3];
  const source = new Embedded(t.meta, t.bars);
  const three = await source.task(3);
  assert.deepEqual([three.bar?.id, three.planned, three.ready], [1, 10, 55]);
  assert.deepEqual(three.before.map((b) => b.task), [1, 2]);
  assert.deepEqual(three.behind.map((b) => b.task), [4]);
  const path = await source.path({ t0: 0, t1: 100 });
  assert.deepEqual([path.bars.map((b) => b.task), path.time], [[2, 3, 4], 80]);
});

test("collapsed devices are one plot of how busy they are", () => {
  const lanes = [{ ...lane("gpu0", "gpu"), device: "gpu0" }, { ...lane("gpu0 copy", "copy"), device: "gpu0" }, lane("program", "program")];
  const t = trace([{ start: 0, dur: 50 }, { lane: 1, start: 0, dur: 100 }, { lane: 2, start: 0, dur: 1 }], lanes);
  const source = new Embedded(t.meta, t.bars);
  const layout = layOut(t.meta, (l) => source.rows(l), new Set(["0/gpu0"]));
  assert.deepEqual(layout.lanes.map((l) => l.lane), [2]);
  assert.deepEqual(layout.blocks.map((b) => [b.name, b.lanes, b.plot]), [["gpu0", [0, 1], 0], ["program", [2], -1]]);
  source.show({ t0: 0, t1: 100 }, 100, [], [[0, 1]]);
  const plot = source.plot(0);
  assert.ok(plot && Math.abs(at(plot.values, 10) - 1) < 1e-6 && Math.abs(at(plot.values, 390) - 0.5) < 1e-6);
});

test("an address keeps a view, and nonsense in it does no harm", () => {
  const shown = { t0: 5, t1: 90, task: 45, q: "halo & <b>", path: true };
  assert.deepEqual(readHash(writeHash(shown)), shown);
  assert.deepEqual(readHash("#t0=x&t1=&task=NaN&op=1e999"), {});
  assert.equal(readSelection({ from: "timeline", select: { ops: [1], tasks: [] } }), undefined);
  assert.deepEqual(readSelection({ from: "graph", select: { ops: [1, "2", -3], tasks: "x", place: { source: 1, line: 2 } } }), { ops: [1], tasks: [], place: { source: 1, line: 2 } });
});

test("numbers read like those of the Go side", () => {
  assert.deepEqual([duration(0), duration(999), duration(1234), duration(999_600), duration(1.5e6), duration(12e9), duration(-622_907)], ["0 ns", "999 ns", "1.23 us", "1.00 ms", "1.50 ms", "12.0 s", "-623 us"]);
  assert.deepEqual([size(10), size(1500), size(24e6), size(3.2e9)], ["10 B", "1.50 kB", "24.0 MB", "3.20 GB"]);
  assert.deepEqual([rate(0, 5), rate(100, 10)], ["", "10.0 GB/s"]);
  assert.deepEqual([time(1.5e6, 5e5), time(2e9, 1e9), time(40, 20)], ["1.5 ms", "2 s", "40 ns"]);
});

test("what a task waited for, and what of it has no bar any more", async () => {
  const t = trace([{ start: 0, dur: 5, task: 1 }, { start: 5, dur: 5, task: 2 }]);
  const source = new Embedded(t.meta, t.bars);
  source.meta.tasks = [2, 0, 3, 1, 8, 9];
  const n = await source.task(2);
  assert.equal(n.gone, 2);
  assert.equal(n.ready, -1);
  assert.equal(waitedFor(source.meta, n), "t1 add and 2 tasks that are not here one by one any more");
  assert.equal(waitedFor(source.meta, { ...n, before: [], gone: 1 }), "1 task that is not here one by one any more");
  assert.equal(waitedFor(source.meta, { ...n, before: [], gone: 0 }), "");
});
