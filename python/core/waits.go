//go:build extension

package main

// #include "values.h"
import "C"

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"weft/arrays"
	"weft/scheduler"
	"weft/scheduler/driver"
)

// What an interrupt (SIGINT, or Jupyter's message) does:
//
//   - a wait for arrays on Python's main thread ends at once, so that Python raises, and so does one
//     because too much is queued;
//   - what the interrupted cell has queued may still run for the grace time, so that a loop
//     of small steps ends with whole results; what has not started by then, or when a
//     second interrupt comes, is cancelled. What earlier cells queued is left alone.
//
// The last point only where the interrupt becomes a KeyboardInterrupt: a program with a
// handler of its own decides itself what an interrupt means.
const grace = 2 * time.Second

// echo is within what time a second note of the same cell is the same interrupt, which came
// as a message and as a signal.
const echo = 200 * time.Millisecond

// waits lets interrupts end the waits of the main thread.
type waits struct {
	stop chan struct{} // one deep

	mu      sync.Mutex
	last    interrupt
	noted   []interrupt                    // that no wait has followed yet
	pending map[scheduler.OpID]*time.Timer // by the cell's first op: an interrupt's grace is running
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
	if the.waits.stop == nil {
		return
	}
	select {
	case the.waits.stop <- struct{}{}:
	default:
	}
}

// Waits let go of the interpreter's lock, so that other threads of the program go on: subshells, widgets, what
// answers %where. Most calls wait without it from the beginning. Two do not:
//
//   - operations, where too much is queued. Operators over known layouts (launch.c) have looked at the operands before, and no other thread may
//     change these: so the wait is put off to the beginning of the next one, by setting weft_held;
//   - calls of functions that need a value on the way (nonzero, x[mask]). They let go of the lock in the wait.

// held is driver.Options.Held.
func held() { C.weft_held = 1 }

// submits counts an op for C, which asks for no wait where there has been none since the last one.
func submits() { C.weft_submitted++ }

// goThrottle waits until not too much is queued. It is called without the interpreter's lock.
//
//export goThrottle
func goThrottle(onMain C.int) (rc C.int) {
	defer guard("throttle")
	C.weft_held = 0
	m := the.machine
	if m == nil {
		return C.WEFT_OK
	}
	if errors.Is(m.rt.Throttle(the.waits.stopFor(onMain)), arrays.ErrInterrupted) {
		return C.WEFT_INTERRUPTED
	}
	return C.WEFT_OK // what is wrong otherwise, the operation that follows says
}

// asking is driver.Options.Asking.
func asking() scheduler.Where {
	if C.weft_in_call() != 0 {
		return the.ctx.Place()
	}
	where := C.weft_asking()
	return scheduler.Where{Source: scheduler.SourceID(where >> 32), Line: int32(uint32(where))}
}

// release is driver.Options.Release.
func release() (back func()) {
	if C.weft_in_call() == 0 {
		return func() {}
	}
	// Other threads use the context meanwhile.
	where, stop, wanted := the.ctx.Place(), the.ctx.Stop, the.ctx.Wanted()
	state := C.weft_let_go()
	return func() {
		C.weft_take_back(state)
		the.ctx.At(where).Wants(wanted).Stop = stop
	}
}

//export goWake
func goWake() {
	defer guard("wake")
	wakeWaits()
}

// interrupt is what a SIGINT found: the ops of the cell that it is about.
type interrupt struct {
	at           time.Time
	since, until scheduler.OpID
}

// note keeps an interrupt until the main thread waits again: only Python knows whether it
// became a KeyboardInterrupt, and only then it matters how much is queued.
func (w *waits) note() {
	m := the.machine
	if m == nil {
		return
	}
	since, busy := the.cells.running()
	if !busy {
		return
	}
	until := m.rt.LastOp()
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.last.since == since && now.Sub(w.last.at) < echo {
		return
	}
	w.last = interrupt{now, since, until}
	w.noted = append(w.noted, w.last)
	C.weft_interrupts_noted = 1
}

// goInterrupted is called at the beginning of a wait on the main thread that follows an
// interrupt. real says that SIGINT raises KeyboardInterrupt.
//
//export goInterrupted
func goInterrupted(real C.int) {
	defer guard("interrupt")
	w := &the.waits
	w.mu.Lock()
	noted := w.noted
	w.noted = nil
	C.weft_interrupts_noted = 0
	w.mu.Unlock()
	if real == 0 {
		return
	}
	for _, i := range noted {
		w.giveUp(i)
	}
}

// giveUp cancels what an interrupted cell has queued, after the grace time or at the second
// interrupt.
func (w *waits) giveUp(i interrupt) {
	rt := the.machine.rt
	w.mu.Lock()
	defer w.mu.Unlock()
	left := time.Until(i.at.Add(grace))
	if t := w.pending[i.since]; t != nil && t.Stop() || left <= 0 {
		delete(w.pending, i.since)
		rt.CancelOps(i.since, i.until)
		return
	}
	if w.pending == nil {
		w.pending = map[scheduler.OpID]*time.Timer{}
	}
	w.pending[i.since] = time.AfterFunc(left, func() {
		defer guard("interrupt")
		w.mu.Lock()
		delete(w.pending, i.since)
		w.mu.Unlock()
		rt.CancelOps(i.since, i.until)
	})
}

// running returns the last op before the cell that is running. A script is one cell; between
// two cells nothing runs that an interrupt is about.
func (c *cells) running() (since scheduler.OpID, busy bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.used {
		return 0, true
	}
	for _, open := range c.open {
		if open.shell == "" { // interrupts are for the main shell
			return open.mark.FirstOp, true
		}
	}
	return 0, false
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
					the.waits.note()
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
		err := the.machine.rt.Sync(the.waits.stopFor(onMain))
		if err == nil {
			return C.WEFT_OK
		}
		if !errors.Is(err, driver.ErrCancelled) {
			return fail(err, e)
		}
	}
}
