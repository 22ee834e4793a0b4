package ptx

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"weft/tile"
)

// budget is what a kernel's loop may take of a device's instructions.
type budget struct {
	l           *tile.Launch
	points      func(v Variant) int // that a thread does in a turn of its loop
	most        float64             // instructions for a point
	access      string              // how its loads are called
	registers   int
	description string
}

// plane is the layout of the inside of a plane of so many columns, moved by rows and columns.
func plane(array, columns, size, down, right int) tile.Binding {
	return tile.Binding{Buffer: tile.Buffer{Handle: uint64(array+1) << 32}, Offset: int64(size * ((1+down)*columns + 1 + right)),
		Strides: []int64{int64(size * columns), int64(size)}}
}

// neighbours loads a point and its four neighbours, and adds these up.
func neighbours(b *tile.Builder, t tile.DType, array int, args *[]tile.Binding) (centre, sum tile.Value) {
	centre = b.Load(t)
	*args = append(*args, plane(array, side, t.Size(), 0, 0))
	for i, at := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		v := b.Load(t)
		*args = append(*args, plane(array, side, t.Size(), at[0], at[1]))
		if i == 0 {
			sum = v
		} else {
			sum = b.Do(tile.Add, sum, v)
		}
	}
	return centre, sum
}

const side = 4096

func heatLaunch() *tile.Launch {
	b := tile.NewBuilder("heat", 2)
	var args []tile.Binding
	centre, sum := neighbours(b, tile.Float64, 0, &args)
	b.Store(b.Do(tile.Mul, b.Const(tile.FloatScalar(tile.Float64, 0.2)), b.Do(tile.Add, centre, sum)))
	args = append(args, plane(1, side, 8, 0, 0))
	return &tile.Launch{Program: b.Program(), Shape: []int{side - 2, side - 2}, Args: args}
}

func grayScottLaunch() *tile.Launch {
	b := tile.NewBuilder("gray_scott", 2)
	number := func(v float64) tile.Value { return b.Const(tile.FloatScalar(tile.Float32, v)) }
	var args []tile.Binding
	u, aroundU := neighbours(b, tile.Float32, 0, &args)
	v, aroundV := neighbours(b, tile.Float32, 1, &args)
	uvv := b.Do(tile.Mul, u, b.Do(tile.Mul, v, v))
	step := func(array int, x, around tile.Value, rate float64, change tile.Value) {
		laplacian := b.Do(tile.Sub, around, b.Do(tile.Mul, number(4), x))
		b.Store(b.Do(tile.Add, x, b.Do(tile.Add, b.Do(tile.Mul, number(rate), laplacian), change)))
		args = append(args, plane(array, side, 4, 0, 0))
	}
	step(2, u, aroundU, 0.16, b.Do(tile.Sub, b.Do(tile.Mul, number(0.06), b.Do(tile.Sub, number(1), u)), uvv))
	step(3, v, aroundV, 0.08, b.Do(tile.Sub, uvv, b.Do(tile.Mul, number(0.122), v)))
	return &tile.Launch{Program: b.Program(), Shape: []int{side - 2, side - 2}, Args: args}
}

func turnLaunch(t tile.DType) *tile.Launch {
	b := tile.NewBuilder("turned_"+t.String(), 2)
	b.Store(b.Load(t))
	size := int64(t.Size())
	return &tile.Launch{Program: b.Program(), Shape: []int{side, side}, Args: []tile.Binding{
		{Buffer: tile.Buffer{Handle: 1 << 32}, Strides: []int64{size, side * size}},
		{Buffer: tile.Buffer{Handle: 2 << 32}, Strides: []int64{side * size, size}}}}
}

func sumLaunch(t tile.DType, n int) *tile.Launch {
	b := tile.NewBuilder(fmt.Sprintf("sum_%v_%d", t, n), 1)
	b.Reduce(tile.Sum, b.Load(t))
	shape := []int{n}
	return &tile.Launch{Program: b.Program(), Shape: shape, Block: tile.BlockShape(shape, 1), Reduced: 1, Args: []tile.Binding{
		{Buffer: tile.Buffer{Handle: 1 << 32}, Strides: []int64{int64(t.Size())}},
		{Buffer: tile.Buffer{Handle: 2 << 32}, Strides: []int64{int64(t.Size())}}}}
}

