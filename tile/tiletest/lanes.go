package tiletest

import (
	"math/rand/v2"

	"weft/tile"
)

// testLanes compares reductions along the last axis, of rows from any byte on and at any distance: what devices access
// several elements at once of, or have many rows of under way.
func testLanes(b *bench) {
	b.shifted(250, 2, lanesTrial, func(*trial, *rand.Rand) {})
}

// lanesTrial makes a reduction up: of rows shorter than the number of lanes, of some more elements, of about a block
// and of several; of one value or more, of one input or more, some of which are one element for a row or for all.
func lanesTrial(r *rand.Rand) *trial {
	all := tile.DTypes()
	between := func(lo, hi int) int { return lo + r.IntN(hi-lo+1) }
	n, rows := between(1, tile.Lanes), between(1, 90)
	switch r.IntN(8) {
	case 0, 1:
		n = 1 << between(1, 8)
	case 2, 3, 4:
		n = between(tile.Lanes, 520)
	case 5:
		n, rows = between(500, 2000), between(1, 5)
	case 6:
		n, rows = between(4000, 4200), between(1, 2)
	case 7:
		n, rows = between(1, 3)*4096+between(-40, 40), 1
	}
	shape := []int{rows, n}
	switch r.IntN(4) {
	case 0:
		shape = []int{n}
	case 1:
		shape = []int{between(1, 3), between(1, 7), n}
	}
	rank := len(shape)
	last := []int{rank - 1}
	d := all[r.IntN(len(all))]
	nb := tile.NewBuilder("lanes", rank)
	x := nb.Load(d)
	for range r.IntN(3) {
		if tile.Max.Accepts(d) {
			x = nb.Do(tile.Max, x, nb.Load(d))
		}
	}
	for range between(1, 3) {
		c := tile.Combiners()[r.IntN(len(tile.Combiners()))]
		if v := x; c.Accepts(d) {
			nb.Reduce(c, v)
		} else {
			nb.Reduce(tile.Sum, nb.Cast(tile.Int64, nb.Do(tile.Ne, x, nb.Const(tile.Scalar{Type: d}))))
		}
	}
	s := reduction{shape: shape, reduced: 1 << uint(rank-1)}
	tr := &trial{program: nb.Program(), shape: shape, reduced: s.reduced, block: tile.BlockShape(shape, s.reduced)}
	value, together, at := mild(r), r.IntN(2) == 0, r.IntN(16)
	pad := (16 - n%16) % 16
	if r.IntN(3) == 0 {
		pad = r.IntN(5)
	}
	for _, param := range tr.program.Params {
		if param.Dir.Writes() {
			tr.lay(order{shift: r.IntN(2) * 8}, tr.outputShape(), param.Type, func(int) tile.Scalar { return filler(param.Type) })
			continue
		}
		o := order{pad: pad}
		switch {
		case together:
		case r.IntN(2) == 0:
			o.shift = at / param.Type.Size() * param.Type.Size()
		default:
			o.shift = r.IntN(16)
		}
		switch r.IntN(12) {
		case 0:
			o.same = last
		case 1:
			o.same = []int{0}
		case 2:
			o.reverse = last
		case 3:
			o.spacing = 2
		}
		tr.lay(o, shape, param.Type, func(int) tile.Scalar { return value(param.Type) })
	}
	return tr
}
