package live

import (
	"errors"
	"slices"
	"time"
)

// Bounds of what one viewer asks.
const (
	maxQueue  = 64                     // questions that wait, and answers that were not sent
	tellEvery = 100 * time.Millisecond // between two messages about the progress of one
)

// put takes a request of the viewer. A newer one takes the place of one of its kind that was not answered.
func (v *viewerConn) put(r *request) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	kind := r.kind()
	if kind < 0 {
		v.view = r
		signal(v.wake)
		return nil
	}
	if !questions[kind].each {
		v.queue = slices.DeleteFunc(v.queue, func(old *request) bool { return old.kind() == kind })
		if v.asked != nil && v.asked.kind() == kind {
			v.asked = nil
		}
	}
	if len(v.queue) >= maxQueue {
		return errors.New("too many questions at once")
	}
	v.queue = append(v.queue, r)
	signal(v.more)
	return nil
}

// next returns the oldest question, nil if there is none or the viewer has to read answers first.
func (v *viewerConn) next() (r *request, open bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed || len(v.queue) == 0 || len(v.answers) >= maxQueue {
		return nil, !v.closed
	}
	v.asked, v.queue = v.queue[0], v.queue[1:]
	return v.asked, true
}

// think finds the answers, one after the other, until the viewer has gone.
func (v *viewerConn) think() {
	defer v.contain("a viewer's question is answered")
	for {
		r, open := v.next()
		if !open {
			return
		}
		if r == nil {
			<-v.more
			continue
		}
		told := time.Now()
		value, err := v.feed.ask(r, func(part float64, value any) bool { return v.tell(r, &told, part, value) })
		v.answer(r, value, err)
	}
}

// tell tells of the progress of a question now and then, and reports whether the answer is still wanted.
func (v *viewerConn) tell(r *request, told *time.Time, part float64, value any) (wanted bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.asked != r {
		return false
	}
	if now := time.Now(); now.Sub(*told) >= tellEvery {
		*told = now
		v.progress = &progressMessage{"progress", r.ID, part, value}
		signal(v.wake)
	}
	return true
}

func (v *viewerConn) answer(r *request, value any, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.asked != r {
		return // a newer question took its place
	}
	m := answerMessage{Type: "answer", ID: r.ID, Value: value}
	if err != nil {
		m.Value, m.Error = nil, err.Error()
	}
	v.asked, v.progress, v.answers = nil, nil, append(v.answers, m)
	signal(v.wake)
}
