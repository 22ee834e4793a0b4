package arrays

import (
	"math"

	"weft/tile"
)

// primitive is a ufunc that is one opcode on the loop's dtype.
func primitive(op tile.Opcode) body {
	return func(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
		if !op.Accepts(b.TypeOf(in[0])) {
			return tile.NoValue
		}
		return b.Do(op, in...)
	}
}

// primitiveOn is a ufunc whose operands are converted to the loop's output dtype first.
func primitiveOn(op tile.Opcode) body {
	return func(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
		cast := make([]tile.Value, len(in))
		for i, v := range in {
			cast[i] = b.Cast(out, v)
		}
		return b.Do(op, cast...)
	}
}

// perKind uses another opcode on bool, where + is "or" and * is "and".
func perKind(onBool, op tile.Opcode) body {
	return func(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
		if out == tile.Bool {
			return b.Do(onBool, in...)
		}
		return b.Do(op, in...)
	}
}

func identity(_ *tile.Builder, _ tile.DType, in []tile.Value) tile.Value { return in[0] }

func absolute(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
	if out.Is(tile.KindBool | tile.KindUint) {
		return in[0]
	}
	return b.Do(tile.Abs, in[0])
}

func square(b *tile.Builder, _ tile.DType, in []tile.Value) tile.Value {
	return b.Do(tile.Mul, in[0], in[0])
}

// reciprocal leaves integers to NumPy: what they give for 0 depends on the processor.
func reciprocal(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
	if !out.Is(tile.KindFloat | tile.KindComplex) {
		return tile.NoValue
	}
	if out.Is(tile.KindComplex) {
		return complexReciprocal(b, out.Real(), in[0])
	}
	return b.Do(tile.Div, b.Const(numberScalar(out, 1, 1)), in[0])
}

// complexReciprocal divides by the larger part first, as NumPy does; it is not the quotient of 1, whose
// imaginary part is 0 and has a sign.
func complexReciprocal(b *tile.Builder, t tile.DType, z tile.Value) tile.Value {
	re, im := b.Do(tile.RealPart, z), b.Do(tile.ImagPart, z)
	upright := b.Do(tile.Gt, b.Do(tile.Abs, im), b.Do(tile.Abs, re))
	unordered := b.Do(tile.Or, b.Do(tile.IsNaN, re), b.Do(tile.IsNaN, im))
	upright = b.Do(tile.Or, upright, unordered)
	large, small := b.Do(tile.Select, upright, im, re), b.Do(tile.Select, upright, re, im)
	ratio := b.Do(tile.Div, small, large)
	divisor := b.Do(tile.Add, large, b.Do(tile.Mul, small, ratio))
	one := number(b, t, 1)
	first := b.Do(tile.Div, b.Do(tile.Select, upright, ratio, one), divisor)
	second := b.Do(tile.Div, b.Do(tile.Neg, b.Do(tile.Select, upright, one, ratio)), divisor)
	return b.Do(tile.MakeComplex, first, second)
}

// ignoreNaN takes the other operand where one is NaN.
func ignoreNaN(op tile.Opcode) body {
	return func(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
		both := b.Do(op, in...)
		if !out.Is(tile.KindFloat | tile.KindComplex) {
			return both
		}
		// Where both are NaN, the first is taken.
		first := b.Do(tile.Select, b.Do(tile.IsNaN, in[1]), in[0], both)
		onlyFirst := b.Do(tile.And, b.Do(tile.IsNaN, in[0]), b.Do(tile.Not, b.Do(tile.IsNaN, in[1])))
		return b.Do(tile.Select, onlyFirst, in[1], first)
	}
}

// comparison compares int64 with uint64 by value, as NumPy's mixed loops do.
func comparison(op tile.Opcode) body {
	return func(b *tile.Builder, _ tile.DType, in []tile.Value) tile.Value {
		x, y := b.TypeOf(in[0]), b.TypeOf(in[1])
		if x == y {
			return b.Do(op, in...)
		}
		// The signed side decides where it is negative; else both compare as uint64.
		zero := b.Const(tile.IntScalar(tile.Int64, 0))
		one := b.Const(tile.IntScalar(tile.Int64, 1))
		signed, below, above := in[0], zero, one // negative < anything
		if y == tile.Int64 {
			signed, below, above = in[1], one, zero
		}
		negative := b.Do(tile.Lt, signed, zero)
		return b.Do(tile.Select, negative, b.Do(op, below, above),
			b.Do(op, b.Cast(tile.Uint64, in[0]), b.Cast(tile.Uint64, in[1])))
	}
}

// rounding leaves integers and bools as they are.
func rounding(op tile.Opcode) body {
	return func(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
		if !out.Is(tile.KindFloat) {
			return in[0]
		}
		return b.Do(op, in[0])
	}
}

func rint(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
	if !out.Is(tile.KindComplex) {
		return b.Do(tile.Rint, in[0])
	}
	re := b.Do(tile.Rint, b.Do(tile.RealPart, in[0]))
	im := b.Do(tile.Rint, b.Do(tile.ImagPart, in[0]))
	return b.Do(tile.MakeComplex, re, im)
}

// floatTest has a constant answer for whole numbers.
func floatTest(op tile.Opcode, whole bool) body {
	return func(b *tile.Builder, _ tile.DType, in []tile.Value) tile.Value {
		if !op.Accepts(b.TypeOf(in[0])) {
			return b.Const(tile.BoolScalar(whole))
		}
		return b.Do(op, in[0])
	}
}

func conjugate(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
	if !out.Is(tile.KindComplex) {
		return in[0]
	}
	return b.Do(tile.Conj, in[0])
}

// degree is one degree in radians.
const degree = math.Pi / 180

func scaled(factor float64) body {
	return func(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
		if out == tile.Float16 { // the factor, too, has the digits of the float32 in which NumPy computes
			x := b.Cast(tile.Float32, in[0])
			return b.Cast(out, b.Do(tile.Mul, x, b.Const(tile.FloatScalar(tile.Float32, factor))))
		}
		return b.Do(tile.Mul, in[0], b.Const(tile.FloatScalar(out, factor)))
	}
}
