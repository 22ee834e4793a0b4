package routines

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/tile"
)

func TestScan(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][]int{{0}, {1}, {7}, {3, 5}, {200_001}, {2, 131_073}, {5, 1000, 3}, {4, 3, 0}} {
		for axis := range shape {
			outer, n, inner := tile.Around(shape, axis)
			total := outer * n * inner
			x := make([]float64, total)
			ints := make([]int64, total)
			for i := range x {
				x[i], ints[i] = r.Float64(), r.Int64()
			}
			out, got := blank[float64](tile.Float64, shape...)
			largest, most := blank[float64](tile.Float64, shape...)
			whole, exact := blank[int64](tile.Int64, shape...)
			again, second := blank[float64](tile.Float64, shape...)
			Scan(goroutines, "add", packed(tile.Float64, x, shape...), out, axis)
			Scan(Serial, "add", packed(tile.Float64, x, shape...), again, axis)
			Scan(goroutines, "maximum", packed(tile.Float64, x, shape...), largest, axis)
			Scan(goroutines, "multiply", packed(tile.Int64, ints, shape...), whole, axis)
			if !slices.Equal(got, second) {
				t.Fatalf("%v axis %d: the bits depend on the processors", shape, axis)
			}
			for o := range outer {
				for k := range inner {
					sum, top, product := 0.0, math.Inf(-1), int64(1)
					for i := range n {
						at := (o*n+i)*inner + k
						sum += x[at]
						top = max(top, x[at])
						product *= ints[at]
						if math.Abs(got[at]-sum) > 1e-9*sum || n <= 2*scanBlock && got[at] != sum {
							t.Fatalf("%v axis %d: sum at %d is %v, want %v", shape, axis, at, got[at], sum)
						}
						if most[at] != top || exact[at] != product {
							t.Fatalf("%v axis %d: maximum %v, product %v at %d; want %v and %v", shape, axis, most[at], exact[at], at, top, product)
						}
					}
				}
			}
		}
	}
}

// TestScanIntegers compares scans of integers, which are grouped, with those of one element after the other.
func TestScanIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	scanIntegers[int8](t, r, tile.Int8)
	scanIntegers[uint16](t, r, tile.Uint16)
	scanIntegers[int32](t, r, tile.Int32)
	scanIntegers[int64](t, r, tile.Int64)
	scanIntegers[uint64](t, r, tile.Uint64)
}

func scanIntegers[T integer](t *testing.T, r *rand.Rand, dtype tile.DType) {
	ops := map[string]func(a, b T) T{
		"add": func(a, b T) T { return a + b }, "multiply": func(a, b T) T { return a * b },
		"maximum": func(a, b T) T { return max(a, b) }, "minimum": func(a, b T) T { return min(a, b) },
	}
	for name, op := range ops {
		for _, shape := range [][]int{{1}, {2}, {5}, {31}, {3, 6}, {4, 5, 3}, {2*scanBlock + 1 + r.IntN(9)}, {2, 3*scanBlock - r.IntN(9)}} {
			for axis := range shape {
				outer, n, inner := tile.Around(shape, axis)
				x := make([]T, outer*n*inner)
				for i := range x {
					x[i] = T(r.Uint64()>>r.IntN(64)) | 1 // products stay odd
				}
				out, got := blank[T](dtype, shape...)
				Scan(goroutines, name, packed(dtype, x, shape...), out, axis)
				want := slices.Clone(x)
				for at := range want {
					if at/inner%n > 0 {
						want[at] = op(want[at-inner], x[at])
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s of %v %v along axis %d differs from the steps one by one", name, dtype, shape, axis)
				}
			}
		}
	}
}

func TestScanNaN(t *testing.T) {
	nan := math.NaN()
	out, got := blank[float32](tile.Float32, 4)
	Scan(Serial, "minimum", packed(tile.Float32, []float32{3, 1, float32(nan), 0}), out, 0)
	if got[1] != 1 || got[2] == got[2] || got[3] == got[3] {
		t.Errorf("minimum: %v", got)
	}
}

func TestSearchsorted(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 1000} {
		a := make([]float64, n)
		for i := range a {
			a[i] = [...]float64{math.NaN(), 0, math.Copysign(0, -1), 1, -1, math.Inf(1), r.NormFloat64()}[r.IntN(7)]
		}
		slices.SortStableFunc(a, after)
		v := append(slices.Clone(a), math.NaN(), 0, math.Inf(-1), 0.5)
		for _, right := range []bool{false, true} {
			out, got := blank[int64](tile.Int64, len(v))
			Searchsorted(goroutines, packed(tile.Float64, a), packed(tile.Float64, v), out, right)
			for i, x := range v {
				want := 0
				for _, y := range a {
					if c := after(y, x); c < 0 || right && c == 0 {
						want++
					}
				}
				if got[i] != int64(want) {
					t.Fatalf("n %d right %v: place of %v is %d, want %d", n, right, x, got[i], want)
				}
			}
		}
	}
}

