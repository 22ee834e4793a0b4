package core

import (
	"slices"

	"weft/scheduler"
	"weft/scheduler/region"
)

// An op whose tiles, one for each GPU, would fill too much of a GPU's memory is cut into more of
// them, which each GPU runs one after the other: while one runs, the operands of the next come
// in, and the results of the one before leave. So arrays may be larger than the memories of all
// GPUs together:
//
//	add (1000000) of 8 MB each, two GPUs of 4 MB      24 tiles of 1 MB in all, 12 on each GPU
//
// What cannot be cut small enough (a call, a transposition, whose tiles have bytes all over the
// array) runs on the CPUs, which have the arrays anyway.

// portion is the part of a GPU's memory that the operands of a tile may take: room for the tile
// before and the tile behind, and for what is to stay.
const portion = 4

// mostTiles bounds the tiles of an op that is cut to fit: planning each takes a microsecond. What would need more is
// larger than any memory that arrays leave to, and the CPUs say so at once.
const mostTiles = 1 << 16

// fit makes sure that the tiles of an op fit a GPU, given whether the op is cut as suits the
// machine otherwise. It returns whether the op is cut now.
//
// The limits in parts of the smallest GPU's memory M:
//
//	up to M/4       as it is: three more tiles have room beside it
//	up to 3/4 M     tiles of M/4 at most, if the op can be cut so; else as it is
//	above           tiles of M/4 at most, or else of 3/4 M; else the CPUs
func (c *Core) fit(e *entry, cut bool) bool {
	size := int64(0)
	for i := range e.uses {
		size += e.uses[i].bytes.Len()
	}
	if size <= c.smallest/portion || e.onHost || c.onCPUs(e) {
		return cut
	}
	if e.op.Kind == scheduler.Call {
		if most := c.tileBytes(e, nil, nil); most > c.smallest && c.answers != nowhere {
			e.onHost = true
			c.plan.Fits = append(c.plan.Fits, scheduler.Fit{Op: e.op.ID, Bytes: most, Holds: c.smallest})
		}
		return cut
	}
	first, most := -1, c.tilesBytes(e, cut)
	if cut {
		first = c.tiling.cuts.axis[0]
	}
	switch {
	case most <= c.smallest/portion:
		return cut
	case c.smaller(e, first, c.smallest/portion), most > c.smallest/4*3 && c.smaller(e, first, c.smallest/4*3):
		c.plan.Fits = append(c.plan.Fits, scheduler.Fit{Op: e.op.ID, Bytes: most, Tile: c.tilesBytes(e, true), Holds: c.smallest})
		return true
	case most <= c.smallest/4*3 || len(c.hosts) == 0:
		return cut
	}
	e.onHost, c.tiling.cuts.fresh = true, nil
	c.plan.Fits = append(c.plan.Fits, scheduler.Fit{Op: e.op.ID, Bytes: most, Holds: c.smallest})
	colors := int(min(int64(c.hostColors), e.work/c.opt.MinTile))
	return colors > 1 && c.chooseCuts(e, colors)
}

// onCPUs reports whether the op runs on a CPU in any case.
func (c *Core) onCPUs(e *entry) bool {
	on := c.runners[0]
	if e.op.Kind == scheduler.Call {
		on = c.callerOf(e.op)
	}
	return c.machine.Devices[on].Kind == scheduler.CPU
}

// lacks notes why a call runs on a CPU, where it would be on a GPU if that had the routine.
func (c *Core) lacks(e *entry) {
	if e.op.Grid != nil || e.onHost || !c.onCPUs(e) {
		return
	}
	for _, id := range c.callers {
		if d := &c.machine.Devices[id]; d.Kind == scheduler.GPU && d.Lacks != nil {
			c.plan.Fits = append(c.plan.Fits, scheduler.Fit{Op: e.op.ID, Lacks: d.Lacks(e.op.Program)})
			return
		}
	}
}

// smaller cuts into the fewest tiles, as many for each GPU, of which each takes no more than the
// limit: along the given axis if that is possible, or else along the first that is good for
// it. It reports whether there is one.
//
// The number of tiles is found by halving, since more tiles are no larger.
func (c *Core) smaller(e *entry, first int, limit int64) bool {
	for i := -1; i < len(e.op.Shape); i++ {
		axis := i
		if i < 0 {
			axis = first
		}
		if axis < 0 || i == first {
			continue
		}
		_, count := unit(e, axis)
		if count < 2 || c.slabBytes(e, axis, count) > limit {
			continue
		}
		low, high := 1, (count+len(c.runners)-1)/len(c.runners) // tiles for each GPU: high of them are small enough
		if most := mostTiles / len(c.runners); high > most {
			if c.slabBytes(e, axis, most*len(c.runners)) > limit {
				continue
			}
			high = most
		}
		for low < high {
			if mid := (low + high) / 2; c.slabBytes(e, axis, min(count, mid*len(c.runners))) <= limit {
				high = mid
			} else {
				low = mid + 1
			}
		}
		size, _ := unit(e, axis)
		c.tiling.cuts.axis, c.tiling.cuts.fresh = [2]int{axis, -1}, nil
		c.tiling.cuts.spans[0] = region.Equal(e.op.Shape[axis], size, min(count, high*len(c.runners)), c.tiling.cuts.spans[0][:0])
		c.tiling.cuts.spans[1] = append(c.tiling.cuts.spans[1][:0], region.Span{Hi: 1})
		return true
	}
	return false
}

// slabBytes returns what tiles along one axis need of a GPU's memory: the most that the first,
// the middle and the last one do.
//
// Three of the tiles stand for all: those at the ends lack a neighbour, and the one in the middle has two.
func (c *Core) slabBytes(e *entry, axis, parts int) int64 {
	size, count := unit(e, axis)
	most := int64(0)
	origin, shape := make([]int, len(e.op.Shape)), slices.Clone(e.op.Shape)
	for _, k := range [3]int{0, parts / 2, parts - 1} {
		lo, hi := count*k/parts*size, count*(k+1)/parts*size
		origin[axis], shape[axis] = lo, min(hi, e.op.Shape[axis])-lo
		most = max(most, c.tileBytes(e, origin, shape))
	}
	return most
}

// tilesBytes is the same for all tiles of the cuts as they are, if there are any: those along a
// key may differ in size.
func (c *Core) tilesBytes(e *entry, cut bool) int64 {
	n := node{}
	n.Origin, n.Shape = make([]int, len(e.op.Shape)), slices.Clone(e.op.Shape)
	if !cut {
		return c.tileBytes(e, n.Origin, n.Shape)
	}
	most := int64(0)
	for color := range len(c.tiling.cuts.spans[0]) * len(c.tiling.cuts.spans[1]) {
		if c.tiling.cuts.place(e, color, &n) {
			most = max(most, c.tileBytes(e, n.Origin, n.Shape))
		}
	}
	return most
}

// tileBytes returns what a tile needs of a GPU's memory.
func (c *Core) tileBytes(e *entry, origin, shape []int) int64 {
	n := node{uses: make([]use, len(e.uses))}
	n.Op, n.Block, n.Origin, n.Shape = e.op, e.block, origin, shape
	for i := range e.uses {
		n.uses[i] = c.tileUse(e, i, &n)
	}
	c.placing.wants = wanted(&n, c.placing.wants[:0], true)
	bytes := int64(0)
	for _, w := range c.placing.wants {
		bytes += c.rooms[len(c.rooms)-1].round(w.bytes.Len())
	}
	return bytes
}
