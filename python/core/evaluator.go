//go:build extension

package main

// #include <stdlib.h>
// #include <string.h>
// #include "kernelmod.h"
import "C"

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
	"unsafe"

	"weft/kernel"
)

// evaluator makes CPython a kernel.Evaluator. A thread of Python's pulls: Do puts the request where kernel_next
// finds it and waits for kernel_reply.
//
//	a shell's goroutine             Python's thread "weft requests"
//	Do(request)  -- requests -->    kernel_next; hands it to the thread of the request's shell,
//	             <-- answer  --     which calls kernel_reply
type evaluator struct {
	version  string
	requests chan *asked
	end      chan struct{} // closed by Shutdown
	endOnce  sync.Once

	mu        sync.Mutex
	next      uint64
	outputs   map[uint64]*kernel.Output   // by handle, until kernel_release
	asked     map[uint64]*asked           // by handle, until kernel_reply
	running   uint64                      // handle of the main shell's request, from kernel_next to kernel_reply
	early     *kernel.Output              // of the main shell's request whose interrupt came before kernel_next; its Out
	questions map[uint64]*kernel.Question // by number, while their kernel_input lasts

	nudges nudges

	text      sync.Mutex // held while text of text.c is published
	textTimer *time.Timer
}

// asked is a request in Do.
type asked struct {
	*kernel.Request
	answer chan kernel.Reply // one deep
	late   *time.Timer       // says below the request that Python has not begun with it; see watchBegin
}

var _ kernel.Evaluator = (*evaluator)(nil)

// Do hands one request to Python and waits for its reply.
func (e *evaluator) Do(req *kernel.Request) kernel.Reply {
	a := &asked{Request: req, answer: make(chan kernel.Reply, 1)}
	select {
	case e.requests <- a:
	case <-e.end:
		return shuttingDown()
	}
	select {
	case reply := <-a.answer:
		return reply
	case <-e.end:
		return shuttingDown()
	}
}

// closeShell is what Python gets as the type of a request when a subshell has ended; it has no reply.
const closeShell = "close_shell"

// CloseShell lets Python end the subshell's thread.
func (e *evaluator) CloseShell(id string) {
	go func() {
		defer guard("close_shell")
		select {
		case e.requests <- &asked{Request: &kernel.Request{Type: closeShell, Shell: id}}:
		case <-e.end:
		}
	}()
}

func shuttingDown() kernel.Reply {
	return kernel.ReplyOf(kernel.ErrorReply{Status: "error", EName: "KernelShutdown", EValue: "the kernel is shutting down", Traceback: []string{}})
}

// Interrupt sends SIGINT to Python's main thread, which ends system calls and sleeps; wakes
// waits for arrays and input, which are Go's; and sends SIGINT to child processes, since
// only the kernel itself got the message.
//
// What is queued is noted first: by the time that the signal's byte has come through the
// wakeup descriptor, the cell may have ended. Python comes before its children, since a cell
// that waits for a child may end when the child does.
func (e *evaluator) Interrupt(out *kernel.Output) {
	e.mu.Lock()
	about := e.running
	if about == 0 {
		e.early = out // or its reply is on the way: then it does not come to kernel_next again
	}
	e.mu.Unlock()
	if about == 0 {
		return
	}
	noteInterrupt()
	e.nudges.begin(about)
	interruptChildren()
	wakeWaits()
	e.watchInterrupted(about)
}

// Info describes the language.
func (e *evaluator) Info() kernel.LanguageInfo { return kernel.Python(e.version) }

// Shutdown ends kernel_next.
func (e *evaluator) Shutdown(bool) { e.endOnce.Do(func() { close(e.end) }) }

// output finds the Output of a handle; handle 0 is whatever cell ran last.
func (e *evaluator) output(handle uint64) *kernel.Output {
	e.mu.Lock()
	defer e.mu.Unlock()
	if out := e.outputs[handle]; out != nil {
		return out
	}
	if jupyter.kernel != nil {
		return jupyter.kernel.LastOutput()
	}
	return nil
}

