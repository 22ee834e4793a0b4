// The page: reads the graph that stands in it, lays out what is open, paints it and answers the user.

import { Page } from "./page.ts";
import type { Outline } from "./outline.ts";

interface Data {
  outline: Outline;
  embedded: boolean;
}

// load takes the data out of the page: base64 of gzip of JSON.
async function load(): Promise<Data> {
  const packed = Uint8Array.from(atob((document.getElementById("data")?.textContent ?? "").trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text()) as Data;
}

load().then(
  ({ outline, embedded }) => new Page(outline, embedded),
  (error: unknown) => {
    const note = document.createElement("p");
    note.textContent = `The graph cannot be read: ${String(error)}`;
    document.body.prepend(note);
  },
);
