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

// lookLimit is how long the runtime may take to say what it does: its lock is held while it plans.
const lookLimit = time.Second

// doing says what the runtime does; nothing where there is none.
func doing() string {
	m := the.machine
	if m == nil {
		return ""
	}
	text := make(chan string, 1)
	go func() {
		defer guard("doing")
		text <- m.rt.Doing().String()
	}()
	select {
	case t := <-text:
		return t
	case <-time.After(lookLimit):
		return "the runtime is planning operations, or runs little ones, without a pause\n"
	}
}

// goDoing returns the text; the caller frees it.
//
//export goDoing
func goDoing() *C.char {
	defer guard("doing")
	return C.CString(doing())
}

// question says which cells are answered while another one runs.
func question(code string) bool {
	words := strings.Fields(code)
	return len(words) == 1 && words[0] == "%where"
}

// sayWhere is what Python gets as the type of a request to say below a cell what its Python code does. It has no reply.
const sayWhere = "say_where"

// watchInterrupted says below a cell what it does if it goes on after an interrupt. What the runtime does can be said at once;
// which line of Python runs only Python knows, which may have to wait for its lock.
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
		out.Stream("stderr", "weft: interrupted "+patience.String()+" ago, this cell still runs\n"+doing())
		out.Flush()
		asked := &asked{&kernel.Request{Type: sayWhere, Shell: "beside", Out: out}, make(chan kernel.Reply, 1)}
		select {
		case e.requests <- asked:
		case <-e.end:
		}
	})
}
