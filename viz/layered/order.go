package layered

import "slices"

// Sweeps of the ordering; an odd number ends downwards. More find little.
const (
	sweeps     = 9
	swapRounds = 4
)

// order puts the vertices of each layer in an order with few crossings: depth first to begin with, then by the
// means of their neighbors' places, downwards and upwards in turn, with swaps of neighbors. The best order wins.
func (v *level) order() {
	v.depthFirst()
	v.number()
	best, least := v.keep(), v.count()
	for s := 0; s < sweeps && least > 0 && v.l.ctx.Err() == nil; s++ {
		if s%2 == 0 {
			for rank := 1; rank < len(v.layers); rank++ {
				v.barycentre(rank, false)
			}
		} else {
			for rank := len(v.layers) - 2; rank >= 0; rank-- {
				v.barycentre(rank, true)
			}
		}
		if s >= sweeps-4 {
			v.swap()
		}
		if n := v.count(); n < least {
			best, least = v.keep(), n
		}
	}
	v.layers, v.crossings = best, least
	v.number()
}

func (v *level) keep() [][]int {
	out := make([][]int, len(v.layers))
	for i, layer := range v.layers {
		out[i] = slices.Clone(layer)
	}
	return out
}

// depthFirst fills the layers in the order in which a walk along the lines comes by.
func (v *level) depthFirst() {
	seen := make([]bool, len(v.vertices))
	var stack []int
	for first := range v.vertices {
		if seen[first] || len(v.vertices[first].up) > 0 {
			continue
		}
		stack = append(stack, first)
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[i] {
				continue
			}
			seen[i] = true
			v.layers[v.vertices[i].rank] = append(v.layers[v.vertices[i].rank], i)
			down := v.vertices[i].down
			for k := len(down) - 1; k >= 0; k-- {
				stack = append(stack, down[k].to)
			}
		}
	}
	for _, layer := range v.layers {
		slices.SortStableFunc(layer, func(a, b int) int { return v.vertices[a].lane - v.vertices[b].lane })
	}
}

func (v *level) number() {
	for _, layer := range v.layers {
		for at, i := range layer {
			v.vertices[i].at = at
		}
	}
}

// seat is the place of a link's end in its layer: that of the vertex, and where on it.
func (v *level) seat(k *link) float64 {
	w := &v.vertices[k.to]
	return float64(w.at) + fraction(k.there, w.width)
}

// fraction is where on a vertex a line meets it, between -1/2 and 1/2.
func fraction(offset, width float64) float64 { return offset / (width + 1) }

// barycentre sorts a layer by the means of the neighbors' seats. Vertices without neighbors stay where they are.
func (v *level) barycentre(rank int, fromBelow bool) {
	layer := v.layers[rank]
	keys := v.keys // of the vertices that move
	if keys == nil {
		keys = make([]float64, len(v.vertices))
		v.keys = keys
	}
	moving := v.moving[:0]
	for _, i := range layer {
		links := v.vertices[i].up
		if fromBelow {
			links = v.vertices[i].down
		}
		if len(links) == 0 {
			continue
		}
		sum := 0.0
		for k := range links {
			sum += v.seat(&links[k])
		}
		keys[i] = sum / float64(len(links))
		moving = append(moving, i)
	}
	slices.SortStableFunc(moving, func(a, b int) int {
		if la, lb := v.vertices[a].lane, v.vertices[b].lane; la != lb {
			return la - lb
		}
		switch {
		case keys[a] < keys[b]:
			return -1
		case keys[a] > keys[b]:
			return 1
		}
		return 0
	})
	v.moving = moving
	next := 0
	for at, i := range layer {
		if links := &v.vertices[i]; !fromBelow && len(links.up) > 0 || fromBelow && len(links.down) > 0 {
			layer[at] = moving[next]
			next++
		}
	}
	for at, i := range layer {
		v.vertices[i].at = at
	}
	if v.index == 0 && v.l.g.Lanes > 0 { // one that stayed may now stand among another lane's
		slices.SortStableFunc(layer, func(a, b int) int { return v.vertices[a].lane - v.vertices[b].lane })
		for at, i := range layer {
			v.vertices[i].at = at
		}
	}
}

// swap exchanges neighbors while that removes crossings.
func (v *level) swap() {
	for range swapRounds {
		better := false
		for _, layer := range v.layers {
			for at := 0; at+1 < len(layer); at++ {
				a, b := &v.vertices[layer[at]], &v.vertices[layer[at+1]]
				if a.lane != b.lane {
					continue
				}
				now := v.between(a.up, b.up) + v.between(a.down, b.down)
				if now == 0 {
					continue
				}
				if then := v.between(b.up, a.up) + v.between(b.down, a.down); then < now {
					layer[at], layer[at+1] = layer[at+1], layer[at]
					a.at, b.at = b.at, a.at
					better = true
				}
			}
		}
		if !better {
			return
		}
	}
}

// manyLinks is beyond how many pairs of links swaps are not worth their time.
const manyLinks = 4096

// between counts the crossings of the links of a vertex with those of its right neighbor.
func (v *level) between(left, right []link) int {
	if len(left)*len(right) > manyLinks {
		return 0
	}
	n := 0
	for i := range left {
		seat := v.seat(&left[i])
		for j := range right {
			if v.seat(&right[j]) < seat {
				n++
			}
		}
	}
	return n
}

// count counts all crossings: for each layer the inversions of its lines' lower ends.
func (v *level) count() int {
	type line struct{ upper, lower float64 }
	n := 0
	var lines []line
	var seats, spare []float64
	for _, layer := range v.layers {
		lines = lines[:0]
		for _, i := range layer {
			w := &v.vertices[i]
			for k := range w.down {
				d := &w.down[k]
				lines = append(lines, line{float64(w.at) + fraction(d.here, w.width), v.seat(d)})
			}
		}
		slices.SortFunc(lines, func(a, b line) int {
			switch {
			case a.upper < b.upper:
				return -1
			case a.upper > b.upper:
				return 1
			case a.lower < b.lower:
				return -1
			case a.lower > b.lower:
				return 1
			}
			return 0
		})
		seats = seats[:0]
		for _, l := range lines {
			seats = append(seats, l.lower)
		}
		if len(spare) < len(seats) {
			spare = make([]float64, 2*len(seats))
		}
		n += inversions(seats, spare)
	}
	return n
}

// inversions counts the pairs that stand in the wrong order, and sorts.
func inversions(s, spare []float64) int {
	if len(s) < 2 {
		return 0
	}
	half := len(s) / 2
	n := inversions(s[:half], spare) + inversions(s[half:], spare)
	if s[half-1] <= s[half] {
		return n
	}
	left := spare[:half]
	copy(left, s[:half])
	i, j := 0, half
	for k := range s {
		if i < len(left) && (j == len(s) || left[i] <= s[j]) {
			s[k] = left[i]
			i++
		} else if i < len(left) {
			s[k] = s[j]
			n += len(left) - i
			j++
		} else {
			break
		}
	}
	return n
}
