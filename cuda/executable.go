package cuda

import (
	"errors"
	"fmt"
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
}

// kernel is a program in one variant, compiled or being so.
type kernel struct {
	text     *ptx.Kernel
	module   *driver.Module
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
	if _, err := ptx.Emit(p, ptx.Variant{Axes: p.Rank}); err != nil {
		return nil, err
	}
	x := &executable{d: d, p: p, kernels: map[ptx.Variant]*kernel{}, owned: &owned{}}
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

// kernel returns the kernel of a variant, which a goroutine of its own compiles: again where the driver has refused it
// for a reason that passes, such as want of memory. The caller holds the mutex.
func (x *executable) kernel(v ptx.Variant) *kernel {
	k := x.kernels[v]
	if k == nil || k.failed() && !driver.IsRefused(k.err) {
		k = &kernel{ready: make(chan struct{})}
		x.kernels[v] = k
		x.d.modules.compiling.Go(func() { x.make(k, v) })
	}
	return k
}

// make compiles a kernel.
func (x *executable) make(k *kernel, v ptx.Variant) {
	defer close(k.ready)
	defer k.settled.Store(true)
	if k.text, k.err = ptx.Emit(x.p, v); k.err != nil {
		return
	}
	if k.err = x.d.usable(); k.err != nil {
		return
	}
	if err := x.d.modules.sweep(); err != nil {
		k.err = x.d.note(fmt.Errorf("%s: before program %q is compiled, modules of others are unloaded that nothing uses any more: %w", x.d.info.Name, x.p.Name, err))
		return
	}
	m, err := x.d.load(ptx.Module(ptx.Target{}, k.text))
	if err != nil {
		k.err = x.d.note(fmt.Errorf("%s cannot compile program %q: %w", x.d.info.Name, x.p.Name, err))
		return
	}
	x.d.modules.add(x.owned, m)
	k.module = m
	if k.function, err = m.Function(k.text.Name); err != nil {
		k.err = x.d.note(fmt.Errorf("%s: %w", x.d.info.Name, err))
	}
}

// modules are all that the driver has compiled for a device and not unloaded.
type modules struct {
	compiling sync.WaitGroup

	mu      sync.Mutex
	live    map[*owned]bool
	dropped []*owned // whose executable is gone
}

// owned are the modules of one executable.
type owned struct{ modules []*driver.Module }

func (m *modules) add(o *owned, module *driver.Module) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live == nil {
		m.live = map[*owned]bool{}
	}
	m.live[o] = true
	o.modules = append(o.modules, module)
}

// drop is told by the collector that an executable is gone. The next compilation unloads its modules: the collector's
// goroutine is not for that.
func (m *modules) drop(o *owned) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live[o] {
		m.dropped = append(m.dropped, o)
	}
}

// sweep unloads the modules of executables that are gone.
func (m *modules) sweep() error {
	m.mu.Lock()
	dropped := m.dropped
	m.dropped = nil
	for _, o := range dropped {
		delete(m.live, o)
	}
	m.mu.Unlock()
	var errs []error
	for _, o := range dropped {
		for _, module := range o.modules {
			errs = append(errs, module.Unload())
		}
	}
	return errors.Join(errs...)
}

// close unloads all.
func (m *modules) close() error {
	m.compiling.Wait()
	m.mu.Lock()
	m.dropped = m.dropped[:0]
	for o := range m.live {
		m.dropped = append(m.dropped, o)
	}
	m.mu.Unlock()
	return m.sweep()
}
