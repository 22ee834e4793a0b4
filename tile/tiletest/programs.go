package tiletest

import (
	"math/rand/v2"

	"weft/tile"
)

// testInPlace gives outputs the memory of inputs. A lane loads everything before it stores
// anything, whatever the order of instructions.
func testInPlace(b *bench) {
	const d = tile.Float64
	for _, c := range []struct {
		name  string
		alias map[int]int // output parameter: input parameter whose binding it has
		build func(nb *tile.Builder)
	}{
		{"a += b", map[int]int{2: 0}, func(nb *tile.Builder) {
			nb.Store(nb.Do(tile.Add, nb.Load(d), nb.Load(d)))
		}},
		{"b = a - b", map[int]int{2: 1}, func(nb *tile.Builder) {
			nb.Store(nb.Do(tile.Sub, nb.Load(d), nb.Load(d)))
		}},
		{"a, b = b, a", map[int]int{2: 0, 3: 1}, func(nb *tile.Builder) {
			x, y := nb.Load(d), nb.Load(d)
			nb.Store(y)
			nb.Store(x)
		}},
		{"a, b = a + b, a - b", map[int]int{2: 0, 3: 1}, func(nb *tile.Builder) {
			x, y := nb.Load(d), nb.Load(d)
			nb.Store(nb.Do(tile.Add, x, y))
			nb.Store(nb.Do(tile.Sub, x, y))
		}},
		{"a = b; c = a * b", map[int]int{2: 0}, func(nb *tile.Builder) {
			x, y := nb.Load(d), nb.Load(d)
			nb.Store(y)
			nb.Store(nb.Do(tile.Mul, x, y))
		}},
		{"a = float(int(a))", map[int]int{1: 0}, func(nb *tile.Builder) {
			nb.Store(nb.Cast(d, nb.Cast(tile.Int8, nb.Load(d))))
		}},
		{"a as int64 = int64(a)", map[int]int{1: 0}, func(nb *tile.Builder) {
			nb.Store(nb.Cast(tile.Int64, nb.Load(d)))
		}},
		{"two loads of one parameter", map[int]int{1: 0}, func(nb *tile.Builder) {
			x := nb.Load(d)
			y := nb.Do(tile.Add, nb.Do(tile.Neg, x), nb.Do(tile.Mul, x, x))
			nb.Store(nb.Do(tile.Sub, y, x))
		}},
	} {
		b.sub(c.name, func(b *bench) {
			for _, l := range layouts {
				l.in = []order{l.out} // aliases have the output's strides
				nb := tile.NewBuilder(c.name, len(l.shape))
				c.build(nb)
				tr := &trial{program: nb.Program()}
				r := source(5)
				tr.fit(l, func(t tile.DType) tile.Scalar { return random(r, t) })
				for out, in := range c.alias {
					tr.args[out] = tr.args[in]
				}
				if !b.compare(tr) {
					b.Logf("layout %s", l.name)
					return
				}
			}
		})
	}
}

// testRandomPrograms compares programs of random exact opcodes, which need several registers
// and have several outputs, one of them sometimes in place.
func testRandomPrograms(b *bench) {
	b.seeds(80, func(b *bench, r *rand.Rand) {
		l := layouts[r.IntN(len(layouts))]
		if r.IntN(4) == 0 {
			l = layout{name: "long", shape: []int{3000}}
		}
		tr := &trial{program: randomProgram(r, len(l.shape), 4+r.IntN(30))}
		l.in = append([]order{l.out}, l.in...)
		for _, u := range tr.program.Uniforms {
			tr.uniforms = append(tr.uniforms, random(r, u))
		}
		tr.fit(l, func(t tile.DType) tile.Scalar { return random(r, t) })
		if n := len(tr.program.Params); r.IntN(2) == 0 && tr.program.Params[0].Type == tr.program.Params[n-1].Type {
			tr.args[n-1] = tr.args[0]
		}
		b.compare(tr)
	})
}

// randomProgram returns a program of n random instructions; the exact opcodes alone, so that
// results have one value.
func randomProgram(r *rand.Rand, rank, n int) *tile.Program {
	nb := tile.NewBuilder("random", rank)
	all := tile.DTypes()
	var values []tile.Value
	pick := func(accept func(t tile.DType) bool) (tile.Value, bool) {
		for range 20 {
			v := values[r.IntN(len(values))]
			if accept(nb.TypeOf(v)) {
				return v, true
			}
		}
		return 0, false
	}
	for range 2 {
		values = append(values, nb.Load(all[r.IntN(len(all))]))
	}
	ops := tile.Opcodes()
	for len(values) < n {
		switch r.IntN(12) {
		case 0:
			values = append(values, nb.Load(all[r.IntN(len(all))]))
			continue
		case 1:
			values = append(values, nb.Const(random(r, all[r.IntN(len(all))])))
			continue
		case 2:
			values = append(values, nb.Uniform(all[r.IntN(len(all))]))
			continue
		case 3:
			if rank > 0 {
				values = append(values, nb.Index(r.IntN(rank)))
			}
			continue
		case 4, 5:
			v := values[r.IntN(len(values))]
			values = append(values, nb.Cast(all[r.IntN(len(all))], v))
			continue
		}
		op := ops[r.IntN(len(ops))]
		if tolerances[op] != exact || !op.IsScalar() || op == tile.Cast {
			continue
		}
		x, ok := pick(op.Accepts)
		if !ok {
			continue
		}
		same := func(t tile.DType) bool { return t == nb.TypeOf(x) }
		y, _ := pick(same)
		if nb.TypeOf(y) != nb.TypeOf(x) {
			y = x
		}
		switch {
		case op == tile.Select:
			if c, ok := pick(func(t tile.DType) bool { return t == tile.Bool }); ok {
				values = append(values, nb.Do(op, c, x, y))
			}
		case op.Arity() == 1:
			values = append(values, nb.Do(op, x))
		default:
			values = append(values, nb.Do(op, []tile.Value{x, y, x, y, x}[:op.Arity()]...))
		}
	}
	for range 1 + r.IntN(3) {
		nb.Store(values[r.IntN(len(values))])
	}
	nb.Store(values[len(values)-1])
	return nb.Program()
}
