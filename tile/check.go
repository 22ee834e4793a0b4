package tile

import "fmt"

// The limits of a program. Values are int16, so that instructions stay small.
const (
	maxRank = 32
	maxCode = 1<<15 - 1
)

// Check reports the first thing that is wrong with a program; devices are given only
// programs that it accepts. Messages name the instruction as it stands in the text form.
//
// This file checks what holds for every program; checkflow.go has blocks, checkthreads.go programs of threads, and
// routine.go calls. In the order in which an instruction v is looked at:
//
//	its row        the opcode and the dtype are in the tables
//	its place      code for lanes has no opcode of threads, and the other way round (place)
//	its block      it may stand where it stands (flow)
//	its operands   come before v, are values, and belong to a block that v sees (operands, seen)
//	its dtypes     are those that the opcode's row takes (scalar), or what its own case below wants
//
// Each step relies on the one before: no later one looks at an operand that is not there. So a program that is accepted
// can be run, lowered and analysed without a check of any index.
func Check(p *Program) error {
	c := checker{p: p, written: make([]Value, len(p.Params)), blocks: newBlocks(len(p.Code))}
	if err := c.header(); err != nil {
		return err
	}
	if p.Routine != "" {
		return c.routine()
	}
	if len(p.Attrs) > 0 {
		return c.errorf("it has attributes, but no routine")
	}
	if err := c.scratch(); err != nil {
		return err
	}
	for i := range p.Code {
		if err := c.instr(Value(i)); err != nil {
			return err
		}
	}
	if n := len(c.blocks.open); n > 0 {
		return c.errorf("%s: it has no end", p.InstrString(c.blocks.open[n-1].head))
	}
	// Each output has one instruction that writes it, so that no lane's result depends on an order of stores, and a
	// pass that looks for what makes an output finds one place. Programs of threads have any number of them: they have
	// an order, that of the thread.
	wrote := false
	for n, param := range p.Params {
		if param.Dir.Writes() && c.written[n] == NoValue && !(p.Guarded && param.Dir == Out) {
			want := "exactly one store or reduce"
			if p.Threads {
				want = "a put, an atomic or a cas"
			}
			return c.errorf("output parameter p%d is never written; want %s", n, want)
		}
		wrote = wrote || param.Dir.Writes()
	}
	if !wrote {
		return c.errorf("it has no output parameter, so that it computes nothing")
	}
	return nil
}

// checker holds what is known of the instructions before the one that is looked at.
type checker struct {
	p       *Program
	written []Value // by parameter: the instruction that writes it
	blocks  blocks
}

func (c *checker) errorf(format string, args ...any) error {
	return fmt.Errorf("tile: program %s: %s", nameText(c.p.Name), fmt.Sprintf(format, args...))
}

// header checks what is declared: the rank, the counts, parameters and uniforms.
func (c *checker) header() error {
	p := c.p
	if p.Rank < 0 || p.Rank > maxRank {
		return c.errorf("rank %d; want 0 to %d", p.Rank, maxRank)
	}
	if len(p.Code) > maxCode || len(p.Params) > maxCode || len(p.Uniforms) > maxCode {
		return c.errorf("%d instructions, %d parameters, %d uniforms; want at most %d of each",
			len(p.Code), len(p.Params), len(p.Uniforms), maxCode)
	}
	if p.Directives != (Directives{}) && !p.Threads {
		return c.errorf("it has directives, which are those of threads")
	}
	if err := p.Directives.check(); err != nil {
		return c.errorf("%v", err)
	}
	for n, param := range p.Params {
		c.written[n] = NoValue
		if param.Dir > Update {
			return c.errorf("parameter p%d has direction %v; want in, out or update", n, param.Dir)
		}
		if !valid(param.Type) {
			return c.errorf("parameter p%d has dtype %v; see the table in tile/dtypes.go", n, param.Type)
		}
		if param.Axes < 0 || param.Axes > maxGather || param.Axes > 0 && !p.Threads && (param.Dir != In || p.Routine != "") {
			return c.errorf("parameter p%d is bound as a whole array of %d axes; want an input of code, and 1 to %d", n, param.Axes, maxGather)
		}
	}
	for n, t := range p.Uniforms {
		if !valid(t) {
			return c.errorf("uniform u%d has dtype %v; see the table in tile/dtypes.go", n, t)
		}
	}
	return nil
}

