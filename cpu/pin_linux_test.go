package cpu

import (
	"runtime"
	"testing"

	"weft/tile"
)

// Workers are pinned where they are as many as the CPUs, on large launches, but not on those that
// might call a library.
func TestWhatIsPinned(t *testing.T) {
	all := allowed()
	if Pins(len(all)+1) != nil || len(Pins(len(all))) != len(all) {
		t.Errorf("of %d CPUs, %v are for as many workers and %v for one more", len(all), Pins(len(all)), Pins(len(all)+1))
	}
	d, free := New(Options{Workers: len(all)}), New(Options{Workers: len(all), Unpinned: true})
	defer d.Close()
	defer free.Close()
	x, err := compile(addProgram(tile.Float64), d.table, d.micros, d.routines)
	if err != nil {
		t.Fatal(err)
	}
	small, large := &tile.Launch{Program: x.program, Shape: []int{100, 1000}}, &tile.Launch{Program: x.program, Shape: []int{300, 1000}}
	product := &tile.Launch{Program: x.program, Shape: large.Shape, Product: true}
	for _, c := range []struct {
		d     *Device
		queue int
		x     *executable
		l     *tile.Launch
		want  bool
	}{
		{d, 0, x, large, true}, {d, 0, x, small, false}, {d, tile.Inline, x, large, false}, {free, 0, x, large, false},
		{d, 0, x, product, false},
	} {
		if got := c.d.pinned(c.queue, c.x, c.l); got != c.want {
			t.Errorf("queue %d, shape %v, product %v, pins %v: pinned is %v", c.queue, c.l.Shape, c.l.Product, c.d.Pins(), got)
		}
	}
}

// On a CPU, the thread may run there alone, and afterwards where it could before; where the thread has
// been bound to others in the meantime, that holds.
func TestOnCPU(t *testing.T) {
	all := allowed()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, ok := affinity(0)
	if !ok {
		t.Fatal("the thread has no CPUs")
	}
	defer bind(&before)
	only := func(m mask, cpu int) bool {
		m[cpu/64] ^= 1 << (cpu % 64)
		return m == mask{}
	}
	for _, cpu := range all {
		if err := onCPU(cpu, func() error {
			if m, _ := affinity(0); !only(m, cpu) {
				t.Errorf("not pinned to CPU %d alone", cpu)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if m, _ := affinity(0); m != before {
			t.Error("the thread has not got its CPUs back")
		}
	}
	var first mask
	first[all[0]/64] = 1 << (all[0] % 64)
	if !bind(&first) {
		t.Fatal("the thread cannot be bound")
	}
	for _, cpu := range all {
		if err := onCPU(cpu, func() error {
			if m, _ := affinity(0); !only(m, all[0]) {
				t.Errorf("pinned to CPU %d, though the thread was bound to %d", cpu, all[0])
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
}
