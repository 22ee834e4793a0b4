package cuda

import (
	"errors"
	"fmt"
	"sync"

	"weft/cuda/driver"
	"weft/cuda/libraries"
	"weft/tile"
)

// transforms is the device's library for Fourier transforms. It is loaded where the first one asks for it. Where there
// is none, the host transforms.
type transforms struct {
	open    func() (*libraries.Fourier, error) // nil is none
	load    sync.Once
	library *libraries.Fourier
	err     error // of a library that the user named
	part    int64 // bytes of rows that are transformed at once

	queues [queueN]transformer
}

// transformer is the library on a queue.
type transformer struct {
	mu sync.Mutex
	of *libraries.Transformer
}

// partBytes is how many bytes of rows are transformed at once where there are several: the work area and the copy of
// what the library destroys are as large.
const partBytes = 32 << 20

// kindOf are the routines that the library computes.
var kindOf = map[string]libraries.Kind{"fft": libraries.ComplexToComplex, "rfft": libraries.RealToComplex, "irfft": libraries.ComplexToReal}

// isTransform reports whether a program is one of these, of double precision.
func isTransform(p *tile.Program) bool {
	_, ok := kindOf[p.Routine]
	for i := range p.Params {
		ok = ok && (p.Params[i].Type == tile.Float64 || p.Params[i].Type == tile.Complex128)
	}
	return ok
}

// knows reports whether the device transforms for a program: also where a library that was named cannot be used, which
// is an error of the program's.
func (t *transforms) knows(p *tile.Program) bool {
	if t.open == nil || !isTransform(p) {
		return false
	}
	t.load.Do(func() {
		t.library, t.err = t.open()
		if named := (*libraries.NamedError)(nil); !errors.As(t.err, &named) {
			t.err = nil
		}
	})
	return t.library != nil || t.err != nil
}

// transformed is a program that is a Fourier transform of rows, with the programs for what the library leaves out.
type transformed struct {
	d          *Device
	p          *tile.Program
	conjugates *executable // of results, for those of real numbers that have been left out
	scale      *executable // of results
}

// compileTransform makes the programs of a transform.
func (d *Device) compileTransform(p *tile.Program) (tile.Executable, error) {
	if d.transforms.err != nil {
		return nil, fmt.Errorf("%s: %w", d.info.Name, d.transforms.err)
	}
	if len(p.Params) != 2 || len(p.Uniforms) != 1 {
		return nil, fmt.Errorf("%s: routine %s: it has %d operands and %d uniforms; want 2 and 1", d.info.Name, p.Routine, len(p.Params), len(p.Uniforms))
	}
	of := p.Params[1].Type
	conjugates, scale := tile.NewBuilder(p.Routine+"'s conjugates", 2), tile.NewBuilder(p.Routine+"'s scale", 2)
	if of.Is(tile.KindComplex) {
		conjugates.Store(conjugates.Do(tile.Conj, conjugates.Load(of)))
	}
	scale.Store(scale.Do(tile.Mul, scale.Load(tile.Float64), scale.Uniform(tile.Float64)))
	x := &transformed{d: d, p: p}
	for _, part := range []struct {
		b  *tile.Builder
		to **executable
	}{{conjugates, &x.conjugates}, {scale, &x.scale}} {
		if program := part.b.Program(); len(program.Params) > 0 {
			exe, err := d.Compile(program)
			if err != nil {
				return nil, err
			}
			*part.to = exe.(*executable)
		}
	}
	return x, nil
}

// transforming is a launch of a transform.
type transforming struct {
	on      *transformer
	of      libraries.Transform // of all rows
	inverse bool
	in, out driver.Address
	then    []*run // kernels behind it
}

