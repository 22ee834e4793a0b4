package driver

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/scheduler"
	"weft/tile"
)

// A device that is lost fails everything that it has been given, and says nothing about which piece of work ended it:
// what an ordered device has under way has begun, or lies in a queue, and each of it fails with the same error. So the
// first task that fails that way dates the loss: what its device had under way then is named in the error of every task
// of the device. A device that does one piece of work at a time (tile.DeviceInfo.Singly) tells the end of each before
// it begins the next, so that it is the first one itself.

// lostAt is the error of a device that is lost, with the tasks that it may have been lost by.
type lostAt struct {
	*tile.LostError
	by string
}

func (e *lostAt) Error() string { return e.LostError.Error() + ". " + e.by }

// Unwrap returns the device's error.
func (e *lostAt) Unwrap() error { return e.LostError }

// mostSuspects is how many tasks an error names.
const mostSuspects = 4

// blame adds to the error of the task that the device of a queue has just ended, if it is lost, what it was lost by.
// The caller holds the mutex.
func (r *Runtime) blame(q *queue, err error) error {
	var lost *tile.LostError
	if !errors.As(err, &lost) {
		return err
	}
	d := q.dev
	if d.lostBy == "" {
		d.lostBy = r.suspects(q)
	}
	return &lostAt{lost, d.lostBy}
}

// suspects says which tasks a queue's device may have been lost by.
//
// Slots from ended on are those that the device has not told the end of, the one that has just failed among them.
func (r *Runtime) suspects(q *queue) string {
	var tasks []*scheduler.Task
	for _, other := range q.dev.queues {
		for i := other.ended; i < other.count; i++ {
			tasks = append(tasks, other.at(i).task)
		}
	}
	if q.dev.info.Singly {
		tasks = []*scheduler.Task{q.at(q.ended).task}
	}
	slices.SortFunc(tasks, func(a, b *scheduler.Task) int { return cmp.Compare(a.ID, b.ID) })
	var names []string
	for _, t := range tasks {
		name := t.Kind.String()
		if t.Op != nil {
			name = r.placed(t.Op.Name, t.Op.Where)
		}
		if !slices.Contains(names, name) { // tiles of one op
			names = append(names, name)
		}
	}
	if len(tasks) == 1 {
		return "It was lost by " + names[0]
	}
	more := ""
	if n := len(names) - mostSuspects; n > 0 {
		names, more = names[:mostSuspects], fmt.Sprintf(" and %d more", n)
	}
	only := ""
	if len(names) == 1 { // an error that was noticed late may be of what has ended before
		only = "only "
	}
	return fmt.Sprintf("Under way were %s%s%s; WEFT_DEBUG=sync runs one at a time, and names the one that it is lost by", only, strings.Join(names, ", "), more)
}
