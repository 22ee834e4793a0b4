package cpu

import (
	"math"
	"unsafe"

	"weft/tile"
)

// Complex loops. Conversions F(...) around products keep the compiler from fusing them with
// a sum.

func mulComplex[F float](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		x, y := *at[pair[F]](ap), *at[pair[F]](bp)
		*at[pair[F]](dp) = pair[F]{F(x.re*y.re) - F(x.im*y.im), F(x.re*y.im) + F(x.im*y.re)}
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func divComplex[F float](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[pair[F]](dp) = quotient(*at[pair[F]](ap), *at[pair[F]](bp))
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

// quotient is Smith's algorithm as NumPy has it.
func quotient[F float](x, y pair[F]) pair[F] {
	absR, absI := F(math.Abs(float64(y.re))), F(math.Abs(float64(y.im)))
	if absR >= absI {
		if absR == 0 && absI == 0 {
			return pair[F]{x.re / absR, x.im / absR}
		}
		ratio := y.im / y.re
		scale := 1 / (y.re + F(y.im*ratio))
		return pair[F]{(x.re + F(x.im*ratio)) * scale, (x.im - F(x.re*ratio)) * scale}
	}
	ratio := y.re / y.im
	scale := 1 / (y.im + F(y.re*ratio))
	return pair[F]{(F(x.re*ratio) + x.im) * scale, (F(x.im*ratio) - x.re) * scale}
}

func absComplex[F float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		x := *at[pair[F]](ap)
		*at[F](dp) = F(math.Hypot(float64(x.re), float64(x.im)))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

// less and lessEqual order by the real part, then by the imaginary part.

func less[F float](x, y pair[F]) bool {
	return x.re < y.re && x.im == x.im && y.im == y.im || x.re == y.re && x.im < y.im
}

func lessEqual[F float](x, y pair[F]) bool {
	return x.re < y.re && x.im == x.im && y.im == y.im || x.re == y.re && x.im <= y.im
}

func (x pair[F]) isNaN() bool { return x.re != x.re || x.im != x.im }

func ltComplex[F float](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[uint8](dp) = truth(less(*at[pair[F]](ap), *at[pair[F]](bp)))
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func leComplex[F float](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[uint8](dp) = truth(lessEqual(*at[pair[F]](ap), *at[pair[F]](bp)))
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func minComplex[F float](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		x, y := *at[pair[F]](ap), *at[pair[F]](bp)
		if x.isNaN() || lessEqual(x, y) {
			y = x
		}
		*at[pair[F]](dp) = y
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func maxComplex[F float](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		x, y := *at[pair[F]](ap), *at[pair[F]](bp)
		if x.isNaN() || lessEqual(y, x) {
			y = x
		}
		*at[pair[F]](dp) = y
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func isInfComplex[F float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		x := *at[pair[F]](ap)
		*at[uint8](dp) = truth(math.IsInf(float64(x.re), 0) || math.IsInf(float64(x.im), 0))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func isFiniteComplex[F float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		x := *at[pair[F]](ap)
		*at[uint8](dp) = truth(x.re-x.re == 0 && x.im-x.im == 0)
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func conj[F float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		x := *at[pair[F]](ap)
		x.im = -x.im
		*at[pair[F]](dp) = x
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func realPart[F float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[F](dp) = at[pair[F]](ap).re
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func imagPart[F float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[F](dp) = at[pair[F]](ap).im
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func makeComplex[F float](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[pair[F]](dp) = pair[F]{*at[F](ap), *at[F](bp)}
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

// viaReference takes every element through the reference: for complex functions that are
// rare and slow anyway.
func viaReference(op tile.Opcode, t tile.DType) primitive {
	result := op.Result(t)
	return func(n int, d, a, b, _ *operand) {
		dp, ap, bp := d.p, a.p, b.p
		for ; n > 0; n-- {
			x := scalarAt(t, ap)
			y := x
			if op.Arity() == 2 {
				y = scalarAt(t, bp)
				bp = unsafe.Add(bp, b.step)
			}
			setScalar(dp, tile.Eval(op, result, x, y))
			dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
		}
	}
}

// scalarAt and setScalar move one complex element.

func scalarAt(t tile.DType, p unsafe.Pointer) tile.Scalar {
	s := tile.Scalar{Type: t, Bits: [2]uint64{*at[uint64](p)}}
	if t == tile.Complex128 {
		s.Bits[1] = *at[uint64](unsafe.Add(p, 8))
	}
	return s
}

func setScalar(p unsafe.Pointer, s tile.Scalar) {
	*at[uint64](p) = s.Bits[0]
	if s.Type == tile.Complex128 {
		*at[uint64](unsafe.Add(p, 8)) = s.Bits[1]
	}
}
