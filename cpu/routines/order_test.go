package routines

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/cpu/sorting"
	"weft/tile"
)

// patterns are arrays that sorts have stumbled over.
var patterns = map[string]func(r *rand.Rand, x []float64){
	"random":     func(r *rand.Rand, x []float64) { each(x, func(int) float64 { return r.NormFloat64() }) },
	"sorted":     func(r *rand.Rand, x []float64) { each(x, func(i int) float64 { return float64(i) }) },
	"reversed":   func(r *rand.Rand, x []float64) { each(x, func(i int) float64 { return -float64(i) }) },
	"organ pipe": func(r *rand.Rand, x []float64) { each(x, func(i int) float64 { return float64(min(i, len(x)-i)) }) },
	"few":        func(r *rand.Rand, x []float64) { each(x, func(int) float64 { return float64(r.IntN(4)) }) },
	"equal":      func(r *rand.Rand, x []float64) { each(x, func(int) float64 { return 7 }) },
	"one off":    func(r *rand.Rand, x []float64) { each(x, func(i int) float64 { return float64(i - i%97*(i%2)) }) },
	"mostly one": func(r *rand.Rand, x []float64) {
		each(x, func(int) float64 { return float64(max(0, r.IntN(100)-95)) })
	},
	"powers": func(r *rand.Rand, x []float64) {
		each(x, func(int) float64 { return math.Ldexp(1, r.IntN(2000)-1000) })
	},
	"specials": func(r *rand.Rand, x []float64) {
		each(x, func(int) float64 {
			return [...]float64{math.NaN(), math.Float64frombits(1<<63 | 0x7ff8<<48 | r.Uint64N(9)), math.Inf(1), math.Inf(-1), 0,
				math.Copysign(0, -1), 5e-324, math.MaxFloat64, -math.MaxFloat64, r.Float64()}[r.IntN(10)]
		})
	},
	"zeros": func(r *rand.Rand, x []float64) { // all are numbers
		each(x, func(int) float64 {
			return [...]float64{0, math.Copysign(0, -1), 5e-324, -5e-324, math.Inf(1), math.Inf(-1), r.Float64(), -r.Float64()}[r.IntN(8)]
		})
	},
	"near": func(r *rand.Rand, x []float64) { // ranks that differ in their lowest bits, and one far away
		each(x, func(i int) float64 { return math.Float64frombits(0x3ff0<<48 + r.Uint64N(1<<20)) })
		x[r.IntN(len(x))] = -math.MaxFloat64
		x[r.IntN(len(x))] = math.MaxFloat64
	},
	"against pivots": func(r *rand.Rand, x []float64) { antiquicksort(x) },
}

func each(x []float64, value func(i int) float64) {
	for i := range x {
		x[i] = value(i)
	}
}

// antiquicksort makes the elements that the C code samples first the least ones: the bad pivots come in a row.
func antiquicksort(x []float64) {
	left := make([]int, len(x))
	for i := range left {
		left[i] = i
	}
	each(x, func(i int) float64 { return math.NaN() })
	for value := 0.0; len(left) > 64; {
		parts := 16
		if len(left) >= 4096 {
			parts = 64
		}
		seed, part := uint32(len(left)), len(left)/parts
		var taken []int
		for i := range parts {
			seed = seed*1664525 + 1013904223
			taken = append(taken, i*part+int(uint64(seed)*uint64(part)>>32))
		}
		slices.Sort(taken)
		for k, i := range slices.Compact(taken) {
			x[left[i]] = value
			value++
			left[i] = left[len(left)-1-k]
		}
		left = left[:len(left)-len(slices.Compact(taken))]
	}
	each(x, func(i int) float64 { return cmp.Or(x[i], 1e9+float64(i)) })
}

// Sorts and partitions are right, and have the same bits with every instruction set and any number of processors.
func TestSortPatterns(t *testing.T) {
	machines := sorting.Machines()
	for name, fill := range patterns {
		r := rand.New(rand.NewPCG(13, 14))
		sizes := []int{1, oneBucket + 1, 3*oneBucket + 5, 150_000}
		for range 40 {
			sizes = append(sizes, 1+r.IntN(5000))
		}
		for _, n := range sizes {
			x := make([]float64, n)
			fill(r, x)
			want := slices.Clone(x)
			slices.SortFunc(want, after)
			kth := []int{r.IntN(n)}
			if r.IntN(2) == 0 {
				kth = append(kth, r.IntN(n), n-1)
				slices.Sort(kth)
				kth = slices.Compact(kth)
			}
			var first [4][]byte
			for k, m := range machines {
				s, par := Sorter{m}, Parallel(Serial)
				if k > 0 {
					par = goroutines
				}
				for i, routine := range [4]func() []byte{
					func() []byte {
						out, _ := blank[float64](tile.Float64, n)
						s.Sort(par, packed(tile.Float64, x), out, nil)
						return out.Data
					},
					func() []byte {
						out, _ := blank[int64](tile.Int64, n)
						s.Argsort(par, packed(tile.Float64, x), out, nil)
						return out.Data
					},
					func() []byte {
						out, _ := blank[float64](tile.Float64, n)
						s.Sort(par, packed(tile.Float64, x), out, kth)
						return out.Data
					},
					func() []byte {
						out, _ := blank[int64](tile.Int64, n)
						s.Argsort(par, packed(tile.Float64, x), out, kth)
						return out.Data
					},
				} {
					got := routine()
					if k > 0 {
						if !bytes.Equal(got, first[i]) {
							t.Fatalf("%s of %d: routine %d on %s and on %s have different bits", name, n, i, m.Name(), machines[0].Name())
						}
						continue
					}
					first[i] = got
					values := as[float64](got)
					if i%2 == 1 {
						values = make([]float64, n)
						for j, at := range as[int64](got) {
							values[j] = x[at]
						}
					}
					checkOrder(t, name, values, want, i >= 2, kth)
				}
			}
		}
	}
}

