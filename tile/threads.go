package tile

import "slices"

// A program of threads, the third form beside lanes and routines: what runs is a grid of blocks of
// threads, each of which reads and writes whole arrays wherever it wants. It prints as
//
//	program reverse rank 0
//	threads
//	param p0 in float32 axes 1
//	param p1 out float32 axes 1
//	array a0 shared float32 64
//	v0 = thread.tid.x int32
//	v1 = cast int64 v0
//	v2 = element float32 p0 v1
//	put a0 v2 v1
//	barrier
//	v5 = const int64 -1
//	v6 = sub int64 v5 v1
//	v7 = element float32 a0 v6
//	put p1 v7 v1
//
// Blocks, loops and scalar opcodes are those of lanes, and may hold whatever stands here.
//
// Memory is a parameter (p0), or an array of the program's own (a0): shared by the threads of a
// block, or each thread's own. Those have unspecified contents at first. A shared array of size 0
// is dynamic: the launch says how many bytes there are, in which all dynamic arrays of a program
// begin. A parameter has the number of axes that it says, 0 for a single element. Indices are
// int64; negative ones count from the end.
//
// A thread sees what it wrote before, in program order. What others of its block wrote it sees
// behind a barrier; atomics take turns. Whatever else depends on who comes first is unspecified.
//
// # Guards
//
// A program that is guarded, "threads guarded", fails where what it does is unspecified by the above:
//
// Race: a thread reads or writes an element that another thread has accessed, with nothing between them, and one of the
// two writes. Between them is a barrier of all, a barrier or tally of their block, a vote of their warp in which both
// take part, or a fence of the first one's thread, behind the access. What is behind one of these is behind all that
// came before it: where threads of a block meet, and one of them has a fence then, that is between what all of them did
// and what any thread does later. A fence of the block is there for that block's threads. Atomics do not race with
// atomics, nor a write that leaves an element as it is with writes.
//
// Unwritten: a thread reads an element of an array of the program's own, or of an out parameter, that nothing has
// written. A guarded program need not write
// it; of others, out parameters have unspecified contents at first.
//
// Which of the threads of a race fails depends on who comes first. The race does not, as long as what threads do does
// not depend on it, nor on a fence. A device that checks neither (CUDA) runs the program as if it were not guarded.
//
// # Sure indices
//
// The indices of a program that is sure, "threads sure", are in bounds, and none counts from the end: who wrote it has
// seen to that. A device that does not check them (CUDA) does what it likes if that is not so.
//
// # Directives
//
// "threads bound 128 resident 2 registers 32 lines" has any of these, in this order: what the compiler of a device that
// has one (CUDA) is told, and results do not depend on (Directives).
//
// # Meeting
//
// Threads meet at barriers and tallies (all of the block), votes, shuffles and matches (those of
// the warp, 32 threads that follow each other, that the mask names). To meet means to be at the same
// instruction in the same turns of the loops around it. Who left or failed before is not waited
// for, nor who has nothing left to do but to compute values that no instruction with an effect reads. If one that is
// waited for takes another way, all that wait fail.
//
// At grid barriers the threads of all blocks meet. A thread that has ended, wherever that was, is not waited for there.
// All blocks of such a launch are under way at once: there are at most MaxResident threads.
//
// # Failures
//
// A thread that fails ends there, and others go on without it. Of the failures of a launch, the one
// in the lowest block, there of the lowest thread, is what the launch fails with: a DataError, the
// same on all devices. What the arrays hold then is unspecified.

// WarpSize is how many threads of a block that follow each other are a warp.
const WarpSize = 32

// Form says which of the forms of its opcode an instruction is; the text form has it behind a dot.
type Form uint8

// The forms of Thread: the thread in its block, the block in the grid, their extents, and the thread in its warp.
const (
	TidX Form = iota
	TidY
	TidZ
	CtaidX
	CtaidY
	CtaidZ
	NtidX
	NtidY
	NtidZ
	NctaidX
	NctaidY
	NctaidZ
	LaneID
)

// The forms of Atomic. Numbers that are none do not change memory through AtomicMin and AtomicMax, nor stay there
// through AtomicNanMin and AtomicNanMax.
const (
	AtomicAdd Form = iota
	AtomicSub
	AtomicMin
	AtomicMax
	AtomicNanMin
	AtomicNanMax
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicExch
	AtomicInc // 0 behind the operand, which is the limit
	AtomicDec // the limit behind 0, and where there was more
)

// The forms of Tally.
const (
	TallyCount Form = iota
	TallyAnd
	TallyOr
)

// The forms of Fence: who sees what was written.
const (
	FenceBlock Form = iota
	FenceDevice
	FenceSystem
)

// The forms of Vote.
const (
	VoteAll Form = iota
	VoteAny
	VoteEq
	VoteBallot
)

// The forms of Shuffle: whose value a thread gets. The last operand counts modulo 32.
const (
	ShuffleIdx Form = iota
	ShuffleUp
	ShuffleDown
	ShuffleXor
)

// The forms of Match.
const (
	MatchAny Form = iota
	MatchAll
)

