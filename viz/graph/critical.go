package graph

import (
	"fmt"

	"weft/internal/units"
	"weft/scheduler"
)

// chain is the critical path: of all chains of tasks that waited for one another the one with the longest sum of times.
type chain struct {
	on     []bool // by task: whether it is on the chain
	before []int  // by task: the one before it on the longest chain that ends with it; -1: none
	tasks  int
	ns     int64 // added over the chain
	span   int64 // from the first start to the last end of all tasks
}

// taskIndex finds tasks by their ids. These count up, so that a table serves where few are left out.
type taskIndex struct {
	low   scheduler.TaskID
	table []int32 // 1 + position
	rest  map[scheduler.TaskID]int
}

func indexTasks(tasks []TaskNode) taskIndex {
	if len(tasks) == 0 {
		return taskIndex{}
	}
	x := taskIndex{low: tasks[0].ID}
	high := x.low
	for i := range tasks {
		x.low, high = min(x.low, tasks[i].ID), max(high, tasks[i].ID)
	}
	if span := int(high-x.low) + 1; span <= 8*len(tasks) {
		x.table = make([]int32, span)
		for i := range tasks {
			x.table[tasks[i].ID-x.low] = int32(i) + 1
		}
		return x
	}
	x.rest = make(map[scheduler.TaskID]int, len(tasks))
	for i := range tasks {
		x.rest[tasks[i].ID] = i
	}
	return x
}

func (x *taskIndex) find(id scheduler.TaskID) (at int, known bool) {
	if x.rest != nil {
		at, known = x.rest[id]
		return at, known
	}
	if id < x.low || int(id-x.low) >= len(x.table) {
		return 0, false
	}
	at = int(x.table[id-x.low]) - 1
	return at, at >= 0
}

// criticalPath finds the longest chain of tasks, by their measured times. Tasks stand after those that they waited for;
// a predecessor that does not is passed over.
func criticalPath(tasks []TaskNode) chain {
	c := chain{on: make([]bool, len(tasks)), before: make([]int, len(tasks))}
	index := indexTasks(tasks)
	sum := make([]int64, len(tasks)) // of the longest chain that ends with the task
	last := -1
	first, end := int64(-1), int64(0)
	for i := range tasks {
		t := &tasks[i]
		c.before[i] = -1
		longest := int64(-1)
		for _, id := range t.After {
			if j, known := index.find(id); known && j < i && sum[j] > longest {
				c.before[i], longest = j, sum[j]
			}
		}
		sum[i] = max(longest, 0) + t.duration()
		if last < 0 || sum[i] > sum[last] {
			last = i
		}
		if t.End > 0 {
			if first < 0 || t.Start < first {
				first = t.Start
			}
			end = max(end, t.End)
		}
	}
	if last < 0 || sum[last] == 0 {
		return c
	}
	c.ns, c.span = sum[last], end-first
	for i := last; i >= 0; i = c.before[i] {
		c.on[i] = true
		c.tasks++
	}
	return c
}

// text says how long the chain is, how much of the time it explains, and of how many tasks it is the longest where some
// are missing.
func (c chain) text(missing int) string {
	if c.tasks < 2 {
		return ""
	}
	of := ""
	if known := len(c.on); missing > 0 {
		of = fmt.Sprintf(" of the newest %s of %s tasks", units.Thousands(known), units.Thousands(known+missing))
	}
	text := fmt.Sprintf("critical path%s: %d tasks, %s", of, c.tasks, units.Duration(c.ns))
	if c.span >= c.ns { // clocks of several devices need not agree
		text += fmt.Sprintf(" of %s (%.0f %%)", units.Duration(c.span), 100*float64(c.ns)/float64(c.span))
	}
	return text
}
