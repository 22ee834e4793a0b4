package routines

import (
	"math/bits"
	"sync/atomic"

	"weft/cpu/sorting"
)

// A row that caches have room for is cut in two where it is, and each half again by a processor of its own: that moves
// an element as often as a quicksort does, where buckets look at it twice more.
//
//	level 1   |..............................|     one processor
//	level 2   |.............|................|     two
//	then      |......|......|........|.......|     each part is sorted by itself

const (
	cached   = 1 << 20       // elements of a row that is cut so
	halfSize = oneBucket / 2 // elements of a part, about
)

// sortHalves sorts a row, if its elements can be cut as they are.
func (s Sorter) sortHalves(par Parallel, o *sorting.Order, x, out sorting.Array) bool {
	var not atomic.Bool
	split(par, x.N, 1, func(lo, hi int) {
		if !s.Machine.Prepare(o, x.Part(lo, hi-lo), out.Part(lo, hi-lo).P) {
			not.Store(true)
		}
	})
	if not.Load() {
		return false
	}
	parts := []sorting.Array{out}
	for range min(bits.Len(uint(x.N/halfSize))-1, 4) {
		halves := make([]sorting.Array, 2*len(parts))
		par(len(parts), func(i int) {
			less := s.Machine.Cut(o, parts[i])
			halves[2*i], halves[2*i+1] = parts[i].Part(0, less), parts[i].Part(less, parts[i].N-less)
		})
		parts = halves
	}
	par(len(parts), func(i int) { s.Machine.Finish(o, parts[i]) })
	return true
}
