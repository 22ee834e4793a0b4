package cuda

import (
	"errors"
	"fmt"
	"sync"

	"weft/cuda/libraries"
	"weft/tile"
)

// solvers is the device's library for decompositions of matrices. It is loaded where the first one asks for it. Where
// there is none, or it does not start, the host does them.
type solvers struct {
	open    func() (*libraries.Solver, error) // nil is none
	load    sync.Once
	library *libraries.Solver
	err     error // of a library that the user named

	handles [queueN]*libraries.SolverHandle
}

// decomposing is a routine that the library computes, as problems of a matrix.
type decomposing struct {
	problem libraries.Problem
	failed  string // what NumPy says of data that has no result
}

// decompositions are these routines. Those that always have a result have no words for it.
var decompositions = map[string]decomposing{
	"linalg.solve":    {libraries.Equations, "Singular matrix"},
	"linalg.cholesky": {libraries.Factors, "Matrix is not positive definite"},
	"linalg.eigh":     {libraries.Eigenvectors, "Eigenvalues did not converge"},
	"linalg.eigvalsh": {libraries.Eigenvalues, "Eigenvalues did not converge"},
	"linalg.qr":       {libraries.Orthogonal, ""},
	"linalg.qr.r":     {libraries.Reflectors, ""},
	"linalg.svd":      {libraries.SingularVectors, "SVD did not converge"},
	"linalg.svdvals":  {libraries.SingularValues, "SVD did not converge"},
}

// isDecomposition reports whether a program is one of these, of one matrix of double precision.
func isDecomposition(p *tile.Program) bool {
	_, ok := decompositions[p.Routine]
	for i := range p.Params {
		ok = ok && (p.Params[i].Type == tile.Float64 || p.Params[i].Type == tile.Complex128)
	}
	return ok
}

// lacks returns why the host runs a program that is linear algebra; "" where the device does: also where a library that
// was named cannot be used, which is an error of the program's.
func (s *solvers) lacks(d *Device, p *tile.Program) string {
	if !isDecomposition(p) {
		return "of linear algebra GPUs have no least squares, determinants, raw reflectors and eigenvalues of any matrix"
	}
	if stack, _ := p.Attr("stack"); stack.Int() != 0 {
		return "cuSOLVER takes one matrix at a time"
	}
	if s.open != nil {
		s.load.Do(func() {
			if s.library, s.err = s.open(); s.err == nil {
				s.err = s.begin(d, computes)
			}
			if s.err != nil {
				s.library = nil
			}
			if named := (*libraries.NamedError)(nil); !errors.As(s.err, &named) {
				s.err = nil
			}
		})
	}
	if s.library == nil && s.err == nil {
		return "linear algebra is cuSOLVER's, which is not to be had"
	}
	return ""
}

// begin makes the handle of a queue.
func (s *solvers) begin(d *Device, queue int) error {
	return d.dev.Within(func() (err error) {
		s.handles[queue], err = s.library.Handle(d.queues[queue].stream.Handle())
		return err
	})
}

// solved is a program that is a decomposition, with the programs for what the library leaves out: it has matrices by
// columns, and works in place.
type solved struct {
	d      *Device
	p      *tile.Program
	of     decomposing
	copy   *executable // of a matrix
	result *executable // of a result: one triangle of it, or the conjugates
	values *executable // of eigenvalues
	check  *executable // that fails where the data has no result
}

// compileSolver makes the programs of a decomposition.
func (d *Device) compileSolver(p *tile.Program) (tile.Executable, error) {
	if d.solvers.err != nil {
		return nil, fmt.Errorf("%s: %w", d.info.Name, d.solvers.err)
	}
	x := &solved{d: d, p: p, of: decompositions[p.Routine]}
	operands := map[libraries.Problem]int{libraries.Equations: 3, libraries.Factors: 2, libraries.Eigenvalues: 2, libraries.Eigenvectors: 3,
		libraries.Orthogonal: 3, libraries.Reflectors: 2, libraries.SingularVectors: 4, libraries.SingularValues: 2}[x.of.problem]
	if len(p.Params) != operands || len(p.Uniforms) != 0 {
		return nil, fmt.Errorf("%s: routine %s: it has %d operands and %d uniforms; want %d and none", d.info.Name, p.Routine, len(p.Params), len(p.Uniforms), operands)
	}
	t := p.Params[0].Type
	copies, result := tile.NewBuilder(p.Routine+"'s copy", 2), tile.NewBuilder(p.Routine+"'s result", 2)
	copies.Store(copies.Load(t))
	v := result.Load(t)
	switch {
	case x.of.problem == libraries.Factors || x.of.problem == libraries.Orthogonal || x.of.problem == libraries.Reflectors:
		inside := tile.Ge
		if x.upper() || x.of.problem != libraries.Factors {
			inside = tile.Le
		}
		v = result.Do(tile.Select, result.Do(inside, result.Index(0), result.Index(1)), v, result.Const(tile.Scalar{Type: t}))
	case x.of.problem == libraries.Eigenvectors && t == tile.Complex128: // by columns a matrix is its conjugate
		v = result.Do(tile.Conj, v)
	}
	result.Store(v)
	values := tile.NewBuilder(p.Routine+"'s values", 1)
	values.Store(values.Load(tile.Float64))
	check := tile.NewThreads(p.Routine + "'s check")
	check.Sure()
	info, none := check.Array(tile.Update, tile.Int32, 1, "info"), check.Const(tile.IntScalar(tile.Int32, 0))
	for word := range x.told() {
		at := check.Const(tile.IntScalar(tile.Int64, int64(word)))
		v := check.Element(info, at)
		if x.of.failed != "" {
			check.If(check.Do(tile.Gt, v, none))
			check.Fail(check.Message("LinAlgError", x.of.failed))
			check.End()
		}
		check.If(check.Do(tile.Ne, v, none))
		check.Fail(check.Message("RuntimeError", "cuSOLVER says {} of its arguments, where 0 is right"), v)
		check.End()
		check.Put(info, none, at) // a program writes something
	}
	for _, part := range []struct {
		b  *tile.Builder
		to **executable
	}{{copies, &x.copy}, {result, &x.result}, {values, &x.values}, {check, &x.check}} {
		program := part.b.Program()
		if program.Threads {
			program.Source.Plain = true
		}
		exe, err := d.Compile(program)
		if err != nil {
			return nil, err
		}
		*part.to = exe.(*executable)
	}
	return x, nil
}

// told is how many words the library tells how it went in: one for each call.
func (x *solved) told() int {
	if x.of.problem == libraries.Equations || x.of.problem == libraries.Orthogonal {
		return 2
	}
	return 1
}

// upper reports whether the upper triangle of the matrix counts.
func (x *solved) upper() bool {
	v, _ := x.p.Attr("upper")
	return v.Int() != 0
}

// close gives back what the library has on the queues, which are empty.
func (s *solvers) close(d *Device) error {
	var errs []error
	for i, h := range s.handles {
		if h != nil {
			errs = append(errs, d.dev.Within(h.Close))
			s.handles[i] = nil
		}
	}
	return errors.Join(errs...)
}
