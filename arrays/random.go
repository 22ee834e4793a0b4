package arrays

import (
	"math"
	"math/big"
	"math/bits"

	"weft/scheduler"
	"weft/tile"
)

// randomFuncs are the rows of random numbers. self is the state of a bit generator (generatorArg); the
// caller moves its generator on.
var randomFuncs = []row{
	{"random.Generator.random", "self, size=None, dtype=float", "",
		"Random floats in the half-open interval [0, 1), NumPy's own.\n\n" +
			"Each float64 takes one number of 64 bits from the generator, each float32 half of one, the low half first.", drawing(drawFloat)},
	{"random.Generator.standard_normal", "self, size=None, dtype=float", "",
		"Samples of the normal distribution with mean 0 and deviation 1, for generators without a seed.\n\n" +
			"n samples of float64 take 2*n numbers of 64 bits, of float32 n. NumPy's method, which throws numbers away, draws others.", drawing(drawNormal)},
	{"random.Generator.standard_exponential", "self, size=None, dtype=float", "",
		"Samples of the exponential distribution with mean 1, for generators without a seed.\n\n" +
			"Each takes one number of 64 bits. NumPy's method, which throws numbers away, draws others.", drawing(drawExponential)},
	{"random.Generator.integers", "self, low, high=None, size=None, dtype=int", "",
		"Random integers from low (inclusive) to high (exclusive), NumPy's own where there is a power of two of them.\n\n" +
			"Up to 2**32 integers take half a number of 64 bits each, if their count is a power of two, otherwise a whole one.\n" +
			"Other counts than powers of two are for generators without a seed, and less than 2**32: one of n is then by less than\n" +
			"n/2**64 more likely than another.", integers},
}

// The draws, in the flags of drawTemplate's keys, with the generator's row above them.
const (
	drawFloat uint16 = iota
	drawNormal
	drawExponential
	drawBits   // the highest bits of numbers
	drawHalves // the highest bits of the halves of numbers
	drawRange  // numbers below a bound of 32 bits
	drawKinds

	drawLater  = 1 << 8 // not from place 0 on
	drawPlaces = 1 << 9 // numbers of 64 bits at places that an input holds
)

// drawing is the body of the rows of floats.
func drawing(what uint16) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		t, err := dtypeArg(v[2])
		if err != nil {
			return Value{}, err
		}
		if t == tile.Invalid {
			t = tile.Float64
		}
		if t != tile.Float64 && t != tile.Float32 {
			return Value{}, &Fallback{"random numbers of " + t.String()}
		}
		shape, err := s.drawn(v[1])
		if err != nil {
			return Value{}, err
		}
		return s.draw(what, v[0], t, shape)
	}
}

// drawn reads the size of a draw.
func (s *scope) drawn(size Value) ([]int, error) {
	if !size.given() {
		return nil, &Fallback{"a single random number"}
	}
	return s.dims(size)
}

// integers is the body of random.Generator.integers.
func integers(s *scope, v []Value) (Value, error) {
	t, err := dtypeArg(v[4])
	if err != nil {
		return Value{}, err
	}
	if t == tile.Invalid {
		t = tile.Int64
	}
	if !t.Is(tile.KindInt | tile.KindUint) {
		return Value{}, &Fallback{"random integers of " + t.String()}
	}
	shape, err := s.drawn(v[3])
	if err != nil {
		return Value{}, err
	}
	low, high := v[1], v[2]
	if !high.given() {
		low, high = Int(0), v[1]
	}
	count, err := rangeOf(low, high, t)
	if err != nil {
		return Value{}, err
	}
	offset := tile.UintScalar(tile.Uint64, uint64(low.Int))
	shift := tile.UintScalar(tile.Uint64, uint64(64-bits.TrailingZeros64(count))%64) // count is 2^64 where it is 0
	switch {
	case count == 1:
		return result(s.c.full(shape, tile.UintScalar(t, uint64(low.Int)), "integers"))
	case count&(count-1) != 0 && count>>32 != 0:
		return Value{}, &Fallback{"a range of random integers that is no power of two and above 2**32"}
	case count&(count-1) == 0 && count-1 > math.MaxUint32:
		return s.draw(drawBits, v[0], t, shape, shift, offset)
	case count&(count-1) == 0 && t.Size() >= 4: // of narrower dtypes NumPy cuts a number into more pieces
		return s.draw(drawHalves, v[0], t, shape, shift, offset)
	}
	return s.draw(drawRange, v[0], t, shape, tile.UintScalar(tile.Uint64, count), offset)
}

