package sim

import (
	"math/rand/v2"
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// programs are the programs of the random ops, by dtype and rank.
type programs struct {
	iota, add, axpy, fill, sum [3]*tile.Program // by rank, 1 and 2
	product                    [5]*tile.Program // by rank, 1 to 4
	thin, take                 [3]*tile.Program // updates some points; gathers from a whole array of one axis
	weave, knit                *tile.Program    // named routines; any ranks
}

var types = []tile.DType{tile.Float64, tile.Int32}

// library builds the programs of a run.
func library() map[tile.DType]*programs {
	lib := map[tile.DType]*programs{}
	for _, t := range types {
		p := new(programs)
		for rank := 1; rank <= 2; rank++ {
			build := func(name string, fn func(*tile.Builder)) *tile.Program {
				b := tile.NewBuilder(name+"_"+t.String(), rank)
				fn(b)
				return b.Program()
			}
			p.iota[rank] = build("iota", func(b *tile.Builder) {
				v := b.Index(0)
				if rank == 2 {
					v = b.Do(tile.Add, b.Do(tile.Mul, v, b.Const(tile.IntScalar(tile.Int64, 7))), b.Index(1))
				}
				b.Store(b.Do(tile.Add, b.Cast(t, v), b.Uniform(t)))
			})
			p.fill[rank] = build("fill", func(b *tile.Builder) { b.Store(b.Uniform(t)) })
			p.add[rank] = build("add", func(b *tile.Builder) {
				x := b.Load(t)
				b.Store(b.Do(tile.Add, x, b.Load(t)))
			})
			p.axpy[rank] = build("axpy", func(b *tile.Builder) {
				x := b.Do(tile.Mul, b.Load(t), b.Uniform(t))
				b.Store(b.Do(tile.Sub, x, b.Load(t)))
			})
			p.thin[rank] = build("thin", func(b *tile.Builder) {
				x, y := b.Load(t), b.Load(t)
				b.If(b.Do(tile.Lt, x, y))
				b.Store(b.Do(tile.Sub, y, x))
				b.End()
			})
			p.take[rank] = build("take", func(b *tile.Builder) {
				at := b.Do(tile.Mul, b.Index(rank-1), b.Const(tile.IntScalar(tile.Int64, 5)))
				from := b.Whole(t, 1)
				b.Store(b.Gather(from, b.Do(tile.Rem, at, b.Const(tile.IntScalar(tile.Int64, taken)))))
			})
			p.sum[rank] = build("sum", func(b *tile.Builder) { b.Reduce(tile.Sum, b.Load(t)) })
		}
		for rank := 1; rank < len(p.product); rank++ {
			b := tile.NewBuilder("product_"+t.String(), rank)
			x := b.Load(t)
			b.Reduce(tile.Sum, b.Do(tile.Mul, x, b.Load(t)))
			p.product[rank] = b.Program()
		}
		b := tile.NewRoutine("weave_"+t.String(), "weave", tile.IntAttr("step", 3))
		b.Param(tile.In, t)
		b.Param(tile.Out, t)
		b.Param(tile.In, t)
		b.Param(tile.Out, t)
		p.weave = b.Program()
		b = tile.NewRoutine("knit_"+t.String(), "knit", tile.IntAttr("step", 2))
		b.Param(tile.Update, t)
		b.Param(tile.In, t)
		p.knit = b.Program()
		lib[t] = p
	}
	return lib
}

// taken is how many elements there are to gather from.
const taken = 7

// generator makes op streams that are well-formed.
type generator struct {
	*rand.Rand
	lib    map[tile.DType]*programs
	stores []genStore // alive
	last   scheduler.StoreID
	ops    scheduler.OpID
	stream scheduler.Stream
}

type genStore struct {
	id    scheduler.StoreID
	t     tile.DType
	count int // elements
}

// generate returns a stream of about n ops.
func generate(seed uint64, n int) scheduler.Stream {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 100)), lib: library()}
	for range 3 {
		g.store()
	}
	for range n {
		switch k := g.IntN(20); {
		case k < 2:
			g.store()
		case k < 8:
			g.mapOp()
		case k < 9:
			g.takeOp()
		case k < 12:
			g.expression()
		case k < 13:
			g.loop()
		case k < 14:
			g.reduceOp()
		case k < 15:
			g.productOp()
		case k < 16:
			g.callOp()
		case k < 17 && len(g.stores) > 3:
			g.release()
		case k < 18:
			g.stream = append(g.stream, scheduler.Step{Verb: "flush"})
		default:
			g.read()
		}
	}
	for _, st := range g.stores {
		g.stream = append(g.stream, scheduler.Step{Verb: "read", Store: st.id, Hi: st.bytes()})
	}
	return g.stream
}

