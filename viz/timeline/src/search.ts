// Which bars a query means: t45 and o12 by number, anything else by name, place, shape or program.

import { at, type Trace } from "./trace.ts";

// Match tells for each bar whether it matches.
export interface Match {
  hits: Uint8Array;
  count: number;
  first: number; // the first bar that matches, -1 if none does
}

export function search(trace: Trace, query: string): Match | undefined {
  const text = query.trim().toLowerCase();
  if (text === "") return undefined;
  const { bars, meta } = trace;
  const has = (...parts: string[]) => parts.some((p) => p.toLowerCase().includes(text));
  const names = meta.names.map((n) => has(n.text, n.kind));
  const places = meta.places.map((p) => has(p.text));
  const forms = meta.forms.map((f) => has(f.shape, f.program));
  const lanes = meta.lanes.map((l) => l.name.toLowerCase() === text);
  const task = /^t\d+$/.test(text) ? Number(text.slice(1)) : -1;
  const op = /^o\d+$/.test(text) ? Number(text.slice(1)) : -1;
  const hits = new Uint8Array(bars.count);
  let count = 0;
  let first = -1;
  for (let i = 0; i < bars.count; i++) {
    const hit =
      task >= 0 || op >= 0
        ? bars.task[i] === task || bars.op[i] === op
        : names[at(bars.name, i)] || places[at(bars.place, i)] || forms[at(bars.form, i)] || lanes[at(bars.lane, i)];
    if (!hit) continue;
    hits[i] = 1;
    count++;
    if (first < 0) first = i;
  }
  return { hits, count, first };
}
