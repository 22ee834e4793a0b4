package tile

// Axes is a set of axes, bit i for axis i.
type Axes uint64

// Has reports whether the set has axis i.
func (a Axes) Has(i int) bool { return a>>uint(i)&1 != 0 }

// Lanes is the number of accumulators of the canonical order of an inner reduction. It is
// four AVX-512 vectors of float64 and one warp of a GPU.
const Lanes = 32

// Elements of one reduction block. Inner blocks are long enough that the partial results
// are noise beside the data, short enough to stay in L1. Outer blocks accumulate in
// sequence, so that they are short: the rounding error grows with their length.
const (
	innerBlock = 4096
	outerBlock = 128
)

// BlockShape returns the extents of the reduction blocks of an op over the given index
// space. It depends on the shape and the reduced axes alone, never on the tiling or on
// the machine: this is what makes reductions reproducible.
//
// Along kept axes the extent is 1. Reduced axes are taken whole from the last one
// backwards as long as the block stays within its limit; the first that does not fit is cut.
//
//	shape (4000, 4000), both reduced:  block (1, 4000)
//	shape (1000000, 3), both reduced:  block (1365, 3)
//	shape (10000000), reduced:         block (4096)
//	shape (4000, 4000), axis 0:        block (128, 1)   outer: the last axis is kept
func BlockShape(shape []int, reduced Axes) []int {
	room := outerBlock
	if len(shape) > 0 && reduced.Has(len(shape)-1) {
		room = innerBlock
	}
	block := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		block[i] = 1
		if reduced.Has(i) && room > 0 {
			block[i] = max(1, min(shape[i], room))
			if block[i] < shape[i] {
				room = 0
			} else {
				room /= block[i]
			}
		}
	}
	return block
}

// GridShape returns how many blocks there are along each axis: the shape of a Reduce's
// output parameters.
func GridShape(shape, block []int) []int {
	grid := make([]int, len(shape))
	for i := range shape {
		grid[i] = (shape[i] + block[i] - 1) / block[i]
	}
	return grid
}
