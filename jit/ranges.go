package jit

import (
	"slices"

	"weft/tile"
)

// each walks a for statement: over a range, a tuple, or an array of one axis.
func (l *lower) each(n *Node) {
	target, over, body := n.Kids[0], n.Kids[1], n.Kids[2].Kids
	if name := l.called(over); name == "builtins.range" || name == "numba.prange" {
		l.overRange(n, target, over, body)
		return
	}
	items, s := l.iterated(over)
	if s == nil {
		l.overTuple(n, target, items, body)
		return
	}
	names := append([]string{"at?"}, assigned([]*Node{n})...)
	l.count(n, names, body, l.whole(0), s.length, l.whole(1), func(at value) { l.assign(target, s.item(at)) })
}

// overTuple walks the body once for each item.
func (l *lower) overTuple(n, target *Node, items []value, body []*Node) {
	if escaping := escapes(body); slices.Contains(escaping, broken) || slices.Contains(escaping, continued) {
		l.fail(n, unsupported, "Loop over a range.", "break and continue in a loop over a tuple")
	}
	for i, item := range items {
		l.assign(target, item)
		l.run(body)
		if len(escapes(body)) == 0 {
			continue
		}
		l.branch(n, l.frame.vars.of(returned), func() {}, func() { l.overTuple(n, target, items[i+1:], body) })
		return
	}
	l.run(n.Kids[3].Kids)
}

func (l *lower) overRange(n, target, over *Node, body []*Node) {
	args := l.arguments(over)
	if len(args) < 1 || len(args) > 3 {
		l.fail(over, "TypeError", "", "range takes 1 to 3 arguments (%d given)", len(args))
	}
	start, end, step, t := l.limits(over, over.Kids[1].Kids, args)
	if l.stride(n, target, start, end, step, body) {
		return
	}
	names := append([]string{"at?"}, assigned([]*Node{n})...)
	l.count(n, names, body, l.convert(t, start), l.convert(t, end), l.convert(t, step), func(at value) { l.assign(target, at) })
}

// limits are start, end and step of a range with these arguments, and the dtype of its numbers: int32 or uint64 where
// all arguments have it, otherwise int64.
func (l *lower) limits(n *Node, nodes []*Node, args []value) (start, end, step value, t tile.DType) {
	for i, a := range args {
		if a.typ.Kind != Number || !a.typ.DType.Is(tile.KindInt|tile.KindUint) {
			l.fail(nodes[i], typing, "Convert it with int(...).", "range takes integers, not %v", a.typ)
		}
		if t == tile.Invalid || t == a.typ.DType {
			t = a.typ.DType
		} else {
			t = tile.Int64
		}
	}
	if t != tile.Int32 && t != tile.Uint64 {
		t = tile.Int64
	}
	start, step = l.whole(0), l.whole(1)
	end = args[0]
	if len(args) > 1 {
		start, end = args[0], args[1]
	}
	if len(args) > 2 {
		step = args[2]
	}
	s, known := step.integer()
	switch {
	case known && s == 0:
		l.fail(n, "ValueError", "", noStep)
	case !known && (step.number == nil || !slices.Contains([]numberOp{threadsNumber, blockNumber, blocksNumber}, step.number.op)): // which are not zero
		end = l.stepping(n, start, end, step, t)
	}
	return start, end, step, t
}

const noStep = "range() arg 3 must not be zero"

// stepping has a thread fail whose step is zero. A lane cannot: what a kernel does behind such a range would be done
// all the same. So of a kernel it is looked at the step at the launch, and where it is not known then, threads run it.
// An elementwise function takes no turn.
func (l *lower) stepping(n *Node, start, end, step value, t tile.DType) value {
	if l.kernel {
		if step.number == nil {
			l.fail(n, unsupported, "Write a number, or have it an argument.", "a range whose step is not known at the launch")
		}
		l.premises = append(l.premises, premise{n, step.number, func(k int64) bool { return k != 0 }, noStep})
		return end
	}
	zero := of(l.do(tile.Eq, step.in, l.constant(tile.Scalar{Type: step.in.typ})))
	if !l.threads {
		return l.choice(zero, l.convert(t, start), l.convert(t, end))
	}
	l.branch(n, zero, func() { l.failWith(n, "ValueError", noStep, nil) }, func() {})
	return end
}

// premise is what a kernel whose threads are lanes takes for granted of a number of the launch.
type premise struct {
	node   *Node
	number *number
	holds  func(k int64) bool
	wrong  string // where it does not hold
}

// checkPremises leaves a launch to threads where one does not hold, which fail when they come to it.
func (k *Kernel) checkPremises(f *Facts) {
	for _, p := range k.lower.premises {
		if !p.holds(p.number.value(f)) {
			k.lower.fail(p.node, unsupported, "", "%s", p.wrong)
		}
	}
}

// convert is a value as another dtype, with what is known of it.
func (l *lower) convert(t tile.DType, v value) value {
	made := v
	made.typ, made.in = Of(t), l.as(t, v.in)
	if t != tile.Int64 && t != v.typ.DType { // the value may be another one
		made.position, made.part, made.number = nil, nil, nil
		if n, known := made.integer(); known && t != tile.Uint64 {
			made.number = literal(n)
		}
	}
	return made
}

