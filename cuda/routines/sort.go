package routines

import "weft/tile"

// Sorting is by a network: in each pass every element is compared with one other, and the two change places if they are
// in the wrong order. All comparisons have the lesser element in front, so that rows of any length can be sorted: what
// lies behind the end counts as greater than all elements, and would stay there.
//
//	runs of 4, each sorted    a b c d | e f g h
//	mirror                    a with h, b with g, c with f, d with e
//	halves                    a with c, b with d | e with g, f with h
//	                          a with b, c with d | e with f, g with h
//
// Passes within a tile of a row are one block's, in shared memory; between others all threads that sort the row meet.
// The order is total: the exact one, or that of the ranks, and of the places where these are equal. So what comes out
// does not depend on the network, and nothing is needed beside the result.

// sorting leaves to the host what else its routines do.
func sorting(p *tile.Program) string {
	if len(p.Uniforms) > 0 {
		return "GPUs have no partitions"
	}
	return ordered(p)
}

// sort has a block for each row, or, of few long rows, all blocks for one after the other.
func sort(s *plan) (*tile.Launch, error) {
	shape := s.l.Args[0].Shape
	n := 1
	if len(shape) > 0 {
		n = shape[len(shape)-1]
	}
	rows := s.elements(0) / n
	s.reshaped(0, rows, n)
	s.reshaped(1, rows, n)
	grid, key := s.grid((n+1)/2, true), "all blocks"
	alone := n <= 2*grid.Threads[0] || rows >= s.site.Blocks/2
	if alone {
		key = "a block"
		grid.Blocks[0] = min(rows, s.site.Blocks*apart*s.site.Threads/grid.Threads[0])
	}
	return s.launch(grid, key, func(c *code) {
		w := newSorter(c, s, alone)
		if alone {
			c.count(c.thread(tile.CtaidX), c.Size(w.x, 0), c.thread(tile.NctaidX), nil, w.sortRow)
		} else {
			c.count(c.whole(0), c.Size(w.x, 0), c.whole(1), nil, w.sortRow)
		}
	})
}

// sorter writes the code of a sort.
type sorter struct {
	*code
	order        order
	x, out       tile.Memory // rows and columns
	places       bool        // the result is places, of type int64
	meet         func()      // of all threads that sort a row
	first, step  tile.Value  // of these, the thread's number, and how many there are
	tile, tiles  tile.Value  // and the number of its block, and of all of them
	keys, at     tile.Memory // of a tile, shared: elements, or ranks and places
	thread       tile.Value  // in its block
	wide         tile.Value  // elements of a tile: two for each thread of a block
	zero, one, n tile.Value
	row          tile.Value
	there        tile.Value // elements of the tile that are in the row
}

func newSorter(c *code, s *plan, alone bool) *sorter {
	w := &sorter{code: c, places: s.r.p.Routine == "argsort", thread: c.thread(tile.TidX), zero: c.whole(0), one: c.whole(1)}
	w.order = orderOf(s.typeOf(0), !w.places)
	w.x = c.Array(tile.In, w.order.bits, 2, "x")
	result := w.order.bits
	if w.places {
		result = tile.Int64
	}
	w.out = c.Array(tile.Out, result, 2, "out")
	w.keys = c.Scratch(tile.Shared, w.order.bits, "keys", 2*tile.MaxBlockThreads)
	if w.places {
		w.at = c.Scratch(tile.Shared, tile.Int64, "at", 2*tile.MaxBlockThreads)
	}
	threads := c.thread(tile.NtidX)
	w.n, w.wide = c.Size(w.x, 1), c.add(threads, threads)
	if alone {
		w.meet, w.first, w.step, w.tile, w.tiles = c.Barrier, w.thread, threads, w.zero, w.one
	} else {
		w.first, w.step = c.place()
		w.meet, w.tile, w.tiles = c.GridBarrier, c.thread(tile.CtaidX), c.thread(tile.NctaidX)
	}
	return w
}

// half is half of a number that is not negative.
func (w *sorter) half(v tile.Value) tile.Value { return w.Do(tile.Shr, v, w.one) }

// doubled does something for from, twice that, and so on, as long as what is half of that is less than the limit.
func (w *sorter) doubled(from, limit tile.Value, body func(k tile.Value)) {
	w.loop([]tile.Value{from}, func(now []tile.Value) tile.Value { return w.less(w.half(now[0]), limit) }, func(now []tile.Value) []tile.Value {
		body(now[0])
		return []tile.Value{w.add(now[0], now[0])}
	})
}

// halved does something for from, half of that, and so on down to least.
func (w *sorter) halved(from, least tile.Value, body func(j tile.Value)) {
	w.loop([]tile.Value{from}, func(now []tile.Value) tile.Value { return w.Do(tile.Ge, now[0], least) }, func(now []tile.Value) []tile.Value {
		body(now[0])
		return []tile.Value{w.half(now[0])}
	})
}