func addLaunch(t tile.DType) *tile.Launch {
	b := tile.NewBuilder("add_"+t.String(), 1)
	b.Store(b.Do(tile.Add, b.Load(t), b.Load(t)))
	l := &tile.Launch{Program: b.Program(), Shape: []int{1 << 26}}
	for i := range 3 {
		l.Args = append(l.Args, tile.Binding{Buffer: tile.Buffer{Handle: uint64(i+1) << 32}, Strides: []int64{int64(t.Size())}})
	}
	return l
}

func functionLaunch(op tile.Opcode, t tile.DType) *tile.Launch {
	b := tile.NewBuilder(fmt.Sprintf("%v_%v", op, t), 1)
	in := make([]tile.Value, op.Arity())
	for i := range in {
		in[i] = b.Load(t)
	}
	b.Store(b.Do(op, in...))
	l := &tile.Launch{Program: b.Program(), Shape: []int{1 << 26}}
	for i := range len(in) + 1 {
		l.Args = append(l.Args, tile.Binding{Buffer: tile.Buffer{Handle: uint64(i+1) << 32}, Strides: []int64{int64(t.Size())}})
	}
	return l
}

func productLaunch(t tile.DType, n int) *tile.Launch {
	b := tile.NewBuilder(fmt.Sprintf("product_%v_%d", t, n), 3)
	b.Reduce(tile.Sum, b.Do(tile.Mul, b.Load(t), b.Load(t)))
	row, size := int64(n*t.Size()), int64(t.Size())
	return &tile.Launch{Program: b.Program(), Shape: []int{n, n, n}, Block: []int{1, 1, n}, Reduced: 0b100, Product: true, Args: []tile.Binding{
		{Buffer: tile.Buffer{Handle: 1 << 32}, Strides: []int64{row, 0, size}},
		{Buffer: tile.Buffer{Handle: 2 << 32}, Strides: []int64{0, size, row}},
		{Buffer: tile.Buffer{Handle: 3 << 32}, Strides: []int64{row, size, 0}}}}
}

func vectorPoints(v Variant) int { return int(v.Vector) * int(v.Ahead) }
func tilePoints(v Variant) int   { return tileSide * tileSide / Threads }
func sumPoints(v Variant) int    { return int(v.Ahead) * int(v.Vector) }
func productPoints(v Variant) int {
	deep := shortDeep
	if v.Product == longSide {
		deep = longDeep
	}
	return int(v.Product) * int(v.Product) * deep
}
func rowsPoints(v Variant) int { return int(v.Rows) }

// architectures are those whose code is looked at, one of each generation since Turing, with how many registers a
// thread of a full multiprocessor has: Turing's has half the threads of others.
var architectures = []struct {
	name  string
	spare int
}{{"75", 64}, {"80", 0}, {"90", 0}, {"100", 0}, {"120", 0}}

