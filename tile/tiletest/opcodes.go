package tiletest

import (
	"fmt"
	"testing"

	"weft/tile"
)

// program builds load..., op, store for operands of dtype d.
func program(op tile.Opcode, d tile.DType) *tile.Program {
	b := tile.NewBuilder(op.String(), 0)
	var args []tile.Value
	for i := range op.Arity() {
		if op == tile.Select && i == 0 {
			args = append(args, b.Load(tile.Bool))
		} else {
			args = append(args, b.Load(d))
		}
	}
	b.Store(b.Do(op, args...))
	return b.Program()
}

// withRank returns a copy of the program over an index space of the given rank.
func withRank(p *tile.Program, rank int) *tile.Program {
	q := *p
	q.Rank = rank
	return &q
}

// testOpcodes compares every scalar opcode on every dtype: all pairs of special values, then
// every layout with random values.
func testOpcodes(b *bench) {
	for _, op := range tile.Opcodes() {
		if !op.IsScalar() || op == tile.Cast || op == tile.Select {
			continue
		}
		for _, d := range tile.DTypes() {
			if !op.Accepts(d) {
				continue
			}
			b.sub(fmt.Sprintf("%v %v", op, d), func(b *bench) {
				p := program(op, d)
				accept := toleranceOf(op, d)
				if !b.compareSpecial(p, d, accept) {
					return
				}
				r := source(uint64(op)<<8 | uint64(d))
				for _, l := range layouts {
					tr := &trial{program: withRank(p, len(l.shape)), accept: accept}
					tr.fit(l, func(t tile.DType) tile.Scalar {
						for {
							if s := random(r, t); accept.admits(s) {
								return s
							}
						}
					})
					if !b.compare(tr) {
						b.Logf("layout %s", l.name)
						return
					}
				}
			})
		}
	}
}

// sub runs f as a subtest with the same devices.
func (b *bench) sub(name string, f func(*bench)) {
	b.Run(name, func(t *testing.T) { f(b.of(t)) })
}

// compareSpecial runs a program with one or two inputs of dtype d on all (pairs of) special
// values.
func (b *bench) compareSpecial(p *tile.Program, d tile.DType, accept tolerance) bool {
	b.Helper()
	var x []tile.Scalar
	for _, s := range specials[d] {
		if accept.admits(s) {
			x = append(x, s)
		}
	}
	tr := &trial{program: withRank(p, 2), shape: []int{len(x), len(x)}, accept: accept}
	if len(p.Params) == 2 {
		tr.shape[0] = 2
	}
	size := int64(d.Size())
	column := []int64{0, size} // the second input, and the only one
	inputs := 0
	for i, param := range p.Params {
		if param.Dir.Writes() {
			tr.lay(order{}, tr.shape, param.Type, func(int) tile.Scalar { return filler(param.Type) })
			continue
		}
		if inputs++; inputs == 1 {
			m := make([]byte, len(x)*d.Size())
			for k, s := range x {
				encode(m[k*d.Size():], s)
			}
			tr.memory = append(tr.memory, m)
		}
		tr.args = append(tr.args, arg{buffer: 0, strides: column})
		if i == 0 && len(p.Params) > 2 {
			tr.args[0].strides = []int64{size, 0}
		}
	}
	return b.compare(tr)
}

// testCasts compares every pair of dtypes.
func testCasts(b *bench) {
	for _, from := range tile.DTypes() {
		for _, to := range tile.DTypes() {
			if from == to {
				continue
			}
			b.sub(fmt.Sprintf("%v to %v", from, to), func(b *bench) {
				nb := tile.NewBuilder("cast", 0)
				nb.Store(nb.Cast(to, nb.Load(from)))
				p := nb.Program()
				if !b.compareSpecial(p, from, tolerance{}) {
					return
				}
				r := source(uint64(from)<<8 | uint64(to))
				for _, l := range layouts {
					tr := &trial{program: withRank(p, len(l.shape))}
					tr.fit(l, func(t tile.DType) tile.Scalar { return random(r, t) })
					if !b.compare(tr) {
						b.Logf("layout %s", l.name)
						return
					}
				}
			})
		}
	}
}

