//go:build extension

package main

// Of Python, only what is stable from 3.11 on. Its own symbols stay open until an interpreter loads us.

// #cgo CFLAGS: -DPy_LIMITED_API=0x030b0000
// #cgo LDFLAGS: -Wl,--unresolved-symbols=ignore-all
// #include <stdlib.h>
// #include "values.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"weft/arrays"
	"weft/cpu"
	"weft/cpu/linalg"
	"weft/cpu/routines"
	"weft/jit"
	"weft/jit/launch"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/tile"
	"weft/workspace"
)

// Both sides number the kinds of values alike; a difference does not compile.
const (
	_ = uint(C.WEFT_ELLIPSIS - arrays.EllipsisValue)
	_ = uint(arrays.EllipsisValue - C.WEFT_ELLIPSIS)
	_ = uint(C.WEFT_ARRAY - arrays.ArrayValue)
	_ = uint(arrays.ArrayValue - C.WEFT_ARRAY)
)

// The slots of arrays lie in chunks that never move, so that a thread without the
// interpreter's lock may read its own slot while another thread adds one.
const (
	chunkBits = 12
	maxChunks = 1 << 14
)

type chunk [1 << chunkBits]*arrays.Array

// binding is the process's Workspace and what Python holds of it.
type binding struct {
	space   *workspace.Workspace
	ctx     *arrays.Context
	funcs   []arrays.Func
	matmul  *arrays.Func
	reshape *arrays.Func
	copied  int                // the row of copy
	values  sync.Pool          // of *values
	calls   *workspace.Counter // of the table of functions
	ops     *workspace.Counter // of operators

	chunks [maxChunks]*chunk
	used   uint32       // slots handed out so far; slot 0 is never used
	free   []uint32     // slots that were given back
	held   atomic.Int64 // slots that have arrays

	opened    opened
	compiled  launch.Functions
	lowered   *cpu.Straight    // nil until the eager tier wants a code
	products  *cpu.Products    // nil until the eager tier wants one
	systems   *linalg.Direct   // the same
	plans     *routines.Plans  // the same
	sorter    *routines.Sorter // the same
	memories  uint64           // how many there were when a call of NumPy's began; the interpreter's lock guards it
	mappings  mappings
	grounds   grounds
	waits     waits
	wrongs    []driver.Wrong            // that the program is about to be told of
	asked     map[uint32][]driver.Wrong // by calls that wait to be told, by number
	lastAsked uint32                    // the number that was given last
	steps     map[C.int]*arrays.Steps   // of functions, by number
	lastSteps C.int                     // the number that was given last
	untaken   error                     // why an array of the eager tier was not taken over last
	panics    string                    // WEFT_DEBUG=panic
	forking   *forking                  // while the process is being forked
}

// the is the one binding: a C library has no other place for its state than a variable.
var the = binding{
	waits: waits{stop: make(chan struct{}, 1)},
	steps: map[C.int]*arrays.Steps{},
	asked: map[uint32][]driver.Wrong{},
	space: workspace.New(workspace.Options{
		Program: program{}, Waits: threads{}, Surface: surface{}, Version: coreVersion, Interrupted: arrays.ErrInterrupted, Named: named,
		Queries: map[string]func(string) (string, error){"functions": functions},
	}),
}

// whereOf is a place of the user's program, which C names by one number.
func whereOf(packed C.uint64_t) scheduler.Where { return workspace.WhereOf(uint64(packed)) }

// at prepares the context for a call that comes from a place of the user's program.
func (b *binding) at(where C.uint64_t) *arrays.Context {
	b.takeNotes()
	wanted := tile.Flags(C.weft_floating_telling)
	C.weft_floating_telling = 0
	c := b.ctx.At(whereOf(where)).Wants(wanted)
	if call := C.weft_floating_call; call != 0 {
		C.weft_floating_call = 0
		c.Asks(uint32(call))
	}
	if number := C.weft_floating_steps; number != 0 {
		C.weft_floating_steps = 0
		c.Within(b.steps[number])
	}
	return c
}

// refused is what array panics with for the array of the eager tier that was not taken over: an error of the user's,
// not a broken invariant.
type refused struct{ error }

