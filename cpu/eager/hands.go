package eager

// #cgo LDFLAGS: -pthread
// #include "hands.h"
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// Hands says how many threads may help the one that computes an operation at once; the caller holds the lock of the C side's callers.
func Hands(most int) { C.eager_hands(C.int(most)) }

// Busy counts the jobs that other threads compute: for each there is a hand less.
var Busy = (*atomic.Int64)(unsafe.Pointer(&C.eager_busy))
