package kernel

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"weft/kernel/wire"
)

// shell is one sequence of requests, answered one after the other by a goroutine of its own. There are
//
//	main       what names no subshell; interrupts are about what runs here
//	beside     questions that came while a cell runs (completions, inspections), see behindCell
//	control    what arrives on the control channel and needs the evaluator: the debugger's requests
//	subshells  made by clients (JEP 91), so that widgets live while a cell runs
type shell struct {
	id    string // as Request.Shell; "" is main
	queue *shellQueue
	done  chan struct{} // closed when the last request has been answered
}

const (
	besideID  = "beside"
	controlID = "control"
)

// behindCell is how long a question waits behind a cell before it is answered beside it. The answer behind a cell
// is the better one, since it knows what the cell defines; that most cells end within this time, and that a user does
// not notice it, makes both kinds of front ends happy: those that send a cell and a question at once, and those whose
// user types while a long cell runs.
const behindCell = 150 * time.Millisecond

// shells is who waits where.
type shells struct {
	main, beside, control *shell

	mu    sync.Mutex
	subs  []*shell // in the order of their making
	ended bool
}

func newShell(id string) *shell {
	return &shell{id: id, queue: newShellQueue(), done: make(chan struct{})}
}

// run is the one caller of Evaluator.Do for its shell.
func (k *Kernel) run(s *shell) {
	defer close(s.done)
	for in := s.queue.take(); in != nil; in = s.queue.take() {
		k.serve(in)
	}
}

// all returns the shells that there are; the main one is the first.
func (s *shells) all() []*shell {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*shell{s.main, s.beside, s.control}, s.subs...)
}

// close ends the loops when each has answered what it is answering.
func (s *shells) close() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	for _, one := range s.all() {
		one.queue.close()
	}
}

// find returns the shell that a message names.
func (s *shells) find(id string) *shell {
	if id == "" {
		return s.main
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.subs, func(one *shell) bool { return one.id == id }); i >= 0 {
		return s.subs[i]
	}
	return nil
}

// queue puts a request where it has to wait.
func (k *Kernel) queue(in *incoming) {
	in.shell = k.shells.control
	if in.route.place != inControl {
		if in.shell = k.shells.find(in.Header.SubshellID); in.shell == nil {
			in.refused = fmt.Sprintf("there is no subshell %q: it was deleted, or made by another kernel", in.Header.SubshellID)
			k.serve(in)
			return
		}
	}
	s := in.shell
	s.queue.put(in)
	if in.route.place == besideCells || in.route.request == "execute_request" && k.beside(in) {
		time.AfterFunc(behindCell, func() {
			defer k.recoverTo("beside")
			// Where the shell has begun to answer, there is nothing to do.
			if s.queue.remove(in) {
				in.shell = k.shells.beside
				in.shell.queue.put(in)
			}
		})
	}
}

// beside reports whether a cell is a question about what runs.
func (k *Kernel) beside(in *incoming) bool {
	if k.question == nil {
		return false
	}
	body, err := in.route.decode(in.Content)
	return err == nil && k.question(body.(*ExecuteRequest).Code)
}

// CreateSubshellReply names the new subshell.
type CreateSubshellReply struct {
	Status     string `json:"status"`
	SubshellID string `json:"subshell_id"`
}

// DeleteSubshellRequest ends a subshell.
type DeleteSubshellRequest struct {
	SubshellID string `json:"subshell_id"`
}

// ListSubshellReply lists the subshells. The field's name is the protocol's.
type ListSubshellReply struct {
	Status      string   `json:"status"`
	SubshellIDs []string `json:"subshell_id"`
}

func handleCreateSubshell(k *Kernel, in *incoming) Reply {
	s := newShell(wire.NewID())
	k.shells.mu.Lock()
	defer k.shells.mu.Unlock()
	if k.shells.ended {
		return k.failure(in, "RuntimeError", "the kernel is shutting down")
	}
	k.shells.subs = append(k.shells.subs, s)
	go k.run(s)
	return ReplyOf(CreateSubshellReply{"ok", s.id})
}

// handleDeleteSubshell answers at once. What runs in the subshell runs to its end; what waits there is refused.
func handleDeleteSubshell(k *Kernel, in *incoming) Reply {
	id := in.body.(*DeleteSubshellRequest).SubshellID
	s := k.shells.find(id)
	if id == "" || s == nil {
		return k.failure(in, "ValueError", fmt.Sprintf("there is no subshell %q", id))
	}
	k.shells.mu.Lock()
	k.shells.subs = slices.DeleteFunc(k.shells.subs, func(one *shell) bool { return one == s })
	k.shells.mu.Unlock()
	for _, waits := range s.queue.close() {
		waits.refused = "its subshell was deleted"
		k.serve(waits)
	}
	go func() {
		defer k.recoverTo("subshell " + s.id)
		<-s.done
		k.evaluator.CloseShell(s.id)
	}()
	return Reply{}
}

func handleListSubshell(k *Kernel, _ *incoming) Reply {
	ids := []string{}
	k.shells.mu.Lock()
	for _, s := range k.shells.subs {
		ids = append(ids, s.id)
	}
	k.shells.mu.Unlock()
	return ReplyOf(ListSubshellReply{"ok", ids})
}

// DebugRequest is a message of the debug adapter protocol, and the reply's content another.
type DebugRequest map[string]json.RawMessage