func (st genStore) bytes() int64 { return int64(st.count * st.t.Size()) }

// store makes a store and fills it, from the host or by an op, or leaves it empty.
func (g *generator) store() {
	g.last++
	st := genStore{g.last, types[g.IntN(len(types))], 1 + g.IntN(60)}
	switch k := g.IntN(200); {
	case k < 8:
		st.count = 300 + g.IntN(300) // several blocks of an outer reduction
	case k < 9:
		st.count = 9000 // of an inner one
	}
	g.fresh(st)
}

// fresh makes a store known and fills it.
func (g *generator) fresh(st genStore) {
	g.stores = append(g.stores, st)
	g.stream = append(g.stream, scheduler.Step{Verb: "store", Store: st.id, Bytes: st.bytes()})
	whole := scheduler.View{Store: st.id, Type: st.t, Shape: []int{st.count}, Strides: []int64{int64(st.t.Size())}}
	switch g.IntN(3) {
	case 0:
		g.stream = append(g.stream, scheduler.Step{Verb: "host", Store: st.id})
	default: // bytes that were never written would differ from the oracle's
		g.op("iota", scheduler.Map, g.lib[st.t].iota[1], []int{st.count}, 0, []scheduler.View{whole})
	}
}

func (g *generator) release() {
	i := g.IntN(len(g.stores))
	g.stream = append(g.stream, scheduler.Step{Verb: "release", Store: g.stores[i].id})
	g.stores = slices.Delete(g.stores, i, i+1)
}

// read reads, or claims for writing, a range of a store.
func (g *generator) read() {
	st := g.stores[g.IntN(len(g.stores))]
	lo := g.IntN(st.count)
	hi := lo + 1 + g.IntN(st.count-lo)
	size := int64(st.t.Size())
	verb := "read"
	if g.IntN(4) == 0 {
		verb = "claim"
	}
	g.stream = append(g.stream, scheduler.Step{Verb: verb, Store: st.id, Lo: int64(lo) * size, Hi: int64(hi) * size})
}

// view returns a view of the given shape of a store of the given dtype; ok is false when
// chance found none. A written view has no two elements in one place.
func (g *generator) view(t tile.DType, shape []int, write bool) (v scheduler.View, ok bool) {
	st := g.stores[g.IntN(len(g.stores))]
	if st.t != t {
		return v, false
	}
	size := int64(t.Size())
	v = scheduler.View{Store: st.id, Type: t, Shape: shape, Strides: make([]int64, len(shape))}
	order := g.Perm(len(shape)) // the axis of the smallest stride first
	step := size * int64(1+g.IntN(3)*g.IntN(2))
	lo, hi := int64(0), size
	for _, axis := range order {
		s := step
		if !write && g.IntN(6) == 0 {
			s = 0
		}
		step = step*int64(shape[axis]) + size*int64(g.IntN(3)*g.IntN(2))
		if g.IntN(4) == 0 {
			s = -s
		}
		v.Strides[axis] = s
		if reach := s * int64(shape[axis]-1); reach < 0 {
			lo += reach
		} else {
			hi += reach
		}
	}
	room := st.bytes() - (hi - lo)
	if room < 0 {
		return v, false
	}
	v.Offset = -lo + size*g.Int64N(room/size+1)
	return v, true
}

