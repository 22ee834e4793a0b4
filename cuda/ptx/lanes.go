package ptx

import "weft/tile"

// lanes writes the kernel of a Reduce along one axis, in the inner form of the canonical order. Variant.Lanes lanes of
// a block's are used, and a thread has Variant.Vector of them, which lie one behind the other, as its accumulators: its
// accesses are as wide, and a warp has as many blocks as its threads suffice for.
//
//	float32, 4 lanes to a thread            turn 0           turn 1
//	    thread 0 of 8                       x[0..3]          x[32..35]
//	    thread 1 of 8                       x[4..7]          x[36..39]
//	                                        ...
//
// The fold takes another thread's accumulators as long as the distance is that of threads, and then the thread's own.
func (e *emitter) lanes() error {
	n := e.counts()
	x := &lanes{emitter: e, n: n, blocks: n.from(0), share: dec(int(e.v.Lanes / e.v.Vector)), width: int(e.v.Vector)}
	for a := range e.v.Axes {
		if e.v.Reduced.Has(a) {
			x.axis = a
		}
		x.shape, x.block, x.grid = append(x.shape, n.from(e.layout.shape(a))), append(x.block, n.from(e.layout.block(a))), append(x.grid, n.from(e.layout.grid(a)))
	}
	x.addresses, x.strides = e.bases()
	for v := range e.p.Code {
		if in := &e.p.Code[v]; in.Op == tile.Reduce {
			e.comment(e.p.InstrString(tile.Value(v)))
			x.reduces = append(x.reduces, in)
		}
	}
	e.prepareFlow()
	e.uniforms()
	e.constants()
	switch {
	case e.v.Staged:
		return x.staged()
	case e.v.Short:
		return x.shortBlocks()
	}
	return x.longBlocks()
}

// lanes is what the parts of such a kernel share.
type lanes struct {
	*emitter
	n                          count
	blocks                     string
	shape, block, grid         []string
	addresses                  []string
	strides                    [][]string
	reduces                    []*tile.Instr
	axis                       int    // that is reduced
	share                      string // threads that share a block
	width                      int    // lanes of a thread
	lane, group, number, moves string // the thread's first lane; its block among its warp's; the warp's first; to its next
}

// sums is the accumulators of a thread: by Reduce, then by lane.
type sums [][]value

// whereabouts is where a block is: by parameter the address of its first element or of its result, and how many
// elements it has.
type whereabouts struct {
	at    []string
	total string
}

// where finds the place of a block.
func (x *lanes) where(b string) whereabouts {
	n := x.n
	coords, results := make([]string, x.v.Axes), make([]string, x.v.Axes) // "" is 0
	grid, axes := x.grid, make([]int, 0, x.v.Axes)
	if x.v.Whole {
		grid = nil
	}
	for a := range x.v.Axes {
		if a == x.axis && x.v.Whole {
			continue
		}
		if axes = append(axes, a); x.v.Whole {
			grid = append(grid, x.grid[a])
		}
	}
	found := whereabouts{at: make([]string, len(x.p.Params)), total: x.shape[x.axis]}
	for i, c := range n.split(b, grid) {
		a := axes[i]
		results[a] = n.asLong(c)
		coords[a] = results[a]
		if a == x.axis {
			start := n.op("mul.lo", c, x.block[a])
			found.total = n.op("min", x.block[a], n.op("sub", x.shape[a], start))
			coords[a] = n.asLong(start)
		}
	}
	for p, param := range x.p.Params {
		if param.Dir == tile.In {
			found.at[p] = x.offset(x.addresses[p], coords, x.strides[p])
		} else {
			found.at[p] = x.offset(x.addresses[p], results, x.strides[p])
		}
	}
	return found
}

// divide finds which lanes of which block the thread has.
func (x *lanes) divide() {
	n := x.n
	first, step := n.threadNumber()
	inWarp := n.op("rem", first, dec(tile.Lanes))
	x.lane = n.op("mul.lo", n.op("rem", first, x.share), dec(x.width))
	x.group = n.op("div", inWarp, x.share)
	x.number = n.op("mov", n.op("div", n.op("sub", first, inWarp), x.share))
	x.moves = n.op("div", step, x.share)
}

