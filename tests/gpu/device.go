package main

import (
	"fmt"
	"io"
	"time"

	"weft/cuda"
	"weft/tile"
)

// rig is weft's own device, with large arrays on it.
type rig struct {
	*cuda.Device
	w      io.Writer
	copied float64 // bytes a second of a copy, for comparison
}

// kernel is a program over large arrays, and the bytes that it has to move at the least.
type kernel struct {
	name  string
	p     *tile.Program
	shape []int
	args  []layout
	bytes float64
	sums  tile.Axes // the axes that are reduced
	flops float64   // of a product of matrices, its products and sums
}

// layout is where a parameter lies in array number array: elements from offset on, strides in elements.
type layout struct {
	array   int
	offset  int
	strides []int
}

const (
	arrayBytes = 512 << 20
	side       = 8192 // of two-dimensional arrays, which float64 fills one of
)

// measureDevice writes what launches through weft's device cost, beside a copy of so many bytes a second.
func measureDevice(w io.Writer, copied float64) error {
	d, err := cuda.Open(0, cuda.Options{Epoch: time.Now()})
	if err != nil {
		return err
	}
	r := &rig{d, w, copied}
	if err := r.latency(); err != nil {
		return err
	}
	if err := compiling(w); err != nil {
		return err
	}
	var arrays []tile.Buffer
	for range 4 {
		b, err := d.Alloc(arrayBytes)
		if err != nil {
			return err
		}
		arrays = append(arrays, b)
	}
	if err := r.hostCopies(arrays[0]); err != nil {
		return err
	}
	for _, k := range kernels() {
		if err := r.run(k, arrays); err != nil {
			return fmt.Errorf("measure: %s: %w", k.name, err)
		}
	}
	if err := r.grids(arrays); err != nil {
		return err
	}
	for _, b := range arrays {
		d.Free(b)
	}
	return d.Close()
}

// kernels lists what is measured.
func kernels() []kernel {
	var all []kernel
	for _, t := range []tile.DType{tile.Float64, tile.Float32, tile.Float16, tile.Uint8} {
		b := tile.NewBuilder("add", 1)
		b.Store(b.Do(tile.Add, b.Load(t), b.Load(t)))
		n := arrayBytes / t.Size()
		all = append(all, kernel{fmt.Sprintf("a + b, %v", t), b.Program(), []int{n}, []layout{{0, 0, []int{1}}, {1, 0, []int{1}}, {2, 0, []int{1}}}, 3 * arrayBytes, 0, 0})
	}
	for _, t := range []tile.DType{tile.Float64, tile.Float32, tile.Float16} {
		b := tile.NewBuilder("shifted", 1)
		b.Store(b.Do(tile.Add, b.Load(t), b.Load(t)))
		n := arrayBytes/t.Size() - 1
		all = append(all, kernel{fmt.Sprintf("a[1:] + b[:-1], %v", t), b.Program(), []int{n}, []layout{{0, 1, []int{1}}, {1, 0, []int{1}}, {2, 0, []int{1}}}, 3 * arrayBytes, 0, 0})
	}
	for _, op := range []tile.Opcode{tile.Exp, tile.Sin, tile.Log, tile.Erf} {
		for _, t := range []tile.DType{tile.Float64, tile.Float32} {
			b := tile.NewBuilder("function", 1)
			b.Store(b.Do(op, b.Load(t)))
			all = append(all, kernel{fmt.Sprintf("%v, %v", op, t), b.Program(), []int{arrayBytes / t.Size()}, []layout{{0, 0, []int{1}}, {1, 0, []int{1}}}, 2 * arrayBytes, 0, 0})
		}
	}
	for _, t := range []tile.DType{tile.Float64, tile.Float32} {
		b := tile.NewBuilder("copy", 2)
		b.Store(b.Load(t))
		all = append(all, kernel{fmt.Sprintf("transposed, %v", t), b.Program(), []int{side, side}, []layout{{0, 0, []int{1, side}}, {1, 0, []int{side, 1}}}, float64(2 * side * side * t.Size()), 0, 0})
		b = tile.NewBuilder("sum", 1)
		b.Reduce(tile.Sum, b.Load(t))
		sum, n, one := b.Program(), arrayBytes/t.Size(), []layout{{0, 0, []int{1}}, {1, 0, []int{1}}}
		parts := n / tile.BlockShape([]int{n}, 1)[0]
		all = append(all,
			kernel{fmt.Sprintf("sum, %v (its first pass)", t), sum, []int{n}, one, arrayBytes, 1, 0},
			kernel{fmt.Sprintf("sum, %v (its second pass)", t), sum, []int{parts}, one, float64(parts * t.Size()), 1, 0})
	}
	return append(all, heat(), grayScott(), matrices(tile.Float64), matrices(tile.Float32), matrices(tile.Complex64))
}

