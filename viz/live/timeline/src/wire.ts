// The binary messages of the server, as FORMAT.md has them: a head, and for each track that has changed a head of its own and
// its columns, one behind the other, so that a typed array over the message's bytes is a column.
//
//   0        4    8           16          24   28     32
//   | magic  | id | t0        | perPixel  | px | parts |  parts...
//
//   of a part:  | lane | row | whole | merged | from       |
//               | start, dur, bytes      f64 x whole       |   bars as they are
//               | task, op, group, ref   u32 x whole       |
//               | x, count, group, ref   u32 x merged      |   pixels in which several lie
//               | cover                  f32 x merged      |
//               | up to the next multiple of 8             |   where f64 may begin again

import type { Emit, Rect } from "./source.ts";
import { at } from "./trace.ts";
import type { View } from "./view.ts";

const magic = 0x31747765;

// TrackPicture is what is drawn of a track: bars as they are, and pixels of the window in which several lie.
export interface TrackPicture {
  lane: number;
  row: number;
  start: Float64Array;
  dur: Float64Array;
  bytes: Float64Array;
  task: Uint32Array;
  op: Uint32Array;
  group: Uint32Array;
  ref: Uint32Array;
  x: Uint32Array;
  count: Uint32Array;
  mergedGroup: Uint32Array;
  mergedRef: Uint32Array;
  cover: Float32Array;
}

export interface Part {
  from: number; // what was drawn from here on is replaced
  track: TrackPicture;
}

export interface Picture {
  id: number;
  t0: number;
  perPixel: number; // nanoseconds
  px: number;
  parts: Part[];
}

// decodePicture makes views of the message's columns; nothing is copied.
export function decodePicture(data: ArrayBuffer): Picture {
  const view = new DataView(data);
  if (data.byteLength < 32 || view.getUint32(0, true) !== magic) throw new Error("the server sent a picture of another version; reload the page");
  const picture: Picture = {
    id: view.getUint32(4, true), t0: view.getFloat64(8, true), perPixel: view.getFloat64(16, true), px: view.getUint32(24, true), parts: [],
  };
  let offset = 32;
  for (let n = view.getUint32(28, true); n > 0; n--) {
    const lane = view.getUint32(offset, true);
    const row = view.getUint32(offset + 4, true);
    const whole = view.getUint32(offset + 8, true);
    const merged = view.getUint32(offset + 12, true);
    const from = view.getFloat64(offset + 16, true);
    offset += 24;
    const f64 = () => ((offset += 8 * whole), new Float64Array(data, offset - 8 * whole, whole));
    const u32 = (n: number) => ((offset += 4 * n), new Uint32Array(data, offset - 4 * n, n));
    const start = f64();
    const dur = f64();
    const bytes = f64();
    const track: TrackPicture = {
      lane, row, start, dur, bytes, task: u32(whole), op: u32(whole), group: u32(whole), ref: u32(whole),
      x: u32(merged), count: u32(merged), mergedGroup: u32(merged), mergedRef: u32(merged), cover: new Float32Array(data, offset, merged),
    };
    offset = Math.ceil((offset + 4 * merged) / 8) * 8;
    picture.parts.push({ from, track });
  }
  return picture;
}

// replaceTail puts what is new behind what an older picture of the same window has before it.
//
//	old    [ a  ][ b ] | c | [d]            from: the time from which on the server has drawn anew
//	part               . from ------> [ c' ][d'][ e ]
//	new    [ a  ][ b ] [ c' ][d'][ e ]
//
// A bar belongs to the side on which its beginning lies, or its middle where it is shorter than a pixel, as the server
// decides it.
export function replaceTail(old: TrackPicture, part: Part, p: { t0: number; perPixel: number }): TrackPicture {
  const { track, from } = part;
  const place = (i: number) => at(old.start, i) + (at(old.dur, i) >= p.perPixel ? 0 : Math.trunc(at(old.dur, i) / 2));
  const keep: number[] = [];
  for (let i = 0; i < old.start.length; i++) if (place(i) < from) keep.push(i);
  const pixel = Math.round((from - p.t0) / p.perPixel);
  const keepMerged: number[] = [];
  for (let i = 0; i < old.x.length; i++) if (at(old.x, i) < pixel) keepMerged.push(i);
  const f64 = (a: Float64Array, b: Float64Array) => {
    const out = new Float64Array(keep.length + b.length);
    keep.forEach((i, k) => (out[k] = at(a, i)));
    out.set(b, keep.length);
    return out;
  };
  const u32 = (which: number[], a: Uint32Array, b: Uint32Array) => {
    const out = new Uint32Array(which.length + b.length);
    which.forEach((i, k) => (out[k] = at(a, i)));
    out.set(b, which.length);
    return out;
  };
  const cover = new Float32Array(keepMerged.length + track.cover.length);
  keepMerged.forEach((i, k) => (cover[k] = at(old.cover, i)));
  cover.set(track.cover, keepMerged.length);
  return {
    lane: old.lane, row: old.row, start: f64(old.start, track.start), dur: f64(old.dur, track.dur), bytes: f64(old.bytes, track.bytes),
    task: u32(keep, old.task, track.task), op: u32(keep, old.op, track.op), group: u32(keep, old.group, track.group), ref: u32(keep, old.ref, track.ref),
    x: u32(keepMerged, old.x, track.x), count: u32(keepMerged, old.count, track.count), cover,
    mergedGroup: u32(keepMerged, old.mergedGroup, track.mergedGroup), mergedRef: u32(keepMerged, old.mergedRef, track.mergedRef),
  };
}

// barId names a record of the server by one number.
export function barId(lane: number, ref: number): number {
  return lane * 2 ** 32 + ref;
}

// drawTrack emits what a view shows of a track's picture.
export function drawTrack(track: TrackPicture, p: { t0: number; perPixel: number }, v: View, rect: Rect, emit: Emit): void {
  const { lane } = track;
  for (let i = 0; i < track.x.length; i++) {
    rect.t0 = p.t0 + at(track.x, i) * p.perPixel;
    if (rect.t0 + p.perPixel < v.t0 || rect.t0 > v.t1) continue;
    rect.t1 = rect.t0 + p.perPixel;
    rect.id = barId(lane, at(track.mergedRef, i));
    rect.group = at(track.mergedGroup, i);
    rect.count = Math.max(at(track.count, i), 2);
    rect.cover = at(track.cover, i);
    rect.dur = 0;
    rect.task = rect.op = 0;
    emit(rect);
  }
  for (let i = 0; i < track.start.length; i++) {
    rect.t0 = at(track.start, i);
    rect.dur = at(track.dur, i);
    rect.t1 = rect.t0 + rect.dur;
    if (rect.t1 < v.t0 || rect.t0 > v.t1) continue;
    rect.id = barId(lane, at(track.ref, i));
    rect.group = at(track.group, i);
    rect.count = rect.cover = 1;
    rect.task = at(track.task, i);
    rect.op = at(track.op, i);
    rect.bytes = at(track.bytes, i);
    emit(rect);
  }
}
