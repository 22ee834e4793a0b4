package detail

import (
	"cmp"
	"slices"
	"sort"

	"weft/profiler"
)

// blockTasks is how many tasks a block holds at most.
const blockTasks = 1 << 12

// taskBlock has tasks by number, in columns: a slice for what each waited for would cost more than that itself.
type taskBlock struct {
	ids     []uint32
	planned []int64
	ends    []uint32 // behind the task's part of after
	after   []uint32
}

func (b *taskBlock) of(i int) profiler.Task {
	first := uint32(0)
	if i > 0 {
		first = b.ends[i-1]
	}
	return profiler.Task{ID: b.ids[i], Planned: b.planned[i], After: b.after[first:b.ends[i]]}
}

func (b *taskBlock) add(t profiler.Task) {
	b.ids, b.planned, b.after = append(b.ids, t.ID), append(b.planned, t.Planned), append(b.after, t.After...)
	b.ends = append(b.ends, uint32(len(b.after)))
}

// place finds a task in a block. Numbers mostly follow each other.
func (b *taskBlock) place(id uint32) (int, bool) {
	if i := int64(id) - int64(b.ids[0]); i >= 0 && i < int64(len(b.ids)) && b.ids[i] == id {
		return int(i), true
	}
	return slices.BinarySearch(b.ids, id)
}

// taskTable has tasks in the order of their numbers, in which they come but for a few. A block is changed only by
// adding at the end of the last one, so that a copy of the list, and of the last block, stays as it is.
type taskTable struct {
	blocks []*taskBlock
	count  int
}

func (t *taskTable) put(task profiler.Task) {
	if n := len(t.blocks); n == 0 || task.ID > t.last().ids[len(t.last().ids)-1] {
		if n == 0 || len(t.last().ids) == blockTasks {
			t.blocks = append(t.blocks, &taskBlock{})
		}
		t.last().add(task)
		t.count++
		return
	}
	k := max(sort.Search(len(t.blocks), func(i int) bool { return t.blocks[i].ids[0] > task.ID })-1, 0)
	old := t.blocks[k]
	at, known := old.place(task.ID)
	fresh := &taskBlock{}
	add := func(x profiler.Task) {
		if len(fresh.ids) == blockTasks {
			t.blocks = slices.Insert(t.blocks, k, fresh)
			k, fresh = k+1, &taskBlock{}
		}
		fresh.add(x)
	}
	for i := range len(old.ids) + 1 {
		if i == at {
			add(task)
		}
		if i < len(old.ids) && (i != at || !known) {
			add(old.of(i))
		}
	}
	t.blocks[k] = fresh
	if !known {
		t.count++
	}
}

func (t *taskTable) last() *taskBlock { return t.blocks[len(t.blocks)-1] }

// forget drops the tasks with the lowest numbers while there are more than so many.
func (t *taskTable) forget(most int) {
	n := 0
	for n < len(t.blocks)-1 && t.count > most {
		t.count -= len(t.blocks[n].ids)
		n++
	}
	if n > 0 {
		t.blocks = slices.Clone(t.blocks[n:])
	}
}

// addTasks keeps the newest tasks.
func (s *Store) addTasks(rows []profiler.Task) {
	for _, task := range rows {
		s.tasks.put(task)
	}
	if s.limit > 0 {
		s.tasks.forget(s.limit)
	}
}

// tasks is a table that stays as it is. Tasks are known by their place in it.
type tasks struct {
	blocks []*taskBlock
	firsts []uint32 // number of the first task of each block
	starts []int    // and its place
	count  int
}

func (t *taskTable) snapshot() tasks {
	out := tasks{blocks: slices.Clone(t.blocks), count: t.count}
	if n := len(out.blocks); n > 0 {
		last := *out.blocks[n-1]
		out.blocks[n-1] = &last
	}
	place := 0
	for _, b := range out.blocks {
		out.firsts, out.starts = append(out.firsts, b.ids[0]), append(out.starts, place)
		place += len(b.ids)
	}
	return out
}

// block returns the one in which a task lies if there is such a task.
func (t *tasks) block(id uint32) int {
	at, found := slices.BinarySearchFunc(t.firsts, id, cmp.Compare[uint32])
	if found {
		return at
	}
	return at - 1
}

// place returns the place of a task, -1 if it is not known.
func (t *tasks) place(id uint32) int {
	k := t.block(id)
	if k < 0 {
		return -1
	}
	i, known := t.blocks[k].place(id)
	if !known {
		return -1
	}
	return t.starts[k] + i
}

// at returns the task at a place.
func (t *tasks) at(place int) profiler.Task {
	k := sort.SearchInts(t.starts, place+1) - 1
	return t.blocks[k].of(place - t.starts[k])
}
