package cuda

import (
	"fmt"
	"sync"

	"weft/cuda/driver"
	"weft/cuda/routines"
	"weft/tile"
)

// routine is a program that is a named routine, with the programs of threads that its launches have come to: each is
// compiled and launched as any other.
type routine struct {
	d    *Device
	p    *tile.Program
	code *routines.Routine

	mu   sync.Mutex
	made map[*tile.Program]*executable
}

// compileRoutine finds the routine that a program is.
func (d *Device) compileRoutine(p *tile.Program) (tile.Executable, error) {
	r, err := routines.Find(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.info.Name, err)
	}
	return &routine{d: d, p: p, code: r, made: map[*tile.Program]*executable{}}, nil
}

// threads returns the launch of threads that a launch of the routine on a queue comes to.
func (x *routine) threads(queue int, l *tile.Launch) (*tile.Launch, error) {
	if err := tile.CheckLaunch(l); err != nil {
		return nil, err
	}
	made, err := x.code.Launch(l, routines.Site{Blocks: min(x.d.sms, tile.MaxResident/routines.BlockThreads), Threads: routines.BlockThreads,
		Scratch: func(bytes int64) (tile.Buffer, error) { return x.d.queues[queue].scratch.of(x.d, bytes) }})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", x.d.info.Name, err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.made[made.Program]
	if e == nil {
		exe, err := x.d.Compile(made.Program)
		if err != nil {
			return nil, err
		}
		e = exe.(*executable)
		x.made[made.Program] = e
	}
	made.Exe = e
	return made, nil
}

// scratch is memory of the device for what the phases of one launch tell each other. Launches of a queue run one after
// the other, and use the same.
type scratch struct {
	mu   sync.Mutex
	at   driver.Address
	size int64
}

// of returns the memory. It is allocated for the first launch that needs it, beside the pool, whose limit leaves room
// for such.
func (s *scratch) of(d *Device, bytes int64) (tile.Buffer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes > routines.ScratchBytes {
		return tile.Buffer{}, fmt.Errorf("BUG: a routine wants %d bytes of scratch memory; there are %d", bytes, routines.ScratchBytes)
	}
	if s.size == 0 {
		at, err := d.dev.Alloc(routines.ScratchBytes)
		if err != nil {
			return tile.Buffer{}, d.note(err)
		}
		s.at, s.size = at, routines.ScratchBytes
	}
	return tile.Buffer{Handle: uint64(s.at), Size: s.size}, nil
}

func (s *scratch) close(d *Device) error {
	if s.size == 0 {
		return nil
	}
	return d.dev.Free(s.at)
}
