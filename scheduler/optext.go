package scheduler

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/tile"
)

// Stream is an op stream as text knows it: everything that was asked of a core, in order.
type Stream []Step

// Step is one line of a stream; exactly one of its parts is set.
type Step struct {
	Verb  string  // store, host, op, release, flush, read, claim
	Store StoreID // store, host, release, read, claim
	Bytes int64   // store: its size
	Lo    int64   // read, claim: the bytes that the host needs
	Hi    int64
	Op    *Op // op; its ID is the one that it was printed with
}

// String prints the stream in the form that ParseOps reads. A program stands in front of
// the first op that uses it.
//
//	program add
//	  program add rank 1
//	  param p0 in float64
//	  ...
//	store s1 80
//	host s1
//	op o1 map add shape (10) program add at 1:3
//	  use r s1 float64 (10) at 0 by (8)
//	  uniform float64 0.5
//	read s1 0 80
//	release s1
//	flush
func (s Stream) String() string {
	var b strings.Builder
	var names ProgramNames
	for _, step := range s {
		switch step.Verb {
		case "store":
			fmt.Fprintf(&b, "store %v %d\n", step.Store, step.Bytes)
		case "host", "release":
			fmt.Fprintf(&b, "%s %v\n", step.Verb, step.Store)
		case "read", "claim":
			fmt.Fprintf(&b, "%s %v %d %d\n", step.Verb, step.Store, step.Lo, step.Hi)
		case "flush":
			b.WriteString("flush\n")
		case "op":
			names.Print(&b, step.Op.Program)
			step.Op.print(&b, names.Name(step.Op.Program))
		}
	}
	return b.String()
}

// ProgramNames gives programs names that differ where the programs do.
type ProgramNames struct {
	programs []*tile.Program
	names    []string
}

// Name returns the name that Print gave a program; "" if it gave none.
func (p *ProgramNames) Name(prog *tile.Program) string {
	for i := range p.programs {
		if p.programs[i] == prog {
			return p.names[i]
		}
	}
	return ""
}

// Print prints a program that was not printed before.
func (p *ProgramNames) Print(b *strings.Builder, prog *tile.Program) {
	if prog == nil || p.Name(prog) != "" {
		return
	}
	name := word(prog.Name)
	for n, taken := 2, true; taken; n++ {
		taken = false
		for _, other := range p.names {
			taken = taken || other == name
		}
		if taken {
			name = word(prog.Name + "#" + strconv.Itoa(n))
		}
	}
	p.programs, p.names = append(p.programs, prog), append(p.names, name)
	fmt.Fprintf(b, "program %s\n", name)
	for line := range strings.Lines(prog.String()) {
		b.WriteString("  " + line)
	}
}

// word quotes a name that is not one plain word.
func word(name string) string {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' }) {
		return strconv.Quote(name)
	}
	return name
}

// String prints the op alone, its program by name.
func (op *Op) String() string {
	var b strings.Builder
	name := "none"
	if op.Program != nil {
		name = word(op.Program.Name)
	}
	op.print(&b, name)
	return b.String()
}

func (op *Op) print(b *strings.Builder, program string) {
	fmt.Fprintf(b, "op %v %v %s shape %s", op.ID, op.Kind, word(op.Name), Tuple(op.Shape))
	if op.Reduced != 0 {
		fmt.Fprintf(b, " reduced %s", Tuple(AxesOf(op.Reduced, len(op.Shape))))
	}
	if g := op.Grid; g != nil {
		fmt.Fprintf(b, " grid %s threads %s dynamic %d", Tuple(g.Blocks[:]), Tuple(g.Threads[:]), g.Dynamic)
	}
	fmt.Fprintf(b, " program %s", program)
	if op.Where != (Where{}) {
		fmt.Fprintf(b, " at %d:%d", op.Where.Source, op.Where.Line)
	}
	b.WriteByte('\n')
	for _, u := range op.Uses {
		fmt.Fprintf(b, "  use %v %v", u.Access, u.View)
		if u.Renews {
			b.WriteString(" renewed")
		}
		b.WriteByte('\n')
	}
	for _, u := range op.Uniforms {
		fmt.Fprintf(b, "  uniform %v %v\n", u.Type, u)
	}
	for i, part := range op.Parts {
		fmt.Fprintf(b, "  fused %v %s at %d:%d", part.ID, word(part.Name), part.Where.Source, part.Where.Line)
		if op.Turns != nil && op.Turns[i] != nil {
			fmt.Fprintf(b, " axes %s", Tuple(op.Turns[i]))
		}
		b.WriteByte('\n')
	}
}

// AxesOf lists the axes of a set.
func AxesOf(set tile.Axes, rank int) (list []int) {
	for i := range rank {
		if set.Has(i) {
			list = append(list, i)
		}
	}
	return list
}

// ParseOps reads a stream in the form of Stream.String. Programs that the text does not
// declare are looked up among the known ones by their names. Blank lines and lines that
// start with # are skipped.
func ParseOps(text string, known ...*tile.Program) (Stream, error) {
	p := NewParser(known)
	if err := p.Statements(text, p.statement); err != nil {
		return nil, err
	}
	return p.stream, nil
}

