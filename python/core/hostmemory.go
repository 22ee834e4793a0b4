//go:build extension

package main

// #include "values.h"
// void weft_give_back(void *owner);
import "C"

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"weft/arrays"
	"weft/tile"
	"weft/workspace"
)

// mappings are the pins that Python's buffers hold.
type mappings struct {
	mu      sync.Mutex
	next    uint64
	pins    map[uint64]pin
	pinned  map[*workspace.Machine]int // how many pins are of which
	retired []*workspace.Machine       // replaced, but still pinned
}

// pin is one mapping of a store and the machine whose memory it holds.
type pin struct {
	release func()
	machine *workspace.Machine
	lo      uintptr // where the memory starts, see place
	memory  arrays.Memory
}

func (m *mappings) put(release func(), of *workspace.Machine) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pins == nil {
		m.pins, m.pinned = map[uint64]pin{}, map[*workspace.Machine]int{}
	}
	m.next++
	m.pins[m.next] = pin{release: release, machine: of}
	m.pinned[of]++
	return m.next
}

// drop releases a mapping. done says that it was the last one of a replaced machine, which closeRetired closes then.
func (m *mappings) drop(id uint64) (done bool) {
	m.mu.Lock()
	p, known := m.pins[id]
	delete(m.pins, id)
	m.mu.Unlock()
	if !known {
		return false
	}
	the.grounds.unmapped(p.lo, p.memory)
	p.release()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pinned[p.machine]--
	if m.pinned[p.machine] > 0 {
		return false
	}
	delete(m.pinned, p.machine)
	return slices.Contains(m.retired, p.machine)
}

// retire notes that a machine was replaced, which closeRetired closes, now or when its last mapping is gone.
func (m *mappings) retire(old *workspace.Machine) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.retired = append(m.retired, old)
}

// closeRetired closes the machines that were replaced and have no mappings.
func (m *mappings) closeRetired() {
	m.mu.Lock()
	var over []*workspace.Machine
	m.retired = slices.DeleteFunc(m.retired, func(old *workspace.Machine) bool {
		if m.pinned[old] > 0 {
			return false
		}
		over = append(over, old)
		return true
	})
	m.mu.Unlock()
	for _, old := range over {
		old.Close()
	}
}

func (m *mappings) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.pins)
}

// place notes where a mapping's memory starts.
func (m *mappings) place(id uint64, lo uintptr, memory arrays.Memory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.pins[id]
	p.lo, p.memory = lo, memory
	m.pins[id] = p
}

// holds reports whether memory is mapped.
func (m *mappings) holds(memory arrays.Memory) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pins {
		if p.memory == memory {
			return true
		}
	}
	return false
}

// goOwner tells whether an array has all of its memory, in whatever order (1), to itself (2), or not (0). viewed says
// that there are views of it without handles.
//
//export goOwner
func goOwner(handle C.uint64_t, viewed C.int) C.int {
	defer guard("owner")
	a := the.array(handle)
	switch {
	case a.StoreBytes() != int64(max(a.Size(), 1)*a.DType().Size()) || a.Lent():
		return 0
	case viewed == 0 && a.Alone() && !the.mappings.holds(a.Memory()):
		return 2
	}
	return 1
}

