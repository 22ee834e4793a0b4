package routines

import (
	"slices"
	"unsafe"

	"weft/cpu/sorting"
)

// countingSort sorts a row of elements of few bits: it counts how often each occurs, and writes them down.
func countingSort[K bit](par Parallel, o *sorting.Order, x, out []K) {
	const tables = 8 // at most: one fills the cache
	size := int(unsafe.Sizeof(x[0]))
	different := 1 << (8 * size)
	from, to := arrayOf(bytesOf(x), size), arrayOf(bytesOf(out), size)
	per := max(bucketSize, (len(x)+tables-1)/tables)
	counts := make([][]uint32, (len(x)+per-1)/per)
	par(len(counts), func(c int) {
		lo := c * per
		counts[c] = sorting.Tally(from.Part(lo, min(per, from.N-lo)))
	})
	values, ends := make([]K, different), make([]int64, different)
	total := int64(0)
	for k := range ends {
		v := element[K](o, int64(k-different/2))
		for _, count := range counts {
			total += int64(count[(different-1)&int(v)])
		}
		values[k], ends[k] = v, total
	}
	split(par, len(out), 1, func(lo, hi int) {
		run, _ := slices.BinarySearch(ends, int64(lo+1))
		sorting.Runs(ends, arrayOf(bytesOf(values), size), run, lo, hi, to)
	})
}
