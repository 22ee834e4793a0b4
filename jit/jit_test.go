package jit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"weft/internal/datadriven"
	"weft/tile"
)

// TestGolden compiles the units of testdata:
//
//	elementwise types=float64,int64 scalar=1     the program of a function of elements; scalars are bits
//	kernel types=float64x2,int64 shapes=4x5,0 integers=0,7 blocks=1x2 block=16x8
//	                                             one launch of a kernel
//	threads types=...                            the kernel as a program of threads
func TestGolden(t *testing.T) {
	datadriven.Run(t, "testdata/programs.txt", func(t *testing.T, c *datadriven.Case) string {
		u, err := Read(strings.TrimSpace(c.Input))
		if err != nil {
			return err.Error() + "\n"
		}
		if again := u.String(); again != strings.TrimSpace(c.Input) {
			t.Errorf("%s: the unit does not print as it was read:\n%s", c.Pos, again)
		}
		if c.Cmd == "elementwise" {
			return elementwise(t, u, c)
		}
		return kernel(t, u, c)
	})
}

func elementwise(t *testing.T, u *Unit, c *datadriven.Case) string {
	var inputs []Input
	for i, name := range strings.Split(c.Args["types"], ",") {
		d := dtype(t, name)
		inputs = append(inputs, Input{Type: d, As: d, Scalar: c.Int("scalar", 0)>>i&1 != 0})
	}
	e, err := u.Elementwise(inputs, tile.Invalid)
	if err != nil {
		return failure(t, err)
	}
	p := e.Program(1)
	if err := tile.Check(p); err != nil {
		t.Error(err)
	}
	return p.String()
}

func kernel(t *testing.T, u *Unit, c *datadriven.Case) string {
	var spec Spec
	facts := Facts{Blocks: [3]int64{1, 1, 1}, Block: [3]int64{1, 1, 1}}
	integers := strings.Split(c.String("integers", "0"), ",")
	shapes := strings.Split(c.String("shapes", "0"), ",")
	for i, name := range strings.Split(c.Args["types"], ",") {
		name, axes, isArray := strings.Cut(name, "x")
		if isArray {
			spec.Types = append(spec.Types, ArrayOf(dtype(t, name), number64(axes)))
		} else {
			spec.Types = append(spec.Types, Of(dtype(t, name)))
		}
		spec.Same = append(spec.Same, i)
		facts.Integers = append(facts.Integers, int64(number64(at(integers, i))))
		var shape []int
		for _, n := range strings.Split(at(shapes, i), "x") {
			shape = append(shape, number64(n))
		}
		facts.Shapes = append(facts.Shapes, shape)
	}
	for i, n := range strings.Split(c.String("blocks", "1"), "x") {
		facts.Blocks[i] = int64(number64(n))
	}
	for i, n := range strings.Split(c.String("block", "1"), "x") {
		facts.Block[i] = int64(number64(n))
	}
	if c.Cmd == "threads" {
		made, err := u.Threads(spec)
		if err != nil {
			return failure(t, err)
		}
		if err := tile.Check(made.Program); err != nil {
			t.Error(err)
		}
		return fmt.Sprintf("arrays %v numbers %v lines %v\n", made.Arrays, made.Numbers(&facts), made.Program.Source.Lines) + made.Program.String()
	}
	k, err := u.Kernel(spec)
	if err != nil {
		return failure(t, err)
	}
	lanes, err := k.Place(&facts)
	if err != nil {
		return failure(t, err)
	}
	if lanes.Program == nil {
		return "nothing to do\n"
	}
	if err := tile.Check(lanes.Program); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "space %v numbers %v\n", lanes.Shape, lanes.Numbers)
	for i, o := range lanes.Operands {
		fmt.Fprintf(&b, "p%d is argument %d", i, o.Argument)
		if !o.Whole {
			fmt.Fprintf(&b, " from %v along %v", o.From, o.Axes)
		}
		b.WriteByte('\n')
	}
	return b.String() + lanes.Program.String()
}

func failure(t *testing.T, err error) string {
	var e *Error
	if !errors.As(err, &e) {
		t.Error(err)
		return ""
	}
	return e.Class + ": " + strings.ReplaceAll(e.Text, "\n\n", "\n") + "\n"
}

func dtype(t *testing.T, name string) tile.DType {
	d, err := tile.ParseDType(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "0"
}

func number64(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// TestBadText gives Read what is no unit.
func TestBadText(t *testing.T) {
	for _, text := range []string{"", "(", "(unit 0 -)", "(unit 0 - (body 0 -))", "(nothing 0 -)", "(unit x -)", "(unit 0 word (body 0 -))",
		"(unit 0 - (function 0 f (file 0 f) (line 0 x) (source 0 \"\") (params 0 -) (body 0 -)))", strings.Repeat("(body 0 - ", 5000)} {
		if u, err := Read(text); err == nil {
			t.Errorf("%.40q reads as %v", text, u)
		}
	}
}

// FuzzRead wants texts to be refused, or to print as what reads as the same.
func FuzzRead(f *testing.F) {
	f.Add("(unit 0 - (function 0 f (file 0 f) (line 0 1) (source 0 \"a b\\n\") (params 0 - (param 1.2-3 x)) (body 0 - (return 1.2-3.4 - (name 0 x)))))")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := Read(text)
		if err != nil {
			return
		}
		again, err := Read(u.String())
		if err != nil || again.String() != u.String() {
			t.Errorf("%q prints as %q, which reads as %v, %v", text, u.String(), again, err)
		}
	})
}

// TestUnify looks at NumPy's promotion of names that have two types.
func TestUnify(t *testing.T) {
	for text, want := range map[string]tile.DType{
		"int32 int64": tile.Int64, "int64 uint64": tile.Float64, "int8 uint8": tile.Int16, "uint32 int32": tile.Int64, "int64 float32": tile.Float64,
		"int16 float32": tile.Float32, "float32 float64": tile.Float64, "bool uint8": tile.Uint8, "float64 complex64": tile.Complex128, "int8 float16": tile.Float16,
	} {
		a, b, _ := strings.Cut(text, " ")
		x, y := dtype(t, a), dtype(t, b)
		if unify(x, y) != want || unify(y, x) != want {
			t.Errorf("%s unify to %v and %v; want %v", text, unify(x, y), unify(y, x), want)
		}
	}
}
