package graph_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/scheduler"
	"weft/viz/graph"
	"weft/viz/viztest"
)

// gpuTasks are the tasks of two launches on four GPUs with copies at the tiles' edges.
func gpuTasks() []graph.TaskNode {
	var tasks []graph.TaskNode
	add := func(kind, name, cause string, gpu, op int, after ...int) int {
		id := len(tasks) + 1
		t := graph.TaskNode{
			ID: scheduler.TaskID(id), Kind: kind, Name: name, Cause: cause, Device: fmt.Sprint("gpu", gpu), Op: scheduler.OpID(op),
			Where: viztest.At(3, op), Bytes: 1e6, Start: int64(1e6 * id), End: int64(1e6*id + 8e5),
		}
		for _, a := range after {
			t.After = append(t.After, scheduler.TaskID(a))
		}
		tasks = append(tasks, t)
		return id
	}
	var first [4]int
	for g := range first {
		first[g] = add("run", "zeros", "", g, 1)
	}
	for range 2 {
		var next [4]int
		for g := range first {
			after := []int{first[g]}
			for _, n := range []int{g - 1, g + 1} {
				if n >= 0 && n < 4 {
					after = append(after, add("copy", "", "halo", g, 2, first[n]))
				}
			}
			next[g] = add("run", "stencil", "", g, 2, after...)
		}
		first = next
	}
	add("copy", "", "gather", 0, 0, first[:]...)
	return tasks
}

func TestMain(m *testing.M) { viztest.Main(m) }

func TestRender(t *testing.T) {
	exe := viztest.Self(t)
	for _, c := range []struct {
		name   string
		graph  *graph.Graph
		expect []string
	}{
		{"dataflow", graph.Dataflow(viztest.HeatOps(100), graph.Options{Title: "In [3]", SourceName: viztest.SourceName}), []string{"stencil", "repeats", "op-fallback", "100", "In [3] line 5"}},
		{"events", graph.Events(gpuTasks(), graph.Options{Title: "In [3]", SourceName: viztest.SourceName}), []string{"halo", "task-copy", "gather", "gpu3"}},
		{"empty", graph.Dataflow(nil, graph.Options{}), []string{"no operations were recorded"}},
	} {
		dot := c.graph.DOT()
		svg, err := graph.Render(t.Context(), exe, dot, "svg")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		viztest.Keep(t, c.name+".dot", []byte(dot))
		viztest.Keep(t, c.name+".svg", svg)
		if node := strings.Index(string(svg), `class="node`); node >= 0 && !strings.Contains(string(svg[node:]), `<text text-anchor="middle"`) {
			t.Errorf("%s: labels are not in the middle of their nodes", c.name)
		}
		text := viztest.WellFormed(t, svg)
		for _, want := range c.expect {
			if !strings.Contains(text, want) && !strings.Contains(string(svg), want) {
				t.Errorf("%s: the picture does not show %q", c.name, want)
			}
		}
		if again, err := graph.Render(t.Context(), exe, dot, "svg"); err != nil || !bytes.Equal(svg, again) {
			t.Errorf("%s: drawn twice, the pictures differ (%v)", c.name, err)
		}
	}
	data, err := graph.Render(t.Context(), exe, "digraph { a -> b }", "png")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Error(err)
	}
}

// Nothing in a name can become markup, an attribute, an escape sequence or a file.
func TestHostileNames(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.png")
	nasty := "\"]; x [image=\"" + secret + "\", URL=\"javascript:alert(1)\"]; </B></FONT>><script>alert(1)</script>&amp;\\N\\G\\l\x00\x1b\xff\u202e"
	ops := []graph.OpNode{{ID: 1, Name: nasty, Kind: nasty, Where: viztest.At(1, 1), Shape: nasty, Writes: []graph.Store{{ID: 1, Text: nasty}}, Reads: []graph.Store{{ID: 2, Text: nasty}}}}
	tasks := []graph.TaskNode{{ID: 1, Kind: nasty, Name: nasty, Where: viztest.At(1, 1), Device: nasty, Cause: nasty}}
	named := func(scheduler.SourceID) string { return nasty }
	exe := viztest.Self(t)
	for _, g := range []*graph.Graph{
		graph.Dataflow(ops, graph.Options{Title: nasty, SourceName: named}), graph.Events(tasks, graph.Options{Title: nasty, SourceName: named}),
		graph.Dataflow([]graph.OpNode{{ID: 1}}, graph.Options{}), graph.Events([]graph.TaskNode{{ID: 1, Kind: "copy"}}, graph.Options{}),
	} {
		svg, err := graph.Render(t.Context(), exe, g.DOT(), "svg")
		if err != nil {
			t.Fatalf("%v\n%s", err, g.DOT())
		}
		for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, svg)
			}
			if e, ok := token.(xml.StartElement); ok {
				if e.Name.Local == "script" || e.Name.Local == "image" {
					t.Errorf("the picture has an element %s", e.Name.Local)
				}
				for _, a := range e.Attr {
					if strings.HasPrefix(a.Value, "javascript:") {
						t.Errorf("the picture has %s=%q", a.Name.Local, a.Value)
					}
				}
			}
		}
	}
}

func TestRenderErrors(t *testing.T) {
	exe := viztest.Self(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	for _, c := range []struct {
		ctx         context.Context
		exe         string
		dot, format string
		want        string
	}{
		{t.Context(), exe, "digraph {", "svg", "syntax error"},
		{t.Context(), exe, "digraph {}", "pdf", "wanted svg or png"},
		{t.Context(), exe, "digraph {}", "quiet", "drew nothing"},
		{t.Context(), exe, "digraph {}", "flood", "more than 67108864 bytes"},
		{ctx, exe, "digraph {}", "hang", "it took too long and was stopped"},
		{t.Context(), filepath.Join(t.TempDir(), "weft"), "digraph {}", "svg", "no such file"},
	} {
		picture, err := graph.Render(c.ctx, c.exe, c.dot, c.format)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "dot -Tsvg graph.dot") {
			t.Errorf("%s as %s: got %d bytes and error %v, wanted %q", c.dot, c.format, len(picture), err, c.want)
		}
	}
}

// The largest graph that collapsing leaves is drawn in time.
func TestRenderLimit(t *testing.T) {
	var ops []graph.OpNode
	for i := range 290 {
		ops = append(ops, graph.OpNode{
			ID: scheduler.OpID(i + 1), Name: fmt.Sprint("f", i), Kind: "map", Where: viztest.At(1, i), Shape: "(8)",
			Reads: []graph.Store{{ID: scheduler.StoreID(i)}, {ID: scheduler.StoreID(i * 5 / 6)}}, Writes: []graph.Store{{ID: scheduler.StoreID(i + 1)}},
		})
	}
	g := graph.Dataflow(ops, graph.Options{Limit: 300})
	svg, err := graph.Render(t.Context(), viztest.Self(t), g.DOT(), "svg")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(svg, []byte(`class="node`)); n != len(g.Nodes) || n < 290 {
		t.Errorf("%d nodes are drawn of %d", n, len(g.Nodes))
	}
	viztest.Keep(t, "limit.svg", svg)
}
