package routines

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/cpu"
	"weft/cuda/ptx"
	"weft/tile"
	"weft/tile/tiletest"
)

// TestTable wants a row for each routine of the CPU, and trials for each that has a plan.
func TestTable(t *testing.T) {
	known := cpu.Routines("", nil)
	for name := range known {
		if strings.HasPrefix(name, "linalg.") {
			continue
		}
		if _, ok := find(name); !ok {
			t.Errorf("routine %s has no row in table.go: say how GPUs run it, or why the host does", name)
		}
	}
	for name, r := range table {
		if known[name] == nil {
			t.Errorf("there is a row for %s, but the CPU has no such routine", name)
		}
		if r.plan != nil && !slices.Contains(tiletest.RoutineNames(), name) {
			t.Errorf("routine %s has no trials in tile/tiletest/routines.go", name)
		}
	}
}

// TestWhere shows for which dtypes each routine runs on GPUs, and why the host runs the others.
func TestWhere(t *testing.T) {
	on, hosts := map[string][]string{}, map[string]string{}
	tiletest.EveryRoutine(1, func(l *tile.Launch) {
		p := l.Program
		dtype := p.Params[0].Type.String()
		if p.Routine == "bincount" && len(p.Params) == 3 {
			dtype = "weights"
		}
		if why := Lacks(p); why != "" {
			hosts[p.Routine+" "+dtype] = why
		} else {
			on[p.Routine] = append(on[p.Routine], dtype)
		}
	})
	for name := range cpu.Routines("", nil) {
		if !slices.Contains(tiletest.RoutineNames(), name) {
			hosts[name] = Lacks(&tile.Program{Routine: name})
		}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(on)) {
		b.WriteString(name + ": " + strings.Join(on[name], " ") + "\n")
	}
	for _, name := range slices.Sorted(maps.Keys(hosts)) {
		b.WriteString("host: " + name + ": " + hosts[name] + "\n")
	}
	want, err := os.ReadFile("testdata/where.txt")
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("testdata/where.txt says otherwise:\n%s", b.String())
	}
}

// full is a GPU with 132 multiprocessors.
var full = Site{Blocks: 132, Threads: BlockThreads, Scratch: func(n int64) (tile.Buffer, error) {
	return tile.Buffer{Handle: 1 << 40, Size: n}, nil
}}

// assembled are dtypes of each kind and size of register: what others come to differs from these in single
// instructions.
var assembled = []tile.DType{tile.Bool, tile.Int8, tile.Uint32, tile.Int64, tile.Float16, tile.Float32, tile.Float64, tile.Complex128}

// alike reports whether a kernel differs from others that are assembled in the size of what it copies alone, or in its
// atomic operation.
func alike(routine string, t tile.DType) bool {
	switch op, combines := strings.CutPrefix(routine, "scatter."); {
	case combines:
		return op != "max"
	case routine == "gather" || routine == "scatter":
		return t != tile.Bool && t != tile.Int64 && t != tile.Complex128
	}
	return false
}

// everyKernel emits the kernel of each program that launches of routines come to.
func everyKernel(t *testing.T) map[string]*ptx.Kernel {
	kernels := map[string]*ptx.Kernel{}
	found := map[string]*Routine{}
	for _, site := range []Site{full, {Blocks: 8, Threads: 128, Scratch: full.Scratch}} { // of small ones few trials need parts
		tiletest.EveryRoutine(24, func(l *tile.Launch) {
			if alike(l.Program.Routine, l.Program.Params[0].Type) {
				return
			}
			if Lacks(l.Program) != "" || !slices.Contains(assembled, l.Program.Params[0].Type) {
				return
			}
			text := l.Program.String()
			r := found[text]
			if r == nil {
				var err error
				if r, err = Find(l.Program); err != nil {
					t.Fatal(err)
				}
				found[text] = r
			}
			made, err := r.Launch(l, site)
			if err != nil {
				t.Fatal(err)
			}
			v, _ := ptx.Plan(made)
			v.Threads, v.Loose = BlockThreads, 0
			p := *made.Program
			for key, built := range r.built {
				if built == made.Program {
					p.Name = strings.ReplaceAll(p.Name+"_"+l.Program.Params[0].Type.String()+"_"+key+"_"+strconv.Itoa(len(p.Params)), " ", "_")
				}
			}
			if kernels[p.Name] != nil {
				return
			}
			if err := tile.Check(&p); err != nil {
				t.Fatal(err)
			}
			if kernels[p.Name], err = ptx.Emit(&p, v); err != nil {
				t.Fatal(err)
			}
		})
	}
	return kernels
}

// TestAssembler gives every kernel to NVIDIA's assembler: none spills, or has a stack.
func TestAssembler(t *testing.T) {
	ptxas := os.Getenv("WEFT_PTXAS")
	if ptxas == "" {
		t.Skip("WEFT_PTXAS is not set; the wheel nvidia-cuda-nvcc has one")
	}
	kernels := everyKernel(t)
	var all []*ptx.Kernel
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		kernels[name].Name = strings.NewReplacer(".", "_").Replace(name)
		all = append(all, kernels[name])
	}
	dir := t.TempDir()
	for _, arch := range []string{"sm_90"} {
		file := filepath.Join(dir, arch+".ptx")
		if err := os.WriteFile(file, []byte(ptx.Module(ptx.Target{}, all...)), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(ptxas, "-v", "-O3", "-arch="+arch, "-o", filepath.Join(dir, arch+".cubin"), file).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%.4000s", arch, err, out)
		}
		blocks := strings.Split(string(out), "Compiling entry function '")[1:]
		most, of := 0, ""
		for _, block := range blocks {
			name, _, _ := strings.Cut(block, "'")
			if !strings.Contains(block, "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") {
				t.Errorf("%s: %s has a stack or spills:\n%s", arch, name, block)
			}
			m := regexp.MustCompile(`Used (\d+) registers`).FindStringSubmatch(block)
			if m == nil {
				t.Fatalf("%s: %s: the assembler says nothing of registers:\n%s", arch, name, block)
			}
			if n, _ := strconv.Atoi(m[1]); n > most {
				most, of = n, name
			}
		}
		if len(blocks) != len(all) {
			t.Errorf("%s: the assembler tells of %d kernels; want %d", arch, len(blocks), len(all))
		}
		t.Logf("%s: %d kernels, at most %d registers (%s)", arch, len(all), most, of)
	}
}
