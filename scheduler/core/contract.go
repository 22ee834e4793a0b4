package core

import (
	"math"
	"slices"

	"weft/scheduler"
)

// This file cuts contractions: matrix products and other sums of products. Their index space
// is (batch..., rows, columns, k); an operand has stride 0 along the axes that it does not
// have, and neighbouring axes that both go through as through one may have been joined. A tile uses rows of the one
// factor, columns of the other, and a rectangle of the result. A tile is computed by a library where the device has
// one, in one thread.
//
//	a @ b, (1000,1000,50), 4 colors     4 tiles of (250,1000,50): all of b in each
//	a @ b, (8,1000,1000), 4 colors      4 tiles of (8,250,1000): all of a in each, a fourth of b
//	(2,500,500,500), 4 colors           2 x 2: half of a batch's rows in each

// grid is a way to cut one axis or two.
type grid struct {
	axes, parts [2]int // one axis: the second is -1, of one part
	largest     int64  // points of the largest tile
}

// leastOwn is from how many rows on a product of a matrix and its own transpose stays whole. A library that computes
// all of it instead, since a half of few elements gains nothing, needs no other threads for them (fewestSyrk and
// wholeSyrk in cpu/syrk.go).
const leastOwn = 32

// own reports whether a contraction is the product of one large matrix and its transpose. It is symmetric, and a
// library computes half of it, with all threads; tiles would be products like any others.
func own(op *scheduler.Op) bool {
	if op.Kind != scheduler.Contract || len(op.Uses) != 3 {
		return false
	}
	a, b := &op.Uses[0].View, &op.Uses[1].View
	if a.Store != b.Store || a.Offset != b.Offset {
		return false
	}
	var sides []int // the axes of rows and of columns
	for axis, n := range op.Shape {
		switch {
		case op.Reduced.Has(axis) && a.Strides[axis] == b.Strides[axis]:
		case n == 1:
		case n >= leastOwn && len(sides) < 2 && (a.Strides[axis] == 0) != (b.Strides[axis] == 0):
			sides = append(sides, axis)
		default:
			return false
		}
	}
	if len(sides) != 2 {
		return false
	}
	i, j := sides[0], sides[1]
	return op.Shape[i] == op.Shape[j] && a.Strides[i] == b.Strides[j] && a.Strides[j] == b.Strides[i]
}

// contract chooses how a contraction that can be cut is cut. Of the ways whose largest tile is at
// most a quarter larger than it could be, it takes the one whose tiles use the fewest bytes
// together: these have to be brought to as many memories, or through as many caches.
//
// A quarter is what balance may cost for the sake of bytes. There are at most a few dozen ways: each number of parts
// along each axis, with as many as are left along one behind it.
func (c *Core) contract(e *entry, colors int) (axes, parts [2]int) {
	var few [64]grid
	grids := few[:0]
	order := cutOrder(e)
	for i, a := range order {
		_, units := unit(e, a)
		for n := min(colors, units); n > 1; n-- {
			if n == min(colors, units) {
				grids = append(grids, grid{axes: [2]int{a, -1}, parts: [2]int{n, 1}})
			}
			for _, b := range order[i+1:] {
				if _, units := unit(e, b); min(units, colors/n) > 1 {
					grids = append(grids, grid{axes: [2]int{a, b}, parts: [2]int{n, min(units, colors/n)}})
				}
			}
		}
	}
	smallest := int64(math.MaxInt64)
	for i := range grids {
		g := &grids[i]
		g.largest = 1
		for _, n := range g.tile(e) {
			g.largest *= int64(n)
		}
		smallest = min(smallest, g.largest)
	}
	fewest := int64(math.MaxInt64)
	for i := range grids {
		if g := &grids[i]; g.largest <= smallest+smallest/4 {
			if bytes := c.cost(e, g); bytes < fewest {
				axes, parts, fewest = g.axes, g.parts, bytes
			}
		}
	}
	return axes, parts
}

// cutOrder returns the axes in the order in which they are better cut: kept axes before
// reduced ones, large strides of the result before small ones.
func cutOrder(e *entry) []int {
	axes := make([]int, 0, 8)
	for a := range e.op.Shape {
		at := len(axes)
		for at > 0 && later(e, axes[at-1], a) {
			at--
		}
		axes = slices.Insert(axes, at, a)
	}
	return axes
}

// later reports whether an axis is better cut after another.
func later(e *entry, axis, other int) bool {
	if a, b := e.op.Reduced.Has(axis), e.op.Reduced.Has(other); a != b {
		return a
	}
	return reach(e, axis) < reach(e, other)
}

// tile returns the shape of the largest tile.
func (g *grid) tile(e *entry) []int {
	shape := append(make([]int, 0, 8), e.op.Shape...)
	for i, a := range g.axes {
		if a >= 0 {
			size, units := unit(e, a)
			shape[a] = min(shape[a], (units+g.parts[i]-1)/g.parts[i]*size)
		}
	}
	return shape
}

// cost returns the bytes that the tiles use; where there are several memories, with what must be
// carried between the elements. A result whose tiles have gaps counts twice: what follows is
// hardly cut in the same way.
func (c *Core) cost(e *entry, g *grid) int64 {
	n := node{Task: scheduler.Task{Shape: g.tile(e), Origin: scheduler.Origin(len(e.op.Shape))}}
	c.tiling.cuts.axis = g.axes
	sum := int64(0)
	for i := range e.uses {
		u := c.tileUse(e, i, &n)
		_, extent := e.op.Extent(i, n.Origin, n.Shape, e.block)
		bytes := e.op.Uses[i].View.Moved(extent)
		switch {
		case len(c.machine.Memories) == 1:
		case u.comb != nil:
			bytes = u.comb.Len()
		default:
			bytes = u.bytes.Len()
		}
		if u.write && (!u.dense || u.comb != nil) {
			bytes *= 2
		}
		sum += bytes
	}
	return sum * int64(g.parts[0]) * int64(g.parts[1])
}
