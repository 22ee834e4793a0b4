package tile

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the value's name, v3.
func (v Value) String() string { return "v" + strconv.Itoa(int(v)) }

var dirs = [...]string{"in", "out", "update"}

// String returns the direction's name in the text form.
func (d Dir) String() string {
	if int(d) < len(dirs) {
		return dirs[d]
	}
	return fmt.Sprintf("dir(%d)", uint8(d))
}

// String returns the text form, which Parse reads back. It also prints programs that Check
// refuses, so that error messages can show them.
//
// The text of a program that adds two arrays and multiplies by a scalar, as plans, errors, golden files and
// WEFT_DEBUG=dump show it:
//
//	program scaled_sum rank 1
//	param p0 in float64
//	param p1 in float64
//	param p2 out float64
//	uniform u0 float64
//	v0 = load float64 p0
//	v1 = load float64 p1
//	v2 = add float64 v0 v1
//	v3 = uniform float64 u0
//	v4 = mul float64 v2 v3
//	store p2 v4
//
// What a program does is all in its text, so that devices may keep what they compile by it.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %s rank %d\n", nameText(p.Name), p.Rank)
	if p.Threads {
		b.WriteString("threads")
		if p.Guarded {
			b.WriteString(" guarded")
		}
		if p.Sure {
			b.WriteString(" sure")
		}
		b.WriteString(p.Directives.String())
		b.WriteByte('\n')
	}
	for i, param := range p.Params {
		fmt.Fprintf(&b, "param p%d %v %v", i, param.Dir, param.Type)
		if param.Axes != 0 {
			fmt.Fprintf(&b, " axes %d", param.Axes)
		}
		b.WriteByte('\n')
	}
	for i, t := range p.Uniforms {
		fmt.Fprintf(&b, "uniform u%d %v\n", i, t)
	}
	p.scratchText(&b)
	if p.Routine != "" {
		b.WriteString(p.routineText() + "\n")
	}
	depth := 0 // of blocks: two spaces each
	for i := range p.Code {
		op := p.Code[i].Op
		if op == End || op == Else || op == While {
			depth = max(0, depth-1)
		}
		for range depth {
			b.WriteString("  ")
		}
		if op == If || op == Else || op == Loop || op == While {
			depth++
		}
		b.WriteString(p.InstrString(Value(i)))
		b.WriteByte('\n')
	}
	return b.String()
}

// InstrString returns one instruction in the text form, for plans and errors.
func (p *Program) InstrString(v Value) string {
	in := &p.Code[v]
	switch in.Op {
	case Load:
		return fmt.Sprintf("%v = load %v p%d", v, in.Type, in.N)
	case Const:
		return fmt.Sprintf("%v = const %v %v", v, in.Type, in.Lit)
	case Uniform:
		return fmt.Sprintf("%v = uniform %v u%d", v, in.Type, in.N)
	case Index:
		return fmt.Sprintf("%v = index %v %d", v, in.Type, in.N)
	case Store:
		return fmt.Sprintf("store p%d %v", in.N, in.Args[0])
	case Reduce:
		return fmt.Sprintf("reduce %v p%d %v", in.Comb, in.N, in.Args[0])
	}
	if in.Op.OfThreads() {
		return p.threadsText(v)
	}
	var b strings.Builder
	switch {
	case in.Op == Gather:
		fmt.Fprintf(&b, "%v = gather %v p%d", v, in.Type, in.N)
	case !in.Op.HasResult():
		b.WriteString(in.Op.String())
	default:
		fmt.Fprintf(&b, "%v = %v %v", v, in.Op, in.Type)
	}
	for _, a := range in.Args {
		if a != NoValue {
			fmt.Fprintf(&b, " %v", a)
		}
	}
	return b.String()
}

// nameText quotes a program's name where it isn't one plain word.
//
// Names come from users' functions and files, and may have spaces or quotes; most are one word, which reads better
// without.
func nameText(name string) string {
	for _, r := range name {
		if r <= ' ' || r > '~' || r == '"' || r == '#' {
			return strconv.Quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}
