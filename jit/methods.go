package jit

import (
	"slices"
	"strings"

	"weft/tile"
)

// arrayAttributes is the table of what an array has.
var arrayAttributes = map[string]func(l *lower, n *Node, v value) value{
	"T":        func(l *lower, _ *Node, v value) value { return l.turned(v, nil) },
	"flat":     func(l *lower, _ *Node, v value) value { return l.lined(v) },
	"size":     func(l *lower, _ *Node, v value) value { return l.elementsOf(v) },
	"ndim":     func(l *lower, _ *Node, v value) value { return l.whole(int64(v.typ.Axes - len(v.index))) },
	"itemsize": func(l *lower, _ *Node, v value) value { return l.whole(int64(v.typ.DType.Size())) },
	"strides":  (*lower).strides,
	"shape": func(l *lower, _ *Node, v value) value {
		items := []value{}
		for i := len(v.index); i < v.typ.Axes; i++ {
			items = append(items, l.length(v, i))
		}
		return tuple(items...)
	},
	"nbytes": func(l *lower, _ *Node, v value) value {
		return l.times(l.elementsOf(v), l.whole(int64(v.typ.DType.Size())))
	},
	"dtype": func(_ *lower, _ *Node, v value) value {
		d := object("dtype(" + v.typ.DType.String() + ")")
		d.dtype = v.typ.DType
		return d
	},
	"real": func(l *lower, n *Node, v value) value {
		if v.typ.DType.Is(tile.KindComplex) {
			l.fail(n, unsupported, "Write .real behind the element.", "the real parts of %v", v.typ)
		}
		return v
	},
}

// arrayMethod is one row of the table of methods of arrays: how many arguments it takes, and what it is. np has most
// under the same names.
type arrayMethod struct {
	least, most int
	build       func(l *lower, n *Node, v value, args []value) value
}

var arrayMethods = map[string]arrayMethod{
	"reshape":   {1, 8, (*lower).reshape},
	"ravel":     {0, 0, func(l *lower, _ *Node, v value, _ []value) value { return l.lined(v) }},
	"transpose": {0, 8, (*lower).transpose},
	"item":      {0, 8, (*lower).itemMethod},
	"fill":      {1, 1, func(l *lower, n *Node, v value, args []value) value { l.fill(n, v, args[0], true); return none() }},
	"sum":       folding(func(l *lower, n *Node, v value) value { return l.total(n, v, "+", 0) }),
	"prod":      folding(func(l *lower, n *Node, v value) value { return l.total(n, v, "*", 1) }),
	"min":       folding(func(l *lower, n *Node, v value) value { best, _ := l.best(n, v, "<"); return best }),
	"max":       folding(func(l *lower, n *Node, v value) value { best, _ := l.best(n, v, ">"); return best }),
	"argmin":    folding(func(l *lower, n *Node, v value) value { _, at := l.best(n, v, "<"); return at }),
	"argmax":    folding(func(l *lower, n *Node, v value) value { _, at := l.best(n, v, ">"); return at }),
	"any":       folding(func(l *lower, n *Node, v value) value { return l.whether(n, v, tile.Or, false) }),
	"all":       folding(func(l *lower, n *Node, v value) value { return l.whether(n, v, tile.And, true) }),
	"mean":      folding((*lower).mean),
	"var":       folding((*lower).variance),
	"std": folding(func(l *lower, n *Node, v value) value {
		return of(l.do(tile.Sqrt, l.variance(n, v).in))
	}),
}

// copying are the methods whose results are arrays of their own.
var copying = map[string]string{
	"flatten": "Use ravel(), which copies nothing.", "copy": "Write the elements to cuda.local.array(...).", "astype": "Convert each element.",
	"squeeze": "Index the axes of one element.", "view": "Pass an array of that dtype as an argument.", "sort": "", "cumsum": "Write a loop.", "dot": "Write a loop.",
}

func folding(f func(l *lower, n *Node, v value) value) arrayMethod {
	return arrayMethod{0, 0, func(l *lower, n *Node, v value, _ []value) value { return f(l, n, v) }}
}