func testSelect(b *bench) {
	for _, d := range tile.DTypes() {
		b.sub(d.String(), func(b *bench) {
			r := source(uint64(d))
			for _, l := range layouts {
				tr := &trial{program: withRank(program(tile.Select, d), len(l.shape))}
				tr.fit(l, func(t tile.DType) tile.Scalar { return random(r, t) })
				if !b.compare(tr) {
					b.Logf("layout %s", l.name)
					return
				}
			}
		})
	}
}

// testScalars mixes literals and uniforms with loaded values, on both sides, and stores them
// as they are.
func testScalars(b *bench) {
	for _, d := range tile.DTypes() {
		b.sub(d.String(), func(b *bench) {
			r := source(uint64(d))
			values := specials[d]
			for _, l := range layouts[:9] {
				nb := tile.NewBuilder("scalars", len(l.shape))
				x, c, u := nb.Load(d), nb.Const(values[r.IntN(len(values))]), nb.Uniform(d)
				nb.Store(c)
				nb.Store(u)
				nb.Store(nb.Do(tile.Max, x, u))
				nb.Store(nb.Do(tile.Lt, c, x))
				nb.Store(nb.Do(tile.Max, c, u))
				for _, op := range [...]tile.Opcode{tile.Add, tile.Sub, tile.Mul, tile.Div} {
					if op.Accepts(d) {
						nb.Store(nb.Do(op, x, u))
						nb.Store(nb.Do(op, u, x))
					}
				}
				tr := &trial{program: nb.Program(), uniforms: []tile.Scalar{values[r.IntN(len(values))]}}
				tr.fit(l, func(t tile.DType) tile.Scalar { return random(r, t) })
				if !b.compare(tr) {
					return
				}
			}
		})
	}
}

// testDraws draws numbers by coordinates: side by side, as devices expect them, each twice, with
// gaps, backwards, and beyond 32 bits.
func testDraws(op tile.Opcode) func(*bench) {
	return func(b *bench) {
		for _, l := range layouts {
			if len(l.shape) == 0 {
				continue
			}
			nb := tile.NewBuilder(op.String(), len(l.shape))
			var state [4]tile.Value
			for k := range state {
				state[k] = nb.Uniform(tile.Uint64)
			}
			word := func(v uint64) tile.Value { return nb.Const(tile.UintScalar(tile.Uint64, v)) }
			at := nb.Cast(tile.Uint64, nb.Index(len(l.shape)-1))
			for _, n := range []tile.Value{at, nb.Do(tile.Shr, at, word(1)), nb.Do(tile.Shr, at, word(4)), nb.Do(tile.Mul, at, word(3)),
				nb.Do(tile.Not, at), nb.Do(tile.Add, at, word(1<<63)), nb.Do(tile.And, at, word(1<<63|3))} {
				nb.Store(nb.Do(op, n, state[0], state[1], state[2], state[3]))
			}
			tr := &trial{program: nb.Program()}
			r := source(3)
			for range state {
				tr.uniforms = append(tr.uniforms, tile.UintScalar(tile.Uint64, r.Uint64()))
			}
			for range l.shape {
				tr.origin = append(tr.origin, 1<<40+r.IntN(1000))
			}
			tr.fit(l, func(t tile.DType) tile.Scalar { return random(r, t) })
			if !b.compare(tr) {
				b.Logf("layout %s", l.name)
			}
		}
	}
}

// testIndex writes coordinates, with an origin, for every axis.
func testIndex(b *bench) {
	for _, l := range layouts {
		if len(l.shape) == 0 {
			continue
		}
		nb := tile.NewBuilder("index", len(l.shape))
		sum := nb.Load(tile.Int64)
		for axis := range l.shape {
			v := nb.Index(axis)
			nb.Store(v)
			sum = nb.Do(tile.Sub, nb.Do(tile.Mul, sum, nb.Const(tile.IntScalar(tile.Int64, 1000))), v)
		}
		nb.Store(sum)
		tr := &trial{program: nb.Program()}
		for axis := range l.shape {
			tr.origin = append(tr.origin, 1<<40*axis+7)
		}
		r := source(1)
		tr.fit(l, func(t tile.DType) tile.Scalar { return random(r, t) })
		if !b.compare(tr) {
			b.Logf("layout %s", l.name)
		}
	}
}
