//go:build cuda && cgo && linux

package driver

// #include <cuda.h>
import "C"

import (
	"errors"
	"fmt"
)

// Codes of cuCtxEnablePeerAccess.
const (
	peersUnsupported = 217
	peersAlready     = 704
	tooManyPeers     = 711
)

// Reach lets the device's copies read another one's memory without the host, and reports whether they can. Where they
// can't, the driver passes the bytes of copies between the two through the host.
func (d *Device) Reach(other *Device) (bool, error) {
	var can C.int
	err := d.code(named("cuDeviceCanAccessPeer"), func() C.CUresult {
		return C.cuDeviceCanAccessPeer(&can, C.CUdevice(d.info.Ordinal), C.CUdevice(other.info.Ordinal))
	})
	if err != nil || can == 0 {
		return false, err
	}
	err = d.code(func() string { return fmt.Sprintf("cuCtxEnablePeerAccess to device %d", other.info.Ordinal) }, func() C.CUresult {
		return C.cuCtxEnablePeerAccess(other.pointer(), 0)
	})
	var e *Error
	switch {
	case !errors.As(err, &e):
		return err == nil, err
	case e.Code == peersAlready: // another library of the process, which shares the context, has let it in
		return true, nil
	case e.Code == peersUnsupported || e.Code == tooManyPeers:
		return false, nil
	}
	return false, err
}
