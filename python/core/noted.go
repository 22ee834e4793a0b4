//go:build extension

package main

// #include "values.h"
import "C"

import (
	"unsafe"

	"weft/arrays"
	"weft/workspace"
)

// Both sides have the same layouts and numbers of what the eager tier notes; a difference does not compile.
const (
	_ = uint(C.WEFT_NOTES - workspace.NotesKept)
	_ = uint(workspace.NotesKept - C.WEFT_NOTES)
	_ = uint(C.WEFT_NOTE_NUMPY - workspace.FirstDelegate)
	_ = uint(workspace.FirstDelegate - C.WEFT_NOTE_NUMPY)
	_ = uint(C.WEFT_OWN - workspace.OwnStore)
	_ = uint(workspace.OwnStore - C.WEFT_OWN)
	_ = -(unsafe.Sizeof(C.weft_noted{}) ^ unsafe.Sizeof(workspace.Noted{}))
	_ = -(unsafe.Offsetof(C.weft_noted{}.n) ^ unsafe.Offsetof(workspace.Noted{}.Elements))
	_ = -(unsafe.Offsetof(C.weft_noted{}.what) ^ unsafe.Offsetof(workspace.Noted{}.What))
	_ = -(unsafe.Offsetof(C.weft_noted{}.ndim) ^ unsafe.Offsetof(workspace.Noted{}.Ndim))
	_ = -(unsafe.Sizeof(C.weft_run{}) ^ unsafe.Sizeof(workspace.NotedRun{}))
	_ = -(unsafe.Offsetof(C.weft_run{}.ended) ^ unsafe.Offsetof(workspace.NotedRun{}.Ended))
	_ = -(unsafe.Sizeof(C.weft_tally{}) ^ unsafe.Sizeof(workspace.Tally{}))
	_ = -(unsafe.Offsetof(C.weft_tally{}.what) ^ unsafe.Offsetof(workspace.Tally{}.What))
)

// takeNotes has the Workspace take over what C has noted. It runs under the interpreter's lock, before Go hears of
// another operation.
func (b *binding) takeNotes() {
	k := &C.weft_notes
	if k.open != 0 {
		C.weft_end_run()
	}
	m := b.space.Machine()
	if k.runs == 0 || m == nil {
		return
	}
	m.TakeNotes((*[workspace.NotesKept]workspace.Noted)(unsafe.Pointer(&k.note)), int64(k.n),
		unsafe.Slice((*workspace.NotedRun)(unsafe.Pointer(&k.run)), int(k.runs)), int64(C.weft_clock()))
	k.n, k.runs = 0, 0
}

