// What a page knows of a run: tables as JSON, bars as columns of numbers. The Go side (viz/live/timeline.go, viz/live/catalog.go) writes both;
// bars come sorted by lane, row and start, and the bars of one row do not overlap. Times are nanoseconds since the page's time 0.

export interface Lane {
  name: string;
  kind: string;
  device: string;
  lost: number;
  run: number; // which of two runs that are compared
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
  rate?: string; // how fast its passes moved bytes over all of the run, and what share of the copy speed that is
}

export interface Form {
  name: string;
  kind: string;
  shape: string;
  program: string;
  parts?: [number, number][]; // of what was fused: place and number of operations
  lines?: string; // of it, for people: In[2] lines 2-5, 9
}

// Group is what many bars have in common, as indices of the other tables.
export interface Group {
  name: number;
  place: number;
  form: number;
  detail?: string;
}

export interface SourceText {
  id: number;
  name: string;
  text: string;
}

// Tables only ever grow, so that a group keeps its number.
//
//	bar.group --> groups: name, place, form --> names: text, kind, color
//	                                            places: source, line --> sources: text
//	                                            forms: shape, program, parts
//	bar.lane  --> lanes
//
// An index is the row's position in its table.
export interface Tables {
  lanes: Lane[];
  names: Name[];
  places: Place[];
  forms: Form[];
  groups: Group[];
  sources: SourceText[];
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

export interface Run {
  title: string;
  first: number; // its tasks and ops are numbered from here on
}

export interface Meta extends Tables {
  title: string;
  summary: string;
  ran?: number; // how many tasks ran or copied something, also of those without a bar here
  held?: number[]; // by lane, the bytes that a memory held at time 0
  notes: string[]; // what the reader must know: lost records, a cut file
  embedded: boolean; // the page is part of another page, which wants to scroll
  served: boolean; // the bars come from the page's server
  count: number;
  origin: number; // time 0 of the page, on the recorder's clock
  kinds: KindInfo[];
  tasks: number[]; // ID, time of planning, number of predecessors, predecessors; one after the other
  runs: Run[];
  machine: { key: string; value: string }[];
  links: Link[];
}

// Bar is one bar with everything that is known of it. Its id is a number that its source understands.
export interface Bar {
  id: number;
  lane: number;
  row: number;
  start: number;
  dur: number;
  bytes: number;
  task: number;
  op: number;
  group: number;
}

export interface Bars {
  count: number;
  start: Float64Array;
  dur: Float64Array;
  bytes: Float64Array;
  task: Uint32Array;
  op: Uint32Array;
  group: Uint32Array;
  lane: Uint16Array;
  row: Uint16Array;
}

// decode makes views of the columns; nothing is copied.
export function decode(n: number, data: ArrayBuffer): Bars {
  const want = n * (3 * 8 + 3 * 4 + 2 * 2);
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
  return { count: n, start: f64(), dur: f64(), bytes: f64(), task: u32(), op: u32(), group: u32(), lane: u16(), row: u16() };
}

// at reads an array whose index is known to be right.
export function at<T>(rows: ArrayLike<T>, i: number): T {
  const row = rows[i];
  if (row === undefined) throw new Error(`there is no row ${i} in a table of ${rows.length}`);
  return row;
}

export function nameOf(t: Tables, group: number): Name {
  return at(t.names, at(t.groups, group).name);
}

// partsOf returns the places whose operations the bars of a group compute, and what part of them each has.
export function partsOf(t: Tables, group: number): [number, number][] {
  const { form, place } = at(t.groups, group);
  const { parts } = at(t.forms, form);
  if (!parts) return [[place, 1]];
  const all = parts.reduce((sum, [, operations]) => sum + operations, 0);
  return parts.map(([of, operations]) => [of, operations / all]);
}

export function placeOf(t: Tables, group: number): Place {
  return at(t.places, at(t.groups, group).place);
}

// numberText writes the number of a task or an op as its own run counts it.
export function numberText(meta: Meta, letter: string, id: number): string {
  const second = meta.runs[1];
  return letter + String(second && id > second.first ? id - second.first : id);
}