// longBlocks is the kernel for blocks of many elements. Threads without a block of their own do what those of the last
// one do.
func (x *lanes) longBlocks() error {
	n, all := x.n, int(x.v.Lanes)
	x.divide()
	var accs sums
	for _, in := range x.reduces {
		var own []value
		for range x.width {
			own = append(own, x.literal(tile.Scalar{Type: in.Type}))
		}
		accs = append(accs, own)
	}
	steps := make([]string, len(x.p.Params)) // bytes from one of a lane's elements to the next
	for p, param := range x.p.Params {
		if param.Dir == tile.In && !x.v.Dense.Has(p) {
			steps[p] = x.long("mul.lo.s64", x.strides[p][x.axis], dec(all))
		}
	}
	loop, done := x.label("blocks"), x.label("done")
	x.place(loop)
	x.when(n.cmp("ge", x.number, x.blocks), "bra", done)
	b := n.op("add", x.number, x.group)
	found := x.where(n.op("min", b, n.op("sub", x.blocks, "1")))
	at, k := make([]string, len(x.p.Params)), n.op("mov", "0")
	for p, param := range x.p.Params {
		if param.Dir == tile.In {
			at[p] = x.long("mad.lo.s64", n.asLong(x.lane), x.strides[p][x.axis], found.at[p])
		}
	}
	fresh := x.pred("setp.eq.u32", "0", "0") // the first element starts the accumulator
	again, few, rest, fold := x.label("several"), x.label("few"), x.label("rest"), x.label("fold")
	if ahead := int(x.v.Ahead); ahead > 1 {
		x.when(n.cmp("lt", found.total, dec(ahead*all)), "bra", few)
		if err := x.turns(ahead, at, steps, k, accs, ""); err != nil {
			return err
		}
		x.do("setp.ne.u32", fresh, "0", "0")
		x.place(again)
		x.when(n.cmp("gt", n.op("add", k, dec(ahead*all)), found.total), "bra", few)
		if err := x.turns(ahead, at, steps, k, accs, never); err != nil {
			return err
		}
		x.do("bra", again)
	}
	x.place(few)
	x.when(n.cmp("gt", n.op("add", k, dec(all)), found.total), "bra", rest)
	if err := x.turns(1, at, steps, k, accs, fresh); err != nil {
		return err
	}
	x.do("setp.ne.u32", fresh, "0", "0")
	x.do("bra", few)
	x.place(rest)
	x.when(n.cmp("ge", k, found.total), "bra", fold)
	for c := range x.width {
		i := n.op("add", n.op("add", k, x.lane), dec(c))
		inside := n.cmp("lt", i, found.total)
		if err := x.oneElement(found, n.op("min", i, n.op("sub", found.total, "1"))); err != nil {
			return err
		}
		if err := x.take(accs, c, fresh, inside); err != nil {
			return err
		}
	}
	x.place(fold)
	if err := x.fold(found.total, accs); err != nil {
		return err
	}
	if err := x.finish(found, accs, x.and(n.cmp("eq", x.lane, "0"), n.cmp("lt", b, x.blocks))); err != nil {
		return err
	}
	n.do("add."+n.typ, x.number, x.number, x.moves)
	x.do("bra", loop)
	x.place(done)
	x.do("ret")
	return nil
}

// never is instead of a register that says that elements start accumulators: these do not, and those of "" do.
const never = "never"

// turns emits the program for so many elements of each lane, all of whose loads are under way before the first is
// combined, and moves the addresses and k behind them.
func (x *lanes) turns(ahead int, at, steps []string, k string, accs sums, fresh string) error {
	all := int(x.v.Lanes)
	loaded := make([][]packed, ahead)
	for j := range ahead {
		loaded[j] = make([]packed, len(x.p.Params))
		for p, param := range x.p.Params {
			if param.Dir != tile.In {
				continue
			}
			if x.v.Dense.Has(p) {
				loaded[j][p] = x.own(p, at[p], j*all*param.Type.Size())
				continue
			}
			loaded[j][p] = x.own(p, at[p], 0)
			x.do("add.s64", at[p], at[p], steps[p])
		}
	}
	for j := range ahead {
		for c := range x.width {
			if err := x.ofLoaded(loaded[j], c); err != nil {
				return err
			}
			how := fresh
			if j > 0 {
				how = never
			}
			if err := x.take(accs, c, how, ""); err != nil {
				return err
			}
		}
	}
	for p, param := range x.p.Params {
		if param.Dir == tile.In && x.v.Dense.Has(p) {
			x.do("add.s64", at[p], at[p], dec(ahead*all*param.Type.Size()))
		}
	}
	x.n.do("add."+x.n.typ, k, k, dec(ahead*all))
	return nil
}

// own reads the elements of the thread's lanes: one, where it is the same for all of them. Parts of complex numbers lie
// at multiples of their own size.
func (x *lanes) own(param int, address string, offset int) packed {
	t := x.p.Params[param].Type
	if x.width == 1 || !x.v.Dense.Has(param) {
		return packed{t: t, n: 1, single: x.load(t, "global", address, offset)}
	}
	return x.loadSeveral(t, "global", address, offset, x.width)
}

// oneElement emits the program for element i of a block.
func (x *lanes) oneElement(found whereabouts, i string) error {
	lane := make([]value, len(x.p.Params))
	for p, param := range x.p.Params {
		if param.Dir == tile.In {
			address := x.long("mad.lo.s64", x.n.asLong(i), x.strides[p][x.axis], found.at[p])
			lane[p] = x.load(param.Type, "global", address, 0)
		}
	}
	return x.emitter.lane(lane, nil, nil)
}

