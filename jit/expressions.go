package jit

import (
	"math"
	"slices"
	"strconv"

	"weft/tile"
)

// expression walks an expression whose value is needed.
func (l *lower) expression(n *Node) value { return l.present(n, l.optional(n)) }

// optional walks an expression that may be None.
func (l *lower) optional(n *Node) value {
	switch n.Kind {
	case "int", "float", "complex", "bool", "none", "str", "scalar", "known", "module", "dtype", "called", "unknown", "array":
		return l.literalNode(n, n)
	case "name":
		return l.name(n)
	case "binary":
		return l.binary(n, n.Word, l.expression(n.Kids[0]), l.expression(n.Kids[1]))
	case "unary":
		if n.Word == "not" {
			return l.unary(n, n.Word, l.test(n.Kids[0]))
		}
		return l.unary(n, n.Word, l.expression(n.Kids[0]))
	case "and", "or":
		return l.either(n, n.Kids, n.Kind == "and")
	case "compare":
		return l.compared(n)
	case "choose":
		return l.pick(n, l.test(n.Kids[0]), func() value { return l.optional(n.Kids[1]) }, func() value { return l.optional(n.Kids[2]) })
	case "tuple":
		items := make([]value, len(n.Kids))
		for i, k := range n.Kids {
			items[i] = l.optional(k)
		}
		return tuple(items...)
	case "slice":
		return l.slicing(n)
	case "ellipsis":
		return object("ellipsis")
	case "walrus":
		v := l.optional(n.Kids[0])
		l.frame.set(n.Word, v)
		l.noteSet(n.Word)
		return v
	case "attribute":
		return l.attribute(n)
	case "item":
		return l.item(n)
	case "call":
		return l.call(n)
	case "lambda":
		inner := *l.frame.function
		inner.name, inner.params = "<lambda>", n.Kids[0].Kids
		inner.body = []*Node{{Kind: "return", Span: n.Span, Kids: n.Kids[1:2]}}
		v := object("function <lambda>")
		v.called = &closure{&inner, l.frame}
		l.standards(inner.params)
		return v
	}
	l.refuse(n)
	return value{}
}

// refuse fails for a node of a kind that cannot be compiled.
func (l *lower) refuse(n *Node) {
	what, instead := n.Word, ""
	if n.Kind != "other" {
		what = n.Kind
	}
	if row, ok := refusals[what]; ok {
		what, instead = row[0], row[1]
	}
	l.fail(n, unsupported, instead, "%s is not supported in compiled functions", what)
}

// refusals says of what is written in Python and not compiled what it is called, and what to write.
var refusals = map[string][2]string{
	"Try":          {"try", "Test for what would be wrong with if."},
	"With":         {"with", ""},
	"ListComp":     {"a list comprehension", "Write a loop."},
	"GeneratorExp": {"a generator expression", "Write a loop."},
	"DictComp":     {"a dict", ""},
	"SetComp":      {"a set", ""},
	"Dict":         {"a dict", "Use tuples, or several arrays."},
	"Set":          {"a set", "Use tuples, or several arrays."},
	"List":         {"a list", "Use a tuple, or an array."},
	"Import":       {"import", "Import it outside the function."},
	"ImportFrom":   {"import", "Import it outside the function."},
	"Global":       {"global", "Pass what changes as an argument; globals are constants."},
	"Nonlocal":     {"nonlocal", "Return what changes."},
	"ClassDef":     {"a class", "Define it outside the function."},
	"Yield":        {"yield", ""},
	"YieldFrom":    {"yield", ""},
	"Await":        {"await", ""},
	"Delete":       {"del", ""},
	"Pattern":      {"a pattern of match that is not of numbers and names", "Write if and elif."},
	"JoinedStr":    {"a formatted string", ""},
	"Starred":      {"a starred expression", "Name each item."},
	"Parameter":    {"a parameter that takes any number of arguments, or is given by name alone,", "Name each parameter."},
	"raise":        {"raise", "Write a value to an array that says what was wrong."},
	"assert":       {"assert", "Write a value to an array that says what was wrong."},
}

