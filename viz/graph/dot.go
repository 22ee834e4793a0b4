package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/viz/label"
)

// nodeStyle is how Graphviz draws a class of nodes. The colors are those of a light page;
// graph.css (see svg.go) has those of a dark one. Text on its node is dark on pale in
// both, text and lines beside nodes are of a gray that shows on white and on black.
type nodeStyle struct {
	shape, fill, border string
	line                float64 // points that the border is thicker than 1
}

// A rect has sharp corners, a box round ones; Graphviz itself sees no difference.
const sharp = "rect"

// nodeStyles is the table of classes.
var nodeStyles = map[string]nodeStyle{
	"op-map":       {"box", "#dbeafe", "#3b82f6", 0},
	"op-reduce":    {"box", "#ede9fe", "#8b5cf6", 0},
	"op-contract":  {"box", "#e0e7ff", "#6366f1", 0},
	"op-scan":      {"box", "#cffafe", "#0891b2", 0},
	"op-move":      {"box", "#e2e8f0", "#64748b", 0},
	"op-fill":      {"box", "#dcfce7", "#22a355", 0},
	"op-call":      {"box", "#fef9c3", "#ca8a04", 0},
	"op-fallback":  {"box", "#fee2e2", "#dc2626", 2},
	"op-several":   {"box", "#f1f5f9", "#64748b", 0},
	"task-run":     {"box", "#dbeafe", "#3b82f6", 0},
	"task-copy":    {"rect", "#ffedd5", "#ea7a0c", 1},
	"task-free":    {"box", "#f1f5f9", "#94a3b8", 0},
	"store-input":  {"ellipse", "#f8fafc", "#94a3b8", 0},
	"store-output": {"ellipse", "#f8fafc", "#475569", 0},
	"rest":         {"note", "#f1f5f9", "#94a3b8", 0},
}

const (
	lineColor = "#7c8798"   // lines and text beside nodes
	textColor = "#0f172a"   // text on nodes
	font      = "Helvetica" // Graphviz knows the widths of its letters; a list of fonts it would measure as Times
)

// style returns the style of a class; a kind that is not in the table is drawn plainly.
func style(class string) (string, nodeStyle) {
	if s, known := nodeStyles[class]; known {
		return class, s
	}
	return "op-several", nodeStyles["op-several"]
}