// launch checks a launch of a transform, and makes those behind it.
func (x *transformed) launch(queue int, l *tile.Launch) (*run, error) {
	if err := tile.CheckLaunch(l); err != nil {
		return nil, err
	}
	in, out := &l.Args[0], &l.Args[1]
	for i, b := range l.Args {
		step := int64(x.p.Params[i].Type.Size())
		for axis := len(b.Shape) - 1; axis >= 0; axis-- {
			if b.Shape[axis] > 1 && b.Strides[axis] != step {
				return nil, fmt.Errorf("%s: routine %s: operand %d: shape %v has strides %v; want it in C order without gaps", x.d.info.Name, x.p.Routine, i, b.Shape, b.Strides)
			}
			step *= int64(b.Shape[axis])
		}
	}
	t := &transforming{on: &x.d.transforms.queues[queue], in: addressOf(in), out: addressOf(out), of: libraries.Transform{Kind: kindOf[x.p.Routine], Rows: 1}}
	r := &run{launch: l, outside: t}
	if len(in.Shape) == 0 || len(in.Shape) != len(out.Shape) {
		return nil, fmt.Errorf("%s: routine %s: shapes %v and %v; want rows of both", x.d.info.Name, x.p.Routine, in.Shape, out.Shape)
	}
	last := len(in.Shape) - 1
	for _, n := range in.Shape[:last] {
		t.of.Rows *= n
	}
	has, gives := in.Shape[last], out.Shape[last]
	t.of.Points = max(has, gives)
	if inverse, ok := x.p.Attr("inverse"); ok {
		t.inverse = inverse.Int() != 0
	}
	if t.of.Kind == libraries.ComplexToComplex && x.p.Params[0].Type == tile.Float64 {
		t.of.Kind, t.of.Whole = libraries.RealToComplex, true
	}
	size := int64(x.p.Params[1].Type.Size())
	results := func(first int, step int64) tile.Binding { // from one of a row, forwards or backwards
		return tile.Binding{Buffer: out.Buffer, Offset: out.Offset + size*int64(first), Strides: []int64{size * int64(gives), step}}
	}
	if rest := (t.of.Points - 1) / 2; t.of.Whole && rest > 0 { // result n-k is the conjugate of result k
		if err := x.behind(t, queue, x.conjugates, []int{t.of.Rows, rest}, nil, results(rest, -size), results(t.of.Points-rest, size)); err != nil {
			return nil, err
		}
	}
	if t.of.Whole && t.inverse { // the way back is the conjugate of the way there
		if err := x.behind(t, queue, x.conjugates, []int{t.of.Rows, gives}, nil, results(0, size), results(0, size)); err != nil {
			return nil, err
		}
	}
	if parts := size / 8; l.Uniforms[0].Float() != 1 {
		if err := x.behind(t, queue, x.scale, []int{t.of.Rows, gives * int(parts)}, l.Uniforms, results(0, 8), results(0, 8)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// behind adds the launch of a kernel behind a transform.
func (x *transformed) behind(t *transforming, queue int, exe *executable, shape []int, uniforms []tile.Scalar, args ...tile.Binding) error {
	r, err := x.d.newRun(queue, &tile.Launch{Exe: exe, Program: exe.p, Shape: shape, Origin: make([]int, len(shape)), Args: args, Uniforms: uniforms})
	if err == nil {
		t.then = append(t.then, r)
	}
	return err
}

func addressOf(b *tile.Binding) driver.Address {
	return driver.Address(b.Buffer.Handle + uint64(b.Offset))
}

func (t *transforming) kernels() []*run { return t.then }

func (t *transforming) checking() *run { return nil }

func (t *transforming) end(*Device) error { return nil }

// submit appends a transform to the queue, and the kernels behind it, and records an event where there are any.
func (t *transforming) submit(q *queue, r *run, e *driver.Event) (recorded bool, err error) {
	for _, k := range t.then {
		if k.kernel.err != nil {
			return false, k.kernel.err
		}
	}
	if err := q.d.dev.Within(func() error { return t.on.execute(q, t) }); err != nil {
		return false, fmt.Errorf("program %q: %w", r.launch.Program.Name, err)
	}
	if len(t.then) == 0 {
		return false, nil
	}
	q.batch.Reset()
	for _, k := range t.then {
		if err := q.batchRun(k); err != nil {
			return false, err
		}
	}
	if err := q.stream.LaunchAndRecord(&q.batch, e); err != nil {
		return false, fmt.Errorf("program %q: %w", r.launch.Program.Name, err)
	}
	return true, nil
}

// execute appends the library's part of a transform to a queue: some rows after the other, so that no part needs much
// memory.
func (w *transformer) execute(q *queue, t *transforming) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = q.d.transforms.library.Transformer(q.stream.Handle(), q.stream.Synchronize)
	}
	in, out := t.of.RowBytes()
	most := int(max(1, q.d.transforms.part/max(in, out)))
	for first := 0; first < t.of.Rows; {
		rows := min(most, t.of.Rows-first)
		err := w.part(q, t, rows, t.in+driver.Address(int64(first)*in), t.out+driver.Address(int64(first)*out))
		switch {
		case err == nil:
			first += rows
		case rows > 1 && driver.IsOutOfMemory(err):
			most = rows / 2
		default:
			return err
		}
	}
	return nil
}

// aligned is what the library asks of its operands' addresses: they are complex numbers of double precision to it, or
// pairs of real ones.
const aligned = 16

// part appends the transforms of some rows. The memory for the work has, in this order, a copy of the operand where the
// library destroys it or where it is not aligned, the results where these are not to be aligned, and what the plan
// needs.
func (w *transformer) part(q *queue, t *transforming, rows int, in, out driver.Address) error {
	of := t.of
	of.Rows = rows
	plan, err := w.of.Plan(of)
	if err != nil {
		return err
	}
	bytesIn, bytesOut := of.RowBytes()
	var given, made int64
	if of.Kind == libraries.ComplexToReal || in%aligned != 0 {
		given = int64(rows) * bytesIn
	}
	if out%aligned != 0 {
		made = int64(rows) * bytesOut
	}
	upTo := func(n int64) int64 { return (n + areaAligned - 1) / areaAligned * areaAligned }
	area, err := q.area.take(q, upTo(given)+upTo(made)+plan.Work)
	if err != nil {
		return fmt.Errorf("%v: %w", of, err)
	}
	from, to := in, out
	if given > 0 {
		from = area
		if err := q.stream.CopyWithin(from, in, given); err != nil {
			return err
		}
	}
	if made > 0 {
		to = area + driver.Address(upTo(given))
	}
	if err := w.of.Execute(plan, uint64(from), uint64(to), uint64(area)+uint64(upTo(given)+upTo(made)), t.inverse); err != nil {
		return err
	}
	if made > 0 {
		return q.stream.CopyWithin(out, to, made)
	}
	return nil
}

// close gives back what the library has on the queues, which are empty.
func (t *transforms) close(d *Device) error {
	var errs []error
	for i := range t.queues {
		w := &t.queues[i]
		if w.of != nil {
			errs = append(errs, d.dev.Within(w.of.Close))
		}
	}
	return errors.Join(errs...)
}