// budgets are what frequent kernels may take, whatever the architecture.
func budgets() []budget {
	return []budget{
		{addLaunch(tile.Float64), vectorPoints, 9, "LDG.E.128", 40, "a + b"},
		{addLaunch(tile.Float32), vectorPoints, 5, "LDG.E.128", 40, "a + b"},
		{addLaunch(tile.Float16), vectorPoints, 3, "LDG.E.128", 40, "a + b"},
		{addLaunch(tile.Uint8), vectorPoints, 8, "LDG.E.128", 40, "a + b"},
		{heatLaunch(), rowsPoints, 30, "LDG.E.64", 40, "heat"},
		{grayScottLaunch(), rowsPoints, 75, "LDG.E", 56, "Gray-Scott"},
		{sumLaunch(tile.Float64, 1<<28), sumPoints, 2, "LDG.E.128", 48, "a sum"},
		{sumLaunch(tile.Float32, 1<<28), sumPoints, 2, "LDG.E.128", 48, "a sum"},
		{sumLaunch(tile.Float32, 1<<16), sumPoints, 9, "LDG.E", 56, "a sum's second pass"},
		{functionLaunch(tile.Erf, tile.Float32), vectorPoints, 50, "LDG.E.128", 64, "erf"},
		{functionLaunch(tile.Cbrt, tile.Float32), vectorPoints, 50, "LDG.E.128", 64, "cbrt"},
		{functionLaunch(tile.Log, tile.Float32), vectorPoints, 50, "LDG.E.128", 64, "log"},
		{functionLaunch(tile.Erfc, tile.Float32), vectorPoints, 90, "LDG.E.128", 96, "erfc"},
		{functionLaunch(tile.Hypot, tile.Float32), vectorPoints, 40, "LDG.E.128", 96, "hypot"},
		{functionLaunch(tile.Tan, tile.Float32), vectorPoints, 75, "LDG.E.128", 96, "tan"},
		{functionLaunch(tile.Atan2, tile.Float32), vectorPoints, 64, "LDG.E.128", 64, "atan2"},
		{functionLaunch(tile.Asinh, tile.Float32), vectorPoints, 64, "LDG.E.128", 64, "asinh"},
		{functionLaunch(tile.Acosh, tile.Float32), vectorPoints, 64, "LDG.E.128", 64, "acosh"},
		{functionLaunch(tile.Atanh, tile.Float32), vectorPoints, 64, "LDG.E.128", 64, "atanh"},
		{productLaunch(tile.Float32, side), productPoints, 1.5, "LDG.E", 128, "a product"},
		{productLaunch(tile.Float32, 256), productPoints, 2, "LDG.E", 128, "a product of few tiles"},
		{productLaunch(tile.Float64, side), productPoints, 2, "LDG.E.64", 128, "a product"},
		{productLaunch(tile.Complex128, side), productPoints, 6, "LDG.E.64", 192, "a product"},
		{turnLaunch(tile.Float64), tilePoints, 30, "LDG.E.64", 40, "a transposition"},
		{turnLaunch(tile.Float32), tilePoints, 30, "LDG.E", 40, "a transposition"},
	}
}

// tool returns one of NVIDIA's tools, which an environment variable or PATH names, and skips the test where neither
// does, as in a go test by hand on a machine without them. "make test" names those of the wheels, and so skips nothing.
func tool(t *testing.T, name, variable, wheel string) string {
	t.Helper()
	if path := os.Getenv(variable); path != "" {
		return path
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s in PATH and %s is not set; the wheel %s has one", name, variable, wheel)
	}
	return path
}

func assembler(t *testing.T) string { return tool(t, "ptxas", "WEFT_PTXAS", "nvidia-cuda-nvcc-cu12") }

