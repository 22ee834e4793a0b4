package routines

import (
	"math"
	"slices"
	"unsafe"

	"weft/cpu/sorting"
)

// A partition samples the row and splits it, in order, into what is surely less than the wanted element, what is
// surely greater, and what lies between, which is a small part; and goes on with the parts that have a wanted
// position. Small parts are sorted. So where everything stands follows from the row alone.

// partition writes the row x, of elements of 4 or 8 bytes, to out with the positions kth right.
func (s Sorter) partition(par Parallel, o *sorting.Order, x, out sorting.Array, kth []int) {
	switch {
	case x.N <= sorting.Selectable:
		s.Machine.Rows(o, x, out.P, x.N)
	case x.N <= bucketSize && len(kth) == 1:
		s.Machine.SelectRow(o, x, out.P, kth[0])
	default:
		s.partitionChunks(par, o, x, out, kth)
	}
}

// partitionChunks shares the row among processors.
func (s Sorter) partitionChunks(par Parallel, o *sorting.Order, x, out sorting.Array, kth []int) {
	low, high := s.bracket(o, x, kth)
	next, starts := s.parts(par, o, x, low, high)
	eachChunk(par, x.N, func(c, lo, hi int) {
		s.Machine.Split(o, x.Part(lo, hi-lo), low, high, &next[c], out.P)
	})
	eachPart(starts, kth, high-low == 1, func(lo, hi int, kth []int) {
		part := out.Part(lo, hi-lo)
		if atEnds(kth, part.N) {
			for _, k := range kth {
				s.putEnd(par, o, part, k)
			}
			return
		}
		from := arrayOf(slices.Clone(unsafe.Slice((*byte)(part.P), part.N<<part.Width)), 1<<part.Width)
		switch {
		case part.N <= x.N/2:
			s.partition(par, o, from, part, kth)
		case part.N <= oneBucket: // not much smaller: the sample was a bad one
			s.Machine.Rows(o, from, part.P, part.N)
		default:
			s.sort(par, o, from, part)
		}
	})
}

// atEnds reports whether no other elements are wanted than the smallest and the largest of n, as quantiles want them.
func atEnds(kth []int, n int) bool {
	return !slices.ContainsFunc(kth, func(k int) bool { return k != 0 && k != n-1 })
}

// putEnd exchanges the first element of an array, or the last one, with the first of the smallest or of the largest.
func (s Sorter) putEnd(par Parallel, o *sorting.Order, x sorting.Array, k int) {
	found := make([]int, chunkOf(x.N, x.N-1)+1) // in each chunk
	split(par, x.N, 1, func(lo, hi int) {
		found[chunkOf(x.N, lo)] = lo + s.Machine.BestEnd(o, x.Part(lo, hi-lo), k != 0)
	})
	swap[x.Width](o, x, found, k)
}

// swap has, by width, the function that exchanges element k with the best of those that were found, the first of these.
var swap = [4]func(o *sorting.Order, x sorting.Array, found []int, k int){2: swapBest[int32], 3: swapBest[int64]}

func swapBest[K bit](o *sorting.Order, x sorting.Array, found []int, k int) {
	all := elements[K](x)
	at := found[0]
	for _, i := range found[1:] {
		if r, best := rank(o, all[i]), rank(o, all[at]); k == 0 && r < best || k != 0 && r > best {
			at = i
		}
	}
	all[k], all[at] = all[at], all[k]
}

// argpartition writes the positions that partition a row.
func (s Sorter) argpartition(par Parallel, o *sorting.Order, x sorting.Array, out []int64, kth []int) {
	switch {
	case x.N <= sorting.Selectable:
		s.Machine.PositionRows(o, x, out, x.N)
	case x.N <= bucketSize && len(kth) == 1:
		s.Machine.SelectPlaces(o, x, out, kth[0])
	default:
		s.argpartitionChunks(par, o, x, out, kth)
	}
}

