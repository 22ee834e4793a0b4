package graph

import (
	"math/rand/v2"
	"testing"
)

// What can be reached is the same without the edges that are left out, and without any other one it is not.
func TestReducedAgainstTwin(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 30 + r.IntN(15)
		g := &Graph{Nodes: make([]Node, n)}
		seen := map[[2]int]bool{}
		for len(g.Edges) < 320 {
			a, b := r.IntN(n), r.IntN(n)
			if a == b || seen[[2]int{a, b}] {
				continue
			}
			seen[[2]int{a, b}] = true
			e := Edge{From: a, To: b, Carried: a > b || r.IntN(20) == 0, Critical: r.IntN(30) == 0}
			if r.IntN(20) == 0 {
				e.Label = "s1"
			}
			g.Edges = append(g.Edges, e)
		}
		small := g.reduced()
		if len(small.Edges) >= len(g.Edges) || small.Note == "" {
			t.Fatalf("seed %d: %d edges of %d, note %q", seed, len(small.Edges), len(g.Edges), small.Note)
		}
		want := reachable(n, g.Edges, -1)
		if got := reachable(n, small.Edges, -1); got != want {
			t.Fatalf("seed %d: another order", seed)
		}
		for i, e := range small.Edges {
			plain := e.Label == "" && !e.Critical && !e.Carried
			if plain && reachable(n, small.Edges, i) == want {
				t.Errorf("seed %d: the edge from %d to %d follows from others", seed, e.From, e.To)
			}
		}
	}
	g := &Graph{Nodes: make([]Node, 60)}
	for i := range 60 * 59 {
		e := Edge{From: i / 59, To: i % 59, stands: 1 + i%97}
		if e.To >= e.From {
			e.To++
		}
		e.Critical = true
		g.Edges = append(g.Edges, e)
	}
	hairball := g.reduced()
	into := map[int]bool{}
	for _, e := range hairball.Edges {
		into[e.To] = true
	}
	if len(hairball.Edges) != mostEdges || len(into) != 60 || hairball.Note != "the 400 edges that stand for most are drawn, of 3540" {
		t.Errorf("%d edges into %d nodes, note %q", len(hairball.Edges), len(into), hairball.Note)
	}
	few := &Graph{Nodes: make([]Node, 3), Edges: []Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 2}}}
	if few.reduced() != few {
		t.Error("a graph that can be read was changed")
	}
}

// reachable is the closure of the forward edges without one of them, by Warshall's rule, as text.
func reachable(n int, edges []Edge, without int) string {
	m := make([]byte, n*n)
	for i, e := range edges {
		if i != without && !e.Carried && e.From < e.To {
			m[e.From*n+e.To] = 1
		}
	}
	for k := range n {
		for i := range n {
			if m[i*n+k] == 1 {
				for j := range n {
					m[i*n+j] |= m[k*n+j]
				}
			}
		}
	}
	return string(m)
}
