package detail

import (
	"cmp"
	"slices"

	"weft/profiler"
)

// Options bound a store. The zero value keeps everything.
type Options struct {
	Limit   int // records that are kept, in whole chunks, and tasks; 0 is all
	Thin    int // older records of which sums are kept; 0 is none
	Buckets int // of the sums, about; 0 is 2^24
}

// maxRows bounds the rows of a lane; what would need more is counted, and not drawn.
const maxRows = 64

// Store holds the records of a run. See the package's documentation.
type Store struct {
	limit, thinLimit, buckets int

	tables profiler.Trace // everything but the records and tasks
	tasks  taskTable
	ops    opIndex
	groups groups
	lanes  []*lane

	start, end int64
	count      int    // records that are kept
	thinned    uint64 // older records of which sums are kept
	dropped    uint64 // records that are gone
	thinLevel  int
	version    uint64
}

// lane is what one lane did.
type lane struct {
	rows
	thin   int // how many of the chunks, from the first one on, are thin
	tracks []*track
	memory memory

	crowded uint64 // records for which there was no row
}

// New returns an empty store.
func New(o Options) *Store {
	s := &Store{limit: o.Limit, thinLimit: o.Thin, buckets: o.Buckets, groups: newGroups()}
	if s.buckets == 0 {
		s.buckets = thinBuckets
	}
	s.tables.Forms, s.tables.Labels = []profiler.Form{{}}, []profiler.Label{{}}
	return s
}

// Of returns the store of a whole trace, whose records it uses where they are.
func Of(t *profiler.Trace) *Store {
	s, lanes := Prepare(t)
	for _, fill := range lanes {
		fill()
	}
	return s
}

// Prepare is Of in steps: the store may be asked when all the steps are done, and those may be done at the same time by
// several goroutines, because each touches one lane only.
func Prepare(t *profiler.Trace) (s *Store, steps []func()) {
	s = New(Options{})
	s.tables = *t
	s.tables.Records, s.tables.Tasks = nil, nil
	steps = append(steps, func() { s.addTasks(t.Tasks) })
	s.ops.add(t.Ops)
	s.count = len(t.Records)
	s.start, s.end = t.Span()
	s.version = 1
	for len(s.lanes) < len(t.Lanes) {
		s.lanes = append(s.lanes, &lane{})
	}
	for first := 0; first < len(t.Records); {
		id := t.Records[first].Lane
		n := 1
		for first+n < len(t.Records) && t.Records[first+n].Lane == id {
			n++
		}
		l, records := s.lanes[id], t.Records[first:first+n:first+n]
		s.adopt(l, records)
		steps = append(steps, func() { s.fill(l, records) })
		first += n
	}
	return s, steps
}

// adopt gives a lane all of its records at once, sorted by start.
func (s *Store) adopt(l *lane, records []profiler.Record) {
	for at := 0; at < len(records); at += chunkRows {
		c := chunk{records: records[at:min(at+chunkRows, len(records))]}
		c.groups = make([]uint32, len(c.records))
		for i := range c.records {
			c.groups[i] = s.groupOf(&c.records[i])
		}
		l.chunks = append(l.chunks, c)
	}
	l.next = uint32(len(records))
}

// fill sums up the records of a lane that has them, and puts them into rows.
func (s *Store) fill(l *lane, records []profiler.Record) {
	for k := range l.chunks {
		c := &l.chunks[k]
		for i := range c.records {
			c.sum.add(&c.records[i], c.groups[i])
		}
	}
	place := func(i int) {
		rec := &records[i]
		s.place(l, uint32(i), rec, 0)
		l.memory.add(rec)
	}
	if order := arrival(records); order != nil {
		for _, i := range order {
			place(int(i))
		}
	} else {
		for i := range records {
			place(i)
		}
	}
	// Building a level out of the one below costs less than adding each span to all of them.
	for _, t := range l.tracks {
		for len(t.levels) < levelsFor(s.end-s.start) {
			t.grow(&l.rows)
		}
	}
}

// arrival returns the order in which a lane's records ended, nil if they lie in it already.
func arrival(records []profiler.Record) []uint32 {
	ordered := true
	for i := 1; i < len(records) && ordered; i++ {
		ordered = compareArrival(&records[i-1], &records[i]) <= 0
	}
	if ordered {
		return nil
	}
	order := make([]uint32, len(records))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return compareArrival(&records[a], &records[b]) })
	return order
}

// compareArrival orders by end. Of two that end together the enclosed one came first, unless it has no length.
func compareArrival(a, b *profiler.Record) int {
	if c := cmp.Compare(a.End, b.End); c != 0 {
		return c
	}
	if aNone, bNone := a.Start == a.End, b.Start == b.End; aNone != bNone {
		if aNone {
			return 1
		}
		return -1
	}
	return cmp.Compare(b.Start, a.Start)
}

// Append adds what is new in a recording.
func (s *Store) Append(inc *profiler.Increment) {
	t := &s.tables
	t.Lanes = append(t.Lanes, inc.Lanes...)
	t.Forms = append(t.Forms, inc.Forms...)
	t.Labels = append(t.Labels, inc.Labels...)
	for _, src := range inc.Sources {
		at, known := slices.BinarySearchFunc(t.Sources, src.ID, func(a profiler.Source, id uint32) int { return cmp.Compare(a.ID, id) })
		if known {
			t.Sources[at] = src
		} else {
			t.Sources = slices.Insert(t.Sources, at, src)
		}
	}
	s.addTasks(inc.Tasks)
	if inc.Lost != nil {
		t.Lost = slices.Clone(inc.Lost)
	}
	for len(t.Lost) < len(t.Lanes) {
		t.Lost = append(t.Lost, 0)
	}
	s.ops.add(inc.Ops)
	for len(s.lanes) < len(t.Lanes) {
		s.lanes = append(s.lanes, &lane{})
	}
	s.version++
	for i := range inc.Records {
		s.add(&inc.Records[i])
	}
	for s.limit > 0 && s.count > s.limit && s.shrink() {
	}
	s.ops.forget(s.limit)
}

