package jit

import "weft/tile"

// output is an instruction whose value an output takes.
type output struct {
	element int
	in      *instr
}

// emission writes the instructions of a lowering that outputs need as a program.
type emission struct {
	written  map[int]bool // of threads: what some of them write, as in instr.n
	l        *lower
	b        *tile.Builder
	axes     []int             // of the grid, in the order of the index space
	from     [3]bool           // threads along an axis begin at a number that is handed over
	gathers  func(at int) bool // whether an element is read by gathers
	live     map[*instr]bool
	values   map[*instr]tile.Value
	loaded   map[int]tile.Value // by element
	wholes   map[int]int        // by array: its parameter
	operands []operand
	uniforms []Uniform

	memories map[int]tile.Memory // of a program of threads: by argument, or the complement of a scratch
	arrays   []int               // and the argument that each parameter is
	nan      *int                // the message that says that one appears, where anything may say so
}

// operand is what a parameter of the program is bound to: an element, or a whole array.
type operand struct {
	element int // -1 for an array
	array   int
	write   bool
}

// maxInline is how many instructions both branches of an if may have in all, to be computed by every lane: less than a
// branch costs.
const maxInline = 24

// emit writes the outputs' program.
func (e *emission) emit(code *block, outputs []output) *tile.Program {
	e.reset()
	for _, o := range outputs {
		e.mark(o.in)
	}
	e.begin(code)
	for _, o := range outputs {
		e.leaf(o.in)
	}
	e.block(code)
	for _, o := range outputs {
		e.b.Store(e.values[o.in])
		e.operands = append(e.operands, operand{o.element, -1, true})
	}
	return e.b.Program()
}

func (e *emission) reset() {
	e.live, e.values = map[*instr]bool{}, map[*instr]tile.Value{}
	e.loaded, e.wholes = map[int]tile.Value{}, map[int]int{}
}

// mark finds what a value needs.
func (e *emission) mark(in *instr) {
	if in == nil || e.live[in] {
		return
	}
	e.live[in] = true
	if in.op != tile.Load || e.gathers(in.n) {
		for _, a := range in.args {
			e.mark(a)
		}
	}
	e.mark(in.of)
}

// begin emits what belongs to no block, in the order of its first use.
func (e *emission) begin(b *block) {
	for _, in := range b.code {
		if !e.live[in] {
			continue
		}
		e.leaf(in)
		for _, a := range in.args {
			e.leaf(a)
		}
		for _, j := range in.joins {
			if e.live[j] {
				e.leaf(j.args[0])
				e.leaf(j.args[1])
			}
		}
		if in.first != nil {
			e.begin(in.first)
			e.begin(in.second)
		}
	}
}

// leaf emits an instruction that belongs to no block.
func (e *emission) leaf(in *instr) {
	if _, done := e.values[in]; done || !e.live[in] {
		return
	}
	switch in.op {
	case tile.Const:
		e.values[in] = e.b.Const(in.lit)
	case tile.Uniform:
		e.uniforms = append(e.uniforms, e.l.uniforms[in.n])
		e.values[in] = e.b.Uniform(in.typ)
	case tile.Thread:
		e.values[in] = e.b.Thread(in.form)
	case tile.Index:
		v := e.b.Index(indexOf(e.axes, in.n))
		if e.from[in.n] {
			e.uniforms = append(e.uniforms, Uniform{Type: tile.Int64, argument: -1, first: in.n + 1})
			v = e.b.Do(tile.Add, v, e.b.Uniform(tile.Int64))
		}
		e.values[in] = v
	case tile.Load:
		if e.gathers(in.n) {
			return
		}
		v, done := e.loaded[in.n]
		if !done {
			v = e.b.Load(in.typ)
			e.loaded[in.n] = v
			e.operands = append(e.operands, operand{in.n, -1, false})
		}
		e.values[in] = v
	}
}

func indexOf(axes []int, axis int) int {
	for i, a := range axes {
		if a == axis {
			return i
		}
	}
	return 0
}

// block emits the instructions of a block.
func (e *emission) block(b *block) {
	for _, in := range b.code {
		if _, done := e.values[in]; done || !e.live[in] {
			continue
		}
		switch in.op {
		case tile.If:
			e.branches(in)
		case tile.Loop:
			e.turns(in)
		case tile.Load:
			e.gather(in, e.l.elements[in.n].array)
		case tile.Gather:
			e.gather(in, in.n)
		case tile.Cast:
			e.values[in] = e.b.Cast(in.typ, e.values[in.args[0]])
		default:
			if in.op.OfThreads() {
				e.thread(in)
				continue
			}
			if e.l.threads {
				e.comesFrom(in)
			}
			e.values[in] = e.b.Do(in.op, e.operandsOf(in)...)
			e.bornNaN(in)
		}
	}
}

func (e *emission) operandsOf(in *instr) []tile.Value {
	args := make([]tile.Value, len(in.args))
	for i, a := range in.args {
		args[i] = e.values[a]
	}
	return args
}

func (e *emission) gather(in *instr, array int) {
	p, done := e.wholes[array]
	if !done {
		p = e.b.Whole(in.typ, len(in.args))
		e.wholes[array] = p
		e.operands = append(e.operands, operand{-1, array, false})
	}
	e.values[in] = e.b.Gather(p, e.operandsOf(in)...)
}

// branches emits an if, or what both of its branches compute and a select for each merge.
func (e *emission) branches(in *instr) {
	condition := e.values[in.args[0]]
	if n := e.cost(in); n <= maxInline && !e.l.unit.checks.NaNs { // what is not taken may be no number
		e.block(in.first)
		e.block(in.second)
		for _, m := range in.joins {
			if e.live[m] {
				e.values[m] = e.b.Do(tile.Select, condition, e.values[m.args[0]], e.values[m.args[1]])
			}
		}
		return
	}
	e.b.If(condition)
	e.block(in.first)
	if e.does(in.second) {
		e.b.Else()
		e.block(in.second)
	}
	e.b.End()
	for _, m := range in.joins {
		if e.live[m] {
			e.values[m] = e.b.Merge(e.values[m.args[0]], e.values[m.args[1]])
		}
	}
}

// does reports whether anything of a block is left to emit.
func (e *emission) does(b *block) bool {
	for _, in := range b.code {
		if _, done := e.values[in]; e.live[in] && !done {
			return true
		}
	}
	return false
}

// cost counts the instructions of both branches of an if; it is beyond maxInline where they are more than scalar code.
func (e *emission) cost(in *instr) int {
	n := 0
	for _, b := range []*block{in.first, in.second} {
		for _, x := range b.code {
			_, done := e.values[x]
			switch {
			case done || !e.live[x]:
			case x.op.IsScalar():
				n++
			case x.op == tile.If:
				n += 1 + e.cost(x)
			default:
				n += maxInline + 1
			}
		}
	}
	return n
}

func (e *emission) turns(in *instr) {
	e.b.Loop()
	for _, c := range in.joins {
		if e.live[c] {
			e.values[c] = e.b.Carry(e.values[c.args[0]])
		}
	}
	e.block(in.first)
	e.b.While(e.values[in.args[0]])
	e.block(in.second)
	for _, c := range in.joins {
		if e.live[c] {
			e.b.Next(e.values[c], e.values[c.args[1]])
		}
	}
	e.b.End()
}
