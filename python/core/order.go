//go:build extension

package main

// #include "values.h"
// #include "../../cpu/sorting/sorting.h"
import "C"

import (
	"math/bits"
	"unsafe"

	"weft/cpu/routines"
	"weft/cpu/sorting"
	"weft/tile"
)

// goOrder sorts rows of n elements, or finds the positions in which they would be sorted, on the calling thread: see
// weft_few_sort. From 0 on, kth is the only place of each row whose element has to be right.
//
//export goOrder
func goOrder(positions, dtype C.int, rows, n, kth C.int64_t, in, out unsafe.Pointer) {
	defer guard("a sort")
	s := the.sorting()
	var wanted []int
	if kth >= 0 {
		wanted = []int{int(kth)}
	}
	array := func(t tile.DType, p unsafe.Pointer) routines.Packed {
		return routines.Packed{Type: t, Shape: []int{int(rows), int(n)}, Data: unsafe.Slice((*byte)(p), int(rows*n)*t.Size())}
	}
	x := array(tile.DType(dtype), in)
	if positions != 0 {
		s.Argsort(routines.Serial, x, array(tile.Int64, out), wanted)
		return
	}
	s.Sort(routines.Serial, x, array(x.Type, out), wanted)
}

func (b *binding) sorting() *routines.Sorter {
	if b.sorter == nil {
		b.sorter = &routines.Sorter{Machine: sorting.Named("")}
	}
	return b.sorter
}

// goRowOrder tells C how it puts rows of at most so many elements in order by itself, or their positions: the machine,
// the order, and the width of an element as a power of two. It returns how many that is, and how many of which one
// place is wanted.
//
//export goRowOrder
func goRowOrder(positions, dtype C.int, machine *C.uintptr_t, o *C.sorting_order, width *C.int, parted *C.int64_t) C.int64_t {
	defer guard("an order")
	t := tile.DType(dtype)
	order, most, few := routines.RowOrder(t, positions != 0)
	*parted = C.int64_t(few)
	*machine = C.uintptr_t(the.sorting().Machine.Address())
	*o = *(*C.sorting_order)(unsafe.Pointer(&order)) // of one layout: see package sorting
	*width = C.int(bits.TrailingZeros(uint(t.Size())))
	return C.int64_t(most)
}

// goSearch finds where m keys belong in n sorted elements of a dtype, on the calling thread: see weft_few_search.
//
//export goSearch
func goSearch(dtype, right C.int, n C.int64_t, sorted unsafe.Pointer, m C.int64_t, keys, out unsafe.Pointer) {
	defer guard("a search")
	vector := func(t tile.DType, n C.int64_t, p unsafe.Pointer) routines.Packed {
		return routines.Packed{Type: t, Shape: []int{int(n)}, Data: unsafe.Slice((*byte)(p), int(n)*t.Size())}
	}
	t := tile.DType(dtype)
	routines.Searchsorted(routines.Serial, vector(t, n, sorted), vector(t, m, keys), vector(tile.Int64, m, out), right != 0)
}
