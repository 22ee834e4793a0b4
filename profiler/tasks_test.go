package profiler

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
)

// The log keeps the newest tasks, whole, and a mark finds what came behind it.
func TestTaskLog(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var log taskLog
	var all, seen []Task
	var mark taskMark
	for id := range uint32(60_000) {
		task := Task{ID: id, Planned: random.Int64N(maxTime)}
		for range random.IntN(8) {
			task.After = append(task.After, random.Uint32())
		}
		if id%20_000 == 7 {
			task.After = make([]uint32, linkChunk+5) // more than fits a chunk
		}
		log.add(task.ID, task.Planned, task.After)
		all = append(all, task)
		if random.IntN(1000) == 0 {
			seen, mark = log.since(seen, mark)
		}
	}
	if seen, _ = log.since(seen, mark); !reflect.DeepEqual(seen, all) {
		t.Fatalf("a reader saw %d tasks of %d, or other ones", len(seen), len(all))
	}
	for range 400_000 {
		log.add(1, 2, []uint32{3})
	}
	if log.words > maxLinks+linkChunk {
		t.Errorf("the log holds %d words, wanted at most %d", log.words, maxLinks)
	}
	kept, _ := log.since(nil, taskMark{})
	if n := len(kept); n < maxLinks/5-linkChunk || !reflect.DeepEqual(kept[n-1], Task{1, 2, []uint32{3}}) {
		t.Errorf("it kept %d tasks", n)
	}
}

// A loop over arrays that are cut in four, as a driver records it: an op, four tasks with three
// predecessors each, buffers that come and go. What it takes in a file is counted per task.
func TestBytesPerTask(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	r := New(Options{PerLane: 1 << 18})
	var cpus []*Lane
	for range 4 {
		cpus = append(cpus, r.Lane(LaneInfo{Name: "cpu", Kind: "cpu"}))
	}
	memory := r.Lane(LaneInfo{Name: "host memory", Kind: "memory"})
	form := r.Form(Form{Name: "add"})
	const ops = 25_000
	now := int64(0)
	for op := range uint32(ops) {
		r.Op(op+1, form)
		memory.Record(Record{Start: now, End: now, Bytes: 8_000_000, Kind: Alloc, Op: op + 1})
		planned := now
		for k := range uint32(4) {
			task := 5*op + k + 1
			r.Task(task, planned, []uint32{task - 5, task - 4, max(task, 6) - 6})
			start := now + random.Int64N(20_000)
			cpus[k].Record(Record{Start: start, End: start + 100_000 + random.Int64N(50_000), Bytes: 4_000_000, Task: task, Op: op + 1})
		}
		now += 180_000 + random.Int64N(20_000)
		memory.Record(Record{Start: now, End: now, Bytes: 8_000_000, Kind: Free, Task: 5*op + 5})
	}
	var file bytes.Buffer
	w, err := NewWriter(&file, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if perTask := float64(file.Len()) / (4 * ops); perTask > 24 {
		t.Errorf("%.1f bytes per task, wanted at most 24", perTask)
	} else {
		t.Logf("%.1f bytes per task", perTask)
	}
}

func BenchmarkTaskLog(b *testing.B) {
	r := New(Options{})
	after := []uint32{1, 2, 3}
	b.ReportAllocs()
	for i := range b.N {
		r.Task(uint32(i), int64(i), after)
	}
}
