package routines

import "weft/tile"

// key1 is keys for one element.
func key1[K word](o order, x K) K {
	switch {
	case o.flip:
		return x ^ K(o.sign)
	case o.inf != 0:
		return floatKey(x, K(o.sign), K(o.inf), true)
	}
	return x
}

// Searchsorted writes to out (int64) where each element of v would be inserted into the
// sorted one-dimensional a, of the same real dtype, to keep it sorted: before the elements
// equal to it, or behind them where right says so.
func Searchsorted(par Parallel, a, v, out Packed, right bool) {
	switch a.Type.Size() {
	case 1:
		search[uint8](par, a, v, out, right)
	case 2:
		search[uint16](par, a, v, out, right)
	case 4:
		search[uint32](par, a, v, out, right)
	case 8:
		search[uint64](par, a, v, out, right)
	}
}

func search[K word](par Parallel, a, v, out Packed, right bool) {
	o := orders[a.Type]
	sorted, values, to := as[K](a.Data), as[K](v.Data), as[int64](out.Data)
	split(par, len(values), 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to[i] = int64(insertAt(o, sorted, key1(o, values[i]), right))
		}
	})
}

// insertAt is the number of elements whose keys are less than k, or not greater.
func insertAt[K word](o order, sorted []K, k K, right bool) int {
	lo, hi := 0, len(sorted)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		x := key1(o, sorted[mid])
		if x < k || right && x == k {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

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
func FindUnique(par Parallel, x Packed, u Unique, apart bool) {
	switch x.Type.Size() {
	case 1:
		unique[uint8](par, x, u, apart)
	case 2:
		unique[uint16](par, x, u, apart)
	case 4:
		unique[uint32](par, x, u, apart)
	case 8:
		unique[uint64](par, x, u, apart)
	}
}

func unique[K word](par Parallel, x Packed, u Unique, apart bool) {
	n := x.Elements()
	flat := Packed{x.Type, []int{n}, x.Data}
	sorted := Packed{x.Type, []int{n}, make([]byte, len(x.Data))}
	var at []int64 // by sorted position: which element stands there
	if len(u.Index.Data) > 0 || len(u.Inverse.Data) > 0 {
		places := Packed{tile.Int64, []int{n}, make([]byte, 8*n)}
		Argsort(par, flat, places, nil)
		at = as[int64](places.Data)
		from, to := as[K](x.Data), as[K](sorted.Data)
		split(par, n, 4, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				to[i] = from[at[i]]
			}
		})
	} else {
		Sort(par, flat, sorted, nil)
	}
	o, s := orders[x.Type], as[K](sorted.Data)
	begins := func(i int) bool { // whether position i is the first of its value
		if i == 0 {
			return true
		}
		k := key1(o, s[i])
		return k != key1(o, s[i-1]) || apart && o.inf != 0 && k == ^K(0)
	}
	values, index := as[K](u.Values.Data), as[int64](u.Index.Data)
	inverse, counts := as[int64](u.Inverse.Data), as[int64](u.Counts.Data)
	starts := counts // where each value begins, until the end
	total := compact(par, n, begins, func(to, i int) {
		values[to] = s[i]
		if index != nil {
			index[to] = at[i]
		}
		if starts != nil {
			starts[to] = int64(i)
		}
	}, func(to, i int) {
		if inverse != nil {
			inverse[at[i]] = int64(to)
		}
	})
	for i := range counts[:min(total, len(counts))] {
		end := int64(n)
		if i+1 < total {
			end = counts[i+1]
		}
		counts[i] = end - starts[i]
	}
	as[int64](u.Count.Data)[0] = int64(total)
}

// compact numbers the positions for which first is true, and calls found with each and its
// number, and every for all positions with the number of the last one found. It returns how
// many were found.
func compact(par Parallel, n int, first func(i int) bool, found, every func(to, i int)) int {
	per := max(grain, (n+maxChunks-1)/maxChunks)
	chunks := (n + per - 1) / per
	var starts [maxChunks + 1]int
	par(chunks, func(c int) {
		count := 0
		for i := c * per; i < min(n, (c+1)*per); i++ {
			if first(i) {
				count++
			}
		}
		starts[c+1] = count
	})
	for c := range chunks {
		starts[c+1] += starts[c]
	}
	par(chunks, func(c int) {
		to := starts[c] - 1
		for i := c * per; i < min(n, (c+1)*per); i++ {
			if first(i) {
				to++
				found(to, i)
			}
			every(to, i)
		}
	})
	return starts[chunks]
}
