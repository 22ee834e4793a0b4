package scheduler

import "strconv"

// The typed names of things. They print the same in logs, plans, graphs and the viewer.
type (
	StoreID    uint32 // s3: the bytes of an array as they exist logically
	OpID       uint32 // o12: one operation of the op stream
	TaskID     uint32 // t45: one color of an op, or a copy or free; also its completion event
	InstanceID uint32 // i7: bytes of a store in one memory
	DeviceID   uint16 // d0
	MemoryID   uint16 // m0 is always the host's
	SourceID   uint32 // interned name of a cell or file; 0 is unknown
)

func (id StoreID) String() string    { return "s" + strconv.Itoa(int(id)) }
func (id OpID) String() string       { return "o" + strconv.Itoa(int(id)) }
func (id TaskID) String() string     { return "t" + strconv.Itoa(int(id)) }
func (id InstanceID) String() string { return "i" + strconv.Itoa(int(id)) }
func (id DeviceID) String() string   { return "d" + strconv.Itoa(int(id)) }
func (id MemoryID) String() string   { return "m" + strconv.Itoa(int(id)) }

// Where is the place in the user's program that caused something: a cell (or file) and a
// line. It rides from the cell to Op, Task, Record, graph node and error text. The names
// of sources are kept by the driver; the core only carries the number.
type Where struct {
	Source SourceID
	Line   int32 // 1-based; 0 is unknown
}
