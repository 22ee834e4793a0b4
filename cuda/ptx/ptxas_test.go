package ptx

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"weft/tile"
)

// everyProgram calls f with a program for each opcode and dtype, each cast, and each combiner
// in the variants of a reduction.
func everyProgram(f func(p *tile.Program, v Variant)) {
	for _, op := range tile.Opcodes() {
		if !op.IsScalar() || op == tile.Cast {
			continue
		}
		for _, d := range tile.DTypes() {
			if !op.Accepts(d) {
				continue
			}
			b := tile.NewBuilder(fmt.Sprintf("%v_%v", op, d), 1)
			var args []tile.Value
			for i := range op.Arity() {
				if op == tile.Select && i == 0 {
					args = append(args, b.Load(tile.Bool))
				} else {
					args = append(args, b.Load(d))
				}
			}
			b.Store(b.Do(op, args...))
			f(b.Program(), Variant{Axes: 1})
		}
	}
	for _, from := range tile.DTypes() {
		for _, to := range tile.DTypes() {
			b := tile.NewBuilder(fmt.Sprintf("cast_%v_%v", from, to), 1)
			b.Store(b.Cast(to, b.Load(from)))
			f(b.Program(), Variant{Axes: 1})
		}
		b := tile.NewBuilder(fmt.Sprintf("scalars_%v", from), 2)
		b.Store(b.Do(tile.Eq, b.Uniform(from), b.Const(tile.Scalar{Type: from})))
		b.Store(b.Index(1))
		f(b.Program(), Variant{Axes: 2, Wide: true})
	}
	for _, d := range tile.DTypes() {
		f(flowProgram(d), Variant{Axes: 1, Wide: d%2 == 0})
		b := tile.NewBuilder(fmt.Sprintf("bytes_%v", d), 1)
		b.Store(b.Load(d))
		f(b.Program(), Variant{Axes: 1, Bytes: true})
		for w := 1; w*d.Size() <= accessBytes; w *= 2 {
			b := tile.NewBuilder(fmt.Sprintf("vector_%v_%d", d, w), 1)
			op := tile.Add
			if !op.Accepts(d) {
				op = tile.Ne
			}
			b.Store(b.Do(op, b.Load(d), b.Load(d)))
			f(b.Program(), Variant{Axes: 1, Vector: int8(w), Ahead: 2, Same: 1, Wide: w == 2})
		}
	}
	for _, d := range tile.DTypes() {
		for rows := 1; rows <= mostRows; rows *= 2 {
			b := tile.NewBuilder(fmt.Sprintf("rows_%v_%d", d, rows), 3)
			b.Store(b.Cast(tile.Float64, b.Load(d)))
			b.Store(b.Index(0))
			f(b.Program(), Variant{Axes: 3, Rows: int8(rows), Alike: "\x00\x01\x01", Near: rows > 1, Wide: rows == 2})
		}
	}
	everyThreads(f)
	for _, d := range tile.DTypes() {
		b := tile.NewBuilder(fmt.Sprintf("turned_%v", d), 3)
		b.Store(b.Load(d))
		b.Store(b.Load(d))
		f(b.Program(), Variant{Axes: 3, Rows: tileSide, Turned: 1 | 1<<3, Alike: "\x00\x01\x01\x00", Near: d%2 == 0, Wide: d%3 == 0})
	}
	for _, c := range tile.Combiners() {
		for _, d := range tile.DTypes() {
			if !c.Accepts(d) {
				continue
			}
			for i, v := range reduceVariants {
				if v.Staged && mostStaged*d.Size() > stagedBytes {
					continue
				}
				b := tile.NewBuilder(fmt.Sprintf("%v_%v_%d", c, d, i), 2)
				b.Reduce(c, b.Load(d))
				f(b.Program(), v)
			}
		}
	}
}