// arrayMethod is a call of a method of an array.
func (l *lower) arrayMethod(n, callee *Node, v value) value {
	row, ok := l.methods[callee.Word]
	if !ok {
		if instead, copies := copying[callee.Word]; copies {
			l.fail(callee, unsupported, instead, "%s() of an array, which would be a new array, is not supported in compiled functions", callee.Word)
		}
		l.fail(callee, typing, "", "Unknown attribute '%s' of type %v", callee.Word, v.typ)
	}
	args := l.arguments(n)
	if len(args) < row.least || len(args) > row.most {
		l.fail(n, typing, "", "%s takes %d to %d arguments (%d given)", callee.Word, row.least, row.most, len(args))
	}
	return row.build(l, n, v, args)
}

// ofArray is np.sum(x) and the like: a method of an array as a function; ok is false where the name is none.
func (l *lower) ofArray(n *Node, name string, args []value) (v value, ok bool) {
	name, isNumPys := strings.CutPrefix(name, "np.")
	if name == "amin" || name == "amax" {
		name = name[1:]
	}
	row, known := l.methods[name]
	if !isNumPys || !known || len(args) == 0 || args[0].typ.Kind != Array || name == "item" || name == "fill" {
		return v, false
	}
	if len(args)-1 < row.least || len(args)-1 > row.most {
		l.fail(n, typing, "", "np.%s takes an array and %d to %d arguments (%d given)", name, row.least, row.most, len(args)-1)
	}
	return row.build(l, n, args[0], args[1:]), true
}

func (l *lower) transpose(n *Node, v value, args []value) value {
	if len(args) == 1 && args[0].typ.Kind == Tuple {
		args = args[0].items
	}
	axes := v.typ.Axes - len(v.index)
	if len(args) == 0 {
		return l.turned(v, nil)
	}
	var order []int
	for _, a := range args {
		k, known := a.integer()
		if known && k < 0 {
			k += int64(axes)
		}
		if !known || k < 0 || int(k) >= axes || slices.Contains(order, int(k)) {
			l.fail(n, "ValueError", "Write each axis once, as a number.", "transpose: axes don't match array")
		}
		order = append(order, int(k))
	}
	if len(order) != axes {
		l.fail(n, "ValueError", "Write each axis once, as a number.", "transpose: axes don't match array")
	}
	return l.turned(v, order)
}

// itemMethod is the only element, or that of a number or of indices.
func (l *lower) itemMethod(n *Node, v value, args []value) value {
	switch axes := v.typ.Axes - len(v.index); {
	case len(args) == 0:
		v = l.reshape(n, v, []value{l.whole(1)})
		args = []value{l.whole(0)}
	case len(args) == 1 && axes > 1 && args[0].typ.Kind == Number:
		v = l.lined(v)
	}
	if len(args) > 1 {
		args = []value{tuple(args...)}
	}
	v = l.withIndex(n, v, args[0])
	if len(v.index) < v.typ.Axes {
		l.fail(n, typing, "", "item of %v with %d indices", v.typ, len(v.index))
	}
	return l.element(n, v)
}

// Names of what the loops over an array's elements carry.
const (
	folded  = "folded?"
	foundAt = "found?"
	counted = "counted?"
)

// eachElement walks loops over an array's elements in the order of C, of which turns set names.
func (l *lower) eachElement(n *Node, v value, names []string, turn func(x value)) {
	if len(v.index) == v.typ.Axes {
		turn(l.element(n, v))
		return
	}
	l.eachOf(n, names, l.length(v, len(v.index)), func(at value) {
		v := v
		v.index = append(slices.Clone(v.index), at)
		l.eachElement(n, v, names, turn)
	})
}

