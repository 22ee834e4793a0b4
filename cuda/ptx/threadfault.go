package ptx

import (
	"fmt"
	"math"

	"weft/tile"
)

// A thread that fails says so in the launch's fault block, if none before it has. Threads before it may fail later, so
// that each takes the block's lock, and writes if it is the lowest:
//
//	stop word's block   what the device alone uses: behind the stop word, the lock, and ^number of the lowest thread that
//	                    has failed, block * 1024 + thread in block; 0 is none
//	fault block         faultThread, that number, the instruction with kind and axis, and what else there is to say
//
// Number, kind and values tell the host what tile.Fault wants.

const (
	lockAt   = 4 // bytes from the stop word
	lowestAt = 8

	saidAt   = 3 // word of the fault block where values begin
	maxSaid  = 2 * tile.MaxArgs
	byBlocks = tile.MaxBlockThreads
)

// prepareFaults makes the registers that a failing thread takes to the end: what, and values.
func (e *emitter) prepareFaults() {
	e.failed = e.label("failed")
	e.what = e.reg(long)
	said := 2
	for v := range e.p.Code {
		if in := &e.p.Code[v]; in.Op == tile.Fail {
			said = max(said, 2*len(in.Operands()))
		}
	}
	for range said {
		e.said = append(e.said, e.long("mov.u64", "0"))
	}
}

// failThread ends the thread with a fault of an instruction.
func (e *emitter) failThread(v int, kind tile.FaultKind, axis int, says ...string) {
	e.do("mov.u64", e.what, hex(uint64(v)|uint64(kind)<<32|uint64(axis)<<40))
	for i, r := range says {
		e.do("mov.u64", e.said[i], r)
	}
	e.do("bra", e.failed)
}

// fail emits a Fail.
func (e *emitter) fail(v int, args []value) {
	var says []string
	for _, a := range args {
		for i := range 2 {
			if i == a.parts() {
				says = append(says, "0")
				break
			}
			says = append(says, e.told(one(partType(a.t), a.r[i])))
		}
	}
	e.failThread(v, tile.FaultFail, 0, says...)
}

// partType is the dtype of the parts of a complex number.
func partType(t tile.DType) tile.DType {
	switch t {
	case tile.Complex64:
		return tile.Float32
	case tile.Complex128:
		return tile.Float64
	}
	return t
}

// told makes 64 bits of a part: an integer, or the bits of a float64 or float32.
func (e *emitter) told(v value) string {
	switch scalars[v.t].class {
	case pred:
		return e.long("cvt.u64.u32", e.word("selp.u32", "1", "0", v.r[0]))
	case float:
		return e.long("cvt.u64.u32", e.word("mov.b32", v.r[0]))
	case dbl:
		return e.long("mov.b64", v.r[0])
	case word:
		return e.long("cvt.u64.u32", v.r[0]) // what is above its size is cut off
	}
	return v.r[0]
}

// heard makes a scalar of the words that told made.
func heard(t tile.DType, words []uint64) tile.Scalar {
	single := func(w uint64) float64 { return float64(math.Float32frombits(uint32(w))) }
	switch t {
	case tile.Float16, tile.Float32:
		return tile.FloatScalar(t, single(words[0]))
	case tile.Float64:
		return tile.FloatScalar(t, math.Float64frombits(words[0]))
	case tile.Complex64:
		return tile.ComplexScalar(t, complex(single(words[0]), single(words[1])))
	case tile.Complex128:
		return tile.ComplexScalar(t, complex(math.Float64frombits(words[0]), math.Float64frombits(words[1])))
	}
	return tile.UintScalar(t, words[0])
}

// faultEnd is where threads go that fail. Those of a warp which find the lock taken try again behind the one that has
// it, so that it does not wait for them.
func (e *emitter) faultEnd() {
	special := func(name string) string { return e.long("cvt.u64.u32", e.word("mov.u32", name)) }
	linear := func(x, y, z, nx, ny string) string {
		return e.long("mad.lo.u64", e.long("mad.lo.u64", special(z), special(ny), special(y)), special(nx), special(x))
	}
	e.place(e.failed)
	block := linear("%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y")
	thread := linear("%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y")
	number := e.long("mad.lo.u64", block, dec(byBlocks), thread)
	key := e.long("not.b64", number)
	lowest := "[" + e.stop + "+" + dec(lowestAt) + "]"
	lock := "[" + e.stop + "+" + dec(lockAt) + "]"
	again, behind, free, gone := e.label("again"), e.label("behind"), e.label("free"), e.label("gone")
	e.place(again)
	known := e.long("ld.volatile.global.u64", lowest)
	e.when(e.pred("setp.ge.u64", known, key), "bra", gone)
	taken := e.word("atom.global.cas.b32", lock, "0", "1")
	e.when(e.pred("setp.ne.u32", taken, "0"), "bra", behind)
	known = e.long("ld.volatile.global.u64", lowest)
	e.when(e.pred("setp.ge.u64", known, key), "bra", free)
	put := func(word int, r string) { e.do("st.volatile.global.u64", "["+e.faults+"+"+dec(8*word)+"]", r) }
	put(1, number)
	put(2, e.what)
	for i, r := range e.said {
		put(saidAt+i, r)
	}
	put(0, e.long("mov.u64", dec(faultThread)))
	e.do("st.volatile.global.u64", lowest, key)
	e.place(free)
	e.do("membar.sys")
	e.word("atom.global.exch.b32", lock, "0")
	e.place(behind)
	e.do("bra", again)
	e.place(gone)
	e.leave()
}

// threadFault returns what the words of a fault block say of a thread.
func threadFault(words []uint64, l *tile.Launch) error {
	f := tile.Fault{
		Block: int64(words[1] / byBlocks), Thread: int(words[1] % byBlocks),
		Instr: tile.Value(uint16(words[2])), Kind: tile.FaultKind(uint8(words[2] >> 32)), Axis: int(words[2] >> 40),
	}
	if int(f.Instr) >= len(l.Program.Code) || f.Thread >= l.Grid.BlockThreads() {
		return fmt.Errorf("cuda: a thread left %#x in its fault block, which program %s of %d instructions does not have", words[1:saidAt], l.Program.Name, len(l.Program.Code))
	}
	said := words[saidAt:]
	f.Index, f.Size = int64(said[0]), int64(said[1])
	if in := &l.Program.Code[f.Instr]; f.Kind == tile.FaultFail {
		for i, a := range in.Operands() {
			f.Values = append(f.Values, heard(l.Program.Code[a].Type, said[2*i:]))
		}
	}
	return l.Explain(&f)
}
