package ptx

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"weft/tile"
)

// budget is what a kernel's loop may take, of the instructions of a device of compute capability 9.0.
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

func sumLaunch(t tile.DType) *tile.Launch {
	b := tile.NewBuilder("sum_"+t.String(), 1)
	b.Reduce(tile.Sum, b.Load(t))
	shape := []int{1 << 28}
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

func vectorPoints(v Variant) int { return int(v.Vector) * int(v.Ahead) }
func tilePoints(v Variant) int   { return tileSide * tileSide / Threads }
func sumPoints(v Variant) int    { return int(v.Ahead) * int(v.Vector) }
func rowsPoints(v Variant) int   { return int(v.Rows) }

// TestBudgets has NVIDIA's tools say what becomes of the text of frequent kernels: no more instructions for a point
// than given, accesses of the width that is meant, and nothing spilled.
func TestBudgets(t *testing.T) {
	ptxas := os.Getenv("WEFT_PTXAS")
	if ptxas == "" {
		var err error
		if ptxas, err = exec.LookPath("ptxas"); err != nil {
			t.Skip("no ptxas in PATH and WEFT_PTXAS is not set; the wheel nvidia-cuda-nvcc has one")
		}
	}
	nvdisasm := filepath.Join(filepath.Dir(ptxas), "nvdisasm")
	if _, err := os.Stat(nvdisasm); err != nil {
		t.Skip("no nvdisasm beside ptxas; the wheel nvidia-cuda-nvdisasm has one")
	}
	for _, c := range []budget{
		{addLaunch(tile.Float64), vectorPoints, 9, "LDG.E.128", 32, "a + b"},
		{addLaunch(tile.Float32), vectorPoints, 5, "LDG.E.128", 32, "a + b"},
		{addLaunch(tile.Float16), vectorPoints, 3, "LDG.E.128", 32, "a + b"},
		{addLaunch(tile.Uint8), vectorPoints, 8, "LDG.E.128", 40, "a + b"},
		{heatLaunch(), rowsPoints, 30, "LDG.E.64", 40, "heat"},
		{grayScottLaunch(), rowsPoints, 75, "LDG.E", 56, "Gray-Scott"},
		{sumLaunch(tile.Float64), sumPoints, 4, "LDG.E.64", 40, "a sum"},
		{sumLaunch(tile.Float32), sumPoints, 3, "LDG.E", 40, "a sum"},
		{turnLaunch(tile.Float64), tilePoints, 30, "LDG.E.64", 40, "a transposition"},
		{turnLaunch(tile.Float32), tilePoints, 30, "LDG.E", 40, "a transposition"},
	} {
		t.Run(c.l.Program.Name, func(t *testing.T) {
			v, _ := Plan(c.l)
			k, err := Emit(c.l.Program, v)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			source, object := filepath.Join(dir, "k.ptx"), filepath.Join(dir, "k.cubin")
			if err := os.WriteFile(source, []byte(Module(Target{}, k)), 0o644); err != nil {
				t.Fatal(err)
			}
			said, err := exec.Command(ptxas, "-v", "-arch=sm_90", "-O3", "-o", object, source).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if !strings.Contains(string(said), "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") {
				t.Errorf("something lies on the stack:\n%s", said)
			}
			used := regexp.MustCompile(`Used (\d+) registers`).FindSubmatch(said)
			if n, _ := strconv.Atoi(string(used[1])); n > c.registers {
				t.Errorf("%d registers; at most %d", n, c.registers)
			}
			text, err := exec.Command(nvdisasm, "-c", object).Output()
			if err != nil {
				t.Fatal(err)
			}
			if dir := os.Getenv("WEFT_SASS"); dir != "" { // for people
				if err := os.WriteFile(filepath.Join(dir, c.l.Program.Name+".sass"), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			n, accesses := hottest(string(text))
			per := float64(n) / float64(c.points(v))
			t.Logf("%s: %s registers, %.1f instructions a point, %v", v.Form(), used[1], per, accesses)
			if per > c.most {
				t.Errorf("%s: %.1f instructions a point in %s; at most %v", c.description, per, v.Form(), c.most)
			}
			if accesses[c.access] == 0 {
				t.Errorf("no %s in the loop: %v", c.access, accesses)
			}
		})
	}
}

// hottest finds the part of a kernel that accesses memory the most between two labels or branches, and returns the
// instructions of the innermost loop around it, without other parts that access memory, and the accesses in it by name.
func hottest(sass string) (instructions int, accesses map[string]int) {
	type part struct {
		first, last int // line numbers
		memory      map[string]int
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
		if m == nil {
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
			p.memory[m[2]]++
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
		if p := &parts[i]; p.all > hot.all || p.all == hot.all && in[1]-in[0] < around[1]-around[0] {
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
