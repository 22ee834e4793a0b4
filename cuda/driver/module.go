//go:build cuda && cgo && linux

package driver

// #include <stdlib.h>
import "C"

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"gorgonia.org/cu"
)

// logBytes is how much of the PTX compiler's messages is kept, each of errors and of
// information.
const logBytes = 16 << 10

// Module is PTX that the driver has compiled for a device.
type Module struct {
	device *Device
	mod    cu.Module
	closed bool
}

// LoadModule compiles PTX. The log is what the driver's compiler said, warnings and
// register counts, also when it went well; the error carries what it said against the text.
func (d *Device) LoadModule(ptx string) (m *Module, log string, err error) {
	// The compiler writes into memory outside the Go heap, because the module passes its
	// address as a number.
	info, faults := C.calloc(1, logBytes), C.calloc(1, logBytes)
	defer C.free(info)
	defer C.free(faults)
	if info == nil || faults == nil {
		return nil, "", errors.New("cuda: no host memory for the PTX compiler's log")
	}
	m = &Module{device: d}
	options := []cu.JITOption{
		&cu.JITInfoLogBuffer{Buffer: unsafe.Slice((*byte)(info), logBytes)},
		&cu.JITErrorLogBuffer{Buffer: unsafe.Slice((*byte)(faults), logBytes)},
		&cu.JITLogVerbose{Enabled: true},
	}
	if strings.Contains(ptx, "\n.file ") { // otherwise there are no lines that the driver could keep
		options = append(options, &cu.JITGenerateLineInfo{Enabled: true})
	}
	err = d.do(named("cuModuleLoadDataEx"), func() (err error) {
		m.mod, err = cu.LoadDataEx(ptx, options...)
		return err
	})
	log = text(info)
	var e *Error
	if errors.As(err, &e) {
		e.Log = text(faults)
	}
	if err != nil {
		return nil, log, err
	}
	return m, log, nil
}

// text reads a log buffer up to its first zero byte.
func text(p unsafe.Pointer) string {
	b := unsafe.Slice((*byte)(p), logBytes)
	if n := bytes.IndexByte(b, 0); n >= 0 {
		b = b[:n]
	}
	return string(b)
}

// Function finds an entry point of the module.
func (m *Module) Function(name string) (Function, error) {
	var f cu.Function
	err := m.device.do(func() string { return fmt.Sprintf("cuModuleGetFunction(%q)", name) }, func() (err error) {
		f, err = m.mod.Function(name)
		return err
	})
	if err != nil {
		return 0, err
	}
	return Function(handleOf(f)), nil
}

// Unload frees the module; none of its functions may be running or be launched again.
func (m *Module) Unload() error {
	if m.closed {
		return ErrClosed
	}
	m.closed = true
	return m.device.do(named("cuModuleUnload"), m.mod.Unload)
}
