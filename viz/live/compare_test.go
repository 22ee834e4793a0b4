package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"weft/profiler"
)

// inPieces hands over a trace as a file of it is read.
func inPieces(t *testing.T, trace *profiler.Trace) pieces {
	t.Helper()
	var file bytes.Buffer
	if err := profiler.Write(&file, trace); err != nil {
		t.Fatal(err)
	}
	return func(_ context.Context, add func(*profiler.Increment)) error {
		r, err := profiler.NewReader(&file)
		for err == nil {
			var inc profiler.Increment
			if err = r.Next(&inc); err == nil {
				add(&inc)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

// Two profiles that are read in pieces are shown as two that were read before.
func TestCompareInPieces(t *testing.T) {
	a, b := wideTrace(70_000, 3), wideTrace(50_000, 2)
	for i := range b.Records {
		b.Records[i].Start, b.Records[i].End = b.Records[i].Start+5e6, b.Records[i].End+5e6
	}
	a.Tasks = []profiler.Task{{ID: 7, Planned: 9, After: []uint32{1, 2}}}
	b.Tasks = []profiler.Task{{ID: 8, Planned: 5e6 + 9, After: []uint32{3}}}
	b.Lost[1] = 17
	whole := comparedFeed(a, b, "a", "b", nil)
	read := loadingFeed("a | b", 0, nil)
	read.load(context.Background(), inPieces(t, a), inPieces(t, b))
	if read.loading || len(read.notes) > 0 {
		t.Fatalf("loading %v, notes %q", read.loading, read.notes)
	}
	describe := func(f *feed) string {
		var lines []string
		names := &f.catalog.tables
		start, end := f.store.Span()
		start0 := max(f.origin, 0)
		for _, sum := range f.store.Snapshot().Totals(start, end+1) {
			group := names.Groups[sum.Group]
			lines = append(lines, fmt.Sprintln(sum.Lane, names.Names[group.Name].Text, names.Places[group.Place].Text, sum.Count, sum.Time, sum.Bytes))
		}
		slices.Sort(lines)
		return fmt.Sprintln(lines, end-start, start-start0, names.Lanes, f.store.Tables().Lost)
	}
	if got, want := describe(read), describe(whole); got != want {
		t.Errorf("in pieces:\n%s\nas a whole:\n%s", got, want)
	}
	planned, after, known := read.store.Snapshot().Before(secondFirst + 8)
	start, _ := read.store.Span()
	startB, _ := b.Span()
	if !known || planned-start != 5e6+9-startB || !slices.Equal(after, []uint32{secondFirst + 3}) {
		t.Errorf("the second run's task was planned at %d after %v, %v", planned, after, known)
	}
}
