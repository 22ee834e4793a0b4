package graph_test

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"weft/scheduler"
	"weft/viz/graph"
	"weft/viz/viztest"
)

func TestStillPictures(t *testing.T) {
	for _, c := range []struct {
		name   string
		graph  *graph.Graph
		expect []string
	}{
		{"dataflow", graph.Dataflow(viztest.HeatOps(100), graph.Options{Title: "In [3]", SourceName: viztest.SourceName}), []string{"stencil", "repeats \u00d7100", "op-fallback", "In [3] line 5", "<title>", "prefers-color-scheme"}},
		{"events", graph.Events(gpuTasks(), graph.Options{Title: "In [3]", SourceName: viztest.SourceName}), []string{"halo", "task-copy", "gather", "gpu3", `class="lane"`, "critical path"}},
		{"empty", graph.Dataflow(nil, graph.Options{}), []string{"no operations were recorded"}},
	} {
		svg, err := c.graph.SVG(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		viztest.Keep(t, c.name+".own.svg", svg)
		viztest.WellFormed(t, svg)
		for _, want := range c.expect {
			if !strings.Contains(string(svg), want) {
				t.Errorf("%s: the picture does not show %q", c.name, want)
			}
		}
		if again, err := c.graph.SVG(t.Context()); err != nil || !bytes.Equal(svg, again) {
			t.Errorf("%s: inv 1: drawn twice, the pictures differ (%v)", c.name, err)
		}
	}
}

func TestStillPictureEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := graph.Dataflow(viztest.HeatOps(3), graph.Options{}).SVG(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, wanted that it was canceled", err)
	}
}

// What is updated and what is reduced into is marked at the ends of edges, and explained; labels lie within the
// picture.
func TestStillPictureShowsPrivileges(t *testing.T) {
	a := graph.Store{ID: 1, Text: "float64 (8)", Bytes: 64}
	sum := graph.Store{ID: 2, Text: "float64 (1)", Bytes: 8}
	ops := []graph.OpNode{{ID: 1, Name: "ones", Kind: "fill", Where: viztest.At(1, 1), Writes: []graph.Store{a}}}
	for i := range 20 {
		ops = append(ops, graph.OpNode{ID: scheduler.OpID(2 + i), Name: "add", Kind: "map", Where: viztest.At(1, 3), Reads: []graph.Store{a}, Writes: []graph.Store{a}})
	}
	plain := graph.Dataflow(ops[:1], graph.Options{})
	ops = append(ops, graph.OpNode{ID: 30, Name: "sum", Kind: "reduce", Where: viztest.At(1, 4), Reads: []graph.Store{a}, Writes: []graph.Store{sum}})
	draw := func(g *graph.Graph) string {
		svg, err := g.SVG(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(svg)
	}
	svg := draw(graph.Dataflow(ops, graph.Options{}))
	for _, want := range []string{"\u25cf updated, \u25cb reduced into", `<circle cx="`, `class="open"`, "updated: what reads it writes it as well", "reduced into: each task added to it"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture does not show %q", want)
		}
	}
	if svg := draw(plain); strings.Contains(svg, "updated") || strings.Contains(svg, "<circle") {
		t.Error("marks are explained that are not there")
	}
	size := regexp.MustCompile(`viewBox="0 0 ([0-9.]+) `).FindStringSubmatch(svg)
	shift := regexp.MustCompile(`translate\((-?[0-9.]+) `).FindStringSubmatch(svg)
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	labels := regexp.MustCompile(`class="label" x="(-?[0-9.]+)"[^>]*>([^<]*)<`).FindAllStringSubmatch(svg, -1)
	if len(labels) == 0 {
		t.Error("nothing says what flows")
	}
	for _, label := range labels {
		from := number(label[1]) + number(shift[1])
		if to := from + 4*float64(len(label[2])); from < 0 || to > number(size[1]) {
			t.Errorf("the label %q is from %g to %g at least; the picture is %s wide", label[2], from, to, size[1])
		}
	}
}