// DOT returns the graph as DOT text. The same graph has the same text.
func (g *Graph) DOT() string {
	var b strings.Builder
	b.WriteString("digraph weft {\n")
	fmt.Fprintf(&b, "\tgraph [bgcolor=transparent, rankdir=TB, nodesep=0.25, ranksep=0.4, fontname=%s, fontsize=11, fontcolor=%s", font, quote(lineColor))
	if label := join(" \u2014 ", g.Title, g.Note, g.privileges()); label != "" {
		fmt.Fprintf(&b, ", labelloc=t, label=%s", quote(label))
	}
	labels := true
	if g.span() > longSpan {
		labels = false // each would add a node per rank that its edge crosses
		b.WriteString(", mclimit=0.1, nslimit=1")
	}
	b.WriteString("];\n")
	fmt.Fprintf(&b, "\tnode [style=\"filled,rounded\", fontname=%s, fontsize=12, fontcolor=%s, margin=\"0.16,0.06\", height=0.3];\n", font, quote(textColor))
	fmt.Fprintf(&b, "\tedge [color=%s, fontcolor=%s, fontname=%s, fontsize=11, arrowsize=0.6];\n", quote(lineColor), quote(lineColor), font)
	g.writeNodes(&b, -1, "\t")
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "\tn%d -> n%d", e.From, e.To)
		var attrs []string
		if text := e.text(); text != "" && labels {
			attrs = append(attrs, "label="+quote(" "+text))
		}
		switch {
		case e.Carried:
			attrs = append(attrs, "style=dashed", "class=carried", "constraint=false", "tooltip="+quote("from one iteration to the next"))
		case e.Order:
			attrs = append(attrs, "style=dotted", "class=order")
		case e.Pointwise:
			attrs = append(attrs, "style=dotted", "class=pointwise")
		}
		if e.reduced {
			attrs = append(attrs, "dir=both", "arrowtail=odot")
		}
		if e.updated {
			attrs = append(attrs, "arrowhead=normaldot")
		}
		if e.Critical {
			attrs = append(attrs, "color="+quote(criticalColor), "penwidth=2")
		}
		if len(attrs) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(attrs, ", "))
		}
		b.WriteString(";\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// privileges explains the marks at the ends of edges, as far as there are any.
func (g *Graph) privileges() string {
	var all privilege
	for i := range g.Edges {
		all.add(g.Edges[i].privilege)
	}
	var marks []string
	if all.updated {
		marks = append(marks, "\u25cf updated")
	}
	if all.reduced {
		marks = append(marks, "\u25cb reduced into")
	}
	return strings.Join(marks, ", ")
}

// longSpan is the span beyond which Graphviz is told to be content with less. With 290 nodes in
// a chain and as many long edges it needs a minute otherwise, and a second so.
const longSpan = 1000

// span returns how many ranks all edges cross together. Graphviz puts a node into each edge
// on each rank, so that this is how large the graph really is.
func (g *Graph) span() int {
	rank := make([]int, len(g.Nodes))
	after := make([][]int, len(g.Nodes))
	for _, e := range g.Edges {
		if e.From < e.To && !e.Carried {
			after[e.To] = append(after[e.To], e.From)
		}
	}
	sum := 0
	for to := range g.Nodes { // edges go from lower to higher numbers, but for those of arrays, which are short
		for _, from := range after[to] {
			rank[to] = max(rank[to], rank[from]+1)
		}
		for _, from := range after[to] {
			sum += rank[to] - rank[from]
		}
	}
	return sum
}

// writeNodes writes the nodes and loops that lie directly in a loop, in the order of the nodes.
func (g *Graph) writeNodes(b *strings.Builder, loop int, indent string) {
	written := map[int]bool{}
	for i := range g.Nodes {
		inner := g.Nodes[i].Loop
		for inner != loop && inner >= 0 && g.Loops[inner].Parent != loop {
			inner = g.Loops[inner].Parent
		}
		switch {
		case inner == loop:
			g.Nodes[i].write(b, i, indent)
		case inner >= 0 && !written[inner]:
			written[inner] = true
			fmt.Fprintf(b, "%ssubgraph cluster_loop%d {\n%s\tgraph [label=%s, labeljust=l, class=loop, style=\"rounded,dashed\", color=%s];\n",
				indent, inner, indent, quote(g.Loops[inner].Label), quote(lineColor))
			g.writeNodes(b, inner, indent+"\t")
			b.WriteString(indent + "}\n")
		}
	}
}

// write writes one node: its name, and small lines below.
func (n *Node) write(b *strings.Builder, i int, indent string) {
	class, s := style(n.Class)
	var face strings.Builder
	face.WriteString("<B>" + label.Markup(n.Name, 60) + "</B>")
	if n.Times > 1 {
		fmt.Fprintf(&face, "\u00a0\u00d7%d", n.Times)
	}
	if n.InAll {
		face.WriteString(" in all")
	}
	lines := n.Details
	if n.Copies != "" {
		lines = append(slices.Clone(lines), "\u21c4 "+n.Copies)
	}
	for _, line := range lines {
		if line != "" {
			face.WriteString(`<BR/><FONT POINT-SIZE="11">` + label.Markup(line, 60) + "</FONT>")
		}
	}
	if n.Color != "" {
		s.fill, s.border = pale(n.Color), n.Color
	}
	fmt.Fprintf(b, "%sn%d [shape=%s, class=%s, fillcolor=%s, color=%s, penwidth=%.1f, label=<%s>", indent, i,
		s.shape, quote(class), quote(s.fill), quote(s.border), 1+s.line+3*min(max(n.Weight, 0), 1), face.String())
	// Where there is no Helvetica the letters of another font are wider, bold ones most.
	if over := len([]rune(n.Name)) - 6; over > 0 {
		fmt.Fprintf(b, ", margin=\"%.2f,0.06\"", 0.16+0.02*float64(min(over, 54)))
	}
	if n.Critical {
		fmt.Fprintf(b, ", color=%s", quote(criticalColor))
	}
	if s.shape == sharp {
		b.WriteString(", style=filled")
	}
	if n.Tooltip != "" {
		fmt.Fprintf(b, ", tooltip=%s", quote(n.Tooltip))
	}
	b.WriteString("];\n")
}

// pale mixes #rrggbb with white, as a node shows its color on a light page.
func pale(color string) string {
	rgb, err := strconv.ParseUint(strings.TrimPrefix(color, "#"), 16, 32)
	if err != nil {
		return color
	}
	mix := func(shift uint) uint64 { return uint64(255 - tint*(255-float64(rgb>>shift&255))) }
	return fmt.Sprintf("#%02x%02x%02x", mix(16), mix(8), mix(0))
}

// quote makes a DOT string that means s: no escape sequence of Graphviz (\N, \G, \l) can
// come from the user's names, and nothing can leave the quotes.
func quote(s string) string {
	s = label.Printable(s, label.Longest)
	s = strings.ReplaceAll(s, `\`, `\\`)
	s = strings.ReplaceAll(s, `"`, `\"`)
	// HTML entities are read in plain labels too.
	s = strings.ReplaceAll(s, "&", "&amp;")
	return `"` + strings.ReplaceAll(s, "\n", `\n`) + `"`
}
