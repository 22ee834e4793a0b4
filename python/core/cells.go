//go:build extension

package main

// #include <stdlib.h>
// #include "values.h"
import "C"

//export goSource
func goSource(file *C.char, n C.int) C.uint32_t {
	defer guard("source")
	return C.uint32_t(the.space.Source(C.GoStringN(file, n)))
}

//export goDisplaySource
func goDisplaySource() C.uint32_t {
	defer guard("display_source")
	return C.uint32_t(the.space.DisplaySource())
}

//export goNameSource
func goNameSource(file, title *C.char) {
	defer guard("name_source")
	the.space.NameSource(C.GoString(file), C.GoString(title))
}

//export goBeginCell
func goBeginCell(name, text, shell *C.char) {
	defer guard("begin_cell")
	the.takeNotes()
	the.space.BeginCell(C.GoString(name), C.GoString(text), C.GoString(shell))
}

// goEndCell returns the cell's cost as JSON, nothing if it did not use the runtime. The caller frees it.
//
//export goEndCell
func goEndCell(shell *C.char) *C.char {
	defer guard("end_cell")
	the.takeNotes()
	if cost := the.space.EndCell(C.GoString(shell)); cost != "" {
		return C.CString(cost)
	}
	return nil
}

//export goClock
func goClock() C.int64_t {
	defer guard("clock")
	the.takeNotes() // what was before a call of NumPy's stands before it
	the.memories = uint64(C.weft_layouts.memories)
	return C.int64_t(the.rt().Now())
}

//export goNoteFallback
func goNoteFallback(name *C.char, where C.uint64_t, begun, bytes C.longlong) {
	defer guard("note_fallback")
	the.takeNotes() // they stand before it
	the.space.NoteFallback(C.GoString(name), uint64(where), int64(begun), int64(bytes), the.memories, uint64(C.weft_layouts.memories))
}

// goBeginRange begins a part of the program that it has named. It returns the time, and what goEndRange needs.
//
//export goBeginRange
func goBeginRange(name *C.char, annotation *C.uint64_t) C.int64_t {
	defer guard("begin_range")
	begun, number := the.space.BeginRange(C.GoString(name))
	*annotation = C.uint64_t(number)
	return C.int64_t(begun)
}

//export goEndRange
func goEndRange(name *C.char, where C.uint64_t, begun C.longlong, annotation C.uint64_t) {
	defer guard("end_range")
	the.space.EndRange(C.GoString(name), uint64(where), int64(begun), uint64(annotation))
}
