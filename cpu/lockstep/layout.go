package lockstep

// #cgo CFLAGS: -O3 -std=c11
// #cgo noescape lockstep_run
// #cgo nocallback lockstep_run
// #cgo noescape lockstep_forget
// #cgo nocallback lockstep_forget
// #cgo noescape lockstep_unlink_all
// #cgo nocallback lockstep_unlink_all
// #include "lockstep.h"
import "C"

import (
	"math"
	"unsafe"

	"weft/cpu/vm"
)

// The kinds of steps, which stand above the rows of package vm's table.
const (
	If          = C.LOCKSTEP_IF
	Else        = C.LOCKSTEP_ELSE
	Loop        = C.LOCKSTEP_LOOP
	While       = C.LOCKSTEP_WHILE
	Again       = C.LOCKSTEP_AGAIN
	Keep        = C.LOCKSTEP_KEEP
	Element     = C.LOCKSTEP_ELEMENT
	Put         = C.LOCKSTEP_PUT
	Atomic      = C.LOCKSTEP_ATOMIC
	Cas         = C.LOCKSTEP_CAS
	Barrier     = C.LOCKSTEP_BARRIER
	GridBarrier = C.LOCKSTEP_GRID_BARRIER
	Tally       = C.LOCKSTEP_TALLY
	Vote        = C.LOCKSTEP_VOTE
	Shuffle     = C.LOCKSTEP_SHUFFLE
	Match       = C.LOCKSTEP_MATCH
	Active      = C.LOCKSTEP_ACTIVE
	Leave       = C.LOCKSTEP_LEAVE
	Fail        = C.LOCKSTEP_FAIL
	Fence       = C.LOCKSTEP_FENCE
	Copies      = C.LOCKSTEP_COPY
)

// The codes of inner loops.
const (
	CodeAgain    = C.CODE_AGAIN
	CodeLeave    = C.CODE_LEAVE
	CodeCopy     = C.CODE_COPY
	CodeSpread   = C.CODE_SPREAD
	CodeOne      = C.CODE_ONE
	CodeFind     = C.CODE_FIND
	CodeFound    = C.CODE_FOUND
	CodeAnywhere = C.CODE_ANYWHERE
	CodeCall     = C.CODE_CALL
	CodeCallOne  = C.CODE_CALL_ONE
	CodeCount    = C.CODE_COUNT
	CodeDots     = C.CODE_DOTS
	CodeSums     = C.CODE_SUMS
	codeRows     = C.CODE_ROWS
)

// What an inner loop takes: how many values it has at most, and the bytes of a slot, and of what it knows of a step's
// elements.
const (
	Values = C.LOCKSTEP_VALUES
	Slot   = C.LOCKSTEP_SLOT
	Spots  = C.LOCKSTEP_SPOTS
	Strips = C.LOCKSTEP_LANES / 64 // of a row, at most

	RowSlot  = C.LOCKSTEP_ROW_SLOT // of guarded programs
	RowSpots = C.LOCKSTEP_ROW_SPOTS
	Notes    = C.LOCKSTEP_NOTES
	NoteSize = C.sizeof_lockstep_note
)

// The dtypes of atomics.
const (
	I32 = C.LOCKSTEP_I32
	U32 = C.LOCKSTEP_U32
	I64 = C.LOCKSTEP_I64
	U64 = C.LOCKSTEP_U64
	F32 = C.LOCKSTEP_F32
	F64 = C.LOCKSTEP_F64
)

// The kinds of faults.
const (
	Index     = C.LOCKSTEP_INDEX
	Failed    = C.LOCKSTEP_FAILED
	Alone     = C.LOCKSTEP_ALONE
	Mask      = C.LOCKSTEP_MASK
	Stopped   = C.LOCKSTEP_STOPPED
	Race      = C.LOCKSTEP_RACE
	Unwritten = C.LOCKSTEP_UNWRITTEN
	Exhausted = C.LOCKSTEP_EXHAUSTED
	Unmarked  = C.LOCKSTEP_UNMARKED
)

// What a run of a row ends with.
const (
	Ended         = C.LOCKSTEP_ENDED
	HadTurns      = C.LOCKSTEP_TURNS
	AtGridBarrier = C.LOCKSTEP_GRID
)

// Lanes is how many a row has at most, and Room how many bytes of scratch each.
const (
	Lanes = C.LOCKSTEP_LANES
	Room  = C.LOCKSTEP_ROOM
)

