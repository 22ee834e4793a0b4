//go:build extension

package main

// #include <stdlib.h>
// #include "values.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"weft/arrays"
)

// forking is what a process that is to be forked has to have ready for its child, which cannot ask Go for anything: the
// values of the arrays that Python holds, in host memory, where they stay until the fork is over. See fork.c.
type forking struct {
	arrays   []*arrays.Array // by slot
	starts   []uintptr       // of their stores; 0 where there is no value
	why      []string        // there is none
	done     int             // slots that were waited for
	copied   int64           // bytes that lay in no host memory
	releases []func()
	table    []C.weft_settled // what C reads, once it has it
	outer    *forking         // the fork that was being waited for when a signal handler began this one; or nil
}

// mostCopied is how many bytes are copied from GPUs to the host for the children of one fork.
const mostCopied = 1 << 30

// goForkBegin lists what the child of a fork may read.
//
//export goForkBegin
func goForkBegin() {
	defer guard("a fork")
	the.takeNotes()
	f := &forking{outer: the.forking, arrays: make([]*arrays.Array, the.used+1), starts: make([]uintptr, the.used+1), why: make([]string, the.used+1)}
	for slot := range f.arrays[1:] {
		f.arrays[slot+1] = *the.place(uint32(slot + 1))
	}
	the.forking = f
}

// goForkWait waits for the values. It is called without the interpreter's lock, again after an interrupt.
//
//export goForkWait
func goForkWait(onMain C.int, e *C.weft_error) (rc C.int) {
	defer caught("waiting for what a forked process may read", &rc, e)
	f := the.forking
	for ; f.done < len(f.arrays); f.done++ {
		a := f.arrays[f.done]
		if a == nil || a.Size() == 0 {
			continue
		}
		var copies int64
		if id, ok := a.Ground(); ok && C.weft_devices != 0 {
			if copies = max(a.StoreBytes()-the.rt().Placement(id)["host"], 0); f.copied+copies > mostCopied && copies > 0 {
				f.why[f.done] = fmt.Sprintf("more than %d MB of arrays lay in the memory of GPUs at the fork, and this one's values were not copied; read it before the fork", mostCopied>>20)
				continue
			}
		}
		p, release, err := a.Map(false, the.waits.stopFor(onMain))
		if errors.Is(err, arrays.ErrInterrupted) {
			return fail(err, e)
		}
		if err != nil {
			f.why[f.done] = err.Error()
			continue
		}
		f.copied += copies
		f.releases = append(f.releases, release)
		f.starts[f.done] = uintptr(p) - uintptr(a.View().Offset)
	}
	return C.WEFT_OK
}

// goForkTable writes down what the child may read, for C, which frees it: *n rows by slot, and the shapes and strides
// that they point to.
//
//export goForkTable
func goForkTable(table **C.weft_settled, extents **C.int64_t, n *C.int64_t) {
	defer guard("a fork")
	f := the.forking
	axes := 0
	for slot, a := range f.arrays {
		if a != nil && *the.place(uint32(slot)) == a {
			axes += a.Ndim()
		}
	}
	rows := (*C.weft_settled)(C.calloc(C.size_t(len(f.arrays)), C.size_t(unsafe.Sizeof(C.weft_settled{}))))
	numbers := (*C.int64_t)(C.calloc(C.size_t(2*axes+1), 8))
	if rows == nil || numbers == nil {
		C.free(unsafe.Pointer(rows))
		C.free(unsafe.Pointer(numbers))
		return // every array says that it was not ready
	}
	f.table = unsafe.Slice(rows, len(f.arrays))
	room := unsafe.Slice(numbers, 2*axes)
	for slot, a := range f.arrays {
		if a == nil || *the.place(uint32(slot)) != a { // another thread has dropped it
			continue
		}
		row, k := &f.table[slot], a.Ndim()
		row.known, row.start, row.offset = 1, C.uint64_t(f.starts[slot]), C.int64_t(a.View().Offset)
		row.dtype, row.ndim, row.size = C.uint8_t(a.DType()), C.uint8_t(k), C.int64_t(a.Size())
		row.writable, row.contiguous = boolByte(a.Writable()), boolByte(a.Contiguous())
		if f.why[slot] != "" {
			row.why = C.CString(f.why[slot])
		}
		strides := a.Strides()
		for i, extent := range a.Shape() {
			room[i], room[k+i] = C.int64_t(extent), C.int64_t(strides[i])
		}
		if k > 0 {
			row.extents = &room[0]
		}
		room = room[2*k:]
	}
	*table, *extents, *n = rows, numbers, C.int64_t(len(f.arrays))
}

// goForkEnd ends it in the parent.
//
//export goForkEnd
func goForkEnd() {
	defer guard("a fork")
	if the.forking == nil {
		return
	}
	for _, release := range the.forking.releases {
		release()
	}
	the.forking = the.forking.outer
}

// reused says that the child is to read no array of a slot: it is another one's by now.
func (f *forking) reused(slot uint32) {
	for ; f != nil; f = f.outer {
		if int(slot) < len(f.table) {
			f.table[slot].known = 0
		}
	}
}
