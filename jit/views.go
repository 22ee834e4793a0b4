package jit

import (
	"slices"

	"weft/tile"
)

// cut is what a view has of one axis of its array: one index, or several at equal distances. The axes of the second
// kind are the view's own, in their order.
type cut struct {
	at                  *value // one index
	whole               bool   // all of them
	start, step, length value  // of others
}

// slicing is the value of start:stop:step.
func (l *lower) slicing(n *Node) value {
	v := object("slice")
	for _, k := range n.Kids {
		v.items = append(v.items, l.expression(k))
	}
	return v
}

// cuts are those of an array's axes, with the indices that it has been given.
func (l *lower) cuts(v value) []cut {
	made := slices.Clone(v.cuts)
	if v.cuts == nil {
		for range v.typ.Axes {
			made = append(made, cut{whole: true})
		}
	}
	for i, own := range v.axes() {
		if i < len(v.index) {
			at := l.inCut(made[own], v, v.index[i])
			made[own] = cut{at: &at}
		}
	}
	return made
}

// axes are the positions of the cuts that are axes of the view, in its order. The first ones may be indexed.
func (v value) axes() (own []int) {
	if v.order != nil {
		return v.order
	}
	if v.cuts == nil {
		for i := range v.typ.Axes {
			own = append(own, i)
		}
	}
	for i, c := range v.cuts {
		if c.at == nil {
			own = append(own, i)
		}
	}
	return own
}

// free are those that are not indexed.
func (v value) free() []int { return v.axes()[len(v.index):] }

// inCut is an index of a view's axis as one of its array's.
func (l *lower) inCut(c cut, v, i value) value {
	if c.whole {
		return i
	}
	at := l.inside(i, c.length, "index {} is out of bounds for an axis of a slice of '"+l.nameOf(v.array)+"' with size {}")
	return of(l.do(tile.Add, c.start.in, l.do(tile.Mul, at, c.step.in)))
}

// inside is an index of an axis of some length, counted from the front; the thread fails where it is not inside.
func (l *lower) inside(i, length value, otherwise string) *instr {
	at, size := l.as(tile.Int64, i.in), length.in
	zero := l.constant(tile.Scalar{Type: tile.Int64})
	if k, known := i.integer(); !known || k < 0 {
		at = l.do(tile.Select, l.do(tile.Lt, at, zero), l.do(tile.Add, at, size), at)
	}
	inside := l.do(tile.And, l.do(tile.Ge, at, zero), l.do(tile.Lt, at, size))
	if s, known := of(inside).literalOf(); !known || s.Bits[0] == 0 {
		l.branch(nil, of(inside), func() {}, func() {
			l.failWith(nil, "IndexError", otherwise, []*instr{l.as(tile.Int64, i.in), size})
		})
	}
	return at
}

// nameOf is what an array is called.
func (l *lower) nameOf(array int) string {
	if array < 0 {
		return l.scratches[^array].name
	}
	return l.names[array]
}

// base are the indices of an element in the array that a view is of.
func (l *lower) base(v value) []value {
	indices := v.index
	if v.cuts != nil {
		indices = nil
		for _, c := range l.cuts(v) {
			indices = append(indices, *c.at)
		}
	}
	if v.form != nil {
		return l.formed(v, indices)
	}
	return indices
}

// length is how long an axis is.
func (l *lower) length(v value, axis int) value {
	at := axis
	if v.cuts != nil {
		at = v.axes()[axis]
		if !v.cuts[at].whole {
			return v.cuts[at].length
		}
	}
	if v.form != nil {
		return v.form.shape[at]
	}
	return l.shared(tile.Int64, l.extent(v, at))
}

// slice is the view that indices give of which some are slices.
func (l *lower) slice(n *Node, v value, more []value) value {
	ellipsis := slices.IndexFunc(more, func(i value) bool { return i.known == "ellipsis" })
	free := v.typ.Axes - len(v.index)
	if ellipsis >= 0 {
		all := slices.Clone(more[:ellipsis])
		for range free - len(more) + 1 {
			all = append(all, value{typ: Type{Kind: Object, Name: "slice"}, known: "slice", items: []value{none(), none(), none()}})
		}
		more = append(all, more[ellipsis+1:]...)
	}
	if len(more) > free {
		l.fail(n, typing, "", "%d indices of %v", len(more)+len(v.index), v.typ)
	}
	made := v
	made.cuts, made.index = l.cuts(v), nil
	left := v.free()
	for i, own := range left[:len(more)] {
		c := made.cuts[own]
		if more[i].known == "slice" {
			made.cuts[own] = l.shorter(n, c, l.length(v, len(v.index)+i), more[i].items)
			continue
		}
		l.wantIndex(n, more[i])
		at := l.inCut(c, v, more[i])
		made.cuts[own] = cut{at: &at}
	}
	left = slices.DeleteFunc(slices.Clone(left), func(own int) bool { return made.cuts[own].at != nil })
	if made.typ.Axes = len(left); v.order != nil {
		made.order = left
	}
	return made
}

