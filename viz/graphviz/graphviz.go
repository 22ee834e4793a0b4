// Package graphviz is the body of the child process that draws graphs: DOT in, a picture
// out, once.
//
// Only cmd/weft may import it. Importing goccy/go-graphviz compiles a WebAssembly module
// in an init function, which every process that imports it pays for; and the module is not
// safe for concurrent use, leaks, and cannot be stopped. A child that is started by graph.Render
// and killed at a deadline has none of these problems.
//
// The package must not know what a graph means.
package graphviz

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing/fstest"

	"github.com/goccy/go-graphviz"
)

// MaxDOT is the longest DOT text that is drawn.
const MaxDOT = 16 << 20

// formats are those that work; go-graphviz returns nothing, and no error, for others.
var formats = map[string]graphviz.Format{"svg": graphviz.SVG, "png": graphviz.PNG}

// Child reads DOT from in and writes the picture to out. Format is svg or png.
func Child(ctx context.Context, format string, in io.Reader, out io.Writer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("graphviz broke down: %v", p)
		}
	}()
	f, known := formats[format]
	if !known {
		return fmt.Errorf("picture format %q is unknown, wanted svg or png", format)
	}
	text, err := io.ReadAll(io.LimitReader(in, MaxDOT+1))
	if err != nil {
		return fmt.Errorf("reading the graph: %w", err)
	}
	if len(text) > MaxDOT {
		return fmt.Errorf("the graph's DOT text has more than %d bytes", MaxDOT)
	}
	// Without this the module sees the file system, and an image attribute could read it.
	graphviz.SetFileSystem(fstest.MapFS{})
	g, err := graphviz.New(ctx)
	if err != nil {
		return fmt.Errorf("starting graphviz: %w", err)
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	graph, err := graphviz.ParseBytes(text)
	if err != nil {
		return fmt.Errorf("reading the graph: %w", err)
	}
	defer func() { err = errors.Join(err, graph.Close()) }()
	if err := g.Render(ctx, graph, f, out); err != nil {
		return fmt.Errorf("drawing the graph: %w", err)
	}
	return nil
}
