// Package layered draws graphs in layers: what comes first stands above, and edges go down.
//
// It must not know what the nodes mean, nor how they are painted: it takes rectangles, boxes around some of them, and
// edges, and returns where everything lies.
//
//	picture, err := layered.Layout(ctx, layered.Graph{
//		Nodes: []layered.Node{{Width: 80, Height: 30, Box: -1}, {Width: 80, Height: 30, Box: -1}},
//		Edges: []layered.Edge{{From: 0, To: 1}},
//	})
//
// The steps, each in its file, are those of Sugiyama's method: layers by longest paths (layers.go); a dummy vertex
// on each layer that an edge passes; an order within the layers by barycentres and by swapping neighbors (order.go);
// positions by least squares under minimal distances (place.go); lines through the dummies (route.go). A box is laid
// out by itself and then is one large node of what is around it. An edge enters it through a port on its upper border
// and leaves it through one on its lower border; inside, ports are vertices of the first and the last layer.
//
// viz/graph/page/src/layered has the same method in TypeScript, for pages in which boxes open and close.
//
// # Invariants
//
//	inv 1: the same graph gives the same picture, bit by bit
//	inv 2: nodes do not overlap, boxes contain what is theirs and nothing else, no line crosses a node
//	inv 3: an edge goes down, unless it closes a cycle
package layered

import (
	"context"
	"slices"
)

// Graph is what is to be laid out. Measures are in pixels.
type Graph struct {
	Nodes []Node
	Boxes []Box // a box stands behind the one in which it lies
	Edges []Edge
	Lanes int // columns of the outermost level, in the order from left to right
}

// Node is a rectangle.
type Node struct {
	Width, Height float64
	Box           int // in which it lies; -1: in none
	Lane          int // column of a node that lies in no box, from 0; -1: in none
}

// Box is drawn around nodes and other boxes.
type Box struct {
	Parent int     // -1: an outermost one
	Title  float64 // width of what is written in its upper left corner
}

// Edge joins two nodes.
type Edge struct {
	From, To int
	Back     bool // it leads to an earlier node and has no say in who stands above
}

// Point is a place; y grows downwards.
type Point struct{ X, Y float64 }

// Rect is where something lies: its upper left corner and its extent.
type Rect struct{ X, Y, Width, Height float64 }

// Picture is where everything lies. What is not drawn, such as an empty box, has an empty Rect.
type Picture struct {
	Width, Height float64
	Nodes, Boxes  []Rect
	Lanes         []Rect
	Lines         [][]Point // of each edge, from its start to its end
	Crossings     int       // of lines between layers
}

// Distances, in pixels.
const (
	besideNodes   = 18.0 // between neighbors of a layer
	besideLines   = 11.0 // between a line and its neighbor
	betweenLayers = 38.0
	portGap       = 12.0 // between a box's border and its first or last layer
	boxPadding    = 12.0
	titleHeight   = 20.0
	laneGap       = 30.0
	margin        = 8.0
	widestLayer   = 1500.0 // what does not fit goes into the next layer, if it can
	loopReach     = 16.0   // how far a node's edge to itself stands out
)

// mostDummies bounds the work. Edges that would need more are drawn straight; they may cross nodes.
const mostDummies = 40_000