// forms has the names of the forms of each opcode that has any.
var forms = [...][]string{
	Thread: {"tid.x", "tid.y", "tid.z", "ctaid.x", "ctaid.y", "ctaid.z", "ntid.x", "ntid.y", "ntid.z",
		"nctaid.x", "nctaid.y", "nctaid.z", "lane"},
	Atomic:  {"add", "sub", "min", "max", "nanmin", "nanmax", "and", "or", "xor", "exch", "inc", "dec"},
	Tally:   {"count", "and", "or"},
	Fence:   {"block", "device", "system"},
	Vote:    {"all", "any", "eq", "ballot"},
	Shuffle: {"idx", "up", "down", "xor"},
	Match:   {"any", "all"},
}

// Forms returns the names of an opcode's forms, in their order; none for opcodes that have none.
func (op Opcode) Forms() []string {
	if int(op) < len(forms) {
		return forms[op]
	}
	return nil
}

// MeetsGrid reports whether threads of a program meet those of other blocks.
func (p *Program) MeetsGrid() bool {
	return slices.ContainsFunc(p.Code, func(in Instr) bool { return in.Op == GridBarrier })
}

// OfThreads reports whether the opcode stands in programs of threads alone.
func (op Opcode) OfThreads() bool { return op >= Thread && op <= Fail }

// Space says who has an array of a program's own.
type Space uint8

// The spaces.
const (
	Shared Space = iota // the threads of a block together
	Own                 // each thread
)

var spaces = [...]string{"shared", "own"}

// Scratch is an array of a program's own, for as long as a block runs. It prints as a0, a1, ...
type Scratch struct {
	Space Space
	Type  DType
	Shape []int // of 1 to 3 axes; (0) of a shared one is dynamic
}

// Dynamic reports whether the launch says how long the array is.
func (s *Scratch) Dynamic() bool { return s.Space == Shared && len(s.Shape) == 1 && s.Shape[0] == 0 }

// Elements returns the number of elements of an array that is not dynamic.
func (s *Scratch) Elements() int {
	n := 1
	for _, extent := range s.Shape {
		n *= extent
	}
	return n
}

// Memory is what an instruction reads and writes: parameter n, or, as the complement of n, Scratch n. It is Instr.N.
type Memory int32

// Grid is how many blocks and threads a launch of threads has, with x, y and z, and the bytes of its dynamic shared
// arrays.
type Grid struct {
	Blocks, Threads [3]int
	Dynamic         int64
}

// BlockThreads returns the number of threads of a block.
func (g *Grid) BlockThreads() int { return g.Threads[0] * g.Threads[1] * g.Threads[2] }

// Count returns the number of blocks.
func (g *Grid) Count() int64 { return int64(g.Blocks[0]) * int64(g.Blocks[1]) * int64(g.Blocks[2]) }

// At returns the coordinates of number i in extents of which the first varies fastest.
func At(i int64, extents [3]int) [3]int {
	x, y := int64(extents[0]), int64(extents[1])
	return [3]int{int(i % x), int(i / x % y), int(i / x / y)}
}

// Source says where a program of threads comes from, for messages. It is no part of the program's text.
type Source struct {
	Lines    []int32  // by instruction; 0 where there is none
	In       []int16  // by instruction: in which of the files its line is
	Files    []string // as the user knows them: In[3], the kernel's first; none where nothing is known
	Names    []string // of parameters
	Arrays   []string // of Scratch
	Messages []Message
	Plain    bool // messages are all that errors say: not which thread failed, and where
}

// Message is what a Fail of its number says: values take the place of each {}.
type Message struct{ Exception, Text string }

// NewThreads starts a program of threads.
func NewThreads(name string) *Builder {
	return &Builder{p: Program{Name: name, Threads: true, Source: &Source{}}}
}

// Array adds a parameter that is an array of so many axes, 0 for a single element.
func (b *Builder) Array(dir Dir, t DType, axes int, name string) Memory {
	b.p.Params = append(b.p.Params, Param{dir, t, axes})
	b.p.Source.Names = append(b.p.Source.Names, name)
	return Memory(len(b.p.Params) - 1)
}

// Scratch adds an array of the program's own.
func (b *Builder) Scratch(space Space, t DType, name string, shape ...int) Memory {
	b.p.Scratch = append(b.p.Scratch, Scratch{space, t, shape})
	b.p.Source.Arrays = append(b.p.Source.Arrays, name)
	return ^Memory(len(b.p.Scratch) - 1)
}

// SetDir changes the direction of a parameter: what an array is to a program is known when it was built.
func (b *Builder) SetDir(m Memory, dir Dir) { b.p.Params[m].Dir = dir }

// Sure says that every index is in bounds, and that none counts from the end.
func (b *Builder) Sure() { b.p.Sure = true }

// Guarded has the program fail for races, and for reads of what nothing has written.
func (b *Builder) Guarded() { b.p.Guarded = true }

// Line says which line the instructions that follow come from.
func (b *Builder) Line(line int) { b.line = int32(line) }

// File says which file the lines that follow are of.
func (b *Builder) File(name string) {
	at := slices.Index(b.p.Source.Files, name)
	if at < 0 {
		at = len(b.p.Source.Files)
		b.p.Source.Files = append(b.p.Source.Files, name)
	}
	b.file = int16(at)
}

