package sim

import (
	"flag"
	"os"
	"strings"
	"testing"

	"weft/scheduler"
	"weft/scheduler/core"
)

var streamFile = flag.String("stream", "", "run the stream of this file, which a failure has left")

// The replay of what a failure has printed.
func TestReplay(t *testing.T) {
	if *streamFile == "" {
		t.Skip("-stream names no file")
	}
	text, err := os.ReadFile(*streamFile)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseFailure(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(f.seed, f.stream, f.cfg); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// A fault that is planted is found, and what is left of the stream is little more than the fault:
// no device and no step too many.
func TestShrink(t *testing.T) {
	for name, fault := range map[string]struct {
		broken func(*scheduler.Task) bool
		steps  int
		gpus   int64
	}{
		"the tiles of axpy behind the first do nothing": {func(t *scheduler.Task) bool {
			return t.Kind == scheduler.Run && t.Color > 0 && strings.HasPrefix(t.Op.Name, "axpy")
		}, 7, 0},
		"knit does nothing":            {func(t *scheduler.Task) bool { return t.Kind == scheduler.Run && t.Op.Name == "knit" }, 7, 0},
		"copies to the host are empty": {func(t *scheduler.Task) bool { return t.Kind == scheduler.Copy && t.Dst.Memory == 0 }, 4, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for sd := uint64(1); ; sd++ {
				if sd == 40 {
					t.Fatal("no stream fails")
				}
				cfg := Config{Name: "gpu3", Machine: calling(machine(2, 3), 1), Options: core.Options{MinTile: 1, Window: 5, NoFusion: true}, Failing: true, broken: fault.broken}
				if fault.gpus == 0 {
					cfg.Machine = machine(4, 0)
				}
				stream := generate(sd, 40)
				err := Run(sd, stream, cfg)
				if err == nil {
					continue
				}
				small := failure{sd, stream, cfg, err}.shrink(3000)
				if len(small.stream) > fault.steps || small.err == nil {
					t.Errorf("of %d steps %d are left, wanted at most %d:\n%s", len(stream), len(small.stream), fault.steps, small)
				}
				for _, k := range configKeys {
					n := k.get(&small.cfg)
					switch k.name {
					case "gpus":
						if n != fault.gpus {
							t.Errorf("%d GPUs are left, wanted %d", n, fault.gpus)
						}
					case "calls", "failing", "cancel", "rows", "columns":
						if n != 0 {
							t.Errorf("%s is %d", k.name, n)
						}
					}
				}
				again, err := parseFailure(small.String())
				if err != nil || again.String() != small.String() {
					t.Fatalf("it reads back as\n%s\nerror %v; wanted\n%s", again, err, small)
				}
				again.cfg.broken = fault.broken
				if err := Run(again.seed, again.stream, again.cfg); err == nil || err.Error() != small.err.Error() {
					t.Errorf("what was read back fails with %v, wanted %v", err, small.err)
				}
				again.cfg.broken = nil
				if err := Run(again.seed, again.stream, again.cfg); err != nil {
					t.Errorf("without the fault: %v", err)
				}
				return
			}
		})
	}
}

// The text of a failure says all of it.
func TestConfigurationsReadBack(t *testing.T) {
	for _, cfg := range configs {
		f := failure{3, generate(3, 20), cfg, nil}
		again, err := parseFailure(f.String())
		if err != nil || again.String() != f.String() {
			t.Errorf("%s reads back as\n%s\nerror %v; wanted\n%s", cfg.Name, again, err, f)
		}
		a, b := Run(3, f.stream, f.cfg), Run(again.seed, again.stream, again.cfg)
		if (a == nil) != (b == nil) {
			t.Errorf("%s: %v, and read back: %v", cfg.Name, a, b)
		}
	}
}
