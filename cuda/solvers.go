package cuda

import (
	"errors"
	"fmt"
	"sync"

	"weft/cuda/driver"
	"weft/cuda/libraries"
	"weft/tile"
)

// solvers is the device's library for decompositions of matrices. It is loaded where the first one asks for it. Where
// there is none, the host does them.
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

// decompositions are these routines.
var decompositions = map[string]decomposing{
	"linalg.solve":    {libraries.Equations, "Singular matrix"},
	"linalg.cholesky": {libraries.Factors, "Matrix is not positive definite"},
	"linalg.eigh":     {libraries.Eigenvectors, "Eigenvalues did not converge"},
	"linalg.eigvalsh": {libraries.Eigenvalues, "Eigenvalues did not converge"},
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
func (s *solvers) lacks(p *tile.Program) string {
	if !isDecomposition(p) {
		return "of linear algebra GPUs have cuSOLVER's equations, Cholesky factors and symmetric eigenvalues"
	}
	if stack, _ := p.Attr("stack"); stack.Int() != 0 {
		return "cuSOLVER takes one matrix at a time"
	}
	if s.open != nil {
		s.load.Do(func() {
			s.library, s.err = s.open()
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
	operands := map[libraries.Problem]int{libraries.Equations: 3, libraries.Factors: 2, libraries.Eigenvalues: 2, libraries.Eigenvectors: 3}[x.of.problem]
	if len(p.Params) != operands || len(p.Uniforms) != 0 {
		return nil, fmt.Errorf("%s: routine %s: it has %d operands and %d uniforms; want %d and none", d.info.Name, p.Routine, len(p.Params), len(p.Uniforms), operands)
	}
	t := p.Params[0].Type
	copies, result := tile.NewBuilder(p.Routine+"'s copy", 2), tile.NewBuilder(p.Routine+"'s result", 2)
	copies.Store(copies.Load(t))
	v := result.Load(t)
	switch {
	case x.of.problem == libraries.Factors:
		inside := tile.Ge
		if x.upper() {
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
	info, first := check.Array(tile.Update, tile.Int32, 1, "info"), check.Const(tile.IntScalar(tile.Int64, 0))
	none := check.Const(tile.IntScalar(tile.Int32, 0))
	check.If(check.Do(tile.Ne, check.Element(info, first), none))
	check.Fail(check.Message("LinAlgError", x.of.failed))
	check.End()
	check.Put(info, none, first) // a program writes something
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

// upper reports whether the upper triangle of the matrix counts.
func (x *solved) upper() bool {
	v, _ := x.p.Attr("upper")
	return v.Int() != 0
}

// solving is a launch of a decomposition. What the library works on is in memory of the queue's: places in that are
// counted from its beginning, before it is there.
type solving struct {
	on            *Device
	of            libraries.Decomposition
	at            libraries.Operands // places
	bytes         int64              // in front of the work area
	before, after []*run
	moved         []*tile.Buffer // of launches: those that are in that memory
	checks        *run
}

// launch checks a launch of a decomposition, and makes those around it.
func (x *solved) launch(queue int, l *tile.Launch) (*run, error) {
	if err := tile.CheckLaunch(l); err != nil {
		return nil, err
	}
	shape := l.Args[0].Shape
	if len(shape) != 2 || shape[0] != shape[1] {
		return nil, fmt.Errorf("%s: routine %s: shape %v; want one square matrix", x.d.info.Name, x.p.Routine, shape)
	}
	n, size := shape[0], int64(x.p.Params[0].Type.Size())
	s := &solving{on: x.d, of: libraries.Decomposition{Problem: x.of.problem, Complex: size == 16, N: n, Upper: !x.upper()}}
	place := func(bytes int64) uint64 {
		at := s.bytes
		s.bytes += (bytes + areaAligned - 1) / areaAligned * areaAligned
		return uint64(at)
	}
	s.at.Info = place(8)
	s.at.Matrix = place(int64(n) * int64(n) * size)
	made := func(list *[]*run, exe *executable, shape []int, args ...tile.Binding) error {
		made := &tile.Launch{Exe: exe, Program: exe.p, Shape: shape, Origin: make([]int, len(shape)), Args: args}
		if exe == x.check {
			made = &tile.Launch{Exe: exe, Program: exe.p, Grid: tile.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}}, Args: args}
		}
		for i := range made.Args {
			if made.Args[i].Buffer.Handle == 0 {
				s.moved = append(s.moved, &made.Args[i].Buffer)
			}
		}
		r, err := x.d.newRun(queue, made)
		if err == nil {
			*list = append(*list, r)
		}
		return err
	}
	here := func(at uint64, shape []int, strides ...int64) tile.Binding {
		return tile.Binding{Buffer: tile.Buffer{Size: s.bytes}, Offset: int64(at), Shape: shape, Strides: strides}
	}
	given := func(operand int) tile.Binding {
		b := l.Args[operand]
		return tile.Binding{Buffer: b.Buffer, Offset: b.Offset, Strides: b.Strides}
	}
	// Rows that lie one behind the other are the columns of the transpose: that of a matrix which is its own conjugate
	// transpose is its conjugate, and the other triangle counts.
	byRows, byColumns := []int64{int64(n) * size, size}, []int64{size, int64(n) * size}
	var errs []error
	last := len(l.Args) - 1
	if x.of.problem == libraries.Equations {
		b := l.Args[1].Shape
		if len(b) != 2 || b[0] != n || len(l.Args[2].Shape) != 2 || l.Args[2].Shape[0] != n || l.Args[2].Shape[1] != b[1] {
			return nil, fmt.Errorf("%s: routine %s: shapes %v, %v and %v; want right-hand sides and results of as many rows as the matrix", x.d.info.Name, x.p.Routine, shape, b, l.Args[2].Shape)
		}
		s.of.Sides = b[1]
		s.at.Pivots = place(4 * int64(n))
		s.at.Sides = place(int64(n) * int64(b[1]) * size)
		errs = append(errs,
			made(&s.before, x.copy, b, given(1), here(s.at.Sides, nil, byColumns...)),
			made(&s.after, x.result, b, here(s.at.Sides, nil, byColumns...), given(2)))
	}
	errs = append(errs, made(&s.before, x.copy, shape, given(0), here(s.at.Matrix, nil, byRows...)))
	if p := x.of.problem; p == libraries.Eigenvalues || p == libraries.Eigenvectors {
		s.at.Values = place(8 * int64(n))
		errs = append(errs, made(&s.after, x.values, []int{n}, here(s.at.Values, nil, 8), given(1)))
	}
	switch x.of.problem {
	case libraries.Factors:
		errs = append(errs, made(&s.after, x.result, shape, here(s.at.Matrix, nil, byRows...), given(last)))
	case libraries.Eigenvectors:
		errs = append(errs, made(&s.after, x.result, shape, here(s.at.Matrix, nil, byColumns...), given(last)))
	}
	errs = append(errs, made(&s.after, x.check, nil, here(s.at.Info, []int{2}, 4)))
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s.checks = s.after[len(s.after)-1]
	if !s.of.Fits() {
		return nil, fmt.Errorf("%s: %v: larger than the library's numbers", x.d.info.Name, &s.of)
	}
	return &run{launch: l, outside: s}, nil
}

func (s *solving) kernels() []*run { return append(s.before[:len(s.before):len(s.before)], s.after...) }

func (s *solving) checking() *run { return s.checks }

// submit appends a decomposition to the queue, between its kernels.
func (s *solving) submit(q *queue, r *run, e *driver.Event) (recorded bool, err error) {
	for _, k := range s.kernels() {
		if k.kernel.err != nil {
			return false, k.kernel.err
		}
	}
	wrong := func(err error) error { return fmt.Errorf("program %q: %w", r.launch.Program.Name, err) }
	var at libraries.Operands
	var work int
	if err := q.d.dev.Within(func() (err error) { at, work, err = s.prepare(q); return err }); err != nil {
		return false, wrong(err)
	}
	q.batch.Reset()
	for _, k := range s.before {
		if err := q.batchRun(k); err != nil {
			return false, err
		}
	}
	if err := q.stream.Launch(&q.batch); err != nil {
		return false, wrong(err)
	}
	if err := q.d.dev.Within(func() error { return q.d.solvers.handles[q.number].Solve(&s.of, &at, work) }); err != nil {
		return false, wrong(err)
	}
	q.batch.Reset()
	for _, k := range s.after {
		if err := q.batchRun(k); err != nil {
			return false, err
		}
	}
	if err := q.stream.LaunchAndRecord(&q.batch, e); err != nil {
		return false, wrong(err)
	}
	return true, nil
}

// prepare makes the queue's handle, and finds memory for a decomposition, which its launches and what it returns are
// then bound to.
func (s *solving) prepare(q *queue) (at libraries.Operands, work int, err error) {
	h := &q.d.solvers.handles[q.number]
	if *h == nil {
		if *h, err = q.d.solvers.library.Handle(q.stream.Handle()); err != nil {
			return at, 0, err
		}
	}
	size := int64(8)
	if s.of.Complex {
		size = 16
	}
	if work, err = (*h).Work(&s.of, &s.at); err != nil {
		return at, 0, err
	}
	area, err := q.area.take(q, s.bytes+int64(work)*size)
	if err != nil {
		return at, 0, fmt.Errorf("%v: %w", &s.of, err)
	}
	for _, b := range s.moved {
		b.Handle = uint64(area)
	}
	at = s.at
	for _, part := range []*uint64{&at.Matrix, &at.Sides, &at.Pivots, &at.Values, &at.Info} {
		*part += uint64(area)
	}
	at.Work = uint64(area) + uint64(s.bytes)
	return at, work, nil
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
