package tile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads a program in the text form of Program.String. Empty lines and lines that start
// with # are skipped. It checks the grammar alone; Check checks the program. Errors start
// with the line number.
func Parse(text string) (*Program, error) {
	ps := parser{p: &Program{}}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := ps.line(line); err != nil {
			reason := strings.TrimPrefix(err.Error(), "tile: ")
			return nil, fmt.Errorf("tile: line %d: %q: %s", n+1, line, reason)
		}
	}
	if !ps.headed {
		return nil, fmt.Errorf("tile: the text has no program line; want \"program NAME rank N\"")
	}
	return ps.p, nil
}

// parser holds what was read so far.
//
// This file reads the statements of code for lanes; threadstext.go reads those of programs of threads, and flow.go
// those of blocks. The grammar, of which each line of a text is one statement:
//
//	program NAME rank N                 first, and once
//	param pN in|out|update DTYPE        by number; the code below may name only what is declared above
//	param pN in DTYPE axes N            a whole array
//	uniform uN DTYPE
//	vN = OPCODE DTYPE vA vB             N is the number of the instruction, whether or not those before have results
//	vN = load DTYPE pN
//	store pN vN
//	reduce COMBINER pN vN
//	if vN ... else ... end, loop ... while vN ... next vA vB ... end
//
// Numbers have one spelling, and names one order, so that two texts of one program are equal but for spaces and
// comments: golden files and caches rely on it.
type parser struct {
	p      *Program
	headed bool // the program line was read
}

// line reads one statement by its first word. A word that begins none may name a value, or be an opcode of threads that
// has no result; value tells what else it could have been.
func (ps *parser) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	if !ps.headed {
		if word != "program" {
			return fmt.Errorf("want \"program NAME rank N\" first")
		}
		return ps.header(rest)
	}
	f := strings.Fields(rest)
	switch word {
	case "program":
		return fmt.Errorf("second program line; a text holds one program")
	case "param":
		return ps.param(f)
	case "uniform":
		return ps.uniform(f)
	case "store":
		return ps.store(f)
	case "reduce":
		return ps.reduce(f)
	case "routine":
		return ps.routine(f)
	case "if", "else", "loop", "while", "next", "end":
		return ps.flow(word, f)
	case "threads":
		return ps.threads(f)
	case "array":
		return ps.scratch(f)
	}
	if op, form, ok := parseFormed(word); ok && !op.HasResult() {
		return ps.formed(op, form, Bool, f)
	}
	return ps.value(word, f)
}

// header reads the program line. A name that is one plain word stands as it is, any other one is quoted as Go quotes
// strings: the other way round is refused, as there would be two spellings.
func (ps *parser) header(rest string) error {
	const form = "\"program NAME rank N\""
	name := ""
	rest = strings.TrimSpace(rest)
	if quoted, err := strconv.QuotedPrefix(rest); err == nil && rest[0] == '"' {
		name, err = strconv.Unquote(quoted)
		if err != nil {
			return fmt.Errorf("name %s is not a quoted string", quoted)
		}
		rest = rest[len(quoted):]
	} else {
		name, rest, _ = strings.Cut(rest, " ")
		if name == "" || nameText(name) != name {
			return fmt.Errorf("name %q must be quoted; want %s", name, form)
		}
	}
	f := strings.Fields(rest)
	if len(f) != 2 || f[0] != "rank" {
		return fmt.Errorf("want %s", form)
	}
	rank, err := number(f[1], 0, maxRank)
	if err != nil {
		return fmt.Errorf("rank: %w", err)
	}
	ps.p.Name, ps.p.Rank, ps.headed = name, rank, true
	return nil
}

// param reads a parameter. Numbers are written although they could be counted: a reader of a long program finds p7 by
// them.
func (ps *parser) param(f []string) error {
	if len(f) != 3 && (len(f) != 5 || f[3] != "axes") {
		return fmt.Errorf("want \"param pN in|out|update DTYPE\" or \"param pN in DTYPE axes N\"")
	}
	n, err := numbered('p', f[0])
	if err != nil {
		return err
	}
	if n != len(ps.p.Params) {
		return fmt.Errorf("parameter p%d out of order; want p%d", n, len(ps.p.Params))
	}
	dir := slices.Index(dirs[:], f[1])
	if dir < 0 {
		return fmt.Errorf("direction %q; want in, out or update", f[1])
	}
	t, err := ParseDType(f[2])
	if err != nil {
		return err
	}
	axes := 0
	if len(f) == 5 {
		if axes, err = number(f[4], 1, maxGather); err != nil {
			return fmt.Errorf("axes: %w", err)
		}
	}
	ps.p.Params = append(ps.p.Params, Param{Dir(dir), t, axes})
	return nil
}

// uniform reads a scalar that each launch gives anew.
func (ps *parser) uniform(f []string) error {
	if len(f) != 2 {
		return fmt.Errorf("want \"uniform uN DTYPE\"")
	}
	n, err := numbered('u', f[0])
	if err != nil {
		return err
	}
	if n != len(ps.p.Uniforms) {
		return fmt.Errorf("uniform u%d out of order; want u%d", n, len(ps.p.Uniforms))
	}
	t, err := ParseDType(f[1])
	if err != nil {
		return err
	}
	ps.p.Uniforms = append(ps.p.Uniforms, t)
	return nil
}

// store reads where a value goes that each lane has.
func (ps *parser) store(f []string) error {
	if len(f) != 2 {
		return fmt.Errorf("want \"store pN vN\"")
	}
	return ps.write(Instr{Op: Store}, f[0], f[1])
}

