package cpu

import (
	"cmp"
	"slices"

	"weft/tile"
)

// Strips: cheap operations on floats that follow each other become one step, which keeps its values
// in processor registers (see cpu/vm/strip.h). Each operation is rounded as before; what is
// saved is passing over a register of the machine.
//
// What is not cheap (functions, casts, packing) stays a step of its own and stands between strips:
//
//	level 0   strip  d = (log's operand)      steps  log
//	level 1   strip  what log's result is for steps  exp
//	level 2   ...
//
// A node's level is the number of such walls on the longest way to it.

// microNames are the operations of strips, and their names with the operands exchanged.
var microNames = map[tile.Opcode]struct{ name, reversed string }{
	tile.Add: {"add", "add"}, tile.Sub: {"sub", "rsub"}, tile.Mul: {"mul", "mul"}, tile.Div: {"div", "rdiv"},
	tile.Min: {"min", "rmin"}, tile.Max: {"max", "rmax"},
	tile.Lt: {"lt", "rlt"}, tile.Le: {"le", "rle"}, tile.Eq: {"eq", "eq"}, tile.Ne: {"ne", "ne"},
	tile.And: {"and", "and"}, tile.Or: {"or", "or"}, tile.Xor: {"xor", "xor"},
	tile.Neg: {"neg", ""}, tile.Abs: {"abs", ""}, tile.Sqrt: {"sqrt", ""}, tile.Not: {"not", ""},
	tile.Select: {"select", "rselect"}, tile.Load: {"load", ""},
}

// strips replaces nodes by strips. kept are places that are read after the last step.
func (lo *lowering) strips(places []place, nodes []node, kept []int) []node {
	g := &grouping{lo: lo, places: places, nodes: nodes, level: make([]int, len(nodes)), wall: make([]bool, len(nodes)),
		maker: make([]int, len(places)), readers: make([][]int, len(places)), kept: map[int]bool{}}
	for _, v := range kept {
		g.kept[v] = true
	}
	for v := range g.maker {
		g.maker[v] = -1
	}
	for i := range nodes {
		for _, v := range nodes[i].inputs() {
			g.readers[v] = append(g.readers[v], i)
		}
		g.maker[nodes[i].d] = i
		t := nodes[i].t
		_, cheap := microNames[nodes[i].op]
		g.wall[i] = !cheap || t != tile.Float32 && t != tile.Float64 && !g.logic(i) || places[nodes[i].d].kind == inOne
	}
	for g.checkMasks() || g.levels() {
	}
	return g.emit()
}

// grouping decides which nodes go together.
type grouping struct {
	lo      *lowering
	places  []place
	nodes   []node
	level   []int
	wall    []bool  // by node: it is a step of its own
	maker   []int   // by place: the node that computes it, or -1
	readers [][]int // by place
	kept    map[int]bool
}

// logic reports whether a node combines booleans.
func (g *grouping) logic(i int) bool {
	n := &g.nodes[i]
	return n.t == tile.Bool && (n.op == tile.And || n.op == tile.Or || n.op == tile.Xor || n.op == tile.Not)
}

// mask reports whether the result of a node is a boolean.
func (g *grouping) mask(i int) bool {
	switch g.nodes[i].op {
	case tile.Lt, tile.Le, tile.Eq, tile.Ne:
		return true
	}
	return g.logic(i)
}

// pinned reports whether a node moves a finished value to an output.
func (g *grouping) pinned(i int) bool {
	return g.nodes[i].op == tile.Load && g.places[g.nodes[i].d].kind == inWindow
}

// width is the dtype whose strips a node can be part of: for logic, what its operands compare.
func (g *grouping) width(i int) tile.DType {
	for g.logic(i) {
		m := g.maker[g.nodes[i].in[0]]
		if m < 0 {
			return tile.Invalid
		}
		i = m
	}
	return g.nodes[i].t
}

// checkMasks makes walls of the booleans that are needed as such, and of what reads booleans that come
// from elsewhere: within a strip a boolean is as wide as what it selects. It reports a change.
func (g *grouping) checkMasks() bool {
	changed := false
	for i := range g.nodes {
		if g.wall[i] {
			continue
		}
		n := &g.nodes[i]
		ok := true
		if g.mask(i) {
			ok = g.places[n.d].kind == inRegister && !g.kept[n.d] && len(g.readers[n.d]) > 0
			for _, r := range g.readers[n.d] {
				ok = ok && !g.wall[r] && g.width(r) == g.width(i) &&
					(g.logic(r) || g.nodes[r].op == tile.Select && g.nodes[r].in[0] == n.d)
			}
		}
		var masks []int
		switch {
		case g.logic(i):
			masks = n.inputs()
		case n.op == tile.Select:
			masks = n.in[:1]
		}
		for _, v := range masks {
			m := g.maker[v]
			ok = ok && m >= 0 && !g.wall[m] && g.mask(m) && g.width(m) == g.width(i)
		}
		if !ok {
			g.wall[i], changed = true, true
		}
	}
	return changed
}