// Step is one step: lockstep_step.
type Step struct {
	Kind, D int32
	In      [vm.Inputs]int32
	Scope   int32
	N, Form int32
	Type    int32
	To      int32
	Idle    int32
	Instr   int32
}

// Memory is an array: lockstep_memory.
type Memory struct {
	P              unsafe.Pointer
	Axes, Size     int64
	Lane           int64
	Extent, Stride [C.LOCKSTEP_AXES]int64
	Crowded        int64
	Shade          unsafe.Pointer // each a Shade
	Written        unsafe.Pointer
	Grain          int64
	Calm           *Calm
	Full           int64
}

// Calm is when something happened last in what a block shares: lockstep_calm.
type Calm struct{ Stirred, Marked uint32 }

// SingleSize is how many bytes a step of a row of one lane takes besides: lockstep_single.
const SingleSize = C.sizeof_lockstep_single

// Code is an operation of an inner loop: lockstep_code.
type Code struct {
	Code, Step int32
	Spots      int32
	Stays      int32
	D          int32
	In         [vm.Inputs]int32
}

// Value is what an inner loop computes, or reads: lockstep_value.
type Value struct {
	Place, Slot int32
	Size, Row   int32
	Result      int32
}

// Inner is a loop: lockstep_inner.
type Inner struct {
	Again, End     int32
	Values, Widest int32
	Kinds          int64
	Code, Value    unsafe.Pointer
	Room, Spots    unsafe.Pointer
}

// Kept is where a step's elements are: lockstep_kept.
type Kept struct {
	Row, Axes int64
	offset    [C.LOCKSTEP_GROUPS]int64
}

// Side is where elements of a copy are: lockstep_side.
type Side struct {
	Step      int32
	Row, By   [C.LOCKSTEP_AXES]int32
	_         int32
	low, high [C.LOCKSTEP_AXES]int64
	offset    [C.LOCKSTEP_GROUPS]int64
}

// Copy is a copy from memory to memory: lockstep_copy.
type Copy struct {
	row, lies, last int64
	From, To        Side
}

// Codes are the codes of inner loops, by package vm's opcode and dtype: Rows for two rows, one more for a row and an
// element, two more for an element and a row; Ones for what is the same in all lanes.
type Codes struct{ Rows, Ones map[[2]string]int32 }

// NewCodes reads them.
func NewCodes() Codes {
	c := Codes{Rows: map[[2]string]int32{}, Ones: map[[2]string]int32{}}
	var opcode, dtype *C.char
	next := int32(codeRows)
	for i := C.int(1); C.lockstep_row_names(i, &opcode, &dtype) != 0; i++ {
		c.Rows[[2]string{C.GoString(opcode), C.GoString(dtype)}] = next
		next += 3
	}
	for name, form := range Singles() {
		c.Ones[name] = next + form - 1
	}
	return c
}

// Singles returns the forms of those steps that have code of their own in rows of one lane, by package vm's opcode and
// dtype.
func Singles() map[[2]string]int32 {
	forms := map[[2]string]int32{}
	var opcode, dtype *C.char
	for i := int32(1); C.lockstep_single_names(C.int(i), &opcode, &dtype) != 0; i++ {
		forms[[2]string{C.GoString(opcode), C.GoString(dtype)}] = i
	}
	return forms
}

// VotedSize is how many bytes there are for each lane of a guarded program whose lanes vote.
const VotedSize = 4 * C.LOCKSTEP_WARP

// ShadeSize is how many bytes there are for each grain of a memory of a guarded program: lockstep_shade.
const ShadeSize = C.sizeof_lockstep_shade

// Scope is a block of the program: lockstep_scope.
type Scope struct {
	Mask         unsafe.Pointer
	Count, Outer int64
	Turns, Still int64
	Spins        int64
}

// Fault is what ended a lane: lockstep_fault.
type Fault struct {
	Kind, Instr, Lane, Other int64
	Axis, Index, Size        int64
	Values                   [vm.Inputs][2]uint64
}

