package tile

import (
	"math"
	"math/cmplx"
)

// The complex rows of the reference table: NumPy's algorithms, each real operation rounded
// to the precision of t.

func complexMul(t DType, a, b complex128) complex128 {
	ar, ai, br, bi := real(a), imag(a), real(b), imag(b)
	return complex(round(t, ar*br)-round(t, ai*bi), round(t, ar*bi)+round(t, ai*br))
}

// complexDiv is Smith's algorithm, which scales by the larger part of the divisor.
func complexDiv(t DType, a, b complex128) complex128 {
	ar, ai, br, bi := real(a), imag(a), real(b), imag(b)
	absR, absI := math.Abs(br), math.Abs(bi)
	if absR >= absI {
		if absR == 0 && absI == 0 { // infinities and NaNs by the parts
			return complex(ar/absR, ai/absR)
		}
		ratio := round(t, bi/br)
		scale := round(t, 1/round(t, br+round(t, bi*ratio)))
		return complex(round(t, ar+round(t, ai*ratio))*scale, round(t, ai-round(t, ar*ratio))*scale)
	}
	ratio := round(t, br/bi)
	scale := round(t, 1/round(t, bi+round(t, br*ratio)))
	return complex(round(t, round(t, ar*ratio)+ai)*scale, round(t, round(t, ai*ratio)-ar)*scale)
}

// Complex numbers compare by the real part, then by the imaginary part; a NaN anywhere
// that matters makes comparisons false.

func complexLess(a, b complex128) bool {
	ar, ai, br, bi := real(a), imag(a), real(b), imag(b)
	return ar < br && ai == ai && bi == bi || ar == br && ai < bi
}

func complexLessEqual(a, b complex128) bool {
	ar, ai, br, bi := real(a), imag(a), real(b), imag(b)
	return ar < br && ai == ai && bi == bi || ar == br && ai <= bi
}

func complexMin(_ DType, a, b complex128) complex128 {
	if hasNaN(a) || complexLessEqual(a, b) {
		return a
	}
	return b
}

func complexMax(_ DType, a, b complex128) complex128 {
	if hasNaN(a) || complexLessEqual(b, a) {
		return a
	}
	return b
}

// hasNaN and hasInf look at either part; cmplx.IsNaN says false of an infinity with a NaN.
func hasNaN(a complex128) bool { return math.IsNaN(real(a)) || math.IsNaN(imag(a)) }
func hasInf(a complex128) bool { return cmplx.IsInf(a) }

// complexPow follows npy_cpow: small integer exponents by multiplication, so that squares
// are exact where they can be, the rest by exp(b*log(a)).
func complexPow(t DType, a, b complex128) complex128 {
	br, bi := real(b), imag(b)
	if b == 0 {
		return 1
	}
	if a == 0 {
		if br > 0 {
			return 0
		}
		return cmplx.NaN()
	}
	if n := int(max(-100, min(br, 100))); bi == 0 && float64(n) == br && n > -100 && n < 100 {
		switch n {
		case 1:
			return a
		case 2:
			return roundComplex(t, complexMul(t, a, a))
		case 3:
			return complexMul(t, a, roundComplex(t, complexMul(t, a, a)))
		}
		p, square := complex128(1), a
		for m := max(n, -n); ; {
			if m&1 != 0 {
				p = roundComplex(t, complexMul(t, p, square))
			}
			if m >>= 1; m == 0 {
				break
			}
			square = roundComplex(t, complexMul(t, square, square))
		}
		if n < 0 {
			p = complexDiv(t, 1, p)
		}
		return p
	}
	// a^b = |a|^br * exp(-bi*arg) * (cos + i sin)(bi*log|a| + br*arg)
	arg := phase(imag(a), real(a))
	size, angle := RealPow(math.Hypot(real(a), imag(a)), br), br*arg
	if bi != 0 {
		size *= RealExp(-bi * arg)
		angle += bi * real(complexLog(a))
	}
	return complex(ofSize(RealCos(angle), size), ofSize(RealSin(angle), size))
}

// ofSize is a part of a number of some size: 0 stays 0, whatever the size.
func ofSize(part, size float64) float64 {
	if part == 0 {
		return part
	}
	return size * part
}

func roundComplex(t DType, a complex128) complex128 {
	return complex(round(t, real(a)), round(t, imag(a)))
}

// The transcendental functions follow C99's Annex G for infinities and NaNs, as math/cmplx
// does.

func complexSqrt(a complex128) complex128 { return cmplx.Sqrt(a) }

func complexExp(a complex128) complex128 {
	if hasNaN(a) || hasInf(a) || imag(a) == 0 {
		return cmplx.Exp(a)
	}
	// In two factors, because exp may overflow where the product does not.
	half := RealExp(real(a) / 2)
	return complex(half*RealCos(imag(a))*half, half*RealSin(imag(a))*half)
}

func complexSin(a complex128) complex128 {
	if hasNaN(a) || hasInf(a) {
		return cmplx.Sin(a)
	}
	return complex(RealSin(real(a))*math.Cosh(imag(a)), RealCos(real(a))*math.Sinh(imag(a)))
}

func complexCos(a complex128) complex128 {
	if hasNaN(a) || hasInf(a) {
		return cmplx.Cos(a)
	}
	return complex(RealCos(real(a))*math.Cosh(imag(a)), -RealSin(real(a))*math.Sinh(imag(a)))
}

// complexLog keeps the digits of the real part near the unit circle, where the logarithm of
// the rounded magnitude has lost them.
func complexLog(a complex128) complex128 {
	re, im := math.Abs(real(a)), math.Abs(imag(a))
	big, small := max(re, im), min(re, im)
	modulus := RealLog(math.Hypot(re, im))
	if big > 0.5 && big < 2 {
		modulus = 0.5 * math.Log1p((big-1)*(big+1)+small*small)
	}
	return complex(modulus, phase(imag(a), real(a)))
}
