package detail

import (
	"sort"

	"weft/profiler"
)

// Track names a row of a lane.
type Track struct {
	Lane, Row int
}

// Window is a stretch of time that is drawn on some pixels.
type Window struct {
	T0, T1 int64
	Px     int
}

// Bar is what is drawn of a track. A span of at least a pixel, or one that is alone in its pixel, is drawn as it is,
// with Count 1 and its own times. What is left of a pixel is drawn together: Count spans start in it, Busy of its
// nanoseconds are covered, and Ref is one of the longest of them. Where only sums are kept, each pixel has the count of
// a stretch of several.
type Bar struct {
	Start, End int64
	Busy       int64
	Ref        uint32
	Count      uint32
	Group      uint32
	Merged     bool // more than one span, or parts of spans
}

// pixel gathers the spans that are shorter than it.
type pixel struct {
	busy    float64
	longest float32 // or the busy time of the busiest bucket
	count   uint32
	ref     uint32
	group   uint32
	bucket  bool // holds a bucket, whose spans are not known one by one
}

// View appends what a window shows of a track. Its cost is that of the pixels, not that of the spans.
// The scratch, which may be nil, saves memory from one call to the next.
func (s *Store) View(dst []Bar, tr Track, w Window, scratch *Scratch) []Bar {
	if tr.Lane >= len(s.lanes) || tr.Row >= len(s.lanes[tr.Lane].tracks) || w.T1 <= w.T0 || w.Px <= 0 {
		return dst
	}
	v := &viewer{l: s.lanes[tr.Lane], w: w, dst: dst, perPixel: max((w.T1-w.T0)/int64(w.Px), 1)}
	if scratch == nil {
		scratch = &Scratch{}
	}
	n := int((w.T1-w.T0)/v.perPixel + 1)
	if len(scratch.pixels) < n {
		scratch.pixels = make([]pixel, n)
	}
	v.pixels = scratch.pixels[:n]
	v.first, v.last, v.begin = n, -1, w.T0
	v.track(v.l.tracks[tr.Row])
	return v.emit()
}

// TrackVersion returns a number that changes when a track gets spans.
func (s *Store) TrackVersion(tr Track) uint64 {
	if tr.Lane >= len(s.lanes) || tr.Row >= len(s.lanes[tr.Lane].tracks) {
		return 0
	}
	return s.lanes[tr.Lane].tracks[tr.Row].version
}

// TrackEnd returns the end of the last span of a track.
func (s *Store) TrackEnd(tr Track) int64 {
	if tr.Lane >= len(s.lanes) || tr.Row >= len(s.lanes[tr.Lane].tracks) {
		return 0
	}
	return s.lanes[tr.Lane].tracks[tr.Row].end
}

// Scratch is memory that calls of View by one goroutine share.
type Scratch struct{ pixels []pixel } // all zero between calls

type viewer struct {
	l        *lane
	w        Window
	dst      []Bar
	pixels   []pixel
	perPixel int64
	first    int // pixels that hold something
	last     int
	x        int   // the pixel of the time before
	begin    int64 // where it begins
}

// level is the coarsest level whose buckets are no wider than a pixel, -1 if there is none.
func (v *viewer) level(t *track) int {
	level := -1
	for level+1 < len(t.levels) && width(level+1) <= v.perPixel {
		level++
	}
	return level
}

func (v *viewer) track(t *track) {
	level := v.level(t)
	if level >= 0 {
		v.buckets(t.levels[level], level)
	}
	if level < t.thinLevel && v.w.T0 < t.thinEnd {
		v.blur(t)
	}
	for class := level + 1; class < classes; class++ {
		v.spans(t.lists[class])
	}
}

// buckets adds those of a level to the pixels in which their middles lie.
func (v *viewer) buckets(rows []bucket, level int) {
	shift := baseBits + 2*level
	half := width(level) / 2
	at := sort.Search(len(rows), func(i int) bool { return rows[i].key<<shift+half >= v.w.T0 })
	// This loop runs a few times per pixel and track, and is most of the work of a wide view.
	for at < len(rows) {
		middle := rows[at].key<<shift + half
		if middle >= v.w.T1 {
			return
		}
		p := v.pixel(middle)
		for end := min(v.begin+v.perPixel, v.w.T1); at < len(rows) && rows[at].key<<shift+half < end; at++ {
			b := &rows[at]
			p.busy += float64(b.busy)
			p.count += b.count
			if b.busy >= p.longest {
				p.ref, p.group, p.longest = b.ref, b.group, b.busy
			}
		}
		p.bucket = true
	}
}

// pixel returns the pixel of a time. Times come in order but for the beginning of a list, so that it is mostly
// the pixel of the time before, or the next one; a division for each would be half of all the work.
func (v *viewer) pixel(t int64) *pixel {
	if t < v.begin || t >= v.begin+2*v.perPixel {
		v.x = int((t - v.w.T0) / v.perPixel)
		v.begin = v.w.T0 + int64(v.x)*v.perPixel
	} else if t >= v.begin+v.perPixel {
		v.x++
		v.begin += v.perPixel
	}
	v.first, v.last = min(v.first, v.x), max(v.last, v.x)
	return &v.pixels[v.x]
}

// spans adds the spans of a list: long ones as bars, short ones to the pixels of their middles.
func (v *viewer) spans(refs []uint32) {
	at := sort.Search(len(refs), func(i int) bool { return v.l.record(refs[i]).End > v.w.T0 })
	for ; at < len(refs); at++ {
		rec := v.l.record(refs[at])
		if rec.Start >= v.w.T1 {
			return
		}
		if rec.End-rec.Start >= v.perPixel {
			v.whole(refs[at], rec)
			continue
		}
		middle := min(max(rec.Start+(rec.End-rec.Start)/2, v.w.T0), v.w.T1-1)
		p := v.pixel(middle)
		length := float32(rec.End - rec.Start)
		p.busy += float64(length)
		p.count++
		if length >= p.longest {
			p.ref, p.group, p.longest = refs[at], v.l.group(refs[at]), length
		}
	}
}

func (v *viewer) whole(ref uint32, rec *profiler.Record) {
	v.dst = append(v.dst, Bar{
		Start: rec.Start, End: rec.End, Busy: rec.End - rec.Start, Ref: ref, Count: 1, Group: v.l.group(ref),
	})
}

// emit appends the pixels in which something is.
func (v *viewer) emit() []Bar {
	for i := v.first; i <= v.last; i++ {
		p := &v.pixels[i]
		switch {
		case p.count == 0 && p.busy == 0:
		case p.count == 1 && !p.bucket:
			v.whole(p.ref, v.l.record(p.ref))
		default:
			start := v.w.T0 + int64(i)*v.perPixel
			v.dst = append(v.dst, Bar{
				Start: start, End: start + v.perPixel, Busy: min(int64(p.busy), v.perPixel), Ref: p.ref, Count: p.count,
				Group: p.group, Merged: true,
			})
		}
		*p = pixel{}
	}
	return v.dst
}
