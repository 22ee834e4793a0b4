package cpu

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"weft/tile"
)

// elementary are the opcodes whose errors ACCURACY.md states.
var elementary = []tile.Opcode{
	tile.Exp, tile.Exp2, tile.Expm1, tile.Log, tile.Log2, tile.Log10, tile.Log1p, tile.Sin, tile.Cos, tile.Tan, tile.Asin,
	tile.Acos, tile.Atan, tile.Atan2, tile.Sinh, tile.Cosh, tile.Tanh, tile.Asinh, tile.Acosh, tile.Atanh, tile.Pow,
	tile.Cbrt, tile.Hypot, tile.Erf, tile.Erfc, tile.Gamma, tile.LogGamma,
}

// arguments returns the values that break things, then numbers of any bits, of every size, and
// around 1.
func arguments(r *rand.Rand, t tile.DType, n int) []float64 {
	x := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 0.5, -0.5, 3, -3, 10, -10, 171.7, -170.5, math.Inf(1), math.Inf(-1), math.NaN(),
		math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, -0x1p-1030, math.MaxFloat32, math.SmallestNonzeroFloat32, 0x1p-126,
		-0x1p-130, 709.78, 709.79, -745.1, -745.2, 88.72, 88.73, -103.9, -104, 1e5, 1e6, 0x1p52, -0x1p53, 1e22, 1e300, math.Pi, math.Pi / 2}
	for len(x) < n {
		switch len(x) % 4 {
		case 0:
			if t == tile.Float32 {
				x = append(x, float64(math.Float32frombits(r.Uint32())))
			} else {
				x = append(x, math.Float64frombits(r.Uint64()))
			}
		case 1:
			x = append(x, r.NormFloat64()*math.Exp2(r.Float64()*80-50))
		case 2:
			x = append(x, (1+r.NormFloat64()*math.Exp2(-30*r.Float64()))*float64(1-2*r.IntN(2)))
		default:
			x = append(x, r.Float64()*1500-750)
		}
	}
	return x
}

// outcome runs an opcode on the device, and returns the bits of the results.
func outcome(t *testing.T, d *Device, op tile.Opcode, dtype tile.DType, operands [2][]float64) []tile.Scalar {
	t.Helper()
	var scalars [2][]tile.Scalar
	for i, of := range operands {
		for _, v := range of {
			scalars[i] = append(scalars[i], tile.FloatScalar(dtype, v))
		}
	}
	return outcomeOf(t, d, op, dtype, scalars)
}

// outcomeOf runs an op on scalars of any dtype of four or eight bytes.
func outcomeOf(t *testing.T, d *Device, op tile.Opcode, dtype tile.DType, operands [2][]tile.Scalar) []tile.Scalar {
	t.Helper()
	b := tile.NewBuilder(op.String(), 1)
	var in []tile.Value
	for range op.Arity() {
		in = append(in, b.Load(dtype))
	}
	b.Store(b.Do(op, in...))
	return outcomeOfProgram(t, d, b.Program(), dtype, operands)
}

// outcomeOfProgram runs a program of one result, whose parameters are all of a dtype.
func outcomeOfProgram(t *testing.T, d *Device, p *tile.Program, dtype tile.DType, operands [2][]tile.Scalar) []tile.Scalar {
	t.Helper()
	size := int64(dtype.Size())
	n, inputs := len(operands[0]), len(p.Params)-1
	exe, err := d.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	l := &tile.Launch{Exe: exe, Program: p, Shape: []int{n}, Origin: []int{0}}
	for i := range p.Params {
		buf, err := d.Alloc(int64(n) * size)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Free(buf)
		step := size
		if i < inputs {
			for k, v := range operands[i] {
				store(buf.Bytes()[int64(k)*size:], v)
			}
			if len(operands[i]) == 1 {
				step = 0
			}
		}
		l.Args = append(l.Args, tile.Binding{Buffer: buf, Strides: []int64{step}})
	}
	d.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
	if err != nil {
		t.Fatal(err)
	}
	var out []tile.Scalar
	memory := l.Args[inputs].Buffer.Bytes()
	for k := range n {
		s := tile.Scalar{Type: dtype}
		if size == 4 {
			s.Bits[0] = uint64(binary.LittleEndian.Uint32(memory[4*k:]))
		} else {
			s.Bits[0] = binary.LittleEndian.Uint64(memory[8*k:])
		}
		out = append(out, s)
	}
	return out
}

func store(to []byte, s tile.Scalar) {
	if s.Type.Size() == 4 {
		binary.LittleEndian.PutUint32(to, uint32(s.Bits[0]))
	} else {
		binary.LittleEndian.PutUint64(to, s.Bits[0])
	}
}

// TestAccuracy asserts the bound of ACCURACY.md, and that every instruction set gives the
// same bits. The reference is rounded, so that a distance of 1.5 may be counted as 2.
func TestAccuracy(t *testing.T) {
	const bound, samples = 2, 1500
	var devices []*Device
	for _, isa := range ISAs() {
		d := New(Options{Workers: 1, ISA: isa})
		defer d.Close()
		devices = append(devices, d)
	}
	for _, op := range elementary {
		for _, dtype := range []tile.DType{tile.Float32, tile.Float64} {
			r := rand.New(rand.NewPCG(uint64(op), uint64(dtype)))
			operands := [2][]float64{arguments(r, dtype, samples), arguments(r, dtype, samples)}
			r.Shuffle(samples, func(i, k int) { operands[1][i], operands[1][k] = operands[1][k], operands[1][i] })
			got := outcome(t, devices[0], op, dtype, operands)
			for i, g := range got {
				args := []tile.Scalar{tile.FloatScalar(dtype, operands[0][i]), tile.FloatScalar(dtype, operands[1][i])}[:op.Arity()]
				want := tile.Eval(op, dtype, args...)
				far := tile.UlpDistance(want, g)
				if op == tile.LogGamma && math.Abs(want.Float()) < 0.5 { // near a zero
					unit := map[tile.DType]float64{tile.Float32: 0x1p-25, tile.Float64: 0x1p-54}[dtype]
					far = math.Abs(g.Float()-want.Float()) / unit
				}
				if !(far <= bound) {
					t.Errorf("%v(%v) = %v on %s, want %v: %.3g units apart; at most %d", op, args, g, ISAs()[0], want, far, bound)
				}
			}
			for k, d := range devices[1:] {
				for i, g := range outcome(t, d, op, dtype, operands) {
					if g != got[i] && (g.Float() == g.Float() || got[i].Float() == got[i].Float()) {
						t.Errorf("%v(%v, %v) = %v on %s, but %v on %s", op, operands[0][i], operands[1][i], g, ISAs()[k+1], got[i], ISAs()[0])
					}
				}
			}
		}
	}
}

