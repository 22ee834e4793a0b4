package kernel

import (
	"encoding/json"
	"sync"
)

// statusBoard publishes busy and idle, and knows which request the evaluator has.
type statusBoard struct {
	mu         sync.Mutex
	running    *incoming // the request that the shell loop serves, from busy to idle
	evaluating bool      // Evaluator.Do has been called for it and has not returned
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
	if !in.route.prompt {
		k.status.running = in
	}
	k.publishStatus("busy", in)
}

// idle ends a request. When it was answered beside a running one, that one's busy
// is repeated, for the front ends that show whatever status came last.
func (k *Kernel) idle(in *incoming) {
	k.status.mu.Lock()
	defer k.status.mu.Unlock()
	k.publishStatus("idle", in)
	if k.status.running == in {
		k.status.running = nil
	} else if k.status.running != nil {
		k.publishStatus("busy", k.status.running)
	}
}

func (k *Kernel) setEvaluating(on bool) {
	k.status.mu.Lock()
	k.status.evaluating = on
	k.status.mu.Unlock()
}

// interrupt passes an interrupt on, but only to code that is running: one that
// arrives between two cells must not stop the next.
func (k *Kernel) interrupt() {
	k.status.mu.Lock()
	defer k.status.mu.Unlock()
	if !k.status.evaluating {
		return
	}
	k.evaluator.Interrupt()
	k.CancelInput()
}
