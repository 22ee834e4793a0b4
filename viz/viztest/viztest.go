// Package viztest has what the tests of graphs and of the pages that show them share: a drawing process, and the ops of
// a program.
//
// It must not be imported by what is no test.
package viztest

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/scheduler"
	"weft/viz/graph"
	"weft/viz/graphviz"
)

// Main runs tests in a binary that is its own drawing process, as cmd/weft is: their TestMain calls it.
func Main(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == graph.RenderCommand {
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

// Self is the path of the test's binary, which draws.
func Self(t testing.TB) string {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// At is a line of a cell, and SourceName what that cell is called: In [3].
func At(cell, line int) scheduler.Where {
	return scheduler.Where{Source: scheduler.SourceID(cell), Line: int32(line)}
}

// SourceName names it.
func SourceName(id scheduler.SourceID) string { return fmt.Sprintf("In [%d]", id) }

// HeatOps are the ops of a 2-D stencil, with a fallback at the end.
func HeatOps(steps int) []graph.OpNode {
	grid := func(id int) graph.Store { return graph.Store{ID: scheduler.StoreID(id), Text: "float64 (1000,1000)"} }
	var ops []graph.OpNode
	add := func(name, kind string, line int, reads, writes []graph.Store) {
		ops = append(ops, graph.OpNode{
			ID: scheduler.OpID(len(ops) + 1), Name: name, Kind: kind, Where: At(3, line),
			Shape: "(998,998)", Reads: reads, Writes: writes, Tasks: 8, Bytes: 24e6, DurNs: int64(1e6 * (1 + len(name))),
		})
	}
	add("zeros", "fill", 1, nil, []graph.Store{grid(1)})
	add("fill", "fill", 2, []graph.Store{grid(1)}, []graph.Store{grid(1)})
	for k := range steps {
		a, b := 10+2*k, 11+2*k
		add("stencil", "map", 5, []graph.Store{grid(1)}, []graph.Store{grid(a)})
		add("abs(subtract)", "map", 6, []graph.Store{grid(a), grid(1)}, []graph.Store{grid(b)})
		add("copy", "move", 7, []graph.Store{grid(a), grid(1)}, []graph.Store{grid(1)})
	}
	add("sum", "reduce", 9, []graph.Store{grid(1)}, []graph.Store{{ID: 5000, Text: "float64 ()"}})
	add("matmul", "contract", 10, []graph.Store{grid(1), grid(4)}, []graph.Store{grid(5001)})
	add("fft.fft2", "fallback", 11, []graph.Store{grid(5001)}, []graph.Store{grid(5002)})
	return ops
}

// Keep leaves a picture for a person to look at when WEFT_TEST_KEEP names a folder.
func Keep(t *testing.T, name string, data []byte) {
	if dir := os.Getenv("WEFT_TEST_KEEP"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// WellFormed returns the text of an XML document.
func WellFormed(t *testing.T, doc []byte) string {
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
