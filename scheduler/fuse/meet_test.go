package fuse

import (
	"math/rand/v2"
	"testing"

	"weft/scheduler"
)

// count returns the number in C order of a point, over an index space with its axes in an order.
func count(shape, order, point []int) int {
	n := 0
	for i := range shape {
		axis := i
		if order != nil {
			axis = order[i]
		}
		n = n*shape[axis] + point[axis]
	}
	return n
}

// A member that was turned in its group's index space still has its points where they were when the group goes over
// to a finer space or to one with the axes in another order.
func TestTurnsAreComposed(t *testing.T) {
	for sd := range uint64(3000) {
		r := rand.New(rand.NewPCG(sd, 9))
		rank := 1 + r.IntN(5)
		shape := make([]int, rank)
		for i := range shape {
			shape[i] = 1 + r.IntN(4)
		}
		m := meeting{shape: shape}
		if r.IntN(2) == 0 {
			m.group = r.Perm(rank)
		}
		fine := shape
		if m.group != nil {
			fine = inOrder(shape, m.group)
		}
		var from []int // the group's space: neighbours of the finer one together
		for i := 0; i < rank; {
			n := 1
			for next := i + 1 + r.IntN(2); i < min(next, rank); i++ {
				n *= fine[i]
			}
			from = append(from, n)
		}
		var turn []int
		if r.IntN(3) > 0 {
			turn = r.Perm(len(from))
		}
		now := m.groupTurn(turn, from)
		if now != nil && len(now) != rank {
			t.Fatalf("seed %d: %v of %v is turned %v in %v, which does not have all axes", sd, turn, from, now, shape)
		}
		point, old := make([]int, rank), make([]int, len(from))
		for n := range (scheduler.View{Shape: shape}).Elements() {
			for i := rank - 1; i >= 0; i-- {
				point[i], n = n%shape[i], n/shape[i]
			}
			rest := count(shape, m.group, point)
			for i := len(from) - 1; i >= 0; i-- {
				old[i], rest = rest%from[i], rest/from[i]
			}
			if got, want := count(shape, now, point), count(from, turn, old); got != want {
				t.Fatalf("seed %d: %v of %v is turned %v in %v (group %v): point %v is number %d of the member, not %d", sd, turn, from, now, shape, m.group, point, got, want)
			}
		}
	}
}