// mapOp adds a random map, in place now and then.
func (g *generator) mapOp() {
	shape := []int{1 + g.IntN(20)}
	if g.IntN(2) == 0 {
		shape = []int{1 + g.IntN(8), 1 + g.IntN(8)}
	}
	t := types[g.IntN(len(types))]
	out, ok := g.view(t, shape, true)
	if !ok {
		return
	}
	lib, rank := g.lib[t], len(shape)
	kind := g.IntN(4)
	if kind == 0 {
		name, p := "fill", lib.fill[rank]
		if g.IntN(2) == 0 {
			name, p = "iota", lib.iota[rank]
		}
		g.op(name, scheduler.Fill, p, shape, 0, []scheduler.View{out})
		return
	}
	var in []scheduler.View
	for tries := 0; len(in) < 2 && tries < 20; tries++ {
		if g.IntN(4) == 0 {
			in = append(in, out)
			continue
		}
		if v, ok := g.view(t, shape, false); ok && !scheduler.Overlap(v, out) {
			in = append(in, v)
		}
	}
	if len(in) < 2 {
		return
	}
	name, p := "add", lib.add[rank]
	switch kind {
	case 1:
		name, p = "axpy", lib.axpy[rank]
	case 2:
		name, p = "thin", lib.thin[rank]
	}
	g.op(name, scheduler.Map, p, shape, 0, append(in, out))
}

// takeOp adds a map that gathers from a whole array.
func (g *generator) takeOp() {
	shape := []int{1 + g.IntN(20)}
	if g.IntN(2) == 0 {
		shape = []int{1 + g.IntN(8), 1 + g.IntN(8)}
	}
	t := types[g.IntN(len(types))]
	for range 5 {
		out, ok := g.view(t, shape, true)
		from, found := g.view(t, []int{taken}, false)
		if ok && found && !scheduler.Overlap(from, out) {
			g.op("take", scheduler.Map, g.lib[t].take[len(shape)], shape, 0, []scheduler.View{from, out})
			return
		}
	}
}

// expression adds what an expression of a program does: maps through temporaries that are
// released as soon as they are read, over slices of an array or all of it, and at the end an
// assignment, in place now and then, or a sum.
func (g *generator) expression() {
	st := g.stores[g.IntN(len(g.stores))]
	if st.count < 4 {
		return
	}
	lib, size := g.lib[st.t], int64(st.t.Size())
	cols := 1 + g.IntN(4)
	shape := []int{st.count/cols - 1 - g.IntN(2), cols}
	if shape[0] < 1 {
		return
	}
	flat := []int{shape[0] * cols}
	slice := func() scheduler.View { // rows of st, maybe others than last time
		rows := st.count/cols - shape[0]
		return scheduler.View{Store: st.id, Type: st.t, Shape: shape, Strides: scheduler.CStrides(shape, int(size)), Offset: int64(g.IntN(rows+1)*cols) * size}
	}
	var temps []genStore
	temp := func() scheduler.View {
		g.last++
		temps = append(temps, genStore{g.last, st.t, flat[0]})
		g.stream = append(g.stream, scheduler.Step{Verb: "store", Store: g.last, Bytes: int64(flat[0]) * size})
		return scheduler.View{Store: g.last, Type: st.t, Shape: flat, Strides: []int64{size}}
	}
	as2 := func(v scheduler.View) scheduler.View {
		if len(v.Shape) == 1 {
			v.Shape, v.Strides = shape, scheduler.CStrides(shape, int(size))
		}
		return v
	}
	value := temp()
	g.op("add", scheduler.Map, lib.add[2], shape, 0, []scheduler.View{slice(), slice(), as2(value)})
	for range 1 + g.IntN(4) {
		next := value
		if g.IntN(3) > 0 {
			next = temp()
		}
		switch g.IntN(3) {
		case 0: // contiguous operands: the index space is collapsed
			g.op("axpy", scheduler.Map, lib.axpy[1], flat, 0, []scheduler.View{value, value, next})
		case 1:
			g.op("add", scheduler.Map, lib.add[2], shape, 0, []scheduler.View{slice(), as2(value), as2(next)})
		case 2:
			g.op("iota", scheduler.Fill, lib.iota[1], flat, 0, []scheduler.View{next})
		}
		value = next
	}
	switch g.IntN(4) {
	case 0:
		grid := tile.GridShape(flat, tile.BlockShape(flat, 1))
		g.last++
		out := genStore{g.last, st.t, grid[0]}
		g.stream = append(g.stream, scheduler.Step{Verb: "store", Store: out.id, Bytes: out.bytes()})
		g.stores = append(g.stores, out)
		g.op("sum", scheduler.Reduce, lib.sum[1], flat, 1, []scheduler.View{value, {Store: out.id, Type: st.t, Shape: grid, Strides: []int64{size}}})
	case 1, 2:
		target := slice()
		g.op("axpy", scheduler.Map, lib.axpy[2], shape, 0, []scheduler.View{as2(value), as2(value), target})
	}
	for _, t := range temps {
		if g.IntN(5) > 0 {
			g.stream = append(g.stream, scheduler.Step{Verb: "release", Store: t.id})
		} else {
			g.stores = append(g.stores, t)
		}
	}
}

