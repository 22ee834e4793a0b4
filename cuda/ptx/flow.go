package ptx

import (
	"weft/tile"
)

// block is an if or a loop that is being emitted.
type block struct {
	loop   bool
	again  string // label: of a loop's condition
	other  string // label: of an if's second branch
	done   string // label: behind the end
	divide bool   // the if has an else
	merges []int  // of an if
	nexts  int    // of a loop: its last nexts, which its end carries out
}

// pollEvery is how many turns of loops a thread takes, a power of two, before it looks whether
// it was stopped.
const pollEvery = 1024

// prepareFlow makes the registers that control flow writes in several places: merges, carries,
// and whether a store in a block is to happen.
func (e *emitter) prepareFlow() {
	e.stores = make([]string, len(e.p.Code))
	if e.layout.faults > 0 {
		e.faults = e.long("cvta.to.global.u64", e.param(e.layout.faults))
		e.stop = e.long("cvta.to.global.u64", e.param(e.layout.faults+1))
	}
	depth, loops := 0, false
	for v := range e.p.Code {
		in := &e.p.Code[v]
		switch in.Op {
		case tile.If, tile.Loop:
			depth++
			loops = loops || in.Op == tile.Loop
		case tile.End:
			depth--
		case tile.Merge, tile.Carry:
			e.values[v] = e.blank(in.Type)
		case tile.Store:
			if depth > 0 {
				e.stores[v] = e.reg(pred)
			}
		}
	}
	if loops && !e.alone {
		e.turns = e.word("mov.u32", "0")
		e.stopped = e.pred("setp.ne.u32", "0", "0")
	}
}

// blank returns registers for a value that is yet to come.
func (e *emitter) blank(t tile.DType) value {
	v := value{t: t}
	for i := range v.parts() {
		v.r[i] = e.reg(scalars[t].class)
	}
	return v
}

// flow emits an instruction of control flow.
func (e *emitter) flow(v int) {
	in := &e.p.Code[v]
	var top *block
	if n := len(e.blocks); n > 0 {
		top = &e.blocks[n-1]
	}
	switch in.Op {
	case tile.If:
		b := block{other: e.label("else"), done: e.label("endif")}
		b.merges = e.mergesOf(v)
		e.when(e.not(e.values[in.Args[0]].r[0]), "bra", b.other)
		e.blocks = append(e.blocks, b)
	case tile.Else:
		e.endBranch(top, 0)
		top.divide = true
	case tile.Loop:
		e.blocks = append(e.blocks, block{loop: true, again: e.label("turn"), done: e.label("endloop")})
		if e.p.Code[v+1].Op != tile.Carry {
			e.place(e.blocks[len(e.blocks)-1].again)
		}
	case tile.Carry:
		e.assign(e.values[v], e.values[in.Args[0]])
		if e.p.Code[v+1].Op != tile.Carry {
			e.place(top.again)
		}
	case tile.While:
		e.when(e.not(e.values[in.Args[0]].r[0]), "bra", top.done)
	case tile.Next:
		top.nexts++
	case tile.End:
		e.blocks = e.blocks[:len(e.blocks)-1]
		if top.loop {
			e.turn(v, top.nexts)
			e.endTurn(top.again)
			e.place(top.done)
			return
		}
		if !top.divide {
			e.endBranch(top, 0)
		}
		e.handOut(top, 1)
		e.place(top.done)
	}
}

// endBranch ends an if's first branch and begins its second.
func (e *emitter) endBranch(b *block, operand int) {
	e.handOut(b, operand)
	e.do("bra", b.done)
	e.place(b.other)
}

// handOut gives the merges of an if their values of one branch. No merge is an operand of another
// of the same if.
func (e *emitter) handOut(b *block, operand int) {
	for _, m := range b.merges {
		e.assign(e.values[m], e.values[e.p.Code[m].Args[operand]])
	}
}

// mergesOf returns the merges behind the end of the if at v.
func (e *emitter) mergesOf(v int) []int {
	depth := 0
	for i := v; ; i++ {
		switch e.p.Code[i].Op {
		case tile.If, tile.Loop:
			depth++
		case tile.End:
			depth--
		}
		if depth > 0 {
			continue
		}
		var all []int
		for i++; i < len(e.p.Code) && e.p.Code[i].Op == tile.Merge; i++ {
			all = append(all, i)
		}
		return all
	}
}

// turn changes the carries of the loop that ends at v, all at once.
func (e *emitter) turn(v, nexts int) {
	code := e.p.Code[v-nexts : v]
	carries := map[tile.Value]bool{}
	for i := range code {
		carries[code[i].Args[0]] = true
	}
	var from []value
	for i := range code {
		x := e.values[code[i].Args[1]]
		if carries[code[i].Args[1]] && code[i].Args[1] != code[i].Args[0] {
			old := e.blank(x.t)
			e.assign(old, x)
			x = old
		}
		from = append(from, x)
	}
	for i := range code {
		if code[i].Args[0] != code[i].Args[1] {
			e.assign(e.values[code[i].Args[0]], from[i])
		}
	}
}

// endTurn goes round again, but for threads that find that they were stopped. Those leave this loop,
// and every other after its first turn, so that a warp stays together where it has to.
func (e *emitter) endTurn(again string) {
	if e.alone {
		e.do("bra", again)
		return
	}
	e.do("add.u32", e.turns, e.turns, "1")
	rest := e.word("and.b32", e.turns, dec(pollEvery-1))
	look := e.or(e.stopped, e.pred("setp.eq.u32", rest, "0"))
	e.when(e.not(look), "bra", again)
	word := e.word("ld.volatile.global.u32", "["+e.stop+"+0]")
	e.do("setp.ne.u32", e.stopped, word, "0")
	e.when(e.not(e.stopped), "bra", again)
	e.report(faultStopped)
	if e.p.Threads { // which need not stay together
		e.leave()
	}
}

// report claims the fault block, unless another thread was faster, and writes numbers into it.
func (e *emitter) report(kind int, numbers ...string) {
	old := e.word("atom.global.cas.b32", "["+e.faults+"+0]", "0", dec(kind))
	if len(numbers) == 0 {
		return
	}
	known := e.label("known")
	e.when(e.pred("setp.ne.u32", old, "0"), "bra", known)
	for i, n := range numbers {
		e.do("st.global.u64", "["+e.faults+"+"+dec(8+8*i)+"]", n)
	}
	e.place(known)
}

// gather emits a Gather. An index out of bounds is reported; the load then goes to the
// stop word, so that the thread can go on with its warp.
func (e *emitter) gather(in *tile.Instr) value {
	w := e.layout.params[in.N]
	at := e.long("cvta.to.global.u64", e.param(w))
	all := ""
	for axis, a := range in.Operands() {
		i, n := e.values[a].r[0], e.param(e.layout.extent(int(in.N), axis))
		k := e.long("add.s64", i, e.to(long, "selp.b64", n, "0", e.pred("setp.lt.s64", i, "0")))
		fine := e.pred("setp.lt.u64", k, n)
		inside := e.label("inside")
		e.when(fine, "bra", inside)
		e.report(faultBounds, i, e.long("mov.u64", dec(axis)), n)
		e.place(inside)
		at = e.long("mad.lo.s64", k, e.param(e.layout.stride(int(in.N), axis)), at)
		if all == "" {
			all = fine
		} else {
			all = e.and(all, fine)
		}
	}
	return e.load(in.Type, "global", e.to(long, "selp.b64", at, e.stop, all), 0)
}
