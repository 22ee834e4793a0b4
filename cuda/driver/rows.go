//go:build cuda && cgo && linux

package driver

// #include <cuda.h>
import "C"

import "unsafe"

// The kinds of memory that a side of a copy of rows has.
const (
	hostSide   = 1 // CU_MEMORYTYPE_HOST
	deviceSide = 2 // CU_MEMORYTYPE_DEVICE
)

// CopyRowsIn appends a copy of rows of host bytes to the device, under the rule of CopyIn. src holds the rows' reach.
func (q *Queue) CopyRowsIn(dst Address, src []byte, r Rows) error {
	c := r.plain()
	c.srcMemoryType, c.srcHost = hostSide, unsafe.Pointer(unsafe.SliceData(src))
	c.dstMemoryType, c.dstDevice = deviceSide, C.CUdeviceptr(dst)
	return q.copyRows(&c)
}

// CopyRowsOut appends a copy of rows of device bytes to the host, under the rule of CopyIn.
func (q *Queue) CopyRowsOut(dst []byte, src Address, r Rows) error {
	c := r.plain()
	c.srcMemoryType, c.srcDevice = deviceSide, C.CUdeviceptr(src)
	c.dstMemoryType, c.dstHost = hostSide, unsafe.Pointer(unsafe.SliceData(dst))
	return q.copyRows(&c)
}

// CopyRowsWithin appends a copy of rows inside the device's memory; the places must not overlap.
func (q *Queue) CopyRowsWithin(dst, src Address, r Rows) error {
	c := r.plain()
	c.srcMemoryType, c.srcDevice = deviceSide, C.CUdeviceptr(src)
	c.dstMemoryType, c.dstDevice = deviceSide, C.CUdeviceptr(dst)
	return q.copyRows(&c)
}

func (r Rows) plain() C.CUDA_MEMCPY2D {
	return C.CUDA_MEMCPY2D{srcPitch: C.size_t(r.SrcStep), dstPitch: C.size_t(r.DstStep), WidthInBytes: C.size_t(r.Bytes), Height: C.size_t(r.N)}
}

func (q *Queue) copyRows(c *C.CUDA_MEMCPY2D) error {
	if q.handle == 0 {
		return ErrClosed
	}
	return q.device.code(named("cuMemcpy2DAsync"), func() C.CUresult { return C.cuMemcpy2DAsync(c, q.pointer()) })
}

// CopyRowsFrom appends a copy of rows of another device's memory to this queue's device.
func (q *Queue) CopyRowsFrom(dst Address, from *Device, src Address, r Rows) error {
	if q.handle == 0 {
		return ErrClosed
	}
	c := C.CUDA_MEMCPY3D_PEER{
		srcMemoryType: deviceSide, srcDevice: C.CUdeviceptr(src), srcContext: from.pointer(), srcPitch: C.size_t(r.SrcStep), srcHeight: C.size_t(r.N),
		dstMemoryType: deviceSide, dstDevice: C.CUdeviceptr(dst), dstContext: q.device.pointer(), dstPitch: C.size_t(r.DstStep), dstHeight: C.size_t(r.N),
		WidthInBytes: C.size_t(r.Bytes), Height: C.size_t(r.N), Depth: 1,
	}
	return q.device.code(named("cuMemcpy3DPeerAsync"), func() C.CUresult { return C.cuMemcpy3DPeerAsync(&c, q.pointer()) })
}

// The driver's handles, which are numbers here and opaque pointers there.

func (q *Queue) pointer() C.CUstream { return *(*C.CUstream)(unsafe.Pointer(&q.handle)) }

func (d *Device) pointer() C.CUcontext { return *(*C.CUcontext)(unsafe.Pointer(&d.handle)) }
