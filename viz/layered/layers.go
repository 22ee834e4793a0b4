package layered

import "math"

// level is the inside of one box, or the outermost level, and how it was laid out.
type level struct {
	l      *layout
	index  int
	items  []item
	ofNode map[int]int
	ofBox  map[int]int
	ports  map[portKey]int // the item that is a port
	turn   []int           // of each item that is no port: its place in a topological order
	arcs   []arc
	arcAt  map[arcKey]int

	vertices      []vertex // the items, then dummies
	layers        [][]int  // vertices from left to right
	top, bottom   []float64
	width, height float64
	lanes         []span // where each lane lies, from left to right
	crossings     int

	keys   []float64 // room for the ordering
	moving []int
}

// span is what a lane covers.
type span struct{ left, width float64 }

// item is a node, a box or a port of a level.
type item struct {
	node, box     int // one of them is -1, both of a port
	port, down    bool
	width, height float64
	lane          int
	loops         bool // has an edge to itself
	x, y          float64
}

// portKey names a port of a box: the node inside, and whether its edge leaves downwards.
type portKey struct {
	node int
	down bool
}

// socket is where an edge meets an item: a box's port, which counts from 1, or 0 for the middle.
type socket struct{ item, port int }

type arcKey struct{ upper, lower socket }

// arc is one line of a level; several edges may share it. It passes vertices from its upper to its lower end.
type arc struct {
	upper, lower socket
	path         []int
}

// arc adds a line between two items, once.
func (v *level) arc(upper, lower socket) {
	if v.arcAt == nil {
		v.arcAt = map[arcKey]int{}
	}
	key := arcKey{upper, lower}
	if _, known := v.arcAt[key]; !known {
		v.arcAt[key] = len(v.arcs)
		v.arcs = append(v.arcs, arc{upper: upper, lower: lower})
	}
}

// vertex is an item or a dummy in the layers.
type vertex struct {
	rank, at      int // layer, and place in it
	lane          int
	width, height float64
	dummy         bool
	x             float64 // of its middle
	up, down      []link
}

// link leads to a vertex of a neighboring layer.
type link struct {
	to          int
	here, there float64 // from the vertices' middles to where the line meets them
	weight      float64
}

// lay lays the level out. Those of its boxes have been.
func (v *level) lay() {
	for i := range v.items {
		if it := &v.items[i]; it.box >= 0 {
			inner := v.l.levels[it.box+1]
			it.width, it.height = inner.width, inner.height
		}
	}
	v.rank()
	v.split()
	v.order()
	v.place()
}

// rank gives each item a layer: below all that it follows, and where a layer is full, below that.
func (v *level) rank() {
	v.vertices = make([]vertex, len(v.items), len(v.items)+64)
	above, below := make([][]int, len(v.items)), make([][]int, len(v.items))
	entries, exits := 0, 0
	for _, a := range v.arcs {
		if !v.items[a.upper.item].port && !v.items[a.lower.item].port {
			above[a.lower.item] = append(above[a.lower.item], a.upper.item)
			below[a.upper.item] = append(below[a.upper.item], a.lower.item)
		}
	}
	order := make([]int, len(v.turn))
	for i, turn := range v.turn {
		order[turn] = i
	}
	lowest := 0
	used := []float64{}
	room := func(rank int, width float64) bool {
		for len(used) <= rank {
			used = append(used, 0)
		}
		return used[rank] == 0 || used[rank]+width <= widestLayer
	}
	for i := range v.items {
		if it := &v.items[i]; it.port && it.down {
			exits++
		} else if it.port {
			entries++
		}
	}
	base := min(entries, 1)
	for _, i := range order {
		rank := base
		for _, j := range above[i] {
			rank = max(rank, v.vertices[j].rank+1)
		}
		width := v.items[i].width + besideNodes
		for !room(rank, width) {
			rank++
		}
		used[rank] += width
		v.vertices[i].rank = rank
		lowest = max(lowest, rank)
	}
	for k := len(order) - 1; k >= 0; k-- { // down to what waits for it, where that shortens lines
		i := order[k]
		if len(below[i]) <= len(above[i]) {
			continue
		}
		rank := math.MaxInt
		for _, j := range below[i] {
			rank = min(rank, v.vertices[j].rank-1)
		}
		width := v.items[i].width + besideNodes
		for rank > v.vertices[i].rank && !room(rank, width) {
			rank--
		}
		if rank > v.vertices[i].rank {
			used[v.vertices[i].rank] -= width
			used[rank] += width
			v.vertices[i].rank = rank
		}
	}
	if len(order) == 0 {
		lowest = base
	}
	layers := lowest + 1 + min(exits, 1)
	for i := range v.items {
		it := &v.items[i]
		w := &v.vertices[i]
		w.width, w.height, w.lane = it.width, it.height, it.lane+1
		if it.port && it.down {
			w.rank = layers - 1
		}
	}
	v.layers = make([][]int, layers)
}

// split puts a dummy on each layer that an arc passes, and links neighbors. An arc for which there are too many stays
// without a path.
func (v *level) split() {
	for k := range v.arcs {
		a := &v.arcs[k]
		from, to := a.upper.item, a.lower.item
		span := v.vertices[to].rank - v.vertices[from].rank
		if span < 1 || span-1 > v.l.budget {
			continue
		}
		v.l.budget -= span - 1
		a.path = append(a.path, from)
		last, here := from, v.offset(a.upper, true)
		for s := 1; s <= span; s++ {
			next, there := to, v.offset(a.lower, false)
			if s < span {
				next, there = len(v.vertices), 0
				lane := v.vertices[to].lane
				if 2*s < span {
					lane = v.vertices[from].lane
				}
				v.vertices = append(v.vertices, vertex{rank: v.vertices[from].rank + s, lane: lane, dummy: true})
			}
			weight := 1.0
			if s > 1 && s < span {
				weight = 8 // long lines are straight before anything else
			} else if span > 1 {
				weight = 2
			}
			v.vertices[last].down = append(v.vertices[last].down, link{next, here, there, weight})
			v.vertices[next].up = append(v.vertices[next].up, link{last, there, here, weight})
			a.path = append(a.path, next)
			last, here = next, 0
		}
	}
}

// offset returns how far to the right of an item's middle a socket lies.
func (v *level) offset(s socket, down bool) float64 {
	if s.port == 0 {
		return 0
	}
	inner := v.l.levels[v.items[s.item].box+1]
	return inner.vertices[s.port-1].x - inner.width/2
}
