package cpu

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"weft/tile"
)

// routineOf makes a device with one routine and a function that launches it on a queue.
func routineOf(t *testing.T, workers int, code tile.Routine) (*Device, func(queue int) chan error) {
	t.Helper()
	d := New(Options{Workers: workers, Routines: tile.Routines{"test": func(*tile.Program) (tile.Routine, error) { return code, nil }}})
	b := tile.NewRoutine("test", "test")
	b.Param(tile.Out, tile.Float64)
	p := b.Program()
	exe, err := d.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	buf, err := d.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	return d, func(queue int) chan error {
		done := make(chan error, 1)
		d.Launch(queue, &tile.Launch{Exe: exe, Program: p, Args: []tile.Binding{{Buffer: buf}}}, func(c tile.Completion) { done <- c.Err })
		return done
	}
}

// A job that comes to a reserved core waits until it is back, then runs; what is inline doesn't.
func TestReservedCoresAreKept(t *testing.T) {
	const workers = 3
	var d *Device
	var launch func(int) chan error
	var first, inside atomic.Bool
	first.Store(true)
	var others []chan error
	d, launch = routineOf(t, workers, func(c *tile.Call) error {
		if !first.Swap(false) {
			if inside.Load() {
				t.Error("a job runs on a reserved core")
			}
			return nil
		}
		return c.Reserve(workers+5, func(cores int) error {
			if cores != workers {
				t.Errorf("%d of %d idle cores are reserved", cores, workers)
			}
			inside.Store(true)
			others = []chan error{launch(1), launch(2)}
			for d.cores.wanted.Load() < 2 {
				runtime.Gosched()
			}
			if n := d.cores.busy.Load(); n != workers {
				t.Errorf("%d cores are busy; the jobs that wait do not compute", n)
			}
			inside.Store(false)
			return nil
		})
	})
	defer d.Close()
	if err := <-launch(0); err != nil {
		t.Fatal(err)
	}
	for _, done := range others {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if d.cores.busy.Load() != 0 || d.cores.lent.Load() != 0 || d.cores.wanted.Load() != 0 {
		t.Errorf("after the last job, %d cores are busy, %d lent and %d wanted", d.cores.busy.Load(), d.cores.lent.Load(), d.cores.wanted.Load())
	}
}

// A helper that is recalled ends between two shares of its work, and the others do the rest.
func TestHelpersAreRecalled(t *testing.T) {
	const shares = 10
	var done []int
	s := newShared(shares, func(i int) error {
		done = append(done, i)
		return nil
	})
	s.help(func() bool { return len(done) == 3 })
	if !slices.Equal(done, []int{9, 8, 7}) {
		t.Errorf("a helper that was recalled after 3 shares did %v", done)
	}
	s.lead()
	if !slices.Equal(done, []int{9, 8, 7, 0, 1, 2, 3, 4, 5, 6}) {
		t.Fatalf("the shares %v were done, wanted each once", done)
	}
}
