//go:build extension

package main

// #include <stdlib.h>
import "C"

import (
	"strings"
	"time"

	"weft/kernel"
)

// patience is how long a cell may go on after an interrupt before it is said below it what it does: programs may
// catch the interrupt to tidy up, and C code that holds the interpreter's lock delays it.
const patience = 5 * time.Second

// goDoing returns the text; the caller frees it.
//
//export goDoing
func goDoing() *C.char {
	defer guard("doing")
	return C.CString(the.space.Doing())
}

// question says which cells are answered while another one runs.
func question(code string) bool {
	words := strings.Fields(code)
	return len(words) == 1 && words[0] == "%where"
}

// sayWhere is what Python gets as the type of a request to say below a cell what its Python code does. It has no reply.
const sayWhere = "say_where"

// watchInterrupted says below a cell what it does if it goes on after an interrupt. What the runtime does can be said
// at once; which line of Python runs only Python knows, which may have to wait for its lock.
func (e *evaluator) watchInterrupted(handle uint64) {
	time.AfterFunc(patience, func() {
		defer guard("interrupt watch")
		e.mu.Lock()
		out := e.outputs[handle]
		same := e.running == handle
		e.mu.Unlock()
		if !same || out == nil {
			return
		}
		out.Stream("stderr", "weft: interrupted "+patience.String()+" ago, this cell still runs\n"+the.space.Doing())
		out.Flush()
		e.ask(sayWhere, out)
	})
}

// ask has Python write something below a cell, beside what runs.
func (e *evaluator) ask(what string, out *kernel.Output) {
	request := &kernel.Request{Type: what, Shell: "beside", Out: out}
	select {
	case e.requests <- &asked{Request: request, answer: make(chan kernel.Reply, 1)}:
	case <-e.end:
	}
}

// sayLate is what Python gets as the type of a request to say below another request what keeps it from beginning with
// it.
const sayLate = "say_late"

// watchBegin says below a request of the main shell that Python has not come to it. Its event loop may be in a callback
// or in a task that a cell has left there: nothing else would tell such a kernel from one that computes. e.mu is held.
func (e *evaluator) watchBegin(a *asked, handle uint64) {
	a.late = time.AfterFunc(patience, func() {
		defer guard("begin watch")
		e.mu.Lock()
		waits := a.Shell == "" && e.asked[handle] == a
		e.mu.Unlock()
		if !waits {
			return
		}
		logf("request %s (%s) waits for %v: Python has not come back to its event loop", a.Out.ParentID(), a.Type, patience)
		a.Out.Stream("stderr", "weft: this waits for "+patience.String()+": Python has not come back to its event loop\n")
		a.Out.Flush()
		e.ask(sayLate, a.Out)
	})
}
