package ptx

import (
	"slices"

	"weft/tile"
)

// product is the program of a sum of products of two parameters' elements, each of which may be converted before.
type product struct {
	sides    [2]factor
	multiply int // the instruction
	reduce   *tile.Instr
}

// factor is one side of a product.
type factor struct {
	param int
	steps []int      // the instructions that make it of the element, the load first
	made  tile.Value // by the last of them
}

// findProduct finds the two sides of a program's product. It is false where the program does anything else.
func findProduct(p *tile.Program) (found product, ok bool) {
	side := make([]int, len(p.Code)) // by instruction, the factor that it belongs to
	found.multiply = -1
	loads := 0
	for v := range p.Code {
		in := &p.Code[v]
		switch in.Op {
		case tile.Load:
			if loads == len(found.sides) {
				return found, false
			}
			side[v] = loads
			found.sides[loads].param = int(in.N)
			loads++
		case tile.Cast, tile.Conj:
			side[v] = side[in.Args[0]]
		case tile.Mul:
			if found.multiply >= 0 || loads < len(found.sides) || side[in.Args[0]] == side[in.Args[1]] {
				return found, false
			}
			found.multiply = v
			for _, a := range in.Operands() {
				found.sides[side[a]].made = a
			}
			continue
		case tile.Reduce:
			if found.reduce != nil || in.Comb != tile.Sum || found.multiply < 0 || int(in.Args[0]) != found.multiply {
				return found, false
			}
			found.reduce = in
			continue
		default:
			return found, false
		}
		if found.multiply >= 0 {
			return found, false
		}
		found.sides[side[v]].steps = append(found.sides[side[v]].steps, v)
	}
	return found, found.reduce != nil && found.reduce.Type.Size() >= leastFactor
}

// Factors returns the parameters that a product's program multiplies and the one that it sums up to, and whether their
// elements are taken as they are.
func Factors(p *tile.Program) (a, b, out int, plain bool) {
	found, ok := findProduct(p)
	if !ok {
		return 0, 0, 0, false
	}
	a, b, out = found.sides[0].param, found.sides[1].param, int(found.reduce.N)
	return a, b, out, len(found.sides[0].steps) == 1 && len(found.sides[1].steps) == 1
}

// planProduct makes the products form, of a launch that multiplies matrices: its result is of rows of the one factor
// and columns of the other, which do not lie one in another, along the axes that the respective other one lacks. The
// order of its axes is (others..., rows, columns, k); along the second and third of the last a block is a tile of the
// result.
func planProduct(l *tile.Launch) (v Variant, s Space, ok bool) {
	k := len(l.Shape) - 1
	if !l.Product || k < 2 || l.Reduced != 1<<uint(k) || l.Shape[k] < leastDeep {
		return v, s, false
	}
	pr, ok := findProduct(l.Program)
	if !ok {
		return v, s, false
	}
	for i := range l.Args {
		if !Aligned(l, i) {
			return v, s, false
		}
	}
	a, b := pr.sides[0].param, pr.sides[1].param
	rows, columns := -1, -1 // the longest axes of which the other factor knows nothing
	for axis, n := range l.Shape[:k] {
		inA, inB := l.Args[a].Strides[axis] != 0, l.Args[b].Strides[axis] != 0
		switch {
		case inA && !inB && (rows < 0 || n >= l.Shape[rows]):
			rows = axis
		case inB && !inA && (columns < 0 || n >= l.Shape[columns]):
			columns = axis
		}
	}
	if rows < 0 || columns < 0 || l.Shape[rows] < leastSide || l.Shape[columns] < leastSide {
		return v, s, false
	}
	var order []int
	for axis := range k {
		if axis != rows && axis != columns {
			order = append(order, axis)
		}
	}
	order = append(order, rows, columns, k)
	s.Strides = make([][]int64, len(l.Args))
	for _, axis := range order {
		s.Shape, s.Block = append(s.Shape, l.Shape[axis]), append(s.Block, 1)
		for p := range l.Args {
			s.Strides[p] = append(s.Strides[p], l.Args[p].Strides[axis])
		}
	}
	v.Axes, v.Reduced, v.Inner = len(order), 1<<uint(k), true
	s.Block[k] = l.Block[k]
	v.tiled(&s, shortSide)
	if size := pr.reduce.Type.Size(); longSide*longSide*size <= mostSums {
		if v.tiled(&s, longSide); s.Points < leastTiles {
			v.tiled(&s, shortSide)
		}
	}
	v.Wide = s.Points >= narrow || slices.ContainsFunc(s.Shape, func(n int) bool { return n >= narrow })
	for _, f := range pr.sides {
		if s.Strides[f.param][k] == int64(l.Program.Params[f.param].Type.Size()) {
			v.Dense |= 1 << uint(f.param)
		}
	}
	return v, s, true
}