// reduce reads where the combination of all lanes' values goes.
func (ps *parser) reduce(f []string) error {
	if len(f) != 3 {
		return fmt.Errorf("want \"reduce COMBINER pN vN\"")
	}
	comb, err := ParseCombiner(f[0])
	if err != nil {
		return err
	}
	return ps.write(Instr{Op: Reduce, Comb: comb}, f[1], f[2])
}

// write finishes a store or reduce, whose dtype is the parameter's.
func (ps *parser) write(in Instr, param, value string) error {
	n, err := numbered('p', param)
	if err != nil {
		return err
	}
	if n >= len(ps.p.Params) {
		return fmt.Errorf("there is no parameter p%d; declare it above with \"param p%d out DTYPE\"", n, n)
	}
	v, err := ps.operand(value)
	if err != nil {
		return err
	}
	in.N, in.Type, in.Args = int32(n), ps.p.Params[n].Type, Operands(v)
	return ps.emit(in)
}

// value reads "vN = OPCODE DTYPE ...", of which word is the first word and f the others.
func (ps *parser) value(word string, f []string) error {
	n, err := numbered('v', word)
	if err != nil {
		return fmt.Errorf("unknown statement %q; want param, uniform, array, threads, routine, store, reduce, if, else, loop, while, next, end, put, barrier, fence, leave, fail or \"vN = OPCODE DTYPE ...\"", word)
	}
	if n != len(ps.p.Code) {
		return fmt.Errorf("value v%d out of order; want v%d (what has no result counts, too)", n, len(ps.p.Code))
	}
	if len(f) < 3 || f[0] != "=" {
		return fmt.Errorf("want \"v%d = OPCODE DTYPE ...\"", n)
	}
	// An opcode of threads is followed by a dot and its form, such as vote.any.
	of, form, formed := parseFormed(f[1])
	if formed {
		t, err := ParseDType(f[2])
		if err != nil {
			return err
		}
		if !of.HasResult() {
			return fmt.Errorf("%v has no result; want \"%v ...\" without \"v%d =\"", of, f[1], n)
		}
		return ps.formed(of, form, t, f[3:])
	}
	op, err := ParseOpcode(f[1])
	if err != nil {
		return err
	}
	if op.OfThreads() {
		return fmt.Errorf("%v has forms; want one of %v behind a dot", op, op.Forms())
	}
	t, err := ParseDType(f[2])
	if err != nil {
		return err
	}
	in := Instr{Op: op, Type: t, Args: Operands()}
	f = f[3:]
	want := op.Arity()
	switch op {
	case Load, Const, Uniform, Index:
		want = 1 // what is loaded; the value operands of the others count as they stand
	case Gather:
		return ps.gather(t, f)
	}
	if !op.HasResult() {
		return fmt.Errorf("%v has no result; want \"%v ...\" without \"v%d =\"", op, op, n)
	}
	if len(f) != want {
		return fmt.Errorf("%v has %d operands; want %d", op, len(f), want)
	}
	// What a name or number behind the dtype means depends on the opcode; In.N keeps it. Of a constant it is the number
	// itself, whose bits the instruction keeps.
	switch op {
	case Load:
		n, err = numbered('p', f[0])
	case Uniform:
		n, err = numbered('u', f[0])
	case Index:
		n, err = number(f[0], 0, maxRank)
	case Const:
		n = 0
		in.Lit, err = ParseScalar(t, f[0])
	default:
		n = 0
		for i := 0; i < want && err == nil; i++ {
			in.Args[i], err = ps.operand(f[i])
		}
	}
	if err != nil {
		return err
	}
	in.N = int32(n)
	return ps.emit(in)
}

// gather reads a parameter and an index for each of its axes.
func (ps *parser) gather(t DType, f []string) error {
	if len(f) < 2 || len(f) > 1+maxGather {
		return fmt.Errorf("want \"vN = gather DTYPE pN\" with 1 to %d indices", maxGather)
	}
	n, err := numbered('p', f[0])
	if err != nil {
		return err
	}
	in := Instr{Op: Gather, Type: t, N: int32(n), Args: Operands()}
	for i, word := range f[1:] {
		if in.Args[i], err = ps.operand(word); err != nil {
			return err
		}
	}
	return ps.emit(in)
}

// operand reads a value that was defined above.
func (ps *parser) operand(word string) (Value, error) {
	n, err := numbered('v', word)
	if err != nil {
		return NoValue, err
	}
	if n >= len(ps.p.Code) {
		return NoValue, fmt.Errorf("operand v%d is not defined above", n)
	}
	return Value(n), nil
}

// emit appends an instruction. Its number is that of the line's value, which value has compared with what is written.
func (ps *parser) emit(in Instr) error {
	if len(ps.p.Code) >= maxCode {
		return fmt.Errorf("the program is too long; want at most %d instructions", maxCode)
	}
	ps.p.Code = append(ps.p.Code, in)
	return nil
}

// numbered reads a name such as p0.
func numbered(letter byte, word string) (int, error) {
	if len(word) < 2 || word[0] != letter {
		return 0, fmt.Errorf("%q; want %cN", word, letter)
	}
	return number(word[1:], 0, maxCode)
}

// number reads a decimal number in its only spelling: no sign, no leading zeros.
func number(word string, lo, hi int) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil || strconv.Itoa(n) != word || n < lo || n > hi {
		return 0, fmt.Errorf("%q; want a number from %d to %d", word, lo, hi)
	}
	return n, nil
}