// mainOutput is where the main shell's request in hand shows things; nil if it has none.
func (e *evaluator) mainOutput() *kernel.Output {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.outputs[e.running]
}

// coreVersion is stamped by the build.
var coreVersion = "0.1.0-dev"

// jupyter is the process's one kernel; the sockets and the main thread are the process's too.
var jupyter struct {
	kernel    *kernel.Kernel
	evaluator *evaluator
}

// guard turns a panic of an exported function into a line of the log: an unrecovered one
// would end the interpreter and the user's variables with it.
func guard(what string) {
	r := recover()
	if why, ok := r.(refused); ok {
		logf("%s: %v", what, why.error)
	} else if r != nil {
		logf("BUG: panic in %s: %v\n%s", what, r, debug.Stack())
	}
}

//export goKernelStart
func goKernelStart(file, crash, version, banner *C.char, debugger C.int) (problem *C.char) {
	defer guard("kernel_start")
	if jupyter.kernel != nil {
		return C.CString("the kernel has been started already")
	}
	e := &evaluator{
		version:   C.GoString(version),
		requests:  make(chan *asked),
		end:       make(chan struct{}),
		outputs:   map[uint64]*kernel.Output{},
		asked:     map[uint64]*asked{},
		questions: map[uint64]*kernel.Question{},
	}
	e.textTimer = time.AfterFunc(time.Hour, func() {
		if out := e.publishText(); out != nil {
			out.Flush()
		}
	})
	k, err := kernel.Start(kernel.Options{
		Evaluator: e, ConnectionFile: C.GoString(file), Version: coreVersion, Banner: C.GoString(banner),
		Question: question, Debugger: debugger != 0,
	})
	if err != nil {
		return C.CString(err.Error())
	}
	jupyter.kernel, jupyter.evaluator = k, e
	for _, path := range k.Files() {
		p := C.CString(path)
		C.weft_at_end(p)
		C.free(unsafe.Pointer(p))
	}
	C.weft_end_cleanly(crash)
	the.space.View()
	go func() { // a lost parent and Close end the kernel without a shutdown request
		defer guard("kernel watch")
		<-k.Done()
		e.Shutdown(false)
	}()
	return nil
}

//export goKernelNext
func goKernelNext(r *C.weft_request) (rc C.int) {
	rc = C.WEFT_END // what Python sees after a panic
	defer guard("kernel_next")
	e := jupyter.evaluator
	if e == nil {
		return C.WEFT_END
	}
	var req *asked
	select {
	case req = <-e.requests:
	case <-e.end:
		return C.WEFT_END
	}
	var handle uint64
	var parent []byte
	interrupted := false
	if req.Out != nil {
		parent = req.Out.ParentHeader()
		e.mu.Lock()
		e.next++
		handle = e.next
		e.outputs[handle] = req.Out
		e.asked[handle] = req
		e.watchBegin(req, handle)
		if req.Shell == "" {
			e.running = handle
			interrupted = req.Interrupted || e.early == req.Out
			e.early = nil
		}
		e.mu.Unlock()
	}
	if interrupted {
		e.nudges.begin(handle)
		e.watchInterrupted(handle)
	}
	r.handle = C.uint64_t(handle)
	r.shell = cBytes([]byte(req.Shell))
	r._type = cBytes([]byte(req.Type))
	r.content = cBytes(req.Content)
	r.metadata = cBytes(req.Metadata)
	r.parent = cBytes(parent)
	r.nbuffers = C.size_t(len(req.Buffers))
	r.buffers = nil
	if n := len(req.Buffers); n > 0 {
		r.buffers = (*C.weft_bytes)(C.malloc(C.size_t(n) * C.size_t(unsafe.Sizeof(C.weft_bytes{}))))
		dst := unsafe.Slice(r.buffers, n)
		for i, b := range req.Buffers {
			dst[i] = cBytes(b)
		}
	}
	return C.WEFT_DONE
}

