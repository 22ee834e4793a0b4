package arrays

import (
	"math"
	"math/big"

	"weft/scheduler"
	"weft/tile"
)

// rangeFuncs are the rows that compute elements from their coordinates.
var rangeFuncs = []row{
	{"arange", "start_or_stop, /, stop=None, step=1, *, dtype=None, device=None, like=None", "",
		"Return evenly spaced values within a given interval.\n\nThe length is ceil((stop - start)/step); the dtype is that of the arguments together.", arange},
	{"linspace", "start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None", "",
		"Return evenly spaced numbers over a specified interval.", linspace},
	{"eye", "N, M=None, k=0, dtype=float, order='C', *, device=None, like=None", "",
		"Return a 2-D array with ones on the diagonal and zeros elsewhere.", eye},
	{"identity", "n, dtype=None, *, like=None", "",
		"Return the identity array.", identityMatrix},
	{"tri", "N, M=None, k=0, dtype=float, *, like=None", "",
		"An array with ones at and below the given diagonal and zeros elsewhere.", tri},
	{"tril", "m, k=0", "", "Lower triangle of an array: zeros above the k-th diagonal.", tril},
	{"triu", "m, k=0", "", "Upper triangle of an array: zeros below the k-th diagonal.", triu},
}

func arange(s *scope, v []Value) (Value, error) {
	if err := plain("device=", v[4], "cpu"); err != nil {
		return Value{}, err
	}
	if err := plain("like=", v[5]); err != nil {
		return Value{}, err
	}
	dtype, err := dtypeArg(v[3])
	if err != nil {
		return Value{}, err
	}
	start, stop, step := Int(0), v[0], Int(1)
	types := []operandType{operandType(tile.Int64)} // NumPy's least
	if v[1].given() {
		start, stop = v[0], v[1]
	}
	if v[2].given() {
		step = v[2]
	}
	for _, p := range []*Value{&start, &stop, &step} {
		t, ok := typeOf(*p)
		if !ok {
			return Value{}, &Fallback{"arange of something that is not a number"}
		}
		types = append(types, t)
		if *p, err = s.number(*p); err != nil {
			return Value{}, err
		}
		if p.Kind == ComplexValue || p.Kind == UintValue {
			return Value{}, &Fallback{"arange of huge or complex numbers"}
		}
	}
	n, err := rangeLength(start, stop, step)
	if err != nil {
		return Value{}, err
	}
	t := dtype
	if t == tile.Invalid {
		t = promote(types...)
	}
	if t == tile.Bool {
		return Value{}, &Fallback{"arange of bools"}
	}
	if t.Is(tile.KindComplex) {
		return Value{}, &Fallback{"arange of complex numbers"}
	}
	a, err := s.c.alloc(t, []int{n}, nil)
	if err != nil {
		return Value{}, err
	}
	// NumPy stores the first two elements and goes on with their difference.
	first, err := assignScalar(start, t)
	if err == nil && n > 1 {
		var second tile.Scalar
		if second, err = assignScalar(plus(start, step), t); err == nil {
			from, by := rangeScalar(first), difference(first, second)
			k := programKey{what: rangeTemplate, types: [4]tile.DType{t}}
			uniforms := []tile.Scalar{from, by}
			if by == numberScalar(by.Type, 1, 1) {
				k.flags, uniforms = byOne, uniforms[:1]
				if from == numberScalar(from.Type, 0, 0) {
					k.flags, uniforms = counting, nil
				}
			}
			err = s.c.generate("arange", k, uniforms, a)
		}
	} else if err == nil {
		err = s.c.fill(a, first, "arange")
	}
	if err != nil {
		a.Free()
		return Value{}, err
	}
	return Of(a), nil
}

// plus adds two numbers as Python does.
func plus(a, b Value) Value {
	if a.Kind == FloatValue || b.Kind == FloatValue {
		return Float(toFloat(a) + toFloat(b))
	}
	return Int(a.Int + b.Int)
}

func toFloat(v Value) float64 {
	switch v.Kind {
	case FloatValue:
		return v.Float
	case UintValue:
		return float64(uint64(v.Int))
	case ComplexValue:
		return real(v.Complex)
	}
	return float64(v.Int)
}

