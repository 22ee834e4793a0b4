package detail_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/profiler"
	"weft/viz/detail"
)

// recording is a made-up run: what the lanes did, in the order in which it ended.
type recording struct {
	tables profiler.Increment
	rows   []profiler.Record
}

// record makes lanes whose spans have lengths of all magnitudes, some of them enclosed by others.
func record(r *rand.Rand, lanes, n int) *recording {
	rec := &recording{}
	rec.tables.Sources = []profiler.Source{{ID: 1, Name: "In [1]", Text: "a = b + c\nd = a @ a\n"}}
	for i := range 6 {
		rec.tables.Forms = append(rec.tables.Forms, profiler.Form{Name: fmt.Sprint("op", i), Where: profiler.Where{Source: 1, Line: int32(i%2 + 1)}})
	}
	rec.tables.Labels = []profiler.Label{{Name: "halo"}, {Name: "In [1]", Where: profiler.Where{Source: 1}}}
	for lane := range lanes {
		rec.tables.Lanes = append(rec.tables.Lanes, profiler.LaneInfo{Name: fmt.Sprint("cpu", lane), Kind: "cpu", Device: fmt.Sprint("cpu", lane)})
		now := int64(r.IntN(1000))
		for range n {
			length := int64(4) << r.IntN(20)
			length += r.Int64N(length)
			gap := int64(0)
			if r.IntN(3) > 0 {
				gap = r.Int64N(length + 1)
			}
			start := now + gap
			op := uint32(len(rec.rows)/3 + 1)
			row := profiler.Record{Start: start, End: start + length, Bytes: length, Task: uint32(len(rec.rows) + 1), Op: op, Lane: uint16(lane)}
			switch r.IntN(8) {
			case 0:
				row.Kind, row.Label = profiler.Copy, 1
			case 1: // it encloses two shorter ones, which end before it
				inner := row
				inner.Kind, inner.End = profiler.Wait, start+length/3
				rec.rows = append(rec.rows, inner)
				inner.Start, inner.End = inner.End, start+length/2
				rec.rows = append(rec.rows, inner)
			case 2:
				row.Kind, row.Label = profiler.Cell, 2
			}
			rec.rows = append(rec.rows, row)
			now = row.End
		}
	}
	for op := range uint32(len(rec.rows)/3 + 2) {
		rec.tables.Ops = append(rec.tables.Ops, profiler.Op{ID: op + 1, Form: op%6 + 1})
	}
	return rec
}

// trace is the recording as a file has it.
func (rec *recording) trace(t *testing.T) *profiler.Trace {
	t.Helper()
	tr := &profiler.Trace{
		Lanes: rec.tables.Lanes, Sources: rec.tables.Sources, Ops: rec.tables.Ops, Lost: make([]uint64, len(rec.tables.Lanes)),
		Forms: append([]profiler.Form{{}}, rec.tables.Forms...), Labels: append([]profiler.Label{{}}, rec.tables.Labels...),
		Records: slices.Clone(rec.rows),
	}
	slices.SortStableFunc(tr.Records, func(a, b profiler.Record) int {
		return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Task, b.Task))
	})
	if err := tr.Check(); err != nil {
		t.Fatal(err)
	}
	return tr
}

// live feeds a store in steps, the lanes interleaved.
func (rec *recording) live(r *rand.Rand, o detail.Options) *detail.Store {
	s := detail.New(o)
	byLane := make([][]profiler.Record, len(rec.tables.Lanes))
	for _, row := range rec.rows {
		byLane[row.Lane] = append(byLane[row.Lane], row)
	}
	first := rec.tables
	s.Append(&first)
	for left := len(rec.rows); left > 0; {
		var inc profiler.Increment
		for lane, rows := range byLane {
			n := min(r.IntN(20), len(rows))
			inc.Records = append(inc.Records, rows[:n]...)
			byLane[lane] = rows[n:]
			left -= n
		}
		s.Append(&inc)
	}
	return s
}

// spansOf are the records of a track, by start.
func spansOf(tr *profiler.Trace, rows []uint16, at detail.Track) []profiler.Record {
	var out []profiler.Record
	for i, rec := range tr.Records {
		if int(rec.Lane) == at.Lane && int(rows[i]) == at.Row {
			out = append(out, rec)
		}
	}
	return out
}

func TestRowsAreTheSameLiveAndAfter(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		rec := record(r, 3, 200)
		tr := rec.trace(t)
		live, after := rec.live(r, detail.Options{}), detail.Of(tr)
		rows := detail.Rows(tr)
		for lane := range tr.Lanes {
			if live.Rows(lane) != after.Rows(lane) {
				t.Fatalf("seed %d: lane %d has %d rows live, %d after", seed, lane, live.Rows(lane), after.Rows(lane))
			}
			for row := range after.Rows(lane) {
				at := detail.Track{Lane: lane, Row: row}
				want := spansOf(tr, rows, at)
				for i := 1; i < len(want); i++ {
					if want[i].Start < want[i-1].End {
						t.Fatalf("seed %d: %v and %v overlap in %v", seed, want[i-1], want[i], at)
					}
				}
				for name, s := range map[string]*detail.Store{"live": live, "after": after} {
					got := s.All(at)
					if len(got) != len(want) {
						t.Fatalf("seed %d, %s: %v has %d spans, wanted %d", seed, name, at, len(got), len(want))
					}
					for i := range got {
						if *got[i] != want[i] {
							t.Fatalf("seed %d, %s: span %d of %v is %v, wanted %v", seed, name, i, at, *got[i], want[i])
						}
					}
				}
			}
		}
	}
}

