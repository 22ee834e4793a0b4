// What of the page stands in its address, so that a view can be sent to somebody, and what the graph's page is told.

export interface Place {
  source: number;
  line: number;
}

// Shown is a view as an address has it. Times are nanoseconds on the recorder's clock.
export interface Shown {
  t0?: number;
  t1?: number;
  task?: number;
  op?: number;
  q?: string;
  path?: boolean;
}

export function readHash(hash: string): Shown {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name: string): number | undefined => {
    const text = fields.get(name);
    const value = text === null || text === "" ? NaN : Number(text);
    return Number.isFinite(value) ? value : undefined;
  };
  const out: Shown = {};
  for (const name of ["t0", "t1", "task", "op"] as const) {
    const value = number(name);
    if (value !== undefined) out[name] = value;
  }
  const q = fields.get("q");
  if (q !== null && q !== "") out.q = q.slice(0, 1000);
  if (fields.get("path") === "1") out.path = true;
  return out;
}

export function writeHash(shown: Shown): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(shown)) {
    if (typeof value === "boolean") fields.set(name, value ? "1" : "0");
    else if (value !== undefined) fields.set(name, typeof value === "number" ? String(Math.round(value)) : String(value));
  }
  return "#" + fields.toString();
}

// Selection is what the timeline and the graph tell each other.
export interface Selection {
  ops: number[];
  tasks: number[];
  place?: Place;
}

const numbers = (value: unknown): number[] => (Array.isArray(value) ? value.filter((v): v is number => Number.isSafeInteger(v) && v >= 0).slice(0, 1000) : []);

// readSelection takes nothing on trust: any page of the same origin may write to the channel.
export function readSelection(data: unknown): Selection | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { from, select } = data as { from?: unknown; select?: unknown };
  if (from !== "graph" || typeof select !== "object" || select === null) return undefined;
  const { ops, tasks, place } = select as { ops?: unknown; tasks?: unknown; place?: { source?: unknown; line?: unknown } };
  const out: Selection = { ops: numbers(ops), tasks: numbers(tasks) };
  if (place && Number.isSafeInteger(place.source) && Number.isSafeInteger(place.line)) out.place = { source: place.source as number, line: place.line as number };
  return out;
}