// Direct says what a device's compiler is told.
func (b *Builder) Direct(d Directives) { b.p.Directives = d }

// Message adds what a Fail may say, and returns its number.
func (b *Builder) Message(exception, text string) int {
	b.p.Source.Messages = append(b.p.Source.Messages, Message{exception, text})
	return len(b.p.Source.Messages) - 1
}

// Thread is where the thread is, or how many there are: an int32.
func (b *Builder) Thread(form Form) Value { return b.formed(Thread, form, Int32) }

// Size is the extent of an axis, an int64.
func (b *Builder) Size(m Memory, axis int) Value {
	return b.emit(Instr{Op: Size, Form: Form(axis), Type: Int64, N: int32(m)})
}

// Element reads an element.
func (b *Builder) Element(m Memory, index ...Value) Value { return b.access(Element, 0, m, index) }

// Put writes an element.
func (b *Builder) Put(m Memory, v Value, index ...Value) {
	b.access(Put, 0, m, append([]Value{v}, index...))
}

// Atomic combines an element with v, and is what it was before.
func (b *Builder) Atomic(form Form, m Memory, v Value, index ...Value) Value {
	return b.access(Atomic, form, m, append([]Value{v}, index...))
}

// Cas writes an element where it has the bits of old, and is what it was before.
func (b *Builder) Cas(m Memory, old, v Value, index ...Value) Value {
	return b.access(Cas, 0, m, append([]Value{old, v}, index...))
}

// Barrier has the threads of the block meet.
func (b *Builder) Barrier() { b.mark(Barrier) }

// GridBarrier has the threads of all blocks meet.
func (b *Builder) GridBarrier() { b.mark(GridBarrier) }

// Tally is a barrier that tells for how many threads the operand holds, whether for all, or for any: an int32.
func (b *Builder) Tally(form Form, v Value) Value { return b.formed(Tally, form, Int32, v) }

// Fence has others see what was written before it.
func (b *Builder) Fence(form Form) { b.formed(Fence, form, Bool) }

// Vote asks the threads of the mask, a uint32: a bool, or a uint32 of bits for VoteBallot.
func (b *Builder) Vote(form Form, mask, v Value) Value {
	t := Bool
	if form == VoteBallot {
		t = Uint32
	}
	return b.formed(Vote, form, t, mask, v)
}

// Shuffle is the value of another thread of the mask, which an int32 says; the thread's own where that is not there.
func (b *Builder) Shuffle(form Form, mask, v, lane Value) Value {
	return b.formed(Shuffle, form, b.TypeOf(v), mask, v, lane)
}

// Match is a uint32 of the threads of the mask that have the same value; for MatchAll 0 if not all have.
func (b *Builder) Match(form Form, mask, v Value) Value {
	return b.formed(Match, form, Uint32, mask, v)
}

// Active is a uint32 of the threads of the warp that take the same way now.
func (b *Builder) Active() Value { return b.formed(Active, 0, Uint32) }

// Leave ends the thread.
func (b *Builder) Leave() { b.mark(Leave) }

// Fail ends the thread, and has the launch fail with a message.
func (b *Builder) Fail(message int, values ...Value) {
	b.emit(Instr{Op: Fail, Type: Bool, N: int32(message), Args: Operands(values...)})
}

func (b *Builder) formed(op Opcode, form Form, t DType, args ...Value) Value {
	return b.emit(Instr{Op: op, Form: form, Type: t, Args: Operands(args...)})
}

func (b *Builder) access(op Opcode, form Form, m Memory, args []Value) Value {
	t, _ := b.p.memory(m)
	return b.emit(Instr{Op: op, Form: form, Type: t, N: int32(m), Args: Operands(args...)})
}

// memory returns the dtype and the number of axes of a memory; an Invalid one where there is no such memory.
func (p *Program) memory(m Memory) (t DType, axes int) {
	switch {
	case m >= 0 && int(m) < len(p.Params):
		return p.Params[m].Type, p.Params[m].Axes
	case m < 0 && int(^m) < len(p.Scratch):
		return p.Scratch[^m].Type, len(p.Scratch[^m].Shape)
	}
	return Invalid, 0
}

// Idle returns, for each instruction of a checked program of threads and for its end, whether a thread that comes there
// has nothing left to do: it leaves instead.
func Idle(p *Program) []bool {
	idle := make([]bool, len(p.Code)+1)
	idle[len(p.Code)] = true
	to := Partners(p)
	for i := len(p.Code) - 1; i >= 0; i-- {
		switch op := p.Code[i].Op; op {
		case Leave:
			idle[i] = true
		case If:
			idle[i] = idle[i+1] && idle[to[i]]
		case Else:
			idle[i] = idle[to[i]]
		case End:
			idle[i] = to[i] == 0 && idle[i+1] // a loop goes on
		case Const, Uniform, Merge, Thread, Size:
			idle[i] = idle[i+1]
		default:
			idle[i] = op.IsScalar() && idle[i+1]
		}
	}
	return idle
}
