//go:build cuda && cgo && linux

package driver

// #include <cuda.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// Attributes of an address that the header lacks, which has what the module refers to.
const (
	ordinal    = 9
	rangeStart = 11
	rangeSize  = 12
)

// Find says which device's memory an address is of, and what was allocated with it. It is for memory that other
// libraries of the process allocated; an address that is none of a device's, or no more, is an error.
func Find(a Address) (Allocation, error) {
	found := Allocation{}
	var ctx C.CUcontext
	for _, q := range []struct {
		attribute C.CUpointer_attribute
		into      unsafe.Pointer
	}{
		{ordinal, unsafe.Pointer(&found.Device)},
		{C.CU_POINTER_ATTRIBUTE_CONTEXT, unsafe.Pointer(&ctx)},
		{rangeStart, unsafe.Pointer(&found.Start)},
		{rangeSize, unsafe.Pointer(&found.Bytes)},
	} {
		if rc := C.cuPointerGetAttribute(q.into, q.attribute, C.CUdeviceptr(a)); rc != 0 {
			return Allocation{}, failed(fmt.Sprintf("cuPointerGetAttribute(%d) of %#x", q.attribute, uint64(a)), -1, int(rc))
		}
	}
	found.context = uint64(uintptr(unsafe.Pointer(ctx)))
	return found, nil
}

// Reaches reports whether programs in the device's context may use an allocation of its memory: one of another context
// than the primary one they may not. Memory of virtual pages is of no context.
func (d *Device) Reaches(a Allocation) bool {
	return int(a.Device) == d.info.Ordinal && (a.context == 0 || a.context == d.handle)
}

// SynchronizeStream waits until a stream that another library of the process made has run empty.
func (d *Device) SynchronizeStream(handle uint64) error {
	return d.code(func() string { return fmt.Sprintf("cuStreamSynchronize of stream %#x", handle) }, func() C.CUresult {
		return C.cuStreamSynchronize(C.CUstream(*(*unsafe.Pointer)(unsafe.Pointer(&handle))))
	})
}
