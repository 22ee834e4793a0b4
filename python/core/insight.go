//go:build extension

package main

// #include <stdlib.h>
// #include "values.h"
import "C"

import (
	"encoding/json"
	"unsafe"

	"weft/arrays"
	"weft/profiler"
	"weft/viz/report"
	"weft/workspace"
)

// program is the process as its Workspace asks for it.
type program struct{}

var _ workspace.Program = program{}

func (program) Computed() int64 { return int64(C.weft_notes.all) }
func (program) Noting(on bool)  { C.weft_notes.off = cbool(!on) }
func (program) Forget()         { C.weft_forget_tallies() }

func (program) Holdings() workspace.Holdings {
	return workspace.Holdings{Arrays: int(the.held.Load() + int64(C.weft_smalls)), Mappings: the.mappings.count(), Blocks: int64(C.weft_blocks)}
}

func (program) Counting(on bool) {
	if on {
		C.weft_begin_counting()
	} else {
		C.weft_end_counting()
	}
}

// Samples are those of sampler.c.
func (program) Samples() workspace.Samples {
	var n, mainCPU, allCPU C.int64_t
	rows := unsafe.Slice(C.weft_samples(&n, &mainCPU, &allCPU), int(n))
	does := [...]report.Spending{C.WEFT_PYTHON: report.Python, C.WEFT_CALLS: report.Calling, C.WEFT_RUNTIME: report.Recording}
	list := make([]workspace.Sample, len(rows))
	for i := range rows {
		s := &rows[i]
		list[i] = workspace.Sample{Site: int(s.site), Sample: report.Sample{
			Start: int64(s.start), End: int64(s.end), Does: does[s.does], Asleep: int64(s.asleep), Where: recordPlace(s.where),
		}}
	}
	return workspace.Samples{Rows: list, Main: int64(mainCPU), All: int64(allCPU), Clock: int64(C.weft_clock())}
}

// Counted are the rows of counts.c.
func (program) Counted(marked bool) []report.LineCount {
	var n C.int64_t
	rows := unsafe.Slice(C.weft_line_counts(&n), int(n))
	var list []report.LineCount
	for i := range rows {
		row := &rows[i]
		if row.where == 0 {
			continue
		}
		did := row.n
		if before := C.weft_counted_before(row.where); marked && before != nil {
			for what, n := range before.n {
				did[what] -= n
			}
		}
		if did == [C.WEFT_COUNTS]C.int64_t{} {
			continue
		}
		list = append(list, report.LineCount{
			Where:      recordPlace(row.where),
			Operations: int(did[C.WEFT_OPERATIONS]), Reads: int(did[C.WEFT_ELEMENTS_READ]),
			Writes: int(did[C.WEFT_ELEMENTS_WRITTEN]), Values: int(did[C.WEFT_NUMBERS]),
		})
	}
	return list
}

func recordPlace(where C.uint64_t) profiler.Where { return workspace.RecordPlace(uint64(where)) }

// goQuery answers a query. It is called without the interpreter's lock.
//
//export goQuery
func goQuery(name, argument *C.char, out **C.char, n *C.int64_t, e *C.weft_error) (rc C.int) {
	what := C.GoString(name)
	defer caught(what, &rc, e)
	text, known, err := the.space.Query(what, C.GoString(argument))
	if !known {
		return fail(&arrays.Error{Type: "ValueError", Text: "weft._core.query: there is no query " + what}, e)
	}
	if err != nil {
		return fail(err, e)
	}
	*out = C.CString(text)
	*n = C.int64_t(len(text))
	return C.WEFT_OK
}

// functions answers the query for the names of the table of functions.
func functions(string) (string, error) {
	text, err := json.Marshal(functionNames())
	return string(text), err
}

func functionNames() []string {
	var names []string
	for _, f := range arrays.Functions() {
		names = append(names, f.Name)
	}
	return names
}

//export goClearLine
func goClearLine() {
	defer guard("progress")
	the.space.ClearLine()
}
