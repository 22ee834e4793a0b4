package ptx

// Powers by multiples of 1/2 up to 15, as products, roots and quotients; cpu/vm/powers64.h has the same operations and
// explains them.

// exponentParts are what there is to know of an exponent: its size, the whole number below, and whether a half is left.
type exponentParts struct{ size, whole, half string }

// partsOf takes an exponent apart. magic is 2^52 or 2^23.
func partsOf(f fp, y string, magic float64) exponentParts {
	size := f.abs(y)
	n := f.sub(f.add(size, f.num(magic)), f.num(magic))
	whole := f.sel(f.cmp("gt", n, size), f.sub(n, f.num(1.0)), n)
	return exponentParts{size, whole, f.sub(size, whole)}
}

// short tells whether a power is one of them, for numbers from 1/most to most.
func (e exponentParts) short(f fp, x, least, most string) string {
	ax := f.abs(x)
	inside := f.and(f.cmp("lt", e.size, f.num(15.5)), f.and(f.cmp("ge", ax, least), f.cmp("le", ax, most)))
	rooted := f.and(f.cmp("eq", e.half, f.num(0.5)), f.cmp("gt", x, f.num(0.0)))
	return f.and(inside, f.pred("or.pred", f.cmp("eq", e.half, f.num(0.0)), rooted))
}

// timesPair is the product of two numbers of two parts each.
func timesPair(f fp, a, b pair) pair {
	p := f.mul(a.hi, b.hi)
	e := f.add(f.fma(a.hi, b.hi, f.neg(p)), f.fma(a.hi, b.lo, f.mul(a.lo, b.hi)))
	hi := f.add(p, e)
	return pair{hi, f.sub(e, f.sub(hi, p))}
}

// shortPowerDouble replaces a power that goes through logarithms where the exponent is a short one.
func shortPowerDouble(f fp, x, y, through string) string {
	e := partsOf(f, y, 0x1p52)
	few, some := f.cmp("le", e.size, f.num(4.0)), f.cmp("le", e.size, f.num(8.0))
	most := f.sel(few, f.num(0x1p120), f.sel(some, f.num(0x1p60), f.num(0x1p32)))
	least := f.sel(few, f.num(0x1p-120), f.sel(some, f.num(0x1p-60), f.num(0x1p-32)))
	whole := f.cmp("eq", e.whole, e.size)
	root := f.sqrt(f.abs(x))
	rest := f.div(f.mul(f.fma(f.neg(root), root, f.abs(x)), f.num(0.5)), root)
	made := pair{f.sel(whole, f.num(1.0), root), f.sel(whole, f.num(0.0), rest)}
	base := pair{x, f.num(0.0)}
	bits := f.long("mov.b64", f.add(e.whole, f.num(0x1p52)))
	for k := range 4 {
		more := timesPair(f, made, base)
		has := f.pred("setp.ne.s64", f.long("and.b64", bits, hex(1<<k)), "0")
		made = pair{f.sel(has, more.hi, made.hi), f.sel(has, more.lo, made.lo)}
		base = timesPair(f, base, base)
	}
	q := f.div(f.num(1.0), made.hi)
	inverse := f.fma(q, f.fma(f.neg(q), made.lo, f.fma(f.neg(q), made.hi, f.num(1.0))), q)
	short := f.sel(f.cmp("lt", y, f.num(0.0)), inverse, made.hi)
	return f.sel(e.short(f, x, least, most), short, through)
}

// shortPowerSingle does the same for float32, in float64, whose digits are enough without a second part.
func shortPowerSingle(f fp, x, y, through string) string {
	d := f.double()
	e := partsOf(f, y, 0x1p23)
	size, whole, base := f.widened(e.size), f.widened(e.whole), f.widened(x)
	made := d.sel(d.cmp("eq", whole, size), d.num(1.0), d.sqrt(d.abs(base)))
	bits := f.long("mov.b64", d.add(whole, d.num(0x1p52)))
	for k := range 4 {
		has := f.pred("setp.ne.s64", f.long("and.b64", bits, hex(1<<k)), "0")
		made = d.sel(has, d.mul(made, base), made)
		base = d.mul(base, base)
	}
	short := f.narrowed(d.sel(f.cmp("lt", y, f.num(0.0)), d.div(d.num(1.0), made), made))
	return f.sel(e.short(f, x, f.num(0x1p-60), f.num(0x1p60)), short, through)
}
