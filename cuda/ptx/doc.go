// Package ptx turns tile programs into the text that the CUDA driver compiles.
//
// It must not know what a device, a queue or a driver is: text and numbers in, text and
// numbers out. It needs no GPU, and its tests assemble every instruction with a simulator of
// the few PTX instructions that it emits, and with NVIDIA's assembler where that is at hand.
//
// # From a launch to a kernel
//
// The text depends on the program and on the form of the launch, which is a Variant: how
// many axes are left when those that lie one behind the other in memory have been joined,
// which of them are reduced, and whether counting needs 64 bits.
//
//	variant, space := ptx.Plan(launch)                 // join axes, drop those of extent 1
//	kernel, err := ptx.Emit(program, variant, target)  // cached by program and variant
//	text := ptx.Module(target, kernel)                 // what the driver loads
//	words := kernel.Words(nil, launch, space, 0, 0)    // the parameter block
//	grid, block := kernel.Grid(space, multiprocessors)
//
// # Forms
//
// The launch has one of these forms, which Plan chooses by strides and addresses, and the numbers in tuning.go:
//
//	vector       straight code over operands that are one element each, or lie one behind the other: accesses of up to
//	             16 bytes, several under way at once. They are narrower where operands are never aligned at the same
//	             time; what is in front of the first such access, and behind the last, is read one by one in the same
//	             kernel. Where the first one is, each launch finds anew (Space.Lead). Sums and products of float16 are
//	             computed in pairs
//	rows         straight code over two axes or more, of any strides: a grid of columns and rows, in which a point costs
//	             no division, parameters with the same strides share an offset, and a thread has several rows under way
//	tiles        the same, where some operands lie along one axis and others along another: tiles of 32 by 32 points,
//	             turned in memory that a block's threads share, so that all are read and written along their own axis
//	one by one   the rest, a point for a thread and turn: control flow, gathers, one axis of other strides
//	byte by byte the same, for elements that do not lie at multiples of their size
//
// A kernel takes its parameters as one block of 8-byte words, of which a binding's Buffer.Handle
// is the address of a buffer on the device.
//
// A Map kernel strides over the points of the index space: any grid is right, that has all columns in the rows form. A
// Reduce kernel follows the canonical order of package tile. In the outer form a thread makes one block's result, and
// along one axis loads up to 16 elements before it combines the first. In the inner form the 32 lanes are spread over
// threads, and the fold is shuffles and what a thread does by itself:
//
//	lanes        straight code along one axis: a thread has as many lanes, which lie one behind the other, as one access
//	             reads, so that a warp of 16-byte accesses to float32 has four blocks, and several accesses under way.
//	             Of blocks shorter than 32 elements, fewer lanes are used, and a thread has several blocks under way
//	             (lanes.go)
//	staged       the same, where there are few blocks: a block of threads for each loads it at once into memory that
//	             these share, and one warp of it combines what is there (staged.go)
//	one by one   the rest: a thread has one lane, a warp one block
//
//	products     of matrices of 16 by 16 elements or more, whose sums may be of any order: a block of threads has a tile of
//	             the result, of 64 or 128 elements squared, and brings strips of the factors to memory that it shares
//	             (products.go). Tensor cores are not used
//
// Programs of threads have a form of their own (threads.go): the launch's grid and blocks are the program's.
//
// # Values
//
// Bool is a predicate, integers of up to 32 bits are words extended to 32 bits, float16 is a
// float32 that is rounded to half after each operation, a complex number is two registers.
//
// Elements that do not lie at multiples of their size, in views of bytes and packed records, are read and written byte
// by byte: loads and stores of the device want them aligned. That is a Variant.
//
// # Control flow
//
// Blocks are branches; merges and carries are registers that are written in several places. A
// store in a block is remembered, and done once every load of the lane has been. Gathers check
// their indices. What goes wrong is written to the launch's fault block (status.go); threads
// that take many turns in loops look at its stop word whether they are to stop; they go on as if all were
// well, so that a warp stays together.
//
// # Arithmetic
//
// Every rounding is spelled out with .rn, so that the assembler contracts nothing: what the
// reference (tile.Eval) computes exactly has the same bits here. Exp, Log, Sin, Cos, Tanh and Pow,
// and what complex numbers make of them, are sequences of fused multiply-adds of our own
// (library.go), the short ones written out where they are called. They are within 2 units in the
// last place; no hardware approximation is used. float32 has sequences of its own, but for Pow, for what opcodes.go
// calls wide, and for arguments of Sin, Cos and Tan beyond 1e5, which go through float64. Those of package cpu/vm are
// the same, in C. Complex functions of complex64 but for the absolute value are computed in float64. These opcodes are
// the ones whose last digits differ from the reference's.
//
// # Adding an opcode
//
// One row in opcodes.go. A test names what is missing.
package ptx
