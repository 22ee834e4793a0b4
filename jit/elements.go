package jit

import (
	"fmt"
	"math"
	"slices"

	"weft/tile"
)

// element is which elements of an array the threads use in one place of the function: for each axis of the array, the
// thread's position along an axis of the grid plus a number, or a number alone.
type element struct {
	array int
	dims  []dim
}

// dim is an index along one axis of an array.
type dim struct {
	axis int // of the grid; -1 where the index is the same for all threads
	at   *number
}

func (e element) key() string {
	text := fmt.Sprint(e.array)
	for _, d := range e.dims {
		text += fmt.Sprintf(" %d+%v", d.axis, d.at)
	}
	return text
}

// extent is how long an axis of an array is.
func (l *lower) extent(v value, axis int) *number {
	if v.array < 0 {
		if s := l.scratches[^v.array]; s.shape[axis] > 0 {
			return literal(int64(s.shape[axis]))
		}
		return &number{op: dynamicNumber, n: int64(l.scratches[^v.array].typ.Size())}
	}
	return &number{op: extentNumber, n: int64(v.array<<8 | axis)}
}

// item is x[i].
func (l *lower) item(n *Node) value {
	v := l.here(n, l.optional(n.Kids[0]))
	switch v.typ.Kind {
	case Tuple:
		return l.itemOf(n, v, l.expression(n.Kids[1]))
	case Records:
		at := l.expression(n.Kids[1])
		if at.text != "" {
			return l.field(n, v, at.text)
		}
		return l.records(n, v, at)
	}
	v = l.indexed(n, v)
	if len(v.index) < v.typ.Axes {
		return v
	}
	return l.element(n, v)
}

// indexed is an array with the indices of a node added.
func (l *lower) indexed(n *Node, v value) value {
	if v.typ.Kind != Array {
		l.fail(n, typing, "", "%v cannot be indexed", v.typ)
	}
	return l.withIndex(n, v, l.expression(n.Kids[1]))
}

// withIndex is an array with an index added, or a tuple of them.
func (l *lower) withIndex(n *Node, v, i value) value {
	more := []value{i}
	if i.typ.Kind == Tuple {
		more = i.items
	}
	if slices.ContainsFunc(more, func(i value) bool { return i.known == "slice" || i.known == "ellipsis" }) {
		return l.slice(n, v, more)
	}
	v.index = slices.Concat(v.index, more)
	if len(v.index) > v.typ.Axes {
		l.fail(n, typing, "", "%d indices of %v", len(v.index), v.typ)
	}
	for _, i := range more {
		l.wantIndex(n, i)
	}
	return v
}

// place returns the number of the element that an array is indexed at; -1 where other threads may be at it, too.
func (l *lower) place(v value) int {
	e := element{array: v.array}
	for _, i := range l.base(v) {
		switch {
		case i.position != nil:
			e.dims = append(e.dims, dim{i.position.axis, i.position.offset})
		case i.number != nil:
			e.dims = append(e.dims, dim{-1, i.number})
		default:
			return -1
		}
	}
	key := e.key()
	at, ok := l.elementOf[key]
	if !ok {
		at = len(l.elements)
		l.elements = append(l.elements, e)
		l.elementOf[key] = at
	}
	return at
}

// load is the value of an element of an array that is written, before anything was.
func (l *lower) load(at int) *instr {
	in := l.loads[at]
	if in == nil {
		in = &instr{op: tile.Load, typ: l.args[l.elements[at].array].DType, n: at}
		l.loads[at] = in
	}
	return in
}

// cellOf is the value of such an element in a state.
func (l *lower) cellOf(s state, at int) *instr {
	if in := s.cells[at]; in != nil {
		return in
	}
	return l.load(at)
}

// element is the value of an array's element.
func (l *lower) element(n *Node, v value) value {
	t := v.typ.DType
	if l.threads {
		in := l.out.add(&instr{op: tile.Element, typ: t, n: v.array, args: l.indices(v), line: l.line})
		return of(in)
	}
	at := l.place(v)
	if l.written[v.array] {
		if at < 0 {
			l.fail(n, unsupported, "Read from another array than the one that is written.",
				"an element of an array that the kernel writes is read, which is not the thread's own")
		}
		return of(l.cellOf(state{cells: l.cells}, at))
	}
	indices := l.indices(v)
	if at < 0 {
		return of(l.out.add(&instr{op: tile.Gather, typ: t, n: v.array, args: indices}))
	}
	return of(l.out.add(&instr{op: tile.Load, typ: t, n: at, args: indices}))
}

// indices are those of an element, as int64.
func (l *lower) indices(v value) []*instr {
	base := l.base(v)
	indices := make([]*instr, len(base))
	for i := range base {
		in := base[i].in
		if in.typ == tile.Uint64 { // what int64 does not hold is outside, too
			in = l.do(tile.Min, in, l.constant(tile.UintScalar(tile.Uint64, math.MaxInt64)))
		}
		indices[i] = l.as(tile.Int64, in)
	}
	return indices
}

// store writes an element.
func (l *lower) store(target *Node, v value) {
	to := l.expression(target.Kids[0])
	switch to.typ.Kind {
	case Tuple:
		l.fail(target, typing, "", "Cannot resolve setitem: a tuple cannot be changed")
	case Records:
		l.setRecord(target, l.records(target, to, l.expression(target.Kids[1])), v)
		return
	}
	l.put(target, l.indexed(target, to), v)
}

// put writes the element that an array is indexed at.
func (l *lower) put(target *Node, to, v value) {
	if len(to.index) < to.typ.Axes {
		l.fill(target, to, v, true)
		return
	}
	if v.typ.Kind != Number {
		l.fail(target, typing, "", "Cannot resolve setitem: %v[...] = %v", to.typ, v.typ)
	}
	t := to.typ.DType
	if to.constant {
		l.fail(target, typing, "Pass an array as an argument.", "Cannot modify readonly array of type: %v", to.typ)
	}
	if v.typ.DType.Is(tile.KindComplex) && !t.Is(tile.KindComplex) {
		l.fail(target, typing, "Write its .real.", "Cannot resolve setitem: %v[...] = %v", to.typ, v.typ)
	}
	if l.threads {
		l.wantWritable(to)
		l.act(target, &instr{op: tile.Put, typ: t, n: to.array, args: append([]*instr{l.as(t, v.in)}, l.indices(to)...)})
		return
	}
	at := l.place(to)
	if at < 0 {
		l.fail(target, unsupported, "Each thread can write elements at its position in the grid: out[i] with i = cuda.grid(1), say.",
			"an element is written that is not the thread's own")
	}
	l.wrote[to.array] = true
	l.stored[at] = target
	l.surely[at] = l.surely[at] || l.spine
	l.cells[at] = l.as(t, v.in)
}
