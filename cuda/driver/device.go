//go:build cuda && cgo && linux

package driver

// #cgo noescape weft_cuda_enter
// #cgo nocallback weft_cuda_enter
// #cgo nocallback weft_cuda_leave
// #include "current.h"
import "C"

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/cu"
)

// Device is one GPU with its primary context retained, which is the context that cuBLAS
// and other libraries in the process use too. Its methods may be called from any
// goroutine; each makes the context current on its thread for the time of the call, and then again which was before.
type Device struct {
	info   DeviceInfo
	dev    cu.Device
	ctx    cu.CUContext
	handle uint64 // ctx, as a number
	closed atomic.Bool
}

// Open makes a device usable. The error says why there is none: see Report.Problem.
func Open(ordinal int) (*Device, error) {
	if r := Probe(); r.Problem != "" {
		return nil, fmt.Errorf("cuda: device %d: %s", ordinal, r)
	} else if ordinal < 0 || ordinal >= len(r.Devices) {
		return nil, fmt.Errorf("cuda: device %d does not exist; found: %s", ordinal, r)
	}
	info, err := describe(ordinal)
	if err != nil {
		return nil, err
	}
	dev, err := cu.GetDevice(ordinal)
	if err != nil {
		return nil, failure("cuDeviceGet", ordinal, err)
	}
	ctx, err := dev.RetainPrimaryCtx()
	if err != nil {
		return nil, failure("cuDevicePrimaryCtxRetain", ordinal, err)
	}
	return &Device{info: info, dev: dev, ctx: ctx, handle: handleOf(ctx)}, nil
}

// Info describes the device.
func (d *Device) Info() DeviceInfo { return d.info }

// Close gives the primary context back. Queues, events and modules must have been closed,
// and memory freed, before.
func (d *Device) Close() error {
	if d.closed.Swap(true) {
		return ErrClosed
	}
	return failure("cuDevicePrimaryCtxRelease", d.info.Ordinal, d.dev.ReleasePrimaryCtx())
}

// do runs f with the device's context current on this thread.
func (d *Device) do(call func() string, f func() error) error {
	if d.closed.Load() {
		return ErrClosed
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before C.uint64_t
	if rc := C.weft_cuda_enter(C.uint64_t(d.handle), &before); rc != 0 {
		return failed("cuCtxSetCurrent", d.info.Ordinal, int(rc))
	}
	defer C.weft_cuda_leave(C.uint64_t(d.handle), before)
	if err := f(); err != nil {
		return failure(call(), d.info.Ordinal, err)
	}
	return nil
}

// Within runs f, which calls a library, with the device's context current on this thread.
func (d *Device) Within(f func() error) error {
	var failed error
	err := d.do(named("a library"), func() error {
		failed = f()
		return nil
	})
	if err != nil {
		return err
	}
	return failed
}

// named is the call of an error text that needs no figures.
func named(call string) func() string { return func() string { return call } }

// sized is the call of an error text with a number of bytes.
func sized(call string, n int64) func() string {
	return func() string { return fmt.Sprintf("%s of %d bytes", call, n) }
}

// Alloc returns device memory of n bytes, aligned to at least 256. The caller frees it.
// IsOutOfMemory tells when there was not enough.
func (d *Device) Alloc(n int64) (Address, error) {
	if n <= 0 {
		return 0, fmt.Errorf("cuda: allocation of %d bytes; want at least 1", n)
	}
	var p cu.DevicePtr
	err := d.do(sized("cuMemAlloc", n), func() (err error) {
		p, err = cu.MemAlloc(n)
		return err
	})
	return Address(p), err
}

// Free gives memory back; it waits for what the device is doing.
func (d *Device) Free(a Address) error {
	return d.do(named("cuMemFree"), func() error { return cu.MemFree(cu.DevicePtr(a)) })
}

// MemoryInfo returns the bytes of device memory that are free, for all processes, and
// those that there are.
func (d *Device) MemoryInfo() (free, total int64, err error) {
	err = d.do(named("cuMemGetInfo"), func() (err error) {
		free, total, err = cu.MemInfo()
		return err
	})
	return free, total, err
}

// CopyIn copies host bytes to the device. When it returns, the bytes have been read, but perhaps not all are on the
// device yet: Synchronize waits for that, and work on the default queue comes after it, which a Queue's does not.
func (d *Device) CopyIn(dst Address, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	return d.do(sized("cuMemcpyHtoD", int64(len(src))), func() error {
		return cu.MemcpyHtoD(cu.DevicePtr(dst), unsafe.Pointer(unsafe.SliceData(src)), int64(len(src)))
	})
}

// CopyOut copies device bytes to the host and waits for the end of it.
func (d *Device) CopyOut(dst []byte, src Address) error {
	if len(dst) == 0 {
		return nil
	}
	return d.do(sized("cuMemcpyDtoH", int64(len(dst))), func() error {
		return cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(dst)), cu.DevicePtr(src), int64(len(dst)))
	})
}

// CopyWithin copies n bytes from one place of the device's memory to another, which must
// not overlap.
func (d *Device) CopyWithin(dst, src Address, n int64) error {
	if n == 0 {
		return nil
	}
	return d.do(sized("cuMemcpyDtoD", n), func() error {
		return cu.MemcpyDtoD(cu.DevicePtr(dst), cu.DevicePtr(src), n)
	})
}

// Synchronize waits until the device has done everything it was given. It is also where
// errors of programs that ran on their own show up.
func (d *Device) Synchronize() error {
	return d.do(named("cuCtxSynchronize"), cu.Synchronize)
}
