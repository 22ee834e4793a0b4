package verify

import (
	"math/rand/v2"
	"testing"

	"weft/scheduler/region"
)

// Tags are those of an array with a tag for each byte, after any sets and pastes, and have neither gaps nor equal
// neighbours.
func TestTagsAreThoseOfEachByte(t *testing.T) {
	const size = 40
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		lists := [2]*tags{newTags(0, size, 1), newTags(0, size, 2)}
		var bytes [2][size]uint64
		for i := range size {
			bytes[0][i], bytes[1][i] = 1, 2
		}
		for step := range 12 {
			which := r.IntN(2)
			var parts []region.Interval // ascending, apart
			for at := r.Int64N(8); at < size; {
				end := min(size, at+1+r.Int64N(8))
				parts = append(parts, region.Interval{Lo: at, Hi: end})
				at = end + 1 + r.Int64N(16)
			}
			by := uint64(1 + r.IntN(4))
			switch r.IntN(3) {
			case 0:
				lists[which].setAll(parts, by)
				for _, p := range parts {
					for i := p.Lo; i < p.Hi; i++ {
						bytes[which][i] = by
					}
				}
			case 1:
				x := region.Interval{Lo: r.Int64N(size), Hi: r.Int64N(size + 1)}
				lists[which].set(x, by)
				for i := x.Lo; i < x.Hi; i++ {
					bytes[which][i] = by
				}
			default: // a copy to the other one
				if len(parts) == 0 {
					continue
				}
				lists[which].paste(lists[1-which].of(parts[0], nil))
				for i := parts[0].Lo; i < parts[0].Hi; i++ {
					bytes[which][i] = bytes[1-which][i]
				}
			}
			for k, list := range lists {
				at := int64(0)
				for n, g := range list.list {
					if g.lo != at || g.hi <= g.lo || n > 0 && list.list[n-1].by == g.by {
						t.Fatalf("seed %d, step %d: the tags %v have a gap, an overlap or equal neighbours", seed, step, list.list)
					}
					for ; at < g.hi; at++ {
						if bytes[k][at] != g.by {
							t.Fatalf("seed %d, step %d: byte %d has tag %d, wanted %d: %v", seed, step, at, g.by, bytes[k][at], list.list)
						}
					}
				}
				if at != size {
					t.Fatalf("seed %d, step %d: the tags %v end at %d, not %d", seed, step, list.list, at, size)
				}
			}
		}
	}
}

// What differs is named by the first byte and both writers.
func TestDifferNamesBothWriters(t *testing.T) {
	for _, row := range []struct {
		found, want []tag
		text        string
	}{
		{[]tag{{0, 8, 3}}, []tag{{0, 8, 3}}, ""},
		{[]tag{{0, 8, 3}}, []tag{{0, 8, 4}}, "bytes [0,8) hold the value of o3, wanted that of o4"},
		{[]tag{{0, 4, 3}, {4, 8, failed}}, []tag{{0, 4, 3}, {4, 8, hostTag + 2}}, "bytes [4,8) hold the value of a failed task, wanted that of the host's write 2"},
		{[]tag{{0, 4, 0}}, []tag{{0, 4, older}}, "bytes [0,4) hold the value of no op, wanted that of an op before the log begins"},
	} {
		if got := differ(row.found, row.want); got != row.text {
			t.Errorf("%v beside %v: %q, wanted %q", row.found, row.want, got, row.text)
		}
	}
}
