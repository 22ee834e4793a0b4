package tile

import "unsafe"

// Device runs programs on buffers. It knows neither stores nor tasks nor records: the
// driver above it does. A device owns its goroutines; all methods may be called from
// any goroutine.
type Device interface {
	// Info describes the device; it never changes.
	Info() DeviceInfo

	// Alloc returns a buffer of at least n bytes, aligned to 64, of unspecified contents unless it says Zero.
	// It fails with ErrOutOfMemory when the device's memory is used up: of the Memory that its
	// Info tells, each buffer counts as its n, but at least 1, rounded up to a multiple of 64.
	Alloc(n int64) (Buffer, error)

	// Free returns a buffer to the device. No launch or copy may still use it.
	Free(b Buffer)

	// Compile prepares a checked program; the result may be launched any number of times,
	// concurrently. It fails with an error naming the opcode and dtype that are missing.
	Compile(p *Program) (Executable, error)

	// Launch starts a program over a tile on one of the device's queues and calls done
	// when it has finished: from the calling goroutine, before returning, for the queue
	// Inline, otherwise from one of the device's own. Work on one queue runs in order. The
	// launch must not be changed until done is called; done must not block.
	Launch(queue int, l *Launch, done func(Completion))

	// Copy starts a copy of bytes between a buffer of this device and host memory or
	// another device of the same family, and calls done as Launch does.
	Copy(queue int, t *Transfer, done func(Completion))

	// Close waits for what was started, and releases everything.
	Close() error
}

// Inline is the queue number which means: on the calling goroutine, now. Devices whose
// Info says Inline accept it.
const Inline = -1

// DeviceInfo describes a device.
type DeviceInfo struct {
	Name   string // cpu, gpu0, ...
	Model  string // as the maker calls it
	Queues int    // independent in-order queues: CPU workers, CUDA streams
	Memory int64  // bytes of its memory that Alloc hands out at most; 0 means no limit of its own
	Host   bool   // its buffers are host memory: any goroutine may touch them
	Inline bool   // accepts the Inline queue
	Shares bool   // does large launches of that with the help of queues which have nothing to do
	Calls  bool   // runs named routines: all, or those that Lacks says nothing of
	Grids  bool   // runs programs of threads
	Copies int    // of a GPU with several queues, how many, the last ones, are for copies alone: 2 where one brings, and the last one takes to the host; 0 means 1

	// Its queues take work behind unfinished work: any number of launches and copies may be given to a queue
	// before the first has finished, and they may name, in After, work of other queues to wait for. The Ordered
	// devices of a machine are of one family, and wait for each other's work.
	Ordered   bool
	Singly    bool                    // it begins nothing, on any queue, before it has told the end of what it began last
	Sequences bool                    // is a Sequencer, and gains by it
	Lacks     func(p *Program) string // of a device that Calls: why it does not run the named routine that a program is, "" where it does; nil runs all that there are
	Ahead     int64                   // bytes that a queue should have to move, in all that it has been given: what it moves while more is given; 0 where that is not known
}

// Runs reports whether the device runs the named routine that a program is.
func (d DeviceInfo) Runs(p *Program) bool { return d.Calls && (d.Lacks == nil || d.Lacks(p) == "") }

// Point is a place in the order of a queue: behind the piece of work that has the number Seq, and all before it.
type Point struct {
	Device Device
	Queue  int
	Seq    uint64
}

// Turn says when a piece of work that is given to an Ordered device may start: not before what is before it on its
// queue, and not before After. The caller that gives the work numbers it; the device may turn After into whatever its
// queues wait for, such as events that it records behind each piece of work. No thread waits in the device's Launch or
// Copy.
//
//	queue 0   1 launch   2 launch                   4 launch, after queue 1's 1
//	queue 1   1 copy, after queue 0's 1
//
// Work whose predecessor failed runs all the same, on whatever the other has left, and gives up in its loops if its
// Stop is set. The caller that gave it throws away what it makes.
type Turn struct {
	Seq   uint64  // larger than those before it on the queue; 0 where nothing ever waits for the work, as on devices that are not Ordered
	After []Point // of queues of Ordered devices that have been given this work before
}

// Sequencer is an Ordered device that takes launches together: those that a queue is given between Sequence and End may
// wait there for the last of them, and be told of together. The same launches in the same order, on the same or other
// buffers, are then started in one go.
//
//	Sequence(0)  Launch(0, a)  Launch(0, b)  End(0)     starts a, then b
//
// Who calls Sequence calls End in any case. Launches in between that don't suit the device it starts at once, behind
// those that it has; work of other queues that waits for them starts when they do.
type Sequencer interface {
	Sequence(queue int)
	End(queue int)
}

