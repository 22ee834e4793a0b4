package routines

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/tile"
)

// TestSearchAlike compares C's search for many keys with the search for one, in keys of any order and of any bits.
func TestSearchAlike(t *testing.T) {
	searchAlike[int8](t, tile.Bool, tile.Int8, tile.Uint8)
	searchAlike[int16](t, tile.Int16, tile.Uint16, tile.Float16)
	searchAlike[int32](t, tile.Int32, tile.Uint32, tile.Float32)
	searchAlike[int64](t, tile.Int64, tile.Uint64, tile.Float64)
}

func searchAlike[K bit](t *testing.T, types ...tile.DType) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, dtype := range types {
		o := alike[dtype]
		draw := func(near K) K {
			switch r.IntN(4) {
			case 0:
				return K(r.Uint64())
			case 1:
				return K(1) << r.IntN(8*dtype.Size())
			}
			return near + K(r.IntN(5))
		}
		byRank := func(x, y K) int { return cmp.Compare(rank(&o, x), rank(&o, y)) }
		for range 60 {
			a, v := make([]K, r.IntN(1<<r.IntN(14))), make([]K, manyKeys+r.IntN(300))
			near := K(r.Uint64())
			for i := range a {
				a[i] = draw(near)
			}
			for i := range v {
				v[i] = draw(near)
			}
			if dtype == tile.Bool {
				for i := range a {
					a[i] &= 1
				}
				for i := range v {
					v[i] &= 1
				}
			}
			slices.SortFunc(a, byRank)
			if r.IntN(2) == 0 {
				slices.SortFunc(v[r.IntN(len(v)):], byRank)
			}
			for _, right := range []bool{false, true} {
				out, got := blank[int64](tile.Int64, len(v))
				Searchsorted(goroutines, packed(dtype, a), packed(dtype, v), out, right)
				for i, x := range v {
					if want := insertAt(&o, a, rank(&o, x), right); got[i] != int64(want) {
						t.Fatalf("%v of %d, right %v: key %d (%x) belongs at %d, not at %d", dtype, len(a), right, i, x, want, got[i])
					}
				}
			}
		}
	}
}

// TestSearchOfUnsorted compares where keys belong in what is not sorted with where NumPy's loop finds them, step by
// step.
func TestSearchOfUnsorted(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	for range 200 {
		a, v := make([]float64, 1+r.IntN(1<<r.IntN(13))), make([]float64, 1+r.IntN(900))
		for i := range a {
			a[i] = float64(r.IntN(50))
		}
		for i := range v {
			v[i] = float64(r.IntN(60) - 5)
		}
		if len(a) > fewElements && len(a)/elementsPerKey > len(v) {
			continue // is not looked through
		}
		if slices.IsSorted(a) {
			continue
		}
		for _, right := range []bool{false, true} {
			before := func(x, y float64) bool { return x < y || right && x == y }
			out, got := blank[int64](tile.Int64, len(v))
			Searchsorted(goroutines, packed(tile.Float64, a), packed(tile.Float64, v), out, right)
			least, most := 0, len(a)
			for i, key := range v {
				if i > 0 && before(v[i-1], key) {
					most = len(a)
				} else {
					least, most = 0, min(most+1, len(a))
				}
				for least < most {
					if middle := (least + most) / 2; before(a[middle], key) {
						least = middle + 1
					} else {
						most = middle
					}
				}
				if got[i] != int64(least) {
					t.Fatalf("n %d right %v: key %d is found at %d, want %d", len(a), right, i, got[i], least)
				}
			}
		}
	}
}
