package tile

import "errors"

// Sharer is a device whose memory other libraries of the process, *guests*, use by address: what they have allocated
// becomes a buffer, and a buffer is theirs to read and write. Neither is copied. The device knows nothing of what
// guests do and when, but that it is in streams of theirs, for which it can wait.
//
//	Adopt(0x7f..00, 4096)    a buffer over a guest's memory
//	Expose(b)                the address of a buffer, for a guest
//	Settle(AllStreams)       what guests were told to do by now has been done
type Sharer interface {
	Device

	// Adopt returns a buffer of n bytes over memory that a guest has allocated on the device, and keeps. It is not for
	// Free. ErrElsewhere is for memory of another device.
	Adopt(address uint64, n int64) (Buffer, error)

	// Expose returns the address of a buffer that Alloc gave, or Adopt. From Free on, its bytes are not given out again
	// before what guests were told to do by then has been done. Alloc does not wait for that: what guests do may need
	// locks that its caller holds.
	Expose(b Buffer) uint64

	// Leaving reports whether buffers wait for that, and has then called when one of them has become free. It is called
	// on another goroutine, without locks.
	Leaving(then func()) bool

	// Settle waits until a stream of a guest's has run empty, or AllStreams of them. ErrElsewhere is for a stream of
	// another device, where the device can tell.
	Settle(stream uint64) error
}

// AllStreams is no stream's number.
const AllStreams = 0

// ErrElsewhere is what fails where memory is on another device, or a stream.
var ErrElsewhere = errors.New("it is on another device")
