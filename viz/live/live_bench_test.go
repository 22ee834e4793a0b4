package live

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"weft/profiler"
	"weft/viz/detail"
)

// wideTrace is n tasks of 5 to 70 us on some lanes, as a long run leaves them.
func wideTrace(n, lanes int) *profiler.Trace {
	r := rand.New(rand.NewPCG(8, 8))
	t := &profiler.Trace{Forms: []profiler.Form{{}}, Labels: []profiler.Label{{}}, Lost: make([]uint64, lanes), Records: make([]profiler.Record, 0, n)}
	t.Sources = []profiler.Source{{ID: 1, Name: "run.py", Text: "a = 1\nb = a + 1\n"}}
	for i := range 20 {
		t.Forms = append(t.Forms, profiler.Form{Name: fmt.Sprint("op", i), Kind: "map", Where: profiler.Where{Source: 1, Line: int32(i%2 + 1)}})
		t.Ops = append(t.Ops, profiler.Op{ID: uint32(i + 1), Form: uint32(i + 1)})
	}
	for lane := range lanes {
		name := fmt.Sprint("cpu", lane)
		t.Lanes = append(t.Lanes, profiler.LaneInfo{Name: name, Kind: "cpu", Device: fmt.Sprint("node", lane/16)})
		now := int64(0)
		for range n / lanes {
			now += r.Int64N(10e3)
			end := now + 5e3 + r.Int64N(65e3)
			t.Records = append(t.Records, profiler.Record{Start: now, End: end, Bytes: 4096, Task: uint32(len(t.Records) + 1), Op: 1 + r.Uint32N(20), Lane: uint16(lane)})
			now = end
		}
	}
	return t
}

// BenchmarkAnswer10M is what the server does for one view of ten million spans on 64 lanes of 2000 pixels: find the
// bars and write the message. With WEFT_BENCH_PROFILE=FILE it also leaves the profile, for tests/bench_prof/viewer.py.
func BenchmarkAnswer10M(b *testing.B) {
	t := wideTrace(10_000_000, 64)
	if name := os.Getenv("WEFT_BENCH_PROFILE"); name != "" {
		if err := profiler.WriteFile(name, t); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("store", func(b *testing.B) {
		for b.Loop() {
			wholeStore(t)
		}
	})
	f := fixedFeed(t, "bench", nil)
	start, end := f.store.Span()
	var tracks []detail.Track
	for lane := range f.store.Lanes() {
		tracks = append(tracks, detail.Track{Lane: lane, Row: 1})
	}
	for _, c := range []struct {
		name string
		part int64
	}{{"whole", 1}, {"tenth", 10}, {"hundredth", 100}, {"thousandth", 1000}, {"exact", 100_000}} {
		b.Run(c.name, func(b *testing.B) {
			t0 := float64((end - start) / 3 * min(c.part-1, 1))
			v := &viewerConn{feed: f, sent: map[detail.Track]sentTrack{}}
			v.shown = &viewRequest{window: window{timeSpan{t0, t0 + float64((end-start)/c.part)}, 2000}, Tracks: tracks}
			n := 0
			for b.Loop() {
				clear(v.sent)
				n = len(v.picture(true))
			}
			b.ReportMetric(float64(n), "bytes")
		})
	}
	ask := func(r *request) {
		if _, err := f.ask(r, func(float64, any) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("totals", func(b *testing.B) {
		for b.Loop() {
			ask(&request{Totals: &timeSpan{float64(end) / 7, float64(end) / 2}})
		}
	})
	b.Run("search", func(b *testing.B) {
		for b.Loop() {
			ask(&request{Search: &textRequest{"op7 >60us"}})
		}
	})
}
