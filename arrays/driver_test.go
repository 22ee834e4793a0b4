package arrays_test

import (
	"path/filepath"
	"strings"
	"testing"

	"weft/arrays"
	"weft/cpu"
	"weft/scheduler"
	"weft/scheduler/core"
	"weft/scheduler/driver"
	"weft/tile"
)

// machines are configurations that must not change any answer.
var machines = []struct {
	name     string
	workers  int
	gpus     int
	core     core.Options
	short    bool // also in short tests
	inlining int64
}{
	{name: "one worker", workers: 1, short: true},
	{name: "two workers, small tiles", workers: 2, core: core.Options{MinTile: 16}, inlining: -1},
	{name: "three GPUs, small tiles, window of 3", workers: 1, gpus: 3, core: core.Options{MinTile: 8, Window: 3}},
}

// TestConformanceOnTheDriver runs the same cases through the scheduler on real devices.
func TestConformanceOnTheDriver(t *testing.T) {
	paths, err := filepath.Glob("testdata/conformance/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range machines {
		if testing.Short() && !m.short {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			o := driver.Options{
				Devices: []tile.Device{cpu.New(cpu.Options{Workers: m.workers, Dense: dense})}, Kinds: []scheduler.DeviceKind{scheduler.CPU},
				Core: m.core, Check: true, InlineBytes: m.inlining, Interrupted: arrays.ErrInterrupted,
			}
			for i := range m.gpus {
				o.Devices = append(o.Devices, cpu.NewEmulatedGPU(i, cpu.Options{Dense: dense}))
				o.Kinds = append(o.Kinds, scheduler.GPU)
			}
			rt, err := driver.New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := rt.Close(); err != nil {
					t.Error(err)
				}
			}()
			for _, path := range paths {
				t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
					conform(t, path, func() arrays.Runtime { return rt }, func(int) {})
				})
			}
		})
	}
}
