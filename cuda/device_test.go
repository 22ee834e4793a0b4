//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"os"
	"testing"
	"time"

	"weft/cuda/driver"
	"weft/cuda/driver/fakecuda"
	"weft/cuda/ptx"
	"weft/tile"
	"weft/tile/tiletest"
)

// onGPU is set where the tests are to run on the machine's GPU: WEFT_TEST_GPU=1. They run on the fake driver otherwise.
func onGPU() bool { return os.Getenv("WEFT_TEST_GPU") == "1" }

// fake is the driver that the tests run on; nil on a GPU.
var fake *fakecuda.Driver

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if !onGPU() {
			lib, err := fakecuda.Build()
			if err == nil {
				os.Setenv("WEFT_LIBCUDA", lib)
				os.Setenv("FAKECUDA_SMS", "4") // the grids of full launches are as large as the device: small ones test as much
				fake, err = fakecuda.Open(lib)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
		if r := driver.Probe(); r.Problem != "" {
			fmt.Fprintln(os.Stderr, r)
			return 1
		}
		return m.Run()
	}())
}

// needFake skips a test that only the fake driver can be used for, and makes sure that the driver had nothing to say
// against the test.
func needFake(t *testing.T) {
	t.Helper()
	if fake == nil {
		t.Skip("needs the fake driver")
	}
	fake.Ledger()
	t.Cleanup(func() {
		fake.Faults("")
		fake.Seed(0)
		for _, line := range fake.Ledger() {
			t.Error(line)
		}
	})
}

