package routines

import (
	"slices"

	"weft/cpu/sorting"
)

// Integers of 4 or 8 bytes that lie close together are counted: how often each occurs says all of the sorted row.

// closeTables is about how many bytes the counts of a row have together.
const closeTables = 1 << 22

// tallied is what counting finds: the elements from least on, as many as there are counts.
type tallied struct {
	least  int64
	counts []int64
}

// countClose counts the elements of a row if they are integers that lie close together.
func (s Sorter) countClose(par Parallel, o *sorting.Order, x sorting.Array) (tallied, bool) {
	if o.Fold != 0 || x.Width < 2 || x.N < sorting.Counted {
		return tallied{}, false
	}
	per := chunk(x.N)
	chunks := (x.N + per - 1) / per
	lows, highs := make([]int64, chunks), make([]int64, chunks)
	eachChunk(par, x.N, func(c, lo, hi int) { lows[c], highs[c] = s.Machine.Span(o, x.Part(lo, hi-lo)) })
	low, high := slices.Min(lows), slices.Max(highs)
	last := uint64(high) - uint64(low)
	if last >= uint64(min(x.N/4, closeTables/8/chunks)) {
		return tallied{}, false
	}
	found := tallied{low ^ o.Flip, make([]int64, last+1)}
	tallies := make([][]uint32, chunks)
	eachChunk(par, x.N, func(c, lo, hi int) {
		tallies[c] = sorting.TallyClose(x.Part(lo, hi-lo), found.least, len(found.counts))
	})
	for _, tally := range tallies {
		for k, n := range tally {
			found.counts[k] += int64(n)
		}
	}
	return found, true
}

// sortClose sorts a row if its elements are integers that lie close together.
func (s Sorter) sortClose(par Parallel, o *sorting.Order, x, out sorting.Array) bool {
	found, ok := s.countClose(par, o, x)
	if !ok {
		return false
	}
	ends, total := found.counts, int64(0)
	for k, n := range found.counts {
		total += n
		ends[k] = total
	}
	values := sorting.Array{P: pointer(make([]byte, len(ends)<<x.Width)), N: len(ends), Width: x.Width}
	writeFrom[x.Width](values, found.least)
	split(par, out.N, 1, func(lo, hi int) {
		run, _ := slices.BinarySearch(ends, int64(lo+1))
		sorting.Runs(ends, values, run, lo, hi, out)
	})
	return true
}

// writeFrom has, by width, the function that writes ascending integers from least on.
var writeFrom = [4]func(to sorting.Array, least int64){2: ascend[int32], 3: ascend[int64]}

func ascend[K bit](to sorting.Array, least int64) {
	for i, all := 0, elements[K](to); i < len(all); i++ {
		all[i] = K(least + int64(i))
	}
}

// uniqueClose finds the distinct elements of x, which were counted.
func uniqueClose(par Parallel, found tallied, x sorting.Array, u Unique) {
	numbers := make([]int64, len(found.counts)) // of the elements that occur
	counts, total := as[int64](u.Counts.Data), 0
	for k, n := range found.counts {
		numbers[k] = int64(total)
		if n == 0 {
			continue
		}
		if counts != nil {
			counts[total] = n
		}
		total++
	}
	writeFound[x.Width](array(u.Values), found)
	if index := as[int64](u.Index.Data); index != nil {
		firstClose[x.Width](x, found.least, numbers, index[:total])
	}
	if inverse := as[int64](u.Inverse.Data); inverse != nil {
		split(par, x.N, 1, func(lo, hi int) { numberClose[x.Width](x.Part(lo, hi-lo), found.least, numbers, inverse[lo:hi]) })
	}
	as[int64](u.Count.Data)[0] = int64(total)
}

// By width: what writes the integers that were found; where each is first; and, for each element, which of them it is.
var (
	writeFound  = [4]func(to sorting.Array, found tallied){2: foundOf[int32], 3: foundOf[int64]}
	firstClose  = [4]func(x sorting.Array, least int64, numbers, index []int64){2: placesOf[int32], 3: placesOf[int64]}
	numberClose = [4]func(x sorting.Array, least int64, numbers, inverse []int64){2: numberOf[int32], 3: numberOf[int64]}
)

func foundOf[K bit](to sorting.Array, found tallied) {
	all, total := elements[K](to), 0
	for k, n := range found.counts {
		if n > 0 {
			all[total] = K(found.least + int64(k))
			total++
		}
	}
}

// placesOf looks until each was found, which is soon where each occurs often.
func placesOf[K bit](x sorting.Array, least int64, numbers, index []int64) {
	for k := range index {
		index[k] = -1
	}
	left := len(index)
	for i, v := range elements[K](x) {
		if k := numbers[int64(v-K(least))]; index[k] < 0 {
			index[k] = int64(i)
			if left--; left == 0 {
				return
			}
		}
	}
}

func numberOf[K bit](x sorting.Array, least int64, numbers, inverse []int64) {
	for i, v := range elements[K](x) {
		inverse[i] = numbers[int64(v-K(least))]
	}
}
