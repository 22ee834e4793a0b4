package jit

import (
	"slices"
	"strings"

	"weft/tile"
)

// splitOps splits the word of a chain of comparisons.
func splitOps(word string) []string { return strings.Split(word, ",") }

// arguments walks the arguments of a call that takes none by name.
func (l *lower) arguments(n *Node) []value {
	args := make([]value, 0, len(n.Kids[1].Kids))
	for _, k := range n.Kids[1].Kids {
		if k.Kind == "keyword" {
			l.fail(k, typing, "Give it by position.", "the argument %s is given by name", k.Word)
		}
		args = append(args, l.expression(k))
	}
	return args
}

// named walks the arguments of a call, some of which may be given by name. Those of names that end in a question mark
// may be left out between others, and are None then.
func (l *lower) named(n *Node, names []string) []value {
	if len(names) == 0 {
		return l.arguments(n)
	}
	args, given := make([]value, len(names)), make([]bool, len(names))
	count, last := 0, -1
	for _, k := range n.Kids[1].Kids {
		at, v := count, k
		if k.Kind == "keyword" {
			at, v = slices.IndexFunc(names, func(name string) bool { return strings.TrimSuffix(name, "?") == k.Word }), k.Kids[0]
		}
		switch {
		case at < 0:
			l.fail(k, typing, "", "got an unexpected keyword argument %s; want %s", k.Word, strings.Join(names, ", "))
		case at >= len(args):
			args, given = append(args, value{}), append(given, false)
		case given[at]:
			l.fail(k, typing, "", "got multiple values for argument %s", names[at])
		}
		args[at], given[at] = l.expression(v), true
		last = max(last, at)
		count++
	}
	for i := range last {
		switch {
		case given[i]:
		case strings.HasSuffix(names[i], "?"):
			args[i] = none()
		default:
			l.fail(n, typing, "", "missing a required argument: %s", names[i])
		}
	}
	return args[:last+1]
}

// call walks a call.
func (l *lower) call(n *Node) value {
	callee := n.Kids[0]
	if callee.Kind == "attribute" {
		switch base := l.expression(callee.Kids[0]); base.typ.Kind {
		case Number:
			return l.method(n, callee, base)
		case Array:
			return l.arrayMethod(n, callee, base)
		}
	}
	f := l.expression(callee)
	switch {
	case f.called != nil:
		return l.inline(n, f.called)
	case f.dtype != tile.Invalid:
		args := l.arguments(n)
		if len(args) != 1 || args[0].typ.Kind != Number {
			l.fail(n, typing, "", "%v takes one number", f.typ)
		}
		return l.convert(f.dtype, args[0])
	case f.typ.Kind == Tuple && f.typ.Name != "" && f.items == nil:
		return l.vector(n, f.typ)
	case f.known == "":
		l.fail(callee, typing, "", "%v cannot be called", f.typ)
	}
	if v, ok := l.operatorCall(n, f.known); ok {
		return v
	}
	row, ok := l.lookup(f.known)
	var args []value
	switch plain := !slices.ContainsFunc(n.Kids[1].Kids, func(k *Node) bool { return k.Kind == "keyword" }); {
	case plain && strings.HasPrefix(f.known, "np."):
		args = l.arguments(n)
		if v, done := l.overArrays(n, f.known, args, row, ok); done {
			return v
		}
	case ok:
		args = l.named(n, row.names)
	}
	if !ok {
		l.fail(callee, unsupported, refusalOf(f.known), "%s is not supported in compiled functions", strings.TrimPrefix(f.known, "builtins."))
	}
	if len(args) < row.least || len(args) > row.most {
		l.fail(n, typing, "", "%s takes %d to %d arguments (%d given)", f.known, row.least, row.most, len(args))
	}
	for i, a := range args {
		if a.typ.Kind != Number && !row.any {
			l.fail(n.Kids[1].Kids[i], typing, "", "No implementation of function %s found for %v; want numbers", f.known, a.typ)
		}
	}
	return row.build(l, n, args)
}

