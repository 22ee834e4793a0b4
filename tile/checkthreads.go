package tile

import (
	"fmt"
	"slices"
)

// maxScratch is the most elements of an array of threads' own, along one axis and in all.
const maxScratch = 1 << 16

// maxShared is the most bytes that a block has in shared arrays, the dynamic ones included: what each CUDA device has
// without being asked for more.
const maxShared = 48 << 10

// place checks that an instruction stands in a program of its form.
func (c *checker) place(in *Instr) error {
	if in.Op.OfThreads() && !c.p.Threads {
		return fmt.Errorf("it stands in programs of threads alone; want \"threads\" behind the program line")
	}
	if names := in.Op.Forms(); names != nil && int(in.Form) >= len(names) {
		return fmt.Errorf("form %d; want one of %v", in.Form, names)
	} else if names == nil && in.Form != 0 && in.Op != Size {
		return fmt.Errorf("form %d; %v has none", in.Form, in.Op)
	}
	if !c.p.Threads {
		return nil
	}
	switch in.Op {
	case Load, Gather:
		return fmt.Errorf("it stands in programs of lanes; want an element")
	case Store, Reduce:
		return fmt.Errorf("it stands in programs of lanes; want a put or an atomic")
	case Index:
		return fmt.Errorf("it stands in programs of lanes; want a thread")
	}
	return nil
}

// scratch checks the arrays of threads' own.
func (c *checker) scratch() error {
	p := c.p
	if !p.Threads {
		if len(p.Scratch) > 0 {
			return c.errorf("it has array a0, but is no program of threads")
		}
		return nil
	}
	if p.Rank != 0 {
		return c.errorf("rank %d; threads have a grid, want 0", p.Rank)
	}
	if len(p.Scratch) > maxCode {
		return c.errorf("%d arrays; want at most %d", len(p.Scratch), maxCode)
	}
	bytes := [...]int{Shared: 0, Own: 0}
	for i := range p.Scratch {
		s := &p.Scratch[i]
		if int(s.Space) >= len(spaces) {
			return c.errorf("array a%d is %v; want shared or own", i, s.Space)
		}
		if !valid(s.Type) {
			return c.errorf("array a%d has dtype %v; see the table in tile/dtypes.go", i, s.Type)
		}
		if n := len(s.Shape); n < 1 || n > maxGather {
			return c.errorf("array a%d has %d axes; want 1 to %d", i, n, maxGather)
		}
		n := 1
		for _, extent := range s.Shape {
			if (extent < 1 && !s.Dynamic()) || extent > maxScratch || n*extent > maxScratch {
				return c.errorf("array a%d has shape %v; want 1 to %d elements, or one axis of 0 for a dynamic shared array", i, s.Shape, maxScratch)
			}
			n *= extent
		}
		bytes[s.Space] += n * s.Type.Size()
	}
	if bytes[Shared] > maxShared {
		return c.errorf("its shared arrays have %d bytes; want at most %d", bytes[Shared], maxShared)
	}
	if bytes[Own] > 1<<19 {
		return c.errorf("each thread's own arrays have %d bytes; want at most %d", bytes[Own], 1<<19)
	}
	return nil
}

// access checks what reads or writes an element.
func (c *checker) access(v Value) error {
	in := &c.p.Code[v]
	m := Memory(in.N)
	t, axes := c.p.memory(m)
	if t == Invalid {
		return fmt.Errorf("there is no %v; the program has %d parameters and %d arrays", m, len(c.p.Params), len(c.p.Scratch))
	}
	if t != in.Type {
		return fmt.Errorf("%v has dtype %v; want %v", m, t, in.Type)
	}
	lead := in.Op.Arity() - maxGather
	args := in.Operands()
	if err := c.packed(in); err != nil {
		return err
	}
	if len(args) != lead+axes {
		return fmt.Errorf("%d indices of %v; want one for each of its %d axes", len(args)-lead, m, axes)
	}
	for _, a := range args[:lead] {
		if u := c.p.Code[a].Type; u != t {
			return fmt.Errorf("%v has dtype %v; want that of %v, %v (insert a cast)", a, u, m, t)
		}
	}
	for _, a := range args[lead:] {
		if u := c.p.Code[a].Type; u != Int64 {
			return fmt.Errorf("the index %v has dtype %v; want int64 (insert a cast)", a, u)
		}
	}
	if in.Op == Element {
		return nil
	}
	if m >= 0 {
		if !c.p.Params[m].Dir.Writes() {
			return fmt.Errorf("%v is an in parameter; want an out or update parameter", m)
		}
		c.written[m] = v
	}
	switch {
	case in.Op == Atomic && !in.Form.AcceptsAtomic(t):
		return fmt.Errorf("%s does not take %v; see the table in tile/atomics.go", forms[Atomic][in.Form], t)
	case in.Op == Cas && (!in.Op.Accepts(t) || t.Size() < 4):
		return fmt.Errorf("cas does not take %v; want an integer of 4 or 8 bytes", t)
	case in.Op != Put && m < 0 && c.p.Scratch[^m].Space == Own:
		return fmt.Errorf("%v is each thread's own; want memory that several threads see", m)
	}
	return nil
}