func open(t testing.TB, ordinal int) *Device {
	t.Helper()
	d, err := Open(ordinal, Options{Epoch: time.Now(), Memory: 256 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestConformance holds every opcode, dtype, layout and reduction against the reference device.
func TestConformance(t *testing.T) {
	if fake != nil {
		needFake(t)
	}
	tiletest.Run(t, func() tile.Device { return open(t, 0) })
}

// TestOrders runs what depends on the order of queues in twenty orders, on one device and on two.
func TestOrders(t *testing.T) {
	needFake(t)
	var answers tiletest.Answers
	for seed := range uint64(10) {
		for _, devices := range []int{1, 2} {
			opened := 0
			fake.Seed(seed)
			t.Run(fmt.Sprintf("seed %d, devices %d", seed, devices), func(t *testing.T) {
				answers.Run(t, func() tile.Device {
					opened++
					return open(t, opened%devices)
				}, "in place", "stop", "out of bounds", "queues", "ordered", "concurrent", "copy")
			})
		}
	}
}

// axpy is a program over n float64: p1 = p0*2.5 + p1.
func axpy(n int) (*tile.Program, *tile.Launch) {
	b := tile.NewBuilder("axpy", 1)
	x, y := b.Load(tile.Float64), b.Load(tile.Float64)
	b.Store(b.Do(tile.Add, b.Do(tile.Mul, x, b.Const(tile.FloatScalar(tile.Float64, 2.5))), y))
	p := b.Program()
	return p, &tile.Launch{Program: p, Shape: []int{n}, Origin: []int{0}, Args: make([]tile.Binding, len(p.Params))}
}

// BenchmarkLaunch launches a small program many times on queue 0; each waits for the one before in the queue's order
// alone.
func BenchmarkLaunch(b *testing.B) {
	d := open(b, 0)
	defer d.Close()
	const n = 1000
	p, l := axpy(n)
	exe, err := d.Compile(p)
	if err != nil {
		b.Fatal(err)
	}
	l.Exe = exe
	for i := range l.Args {
		buf, err := d.Alloc(8 * n)
		if err != nil {
			b.Fatal(err)
		}
		l.Args[i] = tile.Binding{Buffer: buf, Strides: []int64{8}}
	}
	for _, depth := range []int{1, 64} {
		b.Run(map[int]string{1: "one at a time", 64: "64 under way"}[depth], func(b *testing.B) {
			tokens := make(chan error, depth)
			for range depth {
				tokens <- nil
			}
			for b.Loop() {
				if err := <-tokens; err != nil {
					b.Fatal(err)
				}
				d.Launch(computes, l, func(c tile.Completion) { tokens <- c.Err })
			}
			for range depth {
				<-tokens
			}
		})
	}
}

// BenchmarkPass measures the bandwidth of the memory as a copy within the device and as programs use it.
func BenchmarkPass(b *testing.B) {
	d, err := Open(0, Options{Epoch: time.Now()})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	n := 1 << 27 // of float64: 1 GiB each
	if int64(n)*24 > d.Info().Memory {
		n = int(d.Info().Memory / 32)
	}
	var buffers []tile.Buffer
	for range 3 {
		buf, err := d.Alloc(8 * int64(n))
		if err != nil {
			b.Fatal(err)
		}
		buffers = append(buffers, buf)
	}
	wait := make(chan tile.Completion, 1)
	done := func(c tile.Completion) { wait <- c }
	check := func(b *testing.B) {
		if c := <-wait; c.Err != nil {
			b.Fatal(c.Err)
		}
	}
	b.Run("copy", func(b *testing.B) {
		b.SetBytes(16 * int64(n))
		for b.Loop() {
			d.Copy(copyIn, &tile.Transfer{Dst: buffers[0], DstDev: d, Src: buffers[1], SrcDev: d, Bytes: 8 * int64(n)}, done)
			check(b)
		}
	})
	for name, dtype := range map[string]tile.DType{"add float64": tile.Float64, "add float32": tile.Float32, "add float16": tile.Float16, "add int8": tile.Int8} {
		nb := tile.NewBuilder("add", 1)
		nb.Store(nb.Do(tile.Add, nb.Load(dtype), nb.Load(dtype)))
		p := nb.Program()
		exe, err := d.Compile(p)
		if err != nil {
			b.Fatal(err)
		}
		l := &tile.Launch{Program: p, Exe: exe, Shape: []int{n}, Origin: []int{0}}
		for i := range p.Params {
			l.Args = append(l.Args, tile.Binding{Buffer: buffers[i], Strides: []int64{int64(dtype.Size())}})
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(3 * int64(n) * int64(dtype.Size()))
			for b.Loop() {
				d.Launch(computes, l, done)
				check(b)
			}
		})
	}
}

// BenchmarkRead copies eight bytes to the host and waits, as a program does that reads a value in each turn.
func BenchmarkRead(b *testing.B) {
	d := open(b, 0)
	defer d.Close()
	ref := tile.NewReference(0, time.Now(), nil)
	defer ref.Close()
	buf, err := d.Alloc(8)
	if err != nil {
		b.Fatal(err)
	}
	host, err := ref.Alloc(8)
	if err != nil {
		b.Fatal(err)
	}
	wait := make(chan tile.Completion, 1)
	for b.Loop() {
		d.Copy(copyOut, &tile.Transfer{Dst: host, Src: buf, SrcDev: d, Bytes: 8}, func(c tile.Completion) { wait <- c })
		if c := <-wait; c.Err != nil {
			b.Fatal(c.Err)
		}
	}
}

// BenchmarkAlloc allocates and frees as a loop does, and afresh.
func BenchmarkAlloc(b *testing.B) {
	d := open(b, 0)
	defer d.Close()
	for b.Loop() {
		buf, err := d.Alloc(1 << 20)
		if err != nil {
			b.Fatal(err)
		}
		d.Free(buf)
	}
}

// BenchmarkCompile has the driver compile a small program that it has not seen before: each has a constant of its own.
func BenchmarkCompile(b *testing.B) {
	d := open(b, 0)
	defer d.Close()
	seed := float64(time.Now().UnixNano())
	for b.Loop() {
		seed += 1000
		nb := tile.NewBuilder("fresh", 1)
		nb.Store(nb.Do(tile.Add, nb.Load(tile.Float64), nb.Const(tile.FloatScalar(tile.Float64, seed))))
		exe, err := d.Compile(nb.Program())
		if err != nil {
			b.Fatal(err)
		}
		x := exe.(*executable)
		x.mu.Lock()
		k := x.kernel(ptx.Variant{Axes: 1})
		x.mu.Unlock()
		if <-k.ready; k.err != nil {
			b.Fatal(k.err)
		}
	}
}
