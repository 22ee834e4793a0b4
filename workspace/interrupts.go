package workspace

import (
	"sync"
	"time"

	"weft/scheduler"
)

// What an interrupt (SIGINT, or Jupyter's message) cancels: what the interrupted cell has queued may still run for the
// grace time, so that a loop of small steps ends with whole results; what has not started by then, or when a second
// interrupt comes, is cancelled. What earlier cells queued is left alone. What a program queues that has caught the
// first interrupt has a grace of its own, from the second one on:
//
//	o1  o2  interrupt  o3  interrupt: o1, o2 are cancelled  o4  interrupt, or the grace is over: o3 is cancelled
//
// That holds only where the interrupt becomes a KeyboardInterrupt: a program with a handler of its own decides itself
// what an interrupt means.
const grace = 2 * time.Second

// echo is within what time a second note of the same cell is the same interrupt, which came
// as a message and as a signal.
const echo = 200 * time.Millisecond

// interrupts are those of which it is not known yet what Python makes of them, and those whose grace runs.
type interrupts struct {
	space *Workspace

	mu      sync.Mutex
	last    interrupt
	noted   []interrupt        // of which Python has not been asked yet
	pending map[asked]*pending // an interrupt's grace is running
}

// pending are the ops behind from up to until, which the timer cancels.
type pending struct {
	timer       *time.Timer
	from, until scheduler.OpID
}

// interrupt is what a SIGINT found: the ops of the cell that it is about.
type interrupt struct {
	asked
	at    time.Time
	until scheduler.OpID
}

// asked names the cell: by its runtime, which a restart may have replaced since, and its first op.
type asked struct {
	rt    Runtime
	since scheduler.OpID
}

// NoteInterrupt keeps an interrupt until TakeInterrupts: only Python knows whether it became a KeyboardInterrupt. It
// returns whether there is anything to keep.
func (s *Workspace) NoteInterrupt() bool {
	rt, since, busy := s.cells.running()
	if !busy {
		return false
	}
	until := rt.LastOp()
	w := &s.interrupts
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	this := asked{rt, since}
	if w.last.asked == this && now.Sub(w.last.at) < echo {
		return false
	}
	w.last = interrupt{this, now, until}
	w.noted = append(w.noted, w.last)
	return true
}

// TakeInterrupts is called soon after an interrupt, and before the main thread waits again. raised says that SIGINT
// raises KeyboardInterrupt.
func (s *Workspace) TakeInterrupts(raised bool) {
	w := &s.interrupts
	w.mu.Lock()
	noted := w.noted
	w.noted = nil
	w.mu.Unlock()
	if !raised {
		return
	}
	for _, i := range noted {
		w.giveUp(i)
	}
}

// giveUp cancels what an interrupted cell has queued: at once what the interrupt before has found, and the rest after
// the grace time.
func (w *interrupts) giveUp(i interrupt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	from := i.since
	if p := w.pending[i.asked]; p != nil && p.timer.Stop() {
		delete(w.pending, i.asked)
		i.rt.CancelOps(p.from, p.until)
		if from = p.until; from >= i.until {
			return
		}
	}
	left := time.Until(i.at.Add(grace))
	if left <= 0 {
		i.rt.CancelOps(from, i.until)
		return
	}
	if w.pending == nil {
		w.pending = map[asked]*pending{}
	}
	p := &pending{from: from, until: i.until}
	p.timer = time.AfterFunc(left, func() {
		defer w.space.guard("interrupt")
		w.mu.Lock()
		if w.pending[i.asked] == p {
			delete(w.pending, i.asked)
		}
		w.mu.Unlock()
		i.rt.CancelOps(from, i.until)
	})
	w.pending[i.asked] = p
}
