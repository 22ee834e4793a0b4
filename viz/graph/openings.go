package graph

import (
	"fmt"
	"slices"
	"strconv"
)

// What the parts of an outline open into: steps into loops and elements, loops into iterations, elements into units.

// within returns the members of a step that lie in a range.
func within(members []int, in span) []int {
	from, _ := slices.BinarySearch(members, in.lo)
	to, _ := slices.BinarySearch(members, in.hi)
	return members[from:to]
}

// outermost adds what is shown at first. Of more steps than the limit the heaviest ones are parts of their own.
func (b *outliner) outermost(steps []*step, n, limit int) {
	top := view{fold: noOne}
	if len(leaves(steps)) <= limit {
		b.steps(steps, span{0, n}, noOne, top)
		return
	}
	nodes := make([]Node, len(steps)) // the coarsest level has no loops
	for i, s := range steps {
		nodes[i] = b.of.node(s.members)
	}
	var others []int
	keep := heaviest(nodes, limit-1)
	for i, s := range steps {
		if !keep[i] {
			others = append(others, s.members...)
			continue
		}
		nodes[i].Times = len(s.members)
		b.opens(b.add(nodes[i], noOne, top, s.members), s.members, top)
	}
	slices.Sort(others)
	rest := b.of.node(others)
	rest.Class, rest.Name, rest.Times = "rest", fmt.Sprintf("%d more nodes", len(steps)-limit+1), 1
	b.opens(b.add(rest, noOne, top, others), others, top)
}

// steps adds the parts of a folded sequence, as far as they lie in a range.
func (b *outliner) steps(seq []*step, in span, parent int, v view) {
	for _, s := range seq {
		if len(s.body) == 1 && s.body[0].body == nil {
			s = s.body[0] // as in Graph.placeIn
		}
		if s.body == nil {
			members := within(s.members, in)
			if len(members) == 0 {
				continue
			}
			n := b.of.node(members)
			n.Times = len(members)
			if v.fold >= 0 {
				n.Times, n.InAll = b.perTurn(parent, len(members))
			}
			id := b.add(n, parent, v, members)
			b.opens(id, members, v)
			continue
		}
		turns := b.turnsIn(s, in)
		if len(turns) == 0 {
			continue
		}
		b.loop(s, turns, in, parent, v)
	}
}

func (b *outliner) turnsIn(s *step, in span) []span {
	from, _ := slices.BinarySearchFunc(s.turns, in.lo, func(t span, lo int) int { return t.lo - lo })
	to, _ := slices.BinarySearchFunc(s.turns, in.hi, func(t span, hi int) int { return t.lo - hi })
	return s.turns[from:to]
}

// spansIn counts how often a step is come by in a range.
func spansIn(s *step, in span) int {
	n := 0
	for _, at := range s.spans {
		if at.lo >= in.lo && at.lo < in.hi {
			n++
		}
	}
	return n
}

// perTurn says how often an element of a folded loop is there: in each iteration, or in all.
func (b *outliner) perTurn(loop, members int) (times int, inAll bool) {
	turns := b.turns[loop]
	if turns == 0 || members%turns != 0 {
		return members, true
	}
	return members / turns, false
}

// loop adds a loop: its body at once, its iterations when there is room.
func (b *outliner) loop(s *step, turns []span, in span, parent int, v view) {
	all := elementsOf(turns)
	n := b.of.node(all)
	n.Name, n.Class = "loop", "op-several"
	id := b.add(n, parent, v, all)
	b.turns[id] = len(turns)
	entered := spansIn(s, in) // of a folded loop within another: once for each of that one's iterations
	if v.fold < 0 {
		entered = 1
	}
	b.Parts[id].Loop, b.Parts[id].Count = true, turnsText(len(turns), entered)
	if v.fold >= 0 { // a loop in a folded one is folded as well
		b.steps(s.body, in, id, v)
		return
	}
	b.steps(s.body, in, id, view{fold: v.depth, depth: v.depth + 1})
	b.iterations(id, s, turns, 0, view{fold: noOne, depth: v.depth + 1})
}

func elementsOf(turns []span) []int {
	var all []int
	for _, t := range turns {
		for e := t.lo; e < t.hi; e++ {
			all = append(all, e)
		}
	}
	return all
}

// iterations opens a loop, or a range of its iterations of which the first has number from.
func (b *outliner) iterations(part int, s *step, turns []span, from int, v view) {
	size := gathered(len(turns))
	b.later(part, (len(turns)+size-1)/size, func() {
		for k := 0; k < len(turns); k += size {
			some := turns[k:min(k+size, len(turns))]
			all := elementsOf(some)
			n := b.of.node(all)
			n.Class, n.Times, n.Name = "op-several", 1, "iteration "+strconv.Itoa(from+k+1)
			if len(some) > 1 {
				n.Name = fmt.Sprintf("iterations %d\u2013%d", from+k+1, from+k+len(some))
			}
			id := b.add(n, part, v, all)
			if len(some) > 1 {
				b.iterations(id, s, some, from+k, v)
				continue
			}
			b.later(id, len(leaves(s.body)), func() { b.steps(s.body, some[0], id, v) })
		}
	})
}

// gathered returns how many of n things become one part: 1, or so many that there are few parts, in round numbers.
func gathered(n int) int {
	size := 1
	for n > opensInto*size {
		size *= 10
	}
	return size
}

// opens says what a part of some elements opens into: the elements, or the units of a single one. Elements of a
// folded loop open into the units that they have in common.
func (b *outliner) opens(part int, members []int, v view) {
	units := func(e int) int { return b.of.first[e+1] - b.of.first[e] }
	if v.fold >= 0 || len(members) == 1 {
		n := units(members[0])
		if n < 2 || v.fold >= 0 && (n > opensInto || slices.ContainsFunc(members, func(e int) bool { return units(e) != n })) {
			return
		}
		b.units(part, members, 0, n, v)
		return
	}
	size := gathered(len(members))
	b.later(part, (len(members)+size-1)/size, func() {
		for k := 0; k < len(members); k += size {
			some := members[k:min(k+size, len(members))]
			n := b.of.node(some)
			n.Times = len(some)
			id := b.add(n, part, v, some)
			b.opens(id, some, v)
		}
	})
}

// units opens a part into units from up to to of its elements.
func (b *outliner) units(part int, members []int, from, to int, v view) {
	size := gathered(to - from)
	b.later(part, (to-from+size-1)/size, func() {
		for k := from; k < to; k += size {
			end := min(k+size, to)
			n := b.of.unit(members, k)
			if end-k > 1 {
				n = b.of.node(members)
				n.Name = fmt.Sprintf("%s %d\u2013%d", b.of.noun, k+1, end)
				n.Times = end - k
			} else if len(members) > 1 {
				n.Times = 1
			}
			id := b.part(n, part, v.fold >= 0)
			for _, e := range members {
				b.assign(b.of.first[e]+k, b.of.first[e]+end, id, v)
			}
			if end-k > 1 {
				b.units(id, members, k, end, v)
			}
		}
	})
}