// mayWrap reports whether a step of a range may lead past the end of its dtype: not where it is 1 or -1, nor where
// neither the end nor the step is in the outer half of the dtype.
func mayWrap(end, step value) bool {
	s, known := step.integer()
	return (!known || s != 1 && (s != -1 || step.typ.DType.Is(tile.KindUint))) && (outer(end) || outer(step))
}

// outer reports whether an integer may be in the outer half of its dtype.
func outer(v value) bool {
	t := v.typ.DType
	most := int64(1) << (8*t.Size() - 2)
	switch n, known := v.integer(); {
	case known:
		return n > most || n < -most || n < 0 && t.Is(tile.KindUint)
	case v.number != nil && bounded(v.number):
		return t.Size() < 8
	}
	return v.in.op != tile.Cast || v.in.args[0].typ.Size() >= t.Size()
}

// bounded reports whether memory or a device bounds a number, or one that is a literal less or more, far within 64
// bits.
func bounded(n *number) bool {
	switch n.op {
	case extentNumber, threadsNumber, blockNumber, blocksNumber:
		return true
	case addNumber, subNumber:
		return n.y.op == literalNumber && n.y.n == int64(int32(n.y.n)) && bounded(n.x)
	}
	return false
}

// count walks a loop that counts from start to end; set is given the count of each turn. A step past
// the end of the dtype begins at its other end: the loop ends with that.
func (l *lower) count(n *Node, names []string, body []*Node, start, end, step value, set func(at value)) {
	const name = "at?"
	outer, had := l.frame.vars.find(name)
	start.number, start.position, start.part = nil, nil, nil
	l.frame.set(name, start)
	wraps := mayWrap(end, step)
	below := func(a, b *instr) value { // in the direction of the step
		s, known := step.integer()
		switch {
		case known && s > 0, step.typ.DType.Is(tile.KindUint):
			return of(l.do(tile.Lt, a, b))
		case known:
			return of(l.do(tile.Gt, a, b))
		}
		up := of(l.do(tile.Gt, step.in, l.constant(tile.Scalar{Type: step.in.typ})))
		return l.choice(up, of(l.do(tile.Lt, a, b)), of(l.do(tile.Gt, a, b)))
	}
	l.turns(n, names, body, func() value {
		return below(l.frame.vars.of(name).in, end.in)
	}, func() {
		set(of(l.frame.vars.of(name).in))
	}, func() {
		at := l.frame.vars.of(name).in
		next := of(l.do(tile.Add, at, step.in))
		if wraps {
			next = l.choice(below(next.in, at), end, next)
		}
		l.frame.set(name, next)
	})
	if delete(l.frame.vars, name); had {
		l.frame.set(name, outer)
	}
}

// stride recognises the loop by which threads share what is more than they are:
//
//	for i in range(cuda.grid(1), n, cuda.gridsize(1)):
//
// Where nothing is carried from turn to turn, each turn is as good as a thread of its own.
func (l *lower) stride(n, target *Node, start, end, step value, body []*Node) bool {
	p := start.position
	if p != nil && (l.strided[p.axis] || l.readsPlace(l.frame, body, p.axis) ||
		slices.ContainsFunc(l.bounds, func(b bound) bool { return b.axis == p.axis })) {
		return false
	}
	if !l.spine || !l.tail || p == nil || end.number == nil || step.number == nil || target.Kind != "name" || len(n.Kids[3].Kids) > 0 || len(l.cells) > 0 {
		return false
	}
	if step.number.op != threadsNumber || step.number.n != int64(p.axis) || !p.offset.is(0) {
		return false
	}
	if flags := escapes(body); slices.Contains(flags, broken) || slices.Contains(flags, returned) {
		return false
	}
	for _, name := range assigned(body) {
		if _, had := l.frame.vars.find(name); had || name == target.Word {
			return false
		}
	}
	l.bounds = append(l.bounds, bound{axis: p.axis, below: true, limit: end.number})
	l.over[p.axis] = true
	l.frame.set(target.Word, start)
	l.noteSet(target.Word)
	l.frame.set(continued, l.truth(false))
	l.strided[p.axis] = true
	l.run(body)
	l.strided[p.axis] = false
	return true
}

// readsPlace reports whether statements read a name whose value depends on the thread's index along an axis.
func (l *lower) readsPlace(f *frame, body []*Node, axis int) bool {
	var reads func(n *Node) bool
	reads = func(n *Node) bool {
		for at := f; at != nil && n.Kind == "name"; at = at.outer {
			v, ok := at.vars.find(n.Word)
			if !ok {
				continue
			}
			if l.hasPlace(v, axis, map[*instr]bool{}) ||
				v.called != nil && v.called.outer != nil && l.readsPlace(v.called.outer, v.called.body, axis) {
				return true
			}
			break
		}
		return slices.ContainsFunc(n.Kids, reads)
	}
	return slices.ContainsFunc(body, reads)
}

// hasPlace reports whether a value depends on the thread's index along an axis.
func (l *lower) hasPlace(v value, axis int, seen map[*instr]bool) bool {
	var has func(in *instr) bool
	has = func(in *instr) bool {
		if in == nil || seen[in] {
			return false
		}
		seen[in] = true
		if in.op == tile.Index && in.n == axis ||
			in.op == tile.Load && slices.ContainsFunc(l.elements[in.n].dims, func(d dim) bool { return d.axis == axis }) {
			return true
		}
		return has(in.of) || slices.ContainsFunc(in.args, has)
	}
	return has(v.in) || slices.ContainsFunc(v.items, func(item value) bool { return l.hasPlace(item, axis, seen) })
}
