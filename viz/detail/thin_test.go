package detail_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/profiler"
	"weft/viz/detail"
)

// A store that is full shows what one does that keeps everything: exactly where the records are there, or where a
// pixel is as long as a bucket of the sums; elsewhere as much in all, give or take a bucket at each end.
func TestThinAgainstWhole(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 9))
		rec := record(r, 2, 40000)
		whole := rec.live(rand.New(rand.NewPCG(seed, 10)), detail.Options{})
		thin := rec.live(rand.New(rand.NewPCG(seed, 10)), detail.Options{Limit: 20000, Thin: 1 << 20, Buckets: 1 << (14 + seed/2)})
		n := thin.Count()
		if n.Kept > 20000+2*4096 || n.Kept+int(n.Thinned) != len(rec.rows) || n.Dropped != 0 || n.Thinned == 0 {
			t.Fatalf("seed %d: %+v of %d", seed, n, len(rec.rows))
		}
		until, stretch := thin.Thin()
		start, end := thin.Span()
		// Of tasks in sums it is not known what they waited for, but they count.
		all, _ := whole.Snapshot().Tasks(start, end+1)
		if got, more := thin.Snapshot().Tasks(start, end+1); got != all || got == 0 || more {
			t.Fatalf("seed %d: %d tasks and more: %v; wanted %d", seed, got, more, all)
		}
		path, _ := thin.Snapshot().CriticalPath(start, end+1, 10, goOn)
		if path.Known >= int(all) {
			t.Fatalf("seed %d: the path is said to be of %d of %d tasks", seed, path.Known, all)
		}
		if s, e := whole.Span(); s != start || e != end {
			t.Fatalf("seed %d: from %d to %d, wanted %d to %d", seed, start, end, s, e)
		}
		for range 300 {
			length := max((end-start)>>r.IntN(16), 1000)
			w := detail.Window{T0: start + r.Int64N(end-start) - length/2, Px: 1 + r.IntN(1000)}
			w.T1 = w.T0 + length
			for lane := range 2 {
				for row := range 3 {
					at := detail.Track{Lane: lane, Row: row}
					if err := compareThin(whole.View(nil, at, w, nil), thin.View(nil, at, w, nil), w, until, stretch); err != nil {
						t.Fatalf("seed %d: %v, %+v, sums of %d until %d: %v", seed, at, w, stretch, until, err)
					}
				}
			}
			compareThinTotals(t, whole, thin, w, until)
		}
		compareThinSearch(t, whole, thin)
	}
}

// However little room there is, nothing is dropped that sums can stand for.
func TestThinToSums(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	rec := record(r, 3, 30000)
	for _, o := range []detail.Options{{Limit: 1000, Thin: 1 << 20}, {Limit: 30000, Thin: 1 << 20, Buckets: 300}, {Limit: 1, Thin: 20000}} {
		s := rec.live(r, o)
		n := s.Count()
		if n.Kept > o.Limit+4*4096 || n.Thinned > uint64(o.Thin)+4096 || n.Kept+int(n.Thinned+n.Dropped) != len(rec.rows) || (n.Dropped > 0) != (o.Thin < 1<<20) {
			t.Fatalf("%+v: %+v of %d", o, n, len(rec.rows))
		}
		start, end := s.Span()
		for range 300 {
			length := max((end-start)>>r.IntN(24), 10)
			t0 := start + r.Int64N(end-start)
			at := detail.Track{Lane: r.IntN(3), Row: r.IntN(3)}
			for _, b := range s.View(nil, at, detail.Window{T0: t0, T1: t0 + length, Px: 1 + r.IntN(500)}, nil) {
				if b.Busy < 0 || b.Busy > b.End-b.Start {
					t.Fatalf("%+v: %v shows %+v", o, at, b)
				}
			}
		}
		var count int64
		for _, sum := range s.Snapshot().Totals(0, 1<<52) {
			count += sum.Count
		}
		if count != int64(n.Kept)+int64(n.Thinned) {
			t.Errorf("%+v: the totals have %d records, wanted %+v", o, count, n)
		}
	}
}

