package core

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A table against a map, with IDs that leave gaps of up to three pages.
func TestTable(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		var found table[uint32]
		want := map[uint32]*uint32{}
		var alive []uint32
		id := uint32(0)
		for range 2000 {
			if len(alive) > 0 && r.IntN(2) == 0 {
				at := r.IntN(len(alive))
				found.remove(alive[at])
				delete(want, alive[at])
				alive = slices.Delete(alive, at, at+1)
				continue
			}
			id += 1 + uint32(r.IntN(1<<r.IntN(10)))
			row := id
			found.put(id, &row)
			want[id], alive = &row, append(alive, id)
		}
		for other := range id + 600 {
			if found.get(other) != want[other] {
				t.Fatalf("seed %d: row %d is %v, want %v", seed, other, found.get(other), want[other])
			}
		}
		var got []uint32
		found.each(func(row *uint32) { got = append(got, *row) })
		slices.Sort(alive)
		if !slices.Equal(got, alive) {
			t.Fatalf("seed %d: rows %v, want %v", seed, got, alive)
		}
		for at, p := range found.pages {
			if p != nil && p.live == 0 && at < len(found.pages)-1 {
				t.Fatalf("seed %d: page %d is empty, and kept", seed, at)
			}
		}
	}
}

// Stores that come and go, as those of a loop do, need no new pages.
func TestTableUsesPagesAgain(t *testing.T) {
	var found table[uint32]
	found.pages = make([]*page[uint32], 0, 1<<12)
	row, id := uint32(0), uint32(1)
	found.put(id, &row)
	allocated := testing.AllocsPerRun(1000, func() {
		next := id + 127
		found.put(next, &row)
		found.remove(id)
		id = next
	})
	if allocated != 0 {
		t.Errorf("%v allocations for each store, want none", allocated)
	}
}
