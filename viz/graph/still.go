package graph

import (
	"context"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/internal/units"
	"weft/viz/label"
	"weft/viz/layered"
)

// devices returns the devices that have nodes of their own outside of loops, in their natural order.
func (g *Graph) devices() []string {
	var names []string
	for i := range g.Nodes {
		if g.Nodes[i].Loop < 0 {
			names = append(names, g.Nodes[i].Device)
		}
	}
	names = unique(names)
	slices.SortFunc(names, natural)
	return names
}

// headLine is the height of the title's and of the note's line.
const headLine = 16.0

// SVG returns the graph as a picture, laid out by package layered. It stands by itself: no script, no font, no other
// file, and it follows the reader's light or dark setting. It fails only when ctx ends.
func (g *Graph) SVG(ctx context.Context) ([]byte, error) {
	g = g.reduced()
	shape, lanes := g.layers()
	p, err := layered.Layout(ctx, shape)
	if err != nil {
		return nil, fmt.Errorf("viz/graph: the graph was not drawn: %w", err)
	}
	s := still{g: g, p: p, lanes: lanes, right: p.Width}
	return s.draw(), nil
}

// still is a picture that is being written.
type still struct {
	strings.Builder
	g     *Graph
	p     *layered.Picture
	lanes []string
	taken []layered.Rect // by labels

	left, right float64 // how far it reaches: labels may stand beside what was laid out
}

