package ptx

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"weft/internal/datadriven"
	"weft/tile"
)

// TestGolden runs the files of testdata/golden. Commands, with a program as input:
//
//	emit axes=2 reduced=10 inner wide    the kernel's text; axes is the program's rank
//	                                     unless given, reduced has a digit per axis
//	     vector=4 ahead=2 same=01        the vector form; same has a digit per parameter
//	     ahead=4 dense=10                of a Reduce; dense has a digit per parameter
//	     lanes=32 vector=2 whole short staged    of a Reduce in the lanes form
//	     rows=2 alike=001 far            the rows form; alike has a digit per parameter, far is offsets of 64 bits
//	     threads=256                     a program of threads, in blocks of at most so many
//	plan shape=(4,5) reduced=01 block=(1,5) p0=(40,8) p1=(8,8) p0.at=4
//	                                     the variant and the space of a launch with these strides and offsets; of a
//	                                     product of matrices, if it says so
//	module version=7.8 arch=sm_90        the whole module
//	function name=weft_tanh_f64          a library function; no input
//	callable name=f numba                a function by itself, by the ABI of C unless it says so, with an unused argument first
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/golden", func(t *testing.T) func(*testing.T, *datadriven.Case) string {
		return runGolden
	})
}

func runGolden(t *testing.T, c *datadriven.Case) string {
	if c.Cmd == "function" {
		for _, fn := range library() {
			if fn.name == c.String("name", "") {
				text, _ := fn.compile()
				return text
			}
		}
		return "no such function"
	}
	p, err := tile.Parse(c.Input)
	if err == nil {
		err = tile.Check(p)
	}
	if err != nil {
		return err.Error()
	}
	v := Variant{Axes: c.Int("axes", p.Rank), Reduced: axes(c.String("reduced", "")), Inner: c.Has("inner"), Wide: c.Has("wide"),
		Vector: int8(c.Int("vector", 0)), Ahead: int8(c.Int("ahead", 0)), Dense: Parameters(axes(c.String("dense", ""))), Same: Parameters(axes(c.String("same", ""))),
		Threads: int16(c.Int("threads", 0)),
		Lanes:   int8(c.Int("lanes", 0)), Whole: c.Has("whole"), Short: c.Has("short"), Staged: c.Has("staged")}
	if v.Rows = int8(c.Int("rows", 0)); v.Rows > 0 {
		v.Near = !c.Has("far")
		for i := range p.Params {
			v.Alike += string(rune(c.String("alike", strings.Repeat("0", len(p.Params)))[i] - '0'))
		}
	}
	switch c.Cmd {
	case "emit":
		k, err := Emit(p, v)
		if err != nil {
			return err.Error()
		}
		return k.whole()
	case "callable":
		abi := ABIC
		if c.Has("numba") {
			abi = ABINumba
		}
		args, inputs := []tile.DType{tile.Int64}, []int{} // one of which the program uses nothing
		for i := range p.Params[:len(p.Params)-1] {
			args, inputs = append(args, p.Params[i].Type), append(inputs, i+1)
		}
		k, err := Function(p, c.String("name", "f"), args, inputs, abi)
		if err != nil {
			return err.Error()
		}
		return k.whole()
	case "module":
		k, err := Emit(p, v)
		if err != nil {
			return err.Error()
		}
		return Module(Target{Version: c.String("version", ""), Arch: c.String("arch", "")}, k)
	case "plan":
		l := &tile.Launch{Program: p, Shape: ints(c.String("shape", "()")), Reduced: v.Reduced, Product: c.Has("product"), Origin: make([]int, p.Rank)}
		if p.Reduces() {
			l.Block = ints(c.String("block", "()"))
		}
		for i := range p.Params {
			b := tile.Binding{Buffer: tile.Buffer{Handle: uint64(i+1) << 32}, Offset: int64(c.Int(fmt.Sprintf("p%d.at", i), 0))}
			for _, s := range ints(c.String(fmt.Sprintf("p%d", i), "()")) {
				b.Strides = append(b.Strides, int64(s))
			}
			b.Shape = ints(c.String(fmt.Sprintf("p%d.shape", i), "()"))
			l.Args = append(l.Args, b)
		}
		v, s := Plan(l)
		k, err := Emit(p, v)
		if err != nil {
			return err.Error()
		}
		grid, block := k.Grid(s, 132)
		form := ""
		switch {
		case v.Lanes > 0, v.Product > 0:
			form = fmt.Sprintf("%s, dense %b\n", v.Form(), v.Dense)
		case v.Vector > 0:
			form = fmt.Sprintf("%s, same %b, head %d, vectors %d\n", v.Form(), v.Same, s.Head, s.Vectors)
		case v.Ahead > 0:
			form = fmt.Sprintf("%s, dense %b\n", v.Form(), v.Dense)
		case v.Rows > 0:
			form = fmt.Sprintf("%s, same %b, alike %x\n", v.Form(), v.Same, v.Alike)
		}
		return form + fmt.Sprintf("axes %d reduced %b inner %v wide %v\nshape %v block %v strides %v\npoints %d grid %v of %v\nwords %x",
			v.Axes, v.Reduced, v.Inner, v.Wide, s.Shape, s.Block, s.Strides, s.Points, grid, block, k.Words(nil, l, s, 0xabc, 0xdef))
	}
	return "unknown command " + c.Cmd
}