// rangeLength is NumPy's: the ceiling of the true quotient, computed in floats.
func rangeLength(start, stop, step Value) (int, error) {
	if toFloat(step) == 0 {
		if step.Kind == FloatValue {
			return 0, errorf("ZeroDivisionError", "float division by zero")
		}
		return 0, errorf("ZeroDivisionError", "division by zero")
	}
	var q float64
	if start.Kind == FloatValue || stop.Kind == FloatValue || step.Kind == FloatValue {
		q = (toFloat(stop) - toFloat(start)) / toFloat(step)
	} else {
		d := new(big.Int).Sub(big.NewInt(stop.Int), big.NewInt(start.Int))
		q, _ = new(big.Rat).SetFrac(d, big.NewInt(step.Int)).Float64()
	}
	switch {
	case q != q:
		return 0, errorf("ValueError", "arange: cannot compute length")
	case q == 0 && toFloat(stop) != toFloat(start) && !math.Signbit(q): // the step is larger than can be told: start alone
		return 1, nil
	}
	if q = math.Ceil(q); q >= 1<<62 || q < -1<<63 {
		return 0, errorf("ValueError", "Maximum allowed size exceeded")
	}
	return int(max(q, 0)), nil
}

// rangeScalar widens what a range is computed in: halves in float32.
func rangeScalar(s tile.Scalar) tile.Scalar {
	if s.Type == tile.Float16 {
		return tile.FloatScalar(tile.Float32, s.Float())
	}
	return s
}

func difference(first, second tile.Scalar) tile.Scalar {
	a, b := rangeScalar(first), rangeScalar(second)
	if a.Type.Is(tile.KindFloat) {
		return tile.FloatScalar(a.Type, b.Float()-a.Float())
	}
	return tile.UintScalar(a.Type, b.Bits[0]-a.Bits[0])
}

// What is left out of a range's program, which gains a third of its time from each.
const (
	byOne    = 1 + iota // the product with the step
	counting            // that, and the sum with the start, too
)

func buildRange(b *tile.Builder, k programKey) {
	t := k.types[0]
	w := wide(t)
	var start, step tile.Value
	if k.flags != counting {
		start = b.Uniform(w)
	}
	if k.flags == 0 {
		step = b.Uniform(w)
	}
	x := b.Cast(w, b.Index(0))
	if k.flags == 0 {
		x = b.Do(tile.Mul, x, step)
	}
	if k.flags != counting {
		x = b.Do(tile.Add, start, x)
	}
	b.Store(b.Cast(t, x))
}

