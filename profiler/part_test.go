package profiler

import (
	"slices"
	"strings"
	"testing"
)

// A part that is read on its own has the records of the whole that lie in it, with all that is known of them.
func TestPartsAgainstWhole(t *testing.T) {
	for seed := range uint64(4) {
		path := streamed(t, seed)
		whole, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		start, end := whole.Span()
		span := end - start
		for _, part := range []Part{{}, {span / 3, span / 2}, {span / 4, 0}, {0, span / 5}, {span / 2, span/2 + 1}, {2 * span, 3 * span}} {
			got, err := ReadPart(path, part, MostOfPart)
			if err != nil {
				t.Fatal(err)
			}
			want := *whole
			want.Records = slices.DeleteFunc(slices.Clone(whole.Records), func(r Record) bool {
				return part != (Part{}) && (r.End < start+part.From || part.To > 0 && r.Start >= start+part.To)
			})
			tasks := map[uint32]bool{}
			for i := range want.Records {
				tasks[want.Records[i].Task] = true
			}
			want.Tasks = slices.DeleteFunc(slices.Clone(whole.Tasks), func(x Task) bool { return !tasks[x.ID] })
			if !slices.Equal(got.Records, want.Records) || !slices.EqualFunc(got.Tasks, want.Tasks, func(a, b Task) bool { return a.ID == b.ID && slices.Equal(a.After, b.After) }) {
				t.Fatalf("seed %d, %+v: %d records and %d tasks, wanted %d and %d", seed, part, len(got.Records), len(got.Tasks), len(want.Records), len(want.Tasks))
			}
			for i := range got.Records {
				if rec := &got.Records[i]; got.Name(rec) != want.Name(rec) || got.PlaceName(got.WhereOf(rec)) != want.PlaceName(want.WhereOf(rec)) {
					t.Fatalf("seed %d, %+v: record %d is %s, wanted %s", seed, part, i, got.Name(rec), want.Name(rec))
				}
			}
		}
		if _, err := ReadPart(path, Part{}, 100); err == nil || !strings.Contains(err.Error(), "at most 100 can be read together") {
			t.Errorf("more records than wanted: %v", err)
		}
	}
}

func TestIDSet(t *testing.T) {
	var s idSet
	ids := []uint32{0, 1, 63, 64, 65535, 65536, 1<<31 + 5, 1<<32 - 1}
	for _, id := range ids {
		if s.has(id) {
			t.Errorf("%d is in the set before it was added", id)
		}
		s.add(id)
	}
	for _, id := range ids {
		if !s.has(id) || s.has(id+2) && !slices.Contains(ids, id+2) {
			t.Errorf("%d: %v, the one two behind it %v", id, s.has(id), s.has(id+2))
		}
	}
}
