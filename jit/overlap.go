package jit

import (
	"slices"

	"weft/tile"
)

// Arrays are written from arrays element by element, so that a part of an array which is written from another part of
// it may overwrite what is still to be read:
//
//	x[1:] = x[:-1]    0 1 2 3  ->  0 0 2 3  ->  0 0 0 3  ->  0 0 0 0     NumPy, which copies first: 0 0 1 2
//
// There is no memory for a copy of any length, so that such a statement fails when it is run. Parts without an element
// in common are written, and parts of the same elements in the same order.

// apart makes a thread fail that writes a part of an array from another part of it which has elements in common with
// it.
func (l *lower) apart(n *Node, to, from value) {
	if from.typ.Kind != Array || from.array != to.array || to.form == nil && from.form == nil && sameRows(to, from) {
		return
	}
	safe := l.constant(tile.Scalar{Type: tile.Bool})
	if to.form == nil && from.form == nil {
		safe = l.separate(to, from)
	}
	l.branch(n, of(safe), func() {}, func() {
		l.failWith(n, "ValueError", "a part of '"+l.nameOf(to.array)+"' is written from another part of it that has elements in common with it; write each element in a loop", nil)
	})
}

// sameRows reports whether two views are whole rows, or the like, along the same axes: they are the same, or have
// nothing in common.
func sameRows(a, b value) bool {
	partial := func(c cut) bool { return c.at == nil && !c.whole }
	return slices.Equal(a.free(), b.free()) && !slices.ContainsFunc(a.cuts, partial) && !slices.ContainsFunc(b.cuts, partial)
}

// separate is whether two views of an array have no element in common, or the same ones in the same order.
func (l *lower) separate(to, from value) *instr {
	a, b := l.cuts(to), l.cuts(from)
	apart, same := l.constant(tile.Scalar{Type: tile.Bool}), l.constant(tile.IntScalar(tile.Bool, 1))
	if !slices.Equal(to.free(), from.free()) {
		same = apart
	}
	for axis := range a {
		extent := l.shared(tile.Int64, l.extent(to, axis)).in
		x, y := l.spanned(a[axis], extent), l.spanned(b[axis], extent)
		apart = l.do(tile.Or, apart, l.do(tile.Or, l.do(tile.Lt, x.high, y.low), l.do(tile.Lt, y.high, x.low)))
		same = l.do(tile.And, same, l.do(tile.And, l.do(tile.Eq, x.start, y.start), l.do(tile.Eq, x.step, y.step)))
	}
	return l.do(tile.Or, apart, same)
}

// reach is what a cut has of an axis: from low to high.
type reach struct{ start, step, low, high *instr }

func (l *lower) spanned(c cut, extent *instr) reach {
	zero, one := l.whole(0).in, l.whole(1).in
	switch {
	case c.whole:
		return reach{zero, one, zero, l.do(tile.Sub, extent, one)}
	case c.at != nil:
		at := l.as(tile.Int64, c.at.in)
		at = l.do(tile.Select, l.do(tile.Lt, at, zero), l.do(tile.Add, at, extent), at)
		return reach{at, zero, at, at}
	}
	last := l.do(tile.Add, c.start.in, l.do(tile.Mul, c.step.in, l.do(tile.Sub, c.length.in, one)))
	return reach{c.start.in, c.step.in, l.do(tile.Min, c.start.in, last), l.do(tile.Max, c.start.in, last)}
}