// Preparer is a device whose programs a compiler has to make code of, which takes long beside a launch, for the first
// launches of each. It is told of these as soon as they are known.
//
//	Prepare(a, b)   ...   Launch(a)   Launch(b)      compiled together, meanwhile
type Preparer interface {
	// Prepare begins to compile what launches like these need. Their buffers need not be there: of each only the Size
	// counts, what its Handle is a multiple of, and which have the same. It does not wait.
	Prepare(launches []*Launch)

	// Unmade reports whether nothing has been made yet of what Compile returned: neither compiled, nor taken from what
	// was kept.
	Unmade(exe Executable) bool

	// Cold reports whether a launch of it would wait for the compiler: it is unmade, and nothing of it was kept.
	Cold(exe Executable) bool
}

// Buffer is a piece of one device's memory. The device that allocated it owns it. It
// never points into the Go heap.
type Buffer struct {
	Host   unsafe.Pointer // address, when the device says Host; nil otherwise
	Handle uint64         // the device's own name for it: a device pointer, or an index
	Size   int64          // usable bytes
	Zero   bool           // its bytes were all 0 when it was allocated
}

// Bytes returns the host bytes of a buffer; nil when it isn't host memory.
func (b Buffer) Bytes() []byte {
	if b.Host == nil {
		return nil
	}
	return unsafe.Slice((*byte)(b.Host), b.Size)
}

// Executable is what Compile returns; only the device that made it understands it.
type Executable any

// Binding places a parameter on memory: where the element of the tile's first point is,
// and how far apart, in bytes, neighbours along each axis of the index space are (0 for
// an axis that the parameter does not have: a broadcast). For a parameter that a Reduce
// writes, a stride along a reduced axis is the distance from one block's result to the
// next's.
type Binding struct {
	Buffer  Buffer
	Offset  int64
	Strides []int64
	Shape   []int // of a named routine's operand, a whole parameter, one of threads: these have their own; nil for others
}

// Launch is one program over one tile of the op's index space.
type Launch struct {
	Exe      Executable
	Program  *Program
	Shape    []int // extent of the tile; a zero extent means that there is nothing to do
	Origin   []int // coordinates of the tile's first point in the op's index space, for Index
	Args     []Binding
	Uniforms []Scalar
	Block    []int  // extent of a reduction block along each axis (see BlockShape); nil for a program that doesn't reduce
	Reduced  Axes   // the axes that are reduced
	Product  bool   // a matrix product, which a device's library may add up in an order of its own; what is a sum of products otherwise keeps the canonical order
	Grid     Grid   // of a program of threads, which has no shape
	Stop     *Stop  // ends loops early; nil never does
	Watch    *Watch // what went wrong in the operations that the program has Watched; nil where it does not matter
	Turn     Turn
}

// Transfer is a copy of rows of bytes, one for most: the rows begin DstStep bytes apart on one
// side and SrcStep on the other. The rows of one side share no byte. Exactly one side may be
// host memory that the device does not own; then that side's buffer has Host set and its device
// is nil.
type Transfer struct {
	Dst, Src         Buffer
	DstAt, SrcAt     int64  // byte offsets of the first row
	Bytes            int64  // of each row
	Rows             int64  // 0 and 1 both mean one
	DstStep, SrcStep int64  // at least Bytes; of no meaning for one row
	DstDev, SrcDev   Device // owners of the buffers; nil for plain host memory
	Turn             Turn
}

// Reach returns the bytes from the first to the last that the transfer touches on a side whose
// rows are step bytes apart.
func (t *Transfer) Reach(step int64) int64 { return max(0, t.Rows-1)*step + t.Bytes }

// Move copies the rows between two sides that begin at the first row and are host memory.
func (t *Transfer) Move(dst, src []byte) {
	for i := range max(1, t.Rows) {
		copy(dst[i*t.DstStep:][:t.Bytes], src[i*t.SrcStep:])
	}
}

// Completion tells how a launch or copy went. Times are nanoseconds on the device's
// clock, which is the host's monotonic clock unless the device says otherwise, and not in the future; they are 0
// for Inline work, which its caller can time, and does with fewer looks at a clock, for the
// end of one piece of work is the beginning of the next. Work that waits has not started: Start is not before the
// End of what is before it on its queue, nor of what its After names.
type Completion struct {
	Start, End int64
	Queue      int
	Estimated  bool // of a part of a Sequence, of which only the whole was timed: Start and End are its share of that
	Err        error
}
