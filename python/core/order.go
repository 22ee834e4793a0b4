//go:build extension

package main

// #include "values.h"
import "C"

import (
	"unsafe"

	"weft/cpu/routines"
	"weft/cpu/sorting"
	"weft/tile"
)

// goOrder sorts rows of n elements, or finds the positions in which they would be sorted, on the calling thread: see weft_few_sort.
//
//export goOrder
func goOrder(positions, dtype C.int, rows, n C.int64_t, in, out unsafe.Pointer) {
	defer guard("a sort")
	if the.sorter == nil {
		the.sorter = &routines.Sorter{Machine: sorting.Named("")}
	}
	array := func(t tile.DType, p unsafe.Pointer) routines.Packed {
		return routines.Packed{Type: t, Shape: []int{int(rows), int(n)}, Data: unsafe.Slice((*byte)(p), int(rows*n)*t.Size())}
	}
	x := array(tile.DType(dtype), in)
	if positions != 0 {
		the.sorter.Argsort(routines.Serial, x, array(tile.Int64, out), nil)
		return
	}
	the.sorter.Sort(routines.Serial, x, array(x.Type, out), nil)
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
