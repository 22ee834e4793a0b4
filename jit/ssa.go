package jit

import (
	"maps"
	"slices"

	"weft/tile"
)

// instr is one instruction of the tree that a lowering makes: a value, or a block. The opcodes are tile's. Which fields
// mean something beyond them:
//
//	Const    lit                          belongs to no block: emitting it comes first
//	Uniform  n = position in lower.uniforms   likewise
//	Index    n = axis of the grid         likewise
//	Load     n = position in lower.elements, args = the indices as int64
//	Gather   n = array, args = indices
//	If       args[0] = condition, first and second = its branches, joins = its merges
//	Loop     first = what computes args[0], the condition; second = the body; joins = its carries
//	Merge    args = a value for each branch, of = the If
//	Thread   form                         belongs to no block either; it and what follows are for threads
//	Element, Put, Atomic, Cas   n = argument, or the complement of a position in lower.scratches; args as tile has them
//	Fail     n = position in lower.messages
//	Carry    args = the value at first and in the next turn, of = the Loop
type instr struct {
	op            tile.Opcode
	typ           tile.DType
	args          []*instr
	lit           tile.Scalar
	n             int
	form          tile.Form // of what stands in programs of threads alone
	line          place
	of            *instr
	joins         []*instr
	first, second *block
}

// place is a line of a source file, where an instruction comes from.
type place struct {
	file string
	line int
}

// block is a straight line of instructions, some of which hold blocks.
type block struct {
	code   []*instr
	outer  *block
	scalar map[scalarKey]*instr // what has been computed in it
}

// scalarKey tells what scalar code computes.
type scalarKey struct {
	op   tile.Opcode
	typ  tile.DType
	args [3]*instr
}

// computed finds an instruction that has computed the same before.
func (b *block) computed(k scalarKey) *instr {
	for ; b != nil; b = b.outer {
		if in := b.scalar[k]; in != nil {
			return in
		}
	}
	return nil
}

func (b *block) add(in *instr) *instr {
	b.code = append(b.code, in)
	return in
}

// take adds what was made aside.
func (b *block) take(made *block) {
	b.code = append(b.code, made.code...)
	if b.scalar == nil {
		b.scalar = made.scalar
		return
	}
	maps.Copy(b.scalar, made.scalar)
}

// within has what f adds go to a block of its own.
func (l *lower) within(f func()) *block {
	outer, spine := l.out, l.spine
	l.out, l.spine = &block{outer: outer}, false
	f()
	made := l.out
	l.out, l.spine = outer, spine
	return made
}

// constant returns the instruction of a literal; there is one for each.
func (l *lower) constant(s tile.Scalar) *instr {
	in := l.constants[s]
	if in == nil {
		in = &instr{op: tile.Const, typ: s.Type, lit: s}
		l.constants[s] = in
	}
	return in
}

// do adds an instruction of a scalar opcode on operands of one dtype. What it gives for literals is a literal.
func (l *lower) do(op tile.Opcode, args ...*instr) *instr {
	of := args[0].typ
	if op == tile.Select {
		of = args[1].typ
	}
	return l.compute(op, op.Result(of), args)
}

func (l *lower) compute(op tile.Opcode, result tile.DType, args []*instr) *instr {
	if !slices.ContainsFunc(args, func(a *instr) bool { return a.op != tile.Const }) {
		known := make([]tile.Scalar, len(args))
		for i, a := range args {
			known[i] = a.lit
		}
		return l.constant(tile.Eval(op, result, known...))
	}
	k := scalarKey{op: op, typ: result}
	if copy(k.args[:], args) < len(args) {
		return l.out.add(&instr{op: op, typ: result, args: args, line: l.line})
	}
	in := l.out.computed(k)
	if in == nil {
		in = l.out.add(&instr{op: op, typ: result, args: args, line: l.line})
		if l.out.scalar == nil {
			l.out.scalar = map[scalarKey]*instr{}
		}
		l.out.scalar[k] = in
	}
	return in
}

// as converts an instruction's value.
func (l *lower) as(t tile.DType, in *instr) *instr {
	if in.typ == t {
		return in
	}
	return l.compute(tile.Cast, t, []*instr{in})
}

// merge adds a merge to an If.
func merge(of, x, y *instr) *instr {
	m := &instr{op: tile.Merge, typ: x.typ, args: []*instr{x, y}, of: of}
	of.joins = append(of.joins, m)
	return m
}

// carry adds a carry to a Loop, whose next value is not known yet.
func carry(of, first *instr) *instr {
	c := &instr{op: tile.Carry, typ: first.typ, args: []*instr{first, nil}, of: of}
	of.joins = append(of.joins, c)
	return c
}
