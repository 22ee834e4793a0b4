// Numbers and ids as people read them.

export { duration, rate, size } from "../../../live/timeline/src/text.ts";

export function percent(share: number): string {
  return share >= 0.1 ? `${Math.round(share * 100)} %` : `${(share * 100).toFixed(1)} %`;
}

// runs writes runs of ids: o3, o7-o12.
export function runs(letter: string, of: [number, number][], most = 8): string {
  const shown = of.slice(0, most).map(([low, high]) => (low === high ? letter + low : `${letter}${low}\u2013${letter}${high}`));
  return shown.join(", ") + (of.length > most ? ", \u2026" : "");
}