// add stores one record at the end of its lane.
func (s *Store) add(rec *profiler.Record) {
	if s.count == 0 && s.dropped == 0 {
		s.start, s.end = rec.Start, rec.End
	}
	s.start, s.end = min(s.start, rec.Start), max(s.end, rec.End)
	l := s.lanes[rec.Lane]
	if n := len(l.chunks); n == 0 || len(l.chunks[n-1].records) == chunkRows {
		room := 64
		if n > 0 {
			room = chunkRows // a busy lane
		}
		l.chunks = append(l.chunks, chunk{records: make([]profiler.Record, 0, room), groups: make([]uint32, 0, room)})
	}
	c := &l.chunks[len(l.chunks)-1]
	group := s.groupOf(rec)
	c.records, c.groups = append(c.records, *rec), append(c.groups, group)
	c.sum.add(rec, group)
	s.place(l, l.next, rec, levelsFor(s.end-s.start))
	l.memory.add(rec)
	l.next++
	s.count++
}

// place puts a record into the first row that has room for it.
func (s *Store) place(l *lane, ref uint32, rec *profiler.Record, levels int) {
	row := l.rowFor(rec.Kind, rec.Start)
	if row >= maxRows {
		l.crowded++
		return
	}
	for len(l.tracks) <= row {
		l.tracks = append(l.tracks, &track{})
	}
	t := l.tracks[row]
	t.version = s.version // of at least 1, so that a track without bars is known by its 0
	t.add(&l.rows, ref, rec, levels)
}

// rowFor returns the row of a span. Row 0 is for cells, which enclose everything else.
func (l *lane) rowFor(kind profiler.Kind, start int64) int {
	row := 1
	if kind == profiler.Cell {
		row = 0
	}
	for row < len(l.tracks) && l.tracks[row].end > start {
		row++
	}
	return row
}

// Tables are the tables of the run, without records and tasks. They belong to the store.
func (s *Store) Tables() *profiler.Trace { return &s.tables }

// Span returns the first start and the last end that are kept.
func (s *Store) Span() (start, end int64) { return s.start, s.end }

// Counts say how many records a store has or had.
type Counts struct {
	Kept    int
	Thinned uint64 // only their sums are kept
	Dropped uint64
	Crowded uint64 // of all of them, those that had no row
}

// Count returns how many records there are.
func (s *Store) Count() Counts {
	c := Counts{Kept: s.count, Thinned: s.thinned, Dropped: s.dropped}
	for _, l := range s.lanes {
		c.Crowded += l.crowded
	}
	return c
}

// Version changes with every Append.
func (s *Store) Version() uint64 { return s.version }

// Lanes returns how many lanes there are.
func (s *Store) Lanes() int { return len(s.lanes) }

// Rows returns how many rows a lane has.
func (s *Store) Rows(lane int) int { return len(s.lanes[lane].tracks) }

// RowOf returns the row that a record of a lane would get if it ended now.
func (s *Store) RowOf(lane int, kind profiler.Kind, start int64) int {
	return min(s.lanes[lane].rowFor(kind, start), maxRows-1)
}

// Ref names a record of a store.
type Ref struct {
	Lane uint16
	At   uint32 // number of the record in its lane
}

// Record returns a record and its group; nil if it was dropped or never was.
func (s *Store) Record(r Ref) (*profiler.Record, uint32) {
	if int(r.Lane) >= len(s.lanes) {
		return nil, 0
	}
	return s.lanes[r.Lane].find(r.At)
}

// Rows returns the row of each record of a trace, as a store has them. Records without a row get the last one.
func Rows(t *profiler.Trace) []uint16 {
	rows := make([]uint16, len(t.Records))
	for first := 0; first < len(t.Records); {
		n := 1
		for first+n < len(t.Records) && t.Records[first+n].Lane == t.Records[first].Lane {
			n++
		}
		records := t.Records[first : first+n]
		l := &lane{}
		order := arrival(records)
		for k := range records {
			i := k
			if order != nil {
				i = int(order[k])
			}
			rec := &records[i]
			row := min(l.rowFor(rec.Kind, rec.Start), maxRows-1)
			for len(l.tracks) <= row {
				l.tracks = append(l.tracks, &track{})
			}
			l.tracks[row].end = max(l.tracks[row].end, rec.End)
			rows[first+i] = uint16(row)
		}
		first += n
	}
	return rows
}

// RowAt returns the row of a record of the store.
func (s *Store) RowAt(r Ref) int {
	rec, _ := s.Record(r)
	l := s.lanes[r.Lane]
	class := classOf(rec.End - rec.Start)
	for row, t := range l.tracks {
		refs := t.lists[class]
		at, found := slices.BinarySearchFunc(refs, rec, func(ref uint32, want *profiler.Record) int {
			x := l.record(ref)
			return cmp.Or(cmp.Compare(x.Start, want.Start), cmp.Compare(x.End, want.End))
		})
		for ; found && at < len(refs) && l.record(refs[at]).Start == rec.Start; at++ {
			if refs[at] == r.At {
				return row
			}
		}
	}
	return 0
}
