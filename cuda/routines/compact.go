package routines

import (
	"fmt"

	"weft/tile"
)

// Compaction: each block counts what is not zero in a part of an array, and, when all have, writes what it has behind
// that of the blocks before it.
//
//	x        0 3 0 4 | 0 0 5 0 | 6 7 0 8      three blocks
//	counts   2         1         3            in scratch memory
//	result   3 4 | 5 | 6 7 8

// compaction is how a routine writes what it has found.
type compaction struct {
	found func(i, to tile.Value)                // element i is the to-th that is not zero
	after func(first, before, total tile.Value) // at the end of a turn of a block; nil where there is nothing to do
}

// compact writes code that finds elements of a memory that are not zero, of which there are to be as many as want says,
// if it is not NoValue.
func (c *code) compact(x tile.Memory, t tile.DType, counts tile.Memory, want tile.Value, how compaction) {
	b := c.blockOf(tile.Add, tile.Int64, tile.IntScalar(tile.Int64, 0))
	zero, one := c.whole(0), c.whole(1)
	threads, blocks, at, n := c.thread(tile.NtidX), c.thread(tile.NctaidX), c.thread(tile.CtaidX), c.Size(x, 0)
	rows, _ := c.over(c.add(n, c.sub(threads, one)), threads)
	per, _ := c.over(c.add(rows, c.sub(blocks, one)), blocks)
	lo := c.mul(at, c.mul(per, threads))
	hi := c.least(n, c.add(lo, c.mul(per, threads)))
	isFirst := c.Do(tile.Eq, c.thread(tile.TidX), zero)
	hit := func(i tile.Value) tile.Value {
		return c.Do(tile.Select, c.Do(tile.Ne, c.Element(x, i), c.Const(tile.Scalar{Type: t})), one, zero)
	}
	count := b.fold(lo, hi, hit)
	c.when(isFirst, func() { c.Put(counts, count, at) })
	c.GridBarrier()
	ofBlock := func(i tile.Value) tile.Value { return c.Element(counts, i) }
	start := b.fold(zero, at, ofBlock)
	found := func(i, v, upTo tile.Value) {
		c.when(c.Do(tile.Ne, v, zero), func() { how.found(i, c.sub(upTo, one)) })
	}
	if want == tile.NoValue {
		b.running(lo, hi, start, hit, found, how.after)
		return
	}
	all := b.fold(zero, blocks, ofBlock)
	c.If(c.Do(tile.Ne, all, want))
	c.first(func() {
		c.Fail(c.Message("RuntimeError", "BUG: {} elements are not zero, but {} were counted"), all, want)
	})
	c.Else()
	b.running(lo, hi, start, hit, found, how.after)
	c.End()
}

// zeroType is the dtype as which elements are compared with zero: every byte of a bool that is not 0 is true.
func zeroType(t tile.DType) tile.DType {
	if t == tile.Bool {
		return tile.Uint8
	}
	return t
}

// nonzero writes the coordinates of what it finds.
func nonzero(s *plan) (*tile.Launch, error) {
	shape, axes := s.l.Args[0].Shape, len(s.l.Args)-1
	if axes < 1 || len(shape) != axes {
		return nil, fmt.Errorf("shape %v and %d results; want one for each axis", shape, axes)
	}
	s.flat(0)
	for k := range axes {
		if s.flat(1 + k); s.elements(1+k) != s.elements(1) {
			return nil, mismatch(s, 1, 1+k)
		}
	}
	grid := s.grid(s.elements(0), true)
	s.scratch(grid.Blocks[0])
	for _, n := range shape[1:] {
		s.number(n)
	}
	return s.launch(grid, "", func(c *code) {
		t := zeroType(s.typeOf(0))
		x := c.input(t, "x")
		var out []tile.Memory
		var extents []tile.Value
		for range axes {
			out = append(out, c.result(tile.Int64, "coordinates"))
		}
		counts := c.result(tile.Int64, "counts")
		for range axes - 1 {
			extents = append(extents, c.Uniform(tile.Int64))
		}
		c.compact(x, t, counts, c.Size(out[0], 0), compaction{found: func(i, to tile.Value) {
			for axis := axes - 1; axis > 0; axis-- {
				var rest tile.Value
				i, rest = c.over(i, extents[axis-1])
				c.Put(out[axis], rest, to)
			}
			c.Put(out[0], i, to)
		}})
	})
}

