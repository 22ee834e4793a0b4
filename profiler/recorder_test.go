package profiler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// fill writes n records whose fields all tell the same number, so that a torn one shows.
func fill(l *Lane, from, n int) {
	for i := from; i < from+n; i++ {
		l.Record(Record{Start: int64(i), End: int64(i), Bytes: int64(i), Task: uint32(i), Op: uint32(i)})
	}
}

func TestRingDropsTheOldest(t *testing.T) {
	r := New(Options{PerLane: 2 * chunkRows})
	l := r.Lane(LaneInfo{Name: "cpu0"})
	for n := 0; n < 5*chunkRows; n += 100 {
		fill(l, n, 100)
		trace := r.Snapshot()
		lost, kept := int(trace.Lost[0]), len(trace.Records)
		if lost+kept != n+100 || uint64(lost) != r.Lost() {
			t.Fatalf("%d records written, %d kept, %d lost in the trace, %d in the recorder", n+100, kept, lost, r.Lost())
		}
		if kept > 2*chunkRows || n+100 > 2*chunkRows && kept < chunkRows {
			t.Fatalf("%d of %d records kept in a ring of %d", kept, n+100, 2*chunkRows)
		}
		if first := int(trace.Records[0].Task); first != lost {
			t.Fatalf("the first kept record is %d, wanted %d", first, lost)
		}
	}
}

// Readers that race with the writers see each record whole, in order, and account for all.
func TestReadWhileWriting(t *testing.T) {
	const total = 40 * chunkRows
	r := New(Options{PerLane: 2 * chunkRows})
	lanes := []*Lane{r.Lane(LaneInfo{Name: "a"}), r.Lane(LaneInfo{Name: "b"})}
	var writers sync.WaitGroup
	for _, l := range lanes {
		writers.Go(func() {
			for i := range total / 100 {
				l.Begin(Run, uint32(i), 0, int64(i))
				fill(l, i*100, 100)
			}
			fill(l, total/100*100, total%100)
		})
	}
	done := make(chan struct{})
	go func() {
		writers.Wait()
		close(done)
	}()
	c := r.Cursor()
	seen := make([]uint64, len(lanes))
	for last := false; !last; {
		select {
		case <-done:
			last = true // and read once more
		default:
		}
		rows, lost := c.read(nil), c.lost
		r.Running()
		for _, rec := range rows {
			if rec.Start != rec.Bytes || rec.Start != int64(rec.Task) || rec.Op != rec.Task {
				t.Fatalf("torn record %+v", rec)
			}
			seen[rec.Lane]++
		}
		for i := range lost {
			if last && seen[i]+lost[i] != total {
				t.Errorf("lane %d: %d seen + %d lost, wanted %d", i, seen[i], lost[i], total)
			}
		}
	}
}

func TestRunning(t *testing.T) {
	r := New(Options{})
	l := r.Lane(LaneInfo{Name: "cpu0"})
	if got := r.Running(); len(got) != 0 {
		t.Fatalf("an idle recorder runs %+v", got)
	}
	l.Begin(Copy, 7, 9, 11)
	got := r.Running()
	if len(got) != 1 || got[0].Kind != Copy || got[0].Task != 7 || got[0].Op != 9 || got[0].Start != 11 || got[0].End < 11 {
		t.Fatalf("running is %+v", got)
	}
	l.Record(Record{Kind: Plan, Op: 10})
	l.Record(Record{Kind: Copy, Task: 6})
	if got := r.Running(); len(got) != 1 || got[0].Task != 7 {
		t.Fatalf("after other records, running is %+v", got)
	}
	l.Record(Record{Kind: Copy, Task: 7})
	if got := r.Running(); len(got) != 0 {
		t.Fatalf("after its end, %+v still runs", got)
	}
}