// inner has the shape of a plane without its rim, and around the layout shifted by rows and columns.
var inner = []int{side - 2, side - 2}

func around(array, rows, columns int) layout {
	return layout{array, (1+rows)*side + 1 + columns, []int{side, 1}}
}

// cross loads a point and its four neighbours.
func cross(b *tile.Builder, t tile.DType, array int, args *[]layout) (centre, sum tile.Value) {
	centre = b.Load(t)
	*args = append(*args, around(array, 0, 0))
	for i, at := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		v := b.Load(t)
		*args = append(*args, around(array, at[0], at[1]))
		if i == 0 {
			sum = v
		} else {
			sum = b.Do(tile.Add, sum, v)
		}
	}
	return centre, sum
}

// heat is u[1:-1, 1:-1] = 0.2 * (the point and its neighbours), of float64.
func heat() kernel {
	b := tile.NewBuilder("heat", 2)
	var args []layout
	centre, sum := cross(b, tile.Float64, 0, &args)
	b.Store(b.Do(tile.Mul, b.Const(tile.FloatScalar(tile.Float64, 0.2)), b.Do(tile.Add, centre, sum)))
	args = append(args, around(1, 0, 0))
	return kernel{"heat stencil, float64", b.Program(), inner, args, 16 * side * side, 0, 0}
}

// grayScott is a step of two float32 species.
func grayScott() kernel {
	b := tile.NewBuilder("gray_scott", 2)
	number := func(v float64) tile.Value { return b.Const(tile.FloatScalar(tile.Float32, v)) }
	var args []layout
	u, aroundU := cross(b, tile.Float32, 0, &args)
	v, aroundV := cross(b, tile.Float32, 1, &args)
	uvv := b.Do(tile.Mul, u, b.Do(tile.Mul, v, v))
	step := func(x, around tile.Value, rate float64, change tile.Value) {
		laplacian := b.Do(tile.Sub, around, b.Do(tile.Mul, number(4), x))
		b.Store(b.Do(tile.Add, x, b.Do(tile.Add, b.Do(tile.Mul, number(rate), laplacian), change)))
	}
	step(u, aroundU, 0.16, b.Do(tile.Sub, b.Do(tile.Mul, number(0.06), b.Do(tile.Sub, number(1), u)), uvv))
	args = append(args, around(2, 0, 0))
	step(v, aroundV, 0.08, b.Do(tile.Sub, uvv, b.Do(tile.Mul, number(0.122), v)))
	args = append(args, around(3, 0, 0))
	return kernel{"Gray-Scott step, float32", b.Program(), inner, args, 16 * side * side, 0, 0}
}

// matrices is a @ b, of matrices that lie row by row.
func matrices(t tile.DType) kernel {
	const n = 4096
	b := tile.NewBuilder("product", 3)
	b.Reduce(tile.Sum, b.Do(tile.Mul, b.Load(t), b.Load(t)))
	flops := 2.0 * n * n * n
	if t.Is(tile.KindComplex) {
		flops *= 4
	}
	return kernel{name: fmt.Sprintf("product, %v", t), p: b.Program(), shape: []int{n, n, n}, sums: 0b100, flops: flops, bytes: float64(3 * n * n * t.Size()),
		args: []layout{{0, 0, []int{n, 0, 1}}, {1, 0, []int{0, 1, n}}, {2, 0, []int{n, 1, 0}}}}
}

// launch makes the launch of a kernel.
func (k *kernel) launch(d tile.Device, arrays []tile.Buffer) (*tile.Launch, error) {
	exe, err := d.Compile(k.p)
	if err != nil {
		return nil, err
	}
	l := &tile.Launch{Exe: exe, Program: k.p, Shape: k.shape, Origin: make([]int, len(k.shape))}
	if k.sums != 0 {
		l.Block, l.Reduced, l.Product = tile.BlockShape(k.shape, k.sums), k.sums, k.flops > 0
	}
	for i, a := range k.args {
		size := k.p.Params[i].Type.Size()
		bind := tile.Binding{Buffer: arrays[a.array], Offset: int64(a.offset * size)}
		for _, s := range a.strides {
			bind.Strides = append(bind.Strides, int64(s*size))
		}
		l.Args = append(l.Args, bind)
	}
	return l, tile.CheckLaunch(l)
}