// rangeOf is how many integers there are from low to below high; 0 means 2^64.
func rangeOf(low, high Value, t tile.DType) (uint64, error) {
	var bounds [2]*big.Int
	for i, v := range [...]Value{low, high} {
		switch v.Kind {
		case IntValue:
			bounds[i] = big.NewInt(v.Int)
		case UintValue:
			bounds[i] = new(big.Int).SetUint64(uint64(v.Int))
		default:
			return 0, &Fallback{"bounds of random integers that are not integers"}
		}
	}
	size := uint(8 * t.Size())
	least, above := new(big.Int), new(big.Int).Lsh(big.NewInt(1), size)
	if t.Is(tile.KindInt) {
		above.Rsh(above, 1)
		least.Neg(above)
	}
	switch {
	case bounds[0].Cmp(least) < 0:
		return 0, errorf("ValueError", "low is out of bounds for %v", t)
	case bounds[1].Cmp(above) > 0:
		return 0, errorf("ValueError", "high is out of bounds for %v", t)
	case bounds[0].Cmp(bounds[1]) >= 0:
		return 0, errorf("ValueError", "low >= high")
	}
	return uint64(high.Int) - uint64(low.Int), nil
}

// draw submits a draw over the elements in C order, as one row: so it is fused with what follows
// whatever the shape.
func (s *scope) draw(what uint16, self Value, t tile.DType, shape []int, more ...tile.Scalar) (Value, error) {
	g, err := generatorArg(self)
	if err != nil {
		return Value{}, err
	}
	var uniforms []tile.Scalar
	for _, word := range g.words {
		uniforms = append(uniforms, tile.UintScalar(tile.Uint64, word))
	}
	first := g.first
	if what != drawHalves && (what != drawFloat || t != tile.Float32) {
		first = first/2 + first%2 // a half that is left over stays so
	}
	flags := what + drawKinds*uint16(g.row)
	if first != 0 {
		flags |= drawLater
		uniforms = append(uniforms, tile.UintScalar(tile.Uint64, first))
	}
	uniforms = append(uniforms, more...)
	a, err := s.c.alloc(t, shape, nil)
	if err != nil || a.size == 0 {
		return result(a, err)
	}
	if what == drawNormal && t == tile.Float64 {
		uniforms = append(uniforms, tile.UintScalar(tile.Uint64, uint64(a.size)))
	}
	row := a.view
	row.Shape, row.Strides = []int{a.size}, []int64{int64(t.Size())}
	err = s.c.rt.Submit(&scheduler.Op{
		Kind: scheduler.Fill, Name: drawNames[what], Shape: row.Shape,
		Program: s.c.program(programKey{what: drawTemplate, rank: 1, types: [4]tile.DType{t}, flags: flags}),
		Uses:    []scheduler.Use{{View: row, Access: scheduler.Write}}, Uniforms: uniforms, Where: s.c.where,
	})
	if err != nil {
		a.Free()
		return Value{}, err
	}
	return Of(a), nil
}

var drawNames = [...]string{
	drawFloat: "random", drawNormal: "standard_normal", drawExponential: "standard_exponential",
	drawBits: "integers", drawHalves: "integers", drawRange: "integers",
}

// drawer builds the program of a draw.
type drawer struct {
	*tile.Builder
	op    tile.Opcode
	at    tile.Value // the element's place
	state [4]tile.Value
}

func buildDraw(b *tile.Builder, k programKey) {
	flags := k.flags &^ (drawLater | drawPlaces)
	d := drawer{Builder: b, op: generators[flags/drawKinds].op}
	what := flags % drawKinds
	for i := range d.state {
		d.state[i] = b.Uniform(tile.Uint64)
	}
	if k.flags&drawPlaces != 0 {
		b.Store(d.word(b.Load(tile.Uint64)))
		return
	}
	d.at = b.Cast(tile.Uint64, b.Index(0))
	if k.flags&drawLater != 0 {
		d.at = b.Do(tile.Add, d.at, b.Uniform(tile.Uint64))
	}
	t := k.types[0]
	var v tile.Value
	switch what {
	case drawFloat:
		v = d.float(t)
	case drawNormal:
		v = d.normal(t)
	case drawExponential:
		// The logarithm of a float in (0, 1]: 0 - log, because -log(1) would be a negative zero.
		v = b.Do(tile.Sub, d.number(t, 0), b.Do(tile.Log, d.positive(t, d.word(d.at))))
	case drawBits, drawHalves, drawRange:
		bound := b.Uniform(tile.Uint64)
		low := b.Uniform(tile.Uint64)
		v = b.Cast(t, b.Do(tile.Add, d.whole(what, bound), low))
	}
	b.Store(v)
}

