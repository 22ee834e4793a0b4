package arrays

import (
	"slices"
	"strings"

	"weft/tile"
)

// row is one row of a family's table, before it becomes a Func.
type row struct {
	names  string // the name, then its aliases, blank-separated
	params string
	method string
	doc    string
	body   func(s *scope, v []Value) (Value, error)
}

// Functions returns the function table: every NumPy function that weft runs natively, by
// family. Calls are made with one Value for each parameter, in order; Missing for the ones
// that were not given. A parameter "*name" gets one Tuple. A default of _NoValue stands for
// NumPy's own mark of an argument that was not given.
//
// A row without Params is a method only.
//
// A result that is one of the arguments (out=, asarray) is that very *Array and carries no
// new reference; every other result is the caller's to Free.
func Functions() []Func {
	var table []Func
	for u := range ufuncCount {
		table = append(table, ufuncFuncs(u)...)
	}
	for _, family := range [][]row{reductionFuncs, creationFuncs, rangeFuncs, shapeFuncs, joinFuncs, selectionFuncs, productFuncs, einsumFuncs, composedFuncs, linalgFuncs(),
		sortingFuncs, scanFuncs, gatherFuncs, putFuncs, atFuncs(), countingFuncs, transformFuncs, randomFuncs, interpolationFuncs} {
		for _, r := range family {
			table = append(table, r.funcs()...)
		}
	}
	return table
}

// funcs makes the table rows of a function and its aliases. Only the first name is a method.
func (r row) funcs() []Func {
	var table []Func
	n := len(ParseParams(r.params))
	if r.params == "" {
		n = 1 + len(ParseParams(r.method))
	}
	for i, name := range strings.Fields(r.names) {
		f := Func{Name: name, Params: r.params, Method: r.method, Arity: n, Doc: r.doc}
		if i > 0 {
			f.Method = ""
		}
		body := r.body
		f.Call = func(c *Context, args []Value) (Value, error) {
			c.collect()
			s := scope{c: c}
			defer s.free()
			if given := len(args); given < n {
				args = slices.Grow(args, n-given)[:n]
				clear(args[given:])
			}
			return body(&s, args)
		}
		table = append(table, f)
	}
	return table
}

// result wraps an array for the table.
func result(a *Array, err error) (Value, error) {
	if err != nil {
		return Value{}, err
	}
	return Of(a), nil
}

const (
	unaryParams  = "x, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None"
	binaryParams = "x1, x2, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None"
)

// ufuncFuncs makes the table rows of a ufunc and its aliases.
func ufuncFuncs(u Ufunc) []Func {
	t := &ufuncs[u]
	r := row{names: t.name + " " + t.aliases, params: binaryParams, doc: t.doc +
		"\n\nOperands are broadcast together and promoted as NumPy does it; ValueError where the shapes don't fit,\nTypeError where there is no loop for the dtypes."}
	if t.inputs == 1 {
		r.params = unaryParams
	}
	r.body = func(s *scope, v []Value) (Value, error) { return s.ufunc(u, v) }
	return r.funcs()
}

// ufunc calls a ufunc with the arguments of its table row.
func (s *scope) ufunc(u Ufunc, v []Value) (Value, error) {
	n := ufuncs[u].inputs
	x, y := &v[0], (*Value)(nil)
	if n == 2 {
		y = &v[1]
	}
	rest := v[n:]                            // out, where, casting, order, dtype, subok, signature
	asArray := rest[0].Kind == EllipsisValue // also where there is but one element
	if asArray {
		rest[0] = Value{}
	}
	out, err := ufuncOut(rest[0])
	if err != nil {
		return Value{}, err
	}
	if err := usualOptions(rest[1], rest[2], rest[5], rest[6]); err != nil {
		return Value{}, err
	}
	if err := plain("where=", rest[1], "True"); err != nil {
		return Value{}, err
	}
	if rest[2].Kind == StringValue && rest[2].String == "unsafe" {
		if rest[4].given() || out != nil && !keepsKind(v[:n], out.view.Type) {
			return Value{}, &Fallback{"casting='unsafe'"}
		}
	} else if err := plain("casting=", rest[2], "same_kind"); err != nil {
		return Value{}, err
	}
	if err := plain("order=", rest[3], "K", "C", "A"); err != nil {
		return Value{}, err
	}
	if rest[3].given() && rest[3].String != "K" && out == nil && slices.ContainsFunc(v[:n], isOutOfOrder) {
		return Value{}, &Fallback{"order= of operands that lie otherwise"}
	}
	want, err := dtypeArg(rest[4])
	if err != nil {
		return Value{}, err
	}
	if isHuge(x) || y != nil && isHuge(y) {
		if isLogical(u) || isTruth(x) || y != nil && isTruth(y) {
			return Value{}, &Fallback{"a number that no int64 holds, which NumPy has among no bools"}
		}
	}
	if u == Power && want.Is(tile.KindInt) {
		return Value{}, &Fallback{"power with dtype= of integers, which exponents below zero have no loop for"}
	}
	if u == Power && x.Kind == ArrayValue && x.Array.view.Type == tile.Bool && y.Kind == IntValue && y.DType == tile.Invalid {
		y.DType = tile.Int64 // the operator ** has a square in place of the power 2, of int8
	}
	a, err := s.c.applyAs(ufuncs[u].name, u, x, y, out, want)
	if err == nil && asArray {
		a.Scalar = false
	}
	return result(a, err)
}

// isLogical reports whether a ufunc asks its operands whether they are true.
func isLogical(u Ufunc) bool {
	return u == LogicalAnd || u == LogicalOr || u == LogicalXor || u == LogicalNot
}

// isTruth reports whether an operand is an array of bools.
func isTruth(v *Value) bool { return v.Kind == ArrayValue && v.Array.view.Type == tile.Bool }

// isHuge reports whether an operand is a number of Python's that an int64 does not hold.
func isHuge(v *Value) bool { return v.Kind == UintValue && v.DType == tile.Invalid }

// isOutOfOrder reports whether an operand lies in memory in another order than C's, which a result would take over.
func isOutOfOrder(v Value) bool {
	return v.Kind == ArrayValue && outOfOrder(v.Array.view, false)
}

// usualOptions refuses what NumPy takes no None for, or weft has no loops by.
func usualOptions(where, casting, subok, signature Value) error {
	switch {
	case where.Kind == None || casting.Kind == None:
		return &Fallback{"None for where= or casting="} // NumPy words the error
	case signature.given():
		return &Fallback{"signature="}
	}
	return usualSubok(subok)
}

// usualSubok refuses a subok= that NumPy does not take; what it takes says nothing of arrays of weft's, which have no
// subclass.
func usualSubok(subok Value) error {
	if subok.Kind != Missing && subok.Kind != BoolValue {
		return &Fallback{"a subok= that is not a bool"} // NumPy words the error
	}
	return nil
}

// keepsKind reports whether results of these operands go into floats or complex numbers of dtype t by the rules
// of casting='same_kind'.
func keepsKind(operands []Value, t tile.DType) bool {
	if !t.Is(tile.KindFloat | tile.KindComplex) {
		return false
	}
	for _, v := range operands {
		if v.Kind == ComplexValue && !t.Is(tile.KindComplex) || v.Kind == ArrayValue && !canCast(v.Array.view.Type, t, "same_kind") {
			return false
		}
	}
	return true
}
