// What a search asks for. The words and their meaning are those of viz/detail/query.go.

import { at, type Tables } from "./trace.ts";

export interface Query {
  tasks: number[];
  ops: number[];
  shortest: number;
  longest: number; // 0 is no limit
  kinds: string[];
  on: string[];
  lines: number[];
  words: string[];
}

const units: [string, number][] = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];

function length(text: string): number {
  for (const [unit, ns] of units) {
    const number = text.slice(0, -unit.length);
    if (text.endsWith(unit) && /^[0-9.]+(e[0-9]+)?$/.test(number)) return Math.max(Math.trunc(Number(number) * ns), 1);
  }
  throw new Error(`the length "${text}"; wanted a number and ns, us, ms or s, such as >10ms`);
}

// parseQuery returns undefined for a text without words.
export function parseQuery(text: string): Query | undefined {
  const fields = text.toLowerCase().split(/\s+/).filter((f) => f !== "");
  if (fields.length === 0) return undefined;
  const q: Query = { tasks: [], ops: [], shortest: 0, longest: 0, kinds: [], on: [], lines: [], words: [] };
  for (const f of fields) {
    if (/^t\d{1,10}$/.test(f)) q.tasks.push(Number(f.slice(1)));
    else if (/^o\d{1,10}$/.test(f)) q.ops.push(Number(f.slice(1)));
    else if (/^line:\d+$/.test(f)) q.lines.push(Number(f.slice(5)));
    else if (f.startsWith("kind:")) q.kinds.push(f.slice(5));
    else if (f.startsWith("on:")) q.on.push(f.slice(3));
    else if (f.startsWith(">")) q.shortest = Math.max(q.shortest, length(f.slice(1)));
    else if (f.startsWith("<")) q.longest = q.longest === 0 ? length(f.slice(1)) : Math.min(q.longest, length(f.slice(1)));
    else q.words.push(f);
  }
  return q;
}

// Matcher decides by group and lane what can match, once for each, and looks at the bar for the rest.
//
// Words are a bit each. A group has the bits of the words that one of its texts contains, a lane those that are its name or
// its device's; a bar matches where both together have all. So a search looks at each text once, and not for each
// bar.
export class Matcher {
  private readonly groups: number[] = []; // a bit for each word, -1 for never
  private readonly lanes: number[] = [];
  private readonly all: number;

  constructor(private readonly tables: Tables, private readonly q: Query) {
    this.all = 2 ** q.words.length - 1;
  }

  private laneBits(index: number): number {
    const lane = at(this.tables.lanes, index);
    const own = [lane.name.toLowerCase(), lane.device.toLowerCase()];
    if (this.q.on.some((on) => !own.includes(on) && lane.kind.toLowerCase() !== on)) return -1;
    return bits(this.q.words, (word) => own.includes(word));
  }

  private groupBits(index: number): number {
    const { tables, q } = this;
    const group = at(tables.groups, index);
    const name = at(tables.names, group.name);
    const place = at(tables.places, group.place);
    const form = at(tables.forms, group.form);
    if (q.kinds.some((kind) => kind !== name.kind) || q.lines.some((line) => line !== place.line && !form.parts?.some(([p]) => at(tables.places, p).line === line))) return -1;
    if (q.words.length === 0) return 0;
    const texts = [name.text, name.kind, place.text, form.shape, form.program, form.kind, form.name, group.detail ?? "", lineText(tables, place.source, place.line)];
    const lower = texts.map((t) => t.toLowerCase());
    return bits(q.words, (word) => lower.some((t) => t.includes(word)));
  }

  // group says whether bars of a group on a lane can match.
  group(group: number, lane: number): boolean {
    const g = (this.groups[group] ??= this.groupBits(group));
    const l = (this.lanes[lane] ??= this.laneBits(lane));
    return g >= 0 && l >= 0 && (g | l) === this.all;
  }

  bar(lane: number, group: number, dur: number, task: number, op: number): boolean {
    const { q } = this;
    return (
      this.group(group, lane) && dur >= q.shortest && (q.longest === 0 || dur <= q.longest) &&
      q.tasks.every((id) => id === task) && q.ops.every((id) => id === op)
    );
  }
}

function bits(words: string[], meets: (word: string) => boolean): number {
  return words.reduce((sum, word, k) => (meets(word) ? sum + 2 ** k : sum), 0);
}

// lineText returns the text of a line of the user's program.
export function lineText(tables: Tables, source: number, line: number): string {
  if (line <= 0) return "";
  return tables.sources.find((s) => s.id === source)?.text.split("\n")[line - 1] ?? "";
}
