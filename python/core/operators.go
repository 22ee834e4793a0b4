//go:build extension

package main

// #include "values.h"
import "C"

import (
	"errors"

	"weft/arrays"
)

// operators names the ufunc of each operator that has one.
var operators = [C.OP_COUNT]arrays.Ufunc{
	C.OP_ADD: arrays.Add, C.OP_SUBTRACT: arrays.Subtract, C.OP_MULTIPLY: arrays.Multiply,
	C.OP_DIVIDE: arrays.Divide, C.OP_FLOOR_DIVIDE: arrays.FloorDivide, C.OP_REMAINDER: arrays.Remainder,
	C.OP_POWER: arrays.Power, C.OP_LSHIFT: arrays.LeftShift, C.OP_RSHIFT: arrays.RightShift,
	C.OP_AND: arrays.BitwiseAnd, C.OP_OR: arrays.BitwiseOr, C.OP_XOR: arrays.BitwiseXor,
	C.OP_LT: arrays.Less, C.OP_LE: arrays.LessEqual, C.OP_EQ: arrays.Equal, C.OP_NE: arrays.NotEqual,
	C.OP_GT: arrays.Greater, C.OP_GE: arrays.GreaterEqual,
	C.OP_NEGATIVE: arrays.Negative, C.OP_POSITIVE: arrays.Positive, C.OP_ABSOLUTE: arrays.Absolute, C.OP_INVERT: arrays.Invert,
}

// operatorNames are what NumPy calls them.
func operatorNames() []string {
	names := make([]string, C.OP_COUNT)
	for op, u := range operators {
		names[op] = u.Name()
	}
	names[C.OP_MATMUL] = "matmul"
	return names
}

// goBinary submits an operator. It may let go of the interpreter's lock.
//
//export goBinary
func goBinary(op C.int, x, y *C.weft_value, where C.uint64_t, out *C.uint64_t, e *C.weft_error) (rc C.int) {
	defer caught("an operator", &rc, e)
	c := the.at(where)
	c.Stop = the.waits.stop
	var r *arrays.Array
	var err error
	if op == C.OP_MATMUL {
		var v arrays.Value
		v, err = the.matmul.Call(c, []arrays.Value{simple(x), simple(y)})
		r = v.Array
	} else {
		r, err = c.Binary(operators[op], simple(x), simple(y))
	}
	if err != nil {
		return fail(err, e)
	}
	the.ops.Add(int(op), 1)
	*out = the.put(r)
	return C.WEFT_OK
}

// goInPlace submits an operator into its first operand. It may let go of the interpreter's lock.
//
//export goInPlace
func goInPlace(op C.int, x C.uint64_t, y *C.weft_value, where C.uint64_t, e *C.weft_error) (rc C.int) {
	defer caught("an in-place operator", &rc, e)
	c := the.at(where)
	c.Stop = the.waits.stop
	a := the.array(x)
	var err error
	if op == C.OP_MATMUL {
		_, err = the.matmul.Call(c, []arrays.Value{arrays.Of(a), simple(y), arrays.Of(a)})
	} else {
		err = c.InPlace(operators[op], a, simple(y))
	}
	if err != nil {
		return fail(err, e)
	}
	the.ops.Add(int(op), 1)
	return C.WEFT_OK
}

// goUnary submits an operator of one operand. It may let go of the interpreter's lock.
//
//export goUnary
func goUnary(op C.int, x C.uint64_t, where C.uint64_t, out *C.uint64_t, e *C.weft_error) (rc C.int) {
	defer caught("an operator", &rc, e)
	r, err := the.at(where).Unary(operators[op], arrays.Of(the.array(x)))
	if err != nil {
		return fail(err, e)
	}
	the.ops.Add(int(op), 1)
	*out = the.put(r)
	return C.WEFT_OK
}

// goGetItem indexes an array. It may let go of the interpreter's lock.
//
//export goGetItem
func goGetItem(x C.uint64_t, index *C.weft_value, n C.int, where C.uint64_t, onMain C.int, out *C.uint64_t, own *C.int, e *C.weft_error) (rc C.int) {
	defer caught("indexing", &rc, e)
	c := the.at(where)
	c.Stop = the.waits.stopFor(onMain)
	a := the.array(x)
	r, err := c.GetItem(a, decode(index, n)[0])
	if err != nil {
		return fail(err, e)
	}
	*out, *own = the.put(r), cbool(!r.Shares(a))
	return C.WEFT_OK
}

// goSetItem assigns to elements of an array. It may let go of the interpreter's lock.
//
//export goSetItem
func goSetItem(x C.uint64_t, index *C.weft_value, n C.int, value *C.weft_value, where C.uint64_t, onMain, told C.int, e *C.weft_error) (rc C.int) {
	defer caught("assignment", &rc, e)
	c := the.at(where)
	c.Stop = the.waits.stopFor(onMain)
	c.Warns = told == 0
	if err := c.SetItem(the.array(x), decode(index, n)[0], simple(value)); err != nil {
		return fail(err, e)
	}
	return C.WEFT_OK
}

// goReshape makes a view of another shape, for a.shape = shape, which must not copy. It may let go of the interpreter's
// lock.
//
//export goReshape
func goReshape(x C.uint64_t, shape *C.weft_value, n C.int, out *C.uint64_t, e *C.weft_error) (rc C.int) {
	defer caught("setting a shape", &rc, e)
	a := the.array(x)
	v, err := the.reshape.Call(the.ctx, []arrays.Value{arrays.Of(a), decode(shape, n)[0]})
	var missing *arrays.Fallback
	switch {
	case errors.As(err, &missing):
		return C.WEFT_FALLBACK
	case err != nil:
		return fail(err, e)
	case !v.Array.Shares(a):
		v.Array.Free()
		return fail(&arrays.Error{Type: "AttributeError", Text: "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape."}, e)
	}
	*out = the.put(v.Array)
	return C.WEFT_OK
}
