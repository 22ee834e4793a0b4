package arrays

import (
	"math"

	"weft/tile"
)

//go:generate sh -c "python3 testdata/tables.py > numpy_tables.go && gofmt -w numpy_tables.go"

// operandType is the dtype of an operand as promotion sees it: a tile.DType, that of a NumPy
// scalar with the bit scalar, or one of the weak Python numbers (NEP 50).
type operandType uint8

const (
	weakBool operandType = iota + operandType(tile.Complex128) + 1 // promotes as an array's bool
	weakInt
	weakFloat
	weakComplex
)

// scalar marks a NumPy scalar: it promotes as an array of its dtype does, and is a uniform of
// the op as a Python number is.
const scalar operandType = 1 << 6

// weak reports whether the operand is a Python number.
func (t operandType) weak() bool { return t >= weakBool && t < scalar }

// number reports whether the operand is a uniform and not an array.
func (t operandType) number() bool { return t >= weakBool }

// dtype is that of an operand that is not weak.
func (t operandType) dtype() tile.DType { return tile.DType(t &^ scalar) }

// typeOf returns how a value takes part in promotion.
func typeOf(v Value) (operandType, bool) {
	switch {
	case v.Kind == ArrayValue:
		return operandType(v.Array.view.Type), true
	case v.Kind >= BoolValue && v.Kind <= ComplexValue && v.DType != tile.Invalid:
		return operandType(v.DType) | scalar, true
	}
	switch v.Kind {
	case BoolValue:
		return weakBool, true
	case IntValue, UintValue:
		return weakInt, true
	case FloatValue:
		return weakFloat, true
	case ComplexValue:
		return weakComplex, true
	}
	return 0, false
}

// promote returns NumPy's result_type. Weak scalars only say what kind the result must have at least. Floats and
// complex numbers come before integers, which are promoted to one of theirs and not to a wider one of integers first:
// int8, uint16 and float16 are float32 together, and not the float64 that int32 and float16 are.
func promote(types ...operandType) tile.DType {
	strong, weak := tile.Invalid, operandType(0)
	for _, inexact := range []bool{true, false} {
		for _, t := range types {
			if t == weakBool {
				t = operandType(tile.Bool)
			}
			switch {
			case t.weak():
				weak = max(weak, t)
			case t.dtype().Is(tile.KindFloat|tile.KindComplex) != inexact:
			case strong == tile.Invalid:
				strong = t.dtype()
			default:
				strong = promotions[strong][t.dtype()]
			}
		}
	}
	return withWeak(strong, weak)
}

// withWeak adds a weak scalar (0 for none) to a promotion.
func withWeak(strong tile.DType, weak operandType) tile.DType {
	switch weak {
	case weakInt:
		if strong == tile.Invalid || strong == tile.Bool {
			return tile.Int64
		}
	case weakFloat:
		if !strong.Is(tile.KindFloat | tile.KindComplex) {
			return tile.Float64
		}
	case weakComplex:
		switch {
		case strong == tile.Float16 || strong == tile.Float32:
			return tile.Complex64
		case !strong.Is(tile.KindComplex):
			return tile.Complex128
		}
	}
	return strong
}

// canCast is np.can_cast.
func canCast(from, to tile.DType, casting string) bool {
	switch casting {
	case "no", "equiv":
		return from == to
	case "safe":
		return safeCasts[from]>>to&1 != 0
	case "same_kind":
		return sameKindCasts[from]>>to&1 != 0
	}
	return true
}

// checkCasting accepts NumPy's names of the casting rules.
func checkCasting(rule string) error {
	switch rule {
	case "no", "equiv", "safe", "same_kind", "unsafe":
		return nil
	case "same_value":
		return &Fallback{"casting='same_value'"}
	}
	return errorf("ValueError", "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe', 'same_value' (got '%s')", rule)
}

