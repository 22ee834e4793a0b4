package tile

import (
	"math"
	"testing"
)

// TestReferenceComplete walks the opcode table: a new opcode or kind needs a reference.
func TestReferenceComplete(t *testing.T) {
	for _, op := range Opcodes() {
		for _, d := range DTypes() {
			if !op.IsScalar() {
				continue
			}
			switch has := hasReference(op, d); {
			case op.Accepts(d) && !has:
				t.Errorf("no reference for %v(%v); add it in tile/reference.go", op, d)
			case !op.Accepts(d) && has && d != Float16: // float16 shares the float entries
				t.Errorf("tile/reference.go has %v(%v), which the opcode table does not accept", op, d)
			}
		}
	}
	for _, c := range Combiners() {
		for _, d := range DTypes() {
			if c.Accepts(d) && !hasReference(c.Step(), d) {
				t.Errorf("reduce %v accepts %v, but its step %v has no reference for it", c, d, c.Step())
			}
		}
	}
}

// TestHard compares RealPow, RealSin, RealCos and RealLog with correctly rounded values (computed with
// 300 digits) where the standard library's functions lose digits.
func TestHard(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"sin(pi)", RealSin(math.Pi), 1.2246467991473532e-16},
		{"cos(pi/2)", RealCos(math.Pi / 2), 6.123233995736766e-17},
		{"sin(max)", RealSin(math.MaxFloat64), 0.004961954789184062},
		{"cos(max)", RealCos(math.MaxFloat64), -0.9999876894265599},
		{"cos(2^63)", RealCos(1 << 63), 0.011800076512800236},
		{"sin(-1e22)", RealSin(-1e22), 0.8522008497671888},
		{"log(denormal)", RealLog(5e-324), -744.4400719213812},
		{"3^300.7", RealPow(3, 300.7), 2.953665390549978e+143},
		{"2.5^-300.7", RealPow(2.5, -300.7), 2.1849393805931422e-120},
		{"(-3)^3", RealPow(-3, 3), -27},
		{"10^308", RealPow(10, 308), 1e308},
		{"10^-320", RealPow(10, -320), 1e-320},
		{"1.0000001^1e9", RealPow(1.0000001, 1e9), 2.6881038582144647e+43},
	} {
		if d := UlpDistance(FloatScalar(Float64, c.want), FloatScalar(Float64, c.got)); d > 1 {
			t.Errorf("%s = %v; want %v (%.3g ulp)", c.name, c.got, c.want, d)
		}
	}
}

// TestRealPowSpecial compares the special cases with math.Pow, which follows C99.
func TestRealPowSpecial(t *testing.T) {
	x := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 0.5, -0.5, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64, -1e-310}
	y := append([]float64{3, -3, 1 << 53, 1<<53 + 2, -1e300, 1e300, 1.5}, x...)
	for _, a := range x {
		for _, b := range y {
			want, got := FloatScalar(Float64, math.Pow(a, b)), FloatScalar(Float64, RealPow(a, b))
			if d := UlpDistance(want, got); d > 1 {
				t.Errorf("%v ^ %v = %v; want %v", a, b, got, want)
			}
		}
	}
}

func TestUlpDistance(t *testing.T) {
	f := func(v float64) Scalar { return FloatScalar(Float64, v) }
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		want, got Scalar
		d         float64
	}{
		{f(1), f(1), 0}, {f(1), f(math.Nextafter(1, 2)), 1}, {f(nan), f(-nan), 0}, {f(nan), f(1), inf}, {f(0), f(math.Copysign(0, -1)), inf},
		{f(0), f(5e-324), 1}, {f(inf), f(math.MaxFloat64), inf}, {f(inf), f(inf), 0},
		{IntScalar(Int8, 1), IntScalar(Int8, 2), inf}, {IntScalar(Int8, 1), IntScalar(Int16, 1), inf},
		{FloatScalar(Float16, 1), FloatScalar(Float16, 1+0x1p-10), 1},
		{ComplexScalar(Complex64, complex(1, 0x1p-30)), ComplexScalar(Complex64, complex(1, 0x1p-23)), 1 - 0x1p-7},
	} {
		if d := UlpDistance(c.want, c.got); d != c.d {
			t.Errorf("%v to %v: %v; want %v", c.want, c.got, d, c.d)
		}
	}
}
