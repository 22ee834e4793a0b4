package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"weft/tile"
)

// watchedOps are operations as ufuncs have them, with the operands of theirs at which nothing goes wrong.
var watchedOps = []struct {
	op        tile.Opcode
	rule      tile.Rule
	low, high float64
}{
	{tile.Add, tile.Odd, -10, 10}, {tile.Sub, tile.Odd, -10, 10}, {tile.Mul, tile.Odd, -10, 10}, {tile.Div, tile.Divisions, 1, 10}, {tile.Sqrt, tile.Odd, 0, 10},
	{tile.Exp, tile.Grows, -30, 30}, {tile.Exp2, tile.Grows, -50, 50}, {tile.Expm1, tile.Odd, -30, 30}, {tile.Log, tile.Poles, 0.1, 100}, {tile.Log2, tile.Poles, 0.1, 100}, {tile.Log10, tile.Poles, 0.1, 100},
	{tile.Log1p, tile.Poles, -0.9, 10}, {tile.Acosh, tile.Poles, 1.1, 10}, {tile.Atanh, tile.Poles, -0.9, 0.9}, {tile.Pow, tile.Powers, 0.1, 10}, {tile.Sin, tile.Odd, -10, 10},
	{tile.Cos, tile.Odd, -10, 10}, {tile.Tan, tile.Odd, -1.5, 1.5}, {tile.Tanh, tile.Odd, -10, 10}, {tile.Atan, tile.Odd, -10, 10}, {tile.Asin, tile.Odd, -1, 1}, {tile.Cosh, tile.Grows, -10, 10}, {tile.Hypot, tile.Odd, -10, 10},
	{tile.Atan2, tile.Odd, -10, 10}, {tile.Cbrt, tile.Odd, -10, 10}, {tile.Erf, tile.Odd, -5, 5},
}

// wentWrong is the slow way to say what went wrong in an operation.
func wentWrong(rule tile.Rule, x, y, out float64, two bool) (f tile.Flags) {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	switch {
	case math.IsNaN(out) && !math.IsNaN(x) && (!two || !math.IsNaN(y)):
		f = tile.InvalidValue
	case math.IsInf(out, 0) && finite(x) && (!two || finite(y)):
		f = tile.Overflow
		if rule == tile.Poles || rule == tile.Powers && x == 0 || rule == tile.Divisions && y == 0 {
			f = tile.DivideByZero
		}
	}
	return f
}

// watchedLaunch makes a launch of a program on n points, with rows apart.
func watchedLaunch(t *testing.T, d *Device, p *tile.Program, exe tile.Executable, rows, n, apart int, operands [][]float64) *tile.Launch {
	t.Helper()
	l := &tile.Launch{Exe: exe, Program: p, Shape: []int{rows, n}, Origin: []int{0, 0}}
	for i := range p.Params {
		size := int64(p.Params[i].Type.Size())
		step := size * int64(apart)
		row := int64(n) * step
		if i%2 == 1 {
			row += 3 * size
		}
		buf, err := d.Alloc(row * int64(rows))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Free(buf) })
		if i < len(operands) {
			for k, v := range operands[i] {
				store(buf.Bytes()[int64(k/n)*row+int64(k%n)*step:], tile.FloatScalar(p.Params[i].Type, v))
			}
		}
		l.Args = append(l.Args, tile.Binding{Buffer: buf, Strides: []int64{row, step}})
	}
	return l
}

