package tile

import "math"

// Convert is the reference of Cast: NumPy's astype. Integers wrap, floats round to nearest
// even, a complex number drops its imaginary part, and bool is "not zero" (a NaN is true).
// Floats become integers by truncation; what is out of range, and NaN, gives what NumPy's
// loops give on x86-64 (see truncate).
func Convert(t DType, s Scalar) Scalar {
	if t == s.Type {
		return s
	}
	switch s.Type.Kind() {
	case KindBool, KindInt:
		return fromWhole(t, s.Int())
	case KindUint:
		return fromWhole(t, s.Uint())
	case KindFloat:
		return fromFloat(t, s)
	}
	if t.Is(KindComplex) {
		return ComplexScalar(t, s.Complex())
	}
	re, im := s.parts()
	if t == Bool {
		return BoolScalar(re.Float() != 0 || im.Float() != 0)
	}
	return fromFloat(t, re)
}

// fromWhole rounds once: through float64, a large integer would be rounded twice. That
// cannot matter for float16, which has overflowed long before.
func fromWhole[V int64 | uint64](t DType, v V) Scalar {
	switch t {
	case Float16, Float64:
		return FloatScalar(t, float64(v))
	case Float32:
		return FloatScalar(t, float64(float32(v)))
	case Complex64:
		return ComplexScalar(t, complex(float64(float32(v)), 0))
	case Complex128:
		return ComplexScalar(t, complex(float64(v), 0))
	}
	return UintScalar(t, uint64(v)) // wraps to the width
}

func fromFloat(t DType, s Scalar) Scalar {
	v := s.Float()
	switch t.Kind() {
	case KindBool:
		return BoolScalar(v != 0)
	case KindFloat:
		return FloatScalar(t, v)
	case KindComplex:
		return ComplexScalar(t, complex(v, 0))
	}
	return UintScalar(t, truncate(t, s.Type, v))
}

// truncate converts a float to the integer dtype t. On overflow and NaN the processor's
// conversion gives the smallest integer of its width; NumPy converts to 32 bits for the
// types below that and keeps the low bits, and splits the range of unsigned types at their
// middle, except for float16, which goes to uint32 through 64 bits.
func truncate(t, from DType, v float64) uint64 {
	switch t {
	case Int64:
		return uint64(truncate64(v))
	case Uint64:
		if v >= 1<<63 {
			return uint64(truncate64(v-1<<63)) ^ 1<<63
		}
		return uint64(truncate64(v))
	case Uint32:
		if from == Float16 {
			return uint64(uint32(truncate64(v)))
		}
		if v >= 1<<31 {
			return uint64(uint32(truncate32(v-1<<31)) ^ 1<<31)
		}
	}
	return uint64(truncate32(v))
}

// truncate64 and truncate32 are cvttsd2si with 64 and 32 bits.
func truncate64(v float64) int64 {
	if v >= -1<<63 && v < 1<<63 {
		return int64(v)
	}
	return math.MinInt64
}

func truncate32(v float64) int32 {
	if v > -1<<31-1 && v < 1<<31 {
		return int32(v)
	}
	return math.MinInt32
}
