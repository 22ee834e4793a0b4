// Wheel, pointer and keys.

import { gutter } from "./draw.ts";
import type { Page } from "./page.ts";
import { element } from "./panels.ts";
import { pan } from "./view.ts";

interface Drag {
  x: number;
  from: { t0: number; t1: number };
  moved: boolean;
  selects: boolean; // a span, and does not move the view
}

// listen connects a page with the user.
export function listen(page: Page): void {
  const { canvas } = page;
  const { box } = page.finder;
  let drag: Drag | undefined;
  document.addEventListener("pointerdown", () => page.takeWheel(true));
  document.documentElement.addEventListener("pointerleave", () => {
    if (!drag) page.takeWheel(false);
  });
  window.addEventListener("blur", () => page.takeWheel(false));
  canvas.addEventListener("wheel", (event) => {
    if (!page.wheelIsOurs && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      page.move(pan(page.view, (event.deltaX || event.deltaY) / page.plot(), page.whole()));
    } else {
      const fraction = Math.min(Math.max((event.offsetX - gutter) / page.plot(), 0), 1);
      // A touchpad's pinch comes as small steps with ctrl.
      const speed = (event.deltaMode === 1 ? 30 : 1) * (event.ctrlKey && Math.abs(event.deltaY) < 40 ? 6 : 1);
      page.zoomBy(Math.pow(1.0016, event.deltaY * speed), fraction);
    }
    page.hover(event); // another bar is under the pointer now
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.focus();
    canvas.setPointerCapture(event.pointerId);
    drag = { x: event.offsetX, from: page.view, moved: false, selects: event.shiftKey };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) {
      page.hover(event);
      return;
    }
    const by = drag.x - event.offsetX;
    if (Math.abs(by) > 3) drag.moved = true;
    if (!drag.moved) return;
    if (drag.selects) {
      const [a, b] = [page.timeAt(drag.x), page.timeAt(event.offsetX)];
      page.span = { t0: Math.min(a, b), t1: Math.max(a, b) };
      page.redraw();
    } else {
      page.move(pan(drag.from, by / page.plot(), page.whole()));
    }
    page.hide();
  });
  canvas.addEventListener("pointerup", (event) => {
    const done = drag;
    drag = undefined;
    if (done && !done.moved) void page.pick(event);
  });
  canvas.addEventListener("lostpointercapture", () => (drag = undefined));
  canvas.addEventListener("pointerleave", () => page.hide());
  canvas.addEventListener("dblclick", (event) => void page.zoomTo(event));
  document.addEventListener("keydown", (event) => press(page, event));
  box.addEventListener("input", () => void page.finder.run());
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") void page.step(event.shiftKey);
  });
  for (const [id, act] of Object.entries(buttons)) element(id).addEventListener("click", () => act(page));
  element("frame").addEventListener("scroll", () => page.redraw());
  new ResizeObserver(() => page.redraw()).observe(canvas);
}

const buttons: Record<string, (page: Page) => void> = {
  fit: (page) => page.fit(),
  live: (page) => page.goLive(),
  path: (page) => void page.togglePath(),
  next: (page) => void page.step(false),
  ask: () => toggleHelp(),
};

function toggleHelp(): void {
  element("help").hidden = !element("help").hidden;
}

const keys: Record<string, (page: Page) => void> = {
  w: (page) => page.zoomBy(0.7, 0.5),
  s: (page) => page.zoomBy(1 / 0.7, 0.5),
  a: (page) => page.move(pan(page.view, -0.2, page.whole())),
  d: (page) => page.move(pan(page.view, 0.2, page.whole())),
  arrowup: (page) => page.zoomBy(0.7, 0.5),
  arrowdown: (page) => page.zoomBy(1 / 0.7, 0.5),
  arrowleft: (page) => page.move(pan(page.view, -0.1, page.whole())),
  arrowright: (page) => page.move(pan(page.view, 0.1, page.whole())),
  f: (page) => page.fit(),
  l: (page) => page.goLive(),
  c: (page) => void page.togglePath(),
  n: (page) => void page.step(false),
  p: (page) => void page.step(true),
  "/": (page) => page.finder.box.focus(),
  "?": () => toggleHelp(),
  escape: (page) => {
    page.takeWheel(false);
    page.letGo();
  },
};

function press(page: Page, event: KeyboardEvent): void {
  if (event.target === page.finder.box) {
    if (event.key === "Escape") {
      page.finder.box.value = "";
      void page.finder.run();
      page.finder.box.blur();
    }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = keys[event.key.toLowerCase()];
  if (!act) return;
  act(page);
  event.preventDefault();
}