// What devices find that went wrong is what the operations tell one by one, in whatever parts a launch is run.
func TestWatch(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e38, -1e38, 1e-38, 3, 0x1p-140}
	for _, isa := range ISAs() {
		for _, part := range []int64{0, 64} {
			d := New(Options{Workers: 2, ISA: isa, Part: part})
			for seed := range uint64(40) {
				r := rand.New(rand.NewPCG(seed, 5))
				dtype := []tile.DType{tile.Float32, tile.Float64}[r.IntN(2)]
				b := tile.NewBuilder("watched", 2)
				values := []tile.Value{b.Load(dtype), b.Load(dtype)}
				type step struct {
					op       int
					x, y, to int
				}
				var steps []step
				for range 1 + r.IntN(20) {
					s := step{op: r.IntN(len(watchedOps)), x: r.IntN(len(values)), y: r.IntN(len(values)), to: len(values)}
					row := &watchedOps[s.op]
					in, y := []tile.Value{values[s.x]}, tile.NoValue
					if row.op.Arity() == 2 {
						in, y = append(in, values[s.y]), values[s.y]
					}
					values = append(values, b.Do(row.op, in...))
					b.Watch(row.rule, values[s.x], y, values[s.to])
					steps = append(steps, s)
				}
				for _, s := range steps {
					b.Store(values[s.to])
				}
				p := b.Program()
				exe, err := d.Compile(p)
				if err != nil {
					t.Fatal(err)
				}
				rows, n := 1+r.IntN(3), 1+r.IntN(6000)
				operands := make([][]float64, 2)
				for i := range operands {
					operands[i] = make([]float64, rows*n)
					for k := range operands[i] {
						operands[i][k] = 0.5 + r.Float64()
					}
				}
				for range r.IntN(4) { // specials are few, so that most blocks have none
					operands[r.IntN(2)][r.IntN(rows*n)] = special[r.IntN(len(special))]
				}
				l := watchedLaunch(t, d, p, exe, rows, n, 1, operands)
				l.Watch = &tile.Watch{Wanted: tile.DivideByZero | tile.Overflow | tile.InvalidValue, Found: make([]uint32, len(steps))}
				d.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
				if err != nil {
					t.Fatal(err)
				}
				value := func(i, k int) float64 {
					if i >= 2 {
						i += len(p.Params) - len(steps) - 2
					}
					a := &l.Args[i]
					return load(a.Buffer.Bytes()[int64(k/n)*a.Strides[0]+int64(k%n)*a.Strides[1]:], dtype)
				}
				for i, s := range steps {
					row := &watchedOps[s.op]
					var want tile.Flags
					for k := range rows * n {
						want |= wentWrong(row.rule, value(s.x, k), value(s.y, k), value(s.to, k), row.op.Arity() == 2)
					}
					if got := tile.Flags(l.Watch.Found[i]); got != want {
						t.Errorf("%s, parts of %d, seed %d: step %d, %v of %v: found %b, want %b\n%v", isa, part, seed, i, row.op, dtype, got, want, p)
					}
				}
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// load reads a float of a dtype.
func load(from []byte, t tile.DType) float64 {
	s := tile.Scalar{Type: t}
	for i := range t.Size() {
		s.Bits[0] |= uint64(from[i]) << (8 * i)
	}
	return s.Float()
}

// Where nothing goes wrong, nothing is explained: rows of any length raise no flag that has to be looked at.
func TestNothingToExplain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, isa := range ISAs() {
		d := New(Options{Workers: 1, ISA: isa})
		for i := range watchedOps {
			row := &watchedOps[i]
			for _, dtype := range []tile.DType{tile.Float32, tile.Float64} {
				b := tile.NewBuilder("watched", 2)
				x, y, u := b.Load(dtype), b.Load(dtype), b.Uniform(dtype)
				in := []tile.Value{x, y}[:row.op.Arity()]
				out := b.Do(row.op, in...)
				rule := tile.NoValue
				if len(in) == 2 {
					rule = y
				}
				b.Watch(row.rule, x, rule, out)
				b.Store(b.Do(tile.Div, u, b.Do(tile.Add, b.Do(tile.Mul, out, out), u))) // by zero, where elements behind a row are zeros
				p := b.Program()
				exe, err := d.Compile(p)
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range []int{1, 3, 17, 61, 130, 1000, 1031} {
					operands := make([][]float64, 2)
					for k := range operands {
						for range 2 * n {
							operands[k] = append(operands[k], row.low+(row.high-row.low)*r.Float64())
						}
					}
					l := watchedLaunch(t, d, p, exe, 2, n, 1, operands)
					l.Uniforms = []tile.Scalar{tile.FloatScalar(dtype, 1)}
					l.Watch = &tile.Watch{Wanted: tile.DivideByZero | tile.Overflow | tile.InvalidValue, Found: []uint32{0}}
					d.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
					if err != nil {
						t.Fatal(err)
					}
					if exe.(*executable).explanations.all != nil {
						t.Errorf("%s: %v of %v: rows of %d were explained", isa, row.op, dtype, n)
						break
					}
				}
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
