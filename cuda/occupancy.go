package cuda

import (
	"fmt"
	"runtime"

	"weft/cuda/driver"
	"weft/cuda/ptx"
	"weft/tile"
)

// Occupancy is what a program of threads takes of a device, in blocks of one size.
type Occupancy = driver.Occupancy

// Occupancy asks the driver about the function that launches of a program of threads load, in blocks of so many threads
// and bytes of dynamic shared memory.
func (d *Device) Occupancy(p *tile.Program, threads int, dynamic int64) (Occupancy, error) {
	switch {
	case !p.Threads:
		return Occupancy{}, fmt.Errorf("%s: program %q is not one of threads, which alone have blocks of a size", d.info.Name, p.Name)
	case threads < 1 || threads > tile.MaxBlockThreads:
		return Occupancy{}, fmt.Errorf("%s: program %q: a block of %d threads; want 1 to %d", d.info.Name, p.Name, threads, tile.MaxBlockThreads)
	}
	made, err := d.Compile(p)
	if err != nil {
		return Occupancy{}, err
	}
	x := made.(*executable)
	defer runtime.KeepAlive(x)
	x.mu.Lock()
	k := x.kernel(ptx.ThreadsVariant(threads))
	x.mu.Unlock()
	<-k.ready
	if k.err != nil {
		return Occupancy{}, k.err
	}
	o, err := k.module.Occupancy(k.function, threads, dynamic)
	return o, d.note(err)
}
