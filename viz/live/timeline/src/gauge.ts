// What the page measures of itself, and leaves for tests and for those who wonder.

import type { Drawn } from "./draw.ts";
import type { Source } from "./source.ts";
import type { View } from "./view.ts";

const kept = 500; // newest values of each measure

// Measures are attributes of the document's root (data-bars, data-frame, data-delay), where a test that drives a browser reads
// them without a hook in the page: percentiles of 95 over the newest frames and tasks.
export class Gauge {
  private readonly frames: number[] = []; // milliseconds of the last ones
  private readonly delays: number[] = []; // milliseconds from a task's begin to its bar
  private readonly noticed = new Set<string>(); // running bars that were drawn

  constructor(private readonly source: Source) {}

  // note takes a frame that was drawn.
  note(drawn: Drawn, ms: number, view: View, following: boolean, lanes: number): void {
    add(this.frames, ms);
    this.notice();
    const { dataset } = document.documentElement;
    dataset["bars"] = String(drawn.bars);
    dataset["total"] = String(this.source.count());
    dataset["lanes"] = String(lanes);
    dataset["running"] = String(this.source.running().length);
    dataset["growing"] = drawn.growing.toFixed(1);
    dataset["view"] = `${view.t0} ${view.t1}`;
    dataset["following"] = String(following);
    dataset["frame"] = percentile(this.frames, 0.95).toFixed(2);
    if (this.delays.length > 0) dataset["delay"] = `${percentile(this.delays, 0.95).toFixed(1)} ${this.delays.length}`;
  }

  // notice measures how long after the begin of a task its bar was on the screen for the first time.
  private notice(): void {
    const now = this.source.now();
    const running = this.source.running();
    const seen = new Set(running.map((bar) => `${bar.lane} ${bar.start}`));
    for (const key of this.noticed) if (!seen.has(key)) this.noticed.delete(key);
    for (const bar of running) {
      const key = `${bar.lane} ${bar.start}`;
      if (this.noticed.has(key)) continue;
      this.noticed.add(key);
      add(this.delays, (now - bar.start) / 1e6);
    }
  }
}

function add(values: number[], value: number): void {
  values.push(value);
  if (values.length > kept) values.shift();
}

function percentile(values: number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}
