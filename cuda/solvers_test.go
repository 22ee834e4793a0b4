//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/cuda/driver"
	"weft/cuda/libraries"
	"weft/cuda/libraries/standin"
	"weft/tile"
)

// withSolver opens a device with the library of a path.
func withSolver(t testing.TB, path string) *Device {
	t.Helper()
	return withOptions(t, Options{Solver: func() (*libraries.Solver, error) { return libraries.OpenSolver(path, nil, 13) }})
}

// dense is a matrix on the host.
type dense struct {
	rows, columns int
	of            []complex128
}

func newDense(rows, columns int, at func(i, j int) complex128) dense {
	m := dense{rows, columns, make([]complex128, rows*columns)}
	for i := range m.of {
		m.of[i] = at(i/columns, i%columns)
	}
	return m
}

func (m dense) at(i, j int) complex128 { return m.of[i*m.columns+j] }

func (m dense) times(x dense) dense {
	return newDense(m.rows, x.columns, func(i, j int) (sum complex128) {
		for k := range m.columns {
			sum += m.at(i, k) * x.at(k, j)
		}
		return sum
	})
}

func (m dense) turned() dense {
	return newDense(m.columns, m.rows, func(i, j int) complex128 { return cmplx.Conj(m.at(j, i)) })
}

// near wants the elements of two matrices to be alike.
func near(t *testing.T, what string, got, want dense) {
	t.Helper()
	for i, w := range want.of {
		if v := got.of[i]; !(cmplx.Abs(v-w) < 1e-9) {
			t.Fatalf("%s: element %d is %v; want %v\n%v\n%v", what, i, v, w, got, want)
		}
	}
}

// operand is a matrix or a vector of a launch, whose rows lie a gap apart, by columns if it is turned.
type operand struct {
	dir    tile.Dir
	t      tile.DType
	m      dense
	vector bool
	gap    int
	turned bool
}

// decompose has a device run a routine, and returns its results.
func decompose(t *testing.T, d *Device, routine string, attrs []tile.Attr, operands []operand) ([]dense, error) {
	t.Helper()
	b := tile.NewRoutine(routine, routine, attrs...)
	for _, o := range operands {
		b.Param(o.dir, o.t)
	}
	p := b.Program()
	exe, err := d.Compile(p)
	if err != nil {
		return nil, err
	}
	l := &tile.Launch{Exe: exe, Program: p}
	place := make([]func(i, j int) int, len(operands))
	raw := make([][]float64, len(operands))
	for k, o := range operands {
		parts, down, right := o.t.Size()/8, o.m.columns+o.gap, 1
		if o.turned {
			down, right = 1, o.m.rows+o.gap
		}
		place[k] = func(i, j int) int { return parts * (i*down + j*right) }
		raw[k] = make([]float64, parts+place[k](o.m.rows-1, o.m.columns-1))
		for i := range raw[k] {
			raw[k][i] = -77
		}
		if o.dir == tile.In {
			for i := range o.m.rows {
				for j := range o.m.columns {
					raw[k][place[k](i, j)] = real(o.m.at(i, j))
					if parts == 2 {
						raw[k][place[k](i, j)+1] = imag(o.m.at(i, j))
					}
				}
			}
		}
		buf, err := d.Alloc(int64(8 * len(raw[k])))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Free(buf)
		if err := errors.Join(d.dev.CopyIn(driver.Address(buf.Handle), bytesOf(raw[k])), d.dev.Synchronize()); err != nil {
			t.Fatal(err)
		}
		arg := tile.Binding{Buffer: buf, Shape: []int{o.m.rows, o.m.columns}, Strides: []int64{int64(8 * parts * down), int64(8 * parts * right)}}
		if o.vector {
			arg.Shape, arg.Strides = arg.Shape[1:], arg.Strides[1:]
		}
		l.Args = append(l.Args, arg)
	}
	if err := wait(func(done func(tile.Completion)) { d.Launch(computes, l, done) }); err != nil {
		return nil, err
	}
	var results []dense
	for k, o := range operands {
		if o.dir == tile.In {
			continue
		}
		if err := d.dev.CopyOut(bytesOf(raw[k]), driver.Address(l.Args[k].Buffer.Handle)); err != nil {
			t.Fatal(err)
		}
		results = append(results, newDense(o.m.rows, o.m.columns, func(i, j int) complex128 {
			v := complex(raw[k][place[k](i, j)], 0)
			if o.t == tile.Complex128 {
				v += complex(0, raw[k][place[k](i, j)+1])
			}
			return v
		}))
	}
	return results, nil
}