// literalNode makes a value of what a node holds; at is where it is used.
func (l *lower) literalNode(n, at *Node) value {
	bad := func(err error) {
		if err != nil {
			l.fail(at, typing, "", "%s is no literal of kind %s", n.Word, n.Kind)
		}
	}
	switch n.Kind {
	case "int":
		v, err := strconv.ParseInt(n.Word, 10, 64)
		if err == nil {
			return l.whole(v)
		}
		u, err := strconv.ParseUint(n.Word, 10, 64)
		if err != nil {
			l.fail(at, typing, "", "Int value is too large: %s", n.Word)
		}
		return of(l.constant(tile.UintScalar(tile.Uint64, u)))
	case "float":
		v, err := strconv.ParseFloat(n.Word, 64)
		bad(err)
		return of(l.constant(tile.FloatScalar(tile.Float64, v)))
	case "complex":
		re, _ := strconv.ParseFloat(n.Kids[0].Word, 64)
		im, _ := strconv.ParseFloat(n.Kids[1].Word, 64)
		return of(l.constant(tile.ComplexScalar(tile.Complex128, complex(re, im))))
	case "bool":
		return l.truth(n.Word == "1")
	case "none":
		return value{typ: Type{Kind: None}}
	case "str":
		v := object("str")
		v.known, v.text = "", n.Word
		return v
	case "scalar":
		t, err := dtypeOf(n.Word)
		bad(err)
		return of(l.as(t, l.literalNode(n.Kids[0], at).in))
	case "member":
		return enumerated(n.Word, l.literalNode(n.Kids[0], at))
	case "tuple":
		items := make([]value, len(n.Kids))
		for i, k := range n.Kids {
			items[i] = l.literalNode(k, at)
		}
		return tuple(items...)
	case "known":
		if v, ok := constants[n.Word]; ok {
			return of(l.constant(tile.FloatScalar(tile.Float64, v)))
		}
		return l.intrinsic(n.Word, at)
	case "module":
		v := object("module " + n.Word)
		v.known = n.Word
		return v
	case "dtype":
		t, err := dtypeOf(n.Word)
		bad(err)
		v := object("class(" + n.Word + ")")
		v.dtype = t
		return v
	case "array":
		i, err := strconv.Atoi(n.Word)
		bad(err)
		return l.frozen(i)
	case "called":
		i, err := strconv.Atoi(n.Word)
		bad(err)
		f := l.unit.functions[i]
		v := object("function " + f.name)
		v.called = &closure{f, nil}
		return v
	}
	l.fail(at, typing, "", "Untyped global name: Cannot determine the type of %s", n.Word)
	return value{}
}

// constants are the numbers that modules have.
var constants = map[string]float64{
	"math.pi": math.Pi, "math.e": math.E, "math.tau": 2 * math.Pi, "math.inf": math.Inf(1), "math.nan": math.NaN(),
	"np.pi": math.Pi, "np.e": math.E, "np.inf": math.Inf(1), "np.nan": math.NaN(), "np.euler_gamma": 0.57721566490153286,
	"cmath.pi": math.Pi, "cmath.e": math.E, "cmath.tau": 2 * math.Pi, "cmath.inf": math.Inf(1), "cmath.nan": math.NaN(),
}

func dtypeOf(name string) (tile.DType, error) { return tile.ParseDType(name) }

