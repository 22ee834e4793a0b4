package jit

import (
	"maps"
	"slices"

	"weft/tile"
)

// state is what paths may change: names of the frame, and elements.
type state struct {
	vars  names
	cells map[int]*instr
	there map[string]bool // names that may be None, and are not, as paths have found
}

// names are the values of names. A value that is there is never changed: states share them.
type names map[string]*value

func (v names) set(name string, x value) { v[name] = &x }

// of returns what a name is; the zero value for none.
func (v names) of(name string) value {
	x, _ := v.find(name)
	return x
}

func (v names) find(name string) (x value, ok bool) {
	if p := v[name]; p != nil {
		return *p, true
	}
	return value{}, false
}

// unlike lists, in order, the names that are not the very same in both, as those are that neither path has set.
func (v names) unlike(other names) []string {
	var list []string
	for name, x := range v {
		if other[name] != x {
			list = append(list, name)
		}
	}
	for name := range other {
		if v[name] == nil {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// set gives a name of the frame a value. The names are those that the frame has when the value is known, which paths on
// the way to it may have replaced.
func (f *frame) set(name string, x value) { f.vars.set(name, x) }

func (l *lower) state() state    { return state{maps.Clone(l.frame.vars), maps.Clone(l.cells), nil} }
func (l *lower) restore(s state) { l.frame.vars, l.cells = maps.Clone(s.vars), maps.Clone(s.cells) }

// choose walks an if statement. Where a kernel does nothing else than what one of the branches does, the condition may
// be one on the bounds.
func (l *lower) choose(n *Node, then, els []*Node) {
	c := l.decided(func() value { return l.test(n.Kids[0]) })
	if l.spine && l.tail && len(l.cells) == 0 {
		switch {
		case len(c.if_) > 0 && idle(els):
			l.bounds = append(l.bounds, c.if_...)
			if c.pure {
				l.run(then)
				return
			}
		case len(c.not) > 0 && idle(then):
			l.bounds = append(l.bounds, c.not...)
			if c.purely {
				l.run(els)
				return
			}
		}
	}
	l.branch(n, c, func() { l.run(then) }, func() { l.run(els) })
}

// idle reports whether statements do nothing, or only end the kernel.
func idle(list []*Node) bool {
	for _, n := range list {
		if n.Kind == "return" {
			return len(n.Kids) == 0
		}
		if n.Kind != "pass" {
			return false
		}
	}
	return true
}

// branch walks two paths, of which a thread takes one.
func (l *lower) branch(n *Node, c value, then, els func()) {
	if s, known := c.literalOf(); known {
		if s.Bits[0] != 0 {
			then()
		} else {
			els()
		}
		return
	}
	tail := l.tail
	l.tail = false
	before := l.state()
	in := &instr{op: tile.If, typ: tile.Bool, args: []*instr{c.in}}
	var one, two state
	in.first = l.within(func() { l.assume(c.in, true, func() { then(); one = l.found() }) })
	l.restore(before)
	in.second = l.within(func() { l.assume(c.in, false, func() { els(); two = l.found() }) })
	l.out.add(in)
	l.tail = tail
	l.restore(before)
	for _, name := range one.vars.unlike(two.vars) {
		a, hasA := one.vars.find(name)
		b, hasB := two.vars.find(name)
		switch {
		case b.typ.Kind == Array && !hasA || a.typ.Kind == Array && !hasB: // it is of no use behind the path that sets it
			delete(l.frame.vars, name)
			continue
		case !hasA:
			a = l.zero(b)
			l.frame.loose(name, joinedLoose)
		case !hasB:
			b = l.zero(a)
			l.frame.loose(name, joinedLoose)
		}
		if !same(a, b) {
			if one.there[name] {
				a = a.bare()
			}
			if two.there[name] {
				b = b.bare()
			}
		}
		l.frame.set(name, l.join(n, in, name, a, b))
	}
	for _, e := range slices.Sorted(maps.Keys(joined(one.cells, two.cells))) {
		a, b := l.cellOf(one, e), l.cellOf(two, e)
		if a != b {
			a = merge(in, a, b)
		}
		l.cells[e] = a
	}
}

func joined[K comparable, V any](a, b map[K]V) map[K]V {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// zero is what a name is on a path that does not set it. Objects are the same there.
func (l *lower) zero(v value) value {
	switch v.typ.Kind {
	case Number:
		return of(l.constant(tile.Scalar{Type: v.typ.DType}))
	case Tuple:
		items := make([]value, len(v.items))
		for i, item := range v.items {
			items[i] = l.zero(item)
		}
		return like(v.typ, items...)
	case None:
		return none()
	}
	return v.bare()
}

// join is a name's value behind an If that ends in a and b.
func (l *lower) join(n *Node, in *instr, name string, a, b value) value {
	if same(a, b) {
		return a
	}
	if a.typ.Kind == Array && b.typ.Kind == Array && (a.absent != nil || b.absent != nil) {
		return maybe(l.join(n, in, name, a.bare(), b.bare()), l.joinAbsence(in, a, b))
	}
	if v, ok := l.joinViews(in, a, b); ok {
		return v
	}
	t := l.unified(n, name, a.typ, b.typ)
	if t.Maybe && !(joinable(a) && joinable(b)) {
		l.cannotUnify(n, name, a.typ, b.typ)
	}
	return l.joinAs(in, t, a, b)
}

// joinViews joins two views of one array that have the same axes of it; ok is false for others.
func (l *lower) joinViews(in *instr, a, b value) (v value, ok bool) {
	if a.typ.Kind != Array || a.array != b.array || a.typ.String() != b.typ.String() || len(a.index) != len(b.index) || len(a.cuts) != len(b.cuts) ||
		a.form != b.form || !slices.Equal(a.order, b.order) {
		return v, false
	}
	for i, c := range a.cuts {
		if d := b.cuts[i]; (c.at == nil) != (d.at == nil) || c.whole != d.whole {
			return v, false
		}
	}
	one := func(x, y value) value {
		if same(x, y) {
			return x
		}
		return l.joinAs(in, Of(tile.Int64), x, y)
	}
	v = a
	v.index, v.cuts = slices.Clone(a.index), slices.Clone(a.cuts)
	for i, x := range a.index {
		v.index[i] = one(x, b.index[i])
	}
	for i, c := range a.cuts {
		switch d := b.cuts[i]; {
		case c.at != nil:
			at := one(*c.at, *d.at)
			v.cuts[i].at = &at
		case !c.whole:
			v.cuts[i] = cut{start: one(c.start, d.start), step: one(c.step, d.step), length: one(c.length, d.length)}
		}
	}
	return v, true
}

func (l *lower) joinAs(in *instr, t Type, a, b value) value {
	if t.Maybe {
		return l.joinMaybe(in, t, a, b)
	}
	if t.Kind == Tuple {
		items := make([]value, len(t.Items))
		for i := range items {
			items[i] = l.joinAs(in, t.Items[i], a.items[i], b.items[i])
		}
		return like(t, items...)
	}
	if same(a, b) || t.Kind != Number {
		return a
	}
	x, y := l.asIn(in.first, t.DType, a.in), l.asIn(in.second, t.DType, b.in)
	if x == y {
		return of(x)
	}
	return of(merge(in, x, y))
}

// asIn converts a value at the end of a block.
func (l *lower) asIn(b *block, t tile.DType, in *instr) *instr {
	outer := l.out
	l.out = b
	made := l.as(t, in)
	l.out = outer
	return made
}

// unified returns the type of a name that is of one type on one path and of another on the other.
func (l *lower) unified(n *Node, name string, a, b Type) Type {
	switch {
	case a.Kind == None && b.Kind == None:
		a.Maybe = a.Maybe || b.Maybe
		return a
	case a.Kind == None && b.mayBeNone():
		b.Maybe = true
		return b
	case b.Kind == None && a.mayBeNone():
		a.Maybe = true
		return a
	case a.Maybe || b.Maybe:
		t := l.unified(n, name, a.bare(), b.bare())
		t.Maybe = true
		return t
	case a.Kind == Number && b.Kind == Number:
		return Of(unify(a.DType, b.DType))
	case a.Kind == Tuple && b.Kind == Tuple && len(a.Items) == len(b.Items) && a.enumeration() == b.enumeration():
		t := Type{Kind: Tuple}
		if a.Name == b.Name && slices.Equal(a.Names, b.Names) {
			t.Name, t.Names = a.Name, a.Names
		}
		for i := range a.Items {
			t.Items = append(t.Items, l.unified(n, name, a.Items[i], b.Items[i]))
		}
		return t
	}
	l.cannotUnify(n, name, a, b)
	return Type{}
}

func (l *lower) cannotUnify(n *Node, name string, a, b Type) {
	what := "'" + name + "'"
	if name == result {
		what = "the value that is returned"
	}
	l.fail(n, typing, "Give the name values of one type on all paths.", "Cannot unify %v and %v for %s", a, b, what)
}

// looseness is what a loop's body does with a name that has no value before the loop.
type looseness uint8

const (
	setFirst    looseness = iota // it sets it in each turn, before all else
	joinedLoose                  // it sets it on some paths only
	readLoose                    // it reads it first
)

// loose notes what the loops around do with a name.
func (f *frame) loose(name string, how looseness) {
	if was, in := f.unset[name]; in && name != result {
		f.unset[name] = max(was, how)
	}
}

// maxTries bounds how often a loop's body is walked: types only grow, and there are few.
const maxTries = 24

// loop walks a loop. before of its first turn, the names have the values of the frame; names lists those that the body
// sets.
func (l *lower) loop(n *Node, names []string, condition func() value, body func()) {
	before := l.state()
	names = l.withFlags(names)
	types := map[string]Type{}
	seeds := map[string]value{} // for names without a value before the loop that a turn may take from the one before
	around := l.frame.unset
	unset := maps.Clone(around)
	if unset == nil {
		unset = map[string]looseness{}
	}
	for _, name := range names {
		if _, ok := before.vars.find(name); !ok {
			unset[name] = setFirst
		}
	}
	l.frame.unset = unset
	defer func() { l.frame.unset = around }()
	elements := map[int]bool{} // those that the body writes
	tail := l.tail
	l.tail = false
	defer func() { l.tail = tail }()
	guess := false
	for range maxTries {
		l.restore(before)
		in := &instr{op: tile.Loop, typ: tile.Bool}
		carried := map[string]value{}
		open := 0
		for _, name := range names {
			v, ok := before.vars.find(name)
			if !ok {
				v, ok = seeds[name]
			}
			if !ok || !v.typ.carries() {
				continue
			}
			t, grown := types[name]
			switch {
			case grown:
			case v.typ.Kind == None:
				t = opening
				open = 1
			default:
				t = v.typ
			}
			carried[name] = l.carryAs(in, t, v)
			l.frame.set(name, carried[name])
		}
		cells := map[int]*instr{}
		for _, e := range slices.Sorted(maps.Keys(elements)) {
			cells[e] = carry(in, l.cellOf(before, e))
			l.cells[e] = cells[e]
		}
		in.args = []*instr{nil}
		guesses, skipped := l.guesses, l.skipped
		l.guesses = guesses || guess
		l.open += open
		in.first = l.within(func() {
			in.args[0] = l.decided(func() value { return l.condition(n, condition()) }).in
		})
		in.second = l.within(func() { l.assume(in.args[0], true, body) })
		l.open -= open
		l.guesses = guesses
		stable := true
		for _, name := range names {
			end, ok := l.frame.vars.find(name)
			first, was := carried[name]
			old, had := before.vars.find(name)
			switch {
			case !ok || !was && had && old.typ.Kind == Object && end.typ.Kind == Object:
			case !was && had:
				switch {
				case same(old, end):
				case old.typ.String() == end.typ.String():
					l.fail(n, unsupported, "Write the turns out, or choose between the elements.",
						"the name %s is given to another %v within a loop, which is not supported", name, old.typ)
				default:
					l.cannotUnify(n, name, old.typ, end.typ)
				}
			case was:
				t := l.unified(n, name, first.typ, end.typ)
				if t.Maybe && !joinable(end) || !t.carries() {
					l.cannotUnify(n, name, first.typ, end.typ)
				}
				if t.String() != first.typ.String() {
					types[name], stable = t, false
				} else {
					l.close(in, t, first, end)
				}
			case end.typ.Kind == None && name == result && l.depth > 0:
				seeds[name], stable = none(), false
			case (end.typ.Kind == Number || end.typ.Kind == Tuple) && end.typ.carries():
				if unset[name] != setFirst {
					seeds[name], stable = l.zero(end), false
					continue
				}
				first = l.carryAs(in, end.typ, l.zero(end))
				l.close(in, end.typ, first, end)
				carried[name] = first
			case unset[name] == readLoose:
				l.cannotUnify(n, name, Of(tile.Bool), end.typ)
			}
		}
		for e, end := range l.cells {
			switch first := cells[e]; {
			case first != nil:
				first.args[1] = end
			case end != before.cells[e]:
				elements[e], stable = true, false
			}
		}
		if stable && l.skipped > skipped && l.open == 0 { // no turn sets it
			guess, stable = true, false
		}
		if !stable {
			continue
		}
		for name := range around { // a loop of no turns leaves what a turn of the one around has left before
			if how := unset[name]; how != setFirst || slices.Contains(names, name) {
				l.frame.unset = around
				l.frame.loose(name, max(how, joinedLoose))
			}
		}
		ended := l.frame.vars
		l.restore(before)
		l.out.add(in)
		for name, v := range ended { // functions and the like that the body has defined
			if v.typ.Kind == Object {
				l.frame.vars[name] = v
			}
		}
		for name, v := range carried {
			if v.typ.Kind == None { // it was in all turns
				v = none()
			}
			l.frame.set(name, v)
		}
		maps.Copy(l.cells, cells)
		return
	}
	l.fail(n, typing, "", "the types of what the loop sets do not settle")
}

// carryAs makes the carries of a name.
func (l *lower) carryAs(in *instr, t Type, v value) value {
	switch {
	case t.Maybe:
		return l.carryMaybe(in, t, v)
	case t.Kind == None:
		return none()
	}
	if t.Kind != Tuple {
		return of(carry(in, l.as(t.DType, v.in)))
	}
	items := make([]value, len(t.Items))
	for i := range items {
		items[i] = l.carryAs(in, t.Items[i], v.items[i])
	}
	return like(t, items...)
}

// close says what the carries of a name are in the next turn.
func (l *lower) close(in *instr, t Type, first, end value) {
	switch {
	case t.Maybe:
		l.closeMaybe(in, t, first, end)
		return
	case t.Kind == None:
		return
	}
	if t.Kind != Tuple {
		first.in.args[1] = l.asIn(in.second, t.DType, end.in)
		return
	}
	for i := range t.Items {
		l.close(in, t.Items[i], first.items[i], end.items[i])
	}
}

// while walks a while statement.
func (l *lower) while(n *Node) {
	test, body := n.Kids[0], n.Kids[1].Kids
	l.turns(n, assigned([]*Node{n}), body, func() value { return l.test(test) }, func() {}, func() {})
}

// turns walks a loop with what Python adds to one: break, continue, return and else. before runs at the beginning of a
// turn, after at its end.
func (l *lower) turns(n *Node, names []string, body []*Node, test func() value, before, after func()) {
	vars, at := l.frame.vars, l.line
	outerBroken, hadBroken := vars.find(broken)
	outerContinued, hadContinued := vars.find(continued)
	flags := escapes(body)
	breaks, returns := slices.Contains(flags, broken), slices.Contains(flags, returned)
	vars.set(broken, l.truth(false))
	if breaks {
		names = append(names, broken)
	}
	if returns {
		names = append(names, returned, result)
	}
	gone := func() value {
		g := l.truth(false)
		if breaks {
			g = l.any(g, l.frame.vars.of(broken))
		}
		if returns {
			g = l.any(g, l.frame.vars.of(returned))
		}
		return g
	}
	l.loop(n, names, func() value {
		l.line = at
		return l.pick(n, gone(), func() value { return l.truth(false) }, test)
	}, func() {
		l.frame.set(continued, l.truth(false))
		before()
		l.run(body)
		l.line = at
		after()
	})
	if otherwise := n.Kids[len(n.Kids)-1].Kids; len(otherwise) > 0 {
		l.branch(n, gone(), func() {}, func() { l.run(otherwise) })
	}
	for _, f := range []struct {
		name string
		v    value
		had  bool
	}{{broken, outerBroken, hadBroken}, {continued, outerContinued, hadContinued}} {
		if f.had {
			l.frame.set(f.name, f.v)
		} else {
			delete(l.frame.vars, f.name)
		}
	}
}

// pick is an expression that has one of two values, of which only one is computed.
func (l *lower) pick(n *Node, c value, x, y func() value) value {
	const name = "pick?"
	l.branch(n, c, func() { l.frame.set(name, x()) }, func() { l.frame.set(name, y()) })
	v := l.frame.vars.of(name)
	delete(l.frame.vars, name)
	return v
}
