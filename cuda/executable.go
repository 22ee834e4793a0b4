package cuda

import (
	"runtime"
	"sync"
	"sync/atomic"

	"weft/cuda/driver"
	"weft/cuda/ptx"
	"weft/tile"
)

// executable is a program with the kernels that its launches have asked for.
type executable struct {
	d       *Device
	p       *tile.Program
	mu      sync.Mutex
	kernels map[ptx.Variant]*kernel
	forms   forms
	owned   *owned
	warm    atomic.Bool // the first of them has been settled
	name    string      // of the program in the folder of Cubins
	kept    bool        // in which there was a kernel of it
}

// kernel is a program in one variant, compiled or being so.
type kernel struct {
	text     *ptx.Kernel
	module   *driver.Module // of others, too
	function driver.Function
	err      error
	settled  atomic.Bool   // the fields above are final
	ready    chan struct{} // closed when they are
}

// Compile emits the program's text once, so that what is missing is found now. The driver compiles it for the first
// launch of each variant.
func (d *Device) Compile(p *tile.Program) (tile.Executable, error) {
	if err := tile.Check(p); err != nil {
		return nil, err
	}
	if d.transforms.knows(p) {
		return d.compileTransform(p)
	}
	if isDecomposition(p) && d.solvers.lacks(d, p) == "" {
		return d.compileSolver(p)
	}
	if p.Routine != "" {
		return d.compileRoutine(p)
	}
	text, err := ptx.Emit(p, ptx.Variant{Axes: p.Rank})
	if err != nil {
		return nil, err
	}
	x := &executable{d: d, p: p, kernels: map[ptx.Variant]*kernel{}, owned: &owned{}}
	if d.cubins != nil {
		x.name = programKey(ptx.Module(ptx.Target{}, text), d.dev.Info(), d.version)
		x.kept = d.cubins.get(x.name) != nil
	}
	// Launches hold the executable until they are done, so that no module is unloaded that still runs.
	runtime.AddCleanup(x, d.modules.drop, x.owned)
	return x, nil
}

// form checks and plans a launch, unless it has seen one like it.
func (x *executable) form(l *tile.Launch) (*form, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if f := x.forms.find(l); f != nil && !f.kernel.failed() {
		return f, nil
	} else if f != nil {
		x.forms.forget(f)
	}
	if err := tile.CheckLaunch(l); err != nil {
		return nil, err
	}
	v, s := ptx.Plan(l)
	k := x.kernel(v)
	if k.failed() {
		return nil, k.err
	}
	return x.forms.keep(l, k, v, s), nil
}

// failed reports whether the driver has refused the kernel.
func (k *kernel) failed() bool { return k.settled.Load() && k.err != nil }

// kernel returns the kernel of a variant, which is compiled while the caller goes on: again where the driver has
// refused it for a reason that passes, such as want of memory. The caller holds the mutex.
func (x *executable) kernel(v ptx.Variant) *kernel {
	k, fresh := x.wanted(v)
	if fresh {
		x.d.start([]making{{x, v, k}})
	}
	return k
}

// wanted returns the kernel of a variant, and whether the caller has to have it compiled. The caller holds the mutex.
func (x *executable) wanted(v ptx.Variant) (k *kernel, fresh bool) {
	k = x.kernels[v]
	if k == nil || k.failed() && !driver.IsRefused(k.err) {
		k, fresh = &kernel{ready: make(chan struct{})}, true
		x.kernels[v] = k
	}
	return k, fresh
}