// run writes the bandwidth of a kernel: the least of several turns by the device's clock, also as a part of a copy's,
// the form of its launch, and what a turn of ten takes the host.
func (r *rig) run(k kernel, arrays []tile.Buffer) error {
	for _, array := range arrays[:2] {
		if err := r.fill(array, k.p.Params[0].Type); err != nil {
			return err
		}
	}
	l, err := k.launch(r, arrays)
	if err != nil {
		return err
	}
	const turns = 10
	least, host := time.Duration(1<<62), time.Duration(1<<62)
	for range 3 {
		start := time.Now()
		ended, err := r.several(l, turns)
		if err != nil {
			return err
		}
		host = min(host, time.Since(start)/turns)
		for _, c := range ended {
			least = min(least, time.Duration(c.End-c.Start))
		}
	}
	if k.flops > 0 {
		fmt.Fprintf(r.w, "%-36s %9.1f TFLOP/s %28.1f us; %s\n", k.name, k.flops/least.Seconds()/1e12, least.Seconds()*1e6, r.Form(l))
		return nil
	}
	fmt.Fprintf(r.w, "%-36s %9.1f GB/s, %.2f of a copy %10.1f us, %.1f GB/s by the host's clock; %s\n", k.name,
		k.bytes/least.Seconds()/1e9, k.bytes/least.Seconds()/r.copied, least.Seconds()*1e6, k.bytes/host.Seconds()/1e9, r.Form(l))
	return nil
}

// fill writes numbers from 0 to 1 into an array; their size costs some functions time.
func (r *rig) fill(array tile.Buffer, t tile.DType) error {
	b := tile.NewBuilder("fill", 1)
	v := b.Cast(t, b.Do(tile.And, b.Index(0), b.Const(tile.IntScalar(tile.Int64, 1023))))
	if t.Is(tile.KindFloat) {
		v = b.Do(tile.Mul, v, b.Const(tile.FloatScalar(t, 1.0/1024)))
	}
	b.Store(v)
	k := kernel{"", b.Program(), []int{arrayBytes / t.Size()}, []layout{{0, 0, []int{1}}}, 0, 0, 0}
	l, err := k.launch(r, []tile.Buffer{array})
	if err == nil {
		_, err = r.several(l, 1)
	}
	return err
}

// several launches n times without waiting in between, and waits for all.
func (r *rig) several(l *tile.Launch, n int) ([]tile.Completion, error) {
	done := make(chan tile.Completion, n)
	for range n {
		r.Launch(0, l, func(c tile.Completion) { done <- c })
	}
	var all []tile.Completion
	for range n {
		c := <-done
		if c.Err != nil {
			return nil, c.Err
		}
		all = append(all, c)
	}
	return all, nil
}

// latency writes what small work costs.
func (r *rig) latency() error {
	b, err := r.Alloc(1 << 16)
	if err != nil {
		return err
	}
	defer r.Free(b)
	builder := tile.NewBuilder("small", 1)
	builder.Store(builder.Do(tile.Add, builder.Load(tile.Float64), builder.Const(tile.FloatScalar(tile.Float64, 1))))
	k := kernel{"", builder.Program(), []int{1000}, []layout{{0, 0, []int{1}}, {0, 1000, []int{1}}}, 0, 0, 0}
	l, err := k.launch(r, []tile.Buffer{b})
	if err != nil {
		return err
	}
	for _, n := range []int{1, 64, 1000} {
		least := time.Duration(1 << 62)
		for range 7 {
			start := time.Now()
			if _, err := r.several(l, n); err != nil {
				return err
			}
			least = min(least, time.Since(start))
		}
		fmt.Fprintf(r.w, "%-52s %9.2f us\n", fmt.Sprintf("weft: small launch and done, of %d at once", n), least.Seconds()*1e6/float64(n))
	}
	least := time.Duration(1 << 62)
	for range 7 {
		start := time.Now()
		for range 100 {
			x, err := r.Alloc(1 << 20)
			if err != nil {
				return err
			}
			r.Free(x)
		}
		least = min(least, time.Since(start))
	}
	fmt.Fprintf(r.w, "%-52s %9.2f us\n", "weft: alloc and free of 1 MiB", least.Seconds()*1e6/100)
	return nil
}