// What one processor splits around one place and what processors share stand in the same places, on every instruction
// set.
func TestSelectedAsShared(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for name, fill := range patterns {
		for trial := range 12 {
			n := sorting.Selectable + 1 + r.IntN([]int{5000, 2*bucketSize - sorting.Selectable}[trial%2])
			x, k := make([]float64, n), r.IntN(n)
			fill(r, x)
			narrow := make([]float32, n)
			each(x, func(i int) float64 { narrow[i] = float32(x[i]); return x[i] })
			bytes8 := make([]int8, n)
			each(x, func(i int) float64 { bytes8[i] = int8(int64(x[i])); return x[i] })
			for _, m := range sorting.Machines() {
				s := Sorter{m}
				for _, p := range []Packed{packed(tile.Float64, x), packed(tile.Float32, narrow), packed(tile.Int8, bytes8)} {
					exact, alike, row := exact[p.Type], alike[p.Type], array(p)
					places, shared := make([]int64, n), make([]int64, n)
					m.SelectPlaces(&alike, row, places, k)
					s.argpartitionChunks(Serial, &alike, row, shared, []int{k})
					if !slices.Equal(places, shared) {
						t.Fatalf("%s of %d %v, kth %d, on %s: the places differ", name, n, p.Type, k, m.Name())
					}
					if p.Type.Size() < 4 {
						continue
					}
					one, all := make([]byte, len(p.Data)), make([]byte, len(p.Data))
					m.SelectRow(&exact, row, array(Packed{p.Type, p.Shape, one}).P, k)
					s.partitionChunks(goroutines, &exact, row, array(Packed{p.Type, p.Shape, all}), []int{k})
					if !bytes.Equal(one, all) {
						t.Fatalf("%s of %d %v, kth %d, on %s: the elements differ", name, n, p.Type, k, m.Name())
					}
				}
			}
		}
	}
}

// checkOrder compares a sorted or partitioned row with the sorted one.
func checkOrder(t *testing.T, name string, got, want []float64, partition bool, kth []int) {
	t.Helper()
	if partition {
		lo := 0
		for _, k := range append(slices.Clone(kth), len(got)) {
			for _, v := range got[lo:k] {
				if k < len(got) && after(v, want[k]) > 0 || lo > 0 && after(v, want[lo-1]) < 0 {
					t.Fatalf("%s of %d: %v lies between positions %d and %d, kth %v", name, len(got), v, lo, k, kth)
				}
			}
			if k < len(got) && after(got[k], want[k]) != 0 {
				t.Fatalf("%s of %d: position %d has %v, want %v", name, len(got), k, got[k], want[k])
			}
			lo = k + 1
		}
		got = slices.Clone(got)
		slices.SortFunc(got, after)
	}
	for i := range want {
		if after(got[i], want[i]) != 0 {
			t.Fatalf("%s of %d (partition: %v): position %d has %v, want %v", name, len(got), partition, i, got[i], want[i])
		}
	}
	bits := func(x []float64) []uint64 {
		var b []uint64
		for _, v := range x {
			b = append(b, math.Float64bits(v))
		}
		slices.Sort(b)
		return b
	}
	if !slices.Equal(bits(got), bits(want)) {
		t.Fatalf("%s of %d: elements were lost", name, len(got))
	}
}

// Elements come back from their ranks, and ranks order as numbers do.
func TestRanks(t *testing.T) {
	for d, o := range exact {
		if d.Size() > 2 {
			continue
		}
		seen := map[int64]bool{}
		for i := range 1 << (8 * d.Size()) {
			k := int64(0)
			if d.Size() == 1 {
				k = rank(&o, int8(i))
				if element[int8](&o, k) != int8(i) {
					t.Fatalf("%v: %#x comes back as %#x", d, i, element[int8](&o, k))
				}
			} else {
				k = rank(&o, int16(i))
				if element[int16](&o, k) != int16(i) {
					t.Fatalf("%v: %#x comes back as %#x", d, i, element[int16](&o, k))
				}
			}
			if seen[k] {
				t.Fatalf("%v: two elements have rank %d", d, k)
			}
			seen[k] = true
		}
	}
	o := alike[tile.Float16]
	for i := range 1 << 16 {
		for _, j := range []int{0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01, i ^ 0x8000, i ^ 1} {
			want := after(float64(tile.HalfToFloat(uint16(i))), float64(tile.HalfToFloat(uint16(j))))
			if got := cmp.Compare(rank(&o, int16(i)), rank(&o, int16(j))); got != want {
				t.Fatalf("%#x and %#x: ranks compare as %d, want %d", i, j, got, want)
			}
		}
	}
}
