package live

import (
	"slices"

	"github.com/gorilla/websocket"

	"weft/profiler"
	"weft/viz/detail"
)

// helloMessage begins, and begins anew where another recorder is followed from then on.
type helloMessage struct {
	Type    string           `json:"type"`
	Title   string           `json:"title"`
	Live    bool             `json:"live"`
	Origin  float64          `json:"origin"`
	Kinds   []pageKind       `json:"kinds"`
	Machine []profiler.Field `json:"machine"`
	Notes   []string         `json:"notes"`
	Runs    []pageRun        `json:"runs"`
}

// tablesMessage has rows for the ends of the tables.
type tablesMessage struct {
	Type string `json:"type"`
	pageTables
}

// pulseMessage says what goes on.
type pulseMessage struct {
	Type    string       `json:"type"`
	Now     float64      `json:"now"` // on the page's clock, when the message was made
	Start   float64      `json:"start"`
	End     float64      `json:"end"`
	Count   uint64       `json:"count"`   // records, those of which there are only sums as well
	Thinned uint64       `json:"thinned"` // records of which there are only sums
	Until   float64      `json:"until"`   // the end of the newest of these
	Stretch float64      `json:"stretch"` // how much time each sum stands for
	Dropped uint64       `json:"dropped"` // older records that the server no longer has
	Lost    uint64       `json:"lost"`    // records that the run has lost
	Hidden  uint64       `json:"hidden"`  // records without a row
	Loading bool         `json:"loading"` // the profile is still being read
	Rows    [][]int      `json:"rows"`    // of each lane, those that hold bars
	Running []runningBar `json:"running"`
}

// usageMessage has the plots of collapsed lanes: for each, how busy they were in each part of the view.
type usageMessage struct {
	Type  string      `json:"type"`
	ID    uint32      `json:"id"`
	T0    float64     `json:"t0"`
	T1    float64     `json:"t1"`
	Plots [][]float32 `json:"plots"`
}

// push sends what has changed, all of a view if that is new. It returns the channel that tells of the next change.
func (v *viewerConn) push(view *request) (changed <-chan struct{}, ok bool) {
	f := v.feed
	var messages []any
	var picture []byte
	changed = f.look(func() {
		if !f.fixed {
			return // nothing yet
		}
		if v.number != f.number || len(v.rows.Places) == 0 {
			v.begin()
			messages = append(messages, f.hello())
		}
		if rows, any := v.newRows(&f.catalog.tables); any {
			messages = append(messages, tablesMessage{"tables", rows})
		}
		if v.beat != f.beat {
			v.beat = f.beat
			messages = append(messages, f.pulse())
		}
		if view != nil {
			v.shown, v.shownID = view.View, view.ID
			clear(v.sent)
			v.usage = 0
		}
		if v.shown != nil {
			picture = v.picture(view != nil)
			if usage := v.plots(); usage != nil {
				messages = append(messages, usage)
			}
		}
	})
	for _, m := range messages {
		if !v.sendJSON(m) {
			return changed, false
		}
	}
	return changed, picture == nil || v.send(websocket.BinaryMessage, picture)
}

// begin forgets what the viewer was sent.
func (v *viewerConn) begin() {
	v.number, v.beat, v.rows, v.usage = v.feed.number, 0, pageTables{}, 0
	clear(v.sent)
}

func (f *feed) hello() helloMessage {
	return helloMessage{
		Type: "hello", Title: f.title, Live: f.live, Origin: float64(f.origin), Kinds: pageKinds(), Machine: orEmpty(f.machine), Notes: orEmpty(f.notes), Runs: orEmpty(f.runs),
	}
}

func (f *feed) pulse() pulseMessage {
	n := f.store.Count()
	start, end := f.store.Span()
	until, stretch := f.store.Thin()
	if n.Kept == 0 {
		start, end = f.origin, f.origin
	}
	m := pulseMessage{
		Type: "pulse", Now: float64(f.now - f.origin), Start: float64(start - f.origin), End: float64(end - f.origin), Lost: f.lost,
		Count: uint64(n.Kept) + n.Thinned, Thinned: n.Thinned, Until: float64(max(until, f.origin) - f.origin), Stretch: float64(stretch), Dropped: n.Dropped, Hidden: n.Crowded, Loading: f.loading, Running: slices.Clone(orEmpty(f.running)), Rows: [][]int{},
	}
	if f.recorder != nil {
		m.Now = float64(f.recorder.Now() - f.origin)
	}
	for lane := range f.store.Lanes() {
		rows := []int{}
		for row := range f.store.Rows(lane) {
			if f.store.TrackVersion(detail.Track{Lane: lane, Row: row}) != 0 {
				rows = append(rows, row)
			}
		}
		m.Rows = append(m.Rows, rows)
	}
	return m
}

