package kernel

import (
	"encoding/json"
	"slices"
	"sync"
)

// statusBoard publishes busy and idle, and knows what is being answered.
type statusBoard struct {
	mu      sync.Mutex
	running *incoming // the request that the main shell answers, from busy to idle
	early   *incoming // the one whose interrupt came before the evaluator had it

	// Of requests that the evaluator has: Do has been called and has not returned.
	main   *Output   // in the main shell
	others []*Output // in other shells, in the order of their beginnings

	last *Output // of the cell that began last
}

type statusContent struct {
	ExecutionState string `json:"execution_state"`
}

func (k *Kernel) publishStatus(state string, in *incoming) {
	var parent json.RawMessage
	var id string
	if in != nil {
		parent, id = in.RawHeader, in.Header.MsgID
	}
	if err := k.publisher.send("status", parent, id, encode(statusContent{state}), nil, nil); err != nil {
		k.log.Printf("status %s: %v", state, err)
	}
}

func (k *Kernel) busy(in *incoming) {
	k.status.mu.Lock()
	defer k.status.mu.Unlock()
	if in.shell == k.shells.main {
		k.status.running = in
	}
	k.publishStatus("busy", in)
}

// idle ends a request. When it was answered beside a cell of the main shell, that one's busy
// is repeated, for the front ends that show whatever status came last.
func (k *Kernel) idle(in *incoming) {
	k.status.mu.Lock()
	defer k.status.mu.Unlock()
	k.publishStatus("idle", in)
	if in.shell == k.shells.main {
		k.status.running = nil
	}
	if k.status.running != nil {
		k.publishStatus("busy", k.status.running)
	}
}

// enter says that the evaluator gets a request, and reports whether an interrupt of it has come already: a content of
// megabytes takes a while to decode.
func (k *Kernel) enter(in *incoming, out *Output) (interrupted bool) {
	k.status.mu.Lock()
	defer k.status.mu.Unlock()
	if in.shell == k.shells.main {
		k.status.main = out
	} else {
		k.status.others = append(k.status.others, out)
	}
	if in.route.request == "execute_request" {
		k.status.last = out
	}
	interrupted = k.status.early == in
	k.status.early = nil
	return interrupted
}

// leave says that it has answered. What was written to the descriptors meanwhile is the request's.
func (k *Kernel) leave(in *incoming, out *Output) {
	k.DrainCapture()
	k.status.mu.Lock()
	defer k.status.mu.Unlock()
	if in.shell == k.shells.main {
		k.status.main = nil
	} else {
		k.status.others = slices.DeleteFunc(k.status.others, func(one *Output) bool { return one == out })
	}
}

// LastOutput is the place for output of no request: below what runs in the main shell, else what began
// last in another, else the last cell. It is nil before the first request.
func (k *Kernel) LastOutput() *Output {
	k.status.mu.Lock()
	defer k.status.mu.Unlock()
	if k.status.main != nil {
		return k.status.main
	}
	if n := len(k.status.others); n > 0 {
		return k.status.others[n-1]
	}
	return k.status.last
}

// interrupt passes an interrupt on, but only to what the main shell answers: one that
// arrives between two cells must not stop the next.
func (k *Kernel) interrupt() {
	k.status.mu.Lock()
	defer k.status.mu.Unlock()
	if k.status.main == nil {
		k.status.early = k.status.running // which may have been answered, and is not entered then
		return
	}
	k.evaluator.Interrupt(k.status.main)
	k.publisher.pub.Hurry() // the code may wait for a client to read
	k.input.cancel(k.status.main)
}