func TestUnique(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 100, 70_000} {
		for _, apart := range []bool{false, true} {
			x := make([]float64, n)
			for i := range x {
				x[i] = [...]float64{math.NaN(), 0, 5, float64(r.IntN(40))}[r.IntN(4)]
			}
			values, v := blank[float64](tile.Float64, n)
			index, at := blank[int64](tile.Int64, n)
			inverse, which := blank[int64](tile.Int64, n)
			counts, often := blank[int64](tile.Int64, n)
			count, total := blank[int64](tile.Int64, 1)
			if n == 0 {
				continue // has no room for the outputs' first elements
			}
			best.FindUnique(goroutines, packed(tile.Float64, x), Unique{values, index, inverse, counts, count}, apart)
			type entry struct {
				first int64
				n     int64
			}
			want := map[float64]*entry{}
			nans := &entry{}
			for i, f := range x {
				e := want[f]
				if f != f {
					e = nans
				}
				if e == nil {
					e = &entry{}
					want[f] = e
				}
				if e.n == 0 {
					e.first = int64(i)
				}
				e.n++
				if w := v[which[i]]; w != f && (w == w || f == f) {
					t.Fatalf("inverse of element %d is %v, want %v", i, w, f)
				}
			}
			expect := len(want)
			if apart {
				expect += int(nans.n)
			} else if nans.n > 0 {
				expect++
			}
			if total[0] != int64(expect) || !slices.IsSortedFunc(v[:expect], after) {
				t.Fatalf("n %d apart %v: %d distinct, want %d", n, apart, total[0], expect)
			}
			for i, f := range v[:expect] {
				e := cmp.Or(want[f], nans)
				if f == f && (often[i] != e.n || at[i] != e.first) || f != f && !apart && (often[i] != nans.n || at[i] != nans.first) {
					t.Fatalf("%v: %d times from %d on, want %d from %d on", f, often[i], at[i], e.n, e.first)
				}
			}
		}
	}
}

// Distinct elements of any dtype are those that a map finds.
func TestUniqueAlike(t *testing.T) {
	eachMachine(t, func(t *testing.T, s Sorter) {
		for _, n := range []int{1, 50, 1100, 40_000, 200_000} {
			uniqueAlike(t, s, tile.Int64, n, func(r *rand.Rand) int64 { return r.Int64N(900) - 450 })
			uniqueAlike(t, s, tile.Int64, n, func(r *rand.Rand) int64 { return r.Int64() })
			uniqueAlike(t, s, tile.Uint64, n, func(r *rand.Rand) uint64 { return 1<<63 - 9 + r.Uint64N(30) })
			uniqueAlike(t, s, tile.Int32, n, func(r *rand.Rand) int32 { return math.MinInt32 + r.Int32N(5000) })
			uniqueAlike(t, s, tile.Uint32, n, func(r *rand.Rand) uint32 { return r.Uint32N(3) << 30 })
			uniqueAlike(t, s, tile.Int16, n, func(r *rand.Rand) int16 { return int16(r.Int32N(700)) })
			uniqueAlike(t, s, tile.Uint8, n, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })
			uniqueAlike(t, s, tile.Float32, n, func(r *rand.Rand) float32 { return float32(r.Float64()) })
			uniqueAlike(t, s, tile.Float64, n, func(r *rand.Rand) float64 { return float64(r.IntN(1 + n/2)) })
		}
	})
}

