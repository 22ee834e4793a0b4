package linalg

import (
	"fmt"

	"weft/cpu/blas"
	"weft/tile"
)

// row is one routine: how many of each operand's last axes are its own (the others are the
// stack), and what computes one member of the stack. many computes small ones from number lo on, of which m is the
// first, and returns behind which, lo where it is nothing for it; nil where no such function is worth its lines. From
// threads elements on, one matrix has all threads.
type row struct {
	name    string
	axes    []int
	threads int
	one     func(j *job, m []matrix) error
	many    func(j *job, m [3]matrix, all [3]blas.Members, lo, count int) (next int, err error)
}

// rows is the table.
var rows = []row{
	{"linalg.solve", []int{2, 2, 2}, large, solve, solveMembers},          // a, b -> x
	{"linalg.cholesky", []int{2, 2}, larger, cholesky, nil},               // a -> l; attribute upper
	{"linalg.slogdet", []int{2, 0, 0}, middling, slogdet, slogdetMembers}, // a -> sign, log|det|
	{"linalg.qr", []int{2, 2, 2}, large, qr, nil},                         // a -> q, r; q has as many columns as wanted
	{"linalg.qr.r", []int{2, 2}, large, qrTriangle, nil},                  // a -> r
	{"linalg.qr.raw", []int{2, 2, 1}, large, qrRaw, nil},                  // a -> h, tau
	{"linalg.svd", []int{2, 2, 1, 2}, middling, svd, nil},                 // a -> u, s, vh; as many vectors as fit u and vh
	{"linalg.svdvals", []int{2, 1}, middling, svdvals, nil},               // a -> s
	{"linalg.eigh", []int{2, 1, 2}, middling, eigh, nil},                  // a -> w, v; attribute upper
	{"linalg.eigvalsh", []int{2, 1}, middling, eigvalsh, nil},             // a -> w; attribute upper
	{"linalg.eig", []int{2, 1, 2}, middling, eig, nil},                    // a -> w, v; both complex
	{"linalg.eigvals", []int{2, 1}, middling, eigvals, nil},               // a -> w, complex
	{"linalg.lstsq", []int{2, 2, 2, 1, 0, 1}, large, lstsq, nil},          // a, b -> x, residuals, rank, s; uniform rcond
}

// Routines returns the routines on a library that open opens when one is first needed.
func Routines(open func() (*blas.Library, error)) tile.Routines {
	table, known := tile.Routines{}, newFactors()
	for _, r := range rows {
		table[r.name] = func(p *tile.Program) (tile.Routine, error) {
			if len(p.Params) != len(r.axes) {
				return nil, fmt.Errorf("%d operands; want %d", len(p.Params), len(r.axes))
			}
			t, ok := types[p.Params[0].Type]
			if !ok {
				return nil, fmt.Errorf("it does not take %v", p.Params[0].Type)
			}
			lib, err := open()
			if err != nil {
				return nil, err
			}
			return func(c *tile.Call) error { return r.run(c, t, lib, known) }, nil
		}
	}
	return table
}

// elementType is what LAPACK's names and work arrays depend on.
type elementType struct {
	letter  byte // d, z
	size    int  // bytes of an element
	complex bool
}

var types = map[tile.DType]elementType{
	tile.Float64:    {'d', 8, false},
	tile.Complex128: {'z', 16, true},
}

// job is the work on a part of a stack.
type job struct {
	elementType
	lib    *blas.Library
	call   *tile.Call
	known  *factors // nil for what is not remembered: the members of a stack
	memory blas.Memory
}

// From how many elements on one matrix has all threads: below, waiting for each other costs them more than they save.
// OpenBLAS has them wait at each panel: Cholesky's factors of 316 rows take one thread 0.5 to 0.6 ms, and two 1.5 to
// 2.2; those of 1,000 rows 10, and two 14. A factorisation with pivots of 1,000 rows is mostly a product of matrices:
// one thread took 33 ms, and NumPy, with two, 22. Of more threads than two that is not measured: there are as many as
// NumPy has from large on.
const (
	large    = 200 * 200
	middling = 400 * 400   // steps with one vector at a time are half of the work, and memory is what they wait for
	larger   = 1100 * 1100 // one panel after the other
)

// shares is into how many parts a stack is cut at most.
const shares = 64

func (r *row) run(c *tile.Call, t elementType, lib *blas.Library, known *factors) error {
	first := &c.Args[0]
	stack := first.Shape[:len(first.Shape)-r.axes[0]]
	count := 1
	for _, n := range stack {
		count *= n
	}
	part := func(lo, hi int) error {
		j := &job{elementType: t, lib: lib, call: c}
		defer j.memory.Free()
		if count == 1 {
			j.known = known
		}
		m := make([]matrix, len(c.Args))
		for k := lo; k < hi; k++ {
			if r.many != nil && count > 1 {
				next, err := r.members(j, c, k, hi)
				if err != nil {
					return err
				}
				j.memory.Reset()
				if next > k {
					k = next - 1
					continue
				}
			}
			for i := range m {
				m[i] = member(&c.Args[i], r.axes[i], k)
			}
			if err := r.one(j, m); err != nil {
				return err
			}
			j.memory.Reset()
		}
		return nil
	}
	if count == 1 {
		least := r.threads
		if lib.Threads() > 2 {
			least = large
		}
		if first.Elements() >= least {
			return c.Reserve(lib.Threads(), func(cores int) error { return lib.Together(cores, func() error { return part(0, 1) }) })
		}
		return lib.Single(func() error { return part(0, 1) })
	}
	parts := min(count, shares)
	return c.Share(parts, func(i int) error {
		return lib.Single(func() error { return part(count*i/parts, count*(i+1)/parts) })
	})
}

// fault is a failure of the data, in NumPy's words.
func fault(text string) error { return &tile.DataError{Exception: "LinAlgError", Text: text} }

// lapack calls a routine by its name without the letter of the type. What LAPACK says about an
// argument being wrong is a mistake of this package.
func (j *job) lapack(name string, args ...blas.Arg) (info int, err error) {
	info, err = j.lib.Call(string(j.letter)+name, args...)
	return info, err
}
