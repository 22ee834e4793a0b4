package ptx

import (
	"fmt"

	"weft/tile"
)

// A launch of a kernel with loops or gathers gets the addresses of two pieces of memory.
//
// The fault block is memory that host and device both see, because it is written once, if at all, and read by the host.
// It is zero at first. Its words of 8 bytes are
//
//	what went wrong, which the first thread sets that something does: a fault
//	the index, axis and size of a gather out of bounds, or what threadfault.go says
//
// The stop word is memory of the device, because all threads read it over and over: it is zero at first, and the host
// sets its first four bytes by a copy to end the launch's loops. Gathers out of bounds load from the stop word's block,
// for a load has to come from somewhere.
const (
	FaultBytes = 128
	StopBytes  = 32
)

// The faults.
const (
	faultBounds  = 1
	faultStopped = 2
	faultThread  = 3
)

// Checks reports whether a kernel's launches need a fault block and a stop word.
func (k *Kernel) Checks() bool { return k.layout.faults > 0 }

// Fault returns what the words of a fault block say after a launch.
func Fault(block []uint64, l *tile.Launch) error {
	switch block[0] & (1<<32 - 1) { // the fault is half a word
	case 0:
		return nil
	case faultBounds:
		return tile.OutOfBounds(int64(block[1]), int(block[2]), int(block[3]))
	case faultStopped:
		return tile.ErrStopped
	case faultThread:
		return threadFault(block, l)
	}
	return fmt.Errorf("cuda: a kernel left %#x in its fault block; want 0 to %d", block[0], faultThread)
}
