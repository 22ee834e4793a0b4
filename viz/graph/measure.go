package graph

import (
	"strconv"

	"weft/viz/label"
	"weft/viz/layered"
)

// letterWidths are the widths of Helvetica's letters from the space to the tilde, in thousandths of the size. Arial
// and Liberation Sans, which stand in for it, have the same.
const letterWidths = "" +
	"278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 " + // space to /
	"556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 " + // 0 to ?
	"1015667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 " + // @ to O
	"667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 " + // P to _
	"333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 " + // ` to o
	"556 556 333 500 278 556 500 722 500 500 500 334 260 334 584 " // p to ~

const (
	boldWider = 1.3  // bold letters, and those of fonts that stand in
	otherWide = 600  // letters that are not in the table, but for
	standIn   = 1.15 // the others of such fonts
	fullWide  = 1000 // those of scripts with square ones
)

// textWidth returns how wide a line is about to be in pixels.
func textWidth(s string, size float64, bold bool) float64 {
	sum := 0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			at := 4 * int(r-' ') // columns of four
			sum += column(letterWidths[at : at+4])
		case r >= 0x1100 && r < 0x2000 || r >= 0x2e80:
			sum += fullWide
		default:
			sum += otherWide
		}
	}
	width := float64(sum) * size / 1000
	if bold {
		return width * boldWider
	}
	return width * standIn
}

// column reads a number that spaces may follow.
func column(text string) int {
	n := 0
	for _, c := range text {
		if c >= '0' && c <= '9' {
			n = 10*n + int(c-'0')
		}
	}
	return n
}

// Measures of a node's text, in pixels.
const (
	nameSize      = 12.0
	nameLine      = 16.0
	detailSize    = 11.0
	detailLine    = 14.0
	labelSize     = 11.0
	besideText    = 11.0
	aboveText     = 5.0
	smallestWidth = 46.0
	longestText   = 44 // letters of a line
)

// face is what a node shows: its name, a count behind it, and small lines.
type face struct {
	Name  string
	Count string
	Lines []string
	More  []string // shown as details
}

func (n *Node) face() face {
	f := face{Name: label.OneLine(n.Name, longestText)}
	if n.Times > 1 {
		f.Count = "\u00d7" + strconv.Itoa(n.Times)
	}
	if n.InAll {
		f.Count += " in all"
	}
	for _, line := range n.Details {
		if line != "" {
			f.Lines = append(f.Lines, label.OneLine(line, longestText+8))
		}
	}
	if n.Copies != "" {
		f.Lines = append(f.Lines, label.OneLine("\u21c4 "+n.Copies, longestText+8))
	}
	for _, line := range n.More {
		if line != "" {
			f.More = append(f.More, label.OneLine(line, longestText+8))
		}
	}
	return f
}

// size returns the measures of the rectangle around a node's text, with the details or without.
func (n *Node) size(details bool) (width, height float64) {
	f := n.face()
	if details {
		f.Lines = append(f.Lines, f.More...)
	}
	name := f.Name
	if f.Count != "" {
		name += "  " + f.Count
	}
	width = textWidth(name, nameSize, true)
	for _, line := range f.Lines {
		width = max(width, textWidth(line, detailSize, false))
	}
	_, s := style(n.Class)
	if s.shape == "ellipse" {
		width += 10
	}
	return max(width+2*besideText, smallestWidth), nameLine + float64(len(f.Lines))*detailLine + 2*aboveText
}

// layers returns the graph as rectangles and lines. Nodes that belong to one device stand in its lane where there are
// several.
func (g *Graph) layers() (layered.Graph, []string) {
	lanes := g.devices()
	var out layered.Graph
	if len(lanes) > 1 {
		out.Lanes = len(lanes)
	}
	at := map[string]int{}
	for i, name := range lanes {
		at[name] = i
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		node := layered.Node{Box: n.Loop, Lane: -1}
		node.Width, node.Height = n.size(false)
		if lane, known := at[n.Device]; known && n.Loop < 0 && out.Lanes > 0 {
			node.Lane = lane
		}
		out.Nodes = append(out.Nodes, node)
	}
	for _, l := range g.Loops {
		out.Boxes = append(out.Boxes, layered.Box{Parent: l.Parent, Title: textWidth(l.Label, detailSize+0.5, false)})
	}
	for _, e := range g.Edges {
		out.Edges = append(out.Edges, layered.Edge{From: e.From, To: e.To, Back: e.Carried})
	}
	return out, lanes[:out.Lanes]
}
