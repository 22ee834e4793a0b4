package region

import (
	"fmt"
	"strings"
)

// Tiling divides the bytes of a store into a grid of tiles: rows of tiles, each row divided
// into columns. With one column the tiles are intervals. Tile r*columns+c is in row r and
// column c.
//
//	Step 8, Rows 0 16, Cols 0 4     0000 1111
//	                                0000 1111
//	                                2222 3333
//	                                2222 3333
type Tiling struct {
	Size int64   // bytes of the store
	Step int64   // bytes of a row of elements; Rows are multiples of it where there are several Cols
	Rows []int64 // first byte of each row of tiles, ascending from 0
	Cols []int64 // first byte of each column, in its row of elements, ascending from 0
}

// Tiles returns how many tiles there are.
func (t *Tiling) Tiles() int { return len(t.Rows) * len(t.Cols) }

// Tile returns the bytes of a tile. With several columns, an incomplete row of elements at
// the store's end is in none.
func (t *Tiling) Tile(i int) Comb {
	rows, cols := i/len(t.Cols), i%len(t.Cols)
	lo, hi := t.Rows[rows], t.Size
	if rows+1 < len(t.Rows) {
		hi = t.Rows[rows+1]
	}
	if len(t.Cols) == 1 {
		return Interval{lo, hi}.Comb()
	}
	left, right := t.Cols[cols], t.Step
	if cols+1 < len(t.Cols) {
		right = t.Cols[cols+1]
	}
	return NewComb(lo+left, right-left, t.Step, (hi-lo)/t.Step)
}

// Equal reports whether two tilings have the same tiles.
func (t *Tiling) Equal(u *Tiling) bool {
	same := func(a, b []int64) bool {
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				return false
			}
		}
		return len(a) == len(b)
	}
	return t.Size == u.Size && (t.Step == u.Step || len(t.Cols) == 1) && same(t.Rows, u.Rows) && same(t.Cols, u.Cols)
}

// String prints rows 0 16 of 32, columns 0 4 of 8.
func (t *Tiling) String() string {
	text := fmt.Sprintf("rows %s of %d", numbers(t.Rows), t.Size)
	if len(t.Cols) > 1 {
		text += fmt.Sprintf(", columns %s of %d", numbers(t.Cols), t.Step)
	}
	return text
}

func numbers(list []int64) string { return strings.Trim(fmt.Sprint(list), "[]") }

// Span is positions along an axis, from Lo up to but not including Hi.
type Span struct{ Lo, Hi int }

// Equal appends spans of equal length that divide n positions into parts; they differ by one
// unit at most, which is not divided.
func Equal(n, unit, parts int, dst []Span) []Span {
	units := (n + unit - 1) / unit
	for k := range parts {
		dst = append(dst, Span{units * k / parts * unit, min(n, units*(k+1)/parts*unit)})
	}
	return dst
}

// Along appends, for each row (or column) of tiles, the positions along an axis whose bytes
// begin there. The axis has n positions, stride bytes apart, and at is the lowest byte of any:
// of the layout's hull, or of that in its row. Spans end at whole units. They may be empty; of
// a negative stride they descend.
//
//	cuts 0 16 32, at 4, stride 8, n 5      bytes 4 12 20 28 36: [0,2) [2,4) [4,5)
//
// A position belongs to the tile in which its lowest byte lies, so that each is in one span, whatever the element's
// size. Bounds are rounded to the nearest unit, because a unit, such as a block of a reduction, cannot be divided.
func Along(cuts []int64, at, stride int64, n, unit int, dst []Span) []Span {
	bound := func(k int) int {
		b := 0
		switch {
		case k == len(cuts):
			b = n
		case k > 0:
			b = int(min(int64(n), max(0, ceilDiv(cuts[k]-at, max(stride, -stride)))))
		}
		if stride < 0 {
			b = n - b
		}
		if b < n {
			b = min(n, (b+unit/2)/unit*unit)
		}
		return b
	}
	for k := range cuts {
		lo, hi := bound(k), bound(k+1)
		if stride < 0 {
			lo, hi = hi, lo
		}
		dst = append(dst, Span{lo, hi})
	}
	return dst
}
