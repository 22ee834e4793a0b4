// The visible part of the picture.

import type { Rect } from "./layered/layered.ts";

export interface Camera {
  x: number; // of the picture's origin, in pixels of the page
  y: number;
  scale: number;
}

export interface Extent {
  width: number;
  height: number;
}

const closest = 4;
const farthest = 0.05;

// fit shows all of a picture, but never larger than it is drawn.
export function fit(picture: Extent, page: Extent): Camera {
  const scale = Math.max(Math.min(1, page.width / Math.max(picture.width, 1), page.height / Math.max(picture.height, 1)), farthest);
  return { scale, x: (page.width - picture.width * scale) / 2, y: (page.height - picture.height * scale) / 2 };
}

// begin shows a picture as it is drawn, in which its text can be read: from its top where it is too high, and its middle where it is
// too wide.
export function begin(picture: Extent, page: Extent): Camera {
  return { scale: 1, x: (page.width - picture.width) / 2, y: Math.max(0, (page.height - picture.height) / 2) };
}

// zoom keeps what is at a place of the page where it is.
export function zoom(c: Camera, factor: number, x: number, y: number): Camera {
  const scale = Math.min(Math.max(c.scale * factor, farthest), closest);
  const by = scale / c.scale;
  return { scale, x: x - (x - c.x) * by, y: y - (y - c.y) * by };
}

// keep moves the camera so that the upper edge of something stays where it was on the page.
export function keep(c: Camera, before: Rect, after: Rect): Camera {
  return {
    scale: c.scale,
    x: c.x + (before.x + before.width / 2 - after.x - after.width / 2) * c.scale,
    y: c.y + (before.y - after.y) * c.scale,
  };
}

// center shows a place in the middle of the page.
export function center(c: Camera, r: Rect, page: Extent): Camera {
  return { scale: c.scale, x: page.width / 2 - (r.x + r.width / 2) * c.scale, y: page.height / 2 - (r.y + r.height / 2) * c.scale };
}
