//go:build extension

package main

// #include "values.h"
import "C"

import (
	"fmt"
	"os"

	"weft/cuda/nvtx"
	"weft/profiler"
	"weft/scheduler"
)

// openTool loads the library of a tool that has started the process, such as Nsight Systems. What is wrong with it must
// not keep the program from running.
func openTool() *nvtx.Tool {
	tool, err := nvtx.Open()
	if err != nil {
		fmt.Fprintf(os.Stderr, "weft: %v. The program runs without telling it; unset the variable, or run under a tool that sets it (nsys profile -t nvtx)\n", err)
	}
	return tool
}

// goBeginRange begins a part of the program that it has named. It returns the time, and what goEndRange needs.
//
//export goBeginRange
func goBeginRange(name *C.char, annotation *C.uint64_t) (begun C.int64_t) {
	defer guard("begin_range")
	if tool := the.tool(); tool != nil {
		*annotation = C.uint64_t(tool.Begin(C.GoString(name)))
	}
	if the.machine != nil {
		begun = C.int64_t(the.machine.rt.Now())
	}
	return begun
}

//export goEndRange
func goEndRange(name *C.char, where C.uint64_t, begun C.longlong, annotation C.uint64_t) {
	defer guard("end_range")
	the.tool().End(uint64(annotation))
	if the.machine == nil {
		return
	}
	rt := the.machine.rt
	w := scheduler.Where{Source: scheduler.SourceID(where >> 32), Line: int32(uint32(where))}
	rt.Note(profiler.Range, C.GoString(name), w, int64(begun), rt.Now(), 0)
}
