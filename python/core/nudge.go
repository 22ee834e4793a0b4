//go:build extension

package main

// #include "kernelmod.h"
import "C"

import (
	"sync"
	"time"
)

// nudges see to it that an interrupt is noticed. Python looks for signals between two
// bytecodes, and when a signal ends a system call. One that arrives after the last look and
// before the call begins is noticed when the call has ended by itself:
//
//	bytecode: any signals?  no     nanosleep(1000 s) ...
//	                            ^
//	                            SIGINT
//
// So the main thread's system calls are ended, at growing distances, until Python's handler
// has run or the last distance is over: by then the thread computes, and looks when it is done.
type nudges struct {
	mu    sync.Mutex
	stop  chan struct{} // closed when the interrupt was noticed; nil when none is under way
	about uint64        // handle of the request that the interrupt is for
}

const (
	firstNudge = time.Millisecond // longer than Python usually takes to notice
	lastNudge  = 16 * time.Second // a busy machine may leave a thread aside for longer than a second
)

// begin sends the interrupt, which is for a request.
func (n *nudges) begin(about uint64) {
	n.attended()
	stop := make(chan struct{})
	n.mu.Lock()
	n.stop, n.about = stop, about
	n.mu.Unlock()
	C.weft_interrupt_main()
	go func() {
		defer guard("nudge")
		for d := firstNudge; d <= lastNudge; d *= 2 {
			select {
			case <-stop:
				return
			case <-time.After(d):
				C.weft_nudge_main()
			}
		}
	}()
}

// attended ends the nudges: Python has noticed. It returns which request the interrupt is for: by now another one may
// be running. It is 0 for a signal of another sender.
func (n *nudges) attended() (about uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stop == nil {
		return 0
	}
	close(n.stop)
	n.stop = nil
	return n.about
}

//export goKernelAttended
func goKernelAttended() C.uint64_t {
	defer guard("kernel_attended")
	if e := jupyter.evaluator; e != nil {
		return C.uint64_t(e.nudges.attended())
	}
	return 0
}

// goKernelInterrupt interrupts the running cell, but not in the line that asks for it.
//
//export goKernelInterrupt
func goKernelInterrupt() {
	defer guard("kernel_interrupt")
	e := jupyter.evaluator
	if e == nil {
		return
	}
	e.mu.Lock()
	asked := e.running
	e.mu.Unlock()
	time.AfterFunc(firstNudge, func() {
		defer guard("kernel_interrupt")
		e.mu.Lock()
		running := e.running
		e.mu.Unlock()
		if running != 0 && running == asked {
			e.nudges.begin(asked)
			wakeWaits()
		}
	})
}