// sortRow sorts the tiles of a row, and then merges runs that become twice as long with each turn.
func (w *sorter) sortRow(row tile.Value, _ []tile.Value) []tile.Value {
	w.row = row
	w.inTiles(w.load, func() {
		w.doubled(w.whole(2), w.least(w.wide, w.n), func(k tile.Value) {
			w.inTile(w.mirrored(w.thread, k))
			w.halved(w.half(w.half(k)), w.one, func(j tile.Value) { w.inTile(w.halves(w.thread, j)) })
		})
	})
	w.doubled(w.add(w.wide, w.wide), w.n, func(k tile.Value) {
		w.pass(k, func(p tile.Value) (lo, hi tile.Value) { return w.mirrored(p, k)() })
		w.halved(w.half(w.half(k)), w.wide, func(j tile.Value) {
			w.pass(w.add(j, j), func(p tile.Value) (lo, hi tile.Value) { return w.halves(p, j)() })
		})
		w.inTiles(w.reload, func() {
			w.halved(w.half(w.wide), w.one, func(j tile.Value) { w.inTile(w.halves(w.thread, j)) })
		})
	})
	return nil
}

// mirrored are the elements of pair p of those of runs of k elements, of which the first is compared with the last.
func (w *sorter) mirrored(p, k tile.Value) func() (lo, hi tile.Value) {
	return func() (lo, hi tile.Value) {
		rest := w.both(p, w.sub(w.half(k), w.one))
		start := w.mul(w.whole(2), w.sub(p, rest))
		return w.add(start, rest), w.add(start, w.sub(w.sub(k, w.one), rest))
	}
}

// halves are the elements of pair p of those of runs of 2*j elements, of which each is compared with the one j further.
func (w *sorter) halves(p, j tile.Value) func() (lo, hi tile.Value) {
	return func() (lo, hi tile.Value) {
		lo = w.sub(w.add(p, p), w.both(p, w.sub(j, w.one)))
		return lo, w.add(lo, j)
	}
}

// pass compares the pairs of a row, in runs of k elements.
func (w *sorter) pass(k tile.Value, pair func(p tile.Value) (lo, hi tile.Value)) {
	runs, _ := w.over(w.add(w.n, w.sub(k, w.one)), k)
	w.count(w.first, w.mul(runs, w.half(k)), w.step, nil, func(p tile.Value, _ []tile.Value) []tile.Value {
		lo, hi := pair(p)
		w.when(w.less(hi, w.n), func() {
			a, b := w.Element(w.out, w.row, lo), w.Element(w.out, w.row, hi)
			w.when(w.behind(w.rankOf(a), a, w.rankOf(b), b), func() {
				w.Put(w.out, b, w.row, lo)
				w.Put(w.out, a, w.row, hi)
			})
		})
		return nil
	})
	w.meet()
}

// rankOf is the rank of an element of the result, or of the one whose place that is.
func (w *sorter) rankOf(v tile.Value) tile.Value {
	if w.places {
		v = w.Element(w.x, w.row, v)
	}
	return w.rank(w.order, v)
}

// behind reports whether an element, of a rank and at a place, comes behind another.
func (w *sorter) behind(rank, at, other, otherAt tile.Value) tile.Value {
	greater := w.Do(tile.Gt, rank, other)
	if !w.places {
		return greater
	}
	return w.Do(tile.Or, greater, w.both(w.Do(tile.Eq, rank, other), w.Do(tile.Gt, at, otherAt)))
}

// inTiles has blocks bring tiles of the row into shared memory, do something there, and write what comes out.
func (w *sorter) inTiles(load func(i, to tile.Value), body func()) {
	half := w.half(w.wide)
	each := func(start tile.Value, use func(i, to tile.Value)) {
		for _, to := range []tile.Value{w.thread, w.add(w.thread, half)} {
			i := w.add(start, to)
			w.when(w.less(i, w.n), func() { use(i, to) })
		}
	}
	w.count(w.mul(w.tile, w.wide), w.n, w.mul(w.tiles, w.wide), nil, func(start tile.Value, _ []tile.Value) []tile.Value {
		each(start, load)
		w.Barrier()
		w.there = w.sub(w.n, start)
		body()
		each(start, func(i, to tile.Value) {
			if w.places {
				w.Put(w.out, w.Element(w.at, to), w.row, i)
			} else {
				w.Put(w.out, w.Element(w.keys, to), w.row, i)
			}
		})
		w.Barrier()
		return nil
	})
	w.meet()
}

// load brings an element from the input.
func (w *sorter) load(i, to tile.Value) {
	v := w.Element(w.x, w.row, i)
	if w.places {
		w.Put(w.at, i, to)
		v = w.rank(w.order, v)
	}
	w.Put(w.keys, v, to)
}

// reload brings an element of the result.
func (w *sorter) reload(i, to tile.Value) {
	v := w.Element(w.out, w.row, i)
	if w.places {
		w.Put(w.at, v, to)
		v = w.rankOf(v)
	}
	w.Put(w.keys, v, to)
}

// inTile compares the thread's pair of a tile.
func (w *sorter) inTile(pair func() (lo, hi tile.Value)) {
	lo, hi := pair()
	w.when(w.less(hi, w.there), func() {
		a, b := w.Element(w.keys, lo), w.Element(w.keys, hi)
		if w.places {
			atA, atB := w.Element(w.at, lo), w.Element(w.at, hi)
			w.when(w.behind(a, atA, b, atB), func() {
				w.Put(w.keys, b, lo)
				w.Put(w.keys, a, hi)
				w.Put(w.at, atB, lo)
				w.Put(w.at, atA, hi)
			})
			return
		}
		w.when(w.Do(tile.Gt, w.rank(w.order, a), w.rank(w.order, b)), func() {
			w.Put(w.keys, b, lo)
			w.Put(w.keys, a, hi)
		})
	})
	w.Barrier()
}
