//go:build cuda && cgo && linux

package driver

// #include <cuda.h>
import "C"

import "unsafe"

// The attributes of a function that are asked for.
const (
	mostThreads    = 0 // CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
	sharedBytes    = 1 // CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
	localBytes     = 3 // CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES
	registerNumber = 4 // CU_FUNC_ATTRIBUTE_NUM_REGS
)

// Occupancy asks what a function takes of the device in blocks of so many threads and bytes of dynamic shared memory.
func (m *Module) Occupancy(f Function, threads int, dynamic int64) (o Occupancy, err error) {
	fn := *(*C.CUfunction)(unsafe.Pointer(&f))
	asked := [...]struct {
		attribute C.CUfunction_attribute
		to        *int
	}{{mostThreads, &o.Threads}, {sharedBytes, &o.Shared}, {localBytes, &o.Local}, {registerNumber, &o.Registers}}
	for _, a := range asked {
		var v C.int
		if err := m.device.code(named("cuFuncGetAttribute"), func() C.CUresult { return C.cuFuncGetAttribute(&v, a.attribute, fn) }); err != nil {
			return Occupancy{}, err
		}
		*a.to = int(v)
	}
	var blocks C.int
	err = m.device.code(named("cuOccupancyMaxActiveBlocksPerMultiprocessor"), func() C.CUresult {
		return C.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fn, C.int(threads), C.size_t(dynamic))
	})
	if err != nil {
		return Occupancy{}, err
	}
	o.Blocks = int(blocks) * m.device.info.SMs
	return o, nil
}