// notedKinds are what the operations other than ufuncs are called.
var notedKinds = map[C.uint16_t][2]string{
	C.WEFT_NOTE_FOLD + C.WEFT_SUM: {"sum", "reduce"}, C.WEFT_NOTE_FOLD + C.WEFT_PROD: {"prod", "reduce"},
	C.WEFT_NOTE_FOLD + C.WEFT_MIN: {"min", "reduce"}, C.WEFT_NOTE_FOLD + C.WEFT_MAX: {"max", "reduce"},
	C.WEFT_NOTE_FOLD + C.WEFT_ANY: {"any", "reduce"}, C.WEFT_NOTE_FOLD + C.WEFT_ALL: {"all", "reduce"},
	C.WEFT_NOTE_FOLD + C.WEFT_MEAN: {"mean", "reduce"}, C.WEFT_NOTE_POSITION: {"argextreme", "reduce"},
	C.WEFT_NOTE_PRODUCT: {"matmul", "contract"}, C.WEFT_NOTE_COPY: {"copy", "move"}, C.WEFT_NOTE_SET: {"copy", "move"},
	C.WEFT_NOTE_FILL: {"fill", "fill"}, C.WEFT_NOTE_RANGE: {"arange", "fill"}, C.WEFT_NOTE_LINE: {"linspace", "fill"},
	C.WEFT_NOTE_WHERE: {"where", "map"}, C.WEFT_NOTE_CLIP: {"clip", "map"}, C.WEFT_NOTE_DIFF: {"subtract", "map"}, C.WEFT_NOTE_OUTER: {"multiply", "map"},
	C.WEFT_NOTE_PICK: {"getitem", "call"}, C.WEFT_NOTE_PUT: {"setitem", "call"}, C.WEFT_NOTE_NONZERO: {"nonzero", "call"},
	C.WEFT_NOTE_JOIN: {"concatenate", "move"}, C.WEFT_NOTE_RUNNING: {"accumulate", "scan"}, C.WEFT_NOTE_NORM: {"norm", "reduce"},
	C.WEFT_NOTE_INTERP: {"interp", "call"}, C.WEFT_NOTE_FFT: {"fft", "call"},
	C.WEFT_NOTE_SORT: {"sort", "call"}, C.WEFT_NOTE_ARGSORT: {"argsort", "call"},
	C.WEFT_NOTE_SOLVE: {"linalg.solve", "call"}, C.WEFT_NOTE_INV: {"linalg.inv", "call"}, C.WEFT_NOTE_DETERMINANT: {"linalg.det", "call"}, C.WEFT_NOTE_CHOLESKY: {"linalg.cholesky", "call"},
	C.WEFT_NOTE_QR: {"linalg.qr", "call"}, C.WEFT_NOTE_EIGH: {"linalg.eigh", "call"}, C.WEFT_NOTE_SVD: {"linalg.svd", "call"}, C.WEFT_NOTE_EIGVALS: {"linalg.eigvals", "call"}, C.WEFT_NOTE_LSTSQ: {"linalg.lstsq", "call"},
	C.WEFT_NOTE_ROLL:     {"roll", "move"},
	C.WEFT_NOTE_SEGMENTS: {"reduceat", "reduce"}, C.WEFT_NOTE_PAD: {"pad", "move"}, C.WEFT_NOTE_BINCOUNT: {"bincount", "call"}, C.WEFT_NOTE_SEARCH: {"searchsorted", "call"}, C.WEFT_NOTE_DIGITIZE: {"digitize", "call"},
	C.WEFT_NOTE_SAME: {"array_equal", "reduce"}, C.WEFT_NOTE_REPEAT: {"repeat", "move"},
	C.WEFT_NOTE_DRAW: {"random", "fill"}, C.WEFT_NOTE_UNIQUE: {"unique", "call"},
	C.WEFT_NOTE_SPLICE: {"splice", "move"}, C.WEFT_NOTE_CORRELATE: {"correlate", "call"}, C.WEFT_NOTE_POLYNOMIAL: {"polyval", "map"}, C.WEFT_NOTE_ISIN: {"isin", "call"}, C.WEFT_NOTE_INTERSECT: {"intersect1d", "call"},
	C.WEFT_NOTE_CROSS: {"cross", "map"}, C.WEFT_NOTE_BITS: {"packbits", "call"}, C.WEFT_NOTE_QUANTILE: {"quantile", "call"}, C.WEFT_NOTE_HISTOGRAM: {"histogram", "call"},
}

// named is what an operation of a note is called, and what kind of operation it is.
func named(what uint16) (name, kind string) {
	if row, ok := notedKinds[C.uint16_t(what)]; ok {
		return row[0], row[1]
	}
	return arrays.Ufunc(what).Name(), "map"
}

// goNoted takes over what C has noted and counted.
//
//export goNoted
func goNoted() {
	defer guard("what was computed at once")
	the.takeNotes()
	for op := range C.weft_operated {
		n := int64(C.weft_operated[op])
		if n == 0 {
			continue
		}
		C.weft_operated[op] = 0
		if op < C.OP_COUNT {
			the.ops.Add(op, n)
		} else if op == C.WEFT_COPY {
			the.calls.Add(the.copied, n)
		}
	}
	the.space.Tallied(unsafe.Slice((*workspace.Tally)(unsafe.Pointer(C.weft_notes.tallies)), int(C.weft_notes.slots)))
}

// goDelegate is the number by which notes name a function of NumPy's that answers calls with few elements.
//
//export goDelegate
func goDelegate(name *C.char) C.int {
	defer guard("naming a function")
	return C.int(the.space.Delegate(C.GoString(name)))
}
