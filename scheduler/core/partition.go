package core

import (
	"weft/scheduler"
	"weft/scheduler/region"
)

// tiling is partition's scratch.
type tiling struct {
	cuts   cuts
	pieces []region.Comb
	shared bool // the window that is planned runs in order because the device shares what is large of it
}

// partitionWindow cuts every op of the window into equal tiles of its index space: slabs along one axis
// or, where no axis alone has as many units as there should be tiles, a grid along two. A call
// stays whole, and so does what is too small. Contractions are cut where their tiles use the fewest
// bytes (contract.go). The tiles of a reduction are whole blocks (Blocks), so that the cut never shows
// in the result.
//
//	map (10,4), 4 colors      tiles of 2, 3, 2, 3 rows
//	map (2,3), 4 colors       tiles of 1 row and 1, 2, 1, 2 columns
//	sum (10000), 4 colors     blocks of 4096 elements: tiles of 4096, 4096, 1808
//
// What will run in order anyway is not cut, unless Options.CutLittle: it is little, or the device shares it. What the
// CPUs do for a GPU whose kernel is compiled is cut as for them.
func partitionWindow(c *Core) {
	apart := c.apart()
	if apart {
		c.survey()
	}
	c.stay()
	little := !c.opt.CutLittle && c.alone() && c.windowWork() <= c.opt.Inline
	c.tiling.shared = !little && c.sharing()
	for i := range c.window {
		e := &c.window[i]
		if e.op == nil {
			continue
		}
		c.plan.Ops = append(c.plan.Ops, e.op)
		if e.empty {
			continue
		}
		most := c.colors
		if e.cold {
			most = c.hostColors
		}
		colors := int(min(int64(most), e.work/c.opt.MinTile))
		c.tiling.cuts.fresh = nil
		cut := apart && e.op.Kind != scheduler.Call && !(e.op.Kind == scheduler.Contract && colors > 1) && c.keyed(e, colors) || !little && !c.tiling.shared && colors > 1 && (apart || !own(e.op)) && c.chooseCuts(e, colors)
		if c.smallest > 0 {
			cut = c.fit(e, cut)
		}
		if e.op.Kind == scheduler.Call {
			c.lacks(e)
		}
		if !cut {
			if len(c.machine.Memories) > 1 {
				e.cover()
			}
			e.tiles = append(e.tile[:0], c.whole(e))
			continue
		}
		if apart && !e.onHost {
			c.giveKeys(e)
		}
		c.cutTiles(e)
	}
}

// threshold returns what decides that the core does not cut an op.
func (c *Core) threshold() scheduler.Threshold {
	t := scheduler.Threshold{Colors: c.colors, Tile: c.opt.MinTile}
	if len(c.machine.Memories) == 1 && !c.opt.CutLittle {
		t.Inline = c.opt.Inline
	}
	return t
}

// apart reports whether tiles lie in memories of their own: on more than one GPU.
func (c *Core) apart() bool {
	return len(c.runners) > 1 && c.machine.Devices[c.runners[0]].Kind == scheduler.GPU
}

// cuts is how the index space of an op is cut along up to two axes: tile r*columns+c has the
// positions rows[r] of the first and columns[c] of the second.
//
// One value serves all ops, one after the other: spans keeps its memory.
//
//	spans[0]  [0,250) [250,500) [500,750) [750,1000)       slabs: spans[1] is one span, axis[1] is -1
//
//	             columns [0,5) [5,10)
//	rows [0,5)        0      1            a grid: color r*2+c
//	     [5,10)       2      3
type cuts struct {
	axis  [2]int // -1: the index space is not cut along a second one
	spans [2][]region.Span

	// Along which tiling they go, through which operand that begins where, and whose key it is to
	// become:
	tiling  *region.Tiling
	through int
	at      int64
	fresh   *store
}

// chooseCuts decides how an op is cut, or that it cannot be.
func (c *Core) chooseCuts(e *entry, colors int) bool {
	enough := min(colors, c.enough)
	if e.onHost {
		enough = colors
	}
	axis := cutAxis(e, enough)
	if axis < 0 {
		return false
	}
	k := &c.tiling.cuts
	k.axis = [2]int{axis, -1}
	parts := [2]int{colors, 1}
	switch _, count := unit(e, axis); {
	case c.opt.Grid != [2]int{}:
		k.axis, parts = gridAxes(e), c.opt.Grid
		if k.axis[0] < 0 {
			k.axis, parts = [2]int{axis, -1}, [2]int{c.opt.Grid[0] * c.opt.Grid[1], 1}
		}
	case e.op.Kind == scheduler.Contract:
		k.axis, parts = c.contract(e, colors)
	case count < enough:
		if axes := gridAxes(e); axes[0] >= 0 {
			k.axis, parts = axes, gridParts(e, axes, colors)
		}
	}
	for i, axis := range k.axis {
		k.spans[i] = k.spans[i][:0]
		if axis < 0 {
			k.spans[i] = append(k.spans[i], region.Span{Hi: 1})
			continue
		}
		size, count := unit(e, axis)
		k.spans[i] = region.Equal(e.op.Shape[axis], size, min(parts[i], count), k.spans[i])
	}
	return true
}

