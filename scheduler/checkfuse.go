package scheduler

import (
	"fmt"
	"slices"

	"weft/scheduler/region"
)

// fusion checks by brute force that nobody can tell a plan with fused ops from the stream
// of ops that they were made of: element by element, without the reasoning of the pass.
func (c *Checker) fusion(p *Plan) error {
	var list []placed // the stream: the cell's ops in order
	for at, op := range p.Ops {
		for _, part := range op.Parts {
			list = append(list, placed{part, op, at})
		}
		if op.Parts == nil && !carries(op) {
			list = append(list, placed{op, nil, at})
		}
	}
	slices.SortFunc(list, func(a, b placed) int { return int(a.op.ID) - int(b.op.ID) })
	for i, b := range list {
		for _, u := range b.op.Uses {
			if by, gone := c.dropped[u.View.Store]; gone {
				return fmt.Errorf("BUG: inv 5: %v uses %v, which %v was supposed to write, but does not", b.op.ID, u.View.Store, by)
			}
		}
		for _, a := range list[:i] {
			if a.at < b.at {
				continue
			}
			if err := overtakes(a, b); err != nil {
				return err
			}
		}
	}
	for _, op := range p.Ops {
		for _, part := range op.Parts {
			c.drop(op, part)
		}
	}
	return nil
}

// placed is an op of the cell and the position of the op of the plan that it became or
// is part of.
type placed struct {
	op   *Op
	into *Op // what it was fused into; nil if it was not
	at   int
}

// carries reports whether an op is the core's own: it moves what no op of the cell names.
func carries(op *Op) bool {
	return op.Parts == nil && len(op.Uses) == 2 && op.Uses[1].Renews && same(&op.Uses[0].View, &op.Uses[1].View)
}

// keeps reports whether what the view names stays readable while the fused op runs, although a
// part writes it: the value goes to a new instance, or nowhere, because nobody needs it.
func keeps(into *Op, v View) bool {
	for _, u := range into.Uses {
		if u.Access.Writes() && u.View.Store == v.Store {
			return u.Renews
		}
	}
	return true
}

// overtakes checks two ops of which the first comes before the second in the stream, but not
// in the plan: they share no bytes that one writes, or run as one and share bytes at the
// same points only.
func overtakes(a, b placed) error {
	for i := range a.op.Uses {
		x := &a.op.Uses[i]
		var points map[int64]int // byte -> point of a's index space; made when it is needed
		for k := range b.op.Uses {
			y := &b.op.Uses[k]
			if a.at == b.at && x.Access == Read && b.into != nil && keeps(b.into, y.View) {
				continue
			}
			if x.View.Store != y.View.Store || !x.Access.Writes() && !y.Access.Writes() || !region.Overlap(x.View.layout(), y.View.layout()) {
				continue
			}
			if a.at > b.at {
				return fmt.Errorf("BUG: inv 5: %v runs before %v, which it depends on by %v", b.op.ID, a.op.ID, x.View.Store)
			}
			if plainlySame(x.View, y.View) {
				continue
			}
			if points == nil {
				points = map[int64]int{}
				eachByte(x.View, func(at int64, point int) { points[at] = point })
			}
			var err error
			eachByte(y.View, func(at int64, point int) {
				if other, both := points[at]; both && other != point && err == nil {
					err = fmt.Errorf("BUG: inv 5: %v and %v run as one, but share byte %d of %v at points %d and %d", a.op.ID, b.op.ID, at, x.View.Store, other, point)
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// plainlySame reports whether two views have the same elements at the same points, for the
// views where that is plain to see. Others are compared byte by byte.
func plainlySame(a, b View) bool {
	return a.Type == b.Type && a.Offset == b.Offset && a.Elements() == b.Elements() &&
		(a.Contiguous() && b.Contiguous() || slices.Equal(a.Shape, b.Shape) && slices.Equal(a.Strides, b.Strides))
}

// eachByte calls fn for each byte of a view with the number of its point in C order. Equal
// points of index spaces that refine each other have equal numbers.
func eachByte(v View, fn func(at int64, point int)) {
	for point := range v.Elements() {
		at, rest := v.Offset, point
		for axis := len(v.Shape) - 1; axis >= 0; axis-- {
			at += int64(rest%v.Shape[axis]) * v.Strides[axis]
			rest /= v.Shape[axis]
		}
		for k := range int64(v.Type.Size()) {
			fn(at+k, point)
		}
	}
}

// drop remembers the stores that a part should write and the fused op does not: nobody may
// ask for them any more.
func (c *Checker) drop(op, part *Op) {
	for _, u := range part.Uses {
		written := !u.Access.Writes()
		for _, v := range op.Uses {
			written = written || v.Access.Writes() && v.View.Store == u.View.Store
		}
		if !written {
			c.dropped[u.View.Store] = part.ID
		}
	}
}
