package report

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"weft/internal/units"
	"weft/profiler"
	"weft/viz/graph"
)

// MemoryPlot is how much of each memory was in use over time.
type MemoryPlot struct {
	Title string
	Start int64 // nanoseconds since time 0
	End   int64
	Rows  []MemoryRow
	Since string // what began at Start, if that is not the run: In[3]
}

// MemoryRow is one memory.
type MemoryRow struct {
	Name  string
	Total int64 // bytes; 0 is unbounded
	Uses  []profiler.Use
}

// NewMemoryPlot takes the memories' lanes out of a trace. Totals are the bounds of memories, by their lane's name.
func NewMemoryPlot(t *profiler.Trace, title string, totals map[string]int64) *MemoryPlot {
	p := &MemoryPlot{Title: title}
	p.Start, p.End = t.Span()
	for lane, uses := range profiler.MemoryUse(t) {
		if info := t.Lanes[lane]; info.Kind == "memory" && len(uses) > 0 {
			if lane < len(t.Held) { // what is there at first
				uses = slices.Insert(uses, 0, profiler.Use{At: p.Start, Bytes: t.Held[lane]})
			}
			p.Rows = append(p.Rows, MemoryRow{info.Name, totals[info.Name], uses})
		}
	}
	return p
}

// Clip leaves what happened from start to end, beginning with what was in use before.
func (p *MemoryPlot) Clip(start, end int64) {
	p.Start, p.End = max(p.Start, start), min(p.End, end)
	rows := p.Rows[:0]
	for _, r := range p.Rows {
		var kept []profiler.Use
		for _, use := range r.Uses {
			switch {
			case use.At <= p.Start:
				kept = append(kept[:0], profiler.Use{At: p.Start, Bytes: use.Bytes})
			case use.At <= p.End:
				kept = append(kept, use)
			}
		}
		if len(kept) > 0 {
			r.Uses = kept
			rows = append(rows, r)
		}
	}
	p.Rows = rows
}

// Peak is the most that was in use.
func (r *MemoryRow) Peak() (peak int64) {
	for _, use := range r.Uses {
		peak = max(peak, use.Bytes)
	}
	return peak
}

// change says how much more is in use at the end than at the beginning.
func (r *MemoryRow) change() string {
	if more := r.Uses[len(r.Uses)-1].Bytes - r.Uses[0].Bytes; more < 0 {
		return "\u2212" + units.Size(-more)
	} else {
		return "+" + units.Size(more)
	}
}

// The measures of the plot, in pixels.
const (
	plotWidth  = 560 // so that a narrow notebook need not shrink its letters
	plotHeight = 70
	plotGap    = 26
)

// SVG draws a step line for each memory, one below the other, over the same time. Of the steps within a pixel the
// highest shows.
func (p *MemoryPlot) SVG() string {
	wide := float64(plotWidth - graph.PictureGutter - 8)
	scale := wide / float64(max(p.End-p.Start, 1))
	high := len(p.Rows)*(plotHeight+plotGap) + graph.PictureAxis
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">`+"\n", plotWidth, high, plotWidth, high)
	b.WriteString(graph.PictureCSS)
	fmt.Fprintf(&b, `<title>%s</title><rect class="back" width="100%%" height="100%%"/>`+"\n", html.EscapeString(p.Title))
	y := 6
	for i := range p.Rows {
		r := &p.Rows[i]
		peak := r.Peak()
		fmt.Fprintf(&b, `<rect class="band" x="%d" y="%d" width="%.0f" height="%d"/>`+"\n", graph.PictureGutter, y, wide, plotHeight)
		text := "peak " + units.Size(peak)
		if r.Total > 0 {
			text += fmt.Sprintf(", %.0f%% of %s", 100*float64(peak)/float64(r.Total), units.Size(r.Total))
		}
		fmt.Fprintf(&b, `<text x="8" y="%d">%s</text><text class="faint" x="8" y="%d">%s</text>`+"\n",
			y+14, html.EscapeString(r.Name), y+30, html.EscapeString(units.Size(r.Uses[len(r.Uses)-1].Bytes)+" at the end"))
		fmt.Fprintf(&b, `<text class="faint" x="%d" y="%d">%s</text>`+"\n", graph.PictureGutter+4, y+12, html.EscapeString(text))
		fmt.Fprintf(&b, `<path fill="#62b6a6" fill-opacity="0.45" stroke="#2f8f83" stroke-width="1" d="%s"/>`+"\n", r.path(p, y, scale, peak))
		if p.Since != "" {
			fmt.Fprintf(&b, `<text class="faint" x="%d" y="%d" text-anchor="end">%s</text>`+"\n", plotWidth-12, y+12, html.EscapeString(r.change()+" since "+p.Since+" began"))
		}
		y += plotHeight + plotGap
	}
	for k := range 6 {
		x := graph.PictureGutter + k*int(wide)/5
		anchor := [...]string{"start", "middle", "middle", "middle", "middle", "end"}[k]
		fmt.Fprintf(&b, `<text class="faint" x="%d" y="%d" text-anchor="%s">%s</text>`+"\n", x, high-7, anchor, units.Duration((p.End-p.Start)*int64(k)/5))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// path is the outline of a row's area.
func (r *MemoryRow) path(p *MemoryPlot, y int, scale float64, peak int64) string {
	foot := float64(y + plotHeight)
	level := func(bytes int64) float64 {
		return foot - float64(plotHeight-18)*float64(bytes)/float64(max(peak, 1))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "M%d %.1f", graph.PictureGutter, foot)
	column, highest, last := -1, int64(0), int64(0)
	put := func(x float64, bytes int64) { fmt.Fprintf(&b, "H%.1fV%.1f", x, level(bytes)) }
	for _, use := range r.Uses {
		x := float64(use.At-p.Start) * scale
		if int(x) != column {
			if column >= 0 && highest != last {
				put(float64(graph.PictureGutter+column)+0.5, last)
			}
			column, highest = int(x), use.Bytes
			put(float64(graph.PictureGutter)+x, use.Bytes)
		} else if use.Bytes > highest {
			highest = use.Bytes
			put(float64(graph.PictureGutter)+x, use.Bytes)
		}
		last = use.Bytes
	}
	if highest != last {
		put(float64(graph.PictureGutter+column)+0.5, last)
	}
	fmt.Fprintf(&b, "H%.1fV%.1fZ", float64(graph.PictureGutter)+float64(p.End-p.Start)*scale, foot)
	return b.String()
}
