package graph

import (
	"cmp"
	"fmt"
	"slices"
)

// A dense graph is one with more edges than this for each node, and than this in all: the eye cannot follow them.
const (
	denseNode  = 3
	denseGraph = 200

	mostEdges = 400 // of a graph whose loops and lines go back and forth so that little follows from others
)

// reduced leaves the edges out of a dense graph that follow from others: where a node comes after another by way of a
// third (Aho, Garey and Ullman, The transitive reduction of a directed graph, 1972). It is about edges that only say
// what comes after what; those that carry data, lie on the critical path, or go back in a loop stay.
func (g *Graph) reduced() *Graph {
	if len(g.Edges) <= max(denseGraph, denseNode*len(g.Nodes)) {
		return g
	}
	follows := func(e *Edge) bool { return e.From < e.To && !e.Carried } // nodes are in the order of the program
	order := make([]int, len(g.Edges))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { // the last nodes first, of a node's edges the shortest first
		return cmp.Or(cmp.Compare(g.Edges[b].From, g.Edges[a].From), cmp.Compare(g.Edges[a].To, g.Edges[b].To))
	})
	words := (len(g.Nodes) + 63) / 64
	reach := make([]uint64, len(g.Nodes)*words) // by node, the set of those behind it
	keep := make([]bool, len(g.Edges))
	left := 0
	for _, i := range order {
		e := &g.Edges[i]
		keep[i] = true
		if !follows(e) {
			continue
		}
		from, to := reach[e.From*words:(e.From+1)*words], reach[e.To*words:(e.To+1)*words]
		if from[e.To/64]>>(e.To%64)&1 == 1 && e.Label == "" && !e.Critical {
			keep[i] = false
			left++
			continue
		}
		from[e.To/64] |= 1 << (e.To % 64)
		for k := range from {
			from[k] |= to[k]
		}
	}
	note := fmt.Sprintf("%d waits that follow from others are not drawn", left)
	if thin := g.thinned(keep); thin > 0 {
		note = fmt.Sprintf("the %d edges that stand for most are drawn, of %d", len(g.Edges)-left-thin, len(g.Edges))
		left += thin
	}
	if left == 0 {
		return g
	}
	fewer := *g
	fewer.Edges = make([]Edge, 0, len(g.Edges)-left)
	for i := range g.Edges {
		if keep[i] {
			fewer.Edges = append(fewer.Edges, g.Edges[i])
		}
	}
	fewer.Note = join("; ", g.Note, note)
	return &fewer
}

// thinned drops edges until few enough are kept: those that stand for least, but none that is the heaviest into a
// node. It returns how many.
func (g *Graph) thinned(keep []bool) int {
	var order []int
	heaviest := make([]int, len(g.Nodes)) // into a node: the edge's position and one; 0 is none
	for i := range g.Edges {
		if !keep[i] {
			continue
		}
		order = append(order, i)
		if best := &heaviest[g.Edges[i].To]; *best == 0 || g.Edges[i].stands > g.Edges[*best-1].stands {
			*best = i + 1
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(g.Edges[a].stands, g.Edges[b].stands) })
	dropped := 0
	for _, i := range order {
		if len(order)-dropped <= mostEdges {
			break
		}
		if heaviest[g.Edges[i].To] != i+1 {
			keep[i] = false
			dropped++
		}
	}
	return dropped
}
