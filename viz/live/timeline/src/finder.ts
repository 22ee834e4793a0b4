// The search: what its box says, which bars that means, and the steps from one to the next.

import { element } from "./panels.ts";
import { Matcher, parseQuery } from "./query.ts";
import type { Source } from "./source.ts";
import { count, duration } from "./text.ts";
import type { Bar } from "./trace.ts";
import type { View } from "./view.ts";

// The page dims what does not match by itself (Matcher); counts, steps and marks are the source's, which knows bars that the
// page does not have.
export class Finder {
  readonly box = element("search") as HTMLInputElement;
  match: Matcher | undefined; // undefined while nothing is searched for
  marks: number[][] = []; // lane, and the pixels in which bars match
  marksView: View | undefined; // for which the marks were made
  private runs = 0; // counts the searches, so that a late answer is dropped

  constructor(private readonly source: Source, private readonly redraw: () => void) {}

  forget(): void {
    this.match = this.marksView = undefined;
    this.marks = [];
  }

  // run searches for what the box says.
  async run(): Promise<void> {
    const run = ++this.runs;
    const text = this.box.value;
    const found = element("found");
    const { dataset } = document.documentElement;
    try {
      const q = parseQuery(text);
      if (q) this.match = new Matcher(this.source.meta, q);
      else this.forget();
      const result = q ? await this.source.search(text) : undefined;
      if (run !== this.runs) return;
      found.textContent = result ? `${count(result.count)} found, ${duration(result.time)}` + (result.unseen > 0 ? `; ${count(result.unseen)} older bars were not looked at` : "") : "";
      dataset["found"] = result ? String(result.count) : "";
    } catch (error) {
      if (run !== this.runs) return;
      this.forget();
      found.textContent = error instanceof Error ? error.message : String(error);
      dataset["found"] = "";
    }
    this.redraw();
  }

  // next returns the hit after a bar, or the one before it; behind the last one the first one comes again.
  async next(from: Bar | undefined, back: boolean): Promise<Bar | undefined> {
    if (!this.match) return undefined;
    const text = this.box.value;
    return (await this.source.next(text, from, back)) ?? (await this.source.next(text, undefined, back));
  }

  // findMarks asks where in a view there are hits, however short.
  async findMarks(view: View, px: number, lanes: number[]): Promise<void> {
    if (!this.match) return;
    this.marks = await this.source.marks(this.box.value, view, px, lanes);
    this.marksView = view;
  }
}
