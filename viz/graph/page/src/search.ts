// Finds parts by name, line, device, id and array.

import { holds, type Outline, type Part } from "./outline.ts";

// search returns the parts that a text names: o12 and t45 by id, s3 by array, anything else by what they show.
export function search(outline: Outline, text: string): number[] {
  const words = text.trim().toLowerCase();
  if (!words) return [];
  const id = /^([ot])(\d+)$/.exec(words);
  const found: number[] = [];
  outline.parts.forEach((p, i) => {
    if (id ? holds(id[1] === "o" ? p.ops : p.tasks, [Number(id[2])]) : contains(p, words)) found.push(i);
  });
  return found;
}

function contains(p: Part, words: string): boolean {
  const texts = [p.name, p.device ?? "", ...(p.lines ?? []), ...(p.more ?? []), ...(p.uses ?? []).flatMap((u) => [u.store, u.name ?? ""]), p.tip ?? ""];
  return texts.some((t) => t.toLowerCase().includes(words));
}
