package tile

import "math"

// UlpDistance returns how far got is from want, in units in the last place of want; 0 means the
// same bits or both NaN, infinity means that the difference has no size: other dtypes,
// other integers, a NaN or an infinity on one side, zeros of different sign.
//
// Of complex numbers the units are those of want's larger part: functions of a complex
// variable are accurate as a whole, not part by part.
func UlpDistance(want, got Scalar) float64 {
	if want.Type != got.Type {
		return math.Inf(1)
	}
	switch want.Type.Kind() {
	case KindFloat:
		return realDistance(want.Type, want.Float(), got.Float(), want.Float())
	case KindComplex:
		a, b := want.Complex(), got.Complex()
		size := math.Abs(real(a))
		if !(math.Abs(imag(a)) <= size) {
			size = math.Abs(imag(a))
		}
		t := want.Type.Real()
		return max(realDistance(t, real(a), real(b), size), realDistance(t, imag(a), imag(b), size))
	}
	if want == got {
		return 0
	}
	return math.Inf(1)
}

func realDistance(t DType, want, got, size float64) float64 {
	switch {
	case want == got && math.Signbit(want) == math.Signbit(got), want != want && got != got:
		return 0
	case want == got, want != want, got != got, math.IsInf(want, 0), math.IsInf(got, 0):
		return math.Inf(1)
	}
	return math.Abs(got-want) / ulp(t, size)
}

// ulp returns the distance between neighbouring numbers of a float dtype around v.
func ulp(t DType, v float64) float64 {
	digits, least := 52, -1074
	switch t {
	case Float32:
		digits, least = 23, -149
	case Float16:
		digits, least = 10, -24
	}
	if v == 0 || v != v || math.IsInf(v, 0) {
		return math.Ldexp(1, least)
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-1-digits, least))
}
