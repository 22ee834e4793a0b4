package tiletest

import (
	"math"
	"slices"

	"weft/tile"
)

// drawGather takes rows of an array of any strides, where arrays of indices say.
func drawGather(d *routineDraw) { d.points(tile.In, tile.Out) }

// drawScatter writes or combines rows, among them several for one place.
func drawScatter(d *routineDraw) {
	if d.name != "scatter" && !d.t.Is(tile.KindInt|tile.KindUint) {
		return
	}
	d.points(tile.Update, tile.In)
}

// points adds an array, indices for its first axes, and what is near, all of any strides.
func (d *routineDraw) points(far, near tile.Dir) {
	mode := 0
	if d.IntN(3) == 0 {
		mode = 1 + d.IntN(2)
	}
	d.begin(tile.IntAttr("mode", int64(mode)))
	shape := d.shaped(1 + d.IntN(3))
	if d.IntN(3) == 0 { // all mean a few places
		shape[0] = 1 + d.IntN(3)
	}
	arrays := 1 + d.IntN(len(shape))
	rest := shape[arrays:]
	index := d.shaped(1 + d.IntN(3))
	if d.IntN(8) == 0 {
		index = nil
	}
	for product(index)*product(rest) > 1<<14 {
		index[slices.Index(index, slices.Max(index))] /= 2
	}
	d.strided(far, d.t, d.drawn(d.t, product(shape)), shape, 0)
	for axis := range arrays {
		n := int64(shape[axis])
		at := d.whole(product(index), -n, n)
		switch {
		case mode != 0:
			at = d.whole(product(index), -3*n, 3*n)
		case d.IntN(12) == 0:
			for range 3 {
				at[d.IntN(len(at))] = tile.IntScalar(tile.Int64, []int64{n, -n - 1, math.MinInt64, math.MaxInt64}[d.IntN(4)])
			}
		}
		d.strided(tile.In, tile.Int64, at, index, 3)
	}
	shape = append(slices.Clone(index), rest...)
	repeats := 3
	if near == tile.Out {
		repeats = 0
	}
	d.strided(near, d.t, d.drawn(d.t, product(shape)), shape, repeats)
}

// strided adds an operand whose axes lie in any order, in either direction, and with gaps; once in so many times, where
// that is not 0, some axes have a stride of 0. At times elements lie at any byte.
func (d *routineDraw) strided(dir tile.Dir, t tile.DType, values []tile.Scalar, shape []int, repeats int) {
	d.b.Param(dir, t)
	order := d.Perm(len(shape))
	if d.IntN(2) == 0 {
		for i := range order {
			order[i] = len(order) - 1 - i
		}
	}
	strides, step, start := make([]int64, len(shape)), int64(t.Size()), int64(0)
	odd := d.IntN(16) == 0
	for _, axis := range order {
		if repeats > 0 && d.IntN(repeats) == 0 {
			continue
		}
		if d.IntN(4) == 0 {
			step *= 2
		}
		if odd {
			step++
		}
		strides[axis] = step
		step *= int64(shape[axis])
		if d.IntN(4) == 0 {
			start += int64(shape[axis]-1) * strides[axis]
			strides[axis] = -strides[axis]
		}
	}
	start += int64(t.Size() * d.IntN(3))
	if odd {
		start++
	}
	end := start + int64(t.Size())
	for axis, n := range shape {
		end += max(0, int64(n-1)*strides[axis])
	}
	memory := make([]byte, end)
	for i, v := range values {
		at := start
		for axis := len(shape) - 1; axis >= 0; axis-- {
			at += int64(i%shape[axis]) * strides[axis]
			i /= shape[axis]
		}
		encode(memory[at:], v)
	}
	d.tr.args = append(d.tr.args, arg{buffer: len(d.tr.memory), offset: start, strides: strides, shape: shape})
	d.tr.memory = append(d.tr.memory, memory)
}
