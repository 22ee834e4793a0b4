package tile

import (
	"errors"
	"math"
)

// ErrOutOfMemory is what Device.Alloc fails with when the device's memory is used up.
var ErrOutOfMemory = errors.New("out of device memory")

// Scalar is one element with its dtype. Bits holds the element as it lies in memory,
// little endian: the low Size() bytes of Bits[0], then Bits[1] for complex128. Unused bits
// are zero, so that equal scalars compare equal with == (NaN included).
type Scalar struct {
	Type DType
	Bits [2]uint64
}

// BoolScalar returns a bool element.
func BoolScalar(v bool) Scalar {
	s := Scalar{Type: Bool}
	if v {
		s.Bits[0] = 1
	}
	return s
}

// IntScalar returns an element of an integer or bool dtype; the value wraps to its width.
func IntScalar(t DType, v int64) Scalar { return UintScalar(t, uint64(v)) }

// UintScalar is IntScalar for values above 1<<63.
func UintScalar(t DType, v uint64) Scalar {
	if t == Bool {
		return BoolScalar(v != 0)
	}
	if bits := uint(t.Size() * 8); bits < 64 {
		v &= 1<<bits - 1
	}
	return Scalar{Type: t, Bits: [2]uint64{v}}
}

// FloatScalar returns an element of a float dtype, rounded to nearest even.
func FloatScalar(t DType, v float64) Scalar {
	return Scalar{Type: t, Bits: [2]uint64{floatBits(t, v)}}
}

// ComplexScalar returns an element of a complex dtype.
func ComplexScalar(t DType, v complex128) Scalar {
	if t == Complex64 {
		return Scalar{Type: t, Bits: [2]uint64{floatBits(Float32, real(v)) | floatBits(Float32, imag(v))<<32}}
	}
	return Scalar{Type: t, Bits: [2]uint64{math.Float64bits(real(v)), math.Float64bits(imag(v))}}
}

// Int returns the value of an integer or bool scalar, sign-extended.
func (s Scalar) Int() int64 {
	v := s.Bits[0]
	if s.Type.Is(KindInt) {
		shift := uint(64 - s.Type.Size()*8)
		return int64(v<<shift) >> shift
	}
	return int64(v)
}

// Uint returns the value of an unsigned or bool scalar.
func (s Scalar) Uint() uint64 { return s.Bits[0] }

// Float returns the value of a float scalar.
func (s Scalar) Float() float64 {
	switch s.Type {
	case Float16:
		return float64(HalfToFloat(uint16(s.Bits[0])))
	case Float32:
		return float64(math.Float32frombits(uint32(s.Bits[0])))
	}
	return math.Float64frombits(s.Bits[0])
}

// Complex returns the value of a complex scalar.
func (s Scalar) Complex() complex128 {
	if s.Type == Complex64 {
		re := math.Float32frombits(uint32(s.Bits[0]))
		im := math.Float32frombits(uint32(s.Bits[0] >> 32))
		return complex(float64(re), float64(im))
	}
	return complex(math.Float64frombits(s.Bits[0]), math.Float64frombits(s.Bits[1]))
}

func floatBits(t DType, v float64) uint64 {
	switch t {
	case Float16:
		return uint64(HalfFromFloat64(v))
	case Float32:
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// HalfToFloat widens an IEEE half; exact.
func HalfToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp := uint32(h>>10) & 31
	frac := uint32(h) & 1023
	switch {
	case exp == 31: // infinity or NaN, payload kept
		return math.Float32frombits(sign | 255<<23 | frac<<13)
	case exp != 0: // 112 = 127 - 15, the difference of the exponents' biases
		return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
	}
	v := float32(frac) * (1.0 / (1 << 24)) // subnormal: frac * 2^-24, exact in float32
	return math.Float32frombits(sign | math.Float32bits(v))
}

// HalfFromFloat64 rounds to nearest even in one step: going through float32 would round
// twice.
func HalfFromFloat64(v float64) uint16 {
	bits := math.Float64bits(v)
	sign := uint16(bits>>48) & 0x8000
	exp := int(bits>>52) & 2047
	frac := bits & (1<<52 - 1)
	if exp == 2047 {
		if frac != 0 {
			return sign | 0x7c00 | max(1, uint16(frac>>42))
		}
		return sign | 0x7c00
	}
	e := exp - 1023 + 15 // biased half exponent
	if e >= 31 {
		return sign | 0x7c00
	}
	drop := uint(42) // bits below the half's 10 fraction bits
	if e <= 0 {      // subnormal half: the implicit bit moves into the fraction
		if e < -10 {
			return sign
		}
		frac |= 1 << 52
		drop += uint(1 - e)
		e = 0
	}
	half := uint64(1) << (drop - 1)
	kept := frac >> drop
	rest := frac & (1<<drop - 1)
	if rest > half || rest == half && kept&1 == 1 {
		kept++ // may carry into the exponent, which is then right
	}
	return sign | uint16(uint64(e)<<10+kept)
}
