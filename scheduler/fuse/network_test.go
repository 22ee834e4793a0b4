package fuse

import (
	"math/rand/v2"
	"testing"
)

// The cut of small random networks costs as much as the best of all divisions of their ops,
// and no best one sinks fewer.
func TestMinimumCut(t *testing.T) {
	type edge struct {
		from, to int
		cost     int64
	}
	sank := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var n network
		ops := 1 + r.IntN(6)
		n.reset(ops)
		nodes := ops + 2
		for range r.IntN(3) {
			n.add()
			nodes++
		}
		var edges []edge
		for range r.IntN(20) {
			e := edge{r.IntN(nodes), r.IntN(nodes), int64(1 + r.IntN(9))}
			if e.from != sinks && e.to != stays && e.from != e.to {
				if r.IntN(5) == 0 && e.from != stays {
					e.cost = always
				}
				edges = append(edges, e)
				n.edge(e.from, e.to, e.cost)
			}
		}
		// cost returns that of the best division with these ops on the side that sinks.
		cost := func(sunk int) int64 {
			best := int64(-1)
			for others := range 1 << (nodes - 2 - ops) {
				sides := sunk<<2 | others<<(2+ops) | 1<<sinks
				sum := int64(0)
				for _, e := range edges {
					if sides>>e.from&1 == 0 && sides>>e.to&1 == 1 {
						sum = min(sum+e.cost, always)
					}
				}
				if best < 0 || sum < best {
					best = sum
				}
			}
			return best
		}
		n.run()
		got, count := 0, 0
		for i, sinks := range n.side() {
			if sinks {
				got |= 1 << i
				count++
			}
		}
		sank += count
		for other := range 1 << ops {
			fewer := 0
			for i := range ops {
				fewer += other >> i & 1
			}
			if a, b := cost(got), cost(other); b < a || b == a && fewer < count {
				t.Fatalf("seed %d: sinking %b costs %d, sinking %b costs %d", seed, got, a, other, b)
			}
		}
	}
	if sank == 0 {
		t.Error("no network had anything that sinks")
	}
}