// Row is what runs: lockstep_row.
type Row struct {
	machine      unsafe.Pointer
	Steps, Lanes int64
	Threads      int64
	Step         unsafe.Pointer
	Operand      unsafe.Pointer // each a vm.Operand
	Memory       unsafe.Pointer
	Scope        unsafe.Pointer
	Room         unsafe.Pointer
	Stop         unsafe.Pointer
	Width        int64
	Inner        unsafe.Pointer
	Shape        unsafe.Pointer
	Kept         unsafe.Pointer // each a Kept
	Copy         unsafe.Pointer // each a Copy
	Operands     int64
	Scopes       int64
	Life         unsafe.Pointer // each two int32
	Patience     int64
	waiting      int64
	Parked       unsafe.Pointer
	spent, Turns int64
	Pause, At    int64
	Absent       int64
	Fails, Other int64
	First        int64
	Now, Met     uint32
	Grid         uint32
	Voted        unsafe.Pointer // VotedSize bytes for each lane
	Fenced       unsafe.Pointer // each a uint32
	FencedIn     unsafe.Pointer // each a uint32
	Chains       *Chains
	Note         unsafe.Pointer // NoteSize bytes for each of Notes
	notes        int64
	Place        unsafe.Pointer // each of Notes an int64
	places       int64
	Began        uint32
	Lanewise     uint32
	Loop         unsafe.Pointer // each an Inner
	Single       unsafe.Pointer // SingleSize bytes for each step, and for one more
	Fault        Fault
}

// Chains are the links of a launch's chains of marks: lockstep_chains.
type Chains struct {
	link                unsafe.Pointer
	links, room, unused uint32
	round               uint32
	seen                unsafe.Pointer
	most, full          int64
}

// The two languages agree on the layout, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Step{})-C.sizeof_lockstep_step]
	_ = [1]struct{}{}[unsafe.Sizeof(Memory{})-C.sizeof_lockstep_memory]
	_ = [1]struct{}{}[unsafe.Sizeof(Kept{})-C.sizeof_lockstep_kept]
	_ = [1]struct{}{}[unsafe.Sizeof(Copy{})-C.sizeof_lockstep_copy]
	_ = [1]struct{}{}[unsafe.Sizeof(Calm{})-C.sizeof_lockstep_calm]
	_ = [1]struct{}{}[unsafe.Sizeof(Scope{})-C.sizeof_lockstep_scope]
	_ = [1]struct{}{}[unsafe.Sizeof(Fault{})-C.sizeof_lockstep_fault]
	_ = [1]struct{}{}[unsafe.Sizeof(Row{})-C.sizeof_lockstep_row]
	_ = [1]struct{}{}[unsafe.Sizeof(Chains{})-C.sizeof_lockstep_chains]
	_ = [1]struct{}{}[unsafe.Sizeof(Code{})-C.sizeof_lockstep_code]
	_ = [1]struct{}{}[unsafe.Sizeof(Value{})-C.sizeof_lockstep_value]
	_ = [1]struct{}{}[unsafe.Sizeof(Inner{})-C.sizeof_lockstep_inner]
)

// Zeros returns so many bytes of zeros outside of the Go heap, for Free; nil if there are none left.
func Zeros(n int64) unsafe.Pointer { return C.calloc(C.size_t(n), 1) }

// Free gives back what Zeros gave.
func Free(p unsafe.Pointer) { C.free(p) }

// NewChains returns the chains of a launch with so many threads, outside of the Go heap, whose links are to take so
// many bytes at most; nil if there is no memory.
func NewChains(threads, bytes int64) *Chains {
	c, seen := (*Chains)(Zeros(C.sizeof_lockstep_chains)), Zeros(4*threads)
	if c == nil || seen == nil {
		Free(unsafe.Pointer(c))
		Free(seen)
		return nil
	}
	c.seen, c.most = seen, min(bytes/C.sizeof_lockstep_link, math.MaxUint32)
	return c
}

// Free gives back all that NewChains and the launch took.
func (c *Chains) Free() {
	if c != nil {
		Free(c.link)
		Free(c.seen)
		Free(unsafe.Pointer(c))
	}
}

// Unlink gives back the links of the chains of so many Shades.
func (c *Chains) Unlink(shades unsafe.Pointer, grains int64) {
	if c != nil && shades != nil {
		C.lockstep_unlink_all((*C.lockstep_chains)(unsafe.Pointer(c)), (*C.lockstep_shade)(shades), C.int64_t(grains))
	}
}

// Forget frees the lanes of a row that are parked.
func Forget(r *Row) { C.lockstep_forget(C.uintptr_t(uintptr(unsafe.Pointer(r)))) }

// Lowest returns the lowest of a row's lanes that are parked.
func Lowest(parked unsafe.Pointer, lanes int64) int64 {
	return int64(C.lockstep_lowest((*C.lockstep_parked)(parked), C.int64_t(lanes)))
}

// Run runs all steps of a row, or those up to a pause, where lanes are parked, which lies outside the Go heap, with the
// instruction set of vm.Machines that has the number.
func Run(machine int, r *Row) {
	C.lockstep_run(C.int(machine), C.uintptr_t(uintptr(unsafe.Pointer(r))))
}