// tiled makes the blocks of a product of a tile each, of which a thread has so many elements along each side.
func (v *Variant) tiled(s *Space, side int) {
	k := len(s.Shape) - 1
	v.Product, s.Points = int8(side), 1
	s.Block[k-2], s.Block[k-1] = side*threadsAcross, side*threadsAcross
	for axis, extent := range s.Shape {
		s.Points *= int64((extent + s.Block[axis] - 1) / s.Block[axis])
	}
}

// products writes the kernel of a product of matrices. The threads of a block, 16 by 16, compute a tile of the result:
// they bring a strip of each factor, of some steps along k, to the memory that they share, and each one takes from
// there the elements of its rows and columns. While they compute, the next strips are under way.
//
//	                columns                      a thread's elements, side 4, float32:
//	             +-----------+ steps of k        rows 4*down.., columns 4*across..; of float64
//	             |  strip b  |                   rows 2*down, 2*down+1, 32+2*down, 32+2*down+1
//	      steps  +-----------+
//	     +-----+ +-----------+
//	rows |  a  | |   tile    |
//	     +-----+ +-----------+
//
// Each element is summed along k from the first to the last, with one rounding for a product and its sum, whichever
// tile it is in: a result does not depend on how the product was cut.
func (e *emitter) products() error {
	pr, _ := findProduct(e.p)
	x := &products{emitter: e, n: e.counts(), product: pr, t: pr.reduce.Type, side: int(e.v.Product)}
	n, k := x.n, e.v.Axes-1
	x.tile, x.deep = x.side*threadsAcross, shortDeep
	if x.side == longSide {
		x.deep = longDeep
	}
	x.together = min(accessBytes/x.t.Size(), x.side)
	x.pitch = x.tile + accessBytes/x.t.Size()
	e.shared = 2 * x.deep * x.pitch * x.t.Size()
	for v := range e.p.Code {
		e.comment(e.p.InstrString(tile.Value(v)))
	}
	blocks := n.from(0)
	var shape, block, grid []string
	for a := range e.v.Axes {
		shape, block, grid = append(shape, n.from(e.layout.shape(a))), append(block, n.from(e.layout.block(a))), append(grid, n.from(e.layout.grid(a)))
	}
	addresses, strides := e.bases()
	tid := e.word("mov.u32", "%tid.x")
	x.across, x.down = e.word("and.b32", tid, dec(threadsAcross-1)), e.word("shr.u32", tid, dec(acrossShift))
	shared := e.word("mov.u32", "weft_tiles")
	for f, at := range [2]string{x.down, x.across} {
		x.strips[f] = x.newStrip(f, tid, e.word("add.u32", shared, dec(f*x.deep*x.pitch*x.t.Size())), at)
	}
	b, step := n.op("mov", n.special("%ctaid.x")), n.special("%nctaid.x")
	for range x.side * x.side {
		x.sums = append(x.sums, x.literal(tile.Scalar{Type: x.t}))
	}
	loop, done := e.label("blocks"), e.label("done")
	e.place(loop)
	e.when(n.cmp("ge", b, blocks), "bra", done)

	place := n.split(b, grid)
	first := n.op("mul.lo", place[k], block[k])
	x.length = n.op("min", block[k], n.op("sub", shape[k], first))
	corner := [2]string{n.op("mul.lo", place[k-2], dec(x.tile)), n.op("mul.lo", place[k-1], dec(x.tile))}
	for f, s := range pr.sides {
		at := addresses[s.param]
		for a := range k - 2 {
			at = e.long("mad.lo.s64", n.asLong(place[a]), strides[s.param][a], at)
		}
		at = e.long("mad.lo.s64", n.asLong(first), strides[s.param][k], at)
		x.begin(&x.strips[f], at, corner[f], shape[k-2+f], strides[s.param][k-2+f], strides[s.param][k])
	}
	if err := x.sum(); err != nil {
		return err
	}
	out := int(pr.reduce.N)
	at := addresses[out]
	for a := range k - 2 {
		at = e.long("mad.lo.s64", n.asLong(place[a]), strides[out][a], at)
	}
	x.write(e.long("mad.lo.s64", n.asLong(place[k]), strides[out][k], at), corner, shape[k-2:k], strides[out][k-2:k])
	n.do("add."+n.typ, b, b, step)
	e.do("bra", loop)
	e.place(done)
	e.do("ret")
	return nil
}

