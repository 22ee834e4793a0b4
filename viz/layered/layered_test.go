package layered

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// random makes a graph of n nodes with a few edges each, some of them closing cycles, in nested boxes.
func random(r *rand.Rand, n, boxes, lanes int) Graph {
	g := Graph{Lanes: lanes}
	for b := range boxes {
		g.Boxes = append(g.Boxes, Box{Parent: r.IntN(b+1) - 1, Title: float64(20 + r.IntN(80))})
	}
	for i := range n {
		node := Node{Width: float64(30 + r.IntN(120)), Height: float64(20 + r.IntN(30)), Box: -1, Lane: -1}
		if boxes > 0 && r.IntN(3) > 0 {
			node.Box = r.IntN(boxes)
		}
		if lanes > 0 {
			node.Lane = r.IntN(lanes+1) - 1
		}
		g.Nodes = append(g.Nodes, node)
		for range r.IntN(3) {
			e := Edge{From: max(0, i-1-r.IntN(20)), To: i}
			if r.IntN(12) == 0 {
				e = Edge{From: i, To: r.IntN(i + 1), Back: r.IntN(2) == 0}
			}
			if !slices.Contains(g.Edges, e) {
				g.Edges = append(g.Edges, e)
			}
		}
	}
	return g
}

func lay(t testing.TB, g Graph) *Picture {
	p, err := Layout(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (r Rect) overlaps(o Rect) bool {
	return r.X < o.X+o.Width && o.X < r.X+r.Width && r.Y < o.Y+o.Height && o.Y < r.Y+r.Height
}

func (r Rect) contains(o Rect) bool {
	return r.X <= o.X && o.X+o.Width <= r.X+r.Width+0.11 && r.Y <= o.Y && o.Y+o.Height <= r.Y+r.Height+0.11
}

// inside says whether a node or a box lies in a box, however deep.
func inside(g *Graph, box, of int) bool {
	for ; box >= 0; box = g.Boxes[box].Parent {
		if box == of {
			return true
		}
	}
	return false
}

func TestPicturesAreClean(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := random(r, 1+r.IntN(60), r.IntN(7), r.IntN(4))
		p := lay(t, g)
		if again := lay(t, g); !reflect.DeepEqual(p, again) {
			t.Fatalf("seed %d: inv 1: the same graph has two pictures", seed)
		}
		if err := clean(&g, p); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// clean checks the invariants by looking at everything beside everything.
func clean(g *Graph, p *Picture) error {
	whole := Rect{0, 0, p.Width, p.Height}
	for i, a := range p.Nodes {
		if !whole.contains(a) {
			return fmt.Errorf("node %d at %v lies outside of the picture %v", i, a, whole)
		}
		for j, b := range p.Nodes[:i] {
			if a.overlaps(b) {
				return fmt.Errorf("inv 2: nodes %d and %d overlap: %v, %v", j, i, b, a)
			}
		}
		for k, box := range p.Boxes {
			if in := inside(g, g.Nodes[i].Box, k); in && !box.contains(a) || !in && box.overlaps(a) {
				return fmt.Errorf("inv 2: node %d at %v and box %d at %v: inside is %v", i, a, k, box, in)
			}
		}
		for k, lane := range p.Lanes {
			if in := g.Nodes[i].Box < 0 && g.Nodes[i].Lane == k; in && !lane.contains(a) || !in && lane.overlaps(a) {
				return fmt.Errorf("inv 2: node %d at %v and lane %d at %v: inside is %v", i, a, k, lane, in)
			}
		}
	}
	for i, a := range p.Boxes {
		for j, b := range p.Boxes[:i] {
			if in := inside(g, i, j); in && a.Width > 0 && !b.contains(a) || !in && b.overlaps(a) {
				return fmt.Errorf("inv 2: boxes %d at %v and %d at %v: inside is %v", j, b, i, a, in)
			}
		}
	}
	for e, line := range p.Lines {
		edge := g.Edges[e]
		if len(line) < 2 {
			return fmt.Errorf("edge %d has the points %v", e, line)
		}
		if edge.From == edge.To {
			continue
		}
		up := line[0].Y > line[len(line)-1].Y
		for k := 1; k < len(line); k++ {
			if a, b := line[k-1], line[k]; up && a.Y < b.Y || !up && a.Y > b.Y {
				return fmt.Errorf("inv 3: edge %d (%v) turns: %v", e, edge, line)
			}
			a, b := line[k-1], line[k]
			hull := Rect{min(a.X, b.X), min(a.Y, b.Y) + 0.05, max(a.X, b.X) - min(a.X, b.X), max(a.Y, b.Y) - min(a.Y, b.Y) - 0.1}
			for i, node := range p.Nodes {
				// Between layers a line bends, and there are no nodes; in a layer it is vertical.
				if i != edge.From && i != edge.To && hull.overlaps(shrink(node)) {
					return fmt.Errorf("inv 2: edge %d (%v) crosses node %d at %v: %v", e, edge, i, node, line)
				}
			}
		}
		from, to := p.Nodes[edge.From], p.Nodes[edge.To]
		first, last := line[0], line[len(line)-1]
		if first.X < from.X-0.1 || first.X > from.X+from.Width+0.1 || last.X < to.X-0.1 || last.X > to.X+to.Width+0.1 {
			return fmt.Errorf("edge %d (%v) from %v to %v does not meet its nodes: %v", e, edge, from, to, line)
		}
	}
	return nil
}

func shrink(r Rect) Rect { return Rect{r.X + 0.1, r.Y + 0.1, r.Width - 0.2, r.Height - 0.2} }

// Without cycles, all edges go down.
func TestEdgesGoDown(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		g := random(r, 80, 0, 0)
		g.Edges = slices.DeleteFunc(g.Edges, func(e Edge) bool { return e.From >= e.To })
		for e, line := range lay(t, g).Lines {
			if line[0].Y >= line[len(line)-1].Y {
				t.Fatalf("seed %d: inv 3: edge %v goes up: %v", seed, g.Edges[e], line)
			}
		}
	}
}

// The crossings that are counted by sorting are those that one finds by comparing all pairs of lines.
func TestCrossingsAreCounted(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := random(r, 60, r.IntN(4), 0)
		l := newLayout(t.Context(), &g)
		for i := len(l.levels) - 1; i >= 0; i-- {
			v := l.levels[i]
			v.lay()
			if want := v.crossingsByPairs(); v.crossings != want {
				t.Fatalf("seed %d: counted %d crossings, there are %d", seed, v.crossings, want)
			}
		}
	}
}

func (v *level) crossingsByPairs() int {
	type line struct{ rank, upper, lower float64 }
	var lines []line
	for i := range v.vertices {
		w := &v.vertices[i]
		for _, d := range w.down {
			to := &v.vertices[d.to]
			lines = append(lines, line{float64(w.rank), float64(w.at) + fraction(d.here, w.width), float64(to.at) + fraction(d.there, to.width)})
		}
	}
	n := 0
	for i, a := range lines {
		for _, b := range lines[:i] {
			if a.rank == b.rank && (a.upper-b.upper)*(a.lower-b.lower) < 0 {
				n++
			}
		}
	}
	return n
}

// settle finds the least sum of squares: no shift of any part of a row makes it smaller.
func TestSettleIsLeast(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		n := 2 + r.IntN(8)
		v := &level{l: &layout{g: &Graph{}}}
		row := make([]int, n)
		for i := range n {
			row[i] = i
			v.items = append(v.items, item{})
			v.vertices = append(v.vertices, vertex{width: float64(10 + r.IntN(40)), up: []link{{to: n + i, weight: float64(1 + r.IntN(3))}}})
		}
		for range n {
			v.vertices = append(v.vertices, vertex{x: float64(r.IntN(200))})
		}
		inside := make([]bool, 2*n)
		for i := range inside {
			inside[i] = true
		}
		v.settle(row, inside, true, false)
		cost := func() float64 {
			sum := 0.0
			for i := range n {
				k := v.vertices[i].up[0]
				d := v.vertices[i].x - v.vertices[k.to].x
				sum += k.weight * d * d
			}
			return sum
		}
		fits := func() bool {
			for i := 1; i < n; i++ {
				if v.vertices[i].x-v.vertices[i-1].x < v.apart(i-1, i)-1e-9 {
					return false
				}
			}
			return true
		}
		least := cost()
		if !fits() {
			t.Fatalf("seed %d: too close", seed)
		}
		for from := range n {
			for to := from + 1; to <= n; to++ {
				for _, by := range []float64{-0.1, 0.1} {
					for i := from; i < to; i++ {
						v.vertices[i].x += by
					}
					if fits() && cost() < least-1e-9 {
						t.Fatalf("seed %d: moving %d to %d by %v is better", seed, from, to, by)
					}
					for i := from; i < to; i++ {
						v.vertices[i].x -= by
					}
				}
			}
		}
	}
}

func TestLayoutEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Layout(ctx, random(rand.New(rand.NewPCG(1, 1)), 50, 3, 0)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, wanted that it was canceled", err)
	}
}

func TestEmptyGraphs(t *testing.T) {
	for _, g := range []Graph{{}, {Boxes: []Box{{Parent: -1}}}, {Nodes: []Node{{Width: 10, Height: 10, Box: -1, Lane: -1}}, Lanes: 2}} {
		p := lay(t, g)
		if len(p.Nodes) != len(g.Nodes) || len(p.Boxes) != len(g.Boxes) {
			t.Errorf("%v became %v", g, p)
		}
	}
}

// dag is a random graph without cycles: each node follows two of the twenty before it.
func dag(n int) Graph {
	r := rand.New(rand.NewPCG(7, 7))
	var g Graph
	for i := range n {
		g.Nodes = append(g.Nodes, Node{Width: 70, Height: 30, Box: -1, Lane: -1})
		for range min(i, 2) {
			g.Edges = append(g.Edges, Edge{From: max(0, i-1-r.IntN(20)), To: i})
		}
	}
	return g
}

// stencil has columns that exchange edges with their neighbors at every step.
func stencil(n, columns int) Graph {
	var g Graph
	for i := range n {
		g.Nodes = append(g.Nodes, Node{Width: 70, Height: 30, Box: -1, Lane: -1})
		for k := -1; k <= 1; k++ {
			if c := i%columns + k; i >= columns && c >= 0 && c < columns {
				g.Edges = append(g.Edges, Edge{From: i - columns - i%columns + c, To: i})
			}
		}
	}
	return g
}

func BenchmarkLayout(b *testing.B) {
	for _, c := range []struct {
		name string
		g    Graph
	}{{"stencil200", stencil(200, 8)}, {"stencil5000", stencil(5000, 8)}, {"dag200", dag(200)}, {"dag1000", dag(1000)}, {"dag5000", dag(5000)}} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				p := lay(b, c.g)
				b.ReportMetric(float64(p.Crossings), "crossings")
			}
		})
	}
}
