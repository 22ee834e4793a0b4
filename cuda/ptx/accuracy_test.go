package ptx

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/tile"
)

// simFunctions parses the whole library, and returns a way to call it.
func simFunctions(t *testing.T) func(name string, args ...uint64) uint64 {
	t.Helper()
	names := map[string]bool{}
	for _, fn := range library() {
		names[fn.name] = true
	}
	m, err := parseModule(functions(names))
	if err != nil {
		t.Fatal(err)
	}
	machine := &simThread{m: &simMachine{module: m}}
	return func(name string, args ...uint64) uint64 { return machine.call(m.functions[name], args) }
}

// ulps is how far got is from want, in units of a float with so many fraction bits, of which
// the smallest is 2^least. Infinities count as the number after the largest.
func ulps(got, want float64, digits, least int) float64 {
	switch {
	case got == want && (want != 0 || math.Signbit(got) == math.Signbit(want)), got != got && want != want:
		return 0
	case got == want, got != got, want != want, math.IsInf(got, 0), math.IsInf(want, 0):
		return math.Inf(1)
	}
	_, e := math.Frexp(want)
	return math.Abs(got-want) / math.Ldexp(1, max(e-1-digits, least))
}

// singleUlps is how far a float32 is from want, which becomes a float32 where that is infinite or below the least.
func singleUlps(got float32, want float64) float64 {
	if math.IsInf(float64(float32(want)), 0) || math.Abs(want) < 0x1p-149 {
		want = float64(float32(want))
	}
	return ulps(float64(got), want, 23, -149)
}

