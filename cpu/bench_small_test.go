package cpu

import (
	"testing"

	"weft/tile"
)

// Small launches: what notebooks do by the thousand on grids of 41x41, where the machine's own work
// counts as much as the arithmetic.

// onGrids is a launch of a program whose parameters are windows on grids of side*side elements: at is
// the first element of each.
func onGrids(b *testing.B, d *Device, p *tile.Program, side int, shape []int, at ...int) *tile.Launch {
	b.Helper()
	strides := make([][]int64, len(p.Params))
	for i := range strides {
		strides[i] = []int64{int64(8 * side), 8}
	}
	l := launcher(b, d, p, shape, 0, strides...)
	for i := range l.Args {
		d.Free(l.Args[i].Buffer)
		grid, err := d.Alloc(int64(8 * side * side))
		if err != nil {
			b.Fatal(err)
		}
		clear(grid.Bytes())
		l.Args[i].Buffer, l.Args[i].Offset = grid, int64(8*at[i])
	}
	return l
}

// BenchmarkGrid is a step of a flow in a cavity on the inside of a grid: ten operations.
func BenchmarkGrid(b *testing.B) {
	for _, c := range []struct {
		name         string
		side, height int
	}{{"41", 41, 39}, {"41 one row", 41, 1}, {"401", 401, 399}} {
		b.Run(c.name, func(b *testing.B) {
			d := New(Options{Workers: 1})
			closeAfter(b, d)
			nb := tile.NewBuilder("grid", 2)
			u := func() tile.Value { return nb.Uniform(tile.Float64) }
			load := func() tile.Value { return nb.Load(tile.Float64) }
			do := nb.Do
			p, left, right, up, down, rhs := load(), load(), load(), load(), load(), load()
			x := do(tile.Mul, do(tile.Add, left, right), u())
			y := do(tile.Mul, do(tile.Add, up, down), u())
			next := do(tile.Sub, do(tile.Mul, do(tile.Add, x, y), u()), do(tile.Mul, rhs, u()))
			nb.Store(do(tile.Add, p, do(tile.Sub, next, p)))
			s := c.side
			l := onGrids(b, d, nb.Program(), s, []int{c.height, s - 2}, s+1, s, s+2, 1, 2*s+1, s+1, s+1)
			for range 4 {
				l.Uniforms = append(l.Uniforms, tile.FloatScalar(tile.Float64, 0.2))
			}
			run(b, d, l)
		})
	}
}

// BenchmarkEdge copies and fills rows and columns of a grid.
func BenchmarkEdge(b *testing.B) {
	nb := tile.NewBuilder("copy", 2)
	nb.Store(nb.Load(tile.Float64))
	move := nb.Program()
	nb = tile.NewBuilder("fill", 2)
	nb.Store(nb.Uniform(tile.Float64))
	fill := nb.Program()
	nb = tile.NewBuilder("negative", 2)
	nb.Store(nb.Do(tile.Neg, nb.Load(tile.Float64)))
	negative := nb.Program()
	nb = tile.NewBuilder("add", 2)
	nb.Store(nb.Do(tile.Add, nb.Load(tile.Float64), nb.Load(tile.Float64)))
	add := nb.Program()
	for _, c := range []struct {
		name  string
		p     *tile.Program
		side  int
		shape []int
		at    []int
	}{
		{"copy row 41", move, 41, []int{1, 41}, []int{41, 0}},
		{"copy column 41", move, 41, []int{41, 1}, []int{39, 40}},
		{"copy column 401", move, 401, []int{401, 1}, []int{399, 400}},
		{"copy grid 41", move, 41, []int{41, 41}, []int{0, 0}},
		{"copy inside 41", move, 41, []int{39, 39}, []int{42, 42}},
		{"fill row 41", fill, 41, []int{1, 41}, []int{0}},
		{"fill column 41", fill, 41, []int{41, 1}, []int{0}},
		{"fill column 401", fill, 401, []int{401, 1}, []int{0}},
		{"add inside 41", add, 41, []int{39, 39}, []int{42, 42, 42}},
		{"add column 41", add, 41, []int{41, 1}, []int{38, 39, 40}},
		{"negate column 41", negative, 41, []int{41, 1}, []int{39, 40}},
		{"negate column 401", negative, 401, []int{401, 1}, []int{399, 400}},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := New(Options{Workers: 1})
			closeAfter(b, d)
			l := onGrids(b, d, c.p, c.side, c.shape, c.at...)
			for range c.p.Uniforms {
				l.Uniforms = append(l.Uniforms, tile.FloatScalar(tile.Float64, 0.2))
			}
			run(b, d, l)
		})
	}
}

// BenchmarkVector is x + 2*y.
func BenchmarkVector(b *testing.B) {
	d := New(Options{Workers: 1})
	closeAfter(b, d)
	nb := tile.NewBuilder("vector", 1)
	nb.Store(nb.Do(tile.Add, nb.Load(tile.Float64), nb.Do(tile.Mul, nb.Load(tile.Float64), nb.Uniform(tile.Float64))))
	s := []int64{8}
	l := launcher(b, d, nb.Program(), []int{1024}, 0, s, s, s)
	l.Uniforms = []tile.Scalar{tile.FloatScalar(tile.Float64, 2)}
	run(b, d, l)
}

// BenchmarkReduceSmall reduces grids of 41x41, and their insides.
func BenchmarkReduceSmall(b *testing.B) {
	for _, c := range []struct {
		name string
		comb tile.Combiner
		side int
	}{{"sum", tile.Sum, 41}, {"sum inside", tile.Sum, 39}, {"max", tile.MaxOf, 41}} {
		b.Run(c.name, func(b *testing.B) {
			d := New(Options{Workers: 1})
			closeAfter(b, d)
			nb := tile.NewBuilder("reduce", 2)
			nb.Reduce(c.comb, nb.Load(tile.Float64))
			l := launcher(b, d, nb.Program(), []int{c.side, c.side}, 3, []int64{41 * 8, 8}, []int64{8, 8})
			run(b, d, l)
		})
	}
}
