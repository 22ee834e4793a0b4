package routines

import (
	"math"

	"weft/tile"
)

// combination is an operation that running combinations are made of.
type combination struct {
	op      tile.Opcode
	neutral func(t tile.DType) tile.Scalar
}

// combinations are those of integers, by routine.
var combinations = map[string]combination{
	"scan.add":      {tile.Add, func(t tile.DType) tile.Scalar { return tile.IntScalar(t, 0) }},
	"scan.multiply": {tile.Mul, func(t tile.DType) tile.Scalar { return tile.IntScalar(t, 1) }},
	"scan.maximum":  {tile.Max, func(t tile.DType) tile.Scalar { return end(t, false) }},
	"scan.minimum":  {tile.Min, func(t tile.DType) tile.Scalar { return end(t, true) }},
}

// end is the greatest integer of a dtype, or the least.
func end(t tile.DType, greatest bool) tile.Scalar {
	bits := uint(8 * t.Size())
	switch {
	case t.Is(tile.KindUint) && greatest:
		return tile.UintScalar(t, math.MaxUint64>>(64-bits))
	case t.Is(tile.KindUint):
		return tile.UintScalar(t, 0)
	case greatest:
		return tile.IntScalar(t, 1<<(bits-1)-1)
	}
	return tile.IntScalar(t, -1<<(bits-1))
}

// Scans are cut where there are few rows or columns: what each part comes to is known when all have been folded, and
// each part then goes on from those before it.
//
//	row      1 2 3 4 | 5 6 7 8 | 9 10 11 12
//	folded   10        26        42             in scratch memory
//	starts   0         10        36

// scan of integers has a block for each part of a row, or, where elements of several columns lie side by side, a thread
// for each part of a column.
func scan(s *plan) (*tile.Launch, error) {
	outer, n, inner := tile.Around(s.l.Args[0].Shape, int(s.attr("axis")))
	if s.typeOf(0).Is(tile.KindFloat | tile.KindComplex) {
		return s.scanChains(outer, n, inner)
	}
	if inner == 1 {
		s.reshaped(0, outer, n)
		s.reshaped(1, outer, n)
		return s.scanRows(outer, n)
	}
	s.reshaped(0, outer, n, inner)
	s.reshaped(1, outer, n, inner)
	return s.scanColumns(outer, n, inner)
}

// scanRows scans rows that lie one behind the other.
func (s *plan) scanRows(rows, n int) (*tile.Launch, error) {
	grid := s.grid(n, false)
	parts := 1
	if wide := grid.Threads[0]; rows < s.site.Blocks && n > 2*wide {
		parts = min(s.site.Blocks/rows, (n+wide-1)/wide)
		grid.Blocks[0] = min(s.site.Blocks, rows*parts)
	} else {
		grid.Blocks[0] = min(rows, s.site.Blocks*apart*s.site.Threads/wide)
	}
	return s.scanParts(grid, 2, rows, parts, "rows", func(c *code, x, out, folded tile.Memory, of combination, t tile.DType) {
		b := c.blockOf(of.op, t, of.neutral(t))
		zero, one := c.whole(0), c.whole(1)
		rows, n := c.Size(x, 0), c.Size(x, 1)
		parts, per := one, n
		if folded != none {
			parts = c.Size(folded, 1)
			per, _ = c.over(c.add(n, c.sub(parts, one)), parts)
		}
		units := func(body func(row, part, lo, hi tile.Value)) {
			c.count(c.thread(tile.CtaidX), c.mul(rows, parts), c.thread(tile.NctaidX), nil, func(u tile.Value, _ []tile.Value) []tile.Value {
				row, part := c.over(u, parts)
				lo := c.least(n, c.mul(part, per))
				body(row, part, lo, c.least(n, c.add(lo, per)))
				return nil
			})
		}
		if folded != none {
			units(func(row, part, lo, hi tile.Value) {
				all := b.fold(lo, hi, func(i tile.Value) tile.Value { return c.Element(x, row, i) })
				c.when(c.Do(tile.Eq, c.thread(tile.TidX), zero), func() { c.Put(folded, all, row, part) })
			})
			c.GridBarrier()
		}
		units(func(row, part, lo, hi tile.Value) {
			start := b.neutral
			if folded != none {
				start = b.fold(zero, part, func(i tile.Value) tile.Value { return c.Element(folded, row, i) })
			}
			b.running(lo, hi, start, func(i tile.Value) tile.Value { return c.Element(x, row, i) },
				func(i, _, upTo tile.Value) { c.Put(out, upTo, row, i) }, nil)
		})
	})
}

