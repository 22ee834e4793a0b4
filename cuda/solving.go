package cuda

import (
	"errors"
	"fmt"
	"slices"

	"weft/cuda/driver"
	"weft/cuda/libraries"
	"weft/tile"
)

// solving is a launch of a decomposition. What the library works on is in memory of the queue's: places in that are
// counted from its beginning, before it is there.
type solving struct {
	x      *solved
	queue  int
	l      *tile.Launch
	size   int64              // of an element
	stages []stage            // one behind the other
	after  []*run             // kernels behind all
	at     libraries.Operands // places
	bytes  int64              // in front of the work area
	moved  []*tile.Buffer     // of launches: those that are in that memory
	errs   []error
	loan   loan // of much memory
}

// stage is what the library is asked for, behind some kernels.
type stage struct {
	before []*run
	of     libraries.Decomposition
}

// launch checks a launch of a decomposition, and makes those around it.
func (x *solved) launch(queue int, l *tile.Launch) (*run, error) {
	if err := tile.CheckLaunch(l); err != nil {
		return nil, err
	}
	s := &solving{x: x, queue: queue, l: l, size: int64(x.p.Params[0].Type.Size())}
	if err := x.shaped(l); err != nil {
		return nil, fmt.Errorf("%s: routine %s: %w", x.d.info.Name, x.p.Routine, err)
	}
	s.at.Info = s.place(8)
	switch x.of.problem {
	case libraries.Equations:
		s.equations()
	case libraries.Factors:
		s.factors()
	case libraries.Eigenvalues, libraries.Eigenvectors:
		s.eigen()
	case libraries.Reflectors, libraries.Orthogonal:
		s.orthogonal()
	default:
		s.singular()
	}
	s.made(&s.after, x.check, nil, s.here(s.at.Info, []int{2}, 4))
	for _, stage := range s.stages {
		if !stage.of.Fits() {
			s.errs = append(s.errs, fmt.Errorf("%s: %v: larger than the library's numbers", x.d.info.Name, &stage.of))
		}
	}
	if err := errors.Join(s.errs...); err != nil {
		return nil, err
	}
	return &run{launch: l, outside: s}, nil
}

// shaped reports operands whose shapes do not belong together.
func (x *solved) shaped(l *tile.Launch) error {
	var shapes [][]int
	for _, a := range l.Args {
		shapes = append(shapes, a.Shape)
	}
	if len(shapes[0]) != 2 {
		return fmt.Errorf("shape %v; want one matrix", shapes[0])
	}
	m, n := shapes[0][0], shapes[0][1]
	k := min(m, n)
	whole := func(operand, axis, least, most int) int { // the extent of a result that is one or the other
		if s := shapes[operand]; len(s) == 2 && s[axis] == most {
			return most
		}
		return least
	}
	var want [][]int
	switch x.of.problem {
	case libraries.Equations:
		sides := 1
		if len(shapes[1]) == 2 {
			sides = shapes[1][1]
		}
		want = [][]int{{n, n}, {n, sides}, {n, sides}}
	case libraries.Factors:
		want = [][]int{{n, n}, {n, n}}
	case libraries.Eigenvalues:
		want = [][]int{{n, n}, {n}}
	case libraries.Eigenvectors:
		want = [][]int{{n, n}, {n}, {n, n}}
	case libraries.Reflectors:
		want = [][]int{{m, n}, {k, n}}
	case libraries.Orthogonal:
		q := whole(1, 1, k, m)
		want = [][]int{{m, n}, {m, q}, {q, n}}
	case libraries.SingularValues:
		want = [][]int{{m, n}, {k}}
	default:
		left, right := whole(1, 1, k, m), whole(3, 0, k, n)
		if left != k || right != k {
			left, right = m, n
		}
		want = [][]int{{m, n}, {m, left}, {k}, {right, n}}
	}
	for i := range want {
		if !slices.Equal(shapes[i], want[i]) {
			return fmt.Errorf("shapes %v; want %v", shapes, want)
		}
	}
	return nil
}

// place is memory of the queue's for so many bytes.
func (s *solving) place(bytes int64) uint64 {
	at := s.bytes
	s.bytes += (bytes + areaAligned - 1) / areaAligned * areaAligned
	return uint64(at)
}

// matrix is a place for one.
func (s *solving) matrix(rows, columns int) uint64 {
	return s.place(int64(rows) * int64(columns) * s.size)
}

// made adds the launch of a kernel.
func (s *solving) made(list *[]*run, exe *executable, shape []int, args ...tile.Binding) {
	l := &tile.Launch{Exe: exe, Program: exe.p, Shape: shape, Origin: make([]int, len(shape)), Args: args}
	if exe.p.Threads {
		l.Origin, l.Grid = nil, tile.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}}
	}
	for i := range l.Args {
		if l.Args[i].Buffer.Handle == 0 {
			s.moved = append(s.moved, &l.Args[i].Buffer)
		}
	}
	r, err := s.x.d.newRun(s.queue, l)
	if err != nil {
		s.errs = append(s.errs, err)
		return
	}
	*list = append(*list, r)
}

