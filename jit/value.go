package jit

import (
	"slices"

	"weft/tile"
)

// value is what an expression is while it is compiled.
type value struct {
	typ   Type
	in    *instr  // of a Number
	items []value // of a Tuple
	array int     // of an Array: which argument
	index []value // of an Array: the indices of its first axes, as in a[i] of a[i][j]
	cuts  []cut   // of an Array that is a view: what it has of each axis; see views.go
	order []int   // of one that is turned: which of the cuts its axes are; nil for those in their order
	form  *form   // of one that has another shape

	absent *instr // where it is None, of what may be

	constant bool // an Array that cannot be written

	// Of an Object: the name of what is known, a dtype, a function of the unit or of the body, or a string.
	known  string
	dtype  tile.DType
	called *closure
	text   string

	// What is known of an integer or truth value beyond its type.
	number   *number // it is the same for all threads
	position *position
	part     *part   // threadIdx, blockIdx or blockIdx * blockDim
	if_, not []bound // where it is true, false, all of these hold
	pure     bool    // and where all of if_ hold it is true
	purely   bool    // and where all of not hold it is false
}

// part is one of the terms that make up a thread's position.
type part struct {
	axis int
	what partKind
}

type partKind uint8

const (
	threadPart partKind = iota // threadIdx
	blockPart                  // blockIdx
	basePart                   // blockIdx * blockDim
)

// closure is a function with the frame that it was defined in; nil for those of the unit.
type closure struct {
	*function
	outer *frame
}

// literalOf returns what is known of a number while compiling.
func (v value) literalOf() (tile.Scalar, bool) {
	if v.typ.Kind == Number && v.in.op == tile.Const {
		return v.in.lit, true
	}
	return tile.Scalar{}, false
}

// integer returns the literal integer that a value is.
func (v value) integer() (int64, bool) {
	s, ok := v.literalOf()
	if !ok || !s.Type.Is(kindsInteger) {
		return 0, false
	}
	return s.Int(), true
}

// of makes the value of an instruction.
func of(in *instr) value { return value{typ: Of(in.typ), in: in} }

// whole makes the value of a literal int64.
func (l *lower) whole(n int64) value {
	v := of(l.constant(tile.IntScalar(tile.Int64, n)))
	v.number = literal(n)
	return v
}

// shared makes the value of a number of the launch.
func (l *lower) shared(t tile.DType, n *number) value {
	if n.op == literalNumber {
		v := of(l.constant(tile.IntScalar(t, n.n)))
		v.number = n
		return v
	}
	key := t.String() + n.String()
	in := l.shares[key]
	if in == nil {
		l.uniforms = append(l.uniforms, Uniform{Type: t, argument: -1, number: n})
		in = &instr{op: tile.Uniform, typ: t, n: len(l.uniforms) - 1}
		l.shares[key] = in
	}
	v := of(in)
	v.number = n
	return v
}

func tuple(items ...value) value {
	t := Type{Kind: Tuple}
	for _, item := range items {
		t.Items = append(t.Items, item.typ)
	}
	return value{typ: t, items: items}
}

func object(name string) value { return value{typ: Type{Kind: Object, Name: name}, known: name} }

// same reports whether two values are one, so that paths that bring them need no merge.
func same(a, b value) bool {
	if a.typ.Kind != b.typ.Kind || a.in != b.in || a.absent != b.absent || len(a.items) != len(b.items) || a.array != b.array || len(a.index) != len(b.index) || len(a.cuts) != len(b.cuts) ||
		a.known != b.known || a.dtype != b.dtype || a.text != b.text {
		return false
	}
	if !slices.Equal(a.order, b.order) || a.form != b.form || a.typ.enumeration() != b.typ.enumeration() {
		return false
	}
	for i := range a.items {
		if !same(a.items[i], b.items[i]) {
			return false
		}
	}
	for i := range a.index {
		if !same(a.index[i], b.index[i]) {
			return false
		}
	}
	for i, c := range a.cuts {
		d := b.cuts[i]
		if c.whole != d.whole || (c.at == nil) != (d.at == nil) || c.at != nil && !same(*c.at, *d.at) ||
			c.start.in != d.start.in || c.step.in != d.step.in || c.length.in != d.length.in {
			return false
		}
	}
	return a.called == b.called
}
