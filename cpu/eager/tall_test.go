package eager_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"weft/cpu/eager"
)

// Products of tall matrices have the bits of the sum as it is defined, with and without hands, whatever lies between
// rows and elements of the vectors.
func TestTall(t *testing.T) {
	eager.Hands(2)
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		testTall[float32](t, r)
		testTall[float64](t, r)
	}
}

func testTall[T float32 | float64](t *testing.T, r *rand.Rand) {
	columns, rows := 2+r.IntN(eager.TallColumns-1), 1+r.IntN(1+r.IntN(9000))
	side, step, apart := columns+r.IntN(3), 1+r.IntN(2), 1+r.IntN(2)
	a, x, out := make([]T, rows*side), make([]T, rows*step), make([]T, columns*apart)
	for _, s := range [][]T{a, x} {
		for i := range s {
			s[i] = T(r.Float64() - 0.5)
		}
	}
	if r.IntN(4) == 0 {
		a[r.IntN(len(a))] = T(math.Inf(1))
	}
	size := int(unsafe.Sizeof(a[0]))
	p := eager.Tall{
		A: unsafe.Pointer(&a[0]), X: unsafe.Pointer(&x[0]), Out: unsafe.Pointer(&out[0]), Rows: rows, Columns: columns,
		Size: size, Next: side * size, Step: step * size, Apart: apart * size,
	}
	room := make([]byte, p.Room())
	for _, hands := range []bool{false, true} {
		clear(out)
		p.Compute(unsafe.Pointer(&room[0]), hands, false)
		for i := range columns {
			want := tallSum(a[i:], x, rows, side, step, (64<<10)/(columns*size)/4*4)
			if got := out[i*apart]; got != want && (got == got || want == want) {
				t.Fatalf("%T: column %d of %d by %d, rows %d apart, hands %t: %v, want %v",
					got, i, rows, columns, side, hands, got, want)
			}
		}
	}
}

// tallSum is one result: parts of some rows, in which four rows are added as a tree.
func tallSum[T float32 | float64](a, x []T, rows, side, step, some int) T {
	var all T
	for from := 0; from < rows; from += some {
		var sum T
		k, to := from, min(rows, from+some)
		at := func(k int) T { return T(a[k*side] * x[k*step]) }
		for ; k+4 <= to; k += 4 {
			sum += T(at(k)+at(k+1)) + T(at(k+2)+at(k+3))
		}
		for ; k < to; k++ {
			sum += at(k)
		}
		if from == 0 {
			all = sum
		} else {
			all += sum
		}
	}
	return all
}

// What a product raises is told, and left to the thread unless it is watched.
func TestTallRaises(t *testing.T) {
	const rows, columns, over = 3000, 20, 2
	a, x, out := make([]float64, rows*columns), make([]float64, rows), make([]float64, columns)
	p := eager.Tall{
		A: unsafe.Pointer(&a[0]), X: unsafe.Pointer(&x[0]), Out: unsafe.Pointer(&out[0]), Rows: rows, Columns: columns,
		Size: 8, Next: columns * 8, Step: 8, Apart: 8,
	}
	room := make([]byte, p.Room())
	for _, hands := range []bool{false, true} {
		a[0], x[0] = 0, 1e300
		if raised := p.Compute(unsafe.Pointer(&room[0]), hands, true); raised != 0 {
			t.Errorf("hands %t: %d is raised of zeros", hands, raised)
		}
		a[0] = 1e300
		if raised := p.Compute(unsafe.Pointer(&room[0]), hands, true); raised&over == 0 {
			t.Errorf("hands %t: %d is raised by 1e300*1e300, not overflow", hands, raised)
		}
	}
}
