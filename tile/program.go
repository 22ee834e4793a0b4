package tile

// Value names the result of an instruction by its position in Program.Code; it prints
// as v3.
type Value int16

// NoValue fills unused operand slots.
const NoValue Value = -1

// MaxArgs is the highest number of value operands of an instruction.
const MaxArgs = 5

// Operands returns the operand slots of an instruction: v, and NoValue for the rest.
func Operands(v ...Value) [MaxArgs]Value {
	args := [MaxArgs]Value{NoValue, NoValue, NoValue, NoValue, NoValue}
	copy(args[:], v)
	return args
}

// Dir is the direction of a parameter.
type Dir uint8

// The directions. An Update is written in part, maybe, and keeps what it had elsewhere: stores in
// blocks have such parameters, which only lanes that take the block write, and named routines,
// which read them, too.
const (
	In Dir = iota
	Out
	Update
)

// Writes reports whether a parameter is written.
func (d Dir) Writes() bool { return d != In }

// Param is one buffer parameter of a program: which way data flows, and the dtype of
// its elements. It prints as p0, p1, ...
type Param struct {
	Dir  Dir
	Type DType

	// Axes, where it is not 0, says that an input is bound as a whole array of so many axes, with
	// a shape of its own, and read by Gather alone. Others have one element at each point. Every
	// parameter of threads is bound as a whole, as a single element where this is 0.
	Axes int
}

// Instr is one instruction. Which fields mean something depends on the opcode:
//
//	Load     Type, N = parameter                     v0 = load float64 p0
//	Const    Type, Lit                               v1 = const float64 0.5
//	Uniform  Type, N = position in Program.Uniforms  v2 = uniform float64 u0
//	Index    Type = int64, N = axis                  v3 = index int64 1
//	Store    Args[0], N = parameter                  store p1 v2
//	Reduce   Args[0], N = parameter, Comb            reduce sum p1 v2
//	Gather   Type, N = parameter, Args = indices     v5 = gather float64 p2 v3 v4
//	others   Type, Args                              v4 = add float64 v1 v2
//
// Those of threads, which read and write a Memory, have it in N.
type Instr struct {
	Op   Opcode
	Type DType // dtype of the result; for Store, Reduce and Put that of the parameter, bool without either
	Comb Combiner
	Form Form // of opcodes that have several (Forms); the axis of Size
	N    int32
	Args [MaxArgs]Value
	Lit  Scalar
}

// Program is typed SSA over the lanes of one tile: every lane of the index space runs
// the same instructions, in structured blocks where lanes differ (see flow.go). Or it is one named routine over whole
// arrays, such as a sort: then it has no code and no index space. Or it is what each thread of a grid runs
// (threads.go), which has no index space either. A program is immutable once built; its text form identifies it (equal
// texts are equal programs).
type Program struct {
	Name     string // for people: plans, timelines, errors
	Rank     int    // axes of the index space
	Params   []Param
	Uniforms []DType // scalars handed over at launch, u0, u1, ...
	Code     []Instr

	Routine string // name in the device's table of routines; empty for code
	Attrs   []Attr // of the routine

	Threads bool      // it is what threads run
	Guarded bool      // races of threads, and reads of what nothing has written, are failures
	Sure    bool      // every index of threads is in bounds, and none counts from the end: a device need not look
	Scratch []Scratch // arrays of the threads' own
	Directives
	Source *Source // of threads, for messages; nil where nothing is known

	Watched []Watched // of its operations, by part; no part of the text, and without any influence on what is computed
}

// Reduces reports whether the program ends in a combiner: then launches carry reduction
// blocks.
func (p *Program) Reduces() bool {
	for i := range p.Code {
		if p.Code[i].Op == Reduce {
			return true
		}
	}
	return false
}

// Operands returns the values that an instruction of a checked program takes.
func (in *Instr) Operands() []Value {
	n := 0
	for n < len(in.Args) && in.Args[n] != NoValue {
		n++
	}
	return in.Args[:n]
}

// Builder assembles a program. It does not check; Check does.
type Builder struct {
	p     Program
	depth int   // of open blocks
	line  int32 // where what is added comes from
	file  int16 // likewise, as a position in Source.Files
}

// NewBuilder starts a program over an index space of the given rank.
func NewBuilder(name string, rank int) *Builder {
	return &Builder{p: Program{Name: name, Rank: rank}}
}

// Param adds a buffer parameter and returns its number.
func (b *Builder) Param(dir Dir, t DType) int {
	b.p.Params = append(b.p.Params, Param{Dir: dir, Type: t})
	return len(b.p.Params) - 1
}

