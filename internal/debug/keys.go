package debug

import (
	"fmt"
	"strconv"
	"strings"
)

// Settings is what WEFT_DEBUG asks for. The zero value asks for nothing.
type Settings struct {
	Dump       string // folder for the texts of each stage; "" writes none
	Check      bool   // verify every window by brute force after it ran
	Window     int    // ops per window; 0 leaves the choice to the runtime
	Tile       int    // fewest elements per tile; 0 leaves the choice to the runtime
	Grid       [2]int // rows and columns of tiles; {0, 0} leaves the choice to the runtime
	FBMem      int    // bytes of memory of each GPU; 0 leaves the choice to the flags
	HandOver   int    // microseconds that it takes to have a task run on another thread; 0 leaves it to the runtime
	Unfused    bool   // every op runs by itself
	Afresh     bool   // no window is planned by the template of an earlier one
	NoLaunches bool   // every call goes through the general functions
	NoEager    bool   // no operation is computed where it is called, however few its elements are
	Device     string // "ref" or "cpu"; "" leaves the choice to the runtime
	ISA        string // instruction set of the CPU engine: "base", "v3" or "v4"; "" is the best there is
	Unpinned   bool   // workers are left to the system's choice of CPUs
	Seed       Seed   // order in which tasks that are ready at once are started, and where random generators without a seed start
	NoCubins   bool   // nothing that is compiled for GPUs is kept, nor taken from what is
	NoGraphs   bool   // GPUs are given every launch by itself
	Sync       bool   // GPUs run one piece of work at a time
	Trace      bool   // a line on stderr at the start and end of every task
	Guards     bool   // kernels look for races and the like
	NaNs       bool   // and for NaNs
	Panic      string // name of the function or operation that panics; "" is none
	Help       bool   // the caller prints Help() and ends
}

// Seed is an optional number: seed=0 differs from no seed at all.
type Seed struct {
	Set   bool
	Value uint64
}

// key is one row: a name, what its value looks like ("" for a bare switch),
// what it does, and how its value goes into and comes out of Settings.
type key struct {
	name string
	kind string
	help string
	set  func(s *Settings, value string) error
	get  func(s Settings) (value string, given bool)
}

