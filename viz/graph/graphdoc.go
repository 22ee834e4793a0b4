package graph

import (
	"encoding/json"
	"fmt"

	"weft/profiler"
	"weft/viz/label"
)

// Suffix ends the names of documents that hold a graph, beside those in DOT: dataflow.graph.
const Suffix = ".graph"

// graphDocument is a graph as it travels with a profile.
type graphDocument struct {
	Shown   *Graph   `json:"shown"`
	Outline *Outline `json:"outline"`
}

// Document returns a graph as a text that ParseGraph reads.
func Document(o *Outline, g *Graph) string {
	text, err := json.Marshal(graphDocument{g, o})
	if err != nil {
		panic(fmt.Sprintf("BUG: inv 2: the graph has no JSON form: %v", err))
	}
	return string(text)
}

// mostDrawn bounds what a document of unknown origin may ask to be drawn.
const mostDrawn = 10_000

// ParseGraph reads what Document wrote. Everything that names something else by a number is checked, so that no
// document can make a page or a picture fail.
func ParseGraph(text string) (*Outline, *Graph, error) {
	var d graphDocument
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, nil, fmt.Errorf("viz/graph: the graph of the profile cannot be read: %w; want what this version of weft has written", err)
	}
	if d.Shown == nil || d.Outline == nil {
		return nil, nil, fmt.Errorf("viz/graph: the graph of the profile is empty; want what this version of weft has written")
	}
	if err := d.Shown.check(); err != nil {
		return nil, nil, fmt.Errorf("viz/graph: the graph of the profile is wrong: %w", err)
	}
	if err := d.Outline.check(); err != nil {
		return nil, nil, fmt.Errorf("viz/graph: the graph of the profile is wrong: %w", err)
	}
	return d.Outline, d.Shown, nil
}

// Of returns a graph that travels with a profile: dataflow or events.
func Of(t *profiler.Trace, name string) (*Outline, *Graph, error) {
	for _, x := range t.Texts {
		if x.Name == name+Suffix {
			return ParseGraph(x.Body)
		}
	}
	return nil, nil, fmt.Errorf("viz/graph: there is no %s graph in the profile; a run leaves it at its end, so that one that crashed has none", name)
}

func (g *Graph) check() error {
	if len(g.Nodes) > mostDrawn || len(g.Edges) > 10*mostDrawn || len(g.Loops) > mostDrawn {
		return fmt.Errorf("it shows %d nodes, %d edges and %d loops; at most %d nodes are drawn", len(g.Nodes), len(g.Edges), len(g.Loops), mostDrawn)
	}
	for i, l := range g.Loops {
		if l.Parent < noOne || l.Parent >= i {
			return fmt.Errorf("loop %d lies in loop %d; want an earlier one or -1", i, l.Parent)
		}
	}
	for i, n := range g.Nodes {
		if n.Color != "" && !label.PlainColor.MatchString(n.Color) {
			return fmt.Errorf("node %d has color %.20q; want #rrggbb", i, n.Color)
		}
		if n.Loop < noOne || n.Loop >= len(g.Loops) {
			return fmt.Errorf("node %d lies in loop %d of %d", i, n.Loop, len(g.Loops))
		}
	}
	for i, e := range g.Edges {
		if min(e.From, e.To) < 0 || max(e.From, e.To) >= len(g.Nodes) {
			return fmt.Errorf("edge %d joins nodes %d and %d of %d", i, e.From, e.To, len(g.Nodes))
		}
	}
	return nil
}

func (o *Outline) check() error {
	for i, p := range o.Parts {
		if p.In < noOne || p.In >= i {
			return fmt.Errorf("part %d lies in part %d; want an earlier one or -1", i, p.In)
		}
		if p.Color != "" && !label.PlainColor.MatchString(p.Color) {
			return fmt.Errorf("part %d has color %.20q; want #rrggbb", i, p.Color)
		}
		if !(p.Wide >= 0 && p.Wide < 1e5 && p.High >= 0 && p.High < 1e5) {
			return fmt.Errorf("part %d measures %v by %v with its details", i, p.Wide, p.High)
		}
		if !(p.Width >= 0 && p.Width < 1e5 && p.Height >= 0 && p.Height < 1e5) {
			return fmt.Errorf("part %d measures %v by %v", i, p.Width, p.Height)
		}
	}
	for i, grain := range o.Grains {
		if len(grain) == 0 || grain[0] < 0 {
			return fmt.Errorf("grain %d is in no part", i)
		}
		for _, part := range grain {
			if part < noOne || part >= len(o.Parts) {
				return fmt.Errorf("grain %d is in part %d of %d", i, part, len(o.Parts))
			}
		}
	}
	for i, f := range o.Flows {
		if min(f.From, f.To) < 0 || max(f.From, f.To) >= len(o.Grains) {
			return fmt.Errorf("flow %d joins grains %d and %d of %d", i, f.From, f.To, len(o.Grains))
		}
	}
	return nil
}