// axes reads "01" as axis 1 of two.
func axes(s string) (a tile.Axes) {
	for i, d := range s {
		if d == '1' {
			a |= 1 << uint(i)
		}
	}
	return a
}

func ints(s string) []int {
	out := []int{}
	for f := range strings.SplitSeq(strings.Trim(s, "()"), ",") {
		if f == "" {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil {
			panic(err)
		}
		out = append(out, n)
	}
	return out
}

// TestTable walks opcodes and dtypes: each pair that package tile accepts has a row.
func TestTable(t *testing.T) {
	for _, op := range tile.Opcodes() {
		for _, d := range tile.DTypes() {
			if int(op) < len(opcodes) && opcodes[op].structure {
				continue
			}
			if has, want := find(op, d) != nil, op.IsScalar() && op.Accepts(d); want && !has {
				t.Error(missing(op, d))
			}
		}
	}
	for _, d := range tile.DTypes() {
		if int(d) >= len(scalars) || scalars[d].class == 0 {
			t.Errorf("cuda: dtype %v has no row; add one in cuda/ptx/values.go", d)
		}
	}
}

// An opcode that has no row is an error which says where to add it.
func TestMissingRow(t *testing.T) {
	_, err := newCode().apply(tile.And, tile.Float64, nil)
	if want := "cuda: no lowering for and(float64); add a row in cuda/ptx/opcodes.go"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestRounding looks at every arithmetic instruction that the package can emit: its rounding
// is spelled out, and it is no approximation.
func TestRounding(t *testing.T) {
	arithmetic := regexp.MustCompile(`\b(add|sub|mul|mad|fma|div|sqrt|rcp|rsqrt|ex2|lg2|sin|cos|tanh)(\.[a-z0-9]+)*\.(f16|f32|f64)\b`)
	names := map[string]bool{}
	for _, fn := range library() {
		names[fn.name] = true
	}
	text := functions(names)
	everyProgram(func(p *tile.Program, v Variant) {
		k, err := Emit(p, v)
		if err != nil {
			t.Fatal(err)
		}
		text += k.whole()
	})
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		if strings.Contains(line, "atom.") { // which round, and have no place to say so
			continue
		}
		if op := arithmetic.FindString(line); op != "" {
			seen[op] = true
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %v found: the test looks for the wrong thing", seen)
	}
	for op := range seen {
		if !strings.Contains(op, ".rn.") {
			t.Errorf("%s is emitted; want .rn", op)
		}
	}
}

// TestManyParameters has more words than the first drivers took, which a newer version of the language takes, and more
// than that.
func TestManyParameters(t *testing.T) {
	wide := func(n int) *tile.Program {
		b := tile.NewBuilder("wide", 3)
		sum := b.Load(tile.Int8)
		for range n - 2 {
			sum = b.Do(tile.Add, sum, b.Load(tile.Int8))
		}
		b.Store(sum)
		return b.Program()
	}
	for _, c := range []struct {
		params, axes int
		version      string
	}{{142, 1, "7.0"}, {142, 3, "8.1"}, {1000, 3, "8.1"}} {
		k, err := Emit(wide(c.params), Variant{Axes: c.axes})
		if err != nil {
			t.Error(err)
			continue
		}
		if text := Module(Target{}, k); !strings.HasPrefix(text, ".version "+c.version) {
			t.Errorf("%d parameters over %d axes: %.20q; want version %s", c.params, c.axes, text, c.version)
		}
	}
	if _, err := Emit(wide(1100), Variant{Axes: 3}); err == nil || !strings.Contains(err.Error(), "4404 words with 1100 parameters over 3 axes; a kernel takes 4095") {
		t.Errorf("got %v", err)
	}
}
