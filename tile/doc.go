// Package tile is the lower waist of weft: what one tile computes. It has the dtypes, the
// opcodes, the Program, the Device that runs programs on buffers, and the reference
// device, which is slow, obvious and complete.
//
// It must not know what a store, an op, a task, a partition, a record or NumPy's Python
// API is. Everything above this package is NumPy and scheduling; everything below is
// hardware.
//
// # Programs
//
// A Program is typed SSA over the lanes of one tile. It prints as
//
//	program axpy rank 1
//	param p0 in float64
//	param p1 in float64
//	param p2 out float64
//	uniform u0 float64
//	v0 = load float64 p0
//	v1 = uniform float64 u0
//	v2 = mul float64 v0 v1
//	v3 = load float64 p1
//	v4 = add float64 v2 v3
//	store p2 v4
//
// and Parse reads that back. Stores and reduces are instructions without a result, but
// count in the numbering of values. An output parameter is written by exactly one
// instruction. Parameters may share memory only if their bindings are equal (an
// operation in place): a lane loads everything before it stores anything.
//
// # Control flow and gathers
//
// Lanes may take different branches, and different numbers of turns in loops (flow.go). Blocks
// nest, and hand values on by merges and carries. What lanes do not store stays as it was. A
// Stop ends loops that go on for too long.
//
//	program guarded rank 1
//	param p0 in int64
//	param p1 in float64 axes 1
//	param p2 out float64
//	v0 = load int64 p0
//	v1 = const int64 0
//	v2 = const float64 0
//	v3 = ge bool v0 v1
//	if v3
//	  v5 = gather float64 p1 v0
//	end
//	v7 = merge float64 v5 v2
//	store p2 v7
//
// A parameter with axes of its own is bound as a whole array, with a shape, and shares no byte with
// an output. A gather reads its element at an index for each axis, an int64; negative ones count
// from the end, as in NumPy. An index that the array does not have makes the launch fail with a
// DataError that names index, axis and size; nothing is read there. Which one it names, when there
// are several, is unspecified, and so is what the outputs hold then.
//
// # Threads
//
// A kernel that reads and writes arrays wherever it wants is a program of threads, which runs on a grid
// of blocks: see threads.go.
//
// # Named routines
//
// What is no straight line of scalar code, such as a sort or a factorisation, is a program
// of one routine, which a device finds by name in a table of its own (Routines):
//
//	program sort rank 0
//	param p0 in float64
//	param p1 out float64
//	routine sort axis=1
//
// It has parameters and uniforms like any other, and fixed numbers as attributes (floats
// have a point or an exponent). Each operand has a shape of its own, with elements, and none that
// is written shares a byte with another operand. A parameter that is neither in nor out is an
// update: it is read and written in place, as the target of a scatter is. Where the data is at
// fault, a routine fails with a DataError, before it has changed what it updates.
//
// # Map launches
//
// A program without Reduce runs once per point of the tile. The order of points is
// unspecified.
//
// # Reduce launches: the canonical order
//
// Reductions have the same bits on every device and under every tiling, because their
// order is part of the definition. The op's index space is cut into blocks (BlockShape; matrix
// products have longer ones), a function of the shape alone; tiles are whole blocks (only the last along an axis may be
// short). Each block gives one result per point of the kept axes, and the results of the
// blocks are reduced by further launches until one block is left.
//
// Within a block, for each point of the kept axes, the elements are taken in C order of the
// reduced axes: x[0] .. x[n-1].
//
//   - Inner form (the last axis of the index space is reduced): Lanes accumulators; lane l
//     starts with x[l] and takes x[l+Lanes], x[l+2*Lanes], ... in this order. Then the lanes
//     are folded: for s = 16, 8, 4, 2, 1, lane l takes lane l+s for every l < s, where lane l+s
//     has seen an element. Lane 0 is the result.
//
//   - Outer form (the last axis is kept): one accumulator, starting with x[0], taking x[1],
//     x[2], ... in this order.
//
// The result takes the combiner's Neutral last, where it has one.
//
// "Takes" is acc = Step(acc, x) with the combiner's opcode, rounded to the dtype at each
// step, never fused. A Reduce's parameter has the dtype of its value.
//
// # Invariants
//
//	inv 1: a device is given only programs that Check accepts
//	inv 2: the tile of a Reduce launch starts on a block boundary
//	inv 3: buffers never point into the Go heap
//	inv 4: a buffer is freed once, by the device that allocated it
package tile
