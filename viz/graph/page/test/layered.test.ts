import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { layout, type Graph } from "../src/layered/layered.ts";

// What Go writes has capital letters.
function lower(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lower);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key[0]!.toLowerCase() + key.slice(1), lower(v)]));
}

test("the pictures are those of the Go side", () => {
  const drawn = lower(JSON.parse(readFileSync("../../layered/testdata/pictures.json", "utf8"))) as { graph: Graph; picture: object }[];
  assert.ok(drawn.length > 5);
  drawn.forEach(({ graph, picture }, i) => {
    graph.boxes ??= [];
    graph.edges ??= [];
    const want = { boxes: [], lines: [], ...Object.fromEntries(Object.entries(picture).filter(([, v]) => v !== null)) };
    assert.deepEqual(layout(graph), want, `graph ${i}`);
  });
});
