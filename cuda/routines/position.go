package routines

import (
	"fmt"

	"weft/tile"
)

// position has each thread look through a part of a row or column, every so many elements, until it has found the
// element. Of the parts of one the least place stays.
func position(s *plan) (*tile.Launch, error) {
	shape := s.l.Args[0].Shape
	if len(shape) != 3 || s.elements(1) != shape[0]*shape[2] || s.elements(2) != shape[0]*shape[2] {
		return nil, fmt.Errorf("shapes %v, %v and %v; want three axes, and an element for the first and the last", shape, s.l.Args[1].Shape, s.l.Args[2].Shape)
	}
	s.reshaped(0, shape...)
	s.flat(1)
	s.flat(2)
	lanes := shape[0] * shape[2]
	parts := max(1, min(s.together()/lanes, shape[1]))
	s.number(parts)
	return s.launch(s.grid(lanes*parts, true), "", func(c *code) {
		t := s.typeOf(0)
		x, best, out := c.Array(tile.In, t, 3, "x"), c.input(t, "best"), c.result(tile.Int64, "out")
		parts := c.Uniform(tile.Int64)
		n, inner, lanes := c.Size(x, 1), c.Size(x, 2), c.Size(out, 0)
		c.each(lanes, func(i tile.Value) { c.Put(out, n, i) })
		c.GridBarrier()
		c.each(c.mul(lanes, parts), func(u tile.Value) {
			row, column := c.over(u, inner)
			outer, part := c.over(row, parts)
			lane := c.add(c.mul(outer, inner), column)
			wanted := c.Element(best, lane)
			found := c.loop([]tile.Value{part, c.Const(tile.BoolScalar(false))}, func(now []tile.Value) tile.Value {
				return c.both(c.less(now[0], n), c.Do(tile.Not, now[1]))
			}, func(now []tile.Value) []tile.Value {
				v := c.Element(x, outer, now[0], column)
				is := c.Do(tile.Eq, v, wanted)
				if t.Is(tile.KindFloat) {
					is = c.Do(tile.Or, is, c.Do(tile.Ne, v, v))
				}
				return []tile.Value{c.Do(tile.Select, is, now[0], c.add(now[0], parts)), is}
			})
			c.when(found[1], func() { c.Atomic(tile.AtomicMin, out, found[0], lane) })
		})
	})
}

// compared leaves to the host what the CPU's position has no row for, either.
func compared(p *tile.Program) string {
	if t := p.Params[0].Type; t == tile.Float16 || t.Is(tile.KindComplex) {
		return "there is no position of " + t.String()
	}
	return ""
}

// extremes has each thread find the least and the greatest of some indices.
func extremes(s *plan) (*tile.Launch, error) {
	s.flat(0)
	s.flat(1)
	return s.launch(s.grid(s.elements(0), true), "", func(c *code) {
		at, out := c.input(tile.Int64, "indices"), c.result(tile.Int64, "ends")
		zero, one := c.whole(0), c.whole(1)
		start := c.Element(at, zero)
		c.first(func() {
			c.Put(out, start, zero)
			c.Put(out, start, one)
		})
		c.GridBarrier()
		i, step := c.place()
		ends := c.count(i, c.Size(at, 0), step, []tile.Value{start, start}, func(i tile.Value, now []tile.Value) []tile.Value {
			v := c.Element(at, i)
			return []tile.Value{c.least(now[0], v), c.Do(tile.Max, now[1], v)}
		})
		c.when(c.less(ends[0], start), func() { c.Atomic(tile.AtomicMin, out, ends[0], zero) })
		c.when(c.less(start, ends[1]), func() { c.Atomic(tile.AtomicMax, out, ends[1], one) })
	})
}

// beyond finds the place of the first index that lies outside, and then the index. There is one; else the last one is
// told.
func beyond(s *plan) (*tile.Launch, error) {
	s.flat(0)
	s.flat(1)
	s.uniforms = s.l.Uniforms
	return s.launch(s.grid(s.elements(0), true), "", func(c *code) {
		at, out := c.input(tile.Int64, "indices"), c.result(tile.Int64, "index")
		n, zero := c.Uniform(tile.Int64), c.whole(0)
		c.first(func() { c.Put(out, c.Size(at, 0), zero) })
		c.GridBarrier()
		c.outside(c.Size(at, 0), n, func(i tile.Value) tile.Value { return c.Element(at, i) }, out, zero)
		c.GridBarrier()
		c.first(func() {
			c.Put(out, c.Element(at, c.least(c.Element(out, zero), c.sub(c.Size(at, 0), c.whole(1)))), zero)
		})
	})
}

// outside lowers an element of a memory to the first place, below all, of an index that means none of n points, where
// there is such an index.
func (c *code) outside(all, n tile.Value, index func(i tile.Value) tile.Value, bad tile.Memory, at tile.Value) {
	i, step := c.place()
	low := c.Do(tile.Neg, n)
	first := c.loop([]tile.Value{i, c.Const(tile.BoolScalar(false))}, func(now []tile.Value) tile.Value {
		return c.both(c.less(now[0], all), c.Do(tile.Not, now[1]))
	}, func(now []tile.Value) []tile.Value {
		v := index(now[0])
		beyond := c.Do(tile.Or, c.less(v, low), c.Do(tile.Ge, v, n))
		return []tile.Value{c.Do(tile.Select, beyond, now[0], c.add(now[0], step)), beyond}
	})
	c.when(first[1], func() { c.Atomic(tile.AtomicMin, bad, first[0], at) })
}