// Layout lays a graph out. It fails only when ctx ends.
func Layout(ctx context.Context, g Graph) (*Picture, error) {
	l := newLayout(ctx, &g)
	for i := len(l.levels) - 1; i >= 0; i-- { // inner boxes first
		l.levels[i].lay()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return l.picture(), nil
}

// layout is a graph with its levels: the outermost one, and one for each box.
type layout struct {
	ctx    context.Context
	g      *Graph
	levels []*level // levels[0] is the outermost one, levels[b+1] the inside of box b
	budget int      // dummies that may still be made
	ends   []end    // of each edge
}

// end says how an edge runs: from the node upper down to the node lower, which meet in one level.
type end struct {
	upper, lower int
	meet         int  // index of the level
	reversed     bool // it is drawn from lower to upper
	self         bool // both ends are one node
}

func newLayout(ctx context.Context, g *Graph) *layout {
	l := &layout{ctx: ctx, g: g, budget: mostDummies}
	for i := range len(g.Boxes) + 1 {
		l.levels = append(l.levels, &level{l: l, index: i, ports: map[portKey]int{}})
	}
	first := make([]int, len(g.Boxes)) // the first node within each box
	for i := range first {
		first[i] = -1
	}
	for n := range g.Nodes {
		for b := g.Nodes[n].Box; b >= 0 && first[b] < 0; b = g.Boxes[b].Parent {
			first[b] = n
		}
	}
	type member struct{ first, node, box int }
	members := make([][]member, len(l.levels))
	for n := range g.Nodes {
		at := g.Nodes[n].Box + 1
		members[at] = append(members[at], member{n, n, -1})
	}
	for b := range g.Boxes {
		if first[b] >= 0 {
			at := g.Boxes[b].Parent + 1
			members[at] = append(members[at], member{first[b], -1, b})
		}
	}
	for i, list := range members {
		slices.SortStableFunc(list, func(a, b member) int { return a.first - b.first })
		v := l.levels[i]
		v.ofNode, v.ofBox = map[int]int{}, map[int]int{}
		for k, m := range list {
			it := item{node: m.node, box: m.box, lane: -1}
			if m.node >= 0 {
				v.ofNode[m.node] = k
				it.width, it.height = g.Nodes[m.node].Width, g.Nodes[m.node].Height
				if i == 0 {
					it.lane = g.Nodes[m.node].Lane
				}
			} else {
				v.ofBox[m.box] = k
			}
			v.items = append(v.items, it)
		}
	}
	l.meetings()
	return l
}

// meetings finds for each edge the level in which its ends are different items, and which of them is above there.
func (l *layout) meetings() {
	l.ends = make([]end, len(l.g.Edges))
	type pair struct{ from, to int }
	lifted := make([][]pair, len(l.levels)) // edges between items that say who is above
	for e, edge := range l.g.Edges {
		if edge.From == edge.To {
			l.ends[e] = end{upper: edge.From, lower: edge.To, self: true, meet: l.g.Nodes[edge.From].Box + 1}
			it := &l.levels[l.ends[e].meet].items[l.levels[l.ends[e].meet].ofNode[edge.From]]
			it.loops = true
			continue
		}
		meet := l.meet(edge.From, edge.To)
		l.ends[e] = end{upper: edge.From, lower: edge.To, meet: meet}
		if !edge.Back {
			lifted[meet] = append(lifted[meet], pair{l.itemOf(meet, edge.From), l.itemOf(meet, edge.To)})
		}
	}
	for i, v := range l.levels {
		after := make([][]int, len(v.items))
		for _, p := range lifted[i] {
			after[p.from] = append(after[p.from], p.to)
		}
		v.turn = topological(after)
	}
	for e := range l.ends {
		d := &l.ends[e]
		if d.self {
			continue
		}
		v := l.levels[d.meet]
		if v.turn[l.itemOf(d.meet, d.upper)] > v.turn[l.itemOf(d.meet, d.lower)] {
			d.upper, d.lower, d.reversed = d.lower, d.upper, true
		}
		upper, lower := v.attach(d.upper, true), v.attach(d.lower, false)
		v.arc(upper, lower)
	}
}

// attach leads an edge of a node from within the boxes of the level, through their ports, to the item that holds the
// node.
func (v *level) attach(node int, down bool) socket {
	it := v.l.itemOf(v.index, node)
	if v.items[it].box < 0 {
		return socket{item: it}
	}
	inner := v.l.levels[v.items[it].box+1]
	key := portKey{node, down}
	port, known := inner.ports[key]
	if !known {
		from := inner.attach(node, down)
		port = len(inner.items)
		inner.ports[key] = port
		inner.items = append(inner.items, item{node: -1, box: -1, lane: -1, port: true, down: down})
		if down {
			inner.arc(from, socket{item: port})
		} else {
			inner.arc(socket{item: port}, from)
		}
	}
	return socket{item: it, port: port + 1}
}

// meet returns the innermost level that holds both nodes.
func (l *layout) meet(a, b int) int {
	above := map[int]bool{-1: true}
	for box := l.g.Nodes[a].Box; box >= 0; box = l.g.Boxes[box].Parent {
		above[box] = true
	}
	box := l.g.Nodes[b].Box
	for !above[box] {
		box = l.g.Boxes[box].Parent
	}
	return box + 1
}

// itemOf returns the item of a level that is or holds a node.
func (l *layout) itemOf(at, node int) int {
	v := l.levels[at]
	if it, direct := v.ofNode[node]; direct {
		return it
	}
	box := l.g.Nodes[node].Box
	for l.g.Boxes[box].Parent+1 != at {
		box = l.g.Boxes[box].Parent
	}
	return v.ofBox[box]
}

// topological numbers vertices so that edges go up in number. Where cycles leave no choice, the first vertex is next.
func topological(after [][]int) []int {
	waits := make([]int, len(after))
	for _, list := range after {
		for _, to := range list {
			waits[to]++
		}
	}
	turn := make([]int, len(after))
	for i := range turn {
		turn[i] = -1
	}
	ready := make([]int, 0, len(after)) // a queue
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	next, first := 0, 0
	for next < len(after) {
		if next == len(ready) {
			for turn[first] >= 0 {
				first++
			}
			ready = append(ready, first)
		}
		i := ready[next]
		turn[i] = next
		next++
		for _, to := range after[i] {
			if waits[to]--; waits[to] == 0 && turn[to] < 0 {
				ready = append(ready, to)
			}
		}
	}
	return turn
}
