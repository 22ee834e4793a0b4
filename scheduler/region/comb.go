package region

import "fmt"

// Comb is runs of bytes at equal distances: the teeth of a comb. One run is an interval.
//
//	Lo 2  Run 3  Step 8  N 3      ..###.....###.....###...
//
// It is what a tile leaves in a store that is cut along more than its first axis: N rows of a
// matrix, of which the tile has Run bytes each. Combs are kept in one form: without a byte
// all numbers are 0; with one run Step is 0; with more there is a gap between them.
type Comb struct {
	Lo   int64 // first byte
	Run  int64 // bytes of each run
	Step int64 // bytes from run to run; 0 if there is one
	N    int64 // runs
}

// NewComb returns n runs of some bytes, step bytes apart; runs that touch become one.
func NewComb(lo, run, step, n int64) Comb {
	switch {
	case run <= 0 || n <= 0:
		return Comb{}
	case n == 1:
		return Comb{lo, run, 0, 1}
	case step <= run:
		return Comb{lo, (n-1)*step + run, 0, 1}
	}
	return Comb{lo, run, step, n}
}

// Comb returns the interval as one run.
func (a Interval) Comb() Comb { return NewComb(a.Lo, a.Len(), 0, 1) }

// Hull returns the bytes from the first to the last.
func (c Comb) Hull() Interval {
	if c.N == 0 {
		return Interval{}
	}
	return Interval{c.Lo, c.Lo + (c.N-1)*c.Step + c.Run}
}

// Empty reports whether there is no byte in it.
func (c Comb) Empty() bool { return c.N == 0 }

// Len returns the number of bytes.
func (c Comb) Len() int64 { return c.N * c.Run }

// Tooth returns run i.
func (c Comb) Tooth(i int64) Interval {
	lo := c.Lo + i*c.Step
	return Interval{lo, lo + c.Run}
}

// String prints [16,32), or [16,32)x5/100 for five runs a hundred bytes apart.
func (c Comb) String() string {
	if c.N > 1 {
		return fmt.Sprintf("%v x%d/%d", c.Tooth(0), c.N, c.Step)
	}
	return c.Hull().String()
}

// box is a rectangle of the bytes of a store written in rows of some length.
//
// Rows are r0 up to r1, columns, in bytes, c0 up to c1. Combs are not closed under set operations, rectangles nearly
// are: combs of one step become rectangles in rows of that length, which are cut at edges, and become combs again.
//
//	a   Lo 0  Run 4  Step 8  N 3      ####....     a without b: ##......
//	                                  ####....                  ##......
//	b   Lo 2  Run 4  Step 8  N 2      ####....                  ####....
//	                                  (b: ..####.. twice)
type box struct{ r0, r1, c0, c1 int64 }

// frame is how the bytes are written in rows: row 0 begins at a byte.
type frame struct{ at, step int64 }

// boxes returns a comb as rectangles. Its step must be that of the frame, or it is one run.
//
// An interval is up to three rectangles: what is left of its first row, whole rows, and the beginning of the last. A
// comb whose runs go over a row's end is two.
func (f frame) boxes(c Comb) (list [3]box, n int) {
	add := func(b box) {
		if b.r0 < b.r1 && b.c0 < b.c1 {
			list[n] = b
			n++
		}
	}
	row := floorDiv(c.Lo-f.at, f.step)
	col := c.Lo - f.at - row*f.step
	if c.N > 1 || col+c.Run <= f.step {
		add(box{row, row + c.N, col, min(col+c.Run, f.step)})
		add(box{row + 1, row + 1 + c.N, 0, col + c.Run - f.step}) // what sticks out at the row's end
		return list, n
	}
	end := c.Lo + c.Run - f.at
	last := floorDiv(end, f.step)
	if col > 0 {
		add(box{row, row + 1, col, f.step})
		row++
	}
	add(box{row, last, 0, f.step})
	add(box{last, last + 1, 0, end - last*f.step})
	return list, n
}

