package cuda

import (
	"fmt"
	"runtime"
	"sync"

	"weft/cuda/driver"
	"weft/cuda/ptx"
	"weft/tile"
)

// Occupancy is what a program of threads takes of a device, in blocks of one size.
type Occupancy = driver.Occupancy

// surveyed are the programs that were asked about last, so that the driver compiles each once.
type surveyed struct {
	mu    sync.Mutex
	known [surveyedKept]struct {
		text string
		x    *executable
	}
	turn int // of the next to be given up
}

// surveyedKept is for the block sizes and types of the few kernels that a program tunes.
const surveyedKept = 8

// executable returns the program's, compiled where it is not kept. Its text is what tells a program: each question
// parses it anew.
func (s *surveyed) executable(d *Device, p *tile.Program) (*executable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := p.String()
	for _, k := range s.known {
		if k.x != nil && k.text == text {
			return k.x, nil
		}
	}
	made, err := d.Compile(p)
	if err != nil {
		return nil, err
	}
	x := made.(*executable)
	s.known[s.turn].text, s.known[s.turn].x = text, x
	s.turn = (s.turn + 1) % surveyedKept
	return x, nil
}

// forget gives all up: an executable that its device has is never collected, nor is the device.
func (s *surveyed) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.known[:])
}

// Occupancy asks the driver about the function that launches of a program of threads load where the elements of all
// arrays lie at multiples of their size, in blocks of so many threads and bytes of dynamic shared memory. Launches on
// other arrays load a variant of it.
func (d *Device) Occupancy(p *tile.Program, threads int, dynamic int64) (Occupancy, error) {
	switch {
	case !p.Threads:
		return Occupancy{}, fmt.Errorf("%s: program %q is not one of threads, which alone have blocks of a size", d.info.Name, p.Name)
	case threads < 1 || threads > tile.MaxBlockThreads:
		return Occupancy{}, fmt.Errorf("%s: program %q: a block of %d threads; want 1 to %d", d.info.Name, p.Name, threads, tile.MaxBlockThreads)
	}
	x, err := d.surveyed.executable(d, p)
	if err != nil {
		return Occupancy{}, err
	}
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
