package linalg

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"weft/cpu/blas"
	"weft/tile"
)

// side is a matrix by rows, of numbers in memory of its own.
func side(t tile.DType, values []float64, rows, columns int) tile.Operand {
	size := int64(t.Size())
	return tile.Operand{Type: t, Shape: []int{rows, columns}, Strides: []int64{size * int64(columns), size}, P: unsafe.Pointer(&values[0])}
}

// solved returns the solution that a library finds with the factors that are known.
func solved(t *testing.T, lib *blas.Library, known *factors, a, b []float64, n, sides int, turned bool) []float64 {
	t.Helper()
	x := make([]float64, n*sides)
	left := side(tile.Float64, a, n, n)
	if turned {
		left.Strides[0], left.Strides[1] = left.Strides[1], left.Strides[0]
	}
	call := &tile.Call{Args: []tile.Operand{left, side(tile.Float64, b, n, sides), side(tile.Float64, x, n, sides)}, Share: tile.InOrder, Reserve: allOf}
	if err := rows[0].run(call, types[tile.Float64], lib, known); err != nil {
		t.Error(err)
	}
	return x
}

// Systems are solved to the last bit as if nothing were known, whatever matrices come, are changed in place and come
// again.
func TestKnownFactors(t *testing.T) {
	lib, err := dense()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 10))
	known, seenMore := newFactors(), 0
	var pool [][]float64
	for _, n := range []int{20, fewestRows, 70, 201, 70, 90} {
		a := make([]float64, n*n)
		for i := range a {
			a[i] = r.NormFloat64()
		}
		pool = append(pool, a)
	}
	for range 600 {
		i := r.IntN(len(pool))
		if r.IntN(6) > 0 {
			i = seenMore % len(pool) // the same one many times
		} else {
			seenMore = i
		}
		a := pool[i]
		n := 1
		for n*n < len(a) {
			n++
		}
		switch r.IntN(20) {
		case 0:
			a[r.IntN(len(a))] += 0.5
		case 1:
			pool[i] = slices.Clone(a) // the same numbers elsewhere
		}
		sides, turned := 1+r.IntN(3), r.IntN(8) == 0
		b := make([]float64, n*sides)
		for k := range b {
			b[k] = r.NormFloat64()
		}
		got, want := solved(t, lib, known, pool[i], b, n, sides, turned), solved(t, lib, newFactors(), pool[i], b, n, sides, turned)
		if !slices.Equal(got, want) {
			t.Fatalf("%d by %d, turned %v: another solution where the factors are known", n, n, turned)
		}
	}
	if known.used < 150 {
		t.Errorf("factors were used %d times of 600", known.used)
	}
	if known.bytes > mostKept || len(known.known) > mostKnown {
		t.Errorf("%d bytes of %d matrices are kept", known.bytes, len(known.known))
	}
	for _, x := range known.known {
		if x.users != 0 || x.state == making {
			t.Errorf("a matrix with %d users, state %d, is left", x.users, x.state)
		}
	}
}

// Tasks that solve at once with matrices that others forget have the right solutions.
func TestKnownFactorsAtOnce(t *testing.T) {
	lib, err := dense()
	if err != nil {
		t.Fatal(err)
	}
	known := newFactors()
	const n = 64
	var all sync.WaitGroup
	for seed := range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			r := rand.New(rand.NewPCG(uint64(seed%2), 1)) // two have the same matrices
			for range 30 {
				a, b := make([]float64, n*n), make([]float64, n)
				for i := range a {
					a[i] = r.NormFloat64()
				}
				for i := range b {
					b[i] = r.NormFloat64()
				}
				for turn := range 4 {
					if turn == 3 {
						a[n+1]++ // not of the sample, or of it
					}
					if !slices.Equal(solved(t, lib, known, a, b, n, 1, false), solved(t, lib, newFactors(), a, b, n, 1, false)) {
						t.Error("another solution where the factors are known")
						return
					}
				}
			}
		}()
	}
	all.Wait()
	if known.used == 0 {
		t.Error("no factors were used")
	}
}

// A singular matrix stays one.
func TestSingularAgain(t *testing.T) {
	a, b, x := make([]float64, 50*50), make([]float64, 50), make([]float64, 50)
	lib, err := dense()
	if err != nil {
		t.Fatal(err)
	}
	known := newFactors()
	for range 4 {
		call := &tile.Call{Args: []tile.Operand{side(tile.Float64, a, 50, 50), side(tile.Float64, b, 50, 1), side(tile.Float64, x, 50, 1)}, Share: tile.InOrder, Reserve: allOf}
		if err := rows[0].run(call, types[tile.Float64], lib, known); err == nil || err.Error() != fault("Singular matrix").Error() {
			t.Fatalf("got %v", err)
		}
	}
}