func none() value { return value{typ: Type{Kind: None}} }

// shorter is a slice of what a cut has, which is n long, by Python's rules.
func (l *lower) shorter(at *Node, c cut, n value, parts []value) cut {
	step := int64(1)
	if parts[2].typ.Kind != None {
		k, known := parts[2].integer()
		if !known || k == 0 {
			l.fail(at, unsupported, "Write a number.", "the step of a slice is not known while compiling, or 0")
		}
		step = k
	}
	if parts[0].typ.Kind == None && parts[1].typ.Kind == None && step == 1 {
		return c
	}
	if !l.threads {
		l.fail(at, unsupported, "Index each element.", "a part of an array by start and stop")
	}
	whole := func(k int64) *instr { return l.constant(tile.IntScalar(tile.Int64, k)) }
	low, high := whole(0), n.in // where it may begin and end
	if step < 0 {
		low, high = whole(-1), l.do(tile.Sub, n.in, whole(1))
	}
	bound := func(v value, missing *instr) *instr {
		if v.typ.Kind == None {
			return missing
		}
		l.wantIndex(at, v)
		i := l.as(tile.Int64, v.in)
		i = l.do(tile.Select, l.do(tile.Lt, i, whole(0)), l.do(tile.Add, i, n.in), i)
		return l.do(tile.Max, low, l.do(tile.Min, high, i))
	}
	first, last := low, high
	if step < 0 {
		first, last = high, low
	}
	first, last = bound(parts[0], first), bound(parts[1], last)
	span := l.do(tile.Sub, last, first)
	if step < 0 {
		span = l.do(tile.Neg, span)
	}
	size := max(step, -step)
	count := l.do(tile.Max, whole(0), l.do(tile.FloorDiv, l.do(tile.Add, span, whole(size-1)), whole(size)))
	if c.whole {
		return cut{start: of(first), step: of(whole(step)), length: of(count)}
	}
	start := l.do(tile.Add, c.start.in, l.do(tile.Mul, first, c.step.in))
	return cut{start: of(start), step: of(l.do(tile.Mul, c.step.in, whole(step))), length: of(count)}
}

// wantIndex refuses what is no index.
func (l *lower) wantIndex(n *Node, i value) {
	if i.typ.Kind != Number || !i.typ.DType.Is(tile.KindInt|tile.KindUint) {
		if len(n.Kids) > 1 {
			n = n.Kids[1]
		}
		l.fail(n, typing, "Convert it with int(...).", "an index is %v; want integers", i.typ)
	}
}

// fill writes a number, or the elements of an array of as many axes, to all elements of a view. first says that none of
// its axes are walked yet.
func (l *lower) fill(target *Node, to, v value, first bool) {
	if len(to.index) == to.typ.Axes {
		if v.typ.Kind == Array {
			v = l.element(target, v)
		}
		l.put(target, to, v)
		return
	}
	if v.typ.Kind == Array && v.typ.Axes-len(v.index) != to.typ.Axes-len(to.index) {
		l.fail(target, typing, "Write each element.", "%v is written to a part of %v of as many axes", v.typ, to.typ)
	}
	length := l.length(to, len(to.index))
	if v.typ.Kind == Array {
		given := l.length(v, len(v.index))
		l.branch(target, of(l.do(tile.Eq, given.in, length.in)), func() {}, func() {
			l.failWith(target, "ValueError", "cannot assign slice of shape ({},) from input of shape ({},)", []*instr{length.in, given.in})
		})
	}
	if first {
		l.apart(target, to, v)
	}
	l.eachOf(target, nil, length, func(at value) {
		to, v := to, v
		to.index = append(slices.Clone(to.index), at)
		if v.typ.Kind == Array {
			v.index = append(slices.Clone(v.index), at)
		}
		l.fill(target, to, v, false)
	})
}

// eachOf walks a loop from 0 up to an end, which is no statement of the program's. names are those that its turns set.
func (l *lower) eachOf(n *Node, names []string, end value, turn func(at value)) {
	loop := &Node{Kind: "for", Span: n.Span, Kids: []*Node{{Kind: "body"}, {Kind: "body"}}}
	l.count(loop, append([]string{"at?"}, names...), nil, l.whole(0), end, l.whole(1), turn)
}
