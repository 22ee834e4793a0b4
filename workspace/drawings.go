package workspace

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"weft/internal/units"
	"weft/viz/graph"
	"weft/viz/label"
)

// drawing is a graph as Python gets it: without pictures where it could not be drawn.
type drawing struct {
	Cell  string `json:"cell"`
	Text  string `json:"text"`
	DOT   string `json:"dot"`
	SVG   string `json:"svg"`
	HTML  string `json:"html"` // in a frame
	Error string `json:"error"`
	Nodes int    `json:"nodes"`
	Edges int    `json:"edges"`
}

// drawingDeadline is far beyond what a drawing takes, some milliseconds.
const drawingDeadline = 20 * time.Second

// pageParts is how many parts a page of its own holds: one that is not kept in a notebook.
const pageParts = 20_000

// graphOf is one kind of graph of a cell.
type graphOf func(m *Machine, c cell, title string, parts int) (*graph.Outline, *graph.Graph)

func draw(m *Machine, argument, title string, of graphOf) (string, error) {
	c, err := m.chosen(argument)
	if err != nil {
		return "", err
	}
	outline, g := of(m, c, title+" of "+c.name, 0)
	d := drawing{Cell: c.name, Text: g.Text(), DOT: g.DOT(), Nodes: len(g.Nodes), Edges: len(g.Edges)}
	ctx, cancel := context.WithTimeout(context.Background(), drawingDeadline)
	defer cancel()
	bundle, err := graph.Bundle(ctx, outline, g)
	if err != nil {
		d.Error = err.Error()
	} else {
		d.SVG, d.HTML = bundle["image/svg+xml"], bundle["text/html"]
	}
	return asJSON(d)
}

func (m *Machine) dataflow(argument string) (string, error) {
	return draw(m, argument, "dataflow", dataflowOf)
}
func (m *Machine) events(argument string) (string, error) {
	return draw(m, argument, "events", eventsOf)
}

// dataflowPage and eventsPage answer with the graph of a cell as a page in one file.
func (m *Machine) dataflowPage(argument string) (string, error) {
	return graphPage(m, argument, "dataflow", dataflowOf)
}

func (m *Machine) eventsPage(argument string) (string, error) {
	return graphPage(m, argument, "events", eventsOf)
}

func graphPage(m *Machine, argument, title string, of graphOf) (string, error) {
	c, err := m.chosen(argument)
	if err != nil {
		return "", err
	}
	outline, _ := of(m, c, title+" of "+c.name, pageParts)
	return string(outline.HTML(false)), nil
}

func dataflowOf(m *Machine, c cell, title string, parts int) (*graph.Outline, *graph.Graph) {
	tasks, missing := m.taskNodes(c)
	oldest, _ := m.rt.Oldest()
	ops := max(0, int(min(oldest, c.mark.LastOp))-int(c.mark.FirstOp)-1)
	_, small := m.notesOf(c)
	ops += int(small)
	return graph.DataflowOutline(m.opNodes(c, tasks), m.graphOptions(title, parts, forgotten(ops, missing)))
}

func eventsOf(m *Machine, c cell, title string, parts int) (*graph.Outline, *graph.Graph) {
	tasks, missing := m.taskNodes(c)
	o := m.graphOptions(title, parts, forgotten(0, missing))
	o.Graph.Missing = missing
	return graph.EventsOutline(m.withRuns(c, tasks), o)
}

// drawPNG answers with a picture of DOT text, in base64. A child process draws it, which may take half a minute at
// most.
func (s *Workspace) drawPNG(dot string) (string, error) {
	picture, err := graph.Render(context.Background(), s.Getenv("WEFT_BINARY"), dot, "png")
	return base64.StdEncoding.EncodeToString(picture), err
}

// graphOptions say how a cell's graph is made, and what of the cell is no longer known.
func (m *Machine) graphOptions(title string, parts int, note string) graph.OutlineOptions {
	return graph.OutlineOptions{Graph: graph.Options{Title: title, Note: note, Palette: m.space.palette, SourceName: m.rt.SourceName}, Parts: parts, Sources: m.rt.Recorder().Sources()}
}

// forgotten says how much of a cell is not known any more.
func forgotten(ops, tasks int) string {
	switch {
	case ops > 0:
		return fmt.Sprintf("the first %s are missing: the log keeps the newest", units.Count(ops, "operation"))
	case tasks > 0:
		return fmt.Sprintf("%s are missing: the log keeps the newest", units.Count(tasks, "early task"))
	}
	return ""
}

// attachGraphs puts the whole run's graphs and the colors of its pictures into the profile, for the viewer that opens
// it.
func (m *Machine) attachGraphs() error {
	c, err := m.chosen(everything)
	if err != nil {
		return err
	}
	rec := m.rt.Recorder()
	for _, kind := range []struct {
		name string
		of   graphOf
	}{{"dataflow", dataflowOf}, {"events", eventsOf}} {
		outline, g := kind.of(m, c, kind.name, 0)
		err := cmp.Or(rec.Attach(kind.name+".dot", g.DOT()), rec.Attach(kind.name+graph.Suffix, graph.Document(outline, g)))
		if err != nil {
			return err
		}
	}
	m.space.palette.Give(rec.Snapshot())
	return rec.Attach(label.PaletteDocument, m.space.palette.Document())
}