// everyThreads calls f with programs of threads: each form of each opcode with each dtype, on parameters and on shared
// arrays.
func everyThreads(f func(p *tile.Program, v Variant)) {
	start := func(name string, t tile.DType) (b *tile.Builder, all [3]tile.Memory, i, mask tile.Value) {
		b = tile.NewThreads(name)
		all[0] = b.Array(tile.Update, t, 1, "a")
		all[1], all[2] = b.Scratch(tile.Shared, t, "s", 64), b.Scratch(tile.Shared, t, "d", 0)
		return b, all, b.Cast(tile.Int64, b.Thread(tile.TidX)), b.Active()
	}
	for _, d := range tile.DTypes() {
		b, all, i, mask := start(fmt.Sprintf("shuffles_%v", d), d)
		own := b.Scratch(tile.Own, d, "o", 2, 3)
		b.Put(own, b.Element(all[0], i), b.Size(all[2], 0), i)
		v := b.Element(own, i, i)
		for form := range tile.Shuffle.Forms() {
			v = b.Shuffle(tile.Form(form), mask, v, b.Thread(tile.LaneID))
			b.Put(all[form%3], v, i)
		}
		f(b.Program(), Variant{Loose: Parameters(d % 2), Threads: blockClass(300)})
		for form, name := range tile.Atomic.Forms() {
			if !tile.Form(form).AcceptsAtomic(d) {
				continue
			}
			b, all, i, mask := start(fmt.Sprintf("atomic_%s_%v", name, d), d)
			for _, m := range all {
				v := b.Atomic(tile.Form(form), m, b.Element(m, i), i)
				if tile.Cas.Accepts(d) {
					v = b.Cas(m, v, b.Element(m, i), i)
				}
				b.Put(m, v, b.Cast(tile.Int64, b.Match(tile.MatchAny, mask, v)))
				b.Put(m, v, b.Cast(tile.Int64, b.Match(tile.MatchAll, mask, v)))
			}
			f(b.Program(), Variant{Threads: blockClass(1)})
		}
	}
	b, all, i, mask := start("meetings", tile.Int64)
	holds := b.Do(tile.Lt, i, b.Element(all[0], i))
	put := func(v tile.Value) { b.Put(all[0], b.Cast(tile.Int64, v), i) }
	for form := range tile.Thread.Forms() {
		put(b.Thread(tile.Form(form)))
	}
	for form := range tile.Vote.Forms() {
		put(b.Vote(tile.Form(form), mask, holds))
	}
	for form := range tile.Tally.Forms() {
		put(b.Tally(tile.Form(form), holds))
	}
	for form := range tile.Fence.Forms() {
		b.Fence(tile.Form(form))
	}
	b.Barrier()
	b.If(holds)
	b.Fail(0, holds, i, mask)
	b.End()
	b.Leave()
	f(b.Program(), Variant{Threads: blockClass(1024)})
	f(saying("directed", tile.Directives{Bound: 96, Resident: 2, Registers: 32, Lines: true}, "In[1]", "In[2]"), Variant{Threads: 128})
}

// flowProgram has a gather, a loop, branches and a store in one, over values of dtype d.
func flowProgram(d tile.DType) *tile.Program {
	b := tile.NewBuilder(fmt.Sprintf("flow_%v", d), 1)
	x, more := b.Load(d), b.Load(tile.Bool)
	table := b.Whole(d, 2)
	i := b.Index(0)
	b.Loop()
	u, v, going := b.Carry(x), b.Carry(x), b.Carry(more)
	b.While(going)
	w := b.Gather(table, i, i)
	b.Next(u, v)
	b.Next(v, w)
	b.Next(going, more)
	b.End()
	b.If(more)
	b.Store(u)
	b.Else()
	c := b.Const(tile.Scalar{Type: d})
	b.End()
	b.Store(b.Merge(v, c))
	return b.Program()
}

var reduceVariants = []Variant{
	{Axes: 2, Reduced: 1},
	{Axes: 2, Reduced: 2, Inner: true},
	{Axes: 2, Reduced: 3, Inner: true, Wide: true},
	{Axes: 0},
	{Axes: 2, Reduced: 2, Inner: true, Ahead: 4, Dense: 1, Lanes: 32, Vector: 1},
	{Axes: 2, Reduced: 2, Inner: true, Ahead: 2, Dense: 1, Lanes: 32, Vector: 2, Whole: true},
	{Axes: 2, Reduced: 1, Inner: true, Ahead: 2, Lanes: 8, Vector: 1, Whole: true, Short: true, Wide: true},
	{Axes: 1, Reduced: 1, Inner: true, Ahead: 4, Lanes: 32, Vector: 1, Staged: true},
	{Axes: 2, Reduced: 1, Ahead: 2},
}

// everyKernel emits every program.
func everyKernel(t *testing.T) []*Kernel {
	t.Helper()
	var kernels []*Kernel
	everyProgram(func(p *tile.Program, v Variant) {
		if err := tile.Check(p); err != nil {
			t.Fatal(err)
		}
		k, err := Emit(p, v)
		if err != nil {
			t.Fatal(err)
		}
		kernels = append(kernels, k)
	})
	return kernels
}

// TestTexts writes each kernel as a module into a folder, for a machine that has a GPU (tests/gpu).
func TestTexts(t *testing.T) {
	dir := os.Getenv("WEFT_PTX_TEXTS")
	if dir == "" {
		t.Skip("WEFT_PTX_TEXTS names no folder to write to")
	}
	for _, k := range everyKernel(t) {
		if err := os.WriteFile(filepath.Join(dir, k.Name+".ptx"), []byte(Module(Target{}, k)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAssembler gives every program to NVIDIA's assembler, for old and new architectures: in the text for the oldest,
// which drivers get, and in one for a newer.
func TestAssembler(t *testing.T) {
	ptxas := assembler(t)
	kernels := everyKernel(t)
	t.Logf("%d kernels", len(kernels))
	dir := t.TempDir()
	for _, c := range []struct {
		Target
		arch string // what newer assemblers still write for
	}{{Target{}, "sm_75"}, {Target{Version: "7.8", Arch: "sm_90"}, "sm_120"}} {
		t.Run(c.arch, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(dir, c.arch+".ptx")
			if err := os.WriteFile(file, []byte(Module(c.Target, kernels...)), 0o644); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(ptxas, "-arch="+c.arch, "-O0", "-o", filepath.Join(dir, c.arch+".cubin"), file).CombinedOutput()
			if err != nil {
				t.Errorf("%+v: %v\n%.4000s", c, err, out)
			}
		})
	}
}
