package driver

import (
	"runtime"
	"time"

	"weft/scheduler"
	"weft/tile"
)

// A thread that waits computes meanwhile. To wake the thread of a queue takes some fifty microseconds, and more on a machine whose processors others use. So the
// first task that starts when a thread is about to wait stays with it (keeps), and until a queue's thread has begun a task, the thread that waits may take that back (Recall):
//
//	queue 1      . . . . . ###########- - - -       t8; the thread was woken
//	waits        ###################- -              t7, which it kept, and t9, which came when t7 had ended; then looks whether t8 has
//
// On a machine without a free processor it does all of it. A queue has one task at a time, whoever runs it, so that never more compute than there are queues.

// mostHelp is the most that a task costs which is taken back, in the unit of scheduler.Options.Inline: two milliseconds. A thread that computes
// hears of no interrupt.
const mostHelp = 100 << 20

// lookFor is how long a thread that has computed looks for the end of the rest before it sleeps: tiles that began together end together.
const lookFor = 60 * time.Microsecond

// recaller is a device that gives launches back.
type recaller interface {
	// Recall takes back what waits alone in a queue, if no goroutine has begun it: its done is not going to be called.
	Recall(queue int) bool

	// Here returns the queue that computes on the processor of the calling thread, or -1.
	Here() int
}

// pass returns when the waiter is satisfied, or when it is interrupted, and runs meanwhile what waits in queues and can be run here.
func (r *Runtime) pass(w *waiter, stop <-chan struct{}) (interrupted bool) {
	helps := r.helper != nil
	for until := (time.Time{}); helps || time.Now().Before(until); {
		select {
		case <-w.ready:
			return false
		case <-stop:
			return true
		default:
		}
		if helps = helps && r.help(); helps {
			until = time.Now().Add(lookFor)
		} else {
			runtime.Gosched()
		}
	}
	select {
	case <-w.ready:
		return false
	case <-stop:
		return true
	}
}

// help runs one task on the calling thread: the one that it kept, or one of a queue, that of its own processor rather than another.
func (r *Runtime) help() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.contain()
	if r.broken {
		return false
	}
	q := r.kept
	r.kept = nil
	for i, at := 0, max(0, r.helper.Here()); q == nil && i < len(r.host.queues); i++ {
		if other := r.host.queues[(at+i)%len(r.host.queues)]; other.brief() && r.helper.Recall(other.number) {
			q = other
		}
	}
	if q == nil {
		return false
	}
	var c tile.Completion
	begun := r.now()
	r.mu.Unlock()
	r.host.dev.Launch(tile.Inline, &q.launch, func(done tile.Completion) { c = done })
	r.mu.Lock()
	c.Start, c.End = begun+r.lag, r.now()+r.lag
	r.counts.add(HelpedTasks)
	r.waits = true
	r.ended(q, c)
	r.waits = false
	return true
}

// brief reports whether the queue has a run that the thread which waits may take.
func (q *queue) brief() bool {
	t := q.task
	return t != nil && t.Kind == scheduler.Run && q.launch.Stop == nil && t.Cost() <= mostHelp
}

// keeps reports whether a task that a queue has got stays with the calling thread, which is about to wait.
func (r *Runtime) keeps(q *queue) bool { return r.mayKeep(q.dev) && q.brief() }

func (r *Runtime) mayKeep(d *device) bool {
	return r.waits && r.kept == nil && d == r.host && r.helper != nil
}

// near returns the queue for a task that the calling thread may keep: the one that would compute where this thread does, and must not be woken for another task.
func (r *Runtime) near(d *device, t *scheduler.Task) *queue {
	if !r.mayKeep(d) {
		return nil
	}
	if at := r.helper.Here(); at >= 0 && d.queues[at].takes(t) {
		return d.queues[at]
	}
	return nil
}

// settleBefore is settle of a thread that is going to wait.
func (r *Runtime) settleBefore() {
	r.waits = true
	r.settle()
	r.waits = false
}

// handOn gives its queue the task that was kept, where the thread need not wait after all, or not any longer.
func (r *Runtime) handOn() {
	if q := r.kept; q != nil {
		r.kept = nil
		q.dev.dev.Launch(q.number, &q.launch, q.done)
	}
}
