package tiletest

import (
	"math/rand/v2"
	"testing"

	"weft/tile"
)

// testFlow compares small programs with control flow on every layout; the output of some is
// an input's memory.
func testFlow(b *bench) {
	const d = tile.Int32
	for _, c := range []struct {
		name    string
		inPlace bool
		build   func(nb *tile.Builder, x, y tile.Value)
	}{
		{"branches", false, func(nb *tile.Builder, x, y tile.Value) {
			nb.If(nb.Do(tile.Lt, x, y))
			u := nb.Do(tile.Sub, y, x)
			nb.Else()
			v := nb.Do(tile.Mul, x, y)
			nb.End()
			nb.Store(nb.Merge(u, v))
		}},
		{"no else", true, func(nb *tile.Builder, x, y tile.Value) {
			nb.If(nb.Do(tile.Lt, x, y))
			u := nb.Do(tile.Sub, y, x)
			nb.End()
			nb.Store(nb.Merge(u, x))
		}},
		{"store in a branch", false, func(nb *tile.Builder, x, y tile.Value) {
			nb.If(nb.Do(tile.Lt, x, y))
			nb.Store(nb.Do(tile.Sub, y, x))
			nb.End()
		}},
		{"store in a branch, in place", true, func(nb *tile.Builder, x, y tile.Value) {
			nb.If(nb.Do(tile.Lt, x, y))
			nb.Store(y)
			nb.End()
		}},
		{"stores in both branches", true, func(nb *tile.Builder, x, y tile.Value) {
			nb.If(nb.Do(tile.Lt, x, y))
			nb.Store(nb.Do(tile.Add, y, x))
			nb.Else()
			nb.Store(x)
			nb.Store(nb.Do(tile.Xor, y, nb.Load(d)))
			nb.End()
		}},
		{"branches in branches", false, func(nb *tile.Builder, x, y tile.Value) {
			zero := nb.Const(tile.IntScalar(d, 0))
			nb.If(nb.Do(tile.Lt, x, y))
			nb.If(nb.Do(tile.Lt, x, zero))
			u := nb.Do(tile.Neg, x)
			nb.Store(y)
			nb.End()
			u = nb.Merge(u, y)
			nb.Else()
			nb.If(nb.Do(tile.Ge, y, zero))
			nb.Else()
			v := nb.Do(tile.Not, y)
			nb.End()
			w := nb.Merge(zero, v)
			nb.End()
			nb.Store(nb.Merge(u, w))
		}},
		{"loop", true, func(nb *tile.Builder, x, y tile.Value) { // halve until nothing is left
			zero, one := nb.Const(tile.IntScalar(d, 0)), nb.Const(tile.IntScalar(d, 1))
			size := nb.Do(tile.Abs, x)
			nb.Loop()
			n, turns := nb.Carry(size), nb.Carry(zero)
			nb.While(nb.Do(tile.Gt, n, zero))
			half, more := nb.Do(tile.Shr, n, one), nb.Do(tile.Add, turns, one)
			nb.Next(n, half)
			nb.Next(turns, more)
			nb.End()
			nb.Store(nb.Do(tile.Add, turns, y))
		}},
		{"exchange", false, func(nb *tile.Builder, x, y tile.Value) { // Euclid's algorithm
			zero := nb.Const(tile.IntScalar(d, 0))
			nb.Loop()
			u, v := nb.Carry(x), nb.Carry(y)
			nb.While(nb.Do(tile.Ne, v, zero))
			rest := nb.Do(tile.Rem, u, v)
			nb.Next(u, v)
			nb.Next(v, rest)
			nb.End()
			nb.Store(u)
		}},
		{"no turn", false, func(nb *tile.Builder, x, y tile.Value) {
			nb.Loop()
			u := nb.Carry(x)
			nb.While(nb.Const(tile.BoolScalar(false)))
			nb.Next(u, y)
			nb.End()
			nb.Store(u)
		}},
		{"carry of a carry", false, func(nb *tile.Builder, x, y tile.Value) { // a loop in a loop in a branch
			three, one, zero := nb.Const(tile.IntScalar(d, 3)), nb.Const(tile.IntScalar(d, 1)), nb.Const(tile.IntScalar(d, 0))
			nb.If(nb.Do(tile.Gt, x, y))
			few := nb.Do(tile.And, x, three)
			nb.Loop()
			i, sum := nb.Carry(few), nb.Carry(y)
			nb.While(nb.Do(tile.Gt, i, zero))
			nb.Loop()
			j, inner := nb.Carry(i), nb.Carry(sum)
			nb.While(nb.Do(tile.Ge, j, zero))
			nextInner, nextJ := nb.Do(tile.Add, inner, nb.Do(tile.Mul, i, j)), nb.Do(tile.Sub, j, one)
			nb.Next(j, nextJ)
			nb.Next(inner, nextInner)
			nb.End()
			less := nb.Do(tile.Sub, i, one)
			nb.Next(i, less)
			nb.Next(sum, inner)
			nb.End()
			nb.End()
			nb.Store(nb.Merge(sum, x))
		}},
	} {
		b.sub(c.name, func(b *bench) {
			for _, l := range layouts {
				if c.inPlace {
					l.in = []order{l.out}
				}
				nb := tile.NewBuilder(c.name, len(l.shape))
				x, y := nb.Load(d), nb.Load(d)
				c.build(nb, x, y)
				tr := &trial{program: nb.Program()}
				r := source(8)
				tr.fit(l, func(t tile.DType) tile.Scalar { return random(r, t) })
				if c.inPlace {
					tr.args[len(tr.args)-1] = tr.args[0]
				}
				if !b.compare(tr) {
					b.Logf("layout %s", l.name)
					return
				}
			}
		})
	}
}

