import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { fit, keep, zoom } from "../src/camera.ts";
import { layout } from "../src/layered/layered.ts";
import { fromHash, matches, parse, toHash } from "../src/link.ts";
import { holds, near, Shown, type Outline, type Visible } from "../src/outline.ts";
import { search } from "../src/search.ts";

interface Document {
  shown: { Nodes: { Name: string; Times: number }[] | null; Edges: { From: number; To: number; Carried: boolean; Order: boolean; Bytes: number; Critical: boolean; Pointwise: boolean }[] | null };
  outline: Outline;
}

function load(name: string): Document {
  const found = JSON.parse(readFileSync(`test/outlines/${name}`, "utf8")) as Document;
  found.outline.parts ??= [];
  found.outline.grains ??= [];
  found.outline.flows ??= [];
  return found;
}

const names = readdirSync("test/outlines");

// Edges as texts that say what they join, in a fixed order.
function edges(of: { from: string; to: string; carried: boolean; order: boolean; bytes: number; critical: boolean; pointwise: boolean }[]): string[] {
  return of.map((e) => `${e.from} -> ${e.to}${e.carried ? " carried" : ""}${e.order ? " order" : ""} ${e.bytes}${e.critical ? " critical" : ""}${e.pointwise ? " pointwise" : ""}`).sort();
}

for (const name of names) {
  test(`${name}: at first the page shows what the still picture shows`, () => {
    const { shown, outline } = load(name);
    if (name === "cut.json") return; // the arrays of what is left out are gathered otherwise
    const s = new Shown(outline);
    const v = s.visible();
    const title = (i: number) => `${s.part(v.nodes[i]!).name} ${(s.part(v.nodes[i]!).lines ?? []).join("|")}`;
    const order = (i: number) => `${shown.Nodes![i]!.Name.slice(0, 44)}`;
    assert.equal(v.nodes.length, (shown.Nodes ?? []).length);
    const want = (shown.Edges ?? []).map((e) => ({ from: order(e.From), to: order(e.To), carried: e.Carried, order: e.Order, bytes: e.Bytes, critical: e.Critical, pointwise: e.Pointwise }));
    const got = v.edges.map((e) => ({ ...e, from: title(e.from).split(" ")[0]!, to: title(e.to).split(" ")[0]! }));
    const first = (text: string) => text.split(" ")[0]!;
    assert.deepEqual(edges(got), edges(want.map((e) => ({ ...e, from: first(e.from), to: first(e.to) }))));
  });

  test(`${name}: whatever is open, everything is visible once, and the picture is sound`, () => {
    const { outline } = load(name);
    const s = new Shown(outline);
    for (let step = 0; step < 40; step++) {
      const v = s.visible();
      check(s, v);
      const openable = v.nodes.filter((i) => s.openings(i).length > 0);
      const closable = v.boxes.filter((i) => s.state(i) !== "closed");
      const pick = (list: number[]) => list[(step * 7919) % list.length]!;
      if (openable.length > 0 && (step % 4 !== 3 || closable.length === 0)) s.set(pick(openable), s.openings(pick(openable)).at(-1)!);
      else if (closable.length > 0) {
        const part = pick(closable);
        const other = s.openings(part).find((o) => o !== s.state(part));
        s.set(part, step % 8 === 3 && other ? other : "closed");
      }
    }
    s.reset();
    assert.ok(!s.changed());
  });

  test(`${name}: what is found can be shown`, () => {
    const { outline } = load(name);
    const s = new Shown(outline);
    outline.parts.forEach((p, i) => {
      if (i % 7 !== 0) return;
      s.reset();
      s.reveal(i);
      const v = s.visible();
      assert.ok(v.nodes.includes(i) || v.boxes.includes(i), `part ${i} (${p.name}) is hidden`);
    });
  });
}

function check(s: Shown, v: Visible): void {
  assert.equal(new Set(v.nodes).size, v.nodes.length);
  const boxes = new Set(v.boxes);
  for (const i of v.nodes) {
    assert.ok(!boxes.has(i), `part ${i} is a node and a box`);
    for (const around of s.path(i).slice(0, -1)) assert.ok(boxes.has(around));
  }
  const at = new Map(v.boxes.map((b, i) => [b, i]));
  const p = layout({
    nodes: v.nodes.map((i) => ({ width: s.part(i).w, height: s.part(i).h, box: at.get(s.part(i).in) ?? -1, lane: -1 })),
    boxes: v.boxes.map((i) => ({ parent: at.get(s.part(i).in) ?? -1, title: 50 })),
    edges: v.edges.map((e) => ({ from: e.from, to: e.to, back: e.carried })),
    lanes: 0,
  });
  p.nodes.forEach((a, i) => p.nodes.slice(0, i).forEach((b, j) => {
    assert.ok(a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height, `nodes ${j} and ${i} overlap`);
  }));
}

