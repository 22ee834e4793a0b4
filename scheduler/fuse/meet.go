package fuse

import (
	"cmp"
	"math"
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// meeting is the index space that a group and an op have in common, and how the views of both come to it.
// One of them has it already. The other one's is coarser, or has its axes in another order: ops on
// transposed arrays come with their axes in the order of memory, and reductions with the user's.
//
//	t = a.T * 2     (12)    t: (8)        over (4,3)   t: (8,32)
//	s = t.sum(0)    (4,3)   t: (8,32)     over (4,3)   t: (8,32)
//
// With op = (1,0), axis 0 of the op's own space is axis 1 of shape. At most one
// of group and op is set, for one of both has the common space already.
type meeting struct {
	shape     []int
	group, op []int // its axes in the order of the other space, which is coarser; nil for its own order
}

// groupView returns a view of the group over the common space, opView one of the op.
func (m *meeting) groupView(v scheduler.View) scheduler.View { return turned(v, m.shape, m.group) }
func (m *meeting) opView(v scheduler.View) scheduler.View    { return turned(v, m.shape, m.op) }

// turned returns a view over an index space whose axes, put in an order, are finer than the view's; nil is their own
// order.
//
// It works on strides alone: first the axes are split where the space is finer, in the view's own order, and then each
// stride goes to the axis that it is of.
//
//	v        (12) by (8)         order (1,0), shape (4,3)
//	refined  (3,4) by (32,8)     over inOrder: (3,4)
//	turned   (4,3) by (8,32)
func turned(v scheduler.View, shape, order []int) scheduler.View {
	if order == nil {
		if equalShape(v.Shape, shape) {
			return v
		}
		return refined(v, shape)
	}
	v = refined(v, inOrder(shape, order))
	strides := make([]int64, len(order))
	for i, axis := range order {
		strides[axis] = v.Strides[i]
	}
	v.Shape, v.Strides = shape, strides
	return v
}

// groupTurn returns how the axes of a member, which were turned in the group's index space, are turned in the
// common one (Op.Turns).
//
// Members that came before have axes in the order of a space that is replaced now. Each axis of it is a run of
// neighbouring axes of the finer one:
//
//	from (6,5)   to (2,3,5)      pieces of axis 0: 0 1      of axis 1: 2
//	turn (1,0)                   now: 2, 0 1
//
// An order that is ascending is the own one, and is written nil, so that programs without turned members look the same
// as before.
func (m *meeting) groupTurn(turn, from []int) []int {
	if m.group == nil && (turn == nil || equalShape(from, m.shape)) {
		return turn
	}
	to := m.shape
	if m.group != nil {
		to = inOrder(m.shape, m.group)
	}
	pieces := make([][]int, len(from)) // the axes of the finer space that make one
	k := len(to) - 1
	for i := len(from) - 1; i >= 0; i-- {
		for points := 1; k >= 0 && (points < from[i] || i == 0); k-- {
			points *= to[k]
			pieces[i] = append(pieces[i], k)
		}
		slices.Reverse(pieces[i])
	}
	var now []int
	for i := range from {
		if turn != nil {
			i = turn[i]
		}
		for _, axis := range pieces[i] {
			if m.group != nil {
				axis = m.group[axis]
			}
			now = append(now, axis)
		}
	}
	if slices.IsSorted(now) {
		return nil
	}
	return now
}

// inOrder returns the extents of a shape with its axes in an order.
func inOrder(shape, order []int) []int {
	other := make([]int, len(order))
	for i, axis := range order {
		other[i] = shape[axis]
	}
	return other
}

// meet returns the index space that the group and the op have in common. Reductions keep theirs, which the order
// of their additions follows, and programs that look at coordinates as well.
//
// A refined index space would have other blocks, and the sum of floating-point numbers other bits.
func (f *Fuser) meet(g *group, e *Entry) (meeting, scheduler.Why) {
	opFixed := e.Block != nil
	for i := range e.Op.Program.Code {
		opFixed = opFixed || e.Op.Program.Code[i].Op == tile.Index
	}
	groupFixed := g.reduces || g.indexed
	if m, ok := meetTurned(g, e, groupFixed, opFixed); ok {
		return m, scheduler.Together
	}
	switch {
	case equalShape(g.shape, e.Op.Shape), !opFixed && refine(e.Op.Shape, nil, g.shape, nil):
		return meeting{shape: g.shape}, scheduler.Together
	case !groupFixed && refine(g.shape, nil, e.Op.Shape, nil):
		return meeting{shape: e.Op.Shape}, scheduler.Together
	}
	return meeting{}, scheduler.Shape
}

// meetTurned looks for an order of the axes in which the first store that the group and the op share, and one of them
// writes, is the same to both. There is none where it already is.
//
// One shared store decides, the first: other operands may fit the order or not, which fits finds out.
func meetTurned(g *group, e *Entry, groupFixed, opFixed bool) (meeting, bool) {
	for i := range e.Uses {
		if e.Op.Whole(i) || e.Uses[i].Write && e.Block != nil {
			continue
		}
		v := &e.Op.Uses[i].View
		for k := range g.slots {
			s := &g.slots[k]
			if s.store != e.Uses[i].Store || !e.Uses[i].Write && !s.writes || s.result || s.whole {
				continue
			}
			if scheduler.SameView(&s.view, v) {
				return meeting{}, false
			}
			if group := byStrides(v); !groupFixed && group != nil && agree(&s.view, v, group) {
				return meeting{shape: e.Op.Shape, group: group}, true
			}
			if op := byStrides(&s.view); !opFixed && op != nil && agree(v, &s.view, op) {
				return meeting{shape: g.shape, op: op}, true
			}
		}
	}
	return meeting{}, false
}

// agree reports whether a view is another one when it is turned to that one's index space, whose axes in an order
// are finer.
func agree(v, other *scheduler.View, order []int) bool {
	if !refine(v.Shape, nil, inOrder(other.Shape, order), nil) {
		return false
	}
	w := turned(*v, other.Shape, order)
	return scheduler.SameView(&w, other)
}

// byStrides returns the axes of a view from the longest steps to the shortest, or nil where they lie so.
// Axes of one point, whose steps mean nothing, go first.
func byStrides(v *scheduler.View) []int {
	order := make([]int, len(v.Shape))
	for i := range order {
		order[i] = i
	}
	step := func(axis int) int64 {
		if v.Shape[axis] == 1 {
			return math.MaxInt64
		}
		return max(v.Strides[axis], -v.Strides[axis])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(step(b), step(a)) })
	if slices.IsSorted(order) {
		return nil
	}
	return order
}
