package ptx

import (
	"fmt"
	"math/bits"

	"weft/tile"
)

// A program of threads is what each thread of the kernel runs, once. Parameters are whole arrays, and arrays of the
// program's own lie where CUDA has a place for them:
//
//	shared   weft_shared, all that are not dynamic one behind the other, and weft_dynamic for those that are
//	own      weft_own, in local memory, likewise
//
// Every index is checked, unless the program is sure of them. A thread that fails goes to the end of the kernel, where
// it says what went wrong (threadfault.go), and leaves.

// blockClasses are the numbers of threads that a kernel is compiled for: how many registers each may have depends on
// it.
var blockClasses = [...]int16{128, 256, 512, tile.MaxBlockThreads}

// blockClass returns the least class that has so many threads.
func blockClass(threads int) int16 {
	for _, n := range blockClasses {
		if threads <= int(n) {
			return n
		}
	}
	return tile.MaxBlockThreads
}

// ThreadsVariant is the form of launches of blocks of so many threads, on arrays whose elements lie at multiples of
// their size.
func ThreadsVariant(threads int) Variant { return Variant{Threads: blockClass(threads)} }

// planThreads is Plan for programs of threads: the kernel depends on how large a block may be, and whose elements lie
// at multiples of their size.
func planThreads(l *tile.Launch) (Variant, Space) {
	v := ThreadsVariant(l.Grid.BlockThreads())
	v.Loose = Loose(l)
	return v, Space{Points: l.Grid.Count(), Strides: make([][]int64, len(l.Args))}
}

// Loose returns the parameters of a program of threads whose elements lie at any byte.
func Loose(l *tile.Launch) Parameters {
	var loose Parameters
	for i := range l.Args {
		if !Aligned(l, i) {
			loose |= 1 << min(i, 63)
		}
	}
	return loose
}

// GridOf returns how a launch of threads is launched, with the bytes of its dynamic arrays.
func GridOf(g *tile.Grid) (grid, block [3]uint32, dynamic uint32) {
	for i := range 3 {
		grid[i], block[i] = uint32(g.Blocks[i]), uint32(g.Threads[i])
	}
	return grid, block, uint32(g.Dynamic)
}

// threadsLayout is newLayout for programs of threads:
//
//	the bytes of dynamic arrays
//	by parameter, the address, the stride along each axis, and the extents of these
//	the addresses of the fault block and of the stop word
//	by uniform, its bits
func threadsLayout(p *tile.Program) layout {
	lay := layout{words: 1}
	for _, param := range p.Params {
		lay.params, lay.whole = append(lay.params, lay.words), append(lay.whole, param.Axes)
		lay.words += 1 + 2*param.Axes
	}
	lay.faults = lay.words
	lay.words += 2
	return lay
}

// threadWords is Words for programs of threads.
func (k *Kernel) threadWords(dst []uint64, l *tile.Launch, faults, stop uint64) []uint64 {
	dst = append(dst, uint64(l.Grid.Dynamic))
	for p := range l.Args {
		dst = append(dst, l.Args[p].Buffer.Handle+uint64(l.Args[p].Offset))
		for _, n := range l.Args[p].Strides {
			dst = append(dst, uint64(n))
		}
		for _, n := range l.Args[p].Shape {
			dst = append(dst, uint64(n))
		}
	}
	return uniformWords(append(dst, faults, stop), l)
}

// threads writes the kernel.
func (e *emitter) threads() error {
	e.prepareFlow()
	e.prepareFaults()
	e.prepareGrid()
	e.uniforms()
	if err := e.instructions(); err != nil {
		return err
	}
	e.leave()
	e.faultEnd()
	e.gridEnd()
	return nil
}

// scratch returns the declarations of the arrays that are the program's own, within the kernel.
func scratch(p *tile.Program) string {
	text := gridShares(p)
	shared, own := ScratchBytes(p)
	if shared > 0 {
		text += fmt.Sprintf("\t.shared .align 16 .b8 weft_shared[%d];\n", shared)
	}
	if own > 0 {
		text += fmt.Sprintf("\t.local .align 16 .b8 weft_own[%d];\n", own)
	}
	return text
}

// ScratchBytes returns how many bytes the arrays of a program's own take that are not dynamic: of a block, and of each
// thread.
func ScratchBytes(p *tile.Program) (shared, own int64) {
	shared, at := tile.SharedBytes(p)
	for i := range p.Scratch {
		if s := &p.Scratch[i]; s.Space == tile.Own {
			own = max(own, at[i]+int64(s.Elements()*s.Type.Size()))
		}
	}
	return shared, own
}

// dynamic reports whether a program has dynamic arrays.
func dynamic(p *tile.Program) bool {
	for i := range p.Scratch {
		if p.Scratch[i].Dynamic() {
			return true
		}
	}
	return false
}

// dynamicArray declares what all dynamic arrays of a module's kernels lie in.
const dynamicArray = ".extern .shared .align 16 .b8 weft_dynamic[];\n\n"

// memory is where an instruction's array lies: a state space, the address of its first element, and by axis its stride
// and extent, in registers or as literals.
type memory struct {
	space            string
	base             string
	strides, extents []string
}

