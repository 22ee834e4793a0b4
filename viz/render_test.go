package viz_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/scheduler"
	"weft/viz"
	"weft/viz/graphviz"
)

// TestMain makes the test binary its own drawing process, as cmd/weft is.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == viz.RenderCommand {
		switch os.Args[2] {
		case "hang":
			time.Sleep(time.Hour)
		case "flood":
			block := bytes.Repeat([]byte("x"), 1<<20)
			for {
				if _, err := os.Stdout.Write(block); err != nil {
					os.Exit(1)
				}
			}
		case "quiet":
			os.Exit(0)
		}
		if err := graphviz.Child(context.Background(), os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// The compiled module is cached once for all tests, and nowhere that outlives them.
	cache, err := os.MkdirTemp("", "weft-viz-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("XDG_CACHE_HOME", cache)
	status := m.Run()
	os.RemoveAll(cache)
	os.Exit(status)
}

func self(t testing.TB) string {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// heatOps are the ops of a 2-D stencil, with a fallback at the end.
func heatOps(steps int) []viz.OpNode {
	grid := func(id int) viz.Store { return viz.Store{ID: scheduler.StoreID(id), Text: "float64 (1000,1000)"} }
	var ops []viz.OpNode
	add := func(name, kind string, line int, reads, writes []viz.Store) {
		ops = append(ops, viz.OpNode{
			ID: scheduler.OpID(len(ops) + 1), Name: name, Kind: kind, Where: fmt.Sprintf("In [3] line %d", line),
			Shape: "(998,998)", Reads: reads, Writes: writes, Tasks: 8, Bytes: 24e6, DurNs: int64(1e6 * (1 + len(name))),
		})
	}
	add("zeros", "fill", 1, nil, []viz.Store{grid(1)})
	add("fill", "fill", 2, []viz.Store{grid(1)}, []viz.Store{grid(1)})
	for k := range steps {
		a, b := 10+2*k, 11+2*k
		add("stencil", "map", 5, []viz.Store{grid(1)}, []viz.Store{grid(a)})
		add("abs(subtract)", "map", 6, []viz.Store{grid(a), grid(1)}, []viz.Store{grid(b)})
		add("copy", "move", 7, []viz.Store{grid(a), grid(1)}, []viz.Store{grid(1)})
	}
	add("sum", "reduce", 9, []viz.Store{grid(1)}, []viz.Store{{ID: 5000, Text: "float64 ()"}})
	add("matmul", "contract", 10, []viz.Store{grid(1), grid(4)}, []viz.Store{grid(5001)})
	add("fft.fft2", "fallback", 11, []viz.Store{grid(5001)}, []viz.Store{grid(5002)})
	return ops
}

// gpuTasks are the tasks of two launches on four GPUs with copies at the tiles' edges.
func gpuTasks() []viz.TaskNode {
	var tasks []viz.TaskNode
	add := func(kind, name, cause string, gpu, op int, after ...int) int {
		id := len(tasks) + 1
		t := viz.TaskNode{
			ID: scheduler.TaskID(id), Kind: kind, Name: name, Cause: cause, Device: fmt.Sprint("gpu", gpu), Op: scheduler.OpID(op),
			Where: fmt.Sprintf("In [3] line %d", op), Bytes: 1e6, Start: int64(1e6 * id), End: int64(1e6*id + 8e5),
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

// keep leaves a picture for a person to look at when WEFT_TEST_KEEP names a folder.
func keep(t *testing.T, name string, data []byte) {
	if dir := os.Getenv("WEFT_TEST_KEEP"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRender(t *testing.T) {
	exe := self(t)
	for _, c := range []struct {
		name   string
		graph  *viz.Graph
		expect []string
	}{
		{"dataflow", viz.Dataflow(heatOps(100), viz.GraphOptions{Title: "In [3]"}), []string{"stencil", "repeats", "op-fallback", "100", "In [3] line 5"}},
		{"events", viz.Events(gpuTasks(), viz.GraphOptions{Title: "In [3]"}), []string{"halo", "task-copy", "gather", "gpu3"}},
		{"empty", viz.Dataflow(nil, viz.GraphOptions{}), []string{"no operations were recorded"}},
	} {
		dot := c.graph.DOT()
		svg, err := viz.Render(t.Context(), exe, dot, "svg")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		keep(t, c.name+".dot", []byte(dot))
		keep(t, c.name+".svg", svg)
		if node := strings.Index(string(svg), `class="node`); node >= 0 && !strings.Contains(string(svg[node:]), `<text text-anchor="middle"`) {
			t.Errorf("%s: labels are not in the middle of their nodes", c.name)
		}
		text := wellFormed(t, svg)
		for _, want := range c.expect {
			if !strings.Contains(text, want) && !strings.Contains(string(svg), want) {
				t.Errorf("%s: the picture does not show %q", c.name, want)
			}
		}
		if again, err := viz.Render(t.Context(), exe, dot, "svg"); err != nil || !bytes.Equal(svg, again) {
			t.Errorf("%s: drawn twice, the pictures differ (%v)", c.name, err)
		}
	}
	data, err := viz.Render(t.Context(), exe, "digraph { a -> b }", "png")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Error(err)
	}
}

// wellFormed returns the text of an XML document.
func wellFormed(t *testing.T, doc []byte) string {
	var text strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(doc)); ; {
		switch token, err := d.Token(); {
		case err == io.EOF:
			return text.String()
		case err != nil:
			t.Fatalf("not well-formed: %v", err)
		default:
			if chars, ok := token.(xml.CharData); ok {
				text.Write(chars)
			}
		}
	}
}

// Nothing in a name can become markup, an attribute, an escape sequence or a file.
func TestHostileNames(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.png")
	nasty := "\"]; x [image=\"" + secret + "\", URL=\"javascript:alert(1)\"]; </B></FONT>><script>alert(1)</script>&amp;\\N\\G\\l\x00\x1b\xff\u202e"
	ops := []viz.OpNode{{ID: 1, Name: nasty, Kind: nasty, Where: nasty, Shape: nasty, Writes: []viz.Store{{ID: 1, Text: nasty}}, Reads: []viz.Store{{ID: 2, Text: nasty}}}}
	tasks := []viz.TaskNode{{ID: 1, Kind: nasty, Name: nasty, Where: nasty, Device: nasty, Cause: nasty}}
	exe := self(t)
	for _, g := range []*viz.Graph{
		viz.Dataflow(ops, viz.GraphOptions{Title: nasty}), viz.Events(tasks, viz.GraphOptions{Title: nasty}),
		viz.Dataflow([]viz.OpNode{{ID: 1}}, viz.GraphOptions{}), viz.Events([]viz.TaskNode{{ID: 1, Kind: "copy"}}, viz.GraphOptions{}),
	} {
		svg, err := viz.Render(t.Context(), exe, g.DOT(), "svg")
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
	exe := self(t)
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
		picture, err := viz.Render(c.ctx, c.exe, c.dot, c.format)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "dot -Tsvg graph.dot") {
			t.Errorf("%s as %s: got %d bytes and error %v, wanted %q", c.dot, c.format, len(picture), err, c.want)
		}
	}
}

// The largest graph that collapsing leaves is drawn in time.
func TestRenderLimit(t *testing.T) {
	var ops []viz.OpNode
	for i := range 290 {
		ops = append(ops, viz.OpNode{
			ID: scheduler.OpID(i + 1), Name: fmt.Sprint("f", i), Kind: "map", Where: fmt.Sprintf("In [1] line %d", i), Shape: "(8)",
			Reads: []viz.Store{{ID: scheduler.StoreID(i)}, {ID: scheduler.StoreID(i * 5 / 6)}}, Writes: []viz.Store{{ID: scheduler.StoreID(i + 1)}},
		})
	}
	g := viz.Dataflow(ops, viz.GraphOptions{Limit: 300})
	svg, err := viz.Render(t.Context(), self(t), g.DOT(), "svg")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(svg, []byte(`class="node`)); n != len(g.Nodes) || n < 290 {
		t.Errorf("%d nodes are drawn of %d", n, len(g.Nodes))
	}
	keep(t, "limit.svg", svg)
}
