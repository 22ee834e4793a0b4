package detail_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/profiler"
	"weft/viz/detail"
)

// A slow twin of the search tells the words' meaning record by record.
func slowMatch(tr *profiler.Trace, rec *profiler.Record, text string) bool {
	for _, word := range strings.Fields(text) {
		var ok bool
		switch {
		case word == "t77":
			ok = rec.Task == 77
		case word == "o12":
			ok = rec.Op == 12
		case word == ">100us":
			ok = rec.End-rec.Start >= 100e3
		case word == "<2us":
			ok = rec.End-rec.Start <= 2000
		case word == "kind:copy":
			ok = rec.Kind == profiler.Copy
		case word == "on:cpu1":
			ok = rec.Lane == 1
		case word == "line:2":
			ok = tr.WhereOf(rec).Line == 2
		case word == "cpu0":
			ok = rec.Lane == 0
		default:
			ok = strings.Contains(tr.Name(rec), word) || strings.Contains(tr.FormOf(rec.Op).Name, word)
		}
		if !ok {
			return false
		}
	}
	return true
}

func goOn(float64) bool { return true }

func TestSearchAgainstTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	rec := record(r, 3, 6000)
	tr := rec.trace(t)
	for name, s := range map[string]*detail.Store{"live": rec.live(r, detail.Options{}), "after": detail.Of(tr)} {
		for _, text := range []string{"op3", "halo", "t77", "o12", ">100us", "<2us op1", "kind:copy on:cpu1", "line:2 cpu0", "cpu0 halo >100us", "nothing"} {
			q, err := detail.ParseQuery(text)
			if err != nil {
				t.Fatal(err)
			}
			var want []profiler.Record
			for i := range tr.Records {
				if slowMatch(tr, &tr.Records[i], text) {
					want = append(want, tr.Records[i])
				}
			}
			snapshot := s.Snapshot()
			x := snapshot.Search(q)
			for x.Step(100) {
			}
			if x.Count != int64(len(want)) || x.Found != (len(want) > 0) {
				t.Errorf("%s: %q finds %d, wanted %d", name, text, x.Count, len(want))
				continue
			}
			slices.SortStableFunc(want, func(a, b profiler.Record) int {
				return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Lane, b.Lane))
			})
			var at detail.Ref
			start := int64(-1)
			for k := range min(len(want), 30) {
				ref, found, _ := snapshot.Next(q, start, at, false, goOn)
				got, _ := s.Record(ref)
				if !found || got.Start != want[k].Start || got.Lane != want[k].Lane {
					t.Fatalf("%s: hit %d of %q is %v, wanted %v", name, k, text, got, want[k])
				}
				at, start = ref, got.Start
			}
			if len(want) > 0 {
				ref, found, _ := snapshot.Next(q, 1<<52, detail.Ref{}, true, goOn)
				last, _ := s.Record(ref)
				if !found || last.Start != want[len(want)-1].Start {
					t.Errorf("%s: the last hit of %q is %v, wanted %v", name, text, last, want[len(want)-1])
				}
			}
		}
	}
}

func TestQueriesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{">fast": `the length "fast"`, "<": `the length ""`, strings.Repeat("x ", 40): "40 words", ">1e300s": "the length"} {
		if _, err := detail.ParseQuery(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives the error %v, wanted %q", text, err, want)
		}
	}
	if q, err := detail.ParseQuery("  \n"); q != nil || err != nil {
		t.Errorf("no words give %v, %v", q, err)
	}
}

func FuzzParseQuery(f *testing.F) {
	f.Add("t45 >10ms on:gpu0 kind:copy line:3 matmul")
	s := detail.New(detail.Options{})
	f.Fuzz(func(t *testing.T, text string) {
		if q, err := detail.ParseQuery(text); err == nil && q != nil {
			s.Snapshot().Search(q).Step(10)
		}
	})
}