test("a loop opens into ranges of iterations, an iteration into its operations", () => {
  const { outline } = load("heat.json");
  const s = new Shown(outline);
  const loop = outline.parts.findIndex((p) => p.loop);
  assert.equal(s.part(loop).count, "\u00d7100");
  assert.deepEqual(s.openings(loop), ["folded", "open"]);
  s.set(loop, "open");
  let v = s.visible();
  const range = v.nodes.find((i) => s.part(i).name === "iterations 11\u201320")!;
  s.set(range, "open");
  const one = s.visible().nodes.find((i) => s.part(i).name === "iteration 12")!;
  s.set(one, "open");
  v = s.visible();
  const inside = v.nodes.filter((i) => s.part(i).in === one).map((i) => s.part(i).name);
  assert.deepEqual(inside, ["stencil", "abs(subtract)", "copy"]);
});

test("a fused operation opens into its parts, also in a folded loop", () => {
  const { outline } = load("heat.json");
  const s = new Shown(outline);
  const stencil = s.visible().nodes.find((i) => s.part(i).name === "stencil")!;
  s.set(stencil, "open");
  const v = s.visible();
  const parts = v.nodes.filter((i) => s.part(i).in === stencil);
  assert.deepEqual(parts.map((i) => s.part(i).name), ["add", "multiply"]);
  const [a, b] = parts.map((i) => v.nodes.indexOf(i));
  assert.ok(v.edges.some((e) => e.from === a && e.to === b && !e.carried));
});

test("near counts edges in both directions", () => {
  const v: Visible = { nodes: [0, 1, 2, 3], boxes: [], edges: [[0, 1], [2, 1], [2, 3]].map(([from, to]) => ({ from: from!, to: to! }) as Visible["edges"][0]) };
  assert.deepEqual([...near(v, [0], 1)].sort(), [0, 1]);
  assert.deepEqual([...near(v, [0], 2)].sort(), [0, 1, 2]);
  assert.deepEqual([...near(v, [0], 9)].sort(), [0, 1, 2, 3]);
});

test("search finds names, lines and ids", () => {
  const { outline } = load("few.json");
  const found = (text: string) => search(outline, text).map((i) => outline.parts[i]!.name);
  assert.ok(found("HALO").length > 0 && found("halo").every((n) => n === "halo"));
  assert.deepEqual(found("t6"), ["stencil"]);
  assert.deepEqual(found("t6000"), []);
  assert.deepEqual(found(" "), []);
});

test("messages and addresses are read, and nothing else", () => {
  assert.deepEqual(parse({ from: "timeline", select: { ops: [1, "2", 3], tasks: null, place: { source: 1, line: 2 } } }), { ops: [1, 3], tasks: [], place: { source: 1, line: 2 } });
  assert.equal(parse({ from: "graph", select: { ops: [1] } }), undefined);
  for (const other of [null, undefined, 3, "x", {}, { from: "timeline" }, { from: "timeline", select: 3 }]) assert.equal(parse(other), undefined);
  assert.deepEqual(fromHash("#op=12&task=45&op=x"), { ops: [12], tasks: [45] });
  const part = { in: -1, class: "", name: "", w: 1, h: 1, ops: [[3, 5]], tasks: [[7, 7]] } as Outline["parts"][0];
  assert.equal(toHash(part), "#op=3&task=7");
  assert.ok(matches(part, { ops: [4], tasks: [] }) && !matches(part, { ops: [4], tasks: [8] }));
  assert.ok(holds([[3, 5]], [5]) && !holds([[3, 5]], [6]) && !holds(undefined, [1]));
});

test("the camera keeps its place", () => {
  const c = zoom({ x: 0, y: 0, scale: 1 }, 2, 100, 50);
  assert.deepEqual([c.x + 100 * c.scale, c.y + 50 * c.scale], [100, 50]);
  assert.equal(fit({ width: 100, height: 100 }, { width: 1000, height: 1000 }).scale, 1);
  const moved = keep(c, { x: 10, y: 10, width: 20, height: 5 }, { x: 50, y: 40, width: 100, height: 50 });
  assert.deepEqual([moved.x, moved.y], [c.x + 2 * (20 - 100), c.y + 2 * -30]);
});