func uniqueAlike[T cmp.Ordered](t *testing.T, s Sorter, d tile.DType, n int, draw func(r *rand.Rand) T) {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	x := make([]T, n)
	first, often := map[T]int64{}, map[T]int64{}
	for i := range x {
		x[i] = draw(r)
		if _, found := first[x[i]]; !found {
			first[x[i]] = int64(i)
		}
		often[x[i]]++
	}
	want := slices.Sorted(maps.Keys(first))
	for wanted := range 8 { // which outputs, beside the values
		var u Unique
		var index, inverse, counts []int64
		values, v := blank[T](d, n)
		count, total := blank[int64](tile.Int64, 1)
		u.Values, u.Count = values, count
		for bit, to := range []struct {
			p *Packed
			x *[]int64
		}{{&u.Index, &index}, {&u.Inverse, &inverse}, {&u.Counts, &counts}} {
			if wanted>>bit&1 != 0 {
				*to.p, *to.x = blank[int64](tile.Int64, n)
			}
		}
		s.FindUnique(goroutines, packed(d, x), u, false)
		if total[0] != int64(len(want)) || !slices.Equal(v[:total[0]], want) {
			t.Fatalf("%v of %d, outputs %03b: %d distinct elements, want %d", d, n, wanted, total[0], len(want))
		}
		for k, value := range want {
			if index != nil && index[k] != first[value] || counts != nil && counts[k] != often[value] {
				t.Fatalf("%v of %d, outputs %03b: wrong place or count of %v", d, n, wanted, value)
			}
		}
		for i := range inverse {
			if v[inverse[i]] != x[i] {
				t.Fatalf("%v of %d, outputs %03b: the inverse of %d is %v, want %v", d, n, wanted, i, v[inverse[i]], x[i])
			}
		}
	}
}

func TestNonzeroAndCompress(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, shape := range [][]int{{0}, {1}, {50, 40}, {3, 200, 111}} {
		total := 1
		for _, n := range shape {
			total *= n
		}
		x := make([]float64, total)
		rows := make([]complex128, total)
		var want []int
		for i := range x {
			x[i] = [...]float64{0, math.Copysign(0, -1), math.NaN(), 2}[r.IntN(4)]
			rows[i] = complex(float64(i), 1)
			if x[i] != 0 {
				want = append(want, i)
			}
		}
		var outs []Packed
		for range shape {
			out, _ := blank[int64](tile.Int64, len(want))
			outs = append(outs, out)
		}
		if !Nonzero(goroutines, packed(tile.Float64, x, shape...), outs) {
			t.Fatalf("%v: refused its own count", shape)
		}
		for k, i := range want {
			for axis := len(shape) - 1; axis >= 0; axis-- {
				if got := as[int64](outs[axis].Data)[k]; got != int64(i%shape[axis]) {
					t.Fatalf("%v: coordinate %d of number %d is %d, want %d", shape, axis, k, got, i%shape[axis])
				}
				i /= shape[axis]
			}
		}
		kept, got := blank[complex128](tile.Complex128, len(want))
		if !Compress(goroutines, packed(tile.Complex128, rows), packed(tile.Float64, x), kept) {
			t.Fatalf("%v: compress refused its own count", shape)
		}
		for k, i := range want {
			if got[k] != rows[i] {
				t.Fatalf("%v: kept %v, want %v", shape, got[k], rows[i])
			}
		}
		short, _ := blank[complex128](tile.Complex128, len(want)+1)
		if Compress(goroutines, packed(tile.Complex128, rows), packed(tile.Float64, x), short) {
			t.Fatalf("%v: took a result of another length", shape)
		}
	}
}

// Masks are read in words of eight bytes, each of which may have any value.
func TestMasksOfBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{1, 7, 8, 9, 1000, 4096, 4097, 200_003} {
		for _, often := range []float64{0, 0.01, 0.5, 1} {
			mask, rows, back := make([]uint8, n), make([]uint32, n), make([]uint32, n)
			var want []uint32
			for i := range mask {
				rows[i] = uint32(i)
				if r.Float64() < often {
					mask[i] = []uint8{1, 1, 2, 0x80, 0xff}[r.IntN(5)]
					want = append(want, rows[i])
				}
			}
			out, got := blank[uint32](tile.Uint32, len(want))
			if !Compress(goroutines, packed(tile.Uint32, rows), packed(tile.Uint8, mask), out) || !slices.Equal(got, want) {
				t.Fatalf("%d bytes, one in %v: kept %v, want %v", n, often, got, want)
			}
			if !Expand(goroutines, packed(tile.Uint32, back), packed(tile.Uint8, mask), out, false) {
				t.Fatalf("%d bytes, one in %v: refused as many values as there are places", n, often)
			}
			for i, x := range back {
				if want := rows[i] * min(1, uint32(mask[i])); x != want {
					t.Fatalf("%d bytes, one in %v: wrote %d to %d, whose byte is %d", n, often, x, i, mask[i])
				}
			}
		}
	}
}

func TestExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{1, 2, 1000, 5*grain + 7} {
		at := make([]int64, n)
		for i := range at {
			at[i] = r.Int64N(2000) - 1000
		}
		ends, got := blank[int64](tile.Int64, 2)
		Extremes(goroutines, packed(tile.Int64, at), ends)
		if got[0] != slices.Min(at) || got[1] != slices.Max(at) {
			t.Errorf("%d indices: %v, want %d and %d", n, got, slices.Min(at), slices.Max(at))
		}
		at[n/2] = 5000
		first, wrong := blank[int64](tile.Int64, 1)
		Beyond(goroutines, packed(tile.Int64, at), first, 1000)
		if want := slices.IndexFunc(at, func(i int64) bool { return i >= 1000 || i < -1000 }); wrong[0] != at[want] {
			t.Errorf("%d indices: the first outside is %d, want %d", n, wrong[0], at[want])
		}
	}
}

func TestTakeAlong(t *testing.T) {
	x := []float32{3, 1, 2, 6, 5, 4}
	at := []int64{1, 0, -1, 1, 0, 1}
	for axis, want := range [][]float32{{6, 1, 4, 6, 1, 4}, {1, 3, 2, 5, 6, 5}} {
		out, got := blank[float32](tile.Float32, 2, 3)
		if TakeAlong(goroutines, packed(tile.Float32, x, 2, 3), packed(tile.Int64, at, 2, 3), out, axis) != -1 || !slices.Equal(got, want) {
			t.Errorf("axis %d: %v, want %v", axis, got, want)
		}
	}
}

func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{0, 1, 1000, 600_000} {
		x, w, f := make([]int64, n), make([]float64, n), make([]float64, n)
		edges := []float64{0, 0.1, 0.2, 0.5, 1}
		even := []float64{0, 0.25, 0.5, 0.75, 1}
		var counts, uneven, level [9]int64
		var sums [9]float64
		for i := range x {
			x[i], w[i] = int64(r.IntN(9)), float64(r.IntN(100)) // whole weights: sums are exact
			f[i] = [...]float64{r.Float64(), math.NaN(), 1, -1, 0.2, 0.75}[r.IntN(6)]
			counts[x[i]]++
			sums[x[i]] += w[i]
			for b := range 4 {
				if f[i] >= edges[b] && (f[i] < edges[b+1] || b == 3 && f[i] == 1) {
					uneven[b]++
				}
				if f[i] >= even[b] && (f[i] < even[b+1] || b == 3 && f[i] == 1) {
					level[b]++
				}
			}
		}
		out, got := blank[int64](tile.Int64, 9)
		heavy, total := blank[float64](tile.Float64, 9)
		weights := packed(tile.Float64, w)
		if Bincount(goroutines, packed(tile.Int64, x), nil, out) != -1 || Bincount(goroutines, packed(tile.Int64, x), &weights, heavy) != -1 {
			t.Fatal("refused")
		}
		if !slices.Equal(got, counts[:]) || !slices.Equal(total, sums[:]) {
			t.Fatalf("n %d: %v %v, want %v %v", n, got, total, counts, sums)
		}
		four, have := blank[int64](tile.Int64, 4)
		Histogram(goroutines, packed(tile.Float64, f), Bins{Edges: packed(tile.Float64, edges)}, nil, four)
		if !slices.Equal(have, uneven[:4]) {
			t.Fatalf("n %d: %v, want %v", n, have, uneven[:4])
		}
		Histogram(goroutines, packed(tile.Float64, f), Bins{packed(tile.Float64, even), 1}, nil, four)
		if !slices.Equal(have, level[:4]) {
			t.Fatalf("n %d: %v, want %v", n, have, level[:4])
		}
	}
	out, _ := blank[int64](tile.Int64, 3)
	if bad := Bincount(Serial, packed(tile.Int64, []int64{0, 3}), nil, out); bad != 1 {
		t.Errorf("refused position %d, want 1", bad)
	}
}