// Tasks wait for each other in a chain of lanes; the path is the longest chain.
func TestCriticalPathAgainstTwin(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 6))
		inc := profiler.Increment{Lanes: []profiler.LaneInfo{{Name: "cpu0"}, {Name: "cpu1"}, {Name: "program"}}}
		type wait struct {
			end  int64
			task uint32
		}
		var waits []wait
		var planned int64
		n := 2 + r.IntN(12)
		ends := map[uint32]int64{}
		now := [2]int64{}
		for id := uint32(1); id <= uint32(n); id++ {
			var after []uint32
			if id > 1 && r.IntN(4) == 0 { // the program waits for a value, and plans the rest then
				w := wait{task: 1 + r.Uint32N(id-1)}
				w.end = max(planned, ends[w.task])
				inc.Records = append(inc.Records, profiler.Record{Start: planned, End: w.end, Task: w.task, Lane: 2, Kind: profiler.Wait})
				waits, planned = append(waits, w), w.end
			}
			lane := r.IntN(2)
			start := max(now[lane], planned)
			for range r.IntN(3) {
				if id > 1 {
					before := 1 + r.Uint32N(id-1)
					after = append(after, before)
					start = max(start, ends[before])
				}
			}
			end := start + 1 + r.Int64N(50)
			ends[id], now[lane] = end, end
			inc.Tasks = append(inc.Tasks, profiler.Task{ID: id, Planned: planned, After: after})
			inc.Records = append(inc.Records, profiler.Record{Start: start, End: end, Task: id, Lane: uint16(lane)})
		}
		s := detail.New(detail.Options{})
		s.Append(&inc)
		length := map[uint32]int64{}
		for _, rec := range inc.Records {
			if rec.Kind == profiler.Run {
				length[rec.Task] = rec.End - rec.Start
			}
		}
		before := func(id uint32) []uint32 {
			all := slices.Clone(inc.Tasks[id-1].After)
			for _, w := range waits {
				if w.end <= inc.Tasks[id-1].Planned && w.task < id {
					all = append(all, w.task)
				}
			}
			return all
		}
		var longest func(id uint32) int64
		longest = func(id uint32) int64 {
			var most int64
			for _, a := range before(id) {
				most = max(most, longest(a))
			}
			return most + length[id]
		}
		var want int64
		for id := range length {
			want = max(want, longest(id))
		}
		snapshot := s.Snapshot()
		path, ok := snapshot.CriticalPath(0, 1<<40, 1<<20, goOn)
		if !ok || path.Count != len(path.Steps) {
			t.Fatalf("seed %d: %d steps of %d", seed, len(path.Steps), path.Count)
		}
		if tasks, more := snapshot.Tasks(0, 1<<40); path.Known != n || tasks != int64(n) || more {
			t.Fatalf("seed %d: the path is of %d of %d tasks, more %v; wanted %d of as many", seed, path.Known, tasks, more, n)
		}
		var along int64
		for i, step := range path.Steps {
			along += length[step.Task]
			if i > 0 && !slices.Contains(before(step.Task), path.Steps[i-1].Task) {
				t.Fatalf("seed %d: t%d did not wait for t%d", seed, step.Task, path.Steps[i-1].Task)
			}
		}
		if path.Time != want || along != want {
			t.Fatalf("seed %d: the path takes %d (its steps %d), wanted %d", seed, path.Time, along, want)
		}
		all := make([]uint32, n)
		for i := range all {
			all[i] = uint32(i + 1)
		}
		refs, _ := snapshot.Refs(all, goOn)
		for id := uint32(1); id <= uint32(n); id++ {
			var behind []uint32
			for _, task := range inc.Tasks {
				if slices.Contains(task.After, id) {
					behind = append(behind, task.ID)
				}
			}
			if got, _ := snapshot.Behind(id, goOn); !slices.Equal(got, behind) {
				t.Fatalf("behind t%d are %v, wanted %v", id, got, behind)
			}
			if ref, found := refs[id]; !found {
				t.Fatalf("t%d has no record", id)
			} else if rec, _ := s.Record(ref); rec.Task != id {
				t.Fatalf("the record of t%d is %v", id, rec)
			}
		}
	}
}

func TestMemoryAgainstTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	inc := profiler.Increment{Lanes: []profiler.LaneInfo{{Name: "gpu0 memory", Kind: "memory"}}}
	var level int64
	type point struct{ at, level int64 }
	points := []point{{-1, 0}}
	for now := int64(0); len(inc.Records) < 3000; now += 1 + r.Int64N(30) {
		rec := profiler.Record{Start: now, End: now, Bytes: 1 + r.Int64N(100), Kind: profiler.Alloc}
		if r.IntN(2) == 0 && level > 0 {
			rec.Kind, rec.Bytes = profiler.Free, min(rec.Bytes, level)
			level -= rec.Bytes
		} else {
			level += rec.Bytes
		}
		inc.Records = append(inc.Records, rec)
		points = append(points, point{now, level})
	}
	s := detail.New(detail.Options{})
	s.Append(&inc)
	for range 100 {
		w := detail.Window{T0: r.Int64N(40000), Px: 1 + r.IntN(300)}
		w.T1 = w.T0 + int64(w.Px)*(1+r.Int64N(100))
		got := s.Memory(0, w)
		step := (w.T1 - w.T0) / int64(w.Px)
		for x := range got {
			from := w.T0 + int64(x)*step
			var want int64
			for _, p := range points {
				if p.at < from {
					want = p.level
				}
			}
			for _, p := range points {
				if p.at >= from && p.at < from+step {
					want = max(want, p.level)
				}
			}
			if got[x] != want {
				t.Fatalf("%+v: pixel %d has %d, wanted %d", w, x, got[x], want)
			}
		}
	}
}

// More changes of a memory than are kept one by one: no pixel shows less than the most that was in use, or what never
// was.
func TestLongMemoryAgainstTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 14))
	s := detail.New(detail.Options{})
	s.Append(&profiler.Increment{Lanes: []profiler.LaneInfo{{Name: "gpu0 memory", Kind: "memory"}}})
	const n, px = 1_300_000, 500
	most := make([]int64, px)
	var level int64
	var inc profiler.Increment
	for i := range n {
		rec := profiler.Record{Start: int64(i), End: int64(i), Bytes: 1 + r.Int64N(100), Kind: profiler.Alloc}
		if r.IntN(2) == 0 && level > 0 {
			rec.Kind, rec.Bytes = profiler.Free, min(rec.Bytes, level)
			level -= rec.Bytes
		} else {
			level += rec.Bytes
		}
		x := i * px / n
		most[x] = max(most[x], level)
		inc.Records = append(inc.Records, rec)
	}
	s.Append(&inc)
	for x, got := range s.Memory(0, detail.Window{T0: 0, T1: n, Px: px}) {
		if high := max(most[x], most[max(x-1, 0)]); got < most[x] || got > high {
			t.Fatalf("pixel %d has %d, wanted %d to %d", x, got, most[x], high)
		}
	}
}

func BenchmarkView10M(b *testing.B) {
	s := big(10_000_000, 64)
	_, end := s.Span()
	for _, c := range []struct {
		name string
		part int64
	}{{"whole", 1}, {"tenth", 10}, {"hundredth", 100}, {"thousandth", 1000}, {"exact", 100000}} {
		b.Run(c.name, func(b *testing.B) {
			var bars []detail.Bar
			var scratch detail.Scratch
			w := detail.Window{T0: end / 3, T1: end/3 + end/c.part, Px: 2000}
			if c.part == 1 {
				w.T0, w.T1 = 0, end
			}
			for b.Loop() {
				bars = bars[:0]
				for lane := range s.Lanes() {
					for row := range s.Rows(lane) {
						bars = s.View(bars, detail.Track{Lane: lane, Row: row}, w, &scratch)
					}
				}
			}
			b.ReportMetric(float64(len(bars)), "bars")
		})
	}
	b.Run("totals", func(b *testing.B) {
		for b.Loop() {
			s.Snapshot().Totals(end/7, end/2)
		}
	})
}

// big is a store of n spans of 5 to 70 us on some lanes.
func big(n, lanes int) *detail.Store {
	r := rand.New(rand.NewPCG(8, 8))
	tr := &profiler.Trace{Forms: []profiler.Form{{}}, Labels: []profiler.Label{{}}, Lost: make([]uint64, lanes), Records: make([]profiler.Record, 0, n)}
	for i := range 20 {
		tr.Forms = append(tr.Forms, profiler.Form{Name: "op" + string(rune('a'+i))})
		tr.Ops = append(tr.Ops, profiler.Op{ID: uint32(i + 1), Form: uint32(i + 1)})
	}
	for lane := range lanes {
		tr.Lanes = append(tr.Lanes, profiler.LaneInfo{Name: "cpu", Kind: "cpu"})
		now := int64(0)
		for range n / lanes {
			now += r.Int64N(10e3)
			end := now + 5e3 + r.Int64N(65e3)
			tr.Records = append(tr.Records, profiler.Record{Start: now, End: end, Task: uint32(len(tr.Records) + 1), Op: 1 + r.Uint32N(20), Lane: uint16(lane)})
			now = end
		}
	}
	return detail.Of(tr)
}