// gridAxes returns the two axes with the most units, in the order in which they are cut, or -1
// where there are no two with more than one.
func gridAxes(e *entry) [2]int {
	best, second := -1, -1
	most, more := 1, 1
	for a := range e.op.Shape {
		switch _, count := unit(e, a); {
		case count > most:
			best, most, second, more = a, count, best, most
		case count > more:
			second, more = a, count
		}
	}
	if second < 0 {
		return [2]int{-1, -1}
	}
	if reach(e, second) > reach(e, best) {
		best, second = second, best
	}
	return [2]int{best, second}
}

// gridParts returns how many rows and columns of tiles make the most of so many colors; of
// grids with as many tiles that with the fewest columns.
//
// It tries each number of rows, the largest first, and takes another only where it has more tiles: fewer columns make
// longer stretches of memory.
//
//	7 rows, 9 columns, 8 colors       7 x 1 = 7 tiles, 4 x 2 = 8 tiles: 4 x 2
func gridParts(e *entry, axes [2]int, colors int) (parts [2]int) {
	_, rows := unit(e, axes[0])
	_, cols := unit(e, axes[1])
	for r := min(rows, colors); r > 0; r-- {
		if c := min(cols, colors/r); r*c > parts[0]*parts[1] {
			parts = [2]int{r, c}
		}
	}
	return parts
}

// whole returns the op as its only tile.
//
// It shares the op's shape and the footprints of the entry, which are computed at submission: nothing is allocated but
// the node.
func (c *Core) whole(e *entry) *node {
	r := take(&c.chunks.wholes, nodesTogether)
	n := &r.node
	n.uses, n.whole, n.Args = e.uses, true, r.args[:0]
	n.Kind, n.Op, n.Where = scheduler.Run, e.op, e.op.Where
	n.Shape, n.Origin, n.Block = e.op.Shape, scheduler.Origin(len(e.op.Shape)), e.block
	n.Moves, n.Work, n.Zeros = n.traffic(), e.work, false
	return n
}

// nodesTogether is how many nodes of whole ops, or of frees, are allocated together.
const nodesTogether = 16

// take returns a zero value of those that were allocated together: one allocation costs hardly more for several.
//
// The chunk lives as long as one of its rows is in use, in the driver's log perhaps: chunks are small for that reason.
func take[T any](chunk *[]T, together int) *T {
	if len(*chunk) == 0 {
		*chunk = make([]T, together)
	}
	one := &(*chunk)[0]
	*chunk = (*chunk)[1:]
	return one
}

// unit returns how many elements along an axis must stay in one tile, and how many such
// units the axis has.
//
// Units are elements, or blocks of a reduction: the order of additions within a block is fixed (tile's canonical
// order), and each block has one result, so that tiles of whole blocks change no bit.
func unit(e *entry, axis int) (size, count int) {
	size = 1
	if e.block != nil {
		size = e.block[axis]
	}
	return size, (e.op.Shape[axis] + size - 1) / size
}

// cutAxis chooses the axis to cut: the first, kept axes before reduced ones, that has
// enough units; else the one with the most; -1 if none can be cut. Kept axes go in the order
// of the strides of the first written view, the largest first, so that tiles write
// stretches of memory that don't interleave; for C-contiguous results that is the order of
// the axes. For CPUs, enough is all colors. GPUs take the first axis that can be cut at all,
// even if some GPUs then have nothing to do: interleaved results in separate memories would
// have to be written one GPU after the other.
func cutAxis(e *entry, enough int) int {
	best, most := -1, 1
	for _, reduced := range [2]bool{false, true} {
		var done uint64 // axes that were looked at
		for range e.op.Shape {
			axis := -1
			for a := range e.op.Shape {
				if done>>uint(a)&1 != 0 || e.op.Reduced.Has(a) != reduced {
					continue
				}
				if axis < 0 || reach(e, a) > reach(e, axis) {
					axis = a
				}
			}
			if axis < 0 {
				break
			}
			done |= 1 << uint(axis)
			_, count := unit(e, axis)
			if count >= enough {
				return axis
			}
			if count > most {
				best, most = axis, count
			}
		}
	}
	return best
}

