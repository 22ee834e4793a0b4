package arrays

import (
	"math"
	"strconv"
	"strings"

	"weft/tile"
)

// elementTexts formats the elements of one array to words of equal length.
func elementTexts(elements []tile.Scalar) []string {
	words := make([]string, len(elements))
	t := elements[0].Type
	switch t.Kind() {
	case tile.KindBool:
		for i, s := range elements {
			words[i] = " True"
			if s.Bits[0] == 0 {
				words[i] = "False"
			}
		}
		return words
	case tile.KindInt, tile.KindUint:
		width := 0
		for i, s := range elements {
			words[i] = s.String()
			width = max(width, len(words[i]))
		}
		for i, w := range words {
			words[i] = padLeft(w, width)
		}
		return words
	case tile.KindFloat:
		f := newFloatFormat(elements, false)
		for i, s := range elements {
			words[i] = f.format(s)
		}
		return words
	}
	re, im := make([]tile.Scalar, len(elements)), make([]tile.Scalar, len(elements))
	for i, s := range elements {
		c := s.Complex()
		re[i], im[i] = tile.FloatScalar(t.Real(), real(c)), tile.FloatScalar(t.Real(), imag(c))
	}
	reFormat, imFormat := newFloatFormat(re, false), newFloatFormat(im, true)
	for i := range words {
		text := imFormat.format(im[i])
		digits := strings.TrimRight(text, " ")
		words[i] = reFormat.format(re[i]) + digits + "j" + text[len(digits):]
	}
	return words
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(width-len(s), 0)) + s
}

// floatFormat is NumPy's FloatingFormat with floatmode maxprec: the shortest digits that
// tell an element from its neighbours, cut at the precision; all elements alike.
type floatFormat struct {
	plus        bool // always a sign
	exponential bool
	left, right int // widths before and after the point
	precision   int // of the fraction in exponential form
	exponent    int // digits of the exponent
}

func newFloatFormat(elements []tile.Scalar, plus bool) *floatFormat {
	f := &floatFormat{plus: plus}
	low, high := math.Inf(1), 0.0
	finite := 0
	for _, s := range elements {
		x := math.Abs(s.Float())
		if math.IsInf(x, 0) || x != x {
			continue
		}
		finite++
		if x != 0 {
			low, high = min(low, x), max(high, x)
		}
	}
	if high > 0 {
		ratio := high / low
		if elements[0].Type != tile.Float64 {
			ratio = float64(float32(high) / float32(low))
		}
		f.exponential = high >= cutoff(elements[0].Type) || low < 0.0001 || ratio > 1000
	}
	for _, s := range elements {
		x := s.Float()
		if math.IsInf(x, 0) || x != x {
			continue
		}
		text := f.digits(s)
		mantissa, exponent, _ := strings.Cut(text, "e")
		whole, fraction, _ := strings.Cut(mantissa, ".")
		f.left, f.right = max(f.left, len(whole)), max(f.right, len(fraction))
		f.exponent = max(f.exponent, len(exponent)-1)
	}
	if f.exponential {
		f.precision = f.right
		f.right += f.exponent + 2
	}
	if finite < len(elements) {
		for _, s := range elements {
			x := s.Float()
			if math.IsInf(x, 0) || x != x {
				f.left = max(f.left, len(f.special(x, plus))-f.right-1)
			}
		}
	}
	return f
}

// cutoff is where NumPy changes to exponents: 1e8, or what the dtype's digits cover.
func cutoff(t tile.DType) float64 {
	switch t {
	case tile.Float16:
		return 1e3
	case tile.Float32:
		return 1e6
	}
	return 1e8
}

func (f *floatFormat) special(x float64, plus bool) string {
	sign := ""
	switch {
	case x < 0:
		sign = "-"
	case plus:
		sign = "+"
	}
	if x != x {
		return sign + "nan"
	}
	return sign + "inf"
}

// digits returns a finite element without padding: 1. or 1.5e+10.
func (f *floatFormat) digits(s tile.Scalar) string {
	form := byte('f')
	if f.exponential {
		form = 'e'
	}
	text := shortest(s, form)
	mantissa, exponent, _ := strings.Cut(text, "e")
	if _, fraction, _ := strings.Cut(mantissa, "."); len(fraction) > printPrecision {
		text = strconv.FormatFloat(s.Float(), form, printPrecision, 64)
		mantissa, exponent, _ = strings.Cut(text, "e")
		mantissa = strings.TrimRight(mantissa, "0")
	}
	if !strings.Contains(mantissa, ".") {
		mantissa += "."
	}
	if f.plus && mantissa[0] != '-' {
		mantissa = "+" + mantissa
	}
	if f.exponential {
		return mantissa + "e" + exponent
	}
	return mantissa
}

// format returns one element at its full width.
func (f *floatFormat) format(s tile.Scalar) string {
	x := s.Float()
	if math.IsInf(x, 0) || x != x {
		return padLeft(f.special(x, f.plus), f.left+f.right+1)
	}
	text := f.digits(s)
	mantissa, exponent, _ := strings.Cut(text, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if !f.exponential {
		return padLeft(whole, f.left) + "." + fraction + strings.Repeat(" ", f.right-len(fraction))
	}
	fraction += strings.Repeat("0", f.precision-len(fraction))
	return padLeft(whole, f.left) + "." + fraction + "e" + exponent[:1] + strings.Repeat("0", f.exponent-len(exponent)+1) + exponent[1:]
}

// shortest returns the fewest digits that read back to the same element of its dtype.
func shortest(s tile.Scalar, form byte) string {
	switch s.Type {
	case tile.Float64:
		return strconv.FormatFloat(s.Float(), form, -1, 64)
	case tile.Float32:
		return strconv.FormatFloat(s.Float(), form, -1, 32)
	}
	for digits := range 5 { // a half has at most five
		text := strconv.FormatFloat(s.Float(), 'e', digits, 64)
		x, _ := strconv.ParseFloat(text, 64)
		if tile.HalfFromFloat64(x) == uint16(s.Bits[0]) {
			return strconv.FormatFloat(x, form, -1, 64)
		}
	}
	return strconv.FormatFloat(s.Float(), form, -1, 64)
}

// scalarText is str of a NumPy scalar.
func scalarText(s tile.Scalar) string {
	switch s.Type.Kind() {
	case tile.KindBool:
		if s.Bits[0] != 0 {
			return "True"
		}
		return "False"
	case tile.KindFloat:
		text := floatText(s)
		if strings.Trim(text, "-0123456789") == "" {
			text += ".0"
		}
		return text
	case tile.KindComplex:
		c := s.Complex()
		re := tile.FloatScalar(s.Type.Real(), real(c))
		im := floatText(tile.FloatScalar(s.Type.Real(), imag(c))) + "j"
		if real(c) == 0 && !math.Signbit(real(c)) {
			return im
		}
		if im[0] != '-' {
			im = "+" + im
		}
		return "(" + floatText(re) + im + ")"
	}
	return s.String()
}

// floatText is a number with the shortest digits, in exponential form where it is large or
// small.
func floatText(s tile.Scalar) string {
	x := s.Float()
	switch size := math.Abs(x); {
	case x != x:
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	case size == 0 || size >= 1e-4 && size < 1e16:
		return shortest(s, 'f')
	}
	return shortest(s, 'e')
}
