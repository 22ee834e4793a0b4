package routines

import (
	"slices"
	"unsafe"

	"weft/cpu/sorting"
)

// countingSort sorts a row of elements of few bits: it counts how often each occurs, and writes them down.
func countingSort[K bit](par Parallel, o *sorting.Order, x, out []K) {
	const tables = 8 // at most: one fills the cache
	different := 1 << (8 * unsafe.Sizeof(x[0]))
	least := -int64(different / 2)
	per := max(bucketSize, (len(x)+tables-1)/tables)
	counts := make([][]int, (len(x)+per-1)/per)
	par(len(counts), func(c int) {
		count := make([]int, different)
		for _, v := range x[c*per : min(len(x), (c+1)*per)] {
			count[rank(o, v)-least]++
		}
		counts[c] = count
	})
	ends := make([]int, different)
	total := 0
	for k := range ends {
		for _, count := range counts {
			total += count[k]
		}
		ends[k] = total
	}
	split(par, len(out), 1, func(lo, hi int) {
		k, _ := slices.BinarySearch(ends, lo+1)
		for lo < hi {
			end := min(hi, ends[k])
			v := element[K](o, least+int64(k))
			for i := lo; i < end; i++ {
				out[i] = v
			}
			lo = max(lo, end)
			k++
		}
	})
}
