package scheduler

import "weft/scheduler/region"

// partition cuts every op of the window into tiles: equal slabs of the index space along
// one axis; a call stays whole. The tiles of a reduction are whole blocks (tile.BlockShape), so that the cut
// never shows in the result.
//
//	map (10,4), 4 colors      tiles of 2, 3, 2, 3 rows
//	sum (10000), 4 colors     blocks of 4096 elements: tiles of 4096, 4096, 1808
func partition(c *Core) {
	for i := range c.window {
		e := &c.window[i]
		if e.op == nil {
			continue
		}
		c.plan.Ops = append(c.plan.Ops, e.op)
		if e.empty {
			continue
		}
		colors := int(min(int64(c.colors), e.work/c.opt.MinTile))
		if colors <= 1 {
			e.tiles = append(e.tiles, whole(e))
			continue
		}
		axis := cutAxis(e, min(colors, c.enough))
		if axis < 0 {
			e.tiles = append(e.tiles, whole(e))
			continue
		}
		slabs(e, axis, colors)
	}
}

// whole returns the op as its only tile.
func whole(e *entry) *node {
	n := &node{uses: e.uses}
	n.Kind, n.Op, n.Where = Run, e.op, e.op.Where
	n.Shape, n.Origin, n.Block = e.op.Shape, origin0[:len(e.op.Shape)], e.block
	n.bytes = n.traffic()
	return n
}

// unit returns how many elements along an axis must stay in one tile, and how many such
// units the axis has.
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

// slabs cuts along one axis. The slabs differ by at most one unit.
func slabs(e *entry, axis, colors int) {
	size, count := unit(e, axis)
	colors = min(colors, count)
	rank := len(e.op.Shape)
	space := make([]int, 2*rank*colors) // origins and shapes of all tiles
	nodes := make([]node, colors)
	uses := make([]use, colors*len(e.uses))
	for color := range colors {
		n := &nodes[color]
		n.Kind, n.Op, n.Where, n.Color, n.Block = Run, e.op, e.op.Where, color, e.block
		n.Origin, space = space[:rank:rank], space[rank:]
		n.Shape, space = space[:rank:rank], space[rank:]
		copy(n.Shape, e.op.Shape)
		lo, hi := count*color/colors*size, count*(color+1)/colors*size
		n.Origin[axis] = lo
		n.Shape[axis] = min(hi, e.op.Shape[axis]) - lo
		n.uses, uses = uses[:len(e.uses):len(e.uses)], uses[len(e.uses):]
		for i := range e.uses {
			n.uses[i] = tileUse(e, i, n)
		}
		n.bytes = n.traffic()
		e.tiles = append(e.tiles, n)
	}
}

// tileUse returns the footprint of operand i of a tile.
func tileUse(e *entry, i int, n *node) use {
	u := e.uses[i]
	at, extent := e.op.extent(i, n.Origin, n.Shape, e.block)
	u.bytes, u.dense = region.Footprint(e.op.Uses[i].View.layout(), at, extent)
	return u
}