// word is number n of the generator.
func (d *drawer) word(n tile.Value) tile.Value {
	return d.Do(d.op, n, d.state[0], d.state[1], d.state[2], d.state[3])
}

// half is the 32 bits that NumPy draws for the element: numbers give their low halves first.
// They are moved to the top; what is below them is not for use.
func (d *drawer) half() tile.Value {
	pair := d.word(d.Do(tile.Shr, d.at, d.bits(1)))
	low := d.Do(tile.Eq, d.Do(tile.And, d.at, d.bits(1)), d.bits(0))
	return d.Do(tile.Select, low, d.Do(tile.Shl, pair, d.bits(32)), pair)
}

func (d *drawer) bits(v uint64) tile.Value                  { return d.Const(tile.UintScalar(tile.Uint64, v)) }
func (d *drawer) number(t tile.DType, v float64) tile.Value { return d.Const(tile.FloatScalar(t, v)) }
func (d *drawer) top(v tile.Value, count uint64) tile.Value {
	return d.Do(tile.Shr, v, d.bits(64-count))
}
func (d *drawer) asFloat(t tile.DType, v tile.Value) tile.Value {
	// Devices convert signed integers faster; these have the highest bit clear.
	return d.Cast(t, d.Cast(tile.Int64, v))
}

// float is NumPy's float in [0, 1): as many bits as the dtype has digits.
func (d *drawer) float(t tile.DType) tile.Value {
	if t == tile.Float32 {
		return d.Do(tile.Mul, d.asFloat(t, d.top(d.half(), 24)), d.number(t, 0x1p-24))
	}
	return d.Do(tile.Mul, d.asFloat(t, d.top(d.word(d.at), 53)), d.number(t, 0x1p-53))
}

// positive makes a float in (0, 1] of the top bits of a number.
func (d *drawer) positive(t tile.DType, word tile.Value) tile.Value {
	digits := uint64(53)
	if t == tile.Float32 {
		digits = 40 // more than the dtype has: they count near 0
	}
	counted := d.Do(tile.Add, d.top(word, digits), d.bits(1))
	return d.Do(tile.Mul, d.asFloat(t, counted), d.number(t, math.Ldexp(1, -int(digits))))
}

// normal is Box and Muller's: a radius from one float in (0, 1], times the cosine of an angle from
// another. float32 makes do with one number for both; float64 takes the second from where the first
// ones of all elements end.
func (d *drawer) normal(t tile.DType) tile.Value {
	first := d.word(d.at)
	var turn tile.Value // in [0, 1)
	if t == tile.Float32 {
		turn = d.Do(tile.Mul, d.asFloat(t, d.Do(tile.And, first, d.bits(1<<24-1))), d.number(t, 0x1p-24))
	} else {
		second := d.word(d.Do(tile.Add, d.at, d.Uniform(tile.Uint64)))
		turn = d.Do(tile.Mul, d.asFloat(t, d.top(second, 53)), d.number(t, 0x1p-53))
	}
	radius := d.Do(tile.Sqrt, d.Do(tile.Mul, d.Do(tile.Log, d.positive(t, first)), d.number(t, -2)))
	return d.Do(tile.Mul, radius, d.Do(tile.Cos, d.Do(tile.Mul, turn, d.number(t, 2*math.Pi))))
}

// whole is a random integer from 0 on.
func (d *drawer) whole(what uint16, bound tile.Value) tile.Value {
	switch what {
	case drawBits:
		return d.Do(tile.Shr, d.word(d.at), bound)
	case drawHalves:
		return d.Do(tile.Shr, d.half(), bound)
	}
	// The high half of the product of 64 and 32 bits.
	word := d.word(d.at)
	high := d.Do(tile.Mul, d.Do(tile.Shr, word, d.bits(32)), bound)
	low := d.Do(tile.Shr, d.Do(tile.Mul, d.Do(tile.And, word, d.bits(math.MaxUint32)), bound), d.bits(32))
	return d.Do(tile.Shr, d.Do(tile.Add, high, low), d.bits(32))
}
