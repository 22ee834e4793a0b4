package routines

import (
	"fmt"

	"weft/tile"
)

// interp has each thread look for the points that places lie between, by halving. Each operation is rounded, as on the
// CPU (cpu/routines/interpolate.c).
func interp(s *plan) (*tile.Launch, error) {
	for operand := range s.l.Args {
		if s.flat(operand); s.typeOf(operand) != tile.Float64 {
			return nil, fmt.Errorf("operand %d is %v; want float64", operand, s.typeOf(operand))
		}
	}
	if s.elements(1) != s.elements(2) {
		return nil, mismatch(s, 1, 2)
	}
	if s.elements(0) != s.elements(3) {
		return nil, mismatch(s, 0, 3)
	}
	if s.uniforms = s.l.Uniforms; len(s.uniforms) != 2 {
		return nil, fmt.Errorf("%d uniforms; want two, for what is left and right of the points", len(s.uniforms))
	}
	return s.launch(s.grid(s.elements(0), false), "", func(c *code) {
		at, x, y, out := c.input(tile.Float64, "at"), c.input(tile.Float64, "x"), c.input(tile.Float64, "y"), c.result(tile.Float64, "out")
		zero, one := c.whole(0), c.whole(1)
		last := c.sub(c.Size(x, 0), one)
		values := [2]tile.Value{c.Element(y, zero), c.Element(y, last)}
		for k, name := range [2]string{"left", "right"} {
			if given := c.Uniform(tile.Float64); s.attr(name) != 0 {
				values[k] = given
			}
		}
		least, greatest := c.Element(x, zero), c.Element(x, last)
		c.each(c.Size(at, 0), func(i tile.Value) {
			v := c.Element(at, i)
			c.Put(out, c.choose(c.less(v, least), func() tile.Value { return values[0] }, func() tile.Value {
				return c.choose(c.Do(tile.Gt, v, greatest), func() tile.Value { return values[1] }, func() tile.Value {
					return c.between(x, y, last, v)
				})
			}), i)
		})
	})
}

// choose is one of two values, of which only the one that is wanted is computed.
func (c *code) choose(holds tile.Value, yes, no func() tile.Value) tile.Value {
	c.If(holds)
	x := yes()
	c.Else()
	y := no()
	c.End()
	return c.Merge(x, y)
}

// between is the value at a place that lies within points (x, y).
func (c *code) between(x, y tile.Memory, last, v tile.Value) tile.Value {
	zero, one := c.whole(0), c.whole(1)
	j := c.loop([]tile.Value{zero, c.add(last, one)}, func(now []tile.Value) tile.Value { return c.less(one, now[1]) }, func(now []tile.Value) []tile.Value {
		half := c.Do(tile.Shr, now[1], one)
		further := c.add(now[0], half)
		return []tile.Value{c.Do(tile.Select, c.Do(tile.Le, c.Element(x, further), v), further, now[0]), c.sub(now[1], half)}
	})[0]
	y0 := func() tile.Value { return c.Element(y, j) }
	return c.choose(c.Do(tile.Eq, last, zero), y0, func() tile.Value {
		return c.choose(c.Do(tile.Ne, v, v), func() tile.Value { return v }, func() tile.Value {
			x0 := c.Element(x, j)
			return c.choose(c.Do(tile.Or, c.Do(tile.Eq, j, last), c.Do(tile.Eq, x0, v)), y0, func() tile.Value {
				next := c.add(j, one)
				y0, x1, y1 := y0(), c.Element(x, next), c.Element(y, next)
				slope := c.Do(tile.Div, c.sub(y1, y0), c.sub(x1, x0))
				from := func(x, y tile.Value) tile.Value { return c.add(c.mul(slope, c.sub(v, x)), y) }
				first := from(x0, y0)
				second := from(x1, y1)
				isNaN := func(v tile.Value) tile.Value { return c.Do(tile.Ne, v, v) }
				second = c.Do(tile.Select, c.both(isNaN(second), c.Do(tile.Eq, y0, y1)), y0, second)
				return c.Do(tile.Select, isNaN(first), second, first)
			})
		})
	})
}