// TestMagnitudes asserts that sizes of complex numbers, and hypotenuses, have the same bits by every instruction set,
// whatever their number and whatever stands beside them: vectors of which one number has to be scaled take another way.
func TestMagnitudes(t *testing.T) {
	b := tile.NewBuilder("magnitudes", 1)
	b.Store(b.Do(tile.Abs, b.Do(tile.MakeComplex, b.Load(tile.Float64), b.Load(tile.Float64))))
	p := b.Program()
	var devices []*Device
	for _, isa := range ISAs() {
		d := New(Options{Workers: 1, ISA: isa})
		defer d.Close()
		devices = append(devices, d)
	}
	r := rand.New(rand.NewPCG(4, 7))
	var parts [2][]float64
	for i := range parts {
		parts[i] = arguments(r, tile.Float64, 600)
		for len(parts[i]) < 1500 {
			parts[i] = append(parts[i], r.NormFloat64())
		}
		r.Shuffle(len(parts[i]), func(j, k int) { parts[i][j], parts[i][k] = parts[i][k], parts[i][j] })
	}
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 1499} {
		from := r.IntN(1500 - n + 1)
		var x [2][]tile.Scalar
		for i := range x {
			for _, v := range parts[i][from : from+n] {
				x[i] = append(x[i], tile.FloatScalar(tile.Float64, v))
			}
		}
		want := outcomeOf(t, devices[0], tile.Hypot, tile.Float64, x)
		for k, d := range devices {
			for what, got := range map[string][]tile.Scalar{"size": outcomeOfProgram(t, d, p, tile.Float64, x), "hypotenuse": outcomeOf(t, d, tile.Hypot, tile.Float64, x)} {
				for i, g := range got {
					if g != want[i] && (g.Float() == g.Float() || want[i].Float() == want[i].Float()) {
						t.Errorf("%d of %d: the %s of %v and %v is %v on %s, and the hypotenuse %v on %s", i, n, what, x[0][i], x[1][i], g, ISAs()[k], want[i], ISAs()[0])
					}
				}
			}
		}
	}
}

// TestExactValues asks for results that users know by heart, and which each dtype must have to the last bit: powers and
// logarithms of whole numbers, roots of cubes, Pythagorean triples, angles of diagonals.
func TestExactValues(t *testing.T) {
	d := New(Options{Workers: 1})
	defer d.Close()
	whole := func(n int, f func(k float64) (x, y, want float64)) (out [3][]float64) {
		for k := range n {
			x, y, want := f(float64(k))
			for i, v := range []float64{x, y, want} {
				out[i] = append(out[i], v)
			}
		}
		return out
	}
	for _, c := range []struct {
		op     tile.Opcode
		values [3][]float64 // operands and results
	}{
		{tile.Exp2, whole(250, func(k float64) (x, y, want float64) { return k - 125, 0, math.Exp2(k - 125) })},
		{tile.Log2, whole(250, func(k float64) (x, y, want float64) { return math.Exp2(k - 125), 0, k - 125 })},
		{tile.Log10, whole(11, func(k float64) (x, y, want float64) { return math.Pow10(int(k)), 0, k })},
		{tile.Cbrt, whole(400, func(k float64) (x, y, want float64) { return (k - 200) * (k - 200) * (k - 200), 0, k - 200 })},
		{tile.Hypot, [3][]float64{{3, 5, 15, -20, 24}, {4, -12, 8, 21, 7}, {5, 13, 17, 29, 25}}},
		{tile.Atan2, [3][]float64{{1, 1, -2, -3, 0, 5, 0x1p100}, {1, -1, 2, -3, -1, 0, 0x1p100},
			{math.Pi / 4, 3 * math.Pi / 4, -math.Pi / 4, -3 * math.Pi / 4, math.Pi, math.Pi / 2, math.Pi / 4}}},
		{tile.Atan, [3][]float64{{1, -1, math.Inf(1)}, {0, 0, 0}, {math.Pi / 4, -math.Pi / 4, math.Pi / 2}}},
		{tile.Pow, whole(24, func(k float64) (x, y, want float64) { return 2, k, math.Exp2(k) })},
		{tile.Pow, whole(14, func(k float64) (x, y, want float64) { return 3, k, math.Pow(3, k) })},
	} {
		for _, dtype := range []tile.DType{tile.Float32, tile.Float64} {
			for i, got := range outcome(t, d, c.op, dtype, [2][]float64{c.values[0], c.values[1]}) {
				if want := tile.FloatScalar(dtype, c.values[2][i]); got != want {
					t.Errorf("%v(%v, %v) = %v, want %v", c.op, c.values[0][i], c.values[1][i], got, want)
				}
			}
		}
	}
}
