package graph

import (
	"strconv"

	"weft/profiler"
	"weft/scheduler"
	"weft/viz/label"
)

// pen is what nodes are drawn with: the colors of operations, and the names of lines. A line is two numbers up to here.
type pen struct {
	colors *label.Palette
	source func(scheduler.SourceID) string
	lines  map[scheduler.Where]string // that were asked for: a loop has the same ones again and again
}

func (o Options) pen() *pen {
	source := o.SourceName
	if source == nil {
		source = func(scheduler.SourceID) string { return "" }
	}
	return &pen{o.Palette, source, map[scheduler.Where]string{}}
}

// line names a line as people read it: In[3] line 7; nothing where it is not known.
func (p *pen) line(w scheduler.Where) string {
	if w.Source == 0 {
		return ""
	}
	text, known := p.lines[w]
	if !known {
		text = profiler.PlaceText(p.source(w.Source), w.Line)
		p.lines[w] = text
	}
	return text
}

// lineKey is a part of a key in which elements of the same line are alike.
func lineKey(w scheduler.Where) string {
	return strconv.Itoa(int(w.Source)) + ":" + strconv.Itoa(int(w.Line))
}