func linspace(s *scope, v []Value) (Value, error) {
	if err := plain("device=", v[7], "cpu"); err != nil {
		return Value{}, err
	}
	n, err := s.integer(v[2], 50)
	if err != nil {
		return Value{}, err
	}
	if n < 0 {
		return Value{}, errorf("ValueError", "Number of samples, %d, must be non-negative.", n)
	}
	endpoint, err := truth(v[3], true)
	if err != nil {
		return Value{}, err
	}
	retstep, err := truth(v[4], false)
	if err != nil {
		return Value{}, err
	}
	dtype, err := dtypeArg(v[5])
	if err != nil {
		return Value{}, err
	}
	if ax, err := s.integer(v[6], 0); err != nil || ax != 0 && ax != -1 {
		return Value{}, &Fallback{"linspace along another axis"}
	}
	start, err := s.number(v[0])
	if err != nil {
		return Value{}, err
	}
	stop, err := s.number(v[1])
	if err != nil {
		return Value{}, err
	}
	if start.Kind == ComplexValue || stop.Kind == ComplexValue || dtype == tile.Bool || dtype.Is(tile.KindComplex) ||
		v[0].Kind == ArrayValue && !promote(weakFloat, operandType(v[0].Array.view.Type)).Is(tile.KindFloat) {
		return Value{}, &Fallback{"a linspace that is not of floats"}
	}
	t := tile.Float64
	for _, p := range []Value{v[0], v[1]} { // float32 arguments give a result in float32's precision
		if p.Kind == ArrayValue && p.Array.view.Type.Is(tile.KindFloat) && p.Array.view.Type != tile.Float64 {
			return Value{}, &Fallback{"a linspace of small floats"}
		}
	}
	if dtype != tile.Invalid {
		t = dtype
	}
	div := n
	if endpoint {
		div = n - 1
	}
	lo, hi := toFloat(start), toFloat(stop)
	delta := hi - lo
	step := math.NaN()
	options := uint16(0)
	switch {
	case div > 0:
		if step = delta / float64(div); step == 0 {
			options |= linspaceTiny
		}
	case endpoint && n <= 1 && div <= 0:
		// A single point: NumPy multiplies by delta instead of a step.
	}
	if endpoint && n > 1 {
		options |= linspaceEndpoint
	}
	factor := step
	if div <= 0 || options&linspaceTiny != 0 {
		factor = delta
	}
	a, err := s.c.alloc(t, []int{n}, nil)
	if err != nil {
		return Value{}, err
	}
	k := programKey{what: linspaceTemplate, types: [4]tile.DType{t}, flags: options}
	uniforms := []tile.Scalar{
		tile.FloatScalar(tile.Float64, lo), tile.FloatScalar(tile.Float64, factor), tile.FloatScalar(tile.Float64, hi),
		tile.FloatScalar(tile.Float64, float64(div)), tile.FloatScalar(tile.Float64, float64(n-1)),
	}
	if err := s.c.generate("linspace", k, uniforms, a); err != nil {
		a.Free()
		return Value{}, err
	}
	if !retstep {
		return Of(a), nil
	}
	if div <= 0 { // there is no step, for which NumPy has a number of Python's
		return Tuple(Of(a), Float(step)), nil
	}
	size, err := s.c.literal(tile.FloatScalar(tile.Float64, step))
	if err != nil {
		a.Free()
		return Value{}, err
	}
	size.Scalar = true
	return Tuple(Of(a), Of(size)), nil
}

// Flags of linspaceTemplate.
const (
	linspaceEndpoint = 1 << iota // the last element is the end, exactly
	linspaceTiny                 // the step underflowed: divide first, then multiply
)

func buildLinspace(b *tile.Builder, k programKey) {
	start, factor, stop := b.Uniform(tile.Float64), b.Uniform(tile.Float64), b.Uniform(tile.Float64)
	div, last := b.Uniform(tile.Float64), b.Uniform(tile.Float64)
	at := b.Cast(tile.Float64, b.Index(0))
	i := at
	if k.flags&linspaceTiny != 0 {
		i = b.Do(tile.Div, i, div)
	}
	x := b.Do(tile.Add, b.Do(tile.Mul, i, factor), start)
	if k.flags&linspaceEndpoint != 0 {
		x = b.Do(tile.Select, b.Do(tile.Eq, at, last), stop, x)
	}
	if k.types[0].Is(tile.KindInt | tile.KindUint) {
		x = b.Do(tile.Floor, x)
	}
	b.Store(b.Cast(k.types[0], x))
}

func eye(s *scope, v []Value) (Value, error) {
	if err := plain("order=", v[4], "C"); err != nil {
		return Value{}, err
	}
	if err := plain("device=", v[5], "cpu"); err != nil {
		return Value{}, err
	}
	return s.diagonalOnes(v[0], v[1], v[2], v[3], false)
}

func identityMatrix(s *scope, v []Value) (Value, error) {
	return s.diagonalOnes(v[0], Value{}, Value{}, v[1], false)
}

// tri has no rows or columns where N or M is negative.
func tri(s *scope, v []Value) (Value, error) {
	size := [2]Value{v[0], v[1]}
	for i, n := range size {
		if n.Kind == IntValue && n.Int < 0 {
			size[i].Int = 0
		}
	}
	return s.diagonalOnes(size[0], size[1], v[2], v[3], true)
}

