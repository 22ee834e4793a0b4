package cpu

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"weft/tile"
)

// The programs by which the engine is judged, one goroutine, built by hand. GB/s count each
// array once.

func report(b *testing.B, elements, bytes int) {
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(seconds/float64(elements)*1e9, "ns/element")
	b.ReportMetric(float64(bytes)/seconds/1e9, "GB/s")
}

// BenchmarkTriad is y = a*b + c.
func BenchmarkTriad(b *testing.B) {
	for _, t := range []tile.DType{tile.Float64, tile.Float32} {
		for _, n := range []int{10_000, 1_000_000, 50_000_000} {
			b.Run(fmt.Sprintf("%v %d", t, n), func(b *testing.B) {
				d := New(Options{Workers: 1})
				closeAfter(b, d)
				nb := tile.NewBuilder("triad", 1)
				nb.Store(nb.Do(tile.Add, nb.Do(tile.Mul, nb.Load(t), nb.Load(t)), nb.Load(t)))
				s := []int64{int64(t.Size())}
				l := launcher(b, d, nb.Program(), []int{n}, 0, s, s, s, s)
				run(b, d, l)
				report(b, n, 4*n*t.Size())
			})
		}
	}
}

// BenchmarkReduceLong reduces 5e7 elements with every combiner that has a loop of its own, also of
// bytes.
func BenchmarkReduceLong(b *testing.B) {
	for _, c := range []struct {
		comb tile.Combiner
		t    tile.DType
	}{{tile.Sum, tile.Float64}, {tile.Sum, tile.Float32}, {tile.Sum, tile.Uint8}, {tile.MaxOf, tile.Float64}, {tile.MinOf, tile.Int64}, {tile.Any, tile.Bool}} {
		b.Run(fmt.Sprintf("%v %v", c.comb, c.t), func(b *testing.B) {
			d := New(Options{Workers: 1})
			closeAfter(b, d)
			n := 50_000_000
			nb := tile.NewBuilder("reduce", 1)
			nb.Reduce(c.comb, nb.Load(c.t))
			s := []int64{int64(c.t.Size())}
			l := launcher(b, d, nb.Program(), []int{n}, 1, s, s)
			run(b, d, l)
			report(b, n, n*c.t.Size())
		})
	}
}

// BenchmarkPosition is the second pass of argmax: the first place of a value.
func BenchmarkPosition(b *testing.B) {
	d := New(Options{Workers: 1})
	closeAfter(b, d)
	n := 1_000_000
	nb := tile.NewBuilder("position", 1)
	x, best := nb.Load(tile.Float64), nb.Load(tile.Float64)
	hit := nb.Do(tile.Or, nb.Do(tile.Eq, x, best), nb.Do(tile.IsNaN, x))
	at := nb.Do(tile.Mul, nb.Index(0), nb.Uniform(tile.Int64))
	nb.Reduce(tile.MinOf, nb.Do(tile.Select, hit, at, nb.Const(tile.IntScalar(tile.Int64, 1<<62))))
	l := launcher(b, d, nb.Program(), []int{n}, 1, []int64{8}, []int64{0}, []int64{8})
	l.Uniforms = []tile.Scalar{tile.IntScalar(tile.Int64, 1)}
	run(b, d, l)
	report(b, n, 8*n)
}

// BenchmarkStencilLarge is 0.2 times the sum of five neighbours, out of place.
func BenchmarkStencilLarge(b *testing.B) {
	for _, side := range []int{500, 4000} {
		b.Run(fmt.Sprint(side), func(b *testing.B) {
			d := New(Options{Workers: 1})
			closeAfter(b, d)
			nb := tile.NewBuilder("stencil", 2)
			sum := nb.Load(tile.Float64)
			for range 4 {
				sum = nb.Do(tile.Add, sum, nb.Load(tile.Float64))
			}
			nb.Store(nb.Do(tile.Mul, sum, nb.Uniform(tile.Float64)))
			s := []int64{int64(side) * 8, 8}
			l := launcher(b, d, nb.Program(), []int{side - 2, side - 2}, 0, s, s, s, s, s, s)
			whole, err := d.Alloc(int64(side * side * 8))
			if err != nil {
				b.Fatal(err)
			}
			clear(whole.Bytes())
			for i, at := range []int{side + 1, 1, 2*side + 1, side + 2, side} {
				d.Free(l.Args[i].Buffer)
				l.Args[i].Buffer, l.Args[i].Offset = whole, int64(8*at)
			}
			l.Uniforms = []tile.Scalar{tile.FloatScalar(tile.Float64, 0.2)}
			run(b, d, l)
			report(b, side*side, 2*8*side*side)
		})
	}
}

