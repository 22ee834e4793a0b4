//go:build cgo && linux

package nvtx

// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "nvtx.h"
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

// Tool is told when ranges begin and end, from any thread. A nil Tool is told nothing.
type Tool struct{ overlapping bool }

// Open loads the library that NVTX_INJECTION64_PATH names. It returns nil where the variable is not set, and an error
// where the library is no tool's. Call it once: the slots that the tool fills are the process's.
func Open() (*Tool, error) {
	var problem [1024]C.char
	kind := C.weft_nvtx_open(&problem[0], C.size_t(len(problem)))
	switch kind {
	case C.WEFT_NVTX_NONE:
		return nil, nil
	case C.WEFT_NVTX_REFUSED:
		return nil, fmt.Errorf("NVTX_INJECTION64_PATH names %s, which cannot be told of ranges: %s", os.Getenv("NVTX_INJECTION64_PATH"), C.GoString(&problem[0]))
	}
	return &Tool{kind == C.WEFT_NVTX_OVERLAPPING}, nil
}

// Overlapping reports whether ranges may overlap, and end on another thread than that on which they began.
func (t *Tool) Overlapping() bool { return t != nil && t.overlapping }

// Begin begins a range and returns what End needs.
func (t *Tool) Begin(name string) uint64 {
	if t == nil {
		return 0
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return uint64(C.weft_nvtx_begin(text))
}

// End ends a range.
func (t *Tool) End(id uint64) {
	if t != nil {
		C.weft_nvtx_end(C.uint64_t(id))
	}
}