// compress copies rows to those that follow each other.
func compress(s *plan) (*tile.Launch, error) {
	return s.rows(func(c *code) rowsCode {
		t, mask := copied(s.typeOf(0)), zeroType(s.typeOf(1))
		x, by, out := c.Array(tile.In, t, 2, "x"), c.input(mask, "mask"), c.Array(tile.Out, t, 2, "out")
		return rowsCode{by, mask, x, c.Size(out, 0), func(i, to, column tile.Value) { c.Put(out, c.Element(x, i, column), to, column) }}
	})
}

// expand is compress backwards; the rows of values repeat where that is asked for.
func expand(s *plan) (*tile.Launch, error) {
	return s.rows(func(c *code) rowsCode {
		t, mask := copied(s.typeOf(0)), zeroType(s.typeOf(1))
		x, by, values := c.Array(tile.Update, t, 2, "x"), c.input(mask, "mask"), c.Array(tile.In, t, 2, "values")
		rows, want, from := c.Size(values, 0), c.Size(values, 0), func(k tile.Value) tile.Value { return k }
		if s.attr("repeat") != 0 {
			want, from = tile.NoValue, func(k tile.Value) tile.Value { return c.Do(tile.Rem, k, rows) }
		}
		return rowsCode{by, mask, x, want, func(i, k, column tile.Value) { c.Put(x, c.Element(values, from(k), column), i, column) }}
	})
}

// rowsCode says what is done with rows that a mask has: copy an element of row i, which is the k-th of them.
type rowsCode struct {
	by   tile.Memory
	mask tile.DType
	of   tile.Memory
	want tile.Value
	copy func(i, k, column tile.Value)
}

// rows copies rows of the first operand, or into them, to or from those of the third which follow each other, where the
// mask that is the second has them: of one element each by the thread that has found it, of more by all threads of the
// block, which tell each other what they have found.
func (s *plan) rows(build func(c *code) rowsCode) (*tile.Launch, error) {
	n := s.elements(1)
	row := s.elements(0) / n
	s.reshaped(0, n, row)
	s.flat(1)
	s.reshaped(2, s.elements(2)/row, row)
	grid := s.grid(n, true)
	s.scratch(grid.Blocks[0])
	key := "rows"
	if row == 1 {
		key = "elements"
	}
	return s.launch(grid, key, func(c *code) {
		w := build(c)
		counts, zero := c.result(tile.Int64, "counts"), c.whole(0)
		if row == 1 {
			c.compact(w.by, w.mask, counts, w.want, compaction{found: func(i, to tile.Value) { w.copy(i, to, zero) }})
			return
		}
		row, found := c.Size(w.of, 1), c.Scratch(tile.Shared, tile.Int64, "found", tile.MaxBlockThreads)
		thread, threads := c.thread(tile.TidX), c.thread(tile.NtidX)
		slot := func(to tile.Value) tile.Value { return c.both(to, c.sub(threads, c.whole(1))) } // no two of a turn have the same
		c.compact(w.by, w.mask, counts, w.want, compaction{
			found: func(i, to tile.Value) { c.Put(found, i, slot(to)) },
			after: func(_, before, total tile.Value) {
				c.Barrier()
				c.count(thread, c.mul(total, row), threads, nil, func(k tile.Value, _ []tile.Value) []tile.Value {
					hit, column := c.over(k, row)
					to := c.add(before, hit)
					w.copy(c.Element(found, slot(to)), to, column)
					return nil
				})
				c.Barrier()
			},
		})
	})
}
