import assert from "node:assert/strict";
import { test } from "node:test";
import { newRect } from "../src/source.ts";
import { at } from "../src/trace.ts";
import { barId, decodePicture, drawTrack, replaceTail, type TrackPicture } from "../src/wire.ts";

interface Whole {
  start: number;
  dur: number;
  task: number;
}

// message is a picture of one track, as the server writes it.
function message(whole: Whole[], merged: { x: number; count: number }[], from = 0): ArrayBuffer {
  const bytes = 32 + 24 + whole.length * 40 + merged.length * 20;
  const data = new ArrayBuffer(Math.ceil(bytes / 8) * 8);
  const v = new DataView(data);
  let at = 0;
  const u32 = (x: number) => (v.setUint32(at, x, true), (at += 4));
  const f64 = (x: number) => (v.setFloat64(at, x, true), (at += 8));
  u32(0x31747765), u32(7), f64(0), f64(10), u32(100), u32(1);
  u32(2), u32(1), u32(whole.length), u32(merged.length), f64(from);
  for (const w of whole) f64(w.start);
  for (const w of whole) f64(w.dur);
  for (const _ of whole) f64(8);
  for (const w of whole) u32(w.task);
  for (let k = 0; k < 3; k++) for (const w of whole) u32(w.task + k);
  for (const m of merged) u32(m.x);
  for (const m of merged) u32(m.count);
  for (let k = 0; k < 2; k++) for (const _ of merged) u32(k);
  for (const _ of merged) (v.setFloat32(at, 0.5, true), (at += 4));
  return data;
}

const ids = (track: TrackPicture) => [[...track.task], [...track.x]];

test("a picture is read where it lies", () => {
  const p = decodePicture(message([{ start: 20, dur: 30, task: 4 }], [{ x: 9, count: 3 }, { x: 10, count: 2 }]));
  assert.deepEqual([p.id, p.perPixel, p.parts.length], [7, 10, 1]);
  const { track } = at(p.parts, 0);
  assert.deepEqual([track.lane, track.row, ...ids(track)], [2, 1, [4], [9, 10]]);
  const seen: unknown[] = [];
  drawTrack(track, p, { t0: 0, t1: 95 }, newRect(), (r) => seen.push([r.t0, r.t1, r.count, r.id]));
  assert.deepEqual(seen, [[90, 100, 3, barId(2, 1)], [20, 50, 1, barId(2, 6)]]);
  assert.throws(() => decodePicture(new ArrayBuffer(64)), /another version/);
});

test("what is new replaces the end of what is there", () => {
  const old = at(decodePicture(message([{ start: 0, dur: 50, task: 1 }, { start: 58, dur: 4, task: 2 }, { start: 80, dur: 15, task: 3 }], [{ x: 5, count: 2 }, { x: 7, count: 2 }])).parts, 0).track;
  const p = decodePicture(message([{ start: 80, dur: 15, task: 3 }, { start: 95, dur: 100, task: 9 }], [{ x: 7, count: 4 }], 70));
  const both = replaceTail(old, at(p.parts, 0), p);
  assert.deepEqual(ids(both), [[1, 2, 3, 9], [5, 7]]);
  assert.deepEqual([...both.count], [2, 4]);
});
