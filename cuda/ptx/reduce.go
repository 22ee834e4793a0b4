package ptx

import "weft/tile"

// accumulator is a Reduce instruction with the register that it combines into.
type accumulator struct {
	in  *tile.Instr
	acc value
}

// reduce writes the kernel of a Reduce: a loop over blocks, of which a warp (inner form) or a
// thread (outer form) makes one result each.
func (e *emitter) reduce() error {
	n := e.counts()
	blocks := n.from(0)
	var shape, block, grid, origin []string
	for a := range e.v.Axes {
		shape = append(shape, n.from(e.layout.shape(a)))
		block = append(block, n.from(e.layout.block(a)))
		grid = append(grid, n.from(e.layout.grid(a)))
		if e.layout.indexes {
			origin = append(origin, e.param(e.layout.origin(a)))
		}
	}
	addresses, strides := e.bases()
	first, step := n.threadNumber()
	lane, lanes := "0", "1"
	if e.v.Inner {
		lane, lanes = n.op("rem", first, dec(tile.Lanes)), dec(tile.Lanes)
		first, step = n.op("div", first, dec(tile.Lanes)), n.op("div", step, dec(tile.Lanes))
	}
	b := n.op("mov", first)
	accs := e.accumulators()
	e.prepareFlow()
	e.uniforms()
	if e.v.Ahead > 0 {
		e.constants()
	}
	loop, done := e.label("blocks"), e.label("done")
	e.place(loop)
	e.when(n.cmp("ge", b, blocks), "bra", done)

	// Where the block is: its results, its first element, its extents along reduced axes.
	place := n.split(b, grid)
	coords, results := make([]string, e.v.Axes), make([]string, e.v.Axes)
	var axes []int
	var extents []string
	for a := range e.v.Axes {
		results[a] = n.asLong(place[a])
		coords[a] = results[a]
		if e.v.Reduced.Has(a) {
			start := n.op("mul.lo", place[a], block[a])
			axes = append(axes, a)
			extents = append(extents, n.op("min", block[a], n.op("sub", shape[a], start)))
			coords[a] = n.asLong(start)
		}
	}
	total := n.op("mov", "1")
	for _, x := range extents {
		total = n.op("mul.lo", total, x)
	}
	bases := make([]string, len(e.p.Params))
	for p, param := range e.p.Params {
		switch {
		case param.Axes > 0: // see gather
		case param.Dir == tile.In:
			bases[p] = e.offset(addresses[p], coords, strides[p])
		default:
			bases[p] = e.offset(addresses[p], results, strides[p])
		}
	}

	// The elements of this lane.
	k := n.op("mov", lane)
	fresh := e.pred("setp.eq.u32", "0", "0") // the first element starts the accumulator
	elements, folded := e.label("elements"), e.label("fold")
	if e.v.Ahead > 0 {
		if err := e.several(n, k, total, fresh, bases, strides, axes[0], accs); err != nil {
			return err
		}
	}
	e.place(elements)
	e.when(n.cmp("ge", k, total), "bra", folded)
	if err := e.element(n, k, axes, extents, bases, coords, origin, strides); err != nil {
		return err
	}
	if err := e.combine(fresh, accs); err != nil {
		return err
	}
	n.do("add."+n.typ, k, k, lanes)
	e.do("bra", elements)
	e.place(folded)
	if e.v.Inner {
		if err := e.fold(n, lane, total, accs); err != nil {
			return err
		}
	}
	for _, a := range accs {
		if neutral, tells := a.in.Comb.Neutral(a.acc.t); tells {
			settled, err := e.apply(a.in.Comb.Step(), a.acc.t, []value{a.acc, e.literal(neutral)})
			if err != nil {
				return err
			}
			e.assign(a.acc, settled)
		}
	}
	skip := e.label("stored")
	if e.v.Inner {
		e.when(n.cmp("ne", lane, "0"), "bra", skip)
	}
	for _, a := range accs {
		e.code.store("global", bases[a.in.N], a.acc)
	}
	e.place(skip)
	n.do("add."+n.typ, b, b, step)
	e.do("bra", loop)
	e.place(done)
	e.do("ret")
	return nil
}

// combine takes the program's values into the accumulators; the first of all, where fresh says so, replaces them.
func (e *emitter) combine(fresh string, accs []accumulator) error {
	for _, a := range accs {
		x := e.values[a.in.Args[0]]
		stepped, err := e.apply(a.in.Comb.Step(), x.t, []value{a.acc, x})
		if err != nil {
			return err
		}
		if fresh != "" {
			stepped = e.choose(fresh, x, stepped)
		}
		e.assign(a.acc, stepped)
	}
	if fresh != "" {
		e.do("setp.ne.u32", fresh, "0", "0")
	}
	return nil
}

