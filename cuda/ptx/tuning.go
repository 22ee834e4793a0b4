package ptx

import "weft/tile"

// Threads is the number of threads of a block, for every kernel.
const Threads = 256

// The numbers by which the form of a launch is chosen. An H200 needs some 26 to 32 KiB under way on each
// multiprocessor, which has 64 warps at the most.
const (
	// blocksPerSM is how many blocks a grid has per multiprocessor at most: four times what a
	// multiprocessor holds at once, so that uneven blocks even out.
	blocksPerSM = 32

	accessBytes = 16 // the most that a thread loads or stores with one instruction
	aheadBytes  = 64 // what a thread should have under way
	mostAhead   = 4  // of each operand's accesses, how many it has under way at most

	// In the rows form, of rows that a thread takes in a turn: how many at most, of how many bytes of all inputs, and
	// how many threads of a block lie in one row. There is a block for every turn: those that follow each other then
	// run at the same time, and find in the cache what rows have in common. With blocksPerSM blocks that stride, an
	// H100 reaches .88 and .76 of a copy for the heat stencil and for Gray-Scott, and with all .98 and .94; 64 threads
	// instead of 128, or 2 rows instead of 4, cost .01 to .09.
	mostRows   = 4
	rowsBytes  = 160
	rowThreads = 128
	lineBytes  = 128 // of the device's caches

	// Of elements that a Reduce combines one after the other: how many a thread loads at once of each lane at most, and
	// of how many bytes of all inputs. Where a thread has several lanes, there are fewer threads, each of which loads
	// laneBytes and has accumulators of accsBytes at most. Of blocks no longer than the number of lanes, a thread has
	// mostShorts under way at most.
	mostSummed = 16
	sumsBytes  = 64
	laneBytes  = 128
	accsBytes  = 64
	mostShorts = 8

	// A result has a block of threads of its own where there are no more than fewBlocks results, of leastStaged to
	// mostStaged elements each, whose values have room in stagedBytes of memory that threads share.
	fewBlocks   = 4096
	leastStaged = 512
	mostStaged  = 4096
	stagedBytes = 32 << 10

	// In the tiles form.
	tileSide    = 32
	tileShift   = 5
	tileMost    = 32 << 10 // bytes that a block's threads share, at most
	tileExtents = 16       // of both axes, at least

	// In the products form. Of elements of 4 bytes a thread has 8 by 8, which takes 64 sums for 16 that it reads of
	// what threads share, where the result has tiles enough for all multiprocessors, and 4 by 4 otherwise. A strip has
	// as many steps as make 4 elements for a thread to bring. Smaller products are as fast as sums.
	threadsAcross = 16 // of a block's 16 by 16
	acrossShift   = 4
	shortSide     = 4
	shortDeep     = 16
	longSide      = 8
	longDeep      = 8
	mostSums      = 256 // bytes of a thread's
	leastTiles    = 128
	leastSide     = 16
	leastDeep     = 16
	leastFactor   = 4 // bytes of an element

	mostWritten = 256 // instructions, roughly, that a kernel's loop has at most because it takes several elements in one turn
)

// The instructions that an opcode takes, roughly: 1 where nothing is said, for each part of a number.
var costs = [...]uint8{
	tile.Const: 0, tile.Uniform: 0,
	tile.Load: 1, tile.Store: 1, tile.Index: 2,
	tile.Div: 12, tile.Sqrt: 12, tile.FloorDiv: 40, tile.Rem: 40,
	tile.Pow: 200, tile.Exp: 40, tile.Log: 60, tile.Sin: 80, tile.Cos: 80, tile.Tanh: 80,
	tile.Exp2: 30, tile.Expm1: 60, tile.Log2: 60, tile.Log10: 60, tile.Log1p: 80, tile.Tan: 150,
	tile.Asin: 50, tile.Acos: 50, tile.Atan: 50, tile.Sinh: 70, tile.Cosh: 70, tile.Asinh: 100, tile.Acosh: 100, tile.Atanh: 100,
	tile.Cbrt: 80, tile.Erf: 150, tile.Erfc: 150, tile.Gamma: 255, tile.LogGamma: 255, tile.Atan2: 100, tile.Hypot: 40,
	tile.PCG64: 255, tile.Philox: 255,
}

// Those of float32 that are shorter by far than those of float64.
var singleCosts = map[tile.Opcode]int{tile.Log: 40, tile.Cbrt: 50, tile.Erf: 50, tile.Hypot: 30,
	tile.Tan: 60, tile.Atan2: 60, tile.Asinh: 60, tile.Acosh: 60, tile.Atanh: 60, tile.Erfc: 60}

// cost is what an instruction of a program takes.
func cost(in *tile.Instr) int {
	if n, short := singleCosts[in.Op]; short && scalars[in.Type].typ == "f32" && parts(in.Type) == 1 {
		return n
	}
	n := 1
	if int(in.Op) < len(costs) && (costs[in.Op] > 0 || in.Op == tile.Const || in.Op == tile.Uniform) {
		n = int(costs[in.Op])
	}
	return n * parts(in.Type)
}