// comb is the way back.
func (f frame) comb(b box) Comb {
	return NewComb(f.at+b.r0*f.step+b.c0, b.c1-b.c0, f.step, b.r1-b.r0)
}

func (a box) intersect(b box) box {
	return box{max(a.r0, b.r0), min(a.r1, b.r1), max(a.c0, b.c0), min(a.c1, b.c1)}
}

func (a box) empty() bool { return a.r0 >= a.r1 || a.c0 >= a.c1 }

// frameOf returns rows in which both combs are rectangles, if there are any. They begin where
// a does, so that what is left of it is few pieces.
func frameOf(a, b Comb) (frame, bool) {
	return frame{a.Lo, max(a.Step, b.Step)}, a.Fits(b)
}

// Fits reports whether two combs are rectangles in the same rows. Where they don't, the
// operations below take the runs of the one with fewer one by one.
func (c Comb) Fits(b Comb) bool { return c.N <= 1 || b.N <= 1 || c.Step == b.Step }

// Overlaps reports whether a byte is in both; always exactly.
func (c Comb) Overlaps(b Comb) bool {
	if !c.Hull().Overlaps(b.Hull()) {
		return false
	}
	if c.N == 1 && b.N == 1 {
		return true
	}
	f, ok := frameOf(c, b)
	if !ok {
		if b.N > c.N {
			c, b = b, c
		}
		for i := range b.N {
			if c.Overlaps(b.Tooth(i).Comb()) {
				return true
			}
		}
		return false
	}
	as, n := f.boxes(c)
	bs, m := f.boxes(b)
	for _, x := range as[:n] {
		for _, y := range bs[:m] {
			if !x.intersect(y).empty() {
				return true
			}
		}
	}
	return false
}

// Intersect appends the bytes that are in both to dst, as disjoint combs.
func (c Comb) Intersect(b Comb, dst []Comb) []Comb {
	if !c.Hull().Overlaps(b.Hull()) {
		return dst
	}
	if c.N == 1 && b.N == 1 {
		return append(dst, c.Hull().Intersect(b.Hull()).Comb())
	}
	if c.N == 1 { // in the rows of a comb it is one rectangle
		c, b = b, c
	}
	f, ok := frameOf(c, b)
	if !ok {
		if b.N > c.N {
			c, b = b, c
		}
		for i := range b.N {
			dst = c.Intersect(b.Tooth(i).Comb(), dst)
		}
		return dst
	}
	as, n := f.boxes(c)
	bs, m := f.boxes(b)
	for _, x := range as[:n] {
		for _, y := range bs[:m] {
			if z := x.intersect(y); !z.empty() {
				dst = append(dst, f.comb(z))
			}
		}
	}
	return dst
}

// Subtract appends the bytes of c that are not in b to dst, as disjoint combs.
func (c Comb) Subtract(b Comb, dst []Comb) []Comb {
	if c.N == 0 || !c.Hull().Overlaps(b.Hull()) {
		if c.N > 0 {
			dst = append(dst, c)
		}
		return dst
	}
	if c.N == 1 && b.N == 1 {
		x, y := c.Hull(), b.Hull()
		for _, rest := range [2]Interval{{x.Lo, y.Lo}, {y.Hi, x.Hi}} {
			if !rest.Empty() {
				dst = append(dst, rest.Comb())
			}
		}
		return dst
	}
	f, ok := frameOf(c, b)
	if !ok {
		return c.subtractRuns(b, dst)
	}
	as, n := f.boxes(c)
	bs, m := f.boxes(b)
	for _, x := range as[:n] {
		dst = f.subtract(x, bs[:m], dst)
	}
	return dst
}

