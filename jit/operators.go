package jit

import (
	"slices"

	"weft/tile"
)

// binaries is the table of Python's operators between two numbers.
var binaries = map[string]struct {
	op    tile.Opcode
	whole bool // of integers alone
}{
	"+": {tile.Add, false}, "-": {tile.Sub, false}, "*": {tile.Mul, false}, "/": {tile.Div, false},
	"//": {tile.FloorDiv, false}, "%": {tile.Rem, false}, "**": {tile.Pow, false},
	"<<": {tile.Shl, true}, ">>": {tile.Shr, true}, "&": {tile.And, true}, "|": {tile.Or, true}, "^": {tile.Xor, true},
}

// numbers are the operators that numbers of a launch are computed by.
var numbers = map[string]numberOp{"+": addNumber, "-": subNumber, "*": mulNumber, "//": floorNumber, "%": remNumber}

// binary is an operator between two values.
func (l *lower) binary(n *Node, op string, a, b value) value {
	if a.typ.Kind == Tuple && b.typ.Kind == Tuple && op == "+" && a.typ.Name+b.typ.Name+a.typ.enumeration()+b.typ.enumeration() == "" {
		return tuple(append(append([]value{}, a.items...), b.items...)...)
	}
	row, ok := binaries[op]
	if !ok {
		l.fail(n, unsupported, "", "the operator %s", op)
	}
	if a.typ.Kind != Number || b.typ.Kind != Number {
		l.fail(n, typing, "Index arrays: an operator takes single elements here.", "No implementation of operator %s found for signature: (%v, %v)", op, a.typ, b.typ)
	}
	x, y := a.typ.DType, b.typ.DType
	if op == "**" {
		l.checkPower(n, a.in, b.in)
		if v, ok := l.power(a, b); ok {
			return v
		}
	}
	t := arithmetic(x, y)
	switch {
	case row.whole && !(x.Is(kindsInteger) && y.Is(kindsInteger)),
		(op == "//" || op == "%") && t.Is(tile.KindComplex):
		l.fail(n, typing, "", "No implementation of operator %s found for signature: (%v, %v)", op, a.typ, b.typ)
	case row.whole && x == tile.Bool && y == tile.Bool && op != "<<" && op != ">>":
		t = tile.Bool
	case op == "<<" || op == ">>":
		if t = tile.Int64; x.Is(tile.KindUint) {
			t = tile.Uint64
		}
	case op == "/" && t.Is(kindsInteger):
		t = tile.Float64
	}
	by := l.as(t, b.in)
	if op == "/" || op == "//" || op == "%" {
		l.checkDivisor(n, by)
	}
	v := of(l.do(row.op, l.as(t, a.in), by))
	if t == tile.Int64 {
		l.known(&v, op, a, b)
	}
	if op == "&" && t == tile.Bool {
		v.limits(true, a, b)
	}
	if op == "|" && t == tile.Bool {
		v.limits(false, a, b)
	}
	return v
}

// limits finds the bounds that hold where both of two conditions do, or neither does.
func (v *value) limits(and bool, a, b value) {
	if and {
		v.if_, v.pure = slices.Concat(a.if_, b.if_), a.pure && b.pure
	} else {
		v.not, v.purely = slices.Concat(a.not, b.not), a.purely && b.purely
	}
}

// known finds what is known of an integer that an operation gives.
func (l *lower) known(v *value, op string, a, b value) {
	if code, ok := numbers[op]; ok && a.number != nil && b.number != nil {
		v.number = arith(code, a.number, b.number)
		if x, y := a.number, b.number; op == "*" && x.n == y.n && (x.op == blockNumber && y.op == blocksNumber || x.op == blocksNumber && y.op == blockNumber) {
			v.number = &number{op: threadsNumber, n: x.n}
		}
		if v.in.op != tile.Const {
			*v = l.shared(v.typ.DType, v.number)
		}
		return
	}
	if op == "*" && a.number != nil {
		a, b = b, a
	}
	if op == "*" && a.position != nil && b.number != nil && b.number.is(1) {
		v.position = a.position
		return
	}
	if op == "*" && a.part != nil && a.part.what == blockPart && b.number != nil && b.number.op == blockNumber && b.number.n == int64(a.part.axis) {
		v.part = &part{a.part.axis, basePart}
		return
	}
	if op == "+" && a.part != nil && b.part != nil && a.part.axis == b.part.axis &&
		(a.part.what == threadPart && b.part.what == basePart || a.part.what == basePart && b.part.what == threadPart) {
		*v = l.at(a.part.axis)
		return
	}
	if op == "+" && a.position == nil {
		a, b = b, a
	}
	if a.position != nil && b.number != nil && (op == "+" || op == "-") {
		v.position = &position{a.position.axis, arith(numbers[op], a.position.offset, b.number)}
	}
}

