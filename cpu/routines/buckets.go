package routines

import (
	"math"
	"math/bits"

	"weft/cpu/sorting"
)

// A big row goes through memory once: each element to its bucket, in the order in which they were, and
// then each bucket is sorted by one processor. What separates the buckets is a sample's, and where much of the
// sample is one value, that value has a bucket of its own, which is in order as it is.

// sort sorts a row of elements of 4 or 8 bytes.
func (s Sorter) sort(par Parallel, o *sorting.Order, x, out sorting.Array) {
	if s.sortClose(par, o, x, out) || x.N <= cached && s.sortHalves(par, o, x, out) {
		return
	}
	b, starts, next := s.buckets(par, o, x, 0)
	eachChunk(par, x.N, func(c, lo, hi int) {
		s.Machine.Place(o, x.Part(lo, hi-lo), b, &next[c], out.P)
	})
	par(1<<b.Levels, func(k int) {
		s.Machine.Bucket(o, out.Part(starts[k], starts[k+1]-starts[k]))
	})
}

// argsort writes the positions that sort a row.
func (s Sorter) argsort(par Parallel, o *sorting.Order, x sorting.Array, out []int64) {
	b, starts, next := s.buckets(par, o, x, bits.Len(uint(x.N-1)))
	eachChunk(par, x.N, func(c, lo, hi int) {
		s.Machine.PlacePositions(o, x.Part(lo, hi-lo), lo, b, &next[c], out)
	})
	par(1<<b.Levels, func(k int) {
		s.Machine.PositionBucket(o, x, out[starts[k]:starts[k+1]], int(b.Bits), b.Shift[k] > 0)
	})
}

// counts is a number for each bucket: of elements, or where the next one goes.
type counts = [1 << sorting.Levels]int64

// chunk is the number of elements that are counted together.
func chunk(n int) int { return max(bucketSize, (n+63)/64) }

func eachChunk(par Parallel, n int, run func(c, lo, hi int)) {
	size := chunk(n)
	par((n+size-1)/size, func(c int) { run(c, c*size, min(n, (c+1)*size)) })
}

// buckets chooses the buckets of a row and counts their elements. It returns where each starts, with the end, and
// where in each the elements of each chunk go. Positions have so many bits, if there will be any.
func (s Sorter) buckets(par Parallel, o *sorting.Order, x sorting.Array, position int) (*sorting.Buckets, []int, []counts) {
	levels := min(max(bits.Len(uint(x.N/bucketSize)), 4), sorting.Levels)
	buckets := 1 << levels
	b := &sorting.Buckets{Levels: int32(levels), Bits: int32(position)}
	splitters := s.splitters(o, x, buckets)
	for at := 1; at < buckets; at++ { // the node is the middle one of those below it
		depth := bits.Len(uint(at)) - 1
		b.Tree[at] = splitters[(2*(at-1<<depth)+1)<<(levels-depth-1)]
	}
	next := make([]counts, (x.N+chunk(x.N)-1)/chunk(x.N))
	lows, highs := make([]int64, len(next)), make([]int64, len(next))
	eachChunk(par, x.N, func(c, lo, hi int) {
		lows[c], highs[c] = s.Machine.Count(o, x.Part(lo, hi-lo), b, &next[c])
	})
	starts := make([]int, buckets+1)
	total := int64(0)
	for k := range buckets {
		starts[k] = int(total)
		for c := range next {
			total, next[c][k] = total+next[c][k], total
		}
	}
	starts[buckets] = x.N
	least, greatest := int64(math.MaxInt64), int64(math.MinInt64)
	for c := range next {
		least, greatest = min(least, lows[c]), max(greatest, highs[c])
	}
	for k := range buckets {
		low, high := least, greatest
		if k > 0 {
			low = max(low, splitters[k])
		}
		if k+1 < buckets {
			high = min(high, splitters[k+1]-1)
		}
		b.Low[k] = low
		if width := bits.Len64(uint64(high) - uint64(low)); low <= high && width > 63-position {
			b.Shift[k] = uint8(width - (63 - position))
		}
	}
	return b, starts, next
}

// splitters returns the least rank of each bucket but the first. They ascend strictly, but at the greatest integer.
func (s Sorter) splitters(o *sorting.Order, x sorting.Array, buckets int) []int64 {
	const samples = 32 // for each bucket
	sample := make([]int64, samples*buckets)
	s.Machine.Sample(o, x, sample)
	list := make([]int64, buckets)
	list[0] = math.MinInt64
	for k := 1; k < buckets; k++ {
		list[k] = sample[k*samples]
		if k > 1 && list[k] <= list[k-1] && list[k-1] < math.MaxInt64 {
			list[k] = list[k-1] + 1
		}
	}
	return list
}