// testRandomFlow compares programs of nested branches, loops and gathers that a seed makes up.
func testRandomFlow(b *bench) {
	b.seeds(120, func(b *bench, r *rand.Rand) {
		l := layouts[r.IntN(len(layouts))]
		if r.IntN(4) == 0 {
			l = layout{name: "long", shape: []int{1500}}
		}
		b.compare(randomFlowTrial(r, l))
	})
}

// RandomFlow compares one launch of a program with control flow and gathers that the seed makes up.
func RandomFlow(t *testing.T, seed uint64, dev tile.Device) {
	b := newBench(t, dev)
	defer b.close()
	r := source(seed)
	shape := randomShape(r)
	l := layout{shape: shape, out: randomOrder(r, len(shape), false)}
	for range 3 {
		l.in = append(l.in, randomOrder(r, len(shape), true))
	}
	b.compare(randomFlowTrial(r, l))
}

// randomFlowTrial makes up a program with control flow, and what it needs to run. Sometimes it
// ends in a reduction.
func randomFlowTrial(r *rand.Rand, l layout) *trial {
	tr := &trial{whole: map[int][]int{}}
	g := &flowGenerator{Rand: r, nb: tile.NewBuilder("flow", len(l.shape)), tr: tr, budget: 8 + r.IntN(30), stores: r.IntN(3) > 0}
	all := tile.DTypes()
	var values []tile.Value
	for range 2 {
		values = append(values, g.nb.Load(all[r.IntN(len(all))]))
	}
	if len(l.shape) > 0 {
		values = append(values, g.nb.Index(r.IntN(len(l.shape))))
	}
	values = g.block(values, 0, false)
	last := values[len(values)-1]
	if !g.stores {
		var combs []tile.Combiner
		for _, c := range tile.Combiners() {
			if c.Accepts(g.nb.TypeOf(last)) {
				combs = append(combs, c)
			}
		}
		g.nb.Reduce(combs[r.IntN(len(combs))], last)
		tr.reduced = tile.Axes(r.Uint64()) & (1<<len(l.shape) - 1)
		tr.block = tile.BlockShape(l.shape, tr.reduced)
		l.out = order{}
	} else {
		g.nb.Store(last)
	}
	tr.program = g.nb.Program()
	inPlace := g.stores && r.IntN(3) == 0 && tr.program.Params[0].Type == g.nb.TypeOf(last)
	if inPlace {
		l.in = append([]order{l.out}, l.in...)
	}
	tr.shape = l.shape
	tr.complete(r, l)
	if inPlace {
		tr.args[len(tr.args)-1] = tr.args[0]
	}
	return tr
}

// flowGenerator makes up programs with control flow.
type flowGenerator struct {
	*rand.Rand
	nb     *tile.Builder
	tr     *trial
	budget int  // instructions that may still be made up
	stores bool // the program stores; otherwise it reduces
}

// block adds instructions and returns the values that are seen at its end.
func (g *flowGenerator) block(values []tile.Value, depth int, looping bool) []tile.Value {
	values = append([]tile.Value(nil), values...)
	for n := 2 + g.IntN(7); n > 0 && g.budget > 0; n-- {
		g.budget--
		switch k := g.IntN(16); {
		case k == 0:
			values = append(values, g.nb.Load(g.dtype()))
		case k == 1:
			values = append(values, g.nb.Const(random(g.Rand, g.dtype())))
		case k == 2:
			values = append(values, g.nb.Uniform(g.dtype()))
		case k == 3:
			values = append(values, g.nb.Cast(g.dtype(), g.any(values)))
		case k == 4:
			values = append(values, g.gather(values))
		case k <= 6 && depth < 4:
			values = g.branch(values, depth, looping)
		case k <= 8 && depth < 3:
			values = g.loop(values, depth)
		case k == 9 && g.stores && !looping && depth > 0:
			g.nb.Store(g.any(values))
		default:
			values = append(values, g.scalar(values))
		}
	}
	return values
}

func (g *flowGenerator) dtype() tile.DType {
	all := tile.DTypes()
	return all[g.IntN(len(all))]
}

