package live

import (
	"weft/profiler"
	"weft/viz/graph"
)

// TimelineBundle returns a timeline as the data of a Jupyter display: MIME type -> content. The
// richest form that a front end shows wins: the viewer in a frame that may run scripts and nothing
// else, the still picture, or the summary as text.
func TimelineBundle(t *profiler.Trace, o TimelineOptions) map[string]string {
	o.Embedded = true
	page, svg := TimelineHTML(t, o), TimelineSVG(t, o)
	return map[string]string{
		"text/plain": profiler.Summarize(t).String(), "image/svg+xml": string(svg),
		"text/html": graph.Framed(o.Title, frameHeight(t), page, svg),
	}
}

// frameHeight leaves room for the lanes and the first rows of the tables.
func frameHeight(t *profiler.Trace) int {
	rows := map[uint32]bool{}
	drawn := profiler.Rows(t)
	for i := range t.Records {
		rows[uint32(t.Records[i].Lane)<<16|uint32(drawn[i])] = true
	}
	return min(340+22*len(rows), 720)
}
