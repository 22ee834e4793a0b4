package arrays

import (
	"math"

	"weft/tile"
)

// Bodies of the functions that SciPy has in scipy.special. Those of complex numbers are left to it.

// onFloats leaves complex numbers to SciPy.
func onFloats(f func(b *tile.Builder, t tile.DType, in []tile.Value) tile.Value) body {
	return func(b *tile.Builder, out tile.DType, in []tile.Value) tile.Value {
		if !out.Is(tile.KindFloat) {
			return tile.NoValue
		}
		return f(b, out, in)
	}
}

// special is an opcode on floats.
func special(op tile.Opcode) body {
	return onFloats(func(b *tile.Builder, _ tile.DType, in []tile.Value) tile.Value { return b.Do(op, in[0]) })
}

// gammaln has SciPy's value for -inf, where there is no limit.
func gammaln(b *tile.Builder, t tile.DType, in []tile.Value) tile.Value {
	end := number(b, t, math.Inf(-1))
	return b.Do(tile.Select, b.Do(tile.Eq, in[0], end), end, b.Do(tile.LogGamma, in[0]))
}

// expit is 1/(1+exp(-x)).
func expit(b *tile.Builder, t tile.DType, in []tile.Value) tile.Value {
	one := number(b, t, 1)
	return b.Do(tile.Div, one, b.Do(tile.Add, one, b.Do(tile.Exp, b.Do(tile.Neg, in[0]))))
}

// logExpit is its logarithm: min(x,0) - log1p(exp(-|x|)), which does not overflow.
func logExpit(b *tile.Builder, t tile.DType, in []tile.Value) tile.Value {
	tail := b.Do(tile.Log1p, b.Do(tile.Exp, b.Do(tile.Neg, b.Do(tile.Abs, in[0]))))
	return b.Do(tile.Sub, b.Do(tile.Min, in[0], number(b, t, 0)), tail)
}

// logit is log(x/(1-x)); around its zero, the difference of log1p(2x-1) and log1p(1-2x).
func logit(b *tile.Builder, t tile.DType, in []tile.Value) tile.Value {
	x, one := in[0], number(b, t, 1)
	apart := b.Do(tile.Log, b.Do(tile.Div, x, b.Do(tile.Sub, one, x)))
	s := b.Do(tile.Sub, b.Do(tile.Add, x, x), one)
	near := b.Do(tile.Sub, b.Do(tile.Log1p, s), b.Do(tile.Log1p, b.Do(tile.Neg, s)))
	middle := b.Do(tile.And, b.Do(tile.Ge, x, number(b, t, 0.3)), b.Do(tile.Le, x, number(b, t, 0.65)))
	return b.Do(tile.Select, middle, near, apart)
}

// xTimes is x*log(y), but 0 where x is 0 and y a number.
func xTimes(log tile.Opcode) body {
	return onFloats(func(b *tile.Builder, t tile.DType, in []tile.Value) tile.Value {
		x, y, zero := in[0], in[1], number(b, t, 0)
		nothing := b.Do(tile.And, b.Do(tile.Eq, x, zero), b.Do(tile.Eq, y, y))
		return b.Do(tile.Select, nothing, zero, b.Do(tile.Mul, x, b.Do(log, y)))
	})
}

// entr is -x*log(x), 0 at 0 and -inf below.
func entr(b *tile.Builder, t tile.DType, in []tile.Value) tile.Value {
	x, zero := in[0], number(b, t, 0)
	inside := b.Do(tile.Mul, b.Do(tile.Neg, x), b.Do(tile.Log, x))
	outside := b.Do(tile.Select, b.Do(tile.Lt, x, zero), number(b, t, math.Inf(-1)), inside)
	return b.Do(tile.Select, b.Do(tile.Eq, x, zero), zero, outside)
}

// ndtr is the normal distribution's integral, erfc(-x/sqrt(2))/2.
func ndtr(b *tile.Builder, t tile.DType, in []tile.Value) tile.Value {
	return b.Do(tile.Mul, number(b, t, 0.5), b.Do(tile.Erfc, b.Do(tile.Mul, in[0], number(b, t, -math.Sqrt2/2))))
}
