package tile

import "fmt"

// Structured control flow. Lanes that differ take different blocks, and meet again at the end
// of each:
//
//	if v3
//	  v5 = sqrt float64 v0
//	else
//	  v7 = neg float64 v0
//	end
//	v9 = merge float64 v5 v7
//
// The else may be missing. What is computed in a branch is seen there alone; merges right behind
// the end hand it on: the first operand, a value of the first branch or one from before the if,
// for lanes that took that branch; the second, of the second branch or from before, for others.
//
//	loop
//	  v11 = carry int64 v0
//	  v12 = carry int64 v1
//	  v13 = gt bool v11 v2
//	while v13
//	  v15 = shr int64 v11 v2
//	  v16 = add int64 v12 v2
//	  next v11 v15
//	  next v12 v16
//	end
//
// A lane takes turns for as long as the condition of the while, which is computed in each turn,
// holds. The carries stand right behind the loop, the nexts right before the end, one for each
// carry in the same order. All carries change at once: a next sees the values of its own turn.
// Behind the end, the carries are seen, with the values with which the lane left.
//
// Only lanes that take a block store in it, into an update parameter, which elsewhere keeps what
// it had. Loops hold no stores, and no block has a reduction.
//
// A loop may go on for ever. Devices look at Launch.Stop in each turn, or every few; cancelling the
// op sets it.

// maxDepth is how deep blocks may nest, so that devices need not fear for their stacks.
const maxDepth = 64

// maxGather is the most axes that a whole parameter has.
const maxGather = 3

// Flows reports whether the program has control flow: a straight line of instructions is what
// devices and passes do best.
func (p *Program) Flows() bool {
	for i := range p.Code {
		if op := p.Code[i].Op; op == If || op == Loop {
			return true
		}
	}
	return false
}

// Gathers reports whether a parameter is bound as a whole.
func (p *Program) Gathers() bool {
	for i := range p.Params {
		if p.Params[i].Axes > 0 {
			return true
		}
	}
	return false
}

// If begins what only lanes take for which the condition, a bool, holds.
func (b *Builder) If(condition Value) {
	b.mark(If, condition)
	b.depth++
}

// Else begins what the other lanes of the if take.
func (b *Builder) Else() { b.mark(Else) }

// End ends an if or a loop.
func (b *Builder) End() {
	b.mark(End)
	b.depth--
}

// Merge, right behind an if, is x for the lanes that took its first branch, y for others.
func (b *Builder) Merge(x, y Value) Value {
	return b.emit(Instr{Op: Merge, Type: b.TypeOf(x), Args: Operands(x, y)})
}

// Loop begins a loop; carries follow.
func (b *Builder) Loop() {
	b.mark(Loop)
	b.depth++
}

// Carry adds a value that the loop hands on from turn to turn, and out in the end. It is v at
// first.
func (b *Builder) Carry(v Value) Value {
	return b.emit(Instr{Op: Carry, Type: b.TypeOf(v), Args: Operands(v)})
}

// While ends the computation of the loop's condition, and begins its body.
func (b *Builder) While(condition Value) { b.mark(While, condition) }

// Next says what a carry is in the next turn; the loop's end follows.
func (b *Builder) Next(carry, v Value) {
	b.emit(Instr{Op: Next, Type: b.TypeOf(carry), Args: Operands(carry, v)})
}

// mark adds an instruction that only says where a block begins or ends.
func (b *Builder) mark(op Opcode, args ...Value) {
	in := Instr{Op: op, Type: Bool, Args: Operands()}
	copy(in.Args[:], args)
	b.emit(in)
}

// flow reads a statement of control flow.
func (ps *parser) flow(word string, f []string) error {
	op, err := ParseOpcode(word)
	if err != nil {
		return err
	}
	if len(f) != op.Arity() {
		form := word
		for range op.Arity() {
			form += " vN"
		}
		return fmt.Errorf("%d operands; want \"%s\"", len(f), form)
	}
	in := Instr{Op: op, Type: Bool, Args: Operands()}
	for i, name := range f {
		if in.Args[i], err = ps.operand(name); err != nil {
			return err
		}
	}
	if op == Next {
		in.Type = ps.p.Code[in.Args[0]].Type
	}
	return ps.emit(in)
}

// Partners returns, for each instruction of a checked program that begins, divides or ends a block,
// where the lane goes on that does not fall through:
//
//	if       behind the else, or at the end without one
//	else     at the end
//	merge    the if
//	while    behind the end
//	end      of a loop: the instruction behind the carries
func Partners(p *Program) []Value {
	to := make([]Value, len(p.Code))
	type block struct{ head, middle Value }
	var blocks []block
	last := NoValue // the if that ended right before
	for i := range p.Code {
		v := Value(i)
		switch p.Code[i].Op {
		case If, Loop:
			blocks = append(blocks, block{v, NoValue})
		case Else:
			to[blocks[len(blocks)-1].head] = v + 1
			blocks[len(blocks)-1].middle = v
		case While:
			blocks[len(blocks)-1].middle = v
		case Merge:
			to[v] = last
		case End:
			b := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			last = b.head
			switch {
			case p.Code[b.head].Op == Loop:
				to[b.middle] = v + 1
				for to[v] = b.head + 1; p.Code[to[v]].Op == Carry; to[v]++ {
				}
			case b.middle != NoValue:
				to[b.middle] = v
			default:
				to[b.head] = v
			}
		}
	}
	return to
}
