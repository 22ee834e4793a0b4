package fuse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/scheduler"
	"weft/tile"
)

// String prints the template in the form that ParseTemplate reads: programs, and then the ops in their order. Numbers
// are positions in the window, among its ops and releases; 0.1 is the store of operand 1 of what stands at position 0.
//
//	keep 0
//	fuse (1,3) map add+multiply shape (10) program add+multiply
//	  use r 1.0 float64 (10) at 0 by (8)
//	  use w 3.1 float64 (10) at 0 by (8) renewed
//	  axes 3 (1,0)
//	drop (2,4)
//	apart 1 from 0: needs a whole reduction first, or reduces other axes
func (t *Template) String() string {
	var b strings.Builder
	var names scheduler.ProgramNames
	for i := range t.Ops {
		names.Print(&b, t.Ops[i].Program)
	}
	for i := range t.Ops {
		o := &t.Ops[i]
		switch {
		case len(o.Members) == 1:
			fmt.Fprintf(&b, "keep %d\n", o.Members[0])
			continue
		case o.Program == nil:
			fmt.Fprintf(&b, "drop %s\n", scheduler.Tuple(o.Members))
			continue
		}
		fmt.Fprintf(&b, "fuse %s %v shape %s", scheduler.Tuple(o.Members), o.Kind, scheduler.Tuple(o.Shape))
		if o.Reduced != 0 {
			fmt.Fprintf(&b, " reduced %s", scheduler.Tuple(scheduler.AxesOf(o.Reduced, len(o.Shape))))
		}
		fmt.Fprintf(&b, " program %s\n", names.Name(o.Program))
		for k := range o.Operands {
			u := &o.Operands[k]
			access := scheduler.Read
			if u.Write {
				access = scheduler.Write
			}
			fmt.Fprintf(&b, "  use %v %d.%d %v %s at %d by %s", access, u.Entry, u.Use, u.View.Type, scheduler.Tuple(u.View.Shape), u.View.Offset, scheduler.Tuple(u.View.Strides))
			if u.Renews {
				b.WriteString(" renewed")
			}
			b.WriteByte('\n')
		}
		for k, turn := range o.Turns {
			if turn != nil {
				fmt.Fprintf(&b, "  axes %d %s\n", o.Members[k], scheduler.Tuple(turn))
			}
		}
	}
	for _, s := range t.Splits {
		fmt.Fprintf(&b, "apart %d from %d: %v\n", s.Op, s.From, s.Why)
	}
	return b.String()
}

// ParseTemplate reads a template in the form of Template.String. Programs that the text does not declare are looked up
// among the known ones by their names. Blank lines and lines that start with # are skipped.
func ParseTemplate(text string, known ...*tile.Program) (*Template, error) {
	p := templateParser{Parser: scheduler.NewParser(known), t: &Template{}}
	if err := p.Statements(text, p.statement); err != nil {
		return nil, err
	}
	return p.t, nil
}

type templateParser struct {
	scheduler.Parser
	t *Template
}

func (p *templateParser) statement(line string) error {
	f, err := scheduler.Words(line)
	if err != nil {
		return err
	}
	switch {
	case f[0] == "program" && len(f) == 2:
		return p.Program(f[1])
	case f[0] == "keep" && len(f) == 2:
		at, err := position(f[1])
		p.t.add(Op{Members: []int32{at}})
		return err
	case f[0] == "drop" && len(f) == 2:
		members, err := membersOf(f[1])
		p.t.add(Op{Members: members})
		return err
	case f[0] == "fuse" && len(f) >= 5:
		o, err := p.fuse(f)
		if err == nil {
			p.t.add(o)
		}
		return err
	case f[0] == "apart":
		s, err := splitOf(line)
		p.t.Splits = append(p.t.Splits, s)
		return err
	}
	return fmt.Errorf("want program NAME, keep N, drop (N,..), fuse (N,..) KIND shape (..) [reduced (..)] program NAME, or apart N from N: WHY")
}

// fuse reads an op of several members and the lines below it.
func (p *templateParser) fuse(f []string) (o Op, err error) {
	if o.Members, err = membersOf(f[1]); err != nil {
		return o, err
	}
	// What stands behind the members is as in an op.
	op, err := p.Header(append([]string{"op", "o0", f[2], "fused"}, f[3:]...))
	if err != nil {
		return o, err
	}
	if op.Kind != scheduler.Map && op.Kind != scheduler.Reduce {
		return o, fmt.Errorf("kind %v; what is fused is a map or a reduce", op.Kind)
	}
	o.Program, o.Kind, o.Shape, o.Reduced = op.Program, op.Kind, op.Shape, op.Reduced
	for _, line := range p.Body {
		if err := p.detail(&o, line); err != nil {
			return o, fmt.Errorf("%q: %w", line, err)
		}
	}
	return o, o.check()
}

