//go:build extension

package main

// #include "values.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"unsafe"

	"weft/arrays"
	"weft/scheduler"
	"weft/tile"
)

// mappings are the pins that Python's buffers hold.
type mappings struct {
	mu      sync.Mutex
	next    uint64
	pins    map[uint64]pin
	retired []*machine // replaced, but still pinned
}

// pin is one mapping of a store and the machine whose memory it holds.
type pin struct {
	release func()
	machine *machine
	store   scheduler.StoreID
}

func (m *mappings) put(release func(), of *machine, store scheduler.StoreID) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pins == nil {
		m.pins = map[uint64]pin{}
	}
	m.next++
	m.pins[m.next] = pin{release, of, store}
	C.weft_tape.mapped = C.int(len(m.pins))
	of.pins++
	return m.next
}

// drop releases a mapping, and closes a replaced machine with its last one.
func (m *mappings) drop(id uint64) {
	m.mu.Lock()
	p, known := m.pins[id]
	delete(m.pins, id)
	C.weft_tape.mapped = C.int(len(m.pins))
	m.mu.Unlock()
	if !known {
		return
	}
	p.release()
	m.mu.Lock()
	p.machine.pins--
	last := p.machine.pins == 0
	i := slices.Index(m.retired, p.machine)
	if last && i >= 0 {
		m.retired = slices.Delete(m.retired, i, i+1)
	}
	m.mu.Unlock()
	if last && i >= 0 {
		closeMachine(p.machine)
	}
}

// retire closes a machine that was replaced, at once or when its last mapping is gone.
func (m *mappings) retire(old *machine) {
	m.mu.Lock()
	pinned := old.pins > 0
	if pinned {
		m.retired = append(m.retired, old)
	}
	m.mu.Unlock()
	if !pinned {
		closeMachine(old)
	}
}

func closeMachine(m *machine) {
	if err := m.rt.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "weft: closing the previous runtime: %v\n", err)
	}
}

func (m *mappings) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.pins)
}

// holds reports whether a store is mapped.
func (m *mappings) holds(store scheduler.StoreID, of *machine) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pins {
		if p.store == store && p.machine == of {
			return true
		}
	}
	return false
}

// goOwner tells whether an array has all of its memory (1), to itself (2), or not (0). viewed says
// that there are views of it without handles.
//
//export goOwner
func goOwner(handle C.uint64_t, viewed C.int) C.int {
	defer guard("owner")
	a := the.array(handle)
	switch {
	case !a.Whole():
		return 0
	case viewed == 0 && a.Alone() && !the.mappings.holds(a.View().Store, the.machine):
		return 2
	}
	return 1
}

//export goSetWritable
func goSetWritable(handle C.uint64_t, on C.int, e *C.weft_error) (rc C.int) {
	defer caught("setting a flag", &rc, e)
	if err := the.array(handle).SetWritable(on != 0); err != nil {
		return fail(err, e)
	}
	return C.WEFT_OK
}

//export goInfo
func goInfo(handle C.uint64_t, info *C.weft_info) {
	defer guard("info")
	describe(the.array(handle), info)
}

// goPlaced returns which memories hold how many bytes of an array's store, as JSON. The caller frees it.
//
//export goPlaced
func goPlaced(handle C.uint64_t) *C.char {
	defer guard("placed")
	held := map[string]int64{}
	if id, ok := the.array(handle).Ground(); ok {
		held = the.machine.rt.Placement(id)
	}
	text, err := json.Marshal(held)
	if err != nil {
		return C.CString("{}") // names and numbers: it cannot be
	}
	return C.CString(string(text))
}

func describe(a *arrays.Array, info *C.weft_info) {
	info.dtype = C.uint8_t(a.DType())
	info.ndim = C.uint8_t(a.Ndim())
	info.writable = boolByte(a.Writable())
	info.contiguous = boolByte(a.Contiguous())
	info.size = C.int64_t(a.Size())
	strides := a.Strides()
	for i, n := range a.Shape() {
		info.shape[i] = C.int64_t(n)
		info.strides[i] = C.int64_t(strides[i])
	}
}

func boolByte(v bool) C.uint8_t {
	if v {
		return 1
	}
	return 0
}

//export goItemSize
func goItemSize(dtype C.int) C.int { return C.int(tile.DType(dtype).Size()) }

// goItem waits for the value of an array of one element. It is called without the
// interpreter's lock.
//
//export goItem
func goItem(handle C.uint64_t, onMain C.int, out *C.weft_value, e *C.weft_error) (rc C.int) {
	defer caught("reading a value", &rc, e)
	s, err := the.slot(handle).Item(the.waits.stopFor(onMain))
	if err != nil {
		return fail(err, e)
	}
	*out = C.weft_value{}
	switch t := s.Type; {
	case t == tile.Bool:
		out.kind, out.i = C.WEFT_BOOL, C.int64_t(s.Bits[0])
	case t.Is(tile.KindInt):
		out.kind, out.i = C.WEFT_INT, C.int64_t(s.Int())
	case t.Is(tile.KindUint):
		out.kind, out.i = C.WEFT_UINT, C.int64_t(s.Uint())
	case t.Is(tile.KindFloat):
		out.kind, out.re = C.WEFT_FLOAT, C.double(s.Float())
	default:
		z := s.Complex()
		out.kind, out.re, out.im = C.WEFT_COMPLEX, C.double(real(z)), C.double(imag(z))
	}
	return C.WEFT_OK
}

// goMap waits for an array's value and pins its memory. It is called without the
// interpreter's lock.
//
//export goMap
func goMap(handle C.uint64_t, writable, onMain C.int, m *C.weft_mapping, e *C.weft_error) (rc C.int) {
	defer caught("mapping an array", &rc, e)
	a := the.slot(handle)
	of := the.machine
	p, release, err := a.Map(writable != 0, the.waits.stopFor(onMain))
	if err != nil {
		return fail(err, e)
	}
	m.data = p
	m.id = C.uint64_t(the.mappings.put(release, of, a.View().Store))
	describe(a, &m.info)
	return C.WEFT_OK
}

//export goUnmap
func goUnmap(id C.uint64_t) {
	defer guard("unmap")
	the.mappings.drop(uint64(id))
}

// goFromHost makes an array of packed bytes, which are copied.
//
//export goFromHost
func goFromHost(data unsafe.Pointer, n C.int64_t, dtype C.int, shape *C.int64_t, ndim, scalar C.int, out *C.uint64_t, e *C.weft_error) (rc C.int) {
	defer caught("converting an array", &rc, e)
	dims := make([]int, ndim)
	for i, d := range unsafe.Slice(shape, ndim) {
		dims[i] = int(d)
	}
	var bytes []byte
	if n > 0 {
		bytes = unsafe.Slice((*byte)(data), n)
	}
	a, err := the.ctx.FromBytes(tile.DType(dtype), dims, bytes)
	if err != nil {
		return fail(err, e)
	}
	a.Scalar = scalar != 0
	*out = the.put(a)
	return C.WEFT_OK
}
