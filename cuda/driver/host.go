//go:build cuda && cgo && linux

package driver

// #include <cuda.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// The flags of host memory.
const (
	portable = 1 // CU_MEMHOSTALLOC_PORTABLE: page-locked for every device's copies
	mapped   = 2 // CU_MEMHOSTALLOC_DEVICEMAP: has an address on the device
)

// AllocHost returns page-locked host memory, outside the Go heap, which copies of a queue
// can read and write while the host does something else. The caller frees it.
func (d *Device) AllocHost(n int64) ([]byte, error) {
	return d.allocHost(n, portable)
}

// AllocMapped returns page-locked host memory that programs on the device can reach as well, at the address. It is all
// zeros. The caller frees it with FreeHost.
func (d *Device) AllocMapped(n int64) ([]byte, Address, error) {
	b, err := d.allocHost(n, portable|mapped)
	if err != nil {
		return nil, 0, err
	}
	clear(b)
	var a C.CUdeviceptr
	err = d.code(named("cuMemHostGetDevicePointer"), func() C.CUresult {
		return C.cuMemHostGetDevicePointer(&a, unsafe.Pointer(unsafe.SliceData(b)), 0)
	})
	if err != nil {
		d.FreeHost(b)
		return nil, 0, err
	}
	return b, Address(a), nil
}

func (d *Device) allocHost(n int64, flags C.uint) ([]byte, error) {
	if n <= 0 {
		return nil, fmt.Errorf("cuda: allocation of %d bytes of host memory; want at least 1", n)
	}
	var p unsafe.Pointer
	if err := d.code(sized("cuMemHostAlloc", n), func() C.CUresult { return C.cuMemHostAlloc(&p, C.size_t(n), flags) }); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), n), nil
}

// FreeHost gives back what AllocHost or AllocMapped returned.
func (d *Device) FreeHost(b []byte) error {
	return d.code(named("cuMemFreeHost"), func() C.CUresult { return C.cuMemFreeHost(unsafe.Pointer(unsafe.SliceData(b))) })
}

// Register page-locks host memory that is not Go's, so that copies read and write it while the host does something
// else. The caller unregisters it before it is freed.
func (d *Device) Register(b []byte) error {
	return d.code(sized("cuMemHostRegister", int64(len(b))), func() C.CUresult {
		return C.cuMemHostRegister(unsafe.Pointer(unsafe.SliceData(b)), C.size_t(len(b)), portable)
	})
}

// Unregister ends what Register began.
func (d *Device) Unregister(b []byte) error {
	return d.code(named("cuMemHostUnregister"), func() C.CUresult { return C.cuMemHostUnregister(unsafe.Pointer(unsafe.SliceData(b))) })
}
