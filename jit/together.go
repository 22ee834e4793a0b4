package jit

import (
	"strings"

	"weft/tile"
)

// shape reads the shape of an array of the kernel's own: literals.
func (l *lower) shape(n *Node, v value) []int {
	items := v.items
	if v.typ.Kind == Number {
		items = []value{v}
	}
	var shape []int
	for _, item := range items {
		k, known := item.integer()
		if !known || k < 0 {
			l.fail(n, typing, "Write a number, or the name of one outside of the kernel.", "the shape of an array of the kernel's own is not known while compiling")
		}
		shape = append(shape, int(k))
	}
	if len(shape) < 1 || len(shape) > 3 {
		l.fail(n, typing, "", "an array of the kernel's own has %d axes; want 1 to 3", len(shape))
	}
	return shape
}

// ownArray is shared.array or local.array.
func ownArray(space tile.Space) functionRow {
	return functionRow{2, 3, true, []string{"shape", "dtype", "alignment"}, func(l *lower, n *Node, v []value) value {
		l.wantThreads(n, "an array of the kernel's own")
		t := v[1].dtype
		if v[1].text != "" {
			t, _ = tile.ParseDType(v[1].text)
		}
		if t == tile.Invalid {
			l.fail(n, typing, "Write numba's or NumPy's, of numbers: float32. A vector's numbers, or a record's, have arrays of their own.", "%v is no dtype", v[1].typ)
		}
		if len(v) == 3 && v[2].typ.Kind != None {
			if by, known := v[2].integer(); !known || by <= 0 || by%8 != 0 || by&(by-1) != 0 {
				l.fail(n, "ValueError", "", "the alignment of an array of the kernel's own is a power of 2, and a multiple of 8, as a literal")
			}
		}
		shape := l.shape(n, v[0])
		if space == tile.Own && shape[0] == 0 {
			l.fail(n, "ValueError", "", "array length <= 0")
		}
		at, made := l.scratchOf[l.path][n]
		if !made {
			at = len(l.scratches)
			l.scratches = append(l.scratches, scratch{l.naming, space, t, shape})
			if l.scratchOf[l.path] == nil {
				l.scratchOf[l.path] = map[*Node]int{}
			}
			l.scratchOf[l.path][n] = at
		}
		return value{typ: ArrayOf(t, len(shape)), array: ^at}
	}}
}

// wantThreads refuses what lanes cannot do.
func (l *lower) wantThreads(n *Node, what string) {
	if !l.threads {
		l.fail(n, unsupported, "It is for kernels that @cuda.jit compiles.", "%s is not supported here", what)
	}
}

// act adds an instruction that does something beyond computing a value.
func (l *lower) act(n *Node, in *instr) value {
	l.wantThreads(n, in.op.String())
	l.out.add(in)
	in.line = l.line
	if in.op.HasResult() {
		return of(in)
	}
	return value{typ: Type{Kind: None}}
}

func barrier(l *lower, n *Node, _ []value) value {
	return l.act(n, &instr{op: tile.Barrier, typ: tile.Bool})
}

// thisGrid is the group of all threads.
func thisGrid(l *lower, n *Node, _ []value) value {
	l.wantThreads(n, "cuda.cg.this_grid()")
	return object("cuda.cg.group")
}

// syncGrid has the threads of all blocks meet; it is 0, as in CUDA where that goes well.
func syncGrid(l *lower, n *Node, _ []value) value {
	l.act(n, &instr{op: tile.GridBarrier, typ: tile.Bool})
	return of(l.constant(tile.IntScalar(tile.Int32, 0)))
}

func tally(form tile.Form) functionRow {
	return functionRow{1, 1, false, nil, func(l *lower, n *Node, v []value) value {
		if !v[0].typ.DType.Is(tile.KindInt | tile.KindUint) {
			l.fail(n, typing, "Convert it with int(...).", "the predicate is %v; want an integer", v[0].typ)
		}
		return l.act(n, &instr{op: tile.Tally, form: form, typ: tile.Int32, args: []*instr{l.condition(n, v[0]).in}})
	}}
}

func fence(form tile.Form) functionRow {
	return functionRow{0, 0, false, nil, func(l *lower, n *Node, _ []value) value {
		return l.act(n, &instr{op: tile.Fence, form: form, typ: tile.Bool})
	}}
}

// target is the array and the indices that an atomic names.
func (l *lower) target(n *Node, a, index value) (value, []*instr) {
	if a.typ.Kind != Array {
		l.fail(n, typing, "", "atomics change arrays, not %v", a.typ)
	}
	a = l.withIndex(n, a, index)
	if len(a.index) != a.typ.Axes {
		l.fail(n, typing, "", "%d indices of %v", len(a.index), a.typ)
	}
	return a, l.indices(a)
}

func atomic(form tile.Form) functionRow {
	return functionRow{3, 3, true, nil, func(l *lower, n *Node, v []value) value {
		a, index := l.target(n, v[0], v[1])
		t := a.typ.DType
		form := withoutNaNs(form, t)
		if !form.AcceptsAtomic(t) || v[2].typ.Kind != Number {
			l.fail(n, typing, "", "cuda.atomic.%s does not take elements of %v, %v", tile.Atomic.Forms()[form], t, v[2].typ)
		}
		l.wantWritable(a)
		return l.act(n, &instr{op: tile.Atomic, form: form, typ: t, n: a.array, args: append([]*instr{l.as(t, v[2].in)}, index...)})
	}}
}