// NewParser returns a parser that knows some programs by their names.
func NewParser(known []*tile.Program) Parser {
	p := Parser{programs: map[string]*tile.Program{}}
	for _, prog := range known {
		p.programs[prog.Name] = prog
	}
	return p
}

// Statements hands each statement of a text over, whose indented lines are in p.Body until the next one.
func (p *Parser) Statements(text string, statement func(line string) error) error {
	lines := strings.Split(text, "\n")
	for p.at = 0; p.at < len(lines); p.at++ {
		line := strings.TrimRight(lines[p.at], " \t\r")
		if line == "" || line[0] == '#' {
			continue
		}
		p.Body = p.Body[:0]
		first := p.at
		for p.at+1 < len(lines) && strings.HasPrefix(lines[p.at+1], "  ") {
			p.at++
			if inner := strings.TrimSpace(lines[p.at]); inner != "" {
				p.Body = append(p.Body, inner)
			}
		}
		if err := statement(line); err != nil {
			return fmt.Errorf("scheduler: line %d: %q: %w", first+1, line, err)
		}
	}
	return nil
}

// Parser reads statements, each with indented lines below it. ParseOps is one use of it, fuse.ParseTemplate another.
type Parser struct {
	stream   Stream
	programs map[string]*tile.Program
	at       int
	Body     []string // the indented lines below the statement
}

func (p *Parser) statement(line string) error {
	f, err := Words(line)
	if err != nil {
		return err
	}
	step := Step{Verb: f[0]}
	want := func(n int, form string) bool {
		if len(f) != n {
			err = fmt.Errorf("want %q", form)
		}
		return err == nil
	}
	switch f[0] {
	case "program":
		if !want(2, "program NAME") {
			return err
		}
		return p.Program(f[1])
	case "store":
		if !want(3, "store sN BYTES") {
			return err
		}
		step.Bytes, err = strconv.ParseInt(f[2], 10, 64)
	case "host", "release":
		want(2, f[0]+" sN")
	case "flush":
		want(1, "flush")
	case "read", "claim":
		if !want(4, f[0]+" sN LO HI") {
			return err
		}
		if step.Lo, err = strconv.ParseInt(f[2], 10, 64); err == nil {
			step.Hi, err = strconv.ParseInt(f[3], 10, 64)
		}
	case "op":
		if step.Op, err = p.op(f); err != nil {
			return err
		}
	default:
		return fmt.Errorf("unknown statement %q; want program, store, host, op, read, claim, release or flush", f[0])
	}
	if err != nil {
		return err
	}
	if f[0] != "op" && f[0] != "flush" {
		if step.Store, err = storeID(f[1]); err != nil {
			return err
		}
	}
	p.stream = append(p.stream, step)
	return nil
}

func storeID(text string) (StoreID, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "s"), 10, 32)
	if err != nil || !strings.HasPrefix(text, "s") {
		return 0, fmt.Errorf("got store %q, want one like s3", text)
	}
	return StoreID(n), nil
}

// Program reads the lines below a name.
func (p *Parser) Program(name string) error {
	prog, err := tile.Parse(strings.Join(p.Body, "\n"))
	if err == nil {
		p.programs[name] = prog
	}
	return err
}

// op reads an op and the lines below.
func (p *Parser) op(f []string) (*Op, error) {
	op, err := p.Header(f)
	if err != nil {
		return nil, err
	}
	for _, line := range p.Body {
		if part, turn, ok, err := parsePart(line); ok || err != nil {
			op.Parts = append(op.Parts, part)
			if turn != nil && op.Turns == nil {
				op.Turns = make([][]int, len(op.Parts)-1)
			}
			if op.Turns != nil || turn != nil {
				op.Turns = append(op.Turns, turn)
			}
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			continue
		}
		if err := op.ParseLine(line); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
	}
	return op, nil
}

// Header reads "op o1 map add shape (10) reduced (0) program add at 1:3", or, of threads, "op o1 call k shape () grid
// (4,1,1) threads (16,16,1) dynamic 0 program k at 1:3".
func (p *Parser) Header(f []string) (*Op, error) {
	if len(f) < 4 {
		return nil, fmt.Errorf("want \"op oN KIND NAME shape (..) [reduced (..)] program NAME [at SOURCE:LINE]\"")
	}
	id, err := strconv.ParseUint(strings.TrimPrefix(f[1], "o"), 10, 32)
	if err != nil {
		return nil, fmt.Errorf("got op %q, want one like o3", f[1])
	}
	op := &Op{ID: OpID(id), Name: f[3]}
	for int(op.Kind) < len(opKinds) && opKinds[op.Kind] != f[2] {
		op.Kind++
	}
	if int(op.Kind) == len(opKinds) {
		return nil, fmt.Errorf("unknown kind %q; want one of %v", f[2], opKinds)
	}
	for i := 4; i < len(f); i += 2 {
		if i+1 == len(f) {
			return nil, fmt.Errorf("nothing behind %q", f[i])
		}
		value := f[i+1]
		switch f[i] {
		case "shape":
			op.Shape, err = Numbers[int](value)
		case "reduced":
			var axes []int
			axes, err = Numbers[int](value)
			for _, a := range axes {
				if a < 0 || a >= len(op.Shape) {
					return nil, fmt.Errorf("axis %d is reduced, the shape before it is %s", a, Tuple(op.Shape))
				}
				op.Reduced |= 1 << uint(a)
			}
		case "grid", "threads", "dynamic":
			if op.Grid == nil {
				op.Grid = &tile.Grid{}
			}
			err = parseGrid(op.Grid, f[i], value)
		case "program":
			if op.Program = p.programs[value]; op.Program == nil {
				err = fmt.Errorf("program %q is not declared", value)
			}
		case "at":
			_, err = fmt.Sscanf(value, "%d:%d", &op.Where.Source, &op.Where.Line)
		default:
			err = fmt.Errorf("unknown word %q", f[i])
		}
		if err != nil {
			return nil, err
		}
	}
	if op.Program == nil {
		return nil, fmt.Errorf("no program is named")
	}
	return op, nil
}

