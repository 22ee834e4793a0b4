package routines

import "weft/tile"

// Distinct elements are found in the results' own memory. The values are sorted there; then all threads take some of
// them, say which differ from the one in front, and, when all have, write these behind those that were found before.
//
//	sorted   1 1 2 5 | 5 5 7 8     each thread has an element of the first window, then of the second
//	         1 2 5             .
//	         1 2 5 7 8
//
// Which value each element is, and where a value is first, is looked for in what has been found: elements that are
// equal are one, and stand for the first of them.

// apartOnHost leaves to the host what needs a number for each NaN.
func apartOnHost(p *tile.Program) string {
	given := func(name string) bool {
		v, _ := p.Attr(name)
		return v.Int() != 0
	}
	if given("apart") && p.Params[0].Type.Is(tile.KindFloat) && (given("index") || given("inverse")) {
		return "GPUs do not tell NaNs apart"
	}
	return ordered(p)
}

// unique has all blocks sort, and find.
func unique(s *plan) (*tile.Launch, error) {
	n := s.elements(0)
	s.reshaped(0, 1, n)
	s.reshaped(1, 1, n)
	for operand := 2; operand < len(s.l.Args); operand++ {
		if s.flat(operand); operand > 2 && s.elements(operand) != n {
			return nil, mismatch(s, 0, operand)
		}
	}
	grid := s.grid(n, true)
	s.scratch(2*grid.Blocks[0] + 2)
	return s.launch(grid, "", func(c *code) {
		w := newFinder(c, s)
		w.sortRow(w.zero, nil)
		total := w.compact()
		c.first(func() { c.Put(w.count, total, w.zero) })
		if w.counts != none {
			c.GridBarrier()
			w.lengths(total)
		}
		if w.index != none || w.inverse != none {
			w.number(total)
		}
	})
}

// finder is the code of unique; the sorter's result is the values.
type finder struct {
	*sorter
	alike                  order // for which elements are equal that are one
	apart                  bool  // but for NaNs
	count                  tile.Memory
	index, inverse, counts tile.Memory // none where they are not wanted
	words                  tile.Memory // what blocks tell each other, twice; and where zero and a NaN are first
	place, threads         tile.Value  // the thread's number in the grid, and how many there are
	blocks                 tile.Value
}

func newFinder(c *code, s *plan) *finder {
	w := &finder{sorter: newSorter(c, s, false), alike: orderOf(s.typeOf(0), false), apart: s.attr("apart") != 0 && s.typeOf(0).Is(tile.KindFloat),
		index: none, inverse: none, counts: none, count: c.result(tile.Int64, "count")}
	for _, wanted := range []struct {
		name string
		to   *tile.Memory
	}{{"index", &w.index}, {"inverse", &w.inverse}, {"counts", &w.counts}} {
		if s.attr(wanted.name) != 0 {
			*wanted.to = c.result(tile.Int64, wanted.name)
		}
	}
	w.words = c.result(tile.Int64, "words")
	w.place, w.threads = c.place()
	w.blocks = c.thread(tile.NctaidX)
	return w
}

// value is a value at a place of the sorted row.
func (w *finder) value(i tile.Value) tile.Value { return w.Element(w.out, w.zero, i) }

// windows has each thread take one of the numbers below n at a time, as long as there are any for a thread of the grid:
// body gets it, and whether it is below n.
func (w *finder) windows(n tile.Value, first []tile.Value, body func(i, inside tile.Value, now []tile.Value) []tile.Value) []tile.Value {
	return w.code.count(w.zero, n, w.threads, first, func(lo tile.Value, now []tile.Value) []tile.Value {
		i := w.add(lo, w.place)
		return body(i, w.less(i, n), now)
	})
}

// compact moves values that differ from the one in front behind each other, and returns how many there are.
func (w *finder) compact() (total tile.Value) {
	b := w.blockOf(tile.Add, tile.Int64, tile.IntScalar(tile.Int64, 0))
	nothing := w.Const(tile.Scalar{Type: w.order.bits})
	block, isFirst := w.tile, w.Do(tile.Eq, w.thread, w.zero)
	end := w.windows(w.n, []tile.Value{w.zero, w.zero}, func(i, inside tile.Value, now []tile.Value) []tile.Value {
		total, half := now[0], now[1]
		w.If(inside)
		there := w.value(i)
		begins := w.begins(i, there)
		w.End()
		v, new := w.Merge(there, nothing), w.Merge(begins, w.zero)
		upTo, ofBlock := b.scan(new)
		w.when(isFirst, func() { w.Put(w.words, ofBlock, w.add(half, block)) })
		w.GridBarrier()
		word := func(k tile.Value) tile.Value { return w.Element(w.words, w.add(half, k)) }
		to := w.add(w.add(total, b.fold(w.zero, block, word)), w.sub(upTo, w.one))
		all := b.fold(w.zero, w.blocks, word)
		w.when(w.Do(tile.Ne, new, w.zero), func() {
			w.when(w.Do(tile.Ne, to, i), func() { w.Put(w.out, v, w.zero, to) }) // the next window looks at the last one of this
			if w.counts != none {
				w.Put(w.counts, i, to)
			}
		})
		return []tile.Value{w.add(total, all), w.sub(w.blocks, half)}
	})
	return end[0]
}

