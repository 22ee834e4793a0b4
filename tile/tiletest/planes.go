package tiletest

import (
	"math/rand/v2"

	"weft/tile"
)

// testPlanes compares stencils: sums of views of one array that are moved by rows and columns, with a column and a row
// beside that serve all others, into the inside of an array as large.
func testPlanes(b *bench) {
	b.seeds(60, func(b *bench, r *rand.Rand) {
		extents := []int{1, 2, 3, 5, 8, 17, 31, 33, 63, 64, 65, 94, 126, 126, 129}
		shape := []int{extents[r.IntN(len(extents))], extents[r.IntN(len(extents))]}
		if r.IntN(3) == 0 {
			shape = append([]int{1 + r.IntN(3)}, shape...)
		}
		rank := len(shape)
		d := [...]tile.DType{tile.Float64, tile.Float32, tile.Float16, tile.Int16, tile.Uint8, tile.Complex64}[r.IntN(6)]
		nb := tile.NewBuilder("planes", rank)
		views := 1 + r.IntN(6)
		sum := nb.Load(d)
		for range views - 1 {
			sum = nb.Do(tile.Add, sum, nb.Load(d))
		}
		beside := r.IntN(2) == 0
		if beside {
			sum = nb.Do(tile.Mul, nb.Do(tile.Add, sum, nb.Load(d)), nb.Load(d))
		}
		nb.Store(sum)
		if r.IntN(3) == 0 {
			nb.Store(nb.Index(r.IntN(rank)))
		}
		tr := &trial{program: nb.Program(), shape: shape}
		for range shape {
			tr.origin = append(tr.origin, r.IntN(1000))
		}
		value := func(int) tile.Scalar { return random(r, d) }
		larger := append([]int(nil), shape...)
		larger[rank-2], larger[rank-1] = shape[rank-2]+2, shape[rank-1]+2
		inside := func(buffer, down, right int) arg {
			_, _, strides := order{}.place(larger)
			size := int64(d.Size())
			for i := range strides {
				strides[i] *= int(size)
			}
			a := arg{buffer: buffer, offset: int64(1+down)*int64(strides[rank-2]) + int64(1+right)*size}
			for _, s := range strides {
				a.strides = append(a.strides, int64(s))
			}
			return a
		}
		tr.lay(order{}, larger, d, value) // the buffer that the views share
		tr.args = nil
		for range views {
			tr.args = append(tr.args, inside(0, r.IntN(3)-1, r.IntN(3)-1))
		}
		if beside {
			tr.lay(order{same: []int{rank - 1}}, shape, d, value)
			tr.lay(order{same: []int{0, rank - 2}}, shape, d, value)
		}
		n, _, _ := order{}.place(larger)
		tr.memory = append(tr.memory, make([]byte, n*d.Size()))
		tr.args = append(tr.args, inside(len(tr.memory)-1, 0, 0))
		if len(tr.program.Params) > len(tr.args) {
			tr.lay(order{}, shape, tile.Int64, func(int) tile.Scalar { return filler(tile.Int64) })
		}
		b.compare(tr)
	})
}