// cBytes copies bytes to C; the receiver frees them.
func cBytes(b []byte) C.weft_bytes {
	return C.weft_bytes{data: (*C.char)(C.CBytes(append(bytes.Clone(b), 0))), size: C.size_t(len(b))}
}

func goBytes(p *C.char, n C.long) []byte {
	return C.GoBytes(unsafe.Pointer(p), C.int(n))
}

// goKernelBegun says that Python's thread has come to the request.
//
//export goKernelBegun
func goKernelBegun(handle C.uint64_t) {
	defer guard("kernel_begun")
	if e := jupyter.evaluator; e != nil {
		e.mu.Lock()
		if a := e.asked[uint64(handle)]; a != nil {
			a.late.Stop()
		}
		e.mu.Unlock()
	}
}

//export goKernelReply
func goKernelReply(handle C.uint64_t, content *C.char, ncontent C.long, metadata *C.char, nmetadata C.long) {
	defer guard("kernel_reply")
	e := jupyter.evaluator
	e.mu.Lock()
	a := e.asked[uint64(handle)]
	delete(e.asked, uint64(handle))
	if a != nil {
		a.late.Stop()
	}
	if e.running == uint64(handle) {
		e.running = 0
	}
	e.mu.Unlock()
	if a == nil {
		jupyter.kernel.Logf("reply to request %d, which is not being answered, dropped", uint64(handle))
		return
	}
	a.answer <- kernel.Reply{Content: goBytes(content, ncontent), Metadata: goBytes(metadata, nmetadata)}
}

//export goKernelRelease
func goKernelRelease(handle C.uint64_t) {
	defer guard("kernel_release")
	if e := jupyter.evaluator; e != nil {
		e.mu.Lock()
		delete(e.outputs, uint64(handle))
		e.mu.Unlock()
	}
}

//export goKernelPublish
func goKernelPublish(handle C.uint64_t, kind, content *C.char, ncontent C.long, metadata *C.char, nmetadata C.long, buffers *C.weft_bytes, n C.long) (problem *C.char) {
	defer guard("kernel_publish")
	out := jupyter.evaluator.output(uint64(handle))
	if out == nil {
		return C.CString("no cell has run yet, so that there is no place to show this")
	}
	var parts [][]byte
	for _, b := range unsafe.Slice(buffers, n) {
		parts = append(parts, goBytes(b.data, C.long(b.size)))
	}
	err := out.Publish(C.GoString(kind), json.RawMessage(goBytes(content, ncontent)), json.RawMessage(goBytes(metadata, nmetadata)), parts)
	if err != nil {
		return C.CString(err.Error())
	}
	return nil
}

//export goKernelStream
func goKernelStream(handle C.uint64_t, name, text *C.char, n C.long) {
	defer guard("kernel_stream")
	if out := jupyter.evaluator.output(uint64(handle)); out != nil {
		out.Stream(C.GoString(name), string(goBytes(text, n)))
		return
	}
	jupyter.kernel.Logf("%s before the first cell: %s", C.GoString(name), goBytes(text, n))
}

// textDelay is how long printed text may wait for more, as in kernel/stream.go.
const textDelay = 50 * time.Millisecond

// goKernelText publishes what text.c has collected. The lock keeps its pieces in order.
//
//export goKernelText
func goKernelText() { jupyter.evaluator.publishText() }

// publishText returns where the text went, nil for nothing.
func (e *evaluator) publishText() *kernel.Output {
	defer guard("kernel_text")
	e.text.Lock()
	defer e.text.Unlock()
	var taken C.weft_bytes
	var handle C.uint64_t
	name := "stdout"
	if C.weft_text_take(&taken, &handle) != 0 {
		name = "stderr"
	}
	defer C.weft_text_left()
	defer C.free(unsafe.Pointer(taken.data))
	out := e.output(uint64(handle))
	if taken.size == 0 || out == nil {
		return nil
	}
	out.Collected(name, C.GoStringN(taken.data, C.int(taken.size)))
	return out
}

