package main

import (
	"context"
	"io"
	"time"

	"weft/profiler"
	"weft/viz/graph"
)

// drawingDeadline is far beyond what a drawing takes, some milliseconds.
const drawingDeadline = 20 * time.Second

// graphForm writes a graph that travels with a profile.
func graphForm(name string, form func(*graph.Outline, *graph.Graph) ([]byte, error)) func(io.Writer, *profiler.Trace) error {
	return func(w io.Writer, t *profiler.Trace) error {
		outline, g, err := graph.Of(t, name)
		if err != nil {
			return err
		}
		data, err := form(outline, g)
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	}
}

// graphOfFile is graphForm for a long profile, of which it reads the tables only.
func graphOfFile(name string, form func(*graph.Outline, *graph.Graph) ([]byte, error)) func(io.Writer, string) error {
	return func(w io.Writer, path string) error {
		t, err := profiler.ReadTables(path)
		if err != nil {
			return err
		}
		return graphForm(name, form)(w, t)
	}
}

func dotOf(_ *graph.Outline, g *graph.Graph) ([]byte, error) { return []byte(g.DOT()), nil }

func svgOf(_ *graph.Outline, g *graph.Graph) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), drawingDeadline)
	defer cancel()
	return g.SVG(ctx)
}

func pageOf(outline *graph.Outline, _ *graph.Graph) ([]byte, error) { return outline.HTML(false), nil }