// parseGrid reads a part of a grid.
func parseGrid(g *tile.Grid, word, value string) error {
	if word == "dynamic" {
		var err error
		g.Dynamic, err = strconv.ParseInt(value, 10, 64)
		return err
	}
	n, err := Numbers[int](value)
	if err == nil && len(n) != 3 {
		err = fmt.Errorf("%s %s; want three extents", word, value)
	}
	if err != nil {
		return err
	}
	if word == "grid" {
		g.Blocks = [3]int(n)
	} else {
		g.Threads = [3]int(n)
	}
	return nil
}

// parsePart reads "fused o3 add at 1:3": of an op that was fused, text keeps what names it.
func parsePart(line string) (op *Op, turn []int, ok bool, err error) {
	f, err := Words(line)
	if err != nil || f[0] != "fused" {
		return nil, nil, false, err
	}
	op = &Op{}
	if len(f) == 7 && f[5] == "axes" {
		if turn, err = Numbers[int](f[6]); err != nil {
			return nil, nil, false, err
		}
		f = f[:5]
	}
	if len(f) == 5 && f[3] == "at" {
		op.Name = f[2]
		var id uint64
		if id, err = strconv.ParseUint(strings.TrimPrefix(f[1], "o"), 10, 32); err == nil {
			op.ID = OpID(id)
			_, err = fmt.Sscanf(f[4], "%d:%d", &op.Where.Source, &op.Where.Line)
		}
		return op, turn, true, err
	}
	return nil, nil, false, fmt.Errorf("want \"fused oN NAME at SOURCE:LINE\", and \"axes (1,0)\" if they are turned")
}

// ParseLine reads "use r s3 float64 (2,3) at 16 by (24,8)" or "uniform float64 0.5".
func (op *Op) ParseLine(line string) error {
	f := strings.Fields(line)
	if len(f) == 3 && f[0] == "uniform" {
		t, err := tile.ParseDType(f[1])
		if err != nil {
			return err
		}
		s, err := tile.ParseScalar(t, f[2])
		op.Uniforms = append(op.Uniforms, s)
		return err
	}
	renews := len(f) == 10 && f[9] == "renewed" && f[1] == "w"
	if renews {
		f = f[:9]
	}
	access := -1
	if len(f) > 1 {
		access = slices.Index(accesses[:], f[1])
	}
	if len(f) != 9 || f[0] != "use" || access < 0 || f[5] != "at" || f[7] != "by" {
		return fmt.Errorf("want \"use r|w|u sN DTYPE (SHAPE) at OFFSET by (STRIDES) [renewed]\" or \"uniform DTYPE VALUE\"")
	}
	u := Use{Access: Access(access), Renews: renews}
	var err error
	if u.View.Store, err = storeID(f[2]); err != nil {
		return err
	}
	if u.View.Type, err = tile.ParseDType(f[3]); err != nil {
		return err
	}
	if u.View.Shape, err = Numbers[int](f[4]); err != nil {
		return err
	}
	if u.View.Offset, err = strconv.ParseInt(f[6], 10, 64); err != nil {
		return err
	}
	if u.View.Strides, err = Numbers[int64](f[8]); err != nil {
		return err
	}
	op.Uses = append(op.Uses, u)
	return nil
}

// Words splits a line at blanks; a quoted word may hold some.
func Words(line string) ([]string, error) {
	var f []string
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("a quote is not closed")
			}
			w, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			f, line = append(f, w), line[len(quoted):]
			continue
		}
		w, rest, _ := strings.Cut(line, " ")
		f, line = append(f, w), rest
	}
	return f, nil
}

// Numbers reads (2,3).
func Numbers[T int | int64](text string) ([]T, error) {
	inner, ok := strings.CutPrefix(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !ok || !closed {
		return nil, fmt.Errorf("got %q, want numbers like (2,3)", text)
	}
	list := []T{}
	if inner == "" {
		return list, nil
	}
	for _, w := range strings.Split(inner, ",") {
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("got %q, want numbers like (2,3)", text)
		}
		list = append(list, T(n))
	}
	return list, nil
}
