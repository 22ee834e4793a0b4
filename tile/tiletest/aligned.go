package tiletest

import (
	"math/rand/v2"

	"weft/tile"
)

// testAlignments compares programs over operands that lie one behind the other, from any byte on: what devices access
// several elements at once of, where these lie as that wants them, and what is in front and behind.
func testAlignments(b *bench) {
	b.shifted(150, 3, alignedTrial, (*trial).renew)
}

// shifted compares launches that are made up, each several times: at other bytes, after a change.
func (b *bench) shifted(seeds uint64, times int, made func(r *rand.Rand) *trial, change func(tr *trial, r *rand.Rand)) {
	b.seeds(seeds, func(b *bench, r *rand.Rand) {
		tr := made(r)
		tr.compiled = map[tile.Device]tile.Executable{}
		for range times {
			if !b.compare(tr) {
				return
			}
			change(tr, r)
			tr.shift(r)
		}
	})
}

// alignedTrial makes a launch up: one dtype or many, in place or not, some inputs one element for all points.
func alignedTrial(r *rand.Rand) *trial {
	lengths := []int{1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 127, 255, 257, 1000, 5003}
	shape := []int{lengths[r.IntN(len(lengths))]}
	if r.IntN(4) == 0 {
		shape = []int{1 + r.IntN(20), 1 + r.IntN(40)}
	}
	all := tile.DTypes()
	d := all[r.IntN(len(all))]
	if r.IntN(5) == 0 {
		d = tile.Float16 // which devices compute in pairs
	}
	var p *tile.Program
	switch r.IntN(4) {
	case 0:
		p = randomExpression(r, len(shape))
	case 1:
		p = randomProgram(r, len(shape), 3+r.IntN(12))
	default:
		nb := tile.NewBuilder("plain", len(shape))
		x, y := nb.Load(d), nb.Load(d)
		if nb.Store(y); r.IntN(2) == 0 {
			nb.Store(nb.Cast(all[r.IntN(len(all))], x))
		}
		op := [...]tile.Opcode{tile.Max, tile.Eq, tile.Ne, tile.Add, tile.Mul}[r.IntN(5)]
		if !op.Accepts(d) {
			op = tile.Ne
		}
		nb.Store(nb.Do(op, x, y))
		if tile.Sub.Accepts(d) && r.IntN(2) == 0 {
			nb.Store(nb.Do(tile.Mul, nb.Do(tile.Sub, x, nb.Uniform(d)), nb.Do(tile.Add, nb.Const(random(r, d)), y)))
		}
		p = nb.Program()
	}
	tr := &trial{program: p, shape: shape}
	for range shape {
		tr.origin = append(tr.origin, r.IntN(1000))
	}
	for _, u := range p.Uniforms {
		tr.uniforms = append(tr.uniforms, random(r, u))
	}
	together, at := r.IntN(3), r.IntN(16)
	for _, param := range p.Params {
		o := order{}
		switch size := param.Type.Size(); together {
		case 0: // the first aligned place is the same for all
			o.shift = at * size
		case 1:
			o.shift = r.IntN(16) / size * size
		default:
			o.shift = r.IntN(16)
		}
		if param.Dir == tile.In && r.IntN(4) == 0 {
			o.same = []int{0, 1}[:len(shape)]
		}
		tr.lay(o, shape, param.Type, func(int) tile.Scalar {
			if param.Dir.Writes() {
				return filler(param.Type)
			}
			return random(r, param.Type)
		})
	}
	last := len(p.Params) - 1
	if p.Params[0].Type == p.Params[last].Type && tr.args[0].strides[0] != 0 && r.IntN(2) == 0 {
		tr.args[last] = tr.args[0]
	}
	return tr
}

// shift moves what a trial touches in its buffers by up to 15 bytes: all by as many, or each by its own.
func (tr *trial) shift(r *rand.Rand) {
	together, by := r.IntN(2) == 0, r.IntN(16)
	for i := range tr.memory {
		if !together {
			by = r.IntN(16)
		}
		tr.memory[i] = append(make([]byte, by), tr.memory[i]...)
		for k := range tr.args {
			if tr.args[k].buffer == i {
				tr.args[k].offset += int64(by)
			}
		}
	}
}
