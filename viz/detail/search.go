package detail

import "weft/profiler"

// Search is a query that goes on where it stopped, so that a search through a long trace keeps nobody else waiting.
type Search struct {
	s      *Store
	f      *filter
	lane   int
	number uint32 // of the next record of the lane that was not looked at

	Count int64 // hits so far
	Time  int64 // and their nanoseconds
	First Ref   // the hit that starts first
	Found bool
	start int64
}

// Search starts a search.
func (s *Store) Search(q *Query) *Search { return &Search{s: s, f: s.filter(q)} }

// Step looks through about n records, and reports whether there are more.
func (x *Search) Step(n int) (more bool) {
	x.f.more()
	for x.lane < len(x.s.lanes) && n > 0 {
		if x.lane >= len(x.f.lanes) {
			return false // a lane that came later
		}
		l := x.s.lanes[x.lane]
		x.number = max(x.number, l.first)
		at := int(x.number-l.first) >> chunkBits
		if at >= len(l.chunks) || x.number >= l.next {
			x.lane, x.number = x.lane+1, 0
			continue
		}
		n -= x.chunk(l, &l.chunks[at], l.first+uint32(at)<<chunkBits)
		x.number = l.first + uint32(at+1)<<chunkBits
	}
	return x.lane < len(x.s.lanes)
}

// chunk adds up the hits of a chunk, and returns what that cost.
func (x *Search) chunk(l *lane, c *chunk, first uint32) int {
	if !x.f.chunk(x.lane, c) {
		return 8
	}
	whole := x.f.single()
	if whole {
		for _, row := range c.sum.rows {
			if x.f.group(x.lane, row.group) {
				x.Count += int64(row.count)
				x.Time += row.time
			}
		}
		if x.Found && c.sum.start >= x.start {
			return len(c.sum.rows)
		}
	}
	for i := range c.records {
		rec := &c.records[i]
		if !x.f.record(x.lane, rec, c.groups[i]) {
			continue
		}
		if !whole {
			x.Count++
			x.Time += rec.End - rec.Start
		}
		if !x.Found || rec.Start < x.start {
			x.First, x.Found, x.start = Ref{uint16(x.lane), first + uint32(i)}, true, rec.Start
		}
	}
	return len(c.records)
}

// Matches returns for each group whether its records can match on some lane, for those who draw.
func (s *Store) Matches(q *Query) []bool {
	f := s.filter(q)
	out := make([]bool, len(f.groups))
	for g := range out {
		for lane := range f.lanes {
			if f.group(lane, uint32(g)) {
				out[g] = true
				break
			}
		}
	}
	return out
}

// compareHits orders hits as a reader steps through them: by start, then by lane and number.
func compareHits(aStart int64, a Ref, bStart int64, b Ref) int {
	switch {
	case aStart != bStart:
		if aStart < bStart {
			return -1
		}
		return 1
	case a.Lane != b.Lane:
		return int(a.Lane) - int(b.Lane)
	case a.At != b.At:
		if a.At < b.At {
			return -1
		}
		return 1
	}
	return 0
}

// Next returns the hit after a record that starts at some time, or the one before it.
func (s *Store) Next(q *Query, start int64, from Ref, back bool) (Ref, bool) {
	f := s.filter(q)
	var best Ref
	var bestStart int64
	found := false
	better := func(at int64, r Ref) bool {
		side := compareHits(at, r, start, from)
		if back {
			return side < 0 && (!found || compareHits(at, r, bestStart, best) > 0)
		}
		return side > 0 && (!found || compareHits(at, r, bestStart, best) < 0)
	}
	for lane, l := range s.lanes {
		for k := range l.chunks {
			c := &l.chunks[k]
			last := c.sum.end // no record starts later
			if !back && (last < start || found && c.sum.start > bestStart) || back && (c.sum.start > start || found && last < bestStart) || !f.chunk(lane, c) {
				continue
			}
			first := l.first + uint32(k)<<chunkBits
			for i := range c.records {
				rec := &c.records[i]
				r := Ref{uint16(lane), first + uint32(i)}
				if better(rec.Start, r) && f.record(lane, rec, c.groups[i]) {
					best, bestStart, found = r, rec.Start, true
				}
			}
		}
	}
	return best, found
}

// Marks sets in out, which has a byte for each pixel of a window, those pixels of a track's lane in which a hit starts or
// goes on. It looks at about n records at most and reports whether that was all.
func (s *Store) Marks(q *Query, id int, w Window, out []byte, n int) bool {
	if id >= len(s.lanes) || w.T1 <= w.T0 {
		return true
	}
	f := s.filter(q)
	scale := float64(len(out)) / float64(w.T1-w.T0)
	l := s.lanes[id]
	for k := range l.chunks {
		c := &l.chunks[k]
		if c.sum.end < w.T0 || c.sum.start >= w.T1 || !f.chunk(id, c) {
			continue
		}
		if n -= len(c.records); n < 0 {
			return false
		}
		for i := range c.records {
			rec := &c.records[i]
			if !touches(rec, w.T0, w.T1) || !f.record(id, rec, c.groups[i]) {
				continue
			}
			x0 := int(float64(max(rec.Start, w.T0)-w.T0) * scale)
			x1 := int(float64(min(rec.End, w.T1)-w.T0) * scale)
			for x := x0; x <= min(x1, len(out)-1); x++ {
				out[x] = 1
			}
		}
	}
	return true
}

// TaskRef returns the record of a task, the one that ran it where there are several.
func (s *Store) TaskRef(id uint32) (Ref, bool) {
	var best Ref
	found, run := false, false
	for lane, l := range s.lanes {
		for k := len(l.chunks) - 1; k >= 0; k-- {
			c := &l.chunks[k]
			if id == 0 || id < c.sum.minTask || id > c.sum.maxTask {
				continue
			}
			for i := range c.records {
				rec := &c.records[i]
				if rec.Task != id || found && (run || !rec.Kind.Info().Busy) {
					continue
				}
				best, found = Ref{uint16(lane), l.first + uint32(k)<<chunkBits + uint32(i)}, true
				run = rec.Kind == profiler.Run || rec.Kind == profiler.Copy
			}
			if run {
				return best, true
			}
		}
	}
	return best, found
}
