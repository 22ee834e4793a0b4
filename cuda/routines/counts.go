package routines

import "weft/tile"

// fewBins is how many bins a block counts in its shared memory, before it adds what it has to the result: threads that
// count in the same bin wait for each other there less.
const fewBins = 4096

// bincount has each thread count some numbers. The counters of blocks have 32 bits, which is enough for fewer elements.
func bincount(s *plan) (*tile.Launch, error) {
	s.flat(0)
	s.flat(1)
	few, key := s.elements(1) <= fewBins && int64(s.elements(0)) < 1<<32, "many"
	if few {
		key = "few"
	}
	return s.launch(s.grid(max(s.elements(0), s.elements(1)), true), key, func(c *code) {
		x, out := c.input(tile.Int64, "x"), c.result(tile.Int64, "counts")
		bins, one := c.Size(out, 0), c.whole(1)
		c.each(bins, func(i tile.Value) { c.Put(out, c.whole(0), i) })
		numbers := func(body func(v tile.Value)) {
			c.each(c.Size(x, 0), func(i tile.Value) {
				v := c.Element(x, i)
				c.If(c.both(c.Do(tile.Ge, v, c.whole(0)), c.less(v, bins)))
				body(v)
				c.Else()
				c.Fail(c.Message("RuntimeError", "BUG: {} has no bin"), v)
				c.End()
			})
		}
		if !few {
			c.GridBarrier()
			numbers(func(v tile.Value) { c.Atomic(tile.AtomicAdd, out, one, v) })
			return
		}
		own, none := c.Scratch(tile.Shared, tile.Uint32, "own", fewBins), c.Const(tile.UintScalar(tile.Uint32, 0))
		inBlock := func(body func(i tile.Value)) {
			c.count(c.thread(tile.TidX), bins, c.thread(tile.NtidX), nil, func(i tile.Value, _ []tile.Value) []tile.Value { body(i); return nil })
		}
		inBlock(func(i tile.Value) { c.Put(own, none, i) })
		c.GridBarrier()
		numbers(func(v tile.Value) { c.Atomic(tile.AtomicAdd, own, c.Const(tile.UintScalar(tile.Uint32, 1)), v) })
		c.Barrier()
		inBlock(func(i tile.Value) {
			n := c.Element(own, i)
			c.when(c.Do(tile.Ne, n, none), func() { c.Atomic(tile.AtomicAdd, out, c.Cast(tile.Int64, n), i) })
		})
	})
}

// unweighted leaves sums of weights to the host.
func unweighted(p *tile.Program) string {
	if len(p.Params) > 2 {
		return "sums of weights depend on their order"
	}
	return ""
}