// Whole adds an input parameter that is bound as a whole array of so many axes, and returns its
// number for Gather.
func (b *Builder) Whole(t DType, axes int) int {
	b.p.Params = append(b.p.Params, Param{In, t, axes})
	return len(b.p.Params) - 1
}

// Gather reads the element of a whole parameter at an index for each of its axes. Negative ones
// count from the end.
func (b *Builder) Gather(param int, index ...Value) Value {
	in := Instr{Op: Gather, Type: b.p.Params[param].Type, N: int32(param), Args: Operands()}
	copy(in.Args[:], index)
	return b.emit(in)
}

// Load adds an input parameter and loads its element.
func (b *Builder) Load(t DType) Value {
	n := b.Param(In, t)
	return b.emit(Instr{Op: Load, Type: t, N: int32(n)})
}

// Const adds a literal.
func (b *Builder) Const(s Scalar) Value {
	return b.emit(Instr{Op: Const, Type: s.Type, Lit: s})
}

// Uniform adds a launch-time scalar. A routine has no code that would read it.
func (b *Builder) Uniform(t DType) Value {
	b.p.Uniforms = append(b.p.Uniforms, t)
	if b.p.Routine != "" {
		return NoValue
	}
	return b.emit(Instr{Op: Uniform, Type: t, N: int32(len(b.p.Uniforms) - 1)})
}

// Index adds the lane's coordinate along an axis.
func (b *Builder) Index(axis int) Value {
	return b.emit(Instr{Op: Index, Type: Int64, N: int32(axis)})
}

// Cast converts a value; converting to the same dtype returns it unchanged.
func (b *Builder) Cast(t DType, v Value) Value {
	if b.TypeOf(v) == t {
		return v
	}
	return b.emit(Instr{Op: Cast, Type: t, Args: Operands(v)})
}

// Do adds an instruction of a scalar opcode; the result dtype follows from the operands
// (for Select from the second).
func (b *Builder) Do(op Opcode, args ...Value) Value {
	in := Instr{Op: op, Args: Operands(args...)}
	of := args[0]
	if op == Select {
		of = args[1]
	}
	in.Type = op.Result(b.TypeOf(of))
	return b.emit(in)
}

// Store adds an output parameter of the value's dtype and stores into it; in a block, an update
// parameter.
func (b *Builder) Store(v Value) int {
	dir := Out
	if b.depth > 0 {
		dir = Update
	}
	n := b.Param(dir, b.TypeOf(v))
	b.emit(Instr{Op: Store, Type: b.TypeOf(v), N: int32(n), Args: Operands(v)})
	return n
}

// Reduce adds an output parameter of the value's dtype and combines into it.
func (b *Builder) Reduce(c Combiner, v Value) int {
	n := b.Param(Out, b.TypeOf(v))
	b.emit(Instr{Op: Reduce, Comb: c, Type: b.TypeOf(v), N: int32(n), Args: Operands(v)})
	return n
}

// TypeOf returns the dtype of a value.
func (b *Builder) TypeOf(v Value) DType { return b.p.Code[v].Type }

// Watch says that an operation from x and y, or NoValue, to out may be asked what went wrong in it.
func (b *Builder) Watch(rule Rule, x, y, out Value) {
	b.p.Watched = append(b.p.Watched, Watched{Rule: rule, X: x, Y: y, Out: out})
}

// WatchAs does so of an operation that NumPy tells of under a name of its own.
func (b *Builder) WatchAs(name string, rule Rule, x, y, out Value) {
	b.Watch(rule, x, y, out)
	b.p.Watched[len(b.p.Watched)-1].Tells = name
}

// ReduceWatched appends a reduction that may be asked what went wrong in it, of the products of x and y where these are
// values.
func (b *Builder) ReduceWatched(comb Combiner, x, y, v Value) {
	b.Reduce(comb, v)
	w := Watched{Rule: Sums, X: v, Y: NoValue, Out: v, Comb: comb}
	if x != NoValue {
		w.Rule, w.X, w.Y = Contractions, x, y
	}
	b.p.Watched = append(b.p.Watched, w)
}

// Program returns the program that was built; the builder must not be used afterwards.
func (b *Builder) Program() *Program { p := b.p; return &p }

func (b *Builder) emit(in Instr) Value {
	if in.Op.Arity() == 0 {
		in.Args = Operands()
	}
	b.p.Code = append(b.p.Code, in)
	if b.p.Threads {
		b.p.Source.Lines, b.p.Source.In = append(b.p.Source.Lines, b.line), append(b.p.Source.In, b.file)
	}
	return Value(len(b.p.Code) - 1)
}
