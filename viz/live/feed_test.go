package live

import (
	"context"
	"io"
	"log"
	"strings"
	"testing"

	"weft/profiler"
)

// A fault of the viewer must not end the kernel that it views.
func TestFollowingContainsPanics(t *testing.T) {
	before := log.Writer()
	log.SetOutput(io.Discard)
	t.Cleanup(func() { log.SetOutput(before) })
	r := profiler.New(profiler.Options{})
	lane := r.Lane(profiler.LaneInfo{Name: "cpu0"})
	lane.Record(profiler.Record{Start: 1, End: 2, Task: 1})
	f := liveFeed("run", nil)
	asked := 0
	changed := f.changed
	f.follow(context.Background(), func() *profiler.Recorder {
		if asked++; asked == 3 {
			panic("on purpose")
		}
		return r
	})
	select {
	case <-changed:
	default:
		t.Error("nobody was told")
	}
	if len(f.notes) != 1 || !strings.Contains(f.notes[0], "on purpose") {
		t.Errorf("the notes are %q", f.notes)
	}
	f.poll(r) // a page that is opened again shows the run
	if kept := f.store.Count().Kept; kept != 1 || f.notes != nil {
		t.Errorf("%d records after that, notes %q", kept, f.notes)
	}
}

// A cell is recorded when it ends. Time 0 is its start then, and no bar begins before that.
func TestTimeBeginsWithTheFirstStart(t *testing.T) {
	r := profiler.New(profiler.Options{})
	cells, lane := r.Lane(profiler.LaneInfo{Name: "cells", Kind: "program"}), r.Lane(profiler.LaneInfo{Name: "cpu0", Kind: "cpu"})
	f := loadingFeed("run", 0, nil)
	before := f.number
	f.load(context.Background(), func(_ context.Context, add func(*profiler.Increment)) error {
		c := r.Cursor()
		for _, write := range []func(){
			func() { lane.Record(profiler.Record{Start: 500, End: 600, Task: 1}) },
			func() { cells.Record(profiler.Record{Start: 200, End: 700, Kind: profiler.Cell}) },
		} {
			write()
			inc := new(profiler.Increment)
			c.Next(inc)
			add(inc)
		}
		return nil
	}, nil)
	if p := f.pulse(); f.origin != 200 || p.Start != 0 || p.End != 500 || p.Now != 500 {
		t.Errorf("time 0 is %d; the bars are from %g to %g, now %g", f.origin, p.Start, p.End, p.Now)
	}
	if f.number == before {
		t.Error("the viewers are not told from the beginning")
	}
}
