//go:build cuda && cgo && linux

package driver

// #include "launch.h"
import "C"

import (
	"fmt"
	"time"
	"unsafe"

	"gorgonia.org/cu"
)

// Queue is an in-order line of work on a device; what CUDA calls a stream. It does not wait
// for the device's default queue. Its methods may be called from any goroutine, but the
// order of calls that race is the order in which the driver sees them.
type Queue struct {
	device *Device
	stream cu.Stream
	handle uint64 // stream, as a number
}

// Event is a mark in a queue, with the time at which the device passed it.
type Event struct {
	device *Device
	event  cu.Event
}

// NewQueue makes a queue. The caller closes it.
func (d *Device) NewQueue() (*Queue, error) {
	q := &Queue{device: d}
	err := d.do(named("cuStreamCreate"), func() (err error) {
		q.stream, err = cu.MakeStream(cu.NonBlocking)
		return err
	})
	if err != nil {
		return nil, err
	}
	q.handle = handleOf(q.stream)
	return q, nil
}

// Handle is the driver's own name for the queue, a CUstream, for libraries that take one. The queue stays its owner.
func (q *Queue) Handle() uint64 { return q.handle }

// Close releases the queue when it has run empty; it does not wait for that.
func (q *Queue) Close() error {
	if q.handle == 0 {
		return ErrClosed
	}
	q.handle = 0
	return q.device.do(named("cuStreamDestroy"), q.stream.Destroy)
}

// do runs f, unless the queue is closed: a closed queue's handle would mean the default
// queue.
func (q *Queue) do(call func() string, f func() error) error {
	if q.handle == 0 {
		return ErrClosed
	}
	return q.device.do(call, f)
}

// Launch appends the batch's launches to the queue in one crossing into C, and returns
// without waiting for them. On an error, the launches before the one that the error names
// have been started. The batch may be reset and reused at once.
func (q *Queue) Launch(b *Batch) error { return q.launch(b, 0) }

// LaunchAndRecord is Launch and Record in the same crossing: the event happens when the batch's last launch is done.
func (q *Queue) LaunchAndRecord(b *Batch, e *Event) error { return q.launch(b, handleOf(e.event)) }

func (q *Queue) launch(b *Batch, event uint64) error {
	if q.handle == 0 || q.device.closed.Load() {
		return ErrClosed
	}
	if len(b.launches) == 0 && event == 0 {
		return nil
	}
	var done C.int
	rc := C.weft_cuda_launch_all(C.uint64_t(q.device.handle), C.uint64_t(q.handle),
		(*C.weft_cuda_launch)(unsafe.Pointer(unsafe.SliceData(b.launches))), C.int(len(b.launches)),
		(*C.uint64_t)(unsafe.SliceData(b.params)), C.uint64_t(event), &done)
	if rc != 0 {
		return failed(b.describe(int(done)), q.device.info.Ordinal, int(rc))
	}
	return nil
}

// describe names launch i for an error text.
func (b *Batch) describe(i int) string {
	if i >= len(b.launches) {
		return "cuEventRecord"
	}
	l := &b.launches[i]
	call := "cuLaunchKernel"
	if l.cooperative != 0 {
		call = "cuLaunchCooperativeKernel"
	}
	return fmt.Sprintf("%s (launch %d of %d: grid %v, block %v, %d bytes of shared memory, %d parameters)",
		call, i+1, len(b.launches), l.grid, l.block, l.shared, l.paramCount)
}

// CopyIn appends a copy of host bytes to the device. The bytes must stay unchanged and,
// when they are not from AllocHost, must not be Go's memory, until the queue has passed it.
func (q *Queue) CopyIn(dst Address, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	return q.do(sized("cuMemcpyHtoDAsync", int64(len(src))), func() error {
		return cu.MemcpyHtoDAsync(cu.DevicePtr(dst), unsafe.Pointer(unsafe.SliceData(src)), int64(len(src)), q.stream)
	})
}

