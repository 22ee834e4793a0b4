package jit

import (
	"slices"

	"weft/tile"
)

// series is what a for statement goes through: so many items.
type series struct {
	length value
	item   func(at value) value
}

// iterators is the table of what makes series of others, or of arrays and numbers.
var iterators = map[string]func(l *lower, n *Node, args []*Node) (items []value, s *series){
	"builtins.range":     func(l *lower, n *Node, args []*Node) ([]value, *series) { return nil, l.counting(n, args) },
	"builtins.enumerate": (*lower).enumerated,
	"builtins.zip":       (*lower).zipped,
	"builtins.reversed":  (*lower).backwards,
	"np.ndindex":         func(l *lower, n *Node, args []*Node) ([]value, *series) { return nil, l.everyIndex(n, args) },
	"np.ndenumerate":     func(l *lower, n *Node, args []*Node) ([]value, *series) { return nil, l.everyElement(n, args, true) },
	"np.nditer":          func(l *lower, n *Node, args []*Node) ([]value, *series) { return nil, l.everyElement(n, args, false) },
}

// iterated is what an expression goes through: items that are known one by one, or a series of them.
func (l *lower) iterated(n *Node) (items []value, s *series) {
	if items, s, made := l.iterator(n); made {
		return items, s
	}
	v := l.here(n, l.optional(n))
	items, s, ok := l.through(n, v)
	if !ok {
		l.fail(n, typing, "Loop over range(...), a tuple, or an array; enumerate, zip, reversed, np.ndindex, np.ndenumerate and np.nditer of these.", "a loop over %v", v.typ)
	}
	return items, s
}

// iterator is what the call of an iterator goes through; made is false for any other expression.
func (l *lower) iterator(n *Node) (items []value, s *series, made bool) {
	name := l.called(n)
	begin, known := l.iterators[name]
	if !known {
		return nil, nil, false
	}
	args := n.Kids[1].Kids
	if at := slices.IndexFunc(args, func(k *Node) bool { return k.Kind == "keyword" && k.Word != "start" }); at >= 0 {
		l.fail(args[at], typing, "", "%s has no argument %s", name, args[at].Word)
	}
	items, s = begin(l, n, args)
	return items, s, true
}

// called is the name of the known function that an expression calls; empty for other expressions, methods of arrays
// among them.
func (l *lower) called(n *Node) string {
	if n.Kind != "call" {
		return ""
	}
	callee := n.Kids[0]
	of := callee
	if callee.Kind == "attribute" {
		of = callee.Kids[0]
	}
	if of.Kind != "name" || l.optional(of).typ.Kind != Object {
		return ""
	}
	return l.expression(callee).known
}

// through is what a value goes through: the items of a tuple, or the parts of an array or of records along the first
// axis. ok is false for others.
func (l *lower) through(n *Node, v value) (items []value, s *series, ok bool) {
	switch {
	case v.typ.Kind == Tuple:
		return v.items, nil, true
	case v.typ.Kind == Array && len(v.index) < v.typ.Axes:
		return nil, &series{l.length(v, len(v.index)), func(at value) value {
			v := v
			v.index = append(slices.Clone(v.index), at)
			if len(v.index) == v.typ.Axes {
				return l.element(n, v)
			}
			return v
		}}, true
	case v.typ.Kind == Records && v.typ.Axes > 0:
		field := v.items[0]
		return nil, &series{l.length(field, len(field.index)), func(at value) value { return l.records(n, v, at) }}, true
	}
	return nil, nil, false
}

// wanted are the arguments of an iterator, of which it takes so many.
func (l *lower) wanted(n *Node, args []*Node, least, most int) {
	if len(args) < least || len(args) > most {
		l.fail(n, "TypeError", "", "an iterator takes %d to %d arguments (%d given)", least, most, len(args))
	}
}

