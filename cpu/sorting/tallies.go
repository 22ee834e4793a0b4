package sorting

// #cgo noescape sorting_tally_8
// #cgo nocallback sorting_tally_8
// #cgo noescape sorting_tally_16
// #cgo nocallback sorting_tally_16
// #cgo noescape sorting_tally
// #cgo nocallback sorting_tally
// #cgo noescape sorting_runs
// #cgo nocallback sorting_runs
// #include "sorting.h"
import "C"

import "unsafe"

// Tally returns how often each pattern of bits occurs among the elements of x, of 1 or 2 bytes: at most 1<<32-1 in all.
func Tally(x Array) []uint32 {
	if x.Width == 0 {
		counts := make([]uint32, 1<<8)
		C.sorting_tally_8((*C.uint8_t)(x.P), C.int64_t(x.N), tally(counts))
		return counts
	}
	tables := make([]uint32, 2<<16)
	counts, more := tables[:1<<16], tables[1<<16:]
	C.sorting_tally_16((*C.uint16_t)(x.P), C.int64_t(x.N), tally(counts), tally(more))
	for i, n := range more {
		counts[i] += n
	}
	return counts
}

// TallyClose returns how often each of so many integers from the least on occurs among the elements of x, of 4 or 8
// bytes, which are all of these.
func TallyClose(x Array, least int64, different int) []uint32 {
	tables := make([]uint32, 2*different)
	counts, more := tables[:different], tables[different:]
	C.sorting_tally(C.int(x.Width), x.P, C.int64_t(x.N), C.int64_t(least), tally(counts), tally(more))
	for i, n := range more {
		counts[i] += n
	}
	return counts
}

func tally(counts []uint32) *C.uint32_t { return (*C.uint32_t)(unsafe.SliceData(counts)) }

// Runs writes the elements lo to hi of out from the given run on, where lo is: run k is of values[k] and ends before
// ends[k].
func Runs(ends []int64, values Array, run, lo, hi int, out Array) {
	C.sorting_runs(C.int(out.Width), pointer(ends), values.P, C.int64_t(run), C.int64_t(lo), C.int64_t(hi), out.P)
}
