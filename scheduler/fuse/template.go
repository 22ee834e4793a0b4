package fuse

import (
	"unsafe"

	"weft/scheduler"
	"weft/scheduler/region"
	"weft/tile"
)

// Template is what fuse decided for a window, without the stores, numbers and places of that window: what a
// window of the same signature (signature.go) comes to by replay. Loops submit the same window again and again, with
// other stores, so that a window is captured when it is planned for the first time, and replayed from then on.
// It is not changed once it is captured. Its text form is in templatetext.go.
//
//	window                             template                        window after replay
//	o1 s3 = s1 + s2                    fuse (0,1) map add+multiply     o2 add+multiply: s1, s2 -> s4
//	o2 s4 = s3 * 0.5                     use r 0.0, r 0.1, w 1.1       release s3
//	release s3
//
// Its memory belongs to the caller of Decide, and is shared by every window that replays it, as are the programs in it.
type Template struct {
	Ops    []Op
	Splits []Split
	Fused  bool // an op has several members

	Made, Parts, Operands, Uniforms int // of all ops of several members: replay allocates them together
}

// Op is an op of the plan, its members as positions in the window.
//
// Its members are in the order of the window, and every op of the window is a member of one Op. The order of Ops is the
// one in which groups may run.
type Op struct {
	Members []int32

	// Of several members:
	Turns    [][]int       // as in scheduler.Op
	Program  *tile.Program // nil: what it computes is never read
	Kind     scheduler.OpKind
	Shape    []int
	Reduced  tile.Axes
	Block    []int
	Operands []Operand
	Work     int64
}

// Operand is a parameter of the program: the view that an operand of the window has, on that operand's store.
type Operand struct {
	Entry, Use int32          // which operand of the window
	View       scheduler.View // without its store
	Bytes      region.Interval
	Dense      bool
	Write      bool // else it is read
	Renews     bool // the write goes to a new instance
}

// Split is a scheduler.Split by positions in the window.
type Split struct {
	Op, From int32
	Why      scheduler.Why
}

// add puts an op of several members behind the others: what follows from its members, program, index space and views is
// computed here, for captured templates and for those that were read from text.
func (t *Template) add(o Op) {
	if len(o.Members) > 1 {
		t.Fused = true
	}
	if o.Program != nil {
		if o.Kind == scheduler.Reduce {
			o.Block = tile.BlockShape(o.Shape, o.Reduced)
		}
		points := int64(1)
		for _, n := range o.Shape {
			points *= int64(n)
		}
		o.Work = points * o.Program.Work() // and the operands: see Op.Work
		for i := range o.Operands {
			u := &o.Operands[i]
			u.Bytes, u.Dense = region.Footprint(u.View.Layout(), scheduler.Origin(len(u.View.Shape)), u.View.Shape)
			u.Write = o.Program.Params[i].Dir == tile.Out
			o.Work += points * int64(u.View.Type.Size())
		}
		t.Made, t.Parts, t.Operands, t.Uniforms = t.Made+1, t.Parts+len(o.Members), t.Operands+len(o.Operands), t.Uniforms+len(o.Program.Uniforms)
	}
	t.Ops = append(t.Ops, o)
}

// Bytes returns about how much memory a template holds besides its key. Its programs are its own as well as those of
// the cache of programs, which may have dropped them.
func (t *Template) Bytes() int64 {
	n := unsafe.Sizeof(*t) + uintptr(len(t.Ops))*unsafe.Sizeof(Op{}) + uintptr(len(t.Splits))*unsafe.Sizeof(Split{})
	for i := range t.Ops {
		o := &t.Ops[i]
		n += 4*uintptr(len(o.Members)) + 24*uintptr(len(o.Turns)) + 8*uintptr(len(o.Shape)+len(o.Block)) + uintptr(len(o.Operands))*unsafe.Sizeof(Operand{})
		for _, turn := range o.Turns {
			n += 8 * uintptr(len(turn))
		}
		for k := range o.Operands {
			n += 16 * uintptr(len(o.Operands[k].View.Shape))
		}
		n += uintptr(programSize(o.Program))
	}
	return int64(n)
}

// programSize returns about how many bytes a program takes up; none takes none.
func programSize(p *tile.Program) int64 {
	if p == nil {
		return 0
	}
	return int64(unsafe.Sizeof(*p)) + int64(len(p.Name)) + int64(len(p.Code))*int64(unsafe.Sizeof(tile.Instr{})) +
		int64(len(p.Params))*int64(unsafe.Sizeof(tile.Param{})) + int64(len(p.Uniforms))
}
