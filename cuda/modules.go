package cuda

import (
	"errors"
	"sync"

	"weft/cuda/driver"
)

// modules are all that the driver has compiled for a device and not unloaded.
type modules struct {
	compiling sync.WaitGroup
	compilers chan struct{} // one for each module that is being compiled

	mu      sync.Mutex
	live    map[*owned]bool
	dropped []*owned // whose executable is gone
}

// owned are the modules of one executable. A module may be several executables'.
type owned struct{ modules []*module }

// module is unloaded when no executable has a kernel in it.
type module struct {
	*driver.Module
	users int
}

// add makes a module that of an executable, too.
func (m *modules) add(o *owned, of *module) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live == nil {
		m.live = map[*owned]bool{}
	}
	m.live[o] = true
	o.modules = append(o.modules, of)
	of.users++
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
	var unused []*module
	for _, o := range m.dropped {
		delete(m.live, o)
		for _, of := range o.modules {
			if of.users--; of.users == 0 {
				unused = append(unused, of)
			}
		}
	}
	m.dropped = nil
	m.mu.Unlock()
	var errs []error
	for _, of := range unused {
		errs = append(errs, of.Unload())
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