// several emits a loop over Variant.Ahead elements at once, in the outer form, as long as there are so many: their
// loads are all under way before the first is combined, and they are combined in their order. One axis is reduced.
func (e *emitter) several(n count, k, total, fresh string, bases []string, strides [][]string, axis int, accs []accumulator) error {
	ahead := int(e.v.Ahead)
	again, few := e.label("several"), e.label("few")
	e.place(again)
	e.when(n.cmp("ge", n.op("add", k, dec(ahead-1)), total), "bra", few)
	at, loaded := make([]string, len(e.p.Params)), make([][]value, ahead)
	for j := range ahead {
		loaded[j] = make([]value, len(e.p.Params))
		for p, param := range e.p.Params {
			if param.Dir != tile.In {
				continue
			}
			offset := 0
			switch {
			case j == 0:
				at[p] = e.long("mad.lo.s64", n.asLong(k), strides[p][axis], bases[p])
			case e.v.Dense.Has(p):
				offset = j * param.Type.Size()
			default:
				at[p] = e.long("add.s64", at[p], strides[p][axis])
			}
			loaded[j][p] = e.load(param.Type, "global", at[p], offset)
		}
	}
	for j := range ahead {
		if err := e.lane(loaded[j], nil, nil); err != nil {
			return err
		}
		first := ""
		if j == 0 {
			first = fresh
		}
		if err := e.combine(first, accs); err != nil {
			return err
		}
	}
	e.elements, e.quiet = nil, false
	n.do("add."+n.typ, k, k, dec(ahead))
	e.do("bra", again)
	e.place(few)
	return nil
}

// accumulators makes the registers that the Reduce instructions combine into.
func (e *emitter) accumulators() []accumulator {
	var accs []accumulator
	for v := range e.p.Code {
		in := &e.p.Code[v]
		if in.Op != tile.Reduce {
			continue
		}
		e.comment(e.p.InstrString(tile.Value(v)))
		e.values[v] = e.literal(tile.Scalar{Type: in.Type})
		accs = append(accs, accumulator{in, e.values[v]})
	}
	return accs
}

// element emits the program at element k of the block, counted in C order of the reduced axes.
func (e *emitter) element(n count, k string, axes []int, extents, bases, coords, origin []string, strides [][]string) error {
	within := make([]string, e.v.Axes) // "" along kept axes
	for i, x := range n.split(k, extents) {
		within[axes[i]] = n.asLong(x)
	}
	e.at = make([]string, len(e.p.Params))
	for p, param := range e.p.Params {
		if param.Dir == tile.In && param.Axes == 0 {
			e.at[p] = e.offset(bases[p], within, strides[p])
		}
	}
	e.coords = append([]string(nil), coords...)
	if e.layout.indexes {
		for _, a := range axes {
			e.coords[a] = e.long("add.s64", e.coords[a], within[a])
		}
	}
	e.coordsFrom(origin)
	return e.instructions()
}

// assign overwrites the registers of an accumulator.
func (e *emitter) assign(to, from value) {
	for i := range to.parts() {
		e.do("mov."+bitsOf(scalars[to.t].class), to.r[i], from.r[i])
	}
}

// fold combines the lanes of a warp in the canonical order: lane l takes lane l+s for s = 16,
// 8, 4, 2, 1, where lane l+s has seen an element.
func (e *emitter) fold(n count, lane, total string, accs []accumulator) error {
	seen := n.op("min", total, dec(tile.Lanes))
	for s := tile.Lanes / 2; s > 0; s /= 2 {
		takes := e.and(n.cmp("lt", lane, dec(s)), n.cmp("lt", n.op("add", lane, dec(s)), seen))
		for _, a := range accs {
			other := a.acc.mapped(func(r string) string { return e.shuffle(a.acc.t, r, s) })
			stepped, err := e.apply(a.in.Comb.Step(), a.acc.t, []value{a.acc, other})
			if err != nil {
				return err
			}
			e.assign(a.acc, e.choose(takes, stepped, a.acc))
		}
	}
	return nil
}

// shuffle returns lane+by's register, in words: the hardware moves 32 bits at a time.
func (e *emitter) shuffle(t tile.DType, r string, by int) string {
	move := func(w string) string { return e.word("shfl.sync.down.b32", w, dec(by), "31", "-1") }
	switch scalars[t].class {
	case pred:
		return e.pred("setp.ne.u32", move(e.word("selp.u32", "1", "0", r)), "0")
	case float:
		return e.float("mov.b32", move(e.word("mov.b32", r)))
	case long, dbl:
		lo, hi := e.reg(word), e.reg(word)
		e.do("mov.b64", "{"+lo+", "+hi+"}", r)
		return e.to(scalars[t].class, "mov.b64", "{"+move(lo)+", "+move(hi)+"}")
	}
	return move(r)
}