// name finds what a name is.
func (l *lower) name(n *Node) value {
	for f := l.frame; f != nil; f = f.outer {
		if v, ok := f.vars.find(n.Word); ok {
			l.wantSet(n, f)
			return v
		}
	}
	if _, in := l.frame.unset[n.Word]; in { // what a turn before has set: for now of the type that becomes any other
		l.frame.loose(n.Word, readLoose)
		return of(l.constant(tile.Scalar{Type: tile.Bool}))
	}
	if g, ok := l.frame.function.frozen[n.Word]; ok {
		return l.literalNode(g, n)
	}
	for _, name := range assigned(l.frame.function.body) {
		if name == n.Word {
			l.fail(n, typing, "Give it a value on every path that leads here.", "UnboundLocalError: local variable '%s' referenced before assignment", n.Word)
		}
	}
	l.fail(n, typing, "", "NameError: name '%s' is not defined", n.Word)
	return value{}
}

// test walks an expression whose truth is needed.
func (l *lower) test(n *Node) value { return l.condition(n, l.optional(n)) }

// condition is a value's truth.
func (l *lower) condition(n *Node, v value) value {
	if v.absent != nil {
		return of(l.do(tile.And, l.do(tile.Not, v.absent), l.condition(n, v.bare()).in))
	}
	switch v.typ.Kind {
	case Number:
		if v.typ.DType == tile.Bool {
			return v
		}
		return of(l.do(tile.Ne, v.in, l.constant(tile.Scalar{Type: v.typ.DType})))
	case Tuple:
		return l.truth(len(v.items) > 0)
	case None:
		return l.truth(false)
	}
	l.fail(n, typing, "", "%v has no truth value", v.typ)
	return value{}
}

// either is "and" or "or" of some operands: the first that decides, or the last.
func (l *lower) either(n *Node, operands []*Node, and bool) value {
	x := l.optional(operands[0])
	if len(operands) == 1 {
		return x
	}
	c := l.condition(operands[0], x)
	if s, known := c.literalOf(); known {
		if (s.Bits[0] != 0) != and {
			return x
		}
		return l.either(n, operands[1:], and)
	}
	y, scalar, rest := l.aside(func() (v value) {
		l.assume(c.in, and, func() { v = l.either(n, operands[1:], and) })
		return v
	})
	if scalar && x.typ.String() == "bool" && y.typ.String() == "bool" { // nothing that is computed for nothing does any harm
		if and {
			return l.binary(n, "&", x, rest())
		}
		return l.binary(n, "|", x, rest())
	}
	var v value
	if and {
		v = l.pick(n, c, rest, func() value { return x })
	} else {
		v = l.pick(n, c, func() value { return x }, rest)
	}
	if v.typ.String() == "bool" {
		y.pure, y.purely = false, false // a thread within the bounds takes the branch all the same
		v.limits(and, x, y)
	}
	return v
}

// aside walks something once, whose code stands where place is called: here, or in a branch. scalar says that it is
// scalar code alone. A walk of its own for each use would double the work with every operand.
func (l *lower) aside(f func() value) (v value, scalar bool, place func() value) {
	before := l.state()
	made := l.within(func() { v = f() })
	after := l.state()
	l.restore(before)
	scalar = !slices.ContainsFunc(made.code, func(in *instr) bool { return !in.op.IsScalar() })
	return v, scalar, func() value {
		l.out.take(made)
		l.restore(after)
		return v
	}
}

// compared is a chain of comparisons.
func (l *lower) compared(n *Node) value {
	ops := splitOps(n.Word)
	var chain func(i int, left value) value
	chain = func(i int, left value) value {
		right := l.optional(n.Kids[i+1])
		c := l.compare(n, ops[i], left, right)
		if i+1 == len(ops) {
			return c
		}
		_, scalar, rest := l.aside(func() value { return chain(i+1, right) })
		if scalar {
			return l.binary(n, "&", c, rest())
		}
		return l.pick(n, c, rest, func() value { return l.truth(false) })
	}
	return chain(0, l.optional(n.Kids[0]))
}

// choice is a select, of values that have been computed.
func (l *lower) choice(c, x, y value) value { return of(l.do(tile.Select, c.in, x.in, y.in)) }
