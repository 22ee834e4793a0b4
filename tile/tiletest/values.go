package tiletest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"weft/tile"
)

// decode reads an element.
func decode(t tile.DType, b []byte) tile.Scalar {
	var raw [16]byte
	copy(raw[:], b[:t.Size()])
	return tile.Scalar{Type: t, Bits: [2]uint64{binary.LittleEndian.Uint64(raw[:]), binary.LittleEndian.Uint64(raw[8:])}}
}

// encode writes an element.
func encode(b []byte, s tile.Scalar) {
	var raw [16]byte
	binary.LittleEndian.PutUint64(raw[:], s.Bits[0])
	binary.LittleEndian.PutUint64(raw[8:], s.Bits[1])
	copy(b, raw[:s.Type.Size()])
}

// specials are the values of each dtype that break things, made once: every eighth of millions of elements is one.
var specials = func() map[tile.DType][]tile.Scalar {
	all := map[tile.DType][]tile.Scalar{}
	for _, t := range tile.DTypes() {
		all[t] = special(t)
	}
	return all
}()

// special makes those of a dtype.
func special(t tile.DType) []tile.Scalar {
	var out []tile.Scalar
	switch t.Kind() {
	case tile.KindBool:
		return []tile.Scalar{tile.BoolScalar(false), tile.BoolScalar(true)}
	case tile.KindInt:
		top := int64(1)<<(8*t.Size()-1) - 1
		for _, v := range []int64{0, 1, -1, 2, 3, -3, 7, -7, 31, 33, 63, 64, 100, -100, top, top - 1, -top, -top - 1} {
			out = append(out, tile.IntScalar(t, v))
		}
	case tile.KindUint:
		top := uint64(math.MaxUint64) >> (64 - 8*t.Size())
		for _, v := range []uint64{0, 1, 2, 3, 7, 31, 33, 63, 64, 100, top / 2, top/2 + 1, top - 1, top} {
			out = append(out, tile.UintScalar(t, v))
		}
	case tile.KindFloat:
		for _, v := range reals(t) {
			out = append(out, tile.FloatScalar(t, v))
		}
	case tile.KindComplex:
		parts := []float64{0, math.Copysign(0, -1), 1, -2.5, 0.5, math.Inf(1), math.Inf(-1), math.NaN()}
		for _, re := range parts {
			for _, im := range parts {
				out = append(out, tile.ComplexScalar(t, complex(re, im)))
			}
		}
	}
	return out
}

func reals(t tile.DType) []float64 {
	v := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -7, 1e-3, 300.7, -300.7, 40000.5, -40000.5,
		math.Inf(1), math.Inf(-1), math.NaN(), math.Pi, -math.Pi / 2}
	switch t {
	case tile.Float16:
		return append(v, 65504, -65504, 0x1p-14, 0x1p-24, -0x1p-24, 0x1.ff8p-15)
	case tile.Float32:
		v = append(v, math.MaxFloat32, -math.MaxFloat32, 0x1p-126, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1.fffffep-127)
	case tile.Float64:
		v = append(v, math.MaxFloat64, -math.MaxFloat64, 0x1p-1022, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1.fffffffffffffp-1023)
	}
	return append(v, 3e9, -3e9, 1e19, -1e19, 0x1p31, -0x1p31, 0x1p32, 0x1p63, -0x1p63, 0x1p64, 1e7, 123456.75)
}

// random returns an element: often a special one, otherwise any bits for integers and
// a number of middling size for floats.
func random(r *rand.Rand, t tile.DType) tile.Scalar {
	if r.IntN(8) == 0 {
		s := specials[t]
		return s[r.IntN(len(s))]
	}
	return ordinary(r, t)
}

// ordinary returns an element without special ones.
func ordinary(r *rand.Rand, t tile.DType) tile.Scalar {
	real := func() float64 { return r.NormFloat64() * math.Exp(r.Float64()*4-2) }
	switch t.Kind() {
	case tile.KindFloat:
		return tile.FloatScalar(t, real())
	case tile.KindComplex:
		return tile.ComplexScalar(t, complex(real(), real()))
	}
	return tile.UintScalar(t, r.Uint64()>>r.IntN(64)&^boolMask(t))
}

// boolMask keeps random bools mixed: any odd number would do, but most are not zero.
func boolMask(t tile.DType) uint64 {
	if t == tile.Bool {
		return ^uint64(1)
	}
	return 0
}