// CopyOut appends a copy of device bytes to the host, under the same rule as CopyIn.
func (q *Queue) CopyOut(dst []byte, src Address) error {
	if len(dst) == 0 {
		return nil
	}
	return q.do(sized("cuMemcpyDtoHAsync", int64(len(dst))), func() error {
		return cu.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(dst)), cu.DevicePtr(src), int64(len(dst)), q.stream)
	})
}

// CopyWithin appends a copy inside the device's memory; the places must not overlap.
func (q *Queue) CopyWithin(dst, src Address, n int64) error {
	if n == 0 {
		return nil
	}
	return q.do(sized("cuMemcpyDtoDAsync", n), func() error {
		return cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), n, q.stream)
	})
}

// CopyFrom appends a copy from another device's memory to this queue's device.
func (q *Queue) CopyFrom(dst Address, from *Device, src Address, n int64) error {
	if n == 0 {
		return nil
	}
	return q.do(sized("cuMemcpyPeerAsync", n), func() error {
		return cu.MemcpyPeerAsync(cu.DevicePtr(dst), q.device.ctx, cu.DevicePtr(src), from.ctx, n, q.stream)
	})
}

// Record appends an event to the queue: it happens when the work before it is done.
func (q *Queue) Record(e *Event) error {
	return q.do(named("cuEventRecord"), func() error { return e.event.Record(q.stream) })
}

// Wait makes what is appended from now on wait for the event, which may be another
// queue's or another device's.
func (q *Queue) Wait(e *Event) error {
	return q.do(named("cuStreamWaitEvent"), func() error { return q.stream.Wait(e.event, 0) })
}

// Synchronize waits until the queue is empty.
func (q *Queue) Synchronize() error {
	return q.do(named("cuStreamSynchronize"), q.stream.Synchronize)
}

// Idle reports whether the queue is empty, without waiting.
func (q *Queue) Idle() (bool, error) {
	return ready(q.do(named("cuStreamQuery"), q.stream.Query))
}

// NewEvent makes an event that keeps time. A thread that waits for it sleeps. The caller closes it.
func (d *Device) NewEvent() (*Event, error) {
	e := &Event{device: d}
	err := d.do(named("cuEventCreate"), func() (err error) {
		e.event, err = cu.MakeEvent(cu.BlockingSyncEvent)
		return err
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Happened reports whether the queue has passed the event, without waiting.
func (e *Event) Happened() (bool, error) {
	return ready(e.device.do(named("cuEventQuery"), e.event.Query))
}

// Synchronize waits until the event has happened.
func (e *Event) Synchronize() error {
	return e.device.do(named("cuEventSynchronize"), e.event.Synchronize)
}

// Since returns the device's time from an earlier event to this one; both must have
// happened. Its resolution is about half a microsecond.
func (e *Event) Since(start *Event) (time.Duration, error) {
	var ms float64
	err := e.device.do(named("cuEventElapsedTime"), func() (err error) {
		ms, err = start.event.Elapsed(e.event)
		return err
	})
	return time.Duration(ms * float64(time.Millisecond)), err
}

// Passed reports whether the queue has passed the event and, if so, how long after base, which must have happened. It
// does what Happened and Since do in one crossing.
func (e *Event) Passed(base *Event) (bool, time.Duration, error) {
	if e.device.closed.Load() {
		return false, 0, ErrClosed
	}
	var ms C.float
	switch rc := C.weft_cuda_passed(C.uint64_t(e.device.handle), C.uint64_t(handleOf(e.event)), C.uint64_t(handleOf(base.event)), &ms); rc {
	case 0:
		return true, time.Duration(float64(ms) * float64(time.Millisecond)), nil
	case codeNotReady:
		return false, 0, nil
	default:
		return false, 0, failed("cuEventQuery", e.device.info.Ordinal, int(rc))
	}
}

// Close releases the event.
func (e *Event) Close() error {
	if e.event == (cu.Event{}) {
		return ErrClosed
	}
	return e.device.do(named("cuEventDestroy"), func() error { return cu.DestroyEvent(&e.event) })
}

// ready turns "not ready yet" from an error into an answer.
func ready(err error) (bool, error) {
	if e, ok := err.(*Error); ok && e.Code == codeNotReady {
		return false, nil
	}
	return err == nil, err
}
