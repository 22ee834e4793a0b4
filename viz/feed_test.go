package viz

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
	f := liveFeed("run")
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
	f.poll(r) // whoever opens the page again sees the run
	if kept := f.store.Count().Kept; kept != 1 || f.notes != nil {
		t.Errorf("%d records after that, notes %q", kept, f.notes)
	}
}
