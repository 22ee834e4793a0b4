package live

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"weft/profiler"
	"weft/viz/detail"
)

// Bounds of what a viewer may ask. FORMAT.md describes the messages.
const (
	maxRequest = 256 << 10 // bytes
	maxPixels  = 8192
	maxAsked   = 4096 // tracks or lanes in one request
	maxText    = 1000 // of a search
)

// request is what a viewer asks: one of the fields is set. Times are nanoseconds since the page's time 0.
type request struct {
	ID     uint32       `json:"id"`
	View   *viewRequest `json:"view"`
	Totals *timeSpan    `json:"totals"`
	Search *textRequest `json:"search"`
	Next   *nextRequest `json:"next"`
	Marks  *markRequest `json:"marks"`
	Task   *uint32      `json:"task"`
	Bar    *barRef      `json:"bar"`
	Memory *window      `json:"memory"`
	Path   *timeSpan    `json:"path"`
}

type timeSpan struct {
	T0 float64 `json:"t0"`
	T1 float64 `json:"t1"`
}

type window struct {
	timeSpan
	Px int `json:"px"`
}

// viewRequest says what a viewer shows from now on.
type viewRequest struct {
	window
	Tracks []detail.Track `json:"tracks"`
	Usage  [][]int        `json:"usage"` // groups of lanes that are shown as plots
}

type textRequest struct {
	Text string `json:"text"`
}

type nextRequest struct {
	Text  string  `json:"text"`
	Start float64 `json:"start"`
	barRef
	Back bool `json:"back"`
}

type markRequest struct {
	window
	Text  string `json:"text"`
	Lanes []int  `json:"lanes"`
}

type barRef struct {
	Lane uint16 `json:"lane"`
	At   uint32 `json:"at"`
}

// parseRequest reads one message of a viewer and takes nothing on trust.
func parseRequest(text []byte) (*request, error) {
	if len(text) > maxRequest {
		return nil, fmt.Errorf("a request of %d bytes, wanted at most %d", len(text), maxRequest)
	}
	r := &request{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("a request that is not JSON as FORMAT.md has it: %w", err)
	}
	return r, r.check()
}

func (r *request) check() error {
	asked := 0
	if r.View != nil {
		asked++
	}
	for k := range questions {
		if questions[k].asked(r) {
			asked++
		}
	}
	if asked != 1 {
		return fmt.Errorf("a request asks %d things, wanted one", asked)
	}
	var spans []timeSpan
	var pixels []int
	var text string
	var lanes []int
	switch {
	case r.View != nil:
		spans, pixels = append(spans, r.View.timeSpan), append(pixels, r.View.Px)
		if len(r.View.Tracks) > maxAsked || len(r.View.Usage) > maxAsked {
			return fmt.Errorf("a view of %d tracks and %d plots, wanted at most %d", len(r.View.Tracks), len(r.View.Usage), maxAsked)
		}
		for _, t := range r.View.Tracks {
			lanes = append(lanes, t.Lane, t.Row)
		}
		for _, plot := range r.View.Usage {
			lanes = append(lanes, plot...)
		}
		if len(lanes) > 4*maxAsked {
			return fmt.Errorf("a view of %d lanes, wanted at most %d", len(lanes), 4*maxAsked)
		}
	case r.Totals != nil:
		spans = append(spans, *r.Totals)
	case r.Path != nil:
		spans = append(spans, *r.Path)
	case r.Memory != nil:
		spans, pixels = append(spans, r.Memory.timeSpan), append(pixels, r.Memory.Px)
	case r.Marks != nil:
		spans, pixels, text = append(spans, r.Marks.timeSpan), append(pixels, r.Marks.Px), r.Marks.Text
		if lanes = r.Marks.Lanes; len(lanes) > maxAsked {
			return fmt.Errorf("marks on %d lanes, wanted at most %d", len(lanes), maxAsked)
		}
	case r.Search != nil:
		text = r.Search.Text
	case r.Next != nil:
		text = r.Next.Text
	}
	for _, s := range spans {
		if !(s.T0 < s.T1) || math.Abs(s.T0) > maxTime || math.Abs(s.T1) > maxTime {
			return fmt.Errorf("the time from %g to %g ns, wanted t0 < t1 and both less than 2^53", s.T0, s.T1)
		}
	}
	for _, px := range pixels {
		if px < 1 || px > maxPixels {
			return fmt.Errorf("%d pixels, wanted 1 to %d", px, maxPixels)
		}
	}
	for _, lane := range lanes {
		if lane < 0 {
			return fmt.Errorf("lane or row %d, wanted 0 or more", lane)
		}
	}
	if len(text) > maxText {
		return fmt.Errorf("a search of %d bytes, wanted at most %d", len(text), maxText)
	}
	return nil
}

