package arrays

import (
	"math"

	"weft/tile"
)

// Bodies of the ufuncs that are written with several opcodes.

// onParts is a ufunc that is one opcode on floats, and parts on the two parts of a complex
// number.
func onParts(op tile.Opcode, parts func(b *tile.Builder, re, im tile.Value) (tile.Value, tile.Value)) body {
	return func(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
		if !out.Is(tile.KindComplex) {
			return b.Do(op, in[0])
		}
		re, im := parts(b, b.Do(tile.RealPart, in[0]), b.Do(tile.ImagPart, in[0]))
		return b.Do(tile.MakeComplex, re, im)
	}
}

// complexSinh is -i*sin(iz), and complexCosh cos(-iz): sine and cosine know infinities, NaN and zeros.
func complexSinh(b *tile.Builder, re, im tile.Value) (tile.Value, tile.Value) {
	s := b.Do(tile.Sin, b.Do(tile.MakeComplex, b.Do(tile.Neg, im), re))
	return b.Do(tile.ImagPart, s), b.Do(tile.Neg, b.Do(tile.RealPart, s))
}

func complexCosh(b *tile.Builder, re, im tile.Value) (tile.Value, tile.Value) {
	c := b.Do(tile.Cos, b.Do(tile.MakeComplex, im, b.Do(tile.Neg, re)))
	return b.Do(tile.RealPart, c), b.Do(tile.ImagPart, c)
}

// complexLogOver is the logarithm to another base, which divides both parts.
func complexLogOver(op tile.Opcode, base float64) body {
	return func(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
		if !out.Is(tile.KindComplex) {
			return b.Do(op, in[0])
		}
		l := b.Do(tile.Log, in[0])
		factor := number(b, out.Real(), 1/base)
		return b.Do(tile.MakeComplex, b.Do(tile.Mul, b.Do(tile.RealPart, l), factor), b.Do(tile.Mul, b.Do(tile.ImagPart, l), factor))
	}
}

func number(b *tile.Builder, t tile.DType, v float64) tile.Value {
	return b.Const(numberScalar(t, v, int64(v)))
}

// fmod has the dividend's sign. Of floats the remainder of the sizes is exact.
func fmod(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
	x, y := in[0], in[1]
	switch {
	case out.Is(tile.KindUint):
		return b.Do(tile.Rem, x, y)
	case out.Is(tile.KindInt):
		zero := number(b, out, 0)
		r := b.Do(tile.Rem, x, y)
		differ := b.Do(tile.Xor, b.Do(tile.Lt, x, zero), b.Do(tile.Lt, y, zero))
		return b.Do(tile.Select, b.Do(tile.And, b.Do(tile.Ne, r, zero), differ), b.Do(tile.Sub, r, y), r)
	}
	return b.Do(tile.Copysign, b.Do(tile.Rem, b.Do(tile.Abs, x), b.Do(tile.Abs, y)), x)
}

// signbit tells numbers below 0, -0, and a NaN with a sign.
func signbit(b *tile.Builder, _ tile.DType, in []tile.Value) tile.Value {
	t := b.TypeOf(in[0])
	return b.Do(tile.Lt, b.Do(tile.Copysign, number(b, t, 1), in[0]), number(b, t, 0))
}

// heaviside is 0, the second operand, or 1; of a NaN it is the NaN.
func heaviside(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
	zero := number(b, out, 0)
	step := b.Do(tile.Select, b.Do(tile.Gt, in[0], zero), number(b, out, 1), in[0])
	step = b.Do(tile.Select, b.Do(tile.Lt, in[0], zero), zero, step)
	return b.Do(tile.Select, b.Do(tile.Eq, in[0], zero), in[1], step)
}

// logOfSum is the logarithm of the sum of two powers: the larger one and what the difference adds. Equal
// operands, infinities among them, have no difference.
func logOfSum(power tile.Opcode) body {
	return func(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
		x, y := in[0], in[1]
		smaller := b.Do(power, b.Do(tile.Neg, b.Do(tile.Abs, b.Do(tile.Sub, x, y))))
		more := b.Do(tile.Log1p, smaller)
		equal := math.Ln2
		if power == tile.Exp2 {
			more = b.Do(tile.Mul, more, number(b, out, math.Log2E))
			equal = 1
		}
		sum := b.Do(tile.Add, b.Do(tile.Max, x, y), more)
		return b.Do(tile.Select, b.Do(tile.Eq, x, y), b.Do(tile.Add, x, number(b, out, equal)), sum)
	}
}