// TestBudgets has NVIDIA's tools say what becomes of the text of frequent kernels: no more instructions for a point
// than given, accesses of the width that is meant, and nothing spilled.
func TestBudgets(t *testing.T) {
	ptxas, nvdisasm := assembler(t), tool(t, "nvdisasm", "WEFT_NVDISASM", "nvidia-cuda-nvdisasm")
	all := budgets()
	variants, kernels := make([]Variant, len(all)), make([]*Kernel, len(all))
	for i := range all {
		var err error
		variants[i], _ = Plan(all[i].l)
		if kernels[i], err = Emit(all[i].l.Program, variants[i]); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "kernels.ptx")
	if err := os.WriteFile(source, []byte(Module(Target{}, kernels...)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, arch := range architectures {
		t.Run("sm_"+arch.name, func(t *testing.T) {
			t.Parallel()
			object := filepath.Join(dir, arch.name+".cubin")
			said, err := exec.Command(ptxas, "-v", "-arch=sm_"+arch.name, "-O3", "-o", object, source).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			text, err := exec.Command(nvdisasm, "-c", object).Output()
			if err != nil {
				t.Fatal(err)
			}
			if dir := os.Getenv("WEFT_SASS"); dir != "" { // for people
				if err := os.WriteFile(filepath.Join(dir, "sm_"+arch.name+".sass"), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for i := range all {
				t.Run(all[i].l.Program.Name, func(t *testing.T) {
					all[i].hold(t, variants[i], kernels[i], arch.spare, string(said), string(text))
				})
			}
		})
	}
}

// hold compares what a kernel became with its budget: what the assembler said, and the disassembler's text. Fewer
// registers than spare gain nothing.
func (c *budget) hold(t *testing.T, v Variant, k *Kernel, spare int, said, text string) {
	_, about, found := strings.Cut(said, "Compiling entry function '"+k.Name+"'")
	_, code, there := strings.Cut(text, "\n.text."+k.Name+":\n")
	if !found || !there {
		t.Fatalf("nothing about %s in:\n%s\nand\n%.2000s", k.Name, said, text)
	}
	about, _, _ = strings.Cut(about, "Compiling entry function")
	code, _, _ = strings.Cut(code, "\n.text.")
	if !strings.Contains(about, "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") {
		t.Errorf("something lies on the stack:\n%s", about)
	}
	used := regexp.MustCompile(`Used (\d+) registers`).FindStringSubmatch(about)
	most := max(c.registers, spare)
	if n, err := strconv.Atoi(used[1]); err != nil || n > most {
		t.Errorf("%s registers; at most %d", used[1], most)
	}
	n, accesses := hottest(code, c.access)
	per := float64(n) / float64(c.points(v))
	t.Logf("%s: %s registers, %.1f instructions a point, %v", v.Form(), used[1], per, accesses)
	if per > c.most {
		t.Errorf("%s: %.1f instructions a point in %s; at most %v", c.description, per, v.Form(), c.most)
	}
	if accesses[c.access] == 0 {
		t.Errorf("no %s in the loop: %v", c.access, accesses)
	}
}

// hottest finds the part of a kernel that accesses memory the most, in the given way, between two labels or branches,
// and returns the instructions of the innermost loop around it, without other parts that access memory, and the
// accesses in it by name.
func hottest(sass, access string) (instructions int, accesses map[string]int) {
	type part struct {
		first, last int            // line numbers
		memory      map[string]int // accesses by name
		all, count  int
	}
	label := regexp.MustCompile(`^\.L_x_(\d+):`)
	instruction := regexp.MustCompile(`/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)(.*);`)
	target := regexp.MustCompile(`\(\.L_x_(\d+)\)`)
	labels := map[string]int{}
	var parts []part
	var loops [][2]int
	lines := strings.Split(sass, "\n")
	fresh := true
	for i, line := range lines {
		if m := label.FindStringSubmatch(line); m != nil {
			labels[m[1]] = i
			fresh = true
			continue
		}
		m := instruction.FindStringSubmatch(line)
		if m == nil || m[2] == "NOP" { // by which code waits for an arithmetic unit that few share
			continue
		}
		if fresh {
			parts = append(parts, part{first: i, memory: map[string]int{}})
			fresh = false
		}
		p := &parts[len(parts)-1]
		p.last = i
		p.count++
		if strings.HasPrefix(m[2], "LDG") || strings.HasPrefix(m[2], "STG") {
			p.memory[strings.TrimSuffix(m[2], ".SYS")]++ // as the oldest say
			p.all++
		}
		if m[2] == "BRA" {
			fresh = true
			if to := target.FindStringSubmatch(m[3]); to != nil {
				if at, known := labels[to[1]]; known {
					loops = append(loops, [2]int{at, i})
				}
			}
		}
	}
	innermost := func(p *part) [2]int {
		around := [2]int{0, len(lines)}
		for _, l := range loops {
			if l[0] <= p.first && p.last <= l[1] && l[1]-l[0] < around[1]-around[0] {
				around = l
			}
		}
		return around
	}
	hot, around := &parts[0], innermost(&parts[0])
	for i := range parts {
		in := innermost(&parts[i])
		if p := &parts[i]; p.memory[access] > hot.memory[access] || p.memory[access] == hot.memory[access] && in[1]-in[0] < around[1]-around[0] {
			hot, around = p, in
		}
	}
	for i := range parts {
		p := &parts[i]
		if p == hot || p.all == 0 && around[0] <= p.first && p.last <= around[1] {
			instructions += p.count
		}
	}
	return instructions, hot.memory
}