// here binds a place.
func (s *solving) here(at uint64, shape []int, strides ...int64) tile.Binding {
	return tile.Binding{Buffer: tile.Buffer{Size: s.bytes}, Offset: int64(at), Shape: shape, Strides: strides}
}

// given binds an operand of the launch.
func (s *solving) given(operand int) tile.Binding {
	b := s.l.Args[operand]
	return tile.Binding{Buffer: b.Buffer, Offset: b.Offset, Strides: b.Strides}
}

// shape is that of an operand.
func (s *solving) shape(operand int) []int { return s.l.Args[operand].Shape }

// Rows that lie one behind the other are the columns of the transpose, which the library sees: the equations are those
// of that one's transpose, and of a matrix that is its own conjugate transpose it is the conjugate, of which the other
// triangle counts.
func (s *solving) byRows(at uint64, columns int) tile.Binding {
	return s.here(at, nil, int64(columns)*s.size, s.size)
}

func (s *solving) byColumns(at uint64, rows int) tile.Binding {
	return s.here(at, nil, s.size, int64(rows)*s.size)
}

// stage adds one of a matrix of so many rows and columns.
func (s *solving) stage(problem libraries.Problem, rows, columns int, before []*run) *libraries.Decomposition {
	s.stages = append(s.stages, stage{before, libraries.Decomposition{Problem: problem, Complex: s.size == 16, Rows: rows, N: columns, Upper: !s.x.upper()}})
	return &s.stages[len(s.stages)-1].of
}

func (s *solving) equations() {
	n, b := s.shape(0)[0], s.shape(1)
	s.at.Matrix, s.at.Pivots, s.at.Sides = s.matrix(n, n), s.place(4*int64(n)), s.matrix(n, b[1])
	var before []*run
	s.made(&before, s.x.copy, s.shape(0), s.given(0), s.byRows(s.at.Matrix, n))
	s.made(&before, s.x.copy, b, s.given(1), s.byColumns(s.at.Sides, n))
	s.stage(libraries.Equations, n, n, before).Sides = b[1]
	s.made(&s.after, s.x.copy, b, s.byColumns(s.at.Sides, n), s.given(2))
}

func (s *solving) factors() {
	n := s.shape(0)[0]
	s.at.Matrix = s.matrix(n, n)
	var before []*run
	s.made(&before, s.x.copy, s.shape(0), s.given(0), s.byRows(s.at.Matrix, n))
	s.stage(libraries.Factors, n, n, before)
	s.made(&s.after, s.x.result, s.shape(1), s.byRows(s.at.Matrix, n), s.given(1))
}

func (s *solving) eigen() {
	n := s.shape(0)[0]
	s.at.Matrix, s.at.Values = s.matrix(n, n), s.place(8*int64(n))
	var before []*run
	s.made(&before, s.x.copy, s.shape(0), s.given(0), s.byRows(s.at.Matrix, n))
	s.stage(s.x.of.problem, n, n, before)
	s.made(&s.after, s.x.values, []int{n}, s.here(s.at.Values, nil, 8), s.given(1))
	if s.x.of.problem == libraries.Eigenvectors {
		s.made(&s.after, s.x.result, s.shape(2), s.byColumns(s.at.Matrix, n), s.given(2))
	}
}

func (s *solving) orthogonal() {
	m, n, r := s.shape(0)[0], s.shape(0)[1], len(s.l.Args)-1
	s.at.Matrix, s.at.Scales = s.matrix(m, n), s.matrix(min(m, n), 1)
	var before, then []*run
	s.made(&before, s.x.copy, s.shape(0), s.given(0), s.byColumns(s.at.Matrix, m))
	s.stage(libraries.Reflectors, m, n, before)
	s.made(&then, s.x.result, s.shape(r), s.byColumns(s.at.Matrix, m), s.given(r))
	if s.x.of.problem == libraries.Reflectors {
		s.after = then
		return
	}
	q := s.shape(1)
	s.at.Left = s.matrix(m, q[1])
	s.made(&then, s.x.copy, []int{m, min(m, n)}, s.byColumns(s.at.Matrix, m), s.byColumns(s.at.Left, m))
	s.stage(libraries.Orthogonal, m, n, then).Sides = q[1]
	s.made(&s.after, s.x.copy, q, s.byColumns(s.at.Left, m), s.given(1))
}

