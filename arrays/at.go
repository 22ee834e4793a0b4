package arrays

import (
	"slices"

	"weft/tile"
)

// atFuncs are the rows of ufunc.at, for the ufuncs that are one opcode.
func atFuncs() []row {
	var rows []row
	for _, u := range []Ufunc{Add, Subtract, Multiply, Divide, FloorDivide, Remainder, Power, Minimum, Maximum,
		BitwiseAnd, BitwiseOr, BitwiseXor, LeftShift, RightShift, Arctan2, Hypot} {
		rows = append(rows, row{ufuncs[u].name + ".at", "a, indices, b=None, /", "",
			"Performs unbuffered in place operation on operand 'a' for elements specified by 'indices'.\n\n" +
				"Elements that are named several times are changed as often, in the order of the indices.",
			func(s *scope, v []Value) (Value, error) { return s.at(u, v) }})
	}
	return rows
}

// at is u.at(a, index, b).
func (s *scope) at(u Ufunc, v []Value) (Value, error) {
	a, err := target(ufuncs[u].name+".at", v[0])
	if err != nil {
		return Value{}, err
	}
	if v[2].Kind == None || v[2].Kind == Missing {
		return Value{}, &Fallback{"at without a second operand"} // NumPy words the error
	}
	b, err := s.array(v[2])
	if err != nil {
		return Value{}, err
	}
	r := s.c.resolve(u, operandType(a.view.Type), operandType(b.view.Type), tile.Invalid, tile.Invalid)
	if r.err != nil {
		return Value{}, r.err
	}
	done := Value{Kind: None}
	items := itemsOf(v[1])
	if !slices.ContainsFunc(items, advanced) { // no element twice
		view, _, err := a.index(v[1])
		if err != nil {
			return Value{}, err
		}
		s.own(view, nil)
		if !fitsInto(b.view.Shape, view.view.Shape) {
			return Value{}, notBroadcast
		}
		x, err := s.own(s.c.Binary(u, Of(view), Of(b)))
		if err != nil {
			return Value{}, err
		}
		return done, s.c.assign(view, Of(x))
	}
	op, ok := r.opcode(u)
	if !ok || u == Power && r.in[1].Is(tile.KindInt) {
		return Value{}, &Fallback{ufuncs[u].name + ".at of " + a.view.Type.String()}
	}
	sel, err := s.selection("at", a, items)
	if err != nil {
		return Value{}, err
	}
	if b, err = s.assigned(Of(b), r.in[1]); err != nil {
		return Value{}, err
	}
	shape := sel.resultShape()
	if !fitsInto(b.view.Shape, shape) {
		return Value{}, notBroadcast
	}
	if b, err = s.own(broadcast(b, shape), nil); err != nil {
		return Value{}, err
	}
	return done, s.scatter(ufuncs[u].name+".at", "scatter."+op.String(), sel, b)
}

var notBroadcast = errorf("ValueError", "array is not broadcastable to correct shape")

// opcode returns the one opcode that a loop of two operands of one dtype consists of, between
// conversions.
func (r *resolution) opcode(u Ufunc) (op tile.Opcode, ok bool) {
	p := r.program(u, 1)
	if p == nil || r.in[0] != r.in[1] {
		return op, false
	}
	for i := range p.Code {
		switch in := &p.Code[i]; {
		case in.Op == tile.Load || in.Op == tile.Cast || in.Op == tile.Store:
		case in.Op.Arity() == 2 && op == tile.OpInvalid && p.Code[in.Args[0]].Type == r.in[0] && in.Args[0] < in.Args[1]:
			op = in.Op
		default:
			return op, false
		}
	}
	return op, op != tile.OpInvalid && op.Result(r.in[0]) == r.loopOut
}
