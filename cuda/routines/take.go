package routines

import "weft/tile"

// takeAlong looks for an index that means no place, and takes elements if there is none.
func takeAlong(s *plan) (*tile.Launch, error) {
	axis := int(s.attr("axis"))
	outer, n, inner := tile.Around(s.l.Args[0].Shape, axis)
	_, m, _ := tile.Around(s.l.Args[1].Shape, axis)
	s.reshaped(0, outer, n, inner)
	s.flat(1)
	s.flat(2)
	if outer*m*inner != s.elements(1) || s.elements(1) != s.elements(2) {
		return nil, mismatch(s, 1, 2)
	}
	s.scratch(1)
	s.number(m)
	return s.launch(s.grid(s.elements(1), true), "", func(c *code) {
		t := copied(s.typeOf(0))
		x, at, out, bad := c.Array(tile.In, t, 3, "x"), c.input(tile.Int64, "indices"), c.result(t, "out"), c.result(tile.Int64, "bad")
		m, n, inner, all, zero := c.Uniform(tile.Int64), c.Size(x, 1), c.Size(x, 2), c.Size(at, 0), c.whole(0)
		c.first(func() { c.Put(bad, all, zero) })
		c.GridBarrier()
		c.outside(all, n, func(i tile.Value) tile.Value { return c.Element(at, i) }, bad, zero)
		c.GridBarrier()
		where := c.Element(bad, zero)
		c.If(c.less(where, all))
		c.first(func() {
			c.Fail(c.Message("IndexError", "index {} is out of bounds for axis {} with size {}"), c.Element(at, where), c.whole(int64(axis)), n)
		})
		c.Else()
		c.each(all, func(k tile.Value) {
			row, column := c.over(k, inner)
			outer, _ := c.over(row, m)
			i := c.Element(at, k)
			i = c.Do(tile.Select, c.less(i, zero), c.add(i, n), i)
			c.Put(out, c.Element(x, outer, i, column), k)
		})
		c.End()
	})
}
