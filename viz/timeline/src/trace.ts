// The trace as the page gets it: tables as JSON, bars as columns of numbers. The Go side
// (viz/page.go) writes both; bars come sorted by lane, row and start, and the bars of one row do not overlap.

export interface Lane {
  name: string;
  kind: string;
  device: string;
  lost: number;
}

export interface Name {
  text: string;
  kind: string; // run, copy, ...
  color: string;
}

export interface Place {
  source: number; // ID of a source, 0 is unknown
  line: number;
  text: string;
}

export interface Form {
  kind: string;
  shape: string;
  program: string;
}

export interface Source {
  id: number;
  name: string;
  text: string;
}

export interface Link {
  text: string;
  href: string;
}

export interface KindInfo {
  name: string;
  busy: boolean;
  doc: string;
}

export interface Meta {
  title: string;
  summary: string;
  notes: string[]; // what the reader must know: lost records, a cut file
  embedded: boolean; // the page is part of another page, which wants to scroll
  count: number;
  kinds: KindInfo[];
  lanes: Lane[];
  names: Name[];
  places: Place[];
  forms: Form[];
  sources: Source[];
  machine: { key: string; value: string }[];
  links: Link[];
}

export interface Bars {
  count: number;
  start: Float64Array; // nanoseconds since the first bar's start
  dur: Float64Array;
  bytes: Float64Array;
  task: Uint32Array;
  op: Uint32Array;
  name: Uint32Array; // index into names
  place: Uint32Array; // index into places
  form: Uint32Array; // index into forms
  lane: Uint16Array;
  row: Uint16Array;
}

export interface Trace {
  meta: Meta;
  bars: Bars;
}

// decode makes views of the columns; nothing is copied.
export function decode(meta: Meta, data: ArrayBuffer): Trace {
  const n = meta.count;
  const want = n * (3 * 8 + 5 * 4 + 2 * 2);
  if (data.byteLength !== want) {
    throw new Error(`the columns of ${n} bars have ${data.byteLength} bytes, wanted ${want}`);
  }
  let at = 0;
  const take = <T>(make: (at: number) => T, size: number): T => {
    const column = make(at);
    at += n * size;
    return column;
  };
  const f64 = () => take((at) => new Float64Array(data, at, n), 8);
  const u32 = () => take((at) => new Uint32Array(data, at, n), 4);
  const u16 = () => take((at) => new Uint16Array(data, at, n), 2);
  const bars: Bars = {
    count: n, start: f64(), dur: f64(), bytes: f64(),
    task: u32(), op: u32(), name: u32(), place: u32(), form: u32(), lane: u16(), row: u16(),
  };
  return { meta, bars };
}

// at reads an array whose index is known to be right.
export function at<T>(rows: ArrayLike<T>, i: number): T {
  const row = rows[i];
  if (row === undefined) throw new Error(`there is no row ${i} in a table of ${rows.length}`);
  return row;
}
