package jit

import (
	"cmp"
	"maps"
	"slices"

	"weft/tile"
)

// Threads is a kernel as a program of threads: what it does that lanes cannot.
type Threads struct {
	Program  *tile.Program // nil if it does nothing
	Uniforms []Uniform
	Arrays   []int // the argument that each parameter is

	notes map[Named]Type
}

// Named is a name that a line of a file sets.
type Named struct {
	File string
	Line int
	Name string
}

// note notes the type of a name that is set.
func (l *lower) note(target *Node, v value) {
	if target.Span.Line == 0 || v.typ.Kind == Object {
		return
	}
	f := l.frame.function
	l.notes[Named{f.file, f.line + target.Span.Line - 1, target.Word}] = v.typ
}

// Types calls f for each name that the kernel and what it calls set, with its type there, in the order of their lines.
func (t *Threads) Types(f func(n Named, of Type)) {
	order := func(a, b Named) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
	}
	for _, n := range slices.SortedFunc(maps.Keys(t.notes), order) {
		f(n, t.notes[n])
	}
}

// Threads compiles the unit's function as a program of threads. Of its Spec the blocks do not matter.
func (u *Unit) Threads(spec Spec) (made *Threads, err error) {
	defer recovered(&err)
	f := u.functions[0]
	l := newLower(u, nil)
	l.cuda, l.threads, l.leaves = true, true, len(Leaves(spec.Types))
	l.frame = &frame{function: f, vars: l.parameters(f, spec)}
	l.frame.set(returned, l.truth(false))
	l.flagUnset(l.frame)
	l.run(f.body)
	e := emission{l: l, b: tile.NewThreads(f.name), gathers: func(int) bool { return false }}
	e.reset()
	e.declare()
	if u.checks.Guards {
		e.b.Guarded()
	}
	e.b.Direct(u.directives)
	e.b.File(u.functions[0].file)
	if !e.effects(l.out) {
		return &Threads{notes: l.notes}, nil
	}
	if !e.writesArrays() {
		l.fail(f.body[0], unsupported, "Write the elements of an array that is an argument.", "the kernel writes no array, so that nothing would wait for it")
	}
	e.begin(l.out)
	e.block(l.out)
	return &Threads{Program: e.b.Program(), Uniforms: e.uniforms, Arrays: e.arrays, notes: l.notes}, nil
}

// Numbers returns the values of those uniforms that are no arguments, for one launch.
func (t *Threads) Numbers(f *Facts) []int64 {
	numbers := make([]int64, len(t.Uniforms))
	for i, u := range t.Uniforms {
		if u.number != nil {
			numbers[i] = u.number.value(f)
		}
	}
	return numbers
}

// scratch is an array of the program's own.
type scratch struct {
	name  string
	space tile.Space
	typ   tile.DType
	shape []int
}

// declare gives each array that is used its parameter or scratch.
func (e *emission) declare() {
	e.memories = map[int]tile.Memory{}
	used, written := map[int]bool{}, map[int]bool{}
	e.written = written
	accesses(e.l.out, func(in *instr) {
		used[in.n] = true
		written[in.n] = written[in.n] || in.op != tile.Element
	})
	for i, t := range e.l.args {
		if t.Kind != Array || !used[i] {
			continue
		}
		dir := tile.In
		if written[i] {
			dir = tile.Update
		}
		e.memories[i] = e.b.Array(dir, t.DType, t.Axes, e.l.names[i])
		e.arrays = append(e.arrays, i)
	}
	for i, s := range e.l.scratches {
		e.memories[^i] = e.b.Scratch(s.space, s.typ, s.name, s.shape...)
	}
	for _, m := range e.l.messages {
		e.b.Message(m.Exception, m.Text)
	}
}

// writesArrays reports whether any argument is written.
func (e *emission) writesArrays() bool {
	for at, written := range e.written {
		if at >= 0 && written {
			return true
		}
	}
	return false
}

// accesses calls f for each instruction that reads or writes memory.
func accesses(b *block, f func(in *instr)) {
	for _, in := range b.code {
		switch in.op {
		case tile.Element, tile.Put, tile.Atomic, tile.Cas:
			f(in)
		}
		if in.first != nil {
			accesses(in.first, f)
			accesses(in.second, f)
		}
	}
}

// effects marks what has to be done though nothing takes its value, and reports whether there is any.
func (e *emission) effects(b *block) bool {
	any := false
	for _, in := range b.code {
		does := false
		switch in.op {
		case tile.Put, tile.Atomic, tile.Cas, tile.Barrier, tile.GridBarrier, tile.Tally, tile.Fence, tile.Vote, tile.Shuffle, tile.Match, tile.Leave, tile.Fail:
			does = true
		case tile.If, tile.Loop:
			first, second := e.effects(in.first), e.effects(in.second)
			does = first || second || in.op == tile.Loop && e.waits(in)
		}
		if does {
			e.mark(in)
			any = true
		}
	}
	return any
}

// waits reports whether a loop reads what some thread writes: it may be there to wait for that.
func (e *emission) waits(loop *instr) bool {
	any := false
	for _, b := range []*block{loop.first, loop.second} {
		accesses(b, func(in *instr) { any = any || e.written[in.n] })
	}
	return any
}

// comesFrom says where what is emitted next comes from.
func (e *emission) comesFrom(in *instr) {
	e.b.Line(in.line.line)
	if in.line.line != 0 {
		e.b.File(in.line.file)
	}
}

// thread emits an instruction that stands in programs of threads alone.
func (e *emission) thread(in *instr) {
	args := e.operandsOf(in)
	var v tile.Value
	e.comesFrom(in)
	switch in.op {
	case tile.Element:
		v = e.b.Element(e.memories[in.n], args...)
	case tile.Put:
		e.b.Put(e.memories[in.n], args[0], args[1:]...)
	case tile.Atomic:
		v = e.b.Atomic(in.form, e.memories[in.n], args[0], args[1:]...)
	case tile.Cas:
		v = e.b.Cas(e.memories[in.n], args[0], args[1], args[2:]...)
	case tile.Barrier:
		e.b.Barrier()
	case tile.GridBarrier:
		e.b.GridBarrier()
	case tile.Tally:
		v = e.b.Tally(in.form, args[0])
	case tile.Fence:
		e.b.Fence(in.form)
	case tile.Vote:
		v = e.b.Vote(in.form, args[0], args[1])
	case tile.Shuffle:
		v = e.b.Shuffle(in.form, args[0], args[1], args[2])
	case tile.Match:
		v = e.b.Match(in.form, args[0], args[1])
	case tile.Active:
		v = e.b.Active()
	case tile.Leave:
		e.b.Leave()
	case tile.Fail:
		e.b.Fail(in.n, args...)
	}
	e.values[in] = v
}
