//go:build cuda && cgo && linux

package driver

// #include <stdlib.h>
// #include "link.h"
import "C"

import (
	"errors"
	"runtime"
	"unsafe"

	"gorgonia.org/cu"
)

// Link compiles PTX into an image for devices of this one's kind, which LoadImage makes a module of, also in another
// process. The error carries what the compiler said.
func (d *Device) Link(ptx string) ([]byte, error) {
	if d.closed.Load() {
		return nil, ErrClosed
	}
	log := C.calloc(1, logBytes)
	defer C.free(log)
	if log == nil {
		return nil, errors.New("cuda: no host memory for the PTX compiler's log")
	}
	source := append([]byte(ptx), 0)
	var image unsafe.Pointer
	var size C.size_t
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rc := C.weft_cuda_link(C.uint64_t(d.handle), unsafe.Pointer(unsafe.SliceData(source)), C.size_t(len(source)),
		(*C.char)(log), logBytes, &image, &size)
	if rc != 0 {
		err := failed("cuLinkComplete", d.info.Ordinal, int(rc))
		err.Log = text(log)
		return nil, err
	}
	defer C.free(image)
	return C.GoBytes(image, C.int(size)), nil
}

// LoadImage makes a module of an image of Link's.
func (d *Device) LoadImage(image []byte) (m *Module, err error) {
	m = &Module{device: d}
	err = d.do(named("cuModuleLoadData"), func() (err error) {
		m.mod, err = cu.LoadData(string(image))
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}
