package tile

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// toBig returns a wide number as it is.
func toBig(a wide) *big.Float {
	v := new(big.Float).SetPrec(precision)
	for i, d := range a.m {
		v.Add(v, new(big.Float).SetMantExp(new(big.Float).SetUint64(d), -64*(i+1)))
	}
	if a.negative {
		v.Neg(v)
	}
	return v.SetMantExp(v, a.exp)
}

// randomWide has long runs of ones and zeros now and then, which carry far.
func randomWide(r *rand.Rand) wide {
	var a wide
	for i := range a.m {
		switch r.IntN(4) {
		case 0:
			a.m[i] = math.MaxUint64
		case 1:
		case 2:
			a.m[i] = 1 << r.IntN(64)
		default:
			a.m[i] = r.Uint64()
		}
	}
	a.m[0] |= 1 << 63
	a.exp, a.negative = r.IntN(600)-300, r.IntN(2) == 0
	switch r.IntN(8) {
	case 0:
		return wide{}
	case 1, 2:
		a.exp = r.IntN(3)
	}
	return a
}

// TestWide compares the arithmetic of wide numbers with big.Float's.
func TestWide(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	fresh := func() *big.Float { return new(big.Float).SetPrec(precision) }
	check := func(name string, got wide, want *big.Float, units int, args ...wide) {
		t.Helper()
		g, d := toBig(got), fresh()
		if d.Sub(g, want); d.Sign() != 0 && d.MantExp(nil) > want.MantExp(nil)-precision+units || got.sign() != want.Sign() ||
			got.sign() != 0 && got.m[0]>>63 == 0 {
			for _, a := range args {
				t.Logf("%x * 2^%d, negative %v", a.m, a.exp, a.negative)
			}
			t.Fatalf("%s is %v, wanted %v; they differ by %v", name, g, want, d)
		}
	}
	for range 20_000 {
		a, b := randomWide(r), randomWide(r)
		if a.sign() != 0 && r.IntN(4) == 0 { // what cancels
			b = a
			b.m[r.IntN(4)] ^= 1 << r.IntN(63)
			b.negative = !a.negative
		}
		x, y, n := toBig(a), toBig(b), 1+r.IntN(1<<r.IntN(31))
		check("a sum", sum(a, b), fresh().Add(x, y), 1, a, b)
		check("a difference", difference(a, b), fresh().Sub(x, y), 1, a, b)
		check("a product", product(a, b), fresh().Mul(x, y), 1, a, b)
		check("a quotient by an integer", over(a, n), fresh().Quo(x, fresh().SetInt64(int64(n))), 1, a)
		if b.sign() != 0 {
			check("a quotient", quotient(a, b), fresh().Quo(x, y), 1, a, b)
		}
		a.negative = false
		check("a root", root(a), fresh().Sqrt(x.Abs(x)), 3, a)
		if a.sign() == 0 {
			continue
		}
		if r.IntN(2) == 0 {
			a.exp += r.IntN(2200) - 1100
		}
		switch r.IntN(3) {
		case 0: // a tie, or nearly one
			a.m = [4]uint64{a.m[0]&^(1<<11-1) | 1<<10, 0, 0, r.Uint64N(2)}
		case 1:
			a.m = [4]uint64{1 << 63, 0, 0, r.Uint64N(2)}
		}
		a.negative = r.IntN(2) == 0
		if want, _ := toBig(a).Float64(); math.Float64bits(nearest(a)) != math.Float64bits(want) {
			t.Fatalf("%v is nearest to %v, not to %v", toBig(a), want, nearest(a))
		}
		if back := fromBig(toBig(a)); back != a {
			t.Fatalf("%+v comes back from big.Float as %+v", a, back)
		}
		v := math.Float64frombits(r.Uint64())
		if v-v == 0 && nearest(widened(v)) != v {
			t.Fatalf("%v is widened to %v", v, toBig(widened(v)))
		}
	}
}
