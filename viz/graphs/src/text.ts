// Numbers as people read them, in the same words as profiler.Duration and Size of the Go side.

function three(v: number): string {
  return v < 9.995 ? v.toFixed(2) : v < 99.95 ? v.toFixed(1) : v.toFixed(0);
}

export function duration(ns: number): string {
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 999.5e3) return three(ns / 1e3) + " us";
  if (ns < 999.5e6) return three(ns / 1e6) + " ms";
  return three(ns / 1e9) + " s";
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999.5e3) return three(bytes / 1e3) + " kB";
  if (bytes < 999.5e6) return three(bytes / 1e6) + " MB";
  return three(bytes / 1e9) + " GB";
}

export function rate(bytes: number, ns: number): string {
  return bytes > 0 && ns > 0 ? three(bytes / ns) + " GB/s" : "";
}

export function percent(share: number): string {
  return share >= 0.1 ? `${Math.round(share * 100)} %` : `${(share * 100).toFixed(1)} %`;
}

// runs writes runs of ids: o3, o7-o12.
export function runs(letter: string, of: [number, number][], most = 8): string {
  const shown = of.slice(0, most).map(([low, high]) => (low === high ? letter + low : `${letter}${low}\u2013${letter}${high}`));
  return shown.join(", ") + (of.length > most ? ", \u2026" : "");
}