// memoryOf reads of the parameter block, or knows, where an array lies.
func (e *emitter) memoryOf(m tile.Memory) memory {
	if m >= 0 {
		at := memory{space: "global", base: e.long("cvta.to.global.u64", e.param(e.layout.base(int(m))))}
		for axis := range e.p.Params[m].Axes {
			at.strides = append(at.strides, e.param(e.layout.stride(int(m), axis)))
			at.extents = append(at.extents, e.param(e.layout.extent(int(m), axis)))
		}
		return at
	}
	s := &e.p.Scratch[^m]
	_, offsets := tile.SharedBytes(e.p)
	at, name := memory{space: "shared"}, "weft_shared"
	switch {
	case s.Space == tile.Own:
		at.space, name = "local", "weft_own"
	case s.Dynamic():
		at.base = e.long("mov.u64", "weft_dynamic")
		at.strides = []string{dec(s.Type.Size())}
		at.extents = []string{e.dynamicSize(s.Type)}
		return at
	}
	at.base = e.long("add.u64", e.long("mov.u64", name), dec(int(offsets[^m])))
	stride := s.Type.Size()
	at.strides, at.extents = make([]string, len(s.Shape)), make([]string, len(s.Shape))
	for axis := len(s.Shape) - 1; axis >= 0; axis-- {
		at.strides[axis], at.extents[axis] = dec(stride), dec(s.Shape[axis])
		stride *= s.Shape[axis]
	}
	return at
}

// dynamicSize is the number of elements of a dynamic array.
func (e *emitter) dynamicSize(t tile.DType) string {
	return e.long("shr.u64", e.param(0), dec(bits.TrailingZeros(uint(t.Size()))))
}

// size is the extent of an axis.
func (e *emitter) size(in *tile.Instr) value {
	m := tile.Memory(in.N)
	if m >= 0 {
		return one(tile.Int64, e.param(e.layout.extent(int(m), int(in.Form))))
	}
	if s := &e.p.Scratch[^m]; !s.Dynamic() {
		return one(tile.Int64, e.long("mov.u64", dec(s.Shape[in.Form])))
	}
	return one(tile.Int64, e.dynamicSize(e.p.Scratch[^m].Type))
}

// checked returns the state space and the address of an element at the indices, which it checks: negative ones count
// from the end. Those of a program that is sure it takes as they are.
func (e *emitter) checked(v int, m memory, index []value) (space, address string) {
	at := m.base
	for axis, x := range index {
		if e.p.Sure {
			at = e.long("mad.lo.s64", x.r[0], m.strides[axis], at)
			continue
		}
		i, n := x.r[0], m.extents[axis]
		k := e.long("add.s64", i, e.to(long, "selp.b64", n, "0", e.pred("setp.lt.s64", i, "0")))
		inside := e.label("inside")
		e.when(e.pred("setp.lt.u64", k, n), "bra", inside)
		e.failThread(v, tile.FaultIndex, axis, i, n)
		e.place(inside)
		at = e.long("mad.lo.s64", k, m.strides[axis], at)
	}
	return m.space, at
}

// specials are the registers of the forms of Thread.
var specials = [...]string{
	tile.TidX: "%tid.x", tile.TidY: "%tid.y", tile.TidZ: "%tid.z",
	tile.CtaidX: "%ctaid.x", tile.CtaidY: "%ctaid.y", tile.CtaidZ: "%ctaid.z",
	tile.NtidX: "%ntid.x", tile.NtidY: "%ntid.y", tile.NtidZ: "%ntid.z",
	tile.NctaidX: "%nctaid.x", tile.NctaidY: "%nctaid.y", tile.NctaidZ: "%nctaid.z",
	tile.LaneID: "%laneid",
}

// ofThreads emits an instruction of programs of threads.
func (e *emitter) ofThreads(v int, args []value) error {
	in := &e.p.Code[v]
	loose := in.N >= 0 && e.v.Loose.Has(min(int(in.N), 63)) // of what has a memory
	switch in.Op {
	case tile.Thread:
		e.values[v] = one(tile.Int32, e.word("mov.u32", specials[in.Form]))
	case tile.Size:
		e.values[v] = e.size(in)
	case tile.Element:
		space, at := e.checked(v, e.memoryOf(tile.Memory(in.N)), args)
		e.bytes = loose
		e.values[v] = e.load(in.Type, space, at, 0)
		e.bytes = false
	case tile.Put:
		space, at := e.checked(v, e.memoryOf(tile.Memory(in.N)), args[1:])
		e.bytes = loose
		e.store(space, at, args[0])
		e.bytes = false
	case tile.Atomic, tile.Cas:
		if loose {
			return fmt.Errorf("cuda: kernel %s: %v on an array whose elements do not lie at multiples of their size; copy it first", e.p.Name, in.Op)
		}
		lead := 1
		if in.Op == tile.Cas {
			lead = 2
		}
		space, at := e.checked(v, e.memoryOf(tile.Memory(in.N)), args[lead:])
		e.values[v] = e.atomic(in, space, at, args[:lead])
	case tile.Fence:
		e.do("membar." + [...]string{tile.FenceBlock: "cta", tile.FenceDevice: "gl", tile.FenceSystem: "sys"}[in.Form])
	case tile.Leave:
		e.leave()
	case tile.GridBarrier:
		e.gridBarrier()
	case tile.Fail:
		e.fail(v, args)
	default:
		e.values[v] = e.meeting(v, args)
	}
	return nil
}
