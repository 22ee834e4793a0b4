package driver

import "slices"

// Address is a byte address in a device's memory. It means nothing to the host.
type Address uint64

// Function is an entry point of a loaded module; it is valid until the module is unloaded.
type Function uint64

// launch mirrors weft_cuda_launch in launch.h, field for field. It holds numbers only: a
// pointer field would make each crossing into C scan the whole array.
type launch struct {
	function    uint64
	grid        [3]uint32
	block       [3]uint32
	shared      uint32
	paramCount  uint32
	cooperative uint32
	paramFirst  uint64
}

// Batch is a list of launches that one call hands to the driver. It is reusable: Reset
// keeps its memory. The zero value is empty. A batch is used by one goroutine at a time.
type Batch struct {
	launches []launch
	params   []uint64
}

// Add appends a launch: a grid of blocks of threads, bytes of dynamic shared memory, and
// the parameter block in 8-byte words. A program's parameters must be declared so that
// each starts at a multiple of 8 bytes; a 32-bit parameter takes the low half of its word.
func (b *Batch) Add(f Function, grid, block [3]uint32, shared uint32, params ...uint64) {
	b.launches = append(b.launches, launch{
		function:   uint64(f),
		grid:       grid,
		block:      block,
		shared:     shared,
		paramCount: uint32(len(params)),
		paramFirst: uint64(len(b.params)),
	})
	b.params = append(b.params, params...)
}

// Cooperate has the launch that was added last run with all its blocks resident at once, so that they may wait for each
// other; the driver refuses a grid for which there is no room. Its kernel has one parameter, the block.
func (b *Batch) Cooperate() { b.launches[len(b.launches)-1].cooperative = 1 }

// Len returns how many launches the batch holds.
func (b *Batch) Len() int { return len(b.launches) }

// Reset empties the batch.
func (b *Batch) Reset() {
	b.launches = b.launches[:0]
	b.params = b.params[:0]
}

// clone returns a batch of its own of the same launches.
func (b *Batch) clone() Batch {
	return Batch{launches: slices.Clone(b.launches), params: slices.Clone(b.params)}
}

// take makes the batch's launches those of another one.
func (b *Batch) take(of *Batch) {
	b.launches = append(b.launches[:0], of.launches...)
	b.params = append(b.params[:0], of.params...)
}

// words are the parameters of launch i.
func (b *Batch) words(i int) []uint64 {
	l := &b.launches[i]
	return b.params[l.paramFirst:][:l.paramCount]
}

// same reports whether launch i of two batches is the same.
func (b *Batch) same(as *Batch, i int) bool {
	x, y := b.launches[i], as.launches[i]
	x.paramFirst, y.paramFirst = 0, 0
	return x == y && slices.Equal(b.words(i), as.words(i))
}

// Rows are pieces of bytes that lie a step apart on either side of a copy.
type Rows struct {
	Bytes            int64 // of each
	N                int64 // how many
	DstStep, SrcStep int64 // from one's beginning to the next's: at least Bytes, at most MaxStep
}

// MaxStep is how far apart the rows of one copy may lie: every device since Kepler says so
// (CU_DEVICE_ATTRIBUTE_MAX_PITCH).
const MaxStep = 1<<31 - 1
