package routines

import (
	"cmp"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"weft/cpu/sorting"
	"weft/tile"
)

// goroutines is a Parallel that really runs things at the same time.
func goroutines(n int, run func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	for range 4 {
		wg.Go(func() {
			for i := range next {
				run(i)
			}
		})
	}
	wg.Wait()
}

// eachMachine runs a test for every instruction set that this processor has.
func eachMachine(t *testing.T, test func(t *testing.T, s Sorter)) {
	for _, m := range sorting.Machines() {
		t.Run(m.Name(), func(t *testing.T) { test(t, Sorter{m}) })
	}
}

// best is the Sorter of the best instruction set.
var best = Sorter{sorting.Named("")}

func packed[T any](t tile.DType, x []T, shape ...int) Packed {
	if len(shape) == 0 {
		shape = []int{len(x)}
	}
	if len(x) == 0 {
		return Packed{Type: t, Shape: shape}
	}
	return Packed{t, shape, unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*t.Size())}
}

func blank[T any](t tile.DType, shape ...int) (Packed, []T) {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	x := make([]T, n)
	return packed(t, x, shape...), x
}

var lengths = []int{0, 1, 2, 3, 17, 127, 129, 191, 192, 193, 255, 257, 1000, 4096, 65535, 65537, 140_001, cached + 3}

// draws are ways to fill an array.
var draws = map[string]func(r *rand.Rand, i int) float64{
	"uniform":   func(r *rand.Rand, i int) float64 { return r.Float64() },
	"normal":    func(r *rand.Rand, i int) float64 { return r.NormFloat64() * 1e3 },
	"few":       func(r *rand.Rand, i int) float64 { return float64(r.IntN(7)) - 3 },
	"equal":     func(r *rand.Rand, i int) float64 { return 42 },
	"ascending": func(r *rand.Rand, i int) float64 { return float64(i) },
	"falling":   func(r *rand.Rand, i int) float64 { return -float64(i) },
	"special": func(r *rand.Rand, i int) float64 {
		return [...]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, r.Float64(), -r.Float64()}[r.IntN(8)]
	},
	"zeros": func(r *rand.Rand, i int) float64 {
		return [...]float64{math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 0, math.Copysign(0, -1), 5e-324, -5e-324}[r.IntN(8)]
	},
	"bits": func(r *rand.Rand, i int) float64 { return math.Float64frombits(r.Uint64()) },
}

// after is NumPy's order of floats as a comparison: NaNs last.
func after(x, y float64) int {
	switch {
	case x != x && y != y:
		return 0
	case x != x:
		return 1
	case y != y:
		return -1
	}
	return cmp.Compare(x, y)
}

// TestSortFloat64 sorts what each way to fill an array gives. Go's stable sort, which takes longer than all that it is
// compared with, is asked once for all machines.
func TestSortFloat64(t *testing.T) {
	var all []sorted
	r := rand.New(rand.NewPCG(1, 2))
	for name, draw := range draws {
		for _, n := range lengths {
			x := make([]float64, n)
			for i := range x {
				x[i] = draw(r, i)
			}
			want := slices.Clone(x)
			slices.SortStableFunc(want, after)
			all = append(all, sorted{name, x, want})
		}
	}
	eachMachine(t, func(t *testing.T, s Sorter) {
		for _, c := range all {
			checkSorted(t, s, c)
		}
	})
}

// sorted is an array, and what a stable sort makes of it.
type sorted struct {
	name    string
	x, want []float64
}

func checkSorted(t *testing.T, s Sorter, c sorted) {
	name, n, x, want := c.name, len(c.x), c.x, c.want
	out, got := blank[float64](tile.Float64, n)
	s.Sort(goroutines, packed(tile.Float64, x), out, nil)
	order, at := blank[int64](tile.Int64, n)
	s.Argsort(goroutines, packed(tile.Float64, x), order, nil)
	for i := range want {
		if i > 0 && got[i] == 0 && got[i-1] == 0 && math.Signbit(got[i]) && !math.Signbit(got[i-1]) {
			t.Fatalf("%s %d: 0 before -0 at %d", name, n, i)
		}
		if after(got[i], want[i]) != 0 {
			t.Fatalf("%s %d: sorted[%d] = %v, want %v", name, n, i, got[i], want[i])
		}
		if math.Float64bits(x[at[i]]) != math.Float64bits(want[i]) {
			t.Fatalf("%s %d: x[argsort[%d]] = %v, want %v", name, n, i, x[at[i]], want[i])
		}
		if i > 0 && after(x[at[i-1]], x[at[i]]) == 0 && at[i-1] > at[i] {
			t.Fatalf("%s %d: argsort is not stable at %d: %d before %d", name, n, i, at[i-1], at[i])
		}
	}
}

