package live

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"

	"weft/internal/units"
	"weft/profiler"
	"weft/viz/graph"
	"weft/viz/label"
)

// The measures of the still picture, in pixels.
const (
	pictureWidth  = 960
	rowHeight     = 14
	laneGap       = 4
	cellWidth     = 2  // what is shorter is gathered by cells of this width
	maxRowsShown  = 64 // lanes beyond are counted, not drawn
	maxLaneRows   = 6
	legendEntries = 10
)

// picture collects the layers of a still picture, from the back to the front.
type picture struct {
	bands, ticks strings.Builder
	bars         map[string]*strings.Builder // color -> path data of all its bars
	labels       strings.Builder
	start        int64
	scale        float64 // pixels per nanosecond
	y            int
}

// TimelineSVG returns a still picture of a timeline for where no script runs, such as saved
// notebooks.
func TimelineSVG(t *profiler.Trace, o TimelineOptions) []byte {
	start, end := t.Span()
	p := &picture{
		bars: map[string]*strings.Builder{}, start: start, y: graph.PictureAxis,
		scale: float64(pictureWidth-graph.PictureGutter-8) / float64(max(end-start, 1)),
	}
	times, titles := map[label.Key]int64{}, label.NewTitles(t)
	for i := range t.Records {
		rec := &t.Records[i]
		times[label.Key{Text: titles.Of(rec), Kind: rec.Kind}] += rec.End - rec.Start
	}
	colors, rows, lanes := o.Palette, profiler.Rows(t), profiler.Summarize(t).Lanes
	if colors == nil {
		colors = label.NewPalette()
	}
	colors.GiveByTime(times)
	shown, left := 0, 0
	for first := 0; first < len(t.Records); {
		lane, last, height := t.Records[first].Lane, first, 0
		for ; last < len(t.Records) && t.Records[last].Lane == lane; last++ {
			height = min(max(height, int(rows[last])+1), maxLaneRows)
		}
		if shown += height; shown <= maxRowsShown {
			share := ""
			if works(t.Lanes[lane]) {
				share = fmt.Sprintf("%d%%", 100*lanes[lane].Busy/max(end-start, 1))
			}
			p.lane(t.Lanes[lane].Name, share, height)
			p.laneBars(t, first, last, rows, height, titles, colors)
			p.y += height*rowHeight + laneGap
		} else {
			left++
		}
		first = last
	}
	bottom := p.y
	if left > 0 {
		fmt.Fprintf(&p.labels, `<text class="faint" x="8" y="%d">and %d more lanes</text>`+"\n", p.y+11, left)
		p.y += rowHeight
	}
	for k := range 6 {
		x, anchor, dx := graph.PictureGutter+k*(pictureWidth-graph.PictureGutter-8)/5, "start", 4
		if k == 5 {
			anchor, dx = "end", -4
		}
		fmt.Fprintf(&p.ticks, `<path class="tick" d="M%d.5 0V%d"/><text class="faint" x="%d" y="14" text-anchor="%s">%s</text>`+"\n",
			x, bottom, x+dx, anchor, units.Duration((end-start)*int64(k)/5))
	}
	p.legend(times, colors)

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">`+"\n", pictureWidth, p.y, pictureWidth, p.y)
	fmt.Fprintf(&b, `%s<title>%s</title><rect class="back" width="%d" height="%d"/>`+"\n", graph.PictureCSS, html.EscapeString(label.Printable(o.Title, label.Longest)), pictureWidth, p.y)
	b.WriteString(p.bands.String() + p.ticks.String())
	for _, color := range slices.Sorted(maps.Keys(p.bars)) {
		fmt.Fprintf(&b, `<path fill="%s" d="%s"/>`+"\n", color, p.bars[color])
	}
	b.WriteString(p.labels.String() + "</svg>\n")
	return []byte(b.String())
}

// works says whether a lane does work, so that its share of busy time means anything.
func works(l profiler.LaneInfo) bool { return l.Kind == "cpu" || l.Kind == "gpu" || l.Kind == "copy" }

// lane draws the background and the name of a lane.
func (p *picture) lane(name, share string, height int) {
	fmt.Fprintf(&p.bands, `<rect class="band" y="%d" width="%d" height="%d"/>`+"\n", p.y, pictureWidth, height*rowHeight)
	fmt.Fprintf(&p.labels, `<text x="8" y="%d">%s</text><text class="faint" text-anchor="end" x="%d" y="%d">%s</text>`+"\n",
		p.y+11, label.Markup(name, 12), graph.PictureGutter-8, p.y+11, share)
}

// laneBars draws the records first to last, which are one lane's.
func (p *picture) laneBars(t *profiler.Trace, first, last int, rows []uint16, height int, titles *label.Titles, colors *label.Palette) {
	until := make([]float64, height) // right edge of what each row holds already
	for i := first; i < last; i++ {
		rec, row := &t.Records[i], min(int(rows[i]), height-1)
		x0 := graph.PictureGutter + float64(rec.Start-p.start)*p.scale
		x1 := graph.PictureGutter + float64(rec.End-p.start)*p.scale
		if x1-x0 < cellWidth {
			x0 = float64(int(x0) / cellWidth * cellWidth)
			x1 = x0 + cellWidth
		}
		if x0 = max(x0, until[row]); x1-x0 < cellWidth/2 {
			continue // its cell shows another one
		}
		until[row] = x1
		color := colors.Color(label.Key{Text: titles.Of(rec), Kind: rec.Kind})
		if p.bars[color] == nil {
			p.bars[color] = &strings.Builder{}
		}
		y, w := p.y+row*rowHeight+1, x1-x0
		if w > 4 {
			w -= 0.5 // neighbours stay apart by a hair
		}
		fmt.Fprintf(p.bars[color], "M%.1f %dh%.1fv%dh-%.1fz", x0, y, w, rowHeight-2, w)
		if w >= 40 {
			fmt.Fprintf(&p.labels, `<text class="on" x="%.1f" y="%d">%s</text>`+"\n", x0+3, y+10, label.Markup(titles.Of(rec), int(w/6.5)))
		}
	}
}

// legend names the colors of what takes most of the time.
func (p *picture) legend(times map[label.Key]int64, colors *label.Palette) {
	keys := make([]label.Key, 0, len(times))
	for key := range times {
		if key.Kind != profiler.Cell {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b label.Key) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text))
	})
	const perRow = 5
	p.y += 6
	for k, key := range keys[:min(len(keys), legendEntries)] {
		if k > 0 && k%perRow == 0 {
			p.y += 18
		}
		x := 8 + k%perRow*(pictureWidth-16)/perRow
		name := key.Text
		if kind := key.Kind.String(); key.Kind != profiler.Run && kind != name {
			name += " (" + kind + ")"
		}
		fmt.Fprintf(&p.labels, `<rect x="%d" y="%d" width="10" height="10" rx="2" fill="%s"/><text x="%d" y="%d">%s <tspan class="faint">%s</tspan></text>`+"\n",
			x, p.y+2, colors.Color(key), x+15, p.y+11, label.Markup(name, 20), units.Duration(times[key]))
	}
	p.y += 20
}