// valid reports whether a dtype has a row in the table.
func valid(t DType) bool { return t != Invalid && int(t) < len(dtypes) }

// instr checks an instruction, of which all before it have been found right.
func (c *checker) instr(v Value) error {
	in := &c.p.Code[v]
	if in.Op == OpInvalid || int(in.Op) >= len(opcodes) {
		return c.errorf("%v: %v; see the table in tile/opcodes.go", v, in.Op)
	}
	if !valid(in.Type) {
		return c.errorf("%v: %v has dtype %v; see the table in tile/dtypes.go", v, in.Op, in.Type)
	}
	if err := c.place(in); err != nil {
		return c.errorf("%s: %v", c.p.InstrString(v), err)
	}
	if err := c.flow(v); err != nil {
		return c.errorf("%s: %v", c.p.InstrString(v), err)
	}
	if err := c.operands(v); err != nil {
		return err
	}
	var err error
	switch in.Op {
	case If, Else, Merge, Loop, Carry, While, Next, End:
		err = c.flowTypes(v)
	case Gather:
		err = c.gather(in)
	case Element, Put, Atomic, Cas:
		err = c.access(v)
	case Thread, Size, Barrier, GridBarrier, Tally, Fence, Vote, Shuffle, Match, Active, Leave, Fail:
		err = c.threadTypes(in)
	case Load:
		if err = c.param(in, In); err == nil && c.p.Params[in.N].Axes > 0 {
			err = fmt.Errorf("p%d is bound as a whole array; want a gather", in.N)
		}
	case Store, Reduce:
		err = c.write(v)
	case Const:
		err = literal(in)
	case Uniform:
		if in.N < 0 || int(in.N) >= len(c.p.Uniforms) {
			err = fmt.Errorf("there is no uniform u%d; the program has %d", in.N, len(c.p.Uniforms))
		} else if t := c.p.Uniforms[in.N]; t != in.Type {
			err = fmt.Errorf("u%d has dtype %v; want %v", in.N, t, in.Type)
		}
	case Index:
		if in.Type != Int64 {
			err = fmt.Errorf("an index has dtype int64, not %v", in.Type)
		} else if in.N < 0 || int(in.N) >= c.p.Rank {
			err = fmt.Errorf("axis %d of an index space of rank %d; want an axis below the rank", in.N, c.p.Rank)
		}
	case Cast: // any dtype to any dtype
	default:
		err = c.scalar(in)
	}
	if err != nil {
		return c.errorf("%s: %v", c.p.InstrString(v), err)
	}
	return nil
}

// operands checks that operands are there, come before the instruction, and are values.
func (c *checker) operands(v Value) error {
	in := &c.p.Code[v]
	for i, a := range in.Args {
		switch {
		case i >= in.Op.Arity():
			if a != NoValue {
				return c.errorf("%s: it has operand %d (%v); %v takes %d", c.p.InstrString(v), i+1, a, in.Op, in.Op.Arity())
			}
		case a == NoValue && i >= in.Op.least(): // as many as the array has axes
		case a == NoValue:
			return c.errorf("%s: operand %d is missing; %v takes %d", c.p.InstrString(v), i+1, in.Op, in.Op.Arity())
		case a < 0 || a >= v:
			return c.errorf("%s: operand %v is not defined before it", c.p.InstrString(v), a)
		case !c.p.Code[a].Op.HasResult():
			return c.errorf("%s: operand %v is \"%s\", which has no result", c.p.InstrString(v), a, c.p.InstrString(a))
		default:
			if err := c.seen(in, i); err != nil {
				return c.errorf("%s: %v", c.p.InstrString(v), err)
			}
		}
	}
	return nil
}

