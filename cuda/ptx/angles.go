package ptx

import (
	"fmt"
	"math"
	"strings"
)

// Sine, cosine, and the remainder; see exponents.go.

// twoOverPi holds the bits of 2/pi after a word of zeros before the point, for arguments that
// are too large to take multiples of pi/2 from.
var twoOverPi = func() string {
	words := []uint64{
		0,
		0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
		0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
		0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
		0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
		0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
	}
	var text []string
	for _, w := range words {
		text = append(text, fmt.Sprintf("0x%016X", w))
	}
	return fmt.Sprintf(".const .align 8 .b64 weft_two_over_pi[%d] = {\n\t%s\n};\n", len(words), strings.Join(text, ",\n\t"))
}()

// pi/2 as a sum of three parts, as in tile/trig.go.
const (
	halfPi1 = 0x1.921fb54442d18p+0
	halfPi2 = 0x1.1a62633145c07p-54
	halfPi3 = -0x1.f1976b7ed8fbcp-110
)

func sinDouble(f fp, x string) string {
	q, r, tail := reduceAngle(f, x)
	y := quadrant(f, q, r, tail)
	y = f.sel(f.cmp("eq", x, f.num(0)), x, y) // keeps -0
	return f.sel(f.isFinite(x), y, f.sub(x, x))
}

func cosDouble(f fp, x string) string {
	q, r, tail := reduceAngle(f, x)
	q = f.word("add.s32", q, "1") // cos(x) = sin(x + pi/2)
	return f.sel(f.isFinite(x), quadrant(f, q, r, tail), f.sub(x, x))
}

// quadrant is the sine of an angle in a quadrant: it chooses between sine and cosine by the
// quadrant's low bit, and the sign by the next.
func quadrant(f fp, q, r, tail string) string {
	sin := f.sub(r, sinDrop(f, r, tail))
	c := cosPair(f, r, tail)
	cos := f.add(c.hi, c.lo)
	odd := f.pred("setp.ne.b32", f.word("and.b32", q, "1"), "0")
	flip := f.pred("setp.ne.b32", f.word("and.b32", q, "2"), "0")
	y := f.sel(odd, cos, sin)
	return f.sel(flip, f.neg(y), y)
}

// reduceAngle returns the quadrant (its two low bits count) and the angle r+tail within it, of
// size at most pi/4: x = q*pi/2 + r + tail.
func reduceAngle(f fp, x string) (q, r, tail string) {
	large, done := f.label("large"), f.label("reduced")
	f.when(f.cmp("ge", f.abs(x), f.num(1<<20)), "bra", large)
	k := f.round("rni", f.mul(x, f.num(2/math.Pi)))
	r0 := f.fma(f.neg(k), f.num(halfPi1), x) // exact: the digits cancel
	p := f.mul(k, f.num(halfPi2))
	pLo := f.fma(k, f.num(halfPi3), f.fma(k, f.num(halfPi2), f.neg(p)))
	r = f.sub(r0, p)
	back := f.sub(r, r0)
	tail = f.sub(f.sub(f.sub(r0, f.sub(r, back)), f.add(p, back)), pLo)
	q = f.word("cvt.rni.s32.f64", k)
	f.do("bra", done)

	f.place(large)
	q2, r2, tail2 := reduceLarge(f, x)
	f.do("mov.b32", q, q2)
	f.do("mov.f64", r, r2)
	f.do("mov.f64", tail, tail2)
	f.place(done)
	return q, r, tail
}

// reduceLarge multiplies by 2/pi in integers (Payne and Hanek, 1983); see tile/trig.go, whose
// steps these are.
func reduceLarge(f fp, x string) (q, r, tail string) {
	bits := f.long("mov.b64", x)
	m := f.long("or.b64", f.long("and.b64", bits, hex(1<<52-1)), hex(1<<52))
	e := f.long("and.b64", f.long("shr.u64", bits, "52"), hex(2047))
	at := f.word("cvt.u32.u64", f.long("add.s64", e, dec(64-2-1075))) // bits to skip
	shift := f.word("and.b32", at, "63")
	back := f.word("sub.u32", "64", shift)
	base := f.long("mov.u64", "weft_two_over_pi")
	first := f.long("mad.wide.u32", f.word("shr.u32", at, "6"), "8", base)
	var table, w, p [5]string
	for i := range table {
		table[i] = f.long("ld.const.u64", "["+first+"+"+dec(8*i)+"]")
	}
	for i := range 4 { // counts of 64 are clamped and give 0
		w[i] = f.long("or.b64", f.long("shl.b64", table[i], shift), f.long("shr.u64", table[i+1], back))
	}
	// p = m*w modulo 2^256, most significant word first.
	carry := "0"
	for i := 3; i >= 0; i-- {
		lo, hi := f.long("mul.lo.u64", w[i], m), f.long("mul.hi.u64", w[i], m)
		p[i] = f.long("add.u64", lo, carry)
		over := f.pred("setp.lt.u64", p[i], lo)
		carry = f.long("add.u64", hi, f.long("selp.b64", "1", "0", over))
	}
	// Two bits of quadrant, then the fraction of a quadrant.
	q = f.word("cvt.u32.u64", f.long("shr.u64", p[0], "62"))
	left := func(i int, n, back string) string {
		return f.long("or.b64", f.long("shl.b64", p[i], n), f.long("shr.u64", p[i+1], back))
	}
	for i := range 3 {
		p[i] = left(i, "2", "62")
	}
	p[3] = f.long("shl.b64", p[3], "2")
	// Nearer to the next quadrant: count from there.
	over := f.pred("setp.lt.s64", p[0], "0")
	q = f.word("add.u32", q, f.word("selp.b32", "1", "0", over))
	mask := f.long("selp.b64", "-1", "0", over)
	carry = f.long("selp.b64", "1", "0", over)
	for i := 3; i >= 0; i-- {
		flipped := f.long("xor.b64", p[i], mask)
		p[i] = f.long("add.u64", flipped, carry)
		carry = f.long("selp.b64", "1", "0", f.pred("setp.lt.u64", p[i], flipped))
	}
	zeros := f.word("clz.b64", p[0])
	rest := f.word("sub.u32", "64", zeros)
	p0, p1 := left(0, zeros, rest), left(1, zeros, rest)
	// hi = p0's upper 53 bits * 2^(-53-zeros), lo what follows.
	power := func(bias int) string {
		return f.dbl("mov.b64", f.long("shl.b64", f.long("sub.s64", dec(1023+bias), f.long("cvt.u64.u32", zeros)), "52"))
	}
	hi := f.mul(f.dbl("cvt.rn.f64.u64", f.long("shr.u64", p0, "11")), power(-53))
	after := f.long("or.b64", f.long("shl.b64", p0, "53"), f.long("shr.u64", p1, "11"))
	lo := f.mul(f.dbl("cvt.rn.f64.u64", after), power(-117))
	r = f.mul(hi, f.num(halfPi1))
	tail = f.fma(lo, f.num(halfPi1), f.fma(hi, f.num(halfPi2), f.fma(hi, f.num(halfPi1), f.neg(r))))
	negative := f.cmp("lt", x, f.num(0))
	flip := f.xor(over, negative)
	r, tail = f.sel(flip, f.neg(r), r), f.sel(flip, f.neg(tail), tail)
	return f.word("selp.b32", f.word("neg.s32", q), q, negative), r, tail
}

