package jit

import (
	"weft/tile"
)

// bitFunctions is the table of what counts and turns the bits of integers.
var bitFunctions = map[string]functionRow{
	"cuda.popc": onBits(population), "cuda.clz": onBits(leadingZeros),
	"cuda.ffs":  onBits(func(l *lower, x *instr) *instr { return l.as(tile.Uint32, firstSet(l, x)) }),
	"cuda.brev": onBits(reversed), "np.bitwise_count": {1, 1, false, nil, countOfSize},
}

// countOfSize counts the bits of an integer's size.
func countOfSize(l *lower, n *Node, v []value) value {
	if !v[0].typ.DType.Is(tile.KindInt | tile.KindUint) {
		l.fail(n, typing, "Convert it with int(...).", "bits of %v; want an integer", v[0].typ)
	}
	return of(l.as(tile.Uint8, bitCount(l, v[0]).in))
}

// onBits is a function of an integer's bits, which f gets without a sign; what it gives is of the argument's dtype if
// it is of the same width.
func onBits(f func(l *lower, x *instr) *instr) functionRow {
	return functionRow{1, 1, false, nil, func(l *lower, n *Node, v []value) value {
		t := v[0].typ.DType
		if !t.Is(tile.KindInt | tile.KindUint) {
			l.fail(n, typing, "Convert it with int(...).", "bits of %v; want an integer", v[0].typ)
		}
		made := f(l, l.as(unsignedOf(t), v[0].in))
		if made.typ == unsignedOf(t) {
			made = l.as(t, made)
		}
		return of(made)
	}}
}

// unsignedOf is the integer dtype of the same width without a sign.
func unsignedOf(t tile.DType) tile.DType {
	return map[int]tile.DType{1: tile.Uint8, 2: tile.Uint16, 4: tile.Uint32, 8: tile.Uint64}[t.Size()]
}

// pattern is a literal of a dtype that repeats 64 bits.
func (l *lower) pattern(t tile.DType, v uint64) *instr {
	return l.constant(tile.UintScalar(t, v&(1<<(8*t.Size()-1)<<1-1)))
}

// fields adds up neighbouring fields of a number of bits in pairs; mask names every second one of them.
func (l *lower) fields(x *instr, shift int, mask uint64) (low, high *instr) {
	m := l.pattern(x.typ, mask)
	return l.do(tile.And, x, m), l.do(tile.And, l.do(tile.Shr, x, l.pattern(x.typ, uint64(shift))), m)
}

// halvings are the masks of every second field, by its bits.
var halvings = []struct {
	shift int
	mask  uint64
}{
	{1, 0x5555555555555555}, {2, 0x3333333333333333}, {4, 0x0f0f0f0f0f0f0f0f},
	{8, 0x00ff00ff00ff00ff}, {16, 0x0000ffff0000ffff}, {32, 0x00000000ffffffff},
}

// population counts the bits that are set.
func population(l *lower, x *instr) *instr {
	for _, h := range halvings {
		if h.shift < 8*x.typ.Size() {
			low, high := l.fields(x, h.shift, h.mask)
			x = l.do(tile.Add, low, high)
		}
	}
	return x
}

// reversed has the bits in the opposite order.
func reversed(l *lower, x *instr) *instr {
	for _, h := range halvings {
		if h.shift < 8*x.typ.Size() {
			low, high := l.fields(x, h.shift, h.mask)
			x = l.do(tile.Or, l.do(tile.Shl, low, l.pattern(x.typ, uint64(h.shift))), high)
		}
	}
	return x
}

// leadingZeros counts the bits above the highest that is set.
func leadingZeros(l *lower, x *instr) *instr {
	for shift := 1; shift < 8*x.typ.Size(); shift *= 2 { // set all below the highest
		x = l.do(tile.Or, x, l.do(tile.Shr, x, l.pattern(x.typ, uint64(shift))))
	}
	return population(l, l.do(tile.Not, x))
}

// firstSet is the number of the lowest bit that is set, from 1 on; 0 if none is.
func firstSet(l *lower, x *instr) *instr {
	zero := l.constant(tile.Scalar{Type: x.typ})
	below := l.do(tile.Sub, l.do(tile.And, x, l.do(tile.Neg, x)), l.pattern(x.typ, 1))
	n := l.do(tile.Add, population(l, below), l.pattern(x.typ, 1))
	return l.do(tile.Select, l.do(tile.Eq, x, zero), zero, n)
}

// highWord is the upper half of a product of two integers of 32 bits.
func highWord(l *lower, a []*instr) *instr {
	wide := tile.Int64
	if a[0].typ == tile.Uint32 {
		wide = tile.Uint64
	}
	product := l.do(tile.Mul, l.as(wide, a[0]), l.as(wide, a[1]))
	return l.as(a[0].typ, l.do(tile.Shr, product, l.constant(tile.Convert(wide, tile.IntScalar(tile.Int64, 32)))))
}

// highDouble is the upper half of a product of two integers of 64 bits, of products of their halves.
func highDouble(l *lower, a []*instr) *instr {
	u := func(n uint64) *instr { return l.constant(tile.UintScalar(tile.Uint64, n)) }
	x, y := l.as(tile.Uint64, a[0]), l.as(tile.Uint64, a[1])
	low := func(x *instr) *instr { return l.do(tile.And, x, u(1<<32-1)) }
	high := func(x *instr) *instr { return l.do(tile.Shr, x, u(32)) }
	mul, add := func(x, y *instr) *instr { return l.do(tile.Mul, x, y) }, func(x, y *instr) *instr { return l.do(tile.Add, x, y) }
	middle := add(mul(high(x), low(y)), high(mul(low(x), low(y))))
	other := add(mul(low(x), high(y)), low(middle))
	made := add(add(mul(high(x), high(y)), high(middle)), high(other))
	if a[0].typ == tile.Int64 { // a negative factor has counted as 2**64 more
		for i, f := range []*instr{x, y} {
			negative := l.do(tile.Lt, a[1-i], l.constant(tile.Scalar{Type: tile.Int64}))
			made = l.do(tile.Sub, made, l.do(tile.Select, negative, f, u(0)))
		}
	}
	return l.as(a[0].typ, made)
}

// bitCount is the method of Python's integers: the bits of the magnitude.
func bitCount(l *lower, v value) value {
	x := v.in
	if x.typ.Is(tile.KindInt) {
		x = l.do(tile.Abs, x)
	}
	return of(l.as(tile.Int64, population(l, l.as(unsignedOf(x.typ), x))))
}