// overArrays is a call of one of NumPy's functions with arrays; done is false where it has none. A ufunc then writes to
// an array that is its last argument.
func (l *lower) overArrays(n *Node, name string, args []value, row functionRow, isUfunc bool) (v value, done bool) {
	if !slices.ContainsFunc(args, func(a value) bool { return a.typ.Kind == Array }) {
		return v, false
	}
	if v, done = l.ofArray(n, name, args); done || !isUfunc || row.any {
		return v, done
	}
	inputs, out := args[:len(args)-1], args[len(args)-1]
	if len(inputs) < row.least || len(inputs) > row.most || out.typ.Kind != Array {
		l.fail(n, unsupported, "Give it an array for its results as the last argument, or numbers.",
			"%s of arrays, which would give a new array, is not supported in compiled functions", name)
	}
	l.mapped(n, row, inputs, out, true)
	return none(), true
}

// mapped writes what a function gives for the elements of arrays, of which each has as many axes as the result, or
// none.
func (l *lower) mapped(n *Node, row functionRow, inputs []value, out value, first bool) {
	if len(out.index) == out.typ.Axes {
		numbers := slices.Clone(inputs)
		for i, a := range inputs {
			if a.typ.Kind == Array {
				numbers[i] = l.element(n, a)
			}
		}
		l.put(n, out, row.build(l, n, numbers))
		return
	}
	length := l.length(out, len(out.index))
	for _, a := range inputs {
		if a.typ.Kind != Array {
			continue
		}
		if a.typ.Axes-len(a.index) != out.typ.Axes-len(out.index) {
			l.fail(n, typing, "Give it arrays of as many axes as the result has.", "%v where the result is %v", a.typ, out.typ)
		}
		given := l.length(a, len(a.index))
		l.branch(n, of(l.do(tile.Eq, given.in, length.in)), func() {}, func() {
			l.failWith(n, "ValueError", "operands of {} and {} elements along an axis", []*instr{given.in, length.in})
		})
	}
	for _, a := range inputs {
		if first {
			l.apart(n, out, a)
		}
	}
	l.eachOf(n, nil, length, func(at value) {
		further := func(a value) value {
			if a.typ.Kind == Array {
				a.index = append(slices.Clone(a.index), at)
			}
			return a
		}
		inner := make([]value, len(inputs))
		for i, a := range inputs {
			inner[i] = further(a)
		}
		l.mapped(n, row, inner, further(out), false)
	})
}

// method is a call of a method of a number.
func (l *lower) method(n, callee *Node, v value) value {
	args := l.arguments(n)
	switch {
	case callee.Word == "conjugate" && len(args) == 0:
		if !v.typ.DType.Is(tile.KindComplex) {
			return v
		}
		return of(l.do(tile.Conj, v.in))
	case callee.Word == "bit_count" && len(args) == 0 && v.typ.DType.Is(tile.KindInt|tile.KindUint):
		return bitCount(l, v)
	case callee.Word == "is_integer" && len(args) == 0 && v.typ.DType.Is(tile.KindFloat):
		return of(l.do(tile.And, l.do(tile.IsFinite, v.in), l.do(tile.Eq, l.do(tile.Trunc, v.in), v.in)))
	case callee.Word == "astype" && len(args) == 1 && args[0].dtype != tile.Invalid:
		return l.convert(args[0].dtype, v)
	case callee.Word == "item" && len(args) == 0:
		return v
	}
	l.fail(callee, typing, "", "Unknown attribute '%s' of type %v", callee.Word, v.typ)
	return value{}
}

// attribute is x.name.
func (l *lower) attribute(n *Node) value {
	return l.attributeOf(n, l.expression(n.Kids[0]))
}

func (l *lower) attributeOf(n *Node, v value) value {
	switch v.typ.Kind {
	case Object:
		if n.Word == "type" && strings.HasPrefix(v.typ.String(), "dtype(") { // of a.dtype.type(0)
			return v
		}
		if v.known != "" {
			name := v.known + "." + n.Word
			if c, ok := constants[name]; ok {
				return of(l.constant(tile.FloatScalar(tile.Float64, c)))
			}
			if t, err := tile.ParseDType(n.Word); err == nil && (v.known == "np" || v.known == "numba") {
				d := object("class(" + n.Word + ")")
				d.dtype = t
				return d
			}
			return l.intrinsic(name, n)
		}
	case Array:
		if f, ok := arrayAttributes[n.Word]; ok {
			return f(l, n, v)
		}
	case Tuple, Records:
		if v.typ.Kind == Records && (n.Word == "shape" || n.Word == "size" || n.Word == "ndim") {
			return l.attributeOf(n, v.items[0])
		}
		if v.typ.Names != nil {
			return l.field(n, v, n.Word)
		}
	case Number:
		complexes := v.typ.DType.Is(tile.KindComplex)
		switch {
		case n.Word == "real" && complexes:
			return of(l.do(tile.RealPart, v.in))
		case n.Word == "imag" && complexes:
			return of(l.do(tile.ImagPart, v.in))
		case n.Word == "real":
			return v
		case n.Word == "imag":
			return of(l.constant(tile.Scalar{Type: v.typ.DType}))
		}
	}
	l.fail(n, typing, "", "Unknown attribute '%s' of type %v", n.Word, v.typ)
	return value{}
}

