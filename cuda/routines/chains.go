package routines

import "weft/tile"

// Running combinations of floats depend on their order, which is the CPU's (cpu/routines/scan.go): one element after
// the other, each axis being a chain; a row of more than two blocks is a chain for each block, which starts with what
// all earlier blocks come to, combined in order. So there is one thread for a chain, and the other threads of its block
// bring it the elements, and write what it makes of them.
//
//	x         chain 0   1 2 3 4 | 5 6 7 8 | 9      turns of so many elements, which are in registers one turn ahead
//	          chain 1   1 1 1 1 | 1 1 1 1 | 1
//	shared    1 2 3 4   the threads of the block put an element each
//	          1 1 1 1
//	          1 3 6 10  one thread for each chain goes through it
//	          1 2 3 4

// chainBlock is how many elements a block of a row has, if the row is more than two of them.
const chainBlock = 1 << 16

// leastWide is how many elements of a chain a turn has at least; unrolled how many of them a thread reads at once.
const (
	leastWide = tile.WarpSize
	unrolled  = 4
)

// chains is the code of such a scan.
type chains struct {
	*code
	t                  tile.DType
	step               func(now, x tile.Value) tile.Value
	x, out             tile.Memory
	folded             tile.Memory // what the parts of each row come to; none where each is one
	turn               tile.Memory // elements of a turn, by chain, in shared memory
	n, inner           tile.Value  // points along the axis and behind it
	per, parts         tile.Value  // elements of a chain, and chains of a row
	many, chains       tile.Value  // of all rows, and of a block at a time
	wide               tile.Value  // elements of a chain in a turn
	chain, place, slot tile.Value  // of these, the one that the thread brings: whose it is, the how manieth, and where in turn
	thread             tile.Value
	zero, one, nothing tile.Value
}

// scanChains scans floats.
func (s *plan) scanChains(outer, n, inner int) (*tile.Launch, error) {
	per, parts := n, 1
	if inner == 1 && n > 2*chainBlock {
		per = chainBlock
		parts = (n + per - 1) / per
	}
	many := outer * parts * inner
	s.flat(0)
	s.flat(1)
	threads, blocks, meets := s.site.Threads, s.site.Blocks, parts > 1
	if !meets {
		blocks *= apart
	}
	for threads > leastWide && per <= threads/2 && many < blocks {
		threads /= 2
	}
	together := 1
	for together < threads/leastWide && many > together*blocks {
		together *= 2
	}
	key := "chains"
	if meets {
		key = "chains in parts"
		s.table(s.typeOf(0), outer, parts)
	}
	if inner > 1 {
		key += " of columns"
	}
	for _, v := range []int{n, inner, per, parts, many, together} {
		s.number(v)
	}
	grid := tile.Grid{Blocks: [3]int{min(blocks, (many+together-1)/together), 1, 1}, Threads: [3]int{threads, 1, 1}}
	return s.launch(grid, key, func(c *code) {
		t := s.typeOf(0)
		w := &chains{code: c, t: t, step: c.stepOf(s.r.p.Routine, t), x: c.input(t, "x"), out: c.result(t, "out"), folded: none,
			thread: c.thread(tile.TidX), zero: c.whole(0), one: c.whole(1), nothing: c.Const(tile.Scalar{Type: t})}
		if meets {
			w.folded = c.Array(tile.Out, t, 2, "folded")
		}
		w.turn = c.Scratch(tile.Shared, t, "turn", tile.MaxBlockThreads+tile.MaxBlockThreads/leastWide)
		for _, v := range []*tile.Value{&w.n, &w.inner, &w.per, &w.parts, &w.many, &w.chains} {
			*v = c.Uniform(tile.Int64)
		}
		w.wide, _ = c.over(c.thread(tile.NtidX), w.chains)
		if w.chain, w.place = c.over(w.thread, w.wide); inner > 1 { // neighbours in memory are neighbours for threads
			w.place, w.chain = c.over(w.thread, w.chains)
		}
		w.slot = c.add(c.mul(w.chain, c.add(w.wide, w.one)), w.place)
		if meets {
			w.pass(false)
			c.GridBarrier()
		}
		w.pass(true)
	})
}

// stepOf is what one element makes of the combination of those before it.
func (c *code) stepOf(routine string, t tile.DType) func(now, x tile.Value) tile.Value {
	keeps := func(op tile.Opcode) func(now, x tile.Value) tile.Value {
		return func(now, x tile.Value) tile.Value {
			return c.Do(tile.Select, c.Do(tile.Or, c.Do(op, now, x), c.Do(tile.Ne, now, now)), now, x)
		}
	}
	switch {
	case routine == "scan.maximum":
		return keeps(tile.Gt)
	case routine == "scan.minimum":
		return keeps(tile.Lt)
	}
	op, wide := combinations[routine].op, t
	if t == tile.Complex64 { // the CPU rounds sums of products once
		wide = tile.Complex128
	}
	return func(now, x tile.Value) tile.Value {
		return c.Cast(t, c.Do(op, c.Cast(wide, now), c.Cast(wide, x)))
	}
}

