package ptx

import "weft/tile"

// Where a program adds, subtracts and multiplies numbers of float16 alone, the vector form computes two at once.
// Rounding the float32 result to half gives the same bits: a sum or product of two halves that is rounded to float32's
// 24 bits, which are at least 2*11+2, rounds to half as the exact one does.

// pairs is the table of what is computed in pairs.
var pairs = map[tile.Opcode]string{tile.Add: "add.rn.f16x2", tile.Sub: "sub.rn.f16x2", tile.Mul: "mul.rn.f16x2", tile.Neg: "neg.f16x2"}

// paired reports whether a program is computed in pairs.
func paired(p *tile.Program) bool {
	for i := range p.Code {
		in := &p.Code[i]
		switch in.Op {
		case tile.Load, tile.Const, tile.Uniform, tile.Store:
		default:
			if pairs[in.Op] == "" {
				return false
			}
		}
		if in.Type != tile.Float16 {
			return false
		}
	}
	return true
}

// twice puts a number into both halves of a word.
func (c *code) twice(v value) string {
	h := c.to(half, "cvt.rn.f16.f32", v.r[0])
	return c.word("mov.b32", "{"+h+", "+h+"}")
}

// pair emits the program for word number m of each operand.
func (x *vector) pair(loaded []packed, m int) (words []string) {
	words = make([]string, len(x.p.Code))
	for v := range x.p.Code {
		in := &x.p.Code[v]
		switch in.Op {
		case tile.Const, tile.Uniform:
			words[v] = x.pairsOf[v]
		case tile.Load:
			if words[v] = x.pairsOf[v]; words[v] == "" {
				words[v] = loaded[in.N].parts[m]
			}
		case tile.Store:
			words[v] = words[in.Args[0]]
		default:
			if !x.quiet {
				x.comment(x.p.InstrString(tile.Value(v)))
			}
			var args []string
			for _, a := range in.Operands() {
				args = append(args, words[a])
			}
			words[v] = x.word(pairs[in.Op], args...)
		}
	}
	x.quiet = true
	return words
}

// pairsAt emits the program for all pairs of a vector, and its stores.
func (x *vector) pairsAt(at []string, loaded []packed) {
	results := make([][]string, len(x.p.Code)) // by store
	for m := range int(x.v.Vector) / 2 {
		for v, w := range x.pair(loaded, m) {
			if x.p.Code[v].Op == tile.Store {
				results[v] = append(results[v], w)
			}
		}
	}
	for v, words := range results {
		if words != nil {
			x.storeParts(at[x.p.Code[v].N], "u32", 4, words)
		}
	}
}

// preparePairs makes pairs of what is the same for all points.
func (x *vector) preparePairs() {
	x.pairsOf = make([]string, len(x.p.Code))
	for v := range x.p.Code {
		switch in := &x.p.Code[v]; {
		case in.Op == tile.Const || in.Op == tile.Uniform:
			x.pairsOf[v] = x.twice(x.values[v])
		case in.Op == tile.Load && x.v.Same.Has(int(in.N)):
			x.pairsOf[v] = x.twice(x.same[in.N])
		}
	}
}
