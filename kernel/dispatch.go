package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"weft/kernel/wire"
)

// Channel is one of the sockets that requests arrive on.
type Channel uint8

const (
	Shell Channel = iota
	Control
	Stdin
)

func (c Channel) String() string { return [...]string{"shell", "control", "stdin"}[c] }

// route says how one message on one channel is served.
type route struct {
	channel Channel
	request string
	reply   string // "" for a one-way message
	decode  func(json.RawMessage) (any, error)
	handle  func(*Kernel, *incoming) Reply
	place   place
	quiet   bool // without busy and idle: it is itself an answer
}

// place says where a request is answered.
type place uint8

const (
	atOnce      place = iota // by the receiver
	inShell                  // in the shell that its header names, after what is queued there
	besideCells              // there as well, but not behind a cell that takes long; see behindCell
	inControl                // in the control shell
)

// routes is the dispatch table.
var routes = []route{
	{Shell, "execute_request", "execute_reply", decodeAs[ExecuteRequest], handleExecute, inShell, false},
	{Shell, "complete_request", "complete_reply", decodeAs[CompleteRequest], handleDo, besideCells, false},
	{Shell, "inspect_request", "inspect_reply", decodeAs[InspectRequest], handleDo, besideCells, false},
	{Shell, "is_complete_request", "is_complete_reply", decodeAs[IsCompleteRequest], handleDo, besideCells, false},
	{Shell, "history_request", "history_reply", decodeAs[HistoryRequest], handleDo, besideCells, false},
	{Shell, "comm_info_request", "comm_info_reply", decodeAs[CommInfoRequest], handleDo, besideCells, false},
	{Shell, "comm_open", "", decodeAs[CommOpen], handleDo, inShell, false},
	{Shell, "comm_msg", "", decodeAs[CommMsg], handleDo, inShell, false},
	{Shell, "comm_close", "", decodeAs[CommClose], handleDo, inShell, false},
	{Shell, "kernel_info_request", "kernel_info_reply", decodeAs[struct{}], handleKernelInfo, atOnce, false},
	{Shell, "connect_request", "connect_reply", decodeAs[struct{}], handleConnect, atOnce, false},
	{Shell, "shutdown_request", "shutdown_reply", decodeAs[ShutdownRequest], handleShutdown, atOnce, false},
	{Control, "kernel_info_request", "kernel_info_reply", decodeAs[struct{}], handleKernelInfo, atOnce, false},
	{Control, "connect_request", "connect_reply", decodeAs[struct{}], handleConnect, atOnce, false},
	{Control, "interrupt_request", "interrupt_reply", decodeAs[struct{}], handleInterrupt, atOnce, false},
	{Control, "usage_request", "usage_reply", decodeAs[struct{}], handleUsage, atOnce, false},
	{Control, "shutdown_request", "shutdown_reply", decodeAs[ShutdownRequest], handleShutdown, atOnce, false},
	{Control, "create_subshell_request", "create_subshell_reply", decodeAs[struct{}], handleCreateSubshell, atOnce, false},
	{Control, "delete_subshell_request", "delete_subshell_reply", decodeAs[DeleteSubshellRequest], handleDeleteSubshell, atOnce, false},
	{Control, "list_subshell_request", "list_subshell_reply", decodeAs[struct{}], handleListSubshell, atOnce, false},
	{Control, "debug_request", "debug_reply", decodeAs[DebugRequest], handleDo, inControl, false},
	{Stdin, "input_reply", "", decodeAs[InputReply], handleInputReply, atOnce, true},
}

func routeFor(c Channel, request string) *route {
	for i := range routes {
		if r := &routes[i]; r.channel == c && r.request == request {
			return r
		}
	}
	return nil
}

// incoming is one request on its way through the kernel.
type incoming struct {
	*wire.Message
	route   *route
	shell   *shell // where it waits or runs; nil for what is answered at once
	body    any
	aborted bool   // an earlier cell failed; guarded by the queue's lock until taken out
	refused string // why it cannot be answered
	after   func() // runs when reply and idle are queued
}

// receive serves one channel until its socket closes.
func (k *Kernel) receive(c Channel, sock wire.Router) {
	defer k.receivers.Done()
	for {
		m, err := sock.Recv()
		if err != nil {
			return // closed
		}
		k.accept(c, m)
	}
}

// accept checks a message and serves or queues it. What has no good signature gets
// no answer: the sender is not a client of this kernel.
func (k *Kernel) accept(c Channel, received wire.Received) {
	defer k.recoverTo(c.String() + " receiver")
	m, err := k.signer.Decode(received.Frames)
	if err != nil {
		k.journal.Report(c.String()+": message dropped", "%s: message dropped: %v", c, err)
		return
	}
	received.Trust()
	r := routeFor(c, m.Header.MsgType)
	if r == nil {
		k.journal.Report(c.String()+": unknown type", "%s: message %q of unknown type %q ignored", c, m.Header.MsgID, m.Header.MsgType)
		unknown := &incoming{Message: m, route: &route{}}
		k.busy(unknown) // clients wait for idle even when they asked for something odd
		k.idle(unknown)
		return
	}
	in := &incoming{Message: m, route: r}
	if r.place == atOnce {
		k.serve(in)
	} else {
		k.queue(in)
	}
}

