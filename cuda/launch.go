package cuda

import (
	"errors"
	"fmt"

	"weft/cuda/driver"
	"weft/cuda/ptx"
	"weft/tile"
)

// run is a launch that has been checked.
type run struct {
	launch *tile.Launch
	kernel *kernel
	space  ptx.Space
	stop   *tile.Stop // of a launch with loops that can be told to stop
	slot   *faultSlot // from its start to its end

	blas    *multiplier     // that computes the launch, or that it is not yet known whether it can; nil is the kernel
	product *libraryProduct // for that
	err     error           // of a library that the user named

	outside outside // that a library computes beside kernels of its own; then there is no kernel
}

// outside is a launch that a library computes, with kernels for what that leaves out.
type outside interface {
	kernels() []*run
	submit(q *queue, r *run, e *driver.Event) (recorded bool, err error) // an event behind all
	checking() *run                                                      // the kernel whose failure is the launch's; nil is none
	end(d *Device) error                                                 // gives back what the launch had
}

// newRun checks a launch and finds its kernel, which may still have to be compiled.
func (d *Device) newRun(queue int, l *tile.Launch) (*run, error) {
	if x, ok := l.Exe.(*routine); ok && x.d == d && x.p == l.Program {
		made, err := x.threads(queue, l)
		if err != nil {
			return nil, err
		}
		l = made
	}
	if x, ok := l.Exe.(*transformed); ok && x.d == d && x.p == l.Program {
		return x.launch(queue, l)
	}
	if x, ok := l.Exe.(*solved); ok && x.d == d && x.p == l.Program {
		return x.launch(queue, l)
	}
	x, ok := l.Exe.(*executable)
	if !ok || x.d != d || x.p != l.Program {
		return nil, fmt.Errorf("%s: program %q was compiled for another device", d.info.Name, l.Program.Name)
	}
	f, err := x.form(l)
	if err != nil {
		return nil, err
	}
	r := &run{launch: l, kernel: f.kernel, space: f.space, stop: l.Stop}
	if r.space.Origin != nil {
		r.space.Origin = l.Origin
	}
	r.space.Lead(l)
	if f.library != nil && d.blas.open != nil && queue == computes { // which the library's handle is for
		if _, ok := f.library.at(l); ok {
			r.blas, r.product = &d.blas, f.library
			if d.blas.begin(d); d.blas.settled.Load() {
				r.settle() // so that where there is none, the kernel may go with others
			}
		}
	}
	return r, nil
}

// Form says in words in which form the device runs a checked launch.
func (d *Device) Form(l *tile.Launch) string {
	if _, ok := l.Exe.(*transformed); ok {
		return "Fourier transform, cuFFT"
	}
	if _, ok := l.Exe.(*solved); ok {
		return "linear algebra, cuSOLVER"
	}
	v, s := ptx.Plan(l)
	if v.Product > 0 && d.blas.settled.Load() {
		if there, _ := d.blas.use(); there && planLibrary(l.Program, &s) != nil {
			return "product of matrices, cuBLAS"
		}
	}
	return v.Form()
}

// compiled reports whether the kernel, or the library that takes its place, is there, or can't be. One that has
// kernels of its own may take milliseconds to plan what it does, and longer to do it.
func (r *run) compiled() bool {
	if r.outside != nil {
		return false
	}
	if r.blas != nil {
		if !r.blas.settled.Load() {
			return false
		}
		r.settle()
	}
	return r.blas != nil || r.err != nil || r.kernel.settled.Load()
}

// await waits for the kernel, or for the library.
func (r *run) await() {
	if r.outside != nil {
		for _, k := range r.outside.kernels() {
			k.await()
		}
		return
	}
	if r.blas != nil {
		<-r.blas.ready
		r.settle()
	}
	if r.blas == nil && r.err == nil {
		<-r.kernel.ready
	}
}

// settle leaves the launch to the kernel where there is no library.
func (r *run) settle() {
	var there bool
	if there, r.err = r.blas.use(); !there {
		r.blas = nil
	}
}

// submitRun starts a kernel, and records an event behind it; it reports whether it did.
func (q *queue) submitRun(r *run, e *driver.Event) (recorded bool, err error) {
	switch {
	case r.err != nil:
		return false, r.err
	case r.blas != nil:
		return false, r.blas.multiply(q.d, r.product, r.launch)
	case r.outside != nil:
		return r.outside.submit(q, r, e)
	case r.kernel.err != nil || r.space.Points == 0:
		return false, r.kernel.err
	}
	q.batch.Reset()
	if err := q.batchRun(r); err != nil {
		return false, err
	}
	if err := q.stream.LaunchAndRecord(&q.batch, e); err != nil {
		if driver.IsTooLarge(err) {
			return false, fmt.Errorf("program %q: its %d blocks of %d threads meet at grid barriers, and %s has no room for all at once; launch fewer, "+
				"each of whose threads takes more turns: %w", r.launch.Program.Name, r.launch.Grid.Count(), r.launch.Grid.BlockThreads(), q.d.info.Name, err)
		}
		return false, fmt.Errorf("program %q: %w", r.launch.Program.Name, err)
	}
	return true, nil
}

// batchRun puts the launch of a kernel, which is there, into the queue's batch.
func (q *queue) batchRun(r *run) (err error) {
	k := r.kernel
	var faults, stop uint64
	if k.text.Checks() {
		if r.slot == nil {
			if r.slot, err = q.d.slots.take(); err != nil {
				return err
			}
		}
		faults, stop = uint64(r.slot.faults), uint64(r.slot.stop)
		if r.stop.Stopped() {
			if err := q.d.slots.tell(r.slot); err != nil {
				return err
			}
		}
	}
	q.words = k.text.Words(q.words[:0], r.launch, r.space, faults, stop)
	grid, block := k.text.Grid(r.space, q.d.sms)
	shared := uint32(0)
	if r.launch.Program.Threads {
		grid, block, shared = ptx.GridOf(&r.launch.Grid)
	}
	q.batch.Add(k.function, grid, block, shared, q.words...)
	if k.text.Cooperates() {
		q.batch.Cooperate()
	}
	return nil
}

// finishRun returns what went wrong in a launch, of which err is known.
func (q *queue) finishRun(r *run, err error) error {
	if r.outside != nil {
		if q.d.usable() == nil {
			err = errors.Join(err, r.outside.end(q.d))
		}
		if check := r.outside.checking(); check != nil {
			r = check
		}
	}
	if r.slot == nil || q.d.usable() != nil {
		return err
	}
	return errors.Join(err, q.d.slots.give(r.slot, r.launch))
}
