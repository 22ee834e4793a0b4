package jit

import (
	"maps"
	"slices"

	"weft/tile"
)

// A value that is None on some paths is its number, or zero there, and a truth value that says where it is absent:
//
//	best = None                    in: 0      absent: true
//	for x in a:
//	    if best is None or x < best:          reads absent alone
//	        best = x               in: x      absent: false
//	                               in: carry  absent: carry
//
// What needs the number checks that it is there, unless the paths that lead to it have looked.

// bare is a type without None.
func (t Type) bare() Type {
	t.Maybe = false
	return t
}

// bare is a value where it is there.
func (v value) bare() value {
	v.typ, v.absent = v.typ.bare(), nil
	return v
}

// absence is where a value is None.
func (l *lower) absence(v value) *instr {
	if v.absent != nil {
		return v.absent
	}
	return l.constant(tile.BoolScalar(v.typ.Kind == None))
}

// maybe makes a value that is None where absent is.
func maybe(v value, absent *instr) value {
	v.typ.Maybe, v.absent = true, absent
	return v
}

// opening is a name that is None before a loop: of what other type it is in later turns is not known yet.
var opening = Type{Kind: None, Maybe: true}

// here is a value where it is not None; the thread fails where it is.
func (l *lower) here(n *Node, v value) value {
	if v.absent == nil {
		return v
	}
	there := v.bare()
	if v.typ.Kind == None {
		if !l.guesses {
			panic(undecided{})
		}
		there = l.truth(false) // of the type that becomes any other
	}
	gone, known := of(v.absent).literalOf()
	if !known {
		gone, known = l.holds[v.absent]
	}
	switch {
	case known && gone.Bits[0] == 0:
	case l.threads:
		l.branch(n, of(v.absent), func() { l.failWith(n, "TypeError", "expected "+there.typ.String()+", got None", nil) }, func() {})
	default:
		l.fail(n, unsupported, "Test it with 'is None' first.", "a use of %v where it may be None is not supported here", v.typ)
	}
	return there
}

// undecided is the panic of what wants to know the type of a name of which none but None is known yet.
type undecided struct{}

// attempt walks a statement that may want it. Then the statement is left out of this walk: what the others set says
// what the type is in the next.
func (l *lower) attempt(walk func()) {
	if l.open == 0 || l.guesses {
		walk()
		return
	}
	before, holds := l.state(), maps.Clone(l.holds)
	out, spine, tail, path, naming, line, depth, frame := l.out, l.spine, l.tail, l.path, l.naming, l.line, l.depth, l.frame
	open, guesses := l.open, l.guesses
	defer func() {
		switch r := recover().(type) {
		case nil:
		case undecided:
			l.out, l.spine, l.tail, l.path, l.naming, l.line, l.depth, l.frame = out, spine, tail, path, naming, line, depth, frame
			l.holds, l.open, l.guesses = holds, open, guesses
			l.restore(before)
			l.skipped++
		default:
			panic(r)
		}
	}()
	walk()
}

// decided walks a condition in the same way: what stands under it is walked all the same.
func (l *lower) decided(walk func() value) value {
	v := of(&instr{op: tile.Carry, typ: tile.Bool})
	l.attempt(func() { v = walk() })
	return v
}

// present is a value of which neither itself nor an item is None.
func (l *lower) present(n *Node, v value) value {
	v = l.here(n, v)
	if v.typ.Kind != Tuple || !slices.ContainsFunc(v.typ.Items, func(t Type) bool { return t.Maybe || t.Kind == Tuple }) {
		return v
	}
	items := make([]value, len(v.items))
	for i, item := range v.items {
		items[i] = l.present(n, item)
	}
	return like(v.typ, items...)
}

// assume walks something where a condition is known to hold, or not to.
func (l *lower) assume(c *instr, holds bool, walk func()) {
	var learnt []*instr
	var learn func(c *instr, holds bool)
	learn = func(c *instr, holds bool) {
		if _, known := l.holds[c]; known {
			return
		}
		l.holds[c] = tile.BoolScalar(holds)
		learnt = append(learnt, c)
		switch {
		case c.op == tile.Not:
			learn(c.args[0], !holds)
		case c.op == tile.And && holds, c.op == tile.Or && !holds:
			learn(c.args[0], holds)
			learn(c.args[1], holds)
		}
	}
	learn(c, holds)
	walk()
	for _, c := range learnt {
		delete(l.holds, c)
	}
}

// joinMaybe joins two values of which one may be None.
func (l *lower) joinMaybe(in *instr, t Type, a, b value) value {
	there := func(v, other value) value {
		if v.typ.Kind == None && t.Kind != None {
			return l.zero(other.bare())
		}
		return v.bare()
	}
	return maybe(l.joinAs(in, t.bare(), there(a, b), there(b, a)), l.joinAbsence(in, a, b))
}

func (l *lower) joinAbsence(in *instr, a, b value) *instr {
	x, y := l.absence(a), l.absence(b)
	if x == y {
		return x
	}
	return merge(in, x, y)
}

// found is the state at the end of a path, with what it has found out.
func (l *lower) found() state {
	s := l.state()
	for name, v := range s.vars {
		if gone, known := l.holds[v.absent]; v.absent != nil && known && gone.Bits[0] == 0 {
			if s.there == nil {
				s.there = map[string]bool{}
			}
			s.there[name] = true
		}
	}
	return s
}

// carryMaybe makes the carries of a name that may be None.
func (l *lower) carryMaybe(in *instr, t Type, v value) value {
	absent := carry(in, l.absence(v))
	switch {
	case t.Kind == None:
		return maybe(none(), absent)
	case v.typ.Kind == None:
		return maybe(l.carryAs(in, t.bare(), l.zeroOf(t)), absent)
	}
	return maybe(l.carryAs(in, t.bare(), v.bare()), absent)
}

// closeMaybe says what they are in the next turn.
func (l *lower) closeMaybe(in *instr, t Type, first, end value) {
	first.absent.args[1] = l.absence(end)
	switch {
	case t.Kind == None:
	case end.typ.Kind == None:
		l.close(in, t.bare(), first.bare(), l.zeroOf(t))
	default:
		l.close(in, t.bare(), first.bare(), end.bare())
	}
}

// carries reports whether names of a type may change within a loop.
func (t Type) carries() bool {
	return t.Kind == Number || t.Kind == None || t.Kind == Tuple && !slices.ContainsFunc(t.Items, func(item Type) bool { return !item.carries() })
}

// mayBeNone reports whether names of a type may also be None.
func (t Type) mayBeNone() bool { return t.Kind == Number || t.Kind == Tuple || t.Kind == Array }

// joinable reports whether a value means the same behind the path that makes it, beside one that makes None: whole
// arrays do, and parts of them, whose indices are that path's, do not.
func joinable(v value) bool {
	if v.typ.Kind == Array {
		return v.index == nil && v.cuts == nil && v.form == nil && v.order == nil
	}
	return !slices.ContainsFunc(v.items, func(item value) bool { return !joinable(item) })
}

// zeroOf is the zero of a type of numbers and tuples of these, which may be None.
func (l *lower) zeroOf(t Type) value {
	switch t.Kind {
	case None:
		return none()
	case Number:
		return of(l.constant(tile.Scalar{Type: t.DType}))
	}
	items := make([]value, len(t.Items))
	for i, item := range t.Items {
		items[i] = l.zeroOf(item)
	}
	return like(t, items...)
}