// maxTime bounds times, so that they are exact in a float64.
const maxTime = 1 << 53

// frame builds a binary message: little-endian columns, each aligned to its width.
type frame struct{ data []byte }

func (f *frame) u32(v uint32) { f.data = binary.LittleEndian.AppendUint32(f.data, v) }
func (f *frame) f64(v float64) {
	f.data = binary.LittleEndian.AppendUint64(f.data, math.Float64bits(v))
}

// pad aligns to 8 bytes.
func (f *frame) pad() {
	for len(f.data)%8 != 0 {
		f.data = append(f.data, 0)
	}
}

// pictureMagic begins a picture: "weft" and the version of the message.
const pictureMagic = 0x31747765 // "ewt1"

// pictureHead begins a picture of some tracks.
func (f *frame) pictureHead(id uint32, w detail.Window, origin, perPixel int64, tracks int) {
	f.u32(pictureMagic)
	f.u32(id)
	f.f64(float64(w.T0 - origin))
	f.f64(float64(perPixel))
	f.u32(uint32(w.Px))
	f.u32(uint32(tracks))
}

// picture adds a track: what is drawn from some time on, which replaces what was drawn there before. It writes all
// columns in one pass, because there may be a hundred thousand bars and a few milliseconds.
func (f *frame) picture(tr detail.Track, from int64, w detail.Window, perPixel, origin int64, bars []detail.Bar, record func(uint32) *profiler.Record) {
	whole := 0
	for i := range bars {
		if !bars[i].Merged {
			whole++
		}
	}
	merged := len(bars) - whole
	f.u32(uint32(tr.Lane))
	f.u32(uint32(tr.Row))
	f.u32(uint32(whole))
	f.u32(uint32(merged))
	f.f64(float64(from - origin))
	first := len(f.data)
	f.data = slices.Grow(f.data, 40*whole+20*merged+8)[:first+40*whole+20*merged]
	a, b := f.data[first:first+40*whole], f.data[first+40*whole:]
	le := binary.LittleEndian
	i, k := 0, 0
	for n := range bars {
		bar := &bars[n]
		if bar.Merged {
			le.PutUint32(b[4*k:], uint32((bar.Start-w.T0)/perPixel))
			le.PutUint32(b[4*(merged+k):], bar.Count)
			le.PutUint32(b[4*(2*merged+k):], bar.Group)
			le.PutUint32(b[4*(3*merged+k):], bar.Ref)
			le.PutUint32(b[4*(4*merged+k):], math.Float32bits(float32(float64(bar.Busy)/float64(bar.End-bar.Start))))
			k++
			continue
		}
		rec := record(bar.Ref)
		le.PutUint64(a[8*i:], math.Float64bits(float64(bar.Start-origin)))
		le.PutUint64(a[8*(whole+i):], math.Float64bits(float64(bar.End-bar.Start)))
		le.PutUint64(a[8*(2*whole+i):], math.Float64bits(float64(rec.Bytes)))
		le.PutUint32(a[24*whole+4*i:], rec.Task)
		le.PutUint32(a[24*whole+4*(whole+i):], rec.Op)
		le.PutUint32(a[24*whole+4*(2*whole+i):], bar.Group)
		le.PutUint32(a[24*whole+4*(3*whole+i):], bar.Ref)
		i++
	}
	f.pad()
}

// setTracks writes the number of tracks into the head.
func (f *frame) setTracks(n int) { binary.LittleEndian.PutUint32(f.data[28:], uint32(n)) }
