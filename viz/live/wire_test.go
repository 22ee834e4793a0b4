package live

import (
	"testing"

	"weft/profiler"
	"weft/viz/detail"
)

// No request may bring the server down, or ask for more than its bounds.
func FuzzRequest(f *testing.F) {
	for _, text := range []string{
		`{"id":1,"view":{"t0":0,"t1":1e9,"px":100,"tracks":[{"lane":0,"row":1}],"usage":[[0,1]]}}`, `{"totals":{"t0":-5,"t1":5}}`,
		`{"search":{"text":"t1 >1ms"}}`, `{"next":{"text":"o1","start":3,"lane":0,"at":2,"back":true}}`, `{"marks":{"t0":0,"t1":9,"px":3,"text":"run","lanes":[0,7]}}`,
		`{"task":1}`, `{"bar":{"lane":1,"at":3}}`, `{"memory":{"t0":0,"t1":9,"px":4}}`, `{"path":{"t0":-9007199254740992,"t1":9007199254740992}}`,
	} {
		f.Add([]byte(text))
	}
	r := profiler.New(profiler.Options{})
	lane := r.Lane(profiler.LaneInfo{Name: "cpu0", Kind: "cpu"})
	for i := range uint32(300) {
		r.Task(i+1, 5, []uint32{i})
		lane.Record(profiler.Record{Start: int64(i) * 10, End: int64(i)*10 + 7, Task: i + 1, Op: i / 3, Kind: profiler.Kind(i % 8)})
	}
	shown := fixedFeed(r.Snapshot(), "fuzz", nil)
	f.Fuzz(func(t *testing.T, text []byte) {
		q, err := parseRequest(text)
		if err != nil {
			return
		}
		if q.View == nil {
			if _, err := shown.ask(q, func(float64, any) bool { return true }); err != nil {
				if err.Error() == "" {
					t.Fatal("a request was refused without a reason")
				}
			}
			return
		}
		v := &viewerConn{feed: shown, sent: map[detail.Track]sentTrack{}, shown: q.View}
		v.picture(true)
		v.plots()
	})
}
