package ptx

import (
	"fmt"

	"weft/tile"
)

// StatusBytes is the size of the status block of a launch, which kernels with loops or gathers get
// the address of. It is memory that host and device both see, in words of 8 bytes, zero at
// first:
//
//	whether to stop, which the host sets
//	what went wrong, which the first thread sets that something does: a fault
//	the index, axis and size of a gather out of bounds
const StatusBytes = 40

// The faults.
const (
	faultBounds  = 1
	faultStopped = 2
)

// Checks reports whether a kernel's launches need a status block.
func (k *Kernel) Checks() bool { return k.layout.status > 0 }

// Fault returns what the words of a status block say after a launch.
func Fault(status []uint64) error {
	switch status[1] & (1<<32 - 1) { // the fault is half a word
	case 0:
		return nil
	case faultBounds:
		return tile.OutOfBounds(int64(status[2]), int(status[3]), int(status[4]))
	case faultStopped:
		return tile.ErrStopped
	}
	return fmt.Errorf("cuda: a kernel left %#x in its status block; want 0, %d or %d", status[1], faultBounds, faultStopped)
}
