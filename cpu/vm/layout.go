package vm

import "unsafe"

// The structures of vm.h; machine.go compares their sizes.

// Inputs is the number of operands that a step may have.
const Inputs = 5

// MaxAxes is the number of axes that a launch may have.
const MaxAxes = 33

// Operand says where a step finds its elements: the first one, and how many bytes further each
// next one is; 0 for a scalar.
type Operand struct {
	P    unsafe.Pointer
	Step int64
}

// Step is one call of a primitive; operands are given by number.
type Step struct {
	Op uint16 // Primitive.Row
	D  uint16
	In [Inputs]uint16

	Look Look // in launches that are watched
}

// Look is what a step looks at, because the processor's flags do not say what went wrong in it: results, whether one is
// infinite or no number.
type Look uint16

// The looks, by the dtype of what is looked at.
const (
	LookNowhere Look = iota
	LookHalves
	LookSingles
	LookDoubles
	LookComplexSingles
	LookComplexDoubles
)

// What may have gone wrong in a launch. The first four bits are NumPy's.
const (
	Divide int64 = 1 << iota
	Over
	Under
	Invalid
	Seen // a look has found something
)

// StripStep is the Op of a step that is a strip; D is its number.
const StripStep = 0xffff

// Micro is one operation of a strip: reg = op reg operand. See strip.h.
type Micro struct {
	Op, Reg uint8
	Kind    MicroKind
	_       uint8
	Operand uint16
	Port    uint16 // of a window: counted from the strip's first
}

// MicroKind says what the operand of a micro operation is.
type MicroKind uint8

// The kinds.
const (
	NextAccumulator MicroKind = iota
	WindowOperand
	RegisterOperand
	SlotOperand   // holds the elements of one accumulator
	ScalarOperand // one element for all
)

// Port is a window that a strip reads or writes.
type Port struct {
	Operand int64
	Window  int64
	Out     int64
	Stream  int64          // 1: it is written past the caches
	Room    unsafe.Pointer // Room bytes for elements that are staged
}

// Room is the bytes of the widest accumulator.
const Room = 512

// Strip is a run of micro operations over elements of Size bytes: 4 or 8, floats.
type Strip struct {
	Size         int64
	First, Count int64 // micro operations
	Port, Ports  int64 // the first port, and how many
}

// Cell is room for what the machine makes of a micro operation; each has two.
type Cell struct{ _ [4]int64 }

// The Op of steps of control flow, whose D is the number of a Jump or Gather.
const (
	SkipStep  = 0xff00 + iota // go elsewhere if no lane of the block takes what follows
	AgainStep                 // go back, at the end of a loop
	GatherStep
)

// GatherAxes is the most axes of an array that is gathered from.
const GatherAxes = 3

// Jump says where the machine goes on.
type Jump struct {
	Mask int64 // operand
	To   int64 // step
}

// Gather reads elements of an array; D, Mask (or -1: all lanes) and Index are operands.
type Gather struct {
	P                     unsafe.Pointer // the element at index 0, 0, ...
	D, Mask               int64
	Axes, Size            int64
	Index, Extent, Stride [GatherAxes]int64
}

// Fault is why a launch ended before its time.
type Fault struct {
	Kind              FaultKind
	Index, Axis, Size int64
}

// FaultKind says what happened.
type FaultKind int64

// The kinds of faults.
const (
	NoFault FaultKind = iota
	Bounds            // a gather had that index
	Stopped           // Launch.Stop was set
)

// Window is an operand that moves over memory.
type Window struct {
	P       unsafe.Pointer // its element of the first point
	Operand int64
}

// Counter keeps the coordinate of a block's first point in a cell.
type Counter struct {
	Cell   unsafe.Pointer // *int64
	Origin int64
	Axis   int64 // position in Launch.Axis, or -1: the coordinate does not change
}

// Axis is an axis that is walked; the last one is the one that steps walk along.
type Axis struct {
	Extent  int64
	Block   int64 // extent of a block of a reduction
	Reduced int64 // 1 where the axis is reduced
}

// Reducer combines the elements of an operand.
type Reducer struct {
	Value   int64 // operand
	Combine int64 // Primitive.Row
	Move    int64
	Acc     unsafe.Pointer // accumulators
	Out     unsafe.Pointer // result of the first block
	Strides [MaxAxes]int64 // of results: along kept axes from point to point, along reduced ones from block to block
	Settles int64          // 1: every result takes Neutral last, an element's bytes
	Neutral [2]uint64
}

// Call is room for what the machine knows of a step.
type Call struct{ _ [3]int64 }

// Form says how the elements of a block of a reduction meet.
type Form int64

// The forms.
const (
	Outer Form = iota // the last axis is kept: rows of accumulators
	Inner             // the last axis is reduced: 32 lanes
	Wide              // inner, but with so few elements in a block that lanes are rows of kept points
)

// Launch is a program with its operands, ready to run.
type Launch struct {
	Steps, Operands, Windows, Counters, Axes, Reducers int64

	Block  int64 // elements that the steps take at a time
	Chunk  int64 // elements of the last axis after which the others go round again; 0 is all
	Stream int64 // 1: the last step, or a strip, writes past the caches

	Form Form
	Rows int64 // of wide accumulators
	Kept int64 // bytes from one of these rows to the next

	Step    unsafe.Pointer // [Steps]Step
	Operand unsafe.Pointer // [Operands]Operand
	Call    unsafe.Pointer // [Steps]Call
	Window  unsafe.Pointer // [Windows]Window
	Stride  unsafe.Pointer // [Windows][Axes]int64
	Counter unsafe.Pointer // [Counters]Counter
	Axis    unsafe.Pointer // [Axes]Axis
	Reducer unsafe.Pointer // [Reducers]Reducer
	Strip   unsafe.Pointer // []Strip, as steps name them
	Micro   unsafe.Pointer // []Micro
	Port    unsafe.Pointer // []Port
	Cell    unsafe.Pointer // [2*Micros]Cell
	Planned int64          // 0 until the machine has filled in calls and cells

	Jump   unsafe.Pointer // [...]Jump
	Gather unsafe.Pointer // [...]Gather
	Fault  unsafe.Pointer // *Fault; nil where steps neither jump nor gather
	Stop   unsafe.Pointer // *uint32, pinned: not 0 once loops are to end; or nil

	Watched int64 // 1: what went wrong in floating-point operations is found out
	Raised  int64 // what may have
}
