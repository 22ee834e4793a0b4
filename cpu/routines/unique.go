package routines

import (
	"unsafe"

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
	if found, ok := s.countClose(par, &o, array(flat)); ok {
		uniqueClose(par, found, array(flat), u)
		return
	}
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
	var kept [maxChunks]int
	all := array(sorted)
	per, first := s.firsts(o, all, apart)
	chunks := len(first)
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

// firsts returns how many elements of a sorted array a chunk has, and for each chunk whether its first element is
// another one than that before it.
func (s Sorter) firsts(o *sorting.Order, sorted sorting.Array, apart bool) (per int, first []bool) {
	per = max(grain, (sorted.N+maxChunks-1)/maxChunks)
	first = make([]bool, (sorted.N+per-1)/per)
	for c := range first {
		two := [2]sorting.Array{sorted.Part(max(c*per-1, 0), 1), sorted.Part(c*per, 1)}
		first[c] = c == 0 || apart && rankAt[sorted.Width](o, two[1]) == o.Top || rankAt[sorted.Width](o, two[0]) != rankAt[sorted.Width](o, two[1])
	}
	return per, first
}

// rankAt has, by width, the function that returns the rank of an array's first element.
var rankAt = [4]func(o *sorting.Order, x sorting.Array) int64{firstRank[int8], firstRank[int16], firstRank[int32], firstRank[int64]}

func firstRank[K bit](o *sorting.Order, x sorting.Array) int64 { return rank(o, *(*K)(x.P)) }

func unique[K bit](s Sorter, par Parallel, o *sorting.Order, x Packed, u Unique, apart bool) {
	n := x.Elements()
	from, sorted := as[K](x.Data), make([]K, n)
	var places []int64 // by sorted position: which element stands there; nil where nothing that is wanted depends on it
	if len(u.Index.Data) == 0 && len(u.Inverse.Data) == 0 {
		s.Sort(par, x, Packed{x.Type, x.Shape, bytesOf(sorted)}, nil)
	} else {
		places = make([]int64, n)
		s.Argsort(par, x, Packed{tile.Int64, x.Shape, bytesOf(places)}, nil)
		split(par, n, 4, func(lo, hi int) {
			for i, at := range places[lo:hi] {
				sorted[lo+i] = from[at]
			}
		})
	}
	all := arrayOf(bytesOf(sorted), int(unsafe.Sizeof(sorted[0])))
	per, first := s.firsts(o, all, apart)
	begins := make([]int64, n) // by chunk: where in sorted order values begin
	found := make([]int, len(first))
	par(len(first), func(c int) {
		found[c] = s.Machine.Starts(o, all.Part(c*per, min(per, n-c*per)), first[c], apart, c*per, begins[c*per:])
	})
	numbers, total := make([]int, len(first)), 0 // of the first value that begins in a chunk
	for c := range first {
		copy(begins[total:], begins[c*per:][:found[c]])
		numbers[c] = total
		total += found[c]
	}
	begins = begins[:total]
	values, index := as[K](u.Values.Data), as[int64](u.Index.Data)
	inverse, counts := as[int64](u.Inverse.Data), as[int64](u.Counts.Data)
	split(par, total, 1, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			begin, end := begins[k], int64(n)
			if k+1 < total {
				end = begins[k+1]
			}
			values[k] = sorted[begin]
			if index != nil {
				index[k] = places[begin]
			}
			if counts != nil {
				counts[k] = end - begin
			}
		}
	})
	if inverse != nil {
		par(len(first), func(c int) {
			value := numbers[c] - 1
			for i := c * per; i < min(n, (c+1)*per); i++ {
				if value+1 < total && begins[value+1] == int64(i) {
					value++
				}
				inverse[places[i]] = int64(value)
			}
		})
	}
	as[int64](u.Count.Data)[0] = int64(total)
}
