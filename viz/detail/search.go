package detail

// Search is a query that goes on where it stopped.
type Search struct {
	s    *Snapshot
	f    *filter
	lane int
	at   int // the next chunk of the lane
	seen int // records

	Count  int64 // hits so far
	Time   int64 // and their nanoseconds
	Unseen int64 // records that are there in sums only, which do not tell whether they are hits
	First  Ref   // the hit that starts first, of those that are there
	Found  bool
	start  int64
}

// Search starts a search.
func (s *Snapshot) Search(q *Query) *Search { return &Search{s: s, f: newFilter(s.names, q)} }

// Part is how much of the search is done, from 0 to 1.
func (x *Search) Part() float64 { return min(float64(x.seen)/float64(x.s.count+1), 1) }

// Step looks through about n records, and reports whether there are more.
func (x *Search) Step(n int) (more bool) {
	for x.lane < len(x.s.lanes) && n > 0 {
		l := &x.s.lanes[x.lane]
		if x.at >= len(l.chunks) {
			x.lane, x.at = x.lane+1, 0
			continue
		}
		n -= x.chunk(l, x.at)
		x.seen += len(l.chunks[x.at].records)
		x.at++
	}
	return x.lane < len(x.s.lanes)
}

// chunk adds up the hits of a chunk, and returns what that cost.
func (x *Search) chunk(l *rows, k int) int {
	c := &l.chunks[k]
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
	} else {
		x.Unseen += int64(c.sum.n - len(c.records))
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
			x.First, x.Found, x.start = Ref{uint16(x.lane), l.ref(k, i)}, true, rec.Start
		}
	}
	return len(c.records) + 8
}

// Matches returns for each group whether its records can match on some lane, for drawing.
func (x *Search) Matches() []bool {
	out := make([]bool, len(x.f.groups))
	for g := range out {
		for lane := range x.f.lanes {
			if x.f.group(lane, uint32(g)) {
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

// Next returns the hit after a record that starts at some time, or the one before it; false if tick wanted no answer.
func (s *Snapshot) Next(q *Query, start int64, from Ref, back bool, tick Tick) (best Ref, found, ok bool) {
	f := newFilter(s.names, q)
	var bestStart int64
	better := func(at int64, r Ref) bool {
		side := compareHits(at, r, start, from)
		if back {
			return side < 0 && (!found || compareHits(at, r, bestStart, best) > 0)
		}
		return side > 0 && (!found || compareHits(at, r, bestStart, best) < 0)
	}
	ok = s.each(tick, 0, 1, func(lane, k int, c *chunk) {
		last := c.sum.end // no record starts later
		if !back && (last < start || found && c.sum.start > bestStart) || back && (c.sum.start > start || found && last < bestStart) || !f.chunk(lane, c) {
			return
		}
		for i := range c.records {
			rec := &c.records[i]
			r := Ref{uint16(lane), s.lanes[lane].ref(k, i)}
			if better(rec.Start, r) && f.record(lane, rec, c.groups[i]) {
				best, bestStart, found = r, rec.Start, true
			}
		}
	})
	return best, found, ok
}

// Marks are the pixels of a window on some lanes in which hits of a query are.
type Marks struct {
	s *Snapshot
	f *filter
	w Window
}

// Marks prepares for a query.
func (s *Snapshot) Marks(q *Query, w Window) *Marks { return &Marks{s, newFilter(s.names, q), w} }

// Lane sets in out, which has a byte for each pixel, those pixels of a lane in which a hit starts or
// goes on. It looks at about n records at most and reports whether that was all. Of what is there in sums only it knows
// as much as a chunk tells that is not much longer than a pixel.
func (m *Marks) Lane(id int, out []byte, n int) bool {
	w := m.w
	if id >= len(m.s.lanes) || w.T1 <= w.T0 {
		return true
	}
	scale := float64(len(out)) / float64(w.T1-w.T0)
	mark := func(start, end int64) {
		x0 := int(float64(max(start, w.T0)-w.T0) * scale)
		x1 := int(float64(min(end, w.T1)-w.T0) * scale)
		for x := x0; x <= min(x1, len(out)-1); x++ {
			out[x] = 1
		}
	}
	l := &m.s.lanes[id]
	for k := range l.chunks {
		c := &l.chunks[k]
		if c.sum.end < w.T0 || c.sum.start >= w.T1 || !m.f.chunk(id, c) {
			continue
		}
		if n -= len(c.records); n < 0 {
			return false
		}
		if c.thin && m.f.single() && float64(c.sum.end-c.sum.start)*scale < 4 {
			mark(c.sum.start, c.sum.end)
			continue
		}
		for i := range c.records {
			rec := &c.records[i]
			if touches(rec, w.T0, w.T1) && m.f.record(id, rec, c.groups[i]) {
				mark(rec.Start, rec.End)
			}
		}
	}
	return true
}
