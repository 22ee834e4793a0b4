package eager

// #cgo LDFLAGS: -pthread
// #include "hands.h"
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// Hands says how many threads may help the one that computes an operation at once; the caller holds the lock of the C
// side's callers.
func Hands(most int) { C.eager_hands(C.int(most)) }

// Busy counts the jobs that other threads compute: for each there is a hand less.
var Busy = (*atomic.Int64)(unsafe.Pointer(&C.eager_busy))

// Share computes parts 0 to n-1 by a function of C, as eager_share does: with its conditions.
func Share(n, bytes int, part, of unsafe.Pointer) {
	C.eager_share(C.int64_t(n), C.int64_t(bytes), (*C.eager_part)(part), of)
}