// TestAccuracy measures each function of the library against float64 functions that are
// within a unit of float64. The limits are what was measured, rounded up; those of float64
// contain the other side's error.
func TestAccuracy(t *testing.T) {
	call := simFunctions(t)
	r := rand.New(rand.NewPCG(1, 2))
	uniform := func(lo, hi float64) func() float64 { return func() float64 { return lo + (hi-lo)*r.Float64() } }
	anyBits := func() float64 { return math.Float64frombits(r.Uint64()) }
	anySingle := func() float64 { return float64(math.Float32frombits(r.Uint32())) }
	positive := func(f func() float64) func() float64 { return func() float64 { return math.Abs(f()) } }
	near := func(x, by float64) func() float64 { return uniform(x-by, x+by) }

	for _, c := range []struct {
		name   string
		want   func(float64) float64
		limit  float64
		inputs []func() float64
	}{
		{"weft_exp_f64", tile.RealExp, 1, []func() float64{uniform(-746, 710), uniform(-1, 1), anyBits}},
		{"weft_log_f64", tile.RealLog, 1, []func() float64{positive(anyBits), uniform(0, 10), near(1, 0.01)}},
		{"weft_sin_f64", tile.RealSin, 1.1, []func() float64{anyBits, uniform(-10, 10), uniform(-1e6, 1e6), uniform(-1e15, 1e15)}},
		{"weft_cos_f64", tile.RealCos, 1.1, []func() float64{anyBits, uniform(-10, 10), uniform(-1e6, 1e6), uniform(-1e15, 1e15)}},
		{"weft_tanh_f64", tile.RealTanh, 1.1, []func() float64{uniform(-25, 25), uniform(-1, 1), anyBits}},
		{"weft_exp2_f64", tile.RealExp2, 1, []func() float64{uniform(-1075, 1025), uniform(-1, 1), anyBits}},
		{"weft_expm1_f64", tile.RealExpm1, 1.1, []func() float64{uniform(-44, 710), uniform(-1, 1), anyBits}},
		{"weft_sinh_f64", tile.RealSinh, 1.6, []func() float64{uniform(-711, 711), uniform(-1, 1), anyBits}},
		{"weft_cosh_f64", tile.RealCosh, 1.3, []func() float64{uniform(-711, 711), uniform(-1, 1), anyBits}},
		{"weft_log2_f64", tile.RealLog2, 1, []func() float64{positive(anyBits), uniform(0, 10), near(1, 0.01)}},
		{"weft_log10_f64", tile.RealLog10, 1, []func() float64{positive(anyBits), uniform(0, 10), near(1, 0.01)}},
		{"weft_log1p_f64", tile.RealLog1p, 1.1, []func() float64{uniform(-1, 3), near(0, 1e-6), anyBits}},
		{"weft_asinh_f64", tile.RealAsinh, 1.3, []func() float64{uniform(-3, 3), near(0, 1e-6), anyBits}},
		{"weft_acosh_f64", tile.RealAcosh, 1.1, []func() float64{uniform(1, 3), near(1, 1e-6), anyBits}},
		{"weft_atanh_f64", tile.RealAtanh, 1.1, []func() float64{uniform(-1, 1), near(0, 1e-6), anyBits}},
		{"weft_tan_f64", tile.RealTan, 1.1, []func() float64{anyBits, uniform(-10, 10), uniform(-1e6, 1e6), uniform(-1e15, 1e15)}},
		{"weft_asin_f64", tile.RealAsin, 1, []func() float64{uniform(-1, 1), near(1, 1e-6), anyBits}},
		{"weft_acos_f64", tile.RealAcos, 1.1, []func() float64{uniform(-1, 1), near(-1, 1e-6), anyBits}},
		{"weft_atan_f64", tile.RealAtan, 1.1, []func() float64{uniform(-5, 5), near(1, 1e-6), anyBits}},
		{"weft_cbrt_f64", tile.RealCbrt, 0.7, []func() float64{uniform(-5, 5), anyBits}},
		{"weft_erf_f64", tile.RealErf, 1.5, []func() float64{uniform(-6, 6), near(1, 1e-6), anyBits}},
		{"weft_erfc_f64", tile.RealErfc, 1.9, []func() float64{uniform(-6, 27.3), near(1, 1e-6), anyBits}},
		{"weft_gamma_f64", tile.RealGamma, 1.9, []func() float64{uniform(-20, 172), near(-100, 1e-6), anyBits}},
		{"weft_lgamma_f64", tile.RealLogGamma, 1.5, []func() float64{uniform(3, 100), positive(anyBits)}},
		{"weft_exp_f32", tile.RealExp, 1.01, []func() float64{uniform(-104, 89), uniform(-1, 1), anySingle}},
		{"weft_log_f32", tile.RealLog, 0.9, []func() float64{positive(anySingle), uniform(0, 10), near(1, 0.01)}},
		{"weft_cbrt_f32", tile.RealCbrt, 0.9, []func() float64{uniform(-5, 5), anySingle}},
		{"weft_erfc_f32", tile.RealErfc, 1.6, []func() float64{uniform(-4, 10.1), near(0.8, 0.1), anySingle}},
		{"weft_tan_f32", tile.RealTan, 1.1, []func() float64{anySingle, uniform(-10, 10), uniform(-1e5, 1e5), uniform(-1e7, 1e7)}},
		{"weft_asinh_f32", tile.RealAsinh, 1.4, []func() float64{uniform(-3, 3), near(0.9, 0.1), uniform(0, 1e4), anySingle}},
		{"weft_acosh_f32", tile.RealAcosh, 1.5, []func() float64{uniform(1, 3), near(1.5, 0.1), uniform(1, 1e4), uniform(1, 2e6), positive(anySingle)}},
		{"weft_atanh_f32", tile.RealAtanh, 0.9, []func() float64{uniform(-1, 1), near(0.5, 0.1), anySingle}},
		{"weft_erf_f32", tile.RealErf, 1.2, []func() float64{uniform(-5, 5), near(1, 0.1), anySingle}},
		{"weft_sin_f32", tile.RealSin, 1, []func() float64{anySingle, uniform(-10, 10), uniform(-1e5, 1e5), uniform(-1e7, 1e7)}},
		{"weft_cos_f32", tile.RealCos, 1, []func() float64{anySingle, uniform(-10, 10), uniform(-1e5, 1e5), uniform(-1e7, 1e7)}},
		{"weft_tanh_f32", math.Tanh, 1.4, []func() float64{uniform(-10, 10), uniform(-1, 1), anySingle}},
		{"weft_exp2_f32", tile.RealExp2, 0.9, []func() float64{uniform(-150, 128), uniform(-1, 1), anySingle}},
		{"weft_expm1_f32", tile.RealExpm1, 1.2, []func() float64{uniform(-18, 89), uniform(-1, 1), anySingle}},
		{"weft_log2_f32", tile.RealLog2, 0.9, []func() float64{positive(anySingle), uniform(0, 10), near(1, 0.01)}},
		{"weft_log10_f32", tile.RealLog10, 0.9, []func() float64{positive(anySingle), uniform(0, 10), near(1, 0.01)}},
		{"weft_log1p_f32", tile.RealLog1p, 0.9, []func() float64{uniform(-1, 3), near(0, 1e-6), anySingle}},
		{"weft_sinh_f32", tile.RealSinh, 1.4, []func() float64{uniform(-89, 89), uniform(-1, 1), anySingle}},
		{"weft_cosh_f32", tile.RealCosh, 1.5, []func() float64{uniform(-89, 89), uniform(-1, 1), anySingle}},
		{"weft_asin_f32", tile.RealAsin, 1.2, []func() float64{uniform(-1, 1), near(0.5, 1e-3), anySingle}},
		{"weft_acos_f32", tile.RealAcos, 1.2, []func() float64{uniform(-1, 1), near(0.5, 1e-3), anySingle}},
		{"weft_atan_f32", tile.RealAtan, 1.3, []func() float64{uniform(-3, 3), near(1, 1e-3), anySingle}},
	} {
		worst, at := 0.0, 0.0
		single := strings.HasSuffix(c.name, "_f32")
		for _, input := range c.inputs {
			for range 4_000 {
				x := input()
				var d float64
				if single {
					x = float64(float32(x))
					d = singleUlps(math.Float32frombits(uint32(call(c.name, toSingle(x)))), c.want(x))
				} else {
					d = ulps(double(call(c.name, toDouble(x))), c.want(x), 52, -1074)
				}
				if d > worst {
					worst, at = d, x
				}
			}
		}
		t.Logf("%s: %.3f units at %v", c.name, worst, at)
		if worst > c.limit {
			t.Errorf("%s: %.3f units from the right value at %v; at most %v", c.name, worst, at, c.limit)
		}
	}
}

