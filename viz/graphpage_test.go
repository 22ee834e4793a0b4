package viz_test

import (
	"os"
	"testing"

	"weft/viz"
)

func TestGraphPages(t *testing.T) {
	ops := heatOps(100)
	for i := range ops {
		if ops[i].Name != "stencil" {
			continue
		}
		mid := viz.Store{ID: ops[i].Writes[0].ID + 10_000, Text: "float64 (998,998)"}
		ops[i].Parts = 2
		ops[i].Inner = []viz.InnerOp{
			{Name: "add", Kind: "map", Where: ops[i].Where, Shape: "(998,998)", Reads: ops[i].Reads, Writes: []viz.Store{mid}},
			{Name: "multiply", Kind: "map", Where: ops[i].Where, Shape: "(998,998)", Reads: []viz.Store{mid}, Writes: ops[i].Writes},
		}
	}
	o, g := viz.DataflowOutline(ops, viz.OutlineOptions{Graph: viz.GraphOptions{Title: "dataflow of In [3]"}})
	keep(t, "dataflow.html", o.HTML(false))
	bundle, err := viz.GraphBundle(t.Context(), o, g)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d parts, %d grains, %d flows, %d bytes of frame", len(o.Parts), len(o.Grains), len(o.Flows), len(bundle["text/html"]))
	e, eg := viz.EventsOutline(gpuTasks(), viz.OutlineOptions{Graph: viz.GraphOptions{Title: "events of In [3]"}})
	_ = eg
	keep(t, "events.html", e.HTML(false))
	_ = os.Args
}