// The twin of View looks at every span: those of a pixel or more must be there as they are, and up to each pixel as
// many spans and as much busy time must have been drawn as there are, give or take what one pixel on either side holds.
func TestViewAgainstTwin(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 2))
		rec := record(r, 2, 3000)
		tr := rec.trace(t)
		rows := detail.Rows(tr)
		for name, s := range map[string]*detail.Store{"live": rec.live(r, detail.Options{}), "after": detail.Of(tr)} {
			for range 40 {
				at := detail.Track{Lane: r.IntN(2), Row: r.IntN(3)}
				_, end := tr.Span()
				length := max(end>>r.IntN(24), 100)
				t0 := r.Int64N(end) - length/2
				w := detail.Window{T0: t0, T1: t0 + length, Px: 1 + r.IntN(1500)}
				bars := s.View(nil, at, w, nil)
				if err := compareView(bars, spansOf(tr, rows, at), w); err != nil {
					t.Fatalf("seed %d, %s, %v, %+v: %v", seed, name, at, w, err)
				}
				for _, b := range bars {
					if _, group := s.Record(detail.Ref{Lane: uint16(at.Lane), At: b.Ref}); group != b.Group {
						t.Fatalf("seed %d, %s, %v: the bar %+v is of group %d", seed, name, at, b, group)
					}
				}
			}
		}
	}
}

func compareView(got []detail.Bar, spans []profiler.Record, w detail.Window) error {
	px := max((w.T1-w.T0)/int64(w.Px), 1)
	whole := map[[2]int64]int{}
	for _, s := range spans {
		if s.End-s.Start >= px && s.Start < w.T1 && s.End > w.T0 {
			whole[[2]int64{s.Start, s.End}]++
		}
	}
	type edge struct{ count, busy int64 }
	n := (w.T1-w.T0)/px + 3
	drawn := make([]edge, n)
	for _, b := range got {
		if !b.Merged && b.End-b.Start >= px {
			whole[[2]int64{b.Start, b.End}]--
			continue
		}
		p := min(max(((b.Start+b.End)/2-w.T0)/px, 0), n-1)
		drawn[p].count += int64(b.Count)
		drawn[p].busy += b.Busy
		if b.Busy > b.End-b.Start {
			return fmt.Errorf("the bar %+v is busier than it is long", b)
		}
	}
	for key, left := range whole {
		if left != 0 {
			return fmt.Errorf("the span %v is there %d times too few", key, left)
		}
	}
	there := make([]edge, n)
	for _, s := range spans {
		if s.End-s.Start < px && s.Start >= w.T0-px && s.Start < w.T1+px {
			p := min(max((s.Start-w.T0)/px, 0), n-1)
			there[p].count++
			there[p].busy += s.End - s.Start
		}
	}
	var a, low, high edge
	const slack = 3 // pixels: the bucket's width, and the edges of the window
	for p := range n {
		a.count += drawn[p].count
		low, high = edge{}, edge{}
		for q := int64(0); q < min(p+slack, n); q++ {
			high.count += there[q].count
			if q >= slack && q < p-slack {
				low.count += there[q].count
			}
		}
		if a.count < low.count || a.count > high.count {
			return fmt.Errorf("up to pixel %d %d spans are drawn, wanted %d to %d", p, a.count, low.count, high.count)
		}
	}
	return nil
}

func TestTotalsAgainstTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	rec := record(r, 3, 9000)
	tr := rec.trace(t)
	for name, s := range map[string]*detail.Store{"live": rec.live(r, detail.Options{}), "after": detail.Of(tr)} {
		_, end := tr.Span()
		for range 50 {
			t0 := r.Int64N(end)
			t1 := t0 + 1 + r.Int64N(end)>>r.IntN(20)
			type key struct {
				lane int
				name string
				kind profiler.Kind
				line int32
			}
			want := map[key]detail.Total{}
			for i := range tr.Records {
				row := &tr.Records[i]
				if row.Start >= t1 || row.End <= t0 && row.Start < t0 {
					continue
				}
				k := key{int(row.Lane), tr.Name(row), row.Kind, tr.WhereOf(row).Line}
				sum := want[k]
				sum.Count++
				sum.Time += min(row.End, t1) - max(row.Start, t0)
				sum.Bytes += row.Bytes
				want[k] = sum
			}
			got := map[key]detail.Total{}
			for _, sum := range s.Snapshot().Totals(t0, t1) {
				g := s.Groups()[sum.Group]
				k := key{sum.Lane, s.Name(g), g.Kind, s.Where(g).Line}
				all := got[k]
				all.Count, all.Time, all.Bytes = all.Count+sum.Count, all.Time+sum.Time, all.Bytes+sum.Bytes
				got[k] = all
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s: from %d to %d: got\n%v\nwant\n%v", name, t0, t1, got, want)
			}
		}
	}
}

func TestDropsTheOldest(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	rec := record(r, 2, 20000)
	s := rec.live(r, detail.Options{Limit: 12000})
	n := s.Count()
	if n.Kept > 12000+4096 || n.Kept+int(n.Dropped) != len(rec.rows) || n.Crowded+n.Thinned != 0 {
		t.Fatalf("%+v of %d", n, len(rec.rows))
	}
	start, end := s.Span()
	for lane := range 2 {
		for row := range s.Rows(lane) {
			for _, b := range s.View(nil, detail.Track{Lane: lane, Row: row}, detail.Window{T0: 0, T1: end, Px: 700}, nil) {
				if r, _ := s.Record(detail.Ref{Lane: uint16(lane), At: b.Ref}); r == nil {
					t.Fatalf("%+v refers to a record that was dropped", b)
				}
			}
		}
	}
	if start == 0 {
		t.Error("the trace still starts at 0")
	}
}
