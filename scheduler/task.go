package scheduler

import (
	"math"
	"slices"

	"weft/scheduler/region"
)

// TaskKind says what a task does.
type TaskKind uint8

// The kinds of tasks.
const (
	Run  TaskKind = iota // one color of an op on a device
	Copy                 // bytes of a store from one memory to another
	Free                 // gives an instance back
)

var taskKinds = [...]string{"run", "copy", "free"}

// TaskKinds is how many there are.
const TaskKinds = len(taskKinds)

// String returns the kind's name in the text form.
func (k TaskKind) String() string { return taskKinds[k] }

// Cause says why bytes move.
type Cause uint8

// The causes of copies.
const (
	NoCause     Cause = iota
	Upload            // host data that a device needs for the first time
	Halo              // neighbours' elements at the edge of a tile
	Repartition       // an op cuts a store differently from its last writer
	Gather            // the program reads the value on the host
	Grow              // an instance is replaced by a larger one
	Spill             // a memory is full

	Causes // how many there are
)

var causes = [...]string{"none", "upload", "halo", "repartition", "gather", "grow", "spill"}

// String returns the cause's name.
func (c Cause) String() string { return causes[c] }

// Instance is the bytes [Lo, Hi) of a store in one memory. The driver allocates the buffer
// when the first task that uses it starts, and releases it in the instance's Free task.
type Instance struct {
	ID     InstanceID
	Store  StoreID
	Memory MemoryID
	Lo, Hi int64 // byte range of the store
	Held   any   // the driver's own: its buffer
}

// Alignment is what instances in a GPU's memory begin at multiples of, in bytes of their store: no number is larger, so
// that the elements of every view which are aligned in the store are so in the instance. A GPU reads no others, and
// stores have views of several dtypes.
const Alignment = 8

// Arg places one operand of a run task.
type Arg struct {
	Instance *Instance
	Offset   int64 // bytes from the start of the instance to the tile's first element
	Access   Access
}

// Task is one node of the event graph: a color of an op, a copy or a free. Its ID names it,
// its completion, its bar on the timeline and its node in the graph.
type Task struct {
	ID     TaskID
	Kind   TaskKind
	Device DeviceID // Run: which device. Copy: the device that performs it
	After  []TaskID // must have completed; without those that already have when the task is planned
	Behind []TaskID // of these, those that have begun on ordered devices and have not completed when Next hands the task out
	Op     *Op      // Run: the op. Copy: the op that needs the bytes; nil for a read by the program
	Where  Where

	// Run.
	Color   int   // position in the op's color grid, row major
	Shape   []int // extents of the tile
	Origin  []int // its first point
	Block   []int // reduction blocks; nil unless the program reduces
	Args    []Arg
	Zeros   bool    // it writes zeros where nothing was written before: memory that is zero as it was allocated will do
	Cold    bool    // it runs on a CPU while a kernel for the GPU is compiled
	Lacks   *NoRoom // it fails: no memory that it could use has room for its operands
	Moves   int64   // that it moves
	Work    int64   // its share of its op's; 0 for what only moves
	InOrder bool    // its plan is, or was, one in order: After does not hold all
	Held    any     // the driver's own: the sequence that it goes with

	// Copy: bytes [Lo, Hi) of the store from Src to Dst, or rows of bytes between these, Step
	// bytes apart. Free: Src, with cause Spill if it leaves to make room.
	Src, Dst *Instance
	Lo, Hi   int64
	Rows     int64 // 0 and 1 both mean one
	Step     int64
	Cause    Cause
}

// Part returns the bytes of the store that a copy moves or a free gives back.
func (t *Task) Part() region.Comb {
	if t.Rows > 1 {
		return region.NewComb(t.Lo, t.Hi-t.Lo-(t.Rows-1)*t.Step, t.Step, t.Rows)
	}
	return region.Interval{Lo: t.Lo, Hi: t.Hi}.Comb()
}

// Bytes returns what the task reads from memory and writes to it.
func (t *Task) Bytes() int64 {
	if t.Kind != Run {
		return t.Part().Len()
	}
	return t.Moves
}

// Cost returns what the task costs, in the unit of Options.Inline.
func (t *Task) Cost() int64 { return max(t.Work, t.Bytes()) }

// Stake returns what a window loses at most for this task by running in order, in the same unit: all that it costs, or,
// for one tile of several, which were cut to run at once, without bound.
func (t *Task) Stake() int64 {
	if t.Kind == Run && !slices.Equal(t.Shape, t.Op.Shape) {
		return math.MaxInt64
	}
	return t.Cost()
}