// power is ** where Numba does not promote both operands: a whole exponent keeps a float's dtype, though not a complex
// number's, and a small literal one is products. Of a bool with an int32, which one of Numba's forms has, it is a
// float32.
func (l *lower) power(a, b value) (value, bool) {
	x, y := a.typ.DType, b.typ.DType
	if !y.Is(tile.KindInt | tile.KindUint) {
		return value{}, false
	}
	t := x
	switch {
	case x == tile.Bool && y == tile.Int32:
		t = tile.Float32
	case x.Is(kindsInteger) || x.Is(tile.KindComplex):
		t = arithmetic(x, y)
	}
	if e, known := b.integer(); known && e >= -maxPower && e <= maxPower && (e >= 0 || t.Is(kindsInexact)) {
		v := l.product(l.as(t, a.in), max(e, -e))
		if e < 0 {
			v = l.do(tile.Div, l.number(t, 1), v)
		}
		return of(v), true
	}
	return of(l.do(tile.Pow, l.as(t, a.in), l.as(t, b.in))), true
}

// maxPower is the largest exponent of which products are made.
const maxPower = 32

// product is a whole power by squaring, in Numba's order.
func (l *lower) product(x *instr, e int64) *instr {
	var made *instr
	for ; e > 0; e >>= 1 {
		if e&1 != 0 {
			if made == nil {
				made = x
			} else {
				made = l.do(tile.Mul, made, x)
			}
		}
		if e > 1 {
			x = l.do(tile.Mul, x, x)
		}
	}
	if made == nil {
		return l.number(x.typ, 1)
	}
	return made
}

// number is a literal of a dtype.
func (l *lower) number(t tile.DType, v float64) *instr {
	return l.constant(tile.Convert(t, tile.FloatScalar(tile.Float64, v)))
}

// unary is an operator of one value.
func (l *lower) unary(n *Node, op string, v value) value {
	if op == "not" {
		c := l.condition(n, v)
		made := of(l.do(tile.Not, c.in))
		made.if_, made.not, made.pure, made.purely = c.not, c.if_, c.purely, c.pure
		return made
	}
	if v.typ.Kind != Number {
		l.fail(n, typing, "", "No implementation of operator %s found for signature: (%v)", op, v.typ)
	}
	t := v.typ.DType
	wide := t
	if t.Is(kindsInteger) && !(op == "~" && t == tile.Bool) {
		wide = arithmetic(t, t)
	}
	switch {
	case op == "+":
		return l.convert(wide, v)
	case op == "-" && t == tile.Bool:
		return of(l.do(tile.Neg, l.as(wide, v.in)))
	case op == "-": // in as many bits as there are, as Numba has it: of the uint8 3 it is 253
		made := of(l.as(wide, l.do(tile.Neg, v.in)))
		if v.number != nil && t == tile.Int64 {
			l.known(&made, "-", l.whole(0), v)
		}
		return made
	case op == "~" && t.Is(kindsInteger):
		return of(l.as(wide, l.do(tile.Not, v.in)))
	}
	l.fail(n, typing, "", "No implementation of operator %s found for signature: (%v)", op, v.typ)
	return value{}
}

// comparisons is the table of Python's comparisons.
var comparisons = map[string]tile.Opcode{
	"==": tile.Eq, "!=": tile.Ne, "<": tile.Lt, "<=": tile.Le, ">": tile.Gt, ">=": tile.Ge,
}

