package graph_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"weft/profiler"
	"weft/viz/graph"
	"weft/viz/label"
	"weft/viz/live"
	"weft/viz/viztest"
)

// People know operations by their lines and arrays by their variables; what the runtime calls them is behind a switch.
func TestNamesThatPeopleKnow(t *testing.T) {
	colors := label.NewPalette()
	price := graph.Store{ID: 7, Name: "call", Text: "float64 (1000)", Bytes: 8000}
	between := graph.Store{ID: 8, Hidden: true, Text: "float64 (1000)", Bytes: 8000}
	ops := []graph.OpNode{
		{ID: 1, Name: "sqrt+...+multiply (3)", Kind: "map", Where: viztest.At(2, 1), Line: "x = np.sqrt(call) * 2", Parts: 3, Tasks: 4, DurNs: 100, Bytes: 16000,
			Reads: []graph.Store{price}, Writes: []graph.Store{between}},
		{ID: 2, Name: "carry", Kind: "move", Where: viztest.At(2, 1), Line: "unchanged part of call", Does: "copied along", Reads: []graph.Store{between}, Writes: []graph.Store{price}},
	}
	outline, drawn := graph.DataflowOutline(ops, graph.OutlineOptions{Graph: graph.Options{Title: "flow", Palette: colors}})
	svg, err := drawn.SVG(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`(?s)<title>.*?</title>|<style>.*?</style>|<[^>]*>`).ReplaceAllString(string(svg), "\n")
	for _, want := range []string{"x = np.sqrt(call) * 2", "3 operations in one pass", "unchanged part of call", "copied along", "call", "8.00 kB"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the picture does not say %q:\n%s", want, shown)
		}
	}
	if jargon := regexp.MustCompile(`\bs\d+\b|\bo\d+\b|carry|sqrt\+`).FindString(shown + drawn.DOT()[strings.Index(drawn.DOT(), "->"):]); jargon != "" {
		t.Errorf("the picture says %q:\n%s", jargon, shown)
	}
	for _, size := range regexp.MustCompile(`font-size="([\d.]+)"`).FindAllStringSubmatch(string(svg), -1) {
		if len(size[1]) < 2 || size[1] < "11" {
			t.Errorf("a text of the picture is %s pixels high, want 11 at least", size[1])
		}
	}
	if part := outline.Parts[0]; part.Name != "x = np.sqrt(call) * 2" || !strings.Contains(strings.Join(part.More, " "), "sqrt+...+multiply (3)") || part.Wide < part.Width || part.High <= part.Height {
		t.Errorf("the page has %+v; want the line as its name, and what the runtime calls it as a detail with room for it", part)
	}

	// The timeline shows the operation in the same color, also when it is not what takes most time there.
	trace, err := profiler.Parse(strings.NewReader(`trace 0
lane "cpu0" "cpu" "cpu" lost 0
source 1 "In[2]" "x = np.sqrt(call) * 2  # the price\ny = np.sin(x)\n"
form 1 "sqrt+...+multiply (3)" "map" 1:1 "(1000)" ""
form 2 "sin" "map" 1:2 "(1000)" ""
op o1 1
op o2 2
record run 0 0 100 t1 o1
record run 0 100 900 t2 o2
`))
	if err != nil {
		t.Fatal(err)
	}
	page := string(live.TimelineHTML(trace, live.TimelineOptions{Palette: colors}))
	want := `{"text":"x = np.sqrt(call) * 2","kind":"run","color":"` + outline.Parts[0].Color + `"}`
	if outline.Parts[0].Color == "" || !strings.Contains(page, want) {
		t.Errorf("the timeline does not have %s", want)
	}
}

// A document of unknown origin cannot bring a style along as a color.
func TestColorsOfDocumentsArePlain(t *testing.T) {
	outline, drawn := graph.DataflowOutline([]graph.OpNode{{ID: 1, Name: "add", Kind: "map", Line: "a + b"}}, graph.OutlineOptions{Graph: graph.Options{Palette: label.NewPalette()}})
	text := graph.Document(outline, drawn)
	if _, _, err := graph.ParseGraph(text); err != nil {
		t.Fatal(err)
	}
	for _, color := range []string{outline.Parts[0].Color, drawn.Nodes[0].Color} {
		if _, _, err := graph.ParseGraph(strings.ReplaceAll(text, color, "red;background:url(x)")); err == nil {
			t.Error("a color that is a style was taken")
		}
	}
}

// What several parts of one operation read moved once: all pictures say the same number.
func TestBytesOfAnEdge(t *testing.T) {
	grid := graph.Store{ID: 3, Name: "grid", Bytes: 8_000_000}
	sum := graph.Store{ID: 4, Name: "sum", Bytes: 8_000_000}
	part := func(name string) graph.InnerOp {
		return graph.InnerOp{Name: name, Kind: "map", Reads: []graph.Store{grid}}
	}
	ops := []graph.OpNode{
		{ID: 1, Name: "fill", Kind: "fill", Writes: []graph.Store{grid}},
		{ID: 2, Name: "add+...+add (3)", Kind: "map", Parts: 3, Reads: []graph.Store{grid}, Writes: []graph.Store{sum}, Inner: []graph.InnerOp{part("add"), part("add"), part("add")}},
	}
	outline, drawn := graph.DataflowOutline(ops, graph.OutlineOptions{})
	var moved, again int64
	for _, f := range outline.Flows {
		if len(f.Names) > 0 && !f.Inner {
			moved, again = moved+f.Bytes, again+f.Again
		}
	}
	if drawn.Edges[0].Bytes != 8_000_000 || moved != 8_000_000 || again != 16_000_000 {
		t.Errorf("the still picture says %d bytes, the page %d and again %d; want 8000000, and 16000000 again", drawn.Edges[0].Bytes, moved, again)
	}
}