// at is where a chain begins in the arrays, how long it is, which row's it is, and which of that. A chain that is none
// has no elements.
func (w *chains) at(chain tile.Value) (begin, length, row, part tile.Value) {
	rest, column := w.over(chain, w.inner)
	row, part = w.over(rest, w.parts)
	lo := w.mul(part, w.per)
	begin = w.add(w.mul(w.add(w.mul(row, w.n), lo), w.inner), column)
	length = w.Do(tile.Select, w.less(chain, w.many), w.least(w.per, w.sub(w.n, lo)), w.zero)
	return begin, length, row, part
}

// pass goes through all chains: to write all of their combinations, or the last one of each as what the part comes to.
// Nothing starts with what the last part of a row does.
func (w *chains) pass(writes bool) {
	groups, _ := w.over(w.add(w.many, w.sub(w.chains, w.one)), w.chains)
	w.count(w.Cast(tile.Int64, w.Thread(tile.CtaidX)), groups, w.Cast(tile.Int64, w.Thread(tile.NctaidX)), nil, func(group tile.Value, _ []tile.Value) []tile.Value {
		first := w.mul(group, w.chains)
		begin, length, _, _ := w.at(w.add(first, w.chain))
		_, own, row, part := w.at(w.add(first, w.thread))
		runs := w.both(w.less(w.thread, w.chains), w.less(w.zero, own))
		fresh, start := w.Const(tile.BoolScalar(true)), w.nothing
		if writes && w.folded != none {
			fresh = w.Do(tile.Eq, part, w.zero)
			w.If(w.both(runs, w.Do(tile.Not, fresh)))
			before := w.count(w.one, part, w.one, []tile.Value{w.Element(w.folded, row, w.zero)}, func(i tile.Value, now []tile.Value) []tile.Value {
				return []tile.Value{w.step(now[0], w.Element(w.folded, row, i))}
			})[0]
			w.End()
			start = w.Merge(before, w.nothing)
		}
		last := w.count(w.zero, w.per, w.wide, []tile.Value{w.load(begin, length, w.place), start}, func(lo tile.Value, now []tile.Value) []tile.Value {
			w.Put(w.turn, now[0], w.slot)
			w.Barrier()
			ahead := w.load(begin, length, w.add(w.add(lo, w.wide), w.place))
			w.If(runs)
			end := w.through(w.least(w.wide, w.sub(own, lo)), w.both(fresh, w.Do(tile.Eq, lo, w.zero)), now[1])
			w.End()
			acc := w.Merge(end, now[1])
			w.Barrier()
			if i := w.add(lo, w.place); writes {
				w.when(w.less(i, length), func() { w.Put(w.out, w.Element(w.turn, w.slot), w.add(begin, w.mul(i, w.inner))) })
			}
			return []tile.Value{ahead, acc}
		})[1]
		if !writes {
			w.when(runs, func() { w.Put(w.folded, last, row, part) })
		}
		return nil
	})
}

// load is an element of a chain, where it has one there.
func (w *chains) load(begin, length, place tile.Value) tile.Value {
	w.If(w.less(place, length))
	there := w.Element(w.x, w.add(begin, w.mul(place, w.inner)))
	w.End()
	return w.Merge(there, w.nothing)
}

// through goes through the first n elements of the thread's chain in this turn, and puts the combinations in their
// place. A chain that is fresh has the first element as it is.
func (w *chains) through(n, fresh, now tile.Value) tile.Value {
	row := w.mul(w.thread, w.add(w.wide, w.one))
	w.If(fresh)
	x := w.Element(w.turn, row)
	w.End()
	now = w.Merge(x, now)
	at := w.Do(tile.Select, fresh, w.one, w.zero)
	end := w.loop([]tile.Value{at, now}, func(now []tile.Value) tile.Value {
		return w.Do(tile.Le, w.add(now[0], w.whole(unrolled)), n)
	}, func(now []tile.Value) []tile.Value {
		var some [unrolled]tile.Value
		at := w.add(row, now[0])
		for k := range some {
			some[k] = w.Element(w.turn, w.add(at, w.whole(int64(k))))
		}
		acc := now[1]
		for k := range some {
			acc = w.step(acc, some[k])
			some[k] = acc
		}
		for k := range some {
			w.Put(w.turn, some[k], w.add(at, w.whole(int64(k))))
		}
		return []tile.Value{w.add(now[0], w.whole(unrolled)), acc}
	})
	return w.count(end[0], n, w.one, end[1:], func(k tile.Value, now []tile.Value) []tile.Value {
		at := w.add(row, k)
		acc := w.step(now[0], w.Element(w.turn, at))
		w.Put(w.turn, acc, at)
		return []tile.Value{acc}
	})[0]
}
