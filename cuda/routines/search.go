package routines

import "weft/tile"

// searchsorted has each thread look for elements by halving.
func searchsorted(s *plan) (*tile.Launch, error) {
	s.flat(0)
	s.flat(1)
	s.flat(2)
	if n, m := s.elements(1), s.elements(2); n != m {
		return nil, mismatch(s, 1, 2)
	}
	return s.launch(s.grid(s.elements(1), false), "", func(c *code) {
		o := orderOf(s.typeOf(0), false)
		sorted, values, out := c.input(o.bits, "a"), c.input(o.bits, "v"), c.result(tile.Int64, "out")
		before := tile.Lt
		if s.attr("right") != 0 {
			before = tile.Le
		}
		n := c.Size(sorted, 0)
		c.each(c.Size(values, 0), func(i tile.Value) {
			wanted := c.rank(o, c.Element(values, i))
			ends := c.loop([]tile.Value{c.whole(0), n}, func(now []tile.Value) tile.Value { return c.less(now[0], now[1]) },
				func(now []tile.Value) []tile.Value {
					middle := c.Do(tile.Shr, c.add(now[0], now[1]), c.whole(1))
					found := c.Do(before, c.rank(o, c.Element(sorted, middle)), wanted)
					return []tile.Value{c.Do(tile.Select, found, c.add(middle, c.whole(1)), now[0]), c.Do(tile.Select, found, now[1], middle)}
				})
			c.Put(out, ends[0], i)
		})
	})
}
