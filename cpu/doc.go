// Package cpu runs tile programs on the processor's cores: a worker pool around the block machine
// of package vm. The same engine, with memory that no other device can address, is the emulated
// GPU.
//
// It must not know the scheduler, stores, tasks, NumPy or the profiler: it gets programs and
// buffers, and returns timings.
//
// # How a program runs
//
// Compile lowers a program to steps. A step is a primitive (a C loop over one block of elements,
// one per opcode and dtype, see package vm) with up to five operands and a destination, or a strip:
// several cheap operations on floats, whose values stay in the processor's registers (strips.go,
// stripcode.go). An operand is an address and a step in bytes, so that the same loop reads a window
// of the user's memory, a register of the machine, or a scalar (step 0): nothing is copied in,
// and no scalar is spread over a block. The last step before a store writes straight into the output.
//
// Launch chooses the axes, encodes the steps with their operands, and the machine walks the tile in
// rows along the last axis and each row in blocks, short enough that the registers stay in the L1
// cache, in one call from Go:
//
//	program axpy rank 1            block of 1024 elements
//	v0 = load float64 p0
//	v1 = uniform float64 u0
//	v2 = mul float64 v0 v1         strip  r0 = p0; r0 mul u0; r0 add p1; p2 = r0
//	v3 = load float64 p1
//	v4 = add float64 v2 v3
//	store p2 v4
//
// Product and sum are rounded one after the other all the same. testdata/code.txt shows more programs.
// The end of a row, which does not fill the accumulators of a strip, is one round with fewer vectors, the last
// of them masked: short rows cost little more than their elements.
// An output that is larger than a cache is written past the caches.
//
// float16 has few primitives: the others convert to float32, compute, and convert back, which
// is the definition of float16 arithmetic here and in NumPy. Complex casts go through the
// real dtypes in the same way.
//
// Reductions follow the canonical order of package tile. An inner reduction folds into a
// register of 32 lanes, an outer one into a row of accumulators: along the longest kept axis,
// where the last one has few points. A product summed over the last axis (matrix products) has
// its own loops with the same order.
//
// # Control flow
//
// Lanes that differ are masks over a block (flow.go). All steps compute all lanes; what a branch
// or another turn of a loop gives is selected where its mask holds, and steps are skipped that no
// lane of the block takes. A gather reads where its mask holds, after a look at each index. The machine
// ends the launch at an index that is out of bounds, or when the launch's Stop is set.
//
// # Named routines
//
// A program that is a routine runs the code of its row in routines.go. A routine may share its
// work with cores that have nothing to do, or reserve them for a library's threads; a job that
// comes to such a core waits until it is back, for helpers no longer than a share of their work
// (cores.go). Jobs, helpers and threads together are never more than queues.
//
// # Who owns what
//
// Each queue is one goroutine, which owns a frame: the encoded launch and the registers. Inline
// launches borrow a frame from the device's list. Frames, like buffers, are mapped memory
// outside the Go heap, because the machine follows pointers in them. A frame remembers the launches that
// it encoded last: the same code on the same shapes and strides only gets new addresses and scalars (memo.go).
package cpu
