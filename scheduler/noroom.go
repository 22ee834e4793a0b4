package scheduler

import "fmt"

// NoRoom is why a task cannot run, or the host cannot have an instance: the memory would not
// hold it although everything has left that can.
type NoRoom struct {
	Memory   MemoryID
	Store    StoreID // whose bytes have no room; 0 if it is several stores that have none together
	Needs    int64
	Live     int64 // bytes that cannot leave, and others
	Capacity int64
	Largest  []Holder // the stores with the most bytes there, up to three

	Op *Op // the first that lacks it, if an op does
}

// Holder is a store that takes up memory.
type Holder struct {
	Store StoreID
	Bytes int64
	Name  string // of the op that wrote it last; empty if the host did
	Where Where
}

// Error says what is missing where.
func (e *NoRoom) Error() string {
	return fmt.Sprintf("%d bytes are needed on %v, where %d of %d are in use", e.Needs, e.Memory, e.Live, e.Capacity)
}
