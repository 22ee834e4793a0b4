package arrays

import (
	"fmt"

	"weft/tile"
)

// Of wraps an array as an argument.
func Of(a *Array) Value { return Value{Kind: ArrayValue, Array: a} }

// Int wraps a Python int.
func Int(v int64) Value { return Value{Kind: IntValue, Int: v} }

// Float wraps a Python float.
func Float(v float64) Value { return Value{Kind: FloatValue, Float: v} }

// Bool wraps a Python bool.
func Bool(v bool) Value {
	if v {
		return Value{Kind: BoolValue, Int: 1}
	}
	return Value{Kind: BoolValue}
}

// Complex wraps a Python complex.
func Complex(v complex128) Value { return Value{Kind: ComplexValue, Complex: v} }

// String wraps a Python str.
func String(v string) Value { return Value{Kind: StringValue, String: v} }

// DTypeOf wraps a dtype argument.
func DTypeOf(t tile.DType) Value { return Value{Kind: DTypeValue, DType: t} }

// Tuple wraps a sequence of values.
func Tuple(items ...Value) Value { return Value{Kind: TupleValue, Items: items} }

// Ints wraps a shape, axes or an index of integers.
func Ints(xs ...int) Value {
	items := make([]Value, len(xs))
	for i, x := range xs {
		items[i] = Int(int64(x))
	}
	return Tuple(items...)
}

// Slice wraps start:stop:step; each is an Int or None.
func Slice(start, stop, step Value) Value {
	return Value{Kind: SliceValue, Items: []Value{start, stop, step}}
}

// All is the slice ":".
func All() Value { return Slice(Value{Kind: None}, Value{Kind: None}, Value{Kind: None}) }

// ValueOf wraps a Go value: nil is None; bool, int, int64, float64, complex128 are weak
// scalars; string, tile.DType, *Array, []int, []*Array, []Value and Value are what they
// say.
func ValueOf(x any) (Value, error) {
	switch x := x.(type) {
	case nil:
		return Value{Kind: None}, nil
	case Value:
		return x, nil
	case *Array:
		return Of(x), nil
	case bool:
		return Bool(x), nil
	case int:
		return Int(int64(x)), nil
	case int64:
		return Int(x), nil
	case float64:
		return Float(x), nil
	case complex128:
		return Complex(x), nil
	case string:
		return String(x), nil
	case tile.DType:
		return DTypeOf(x), nil
	case []int:
		return Ints(x...), nil
	case []Value:
		return Tuple(x...), nil
	case []*Array:
		items := make([]Value, len(x))
		for i, a := range x {
			items[i] = Of(a)
		}
		return Tuple(items...), nil
	}
	return Value{}, errorf("TypeError", "weft: cannot take a %s as an argument; see arrays.ValueOf", fmt.Sprintf("%T", x))
}

// isScalar reports whether the value is a weak Python scalar.
func (v Value) isScalar() bool { return v.Kind >= BoolValue && v.Kind <= ComplexValue }

// given reports whether an optional argument was given, None counting as not.
func (v Value) given() bool { return v.Kind != Missing && v.Kind != None }

// isList reports whether a sequence was a list in the program; where axes are read, NumPy takes tuples only.
func (v Value) isList() bool { return v.Kind == TupleValue && v.Int == 1 }
