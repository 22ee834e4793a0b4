package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"weft/scheduler/region"
)

// Users are those of an array with a writer and a list of readers for each byte, after any reads and writes.
func TestUsersAreThoseOfEachByte(t *testing.T) {
	const size = 40
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 2))
		got := users{writers: newTags(0, size, 0)}
		var writers [size]event
		var lists [size][]event
		alive := map[event]*checked{}
		for by := event(1); by < 30; by++ {
			alive[by] = &checked{}
			var parts []region.Interval // ascending, apart
			for at := r.Int64N(size); at < size; {
				end := min(size, at+1+r.Int64N(8))
				parts = append(parts, region.Interval{Lo: at, Hi: end})
				at = end + 1 + r.Int64N(16)
			}
			bytes, write := region.Of(parts...), r.IntN(4) == 0
			want := map[event]bool{}
			for _, p := range parts {
				for i := p.Lo; i < p.Hi; i++ {
					want[writers[i]] = true
					for _, reader := range lists[i] {
						want[reader] = want[reader] || write
					}
					if write {
						writers[i], lists[i] = by, nil
					} else {
						lists[i] = append(lists[i], by)
					}
				}
			}
			met := map[event]bool{}
			got.need(&bytes, write, func(e event) { met[e] = true })
			for e, needed := range want {
				if e != 0 && met[e] != needed {
					t.Fatalf("seed %d: event %d, needed %v by event %d, is met: %v", seed, e, needed, by, met[e])
				}
			}
			if write {
				got.write(by, &bytes)
			} else {
				got.read(by, &bytes, alive)
			}
			var found [size][]event
			at := int64(0)
			for _, x := range got.readers {
				if x.lo < at || x.hi <= x.lo {
					t.Fatalf("seed %d, event %d: the readers %v overlap, or are of no byte", seed, by, got.readers)
				}
				for at = x.lo; at < x.hi; at++ {
					found[at] = x.by
				}
			}
			for i := range lists {
				if !slices.Equal(found[i], lists[i]) {
					t.Fatalf("seed %d, event %d: byte %d has the readers %v, wanted %v", seed, by, i, found[i], lists[i])
				}
			}
		}
	}
}
