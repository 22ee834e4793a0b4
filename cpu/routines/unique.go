package routines

import (
	"weft/cpu/sorting"
	"weft/tile"
)

// Unique are the outputs of FindUnique; those that are empty are not wanted. All have the
// room of one element for each of x; how many of them are used is written to Count.
type Unique struct {
	Values  Packed // the distinct elements, ascending
	Index   Packed // int64: where each was first in x
	Inverse Packed // int64, one for each element of x: which of Values it is
	Counts  Packed // int64: how often each occurs
	Count   Packed // int64, one: the number of distinct elements
}

// FindUnique finds the distinct elements of x, seen as one row, of a real dtype. All NaNs are
// one element, or, where apart says so, each is one.
func (s Sorter) FindUnique(par Parallel, x Packed, u Unique, apart bool) {
	o := alike[x.Type]
	apart = apart && o.Merge != 0
	flat := Packed{x.Type, []int{x.Elements()}, x.Data}
	if len(u.Index.Data) == 0 && len(u.Inverse.Data) == 0 && len(u.Counts.Data) == 0 {
		s.Sort(par, flat, u.Values, nil)
		as[int64](u.Count.Data)[0] = int64(s.distinct(par, &o, u.Values, apart))
		return
	}
	switch x.Type.Size() {
	case 1:
		unique[int8](s, par, &o, flat, u, apart)
	case 2:
		unique[int16](s, par, &o, flat, u, apart)
	case 4:
		unique[int32](s, par, &o, flat, u, apart)
	case 8:
		unique[int64](s, par, &o, flat, u, apart)
	}
}

// distinct moves the distinct elements of a sorted array to its front, and returns how many there are.
func (s Sorter) distinct(par Parallel, o *sorting.Order, sorted Packed, apart bool) int {
	all := array(sorted)
	per := max(grain, (all.N+maxChunks-1)/maxChunks)
	chunks := (all.N + per - 1) / per
	var kept [maxChunks]int
	var first [maxChunks]bool // before any chunk is changed
	for c := range chunks {
		two := [2]sorting.Array{all.Part(max(c*per-1, 0), 1), all.Part(c*per, 1)}
		first[c] = c == 0 || apart || rankAt[all.Width](o, two[0]) != rankAt[all.Width](o, two[1])
	}
	par(chunks, func(c int) {
		kept[c] = s.Machine.Distinct(o, all.Part(c*per, min(per, all.N-c*per)), first[c], apart)
	})
	total, size := 0, sorted.Type.Size()
	for c := range chunks {
		copy(sorted.Data[total*size:], sorted.Data[c*per*size:(c*per+kept[c])*size])
		total += kept[c]
	}
	return total
}

// rankAt has, by width, the function that returns the rank of an array's first element.
var rankAt = [4]func(o *sorting.Order, x sorting.Array) int64{firstRank[int8], firstRank[int16], firstRank[int32], firstRank[int64]}

func firstRank[K bit](o *sorting.Order, x sorting.Array) int64 { return rank(o, *(*K)(x.P)) }

func unique[K bit](s Sorter, par Parallel, o *sorting.Order, x Packed, u Unique, apart bool) {
	n := x.Elements()
	from, sorted, ranks := as[K](x.Data), make([]K, n), make([]int64, n)
	var places []int64 // by sorted position: which element stands there; nil where nothing that is wanted depends on it
	if len(u.Index.Data) == 0 && len(u.Inverse.Data) == 0 {
		s.Sort(par, x, Packed{x.Type, x.Shape, bytesOf(sorted)}, nil)
	} else {
		places = make([]int64, n)
		s.Argsort(par, x, Packed{tile.Int64, x.Shape, bytesOf(places)}, nil)
	}
	split(par, n, 4, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if places != nil {
				sorted[i] = from[places[i]]
			}
			ranks[i] = rank(o, sorted[i])
		}
	})
	begins := func(i int) bool { // whether position i is the first of its value
		return i == 0 || ranks[i] != ranks[i-1] || apart && ranks[i] == o.Top
	}
	per := max(grain, (n+maxChunks-1)/maxChunks)
	chunks := (n + per - 1) / per
	var starts [maxChunks + 1]int // the number of the first value that begins in a chunk
	par(chunks, func(c int) {
		for i := c * per; i < min(n, (c+1)*per); i++ {
			if begins(i) {
				starts[c+1]++
			}
		}
	})
	for c := range chunks {
		starts[c+1] += starts[c]
	}
	total := starts[chunks]
	values, index := as[K](u.Values.Data), as[int64](u.Index.Data)
	inverse, counts := as[int64](u.Inverse.Data), as[int64](u.Counts.Data)
	par(chunks, func(c int) {
		to := starts[c] - 1
		for i := c * per; i < min(n, (c+1)*per); i++ {
			if begins(i) {
				to++
				values[to] = sorted[i]
				if index != nil {
					index[to] = places[i]
				}
				if counts != nil {
					counts[to] = int64(i) // where it begins, until the end
				}
			}
			if inverse != nil {
				inverse[places[i]] = int64(to)
			}
		}
	})
	for i := range counts[:min(total, len(counts))] {
		end := int64(n)
		if i+1 < total {
			end = counts[i+1]
		}
		counts[i] = end - counts[i]
	}
	as[int64](u.Count.Data)[0] = int64(total)
}
