package detail

import (
	"slices"

	"weft/profiler"
)

// Snapshot is what a store has at one time, for questions that take a while: it stays as it is while the store goes on,
// and needs no lock. Taking one costs as much as a list of the chunks.
type Snapshot struct {
	names names
	lanes []rows
	tasks tasks
	count int
	thin  bool // some records are there in sums only
	gone  bool // some are not there at all
}

// Snapshot returns what there is now.
func (s *Store) Snapshot() *Snapshot {
	tables := s.tables
	tables.Sources = slices.Clone(tables.Sources) // the only table that changes where it lies
	out := &Snapshot{names: names{&tables, s.groups.rows[:len(s.groups.rows):len(s.groups.rows)]}, tasks: s.tasks.snapshot(), count: s.count, thin: s.thinned+s.dropped > 0, gone: s.dropped > 0}
	out.lanes = make([]rows, 0, len(s.lanes))
	for _, l := range s.lanes {
		copied := rows{chunks: slices.Clone(l.chunks), first: l.first, next: l.next}
		if n := len(copied.chunks); n > 0 {
			last := &copied.chunks[n-1].sum // the only one that changes where it lies
			last.rows = slices.Clone(last.rows)
		}
		out.lanes = append(out.lanes, copied)
	}
	return out
}

// Whole reports whether all records that ever came are there.
func (s *Snapshot) Whole() bool { return !s.thin }

// Tasks returns how many tasks ran or copied something in a stretch of time, also those of which only sums are kept,
// and whether there were more of which nothing is.
func (s *Snapshot) Tasks(t0, t1 int64) (n int64, more bool) {
	for _, sum := range s.Totals(t0, t1) {
		if kind := s.names.groups[sum.Group].Kind; kind == profiler.Run || kind == profiler.Copy {
			n += sum.Count
		}
	}
	return n, s.gone
}

// Record returns a record; nil if it is not there.
func (s *Snapshot) Record(r Ref) *profiler.Record {
	if int(r.Lane) >= len(s.lanes) {
		return nil
	}
	rec, _ := s.lanes[r.Lane].find(r.At)
	return rec
}

// Tick is called now and then by what takes a while, with the part of it that is done, from 0 to 1. It returns false to
// have no answer.
type Tick func(part float64) bool

// each calls see with every chunk of records of some lane, and tick now and then, whose share of the work ends at upto.
// It reports whether it came to the end.
func (s *Snapshot) each(tick Tick, from, upto float64, see func(lane, k int, c *chunk)) bool {
	seen, told := 0, 0
	for lane := range s.lanes {
		l := &s.lanes[lane]
		for k := range l.chunks {
			see(lane, k, &l.chunks[k])
			seen += len(l.chunks[k].records) + 8
			if seen-told >= tickRecords {
				told = seen
				if !tick(from + (upto-from)*min(float64(seen)/float64(s.count+1), 1)) {
					return false
				}
			}
		}
	}
	return true
}

// tickRecords is how many records are looked at between two ticks: a few milliseconds.
const tickRecords = 1 << 18
