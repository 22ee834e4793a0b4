package tiletest

import (
	"math/rand/v2"
	"slices"

	"weft/tile"
)

// testTurned compares programs whose operands lie along different axes, each with an order of its own, in place or not.
func testTurned(b *bench) {
	b.seeds(60, func(b *bench, r *rand.Rand) {
		extents := []int{15, 16, 17, 31, 32, 33, 40, 64, 65, 70}
		shape := []int{extents[r.IntN(len(extents))], extents[r.IntN(len(extents))]}
		if r.IntN(3) == 0 {
			at := r.IntN(3)
			shape = append(shape[:at:at], append([]int{1 + r.IntN(3)}, shape[at:]...)...)
		}
		rank := len(shape)
		all := tile.DTypes()
		d := all[r.IntN(len(all))]
		nb := tile.NewBuilder("turned", rank)
		x, y := nb.Load(d), nb.Load(d)
		nb.Store(nb.Do(tile.Eq, x, y))
		if r.IntN(4) == 0 {
			nb.Store(nb.Index(r.IntN(rank)))
		}
		if nb.Store(y); r.IntN(2) == 0 {
			nb.Store(nb.Cast(all[r.IntN(len(all))], x))
		}
		nb.Store(x)
		tr := &trial{program: nb.Program(), shape: shape}
		for range shape {
			tr.origin = append(tr.origin, r.IntN(1000))
		}
		for _, param := range tr.program.Params {
			o := order{perm: r.Perm(rank), pad: r.IntN(2) * r.IntN(3)}
			if r.IntN(8) == 0 {
				o.reverse = []int{r.IntN(rank)}
			}
			if param.Dir == tile.In && r.IntN(8) == 0 {
				o.same = []int{r.IntN(rank)}
			}
			tr.lay(o, shape, param.Type, func(int) tile.Scalar {
				if param.Dir.Writes() {
					return filler(param.Type)
				}
				return random(r, param.Type)
			})
		}
		if last := len(tr.args) - 1; r.IntN(2) == 0 && !slices.Contains(tr.args[0].strides, 0) {
			tr.args[last] = tr.args[0]
		}
		b.compare(tr)
	})
}
