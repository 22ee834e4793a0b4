package sim

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/scheduler"
)

// The text form of a failure is an op stream with a comment in front of it that says on what, and
// with which seed, it fails:
//
//	# seed 7 queues 2 gpus 0 calls 0 window 0 mintile 1 balance 0 renew 0 nofusion 0 rows 0 columns 0 failing 0 cancel 0
//	store s1 8
//	...

// configKey is a word of a configuration's text.
type configKey struct {
	name  string
	get   func(*Config) int64
	set   func(*Config, int64)
	least int64 // the simplest value
}

// simpler returns the values to try in place of one, the simplest first.
func (k configKey) simpler(now int64) []int64 {
	var list []int64
	for n := k.least; n < now && len(list) < 3; n++ {
		list = append(list, n)
	}
	if now > k.least+3 && now < 1<<20 {
		list = append(list, now/2)
	}
	return list
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// configKeys is the table of them.
var configKeys = []configKey{
	{"gpus", func(c *Config) int64 { return int64(len(c.Machine.Memories) - 1) }, setGPUs, 0},
	{"calls", func(c *Config) int64 { // the GPU, from 1 on, that runs routines
		for i, d := range c.Machine.Devices {
			if d.Kind == scheduler.GPU && d.Calls {
				return int64(i)
			}
		}
		return 0
	}, func(c *Config, n int64) {
		c.Machine.Devices = slices.Clone(c.Machine.Devices)
		for i := range c.Machine.Devices {
			if c.Machine.Devices[i].Kind == scheduler.GPU {
				c.Machine.Devices[i].Calls = int64(i) == n
			}
		}
	}, 0},
	{"queues", func(c *Config) int64 { return int64(c.Machine.Devices[0].Queues) }, func(c *Config, n int64) {
		c.Machine.Devices = slices.Clone(c.Machine.Devices)
		c.Machine.Devices[0].Queues = int(n)
	}, 1},
	{"ordered", func(c *Config) int64 { // the queues of GPUs; 2: those of the CPUs, too
		d := c.Machine.Devices
		return truth(d[len(d)-1].Ordered) + truth(d[0].Ordered)
	}, func(c *Config, n int64) {
		c.Machine.Devices = slices.Clone(c.Machine.Devices)
		for i := range c.Machine.Devices {
			c.Machine.Devices[i].Ordered = n > 1 || n == 1 && i > 0
		}
	}, 0},
	{"sysmem", func(c *Config) int64 { return c.Machine.Memories[0].Capacity }, func(c *Config, n int64) {
		c.Machine.Memories = slices.Clone(c.Machine.Memories)
		c.Machine.Memories[0].Capacity = n
	}, 0},
	{"fbmem", func(c *Config) int64 { // of every GPU
		return c.Machine.Memories[len(c.Machine.Memories)-1].Capacity * truth(len(c.Machine.Memories) > 1)
	}, func(c *Config, n int64) {
		c.Machine.Memories = slices.Clone(c.Machine.Memories)
		for i := range c.Machine.Memories[1:] {
			c.Machine.Memories[i+1].Capacity = n
		}
	}, 0},
	{"grain", func(c *Config) int64 { return c.Machine.Memories[len(c.Machine.Memories)-1].Grain }, func(c *Config, n int64) {
		c.Machine.Memories = slices.Clone(c.Machine.Memories)
		for i := range c.Machine.Memories {
			c.Machine.Memories[i].Grain = n
		}
	}, 0},
	{"failing", func(c *Config) int64 { return truth(c.Failing) }, func(c *Config, n int64) { c.Failing = n != 0 }, 0},
	{"cancel", func(c *Config) int64 { return truth(c.Cancel) }, func(c *Config, n int64) { c.Cancel = n != 0 }, 0},
	{"window", func(c *Config) int64 { return int64(c.Options.Window) }, func(c *Config, n int64) { c.Options.Window = int(n) }, 1},
	{"cutlittle", func(c *Config) int64 { return truth(c.Options.CutLittle) }, func(c *Config, n int64) { c.Options.CutLittle = n != 0 }, 0},
	{"mintile", func(c *Config) int64 { return c.Options.MinTile }, func(c *Config, n int64) { c.Options.MinTile = n }, 0},
	{"balance", func(c *Config) int64 { return int64(c.Options.Balance) }, func(c *Config, n int64) { c.Options.Balance = int(n) }, 0},
	{"renew", func(c *Config) int64 { return c.Options.Renew }, func(c *Config, n int64) { c.Options.Renew = n }, 0},
	{"small", func(c *Config) int64 { return c.Options.Small }, func(c *Config, n int64) { c.Options.Small = n }, 0},
	{"meanwhile", func(c *Config) int64 { return c.Options.Meanwhile }, func(c *Config, n int64) { c.Options.Meanwhile = n }, 0},
	{"warm", func(c *Config) int64 { return int64(c.Warm) }, func(c *Config, n int64) { c.Warm = int(n) }, 0},
	{"nofusion", func(c *Config) int64 { return truth(c.Options.NoFusion) }, func(c *Config, n int64) { c.Options.NoFusion = n != 0 }, 0},
	{"inline", func(c *Config) int64 { return c.Options.Inline }, func(c *Config, n int64) { c.Options.Inline = n }, 0},
	{"handover", func(c *Config) int64 { return c.Options.HandOver }, func(c *Config, n int64) { c.Options.HandOver = n }, 0},
	{"forms", func(c *Config) int64 { return truth(c.Forms) }, func(c *Config, n int64) { c.Forms = n != 0 }, 0},
	{"rows", func(c *Config) int64 { return int64(c.Options.Grid[0]) }, func(c *Config, n int64) { c.Options.Grid[0] = int(n) }, 0},
	{"columns", func(c *Config) int64 { return int64(c.Options.Grid[1]) }, func(c *Config, n int64) { c.Options.Grid[1] = int(n) }, 0},
}

// setGPUs keeps the first GPUs, or adds some like those of the tests.
func setGPUs(c *Config, n int64) {
	m := scheduler.Machine{Devices: c.Machine.Devices[:1:1], Memories: c.Machine.Memories[:1:1]}
	for i := range int(n) {
		if i+1 < len(c.Machine.Devices) {
			m.Devices = append(m.Devices, c.Machine.Devices[i+1])
			m.Memories = append(m.Memories, c.Machine.Memories[i+1])
			continue
		}
		m.Devices = append(m.Devices, scheduler.Device{Kind: scheduler.GPU, Memory: scheduler.MemoryID(i + 1), Queues: 1})
		m.Memories = append(m.Memories, scheduler.Memory{Name: "gpu"})
	}
	c.Machine = m
}

// String prints the failure in the form that parseFailure reads.
func (f failure) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# seed %d", f.seed)
	for _, k := range configKeys {
		fmt.Fprintf(&b, " %s %d", k.name, k.get(&f.cfg))
	}
	return b.String() + "\n" + f.stream.String()
}