// loop adds the turns of a loop that renews a slice of an array from its neighbours. Between
// turns the rest of the array is written now and then, or the array is read.
func (g *generator) loop() {
	st := g.stores[g.IntN(len(g.stores))]
	if st.count < 8 {
		return
	}
	lib, size, edge := g.lib[st.t], int64(st.t.Size()), 1+g.IntN(2)
	inner := []int{st.count - 2*edge}
	slice := func(at int) scheduler.View {
		return scheduler.View{Store: st.id, Type: st.t, Shape: inner, Strides: []int64{size}, Offset: int64(at) * size}
	}
	for range 2 + g.IntN(4) {
		g.last++
		temp := genStore{g.last, st.t, inner[0]}
		g.stream = append(g.stream, scheduler.Step{Verb: "store", Store: temp.id, Bytes: temp.bytes()})
		value := scheduler.View{Store: temp.id, Type: st.t, Shape: inner, Strides: []int64{size}}
		g.op("add", scheduler.Map, lib.add[1], inner, 0, []scheduler.View{slice(0), slice(2 * edge), value})
		g.op("axpy", scheduler.Map, lib.axpy[1], inner, 0, []scheduler.View{value, value, slice(edge)})
		if g.IntN(4) > 0 {
			g.stream = append(g.stream, scheduler.Step{Verb: "release", Store: temp.id})
		} else {
			g.stores = append(g.stores, temp)
		}
		switch g.IntN(8) {
		case 0:
			border := slice(g.IntN(2) * (st.count - edge))
			border.Shape = []int{edge}
			g.op("fill", scheduler.Fill, lib.fill[1], border.Shape, 0, []scheduler.View{border})
		case 1:
			g.stream = append(g.stream, scheduler.Step{Verb: "flush"})
		case 2:
			g.stream = append(g.stream, scheduler.Step{Verb: "read", Store: st.id, Hi: st.bytes()})
		case 3:
			g.stream = append(g.stream, scheduler.Step{Verb: "claim", Store: st.id, Hi: size})
		}
	}
}

// reduceOp adds one launch of a random reduction: blocks to one result each.
func (g *generator) reduceOp() {
	st := g.stores[g.IntN(len(g.stores))]
	size := int64(st.t.Size())
	shape := []int{st.count}
	strides := []int64{size}
	reduced := tile.Axes(1)
	if cols := 1 + g.IntN(5); g.IntN(2) == 0 && st.count >= cols {
		shape = []int{st.count / cols, cols}
		strides = scheduler.CStrides(shape, int(size))
		reduced = tile.Axes(1 + g.IntN(3))
	}
	in := scheduler.View{Store: st.id, Type: st.t, Shape: shape, Strides: strides}
	grid := tile.GridShape(shape, tile.BlockShape(shape, reduced))
	for range 5 {
		out, ok := g.view(st.t, grid, true)
		if ok && !scheduler.Overlap(out, in) {
			g.op("sum", scheduler.Reduce, g.lib[st.t].sum[len(shape)], shape, reduced, []scheduler.View{in, out})
			return
		}
	}
}

