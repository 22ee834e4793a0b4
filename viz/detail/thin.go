package detail

import (
	"slices"
	"sort"

	"weft/profiler"
)

// A store that is full thins its oldest chunks: their sums stay, and of their records those that are longer than a
// bucket of the thin level. So the whole run is there for a view of everything, for totals and for what a search
// counts, and a view of an old part shows it as sharp as the buckets of that level are. The level rises as the run
// grows, so that its buckets cost a bounded part of the memory.

// thinBuckets is how many buckets of the thin level all tracks may have together: about 400 MB.
const thinBuckets = 1 << 24

// Bounds of the buckets of a track.
const (
	fewestThin = 64
	mostThin   = 1 << 17
)

// shrink makes room, and reports whether it could.
func (s *Store) shrink() bool {
	if s.thinLimit == 0 {
		return s.dropOldest(0)
	}
	var oldest *lane
	for _, l := range s.lanes {
		if len(l.chunks)-1 > l.thin && (oldest == nil || l.chunks[l.thin].sum.end < oldest.chunks[oldest.thin].sum.end) {
			oldest = l
		}
	}
	if oldest == nil { // the long records of all are too many
		return s.long() > 0 && (s.raiseThin(s.thinLevel+1) || s.dropOldest(0))
	}
	s.raiseThin(s.thinLevel)
	s.thinNext(oldest)
	for s.thinned > uint64(s.thinLimit) && s.dropOldest(1) {
	}
	return true
}

// long is how many records thin chunks have.
func (s *Store) long() (n int) {
	for _, l := range s.lanes {
		for k := range l.thin {
			n += len(l.chunks[k].records)
		}
	}
	return n
}

// raiseThin brings the thin level to at least so much, and to where its buckets are few enough. It reports whether it
// is another one.
func (s *Store) raiseThin(level int) bool {
	tracks := 0
	for _, l := range s.lanes {
		tracks += len(l.tracks)
	}
	most := int64(min(max(s.buckets/max(tracks, 1), fewestThin), mostThin))
	for level < maxLevels-1 && (s.end-s.start)/width(level) > most {
		level++
	}
	if level = min(level, maxLevels-1); level == s.thinLevel {
		return false
	}
	s.thinLevel = level
	for _, l := range s.lanes {
		end := l.first + uint32(l.thin)<<chunkBits
		for _, t := range l.tracks {
			t.thin(&l.rows, end, level)
		}
		for k := range l.thin {
			s.thinChunk(&l.chunks[k])
		}
	}
	return true
}

// thinNext thins the oldest chunk of a lane that is whole.
func (s *Store) thinNext(l *lane) {
	end := l.first + uint32(l.thin+1)<<chunkBits
	for _, t := range l.tracks {
		t.thin(&l.rows, end, s.thinLevel)
	}
	s.thinChunk(&l.chunks[l.thin])
	l.thin++
}

// thinChunk keeps the long records of a chunk.
func (s *Store) thinChunk(c *chunk) {
	records, groups, kept := []profiler.Record{}, []uint32{}, []uint16{}
	for i := range c.records {
		if rec := &c.records[i]; classOf(rec.End-rec.Start) > s.thinLevel {
			records, groups, kept = append(records, *rec), append(groups, c.groups[i]), append(kept, uint16(c.number(i)))
		}
	}
	gone := len(c.records) - len(records)
	c.records, c.groups, c.kept, c.thin = slices.Clip(records), slices.Clip(groups), slices.Clip(kept), true
	s.count -= gone
	s.thinned += uint64(gone)
}

// thin forgets the short records before a number, and the levels that are finer than the thin one. It is called before
// these records go.
func (t *track) thin(l *rows, before uint32, level int) {
	for len(t.levels) <= level {
		t.grow(l)
	}
	t.thinLevel = level
	for class := range level + 1 {
		refs := t.lists[class]
		if n := sort.Search(len(refs), func(i int) bool { return refs[i] >= before }); n > 0 {
			t.thinEnd = max(t.thinEnd, l.record(refs[n-1]).End)
			t.lists[class] = refs[n:]
		}
	}
	for fine := range level {
		t.dropBuckets(fine, before)
	}
}

// dropOldest drops the chunk of which all records ended first, and reports whether there was one. Those that go have at
// least so many chunks behind them that are thin.
func (s *Store) dropOldest(thin int) bool {
	var oldest *lane
	for _, l := range s.lanes {
		if len(l.chunks) > 1 && l.thin >= thin && (oldest == nil || l.chunks[0].sum.end < oldest.chunks[0].sum.end) {
			oldest = l
		}
	}
	if oldest == nil {
		return false
	}
	gone := &oldest.chunks[0]
	s.count -= len(gone.records)
	s.dropped += uint64(gone.sum.n)
	if gone.thin {
		s.thinned -= uint64(gone.sum.n - len(gone.records))
		oldest.thin--
	}
	*gone, oldest.chunks = chunk{}, oldest.chunks[1:]
	oldest.first += chunkRows
	for _, t := range oldest.tracks {
		t.dropBefore(oldest.first)
	}
	oldest.memory.dropBefore(oldest.chunks[0].sum.start)
	s.start = s.end
	for _, l := range s.lanes {
		for i := range l.chunks {
			s.start = min(s.start, l.chunks[i].sum.start)
		}
	}
	return true
}

// Thin says up to when some records are there in sums only, and how long the stretches are that these add up; zeros if
// none is.
func (s *Store) Thin() (until, stretch int64) {
	for _, l := range s.lanes {
		for _, t := range l.tracks {
			until = max(until, t.thinEnd)
		}
	}
	if until == 0 {
		return 0, 0
	}
	return until, width(s.thinLevel)
}

// blur adds to the pixels what is known of the thin part of a track: each bucket of the thin level to all pixels that
// it covers.
func (v *viewer) blur(t *track) {
	shift := baseBits + 2*t.thinLevel
	rows := t.levels[t.thinLevel]
	end := min(v.w.T1, t.thinEnd)
	at := sort.Search(len(rows), func(i int) bool { return (rows[i].key+1)<<shift > v.w.T0 })
	for ; at < len(rows) && rows[at].key<<shift < end; at++ {
		b := &rows[at]
		from, to := max(b.key<<shift, v.w.T0), min((b.key+1)<<shift, end)
		dense := float64(b.busy) / float64(width(t.thinLevel))
		for from < to {
			p := v.pixel(from)
			next := min(v.begin+v.perPixel, to)
			p.busy += dense * float64(next-from)
			p.count += b.count
			if b.busy >= p.longest {
				p.ref, p.group, p.longest = b.ref, b.group, b.busy
			}
			p.bucket = true
			from = next
		}
	}
}