// diagonalOnes makes the matrices of ones at (or at and below) a diagonal.
func (s *scope) diagonalOnes(rows, columns, offset, dtype Value, below bool) (Value, error) {
	n, err := s.integer(rows, 0)
	if err != nil {
		return Value{}, err
	}
	m := n
	if columns.given() {
		if m, err = s.integer(columns, 0); err != nil {
			return Value{}, err
		}
	}
	k, err := s.integer(offset, 0)
	if err != nil {
		return Value{}, err
	}
	t, err := dtypeArg(dtype)
	if err != nil {
		return Value{}, err
	}
	if t == tile.Invalid {
		t = tile.Float64
	}
	if !below {
		return s.eye(t, n, m, offset)
	}
	a, err := s.c.alloc(t, []int{n, m}, nil)
	if err != nil {
		return Value{}, err
	}
	key := programKey{what: trapezeTemplate, types: [4]tile.DType{t}}
	if err := s.c.generate("tri", key, []tile.Scalar{tile.IntScalar(tile.Int64, int64(k))}, a); err != nil {
		a.Free()
		return Value{}, err
	}
	return Of(a), nil
}

// eye makes zeros, and then ones along a diagonal: to compare the coordinates of each element takes five times as long.
func (s *scope) eye(t tile.DType, n, m int, offset Value) (Value, error) {
	a, err := s.c.full([]int{n, m}, numberScalar(t, 0, 0), "eye")
	if err != nil || a.Size() == 0 {
		return Of(a), err
	}
	d, err := s.diagonalOf(a, offset, Value{}, Value{})
	if err == nil {
		if d.Size() > 0 {
			err = s.c.fill(d, numberScalar(t, 1, 1), "eye")
		}
		d.Free()
	}
	if err != nil {
		a.Free()
		return Value{}, err
	}
	return Of(a), nil
}

// buildTrapeze is one where column <= row + k, zero elsewhere.
func buildTrapeze(b *tile.Builder, k programKey) {
	on := b.Do(tile.Le, b.Index(1), b.Do(tile.Add, b.Index(0), b.Uniform(tile.Int64)))
	b.Store(b.Cast(k.types[0], on))
}

func tril(s *scope, v []Value) (Value, error) { return s.triangle("tril", tile.Le, v) }
func triu(s *scope, v []Value) (Value, error) { return s.triangle("triu", tile.Ge, v) }

// triangle zeroes what lies on the other side of a diagonal of the last two axes.
func (s *scope) triangle(name string, op tile.Opcode, v []Value) (Value, error) {
	m, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if m.Ndim() < 2 {
		return Value{}, &Fallback{name + " of a vector"}
	}
	k, err := s.integer(v[1], 0)
	if err != nil {
		return Value{}, err
	}
	side := m.view.Shape[m.Ndim()-2:]
	mask := scheduler.View{Shape: side, Strides: scheduler.CStrides(side, 1)} // by which NumPy chooses
	a, err := s.c.allocLike(m.view.Type, m.view.Shape, m.view, mask)
	if err != nil || a.size == 0 {
		return result(a, err)
	}
	key := programKey{what: triangleTemplate, rank: uint8(a.Ndim()), types: [4]tile.DType{m.view.Type}, flags: uint16(op)}
	err = s.c.submit(&scheduler.Op{
		Kind: scheduler.Map, Name: name, Shape: a.view.Shape, Program: s.c.program(key),
		Uses:     []scheduler.Use{{View: m.view}, {View: a.view, Access: scheduler.Write}},
		Uniforms: []tile.Scalar{tile.IntScalar(tile.Int64, int64(k))}, Where: s.c.where,
	})
	if err != nil {
		a.Free()
		return Value{}, err
	}
	return Of(a), nil
}

// buildTriangle keeps the elements for which column op row + k holds.
func buildTriangle(b *tile.Builder, k programKey) {
	x := b.Load(k.types[0])
	last := int(k.rank) - 1
	in := b.Do(tile.Opcode(k.flags), b.Index(last), b.Do(tile.Add, b.Index(last-1), b.Uniform(tile.Int64)))
	b.Store(b.Do(tile.Select, in, x, b.Const(numberScalar(k.types[0], 0, 0))))
}
