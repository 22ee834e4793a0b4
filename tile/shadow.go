package tile

import "slices"

// What a guarded launch of threads finds, slowly: all accesses of each byte are kept, and each new one is compared with
// all of them.

// shadow is what was done to bytes, by where they are.
type shadow map[uintptr]*shade

// shade is what was done to a byte.
type shade struct {
	written  bool
	accesses []touch
}

// touch is an access of a byte: by which thread, with which instruction, and when.
type touch struct {
	by   *thread
	in   Value
	time int
}

// clock counts the times at which threads of a launch meet or fence.
type clock struct{ now int }

// ordered reports whether an access comes before all that a thread does now.
func (t *thread) ordered(a touch) bool {
	sameBlock := a.by.b == t.b
	sameWarp := sameBlock && a.by.number/WarpSize == t.number/WarpSize
	return a.by == t || t.grid > a.time || sameBlock && t.barrier > a.time || sameWarp && t.vote > a.time || a.by.fence > a.time
}

// conflict reports whether two accesses may not come in any order; changes says whether the second changes the element.
func conflict(first, second Opcode, changes bool) bool {
	atomic := func(op Opcode) bool { return op == Atomic || op == Cas }
	switch {
	case first == Element && second == Element, atomic(first) && atomic(second):
		return false
	case first == Put && second == Put:
		return changes
	}
	return true
}

// guard notes an access of bytes, and returns a fault if it may not be. clean says that nothing has written them before
// the launch, or the block, did.
func (t *thread) guard(s shadow, from uintptr, size int, in *Instr, changes, clean bool) *Fault {
	code := t.b.l.Program.Code
	for at := from; at < from+uintptr(size); at++ {
		b := s[at]
		if b == nil {
			b = &shade{}
			s[at] = b
		}
		if in.Op != Put && clean && !b.written {
			return &Fault{Kind: FaultUnwritten}
		}
		i := slices.IndexFunc(b.accesses, func(a touch) bool { return !t.ordered(a) && conflict(code[a.in].Op, in.Op, changes) })
		if i >= 0 {
			a := b.accesses[i]
			return &Fault{Kind: FaultRace, Other: a.by.number, OtherBlock: a.by.b.number, OtherInstr: a.in}
		}
		b.written = b.written || in.Op == Put
		b.accesses = append(b.accesses, touch{t, Value(t.pc), t.b.clock.now})
	}
	return nil
}