// products is what the parts of such a kernel share.
type products struct {
	*emitter
	product
	n            count
	t            tile.DType
	side, tile   int    // elements along the result's axes: of a thread, of a block
	deep         int    // steps along k of a strip
	together     int    // a thread's elements that lie side by side
	pitch        int    // elements from one step of a strip to the next
	across, down string // the thread in its block
	strips       [2]strip
	sums         []value // by row, then by column
	length       string  // of the block along k
	k            string  // steps behind which the strips under way begin
}

// strip is a factor's part of what threads share. Neighbouring threads bring what lies side by side in the factor:
// steps along k, or vectors.
type strip struct {
	factor
	alongK       bool
	vector, step string // the first vector, of the tile's, and the first step that the thread brings
	many         int    // elements that a thread brings
	apart        int    // vectors, or steps, between them
	put, take    string // where the thread's first element goes, and where its first row or column is
	held         []value
	first        []string // addresses of the vectors that it brings of
	offset       string   // bytes from there to the next step that it brings
	next, gap    string   // bytes to that of the next strip, and to the next one of this
}

// newStrip divides a strip among the threads.
func (x *products) newStrip(f int, tid, shared, own string) strip {
	s := strip{factor: x.sides[f], alongK: x.v.Dense.Has(x.sides[f].param), many: x.tile * x.deep / Threads}
	size := x.t.Size()
	width := x.tile
	if s.alongK {
		width = x.deep
	}
	near, far := x.word("and.b32", tid, dec(width-1)), x.word("div.u32", tid, dec(width))
	s.vector, s.step = near, far
	if s.alongK {
		s.vector, s.step = far, near
	}
	s.apart = Threads / width
	s.put = x.word("mad.lo.u32", x.word("mad.lo.u32", s.step, dec(x.pitch), s.vector), dec(size), shared)
	s.take = x.word("mad.lo.u32", own, dec(x.together*size), shared)
	t := x.p.Params[s.param].Type
	for range s.many {
		s.held = append(s.held, x.literal(tile.Scalar{Type: t}))
	}
	return s
}

// begin finds the addresses of the elements that a thread brings first. A vector behind the last stands for that one:
// the results of it are not written.
func (x *products) begin(s *strip, base, corner, vectors, across, along string) {
	n := x.n
	s.first = nil
	last := n.op("sub", vectors, "1")
	vector := n.op("add", corner, n.widen(s.vector))
	for j := range s.many {
		if j > 0 && !s.alongK {
			break
		}
		if j > 0 {
			vector = n.op("add", vector, dec(s.apart))
		}
		s.first = append(s.first, x.long("mad.lo.s64", n.asLong(n.op("min", vector, last)), across, base))
	}
	s.offset = x.long("mul.lo.s64", x.long("cvt.u64.u32", s.step), along)
	s.next, s.gap = x.long("mul.lo.s64", along, dec(x.deep)), x.long("mul.lo.s64", along, dec(s.apart))
}

// bring reads the thread's elements of the next strip of a factor. Steps behind the last are 0.
func (x *products) bring(s *strip) {
	n := x.n
	zero := x.literal(tile.Scalar{Type: x.p.Params[s.param].Type})
	step, offset := n.op("add", x.k, n.widen(s.step)), s.offset
	inside := n.cmp("lt", step, x.length)
	for j := range s.many {
		first := s.first[min(j, len(s.first)-1)]
		if j > 0 && !s.alongK {
			step, offset = n.op("add", step, dec(s.apart)), x.long("add.s64", offset, s.gap)
			inside = n.cmp("lt", step, x.length)
		}
		loaded := x.load(zero.t, "global", x.long("add.s64", first, x.long("selp.b64", offset, "0", inside)), 0)
		x.assign(s.held[j], x.choose(inside, loaded, zero))
	}
	x.do("add.s64", s.offset, s.offset, s.next)
}

