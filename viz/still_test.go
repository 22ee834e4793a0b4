package viz_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"weft/viz"
)

func TestStillPictures(t *testing.T) {
	for _, c := range []struct {
		name   string
		graph  *viz.Graph
		expect []string
	}{
		{"dataflow", viz.Dataflow(heatOps(100), viz.GraphOptions{Title: "In [3]"}), []string{"stencil", "repeats \u00d7100", "op-fallback", "In [3] line 5", "<title>", "prefers-color-scheme"}},
		{"events", viz.Events(gpuTasks(), viz.GraphOptions{Title: "In [3]"}), []string{"halo", "task-copy", "gather", "gpu3", `class="lane"`, "critical path"}},
		{"empty", viz.Dataflow(nil, viz.GraphOptions{}), []string{"no operations were recorded"}},
	} {
		svg, err := c.graph.SVG(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		keep(t, c.name+".own.svg", svg)
		wellFormed(t, svg)
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
	if _, err := viz.Dataflow(heatOps(3), viz.GraphOptions{}).SVG(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, wanted that it was canceled", err)
	}
}
