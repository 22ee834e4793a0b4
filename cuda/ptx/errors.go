package ptx

// The error functions; see exponents.go.

// erf(x) for |x| <= 1.
func erfNear(f fp, x string) string {
	z := f.mul(x, x)
	w := f.mul(z, z)
	even := f.fma(w, f.num(0x1.05ffd737fb32ep-34), f.num(0x1.f7b4bf3b13964p-27))
	even = f.fma(w, f.fma(w, even, f.num(0x1.b9df224ca4b97p-20)), f.num(0x1.f9a321d5b8e1ep-14))
	even = f.fma(w, f.fma(w, even, f.num(0x1.565bcd0dbaa38p-8)), f.num(0x1.ce2f21a042b30p-4))
	odd := f.fma(w, f.num(-0x1.389d4f2641625p-30), f.num(-0x1.5f1ecb6f0764cp-23))
	odd = f.fma(w, f.fma(w, odd, f.num(-0x1.f4d1e3183f7aep-17)), f.num(-0x1.c02db3dac435fp-11))
	odd = f.fma(w, f.fma(w, odd, f.num(-0x1.b82ce31284e00p-6)), f.num(-0x1.812746b0379e6p-2))
	rest := f.fma(z, f.fma(z, even, odd), f.num(0x1.187bfcbbd6b70p-56))
	return f.fma(x, f.num(0x1.20dd750429b6dp+0), f.mul(x, rest))
}

// erfc(x) for 0.45 <= x <= 27.3: exp(-x^2)/(1+2x) times a polynomial in (x-4)/(x+4). The square
// and the quotient are taken in two parts, and the power of two comes last, so that small results round once.
func erfcFar(f fp, x string) string {
	q := f.div(f.sub(x, f.num(4.0)), f.add(x, f.num(4.0)))
	w := f.mul(q, q)
	w2 := f.mul(w, w)
	even := f.fma(w, f.num(-0x1.aa6df8e25d08dp-27), f.num(0x1.22050eb88c7abp-24))
	even = f.fma(w, f.fma(w, even, f.num(0x1.410932e1a0651p-22)), f.num(-0x1.78a0a42c0fefep-17))
	even = f.fma(w, f.fma(w, even, f.num(0x1.3be0c37d1c6f6p-13)), f.num(-0x1.8d4aa05a7429ep-11))
	even = f.fma(w, f.fma(w, even, f.num(-0x1.0962387ee6f46p-6)), f.num(-0x1.0fb06dfe64cb4p-4))
	even = f.fma(w, even, f.num(-0x1.9ddb23c3e811bp-4))
	odd := f.fma(w, f.num(-0x1.75345d246a2d7p-27), f.num(0x1.caa45b8e38a8dp-24))
	odd = f.fma(w, f.fma(w, odd, f.num(-0x1.ba56f5fd8564ap-21)), f.num(0x1.7f29e4e781dcdp-18))
	odd = f.fma(w, f.fma(w, odd, f.num(-0x1.995a8ca92fcecp-16)), f.num(-0x1.a1df137ccb1bfp-13))
	odd = f.fma(w, f.fma(w, odd, f.num(0x1.49c672670bc75p-8)), f.num(0x1.3079edf6f927ap-5))
	odd = f.fma(w, odd, f.num(0x1.7fee004e0ea22p-4))
	c2 := f.fma(q, f.num(0x1.16ecefcfa553bp-4), f.num(0x1.f7f5df66fd5fap-7))
	rest := f.fma(q, f.num(-0x1.1df1ad154a290p-3), f.fma(w2, f.fma(q, odd, even), f.mul(w, c2)))
	p := f.add(f.num(0x1.3ba5916e9fd7fp+0), rest)
	pLo := f.sub(rest, f.sub(p, f.num(0x1.3ba5916e9fd7fp+0)))
	divisor := f.add(f.add(x, x), f.num(1.0))
	dLo := f.sub(f.num(1.0), f.sub(divisor, f.add(x, x)))
	inverse := f.div(f.num(1.0), divisor)
	fraction := f.mul(p, inverse)
	fLo := f.mul(f.fma(f.neg(fraction), dLo, f.add(f.fma(f.neg(fraction), divisor, p), pLo)), inverse)
	a := f.mul(x, x)
	aLo := f.fma(x, x, f.neg(a))
	t := f.fma(f.neg(a), f.num(1.4426950408889634), f.num(magicDouble))
	n := f.sub(t, f.num(magicDouble))
	r0 := f.fma(f.neg(n), f.num(ln2Hi), f.neg(a))
	r := f.fma(f.neg(n), f.num(ln2Lo), r0)
	rLo := f.sub(f.fma(f.neg(n), f.num(ln2Lo), f.sub(r0, r)), aLo)
	e := f.fma(f.mul(r, r), expTail(f, r), r)
	e = f.add(e, f.fma(rLo, e, rLo))
	return scaleBy(f, f.add(fraction, f.fma(fraction, e, f.fma(fLo, e, fLo))), f.long("sub.s64", f.long("mov.b64", t), hex(0x4338000000000000)))
}

func erfDouble(f fp, x string) string {
	size := f.abs(x)
	capped := f.sel(f.cmp("gt", size, f.num(7.0)), f.num(7.0), size)
	far := f.sub(f.num(1.0), erfcFar(f, capped))
	return f.toSign(x, f.sel(f.cmp("lt", size, f.num(1.0)), erfNear(f, size), far))
}

func erfcDouble(f fp, x string) string {
	size := f.abs(x)
	capped := f.sel(f.cmp("gt", size, f.num(27.3)), f.num(27.3), size)
	far := erfcFar(f, capped)
	y := f.sel(f.cmp("gt", x, f.num(0.0)), far, f.sub(f.num(2.0), far))
	return f.sel(f.cmp("lt", size, f.num(0.5)), f.sub(f.num(1.0), erfNear(f, x)), y)
}