// sin(r + tail) = r - drop.
func sinDrop(f fp, r, tail string) string {
	z := f.mul(r, r)
	v := f.neg(f.mul(z, r))
	p := f.fma(z, f.num(0x1.5d93a5acfd57cp-33), f.num(-0x1.ae5e68a2b9cebp-26))
	p = f.fma(z, f.fma(z, f.fma(z, p, f.num(0x1.71de357b1fe7dp-19)), f.num(-0x1.a01a019c161d5p-13)), f.num(0x1.111111110f8a6p-7))
	t := f.fma(v, p, f.mul(f.num(0.5), tail))
	return f.fma(v, f.num(-0x1.5555555555549p-3), f.fma(z, t, f.neg(tail)))
}

// cos(r + tail) = hi + lo.
func cosPair(f fp, r, tail string) pair {
	z := f.mul(r, r)
	p := f.fma(z, f.num(-0x1.8fae9be8838d4p-37), f.num(0x1.1ee9ebdb4b1c4p-29))
	p = f.fma(z, f.fma(z, f.fma(z, f.fma(z, p, f.num(-0x1.27e4f809c52adp-22)), f.num(0x1.a01a019cb159p-16)), f.num(-0x1.6c16c16c15177p-10)), f.num(0x1.555555555554cp-5))
	half := f.mul(f.num(0.5), z)
	var y pair
	y.hi = f.sub(f.num(1.0), half)
	y.lo = f.add(f.sub(f.sub(f.num(1.0), y.hi), half), f.fma(z, f.mul(z, p), f.neg(f.mul(r, tail))))
	return y
}

// modDouble is C's fmod: a long division of the fractions in integers, eleven bits at a time.
func modDouble(f fp, x, y string) string {
	result := f.mov(f.sub(x, x)) // 0, or NaN where x is infinite
	done, divide, loop, out := f.label("mod"), f.label("divide"), f.label("loop"), f.label("out")
	ax, ay := f.abs(x), f.abs(y)
	f.do("@"+f.cmp("eq", y, f.num(0))+" mov.f64", result, f.num(math.NaN()))
	f.do("@"+f.isNaN(y)+" mov.f64", result, y)
	ok := f.and(f.isFinite(x), f.cmp("gt", ay, f.num(0)))
	f.when(f.not(ok), "bra", done)
	f.do("mov.f64", result, x)
	f.when(f.cmp("ge", ax, ay), "bra", divide)
	f.do("bra", done)

	f.place(divide)
	split := func(v string) (m, e string) { // v = m * 2^(e-1075)
		bits := f.long("mov.b64", v)
		e = f.long("shr.u64", bits, "52")
		m = f.long("and.b64", bits, hex(1<<52-1))
		normal := f.pred("setp.ne.u64", e, "0")
		m = f.long("selp.b64", f.long("or.b64", m, hex(1<<52)), m, normal)
		return m, f.long("selp.b64", e, "1", normal)
	}
	m, e := split(ax)
	d, eY := split(ay)
	rem := f.long("rem.u64", m, d)
	left := f.long("sub.s64", e, eY)
	f.place(loop)
	f.when(f.pred("setp.le.s64", left, "0"), "bra", out)
	step := f.long("min.s64", left, "11")
	shifted := f.long("shl.b64", rem, f.word("cvt.u32.u64", step))
	f.do("rem.u64", rem, shifted, d)
	f.do("sub.s64", left, left, step)
	f.do("bra", loop)

	// As bits of a float64, an integer below 2^53 is itself times 2^-1074, exactly.
	f.place(out)
	k := f.long("sub.s64", eY, "1")
	k1 := f.long("shr.u64", k, "1")
	power := func(k string) string {
		return f.dbl("mov.b64", f.long("shl.b64", f.long("add.s64", k, "1023"), "52"))
	}
	size := f.mul(f.mul(f.dbl("mov.b64", rem), power(k1)), power(f.long("sub.s64", k, k1)))
	f.do("mov.f64", result, f.toSign(x, size))
	f.place(done)
	return result
}
