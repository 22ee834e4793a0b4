package verify

import (
	"math/rand/v2"
	"testing"

	"weft/scheduler"
)

// The number of a part's point is that of the point whose coordinates are the part's, each at the axis that it was
// turned to.
func TestNumbersOfTurnedPoints(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		turn := r.Perm(1 + r.IntN(4))
		shape := make([]int, len(turn)) // of the fused op
		part := make([]int, len(turn))
		points := 1
		for i, axis := range turn {
			shape[axis] = 1 + r.IntN(5)
			part[i] = shape[axis]
			points *= part[i]
		}
		p := placed{into: &scheduler.Op{Shape: shape}, turn: turn}
		for point := range points {
			at, rest := make([]int, len(turn)), point
			for i := len(part) - 1; i >= 0; i-- {
				at[turn[i]] = rest % part[i]
				rest /= part[i]
			}
			want := 0
			for axis, n := range shape {
				want = want*n + at[axis]
			}
			if got := p.number(point); got != want {
				t.Fatalf("seed %d: point %d of %v turned by %v is %d, wanted %d", seed, point, part, turn, got, want)
			}
		}
	}
}

// Points are those of a map with an entry for each byte.
func TestPointsOfBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	got, want := points{pages: map[int64]*page{}}, map[int64]int{}
	for range 20000 {
		b := r.Int64N(1000)
		if r.IntN(2) == 0 {
			*got.at(b), want[b] = int(b)+1, int(b)+1
		}
		if *got.at(b) != want[b] {
			t.Fatalf("byte %d has %d, wanted %d", b, *got.at(b), want[b])
		}
	}
}
