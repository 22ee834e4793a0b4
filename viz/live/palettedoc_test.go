package live

import (
	"strings"
	"testing"

	"weft/profiler"
	"weft/viz/label"
)

// rainTrace has two lines; the second takes most of the time, and so has the first color of a page of its own.
const rainTrace = `trace 0
lane "cpu0" "cpu" "cpu" lost 0
source 1 "In[2]" "rain = clouds * 2\nsun = 1 - rain\n"
form 1 "multiply" "map" 1:1 "(1000)" ""
form 2 "subtract" "map" 1:2 "(1000)" ""
op o1 1
op o2 2
record run 0 0 100 t1 o1
record run 0 100 900 t2 o2
`

// An operation has one color in the cell's pictures, in the live viewer and in the viewer of the saved profile.
func TestOneColorInAllViewers(t *testing.T) {
	trace, err := profiler.Parse(strings.NewReader(rainTrace))
	if err != nil {
		t.Fatal(err)
	}
	notebook := label.NewPalette()
	wanted := notebook.Operation("rain = clouds * 2") // of a graph that came first
	saved := *trace
	notebook.Give(trace)
	saved.Texts = []profiler.Text{{Name: label.PaletteDocument, Body: notebook.Document()}}
	whole := func() (*profiler.Trace, error) { return &saved, nil }
	loaded, err := label.PaletteOf(saved.Texts)
	if err != nil {
		t.Fatal(err)
	}
	read := loadingFeed("pieces", 0, loaded)
	read.add(&profiler.Increment{Lanes: trace.Lanes, Sources: trace.Sources, Forms: trace.Forms[1:], Ops: trace.Ops, Records: trace.Records})
	live := liveFeed("run", notebook)
	live.store = wholeStore(trace)
	live.catalog.update(live.store)
	view, err := (&Server{o: ServeOptions{Trace: whole}}).newFeed()
	if err != nil {
		t.Fatal(err)
	}
	twoRuns, err := (&Server{o: ServeOptions{Trace: whole, Second: trace}}).newFeed()
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*feed{"live viewer": live, "saved profile": view, "profile in pieces": read, "comparison": twoRuns} {
		f.catalog.update(f.store)
		found := false
		for _, n := range f.catalog.tables.Names {
			if n.Text == "rain = clouds * 2" {
				found = true
				if n.Color != wanted {
					t.Errorf("%s: the line has color %s, in the cell %s", name, n.Color, wanted)
				}
			}
		}
		if !found {
			t.Errorf("%s: the line is not there: %v", name, f.catalog.tables.Names)
		}
	}
	for _, body := range []string{"{", `[{"kind":"run","name":"x","color":"red;background:url(x)"}]`, `[{"kind":"walk","name":"x","color":"#123456"}]`} {
		if _, err := label.PaletteOf([]profiler.Text{{Name: label.PaletteDocument, Body: body}}); err == nil {
			t.Errorf("the palette %s was taken", body)
		}
	}
}

// Forms of a second run name its own sources.
func TestComparedRunsKeepTheirLines(t *testing.T) {
	trace, err := profiler.Parse(strings.NewReader(strings.Replace(rainTrace, `1:2 "(1000)" ""`, `1:2 "(1000)" "" "1:1 1:2x3"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	both, first := beside(trace, trace)
	if got, want := both.Forms[4].Parts, profiler.Parts("11:1 11:2x3"); first != 10 || got != want {
		t.Errorf("the second run's parts are %q, its sources begin behind %d; wanted %q", got, first, want)
	}
}