// productOp adds a contraction: over (rows, columns, k), with a batch in front now and then, or
// without columns. The factors have stride 0 along what they do not have; k is in the first or
// in the last place of each, so that tiles of rows or columns have gaps or not.
func (g *generator) productOp() {
	t := types[g.IntN(len(types))]
	lib, size := g.lib[t], int64(t.Size())
	rows, columns, k, batch := 1+g.IntN(6), 1+g.IntN(6), 1+g.IntN(6), 1+g.IntN(3)
	if g.IntN(8) == 0 { // several blocks
		rows, columns, k, batch = 1, 1, 8192+g.IntN(800), 1
		g.last++
		g.fresh(genStore{g.last, t, 9000})
	}
	factor := func(n int) (v scheduler.View, ok bool) { // (batch, n, k)
		v, ok = g.view(t, []int{batch, n, k}, false)
		return v, ok
	}
	for range 10 {
		a, found := factor(rows)
		b, also := factor(columns)
		if !found || !also {
			continue
		}
		shape := []int{batch, rows, columns, k}
		a.Strides = []int64{a.Strides[0], a.Strides[1], 0, a.Strides[2]}
		b.Strides = []int64{b.Strides[0], 0, b.Strides[1], b.Strides[2]}
		drop := 0 // leading axes of the index space that this op does not have
		switch {
		case batch == 1 && g.IntN(2) == 0:
			drop = 1
		case batch == 1 && rows == 1:
			drop = 2
		}
		a.Shape, b.Shape = shape[drop:], shape[drop:]
		a.Strides, b.Strides = a.Strides[drop:], b.Strides[drop:]
		grid := tile.GridShape(shape[drop:], scheduler.Blocks(scheduler.Contract, shape[drop:], 1<<(3-drop)))
		out, ok := g.view(t, grid, true)
		if !ok { // as arrays does: a new store, block by block
			kept := grid[:len(grid)-1]
			points := 1
			for _, n := range kept {
				points *= n
			}
			g.last++
			st := genStore{g.last, t, points * grid[len(grid)-1]}
			g.stores = append(g.stores, st)
			g.stream = append(g.stream, scheduler.Step{Verb: "store", Store: st.id, Bytes: st.bytes()})
			out = scheduler.View{Store: st.id, Type: t, Shape: grid, Strides: append(scheduler.CStrides(kept, int(size)), int64(points)*size)}
		}
		if scheduler.Overlap(out, a) || scheduler.Overlap(out, b) {
			continue
		}
		g.op("product", scheduler.Contract, lib.product[4-drop], shape[drop:], 1<<(3-drop), []scheduler.View{a, b, out})
		return
	}
}

// op adds an op whose last view is written.
func (g *generator) op(name string, kind scheduler.OpKind, p *tile.Program, shape []int, reduced tile.Axes, views []scheduler.View) {
	g.ops++
	op := &scheduler.Op{ID: g.ops, Kind: kind, Name: name, Shape: shape, Reduced: reduced, Program: p,
		Where: scheduler.Where{Source: 1, Line: int32(len(g.stream) + 1)}}
	for i, v := range views {
		u := scheduler.Use{View: v}
		if i == len(views)-1 {
			u.Access = scheduler.Write
			if p.Params[i].Dir == tile.Update {
				u.Access = scheduler.Update
			}
		}
		op.Uses = append(op.Uses, u)
	}
	for _, t := range p.Uniforms {
		if t.Is(tile.KindFloat) {
			op.Uniforms = append(op.Uniforms, tile.FloatScalar(t, float64(g.IntN(100))/16))
		} else {
			op.Uniforms = append(op.Uniforms, tile.IntScalar(t, int64(g.IntN(100))))
		}
	}
	g.stream = append(g.stream, scheduler.Step{Verb: "op", Op: op})
}
