package tile

import (
	"fmt"
	"slices"
	"strings"
)

// String returns the memory's name: p0, or a0 for an array of the program's own.
func (m Memory) String() string {
	if m < 0 {
		return fmt.Sprintf("a%d", ^m)
	}
	return fmt.Sprintf("p%d", int32(m))
}

// String returns the space's name in the text form.
func (s Space) String() string {
	if int(s) < len(spaces) {
		return spaces[s]
	}
	return fmt.Sprintf("space(%d)", uint8(s))
}

// accesses reports whether the opcode reads or writes elements of a memory.
func (op Opcode) accesses() bool { return op >= Element && op <= Cas }

// scratchText prints the arrays of the program's own.
func (p *Program) scratchText(b *strings.Builder) {
	for i := range p.Scratch {
		s := &p.Scratch[i]
		fmt.Fprintf(b, "array a%d %v %v", i, s.Space, s.Type)
		for _, n := range s.Shape {
			fmt.Fprintf(b, " %d", n)
		}
		b.WriteByte('\n')
	}
}

// threadsText returns an instruction of threads.
func (p *Program) threadsText(v Value) string {
	in := &p.Code[v]
	var b strings.Builder
	if in.Op.HasResult() {
		fmt.Fprintf(&b, "%v = ", v)
	}
	b.WriteString(in.Op.String())
	if names := in.Op.Forms(); int(in.Form) < len(names) {
		b.WriteString("." + names[in.Form])
	} else if names != nil {
		fmt.Fprintf(&b, ".form(%d)", in.Form)
	}
	if in.Op.HasResult() {
		fmt.Fprintf(&b, " %v", in.Type)
	}
	switch {
	case in.Op == Size:
		fmt.Fprintf(&b, " %v %d", Memory(in.N), in.Form)
	case in.Op.accesses():
		fmt.Fprintf(&b, " %v", Memory(in.N))
	case in.Op == Fail:
		fmt.Fprintf(&b, " %d", in.N)
	}
	for _, a := range in.Operands() {
		fmt.Fprintf(&b, " %v", a)
	}
	return b.String()
}

// threads reads the line that says that a program is one of threads.
func (ps *parser) threads(f []string) error {
	guarded := len(f) > 0 && f[0] == "guarded"
	if guarded {
		f = f[1:]
	}
	sure := len(f) > 0 && f[0] == "sure"
	if sure {
		f = f[1:]
	}
	directives, f, err := parseDirectives(f)
	if err != nil {
		return err
	}
	if len(f) != 0 || ps.p.Threads || len(ps.p.Params)+len(ps.p.Uniforms)+len(ps.p.Scratch)+len(ps.p.Code) > 0 || ps.p.Routine != "" {
		return fmt.Errorf("want \"threads\", with \"guarded\", \"sure\" and directives behind it, once, right behind the program line")
	}
	ps.p.Threads, ps.p.Guarded, ps.p.Sure, ps.p.Directives = true, guarded, sure, directives
	return nil
}

// scratch reads an array of the program's own.
func (ps *parser) scratch(f []string) error {
	if len(f) < 4 || len(f) > 3+maxGather {
		return fmt.Errorf("want \"array aN shared|own DTYPE\" with 1 to %d extents", maxGather)
	}
	n, err := numbered('a', f[0])
	if err != nil {
		return err
	}
	if n != len(ps.p.Scratch) {
		return fmt.Errorf("array a%d out of order; want a%d", n, len(ps.p.Scratch))
	}
	space := slices.Index(spaces[:], f[1])
	if space < 0 {
		return fmt.Errorf("space %q; want shared or own", f[1])
	}
	t, err := ParseDType(f[2])
	if err != nil {
		return err
	}
	s := Scratch{Space: Space(space), Type: t}
	for _, word := range f[3:] {
		extent, err := number(word, 0, maxScratch)
		if err != nil {
			return fmt.Errorf("extent: %w", err)
		}
		s.Shape = append(s.Shape, extent)
	}
	ps.p.Scratch = append(ps.p.Scratch, s)
	return nil
}

// parseFormed finds an opcode of threads by its name, with its form behind a dot.
func parseFormed(word string) (op Opcode, form Form, ok bool) {
	name, formName, dotted := strings.Cut(word, ".")
	op, err := ParseOpcode(name)
	if err != nil || !op.OfThreads() || dotted != (op.Forms() != nil) {
		return 0, 0, false
	}
	if !dotted {
		return op, 0, true
	}
	at := slices.Index(op.Forms(), formName)
	return op, Form(at), at >= 0
}

// formed reads what stands behind the dtype of an instruction of threads, or behind the name of one without a result.
func (ps *parser) formed(op Opcode, form Form, t DType, f []string) error {
	in := Instr{Op: op, Form: form, Type: t, Args: Operands()}
	words := f
	switch {
	case op == Size || op.accesses():
		if len(f) == 0 {
			return fmt.Errorf("want \"%v pN ...\" or \"%v aN ...\"", op, op)
		}
		m, err := ps.memory(f[0])
		if err != nil {
			return err
		}
		in.N, f = int32(m), f[1:]
		if op == Put {
			in.Type, _ = ps.p.memory(m)
		}
		if op == Size {
			if len(f) != 1 {
				return fmt.Errorf("want \"vN = size int64 pN AXIS\"")
			}
			axis, err := number(f[0], 0, maxGather-1)
			if err != nil {
				return fmt.Errorf("axis: %w", err)
			}
			in.Form, f = Form(axis), nil
		}
	case op == Fail:
		if len(f) == 0 {
			return fmt.Errorf("want \"fail NUMBER vN ...\"")
		}
		n, err := number(f[0], 0, maxCode)
		if err != nil {
			return err
		}
		in.N, f = int32(n), f[1:]
	}
	if len(f) > op.Arity() || len(f) < op.least() {
		return fmt.Errorf("%v has %d operands in %q; want %d to %d", op, len(f), words, op.least(), op.Arity())
	}
	for i, word := range f {
		var err error
		if in.Args[i], err = ps.operand(word); err != nil {
			return err
		}
	}
	return ps.emit(in)
}

// memory reads a memory that is declared above.
func (ps *parser) memory(word string) (Memory, error) {
	letter, count, sign := byte('p'), len(ps.p.Params), Memory(0)
	if word[0] == 'a' {
		letter, count, sign = 'a', len(ps.p.Scratch), -1
	}
	n, err := numbered(letter, word)
	if err != nil {
		return 0, err
	}
	if n >= count {
		return 0, fmt.Errorf("%s is not declared above", word)
	}
	return Memory(n) ^ sign, nil
}