// BenchmarkBlackScholes prices calls and puts: 1e7 options of three inputs and two outputs.
func BenchmarkBlackScholes(b *testing.B) {
	for _, t := range []tile.DType{tile.Float64, tile.Float32} {
		b.Run(t.String(), func(b *testing.B) {
			d := New(Options{Workers: 1})
			closeAfter(b, d)
			n := 10_000_000
			s := []int64{int64(t.Size())}
			l := launcher(b, d, blackScholes(t), []int{n}, 0, s, s, s, s, s)
			fill(l.Args[:3], t)
			run(b, d, l)
			report(b, n, 5*n*t.Size())
		})
	}
}

// fill gives inputs numbers around 1.
func fill(args []tile.Binding, t tile.DType) {
	for k, a := range args {
		for i := range int(a.Buffer.Size) / t.Size() {
			v := 0.5 + float64((i*(7+k)+k)%1000)/1000
			if t == tile.Float64 {
				*at[float64](unsafe.Add(a.Buffer.Host, 8*i)) = v
			} else {
				*at[float32](unsafe.Add(a.Buffer.Host, 4*i)) = float32(v)
			}
		}
	}
}

func blackScholes(t tile.DType) *tile.Program {
	nb := tile.NewBuilder("black_scholes", 1)
	c := func(v float64) tile.Value { return nb.Const(tile.FloatScalar(t, v)) }
	do := nb.Do
	price, strike, years := nb.Load(t), nb.Load(t), nb.Load(t)
	const rate, volatility = 0.02, 0.3
	root := do(tile.Mul, c(volatility), do(tile.Sqrt, years))
	drift := do(tile.Mul, c(rate+volatility*volatility/2), years)
	d1 := do(tile.Div, do(tile.Add, do(tile.Log, do(tile.Div, price, strike)), drift), root)
	d2 := do(tile.Sub, d1, root)
	cnd := func(x tile.Value) tile.Value {
		k := do(tile.Div, c(1), do(tile.Add, c(1), do(tile.Mul, c(0.2316419), do(tile.Abs, x))))
		p := c(1.330274429)
		for _, a := range []float64{-1.821255978, 1.781477937, -0.356563782, 0.31938153} {
			p = do(tile.Add, do(tile.Mul, p, k), c(a))
		}
		p = do(tile.Mul, p, k)
		density := do(tile.Mul, c(0.3989422804014327), do(tile.Exp, do(tile.Mul, do(tile.Mul, x, x), c(-0.5))))
		tail := do(tile.Mul, density, p)
		return do(tile.Select, do(tile.Gt, x, c(0)), do(tile.Sub, c(1), tail), tail)
	}
	n1, n2 := cnd(d1), cnd(d2)
	discounted := do(tile.Mul, strike, do(tile.Exp, do(tile.Mul, c(-rate), years)))
	nb.Store(do(tile.Sub, do(tile.Mul, price, n1), do(tile.Mul, discounted, n2)))
	nb.Store(do(tile.Sub, do(tile.Mul, discounted, do(tile.Sub, c(1), n2)), do(tile.Mul, price, do(tile.Sub, c(1), n1))))
	return nb.Program()
}

// BenchmarkGrayScott is one step of two fields of 2000^2 float32, out of place.
func BenchmarkGrayScott(b *testing.B) {
	const side = 2000
	d := New(Options{Workers: 1})
	closeAfter(b, d)
	s := []int64{side * 4, 4}
	l := launcher(b, d, grayScott(tile.Float32), []int{side - 2, side - 2}, 0, s, s, s, s, s, s, s, s, s, s, s, s)
	for f := range 2 {
		whole, err := d.Alloc(side * side * 4)
		if err != nil {
			b.Fatal(err)
		}
		clear(whole.Bytes())
		for i, at := range []int{side + 1, 1, 2*side + 1, side, side + 2} {
			d.Free(l.Args[5*f+i].Buffer)
			l.Args[5*f+i].Buffer, l.Args[5*f+i].Offset = whole, int64(4*at)
		}
	}
	run(b, d, l)
	report(b, side*side, 4*4*side*side)
}

func grayScott(t tile.DType) *tile.Program {
	nb := tile.NewBuilder("gray_scott", 2)
	c := func(v float64) tile.Value { return nb.Const(tile.FloatScalar(t, v)) }
	do := nb.Do
	var field, laplacian [2]tile.Value
	for i := range field {
		field[i] = nb.Load(t)
		sum := do(tile.Add, do(tile.Add, do(tile.Add, nb.Load(t), nb.Load(t)), nb.Load(t)), nb.Load(t))
		laplacian[i] = do(tile.Sub, sum, do(tile.Mul, c(4), field[i]))
	}
	u, v := field[0], field[1]
	uvv := do(tile.Mul, do(tile.Mul, u, v), v)
	du := do(tile.Add, do(tile.Sub, do(tile.Mul, c(0.16), laplacian[0]), uvv), do(tile.Mul, c(0.06), do(tile.Sub, c(1), u)))
	dv := do(tile.Sub, do(tile.Add, do(tile.Mul, c(0.08), laplacian[1]), uvv), do(tile.Mul, c(0.122), v))
	nb.Store(do(tile.Add, u, du))
	nb.Store(do(tile.Add, v, dv))
	return nb.Program()
}