// keys is the table. The order is that of the help text and of String.
var keys = []key{
	{
		"dump", "DIR", "write the plan of each window, what each pass left on the way to it, and the template that it comes from, as DIR/NNNN_name.txt",
		func(s *Settings, v string) error { s.Dump = v; return nil },
		func(s Settings) (string, bool) { return s.Dump, s.Dump != "" },
	},
	{
		"check", "", "verify every window by brute force after it ran: dependences, copies, numbers",
		func(s *Settings, v string) error { s.Check = true; return nil },
		func(s Settings) (string, bool) { return "", s.Check },
	},
	{
		"window", "N", "flush the op stream after N ops (1: every op by itself)",
		func(s *Settings, v string) (err error) { s.Window, err = positive(v); return },
		func(s Settings) (string, bool) { return strconv.Itoa(s.Window), s.Window != 0 },
	},
	{
		"tile", "N", "cut arrays into tiles of at least N elements (1: as small as the grid allows)",
		func(s *Settings, v string) (err error) { s.Tile, err = positive(v); return },
		func(s Settings) (string, bool) { return strconv.Itoa(s.Tile), s.Tile != 0 },
	},
	{
		"grid", "RxC", "cut arrays of two axes and more into R rows and C columns of tiles (2x2)",
		func(s *Settings, v string) error {
			rows, cols, _ := strings.Cut(v, "x")
			r, bad := positive(rows)
			c, worse := positive(cols)
			if bad != nil || worse != nil {
				return fmt.Errorf("got %q, want rows and columns, such as 2x3", v)
			}
			s.Grid = [2]int{r, c}
			return nil
		},
		func(s Settings) (string, bool) { return fmt.Sprintf("%dx%d", s.Grid[0], s.Grid[1]), s.Grid != [2]int{} },
	},
	{
		"fbmem", "N", "use at most N bytes of each GPU's memory, less than any flag allows, so that small arrays have to leave it",
		func(s *Settings, v string) (err error) { s.FBMem, err = positive(v); return },
		func(s Settings) (string, bool) { return strconv.Itoa(s.FBMem), s.FBMem != 0 },
	},
	{
		"handover", "N", "plan as if it took N microseconds to have a task run on another thread, instead of 20, or what was measured without any key",
		func(s *Settings, v string) (err error) { s.HandOver, err = positive(v); return },
		func(s Settings) (string, bool) { return strconv.Itoa(s.HandOver), s.HandOver != 0 },
	},
	{
		"nofuse", "", "run every op by itself instead of several in one pass over memory",
		func(s *Settings, v string) error { s.Unfused = true; return nil },
		func(s Settings) (string, bool) { return "", s.Unfused },
	},
	{
		"notemplates", "", "decide for every window anew what is fused, also where it is like an earlier one",
		func(s *Settings, _ string) error { s.Afresh = true; return nil },
		func(s Settings) (string, bool) { return "", s.Afresh },
	},
	{
		"nolaunches", "", "look at every operand of every call anew, instead of once for each combination of layouts",
		func(s *Settings, v string) error { s.NoLaunches = true; return nil },
		func(s Settings) (string, bool) { return "", s.NoLaunches },
	},
	{
		"noeager", "", "plan and queue every operation, also one on a few elements that nothing else uses",
		func(s *Settings, _ string) error { s.NoEager = true; return nil },
		func(s Settings) (string, bool) { return "", s.NoEager },
	},
	{
		"device", "ref|cpu", "run programs on the slow reference device, or on the CPU engine",
		func(s *Settings, v string) error {
			if v != "ref" && v != "cpu" {
				return fmt.Errorf("got %q, want ref or cpu", v)
			}
			s.Device = v
			return nil
		},
		func(s Settings) (string, bool) { return s.Device, s.Device != "" },
	},
	{
		"isa", "base|v3|v4", "instruction set of the CPU engine: plain C, x86-64-v3 or x86-64-v4 (AVX-512)",
		func(s *Settings, v string) error {
			if v != "base" && v != "v3" && v != "v4" {
				return fmt.Errorf("got %q, want base, v3 or v4", v)
			}
			s.ISA = v
			return nil
		},
		func(s Settings) (string, bool) { return s.ISA, s.ISA != "" },
	},
	{
		"unpinned", "", "let the system choose the workers' CPUs (where mpirun or others bind threads)",
		func(s *Settings, v string) error { s.Unpinned = true; return nil },
		func(s Settings) (string, bool) { return "", s.Unpinned },
	},
	{
		"seed", "N", "start tasks that are ready at once in an order shuffled by N; random generators without a seed start from it",
		func(s *Settings, v string) error {
			n, err := strconv.ParseUint(v, 10, 64)
			if err != nil {
				return fmt.Errorf("got %q, want a number from 0 to 2^64-1", v)
			}
			s.Seed = Seed{true, n}
			return nil
		},
		func(s Settings) (string, bool) { return strconv.FormatUint(s.Seed.Value, 10), s.Seed.Set },
	},
	{
		"nocubins", "", "compile what runs on GPUs in each process anew, and keep nothing of it",
		func(s *Settings, v string) error { s.NoCubins = true; return nil },
		func(s Settings) (string, bool) { return "", s.NoCubins },
	},
	{
		"nographs", "", "give GPUs every launch by itself, and no graphs of several that they have had before",
		func(s *Settings, v string) error { s.NoGraphs = true; return nil },
		func(s Settings) (string, bool) { return "", s.NoGraphs },
	},
	{
		"sync", "", "have each GPU run one operation or copy at a time, so that an error that ends its context names the one which made it",
		func(s *Settings, v string) error { s.Sync = true; return nil },
		func(s Settings) (string, bool) { return "", s.Sync },
	},
	{
		"trace", "", "print every task at its start and end to stderr",
		func(s *Settings, v string) error { s.Trace = true; return nil },
		func(s Settings) (string, bool) { return "", s.Trace },
	},
	{
		"guards", "", "have kernels fail for races, reads of what nothing has written and divisions by zero, as debug=True does; they run on CPUs",
		func(s *Settings, v string) error { s.Guards = true; return nil },
		func(s Settings) (string, bool) { return "", s.Guards },
	},
	{
		"nans", "", "have kernels fail where a NaN appears, and for what guards do",
		func(s *Settings, v string) error { s.NaNs = true; return nil },
		func(s Settings) (string, bool) { return "", s.NaNs },
	},
	{
		"panic", "NAME", "panic in the function NAME, or where an operation NAME is planned, to see what becomes of it",
		func(s *Settings, v string) error { s.Panic = v; return nil },
		func(s Settings) (string, bool) { return s.Panic, s.Panic != "" },
	},
	{
		"help", "", "print this text and end",
		func(s *Settings, v string) error { s.Help = true; return nil },
		func(s Settings) (string, bool) { return "", s.Help },
	},
}

func positive(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("got %q, want an integer of at least 1", value)
	}
	return n, nil
}