// goKernelTextPending says that text.c has begun to collect.
//
//export goKernelTextPending
func goKernelTextPending() {
	jupyter.evaluator.textTimer.Reset(textDelay)
}

// goKernelCaptured publishes what was written to the descriptors so far.
//
//export goKernelCaptured
func goKernelCaptured() {
	defer guard("kernel_captured")
	jupyter.kernel.DrainCapture()
}

// goKernelPrinted returns what the request has written since it was last asked, as JSON.
//
//export goKernelPrinted
func goKernelPrinted(handle C.uint64_t) C.weft_bytes {
	defer guard("kernel_printed")
	list := []kernel.Printed{}
	if out := jupyter.evaluator.output(uint64(handle)); out != nil {
		list = append(list, out.TakePrinted()...)
	}
	text, err := json.Marshal(list)
	if err != nil {
		jupyter.kernel.Logf("kernel_printed: %v", err)
		text = []byte("[]")
	}
	return cBytes(text)
}

//export goKernelFlush
func goKernelFlush(handle C.uint64_t) {
	defer guard("kernel_flush")
	if out := jupyter.evaluator.output(uint64(handle)); out != nil {
		out.Flush()
	}
}

//export goKernelAskInput
func goKernelAskInput(handle C.uint64_t, prompt *C.char, password C.int, noStdin *C.int, question *C.uint64_t) (problem *C.char) {
	defer guard("kernel_input")
	e := jupyter.evaluator
	out := e.output(uint64(handle))
	if out == nil {
		return C.CString("no cell is running that could ask for input")
	}
	q, err := out.AskInput(C.GoString(prompt), password != 0)
	if err != nil {
		if errors.Is(err, kernel.ErrNoStdin) {
			*noStdin = 1
		}
		return C.CString(err.Error())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.next++
	e.questions[e.next] = q
	*question = C.uint64_t(e.next)
	return nil
}

//export goKernelAwaitInput
func goKernelAwaitInput(question C.uint64_t, answer *C.weft_bytes) (rc C.int) {
	rc = C.WEFT_END // what Python sees after a panic
	defer guard("kernel_input")
	e := jupyter.evaluator
	e.mu.Lock()
	q := e.questions[uint64(question)]
	e.mu.Unlock()
	text, err := q.Await(context.Background())
	if err == nil {
		*answer = cBytes([]byte(text))
		return C.WEFT_DONE
	}
	select {
	case <-jupyter.kernel.Done():
		return C.WEFT_END
	default:
		return C.WEFT_WOKEN
	}
}

//export goKernelEndInput
func goKernelEndInput(question C.uint64_t) {
	defer guard("kernel_input")
	e := jupyter.evaluator
	e.mu.Lock()
	q := e.questions[uint64(question)]
	delete(e.questions, uint64(question))
	e.mu.Unlock()
	if q != nil {
		q.Close()
	}
}

//export goKernelCapture
func goKernelCapture(fd *C.int) (problem *C.char) {
	defer guard("kernel_capture")
	c, err := jupyter.kernel.CaptureOutput(goKernelText, func(pipes int) { C.weft_text_reading(C.int(pipes)) })
	if err != nil {
		return C.CString(err.Error())
	}
	*fd = C.int(c.Stderr.Fd())
	out, stderr := c.Pipes()
	if rc, err := C.weft_text_pipes(C.int(out), C.int(stderr)); rc != 0 {
		return C.CString(fmt.Sprintf("watching the output's pipes: %v", err))
	}
	return nil
}

//export goKernelLog
func goKernelLog(text *C.char) {
	defer guard("kernel_log")
	jupyter.kernel.Logf("%s", C.GoString(text))
}

//export goKernelClose
func goKernelClose() (problem *C.char) {
	defer guard("kernel_close")
	if jupyter.kernel == nil {
		return nil
	}
	jupyter.evaluator.Shutdown(false)
	endChildren()
	C.weft_text_no_pipes()
	if err := jupyter.kernel.Close(); err != nil {
		return C.CString(err.Error())
	}
	return nil
}