// weakScalar converts a number to the dtype that promotion chose, which never loses
// its kind. An int that does not fit is NumPy's OverflowError; those of NumPy's scalars fit.
func weakScalar(v Value, t tile.DType) (tile.Scalar, error) {
	switch v.Kind {
	case BoolValue:
		return numberScalar(t, float64(v.Int), v.Int), nil
	case IntValue:
		if t.Is(tile.KindInt|tile.KindUint) && !fits(v, t) {
			return tile.Scalar{}, errorf("OverflowError", "Python integer %d out of bounds for %v", v.Int, t)
		}
		return numberScalar(t, float64(v.Int), v.Int), nil
	case UintValue:
		if t.Is(tile.KindInt|tile.KindUint) && !fits(v, t) {
			return tile.Scalar{}, errorf("OverflowError", "Python int too large to convert to C long")
		}
		return numberScalar(t, float64(uint64(v.Int)), v.Int), nil
	case FloatValue:
		return numberScalar(t, v.Float, int64(v.Float)), nil
	case ComplexValue:
		if !t.Is(tile.KindComplex) {
			return tile.Scalar{}, errorf("TypeError", "float() argument must be a string or a real number, not 'complex'")
		}
		return tile.ComplexScalar(t, v.Complex), nil
	}
	return tile.Scalar{}, errorf("TypeError", "weft: expected a number")
}

// checkNumber says that an integer of Python's does not fit the dtype that it takes from an array beside it.
func checkNumber(v, beside Value) error {
	if v.Kind != IntValue || v.DType != tile.Invalid || beside.Kind != ArrayValue {
		return nil
	}
	_, err := weakScalar(v, promote(weakInt, operandType(beside.Array.view.Type)))
	return err
}

func numberScalar(t tile.DType, f float64, i int64) tile.Scalar {
	switch t.Kind() {
	case tile.KindBool:
		return tile.BoolScalar(f != 0)
	case tile.KindFloat:
		return tile.FloatScalar(t, f)
	case tile.KindComplex:
		return tile.ComplexScalar(t, complex(f, 0))
	}
	return tile.IntScalar(t, i)
}

// fits reports whether a Python int lies in the range of an integer dtype.
func fits(v Value, t tile.DType) bool {
	bits := uint(t.Size() * 8)
	if v.Kind == UintValue {
		return t == tile.Uint64
	}
	if t.Is(tile.KindUint) {
		return v.Int >= 0 && (bits == 64 || v.Int < 1<<bits)
	}
	return bits == 64 || v.Int >= -1<<(bits-1) && v.Int < 1<<(bits-1)
}

// assignScalar converts a Python scalar for an assignment or a fill: as np.array(v).astype
// would, but with the errors of Python's own int() and float(), which NumPy calls here.
func assignScalar(v Value, t tile.DType) (tile.Scalar, error) {
	whole := t.Is(tile.KindInt | tile.KindUint)
	switch {
	case v.Kind == ComplexValue && t.Is(tile.KindComplex|tile.KindBool):
		if t == tile.Bool {
			return tile.BoolScalar(v.Complex != 0), nil
		}
	case v.Kind == ComplexValue && whole:
		return tile.Scalar{}, errorf("TypeError", "int() argument must be a string, a bytes-like object or a real number, not 'complex'")
	case v.Kind == FloatValue && whole:
		switch f := math.Trunc(v.Float); {
		case f != f:
			return tile.Scalar{}, errorf("ValueError", "cannot convert float NaN to integer")
		case math.IsInf(f, 0):
			return tile.Scalar{}, errorf("OverflowError", "cannot convert float infinity to integer")
		case f >= 1<<63 && f < 1<<64:
			return weakScalar(Value{Kind: UintValue, Int: int64(uint64(f))}, t)
		case f >= 1<<63 || f < -1<<63:
			return tile.Scalar{}, errorf("OverflowError", "Python int too large to convert to C long")
		default:
			return weakScalar(Int(int64(f)), t)
		}
	}
	return weakScalar(v, t)
}

// scalarAt reads one packed element.
func scalarAt(t tile.DType, b []byte) tile.Scalar {
	s := tile.Scalar{Type: t}
	for i := range t.Size() {
		s.Bits[i/8] |= uint64(b[i]) << (i % 8 * 8)
	}
	return s
}

// toValue returns an element as a Python number. Halves and floats widen exactly.
func toValue(s tile.Scalar) Value {
	switch s.Type.Kind() {
	case tile.KindBool:
		return Bool(s.Bits[0] != 0)
	case tile.KindInt:
		return Int(s.Int())
	case tile.KindUint:
		if s.Uint() > math.MaxInt64 {
			return Value{Kind: UintValue, Int: int64(s.Uint())}
		}
		return Int(int64(s.Uint()))
	case tile.KindFloat:
		return Float(s.Float())
	}
	return Complex(s.Complex())
}
