package routines

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/tile"
)

// unitPowers gives the powers of an n-th root of 1, by which the definition multiplies.
func unitPowers(n int, inverse bool) []complex128 {
	sign := -1.0
	if inverse {
		sign = 1
	}
	all := make([]complex128, n)
	for i := range all {
		all[i] = cmplx.Rect(1, sign*2*math.Pi*float64(i)/float64(n))
	}
	return all
}

// slowFourier is the definition of one element.
func slowFourier(x []complex128, k int, roots []complex128) complex128 {
	var sum complex128
	for j, z := range x {
		sum += z * roots[j*k%len(x)]
	}
	return sum
}

// some are up to 30 of n positions.
func some(r *rand.Rand, n int) []int {
	list := []int{0, n - 1, n / 2}
	for range min(n, 27) {
		list = append(list, r.IntN(n))
	}
	return list
}

func TestFourier(t *testing.T) {
	r, plans := rand.New(rand.NewPCG(1, 1)), NewPlans(1<<20)
	lengths := []int{59, 63, 64, 77, 97, 101, 105, 106, 121, 127, 375, 509, 1018, 1000, 2047, 4094, 4096, 6000, 10007, 30030, 46656, 65536, 98304}
	for n := range 51 {
		lengths = append(lengths, n+1)
	}
	for _, n := range lengths {
		for _, rows := range []int{1, 3, 9, 21} {
			if n > 5000 && rows > 3 || n > 130 && rows > 9 {
				continue
			}
			checkFourier(t, r, plans, n, rows)
		}
	}
}

// checkFourier compares all kinds of transforms of some rows with the definition.
func checkFourier(t *testing.T, r *rand.Rand, plans *Plans, n, rows int) {
	x, whole, floats := make([]complex128, rows*n), make([]complex128, rows*n), make([]float64, rows*n)
	for i := range x {
		x[i] = complex(r.NormFloat64(), r.NormFloat64())
		floats[i] = r.NormFloat64()
		whole[i] = complex(floats[i], 0)
	}
	near := func(what string, i int, got, want complex128) {
		t.Helper()
		if cmplx.Abs(got-want) > 1e-12*float64(n) {
			t.Fatalf("%s of %d rows of %d: element %d is %v, want %v", what, rows, n, i, got, want)
		}
	}
	out, got := blank[complex128](tile.Complex128, rows, n)
	for _, inverse := range []bool{false, true} {
		roots := unitPowers(n, inverse)
		for what, of := range map[string]struct {
			given Packed
			as    []complex128
		}{"transform": {packed(tile.Complex128, x, rows, n), x}, "transform of real numbers": {packed(tile.Float64, floats, rows, n), whole}} {
			plans.Fourier(goroutines, of.given, out, inverse, 0.5)
			for row := range rows {
				for _, i := range some(r, n) {
					near(what, i, got[row*n+i], 0.5*slowFourier(of.as[row*n:(row+1)*n], i, roots))
				}
			}
		}
	}
	m := n/2 + 1
	half, part := blank[complex128](tile.Complex128, rows, m)
	plans.RealFourier(goroutines, packed(tile.Float64, floats, rows, n), half, 1)
	back, again := blank[float64](tile.Float64, rows, n)
	plans.InverseRealFourier(goroutines, half, back, 1/float64(n))
	forward := unitPowers(n, false)
	for row := range rows {
		for _, i := range some(r, m) {
			near("real transform", i, part[row*m+i], slowFourier(whole[row*n:(row+1)*n], i, forward))
		}
		for i := range n {
			near("there and back", i, complex(again[row*n+i], 0), whole[row*n+i])
		}
	}
}