// TestBinaryAccuracy does the same for functions of two numbers; the remainder is exact.
func TestBinaryAccuracy(t *testing.T) {
	call := simFunctions(t)
	r := rand.New(rand.NewPCG(3, 4))
	middling := func() float64 { return r.NormFloat64() * math.Exp(r.Float64()*8-4) }
	for _, c := range []struct {
		name  string
		want  func(x, y float64) float64
		limit float64
	}{
		{"weft_mod_f64", math.Mod, 0},
		{"weft_hypot_f64", tile.RealHypot, 1},
		{"weft_atan2_f64", tile.RealAtan2, 1.5},
		{"weft_pow_f64", tile.RealPow, 1.1},
		{"weft_hypot_f32", tile.RealHypot, 1},
		{"weft_atan2_f32", tile.RealAtan2, 1.1},
	} {
		single := strings.HasSuffix(c.name, "_f32")
		anyBits := func() float64 { return math.Float64frombits(r.Uint64()) }
		if single {
			anyBits = func() float64 { return float64(math.Float32frombits(r.Uint32())) }
		}
		worst := 0.0
		var at [2]float64
		for i := range 16_000 {
			x, y := anyBits(), anyBits()
			switch i % 4 {
			case 1:
				x, y = middling(), middling()
			case 2:
				x, y = math.Trunc(middling()), math.Trunc(middling())
			case 3:
				x, y = middling(), math.Round(middling())/2
			}
			var d float64
			if single {
				x, y = float64(float32(x)), float64(float32(y))
				d = singleUlps(math.Float32frombits(uint32(call(c.name, toSingle(x), toSingle(y)))), c.want(x, y))
			} else {
				d = ulps(double(call(c.name, toDouble(x), toDouble(y))), c.want(x, y), 52, -1074)
			}
			if d > worst {
				worst, at = d, [2]float64{x, y}
			}
		}
		t.Logf("%s: %.3f units at %v", c.name, worst, at)
		if worst > c.limit {
			t.Errorf("%s: %.3f units from the right value at %v; at most %v", c.name, worst, at, c.limit)
		}
	}
}
