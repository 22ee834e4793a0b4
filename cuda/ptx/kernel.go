package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"weft/tile"
)

// Target is what the text is written for. The zero value is the oldest that is supported,
// which every driver since CUDA 11.0 compiles for every device since Volta; kernels of very many parameters are written
// for 8.1 where nothing else is asked for.
type Target struct {
	Version string // of the PTX language; "" means 7.0
	Arch    string // "" means sm_70
}

// versions are the oldest versions of the language that know an architecture, where 7.0 does not.
var versions = map[int]string{
	70: "", 72: "", 75: "", 80: "", 86: "7.1", 87: "7.4", 88: "9.0", 89: "7.8", 90: "7.8", 100: "8.6", 103: "8.8", 110: "9.0", 120: "8.7", 121: "8.8",
}

// TargetOf returns the target for devices of a compute capability, 75 for 7.5.
func TargetOf(capability int) (Target, error) {
	version, ok := versions[capability]
	if !ok {
		return Target{}, fmt.Errorf("compute capability %d.%d; want one of %v", capability/10, capability%10, slices.Sorted(maps.Keys(versions)))
	}
	return Target{Version: version, Arch: fmt.Sprintf("sm_%d", capability)}, nil
}

func (t Target) header() string {
	if t.Version == "" {
		t.Version = "7.0"
	}
	if t.Arch == "" {
		t.Arch = "sm_70"
	}
	return fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n\n", t.Version, t.Arch)
}

// Kernel is a program's text in one variant.
type Kernel struct {
	Name    string // of the entry point
	Variant Variant

	layout  layout
	classes []int    // in the rows form, a parameter of each class
	files   []string // that its lines are in
	before  string   // the text before the name,
	text    string   // and behind it
	calls   map[string]bool
	dynamic bool // it has dynamic shared arrays
	meets   bool // its blocks meet
}

// Cooperates reports whether all blocks of a launch have to be resident at once.
func (k *Kernel) Cooperates() bool { return k.meets }

// Module returns the text of a module with the given kernels, whose names must differ, and
// the library functions that they call.
func Module(t Target, kernels ...*Kernel) string {
	var b strings.Builder
	calls := map[string]bool{}
	for _, k := range kernels {
		if t.Version == "" && k.layout.words > plainWords {
			t.Version = "8.1"
		}
	}
	b.WriteString(t.header())
	for _, k := range kernels {
		for name := range k.calls {
			calls[name] = true
		}
	}
	b.WriteString(functions(calls))
	for _, k := range kernels {
		if k.dynamic {
			b.WriteString(dynamicArray)
			break
		}
	}
	files := moduleFiles(kernels)
	b.WriteString(fileLines(files))
	for _, k := range kernels {
		b.WriteString(k.numbered(files))
	}
	return b.String()
}

// commented is a program's text in comments, which are ASCII too: others of its characters are escapes as Go has them.
func commented(p *tile.Program) string {
	var b strings.Builder
	for line := range strings.Lines(p.String()) {
		b.WriteString("// ")
		for _, r := range line {
			if r < utf8.RuneSelf {
				b.WriteRune(r)
			} else {
				b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			}
		}
	}
	return b.String()
}

// Named returns the kernel with another name of its entry point.
func (k Kernel) Named(name string) *Kernel {
	k.Name = name
	return &k
}

// whole is the kernel's text.
func (k *Kernel) whole() string { return k.before + k.Name + k.text }

// Emit writes the kernel of a checked program for launches of the given form. It fails, naming
// the opcode and dtype, when a row is missing, and when there are too many parameters.
func Emit(p *tile.Program, v Variant) (*Kernel, error) {
	lay, err := newLayout(p, v)
	if err != nil {
		return nil, err
	}
	e := &emitter{code: newCode(), p: p, v: v, layout: &lay, values: make([]value, len(p.Code))}
	e.bytes = v.Bytes
	switch {
	case p.Threads:
		err = e.threads()
	case v.Product > 0:
		err = e.products()
	case v.Lanes > 0:
		err = e.lanes()
	case lay.reduces:
		err = e.reduce()
	case v.Vector > 0:
		err = e.vectors()
	case v.Turned != 0:
		err = e.tiles()
	case v.Rows > 0:
		err = e.rows()
	default:
		err = e.mapping()
	}
	if err != nil {
		return nil, err
	}
	name := entryName("weft_", p.Name)
	if p.Threads { // a name of the user's, who may choose that of a library function
		name = entryName("kernel_", p.Name)
	}
	var b strings.Builder
	shared := scratch(p)
	if e.shared > 0 {
		shared += fmt.Sprintf("\t.shared .align %d .b8 weft_tiles[%d];\n", accessBytes, e.shared)
	}
	fmt.Fprintf(&b, " (.param .align 8 .b8 block[%d])\n%s{\n%s%s%s}\n",
		lay.words*8, directives(p, v), shared, e.declarations(), e.body.String())
	return &Kernel{Name: name, Variant: v, layout: lay, classes: v.alike(), before: commented(p) + ".visible .entry ", text: b.String(), calls: e.calls, dynamic: dynamic(p), files: filesOf(p), meets: p.MeetsGrid()}, nil
}

