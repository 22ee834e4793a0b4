package scheduler

import "weft/tile"

// blockElements is the least length of a contraction's blocks.
const blockElements = 4096

// Blocks returns the extents of an op's reduction blocks, a function of its kind, index space
// and reduced axes alone. Those of a contraction are longer than the canonical ones of package
// tile, whose bits a library does not have anyway: the results of blocks, which have to be
// written, read and added, are at most a 64th of what is multiplied, and there is one block
// where there are so many rows or columns that these can be cut. All blocks are about equal. The two axes before k
// count as rows and columns, whatever they are where axes have been joined.
func Blocks(kind OpKind, shape []int, reduced tile.Axes) []int {
	block := tile.BlockShape(shape, reduced)
	k := len(shape) - 1
	if kind != Contract || k < 1 || reduced != 1<<uint(k) {
		return block
	}
	columns, rows := max(1, shape[k-1]), 1
	if k > 1 {
		rows = max(1, shape[k-2])
	}
	least := max(blockElements, 64*rows*columns/(rows+columns), 8*max(rows, columns))
	blocks := max(1, shape[k]/least)
	block[k] = max(1, (shape[k]+blocks-1)/blocks)
	return block
}