func compareThin(want, got []detail.Bar, w detail.Window, until, stretch int64) error {
	if px := max((w.T1-w.T0)/int64(w.Px), 1); w.T0 >= until || px >= stretch {
		if len(got) != len(want) {
			return fmt.Errorf("%d bars, wanted %d", len(got), len(want))
		}
		for i, a := range got {
			if b := want[i]; a.Start != b.Start || a.End != b.End || a.Busy != b.Busy || a.Count != b.Count || a.Merged != b.Merged {
				return fmt.Errorf("bar %d is %+v, wanted %+v", i, a, b)
			}
		}
		return nil
	}
	long := map[[2]int64]int{}
	var busy [2]int64
	for k, bars := range [][]detail.Bar{want, got} {
		for _, b := range bars {
			busy[k] += min(b.Busy, min(b.End, w.T1)-max(b.Start, w.T0))
			if !b.Merged && b.End-b.Start > 4*stretch { // longer than any that sums may have
				long[[2]int64{b.Start, b.End}] += 2*k - 1
			}
			if b.Busy < 0 || b.Busy > b.End-b.Start {
				return fmt.Errorf("the bar %+v is busier than it is long", b)
			}
		}
	}
	for bar, n := range long {
		if n != 0 {
			return fmt.Errorf("the bar %v is there %d times too often", bar, n)
		}
	}
	if off := max(busy[0]-busy[1], busy[1]-busy[0]); off > 4*stretch+(w.T1-w.T0)/50 {
		return fmt.Errorf("%d ns are busy, wanted %d", busy[1], busy[0])
	}
	return nil
}

func compareThinTotals(t *testing.T, whole, thin *detail.Store, w detail.Window, until int64) {
	t.Helper()
	var counts [2][2]int64
	for k, s := range []*detail.Store{whole, thin} {
		for _, sum := range s.Snapshot().Totals(w.T0, w.T1) {
			counts[k][sum.Lane] += sum.Count
		}
	}
	most := int64(2 * 4096)
	if w.T0 >= until {
		most = 0
	}
	for lane, want := range counts[0] {
		if got := counts[1][lane]; max(got-want, want-got) > most {
			t.Fatalf("%+v: lane %d has %d records, wanted %d", w, lane, got, want)
		}
	}
}

func compareThinSearch(t *testing.T, whole, thin *detail.Store) {
	t.Helper()
	for _, text := range []string{"op3", "halo on:cpu1", "line:2", ">100us", "t77", "<2us op1"} {
		q, err := detail.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		a, b := whole.Snapshot().Search(q), thin.Snapshot().Search(q)
		for a.Step(1000) {
		}
		for b.Step(1000) {
		}
		if a.Unseen != 0 || b.Count > a.Count || b.Count+b.Unseen < a.Count || b.Unseen == 0 && a.Count != b.Count {
			t.Errorf("%q finds %d and perhaps %d more, wanted %d", text, b.Count, b.Unseen, a.Count)
		}
		if b.Found && thin.Snapshot().Record(b.First) == nil {
			t.Errorf("%q finds a record that is not there", text)
		}
	}
}

// What was asked before more came is answered as if it had not.
func TestSnapshotStays(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	rec := record(r, 2, 6000)
	half := *rec
	half.rows = rec.rows[:len(rec.rows)/2]
	s := half.live(r, detail.Options{Limit: 5000, Thin: 1 << 20})
	before := s.Snapshot()
	want := fmt.Sprint(before.Totals(0, 1<<50))
	s.Append(&profiler.Increment{Records: rec.rows[len(rec.rows)/2:]})
	if got := fmt.Sprint(before.Totals(0, 1<<50)); got != want {
		t.Errorf("the totals are\n%s\nwanted\n%s", got, want)
	}
}

// The tasks are those of a map, in whatever order they come.
func TestTasksAgainstMap(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	s := detail.New(detail.Options{})
	want := map[uint32]profiler.Task{}
	next := uint32(1)
	for range 300 {
		var inc profiler.Increment
		for range r.IntN(200) {
			next += 1 + r.Uint32N(2)
			task := profiler.Task{ID: next, Planned: r.Int64N(1000)}
			if r.IntN(10) == 0 {
				task.ID = 1 + r.Uint32N(next)
			}
			for range r.IntN(4) {
				task.After = append(task.After, r.Uint32N(next))
			}
			inc.Tasks, want[task.ID] = append(inc.Tasks, task), task
		}
		s.Append(&inc)
	}
	snapshot := s.Snapshot()
	for id := range next + 2 {
		planned, after, known := snapshot.Before(id)
		task, there := want[id]
		if known != there || planned != task.Planned || fmt.Sprint(after) != fmt.Sprint(task.After) {
			t.Fatalf("t%d: %d after %v, %v; wanted %+v, %v", id, planned, after, known, task, there)
		}
	}
}
