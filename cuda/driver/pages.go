//go:build cuda && cgo && linux

package driver

// #include <cuda.h>
import "C"

import "fmt"

// Page is a piece of a device's physical memory, which has no address until it is mapped.
type Page uint64

// The numbers of the driver's interface for what this file asks for.
const (
	pinnedMemory    = 1 // CU_MEM_ALLOCATION_TYPE_PINNED
	onDevice        = 1 // CU_MEM_LOCATION_TYPE_DEVICE
	readWrite       = 3 // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
	leastPages      = 0 // CU_MEM_ALLOC_GRANULARITY_MINIMUM
	reserveAnywhere = 0
)

// property describes plain memory of the device.
func (d *Device) property() C.CUmemAllocationProp {
	return C.CUmemAllocationProp{_type: pinnedMemory, locationType: onDevice, locationId: C.int(d.info.Ordinal)}
}

// code runs a call that returns CUDA's number.
func (d *Device) code(call func() string, f func() C.CUresult) error {
	var rc C.CUresult
	if err := d.do(call, func() error { rc = f(); return nil }); err != nil {
		return err
	}
	if rc != 0 {
		return failed(call(), d.info.Ordinal, int(rc))
	}
	return nil
}

// PageSize returns the number of bytes of which pages and reservations are multiples. It fails on devices that have no
// virtual memory management.
func (d *Device) PageSize() (int64, error) {
	var n C.size_t
	p := d.property()
	err := d.code(named("cuMemGetAllocationGranularity"), func() C.CUresult { return C.cuMemGetAllocationGranularity(&n, &p, leastPages) })
	return int64(n), err
}

// Reserve returns a range of addresses with nothing behind them. The caller gives it back with Unreserve.
func (d *Device) Reserve(n int64) (Address, error) {
	var at C.CUdeviceptr
	err := d.code(sized("cuMemAddressReserve", n), func() C.CUresult {
		return C.cuMemAddressReserve(&at, C.size_t(n), 0, reserveAnywhere, 0)
	})
	return Address(at), err
}

// Unreserve gives a whole reservation back, of which nothing may be mapped.
func (d *Device) Unreserve(a Address, n int64) error {
	return d.code(named("cuMemAddressFree"), func() C.CUresult { return C.cuMemAddressFree(C.CUdeviceptr(a), C.size_t(n)) })
}

// NewPage takes n bytes of the device's memory. The caller frees the page. IsOutOfMemory tells when there was not
// enough.
func (d *Device) NewPage(n int64) (Page, error) {
	var h C.CUmemGenericAllocationHandle
	p := d.property()
	err := d.code(sized("cuMemCreate", n), func() C.CUresult { return C.cuMemCreate(&h, C.size_t(n), &p, 0) })
	return Page(h), err
}

// FreePage gives a page back; where it is mapped, its memory is free when it is unmapped.
func (d *Device) FreePage(p Page) error {
	return d.code(named("cuMemRelease"), func() C.CUresult { return C.cuMemRelease(C.CUmemGenericAllocationHandle(p)) })
}

// Map puts a page of n bytes at an address of a reservation. Allow makes it accessible.
func (d *Device) Map(a Address, n int64, p Page) error {
	return d.code(sized("cuMemMap", n), func() C.CUresult {
		return C.cuMemMap(C.CUdeviceptr(a), C.size_t(n), 0, C.CUmemGenericAllocationHandle(p), 0)
	})
}

// Allow lets devices of these ordinals, or this one where there are none, read and write mapped pages of n bytes from a
// on, too.
func (d *Device) Allow(a Address, n int64, ordinals ...int) error {
	if len(ordinals) == 0 {
		ordinals = []int{d.info.Ordinal}
	}
	access := make([]C.CUmemAccessDesc, len(ordinals))
	for i, ordinal := range ordinals {
		access[i] = C.CUmemAccessDesc{locationType: onDevice, locationId: C.int(ordinal), flags: readWrite}
	}
	return d.code(sized("cuMemSetAccess", n), func() C.CUresult {
		return C.cuMemSetAccess(C.CUdeviceptr(a), C.size_t(n), &access[0], C.size_t(len(access)))
	})
}

// Unmap takes the whole pages in n bytes from a on out of the addresses. Nothing that the device has begun may use
// them.
func (d *Device) Unmap(a Address, n int64) error {
	return d.code(sized("cuMemUnmap", n), func() C.CUresult { return C.cuMemUnmap(C.CUdeviceptr(a), C.size_t(n)) })
}

// String prints a page's handle.
func (p Page) String() string { return fmt.Sprintf("page %#x", uint64(p)) }
