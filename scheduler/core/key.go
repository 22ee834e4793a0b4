package core

import (
	"slices"

	"weft/scheduler/region"
)

// On machines with several memories it matters more where tiles lie than how equal they are.
// So a store that is cut has a key: the tiling that says which GPU has which of its bytes, as
// long as no op writes otherwise. Ops are cut along the keys of their operands, through the
// views that they have of them:
//
//	u                        rows 0-249, 250-499, ...     key of u: every 250 rows
//	u[1:-1,1:-1] = ...       rows 1-249, 250-499, ...     of u, whichever slice of it is used
//	b = a[1:]                rows 0-248, 249-498, ...     key of b: where a's rows are
//
// An op whose operands have different keys is cut along the one that makes it cheapest. What
// is too small to be cut by itself follows its operands as well: the GPUs that have them each do
// their part.

// partition is how a store is cut.
//
// A key is a hint. It says how ops are cut best, never where bytes are: that is valid's matter. So a key that is wrong
// costs copies, and no more.
type partition struct {
	key  *region.Tiling // which GPU has which bytes; nil if it was never cut
	row  int64          // bytes from row to row, for a key
	item int64          // bytes of an element
}

// The prices of a choice, in bytes that a GPU reads or writes.
//
// They compare choices, and are no times: moved * linkPrice + what the busiest GPU reads and writes + a part of the
// smallest tile for each tile.
const (
	linkPrice   = 8  // of a byte that comes from another memory
	leastRun    = 64 // bytes at a stretch below which a copy gets no cheaper
	launchShare = 16 // of the smallest tile: the price of one more tile
)

// keyed cuts an op along the key of one of its operands or, where that moves much or leaves
// GPUs idle, along a tiling that is to become the key of the largest. It reports whether the op
// is cut.
//
// A choice is good, and ends the search, where bringing its bytes costs less than a quarter of the op's work, and the
// busiest GPU does less than twice its share. Otherwise all are compared, and fresh tilings of the largest operand with
// them; a fresh one is priced as if the store had it, since giveKeys will give it.
func (c *Core) keyed(e *entry, colors int) bool {
	best, good := int64(-1), false
	k := &c.tiling.cuts
	try := func(t *region.Tiling, through int, at int64, fresh *store) {
		if !k.along(e, t, through, at) {
			return
		}
		moved, most, tiles := k.price(c, e, fresh, t)
		price := moved*linkPrice + most + int64(tiles)*c.opt.MinTile/launchShare
		if best < 0 || price < best {
			best, good = price, moved*linkPrice < e.work/4 && most < 2*e.work/int64(c.colors)
			k.tiling, k.through, k.at, k.fresh = t, through, at, fresh
		}
	}
	for _, writes := range [2]bool{true, false} { // most ops need no look at what they read
		for i, tried := 0, 0; i < len(e.uses) && tried < mostTried && !(writes && good); i++ {
			u := &e.uses[i]
			if u.write != writes || u.store.key == nil || e.op.Whole(i) {
				continue
			}
			if at, first := e.middle(i, u.store.key.Step); first {
				try(u.store.key, i, at, nil)
				tried++
			}
		}
		if good {
			break
		}
	}
	if colors > 1 && !good {
		if i := e.largest(); i >= 0 && e.uses[i].store.key == nil {
			for _, parts := range c.gridsOf(colors) {
				if t := e.uses[i].store.tiling(parts); t != nil {
					at, _ := e.middle(i, t.Step)
					try(t, i, at, e.uses[i].store)
				}
			}
		}
	}
	if best < 0 {
		return false
	}
	return k.along(e, k.tiling, k.through, k.at)
}

// mostTried bounds the operands whose keys are tried.
const mostTried = 6

// giveKeys makes the op's cuts the keys of its stores that have none, and of those of which it
// writes most in another way.
//
// A write of less than half of a store leaves its key: u[0] = 0 must not turn the whole array over.
func (c *Core) giveKeys(e *entry) {
	if c.tiling.cuts.fresh != nil {
		c.tiling.cuts.fresh.key = c.tiling.cuts.tiling
	}
	for i := range e.uses {
		u := &e.uses[i]
		if u.store.size < c.opt.MinTile || e.op.Whole(i) || u.store.key != nil && (!u.write || u.bytes.Len() < u.store.size/2) {
			continue
		}
		if t := c.tiling.cuts.key(e, i); t != nil && (u.store.key == nil || !u.store.key.Equal(t)) {
			u.store.key = t
		}
	}
}