// fold walks them with one value that each turn makes anew of the last and of an element.
func (l *lower) fold(n *Node, v, first value, turn func(last, x value) value) value {
	outer, had := l.frame.vars.find(folded)
	l.frame.set(folded, first)
	l.eachElement(n, v, []string{folded}, func(x value) { l.frame.set(folded, turn(l.frame.vars.of(folded), x)) })
	made := l.frame.vars.of(folded)
	if delete(l.frame.vars, folded); had {
		l.frame.set(folded, outer)
	}
	return made
}

// total is a sum or product: of integers in 64 bits, of floats in their own dtype.
func (l *lower) total(n *Node, v value, op string, neutral float64) value {
	t := v.typ.DType
	if t.Is(kindsInteger) {
		t = arithmetic(t, t)
	}
	return l.fold(n, v, of(l.number(t, neutral)), func(last, x value) value {
		return of(l.as(t, l.binary(n, op, last, x).in))
	})
}

// whether is any or all.
func (l *lower) whether(n *Node, v value, op tile.Opcode, neutral bool) value {
	return l.fold(n, v, l.truth(neutral), func(last, x value) value { return of(l.do(op, last.in, l.condition(n, x).in)) })
}

func (l *lower) mean(n *Node, v value) value {
	t := v.typ.DType
	if t.Is(kindsInteger) {
		t = tile.Float64
	}
	sum := l.fold(n, v, of(l.number(t, 0)), func(last, x value) value { return of(l.as(t, l.binary(n, "+", last, x).in)) })
	return l.binary(n, "/", sum, l.elementsOf(v))
}

// variance is the mean of the squared distances from the mean.
func (l *lower) variance(n *Node, v value) value {
	if v.typ.DType.Is(tile.KindComplex) {
		l.fail(n, unsupported, "", "the variance of %v", v.typ)
	}
	mean := l.mean(n, v)
	t := tile.Float64
	sum := l.fold(n, v, of(l.number(t, 0)), func(last, x value) value {
		off := l.binary(n, "-", x, mean)
		return of(l.as(t, l.binary(n, "+", last, l.binary(n, "*", off, off)).in))
	})
	return l.binary(n, "/", sum, l.elementsOf(v))
}

// best is the least or greatest element, and where the first one of it is: a NaN is before all others. An array without
// elements has none.
func (l *lower) best(n *Node, v value, op string) (best, at value) {
	t := v.typ.DType
	if t.Is(tile.KindComplex) {
		l.fail(n, typing, "", "No implementation of comparison %s found for %v", op, v.typ)
	}
	if size := l.elementsOf(v); l.threads {
		l.branch(n, of(l.do(tile.Gt, size.in, l.whole(0).in)), func() {}, func() {
			l.failWith(n, "ValueError", "attempt to get the least or greatest element of an empty array", nil)
		})
	}
	names := []string{folded, foundAt, counted}
	outer := map[string]value{}
	for _, name := range names {
		if was, had := l.frame.vars.find(name); had {
			outer[name] = was
		}
	}
	l.frame.set(folded, of(l.number(t, 0)))
	l.frame.set(foundAt, l.whole(0))
	l.frame.set(counted, l.whole(0))
	l.eachElement(n, v, names, func(x value) {
		vars := l.frame.vars
		last, k := vars.of(folded), of(vars.of(counted).in)
		better := l.compare(n, op, x, last).in
		if t.Is(tile.KindFloat) {
			unordered := l.do(tile.And, l.do(tile.IsNaN, x.in), l.do(tile.Not, l.do(tile.IsNaN, last.in)))
			better = l.do(tile.Or, better, unordered)
		}
		better = l.do(tile.Or, better, l.do(tile.Eq, k.in, l.whole(0).in))
		vars.set(folded, of(l.do(tile.Select, better, x.in, last.in)))
		vars.set(foundAt, of(l.do(tile.Select, better, k.in, vars.of(foundAt).in)))
		vars.set(counted, of(l.do(tile.Add, k.in, l.whole(1).in)))
	})
	best, at = l.frame.vars.of(folded), l.frame.vars.of(foundAt)
	for _, name := range names {
		if delete(l.frame.vars, name); len(outer) > 0 {
			l.frame.set(name, outer[name])
		}
	}
	return best, at
}