// take combines the program's values with the accumulators of lane c, where inside says so or is "".
func (x *lanes) take(accs sums, c int, fresh, inside string) error {
	for i, in := range x.reduces {
		acc, made := accs[i][c], x.values[in.Args[0]]
		if fresh != "" {
			stepped, err := x.apply(in.Comb.Step(), in.Type, []value{acc, made})
			if err != nil {
				return err
			}
			if fresh != never {
				stepped = x.choose(fresh, made, stepped)
			}
			made = stepped
		}
		if inside != "" {
			made = x.choose(inside, made, acc)
		}
		x.assign(acc, made)
	}
	return nil
}

// fold combines the lanes of a block in the canonical order: lane l takes lane l+s for s = 16, 8, 4, 2, 1, where lane
// l+s has seen an element. What becomes of lanes that no other takes any more is not looked at.
func (x *lanes) fold(total string, accs sums) error {
	for s := int(x.v.Lanes) / 2; s > 0; s /= 2 {
		for c := range min(x.width, s) {
			takes := x.n.cmp("lt", x.n.op("add", x.lane, dec(c+s)), total)
			for i, in := range x.reduces {
				acc := accs[i][c]
				other := accs[i][(c+s)%x.width]
				if s >= x.width {
					other = acc.mapped(func(r string) string { return x.shuffle(in.Type, r, s/x.width) })
				}
				stepped, err := x.apply(in.Comb.Step(), in.Type, []value{acc, other})
				if err != nil {
					return err
				}
				x.assign(acc, x.choose(takes, stepped, acc))
			}
		}
	}
	return nil
}

// finish stores the results of a block, which lane 0 has, where the guard says so.
func (x *lanes) finish(found whereabouts, accs sums, guard string) error {
	for i, in := range x.reduces {
		result := accs[i][0]
		if neutral, tells := in.Comb.Neutral(in.Type); tells {
			var err error
			if result, err = x.apply(in.Comb.Step(), in.Type, []value{result, x.literal(neutral)}); err != nil {
				return err
			}
		}
		x.guard = guard
		x.store("global", found.at[in.N], result)
		x.guard = ""
	}
	return nil
}

// ofLoaded emits the instructions for the element c of each input's loads.
func (x *lanes) ofLoaded(loaded []packed, c int) error {
	elements := make([]value, len(x.p.Params))
	for p, param := range x.p.Params {
		if param.Dir == tile.In {
			elements[p] = x.code.element(&loaded[p], min(c, loaded[p].last()))
		}
	}
	return x.emitter.lane(elements, nil, nil)
}

// shortBlocks is the kernel for blocks of as many elements as there are lanes, or fewer. A thread has Variant.Ahead
// blocks under way. Its lanes are all within the block, or all behind it: these read what the last ones do.
func (x *lanes) shortBlocks() error {
	n, ahead := x.n, int(x.v.Ahead)
	x.divide()
	total := x.shape[x.axis]
	from := n.op("min", x.lane, n.op("sub", total, dec(x.width)))
	loop, done := x.label("blocks"), x.label("done")
	x.place(loop)
	x.when(n.cmp("ge", x.number, x.blocks), "bra", done)
	places, numbers, loaded := make([]whereabouts, ahead), make([]string, ahead), make([][]packed, ahead)
	for r := range ahead {
		b := n.op("add", x.number, x.group)
		numbers[r], loaded[r] = b, make([]packed, len(x.p.Params))
		places[r] = x.where(n.op("min", b, n.op("sub", x.blocks, "1")))
		for p, param := range x.p.Params {
			if param.Dir != tile.In {
				continue
			}
			loaded[r][p] = x.own(p, x.long("mad.lo.s64", n.asLong(from), x.strides[p][x.axis], places[r].at[p]), 0)
		}
		n.do("add."+n.typ, x.number, x.number, x.moves)
	}
	for r := range ahead {
		accs := make(sums, len(x.reduces))
		for c := range x.width {
			if err := x.ofLoaded(loaded[r], c); err != nil {
				return err
			}
			for i, in := range x.reduces {
				own := x.literal(tile.Scalar{Type: in.Type})
				x.assign(own, x.values[in.Args[0]])
				accs[i] = append(accs[i], own)
			}
		}
		if err := x.fold(total, accs); err != nil {
			return err
		}
		if err := x.finish(places[r], accs, x.and(n.cmp("eq", x.lane, "0"), n.cmp("lt", numbers[r], x.blocks))); err != nil {
			return err
		}
	}
	x.do("bra", loop)
	x.place(done)
	x.do("ret")
	return nil
}
