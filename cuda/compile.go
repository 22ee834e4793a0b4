package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"weft/cuda/ptx"
	"weft/tile"
)

// Kernels are compiled beside what goes on: each that a launch asks for by itself, and those that are known to be
// needed together (Prepare) a few modules at a time, so that the driver loads and links as many times as there are
// compilers.
//
//	Prepare(a, b, c, d, e)    two compilers      module 1: a b c     module 2: d e
//	Launch(f)                                    module 3: f
//
// Which kernels are in a module follows from the launches and from what was asked for before them: another process that
// has the same launches finds the same modules in the folder of Cubins. With one GPU it may have others, since which
// ops the CPUs run while kernels are compiled depends on when these are there; what it does not find it compiles.

// making is a kernel that is to be compiled, of an executable in a variant.
type making struct {
	x *executable
	v ptx.Variant
	k *kernel
}

// compilers is how many modules are compiled at a time where Options say nothing: half of the processors are left to
// others.
func compilers() int { return max(1, runtime.NumCPU()/2) }

// Prepare has the kernels compiled that launches need, and which nothing has asked for. Their buffers may be only like
// those of the launches that come. What does not pass the checks is left to its launch, which says why.
func (d *Device) Prepare(launches []*tile.Launch) {
	var all []making
	for _, l := range launches {
		x, ok := l.Exe.(*executable)
		if !ok || x.d != d || x.p != l.Program || tile.CheckLaunch(l) != nil {
			continue
		}
		v, _ := ptx.Plan(l)
		x.mu.Lock()
		if k, fresh := x.wanted(v); fresh {
			all = append(all, making{x, v, k})
		}
		x.mu.Unlock()
	}
	if len(all) == 0 {
		return
	}
	modules := min(len(all), cap(d.modules.compilers))
	for part := range slices.Chunk(all, (len(all)+modules-1)/modules) {
		d.start(part)
	}
}

// Compiled waits until nothing is being compiled: gpu measure times that.
func (d *Device) Compiled() { d.modules.compiling.Wait() }

// Unmade reports whether a program has no kernel yet, compiled or kept.
func (d *Device) Unmade(exe tile.Executable) bool {
	x, ok := exe.(*executable)
	return ok && !x.warm.Load()
}

// Cold reports whether the first kernel of a program is still to be compiled, so that a launch would wait for it. It is
// not where a process has kept one, which is there in a millisecond; a launch that needs another one waits
// nevertheless.
func (d *Device) Cold(exe tile.Executable) bool { return d.Unmade(exe) && !exe.(*executable).kept }

// start compiles kernels, on a goroutine of its own, as one module.
func (d *Device) start(all []making) {
	d.modules.compiling.Go(func() {
		d.modules.compilers <- struct{}{}
		defer func() { <-d.modules.compilers }()
		d.make(all)
	})
}

// make compiles kernels. If the driver does not take all together, it is given each by itself, which then has the error
// that is its own.
func (d *Device) make(all []making) {
	defer func() {
		for _, m := range all {
			m.k.settled.Store(true)
			m.x.warm.Store(true)
			close(m.k.ready)
		}
	}()
	var named []making
	names := map[string]bool{}
	for _, m := range all {
		if m.k.text, m.k.err = ptx.Emit(m.x.p, m.v); m.k.err != nil {
			continue
		}
		name := m.k.text.Name
		for i := 2; names[m.k.text.Name]; i++ { // a program may be called f_2 as well
			m.k.text = m.k.text.Named(fmt.Sprintf("%s_%d", name, i))
		}
		names[m.k.text.Name] = true
		named = append(named, m)
	}
	if len(named) == 0 {
		return
	}
	err := d.usable()
	if err == nil {
		if err = d.modules.sweep(); err != nil {
			err = d.note(fmt.Errorf("%s: before program %q is compiled, modules of others are unloaded that nothing uses any more: %w", d.info.Name, named[0].x.p.Name, err))
		}
	}
	if err != nil {
		for _, m := range named {
			m.k.err = err
		}
		return
	}
	if err = d.loadKernels(named); err == nil || len(named) == 1 {
		return
	}
	for i := range named {
		_ = d.loadKernels(named[i : i+1]) // the kernel has the error
	}
}

// loadKernels makes a module of kernels and finds them in it. Each has the error, which is returned as well.
func (d *Device) loadKernels(all []making) error {
	var texts []*ptx.Kernel
	for _, m := range all {
		texts = append(texts, m.k.text)
	}
	loaded, kept, err := d.load(ptx.Module(ptx.Target{}, texts...))
	if err == nil {
		of := &module{Module: loaded}
		for _, m := range all {
			d.modules.add(m.x.owned, of)
		}
		var errs []error
		for _, m := range all {
			m.k.module = loaded
			m.k.function, m.k.err = of.Function(m.k.text.Name)
			if m.k.err != nil {
				m.k.err = d.note(fmt.Errorf("%s: %w", d.info.Name, m.k.err))
			}
			errs = append(errs, m.k.err)
			if kept && m.k.err == nil && !m.x.kept {
				d.cubins.put(m.x.name, nil)
			}
		}
		return errors.Join(errs...)
	}
	for _, m := range all {
		m.k.err = d.note(fmt.Errorf("%s cannot compile program %q: %w", d.info.Name, m.x.p.Name, err))
	}
	return err
}