// BenchmarkFunctions is one function of 16384 elements, in the caches.
func BenchmarkFunctions(b *testing.B) {
	for _, t := range []tile.DType{tile.Float64, tile.Float32} {
		for _, op := range []tile.Opcode{tile.Exp, tile.Log, tile.Sin, tile.Tanh, tile.Sqrt, tile.Floor, tile.Rem, tile.FloorDiv, tile.Pow, tile.Asinh} {
			b.Run(fmt.Sprintf("%v %v", op, t), func(b *testing.B) {
				d := New(Options{Workers: 1})
				closeAfter(b, d)
				nb := tile.NewBuilder("function", 1)
				args := []tile.Value{nb.Load(t), nb.Load(t)}
				nb.Store(nb.Do(op, args[:op.Arity()]...))
				s := []int64{int64(t.Size())}
				l := launcher(b, d, nb.Program(), []int{16384}, 0, s, s, s)
				fill(l.Args[:2], t)
				run(b, d, l)
				report(b, 16384, 2*16384*t.Size())
			})
		}
	}
}

// BenchmarkRandom draws numbers of Philox, and of PCG64: as they are, as floats, half of one for each float32, and
// points in a square, of which those in the quarter of a circle are counted.
func BenchmarkRandom(b *testing.B) {
	const n = 1_000_000
	for _, c := range []struct {
		name    string
		op      tile.Opcode
		build   func(nb *tile.Builder, word func(n tile.Value) tile.Value, at tile.Value)
		reduced tile.Axes
		size    int64
	}{
		{"philox", tile.Philox, func(nb *tile.Builder, word func(n tile.Value) tile.Value, at tile.Value) { nb.Store(word(at)) }, 0, 8},
		{"numbers", tile.PCG64, func(nb *tile.Builder, word func(n tile.Value) tile.Value, at tile.Value) { nb.Store(word(at)) }, 0, 8},
		{"float64", tile.PCG64, func(nb *tile.Builder, word func(n tile.Value) tile.Value, at tile.Value) {
			nb.Store(unit(nb, word(at), 11, tile.Float64))
		}, 0, 8},
		{"float32", tile.PCG64, func(nb *tile.Builder, word func(n tile.Value) tile.Value, at tile.Value) {
			u := func(v uint64) tile.Value { return nb.Const(tile.UintScalar(tile.Uint64, v)) }
			low := nb.Do(tile.Eq, nb.Do(tile.And, at, u(1)), u(0))
			pair := word(nb.Do(tile.Shr, at, u(1)))
			nb.Store(unit(nb, nb.Do(tile.Select, low, nb.Do(tile.Shl, pair, u(32)), pair), 40, tile.Float32))
		}, 0, 4},
		{"circle", tile.PCG64, func(nb *tile.Builder, word func(n tile.Value) tile.Value, at tile.Value) {
			x := unit(nb, word(at), 11, tile.Float64)
			y := unit(nb, word(nb.Do(tile.Add, at, nb.Const(tile.UintScalar(tile.Uint64, n)))), 11, tile.Float64)
			inside := nb.Do(tile.Lt, nb.Do(tile.Add, nb.Do(tile.Mul, x, x), nb.Do(tile.Mul, y, y)), nb.Const(tile.FloatScalar(tile.Float64, 1)))
			nb.Reduce(tile.Sum, nb.Cast(tile.Float64, inside))
		}, 1, 8},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := New(Options{Workers: 1})
			closeAfter(b, d)
			nb := tile.NewBuilder(c.name, 1)
			var state [4]tile.Value
			for i := range state {
				state[i] = nb.Uniform(tile.Uint64)
			}
			word := func(v tile.Value) tile.Value { return nb.Do(c.op, v, state[0], state[1], state[2], state[3]) }
			c.build(nb, word, nb.Cast(tile.Uint64, nb.Index(0)))
			l := launcher(b, d, nb.Program(), []int{n}, c.reduced, []int64{c.size})
			for i := range state {
				l.Uniforms = append(l.Uniforms, tile.UintScalar(tile.Uint64, uint64(2*i+1)))
			}
			run(b, d, l)
			report(b, n, n*int(c.size))
		})
	}
}

// unit is the float in [0, 1) of a number's highest bits.
func unit(nb *tile.Builder, word tile.Value, shift uint64, t tile.DType) tile.Value {
	top := nb.Cast(tile.Int64, nb.Do(tile.Shr, word, nb.Const(tile.UintScalar(tile.Uint64, shift))))
	return nb.Do(tile.Mul, nb.Cast(t, top), nb.Const(tile.FloatScalar(t, math.Ldexp(1, int(shift)-64))))
}
