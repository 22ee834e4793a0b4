package profiler

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// replay does what a viewer does with the tracks: it looks at begins and ends in the order of time, those of one time
// in the order in which they were written, and an end closes the bar that was opened last. It returns when each bar
// ended.
func replay(t *Trace, l *tracks) []int64 {
	type event struct {
		at    int64
		rec   int
		begin bool
	}
	byTrack := map[int][]event{}
	ends := make([]int64, len(t.Records))
	for i := range t.Records {
		rec := &t.Records[i]
		ends[i] = rec.End
		if rec.Start < rec.End && l.of[i] != noTrack {
			track := l.number(rec, i)
			byTrack[track] = append(byTrack[track], event{rec.Start, i, true}, event{rec.End, i, false})
		}
	}
	for _, events := range byTrack {
		slices.SortStableFunc(events, func(a, b event) int { return int(a.at - b.at) })
		var open []int
		for _, e := range events {
			if e.begin {
				open = append(open, e.rec)
				continue
			}
			last := len(open) - 1
			ends[open[last]] = e.at
			open = open[:last]
		}
	}
	return ends
}

func randomRecords(rnd *rand.Rand, lanes, n int) *Trace {
	t := &Trace{Forms: make([]Form, 1), Labels: make([]Label, 1), Lost: make([]uint64, lanes)}
	devices := []string{"", "a", "b"}
	for range lanes {
		t.Lanes = append(t.Lanes, LaneInfo{Name: "lane", Device: devices[rnd.IntN(len(devices))]})
	}
	for i := range n {
		start := rnd.Int64N(60)
		rec := Record{Start: start, End: start + rnd.Int64N(30), Lane: uint16(rnd.IntN(lanes)), Kind: Run, Task: uint32(i + 1)}
		t.Records = append(t.Records, rec)
		task := Task{ID: rec.Task}
		for range rnd.IntN(4) {
			task.After = append(task.After, rnd.Uint32N(uint32(n)+1))
		}
		t.Tasks = append(t.Tasks, task)
	}
	t.sort()
	return t
}

func TestTracksNest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		trace := randomRecords(rnd, 1+rnd.IntN(4), rnd.IntN(60))
		l := layOut(trace)
		for i, end := range replay(trace, l) {
			if end != trace.Records[i].End {
				t.Fatalf("record %d of %v ends at %d on its track", i, trace.Records, end)
			}
		}
		lanes := map[int]uint16{}
		for i := range trace.Records {
			n := l.number(&trace.Records[i], i)
			if lane, known := lanes[n]; known && lane != trace.Records[i].Lane {
				t.Fatalf("lanes %d and %d share track %d", lane, trace.Records[i].Lane, n)
			}
			lanes[n] = trace.Records[i].Lane
		}
	}
}

// The arrows are those dependences of tasks that ran which the times allow, by the obvious search.
func TestArrows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		trace := randomRecords(rnd, 2, rnd.IntN(40))
		want := map[arrow]int{}
		for _, task := range trace.Tasks {
			for _, id := range task.After {
				for to := range trace.Records {
					for from := range trace.Records {
						a, b := &trace.Records[from], &trace.Records[to]
						before := a.End <= b.Start && (a.Start < b.Start || from < to)
						if b.Task == task.ID && a.Task == id && before {
							want[arrow{from, to}]++
						}
					}
				}
			}
		}
		list, all := arrows(trace)
		if all != len(list) {
			t.Fatalf("%d arrows of %d", len(list), all)
		}
		for _, a := range list {
			if want[a]--; want[a] < 0 {
				t.Fatalf("an arrow from %v to %v", trace.Records[a.from], trace.Records[a.to])
			}
			if want[a] == 0 {
				delete(want, a)
			}
		}
		if len(want) > 0 {
			t.Fatalf("no arrows for %v", want)
		}
	}
}

// More bars than there are tracks, each of which overlaps all others.
func TestCrowdedLane(t *testing.T) {
	trace := &Trace{Lanes: make([]LaneInfo, 2), Lost: make([]uint64, 2), Forms: make([]Form, 1), Labels: make([]Label, 1)}
	const n = maxTracks + 5
	for i := range int64(n) {
		trace.Records = append(trace.Records, Record{Start: i, End: 10_000 + i})
	}
	trace.Records = append(trace.Records, Record{Lane: 1, End: 5})
	l := layOut(trace)
	for i, track := range l.of[:n] {
		if want := uint16(min(i, noTrack)); track != want {
			t.Fatalf("bar %d is on track %d, wanted %d", i, track, want)
		}
	}
	if got := l.number(&trace.Records[n], n); got != maxTracks+2 {
		t.Errorf("the next lane begins with track %d, wanted %d", got, maxTracks+2)
	}
}