// withoutNaNs is nanmax and nanmin of integers, which are never NaN: max and min.
func withoutNaNs(form tile.Form, t tile.DType) tile.Form {
	switch {
	case form == tile.AtomicNanMax && !t.Is(tile.KindFloat):
		return tile.AtomicMax
	case form == tile.AtomicNanMin && !t.Is(tile.KindFloat):
		return tile.AtomicMin
	}
	return form
}

func cas(l *lower, n *Node, v []value) value {
	a, index := l.target(n, v[0], v[1])
	t := a.typ.DType
	if !t.Is(tile.KindInt|tile.KindUint) || t.Size() < 4 || v[2].typ.Kind != Number || v[3].typ.Kind != Number {
		l.fail(n, typing, "", "cuda.atomic.cas takes integers of 4 and 8 bytes, not %v", t)
	}
	l.wantWritable(a)
	return l.act(n, &instr{op: tile.Cas, typ: t, n: a.array, args: append([]*instr{l.as(t, v[2].in), l.as(t, v[3].in)}, index...)})
}

func compareAndSwap(l *lower, n *Node, v []value) value {
	return cas(l, n, []value{v[0], l.whole(0), v[1], v[2]})
}

// wantWritable notes that an array is written.
func (l *lower) wantWritable(a value) {
	if a.array >= 0 {
		l.wrote[a.array] = true
	}
}

func vote(form tile.Form) functionRow {
	return functionRow{2, 2, false, nil, func(l *lower, n *Node, v []value) value {
		in := &instr{op: tile.Vote, form: form, typ: tile.Bool, args: []*instr{l.as(tile.Uint32, v[0].in), l.condition(n, v[1]).in}}
		if form == tile.VoteBallot {
			in.typ = tile.Uint32
			return of(l.as(tile.Int32, l.act(n, in).in))
		}
		return l.act(n, in)
	}}
}

func syncWarp(l *lower, n *Node, v []value) value {
	mask := l.constant(tile.UintScalar(tile.Uint32, 1<<32-1))
	if len(v) == 1 {
		mask = l.as(tile.Uint32, v[0].in)
	}
	l.act(n, &instr{op: tile.Vote, form: tile.VoteAny, typ: tile.Bool, args: []*instr{mask, l.truth(true).in}})
	return value{typ: Type{Kind: None}}
}

func shuffle(form tile.Form) functionRow {
	return functionRow{3, 3, false, nil, func(l *lower, n *Node, v []value) value {
		t := v[1].typ.DType
		if t.Size() < 4 || !t.Is(tile.KindInt|tile.KindFloat) {
			l.fail(n, typing, "Convert it.", "shuffles take int32, int64, float32 and float64, not %v", t)
		}
		return l.act(n, &instr{op: tile.Shuffle, form: form, typ: t, args: []*instr{l.as(tile.Uint32, v[0].in), v[1].in, l.as(tile.Int32, v[2].in)}})
	}}
}

func matching(form tile.Form) functionRow {
	return functionRow{2, 2, false, nil, func(l *lower, n *Node, v []value) value {
		in := l.act(n, &instr{op: tile.Match, form: form, typ: tile.Uint32, args: []*instr{l.as(tile.Uint32, v[0].in), v[1].in}}).in
		bits := of(l.as(tile.Int32, in))
		if form == tile.MatchAny {
			return bits
		}
		return tuple(bits, of(l.do(tile.Ne, in, l.constant(tile.Scalar{Type: tile.Uint32}))))
	}}
}

func active(l *lower, n *Node, _ []value) value {
	return l.act(n, &instr{op: tile.Active, typ: tile.Uint32})
}

func lanesBelow(l *lower, n *Node, _ []value) value {
	l.wantThreads(n, "lanemask_lt")
	one := l.constant(tile.UintScalar(tile.Uint32, 1))
	lane := l.as(tile.Uint32, l.placed(tile.LaneID))
	return of(l.do(tile.Sub, l.do(tile.Shl, one, lane), one))
}

// placed is one of the numbers that say where a thread is.
func (l *lower) placed(form tile.Form) *instr {
	in := l.places[form]
	if in == nil {
		in = &instr{op: tile.Thread, form: form, typ: tile.Int32}
		l.places[form] = in
	}
	return in
}

// raise is a raise statement: the thread ends, and the launch fails.
func (l *lower) raise(n *Node) {
	l.wantThreads(n, "raise")
	if len(n.Kids) == 0 {
		l.fail(n, unsupported, "Name the exception.", "raise without an exception")
	}
	class, text := n.Kids[0], ""
	var values []*instr
	if class.Kind == "call" {
		for _, k := range class.Kids[1].Kids {
			v := l.expression(k)
			if v.typ.Kind == Number {
				text += " {}"
				values = append(values, v.in)
			} else {
				text += " " + v.text
			}
		}
		class = class.Kids[0]
	}
	known := l.expression(class).known
	name, ok := strings.CutPrefix(known, "builtins.")
	if !ok || len(values) > tile.MaxArgs {
		l.fail(n, unsupported, "Raise one of Python's exceptions.", "raise of %s", class.Word)
	}
	l.failWith(n, name, strings.TrimSpace(text), values)
}

func (l *lower) failWith(n *Node, exception, text string, values []*instr) {
	l.messages = append(l.messages, tile.Message{Exception: exception, Text: text})
	l.act(n, &instr{op: tile.Fail, typ: tile.Bool, n: len(l.messages) - 1, args: values})
}

// assert is an assert statement.
func (l *lower) assert(n *Node) {
	l.wantThreads(n, "assert")
	text := ""
	if len(n.Kids) > 1 {
		text = l.expression(n.Kids[1]).text
	}
	l.branch(n, l.condition(n.Kids[0], l.expression(n.Kids[0])), func() {}, func() {
		l.failWith(n, "AssertionError", text, nil)
	})
}
