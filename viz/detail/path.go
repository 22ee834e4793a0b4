package detail

import (
	"cmp"
	"slices"

	"weft/profiler"
)

// maxTasks bounds what a store remembers of tasks while it follows a run.
const maxTasks = 1 << 20

// addTasks keeps the tasks sorted; new ones are mostly the newest.
func (s *Store) addTasks(rows []profiler.Task) {
	t := &s.tables
	for _, task := range rows {
		if n := len(t.Tasks); n == 0 || t.Tasks[n-1].ID < task.ID {
			t.Tasks = append(t.Tasks, task)
			continue
		}
		at, known := slices.BinarySearchFunc(t.Tasks, task.ID, func(a profiler.Task, id uint32) int { return cmp.Compare(a.ID, id) })
		if known {
			t.Tasks[at] = task
		} else {
			t.Tasks = slices.Insert(t.Tasks, at, task)
		}
	}
	if s.limit > 0 && len(t.Tasks) > 2*maxTasks {
		t.Tasks = slices.Clone(t.Tasks[len(t.Tasks)-maxTasks:])
	}
}

// maxLinks bounds the arrows of one task.
const maxLinks = 200

// Before returns the tasks for which a task waited, and when it was planned.
func (s *Store) Before(id uint32) (planned int64, after []uint32, known bool) {
	task := s.tables.TaskOf(id)
	if task == nil {
		return 0, nil, false
	}
	return task.Planned, task.After[:min(len(task.After), maxLinks)], true
}

// Behind returns the tasks that waited for a task. Tasks wait only for tasks with smaller numbers.
func (s *Store) Behind(id uint32) []uint32 {
	rows := s.tables.Tasks
	at, _ := slices.BinarySearchFunc(rows, id, func(a profiler.Task, id uint32) int { return cmp.Compare(a.ID, id) })
	var out []uint32
	for ; at < len(rows) && len(out) < maxLinks; at++ {
		if slices.Contains(rows[at].After, id) {
			out = append(out, rows[at].ID)
		}
	}
	return out
}

// Ready returns when the last of some tasks ended, and whether all of them are known.
func (s *Store) Ready(after []uint32) (ready int64, known bool) {
	known = true
	for _, id := range after {
		ref, found := s.TaskRef(id)
		if !found {
			known = false
			continue
		}
		rec, _ := s.Record(ref)
		ready = max(ready, rec.End)
	}
	return ready, known
}

// Step is one task of a critical path.
type Step struct {
	Task uint32
	Ref  Ref
}

// CriticalPath returns the chain of tasks, each of which had to come after the one before, whose own times add up to most,
// in the order of time; and that sum. A task comes after those that it waited for, and after those for whose values
// the program waited before the task was planned. Only tasks count whose record is there and that began not before t0 and ended not after t1.
func (s *Store) CriticalPath(t0, t1 int64) (path []Step, sum int64) {
	type node struct {
		best int64
		ref  Ref
		from uint32 // the task before; 0 is none
	}
	tasks := s.tables.Tasks
	nodes := make([]node, len(tasks))
	at := func(id uint32) int {
		i, known := slices.BinarySearchFunc(tasks, id, func(a profiler.Task, id uint32) int { return cmp.Compare(a.ID, id) })
		if !known {
			return -1
		}
		return i
	}
	type wait struct {
		end  int64
		task uint32
	}
	var waits []wait
	length := make([]int64, len(tasks))
	for i := range length {
		length[i] = -1
	}
	for lane, l := range s.lanes {
		for k := range l.chunks {
			c := &l.chunks[k]
			for i := range c.records {
				rec := &c.records[i]
				if rec.Task != 0 && rec.Kind == profiler.Wait {
					waits = append(waits, wait{rec.End, rec.Task})
				}
				if rec.Task == 0 || !rec.Kind.Info().Busy || rec.Start < t0 || rec.End > t1 {
					continue
				}
				if n := at(rec.Task); n >= 0 && rec.End-rec.Start > length[n] {
					length[n] = rec.End - rec.Start
					nodes[n].ref = Ref{uint16(lane), l.first + uint32(k)<<chunkBits + uint32(i)}
				}
			}
		}
	}
	slices.SortFunc(waits, func(a, b wait) int { return cmp.Compare(a.end, b.end) })
	last := -1
	awaited := -1          // of the tasks that the program has waited for, the one with the longest chain
	for i := range tasks { // by ID, so that what a task waited for comes before it, and by the time of planning
		for len(waits) > 0 && waits[0].end <= tasks[i].Planned {
			if n := at(waits[0].task); n >= 0 && n < i && length[n] >= 0 && (awaited < 0 || nodes[n].best > nodes[awaited].best) {
				awaited = n
			}
			waits = waits[1:]
		}
		if length[i] < 0 {
			continue
		}
		nodes[i].best = length[i]
		if awaited >= 0 {
			nodes[i].best, nodes[i].from = nodes[awaited].best+length[i], tasks[awaited].ID
		}
		for _, id := range tasks[i].After {
			if n := at(id); n >= 0 && n < i && length[n] >= 0 && nodes[n].best+length[i] > nodes[i].best {
				nodes[i].best, nodes[i].from = nodes[n].best+length[i], id
			}
		}
		if last < 0 || nodes[i].best > nodes[last].best {
			last = i
		}
	}
	if last < 0 {
		return nil, 0
	}
	sum = nodes[last].best
	for i := last; i >= 0; {
		path = append(path, Step{tasks[i].ID, nodes[i].ref})
		if nodes[i].from == 0 {
			break
		}
		i = at(nodes[i].from)
	}
	slices.Reverse(path)
	return path, sum
}