//export goSetWritable
func goSetWritable(handle C.uint64_t, on C.int, e *C.weft_error) (rc C.int) {
	defer caught("setting a flag", &rc, e)
	if on == C.WEFT_ALLOWED {
		the.array(handle).Allow()
		return C.WEFT_OK
	}
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
		held = the.rt().Placement(id)
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

// goItem waits for the value of an array of one element. It is called without the
// interpreter's lock.
//
//export goItem
func goItem(handle C.uint64_t, onMain C.int, out *C.weft_value, e *C.weft_error) (rc C.int) {
	defer caught("reading a value", &rc, e)
	s, err := the.array(handle).Item(the.waits.stopFor(onMain))
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

// goOnly waits for the only element of an array, as goElement does, and tells its dtype.
//
//export goOnly
func goOnly(handle C.uint64_t, onMain C.int, to unsafe.Pointer, dtype *C.int, e *C.weft_error) (rc C.int) {
	*dtype = C.int(the.array(handle).DType())
	return goElement(handle, C.int64_t(the.array(handle).View().Offset), *dtype, onMain, to, e)
}

// goElement waits for an element of an array's memory, whose bytes it writes to "to". It is called without the
// interpreter's lock.
//
//export goElement
func goElement(handle C.uint64_t, offset C.int64_t, dtype, onMain C.int, to unsafe.Pointer, e *C.weft_error) (rc C.int) {
	defer caught("reading an element", &rc, e)
	t := tile.DType(dtype)
	if err := the.array(handle).Element(t, int64(offset), unsafe.Slice((*byte)(to), t.Size()), the.waits.stopFor(onMain)); err != nil {
		return fail(err, e)
	}
	return C.WEFT_OK
}

// goNear says whether goElement copies nothing but the element.
//
//export goNear
func goNear(handle C.uint64_t) C.int {
	defer guard("asking where an array is")
	return cbool(the.rt().Near(the.array(handle).View().Store))
}

// goRead waits for an array's value, whose elements it writes to "to" one after the other. It is called without the
// interpreter's lock.
//
//export goRead
func goRead(handle C.uint64_t, onMain C.int, to unsafe.Pointer, e *C.weft_error) (rc C.int) {
	defer caught("reading an array", &rc, e)
	a := the.array(handle)
	if err := a.Read(unsafe.Slice((*byte)(to), int(a.Size())*a.DType().Size()), the.waits.stopFor(onMain)); err != nil {
		return fail(err, e)
	}
	return C.WEFT_OK
}

// goMap waits for an array's value and pins its memory. It is called without the
// interpreter's lock.
//
//export goMap
func goMap(handle C.uint64_t, shared, onMain C.int, m *C.weft_mapping, e *C.weft_error) (rc C.int) {
	defer caught("mapping an array", &rc, e)
	a := the.array(handle)
	of := the.space.Machine()
	away := shared != 0 && the.rt().Home(a.View().Store) != nil // then the host has its values of now
	p, release, err := a.Map(shared != 0 && !away, the.waits.stopFor(onMain))
	if err != nil {
		return fail(err, e)
	}
	m.data = p
	m.id = C.uint64_t(the.mappings.put(release, of))
	describe(a, &m.info)
	if away {
		m.info.writable = 0
	}
	return C.WEFT_OK
}

// goUnmap ends a mapping, and says whether there is a machine for goCloseRetired.
//
//export goUnmap
func goUnmap(id C.uint64_t) C.int {
	defer guard("unmap")
	return cbool(the.mappings.drop(uint64(id)))
}

// goCloseRetired closes the machines that were replaced and whose memory no buffer pins. It is called without the
// interpreter's lock: a GPU's memory that other libraries had is waited for.
//
//export goCloseRetired
func goCloseRetired() {
	defer guard("closing a replaced machine")
	the.mappings.closeRetired()
}

func extents(shape *C.int64_t, ndim C.int) []int {
	dims := make([]int, ndim)
	for i, d := range unsafe.Slice(shape, ndim) {
		dims[i] = int(d)
	}
	return dims
}

// goFromHost makes an array of packed bytes, which are copied. memory is the number that C has for its memory, or 0. It
// may let go of the interpreter's lock, where the host's memory is full.
//
//export goFromHost
func goFromHost(data unsafe.Pointer, n C.int64_t, dtype C.int, shape *C.int64_t, ndim C.int, memory C.uint64_t, out *C.uint64_t, e *C.weft_error) (rc C.int) {
	defer caught("converting an array", &rc, e)
	dims := extents(shape, ndim)
	var bytes []byte
	if n > 0 {
		bytes = unsafe.Slice((*byte)(data), n)
	}
	if tile.DType(dtype) == tile.Bool {
		bytes = truths(bytes)
	}
	a, err := the.ctx.FromBytes(tile.DType(dtype), dims, bytes)
	if err != nil {
		return fail(err, e)
	}
	if memory != 0 {
		a.SetTag(uint64(memory))
		if id, ok := a.Ground(); ok {
			the.space.Link(uint64(memory), id)
		}
	}
	*out = the.put(a)
	return C.WEFT_OK
}

// goTakeOver makes an array of a block of the eager tier, which it returns when nothing uses it any more; see
// goFromHost.
//
//export goTakeOver
func goTakeOver(data unsafe.Pointer, n C.int64_t, dtype C.int, shape *C.int64_t, ndim C.int, memory C.uint64_t, out *C.uint64_t, e *C.weft_error) (rc C.int) {
	defer caught("taking an array over", &rc, e)
	a, err := givenUp(data, n, dtype, extents(shape, ndim), func() { C.weft_return_block(data, n) })
	if err != nil {
		the.untaken = err
		return fail(err, e)
	}
	a.SetTag(uint64(memory))
	if id, ok := a.Ground(); ok {
		the.space.Link(uint64(memory), id)
	}
	*out = the.put(a)
	return C.WEFT_OK
}

// goAdopt makes an array of the memory of an object of Python's that nothing else has, and which must live until
// weft_give_back is called for it.
//
//export goAdopt
func goAdopt(data unsafe.Pointer, n C.int64_t, owner unsafe.Pointer, dtype C.int, shape *C.int64_t, ndim C.int, out *C.uint64_t, e *C.weft_error) (rc C.int) {
	defer caught("adopting an array", &rc, e)
	a, err := givenUp(data, n, dtype, extents(shape, ndim), func() { C.weft_give_back(owner) })
	if err != nil {
		return fail(err, e)
	}
	*out = the.put(a)
	return C.WEFT_OK
}

// givenUp returns an array of packed bytes in memory that C gives up, whose bools become 0 and 1.
func givenUp(data unsafe.Pointer, n C.int64_t, dtype C.int, shape []int, back func()) (*arrays.Array, error) {
	if bytes := unsafe.Slice((*byte)(data), n); tile.DType(dtype) == tile.Bool {
		copy(bytes, truths(bytes))
	}
	return the.ctx.TakeOver(tile.DType(dtype), shape, data, back)
}

// goNoRoom says why an array of the eager tier got no handle: there is no memory of n bytes that outlasts its block.
//
//export goNoRoom
func goNoRoom(n C.int64_t) {
	the.untaken = fmt.Errorf("weft: no memory to keep a small array of %d bytes in: %w", n, tile.ErrOutOfMemory)
}

// truths returns the bytes of bools, each 0 or 1: where there are others (of np.frombuffer, of a view of another
// dtype), a copy. To NumPy each byte but 0 is true, in whatever it computes; to the runtime's loops only 1 is.
func truths(data []byte) []byte {
	const beyond = 0xfefefefefefefefe
	at := 0
	for ; at+8 <= len(data) && binary.NativeEndian.Uint64(data[at:])&beyond == 0; at += 8 {
	}
	for ; at < len(data) && data[at] <= 1; at++ {
	}
	if at == len(data) {
		return data
	}
	made := slices.Clone(data)
	for i, b := range made[at:] {
		if b != 0 {
			made[at+i] = 1
		}
	}
	return made
}

// goStore returns the number of the store of an array, 0 where it has none yet.
//
//export goStore
func goStore(handle C.uint64_t) C.uint32_t {
	defer guard("store")
	if id, ok := the.array(handle).Ground(); ok {
		return C.uint32_t(id)
	}
	return 0
}