// entryName makes an identifier of a program's name.
func entryName(prefix, name string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for _, r := range name {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	return b.String()
}

// emitter writes one kernel.
type emitter struct {
	*code
	p      *tile.Program
	v      Variant
	layout *layout
	values []value // by instruction

	coords []string // of the point, for Index: 64 bits, by axis
	at     []string // address of the point's element, by parameter

	// Of the vector and rows forms:
	elements []value // of the point, by input
	shared   int     // bytes that threads of a block share, of the tiles form
	quiet    bool    // the text has had the program's instructions as comments
	alone    bool    // it is a function by itself, which no launch can stop

	// Of control flow and gathers:
	blocks  []block
	faults  string   // address of the fault block; "" without loops and gathers
	stop    string   // address of the stop word, likewise
	turns   string   // of loops, that the thread has taken
	stopped string   // whether the thread was; "" without loops
	stores  []string // by instruction: whether a store in a block is to happen

	// Of threads, where one goes that fails, and what it takes along:
	failed string   // label
	ended  string   // label where one goes that ends; "" without grid barriers
	what   string   // instruction, kind and axis
	said   []string // values

	lined string // what was last said of where instructions come from
}

// param reads a word of the parameter block, as a 64-bit integer or as a count.
func (e *emitter) param(w int) string {
	return e.long("ld.param.u64", "[block+"+dec(8*w)+"]")
}

// count is an unsigned number of points: 32 bits, or 64 in a wide kernel.
type count struct {
	*code
	k    class
	typ  string
	bits string
}

func (e *emitter) counts() count {
	if e.v.Wide {
		return count{e.code, long, "u64", "b64"}
	}
	return count{e.code, word, "u32", "b32"}
}

func (n count) op(op string, args ...string) string { return n.to(n.k, op+"."+n.typ, args...) }
func (n count) cmp(how, a, b string) string         { return n.pred("setp."+how+"."+n.typ, a, b) }

// from reads a word of the parameter block.
func (n count) from(w int) string {
	return n.to(n.k, "ld.param."+n.typ, "[block+"+dec(8*w)+"]")
}

// special reads a special register.
func (n count) special(name string) string { return n.widen(n.word("mov.u32", name)) }

// widen makes a count of a word.
func (n count) widen(r string) string {
	if n.k == word {
		return r
	}
	return n.long("cvt.u64.u32", r)
}

// asLong makes 64 bits of a count.
func (n count) asLong(r string) string {
	if n.k == long {
		return r
	}
	return n.long("cvt.u64.u32", r)
}

// split takes the last of the given axes out of a number: coordinates from the last axis
// backwards, by the extents.
func (n count) split(i string, extents []string) []string {
	coords := make([]string, len(extents))
	for a := len(extents) - 1; a > 0; a-- {
		q := n.op("div", i, extents[a])
		coords[a] = n.op("sub", i, n.op("mul.lo", q, extents[a]))
		i = q
	}
	if len(extents) > 0 {
		coords[0] = i
	}
	return coords
}

// threadNumber returns the number of this thread in the grid and how many there are.
func (n count) threadNumber() (number, of string) {
	ctaid, ntid, tid, grid := n.special("%ctaid.x"), n.special("%ntid.x"), n.special("%tid.x"), n.special("%nctaid.x")
	return n.op("mad.lo", ctaid, ntid, tid), n.op("mul.lo", ntid, grid)
}

// bases reads the addresses and strides of all parameters.
func (e *emitter) bases() (addresses []string, strides [][]string) {
	for p, param := range e.p.Params {
		if param.Axes > 0 { // see gather
			addresses, strides = append(addresses, ""), append(strides, nil)
			continue
		}
		addresses = append(addresses, e.long("cvta.to.global.u64", e.param(e.layout.base(p))))
		var s []string
		for a := range e.v.Axes {
			s = append(s, e.param(e.layout.stride(p, a)))
		}
		strides = append(strides, s)
	}
	return addresses, strides
}

// offset returns base + the sum of coords[a]*strides[a].
func (e *emitter) offset(base string, coords, strides []string) string {
	for a, x := range coords {
		if x != "" {
			base = e.long("mad.lo.s64", x, strides[a], base)
		}
	}
	return base
}

// mapping writes the kernel of a Map: a loop over the points.
func (e *emitter) mapping() error {
	n := e.counts()
	points := n.from(0)
	var shape, origin []string
	for a := range e.v.Axes {
		shape = append(shape, n.from(e.layout.shape(a)))
		if e.layout.indexes {
			origin = append(origin, e.param(e.layout.origin(a)))
		}
	}
	addresses, strides := e.bases()
	first, step := n.threadNumber()
	i := n.op("mov", first)
	e.prepareFlow()
	e.uniforms()
	loop, done := e.label("points"), e.label("done")
	e.place(loop)
	e.when(n.cmp("ge", i, points), "bra", done)
	e.coords = nil
	for _, x := range n.split(i, shape) {
		e.coords = append(e.coords, n.asLong(x))
	}
	e.at = nil
	for p, param := range e.p.Params {
		if param.Axes > 0 {
			e.at = append(e.at, "")
			continue
		}
		e.at = append(e.at, e.offset(addresses[p], e.coords, strides[p]))
	}
	e.coordsFrom(origin)
	if err := e.instructions(); err != nil {
		return err
	}
	for v := range e.p.Code { // after every load of the lane
		if in := &e.p.Code[v]; in.Op == tile.Store {
			e.comment(e.p.InstrString(tile.Value(v)))
			skip := ""
			if e.stores[v] != "" {
				skip = e.label("kept")
				e.when(e.not(e.stores[v]), "bra", skip)
			}
			e.store("global", e.at[in.N], e.values[in.Args[0]])
			if skip != "" {
				e.place(skip)
			}
		}
	}
	if e.stopped != "" {
		e.when(e.stopped, "bra", done)
	}
	n.do("add."+n.typ, i, i, step)
	e.do("bra", loop)
	e.place(done)
	e.do("ret")
	return nil
}

// coordsFrom moves the coordinates to the op's index space, for Index.
func (e *emitter) coordsFrom(origin []string) {
	for a := range origin {
		e.coords[a] = e.long("add.s64", e.coords[a], origin[a])
	}
}

// uniforms reads the launch's scalars once.
func (e *emitter) uniforms() {
	for v := range e.p.Code {
		if in := &e.p.Code[v]; in.Op == tile.Uniform {
			e.comment(e.p.InstrString(tile.Value(v)))
			e.values[v] = e.load(in.Type, "param", "block", 8*e.layout.uniforms[in.N])
		}
	}
}

// constants puts the program's constants into registers once.
func (e *emitter) constants() {
	for v := range e.p.Code {
		if in := &e.p.Code[v]; in.Op == tile.Const {
			e.comment(e.p.InstrString(tile.Value(v)))
			e.values[v] = e.literal(in.Lit)
		}
	}
}

// instructions emits all but stores, reduces and uniforms at the current point.
func (e *emitter) instructions() error {
	for _, p := range e.stores {
		if p != "" {
			e.do("setp.ne.u32", p, "0", "0")
		}
	}
	for v := range e.p.Code {
		in := &e.p.Code[v]
		if in.Op == tile.Store && e.stores[v] != "" {
			e.do("setp.eq.u32", e.stores[v], "0", "0")
		}
		if in.Op == tile.Store || in.Op == tile.Reduce || in.Op == tile.Uniform || in.Op == tile.Merge {
			continue
		}
		if e.elements != nil && in.Op == tile.Const {
			continue
		}
		if !e.quiet {
			e.comment(e.p.InstrString(tile.Value(v)))
		}
		e.line(v)
		var args []value
		for _, a := range in.Operands() {
			args = append(args, e.values[a])
		}
		switch in.Op {
		case tile.Load:
			if e.elements != nil {
				e.values[v] = e.elements[in.N]
				continue
			}
			e.values[v] = e.load(in.Type, "global", e.at[in.N], 0)
		case tile.Const:
			e.values[v] = e.literal(in.Lit)
		case tile.Index:
			e.values[v] = one(tile.Int64, e.coords[in.N])
		case tile.Gather:
			e.values[v] = e.gather(in)
		case tile.If, tile.Else, tile.Loop, tile.Carry, tile.While, tile.Next, tile.End:
			e.flow(v)
		case tile.Cast:
			e.values[v] = e.cast(in.Type, args[0])
		case tile.Select:
			e.values[v] = e.choose(args[0].r[0], args[1], args[2])
		case tile.Thread, tile.Size, tile.Element, tile.Put, tile.Atomic, tile.Cas, tile.Barrier, tile.GridBarrier, tile.Tally, tile.Fence, tile.Vote,
			tile.Shuffle, tile.Match, tile.Active, tile.Leave, tile.Fail:
			if err := e.ofThreads(v, args); err != nil {
				return err
			}
		default:
			r, err := e.apply(in.Op, args[0].t, args)
			if err != nil {
				return err
			}
			e.values[v] = r
		}
	}
	return nil
}