// subtract appends what is left of a rectangle.
func (f frame) subtract(x box, from []box, dst []Comb) []Comb {
	for i, y := range from {
		z := x.intersect(y)
		if z.empty() {
			continue
		}
		for _, rest := range [4]box{
			{x.r0, z.r0, x.c0, x.c1}, // above
			{z.r0, z.r1, x.c0, z.c0}, // left
			{z.r0, z.r1, z.c1, x.c1}, // right
			{z.r1, x.r1, x.c0, x.c1}, // below
		} {
			if !rest.empty() {
				dst = f.subtract(rest, from[i+1:], dst)
			}
		}
		return dst
	}
	return append(dst, f.comb(x))
}

// subtractRuns is Subtract for combs that don't fit: run by run of the one with fewer.
func (c Comb) subtractRuns(b Comb, dst []Comb) []Comb {
	if c.N <= b.N {
		for i := range c.N {
			dst = c.Tooth(i).Comb().Subtract(b, dst)
		}
		return dst
	}
	left := []Comb{c}
	for i := range b.N {
		var next []Comb
		for _, x := range left {
			next = x.Subtract(b.Tooth(i).Comb(), next)
		}
		left = next
	}
	return append(dst, left...)
}

// Covers reports whether every byte of b is in c.
func (c Comb) Covers(b Comb) bool {
	switch {
	case b.N == 0:
		return true
	case !c.Hull().Covers(b.Hull()):
		return false
	case c.N == 1:
		return true
	}
	var few [12]Comb
	return len(b.Subtract(c, few[:0])) == 0
}

// Around returns the smallest rows of bytes that hold two combs which lie in the same rows: a
// tile with its halo, from the shifted footprints of a stencil. Where no common rows are known
// it is the interval around both.
//
//	..##.   .###.    .####
//	..##. , .....  : .####
func (c Comb) Around(b Comb) Comb {
	step := max(c.Step, b.Step)
	whole := c.Hull().Hull(b.Hull()).Comb()
	switch {
	case b.N == 0:
		return c
	case c.N == 0:
		return b
	case !c.Fits(b) || max(c.Run, b.Run) >= step:
		return whole
	}
	// On the circle of a row's bytes the runs are two arcs: what holds both begins with one of them.
	for _, rows := range [2]Comb{c.rows(b, step), b.rows(c, step)} {
		if rows.Lo >= 0 && rows.Len() < whole.Len() {
			whole = rows
		}
	}
	return whole
}

// rows returns the rows of bytes that hold both combs, and begin where the runs of c do.
func (c Comb) rows(b Comb, step int64) Comb {
	behind := ((b.Lo-c.Lo)%step + step) % step // how far b's runs begin behind those of c
	lo := min(c.Lo, b.Lo-behind)
	last := max(c.Lo+(c.N-1)*step, b.Lo-behind+(b.N-1)*step)
	return NewComb(lo, max(c.Run, behind+b.Run), step, (last-lo)/step+1)
}

// Grow returns the comb with so many more rows before and behind it, of so many more bytes on
// both sides: the halo of a tile, and the tile. It stays within its rows, and within the first
// size bytes. An interval is a stack of whole rows of the given step.
//
//	rows 1, bytes 2    ........    ..#####.
//	                   ....###.    ..#####.
//	                   ....###.    ..#####.
//	                   ........    ..#####.
func (c Comb) Grow(rows, bytes, step, size int64) Comb {
	if c.N == 0 {
		return c
	}
	if c.N == 1 {
		return Interval{max(0, c.Lo-rows*step), min(size, c.Lo+c.Run+rows*step)}.Comb()
	}
	col := c.Lo % c.Step
	left := min(bytes, col)
	right := min(bytes, max(0, c.Step-col-c.Run))
	up := min(rows, c.Lo/c.Step)
	down := min(rows, max(0, (size-c.Hull().Hi-right)/c.Step))
	return NewComb(c.Lo-up*c.Step-left, min(c.Run+left+right, size-c.Lo+left), c.Step, c.N+up+down)
}
