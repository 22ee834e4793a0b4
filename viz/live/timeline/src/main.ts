// The page: takes the bars that stand in it, or asks its server for them.

import { Embedded } from "./embedded.ts";
import { Page } from "./page.ts";
import { element, h } from "./panels.ts";
import { Socket } from "./socket.ts";
import { decode, type Meta } from "./trace.ts";

const meta = JSON.parse(element("meta").textContent ?? "") as Meta;

// load takes the bars out of the page: columns as base64 of gzip.
async function load(): Promise<Embedded> {
  const packed = Uint8Array.from(atob((element("data").textContent ?? "").trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Embedded(meta, decode(meta.count, await new Response(stream).arrayBuffer()));
}

function serve(): void {
  const address = new URL("live", location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.hash = address.search = "";
  const source = new Socket(meta, address.href);
  const page = new Page(source);
  source.begun = () => page.begin();
}

function fail(error: unknown): void {
  // Nothing may fail silently: the page says what its browser could not do.
  document.documentElement.dataset["error"] = String(error);
  element("notes").replaceChildren(h("p", { class: "error" }, `The timeline cannot be shown: ${String(error)}. A browser of 2023 or later is needed.`));
}

if (meta.served) {
  serve();
} else {
  load().then((source) => new Page(source).begin(), fail);
}