// packed checks that no operand stands behind a missing one.
func (c *checker) packed(in *Instr) error {
	if n := slices.Index(in.Args[:], NoValue); n >= 0 {
		for _, a := range in.Args[n:] {
			if a != NoValue {
				return fmt.Errorf("operand %v stands behind a missing one", a)
			}
		}
	}
	return nil
}

// threadTypes checks the dtypes of what does not access memory.
func (c *checker) threadTypes(in *Instr) error {
	want, args := Bool, []DType(nil)
	any := in.Type
	switch in.Op {
	case Thread:
		want = Int32
	case Size:
		want = Int64
		t, axes := c.p.memory(Memory(in.N))
		if t == Invalid {
			return fmt.Errorf("there is no %v; the program has %d parameters and %d arrays", Memory(in.N), len(c.p.Params), len(c.p.Scratch))
		}
		if int(in.Form) >= axes {
			return fmt.Errorf("axis %d of %v; want an axis below its %d", in.Form, Memory(in.N), axes)
		}
	case Tally:
		want, args = Int32, []DType{Bool}
	case Vote:
		args = []DType{Uint32, Bool}
		if in.Form == VoteBallot {
			want = Uint32
		}
	case Shuffle:
		want, args = any, []DType{Uint32, any, Int32}
	case Match:
		t := c.p.Code[in.Args[1]].Type
		if !in.Op.Accepts(t) || t.Size() < 4 {
			return fmt.Errorf("match does not take %v; want 4 or 8 bytes, and no complex", t)
		}
		want, args = Uint32, []DType{Uint32, t}
	case Active:
		want = Uint32
	case Fail:
		if in.N < 0 || in.N > maxCode {
			return fmt.Errorf("message %d; want 0 to %d", in.N, maxCode)
		}
		if err := c.packed(in); err != nil {
			return err
		}
	}
	if in.Type != want {
		return fmt.Errorf("it has dtype %v; want %v", in.Type, want)
	}
	for i, t := range args {
		if u := c.p.Code[in.Args[i]].Type; u != t {
			return fmt.Errorf("%v has dtype %v; want %v (insert a cast)", in.Args[i], u, t)
		}
	}
	return nil
}

// The limits of a grid, which are those of CUDA, so that what runs on one device runs on the others.
var (
	maxBlocks  = [3]int{1<<31 - 1, 65535, 65535}
	maxThreads = [3]int{MaxBlockThreads, MaxBlockThreads, 64}
)

// MaxResident is the most threads of a launch whose blocks meet.
const MaxResident = 1 << 18

// MaxBlockThreads is the most threads of a block.
const MaxBlockThreads = 1024

// checkGrid checks a launch of threads: the grid, and the arrays, each of which has a shape of its own.
func checkGrid(l *Launch) error {
	if len(l.Shape) != 0 || l.Block != nil || l.Reduced != 0 {
		return launchError(l, "shape %v, block %v, reduced %b; a launch of threads has a grid", l.Shape, l.Block, l.Reduced)
	}
	if err := l.Grid.Check(l.Program); err != nil {
		return launchError(l, "%w", err)
	}
	for i := range l.Args {
		if err := checkBinding(l, i, false); err != nil {
			return err
		}
	}
	return nil
}

// Check reports what is wrong with a grid for a checked program of threads.
func (g *Grid) Check(p *Program) error {
	const axes = "xyz"
	for i := range 3 {
		if n := g.Blocks[i]; n < 1 || n > maxBlocks[i] {
			return fmt.Errorf("%d blocks along %c; want 1 to %d", n, axes[i], maxBlocks[i])
		}
		if n := g.Threads[i]; n < 1 || n > maxThreads[i] {
			return fmt.Errorf("%d threads along %c of a block; want 1 to %d", n, axes[i], maxThreads[i])
		}
	}
	if n := g.BlockThreads(); n > MaxBlockThreads {
		return fmt.Errorf("%d threads in a block; want at most %d", n, MaxBlockThreads)
	}
	if n := g.BlockThreads(); p.Bound > 0 && n > int(p.Bound) {
		return fmt.Errorf("%d threads in a block; the program is compiled for at most %d", n, p.Bound)
	}
	if n := g.Count(); n > MaxResident/int64(g.BlockThreads()) && p.MeetsGrid() {
		return fmt.Errorf("%d blocks of %d threads, which meet at grid barriers; want at most %d threads in all: each take more turns in a loop",
			n, g.BlockThreads(), MaxResident)
	}
	static, _ := SharedBytes(p)
	if g.Dynamic < 0 || g.Dynamic+static > maxShared {
		return fmt.Errorf("%d bytes of dynamic shared arrays beside %d; want at most %d together", g.Dynamic, static, maxShared)
	}
	return nil
}

// SharedBytes returns how many bytes a block has in shared arrays that are not dynamic, where dynamic ones begin, and
// where each array begins in the block's, or the thread's own.
func SharedBytes(p *Program) (bytes int64, at []int64) {
	ends := [2]int64{}
	at = make([]int64, len(p.Scratch))
	for i := range p.Scratch {
		s := &p.Scratch[i]
		if s.Dynamic() {
			continue
		}
		at[i] = ends[s.Space]
		ends[s.Space] += (int64(s.Elements()*s.Type.Size()) + 15) &^ 15
	}
	for i := range p.Scratch {
		if p.Scratch[i].Dynamic() {
			at[i] = ends[Shared]
		}
	}
	return ends[Shared], at
}
