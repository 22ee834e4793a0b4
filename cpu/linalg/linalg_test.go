package linalg

import (
	"errors"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"weft/cpu/blas"
	"weft/tile"
)

// dense opens the library of the tree's Python environment, of WEFT_BLAS or of the system.
func dense() (*blas.Library, error) {
	s := blas.InEnvironment("../../.venv")
	s.Path, s.Threads = os.Getenv("WEFT_BLAS"), 2
	return s.Open()
}

// pure is what computes where there is no library.
func pure() (*blas.Library, error) { return blas.Search{Path: blas.Gonum}.Open() }

// operand makes an array with steps and directions drawn by chance over memory of its own.
func operand(r *rand.Rand, t tile.DType, shape ...int) tile.Operand {
	o := tile.Operand{Type: t, Shape: shape, Strides: make([]int64, len(shape))}
	step, start := int64(t.Size()), int64(0)
	for _, axis := range r.Perm(len(shape)) {
		o.Strides[axis] = step * int64(1+r.IntN(2))
		step = o.Strides[axis] * int64(shape[axis])
		if r.IntN(2) == 0 {
			start += o.Strides[axis] * int64(shape[axis]-1)
			o.Strides[axis] = -o.Strides[axis]
		}
	}
	memory := make([]complex128, step/16+2)
	for i := range memory {
		memory[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	o.P = unsafe.Add(unsafe.Pointer(&memory[0]), start)
	return o
}

func (m matrix) value(t tile.DType, i, j int) complex128 {
	if t == tile.Complex128 {
		return *(*complex128)(m.at(i, j))
	}
	return complex(*(*float64)(m.at(i, j)), 0)
}

// allOf is a device with as many idle cores as one asks for.
func allOf(most int, work func(cores int) error) error { return work(most) }

// run calls a routine on operands that the program declares in, in, ..., out.
func run(t *testing.T, routines tile.Routines, name string, outputs int, args ...tile.Operand) error {
	t.Helper()
	b := tile.NewRoutine(name, name)
	for i, o := range args {
		dir := tile.In
		if i >= len(args)-outputs {
			dir = tile.Out
		}
		b.Param(dir, o.Type)
	}
	p := b.Program()
	code, err := routines.Find(p)
	if err != nil {
		t.Fatal(err)
	}
	return code(&tile.Call{Program: p, Args: args, Share: tile.InOrder, Reserve: allOf})
}

// Solutions solve, and factors multiply to their matrix, whatever the strides, for stacks
// and for one matrix, small and large.
func TestFactors(t *testing.T) {
	t.Run("found", func(t *testing.T) {
		types := []tile.DType{tile.Float64}
		if lib, err := dense(); err != nil {
			t.Fatal(err)
		} else if lib.Has("zgesv") { // not where gonum was all that could be found
			types = append(types, tile.Complex128)
		}
		testFactors(t, Routines(sync.OnceValues(dense)), types...)
	})
	t.Run("gonum", func(t *testing.T) { testFactors(t, Routines(sync.OnceValues(pure)), tile.Float64) })
}

func testFactors(t *testing.T, routines tile.Routines, types ...tile.DType) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 25 {
		typ := types[r.IntN(len(types))]
		n, count := 1+r.IntN(8), 1+r.IntN(3)
		if r.IntN(12) == 0 {
			n, count = 201, 1 // with all threads
		}
		a := operand(r, typ, count, n, n)
		b, x := operand(r, typ, count, n, 2), operand(r, typ, count, n, 2)
		if r.IntN(3) == 0 {
			b.Strides[0] = 0 // one right side for all
		}
		q, s := operand(r, typ, count, n, n), operand(r, typ, count, n, n)
		u, w, vh := operand(r, typ, count, n, n), operand(r, tile.Float64, count, n), operand(r, typ, count, n, n)
		for _, err := range []error{
			run(t, routines, "linalg.solve", 1, a, b, x),
			run(t, routines, "linalg.qr", 2, a, q, s),
			run(t, routines, "linalg.svd", 3, a, u, w, vh),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for k := range count {
			at := func(o *tile.Operand, i, j int) complex128 {
				m := member(o, 2, k)
				return m.value(o.Type, i, j)
			}
			values := member(&w, 1, k)
			for i := range n {
				for j := range n {
					var byQR, bySVD, bySolution complex128
					for l := range n {
						byQR += at(&q, i, l) * at(&s, l, j)
						bySVD += at(&u, i, l) * values.value(tile.Float64, l, 0) * at(&vh, l, j)
						if j < 2 {
							bySolution += at(&a, i, l) * at(&x, l, j)
						}
					}
					want := at(&a, i, j)
					if cmplx.Abs(byQR-want) > 1e-10 || cmplx.Abs(bySVD-want) > 1e-10 {
						t.Fatalf("%v, %d by %d: q r is %v and u s vh is %v, wanted %v", typ, n, n, byQR, bySVD, want)
					}
					if j < 2 && cmplx.Abs(bySolution-at(&b, i, j)) > 1e-6 {
						t.Fatalf("%v, %d by %d: a x is %v, wanted %v", typ, n, n, bySolution, at(&b, i, j))
					}
				}
			}
		}
	}
}

// A matrix without a solution fails as in NumPy; a routine for a dtype that it doesn't take, or
// with too few operands, does not compile.
func TestRefusals(t *testing.T) {
	routines := Routines(sync.OnceValues(dense))
	r := rand.New(rand.NewPCG(5, 6))
	a, b, x := operand(r, tile.Float64, 2, 2), operand(r, tile.Float64, 2, 1), operand(r, tile.Float64, 2, 1)
	m := member(&a, 2, 0)
	for i := range 4 {
		*(*float64)(m.at(i/2, i%2)) = 1
	}
	var fault *tile.DataError
	if err := run(t, routines, "linalg.solve", 1, a, b, x); !errors.As(err, &fault) || *fault != (tile.DataError{Exception: "LinAlgError", Text: "Singular matrix"}) {
		t.Errorf("got %v", err)
	}
	p := tile.NewRoutine("p", "linalg.solve")
	p.Param(tile.In, tile.Int32)
	p.Param(tile.In, tile.Int32)
	p.Param(tile.Out, tile.Int32)
	if _, err := routines.Find(p.Program()); err == nil {
		t.Error("solve of int32 compiles")
	}
	p = tile.NewRoutine("p", "linalg.solve")
	p.Param(tile.Out, tile.Float64)
	if _, err := routines.Find(p.Program()); err == nil {
		t.Error("solve with one operand compiles")
	}
}

// What gonum has not says what to install.
func TestComplexWithoutLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	a, w := operand(r, tile.Complex128, 3, 3), operand(r, tile.Complex128, 3)
	err := run(t, Routines(pure), "linalg.eigvals", 1, a, w)
	if err == nil || !strings.Contains(err.Error(), "install OpenBLAS") {
		t.Errorf("eigvals of complex numbers without a library: %v", err)
	}
}