// sortDType compares with Go's own sort for a dtype whose elements Go can compare.
func sortDType[T cmp.Ordered](t *testing.T, s Sorter, d tile.DType, draw func(r *rand.Rand) T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range lengths {
		x := make([]T, n)
		for i := range x {
			x[i] = draw(r)
		}
		want := slices.Clone(x)
		slices.Sort(want)
		out, got := blank[T](d, n)
		s.Sort(goroutines, packed(d, x), out, nil)
		if !slices.Equal(got, want) {
			t.Errorf("%v of %d: not sorted", d, n)
		}
		order, at := blank[int64](tile.Int64, n)
		s.Argsort(goroutines, packed(d, x), order, nil)
		for i := range at {
			if x[at[i]] != want[i] || i > 0 && want[i-1] == want[i] && at[i-1] > at[i] {
				t.Fatalf("%v of %d: argsort wrong at %d", d, n, i)
			}
		}
	}
}

func TestSortDTypes(t *testing.T) { eachMachine(t, testSortDTypes) }

func testSortDTypes(t *testing.T, s Sorter) {
	sortDType(t, s, tile.Int8, func(r *rand.Rand) int8 { return int8(r.Uint32()) })
	sortDType(t, s, tile.Int16, func(r *rand.Rand) int16 { return int16(r.Uint32()) })
	sortDType(t, s, tile.Int32, func(r *rand.Rand) int32 { return int32(r.Uint32()) })
	sortDType(t, s, tile.Int64, func(r *rand.Rand) int64 { return int64(r.Uint64()) })
	sortDType(t, s, tile.Uint8, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })
	sortDType(t, s, tile.Uint16, func(r *rand.Rand) uint16 { return uint16(r.Uint32()) })
	sortDType(t, s, tile.Uint32, func(r *rand.Rand) uint32 { return r.Uint32() })
	sortDType(t, s, tile.Uint64, func(r *rand.Rand) uint64 { return r.Uint64() })
	sortDType(t, s, tile.Int64, func(r *rand.Rand) int64 { return math.MinInt64 + r.Int64N(500) })
	sortDType(t, s, tile.Int64, func(r *rand.Rand) int64 { return math.MaxInt64 - r.Int64N(20_000) })
	sortDType(t, s, tile.Int32, func(r *rand.Rand) int32 { return math.MinInt32 + r.Int32N(2048) })
	sortDType(t, s, tile.Uint64, func(r *rand.Rand) uint64 { return 1<<63 - 20 + r.Uint64N(40) })
	sortDType(t, s, tile.Uint32, func(r *rand.Rand) uint32 { return 1<<31 - 200 + r.Uint32N(400) })
	sortDType(t, s, tile.Float32, func(r *rand.Rand) float32 { return float32(r.NormFloat64()) })
	sortDType(t, s, tile.Bool, func(r *rand.Rand) uint8 { return uint8(r.IntN(2)) })
}

func TestSortHalf(t *testing.T) { eachMachine(t, testSortHalf) }

func testSortHalf(t *testing.T, s Sorter) {
	x := make([]uint16, 1<<16)
	for i := range x {
		x[i] = uint16(i * 40503)
	}
	out, got := blank[uint16](tile.Float16, len(x))
	s.Sort(goroutines, packed(tile.Float16, x), out, nil)
	for i := 1; i < len(got); i++ {
		if after(float64(tile.HalfToFloat(got[i-1])), float64(tile.HalfToFloat(got[i]))) > 0 {
			t.Fatalf("%d: %x before %x", i, got[i-1], got[i])
		}
	}
}

func TestSortComplex(t *testing.T) { eachMachine(t, testSortComplex) }