// newRows returns the rows that the viewer has not got. Rows never change, so that they may be read later.
func (v *viewerConn) newRows(all *pageTables) (rows pageTables, any bool) {
	rows = pageTables{
		Lanes: slices.Clone(all.Lanes[len(v.rows.Lanes):]), Names: all.Names[len(v.rows.Names):], Places: all.Places[len(v.rows.Places):], Forms: all.Forms[len(v.rows.Forms):],
		Groups: all.Groups[len(v.rows.Groups):], Sources: all.Sources[len(v.rows.Sources):],
	}
	v.rows = pageTables{
		Lanes: all.Lanes[:len(all.Lanes):len(all.Lanes)], Names: all.Names[:len(all.Names):len(all.Names)], Places: all.Places[:len(all.Places):len(all.Places)],
		Forms: all.Forms[:len(all.Forms):len(all.Forms)], Groups: all.Groups[:len(all.Groups):len(all.Groups)], Sources: all.Sources[:len(all.Sources):len(all.Sources)],
	}
	return rows, len(rows.Lanes)+len(rows.Names)+len(rows.Places)+len(rows.Forms)+len(rows.Groups)+len(rows.Sources) > 0
}

// window returns the window that the viewer shows, on whole pixels.
func (v *viewerConn) window() (w detail.Window, perPixel int64) {
	w = v.shown.window.on(v.feed.origin)
	perPixel = max((w.T1-w.T0)/int64(w.Px), 1)
	w.Px = int((w.T1 - w.T0 + perPixel - 1) / perPixel)
	w.T1 = w.T0 + int64(w.Px)*perPixel
	return w, perPixel
}

// on puts a request's window on the recorder's clock.
func (w window) on(origin int64) detail.Window {
	t0, t1 := w.timeSpan.on(origin)
	return detail.Window{T0: t0, T1: t1, Px: w.Px}
}

func (s timeSpan) on(origin int64) (t0, t1 int64) {
	t0 = int64(s.T0) + origin
	return t0, max(int64(s.T1)+origin, t0+1)
}

// picture returns the frame of the tracks that have changed in the view, nil if there is none. A track that the
// viewer has is sent from the end of what it has on.
func (v *viewerConn) picture(always bool) []byte {
	f := v.feed
	w, perPixel := v.window()
	out := &v.out
	out.data = out.data[:0]
	n := 0
	out.pictureHead(v.shownID, w, f.origin, perPixel, 0)
	for _, tr := range v.shown.Tracks {
		if tr.Lane >= f.store.Lanes() || tr.Row >= f.store.Rows(tr.Lane) {
			continue
		}
		version, before := f.store.TrackVersion(tr), v.sent[tr]
		if version == before.version {
			continue
		}
		now := sentTrack{version, f.store.TrackEnd(tr)}
		v.sent[tr] = now
		from := w.T0
		if before.version != 0 {
			if before.end >= w.T1 {
				continue // what is new lies behind the view
			}
			from = w.T0 + max(before.end-w.T0, 0)/perPixel*perPixel
		}
		part := detail.Window{T0: from, T1: w.T1, Px: int((w.T1 - from) / perPixel)}
		v.bars = f.store.View(v.bars[:0], tr, part, &v.scratch)
		if from > w.T0 {
			v.bars = slices.DeleteFunc(v.bars, func(b detail.Bar) bool { return place(b, perPixel) < from })
		}
		out.picture(tr, from, w, perPixel, f.origin, v.bars, func(at uint32) *profiler.Record {
			rec, _ := f.store.Record(detail.Ref{Lane: uint16(tr.Lane), At: at})
			return rec
		})
		n++
	}
	if n == 0 && !always {
		return nil
	}
	out.setTracks(n)
	return out.data
}

// place is where a bar belongs when a view is cut: a long one where it starts, one that is shorter than a pixel to
// the pixel of its middle.
func place(b detail.Bar, perPixel int64) int64 {
	if b.Merged || b.End-b.Start >= perPixel {
		return b.Start
	}
	return b.Start + (b.End-b.Start)/2
}

// plots returns the plots if the viewer shows any and they have changed.
func (v *viewerConn) plots() any {
	f := v.feed
	if len(v.shown.Usage) == 0 || v.usage == f.store.Version() {
		return nil
	}
	v.usage = f.store.Version()
	t0, t1 := v.shown.timeSpan.on(f.origin)
	w := detail.Window{T0: t0, T1: t1, Px: min(v.shown.Px, plotPixels)}
	m := usageMessage{Type: "usage", ID: v.shownID, T0: float64(t0 - f.origin), T1: float64(t1 - f.origin)}
	seen := map[int]bool{} // a lane is in one plot, so that no request costs more than the lanes that there are
	for _, lanes := range v.shown.Usage {
		sum := make([]float32, w.Px)
		for _, lane := range lanes {
			if seen[lane] {
				continue
			}
			seen[lane] = true
			for x, u := range f.store.Usage(lane, w) {
				sum[x] += u / float32(len(lanes))
			}
		}
		m.Plots = append(m.Plots, sum)
	}
	return m
}

// plotPixels is how many parts a plot has at most.
const plotPixels = 400