// largest returns the operand with the most bytes that can be cut, one that is written before
// others, or -1.
//
// Twice the bytes, and one more for a write: of operands of one size the written one wins.
func (e *entry) largest() int {
	best, most := -1, int64(0)
	for i := range e.uses {
		u := &e.uses[i]
		if e.op.Whole(i) || u.write && e.block != nil {
			continue
		}
		n := 2 * e.op.Uses[i].View.Moved(e.op.Uses[i].View.Shape)
		if u.write {
			n++
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}

// middle returns where the slices of a store that operand i is one of begin in the mean, in a
// store of rows of so many bytes, and whether it is the first of them. The four neighbours of a
// point have the point in their middle.
//
//	u[:-2,1:-1]  u[2:,1:-1]  u[1:-1,:-2]  u[1:-1,2:]      begin at rows 0 2 1 1, columns 1 1 0 2: in the mean at (1,1)
//
// so that a stencil of reads is cut as its result is, and each GPU fetches a row at each side.
func (e *entry) middle(i int, step int64) (at int64, first bool) {
	rows, cols, n := int64(0), int64(0), int64(0)
	a := &e.op.Uses[i]
	first = true
	for k := range e.uses {
		b := &e.op.Uses[k]
		if e.uses[k].store != e.uses[i].store || a.Access != b.Access || !slices.Equal(a.View.Strides, b.View.Strides) || !slices.Equal(a.View.Shape, b.View.Shape) {
			continue
		}
		first = first && k >= i
		lo := e.uses[k].bytes.Lo
		rows, cols, n = rows+lo/step, cols+lo%step, n+1
	}
	return rows/n*step + cols/n, first
}

// gridsOf returns rows and columns of tiles that make so many colors, slabs first.
func (c *Core) gridsOf(colors int) [][2]int {
	if c.opt.Grid != [2]int{} {
		return [][2]int{c.opt.Grid}
	}
	list := [][2]int{{colors, 1}}
	for r := colors - 1; r > 0; r-- {
		if colors%r == 0 {
			list = append(list, [2]int{r, colors / r})
		}
	}
	return list
}

// tiling returns a store in equal tiles, or nil where it has fewer rows or columns. Its rows are
// the longest that ops of the window know.
func (st *store) tiling(parts [2]int) *region.Tiling {
	step := max(1, st.row)
	t := &region.Tiling{Size: st.size, Step: step, Cols: []int64{0}}
	rows, unit := st.size/step, max(1, st.item)
	if rows < int64(parts[0]) || step/unit < int64(parts[1]) || parts[1] > 1 && step%unit != 0 {
		return nil
	}
	for _, s := range region.Equal(int(rows), 1, parts[0], nil) {
		t.Rows = append(t.Rows, int64(s.Lo)*step)
	}
	for _, s := range region.Equal(int(step/unit), 1, parts[1], nil)[1:] {
		t.Cols = append(t.Cols, int64(s.Lo)*unit)
	}
	return t
}

// survey finds the rows of the stores of the window: the largest distance between neighbours
// along an axis that any view has and that leaves each GPU some.
//
// A store knows no shape, only bytes. What is a row is learnt from the views: the longest step that still leaves
// each GPU a row. It is learnt until the store has a key, and kept with it.
func (c *Core) survey() {
	for i := range c.window {
		e := &c.window[i]
		for k := range e.uses {
			st, v := e.uses[k].store, &e.op.Uses[k].View
			if st.key != nil || e.op.Whole(k) || st.size < c.opt.MinTile {
				continue
			}
			st.item = int64(v.Type.Size())
			for a, n := range v.Shape {
				if s := max(v.Strides[a], -v.Strides[a]); n > 1 && s > st.row && s*int64(c.colors) <= st.size {
					st.row = s
				}
			}
		}
	}
}

// along derives the cuts of an op from a tiling of the store of operand i, as if its lowest byte
// were at the given one, and reports whether there are any.
//
// Which axis of the view runs along the tiling's rows, and which along its columns, strides tell: steps of a row or
// more go from row to row, shorter ones along a row. Spans may be empty: then that color has no tile, and its GPU no
// work.
//
//	tiling   rows at bytes 0 800, of (20,10) float64 with rows of 80 bytes
//	view     u[5:]      at 400, stride 80       spans [0,5) [5,15)
func (k *cuts) along(e *entry, t *region.Tiling, i int, at int64) bool {
	v := &e.op.Uses[i].View
	k.axis = [2]int{-1, -1}
	var reach [2]int64
	for a, n := range v.Shape {
		s := max(v.Strides[a], -v.Strides[a])
		which := 0
		if len(t.Cols) > 1 && s < t.Step {
			which = 1
		}
		if n > 1 && s > reach[which] && !(e.uses[i].write && e.op.Reduced.Has(a)) {
			k.axis[which], reach[which] = a, s
		}
	}
	if len(t.Cols) > 1 && k.axis[0] >= 0 && reach[0]%t.Step != 0 {
		return false
	}
	for which, cuts := range [2][]int64{t.Rows, t.Cols} {
		from := at
		if which == 1 {
			from = at % t.Step
		}
		k.spans[which] = k.spans[which][:0]
		a := k.axis[which]
		switch {
		case a >= 0:
			size, _ := unit(e, a)
			k.spans[which] = region.Along(cuts, from, v.Strides[a], e.op.Shape[a], size, k.spans[which])
		case len(cuts) > 1: // all of it lies where its first byte does
			for n := range cuts {
				here := region.Span{}
				if cuts[n] <= from && (n+1 == len(cuts) || from < cuts[n+1]) {
					here.Hi = 1
				}
				k.spans[which] = append(k.spans[which], here)
			}
		default:
			k.spans[which] = append(k.spans[which], region.Span{Hi: 1})
		}
	}
	return true
}

// key returns the tiling of the store of operand i that the op's cuts make, or nil where they make
// none: the operand runs backwards, or is the same for all.
func (k *cuts) key(e *entry, i int) *region.Tiling {
	v, at := &e.op.Uses[i].View, e.uses[i].bytes.Lo
	a, b := k.axis[0], k.axis[1]
	if a < 0 || v.Strides[a] <= 0 || e.op.Reduced.Has(a) || len(k.spans[1]) > 1 && (b < 0 || v.Strides[b] <= 0 || v.Strides[b] >= v.Strides[a] || e.op.Reduced.Has(b)) {
		return nil
	}
	step := v.Strides[a]
	t := &region.Tiling{Size: e.uses[i].store.size, Step: step, Rows: []int64{0}, Cols: []int64{0}}
	for _, s := range k.spans[0][1:] {
		row := (at/step + int64(s.Lo)) * step
		if row < t.Rows[len(t.Rows)-1] {
			return nil
		}
		t.Rows = append(t.Rows, min(row, t.Size))
	}
	for _, s := range k.spans[1][1:] {
		col := at%step + int64(s.Lo)*v.Strides[b]
		if col < t.Cols[len(t.Cols)-1] || col > step {
			return nil
		}
		t.Cols = append(t.Cols, col)
	}
	return t
}

// price returns, of the cuts, the bytes that have to come from other memories, those that
// the busiest GPU reads and writes, and how many tiles there are. A store that is to get the
// tiling as its key counts as having it.
//
// Tile and key have the same number where the bytes are at home: color i runs on GPU i (place), and has tile i of each
// key.
func (k *cuts) price(c *Core, e *entry, fresh *store, t *region.Tiling) (moved, most int64, tiles int) {
	rank := len(e.op.Shape)
	n := node{}
	n.Shape = make([]int, rank)
	for color := range len(k.spans[0]) * len(k.spans[1]) {
		n.Origin = make([]int, rank)
		if !k.place(e, color, &n) {
			continue
		}
		tiles++
		busy := int64(0)
		for i := range e.uses {
			u := &e.uses[i]
			at, extent := e.op.Extent(i, n.Origin, n.Shape, e.block)
			busy += e.op.Uses[i].View.Moved(extent)
			key := u.store.key
			if u.store == fresh {
				key = t
			}
			if key == nil {
				continue
			}
			bytes, _ := region.Cover(e.op.Uses[i].View.Layout(), at, extent)
			rest := append(c.tiling.pieces[:0], bytes)
			if color < key.Tiles() {
				rest = bytes.Subtract(key.Tile(color), rest[:0])
			}
			for _, x := range rest {
				moved += x.N * max(x.Run, leastRun)
			}
			c.tiling.pieces = rest
		}
		most = max(most, busy)
	}
	return moved, most, tiles
}
