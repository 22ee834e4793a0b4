package driver

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a failed driver call. Code is CUDA's number; Name and Text are the driver's own
// words for it; Log is what the driver's PTX compiler said, for a module.
type Error struct {
	Call   string // the driver function and what it was asked for
	Device int    // ordinal; -1 when no device was involved
	Code   int
	Name   string
	Text   string
	Log    string
}

// The codes that callers tell apart.
const (
	codeOutOfMemory    = 2
	codeInvalidPTX     = 218
	codeNoCompiler     = 221
	codeUnsupportedPTX = 222
	codeNotFound       = 500
	codeNotReady       = 600
	codeTooLarge       = 720
)

// mistake is the advice for what no program and no machine can be the reason of.
const mistake = "that is a mistake of weft's, please report it; --gpus 0 computes without GPUs"

// advice adds what to do to the codes that have one likely cause.
var advice = []struct {
	code int
	text string
}{
	{1, mistake},
	{34, "a stub of the CUDA toolkit was loaded in place of the driver: take its folder out of LD_LIBRARY_PATH"},
	{46, "every device is in use by another process in exclusive mode"},
	{100, "nvidia-smi shows whether the driver sees a GPU; CUDA_VISIBLE_DEVICES may hide them; a container needs --gpus all"},
	{101, "the ordinals that exist are those that weft info lists"},
	{codeOutOfMemory, "nvidia-smi shows which processes hold device memory"},
	{codeInvalidPTX, mistake},
	{codeNoCompiler, "libnvidia-ptxjitcompiler.so.1 is missing: install the whole driver package; a container needs NVIDIA_DRIVER_CAPABILITIES=compute,utility"},
	{codeUnsupportedPTX, "this driver is too old for the PTX version: install a newer driver"},
	{304, "the driver cannot use the devices' files: /dev/nvidiactl, /dev/nvidia0 and /dev/nvidia-uvm must be there, and this user must be able to read and write them; a container needs --gpus all"},
	{codeNotFound, "not in this driver or module"},
	{700, "the device's context is lost: nothing more can run in this process on that device"},
	{701, mistake},
	{719, "the device's context is lost: nothing more can run in this process on that device"},
	{800, "the driver does not let this process do that: a container or a shared machine may restrict it"},
	{802, "the machine's fabric manager is not running"},
	{803, "the loaded kernel module and libcuda are of different versions: reboot after a driver update"},
	{804, "the forward-compatibility libcuda does not support this GPU"},
	{999, "the driver gives no reason; dmesg may"},
}

// Error says which call failed on which device, why, and what to do.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cuda: %s", e.Call)
	if e.Device >= 0 {
		fmt.Fprintf(&b, " on device %d", e.Device)
	}
	fmt.Fprintf(&b, ": %s", reason(e.Code, e.Name, e.Text))
	if e.Log != "" {
		fmt.Fprintf(&b, "\n%s", strings.TrimRight(e.Log, "\n\x00 "))
	}
	return b.String()
}

// reason is the part of an error text that depends on the code alone.
func reason(code int, name, text string) string {
	if name == "" {
		name = "CUDA error"
	}
	s := fmt.Sprintf("%s (%d)", name, code)
	if text != "" {
		s += ": " + text
	}
	for _, a := range advice {
		if a.code == code {
			s += "; " + a.text
		}
	}
	return s
}

// Lost reports whether the error ends the usefulness of the device's context: every later
// call on it fails with the same code, whatever it does.
func (e *Error) Lost() bool {
	switch e.Code {
	case 214, 700, 702, 710, 714, 715, 716, 717, 718, 719:
		return true
	}
	return false
}

// IsRefused reports whether err is a driver call that fails with a module each time: the driver cannot compile it, or
// nothing.
func IsRefused(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code == codeInvalidPTX || e.Code == codeNoCompiler || e.Code == codeUnsupportedPTX)
}

// IsOutOfMemory reports whether err is a driver call that failed for want of device
// memory.
func IsOutOfMemory(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == codeOutOfMemory
}

// IsTooLarge reports whether err is a cooperative launch of more blocks than can be resident at once.
func IsTooLarge(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == codeTooLarge
}

// ErrNotBuilt is what Open fails with in a build without CUDA support.
var ErrNotBuilt = errors.New("cuda: built without CUDA support; build with -tags cuda (see the documentation of cuda/driver)")

// ErrClosed is what the methods of a closed device, queue, event or module fail with.
var ErrClosed = errors.New("cuda: already closed")
