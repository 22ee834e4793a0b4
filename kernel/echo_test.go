package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// echo is an Evaluator for tests. The code of a cell is a list of commands, one on a
// line:
//
//	print TEXT    err TEXT      to the streams, with a newline
//	show TEXT     result TEXT   display_data, execute_result
//	clear         comm ID       clear_output, comm_msg
//	raise NAME TEXT             error, and the reply says so
//	input PROMPT                asks, and prints the answer
//	hold                        sends on started, waits for resume or, in the main shell, an interrupt
//	shell COMMAND               runs a child process whose output goes to descriptor 1
//	keep                        hands the Output to the test
//	flood N                     prints N lines of 100 kB
//	panic TEXT
type echo struct {
	started   chan string // "hold" has begun
	resume    chan struct{}
	kept      chan *Output
	interrupt chan struct{}
	down      chan bool   // Shutdown was called
	gone      chan string // CloseShell was called

	mu    sync.Mutex
	count int
	log   []string // what Do was called with
}

func newEcho() *echo {
	return &echo{
		started: make(chan string, 16), resume: make(chan struct{}), kept: make(chan *Output, 1),
		interrupt: make(chan struct{}, 1), down: make(chan bool, 1), gone: make(chan string, 16),
	}
}

func (e *echo) Info() LanguageInfo { return Python("3.12.0") }

func (e *echo) Interrupt(*Output) {
	select {
	case e.interrupt <- struct{}{}:
	default:
	}
}

func (e *echo) Shutdown(restart bool) {
	e.Interrupt(nil)
	select {
	case e.down <- restart:
	default:
	}
}

func (e *echo) CloseShell(id string) { e.gone <- id }

func (e *echo) Do(req *Request) Reply {
	e.mu.Lock()
	e.log = append(e.log, req.Type)
	e.mu.Unlock()
	switch b := req.Body.(type) {
	case *ExecuteRequest:
		return e.execute(req, b)
	case *CompleteRequest:
		at := ByteOffset(b.Code, b.CursorPos)
		return ReplyOf(CompleteReply{"ok", []string{b.Code[:at] + "!"}, 0, b.CursorPos, json.RawMessage("{}")})
	case *InspectRequest:
		return ReplyOf(InspectReply{"ok", true, Data{"text/plain": encode("about " + b.Code)}, json.RawMessage("{}")})
	case *IsCompleteRequest:
		if strings.HasSuffix(b.Code, ":") {
			return ReplyOf(IsCompleteReply{"incomplete", "    "})
		}
		return ReplyOf(IsCompleteReply{Status: "complete"})
	case *HistoryRequest:
		return ReplyOf(HistoryReply{"ok", [][3]any{{1, 1, "print " + b.HistAccessType}}})
	case *CommInfoRequest:
		return ReplyOf(CommInfoReply{"ok", map[string]CommInfo{"c1": {b.TargetName}}})
	case *CommOpen:
		_ = req.Out.Emit(CommClose{b.CommID, json.RawMessage("{}")}) // no target is known here
	case *CommMsg:
		_ = req.Out.Publish("comm_msg", req.Content, nil, req.Buffers)
	case *CommClose:
	case *DebugRequest:
		_ = req.Out.Publish("debug_event", json.RawMessage(`{"event":"thought"}`), nil, nil)
		return Reply{Content: req.Content}
	default:
		panic("echo has no answer to " + req.Type)
	}
	return Reply{}
}

func (e *echo) execute(req *Request, x *ExecuteRequest) Reply {
	e.mu.Lock()
	if x.StoreHistory {
		e.count++
	}
	count := e.count
	e.mu.Unlock()
	out := req.Out
	_ = out.Emit(ExecuteInput{x.Code, count})
	fail := func(name, text string) Reply {
		_ = out.Emit(Failure{name, text, []string{name + ": " + text}})
		r := errorReply(name, text)
		r.ExecutionCount = &count
		return ReplyOf(r)
	}
	for _, line := range strings.Split(x.Code, "\n") {
		cmd, arg, _ := strings.Cut(line, " ")
		switch cmd {
		case "":
		case "print":
			out.Stream("stdout", arg+"\n")
		case "err":
			out.Stream("stderr", arg+"\n")
		case "show":
			_ = out.Emit(DisplayData{Data: Data{"text/plain": encode(arg)}, Metadata: json.RawMessage("{}")})
		case "result":
			_ = out.Emit(ExecuteResult{count, Data{"text/plain": encode(arg)}, json.RawMessage("{}")})
		case "clear":
			_ = out.Emit(ClearOutput{Wait: true})
		case "raise":
			name, text, _ := strings.Cut(arg, " ")
			return fail(name, text)
		case "input":
			v, err := out.Input(context.Background(), arg, false)
			if errors.Is(err, ErrInterrupted) {
				return fail("KeyboardInterrupt", "")
			}
			if err != nil {
				return fail("StdinNotImplementedError", err.Error())
			}
			out.Stream("stdout", v+"\n")
		case "hold":
			e.started <- arg
			interrupt := e.interrupt
			if req.Shell != "" {
				interrupt = nil
			}
			select {
			case <-e.resume:
			case <-interrupt:
				return fail("KeyboardInterrupt", "")
			}
		case "shell":
			c := exec.Command("sh", "-c", arg)
			c.Stdout, c.Stderr = os.Stdout, os.Stderr
			if err := c.Run(); err != nil {
				return fail("OSError", err.Error())
			}
		case "keep":
			e.kept <- out
		case "flood":
			n, err := strconv.Atoi(arg)
			if err != nil {
				panic(err)
			}
			for range n {
				out.Stream("stdout", floodLine)
			}
		case "panic":
			panic(arg)
		default:
			return fail("NameError", fmt.Sprintf("name '%s' is not defined", cmd))
		}
	}
	return ReplyOf(ExecuteReply{"ok", count, map[string]json.RawMessage{}, []json.RawMessage{}})
}

var floodLine = strings.Repeat("x", 100_000-1) + "\n"