func testSortComplex(t *testing.T, s Sorter) {
	r := rand.New(rand.NewPCG(5, 6))
	some := func() float64 { return [...]float64{math.NaN(), 1, 2, -1, 0}[r.IntN(5)] }
	class := func(z complex128) int {
		c := 0
		if real(z) != real(z) {
			c = 2
		}
		if imag(z) != imag(z) {
			c++
		}
		return c
	}
	for _, n := range []int{0, 1, 5, 300, 70000} {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(some(), some())
		}
		want := slices.Clone(x)
		slices.SortStableFunc(want, func(p, q complex128) int {
			return cmp.Or(cmp.Compare(class(p), class(q)), after(real(p), real(q)), after(imag(p), imag(q)))
		})
		out, got := blank[complex128](tile.Complex128, n)
		s.Sort(goroutines, packed(tile.Complex128, x), out, nil)
		for i := range want {
			if got[i] != want[i] && !(cmplx.IsNaN(got[i]) && class(got[i]) == class(want[i])) {
				t.Fatalf("%d of %d: %v, want %v", i, n, got[i], want[i])
			}
		}
	}
}

func TestPartition(t *testing.T) { eachMachine(t, testPartition) }

func testPartition(t *testing.T, s Sorter) {
	r := rand.New(rand.NewPCG(7, 8))
	for trial, n := range []int{1, 5, 193, 70001, 400_000, 1, 5, 193, 70001, 400_000} {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(r.IntN(n))
		}
		if trial == 8 {
			for i := range x {
				x[i] = float64(int(x[i]) % 7)
			}
		}
		want := slices.Clone(x)
		slices.Sort(want)
		kth := []int{r.IntN(n), r.IntN(n)}
		if trial >= 5 { // with the ends, as quantiles want them
			kth = []int{0, n / 3, min(n/3+1, n-1), n - 1}
		}
		slices.Sort(kth)
		out, got := blank[float64](tile.Float64, n)
		s.Sort(goroutines, packed(tile.Float64, x), out, kth)
		order, at := blank[int64](tile.Int64, n)
		s.Argsort(goroutines, packed(tile.Float64, x), order, kth)
		for _, k := range kth {
			for i := range got {
				bad := got[k] != want[k] || x[at[k]] != want[k]
				bad = bad || i < k && (got[i] > got[k] || x[at[i]] > want[k])
				bad = bad || i > k && (got[i] < got[k] || x[at[i]] < want[k])
				if bad {
					t.Fatalf("n %d kth %d: wrong at %d", n, k, i)
				}
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("n %d: elements were lost", n)
		}
	}
}

func TestSortRows(t *testing.T) { eachMachine(t, testSortRows) }

func testSortRows(t *testing.T, s Sorter) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, shape := range [][]int{{7, 11}, {3, 20000}, {1000, 33}, {2, 100_000}, {3, 0}, {}} {
		out, got := blank[float64](tile.Float64, shape...)
		x := make([]float64, len(got))
		for i := range x {
			x[i] = r.Float64()
		}
		s.Sort(goroutines, packed(tile.Float64, x, shape...), out, nil)
		n := rowLength(shape)
		for lo := 0; lo < len(x); lo += n {
			row := x[lo : lo+n]
			slices.Sort(row)
			if !slices.Equal(row, got[lo:lo+n]) {
				t.Fatalf("%v: row at %d is not sorted", shape, lo)
			}
		}
	}
}

func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(11, 12))
	n := 10_000_000
	x := make([]float64, n)
	for i := range x {
		x[i] = r.Float64()
	}
	out, _ := blank[float64](tile.Float64, n)
	at, _ := blank[int64](tile.Int64, n)
	s := best
	b.Run("sort", func(b *testing.B) {
		for b.Loop() {
			s.Sort(goroutines, packed(tile.Float64, x), out, nil)
		}
	})
	b.Run("argsort", func(b *testing.B) {
		for b.Loop() {
			s.Argsort(goroutines, packed(tile.Float64, x), at, nil)
		}
	})
	b.Run("partition", func(b *testing.B) {
		for b.Loop() {
			s.Sort(goroutines, packed(tile.Float64, x), out, []int{n / 2})
		}
	})
}