// reach returns the distance between neighbours along an axis in the first written view.
func reach(e *entry, axis int) int64 {
	for i := range e.op.Uses {
		if u := &e.op.Uses[i]; u.Access.Writes() {
			return max(u.View.Strides[axis], -u.View.Strides[axis])
		}
	}
	return 0
}

// cutTiles makes the tiles, without those that have no points.
//
// All tiles share four slices, one of each kind, which are cut up for them: a cut op costs four allocations, whatever
// the number of its tiles.
func (c *Core) cutTiles(e *entry) {
	k := &c.tiling.cuts
	rank, count := len(e.op.Shape), len(k.spans[0])*len(k.spans[1])
	space := make([]int, 2*rank*count) // origins and shapes of all tiles
	nodes := make([]node, count)
	uses, args := make([]use, count*len(e.uses)), make([]scheduler.Arg, count*len(e.uses))
	e.colors = count
	for color := range count {
		n := &nodes[color]
		n.Kind, n.Op, n.Where, n.Color, n.Block = scheduler.Run, e.op, e.op.Where, color, e.block
		n.Origin, space = space[:rank:rank], space[rank:]
		n.Shape, space = space[:rank:rank], space[rank:]
		if !k.place(e, color, n) {
			continue
		}
		n.uses, uses = uses[:len(e.uses):len(e.uses)], uses[len(e.uses):]
		n.Args, args = args[:0:len(e.uses)], args[len(e.uses):]
		for i := range e.uses {
			n.uses[i] = c.tileUse(e, i, n)
		}
		n.Moves = n.traffic()
		e.tiles = append(e.tiles, n)
	}
	for _, n := range e.tiles {
		n.Work = e.work / int64(len(e.tiles))
	}
}

// place says where a tile is, and whether it has any points.
func (k *cuts) place(e *entry, color int, n *node) bool {
	copy(n.Shape, e.op.Shape)
	at := [2]int{color / len(k.spans[1]), color % len(k.spans[1])}
	for i, axis := range k.axis {
		span := k.spans[i][at[i]]
		if span.Lo >= span.Hi {
			return false
		}
		if axis >= 0 {
			n.Origin[axis], n.Shape[axis] = span.Lo, span.Hi-span.Lo
		}
	}
	return true
}

// tileUse returns the footprint of operand i of a tile.
//
// An interval is enough where tiles are slabs of memory, and costs less to compare. Gaps are left out, as a comb, where
// tiles interleave, and on several memories always, since bytes in gaps would be copied.
func (c *Core) tileUse(e *entry, i int, n *node) use {
	u := e.uses[i]
	at, extent := e.op.Extent(i, n.Origin, n.Shape, e.block)
	l := e.op.Uses[i].View.Layout()
	u.bytes, u.dense = region.Footprint(l, at, extent)
	switch {
	case u.dense || e.op.Whole(i):
		return u
	case len(c.machine.Memories) > 1:
		u.cover(l, at, extent)
		return u
	}
	for _, axis := range c.tiling.cuts.axis {
		if axis >= 0 && interleaves(l.Strides[axis], extent[axis], u.bytes) {
			u.cover(l, at, extent)
			break
		}
	}
	return u
}

// cover leaves gaps out of the footprints of the whole op.
func (e *entry) cover() {
	for i := range e.uses {
		if v := &e.op.Uses[i].View; !e.uses[i].dense {
			e.uses[i].cover(v.Layout(), scheduler.Origin(len(v.Shape)), v.Shape)
		}
	}
}

// interleaves reports whether the bytes of tiles side by side along an axis lie between each
// other's, so that an interval would cover the neighbours'. It is so where the tile reaches
// further than along the axis.
//
//	C order, cut along rows        stride 80, extent 5, hull 400       400 > 400: no
//	C order, cut along columns     stride 8, extent 5, hull 760        760 > 40: yes
func interleaves(stride int64, extent int, hull region.Interval) bool {
	return stride != 0 && hull.Len() > int64(extent)*max(stride, -stride)
}

// cover leaves gaps out of the footprint.
func (u *use) cover(l region.Layout, at, extent []int) {
	if comb, exact := region.Cover(l, at, extent); comb.N > 1 {
		u.comb, u.dense = &comb, exact
	}
}
