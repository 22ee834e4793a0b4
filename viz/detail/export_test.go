package detail

import (
	"cmp"
	"slices"

	"weft/profiler"
)

// All returns the spans of a track from the lists of their classes, by start.
func (s *Store) All(at Track) []*profiler.Record {
	l := s.lanes[at.Lane]
	var out []*profiler.Record
	for _, refs := range l.tracks[at.Row].lists {
		for _, ref := range refs {
			out = append(out, l.record(ref))
		}
	}
	slices.SortStableFunc(out, func(a, b *profiler.Record) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return out
}
