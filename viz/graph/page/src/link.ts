// Talks with the timeline of the same server, over a channel, and with whoever links here, by the end of the address.

import { holds, ids, type Part, type Place } from "./outline.ts";

export interface Selection {
  ops: number[];
  tasks: number[];
  place?: Place;
}

const mostIDs = 10_000;

export function selectionOf(p: Part): Selection {
  return { ops: ids(p.ops, mostIDs), tasks: ids(p.tasks, mostIDs), ...(p.place ? { place: p.place } : {}) };
}

// matches says whether a part is, or stands for, something of a selection. Tasks are the more exact ones.
export function matches(p: Part, of: Selection): boolean {
  if (of.tasks.length > 0 && p.tasks) return holds(p.tasks, of.tasks);
  if (of.ops.length > 0 && p.ops) return holds(p.ops, of.ops);
  return of.tasks.length + of.ops.length === 0 && !!of.place && p.place?.source === of.place.source && p.place.line === of.place.line;
}

// connect opens the channel. Where there is none, as in a frame without an origin, the page stands alone.
export function connect(receive: (of: Selection) => void): (of: Selection) => void {
  try {
    const channel = new BroadcastChannel("weft");
    channel.onmessage = (event: MessageEvent) => {
      const of = parse(event.data);
      if (of) receive(of);
    };
    return (of) => channel.postMessage({ from: "graph", select: of });
  } catch {
    return () => undefined;
  }
}

function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((v): v is number => typeof v === "number").slice(0, mostIDs) : [];
}

// parse reads a message of the timeline; anything else is none.
export function parse(data: unknown): Selection | undefined {
  const message = data as { from?: unknown; select?: { ops?: unknown; tasks?: unknown; place?: { source?: unknown; line?: unknown } } } | null;
  if (typeof message !== "object" || message?.from !== "timeline" || typeof message.select !== "object" || !message.select) return undefined;
  const { ops, tasks, place } = message.select;
  const { source, line } = place ?? {};
  return { ops: numbers(ops), tasks: numbers(tasks), ...(typeof source === "number" && typeof line === "number" ? { place: { source, line } } : {}) };
}

// fromHash reads #op=12&task=45.
export function fromHash(hash: string): Selection {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const all = (key: string) => words.getAll(key).map(Number).filter((n) => Number.isInteger(n) && n > 0);
  return { ops: all("op"), tasks: all("task") };
}

export function toHash(p: Part | undefined): string {
  const words: string[] = [];
  if (p?.ops?.[0]) words.push(`op=${p.ops[0][0]}`);
  if (p?.tasks?.[0]) words.push(`task=${p.tasks[0][0]}`);
  return words.length > 0 ? "#" + words.join("&") : "";
}
