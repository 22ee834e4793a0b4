package scheduler

import (
	"fmt"
	"testing"

	"weft/tile"
)

// A contraction's blocks are long where there is much to keep, and those of other reductions
// are the canonical ones.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		kind    OpKind
		shape   []int
		reduced tile.Axes
		want    string
	}{
		{Contract, []int{512, 512, 4100}, 4, "[1 1 4100]"},
		{Contract, []int{512, 512, 100000}, 4, "[1 1 16667]"}, // at least 16384
		{Contract, []int{64, 64, 100000}, 4, "[1 1 4167]"},    // at least 4096
		{Contract, []int{4096, 20000}, 2, "[1 20000]"},        // a matrix and a vector: rows are cut
		{Contract, []int{100, 20000}, 2, "[1 5000]"},
		{Contract, []int{10, 3, 3, 10000}, 8, "[1 1 1 5000]"},
		{Contract, []int{10000}, 1, "[4096]"}, // two vectors: canonical
		{Contract, []int{5, 0, 7}, 4, "[1 1 7]"},
		{Contract, []int{5, 7, 0}, 4, "[1 1 1]"},
		{Contract, []int{512, 100, 100}, 6, "[1 40 100]"}, // two reduced axes: canonical
		{Reduce, []int{512, 512, 4100}, 4, "[1 1 4096]"},
	} {
		if got := fmt.Sprint(Blocks(c.kind, c.shape, c.reduced)); got != c.want {
			t.Errorf("%v %v reduced %b: blocks %s, want %s", c.kind, c.shape, c.reduced, got, c.want)
		}
	}
}