// serve answers one request, between busy and idle.
func (k *Kernel) serve(in *incoming) {
	defer k.recoverTo(in.route.request)
	r := in.route
	if !r.quiet {
		k.busy(in)
		defer func() {
			k.idle(in)
			if in.after != nil {
				in.after()
			}
		}()
	}
	reply := k.handle(in)
	if in.shell != nil {
		k.DrainCapture()
	}
	k.publisher.flush(in.Header.MsgID)
	if r.reply != "" {
		k.reply(in, reply)
	}
}

// handle decodes the content and calls the handler; both a content that is not
// what the type asks for and a panic become an error reply.
func (k *Kernel) handle(in *incoming) (reply Reply) {
	defer func() {
		if r := recover(); r != nil {
			k.log.Printf("BUG: panic while serving %s: %v\n%s", in.route.request, r, debug.Stack())
			reply = k.failure(in, "InternalError", fmt.Sprintf("%s: %v", in.route.request, r))
		}
	}()
	if in.refused != "" {
		return k.failure(in, "RuntimeError", in.refused)
	}
	body, err := in.route.decode(in.Content)
	if err != nil {
		text := err.Error()
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			text = fmt.Sprintf("field %s is a %s, wanted %s", strings.TrimPrefix(wrong.Field, "."), wrong.Value, wrong.Type)
		}
		return k.failure(in, "ValueError", fmt.Sprintf("content of %s: %s", in.route.request, text))
	}
	in.body = body
	return in.route.handle(k, in)
}

// failure is a failure of the kernel's own, made visible where the user looks.
func (k *Kernel) failure(in *incoming, ename, evalue string) Reply {
	e := errorReply(ename, evalue)
	if in.route.request == "execute_request" {
		shown := Failure{ename, evalue, []string{ename + ": " + evalue}}
		if err := k.outputFor(in).Emit(shown); err != nil {
			k.log.Printf("%s: %v", in.route.request, err)
		}
		e.ExecutionCount = new(int)
	} else if in.route.reply == "" {
		k.log.Printf("%s: %s: %s", in.route.request, ename, evalue)
	}
	return ReplyOf(e)
}

// handleDo hands the request to the evaluator.
func handleDo(k *Kernel, in *incoming) Reply {
	out := k.outputFor(in)
	interrupted := k.enter(in, out)
	defer k.leave(in, out)
	return k.evaluator.Do(&Request{
		Type: in.route.request, Shell: in.shell.id, Body: in.body, Content: in.Content,
		Metadata: in.Metadata, Buffers: in.Buffers, Out: out, Interrupted: interrupted,
	})
}

func (k *Kernel) reply(in *incoming, r Reply) {
	if len(r.Content) == 0 {
		r.Content = json.RawMessage(`{"status":"ok"}`)
	}
	frames, err := k.signer.Encode(&wire.Message{
		Idents: in.Idents, Header: k.header(in.route.reply), Parent: in.RawHeader,
		Metadata: r.Metadata, Content: r.Content, Buffers: r.Buffers,
	})
	if err == nil {
		err = k.socket(in.route.channel).Send(frames)
	}
	if err != nil {
		k.log.Printf("%s: %s to %s: %v", in.route.channel, in.route.reply, in.Header.MsgID, err)
	}
}

// shellQueue holds the requests of a shell that wait for the evaluator. It has no bound: only
// clients with the key can fill it, and they could as well run code.
type shellQueue struct {
	mu     sync.Mutex
	grew   sync.Cond
	queue  []*incoming
	closed bool
}

func newShellQueue() *shellQueue {
	q := &shellQueue{}
	q.grew.L = &q.mu
	return q
}

func (q *shellQueue) put(in *incoming) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.queue = append(q.queue, in)
		q.grew.Signal()
	}
}

// take waits for the next request; nil means that the kernel stops.
func (q *shellQueue) take() *incoming {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.queue) == 0 && !q.closed {
		q.grew.Wait()
	}
	if q.closed {
		return nil
	}
	in := q.queue[0]
	q.queue = q.queue[1:]
	return in
}

// remove takes a request out before its turn; false if its turn has come.
func (q *shellQueue) remove(in *incoming) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.queue, in)
	if i < 0 {
		return false
	}
	q.queue = slices.Delete(q.queue, i, i+1)
	return true
}

// abortExecutes marks the cells that wait now. Completions and the like are still served.
func (q *shellQueue) abortExecutes() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, in := range q.queue {
		if in.route.request == "execute_request" {
			in.aborted = true
		}
	}
}

// close ends take, and returns what was waiting.
func (q *shellQueue) close() []*incoming {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := q.queue
	q.closed = true
	q.queue = nil
	q.grew.Broadcast()
	return waiting
}