func (s *still) draw() []byte {
	s.graph()
	graph := s.String()
	s.Builder = strings.Builder{}
	head := []string{}
	for _, line := range []string{s.g.Title, s.g.Note, s.g.privileges()} {
		if line != "" {
			head = append(head, label.OneLine(line, 200))
		}
	}
	width, top := s.right-s.left, headLine*float64(len(head))
	for i, line := range head {
		size := nameSize
		if i > 0 {
			size = detailSize
		}
		width = max(width, textWidth(line, size, false)+20)
	}
	height := s.p.Height + top
	fmt.Fprintf(s, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="Helvetica,Arial,sans-serif">`,
		coord(width), coord(height), coord(width), coord(height))
	s.WriteString(stillCSS())
	for i, line := range head {
		size := nameSize
		if i > 0 {
			size = detailSize
		}
		fmt.Fprintf(s, "<text class=\"head\" x=\"%s\" y=\"%s\" font-size=\"%s\" fill=\"%s\">%s</text>\n",
			coord(8), coord(headLine*float64(i+1)-2), coord(size), lineColor, html.EscapeString(line))
	}
	fmt.Fprintf(s, "<g transform=\"translate(%s %s)\">\n%s</g>\n</svg>\n", coord((width-s.right-s.left)/2), coord(top), graph)
	return []byte(s.String())
}

// graph writes what stands below the head.
func (s *still) graph() {
	for i, lane := range s.p.Lanes {
		s.frame("lane", lane, s.lanes[i])
	}
	for i, box := range s.p.Boxes {
		s.frame("loop", box, s.g.Loops[i].Label)
	}
	for i := range s.g.Edges {
		s.edge(i)
	}
	for i := range s.g.Nodes {
		s.node(i)
	}
	s.taken = append(s.taken, s.p.Nodes...)
	for i := range s.g.Edges {
		s.label(i)
	}
}

// coord writes a coordinate with at most one digit behind the point.
func coord(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

func (s *still) frame(class string, r layered.Rect, title string) {
	if r.Width == 0 {
		return
	}
	dash := ""
	if class == "loop" {
		dash = ` stroke-dasharray="5 3"`
	}
	fmt.Fprintf(s, "<g class=\"%s\"><rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"8\" fill=\"%s\" fill-opacity=\"0.06\" stroke=\"%s\"%s/>",
		class, coord(r.X), coord(r.Y), coord(r.Width), coord(r.Height), lineColor, lineColor, dash)
	fmt.Fprintf(s, "<text x=\"%s\" y=\"%s\" font-size=\"11\" fill=\"%s\">%s</text></g>\n",
		coord(r.X+9), coord(r.Y+14), lineColor, html.EscapeString(label.OneLine(title, 60)))
}

// edgeLook is how a line is drawn.
type edgeLook struct {
	class, color, dash string
	width              float64
}

func (e *Edge) look() edgeLook {
	l := edgeLook{"edge", lineColor, "", 1.1}
	switch {
	case e.Carried:
		l.class, l.dash = "edge carried", "5 3"
	case e.Order:
		l.class, l.dash, l.width = "edge order", "2 5", 0.8
	case e.Pointwise:
		l.class, l.dash = "edge pointwise", "1.5 2.5"
	}
	if e.Critical {
		l.class, l.color, l.width = l.class+" critical", criticalColor, 2
	}
	return l
}

// criticalColor marks the longest chain.
const criticalColor = "#e11d48"

const arrow = 6.0 // length of an arrow's head

func (s *still) edge(i int) {
	e, line := &s.g.Edges[i], s.p.Lines[i]
	look := e.look()
	path, tip := curve(line, s.g.Edges[i].From == s.g.Edges[i].To)
	fmt.Fprintf(s, "<g class=\"%s\">", look.class)
	if text := e.tooltip(s.g); text != "" {
		fmt.Fprintf(s, "<title>%s</title>", html.EscapeString(text))
	}
	fmt.Fprintf(s, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"", path, look.color, coord(look.width))
	if look.dash != "" {
		fmt.Fprintf(s, " stroke-dasharray=\"%s\"", look.dash)
	}
	fmt.Fprintf(s, "/><path d=\"%s\" fill=\"%s\"/>", tip, look.color)
	s.marks(e, line, look)
	s.WriteString("</g>\n")
}

// ringSize is the radius of a mark.
const ringSize = 2.6

// marks tells of privileges at the ends of an edge: an open ring at its tail for what was reduced into, a full one
// before its head for what is updated. The edge of a node to itself has no room for them.
func (s *still) marks(e *Edge, line []layered.Point, look edgeLook) {
	if e.From == e.To {
		return
	}
	mark := func(at, toward layered.Point, far float64, paint string) {
		if toward.Y < at.Y {
			far = -far
		}
		fmt.Fprintf(s, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" %s/>", coord(at.X), coord(at.Y+far), coord(ringSize), paint)
	}
	n := len(line)
	if e.updated {
		mark(line[n-1], line[n-2], arrow+ringSize+1.5, fmt.Sprintf("fill=\"%s\"", look.color))
	}
	if e.reduced {
		mark(line[0], line[1], ringSize, fmt.Sprintf("class=\"open\" fill=\"#fff\" stroke=\"%s\"", look.color))
	}
}

// curve returns the path of a line, which bends only between layers, and that of its arrow's head.
func curve(line []layered.Point, self bool) (path, head string) {
	last, before := line[len(line)-1], line[len(line)-2]
	dx, dy := 0.0, 1.0
	switch {
	case self:
		dx, dy = -1, 0
	case last.Y < before.Y:
		dy = -1
	}
	end := layered.Point{X: last.X - dx*arrow, Y: last.Y - dy*arrow}
	var b strings.Builder
	fmt.Fprintf(&b, "M%s %s", coord(line[0].X), coord(line[0].Y))
	for k := 1; k < len(line); k++ {
		a, c := line[k-1], line[k]
		if k == len(line)-1 {
			c = end
		}
		switch {
		case self && k == 2:
			fmt.Fprintf(&b, "A%s %s 0 0 0 %s %s", coord((a.Y-c.Y)/2), coord((a.Y-c.Y)/2), coord(c.X), coord(c.Y))
		case self || a.X == c.X:
			fmt.Fprintf(&b, "L%s %s", coord(c.X), coord(c.Y))
		default:
			middle := (a.Y + c.Y) / 2
			fmt.Fprintf(&b, "C%s %s %s %s %s %s", coord(a.X), coord(middle), coord(c.X), coord(middle), coord(c.X), coord(c.Y))
		}
	}
	side := 3.0
	return b.String(), fmt.Sprintf("M%s %sL%s %sL%s %sZ", coord(last.X), coord(last.Y),
		coord(end.X-dy*side), coord(end.Y-dx*side), coord(end.X+dy*side), coord(end.Y+dx*side))
}

// tooltip says what an edge means.
func (e *Edge) tooltip(g *Graph) string {
	kind := ""
	switch {
	case e.Carried:
		kind = "from one iteration to the next"
	case e.Order:
		kind = "order only, no data"
	case e.Pointwise:
		kind = "pointwise: each task waits for one task"
	}
	critical := ""
	if e.Critical {
		critical = "on the critical path"
	}
	size := ""
	if e.Bytes > 0 {
		size = units.Size(e.Bytes)
	}
	return join("\n", label.OneLine(g.Nodes[e.From].Name, 60)+" \u2192 "+label.OneLine(g.Nodes[e.To].Name, 60), e.Label, size, kind, e.privilege.text(), critical)
}

// text is what stands beside an edge.
func (e *Edge) text() string {
	size := ""
	if e.Bytes > 0 {
		size = units.Size(e.Bytes)
	}
	return join(" \u00b7 ", e.Label, size)
}

func (s *still) node(i int) {
	n, r := &s.g.Nodes[i], s.p.Nodes[i]
	class, look := style(n.Class)
	f := n.face()
	border, thick := look.border, 1+look.line
	if n.Critical {
		class, border, thick = class+" critical", criticalColor, 2.2
	}
	fmt.Fprintf(s, "<g class=\"node %s\">", class)
	if n.Tooltip != "" {
		fmt.Fprintf(s, "<title>%s</title>", html.EscapeString(label.Printable(n.Name+"\n"+n.Tooltip, label.Longest)))
	}
	x, y, w, h := coord(r.X), coord(r.Y), coord(r.Width), coord(r.Height)
	paint := fmt.Sprintf("fill=\"%s\" stroke=\"%s\" stroke-width=\"%s\"", look.fill, border, coord(thick))
	if n.Color != "" { // a style is stronger than those of dark pages
		if !n.Critical && n.Class != "op-fallback" {
			border = n.Color
		}
		paint = fmt.Sprintf("style=\"fill:%s;fill-opacity:%.2g\" stroke=\"%s\" stroke-width=\"%s\"", n.Color, tint, border, coord(thick))
	}
	switch look.shape {
	case "ellipse":
		fmt.Fprintf(s, "<rect class=\"shape\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"%s\" %s/>", x, y, w, h, coord(r.Height/2), paint)
	case sharp:
		fmt.Fprintf(s, "<rect class=\"shape\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" %s/>", x, y, w, h, paint)
	default:
		if n.Times > 1 { // there are several: a second sheet behind
			fmt.Fprintf(s, "<rect class=\"shape\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"6\" %s/>", coord(r.X+3), coord(r.Y+3), w, h, paint)
		}
		fmt.Fprintf(s, "<rect class=\"shape\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"6\" %s/>", x, y, w, h, paint)
	}
	if share := min(max(n.Weight, 0), 1); share >= 0.005 { // how much of the time it took
		fmt.Fprintf(s, "<rect class=\"heat\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"3\" rx=\"1.5\" fill=\"%s\"/>",
			coord(r.X+4), coord(r.Y+r.Height-4.5), coord(max(2, share*(r.Width-8))), heatColor)
	}
	middle := coord(r.X + r.Width/2)
	text := func(y, size float64, bold, rest string) {
		fmt.Fprintf(s, "<text text-anchor=\"middle\" x=\"%s\" y=\"%s\" font-size=\"%s\" fill=\"%s\">", middle, coord(y), coord(size), textColor)
		if bold != "" {
			fmt.Fprintf(s, "<tspan font-weight=\"bold\">%s</tspan>", html.EscapeString(bold))
		}
		s.WriteString(html.EscapeString(rest) + "</text>")
	}
	count := ""
	if f.Count != "" {
		count = "\u00a0" + f.Count
	}
	below := r.Y + aboveText + nameLine - 4
	text(below, nameSize, f.Name, count)
	for _, line := range f.Lines {
		below += detailLine
		text(below, detailSize, "", line)
	}
	s.WriteString("</g>\n")
}

// tint is how much of an operation's color its node has.
const tint = 0.24

// heatColor is that of the bar that shows a node's share of the time.
const heatColor = "#f97316"

// labelRoom is how far a label stays from the picture's edge.
const labelRoom = 4

// label writes what flows along an edge beside its line, where there is room for it.
func (s *still) label(i int) {
	text := s.g.Edges[i].text()
	if text == "" {
		return
	}
	text = label.OneLine(text, 32)
	width := textWidth(text, labelSize, false)
	out := 0.0
	if e := &s.g.Edges[i]; e.From == e.To {
		out = bulge(s.p.Lines[i])
	}
	at, ok := s.placeFor(i, labelPlaces(s.p.Lines[i], width, out))
	if !ok {
		return
	}
	s.taken = append(s.taken, at)
	s.left, s.right = min(s.left, at.X-labelRoom), max(s.right, at.X+at.Width+labelRoom)
	fmt.Fprintf(s, "<text class=\"label\" x=\"%s\" y=\"%s\" font-size=\"%s\" fill=\"%s\" stroke=\"#fff\" stroke-width=\"2.5\" stroke-opacity=\"0.8\" paint-order=\"stroke\">%s</text>\n",
		coord(at.X), coord(at.Y+labelSize), coord(labelSize), lineColor, html.EscapeString(text))
}

// placeFor returns the first of some places for the label of an edge that nothing stands in and no other edge's line
// goes through, or else the first that nothing stands in.
func (s *still) placeFor(edge int, places []layered.Rect) (at layered.Rect, ok bool) {
	for _, p := range places {
		if slices.ContainsFunc(s.taken, func(r layered.Rect) bool { return overlap(p, r) }) {
			continue
		}
		if !s.crossed(edge, p) {
			return p, true
		}
		if !ok {
			at, ok = p, true
		}
	}
	return at, ok
}

func overlap(a, b layered.Rect) bool {
	return a.X < b.X+b.Width && b.X < a.X+a.Width && a.Y < b.Y+b.Height && b.Y < a.Y+a.Height
}

// crossed reports whether the line of an edge other than that goes through a place.
func (s *still) crossed(edge int, at layered.Rect) bool {
	for j, line := range s.p.Lines {
		if j == edge {
			continue
		}
		for _, y := range []float64{at.Y, at.Y + at.Height/2, at.Y + at.Height} {
			if x, ok := across(line, y); ok && at.X < x && x < at.X+at.Width {
				return true
			}
		}
	}
	return false
}

// bulge is how far the arc of a line from a node to itself reaches beyond its points; see curve.
func bulge(line []layered.Point) float64 { return math.Abs(line[1].Y-line[2].Y) / 2 }

// labelPlaces returns where the label of a line that bulges may stand: right or left of it, in its middle first. A line
// that is nearly level leaves the label's height soon, which stands beside all of it that is there.
func labelPlaces(line []layered.Point, width, bulge float64) []layered.Rect {
	const height = labelSize + 2
	var out []layered.Rect
	for _, share := range []float64{0.5, 0.35, 0.65, 0.2, 0.8} {
		p := along(line, share)
		y, left, right := p.Y-height/2, p.X, p.X
		for _, end := range []float64{y, y + height} {
			if x, ok := across(line, end); ok {
				left, right = min(left, x), max(right, x)
			}
		}
		out = append(out,
			layered.Rect{X: right + bulge + 4, Y: y, Width: width, Height: height},
			layered.Rect{X: left - 4 - width, Y: y, Width: width, Height: height})
	}
	return out
}

// along returns the point at a share of a line's height.
func along(line []layered.Point, share float64) layered.Point {
	first, last := line[0], line[len(line)-1]
	y := first.Y + share*(last.Y-first.Y)
	if x, ok := across(line, y); ok {
		return layered.Point{X: x, Y: y}
	}
	return layered.Point{X: (first.X + last.X) / 2, Y: y}
}

// across returns where a line comes first by a height.
func across(line []layered.Point, y float64) (x float64, ok bool) {
	for k := 1; k < len(line); k++ {
		a, b := line[k-1], line[k]
		if (y-a.Y)*(y-b.Y) <= 0 && a.Y != b.Y {
			t := (y - a.Y) / (b.Y - a.Y)
			bend := t * t * (3 - 2*t) // of the curve between them, closely
			return a.X + bend*(b.X-a.X), true
		}
	}
	return 0, false
}

// stillCSS recolors the picture where the page or the system is dark. It works in an <img> too, which is how notebooks
// show it.
func stillCSS() string {
	var b strings.Builder
	b.WriteString("<style>@media (prefers-color-scheme: dark){.node text{fill:#e8edf5}.head,.label{fill:#a8b3c4}.label{stroke:#14181f}.open{fill:#14181f}")
	for _, class := range sortedKeys(darkFills) {
		b.WriteString("." + class + " .shape{fill:" + darkFills[class] + "}")
	}
	b.WriteString("}</style>\n")
	return b.String()
}