// TestSolvers has the stand-in for cuSOLVER decompose matrices of any strides, of real and of complex numbers.
func TestSolvers(t *testing.T) {
	needFake(t)
	d := withSolver(t, standIn(t, standin.Solver()))
	r := rand.New(rand.NewPCG(7, 8))
	for trial := range 60 {
		n, sides, number := 1+r.IntN(9), 1+r.IntN(4), tile.Float64
		draw := func(int, int) complex128 { return complex(r.NormFloat64(), 0) }
		if trial%2 == 0 {
			number = tile.Complex128
			draw = func(int, int) complex128 { return complex(r.NormFloat64(), r.NormFloat64()) }
		}
		upper := r.IntN(2)
		in := func(m dense) operand { return operand{tile.In, number, m, false, r.IntN(3), r.IntN(2) == 0} }
		out := func(t tile.DType, rows, columns int, vector bool) operand {
			return operand{tile.Out, t, dense{rows: rows, columns: columns}, vector, r.IntN(3), r.IntN(2) == 0 && !vector}
		}
		a, b := newDense(n, n, draw), newDense(n, sides, draw)
		x, err := decompose(t, d, "linalg.solve", nil, []operand{in(a), in(b), out(number, n, sides, false)})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "a @ solve(a, b)", a.times(x[0]), b)

		whole := a.times(a.turned()) // its own conjugate transpose
		half := newDense(n, n, func(i, j int) complex128 {
			switch {
			case i == j:
				return whole.at(i, i) + 0.1
			case (i > j) == (upper == 0):
				return whole.at(i, j)
			}
			return draw(i, j) // is not looked at
		})
		for i := range n {
			whole.of[i*n+i] += 0.1
		}
		attr := []tile.Attr{tile.IntAttr("upper", int64(upper))}
		l, err := decompose(t, d, "linalg.cholesky", attr, []operand{in(half), out(number, n, n, false)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				if (i < j) == (upper == 0) && i != j && l[0].at(i, j) != 0 {
					t.Fatalf("upper %d: element (%d,%d) of the factor is %v; want 0", upper, i, j, l[0].at(i, j))
				}
			}
		}
		if upper == 0 {
			near(t, "l @ l^H", l[0].times(l[0].turned()), whole)
		} else {
			near(t, "u^H @ u", l[0].turned().times(l[0]), whole)
		}

		wv, err := decompose(t, d, "linalg.eigh", attr, []operand{in(half), out(tile.Float64, 1, n, true), out(number, n, n, false)})
		if err != nil {
			t.Fatal(err)
		}
		w, v := wv[0], wv[1]
		near(t, "a @ v", whole.times(v), newDense(n, n, func(i, j int) complex128 { return v.at(i, j) * w.at(0, j) }))
		near(t, "v^H @ v", v.turned().times(v), newDense(n, n, func(i, j int) complex128 {
			if i == j {
				return 1
			}
			return 0
		}))
		alone, err := decompose(t, d, "linalg.eigvalsh", attr, []operand{in(half), out(tile.Float64, 1, n, true)})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "eigvalsh", alone[0], w)
		for i := 1; i < n; i++ {
			if real(w.at(0, i)) < real(w.at(0, i-1)) {
				t.Fatalf("eigenvalues %v do not ascend", w)
			}
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestFactors has it make matrices of any shape products of others.
func TestFactors(t *testing.T) {
	needFake(t)
	d := withSolver(t, standIn(t, standin.Solver()))
	r := rand.New(rand.NewPCG(9, 10))
	for trial := range 60 {
		m, n, number := 1+r.IntN(8), 1+r.IntN(8), tile.Float64
		draw := func(int, int) complex128 { return complex(r.NormFloat64(), 0) }
		if trial%2 == 0 {
			number = tile.Complex128
			draw = func(int, int) complex128 { return complex(r.NormFloat64(), r.NormFloat64()) }
		}
		k, whole := min(m, n), trial%3 == 0
		left, right := k, k
		if whole {
			left, right = m, n
		}
		in := func(m dense) operand { return operand{tile.In, number, m, false, r.IntN(3), r.IntN(2) == 0} }
		out := func(t tile.DType, rows, columns int, vector bool) operand {
			return operand{tile.Out, t, dense{rows: rows, columns: columns}, vector, r.IntN(3), r.IntN(2) == 0 && !vector}
		}
		unit := func(n int) dense {
			return newDense(n, n, func(i, j int) complex128 {
				if i == j {
					return 1
				}
				return 0
			})
		}
		a := newDense(m, n, draw)
		qr, err := decompose(t, d, "linalg.qr", nil, []operand{in(a), out(number, m, left, false), out(number, left, n, false)})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "q @ r", qr[0].times(qr[1]), a)
		near(t, "q^H @ q", qr[0].turned().times(qr[0]), unit(left))
		triangle := newDense(left, n, func(i, j int) complex128 {
			if i > j {
				return 0
			}
			return qr[1].at(i, j)
		})
		near(t, "r", qr[1], triangle)
		alone, err := decompose(t, d, "linalg.qr.r", nil, []operand{in(a), out(number, k, n, false)})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "qr.r", alone[0], newDense(k, n, triangle.at))

		svd, err := decompose(t, d, "linalg.svd", nil, []operand{in(a), out(number, m, left, false), out(tile.Float64, 1, k, true), out(number, right, n, false)})
		if err != nil {
			t.Fatal(err)
		}
		u, s, vh := svd[0], svd[1], svd[2]
		scaled := newDense(m, k, func(i, j int) complex128 { return u.at(i, j) * s.at(0, j) })
		near(t, "u * s @ vh", scaled.times(newDense(k, n, vh.at)), a)
		near(t, "u^H @ u", u.turned().times(u), unit(left))
		near(t, "vh @ vh^H", vh.times(vh.turned()), unit(right))
		for i := 1; i < k; i++ {
			if real(s.at(0, i)) > real(s.at(0, i-1)) {
				t.Fatalf("singular values %v do not descend", s)
			}
		}
		if alone, err = decompose(t, d, "linalg.svdvals", nil, []operand{in(a), out(tile.Float64, 1, k, true)}); err != nil {
			t.Fatal(err)
		}
		near(t, "svdvals", alone[0], s)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestUnsolved wants NumPy's errors of data that has no result, the library's of what fails, and afterwards results.
func TestUnsolved(t *testing.T) {
	needFake(t)
	d := withSolver(t, standIn(t, standin.Solver()))
	square := func(of ...complex128) operand { return operand{dir: tile.In, t: tile.Float64, m: dense{2, 2, of}} }
	out := operand{dir: tile.Out, t: tile.Float64, m: dense{rows: 2, columns: 2}}
	values := operand{dir: tile.Out, t: tile.Float64, m: dense{rows: 1, columns: 2}, vector: true}
	for _, c := range []struct {
		routine, fails, want string
		operands             []operand
	}{
		{"linalg.solve", "", "LinAlgError: Singular matrix", []operand{square(1, 2, 2, 4), square(1, 0, 0, 1), out}},
		{"linalg.cholesky", "", "LinAlgError: Matrix is not positive definite", []operand{square(1, 2, 2, 1), out}},
		{"linalg.eigvalsh", "diverge=1", "LinAlgError: Eigenvalues did not converge", []operand{square(1, 2, 2, 1), values}},
		{"linalg.solve", "status=7", "cuSOLVER's linear equations of a real matrix of 2 rows and 2 columns: CUSOLVER_STATUS_INTERNAL_ERROR", []operand{square(1, 2, 2, 1), square(1, 0, 0, 1), out}},
		{"linalg.eigvalsh", "diverge=-3", "RuntimeError: cuSOLVER says -3 of its arguments, where 0 is right", []operand{square(1, 2, 2, 1), values}},
		{"linalg.solve", "refuse=-4", "RuntimeError: cuSOLVER says -4 of its arguments", []operand{square(1, 2, 2, 1), square(1, 0, 0, 1), out}},
		{"linalg.qr", "refuse=-4", "RuntimeError: cuSOLVER says -4 of its arguments", []operand{square(1, 2, 2, 1), out, out}},
		{"linalg.svdvals", "diverge=1", "LinAlgError: SVD did not converge", []operand{square(1, 2, 2, 1), values}},
		{"linalg.solve", "", "shapes [[2 2] [2 2] [2 1]]; want [[2 2] [2 2] [2 2]]", []operand{square(1, 2, 2, 1), square(1, 0, 0, 1),
			{dir: tile.Out, t: tile.Float64, m: dense{rows: 2, columns: 1}}}},
		{"linalg.cholesky", "", "", []operand{square(4, 2, 2, 4), out}},
	} {
		t.Setenv(standin.Solver().Variable, c.fails)
		_, err := decompose(t, d, c.routine, nil, c.operands)
		var fault *tile.DataError
		got := ""
		if errors.As(err, &fault) {
			got = fault.Exception + ": " + fault.Text
		} else if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || c.want == "" && err != nil {
			t.Errorf("%s: got error %q; want %q", c.routine, got, c.want)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestWorkOfTallMatrices wants no more memory than a few times the operands', and what is much of it to be the launch's
// own, whether that comes from the device or from the pool.
func TestWorkOfTallMatrices(t *testing.T) {
	needFake(t)
	d := withSolver(t, standIn(t, standin.Solver()))
	for _, routine := range []string{"linalg.svd", "linalg.qr"} {
		const rows, columns = 300_000, 2
		shapes := [][]int{{rows, columns}, {rows, columns}, {columns}, {columns, columns}}
		if routine == "linalg.qr" {
			shapes = append(shapes[:2], shapes[3])
		}
		b := tile.NewRoutine(routine, routine)
		l := &tile.Launch{}
		for i, shape := range shapes {
			b.Param(map[bool]tile.Dir{true: tile.In, false: tile.Out}[i == 0], tile.Float64)
			buf, err := d.Alloc(8 * rows * columns)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Free(buf)
			arg := tile.Binding{Buffer: buf, Shape: shape, Strides: []int64{8}}
			if len(shape) == 2 {
				arg.Strides = []int64{int64(8 * shape[1]), 8}
			}
			l.Args = append(l.Args, arg)
		}
		l.Program = b.Program()
		var err error
		if l.Exe, err = d.Compile(l.Program); err != nil {
			t.Fatal(err)
		}
		r, err := l.Exe.(*solved).launch(computes, l)
		if err != nil {
			t.Fatal(err)
		}
		if s := r.outside.(*solving); s.bytes > 4*8*rows*columns {
			t.Errorf("%s: %d bytes beside operands of %d", routine, s.bytes, 8*rows*columns)
		}
	}
	for _, pooled := range []bool{false, true} {
		if pooled {
			fake.Faults("cuMemAlloc_v2=2")
		}
		given, err := d.lend(areaKept)
		if err != nil || given.pooled != pooled {
			t.Fatalf("got %v, error %v; want memory of the pool's: %v", given, err, pooled)
		}
		if err := d.settle(given); err != nil {
			t.Error(err)
		}
	}
	if _, err := d.lend(1 << 40); !errors.Is(err, tile.ErrOutOfMemory) {
		t.Errorf("got error %v; want one of memory", err)
	}
	fake.Faults("")
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestWhereSolved wants the device to say what it leaves to the host, and of a library that was named why it cannot be
// used.
func TestWhereSolved(t *testing.T) {
	needFake(t)
	program := func(routine string, attrs ...tile.Attr) *tile.Program {
		b := tile.NewRoutine(routine, routine, attrs...)
		b.Param(tile.In, tile.Float64)
		b.Param(tile.Out, tile.Float64)
		return b.Program()
	}
	there, none, missing := withSolver(t, standIn(t, standin.Solver())), withSolver(t, libraries.None), withSolver(t, "/nowhere/libcusolver.so.11")
	broken := withSolver(t, standIn(t, standin.Solver()))
	t.Setenv(standin.Solver().Variable, "create=3")
	broken.info.Lacks(program("linalg.cholesky"))
	t.Setenv(standin.Solver().Variable, "")
	for _, c := range []struct {
		d    *Device
		p    *tile.Program
		want string
	}{
		{there, program("linalg.cholesky"), ""},
		{there, program("linalg.cholesky", tile.IntAttr("stack", 1)), "cuSOLVER takes one matrix at a time"},
		{there, program("linalg.eigvals"), "of linear algebra GPUs have no least squares, determinants, raw reflectors and eigenvalues of any matrix"},
		{none, program("linalg.cholesky"), "linear algebra is cuSOLVER's, which is not to be had"},
		{broken, program("linalg.cholesky"), "linear algebra is cuSOLVER's, which is not to be had"},
		{missing, program("linalg.cholesky"), ""},
	} {
		if got := c.d.info.Lacks(c.p); got != c.want {
			t.Errorf("%s: got %q; want %q", c.p.Routine, got, c.want)
		}
	}
	if _, err := missing.Compile(program("linalg.cholesky")); err == nil || !strings.Contains(err.Error(), "/nowhere/libcusolver.so.11") {
		t.Errorf("got error %v; want one that names the library", err)
	}
	for _, d := range []*Device{there, none, broken, missing} {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