// detail reads "use r 1.0 float64 (10) at 0 by (8)" or "axes 3 (1,0)".
func (p *templateParser) detail(o *Op, line string) error {
	f := strings.Fields(line)
	if f[0] == "axes" && len(f) == 3 {
		at, err := position(f[1])
		if err != nil {
			return err
		}
		k := slices.Index(o.Members, at)
		if k < 0 {
			return fmt.Errorf("%d is no member", at)
		}
		if o.Turns == nil {
			o.Turns = make([][]int, len(o.Members))
		}
		o.Turns[k], err = scheduler.Numbers[int](f[2])
		return err
	}
	if len(f) < 3 || f[0] != "use" {
		return fmt.Errorf("want \"use r|w N.K DTYPE (SHAPE) at OFFSET by (STRIDES) [renewed]\" or \"axes N (AXES)\"")
	}
	entry, use, ok := strings.Cut(f[2], ".")
	u := Operand{}
	var err error
	if u.Entry, err = position(entry); err == nil {
		u.Use, err = position(use)
	}
	if err != nil || !ok {
		return fmt.Errorf("got operand %q, want one like 1.0", f[2])
	}
	// The rest is that of an op's operand, whose store has no name here.
	f[2] = "s0"
	var op scheduler.Op
	if err := op.ParseLine(strings.Join(f, " ")); err != nil {
		return err
	}
	u.View, u.Renews = op.Uses[0].View, op.Uses[0].Renews
	if k := len(o.Operands); k < len(o.Program.Params) && scheduler.AccessOf[o.Program.Params[k].Dir] != op.Uses[0].Access {
		return fmt.Errorf("parameter p%d is %v", k, o.Program.Params[k].Dir)
	}
	o.Operands = append(o.Operands, u)
	return nil
}

// check finds out whether what was read is an op that fuse could have made.
func (o *Op) check() error {
	switch {
	case o.Program.Rank != len(o.Shape):
		return fmt.Errorf("program %q has rank %d, the index space %s has %d axes", o.Program.Name, o.Program.Rank, scheduler.Tuple(o.Shape), len(o.Shape))
	case len(o.Operands) != len(o.Program.Params):
		return fmt.Errorf("%d operands for the %d parameters of program %q", len(o.Operands), len(o.Program.Params), o.Program.Name)
	}
	for i := range o.Operands {
		u := &o.Operands[i]
		switch v := &u.View; {
		case !slices.Contains(o.Members, u.Entry):
			return fmt.Errorf("operand %d is one of %d, which is no member", i, u.Entry)
		case v.Type != o.Program.Params[i].Type:
			return fmt.Errorf("operand %d is %v, parameter p%d is %v", i, v.Type, i, o.Program.Params[i].Type)
		case len(v.Shape) != len(v.Strides) || len(v.Shape) > scheduler.MaxAxes || o.Program.Params[i].Axes == 0 && len(v.Shape) != len(o.Shape):
			return fmt.Errorf("operand %d has %d extents and %d strides, the index space has %d axes", i, len(v.Shape), len(v.Strides), len(o.Shape))
		}
	}
	return nil
}

// position reads a number that counts from 0.
func position(text string) (int32, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("got %q, want a position like 3", text)
	}
	return int32(n), nil
}

// membersOf reads the positions of two ops or more.
func membersOf(text string) ([]int32, error) {
	list, err := scheduler.Numbers[int](text)
	if err != nil {
		return nil, err
	}
	members := make([]int32, len(list))
	for i, n := range list {
		if members[i] = int32(n); n < 0 || int(members[i]) != n {
			return nil, fmt.Errorf("got %q, want positions like (1,3)", text)
		}
	}
	if len(members) < 2 {
		return nil, fmt.Errorf("got %q, want two members or more", text)
	}
	return members, nil
}

// splitOf reads "apart 1 from 0: why".
func splitOf(line string) (s Split, err error) {
	head, why, _ := strings.Cut(line, ": ")
	f := strings.Fields(head)
	if len(f) != 4 || f[2] != "from" {
		return s, fmt.Errorf("want \"apart N from N: WHY\"")
	}
	if s.Why, err = scheduler.ParseWhy(why); err != nil {
		return s, err
	}
	if s.Op, err = position(f[1]); err == nil {
		s.From, err = position(f[3])
	}
	return s, err
}
