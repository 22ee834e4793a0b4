package detail

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"weft/profiler"
)

// maxLinks bounds the arrows of one task.
const maxLinks = 200

// Before returns the tasks for which a task waited, and when it was planned.
func (s *Snapshot) Before(id uint32) (planned int64, after []uint32, known bool) {
	place := s.tasks.place(id)
	if place < 0 {
		return 0, nil, false
	}
	task := s.tasks.at(place)
	return task.Planned, task.After[:min(len(task.After), maxLinks)], true
}

// Behind returns the tasks that waited for a task; false if tick wanted no answer. Tasks wait only for tasks with
// smaller numbers.
func (s *Snapshot) Behind(id uint32, tick Tick) (out []uint32, ok bool) {
	for k := max(s.tasks.block(id), 0); k < len(s.tasks.blocks); k++ {
		b := s.tasks.blocks[k]
		for i := 0; i < len(b.after) && len(out) < maxLinks; i++ {
			if b.after[i] != id {
				continue
			}
			at := sort.Search(len(b.ends), func(n int) bool { return b.ends[n] > uint32(i) })
			if n := len(out); n == 0 || out[n-1] != b.ids[at] {
				out = append(out, b.ids[at])
			}
		}
		if len(out) == maxLinks {
			break
		}
		if k%64 == 63 && !tick(float64(k)/float64(len(s.tasks.blocks))) {
			return nil, false
		}
	}
	return out, true
}

// Refs returns the records of some tasks, of each the one that ran it where there are several; false if tick wanted no
// answer.
func (s *Snapshot) Refs(ids []uint32, tick Tick) (map[uint32]Ref, bool) {
	found := map[uint32]Ref{}
	wanted := slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(wanted) > 0 && wanted[0] == 0 {
		wanted = wanted[1:]
	}
	run := map[uint32]bool{}
	ok := s.each(tick, 0, 1, func(lane, k int, c *chunk) {
		at, _ := slices.BinarySearch(wanted, c.sum.minTask)
		if at == len(wanted) || wanted[at] > c.sum.maxTask {
			return
		}
		for i := range c.records {
			rec := &c.records[i]
			if rec.Task < wanted[at] {
				continue
			}
			if _, asked := slices.BinarySearch(wanted[at:], rec.Task); !asked {
				continue
			}
			runs := rec.Kind == profiler.Run || rec.Kind == profiler.Copy
			if _, before := found[rec.Task]; before && (run[rec.Task] || !rec.Kind.Info().Busy) {
				continue
			}
			found[rec.Task], run[rec.Task] = Ref{uint16(lane), s.lanes[lane].ref(k, i)}, runs
		}
	})
	return found, ok
}

// Step is one task of a critical path.
type Step struct {
	Task uint32
	Ref  Ref
}

// Path is a critical path: its newest steps in the order of time, how many there are, how long they took together, and
// of how many tasks it is the longest chain.
type Path struct {
	Steps []Step
	Count int
	Time  int64
	Known int // of so many tasks it is known how long they took, and what they waited for
}

// CriticalPath returns the chain of tasks, each of which had to come after the one before, whose own times add up to
// most. A task comes after those that it waited for, and after those for whose values the program waited before the
// task was planned. Only tasks count whose record is there and that began not before t0 and ended not after t1. It is
// false if tick wanted no answer.
func (s *Snapshot) CriticalPath(t0, t1 int64, most int, tick Tick) (Path, bool) {
	length, waits, ok := s.lengths(t0, t1, tick)
	if !ok {
		return Path{}, false
	}
	slices.SortFunc(waits, func(a, b wait) int { return cmp.Compare(a.end, b.end) })
	path := Path{}
	for _, own := range length {
		if own >= 0 {
			path.Known++
		}
	}
	best := length // of the longest chain that ends with the task; until its turn comes, its own time
	from := make([]int32, len(best))
	last, awaited := -1, -1 // awaited is, of the tasks that the program has waited for, the one with the longest chain
	i := 0
	for k, b := range s.tasks.blocks { // by number, so that what a task waited for comes before it, and by the time of planning
		if k%64 == 63 && !tick(0.5+0.4*float64(i)/float64(len(best))) {
			return Path{}, false
		}
		first := uint32(0)
		for n := range b.ids {
			after := b.after[first:b.ends[n]]
			first = b.ends[n]
			for len(waits) > 0 && waits[0].end <= b.planned[n] {
				if w := s.tasks.place(waits[0].task); w >= 0 && w < i && best[w] >= 0 && (awaited < 0 || best[w] > best[awaited]) {
					awaited = w
				}
				waits = waits[1:]
			}
			from[i] = -1
			if own := best[i]; own >= 0 {
				if awaited >= 0 {
					best[i], from[i] = best[awaited]+own, int32(awaited)
				}
				for _, id := range after {
					if w := s.tasks.place(id); w >= 0 && w < i && best[w] >= 0 && best[w]+own > best[i] {
						best[i], from[i] = best[w]+own, int32(w)
					}
				}
				if last < 0 || best[i] > best[last] {
					last = i
				}
			}
			i++
		}
	}
	if last < 0 {
		return path, true
	}
	path.Time = best[last]
	for at := last; at >= 0; at = int(from[at]) {
		if path.Count++; path.Count <= most {
			path.Steps = append(path.Steps, Step{Task: s.tasks.at(at).ID})
		}
	}
	slices.Reverse(path.Steps)
	return path, s.locate(path.Steps, t0, t1, tick)
}

// wait is one of the program's.
type wait struct {
	end  int64
	task uint32
}

// lengths returns how long each task took, -1 for one without a record in a stretch of time, and what the program
// waited for.
func (s *Snapshot) lengths(t0, t1 int64, tick Tick) (length []int64, waits []wait, ok bool) {
	length = make([]int64, s.tasks.count)
	for i := range length {
		length[i] = -1
	}
	ok = s.each(tick, 0, 0.5, func(_, _ int, c *chunk) {
		for i := range c.records {
			rec := &c.records[i]
			if rec.Task != 0 && rec.Kind == profiler.Wait {
				waits = append(waits, wait{rec.End, rec.Task})
			}
			if !onPath(rec, t0, t1) {
				continue
			}
			if n := s.tasks.place(rec.Task); n >= 0 {
				length[n] = max(length[n], rec.End-rec.Start)
			}
		}
	})
	return length, waits, ok
}

func onPath(rec *profiler.Record, t0, t1 int64) bool {
	return rec.Task != 0 && rec.Kind.Info().Busy && rec.Start >= t0 && rec.End <= t1
}

// locate finds the records of steps: the longest one of each task.
func (s *Snapshot) locate(steps []Step, t0, t1 int64, tick Tick) bool {
	at := make(map[uint32]int, len(steps))
	for i := range steps {
		at[steps[i].Task] = i
	}
	longest := make([]int64, len(steps))
	for i := range longest {
		longest[i] = -1
	}
	low, high := uint32(math.MaxUint32), uint32(0)
	for _, step := range steps {
		low, high = min(low, step.Task), max(high, step.Task)
	}
	return s.each(tick, 0.9, 1, func(lane, k int, c *chunk) {
		if c.sum.maxTask < low || c.sum.minTask > high {
			return
		}
		for i := range c.records {
			rec := &c.records[i]
			if !onPath(rec, t0, t1) {
				continue
			}
			if n, there := at[rec.Task]; there && rec.End-rec.Start > longest[n] {
				longest[n], steps[n].Ref = rec.End-rec.Start, Ref{uint16(lane), s.lanes[lane].ref(k, i)}
			}
		}
	})
}
