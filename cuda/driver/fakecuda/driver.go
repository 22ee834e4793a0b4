//go:build cuda && cgo && linux

package fakecuda

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

typedef uint64_t (*fakecuda_function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                                      uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
static uint64_t fakecuda_call(void *f, const uint64_t *a) {
	return ((fakecuda_function)f)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
}
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// Driver is the library, loaded into this process.
type Driver struct{ lib unsafe.Pointer }

// Open loads the library, or finds it loaded.
func Open(lib string) (*Driver, error) {
	name := C.CString(lib)
	defer C.free(unsafe.Pointer(name))
	h := C.dlopen(name, C.RTLD_NOW|C.RTLD_GLOBAL)
	if h == nil {
		return nil, fmt.Errorf("fakecuda: %s", C.GoString(C.dlerror()))
	}
	return &Driver{h}, nil
}

// Symbol returns the address of a function of the library; 0 where it has none of that name.
func (d *Driver) Symbol(name string) uint64 {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return uint64(uintptr(C.dlsym(d.lib, s)))
}

// Call calls a function of the library with whole numbers, among which addresses are, and returns its CUresult.
// Contexts are current by thread: the caller has its goroutine locked to one.
func (d *Driver) Call(name string, args ...uint64) int { return int(int32(d.call(name, args...))) }

func (d *Driver) call(name string, args ...uint64) uint64 {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	f := C.dlsym(d.lib, s)
	if f == nil || len(args) > 12 {
		panic(fmt.Sprintf("fakecuda: the library has no function %s, or not of %d arguments", name, len(args)))
	}
	var a [12]C.uint64_t
	for i, v := range args {
		a[i] = C.uint64_t(v)
	}
	return uint64(C.fakecuda_call(f, &a[0]))
}

// Ledger takes the lines out of the ledger.
func (d *Driver) Ledger() []string {
	for room := 1 << 16; ; room *= 2 {
		b := C.calloc(1, C.size_t(room))
		n := d.call("fakecuda_ledger", uint64(uintptr(b)), uint64(room))
		text := C.GoStringN((*C.char)(b), C.int(min(int(n), room-1)))
		C.free(b)
		if int(n) < room {
			return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
		}
	}
}

// Faults replaces the list of faults; "" is none.
func (d *Driver) Faults(list string) {
	s := C.CString(list)
	defer C.free(unsafe.Pointer(s))
	d.call("fakecuda_faults", uint64(uintptr(unsafe.Pointer(s))))
}

// Seed chooses the order of queues from now on.
func (d *Driver) Seed(seed uint64) { d.call("fakecuda_seed", seed) }

// Calls returns how often a call was made since the library was loaded.
func (d *Driver) Calls(name string) uint64 {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return d.call("fakecuda_calls", uint64(uintptr(unsafe.Pointer(s))))
}

// Moved returns how many bytes copies have moved since the library was loaded: "in" to devices, "out" to the host,
// "within" a device, between devices "direct", or "hosted", through the host.
func (d *Driver) Moved(way string) uint64 {
	s := C.CString(way)
	defer C.free(unsafe.Pointer(s))
	return d.call("fakecuda_moved", uint64(uintptr(unsafe.Pointer(s))))
}

// Gaps returns for how many virtual nanoseconds a stream stood idle between pieces of work, and how many pieces it has
// done.
func (d *Driver) Gaps(stream uint64) (ns, works uint64) {
	w := NewWords(1)
	defer w.Free()
	ns = d.call("fakecuda_gaps", stream, w.At(0))
	return ns, w[0]
}

// Forget makes bytes of memory as they are when they were just allocated: unwritten, and garbage.
func (d *Driver) Forget(address uint64, n int) bool {
	return uint32(d.call("fakecuda_forget", address, uint64(n))) == 1
}

// Bytes is host memory that the driver gave out, by its address.
func Bytes(address uint64, n int) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), n)
}

// Words is C memory, for what calls read and write. It starts as zeros.
type Words []uint64

// NewWords allocates n words; the caller frees them.
func NewWords(n int) Words {
	return unsafe.Slice((*uint64)(C.calloc(C.size_t(n), 8)), n)
}

// At is the address of word i.
func (w Words) At(i int) uint64 { return uint64(uintptr(unsafe.Pointer(&w[i]))) }

// Bytes is the same memory, byte by byte.
func (w Words) Bytes() []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 8*len(w)) }

// Free gives the memory back.
func (w Words) Free() { C.free(unsafe.Pointer(&w[0])) }