// compare is one comparison.
func (l *lower) compare(n *Node, op string, a, b value) value {
	code, ok := comparisons[op]
	if a.typ.Kind == None && a.absent == nil {
		a, b = b, a
	}
	if equal := op == "is" || op == "=="; b.typ.Kind == None && b.absent == nil && (equal || op == "is not" || op == "!=") {
		is := of(l.absence(a))
		if !equal {
			return l.unary(n, "not", is)
		}
		return is
	}
	a, b = l.present(n, a), l.present(n, b)
	switch equal := op == "is" || op == "=="; {
	case (equal || op == "is not" || op == "!=") && (a.typ.enumeration() != "" || b.typ.enumeration() != ""):
		same := l.identical(n, a, b)
		if !equal {
			return l.unary(n, "not", same)
		}
		return same
	case (op == "is" || op == "is not") && a.typ.Kind == Number && b.typ.Kind == Number && (a.typ.DType == tile.Bool || b.typ.DType == tile.Bool):
		if a.typ.DType != b.typ.DType { // 1 is not True
			return l.truth(op == "is not")
		}
		return l.compare(n, map[string]string{"is": "==", "is not": "!="}[op], a, b)
	case op == "in" || op == "not in":
		return l.contains(n, a, b, op == "not in")
	case !ok:
		l.fail(n, unsupported, "Use == and the like, of numbers.", "the comparison %s", op)
	case a.typ.Kind == Tuple && b.typ.Kind == Tuple && (op == "==" || op == "!="):
		equal := l.truth(len(a.items) == len(b.items))
		for i := range a.items {
			if i < len(b.items) {
				equal = l.binary(n, "&", equal, l.compare(n, "==", a.items[i], b.items[i]))
			}
		}
		if op == "!=" {
			return l.unary(n, "not", equal)
		}
		return equal
	case a.typ.Kind != Number || b.typ.Kind != Number:
		l.fail(n, typing, "", "No implementation of comparison %s found for signature: (%v, %v)", op, a.typ, b.typ)
	}
	x, y := a.typ.DType, b.typ.DType
	t := arithmetic(x, y)
	if t.Is(tile.KindComplex) && op != "==" && op != "!=" {
		l.fail(n, typing, "Compare abs(...) or parts.", "No implementation of comparison %s found for signature: (%v, %v)", op, a.typ, b.typ)
	}
	var v value
	switch {
	case t == tile.Int64 && x == tile.Uint64 && y.Is(tile.KindInt):
		v = l.mixed(flipped[code], b.in, a.in)
	case t == tile.Int64 && y == tile.Uint64 && x.Is(tile.KindInt):
		v = l.mixed(code, a.in, b.in)
	default:
		v = of(l.do(code, l.as(t, a.in), l.as(t, b.in)))
	}
	if t == tile.Int64 {
		v.if_, v.not = boundsOf(op, a, b)
		v.pure, v.purely = len(v.if_) > 0, len(v.not) > 0
	}
	return v
}

// flipped is the comparison that holds of y and x where one of x and y does.
var flipped = map[tile.Opcode]tile.Opcode{
	tile.Eq: tile.Eq, tile.Ne: tile.Ne, tile.Lt: tile.Gt, tile.Le: tile.Ge, tile.Gt: tile.Lt, tile.Ge: tile.Le,
}

// mixed compares a signed integer with one of 64 bits without a sign, exactly.
func (l *lower) mixed(op tile.Opcode, x, y *instr) value {
	x = l.as(tile.Int64, x)
	below := l.do(tile.Lt, x, l.constant(tile.Scalar{Type: tile.Int64}))
	answer := l.do(op, l.as(tile.Uint64, x), y)
	ifBelow := op == tile.Lt || op == tile.Le || op == tile.Ne
	return of(l.do(tile.Select, below, l.constant(tile.BoolScalar(ifBelow)), answer))
}

// boundsOf returns the bounds that a comparison of a thread's position is, and those that its contrary is.
func boundsOf(op string, a, b value) (if_, not []bound) {
	if a.position == nil && b.position != nil {
		a, b = b, a
		op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}[op]
	}
	if a.position == nil || b.number == nil {
		return nil, nil
	}
	limit := arith(subNumber, b.number, a.position.offset)
	next := arith(addNumber, limit, literal(1))
	axis := a.position.axis
	under := func(n *number) []bound { return []bound{{axis, true, n}} }
	from := func(n *number) []bound { return []bound{{axis, false, n}} }
	switch op {
	case "<":
		return under(limit), from(limit)
	case "<=":
		return under(next), from(next)
	case ">":
		return from(next), under(next)
	case ">=":
		return from(limit), under(limit)
	case "==":
		return slices.Concat(from(limit), under(next)), nil
	case "!=":
		return nil, slices.Concat(from(limit), under(next))
	}
	return nil, nil
}
