package routines

import (
	"math"
	"math/rand/v2"
	"testing"

	"weft/tile"
)

// firstOf is what Position finds, one element at a time.
func firstOf[T comparable](x []T, best T) int64 {
	for i, v := range x {
		if v == best || v != v {
			return int64(i)
		}
	}
	return int64(len(x))
}

func testPosition[T comparable](t *testing.T, typ tile.DType, few []T) {
	r := rand.New(rand.NewPCG(uint64(typ), 3))
	for _, n := range []int{1, 255, 256, 257, 5000, 3*grain + 77} {
		x := make([]T, n)
		for range 20 {
			for i := range x {
				x[i] = few[0]
			}
			for range r.IntN(4) {
				x[r.IntN(n)] = few[r.IntN(len(few))]
			}
			best := few[r.IntN(len(few))]
			out, got := blank[int64](tile.Int64, 1)
			Position(goroutines, packed(typ, x, 1, n, 1), packed(typ, []T{best}), out)
			if want := firstOf(x, best); got[0] != want {
				t.Fatalf("%v, %d elements: %v is at %d, wanted %d", typ, n, best, got[0], want)
			}
		}
	}
}

// testPositions looks along an axis between others.
func testPositions[T comparable](t *testing.T, typ tile.DType, few []T) {
	r := rand.New(rand.NewPCG(uint64(typ), 4))
	for _, shape := range [][3]int{{1, 1, 1}, {3, 700, 1}, {2000, 40, 1}, {70000, 2, 1}, {1, 300, 9}, {1, 3, 1300}, {4, 50, 513}, {2, 1, 3}} {
		outer, n, inner := shape[0], shape[1], shape[2]
		x, best := make([]T, outer*n*inner), make([]T, outer*inner)
		for i := range x {
			x[i] = few[0]
			if r.IntN(n) == 0 {
				x[i] = few[r.IntN(len(few))]
			}
		}
		for i := range best {
			best[i] = few[r.IntN(len(few))]
		}
		out, got := blank[int64](tile.Int64, outer, inner)
		Position(goroutines, packed(typ, x, shape[:]...), packed(typ, best, outer, inner), out)
		column := make([]T, n)
		for i := range got {
			for k := range column {
				column[k] = x[i/inner*n*inner+k*inner+i%inner]
			}
			if want := firstOf(column, best[i]); got[i] != want {
				t.Fatalf("%v %v, result %d: %v is at %d, wanted %d", typ, shape, i, best[i], got[i], want)
			}
		}
	}
}

func TestPositionsAlongAxes(t *testing.T) {
	testPositions(t, tile.Bool, []bool{false, true})
	testPositions(t, tile.Int8, []int8{0, 1, -100})
	testPositions(t, tile.Uint16, []uint16{0, 1, 256})
	testPositions(t, tile.Int32, []int32{0, math.MinInt32, 1 << 16})
	testPositions(t, tile.Uint64, []uint64{0, 1 << 63, 1 << 32})
	testPositions(t, tile.Float32, []float32{0, float32(math.NaN()), -1, float32(math.Copysign(0, -1))})
	testPositions(t, tile.Float64, []float64{1, math.NaN(), -1, math.Copysign(0, -1), 0})
}

func TestPosition(t *testing.T) {
	testPosition(t, tile.Uint8, []uint8{0, 1, 200})
	testPosition(t, tile.Int16, []int16{0, -1, 256})
	testPosition(t, tile.Uint32, []uint32{0, 1 << 31, 1 << 16})
	testPosition(t, tile.Int64, []int64{0, math.MinInt64, 1 << 32})
	testPosition(t, tile.Float32, []float32{0, float32(math.NaN()), -1, float32(math.Copysign(0, -1))})
	testPosition(t, tile.Float64, []float64{1, math.NaN(), -1, math.Copysign(0, -1), 0})
}