// param checks the parameter that an instruction names.
func (c *checker) param(in *Instr, dir Dir) error {
	if in.N < 0 || int(in.N) >= len(c.p.Params) {
		return fmt.Errorf("there is no parameter p%d; the program has %d", in.N, len(c.p.Params))
	}
	p := c.p.Params[in.N]
	if p.Dir != dir {
		return fmt.Errorf("p%d is an %v parameter; want an %v parameter", in.N, p.Dir, dir)
	}
	if p.Type != in.Type {
		return fmt.Errorf("p%d has dtype %v; want %v", in.N, p.Type, in.Type)
	}
	return nil
}

// write checks a store or reduce.
func (c *checker) write(v Value) error {
	in := &c.p.Code[v]
	dir := Out
	// A store in a block leaves what is there where a lane does not take the block: the parameter is an update, whose
	// old bytes count.
	if len(c.blocks.open) > 0 { // not every lane may take the block
		dir = Update
	}
	if err := c.param(in, dir); err != nil {
		return err
	}
	if t := c.p.Code[in.Args[0]].Type; t != in.Type {
		return fmt.Errorf("%v has dtype %v; p%d has %v", in.Args[0], t, in.N, in.Type)
	}
	if w := c.written[in.N]; w != NoValue {
		return fmt.Errorf("p%d is already written by \"%s\"; want exactly one store or reduce", in.N, c.p.InstrString(w))
	}
	c.written[in.N] = v
	// Stores have an element for each point, reduces one for each block of points: one launch has one such grid.
	for _, w := range c.written {
		if w != NoValue && c.p.Code[w].Op != in.Op {
			return fmt.Errorf("the program also has \"%s\"; want either stores or reduces, not both", c.p.InstrString(w))
		}
	}
	if in.Op == Store {
		return nil
	}
	if in.Comb == CombNone || int(in.Comb) >= len(combiners) {
		return fmt.Errorf("combiner %v; want one of %v", in.Comb, Combiners())
	}
	if !in.Comb.Accepts(in.Type) {
		return fmt.Errorf("%v does not combine %v", in.Comb, in.Type)
	}
	return nil
}

// literal checks a constant: the right dtype, and no stray bits, so that equal constants
// compare equal.
func literal(in *Instr) error {
	if in.Lit.Type != in.Type {
		return fmt.Errorf("the literal has dtype %v; want %v", in.Lit.Type, in.Type)
	}
	unused := uint64(0)
	if size := in.Type.Size(); size < 8 {
		unused = ^uint64(0) << (size * 8)
	}
	if in.Type == Bool {
		unused = ^uint64(1)
	}
	if in.Lit.Bits[0]&unused != 0 || in.Lit.Bits[1] != 0 && in.Type.Size() < 16 {
		return fmt.Errorf("the literal's bits %#x do not fit %v; want the unused bits zero", in.Lit.Bits, in.Type)
	}
	return nil
}

// scalar checks the dtypes of a scalar opcode against its table row.
func (c *checker) scalar(in *Instr) error {
	args := in.Args[:in.Op.Arity()]
	if in.Op == Select {
		if t := c.p.Code[args[0]].Type; t != Bool {
			return fmt.Errorf("the condition %v has dtype %v; want bool", args[0], t)
		}
		args = args[1:]
	}
	t := c.p.Code[args[0]].Type
	for _, a := range args[1:] {
		if u := c.p.Code[a].Type; u != t {
			return fmt.Errorf("%v has dtype %v, %v has %v; want equal dtypes (insert a cast)", args[0], t, a, u)
		}
	}
	if !in.Op.Accepts(t) {
		return fmt.Errorf("%v does not take %v; see the table in tile/opcodes.go", in.Op, t)
	}
	if want := in.Op.Result(t); in.Type != want {
		return fmt.Errorf("the result of %v on %v is %v, not %v", in.Op, t, want, in.Type)
	}
	return nil
}