// singular has the transpose decomposed of a matrix of more columns than rows: the library takes no such one. Of that
// the left vectors are the right ones, and both lie as they are to.
func (s *solving) singular() {
	m, n := s.shape(0)[0], s.shape(0)[1]
	rows, columns, lies := m, n, s.byColumns
	if m < n {
		rows, columns = n, m
		lies = func(at uint64, _ int) tile.Binding { return s.byRows(at, n) }
	}
	s.at.Matrix, s.at.Values, s.at.Rest = s.matrix(m, n), s.place(8*int64(columns)), s.place(8*int64(columns))
	values, vectors := 1, s.x.of.problem == libraries.SingularVectors
	var before []*run
	s.made(&before, s.x.copy, s.shape(0), s.given(0), lies(s.at.Matrix, m))
	of := s.stage(s.x.of.problem, rows, columns, before)
	if vectors {
		values = 2
		u, vh := s.shape(1), s.shape(3)
		of.Whole = u[1] == m && vh[0] == n
		left := columns
		if of.Whole {
			left = rows
		}
		s.at.Left, s.at.Right = s.matrix(rows, left), s.matrix(columns, columns)
		if m < n {
			s.made(&s.after, s.x.copy, u, s.byRows(s.at.Right, m), s.given(1))
			s.made(&s.after, s.x.copy, vh, s.byRows(s.at.Left, n), s.given(3))
		} else {
			s.made(&s.after, s.x.copy, u, s.byColumns(s.at.Left, m), s.given(1))
			s.made(&s.after, s.x.copy, vh, s.byColumns(s.at.Right, n), s.given(3))
		}
	}
	s.made(&s.after, s.x.values, []int{columns}, s.here(s.at.Values, nil, 8), s.given(values))
}

func (s *solving) kernels() []*run {
	var all []*run
	for _, stage := range s.stages {
		all = append(all, stage.before...)
	}
	return append(all, s.after...)
}

func (s *solving) checking() *run { return s.after[len(s.after)-1] }

func (s *solving) end(d *Device) error { return d.settle(s.loan) }

// submit appends a decomposition to the queue, between its kernels.
func (s *solving) submit(q *queue, r *run, e *driver.Event) (recorded bool, err error) {
	for _, k := range s.kernels() {
		if k.kernel.err != nil {
			return false, k.kernel.err
		}
	}
	wrong := func(err error) error { return fmt.Errorf("program %q: %w", r.launch.Program.Name, err) }
	var at libraries.Operands
	var work []int
	if err := q.d.dev.Within(func() (err error) { at, work, err = s.prepare(q); return err }); err != nil {
		return false, wrong(err)
	}
	fill := func(list []*run) error {
		q.batch.Reset()
		for _, k := range list {
			if err := q.batchRun(k); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range s.stages {
		if err := fill(s.stages[i].before); err != nil {
			return false, err
		}
		if err := q.stream.Launch(&q.batch); err != nil {
			return false, wrong(err)
		}
		if err := q.d.dev.Within(func() error { return q.d.solvers.handles[q.number].Solve(&s.stages[i].of, &at, work[i]) }); err != nil {
			return false, wrong(err)
		}
	}
	if err := fill(s.after); err != nil {
		return false, err
	}
	if err := q.stream.LaunchAndRecord(&q.batch, e); err != nil {
		return false, wrong(err)
	}
	return true, nil
}

// prepare makes the queue's handle, and finds memory for a decomposition, which its launches and what it returns are
// then bound to. All stages have the same work area.
func (s *solving) prepare(q *queue) (at libraries.Operands, work []int, err error) {
	handle := &q.d.solvers.handles[q.number]
	if *handle == nil {
		if err := q.d.solvers.begin(q.d, q.number); err != nil {
			return at, nil, err
		}
	}
	for i := range s.stages {
		n, err := (*handle).Work(&s.stages[i].of, &s.at)
		if err != nil {
			return at, nil, err
		}
		work = append(work, n)
	}
	area, err := s.memory(q, s.bytes+int64(slices.Max(work))*s.size)
	if err != nil {
		return at, nil, fmt.Errorf("%v: %w", &s.stages[0].of, err)
	}
	for _, b := range s.moved {
		b.Handle = uint64(area)
	}
	at = s.at
	for _, part := range []*uint64{&at.Matrix, &at.Sides, &at.Pivots, &at.Values, &at.Scales, &at.Left, &at.Right, &at.Rest, &at.Info} {
		*part += uint64(area)
	}
	at.Work = uint64(area) + uint64(s.bytes)
	return at, work, nil
}

// memory is the queue's, or much that is the launch's own.
func (s *solving) memory(q *queue, bytes int64) (at driver.Address, err error) {
	if bytes <= areaKept {
		return q.area.take(q, bytes)
	}
	s.loan, err = q.d.lend(bytes)
	return s.loan.at, err
}
