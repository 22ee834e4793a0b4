//go:build cuda && cgo && linux

package driver

// #cgo LDFLAGS: -Wl,--as-needed -L${SRCDIR}/lib -ldl -lpthread
// #cgo noescape weft_cuda_launch_all
// #cgo nocallback weft_cuda_launch_all
// #cgo noescape weft_cuda_passed
// #cgo nocallback weft_cuda_passed
// #include "load.h"
// #include "launch.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"
)

// Built reports whether this binary has CUDA support at all.
const Built = true

// The launch records and the module's handles are read through unsafe casts; these lines
// fail to compile when a layout changes.
var (
	_ [unsafe.Sizeof(launch{})]byte       = [C.sizeof_weft_cuda_launch]byte{}
	_ [unsafe.Sizeof(cu.Function{})]byte  = [8]byte{}
	_ [unsafe.Sizeof(cu.Stream{})]byte    = [8]byte{}
	_ [unsafe.Sizeof(cu.CUContext{})]byte = [8]byte{}
	_ [unsafe.Sizeof(cu.Event{})]byte     = [8]byte{}
)

// handleOf reads the driver's handle out of the module's one-field structs, which do not
// show it.
func handleOf[T cu.Function | cu.Stream | cu.CUContext | cu.Event](h T) uint64 {
	return *(*uint64)(unsafe.Pointer(&h))
}

// codeOf digs CUDA's number out of an error of the module, whose type it keeps to itself.
func codeOf(err error) int {
	code := cu.Success
	if errors.As(err, &code) {
		return int(code)
	}
	return 999
}

// failure turns an error of the module into ours; nil stays nil.
func failure(call string, device int, err error) error {
	if err == nil {
		return nil
	}
	return failed(call, device, codeOf(err))
}

// failed makes the error of a call from its code, with the driver's own name and text.
func failed(call string, device, code int) *Error {
	name, text := words(code)
	return &Error{Call: call, Device: device, Code: code, Name: name, Text: text}
}

// words asks the driver what a code means; where there is no driver the module's name has
// to do.
func words(code int) (name, text string) {
	var s *C.char
	if C.cuGetErrorName(C.CUresult(code), &s) == 0 && s != nil {
		name = C.GoString(s)
	}
	s = nil
	if C.cuGetErrorString(C.CUresult(code), &s) == 0 && s != nil {
		text = C.GoString(s)
	}
	if name == "" {
		name = codeNames[code]
	}
	return name, text
}

// codeNames are the codes with which cuInit fails, when the driver cannot be asked.
var codeNames = map[int]string{
	3: "CUDA_ERROR_NOT_INITIALIZED", 34: "CUDA_ERROR_STUB_LIBRARY", 46: "CUDA_ERROR_DEVICE_UNAVAILABLE",
	100: "CUDA_ERROR_NO_DEVICE", 101: "CUDA_ERROR_INVALID_DEVICE", 304: "CUDA_ERROR_OPERATING_SYSTEM",
	500: "CUDA_ERROR_NOT_FOUND", 802: "CUDA_ERROR_SYSTEM_NOT_READY", 803: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
	804: "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", 999: "CUDA_ERROR_UNKNOWN",
}

// Probe loads the driver, once per process, and says what it found. It never fails, never
// prints and never ends the process.
func Probe() Report {
	rc := int(C.weft_cuda_open())
	r := Report{Driver: C.GoString(C.weft_cuda_library())}
	if why := C.GoString(C.weft_cuda_problem()); why != "" {
		r.Problem = why
		return r
	}
	r.Version = int(C.weft_cuda_version())
	if rc != 0 {
		name, text := words(rc)
		r.Problem = "cuInit: " + reason(rc, name, text) + forbidden(deviceFiles, openBoth)
		return r
	}
	n, err := cu.NumDevices()
	if err != nil {
		r.Problem = failure("cuDeviceGetCount", -1, err).Error()
		return r
	}
	if n == 0 {
		r.Problem = "the driver reports no devices; CUDA_VISIBLE_DEVICES may hide them"
		return r
	}
	for i := range n {
		info, err := describe(i)
		if err != nil {
			r.Problem = err.Error()
			return r
		}
		r.Devices = append(r.Devices, info)
	}
	for i := range n {
		for k := range n {
			// A driver that cannot say reaches nothing; copies then go by the host, which is always right.
			if yes, err := cu.Device(i).CanAccessPeer(cu.Device(k)); i != k && err == nil && yes != 0 {
				r.Peers = append(r.Peers, [2]int{i, k})
			}
		}
	}
	return r
}

// describe reads what the driver knows of one device. Figures that only inform stay 0 when
// the driver does not give them.
func describe(ordinal int) (DeviceInfo, error) {
	d := DeviceInfo{Ordinal: ordinal}
	dev, err := cu.GetDevice(ordinal)
	if err != nil {
		return d, failure(fmt.Sprintf("cuDeviceGet(%d)", ordinal), -1, err)
	}
	if d.Name, err = dev.Name(); err != nil {
		return d, failure("cuDeviceGetName", ordinal, err)
	}
	if d.Memory, err = dev.TotalMem(); err != nil {
		return d, failure("cuDeviceTotalMem", ordinal, err)
	}
	var domain, bus, slot int
	for _, a := range []struct {
		attribute cu.DeviceAttribute
		into      *int
		needed    bool
	}{
		{cu.ComputeCapabilityMajor, &d.Major, true},
		{cu.ComputeCapabilityMinor, &d.Minor, true},
		{cu.MultiprocessorCount, &d.SMs, true},
		{cu.MaxThreadsPerBlock, &d.MaxThreads, true},
		{cu.MaxSharedMemoryPerBlock, &d.SharedPerBlock, true},
		{cu.ClockRate, &d.ClockKHz, false},
		{cu.MemoryClockRate, &d.MemoryClockKHz, false},
		{cu.GlobalMemoryBusWidth, &d.BusWidth, false},
		{cu.L2CacheSize, &d.L2, false},
		{cu.AsyncEngineCount, &d.CopyEngines, false},
		{cu.PciDomainID, &domain, false},
		{cu.PciBusID, &bus, false},
		{cu.PciDeviceID, &slot, false},
	} {
		v, err := dev.Attribute(a.attribute)
		if err != nil && a.needed {
			return d, failure(fmt.Sprintf("cuDeviceGetAttribute(%d)", a.attribute), ordinal, err)
		}
		if err == nil {
			*a.into = v
		}
	}
	d.PCI = fmt.Sprintf("%04x:%02x:%02x", domain, bus, slot)
	if id, err := dev.UUID(); err == nil {
		d.UUID = "GPU-" + id.String()
	}
	return d, nil
}
