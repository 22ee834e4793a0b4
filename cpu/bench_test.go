package cpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"weft/tile"
)

// launcher prepares an inline launch of p with inputs of n elements of 1.5.
func launcher(b *testing.B, d *Device, p *tile.Program, shape []int, reduced tile.Axes, strides ...[]int64) *tile.Launch {
	b.Helper()
	exe, err := d.Compile(p)
	if err != nil {
		b.Fatal(err)
	}
	l := &tile.Launch{Exe: exe, Program: p, Shape: shape, Origin: make([]int, len(shape)), Reduced: reduced}
	if p.Reduces() {
		l.Block = tile.BlockShape(shape, reduced)
	}
	for i, param := range p.Params {
		n := int64(param.Type.Size())
		for k, s := range strides[i] {
			n += s * int64(shape[k]-1)
		}
		buf, err := d.Alloc(n)
		if err != nil {
			b.Fatal(err)
		}
		for at := 0; at+8 <= int(n); at += 8 {
			binary.LittleEndian.PutUint64(buf.Bytes()[at:], math.Float64bits(1.5))
		}
		l.Args = append(l.Args, tile.Binding{Buffer: buf, Strides: strides[i]})
	}
	return l
}

func run(b *testing.B, d *Device, l *tile.Launch) {
	b.Helper()
	var err error
	done := func(c tile.Completion) { err = c.Err }
	b.ReportAllocs()
	for b.Loop() {
		d.Launch(tile.Inline, l, done)
		if err != nil {
			b.Fatal(err)
		}
	}
}

func addProgram(t tile.DType) *tile.Program {
	nb := tile.NewBuilder("add", 1)
	nb.Store(nb.Do(tile.Add, nb.Load(t), nb.Load(t)))
	return nb.Program()
}

func closeAfter(b *testing.B, d *Device) {
	b.Cleanup(func() {
		if err := d.Close(); err != nil {
			b.Error(err)
		}
	})
}

func BenchmarkAddInline(b *testing.B) {
	d := New(Options{Workers: 1})
	closeAfter(b, d)
	for _, n := range []int{1, 10, 1000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := []int64{8}
			l := launcher(b, d, addProgram(tile.Float64), []int{n}, 0, s, s, s)
			b.SetBytes(int64(24 * n))
			run(b, d, l)
		})
	}
}

// BenchmarkFused is y = a*b + c with a uniform.
func BenchmarkFused(b *testing.B) {
	d := New(Options{Workers: 1})
	closeAfter(b, d)
	nb := tile.NewBuilder("fused", 1)
	t := nb.Do(tile.Mul, nb.Load(tile.Float64), nb.Load(tile.Float64))
	nb.Store(nb.Do(tile.Add, nb.Do(tile.Mul, t, nb.Uniform(tile.Float64)), nb.Load(tile.Float64)))
	s := []int64{8}
	l := launcher(b, d, nb.Program(), []int{1_000_000}, 0, s, s, s, s)
	l.Uniforms = []tile.Scalar{tile.FloatScalar(tile.Float64, 2)}
	b.SetBytes(32_000_000)
	run(b, d, l)
}

// BenchmarkStencil is one step on the inside of a 41x41 grid.
func BenchmarkStencil(b *testing.B) {
	d := New(Options{Workers: 1})
	closeAfter(b, d)
	nb := tile.NewBuilder("stencil", 2)
	sum := nb.Load(tile.Float64)
	for range 4 {
		sum = nb.Do(tile.Add, sum, nb.Load(tile.Float64))
	}
	nb.Store(nb.Do(tile.Mul, sum, nb.Uniform(tile.Float64)))
	s := []int64{41 * 8, 8}
	l := launcher(b, d, nb.Program(), []int{39, 39}, 0, s, s, s, s, s, s)
	l.Uniforms = []tile.Scalar{tile.FloatScalar(tile.Float64, 0.2)}
	run(b, d, l)
}

func BenchmarkSum(b *testing.B) {
	d := New(Options{Workers: 1})
	closeAfter(b, d)
	nb := tile.NewBuilder("sum", 1)
	nb.Reduce(tile.Sum, nb.Load(tile.Float64))
	n := 1_000_000
	l := launcher(b, d, nb.Program(), []int{n}, 1, []int64{8}, []int64{8})
	b.SetBytes(int64(8 * n))
	run(b, d, l)
}

// BenchmarkReduceAxis sums 1000x1000 along either axis, and rows of three.
func BenchmarkReduceAxis(b *testing.B) {
	d := New(Options{Workers: 1})
	closeAfter(b, d)
	nb := tile.NewBuilder("sum", 2)
	nb.Reduce(tile.Sum, nb.Load(tile.Float64))
	p := nb.Program()
	for _, c := range []struct {
		name    string
		shape   []int
		reduced tile.Axes
		out     []int64
	}{
		{"rows", []int{1000, 1000}, 2, []int64{8, 8}},
		{"columns", []int{1000, 1000}, 1, []int64{8000, 8}},
		{"short rows", []int{300_000, 3}, 2, []int64{8, 8}},
		{"short columns", []int{300_000, 3}, 1, []int64{24, 8}},
	} {
		b.Run(c.name, func(b *testing.B) {
			l := launcher(b, d, p, c.shape, c.reduced, []int64{int64(8 * c.shape[1]), 8}, c.out)
			b.SetBytes(int64(8 * c.shape[0] * c.shape[1]))
			run(b, d, l)
		})
	}
}

// BenchmarkProduct is a matrix product of two 512x512 matrices in C order.
func BenchmarkProduct(b *testing.B) {
	d := New(Options{Workers: 1})
	closeAfter(b, d)
	const n = 512
	nb := tile.NewBuilder("product", 3)
	nb.Reduce(tile.Sum, nb.Do(tile.Mul, nb.Load(tile.Float64), nb.Load(tile.Float64)))
	l := launcher(b, d, nb.Program(), []int{n, n, n}, 4, []int64{8 * n, 0, 8}, []int64{0, 8, 8 * n}, []int64{8 * n, 8, 8})
	l.Product = true
	run(b, d, l)
	b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func BenchmarkAlloc(b *testing.B) {
	d := New(Options{Workers: 1})
	closeAfter(b, d)
	b.ReportAllocs()
	for b.Loop() {
		buf, err := d.Alloc(8000)
		if err != nil {
			b.Fatal(err)
		}
		d.Free(buf)
	}
}

// BenchmarkQueued is a small launch on a worker, with the wait for it.
func BenchmarkQueued(b *testing.B) {
	d := New(Options{Workers: 1})
	closeAfter(b, d)
	s := []int64{8}
	l := launcher(b, d, addProgram(tile.Float64), []int{10}, 0, s, s, s)
	finished := make(chan error, 1)
	done := func(c tile.Completion) { finished <- c.Err }
	b.ReportAllocs()
	for b.Loop() {
		d.Launch(0, l, done)
		if err := <-finished; err != nil {
			b.Fatal(err)
		}
	}
}
