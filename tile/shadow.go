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

// known says of threads before which time what they did comes before something.
type known map[*thread]int

func (k known) learn(of *thread, time int) { k[of] = max(k[of], time) }

// knows is the time before which what another thread did comes before all that a thread does now: the two met
// since, or a thread that knew had a fence.
func (t *thread) knows(of *thread) int {
	time := max(t.grid, t.b.fenced[of])
	if of.b == t.b {
		time = max(time, t.barrier, t.voted[of], t.b.fencedIn[of])
	}
	return time
}

// ordered reports whether an access comes before all that a thread does now.
func (t *thread) ordered(a touch) bool { return a.by == t || t.knows(a.by) > a.time }

// fence has all threads, or those of the block, know what a thread knows of its block; of others it knows nothing that
// not all know.
func (t *thread) fence(form Form) {
	to := t.b.fenced
	if form == FenceBlock {
		to = t.b.fencedIn
	}
	t.b.clock.now++
	for _, u := range t.b.threads {
		to.learn(u, t.knows(u))
	}
	to.learn(t, t.b.clock.now)
}

// vote returns what a thread knows by a vote: what those of its warp knew that its mask names.
func (t *thread) vote() known {
	all := known{}
	mask := uint32(t.values[t.b.l.Program.Code[t.pc].Args[0]].Bits[0])
	first := t.number / WarpSize * WarpSize
	for i, u := range t.b.threads[first:min(first+WarpSize, len(t.b.threads))] {
		if mask>>i&1 == 0 {
			continue
		}
		all.learn(u, t.b.clock.now)
		for v, time := range u.voted {
			all.learn(v, time)
		}
	}
	return all
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
