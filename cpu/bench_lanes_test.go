package cpu

import (
	"testing"

	"weft/tile"
)

// mandelbrotLanes counts steps, at most 200, of a point for each lane.
func mandelbrotLanes() *tile.Program {
	b := tile.NewBuilder("mandelbrot", 2)
	real := func(x float64) tile.Value { return b.Const(tile.FloatScalar(tile.Float64, x)) }
	scale := func(axis int, of, by, from float64) tile.Value {
		return b.Do(tile.Add, b.Do(tile.Mul, b.Cast(tile.Float64, b.Index(axis)), real(by/of)), real(from))
	}
	cr, ci := scale(1, 1536, 3, -2), scale(0, 1024, 2, -1)
	b.Store(escape(b, cr, ci))
	return b.Program()
}

// escape is how many turns, 200 at most, a point of the plane stays near the origin.
func escape(b *tile.Builder, cr, ci tile.Value) tile.Value {
	real := func(x float64) tile.Value { return b.Const(tile.FloatScalar(tile.Float64, x)) }
	whole := func(n int64) tile.Value { return b.Const(tile.IntScalar(tile.Int32, n)) }
	none, zero := whole(0), real(0)
	b.Loop()
	n, zr, zi := b.Carry(none), b.Carry(zero), b.Carry(zero)
	rr, ii := b.Do(tile.Mul, zr, zr), b.Do(tile.Mul, zi, zi)
	b.While(b.Do(tile.And, b.Do(tile.Lt, n, whole(200)), b.Do(tile.Le, b.Do(tile.Add, rr, ii), real(4))))
	more, ri := b.Do(tile.Add, n, whole(1)), b.Do(tile.Mul, zr, zi)
	re, im := b.Do(tile.Add, b.Do(tile.Sub, rr, ii), cr), b.Do(tile.Add, b.Do(tile.Add, ri, ri), ci)
	b.Next(n, more)
	b.Next(zr, re)
	b.Next(zi, im)
	b.End()
	return n
}

// BenchmarkLoops runs a loop that lanes leave after turns of their own.
func BenchmarkLoops(b *testing.B) {
	d := New(Options{Workers: 1})
	defer d.Close()
	p := mandelbrotLanes()
	exe, err := d.Compile(p)
	if err != nil {
		b.Fatal(err)
	}
	buf, err := d.Alloc(4 * 1024 * 1536)
	if err != nil {
		b.Fatal(err)
	}
	l := &tile.Launch{Exe: exe, Program: p, Shape: []int{1024, 1536}, Origin: []int{0, 0}, Stop: new(tile.Stop),
		Args: []tile.Binding{{Buffer: buf, Strides: []int64{4 * 1536, 4}}}}
	for b.Loop() {
		d.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
	}
	if err != nil {
		b.Fatal(err)
	}
}