// parseFailure reads the text of a failure.
func parseFailure(text string) (f failure, err error) {
	f.cfg = Config{Name: "replayed", Machine: scheduler.Machine{
		Devices:  []scheduler.Device{{Kind: scheduler.CPU, Queues: 1, Calls: true}},
		Memories: []scheduler.Memory{{Name: "host"}},
	}}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Scan()
	words := strings.Fields(strings.TrimPrefix(lines.Text(), "#"))
	for i := 0; i+1 < len(words); i += 2 {
		n, err := strconv.ParseUint(words[i+1], 10, 63)
		if err != nil {
			return f, fmt.Errorf("%q: got %q, want a number", words[i], words[i+1])
		}
		known := words[i] == "seed"
		if known {
			f.seed = n
		}
		for _, k := range configKeys {
			if k.name == words[i] {
				k.set(&f.cfg, int64(n))
				known = true
			}
		}
		if !known {
			return f, fmt.Errorf("unknown word %q in the first line", words[i])
		}
	}
	f.stream, err = scheduler.ParseOps(text)
	return f, err
}

// report shrinks a failure, writes it to a file, and says how to run it again.
func (f failure) report() string {
	small := f.shrink(4000)
	text := small.String()
	path := filepath.Join(os.TempDir(), fmt.Sprintf("weft-sim-%d.txt", f.seed))
	how := "run it again with\n\tgo test ./scheduler/sim -run TestReplay -stream " + path
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		how = fmt.Sprintf("it could not be written to a file: %v", err)
	}
	return fmt.Sprintf("seed %d on %s: %v\nand, shrunk from %d to %d steps: %v\n%s\n%s", f.seed, f.cfg.Name, f.err, len(f.stream), len(small.stream), small.err, how, text)
}
