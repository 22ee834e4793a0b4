//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"testing"
	"time"

	"weft/cpu"
	"weft/cuda/driver"
	"weft/tile"
	"weft/tile/tiletest"
)

// TestRoutines compares what named routines write on the device with the CPU's, bit by bit.
func TestRoutines(t *testing.T) {
	if fake != nil {
		needFake(t)
	}
	d, twin := open(t, 0), cpu.New(cpu.Options{Workers: 1, Epoch: time.Now()})
	tiletest.Routines(t, 3, d, twin)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	twin.Close()
}

// A routine that is told to stop leaves its loops, and those that come after it run.
func TestStopOfARoutine(t *testing.T) {
	needFake(t)
	d := open(t, 0)
	b := tile.NewRoutine("position", "position")
	for _, dir := range []tile.Dir{tile.In, tile.In} {
		b.Param(dir, tile.Uint8)
	}
	b.Param(tile.Out, tile.Int64)
	p := b.Program()
	exe, err := d.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	const n = 5 << 20 // so many that each thread takes more turns than it takes between two looks at the stop word
	l := &tile.Launch{Exe: exe, Program: p}
	for _, size := range []int64{n, 1, 8} {
		buf, err := d.Alloc(size)
		if err != nil {
			t.Fatal(err)
		}
		l.Args = append(l.Args, tile.Binding{Buffer: buf, Strides: make([]int64, 3)})
	}
	x := make([]byte, n)
	if err := errors.Join(d.dev.CopyIn(driver.Address(l.Args[0].Buffer.Handle), x), d.dev.CopyIn(driver.Address(l.Args[1].Buffer.Handle), []byte{1}), d.dev.Synchronize()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n     int
		stops bool
	}{{n, true}, {5000, false}} {
		l.Stop = new(tile.Stop)
		if c.stops {
			l.Stop.Set()
		}
		l.Args[0].Shape, l.Args[0].Strides = []int{1, c.n, 1}, []int64{int64(c.n), 1, 1}
		l.Args[1].Shape, l.Args[2].Shape = []int{1, 1, 1}, []int{1, 1, 1}
		err := wait(func(done func(tile.Completion)) { d.Launch(computes, l, done) })
		if c.stops != errors.Is(err, tile.ErrStopped) || !c.stops && err != nil {
			t.Errorf("stop %v: got %v", c.stops, err)
		}
	}
	for i := range l.Args {
		d.Free(l.Args[i].Buffer)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
