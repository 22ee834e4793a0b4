package tile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// String returns the scalar's literal, as it stands in program texts, without its dtype:
//
//	bool      true false
//	integers  -5
//	floats    0.5 -0 inf -inf nan; the shortest text that reads back to the same bits
//	complex   (0.5,-0)
//
// nan is the positive quiet NaN without payload; any other NaN is written as its bits, such
// as nan:0xfff8000000000000, so that every literal reads back to the same scalar.
func (s Scalar) String() string {
	if !valid(s.Type) {
		return s.Type.String()
	}
	switch s.Type.Kind() {
	case KindBool:
		return strconv.FormatBool(s.Bits[0] != 0)
	case KindInt:
		return strconv.FormatInt(s.Int(), 10)
	case KindUint:
		return strconv.FormatUint(s.Uint(), 10)
	case KindFloat:
		return floatText(s.Type, s.Bits[0])
	case KindComplex:
		re, im := s.parts()
		return "(" + floatText(re.Type, re.Bits[0]) + "," + floatText(im.Type, im.Bits[0]) + ")"
	}
	panic("BUG: dtype " + s.Type.String() + " has no literal form; see tile/scalartext.go")
}

// parts returns real and imaginary part of a complex scalar.
func (s Scalar) parts() (re, im Scalar) {
	if s.Type == Complex64 {
		return Scalar{Type: Float32, Bits: [2]uint64{s.Bits[0] & math.MaxUint32}},
			Scalar{Type: Float32, Bits: [2]uint64{s.Bits[0] >> 32}}
	}
	return Scalar{Type: Float64, Bits: [2]uint64{s.Bits[0]}}, Scalar{Type: Float64, Bits: [2]uint64{s.Bits[1]}}
}

// join is the inverse of parts.
func join(re, im Scalar) Scalar {
	if re.Type == Float32 {
		return Scalar{Type: Complex64, Bits: [2]uint64{re.Bits[0] | im.Bits[0]<<32}}
	}
	return Scalar{Type: Complex128, Bits: [2]uint64{re.Bits[0], im.Bits[0]}}
}

// quietNaN returns the bits of the NaN that is written as nan.
func quietNaN(t DType) uint64 {
	switch t {
	case Float16:
		return 0x7e00
	case Float32:
		return 0x7fc00000
	}
	return 0x7ff8000000000000
}

func floatText(t DType, bits uint64) string {
	v := Scalar{Type: t, Bits: [2]uint64{bits}}.Float()
	switch {
	case bits == quietNaN(t):
		return "nan"
	case v != v:
		return fmt.Sprintf("nan:%#x", bits)
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	// A half is written as the float32 that it equals: reading that back is exact.
	width := 32
	if t == Float64 {
		width = 64
	}
	return strconv.FormatFloat(v, 'g', -1, width)
}

// ParseScalar reads a literal of dtype t; it is the inverse of Scalar.String.
func ParseScalar(t DType, text string) (Scalar, error) {
	fail := func() (Scalar, error) {
		return Scalar{}, fmt.Errorf("tile: %q is not a literal of dtype %v", text, t)
	}
	switch {
	case !valid(t):
		return fail()
	case t == Bool:
		if text != "true" && text != "false" {
			return fail()
		}
		return BoolScalar(text == "true"), nil
	case t.Is(KindInt):
		v, err := strconv.ParseInt(text, 10, t.Size()*8)
		if err != nil {
			return fail()
		}
		return IntScalar(t, v), nil
	case t.Is(KindUint):
		v, err := strconv.ParseUint(text, 10, t.Size()*8)
		if err != nil {
			return fail()
		}
		return UintScalar(t, v), nil
	case t.Is(KindFloat):
		bits, ok := parseFloat(t, text)
		if !ok {
			return fail()
		}
		return Scalar{Type: t, Bits: [2]uint64{bits}}, nil
	}
	inner, open := strings.CutPrefix(text, "(")
	inner, shut := strings.CutSuffix(inner, ")")
	reText, imText, comma := strings.Cut(inner, ",")
	re, reOK := parseFloat(t.Real(), reText)
	im, imOK := parseFloat(t.Real(), imText)
	if !open || !shut || !comma || !reOK || !imOK {
		return fail()
	}
	return join(Scalar{Type: t.Real(), Bits: [2]uint64{re}}, Scalar{Type: t.Real(), Bits: [2]uint64{im}}), nil
}

// parseFloat returns the bits of a float literal; ok is false where the text isn't one or
// is too large for the dtype.
func parseFloat(t DType, text string) (bits uint64, ok bool) {
	switch text {
	case "nan":
		return quietNaN(t), true
	case "inf":
		return floatBits(t, math.Inf(1)), true
	case "-inf":
		return floatBits(t, math.Inf(-1)), true
	}
	if raw, isNaN := strings.CutPrefix(text, "nan:0x"); isNaN {
		bits, err := strconv.ParseUint(raw, 16, t.Size()*8)
		v := Scalar{Type: t, Bits: [2]uint64{bits}}.Float()
		return bits, err == nil && v != v
	}
	// Go also reads hexadecimal floats, underscores and "infinity", which are no literals here.
	if strings.Trim(text, "0123456789+-.e") != "" {
		return 0, false
	}
	width := 64
	if t == Float32 {
		width = 32 // rounding once, straight from the text
	}
	v, err := strconv.ParseFloat(text, width)
	if err != nil {
		return 0, false
	}
	bits = floatBits(t, v)
	return bits, !math.IsInf(Scalar{Type: t, Bits: [2]uint64{bits}}.Float(), 0)
}
