package arrays

import (
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// Programs and routines take a bool's byte for 0 or 1: a sum adds it, a negation is one exclusive or. A view of bools
// as another dtype can store other bytes, which NumPy counts as true, and which the view goes on showing. From then
// on, an op reads the store's bools from a copy that was settled:
//
//	b      0 1 2 255         submitted:  sum(b)
//	u      the same bytes    becomes:    t = u != 0; sum(t)
//
// Bools whose bytes only ever were bools cost nothing but the look at an empty table in submit.

// bytewise are the stores of bools that have been seen as another dtype, and whether such a view was written to.
type bytewise map[scheduler.StoreID]bool

// seenAs notes that a view of bools has become one of another dtype.
func (c *Context) seenAs(s *store, from, to tile.DType) {
	if from == tile.Bool && to != tile.Bool && !c.bytewise[s.id] {
		c.bytewise[s.id] = false
	}
}

// withTruth gives an op settled copies of the bools that it reads, which the caller frees after submitting it, and
// notes what it writes. What an op changes in place it finds as it is.
func (c *Context) withTruth(op *scheduler.Op) (copies []*Array, err error) {
	for i := range op.Uses {
		use := &op.Uses[i]
		odd, seen := c.bytewise[use.View.Store]
		if !seen || use.View.Type != tile.Bool || use.Access != scheduler.Read || !odd || use.View.Elements() == 0 {
			continue
		}
		if len(copies) == 0 {
			op.Uses = slices.Clone(op.Uses) // which ops of one form may share
			use = &op.Uses[i]
		}
		settled, err := c.truth(use.View)
		if err != nil {
			return copies, err
		}
		copies = append(copies, settled)
		strides := slices.Clone(settled.view.Strides)
		for axis, stride := range use.View.Strides {
			if stride == 0 {
				strides[axis] = 0
			}
		}
		use.View.Store, use.View.Offset, use.View.Strides = settled.view.Store, 0, strides
		op.Form = nil // it has other strides than those of its class
	}
	for i := range op.Uses {
		if v := &op.Uses[i].View; op.Uses[i].Access.Writes() && v.Type != tile.Bool {
			if _, seen := c.bytewise[v.Store]; seen {
				c.bytewise[v.Store] = true
			}
		}
	}
	return copies, nil
}

// truth returns a copy of a view of bools with bytes of 0 and 1. A broadcast axis has one point in it.
func (c *Context) truth(v scheduler.View) (*Array, error) {
	v.Type, v.Shape = tile.Uint8, slices.Clone(v.Shape)
	for axis, stride := range v.Strides {
		if stride == 0 {
			v.Shape[axis] = 1
		}
	}
	bytes := &Array{c: c, store: &store{id: v.Store, refs: 1}, view: v, size: v.Elements(), contiguous: v.Contiguous()}
	return c.cast(bytes, tile.Bool, "settle")
}