// begins is 1 where an element of the sorted row is another one than that in front, else 0.
func (w *finder) begins(i, v tile.Value) tile.Value {
	rank, yes := w.rank(w.alike, v), w.Const(tile.BoolScalar(true))
	w.If(w.less(w.zero, i))
	other := w.Do(tile.Ne, w.rank(w.alike, w.value(w.sub(i, w.one))), rank)
	if w.apart {
		other = w.Do(tile.Or, other, w.Do(tile.Gt, rank, w.Const(tile.IntScalar(w.alike.bits, w.alike.infinity))))
	}
	w.End()
	return w.Do(tile.Select, w.Merge(other, yes), w.one, w.zero)
}

// lengths makes of where values begin how often they occur.
func (w *finder) lengths(total tile.Value) {
	w.windows(total, nil, func(i, inside tile.Value, _ []tile.Value) []tile.Value {
		w.If(inside)
		begin := w.Element(w.counts, i)
		w.If(w.less(w.add(i, w.one), total))
		next := w.Element(w.counts, w.add(i, w.one))
		w.End()
		length := w.sub(w.Merge(next, w.n), begin)
		w.End()
		n := w.Merge(length, w.zero)
		w.GridBarrier()
		w.when(inside, func() { w.Put(w.counts, n, i) })
		return nil
	})
}

// number finds out which value each element is, and where each is first, and has the values be these.
func (w *finder) number(total tile.Value) {
	floats := w.alike.infinity != 0
	var firsts [2]tile.Value // where zero and a NaN are first, in words
	if w.index != none {
		w.each(total, func(k tile.Value) { w.Put(w.index, w.n, k) })
	} else if floats {
		for k := range firsts {
			firsts[k] = w.add(w.add(w.blocks, w.blocks), w.whole(int64(k)))
			w.code.first(func() { w.Put(w.words, w.n, firsts[k]) })
		}
	}
	w.GridBarrier()
	start := []tile.Value{w.n, w.n} // where the thread has found the special ones
	if w.index != none {
		start = []tile.Value{w.n} // which value the thread has found last, of which it has told an element before
	} else if !floats {
		start = nil
	}
	found := w.code.count(w.place, w.n, w.threads, start, func(i tile.Value, now []tile.Value) []tile.Value {
		rank := w.rank(w.alike, w.Element(w.x, w.zero, i))
		value := w.find(rank, total)
		if w.inverse != none {
			w.Put(w.inverse, value, i)
		}
		if w.index != none {
			w.when(w.Do(tile.Ne, value, now[0]), func() { w.Atomic(tile.AtomicMin, w.index, i, value) })
			return []tile.Value{value}
		}
		if !floats {
			return nil
		}
		var next []tile.Value
		for k, of := range w.special() {
			next = append(next, w.Do(tile.Select, w.Do(tile.Eq, rank, of), w.least(now[k], i), now[k]))
		}
		return next
	})
	if w.index == none && !floats {
		return
	}
	if w.index == none {
		for k, i := range found {
			w.when(w.less(i, w.n), func() { w.Atomic(tile.AtomicMin, w.words, i, firsts[k]) })
		}
	}
	w.GridBarrier()
	if w.index != none {
		w.each(total, func(k tile.Value) { w.Put(w.out, w.Element(w.x, w.zero, w.Element(w.index, k)), w.zero, k) })
		return
	}
	w.code.first(func() {
		for k, of := range w.special() {
			i := w.Element(w.words, firsts[k])
			w.when(w.less(i, w.n), func() { w.Put(w.out, w.Element(w.x, w.zero, i), w.zero, w.find(of, total)) })
		}
	})
}

// special are the ranks of floats that several bits have: zero's and a NaN's.
func (w *finder) special() [2]tile.Value {
	return [2]tile.Value{w.Const(tile.IntScalar(w.alike.bits, 0)), w.Const(tile.IntScalar(w.alike.bits, w.alike.infinity+1))}
}

// find is the number of the value of a rank.
func (w *finder) find(rank, total tile.Value) tile.Value {
	return w.loop([]tile.Value{w.zero, total}, func(now []tile.Value) tile.Value { return w.less(now[0], now[1]) }, func(now []tile.Value) []tile.Value {
		middle := w.half(w.add(now[0], now[1]))
		before := w.less(w.rank(w.alike, w.value(middle)), rank)
		return []tile.Value{w.Do(tile.Select, before, w.add(middle, w.one), now[0]), w.Do(tile.Select, before, now[1], middle)}
	})[0]
}