// convert makes a factor of an element.
func (x *products) convert(s *strip, element value) (value, error) {
	for _, v := range s.steps {
		switch in := &x.p.Code[v]; in.Op {
		case tile.Load:
			x.values[v] = element
		case tile.Cast:
			x.values[v] = x.cast(in.Type, x.values[in.Args[0]])
		default:
			made, err := x.apply(in.Op, x.values[in.Args[0]].t, []value{x.values[in.Args[0]]})
			if err != nil {
				return value{}, err
			}
			x.values[v] = made
		}
	}
	return x.values[s.made], nil
}

// sum sums the products of a block of k.
func (x *products) sum() error {
	n, size := x.n, x.t.Size()
	zero := x.literal(tile.Scalar{Type: x.t})
	for _, sum := range x.sums {
		x.assign(sum, zero)
	}
	x.k = n.op("mov", "0")
	for f := range x.strips {
		x.bring(&x.strips[f])
	}
	again, compute := x.label("strips"), x.label("compute")
	x.place(again)
	for f := range x.strips {
		s := &x.strips[f]
		for j, element := range s.held {
			made, err := x.convert(s, element)
			if err != nil {
				return err
			}
			offset := j * s.apart * x.pitch
			if s.alongK {
				offset = j * s.apart
			}
			x.storeAt("shared", s.put, offset*size, made)
		}
	}
	x.do("bar.sync", "0")
	n.do("add."+n.typ, x.k, x.k, dec(x.deep))
	more := n.cmp("lt", x.k, x.length)
	x.when(x.not(more), "bra", compute)
	for f := range x.strips {
		x.bring(&x.strips[f])
	}
	x.place(compute)
	for step := range x.deep {
		var own [2][]value
		for f := range x.strips {
			for group := range x.side / x.together {
				offset := step*x.pitch + group*threadsAcross*x.together
				several := x.loadSeveral(x.t, "shared", x.strips[f].take, offset*size, x.together)
				for c := range x.together {
					own[f] = append(own[f], x.code.element(&several, c))
				}
			}
		}
		for i, a := range own[0] {
			for j, b := range own[1] {
				if err := x.add(x.sums[i*x.side+j], a, b); err != nil {
					return err
				}
			}
		}
	}
	x.do("bar.sync", "0")
	x.when(more, "bra", again)
	return nil
}

// add adds a product to a sum.
func (x *products) add(sum, a, b value) error {
	fma := "fma.rn." + scalars[x.t].typ
	switch x.t.Kind() {
	case tile.KindFloat:
		x.do(fma, sum.r[0], a.r[0], b.r[0], sum.r[0])
	case tile.KindComplex:
		x.do(fma, sum.r[0], a.r[0], b.r[0], sum.r[0])
		x.do(fma, sum.r[1], a.r[0], b.r[1], sum.r[1])
		x.do(fma, sum.r[0], x.arith(x.t).neg(a.r[1]), b.r[1], sum.r[0])
		x.do(fma, sum.r[1], a.r[1], b.r[0], sum.r[1])
	default:
		made, err := x.apply(tile.Mul, x.t, []value{a, b})
		if err == nil {
			made, err = x.apply(tile.Add, x.t, []value{sum, made})
		}
		if err != nil {
			return err
		}
		x.assign(sum, made)
	}
	return nil
}

// write stores a thread's results.
func (x *products) write(base string, corner [2]string, shape, strides []string) {
	n := x.n
	at := func(axis int, thread string, c int) string {
		within := n.op("mad.lo", n.widen(thread), dec(x.together), corner[axis])
		return n.op("add", within, dec(c/x.together*threadsAcross*x.together+c%x.together))
	}
	var columns, inside []string
	for c := range x.side {
		column := at(1, x.across, c)
		columns, inside = append(columns, column), append(inside, n.cmp("lt", column, shape[1]))
	}
	for r := range x.side {
		row := at(0, x.down, r)
		there := n.cmp("lt", row, shape[0])
		line := x.long("mad.lo.s64", n.asLong(row), strides[0], base)
		for c, column := range columns {
			x.guard = x.and(there, inside[c])
			x.store("global", x.long("mad.lo.s64", n.asLong(column), strides[1], line), x.sums[r*x.side+c])
			x.guard = ""
		}
	}
}
