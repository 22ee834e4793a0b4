package profiler

import (
	"cmp"
	"slices"
)

// Task says when a task was planned and what it had to wait for. With its record that gives its states:
//
//	planned ---- deferred ---- the last of After ended ---- ready ---- Start ---- running ---- End
type Task struct {
	ID      uint32   `json:"id"`
	Planned int64    `json:"planned_ns"` // since the recorder's epoch
	After   []uint32 `json:"after"`      // tasks that had to end first
}

// Bounds of what a recorder remembers of tasks: 4 MiB.
const (
	linkChunk = 1 << 14 // words
	maxLinks  = 1 << 20 // words
)

// taskLog remembers the newest tasks as words, because a slice for each would be work for the collector:
// ID, number of predecessors, time (low, high), predecessors. A task lies in one chunk.
type taskLog struct {
	chunks [][]uint32
	first  uint64 // the number of chunks[0]
	words  int    // in all chunks
}

func (l *taskLog) add(id uint32, planned int64, after []uint32) {
	need := 4 + len(after)
	last := len(l.chunks) - 1
	if last < 0 || len(l.chunks[last])+need > cap(l.chunks[last]) {
		l.chunks = append(l.chunks, make([]uint32, 0, max(need, linkChunk)))
		l.words += cap(l.chunks[last+1])
		for l.words > maxLinks && len(l.chunks) > 1 {
			l.words -= cap(l.chunks[0])
			l.chunks, l.first = slices.Delete(l.chunks, 0, 1), l.first+1
		}
		last = len(l.chunks) - 1
	}
	c := append(l.chunks[last], id, uint32(len(after)), uint32(planned), uint32(planned>>32))
	l.chunks[last] = append(c, after...)
}

// taskMark is a place in the log.
type taskMark struct {
	chunk uint64
	word  int
}

// since appends the tasks behind a mark, and returns the mark behind them.
func (l *taskLog) since(dst []Task, m taskMark) ([]Task, taskMark) {
	if m.chunk < l.first {
		m = taskMark{chunk: l.first}
	}
	for ; m.chunk < l.first+uint64(len(l.chunks)); m = (taskMark{chunk: m.chunk + 1}) {
		c := l.chunks[m.chunk-l.first]
		for m.word < len(c) {
			head := c[m.word : m.word+4]
			end := m.word + 4 + int(head[1])
			task := Task{ID: head[0], Planned: int64(head[2]) | int64(head[3])<<32}
			if head[1] > 0 {
				task.After = slices.Clone(c[m.word+4 : end])
			}
			dst = append(dst, task)
			m.word = end
		}
		if m.chunk+1 == l.first+uint64(len(l.chunks)) {
			break // it may grow
		}
	}
	return dst, m
}

// Task says that a task was planned, and after which others it may start. It must come before its record.
func (r *Recorder) Task(id uint32, planned int64, after []uint32) {
	if r.off.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tasks.add(id, max(planned, 0), after)
}

// TaskOf returns what is known of a task, or nil.
func (t *Trace) TaskOf(id uint32) *Task {
	at, found := slices.BinarySearchFunc(t.Tasks, id, func(k Task, id uint32) int { return cmp.Compare(k.ID, id) })
	if !found {
		return nil
	}
	return &t.Tasks[at]
}