// counting is a range.
func (l *lower) counting(n *Node, args []*Node) *series {
	l.wanted(n, args, 1, 3)
	given := make([]value, len(args))
	for i, a := range args {
		given[i] = l.expression(a)
	}
	start, end, step, t := l.limits(n, args, given)
	if t == tile.Uint64 {
		return l.countingUp(start, end, step)
	}
	s := l.countingWhole(l.as(tile.Int64, start.in), l.as(tile.Int64, end.in), l.as(tile.Int64, step.in))
	return &series{s.length, func(at value) value { return of(l.as(t, s.item(at).in)) }}
}

// countingUp is a range of uint64, which has no way down.
func (l *lower) countingUp(start, end, step value) *series {
	from, to, by := l.as(tile.Uint64, start.in), l.as(tile.Uint64, end.in), l.as(tile.Uint64, step.in)
	zero, one := l.constant(tile.UintScalar(tile.Uint64, 0)), l.constant(tile.UintScalar(tile.Uint64, 1))
	turns := l.do(tile.Add, l.do(tile.FloorDiv, l.do(tile.Sub, l.do(tile.Sub, to, from), one), by), one)
	length := l.as(tile.Int64, l.do(tile.Select, l.do(tile.Lt, from, to), turns, zero))
	return &series{of(length), func(at value) value {
		return of(l.do(tile.Add, from, l.do(tile.Mul, l.as(tile.Uint64, at.in), by)))
	}}
}

// countingWhole is a range of int64.
func (l *lower) countingWhole(start, end, step *instr) *series {
	zero, one := l.whole(0).in, l.whole(1).in
	down := l.do(tile.Lt, step, zero)
	span := l.do(tile.Select, down, l.do(tile.Sub, start, end), l.do(tile.Sub, end, start))
	size := l.do(tile.Select, down, l.do(tile.Neg, step), step)
	length := l.do(tile.Max, zero, l.do(tile.FloorDiv, l.do(tile.Add, span, l.do(tile.Sub, size, one)), size))
	return &series{of(length), func(at value) value { return of(l.do(tile.Add, start, l.do(tile.Mul, at.in, step))) }}
}

func (l *lower) enumerated(n *Node, args []*Node) ([]value, *series) {
	l.wanted(n, args, 1, 2)
	first := l.whole(0)
	if len(args) == 2 {
		start := args[1]
		if start.Kind == "keyword" {
			start = start.Kids[0]
		}
		first = l.convert(tile.Int64, l.expression(start))
	}
	numbered := func(at, item value) value { return tuple(of(l.do(tile.Add, first.in, at.in)), item) }
	items, s := l.iterated(args[0])
	if s == nil {
		all := make([]value, len(items))
		for i, item := range items {
			all[i] = numbered(l.whole(int64(i)), item)
		}
		return all, nil
	}
	return nil, &series{s.length, func(at value) value { return numbered(at, s.item(at)) }}
}

// zipped is as long as the shortest. Of tuples alone the items are known; among series they have to be numbers.
func (l *lower) zipped(n *Node, args []*Node) ([]value, *series) {
	l.wanted(n, args, 1, 16)
	rows := make([][]value, len(args))
	all := make([]*series, len(args))
	known, shortest := true, -1
	for i, a := range args {
		rows[i], all[i] = l.iterated(a)
		if known = known && all[i] == nil; all[i] == nil && (shortest < 0 || len(rows[i]) < shortest) {
			shortest = len(rows[i])
		}
	}
	if known {
		items := make([]value, shortest)
		for at := range items {
			parts := make([]value, len(rows))
			for i, row := range rows {
				parts[i] = row[at]
			}
			items[at] = tuple(parts...)
		}
		return items, nil
	}
	var length value
	for i, s := range all {
		if s == nil {
			row := tuple(rows[i]...)
			s = &series{l.whole(int64(len(rows[i]))), func(at value) value { return l.itemOf(n, row, at) }}
			all[i] = s
		}
		if length.in == nil {
			length = s.length
		} else {
			shorter := of(l.do(tile.Min, length.in, s.length.in))
			shorter.number = arith(minNumber, length.number, s.length.number)
			length = shorter
		}
	}
	return nil, &series{length, func(at value) value {
		parts := make([]value, len(all))
		for i, s := range all {
			parts[i] = s.item(at)
		}
		return tuple(parts...)
	}}
}

