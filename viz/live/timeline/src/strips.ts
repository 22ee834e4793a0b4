// Bars that are narrower than two pixels, drawn as picture points: a row of points for each row of bars, stretched to its
// height. Drawing hundreds of thousands of rectangles would take longer than a frame lasts.

// A point is one pixel of the plot's width and a whole row high: putImageData writes all points of all rows at once, and
// drawImage stretches each row of points to its box.
//
//	points   row 0  . # # . # . .        image: width x rows
//	         row 1  # . . # # # .
//	canvas   row 0 at top, height 19     row 1 at its own
//
// Colors are 32-bit numbers as ImageData has them in memory on little-endian machines: alpha, blue, green, red from the
// highest byte on.
export class Strips {
  private readonly canvas = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private image: ImageData | undefined;
  private points = new Uint32Array(0);
  private width = 1;
  private rows: { top: number; height: number; used: boolean }[] = [];
  private readonly colors = new Map<string, number>();

  constructor() {
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("this browser has no 2D canvas");
    this.context = context;
  }

  // begin empties the points for a frame; the memory is kept while the width is.
  begin(width: number): void {
    this.points.fill(0);
    this.rows = [];
    if (width !== this.width) {
      this.width = width;
      this.image = undefined;
      this.points = new Uint32Array(0);
    }
  }

  // next begins the points of the next row.
  next(top: number, height: number): void {
    this.rows.push({ top, height, used: false });
    if (this.rows.length * this.width <= this.points.length) return;
    const rows = Math.max(64, this.rows.length * 2);
    const image = new ImageData(this.width, rows);
    const points = new Uint32Array(image.data.buffer);
    points.set(this.points);
    this.image = image;
    this.points = points;
    this.canvas.width = this.width;
    this.canvas.height = rows;
  }

  // put colors the points from x0 to x1, at least one. What is denser wins.
  put(x0: number, x1: number, color: string, alpha: number): void {
    const row = this.rows.length - 1;
    const own = this.rows[row];
    if (!own) return;
    const from = Math.max(Math.round(x0), 0);
    const to = Math.min(Math.max(Math.round(x1), from + 1), this.width);
    const a = Math.round(Math.min(alpha, 1) * 255);
    const point = ((a << 24) | this.rgb(color)) >>> 0;
    for (let x = from; x < to; x++) {
      const i = row * this.width + x;
      if ((this.points[i] ?? 0) >>> 24 <= a) this.points[i] = point;
    }
    own.used = true;
  }

  // rgb returns the color as the low bytes of a point, little-endian: blue, green, red.
  private rgb(color: string): number {
    let known = this.colors.get(color);
    if (known === undefined) {
      const part = (i: number) => parseInt(color.slice(i, i + 2), 16);
      known = (part(5) << 16) | (part(3) << 8) | part(1);
      this.colors.set(color, known);
    }
    return known;
  }

  // paint draws the rows that have points, without smoothing, which would blend neighbours' colors.
  paint(c: CanvasRenderingContext2D, left: number): void {
    if (!this.image) return;
    this.context.putImageData(this.image, 0, 0, 0, 0, this.width, this.rows.length);
    c.imageSmoothingEnabled = false;
    this.rows.forEach((row, k) => {
      if (row.used) c.drawImage(this.canvas, 0, k, this.width, 1, left, row.top, this.width, row.height);
    });
  }
}
