package tile

import (
	"fmt"
	"strconv"
	"strings"
)

// FaultKind says what ended a thread.
type FaultKind uint8

// The kinds of faults.
const (
	FaultIndex     FaultKind = iota + 1 // an index that a memory does not have
	FaultFail                           // a Fail
	FaultAlone                          // a barrier, vote, shuffle or match that another thread does not come to
	FaultMask                           // a mask that does not name the thread itself
	FaultRace                           // an access that nothing parts from another thread's
	FaultUnwritten                      // a read of what nothing has written
)

// Fault is what ended a thread.
type Fault struct {
	Kind   FaultKind
	Instr  Value
	Block  int64 // numbers in the grid and in the block, x fastest
	Thread int
	Other  int // thread that FaultAlone waits for, or that FaultRace is with

	OtherBlock int64 // that thread's block, of FaultAlone at a grid barrier and of FaultRace, and what it did there
	OtherInstr Value
	At         [maxGather]int64 // of FaultRace and FaultUnwritten: the indices, as the thread has them

	Axis  int // of FaultIndex
	Index int64
	Size  int64

	Values []Scalar // of FaultFail
}

// Before reports whether a fault is the one of two that the launch fails with.
func (f *Fault) Before(g *Fault) bool {
	return f.Block < g.Block || f.Block == g.Block && f.Thread < g.Thread
}

// Explain returns the error of a launch that fails with a fault.
func (l *Launch) Explain(f *Fault) *DataError {
	p := l.Program
	in := &p.Code[f.Instr]
	e := DataError{Exception: "RuntimeError"}
	switch f.Kind {
	case FaultIndex:
		e.Exception = "IndexError"
		e.Text = fmt.Sprintf("index %d is out of bounds for axis %d of %s with size %d", f.Index, f.Axis, p.MemoryName(Memory(in.N)), f.Size)
	case FaultFail:
		e.Text = fmt.Sprintf("the kernel failed with code %d", in.N)
		if s := p.Source; s != nil && int(in.N) < len(s.Messages) {
			e.Exception, e.Text = s.Messages[in.N].Exception, s.Messages[in.N].Text
		}
		for _, v := range f.Values {
			e.Text = strings.Replace(e.Text, "{}", v.String(), 1)
		}
	case FaultAlone:
		other := coordinates(At(int64(f.Other), l.Grid.Threads))
		if in.Op == GridBarrier {
			other += " of block " + coordinates(At(f.OtherBlock, l.Grid.Blocks))
		}
		e.Text = fmt.Sprintf("thread %s does not come to this %v, where others wait for it", other, in.Op)
	case FaultRace:
		e.Text = fmt.Sprintf("race on %s: it is %s here, and %s by thread %s of block %s%s, with nothing between the two that orders them", f.element(p),
			doneBy(in.Op), doneBy(p.Code[f.OtherInstr].Op), coordinates(At(int64(f.Other), l.Grid.Threads)), coordinates(At(f.OtherBlock, l.Grid.Blocks)), p.inLine(f.OtherInstr))
	case FaultUnwritten:
		e.Text = fmt.Sprintf("%s is read, and nothing has written it", f.element(p))
	case FaultMask:
		e.Text = fmt.Sprintf("the mask of this %v does not name the thread itself", in.Op)
	}
	if f.Kind == FaultFail && p.Source != nil && p.Source.Plain {
		return &e
	}
	e.Text += fmt.Sprintf(" (kernel %s%s, thread %s of block %s, %s)", nameText(p.Name), p.inLine(f.Instr),
		coordinates(At(int64(f.Thread), l.Grid.Threads)), coordinates(At(f.Block, l.Grid.Blocks)), p.InstrString(f.Instr))
	return &e
}

// inLine is ", line 7" for an instruction whose line is known, and ", In[1] line 7" where the kernel is in another
// file.
func (p *Program) inLine(v Value) string {
	if s := p.Source; s != nil && int(v) < len(s.Lines) && s.Lines[v] > 0 {
		if int(v) < len(s.In) && s.In[v] > 0 {
			return fmt.Sprintf(", %s line %d", s.Files[s.In[v]], s.Lines[v])
		}
		return fmt.Sprintf(", line %d", s.Lines[v])
	}
	return ""
}

// element names the element that a fault is about: s[2, 3].
func (f *Fault) element(p *Program) string {
	m := Memory(p.Code[f.Instr].N)
	_, axes := p.memory(m)
	at := make([]string, axes)
	for i := range at {
		at[i] = strconv.FormatInt(f.At[i], 10)
	}
	return p.MemoryName(m) + "[" + strings.Join(at, ", ") + "]"
}

// doneBy says what an instruction does to an element.
func doneBy(op Opcode) string {
	switch op {
	case Element:
		return "read"
	case Put:
		return "written"
	}
	return "changed by an atomic"
}

func coordinates(at [3]int) string { return fmt.Sprintf("(%d,%d,%d)", at[0], at[1], at[2]) }

// MemoryName returns what the source calls a memory, or its name in the text.
func (p *Program) MemoryName(m Memory) string {
	if s := p.Source; s != nil {
		if m >= 0 && int(m) < len(s.Names) && s.Names[m] != "" {
			return s.Names[m]
		}
		if m < 0 && int(^m) < len(s.Arrays) && s.Arrays[^m] != "" {
			return s.Arrays[^m]
		}
	}
	return m.String()
}
