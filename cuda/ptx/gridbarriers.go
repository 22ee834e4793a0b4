package ptx

import "weft/tile"

// At a grid barrier the threads of a block meet first, and one of them stands for the block. The blocks count
// themselves, those that come and those whose threads have all ended, in a word behind the stop word of the launch,
// which is resident as a whole; the one that makes the count full starts the next phase, for which the others look:
//
//	stop word's block   at gridAt, 8 bytes: blocks that have come, in the lower half, and that are gone, in the upper one
//	                    at phaseAt, 4 bytes: the phase
//	weft_grid           shared: threads of the block that have not ended, and whether one stands for the block
//
// The last block that goes leaves the count 0 for another launch. What a phase is called does not matter.
const (
	gridAt  = 16
	phaseAt = 24

	livingAt = 0
	chosenAt = 4
)

// gridShares declares what the threads of a block share of a program with grid barriers.
func gridShares(p *tile.Program) string {
	if p.MeetsGrid() {
		return "\t.shared .align 8 .b8 weft_grid[8];\n"
	}
	return ""
}

func gridWord(at int) string { return "[weft_grid+" + dec(at) + "]" }

// prepareGrid counts the threads of the block, before any of them can end.
func (e *emitter) prepareGrid() {
	if !e.p.MeetsGrid() {
		return
	}
	e.ended = e.label("ended")
	ready := e.label("ready")
	e.when(e.pred("setp.ne.u32", e.threadNumber(), "0"), "bra", ready)
	e.do("st.shared.u32", gridWord(livingAt), e.product("%ntid"))
	e.do("st.shared.u32", gridWord(chosenAt), e.word("mov.u32", "0"))
	e.place(ready)
	e.do("barrier.sync", "0")
}

// product is the product of the three parts of a special register.
func (e *emitter) product(of string) string {
	x, y, z := e.word("mov.u32", of+".x"), e.word("mov.u32", of+".y"), e.word("mov.u32", of+".z")
	return e.word("mul.lo.u32", e.word("mul.lo.u32", x, y), z)
}

// threadNumber is the thread's number in its block.
func (e *emitter) threadNumber() string {
	special := func(name string) string { return e.word("mov.u32", name) }
	row := e.word("mad.lo.u32", special("%tid.z"), special("%ntid.y"), special("%tid.y"))
	return e.word("mad.lo.u32", row, special("%ntid.x"), special("%tid.x"))
}

// leave ends the thread.
func (e *emitter) leave() {
	if e.ended != "" {
		e.do("bra", e.ended)
		return
	}
	e.do("ret")
}

// gridBarrier has the block wait for all others.
func (e *emitter) gridBarrier() {
	met, others := e.label("met"), e.label("others")
	chosen := e.pred("setp.ne.u32", "0", "0")
	e.do("barrier.sync", "0")
	// The lowest thread of those of each warp that are together asks to stand for the block.
	here := e.word("activemask.b32")
	lowest := e.word("sub.u32", "31", e.word("clz.b32", e.word("and.b32", here, e.word("neg.s32", here))))
	e.when(e.pred("setp.ne.u32", lowest, e.word("mov.u32", "%laneid")), "bra", met)
	taken := e.word("atom.shared.exch.b32", gridWord(chosenAt), "1")
	e.do("setp.eq.u32", chosen, taken, "0")
	e.when(e.not(chosen), "bra", met)
	passed, wait := e.label("passed"), e.label("wait")
	phase := "[" + e.stop + "+" + dec(phaseAt) + "]"
	e.do("membar.gl")
	now := e.word("ld.volatile.global.u32", phase)
	e.arrive("1", 1, passed)
	e.place(wait)
	e.do("nanosleep.u32", "40")
	e.when(e.pred("setp.eq.u32", e.word("ld.volatile.global.u32", phase), now), "bra", wait)
	e.place(passed)
	e.do("membar.gl")
	e.place(met)
	e.do("barrier.sync", "0")
	// All have asked.
	e.when(e.not(chosen), "bra", others)
	e.do("st.shared.u32", gridWord(chosenAt), e.word("mov.u32", "0"))
	e.place(others)
}

// arrive counts the block. If it is the last one that was waited for, the next phase begins, and it goes to a label.
func (e *emitter) arrive(one string, comes int, done string) {
	others := e.label("others")
	count := "[" + e.stop + "+" + dec(gridAt) + "]"
	before := e.long("atom.global.add.u64", count, one)
	come := e.word("add.u32", e.word("cvt.u32.u64", before), dec(comes))
	gone := e.word("add.u32", e.word("cvt.u32.u64", e.long("shr.u64", before, "32")), dec(1-comes))
	e.when(e.pred("setp.ne.u32", e.word("add.u32", come, gone), e.product("%nctaid")), "bra", others)
	// None but this block changes the count now.
	e.do("st.volatile.global.u32", count, e.word("mov.u32", "0"))
	if comes == 0 {
		waited := e.label("waited")
		e.when(e.pred("setp.ne.u32", come, "0"), "bra", waited)
		e.do("st.volatile.global.u64", count, e.long("mov.u64", "0"))
		e.do("bra", others)
		e.place(waited)
	}
	e.do("membar.gl")
	e.word("atom.global.add.u32", "["+e.stop+"+"+dec(phaseAt)+"]", "1")
	e.do("bra", done)
	e.place(others)
}

// gridEnd is where threads go that end. The last one of a block says that the block is gone.
func (e *emitter) gridEnd() {
	if e.ended == "" {
		return
	}
	e.place(e.ended)
	gone := e.label("left")
	before := e.word("atom.shared.add.u32", gridWord(livingAt), "-1")
	e.when(e.pred("setp.ne.u32", before, "1"), "bra", gone)
	e.do("membar.gl")
	e.arrive("0x100000000", 0, gone)
	e.place(gone)
	e.do("ret")
}