// levels numbers the nodes. Where that takes a boolean and what it selects apart, it makes walls
// and reports so.
func (g *grouping) levels() bool {
	for i := range g.nodes {
		g.level[i] = 0
		for _, v := range g.nodes[i].inputs() {
			if m := g.maker[v]; m >= 0 {
				l := g.level[m]
				if g.wall[m] && !g.wall[i] {
					l++
				}
				g.level[i] = max(g.level[i], l)
			}
		}
	}
	// Moves to outputs come last: an output may be an input's memory.
	top := 0
	widths := [2]bool{}
	for i := range g.nodes {
		if g.pinned(i) {
			continue
		}
		l := g.level[i]
		if g.wall[i] {
			l++
		}
		if l > top {
			top, widths = l, [2]bool{}
		}
		if l == top && !g.wall[i] {
			widths[g.width(i).Size()/8] = true
		}
	}
	if widths == [2]bool{true, true} {
		top++
	}
	for i := range g.nodes {
		if g.pinned(i) {
			g.level[i] = top
		}
	}
	// What only later strips read, and needs no result of a strip or a step, is computed there; a
	// boolean always is.
	changed := false
	for i := len(g.nodes) - 1; i >= 0; i-- {
		n := &g.nodes[i]
		if g.wall[i] || g.pinned(i) || !g.mask(i) && slices.ContainsFunc(n.inputs(), func(v int) bool { return g.maker[v] >= 0 }) {
			continue
		}
		if readers := g.readers[n.d]; len(readers) > 0 && g.places[n.d].kind == inRegister && !g.kept[n.d] {
			first, last := readers[0], readers[0]
			same := true
			for _, r := range readers {
				same = same && !g.wall[r] && g.width(r) == g.width(i)
				if g.level[r] < g.level[first] {
					first = r
				}
				if g.level[r] > g.level[last] {
					last = r
				}
			}
			switch {
			case g.mask(i) && g.level[first] != g.level[last]:
				g.wall[i], changed = true, true
			case same:
				g.level[i] = g.level[first]
			}
		}
	}
	return changed
}

// leastStrip is how many operations make a strip: one alone is as fast as a step.
const leastStrip = 2

// emit returns the nodes level by level: first the strips, then the walls.
func (g *grouping) emit() []node {
	last := -1
	for _, l := range g.level {
		last = max(last, l)
	}
	var all []node
	for l := 0; l <= last; l++ {
		for _, t := range []tile.DType{tile.Float32, tile.Float64} {
			var members []int
			for i := range g.nodes {
				if g.level[i] == l && !g.wall[i] && g.width(i) == t {
					members = append(members, i)
				}
			}
			all = g.strip(all, t, members)
		}
		for i := range g.nodes {
			if g.level[i] == l && g.wall[i] {
				all = append(all, g.nodes[i])
			}
		}
	}
	return all
}

// strip adds a strip of these nodes, or two where one would need too many slots.
func (g *grouping) strip(all []node, t tile.DType, members []int) []node {
	if len(members) < leastStrip {
		for _, i := range members {
			all = append(all, g.nodes[i])
		}
		return all
	}
	if s := g.code(t, members); s != nil {
		return append(all, node{strip: s})
	}
	// Booleans stay with what reads them: cut where none is needed across.
	cut := len(members) / 2
	crossing := func(cut int) bool {
		return slices.ContainsFunc(members[:cut], func(i int) bool {
			return g.mask(i) && slices.ContainsFunc(g.readers[g.nodes[i].d], func(r int) bool {
				_, before := slices.BinarySearchFunc(members[:cut], r, cmp.Compare[int])
				return !before
			})
		})
	}
	for cut < len(members)-1 && crossing(cut) {
		cut++
	}
	if crossing(cut) {
		for _, i := range members { // as a last resort, steps; booleans are bytes then
			all = append(all, g.nodes[i])
		}
		return all
	}
	return g.strip(g.strip(all, t, members[:cut]), t, members[cut:])
}
