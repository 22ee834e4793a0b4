package layered

import "math"

// picture puts the levels into one another and leads the edges through them.
func (l *layout) picture() *Picture {
	p := &Picture{Nodes: make([]Rect, len(l.g.Nodes)), Boxes: make([]Rect, len(l.g.Boxes)), Lines: make([][]Point, len(l.g.Edges))}
	root := l.levels[0]
	p.Width, p.Height = round(root.width), round(root.height)
	origin := make([]Point, len(l.levels))
	for i, v := range l.levels {
		p.Crossings += v.crossings
		at := origin[i]
		for k := range v.items {
			it := &v.items[k]
			if it.port {
				continue
			}
			w := &v.vertices[k]
			it.x = at.X + w.x - w.width/2
			it.y = at.Y + (v.top[w.rank]+v.bottom[w.rank])/2 - w.height/2
			rect := Rect{round(it.x), round(it.y), round(it.width), round(it.height)}
			if it.node >= 0 {
				p.Nodes[it.node] = rect
			} else {
				p.Boxes[it.box] = rect
				origin[it.box+1] = Point{it.x, it.y}
			}
		}
	}
	p.Lanes = make([]Rect, l.g.Lanes)
	for i, lane := range root.lanes {
		if lane.width > 0 {
			p.Lanes[i] = Rect{round(lane.left), margin, round(lane.width), round(root.height - 2*margin)}
		}
	}
	for e := range l.ends {
		p.Lines[e] = l.line(e, origin)
	}
	return p
}

// round keeps tenths of pixels, which the eye does not see and which make short texts.
func round(x float64) float64 { return math.Round(float64(x*10)) / 10 }

// line returns the points of an edge from its start to its end.
func (l *layout) line(e int, origin []Point) []Point {
	d := l.ends[e]
	v := l.levels[d.meet]
	if d.self {
		return selfLine(&v.items[v.ofNode[d.upper]])
	}
	upper, lower := v.socket(d.upper, true), v.socket(d.lower, false)
	var points []Point
	points = l.leave(points, v, d.upper, origin)
	points = v.follow(points, v.arcAt[arcKey{upper, lower}], origin[v.index])
	points = l.enter(points, v, d.lower, origin)
	for i := range points {
		points[i] = Point{round(points[i].X), round(points[i].Y)}
	}
	points = straighten(points)
	if d.reversed {
		for i, j := 0, len(points)-1; i < j; i, j = i+1, j-1 {
			points[i], points[j] = points[j], points[i]
		}
	}
	return points
}

// socket finds what attach made.
func (v *level) socket(node int, down bool) socket {
	it := v.l.itemOf(v.index, node)
	if v.items[it].box < 0 {
		return socket{item: it}
	}
	return socket{item: it, port: v.l.levels[v.items[it].box+1].ports[portKey{node, down}] + 1}
}

// leave leads from a node out of the boxes of a level, innermost first.
func (l *layout) leave(points []Point, v *level, node int, origin []Point) []Point {
	it := v.l.itemOf(v.index, node)
	if v.items[it].box < 0 {
		return points
	}
	inner := l.levels[v.items[it].box+1]
	points = l.leave(points, inner, node, origin)
	from, port := inner.socket(node, true), inner.ports[portKey{node, true}]
	return inner.follow(points, inner.arcAt[arcKey{from, socket{item: port}}], origin[inner.index])
}

// enter leads from the border of a level's box in to a node.
func (l *layout) enter(points []Point, v *level, node int, origin []Point) []Point {
	it := v.l.itemOf(v.index, node)
	if v.items[it].box < 0 {
		return points
	}
	inner := l.levels[v.items[it].box+1]
	to, port := inner.socket(node, false), inner.ports[portKey{node, false}]
	points = inner.follow(points, inner.arcAt[arcKey{socket{item: port}, to}], origin[inner.index])
	return l.enter(points, inner, node, origin)
}

// follow adds the points of one arc. In a layer a line goes straight down; only between layers it bends.
func (v *level) follow(points []Point, k int, at Point) []Point {
	a := &v.arcs[k]
	add := func(x, y float64) { points = append(points, Point{at.X + x, at.Y + y}) }
	path := a.path
	if path == nil { // there was no room for dummies
		path = []int{a.upper.item, a.lower.item}
	}
	for n, i := range path {
		w := &v.vertices[i]
		middle := (v.top[w.rank] + v.bottom[w.rank]) / 2
		switch n {
		case 0:
			x := w.x + v.offset(a.upper, true)
			add(x, middle+w.height/2)
			add(x, v.bottom[w.rank])
		case len(path) - 1:
			x := w.x + v.offset(a.lower, false)
			add(x, v.top[w.rank])
			add(x, middle-w.height/2)
		default:
			add(w.x, v.top[w.rank])
			add(w.x, v.bottom[w.rank])
		}
	}
	return points
}

// straighten leaves out repeated points and those in the middle of vertical lines.
func straighten(points []Point) []Point {
	out := points[:0]
	for _, p := range points {
		if n := len(out); n > 0 && out[n-1] == p {
			continue
		}
		if n := len(out); n > 1 && out[n-1].X == p.X && out[n-2].X == p.X {
			out[n-1] = p
			continue
		}
		out = append(out, p)
	}
	return out
}

// selfLine leaves a node on its right side and comes back there.
func selfLine(it *item) []Point {
	x, y := it.x+it.width, it.y+it.height/2
	rise := min(it.height/4, 9)
	points := []Point{{x, y + rise}, {x + loopReach, y + rise}, {x + loopReach, y - rise}, {x, y - rise}}
	for i := range points {
		points[i] = Point{round(points[i].X), round(points[i].Y)}
	}
	return points
}
