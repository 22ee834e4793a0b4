package routines

import "weft/tile"

// Bincount counts in out (int64, or float64 with weights) how often each number from 0 on
// occurs in x (int64), or adds the weights (float64) of its elements. The numbers must be
// less than out's length. Weights are added block by block, and the blocks' sums in order; up
// to countBlock elements that is NumPy's order. It returns the position of a number that has
// no place, or -1.
func Bincount(par Parallel, x Packed, weights *Packed, out Packed) int {
	at := as[int64](x.Data)
	if bad := outside(par, at, out.Elements()); bad >= 0 {
		return bad
	}
	if weights == nil {
		tally(par, len(at), as[int64](out.Data), func(to []int64, lo, hi int) {
			for _, b := range at[lo:hi] {
				to[b]++
			}
		})
		return -1
	}
	w := as[float64](weights.Data)
	tally(par, len(at), as[float64](out.Data), func(to []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			to[at[i]] += w[i]
		}
	})
	return -1
}

const countBlock = 1 << 18

// outside returns the first position of a number that is not in 0 <= x < n, or -1.
func outside(par Parallel, at []int64, n int) int {
	var first [maxChunks]int
	split(par, len(at), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if uint64(at[i]) >= uint64(n) {
				first[chunkOf(len(at), lo)] = i + 1
				return
			}
		}
	})
	for _, f := range first {
		if f > 0 {
			return f - 1
		}
	}
	return -1
}

// tally runs count on blocks of n elements, each with bins of its own, and adds the bins up
// in order. The blocks follow from n and the number of bins.
func tally[T int64 | float64](par Parallel, n int, bins []T, count func(to []T, lo, hi int)) {
	clear(bins)
	per := max(countBlock, 4*len(bins), (n+63)/64)
	if n <= per {
		count(bins, 0, n)
		return
	}
	blocks := (n + per - 1) / per
	partial := make([]T, blocks*len(bins))
	par(blocks, func(b int) {
		count(partial[b*len(bins):(b+1)*len(bins)], b*per, min(n, (b+1)*per))
	})
	split(par, len(bins), blocks, func(lo, hi int) {
		for b := range blocks {
			for i := lo; i < hi; i++ {
				bins[i] += partial[b*len(bins)+i]
			}
		}
	})
}

// Bins are a histogram's: their edges, ascending, one more than there are bins. The last bin
// holds its upper edge too. Width is 0 unless all have the same width; then it is that of all
// of them together.
type Bins struct {
	Edges Packed // float32 or float64, as x
	Width float64
}

// Histogram counts in out (int64, or float64 with weights) the elements of x that lie in each
// bin. Its rounding at the edges is NumPy's. Weights are added in the order of Bincount.
func Histogram(par Parallel, x Packed, bins Bins, weights *Packed, out Packed) {
	if x.Type == tile.Float32 {
		histogram(par, as[float32](x.Data), as[float32](bins.Edges.Data), float32(bins.Width), weights, out)
	} else {
		histogram(par, as[float64](x.Data), as[float64](bins.Edges.Data), bins.Width, weights, out)
	}
}

func histogram[T float32 | float64](par Parallel, x, edges []T, width T, weights *Packed, out Packed) {
	n := len(edges) - 1
	find := func(v T) int { return place(edges, v) }
	if width > 0 {
		find = func(v T) int {
			i := int(T(T(v-edges[0])/width) * T(n))
			if i == n {
				i--
			}
			if v < edges[i] {
				i--
			} else if i != n-1 && v >= edges[i+1] {
				i++
			}
			return i
		}
	}
	if weights == nil {
		tally(par, len(x), as[int64](out.Data), func(to []int64, lo, hi int) {
			for _, v := range x[lo:hi] {
				if v >= edges[0] && v <= edges[n] {
					to[find(v)]++
				}
			}
		})
		return
	}
	w := as[float64](weights.Data)
	tally(par, len(x), as[float64](out.Data), func(to []float64, lo, hi int) {
		for i, v := range x[lo:hi] {
			if v >= edges[0] && v <= edges[n] {
				to[find(v)] += w[lo+i]
			}
		}
	})
}

// place finds the bin of a value that lies within the edges.
func place[T float32 | float64](edges []T, v T) int {
	lo, hi := 0, len(edges)-1 // edges[lo] <= v
	for lo+1 < hi {
		if mid := (lo + hi) / 2; edges[mid] <= v {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