func (l *lower) backwards(n *Node, args []*Node) ([]value, *series) {
	l.wanted(n, args, 1, 1)
	items, s := l.iterated(args[0])
	if s == nil {
		items = slices.Clone(items)
		slices.Reverse(items)
		return items, nil
	}
	last := l.do(tile.Sub, s.length.in, l.whole(1).in)
	return nil, &series{s.length, func(at value) value { return s.item(of(l.do(tile.Sub, last, at.in))) }}
}

// everyIndex are the indices of a shape, in the order of C.
func (l *lower) everyIndex(n *Node, args []*Node) *series {
	l.wanted(n, args, 1, 8)
	var shape []value
	for _, a := range args {
		v := l.expression(a)
		items := []value{v}
		if v.typ.Kind == Tuple {
			items = v.items
		}
		for _, item := range items {
			if item.typ.Kind != Number || !item.typ.DType.Is(tile.KindInt|tile.KindUint) {
				l.fail(a, typing, "Write integers, or a shape.", "np.ndindex of %v", v.typ)
			}
			shape = append(shape, l.convert(tile.Int64, item))
		}
	}
	size := l.whole(1)
	for _, extent := range shape {
		size = l.times(size, extent)
	}
	return &series{size, func(at value) value {
		items := make([]value, len(shape))
		rest := at.in
		for i := len(shape) - 1; i > 0; i-- {
			items[i], rest = of(l.do(tile.Rem, rest, shape[i].in)), l.do(tile.FloorDiv, rest, shape[i].in)
		}
		items[0] = of(rest)
		return tuple(items...)
	}}
}

// everyElement are the elements of an array: with their indices in the order of C, without these in the order in which
// they lie, where that is Fortran's.
func (l *lower) everyElement(n *Node, args []*Node, withIndex bool) *series {
	l.wanted(n, args, 1, 1)
	v := l.expression(args[0])
	if v.typ.Kind != Array || len(v.index) == v.typ.Axes {
		l.fail(args[0], typing, "Give it an array.", "a loop over the elements of %v", v.typ)
	}
	order := func(at *instr) []value { return l.unraveled(v, at) }
	if !withIndex && v.form == nil && v.typ.Axes-len(v.index) > 1 {
		order = l.asTheyLie(n, v)
	}
	return &series{l.elementsOf(v), func(at value) value {
		indices := order(at.in)
		v := v
		v.index = slices.Concat(v.index, indices)
		x := l.element(n, v)
		if withIndex {
			return tuple(tuple(indices...), x)
		}
		return x
	}}
}

// asTheyLie gives the indices of the element of a number: in the order of Fortran for an array of which each axis goes
// on where the one before it ends, and in the order of C for others.
func (l *lower) asTheyLie(n *Node, v value) func(at *instr) []value {
	axes := v.typ.Axes - len(v.index)
	extents := make([]value, axes)
	for i := range extents {
		extents[i] = l.length(v, len(v.index)+i)
	}
	turned := l.truth(true).in
	bytes := l.whole(int64(v.typ.DType.Size()))
	for i, stride := range l.strides(n, v).items {
		single := l.do(tile.Eq, extents[i].in, l.whole(1).in)
		turned = l.do(tile.And, turned, l.do(tile.Or, single, l.do(tile.Eq, stride.in, bytes.in)))
		bytes = l.times(bytes, extents[i])
	}
	apart := make([]*instr, axes) // how many elements lie between neighbours along an axis
	before := l.whole(1)
	for i := range extents {
		behind := l.whole(1)
		for _, extent := range extents[i+1:] {
			behind = l.times(behind, extent)
		}
		apart[i] = l.do(tile.Select, turned, before.in, behind.in)
		before = l.times(before, extents[i])
	}
	return func(at *instr) []value {
		indices := make([]value, axes)
		for i, n := range extents {
			indices[i] = of(l.do(tile.Rem, l.do(tile.FloorDiv, at, apart[i]), n.in))
		}
		return indices
	}
}
