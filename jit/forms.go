package jit

import (
	"slices"

	"weft/tile"
)

// form is another shape of an array: its elements in the order of C.
type form struct {
	of    value
	shape []value
}

// turned is an array with its axes the other way round, or in the order that is asked for.
func (l *lower) turned(v value, order []int) value {
	free := v.free()
	if len(free) < 2 && order == nil {
		return v
	}
	made := v
	made.cuts, made.index, made.typ.Axes = l.cuts(v), nil, len(free)
	made.order = slices.Clone(free)
	slices.Reverse(made.order)
	for i, axis := range order {
		made.order[i] = free[axis]
	}
	return made
}

// elementsOf is how many elements an array has.
func (l *lower) elementsOf(v value) value {
	size := l.whole(1)
	for i := len(v.index); i < v.typ.Axes; i++ {
		size = l.times(size, l.length(v, i))
	}
	return size
}

// times is the product of integers that count elements.
func (l *lower) times(a, b value) value {
	if n := arith(mulNumber, a.number, b.number); n != nil { // known when the kernel is launched
		return l.shared(tile.Int64, n)
	}
	return of(l.do(tile.Mul, a.in, b.in))
}

// lined is an array as one axis.
func (l *lower) lined(v value) value {
	if v.typ.Axes-len(v.index) == 1 {
		return v
	}
	return l.shaped(v, l.elementsOf(v))
}

// shaped cannot be written where NumPy has a copy, which the array would not see: its elements have gaps between them,
// or another order.
func (l *lower) shaped(v value, shape ...value) value {
	return value{typ: ArrayOf(v.typ.DType, len(shape)), array: v.array, constant: v.constant || v.gapped(), form: &form{v, shape}}
}

// gapped reports whether a view's elements do not lie side by side in the order of C.
func (v value) gapped() bool {
	inner := false // an axis before has several
	for _, c := range v.cuts {
		if c.at != nil && inner {
			return true
		}
		if c.at == nil && !c.whole {
			if step, known := c.step.integer(); inner || !known || step != 1 {
				return true
			}
		}
		inner = inner || c.at == nil
	}
	return len(v.order) > 1
}

// reshape is an array of another shape, one extent of which may be -1. It has to have as many elements.
func (l *lower) reshape(n *Node, v value, args []value) value {
	if len(args) == 1 && args[0].typ.Kind == Tuple {
		args = args[0].items
	}
	if len(args) < 1 {
		l.fail(n, typing, "Write the extents: x.reshape(3, 4).", "reshape without a shape")
	}
	size, others, open := l.elementsOf(v), l.whole(1), -1
	shape := make([]value, len(args))
	for i, a := range args {
		if a.typ.Kind != Number || !a.typ.DType.Is(tile.KindInt|tile.KindUint) {
			l.fail(n, typing, "Write integers.", "reshape to %v", a.typ)
		}
		shape[i] = l.convert(tile.Int64, a)
		if k, known := a.integer(); known && k < 0 {
			if open >= 0 {
				l.fail(n, "ValueError", "", "multiple negative shape values")
			}
			open = i
			continue
		}
		others = l.times(others, shape[i])
	}
	if open >= 0 {
		shape[open] = of(l.do(tile.FloorDiv, size.in, l.do(tile.Max, others.in, l.whole(1).in)))
		others = l.times(others, shape[open])
	}
	fits := of(l.do(tile.Eq, size.in, others.in))
	if s, known := fits.literalOf(); !known || s.Bits[0] == 0 {
		l.wantThreads(n, "reshape")
		l.branch(n, fits, func() {}, func() {
			l.failWith(n, "ValueError", "total size of new array must be unchanged: {} elements for {}", []*instr{size.in, others.in})
		})
	}
	return l.shaped(v, shape...)
}

// formed are the indices in the array that a form is of.
func (l *lower) formed(v value, indices []value) []value {
	f := v.form
	at := l.whole(0).in
	for i, x := range indices {
		k := l.inside(x, f.shape[i], "index {} is out of bounds for an axis of '"+l.nameOf(v.array)+"' of another shape, with size {}")
		at = l.do(tile.Add, l.do(tile.Mul, at, f.shape[i].in), k)
	}
	of := f.of
	of.index = slices.Concat(of.index, l.unraveled(f.of, at))
	return l.base(of)
}

// unraveled are the indices of the element of a number in the order of C, along the axes that are not indexed.
func (l *lower) unraveled(v value, at *instr) []value {
	indices := make([]value, v.typ.Axes-len(v.index))
	for i := len(indices) - 1; i >= 0; i-- {
		if i == 0 {
			indices[i] = of(at)
			break
		}
		n := l.length(v, len(v.index)+i).in
		indices[i], at = of(l.do(tile.Rem, at, n)), l.do(tile.FloorDiv, at, n)
	}
	return indices
}

// strides are the bytes between an array's neighbours along each axis.
func (l *lower) strides(n *Node, v value) value {
	if v.form != nil {
		l.fail(n, unsupported, "", "the strides of an array of another shape")
	}
	var items []value
	for _, at := range v.free() {
		stride := l.strideOf(v, at)
		if v.cuts != nil && !v.cuts[at].whole {
			stride = l.times(stride, v.cuts[at].step)
		}
		items = append(items, stride)
	}
	return tuple(items...)
}

// strideOf is that of the array that a view is of.
func (l *lower) strideOf(v value, axis int) value {
	if v.array >= 0 {
		return l.shared(tile.Int64, &number{op: strideNumber, n: int64(v.array<<8 | axis)})
	}
	bytes := v.typ.DType.Size()
	for _, extent := range l.scratches[^v.array].shape[axis+1:] {
		bytes *= extent
	}
	return l.whole(int64(bytes))
}
