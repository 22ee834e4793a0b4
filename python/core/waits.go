//go:build extension

package main

// #include "values.h"
import "C"

import (
	"errors"
	"os"
	"sync"
	"syscall"

	"weft/arrays"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/workspace"
)

// What an interrupt (SIGINT, or Jupyter's message) does:
//
//   - a wait for arrays on Python's main thread ends at once, so that Python raises, and so does one
//     because too much is queued;
//   - what the interrupted cell has queued is cancelled after a while: see workspace/interrupts.go.

// waits lets interrupts end the waits of the main thread.
type waits struct {
	stop chan struct{} // one deep
	out  callsOut
}

// callsOut is for who waits until no call is on its way without the interpreter's lock: it replaces the machine, whose
// stores these calls have names of. C counts them (weft_out).
type callsOut struct {
	mu   sync.Mutex
	none chan struct{} // closed when there are none
	over bool          // it is closed
}

// goStandBy begins such a wait. It is called with calls out.
//
//export goStandBy
func goStandBy() {
	defer guard("standing by")
	o := &the.waits.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.none == nil || o.over {
		o.none, o.over = make(chan struct{}), false
	}
}

// goNoneOut says that the last call is back.
//
//export goNoneOut
func goNoneOut() {
	defer guard("coming back")
	o := &the.waits.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.over {
		close(o.none)
		o.over = true
	}
}

// goAwaitCalls waits until no call is out, or an interrupt comes: others may go out before its caller has the
// interpreter's lock again. It is called without the interpreter's lock.
//
//export goAwaitCalls
func goAwaitCalls(onMain C.int) {
	defer guard("waiting for calls")
	o := &the.waits.out
	o.mu.Lock()
	none := o.none
	o.mu.Unlock()
	select {
	case <-none:
	case <-the.waits.stopFor(onMain):
	}
}

// stopFor returns what interrupts a wait: Python runs signal handlers on its main thread only.
func (w *waits) stopFor(onMain C.int) <-chan struct{} {
	if onMain == 0 {
		return nil
	}
	return w.stop
}

// wakeWaits ends the wait for arrays that is in progress, so that Python looks for signals. A
// stale token is harmless: the next wait looks for signals once and goes on.
func wakeWaits() {
	select {
	case the.waits.stop <- struct{}{}:
	default:
	}
}

// Waits let go of the interpreter's lock, so that other threads of the program go on: subshells, widgets, what
// answers %where. Most calls wait without it from the beginning. Two do not:
//
//   - operations, where too much is queued. Operators over known layouts (launch.c) have looked at the operands before,
//     and no other thread may change these: so the wait is put off to the beginning of the next one, by setting
//     weft_held;
//   - calls of functions that need a value on the way (nonzero, x[mask]), and whatever waits for other libraries that
//     share a GPU's memory: what these were told to do may be functions of Python's. They let go of the lock in the
//     wait (WEFT_CALL and WEFT_MEET of shim.h).

// threads are the program's, as the runtime asks for them.
type threads struct{}

var _ workspace.Waits = threads{}

// Held puts a wait off.
func (threads) Held() { C.weft_held = 1 }

// Submits counts an op for C, which asks for no wait where there has been none since the last one.
func (threads) Submits() { C.weft_submitted++ }

// Wrong has the next wait for arrays tell the program.
func (threads) Wrong() { C.weft_floating_late = 1 }

// goThrottle waits until not too much is queued. It is called without the interpreter's lock.
//
//export goThrottle
func goThrottle(onMain C.int) (rc C.int) {
	defer guard("throttle")
	C.weft_held = 0
	m := the.space.Machine()
	if m == nil {
		return C.WEFT_OK
	}
	if errors.Is(m.Driver().Throttle(the.waits.stopFor(onMain)), arrays.ErrInterrupted) {
		return C.WEFT_INTERRUPTED
	}
	return C.WEFT_OK // what is wrong otherwise, the operation that follows says
}

// Asking is the place of the program that waits.
func (threads) Asking() scheduler.Where {
	if C.weft_in_call() != 0 {
		return the.ctx.Place()
	}
	return whereOf(C.weft_asking())
}

// Release lets go of the interpreter's lock for a wait in a call that has it.
func (threads) Release() (back func()) {
	if C.weft_in_call() == 0 {
		return func() {}
	}
	// Other threads use the context meanwhile.
	resume := the.ctx.Waits()
	state := C.weft_let_go()
	return func() {
		C.weft_take_back(state)
		resume()
	}
}

// Stops is what interrupts a wait of the calling thread.
func (threads) Stops() <-chan struct{} { return the.waits.stopFor(C.weft_on_main_thread()) }

//export goWake
func goWake() {
	defer guard("wake")
	wakeWaits()
}

// noteInterrupt keeps an interrupt until Python says what it makes of it, which is asked as soon as the interpreter's
// lock is to be had. A wait of the main thread that comes before asks, too.
func noteInterrupt() {
	if the.space.NoteInterrupt() {
		C.weft_interrupts_noted = 1
		go func() {
			defer guard("interrupt")
			C.weft_look_soon()
		}()
	}
}

// goInterrupted tells what becomes of interrupts: real says that SIGINT raises KeyboardInterrupt.
//
//export goInterrupted
func goInterrupted(real C.int) {
	defer guard("interrupt")
	C.weft_interrupts_noted = 0 // first: what is noted meanwhile is looked for again
	the.space.TakeInterrupts(real != 0)
}

// goWatchSignals reads Python's wakeup file descriptor, which gets a byte for each signal.
//
//export goWatchSignals
func goWatchSignals(fd C.int) {
	f := os.NewFile(uintptr(fd), "wakeup")
	go func() {
		defer guard("signal watch")
		b := make([]byte, 64)
		for {
			n, err := f.Read(b)
			if err != nil {
				return
			}
			wakeWaits()
			for _, signal := range b[:n] {
				if syscall.Signal(signal) == syscall.SIGINT {
					noteInterrupt()
				}
			}
		}
	}()
}

// goSync waits for everything. It is called without the interpreter's lock. That work was
// cancelled by an interrupt is no news.
//
//export goSync
func goSync(onMain C.int, e *C.weft_error) (rc C.int) {
	defer caught("sync", &rc, e)
	for {
		err := the.rt().Sync(the.waits.stopFor(onMain))
		if err == nil {
			return C.WEFT_OK
		}
		if !errors.Is(err, driver.ErrCancelled) {
			return fail(err, e)
		}
	}
}
