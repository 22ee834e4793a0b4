package routines

import (
	"fmt"

	"weft/tile"
)

// fewBins is how many bins a block counts in its shared memory, before it adds what it has to the result: threads that
// count in the same bin wait for each other there less.
const fewBins = 4096

// tally has each thread count some of n elements in bins, the last operand. The counters of blocks have 32 bits, which
// is enough for fewer elements. Build declares the other operands, and returns the code that counts an element: it
// gives one with the bin.
func (s *plan) tally(n int, key string, build func(c *code) func(i tile.Value, one func(bin tile.Value))) (*tile.Launch, error) {
	bins := s.elements(len(s.l.Args) - 1)
	few, many := bins <= fewBins && int64(n) < 1<<32, "many"
	if few {
		many = "few"
	}
	s.number(n)
	return s.launch(s.grid(max(n, bins), true), key+many, func(c *code) {
		of := build(c)
		out, all, one := c.result(tile.Int64, "counts"), c.Uniform(tile.Int64), c.whole(1)
		bins := c.Size(out, 0)
		c.each(bins, func(i tile.Value) { c.Put(out, c.whole(0), i) })
		if !few {
			c.GridBarrier()
			c.each(all, func(i tile.Value) { of(i, func(bin tile.Value) { c.Atomic(tile.AtomicAdd, out, one, bin) }) })
			return
		}
		own, none := c.Scratch(tile.Shared, tile.Uint32, "own", fewBins), c.Const(tile.UintScalar(tile.Uint32, 0))
		inBlock := func(body func(i tile.Value)) {
			c.count(c.thread(tile.TidX), bins, c.thread(tile.NtidX), nil, func(i tile.Value, _ []tile.Value) []tile.Value { body(i); return nil })
		}
		inBlock(func(i tile.Value) { c.Put(own, none, i) })
		c.GridBarrier()
		c.each(all, func(i tile.Value) {
			of(i, func(bin tile.Value) { c.Atomic(tile.AtomicAdd, own, c.Const(tile.UintScalar(tile.Uint32, 1)), bin) })
		})
		c.Barrier()
		inBlock(func(i tile.Value) {
			n := c.Element(own, i)
			c.when(c.Do(tile.Ne, n, none), func() { c.Atomic(tile.AtomicAdd, out, c.Cast(tile.Int64, n), i) })
		})
	})
}

// bincount counts numbers in bins of their own.
func bincount(s *plan) (*tile.Launch, error) {
	s.flat(0)
	s.flat(1)
	bins := s.elements(1)
	s.number(bins)
	return s.tally(s.elements(0), "", func(c *code) func(i tile.Value, one func(bin tile.Value)) {
		x, bins := c.input(tile.Int64, "x"), c.Uniform(tile.Int64)
		return func(i tile.Value, one func(bin tile.Value)) {
			v := c.Element(x, i)
			c.If(c.both(c.Do(tile.Ge, v, c.whole(0)), c.less(v, bins)))
			one(v)
			c.Else()
			c.Fail(c.Message("RuntimeError", "BUG: {} has no bin"), v)
			c.End()
		}
	})
}

// histogram counts the elements that lie between edges: where all bins have one width, these are asked for by that, and
// then corrected, as NumPy does; else they are looked for by halving.
func histogram(s *plan) (*tile.Launch, error) {
	t, width := s.typeOf(0), s.l.Uniforms[0]
	if s.elements(1) != s.elements(2)+1 || s.typeOf(1) != t {
		return nil, fmt.Errorf("%d edges of %v for %d bins of %v; want one more", s.elements(1), s.typeOf(1), s.elements(2), t)
	}
	s.flat(0)
	s.flat(1)
	s.flat(2)
	even, key := width.Float() > 0, "edges "
	if even {
		key = "widths "
	}
	s.uniforms = append(s.uniforms, width)
	return s.tally(s.elements(0), key, func(c *code) func(i tile.Value, one func(bin tile.Value)) {
		x, edges, width := c.input(t, "x"), c.input(t, "edges"), c.Cast(t, c.Uniform(tile.Float64))
		n, zero, one := c.sub(c.Size(edges, 0), c.whole(1)), c.whole(0), c.whole(1)
		least, greatest := c.Element(edges, zero), c.Element(edges, n)
		find := func(v tile.Value) tile.Value {
			ends := c.loop([]tile.Value{zero, n}, func(now []tile.Value) tile.Value { return c.less(c.add(now[0], one), now[1]) }, func(now []tile.Value) []tile.Value {
				middle := c.Do(tile.Shr, c.add(now[0], now[1]), one)
				left := c.Do(tile.Le, c.Element(edges, middle), v)
				return []tile.Value{c.Do(tile.Select, left, middle, now[0]), c.Do(tile.Select, left, now[1], middle)}
			})
			return ends[0]
		}
		if even {
			find = func(v tile.Value) tile.Value {
				part := c.mul(c.Do(tile.Div, c.sub(v, least), width), c.Cast(t, n))
				i := c.least(c.Cast(tile.Int64, part), c.sub(n, one))
				under := c.less(v, c.Element(edges, i))
				above := c.both(c.less(i, c.sub(n, one)), c.Do(tile.Ge, v, c.Element(edges, c.add(i, one))))
				up := c.Do(tile.Select, above, c.add(i, one), i)
				return c.Do(tile.Select, under, c.sub(i, one), up)
			}
		}
		return func(i tile.Value, count func(bin tile.Value)) {
			v := c.Element(x, i)
			c.when(c.both(c.Do(tile.Ge, v, least), c.Do(tile.Le, v, greatest)), func() { count(find(v)) })
		}
	})
}

// unweighted leaves sums of weights to the host.
func unweighted(p *tile.Program) string { return weightless(p, 2) }

func unweightedHistogram(p *tile.Program) string { return weightless(p, 3) }

func weightless(p *tile.Program, operands int) string {
	if len(p.Params) > operands {
		return "sums of weights depend on their order"
	}
	return ""
}