// argpartitionChunks shares the row among processors.
func (s Sorter) argpartitionChunks(par Parallel, o *sorting.Order, x sorting.Array, out []int64, kth []int) {
	low, high := s.bracket(o, x, kth)
	next, starts := s.parts(par, o, x, low, high)
	eachChunk(par, x.N, func(c, lo, hi int) {
		s.Machine.SplitPositions(o, x.Part(lo, hi-lo), lo, low, high, &next[c], out)
	})
	eachPart(starts, kth, high-low == 1, func(lo, hi int, kth []int) {
		part := slices.Clone(out[lo:hi])
		ranks, order := make([]int64, len(part)), make([]int64, len(part))
		rankOf := ranksAt[x.Width]
		split(par, len(part), 4, func(lo, hi int) { rankOf(o, x, part[lo:hi], ranks[lo:hi]) })
		keys := arrayOf(bytesOf(ranks), 8)
		switch {
		case len(part) <= x.N/2:
			s.argpartition(par, &plain, keys, order, kth)
		case len(part) <= oneBucket:
			s.Machine.PositionRows(&plain, keys, order, len(part))
		default:
			s.argsort(par, &plain, keys, order)
		}
		split(par, len(part), 4, func(from, to int) {
			for i := from; i < to; i++ {
				out[lo+i] = part[order[i]]
			}
		})
	})
}

// plain is the order of ranks.
var plain = sorting.Order{Top: math.MaxInt64}

// ranksAt has, by width, the function that writes the ranks of the elements at these positions.
var ranksAt = [4]func(o *sorting.Order, x sorting.Array, at, ranks []int64){
	ranksOf[int8], ranksOf[int16], ranksOf[int32], ranksOf[int64],
}

func ranksOf[K bit](o *sorting.Order, x sorting.Array, at, ranks []int64) {
	all := elements[K](x)
	for i, k := range at {
		ranks[i] = rank(o, all[k])
	}
}

// bracket returns ranks around that of the wanted element in the middle of the list: it is most likely not less
// than low and less than high.
func (s Sorter) bracket(o *sorting.Order, x sorting.Array, kth []int) (low, high int64) {
	samples := 256
	for samples < 4096 && samples < x.N/64 {
		samples *= 2
	}
	sample := make([]int64, samples)
	s.Machine.Sample(o, x, sample)
	at := int(float64(kth[len(kth)/2]) / float64(x.N) * float64(samples))
	off := int(1.5*math.Sqrt(float64(samples))) + 1
	low, high = math.MinInt64, math.MaxInt64
	if at-off >= 0 {
		low = sample[at-off]
	}
	if at+off < samples {
		high = sample[at+off]
	}
	if high <= low && low < math.MaxInt64 {
		high = low + 1
	}
	return low, high
}

// parts counts the three parts of a row. It returns where in each the elements of each chunk go, and where the parts
// start, with the end.
func (s Sorter) parts(par Parallel, o *sorting.Order, x sorting.Array, low, high int64) ([][3]int64, [4]int) {
	next := make([][3]int64, (x.N+chunk(x.N)-1)/chunk(x.N))
	eachChunk(par, x.N, func(c, lo, hi int) {
		s.Machine.CountBelow(o, x.Part(lo, hi-lo), low, high, &next[c])
	})
	var starts [4]int
	total := int64(0)
	for k := range 3 {
		starts[k] = int(total)
		for c := range next {
			total, next[c][k] = total+next[c][k], total
		}
	}
	starts[3] = x.N
	return next, starts
}

// eachPart calls run for each part that has wanted positions, with these, counted from its start. The middle one
// needs nothing if its elements are equal.
func eachPart(starts [4]int, kth []int, equal bool, run func(lo, hi int, kth []int)) {
	for k := range 3 {
		lo, hi := starts[k], starts[k+1]
		first, _ := slices.BinarySearch(kth, lo)
		end, _ := slices.BinarySearch(kth, hi)
		if first == end || k == 1 && equal {
			continue
		}
		var inside []int
		for _, at := range kth[first:end] {
			inside = append(inside, at-lo)
		}
		run(lo, hi, inside)
	}
}