// maxCalls is how deep calls nest: all of them are inlined.
const maxCalls = 40

// inline walks the body of a function that is called.
func (l *lower) inline(n *Node, c *closure) value {
	if l.depth == maxCalls {
		l.fail(n, unsupported, "Write a loop.", "calls nest %d deep; a function that calls itself is not supported", maxCalls)
	}
	vars := names{}
	at := 0
	for _, k := range n.Kids[1].Kids {
		if k.Kind == "keyword" {
			vars.set(k.Word, l.optional(k.Kids[0]))
			continue
		}
		v := l.optional(k)
		if at == len(c.params) {
			l.fail(n, "TypeError", "", "too many arguments: %s takes %d", c.name, len(c.params))
		}
		vars.set(c.params[at].Word, v)
		at++
	}
	inner := &frame{function: c.function, vars: vars, outer: c.outer}
	for _, p := range c.params {
		if _, given := vars.find(p.Word); given {
			continue
		}
		if len(p.Kids) == 0 {
			l.fail(n, "TypeError", "", "missing a required argument: '%s' of %s", p.Word, c.name)
		}
		vars.set(p.Word, l.standard(p, c))
	}
	path := l.path
	l.path += "/" + c.name + n.Span.String()
	defer func() { l.path = path }()
	if len(vars) > len(c.params) {
		l.fail(n, "TypeError", "", "%s got an argument by a name that none of its parameters has", c.name)
	}
	return l.enter(inner)
}

// standard is what a parameter is that a call does not give: what its default was where the function was defined, which
// that frame has by a name of its own, as loops and branches hand on.
func (l *lower) standard(p *Node, c *closure) value {
	if c.outer == nil || literalKinds[p.Kids[0].Kind] {
		return l.literalNode(p.Kids[0], p)
	}
	return c.outer.vars.of(standardName(p))
}

// literalKinds are the kinds of nodes that are the same wherever they are evaluated.
var literalKinds = map[string]bool{"int": true, "float": true, "complex": true, "bool": true, "none": true, "str": true}

func standardName(p *Node) string { return p.Word + p.Span.String() + "?" }

// standards evaluates the defaults of a function that is defined here.
func (l *lower) standards(params []*Node) {
	for _, p := range params {
		if len(p.Kids) > 0 && !literalKinds[p.Kids[0].Kind] {
			l.frame.set(standardName(p), l.optional(p.Kids[0]))
		}
	}
}

// enter walks a function's body in a frame of its own and returns what it returns.
func (l *lower) enter(inner *frame) value {
	outer, tail, line := l.frame, l.tail, l.line
	l.frame, l.tail = inner, false
	l.depth++
	inner.set(returned, l.truth(false))
	l.flagUnset(inner)
	l.run(inner.function.body)
	v, ok := l.frame.vars.find(result)
	if !ok {
		v = value{typ: Type{Kind: None}}
	}
	if _, known := inner.vars.of(returned).literalOf(); ok && v.typ.Kind != None && !known && !ends(inner.function.body) && !endless(inner.function.body) {
		if !joinable(v) {
			l.cannotUnify(inner.function.body[len(inner.function.body)-1], result, v.typ, none().typ)
		}
		v = maybe(v.bare(), l.do(tile.Or, l.absence(v), l.do(tile.Not, inner.vars.of(returned).in)))
	}
	l.depth--
	l.frame, l.tail, l.line = outer, tail, line
	return v
}

// endless reports whether statements end in a loop that only a return leaves.
func endless(list []*Node) bool {
	last := list[len(list)-1]
	return last.Kind == "while" && last.Kids[0].Kind == "bool" && last.Kids[0].Word == "1" &&
		!slices.Contains(escapes(last.Kids[1].Kids), broken)
}
