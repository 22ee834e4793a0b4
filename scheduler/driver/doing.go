package driver

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"weft/scheduler"
)

// Doing is what a runtime does at one moment.
//
//	pending    planned
//	  ready      in device.ready, or in a slot behind another
//	  running    the first of a queue
//	  starved    among Runtime.starved
//	  the rest   wait for other tasks
//
// Glance has the same moment in numbers, for what asks several times a second.
type Doing struct {
	Running []Working // in the order of their beginnings
	Ready   int       // tasks that could start, but wait for a queue of their device, or in one
	Starved int       // tasks that could start, but wait for memory
	Pending int       // tasks that are planned and not completed, these included
	Waits   []Waiting // of the program's threads, in the order of their beginnings
}

// Working is the task that a queue has come to.
type Working struct {
	Task scheduler.TaskID
	What string // "add at In[3] line 2"
	Lane string
	For  time.Duration
}

// Waiting is a thread of the program that waits for tasks.
type Waiting struct {
	What string // "for 3 tasks: t7 sum at In[3] line 2, ..."
	For  time.Duration
}

// Doing looks. It waits for the runtime's mutex: until a window is planned, or little tasks have run.
func (r *Runtime) Doing() Doing {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.rec.Now()
	d := Doing{Starved: len(r.starved)}
	d.Pending, _ = r.core.Look.Pending()
	for _, dev := range r.devices {
		d.Ready += len(dev.ready)
		for _, q := range dev.queues {
			if s := q.first(); s != nil {
				d.Running = append(d.Running, Working{s.task.ID, r.taskText(s.task), q.laneOf(s.task).Info().Name, time.Duration(now - s.since)})
				d.Ready += q.count - 1
			}
		}
	}
	slices.SortStableFunc(d.Running, func(a, b Working) int { return int(b.For - a.For) })
	for _, w := range r.waiters {
		d.Waits = append(d.Waits, Waiting{r.waitText(w), time.Duration(now - w.since)})
	}
	return d
}

// purpose says what a waiter waits for, nothing if it is a value.
func (w *waiter) purpose() string {
	if w.after != nil {
		return ""
	}
	if w.tasks == 0 {
		return "for all that is queued"
	}
	return "until less is queued"
}

// waitText says what a waiter waits for.
func (r *Runtime) waitText(w *waiter) string {
	if w.after == nil {
		tasks, _ := r.core.Look.Pending()
		return fmt.Sprintf("%s (now %d tasks)", w.purpose(), tasks)
	}
	names := make([]string, 0, 3)
	for _, id := range w.after[:min(len(w.after), cap(names))] {
		names = append(names, id.String())
	}
	if len(w.after) > len(names) {
		names = append(names, "...")
	}
	if len(w.after) == 1 {
		return "for a value, which task " + names[0] + " completes"
	}
	return fmt.Sprintf("for a value, which %d tasks complete: %s", len(w.after), strings.Join(names, ", "))
}

// maxWorking bounds the tasks that the text lists.
const maxWorking = 16

// String is the text form, a line for each wait and task:
//
//	tasks: 2 running, 14 ready, 120 planned
//	  cpu0    t512 matmul at In[3] line 2, for 3.42s
//	waits for a value, which task t514 completes, for 3.5s
func (d Doing) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "tasks: %d running, %d ready, %d planned", len(d.Running), d.Ready, max(d.Pending-len(d.Running)-d.Ready-d.Starved, 0))
	if d.Starved > 0 {
		fmt.Fprintf(&b, ", %d waiting for memory", d.Starved)
	}
	b.WriteByte('\n')
	for _, w := range d.Running[:min(len(d.Running), maxWorking)] {
		fmt.Fprintf(&b, "  %-7s %v %s, for %v\n", w.Lane, w.Task, w.What, round(w.For))
	}
	if more := len(d.Running) - maxWorking; more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	for _, w := range d.Waits {
		fmt.Fprintf(&b, "a thread waits %s, for %v\n", w.What, round(w.For))
	}
	return b.String()
}

// round leaves three digits or so.
func round(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