// leastColumn is how many elements of a column a part of it has at least.
const leastColumn = 32

// scanColumns scans columns of rows that lie one behind the other.
func (s *plan) scanColumns(outer, n, inner int) (*tile.Launch, error) {
	columns, parts := outer*inner, 1
	if most := min(s.together(), scratchWords); columns <= most/2 && n > 2*leastColumn {
		parts = min(most/columns, n/leastColumn)
	}
	return s.scanParts(s.grid(columns*parts, parts > 1), 3, columns, parts, "columns", func(c *code, x, out, folded tile.Memory, of combination, t tile.DType) {
		neutral, one := c.Const(of.neutral(t)), c.whole(1)
		n, inner := c.Size(x, 1), c.Size(x, 2)
		columns, parts, per := c.mul(c.Size(x, 0), inner), one, n
		if folded != none {
			parts = c.Size(folded, 1)
			per, _ = c.over(c.add(n, c.sub(parts, one)), parts)
		}
		units := func(body func(column, part tile.Value, along func(start tile.Value, each func(row, place, column, now tile.Value)) tile.Value)) {
			c.each(c.mul(columns, parts), func(u tile.Value) {
				part, column := c.over(u, columns) // neighbours in memory are neighbours for threads
				row, at := c.over(column, inner)
				lo := c.least(n, c.mul(part, per))
				body(column, part, func(start tile.Value, each func(row, place, column, now tile.Value)) tile.Value {
					return c.count(lo, c.least(n, c.add(lo, per)), one, []tile.Value{start}, func(i tile.Value, now []tile.Value) []tile.Value {
						v := c.Do(of.op, now[0], c.Element(x, row, i, at))
						each(row, i, at, v)
						return []tile.Value{v}
					})[0]
				})
			})
		}
		if folded != none {
			units(func(column, part tile.Value, along func(tile.Value, func(_, _, _, _ tile.Value)) tile.Value) {
				c.Put(folded, along(neutral, func(_, _, _, _ tile.Value) {}), column, part)
			})
			c.GridBarrier()
		}
		units(func(column, part tile.Value, along func(tile.Value, func(_, _, _, _ tile.Value)) tile.Value) {
			start := neutral
			if folded != none {
				start = c.count(c.whole(0), part, one, []tile.Value{neutral}, func(i tile.Value, now []tile.Value) []tile.Value {
					return []tile.Value{c.Do(of.op, now[0], c.Element(folded, column, i))}
				})[0]
			}
			along(start, func(row, i, at, v tile.Value) { c.Put(out, v, row, i, at) })
		})
	})
}

// none is no memory.
const none = tile.Memory(math.MaxInt32)

// scanParts launches a scan of arrays of so many axes; folded is what parts have come to, for each of so many lanes, or
// none where each is one part.
func (s *plan) scanParts(grid tile.Grid, axes, lanes, parts int, key string, build func(c *code, x, out, folded tile.Memory, of combination, t tile.DType)) (*tile.Launch, error) {
	of, t := combinations[s.r.p.Routine], zeroType(s.typeOf(0))
	if parts > 1 {
		key += " in parts"
		s.table(t, lanes, parts)
	}
	return s.launch(grid, key, func(c *code) {
		x, out, folded := c.Array(tile.In, t, axes, "x"), c.Array(tile.Out, t, axes, "out"), none
		if parts > 1 {
			folded = c.Array(tile.Out, t, 2, "folded")
		}
		build(c, x, out, folded, of, t)
	})
}