// array returns the array of a handle.
func (b *binding) array(handle C.uint64_t) *arrays.Array {
	if handle == 0 && b.untaken != nil {
		panic(refused{b.untaken})
	}
	slot := uint64(handle) >> C.WEFT_SLOT
	a := b.chunks[slot>>chunkBits][slot&(1<<chunkBits-1)]
	if a == nil {
		panic(fmt.Sprintf("BUG: inv 1: handle %d names no array", handle))
	}
	return a
}

// reserve returns a slot that nothing uses.
func (b *binding) reserve() uint32 {
	if n := len(b.free); n > 0 {
		slot := b.free[n-1]
		b.free = b.free[:n-1]
		b.forking.reused(slot)
		return slot
	}
	b.used++
	if b.chunks[b.used>>chunkBits] == nil {
		b.chunks[b.used>>chunkBits] = new(chunk)
	}
	return b.used
}

// place returns where the array of a slot is.
func (b *binding) place(slot uint32) **arrays.Array {
	return &b.chunks[slot>>chunkBits][slot&(1<<chunkBits-1)]
}

// put gives an array a slot and returns its handle.
func (b *binding) put(a *arrays.Array) C.uint64_t {
	slot := b.reserve()
	*b.place(slot) = a
	b.held.Add(1)
	handle := C.uint64_t(slot) << C.WEFT_SLOT
	if a.Scalar && C.weft_defer_scalars == 0 {
		handle |= C.WEFT_SCALAR
	}
	return handle
}

// live returns every array that Python holds.
func (b *binding) live() []*arrays.Array {
	var all []*arrays.Array
	for slot := uint32(1); slot <= b.used; slot++ {
		if a := b.chunks[slot>>chunkBits][slot&(1<<chunkBits-1)]; a != nil {
			all = append(all, a)
		}
	}
	return all
}

// drop gives an array back that Python has dropped.
func (b *binding) drop(handle C.uint64_t) {
	slot := uint32(handle >> C.WEFT_SLOT)
	p := b.place(slot)
	a := *p
	*p = nil
	b.held.Add(-1)
	b.free = append(b.free, slot)
	a.Free()
}

//export goFree
func goFree(handle C.uint64_t) {
	defer guard("free")
	the.drop(handle)
}

// caught turns a panic of an exported function into a RuntimeError, and that of array into the error that it is.
func caught(what string, rc *C.int, e *C.weft_error) {
	r := recover()
	if why, ok := r.(refused); ok {
		*rc = fail(why.error, e)
		return
	}
	if r != nil {
		*rc = C.WEFT_ERROR
		e._type = C.CString("RuntimeError")
		e.text = C.CString(fmt.Sprintf("weft: internal error in %s: %v; arrays and variables are as they were; %s", what, r, the.space.ReportPanic(what, r, debug.Stack())))
	}
}

// fail tells C about an error and returns its status.
func fail(err error, e *C.weft_error) C.int {
	var user *arrays.Error
	var numpy *arrays.Fallback
	var memory *driver.MemoryError
	var data *tile.DataError
	var broken *driver.PanicError
	var setting *workspace.SettingError
	var function *jit.Error
	kind, status := "RuntimeError", C.int(C.WEFT_ERROR)
	switch {
	case errors.Is(err, arrays.ErrInterrupted):
		return C.WEFT_INTERRUPTED
	case errors.As(err, &user):
		kind = user.Type
	case errors.As(err, &numpy):
		e.text = C.CString(numpy.Why)
		return C.WEFT_FALLBACK
	case errors.As(err, &setting):
		kind = "ValueError"
	case errors.As(err, &data):
		kind = data.Exception
	case errors.As(err, &function):
		kind = function.Class
	case errors.As(err, &broken):
		err = the.space.Broken(broken)
	case errors.As(err, &memory), errors.Is(err, tile.ErrOutOfMemory):
		kind = "MemoryError"
	case errors.Is(err, driver.ErrHosts):
		kind = "BufferError"
	}
	e._type = C.CString(kind)
	e.text = C.CString(err.Error())
	return status
}
