package cpu

import (
	"testing"

	"weft/tile"
)

// matmulThreads is a product of matrices by tiles of 16 x 16 in shared arrays, as it is taught: a block for each tile.
func matmulThreads(t tile.DType) *tile.Program { return matmulTiles(t, 16) }

func guardedThreads(p *tile.Program) *tile.Program {
	p.Guarded = true
	return p
}

func matmulTiles(t tile.DType, side int64) *tile.Program {
	b := tile.NewThreads("matmul")
	x, y, z := b.Array(tile.In, t, 2, "x"), b.Array(tile.In, t, 2, "y"), b.Array(tile.Update, t, 2, "z")
	sx, sy := b.Scratch(tile.Shared, t, "sx", int(side), int(side)), b.Scratch(tile.Shared, t, "sy", int(side), int(side))
	wide := func(f tile.Form) tile.Value { return b.Cast(tile.Int64, b.Thread(f)) }
	whole := func(n int64) tile.Value { return b.Const(tile.IntScalar(tile.Int64, n)) }
	tx, ty := wide(tile.TidX), wide(tile.TidY)
	col := b.Do(tile.Add, b.Do(tile.Mul, wide(tile.CtaidX), whole(side)), tx)
	row := b.Do(tile.Add, b.Do(tile.Mul, wide(tile.CtaidY), whole(side)), ty)
	tiles := b.Do(tile.FloorDiv, b.Size(x, 1), whole(side))
	zero, none := whole(0), b.Const(tile.FloatScalar(t, 0))
	b.Loop()
	k, sum := b.Carry(zero), b.Carry(none)
	b.While(b.Do(tile.Lt, k, tiles))
	at := b.Do(tile.Mul, k, whole(side))
	b.Put(sx, b.Element(x, row, b.Do(tile.Add, at, tx)), ty, tx)
	b.Put(sy, b.Element(y, b.Do(tile.Add, at, ty), col), ty, tx)
	b.Barrier()
	b.Loop()
	j, inner := b.Carry(zero), b.Carry(sum)
	b.While(b.Do(tile.Lt, j, whole(side)))
	next := b.Do(tile.Add, inner, b.Do(tile.Mul, b.Element(sx, ty, j), b.Element(sy, j, tx)))
	step := b.Do(tile.Add, j, whole(1))
	b.Next(j, step)
	b.Next(inner, next)
	b.End()
	b.Barrier()
	turn := b.Do(tile.Add, k, whole(1))
	b.Next(k, turn)
	b.Next(sum, inner)
	b.End()
	b.Put(z, sum, row, col)
	return b.Program()
}

// mandelbrotThreads counts steps, at most 200, of a point for each thread.
func mandelbrotThreads() *tile.Program {
	b := tile.NewThreads("mandelbrot")
	out := b.Array(tile.Update, tile.Int32, 2, "out")
	wide := func(f tile.Form) tile.Value { return b.Cast(tile.Int64, b.Thread(f)) }
	real := func(x float64) tile.Value { return b.Const(tile.FloatScalar(tile.Float64, x)) }
	i := b.Do(tile.Add, b.Do(tile.Mul, wide(tile.CtaidX), wide(tile.NtidX)), wide(tile.TidX))
	j := b.Do(tile.Add, b.Do(tile.Mul, wide(tile.CtaidY), wide(tile.NtidY)), wide(tile.TidY))
	scale := func(v tile.Value, of tile.Value, by, from float64) tile.Value {
		return b.Do(tile.Add, b.Do(tile.Div, b.Do(tile.Mul, b.Cast(tile.Float64, v), real(by)), b.Cast(tile.Float64, of)), real(from))
	}
	inside := b.Do(tile.And, b.Do(tile.Lt, i, b.Size(out, 1)), b.Do(tile.Lt, j, b.Size(out, 0)))
	b.If(inside)
	cr, ci := scale(i, b.Size(out, 1), 3, -2), scale(j, b.Size(out, 0), 2, -1)
	b.Put(out, escape(b, cr, ci), j, i)
	b.End()
	return b.Program()
}

// BenchmarkThreads launches kernels as programs write them for GPUs, on one core and on all.
func BenchmarkThreads(b *testing.B) {
	for _, c := range []struct {
		name    string
		program *tile.Program
		grid    tile.Grid
		shapes  [][]int
	}{
		{"matmul 64", matmulThreads(tile.Float32), tile.Grid{Blocks: [3]int{4, 4, 1}, Threads: [3]int{16, 16, 1}}, [][]int{{64, 64}, {64, 64}, {64, 64}}},
		{"matmul 512", matmulThreads(tile.Float32), tile.Grid{Blocks: [3]int{32, 32, 1}, Threads: [3]int{16, 16, 1}}, [][]int{{512, 512}, {512, 512}, {512, 512}}},
		{"matmul 512 guarded", guardedThreads(matmulThreads(tile.Float32)), tile.Grid{Blocks: [3]int{32, 32, 1}, Threads: [3]int{16, 16, 1}}, [][]int{{512, 512}, {512, 512}, {512, 512}}},
		{"mandelbrot 1536x1024", mandelbrotThreads(), tile.Grid{Blocks: [3]int{96, 64, 1}, Threads: [3]int{16, 16, 1}}, [][]int{{1024, 1536}}},
		{"mandelbrot 16x16", mandelbrotThreads(), tile.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{16, 16, 1}}, [][]int{{16, 16}}},
	} {
		for _, workers := range []int{1, 0} {
			name := c.name + "/one core"
			if workers == 0 {
				name = c.name + "/all cores"
			}
			b.Run(name, func(b *testing.B) {
				d := New(Options{Workers: workers})
				defer d.Close()
				exe, err := d.Compile(c.program)
				if err != nil {
					b.Fatal(err)
				}
				l := &tile.Launch{Exe: exe, Program: c.program, Grid: c.grid}
				for i, shape := range c.shapes {
					size := int64(c.program.Params[i].Type.Size())
					buf, err := d.Alloc(size * int64(shape[0]*shape[1]))
					if err != nil {
						b.Fatal(err)
					}
					clear(buf.Bytes())
					l.Args = append(l.Args, tile.Binding{Buffer: buf, Shape: shape, Strides: []int64{size * int64(shape[1]), size}})
				}
				for b.Loop() {
					d.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
				}
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