// TestEveryWidthHasTheSameBits compares vectors of each width that the processor has.
func TestEveryWidthHasTheSameBits(t *testing.T) {
	r, plans := rand.New(rand.NewPCG(1, 2)), NewPlans(1<<20)
	lengths := []int{59, 77, 101, 121, 1000, 2187, 3003, 4096, 5005, 6000, 30030, 46656, 65536, 98304}
	for n := range 70 {
		lengths = append(lengths, n+1)
	}
	for _, n := range lengths {
		for _, rows := range []int{1, 3, 5, 8, 9, 11} {
			x := make([]complex128, rows*n)
			for i := range x {
				x[i] = complex(r.NormFloat64(), r.NormFloat64())
			}
			var want []complex128
			most := vectorWidth()
			for width := most; width >= 2; width /= 2 {
				of := newTransform(plans, n)
				switch of := of.(type) {
				case *engine:
					of.width = width
				case *lonely:
					of.engine.width = width
				case *matrix:
					of.outer.width, of.inner.width = width, width
				}
				for _, inverse := range []bool{false, true} {
					got := make([]complex128, rows*n)
					of.rows(goroutines, got, x, rows, inverse, 0.3)
					if width == most {
						want = append(want, got...)
						continue
					}
					if inverse && !slices.Equal(got, want[rows*n:]) || !inverse && !slices.Equal(got, want[:rows*n]) {
						t.Fatalf("%d rows of %d points, inverse %v: other bits in vectors of %d than of %d", rows, n, inverse, width, most)
					}
				}
			}
		}
	}
}

// TestEqualRowsHaveEqualTransforms looks at rows of all kinds of transforms that hold the same numbers, wherever they
// stand among how many.
func TestEqualRowsHaveEqualTransforms(t *testing.T) {
	r, plans := rand.New(rand.NewPCG(1, 3)), NewPlans(1<<20)
	lengths := []int{96, 97, 100, 102, 105, 106, 121, 206, 250, 374, 375, 428, 502, 511, 539, 998, 1000, 1001, 1018, 1030, 1050, 2187, 4094, 4100, 6006, 10_007}
	for n := range 70 {
		lengths = append(lengths, n+1)
	}
	for _, n := range lengths {
		x, floats, half := make([]complex128, n), make([]float64, n), make([]complex128, n/2+1)
		for i := range x {
			x[i], floats[i] = complex(r.NormFloat64(), r.NormFloat64()), r.NormFloat64()
		}
		for i := range half {
			half[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		for rows := 2; rows <= 20; rows++ {
			if n > 1100 && rows > 4 && rows%4 != 1 {
				continue
			}
			complexRows := packed(tile.Complex128, slices.Repeat(x, rows), rows, n)
			realRows := packed(tile.Float64, slices.Repeat(floats, rows), rows, n)
			out, got := blank[complex128](tile.Complex128, rows, n)
			for _, inverse := range []bool{false, true} {
				plans.Fourier(goroutines, complexRows, out, inverse, 0.5)
				areEqual(t, "transform", got, rows)
				plans.Fourier(goroutines, realRows, out, inverse, 0.5)
				areEqual(t, "transform of real numbers", got, rows)
			}
			out, got = blank[complex128](tile.Complex128, rows, n/2+1)
			plans.RealFourier(goroutines, realRows, out, 1)
			areEqual(t, "real transform", got, rows)
			back, again := blank[float64](tile.Float64, rows, n)
			plans.InverseRealFourier(goroutines, packed(tile.Complex128, slices.Repeat(half, rows), rows, n/2+1), back, 1)
			areEqual(t, "inverse real transform", again, rows)
		}
	}
}

func areEqual[T comparable](t *testing.T, what string, of []T, rows int) {
	t.Helper()
	n := len(of) / rows
	for row := range rows {
		if !slices.Equal(of[row*n:(row+1)*n], of[:n]) {
			t.Fatalf("%s of %d equal rows with %d elements: row %d has other bits than the first", what, rows, n, row)
		}
	}
}

func TestPlansAreBounded(t *testing.T) {
	p := NewPlans(200_000)
	first := p.of(1000)
	for n := 100; n < 300; n++ {
		p.of(n)
		if p.of(1000) != first {
			t.Fatalf("the transform of 1000 points, which was used just now, was made anew after %d others", n-99)
		}
		total := 0
		for e := p.order.Front(); e != nil; e = e.Next() {
			total += e.Value.(*plan).bytes()
		}
		if total != p.bytes || total > p.most || len(p.known) != p.order.Len() {
			t.Fatalf("%d tables of %d bytes, counted as %d; want at most %d", len(p.known), total, p.bytes, p.most)
		}
	}
	if p.known[plans{n: 100}] != nil {
		t.Error("the transform of 100 points is still kept")
	}
	if p.of(1 << 14); p.known[plans{n: 1 << 14}] != nil {
		t.Error("a transform with larger tables than all may have is kept")
	}
}