func (g *flowGenerator) any(values []tile.Value) tile.Value { return values[g.IntN(len(values))] }

// of returns a value of a dtype, by a cast if there is none.
func (g *flowGenerator) of(t tile.DType, values []tile.Value) tile.Value {
	for range 8 {
		if v := g.any(values); g.nb.TypeOf(v) == t {
			return v
		}
	}
	return g.nb.Cast(t, g.any(values))
}

// seen returns a value of a dtype without adding an instruction: v itself if there is no other.
func (g *flowGenerator) seen(v tile.Value, values []tile.Value) tile.Value {
	for range 8 {
		if w := g.any(values); g.nb.TypeOf(w) == g.nb.TypeOf(v) {
			return w
		}
	}
	return v
}

// scalar adds an instruction of an exact opcode.
func (g *flowGenerator) scalar(values []tile.Value) tile.Value {
	ops := tile.Opcodes()
	for {
		op, x := ops[g.IntN(len(ops))], g.any(values)
		t := g.nb.TypeOf(x)
		if tolerances[op] != exact || !op.IsScalar() || op == tile.Cast || op.Arity() > 3 || !op.Accepts(t) {
			continue
		}
		switch {
		case op == tile.Select:
			return g.nb.Do(op, g.of(tile.Bool, values), x, g.of(t, values))
		case op.Arity() == 1:
			return g.nb.Do(op, x)
		}
		return g.nb.Do(op, x, g.of(t, values))
	}
}

func (g *flowGenerator) condition(values []tile.Value) tile.Value {
	if g.IntN(8) == 0 { // the same way for all
		return g.nb.Const(tile.BoolScalar(g.IntN(2) == 0))
	}
	if g.IntN(3) == 0 {
		return g.of(tile.Bool, values)
	}
	x := g.any(values)
	return g.nb.Do(tile.Lt, x, g.of(g.nb.TypeOf(x), values))
}

// branch adds an if.
func (g *flowGenerator) branch(values []tile.Value, depth int, looping bool) []tile.Value {
	g.nb.If(g.condition(values))
	then, otherwise := g.block(values, depth+1, looping), values
	if g.IntN(3) > 0 {
		g.nb.Else()
		otherwise = g.block(values, depth+1, looping)
	}
	g.nb.End()
	out := append([]tile.Value(nil), values...)
	for range 1 + g.IntN(3) {
		x := g.any(then[len(then)/2:])
		y := tile.NoValue
		for _, v := range otherwise { // the latest of its dtype
			if g.nb.TypeOf(v) == g.nb.TypeOf(x) {
				y = v
			}
		}
		if y != tile.NoValue {
			out = append(out, g.nb.Merge(x, y))
		}
	}
	return out
}

// loop adds a loop of up to seven turns, which differ from lane to lane.
func (g *flowGenerator) loop(values []tile.Value, depth int) []tile.Value {
	number := g.of(tile.Int64, values)
	turns := g.nb.Do(tile.And, number, g.nb.Const(tile.IntScalar(tile.Int64, 7)))
	zero, one := g.nb.Const(tile.IntScalar(tile.Int64, 0)), g.nb.Const(tile.IntScalar(tile.Int64, 1))
	g.nb.Loop()
	carries := []tile.Value{g.nb.Carry(zero)}
	for range g.IntN(4) {
		carries = append(carries, g.nb.Carry(g.any(values)))
	}
	inside := append(append([]tile.Value(nil), values...), carries...)
	if g.IntN(3) == 0 { // the condition takes some work, too
		inside = g.block(inside, depth+2, true)
	}
	more := g.nb.Do(tile.Lt, carries[0], turns)
	if g.IntN(3) == 0 {
		more = g.nb.Do(tile.And, more, g.condition(inside))
	}
	g.nb.While(more)
	body := g.block(inside, depth+1, true)
	next := []tile.Value{g.nb.Do(tile.Add, carries[0], one)}
	for _, c := range carries[1:] {
		next = append(next, g.seen(c, body))
	}
	for i, c := range carries {
		g.nb.Next(c, next[i])
	}
	g.nb.End()
	return append(append([]tile.Value(nil), values...), carries...)
}

// gather adds a whole parameter and reads it within its bounds, from either end.
func (g *flowGenerator) gather(values []tile.Value) tile.Value {
	axes := 1 + g.IntN(3)
	p := g.nb.Whole(g.dtype(), axes)
	var index []tile.Value
	for range axes {
		n := 1 + g.IntN(7)
		g.tr.whole[p] = append(g.tr.whole[p], n)
		i := g.nb.Do(tile.Rem, g.of(tile.Int64, values), g.nb.Const(tile.IntScalar(tile.Int64, int64(n))))
		if g.IntN(3) == 0 {
			i = g.nb.Do(tile.Sub, i, g.nb.Const(tile.IntScalar(tile.Int64, int64(n))))
		}
		index = append(index, i)
	}
	return g.nb.Gather(p, index...)
}
