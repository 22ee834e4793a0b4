package tile

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// Stop tells launches that run loops to give up: those that are under way, and those that begin
// later. Any number of launches may share one. It must not be copied.
type Stop struct{ word uint32 }

// ErrStopped is what launches fail with that a Stop ended. What they wrote is unspecified.
var ErrStopped = errors.New("tile: the launch was stopped in a loop")

// Set makes the launches give up. It may be called from any goroutine.
func (s *Stop) Set() { atomic.StoreUint32(&s.word, 1) }

// Stopped reports whether Set was called; a nil Stop never is.
func (s *Stop) Stopped() bool { return s != nil && atomic.LoadUint32(&s.word) != 0 }

// Word is what devices look at that poll memory: not 0 once Set was called. It is Go memory.
func (s *Stop) Word() *uint32 { return &s.word }

// OutOfBounds is the error of a Gather whose index does not lie in the array; the text is
// NumPy's.
func OutOfBounds(index int64, axis, size int) *DataError {
	return &DataError{Exception: "IndexError", Text: fmt.Sprintf("index %d is out of bounds for axis %d with size %d", index, axis, size)}
}