// A streamed file holds the same as a snapshot at the end, however often it was flushed.
func TestStreamEqualsSnapshot(t *testing.T) {
	r := New(Options{Machine: []Field{{"cpus", "2"}}})
	var file bytes.Buffer
	w, err := NewWriter(&file, r)
	if err != nil {
		t.Fatal(err)
	}
	for step := range 5 {
		l := r.Lane(LaneInfo{Name: fmt.Sprint("cpu", step), Kind: "cpu"})
		r.Source(Source{ID: 1, Name: "In [1]", Text: fmt.Sprint("version ", step)})
		r.Source(Source{ID: uint32(2 + step), Name: "other"})
		form := r.Form(Form{Name: fmt.Sprint("op", step%2), Where: Where{1, int32(step)}})
		r.Op(uint32(step+1), form)
		label := r.Label(Label{Name: "halo", Where: Where{1, int32(step / 2)}, Detail: fmt.Sprint("to gpu", step%2)})
		r.Task(uint32(step+1), int64(step), []uint32{uint32(step), 0}[:step%3%2+step%2])
		l.Record(Record{Task: uint32(step + 1), Op: uint32(step + 1), Label: label, Start: int64(step), End: int64(step) + 1})
		if err := r.Attach("graph", fmt.Sprint("digraph ", step/2)); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		got, err := Read(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatalf("after flush %d: %v", step, err)
		}
		got.Cut = false // a file that still grows
		if want := r.Snapshot(); !reflect.DeepEqual(got, want) {
			t.Fatalf("after flush %d the file has\n%swanted\n%s", step, got.String(), want.String())
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(&file); err != nil || got.Cut {
		t.Errorf("the closed file: %v", err)
	}
}

func TestStreamToFile(t *testing.T) {
	r := New(Options{})
	fill(r.Lane(LaneInfo{Name: "cpu0"}), 0, 10)
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // the first thing that Stream sees is its end; everything must still be written
	path := filepath.Join(t.TempDir(), "run.weftprof")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Stream(ctx, f, r, time.Hour); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(path)
	if err != nil || len(got.Records) != 10 || got.Cut {
		t.Fatalf("got %+v, %v", got, err)
	}
	copied := filepath.Join(t.TempDir(), "copy.weftprof")
	if err := WriteFile(copied, got); err != nil {
		t.Fatal(err)
	}
	if again, err := ReadFile(copied); err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("the copy differs: %v", err)
	}
	if err := Stream(ctx, f, r, time.Hour); !errors.Is(err, os.ErrClosed) {
		t.Errorf("recording to a closed file gave %v", err)
	}
}

// What a caller may get wrong must not make a profile that cannot be read.
func TestHostileCaller(t *testing.T) {
	r := New(Options{})
	l := r.Lane(LaneInfo{Name: strings.Repeat("\u00e9", maxString)})
	form := r.Form(Form{Program: strings.Repeat("x", 10*maxString)})
	r.Op(1, form)
	r.Op(2, 12345) // no such form
	l.Record(Record{Op: 1, Start: 10, End: 5, Bytes: -1, Label: 99})
	l.Record(Record{Op: 2, Start: -10, End: -5, Kind: 77})
	l.Record(Record{Start: 1 << 60, End: 1 << 61})
	r.Form(Form{Name: "f", Where: Where{1, -3}})
	r.Label(Label{Name: "l", Where: Where{1, -3}})
	r.Source(Source{ID: 0, Name: "zero"})
	if err := r.Attach("big", strings.Repeat("x", maxTextBytes+1)); err == nil {
		t.Error("a document of more than 32 MiB was accepted")
	}
	for i := range maxForms + 10 {
		r.Form(Form{Name: fmt.Sprint(i)})
		r.Label(Label{Name: fmt.Sprint(i)})
	}
	trace := r.Snapshot()
	if err := trace.Check(); err != nil {
		t.Errorf("the snapshot: %v", err)
	}
	var file bytes.Buffer
	w, err := NewWriter(&file, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(&file); err != nil || len(got.Records) != 3 {
		t.Errorf("the streamed file: %v", err)
	}
}

// Ops that were forgotten have the unknown form.
func TestOldOpsAreForgotten(t *testing.T) {
	r := New(Options{})
	l := r.Lane(LaneInfo{})
	form := r.Form(Form{Name: "add"})
	for i := range maxOps + 10 {
		r.Op(uint32(i+1), form)
	}
	l.Record(Record{Op: 1})
	l.Record(Record{Op: maxOps})
	trace := r.Snapshot()
	if trace.FormOf(1).Name != "" || trace.FormOf(maxOps).Name != "add" || len(trace.Ops) != 1 {
		t.Errorf("op 1 is %+v, op %d is %+v, %d ops", trace.FormOf(1), maxOps, trace.FormOf(maxOps), len(trace.Ops))
	}
}

func BenchmarkRecordOnly(b *testing.B) {
	l := New(Options{}).Lane(LaneInfo{Name: "cpu0"})
	b.ReportAllocs()
	for i := range b.N {
		l.Record(Record{Task: uint32(i), Op: uint32(i), Start: int64(i), End: int64(i), Bytes: 8})
	}
}

// BenchmarkWindow is what a record costs where a remembered window runs again: one allocation, its
// plan, its run and a free, with three looks at the clock, as the driver makes them.
func BenchmarkWindow(b *testing.B) {
	r := New(Options{})
	cpu, memory, program := r.Lane(LaneInfo{Name: "cpu0"}), r.Lane(LaneInfo{Name: "memory"}), r.Lane(LaneInfo{Name: "program"})
	b.ReportAllocs()
	for i := 0; i < b.N; i += 4 {
		id := uint32(i)
		planned := r.Now()
		memory.Record(Record{Kind: Alloc, Op: id, Start: planned, End: planned, Bytes: 8})
		start := r.Now()
		program.Record(Record{Kind: Plan, Op: id, Start: planned, End: start})
		end := r.Now()
		cpu.Record(Record{Kind: Run, Task: id, Op: id, Start: start, End: end, Bytes: 8})
		memory.Record(Record{Kind: Free, Task: id, Start: end, End: end, Bytes: 8})
	}
}

func BenchmarkClock(b *testing.B) {
	r := New(Options{})
	for range b.N {
		r.Now()
	}
}

// BenchmarkTask is what one task costs: two looks at the clock, Begin and Record.
func BenchmarkTask(b *testing.B) {
	r := New(Options{})
	l := r.Lane(LaneInfo{Name: "cpu0"})
	b.ReportAllocs()
	for i := range b.N {
		start := r.Now()
		l.Begin(Run, uint32(i), uint32(i), start)
		l.Record(Record{Task: uint32(i), Op: uint32(i), Start: start, End: r.Now(), Bytes: 8})
	}
}

func BenchmarkOp(b *testing.B) {
	r := New(Options{})
	form := r.Form(Form{Name: "add"})
	for i := range b.N {
		r.Op(uint32(i), form)
	}
}

func BenchmarkSnapshot(b *testing.B) {
	r := New(Options{})
	l := r.Lane(LaneInfo{Name: "cpu0"})
	for i := range defaultPerLane {
		r.Op(uint32(i), 0)
		l.Record(Record{Task: uint32(i), Op: uint32(i), Start: int64(i), End: int64(i)})
	}
	for range b.N {
		r.Snapshot()
	}
}
