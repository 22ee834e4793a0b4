package sim

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"weft/scheduler"
	"weft/scheduler/core"
	"weft/tile"
)

var (
	seed  = flag.Uint64("seed", 0, "run this seed alone, on every configuration")
	count = flag.Int("streams", 2000, "how many random streams to run")
)

func machine(cpuQueues, gpus int) scheduler.Machine {
	m := scheduler.Machine{
		Devices:  []scheduler.Device{{Kind: scheduler.CPU, Queues: cpuQueues, Calls: true}},
		Memories: []scheduler.Memory{{Name: "host"}},
	}
	for i := range gpus {
		m.Devices = append(m.Devices, scheduler.Device{Kind: scheduler.GPU, Memory: scheduler.MemoryID(i + 1), Queues: 1})
		m.Memories = append(m.Memories, scheduler.Memory{Name: "gpu"})
	}
	return m
}

// calling makes one of a machine's GPUs run named routines.
func calling(m scheduler.Machine, gpu int) scheduler.Machine {
	m.Devices[gpu+1].Calls = true
	return m
}

// ordered gives the GPUs of a machine so many queues each, which keep an order.
func ordered(m scheduler.Machine, queues int) scheduler.Machine {
	for i := range m.Devices {
		if d := &m.Devices[i]; d.Kind == scheduler.GPU {
			d.Queues, d.Ordered = queues, true
		}
	}
	return m
}

// everywhere lets the queues of CPUs keep an order, too.
func everywhere(m scheduler.Machine) scheduler.Machine {
	for i := range m.Devices {
		m.Devices[i].Ordered = true
	}
	return m
}

// limited gives the memories of a machine capacities; 0 is none.
func limited(m scheduler.Machine, host, gpu, grain int64) scheduler.Machine {
	for i := range m.Memories {
		if m.Memories[i].Capacity = gpu; i == 0 {
			m.Memories[i].Capacity = host
		}
		m.Memories[i].Grain = grain
	}
	return m
}

// roomy returns a configuration whose GPUs hold a fortieth of the largest store of a stream, and a
// few elements. With less there are more tasks of the same sorts: hundreds of thousands.
func roomy(cfg Config, stream scheduler.Stream) Config {
	least := int64(0)
	for _, step := range stream {
		least = max(least, step.Bytes/40)
	}
	memories := slices.Clone(cfg.Machine.Memories)
	for i := range memories[1:] {
		if mem := &memories[i+1]; mem.Capacity > 0 {
			mem.Capacity = max(mem.Capacity, least)
		}
	}
	cfg.Machine.Memories = memories
	return cfg
}

// configs is what every stream runs on.
var configs = []Config{
	{Name: "cpu1", Machine: machine(1, 0), Options: core.Options{Renew: 1}},
	{Name: "cpu2", Machine: machine(2, 0), Options: core.Options{MinTile: 1, Window: 1}},
	{Name: "cpu2 unfused", Machine: machine(2, 0), Options: core.Options{MinTile: 1, NoFusion: true}},
	{Name: "cpu2 fused", Machine: machine(2, 0), Options: core.Options{MinTile: 1, Window: 200, Renew: 1}},
	{Name: "cpu2 afresh", Machine: machine(2, 0), Options: core.Options{MinTile: 1, Window: 30, Renew: 1, NoTemplates: true}},
	{Name: "cpu1 recaptured", Machine: machine(1, 0), Options: core.Options{Window: 30, Renew: 1, Inline: 1 << 40, Recapture: true}, Forms: true},
	{Name: "cpu4", Machine: machine(4, 0), Options: core.Options{MinTile: 1, Window: 7}},
	{Name: "cpu4 grid", Machine: machine(4, 0), Options: core.Options{MinTile: 1, Window: 20, Renew: 1, Grid: [2]int{2, 3}}, Failing: true},
	{Name: "cpu1 in order", Machine: machine(1, 0), Options: core.Options{Window: 20, Renew: 1, Inline: 1 << 40}, Forms: true},
	{Name: "cpu4 in order failing", Machine: machine(4, 0), Options: core.Options{MinTile: 1, Window: 9, Inline: 1 << 40, CutLittle: true}, Failing: true, Forms: true},
	{Name: "cpu4 handed over", Machine: machine(4, 0), Options: core.Options{HandOver: 20, Window: 9, Inline: 30}},
	{Name: "gpu1", Machine: machine(1, 1), Options: core.Options{MinTile: 1}},
	{Name: "gpu1 renewing", Machine: calling(machine(1, 1), 0), Options: core.Options{MinTile: 1, Window: 30, Renew: 1}},
	{Name: "gpu1 renewing failing", Machine: machine(1, 1), Options: core.Options{MinTile: 1, Window: 9, Renew: 1}, Failing: true, Forms: true},
	{Name: "gpu1 6000 renewing", Machine: limited(machine(1, 1), 0, 6000, 8), Options: core.Options{MinTile: 1, Window: 40, Renew: 1}},
	{Name: "gpu1 9000 renewing failing", Machine: limited(machine(1, 1), 0, 9000, 64), Options: core.Options{MinTile: 1, Window: 20, Renew: 1}, Failing: true},
	{Name: "gpu1 4000 renewing short", Machine: limited(machine(1, 1), 2500, 4000, 8), Options: core.Options{MinTile: 1, Window: 20, Renew: 1}},
	{Name: "gpu1 small", Machine: machine(2, 1), Options: core.Options{MinTile: 1, Window: 20, Renew: 1, Small: 1500, Inline: 1 << 40}, Forms: true},
	{Name: "gpu1 small failing", Machine: calling(machine(1, 1), 0), Options: core.Options{MinTile: 1, Window: 9, Renew: 1, Small: 800, Inline: 2000}, Failing: true},
	{Name: "gpu1 5000 small", Machine: limited(machine(1, 1), 0, 5000, 8), Options: core.Options{MinTile: 1, Window: 20, Renew: 1, Small: 2000, Inline: 1 << 40}},
	{Name: "gpu1 4000 small short", Machine: limited(machine(1, 1), 2500, 4000, 8), Options: core.Options{MinTile: 1, Window: 20, Renew: 1, Small: 2000, Inline: 1 << 40}},
	{Name: "gpu1 cold", Machine: machine(2, 1), Options: core.Options{MinTile: 1, Window: 12, Renew: 1, Meanwhile: 3000}, Warm: 3},
	{Name: "gpu1 cold failing", Machine: calling(machine(1, 1), 0), Options: core.Options{MinTile: 1, Window: 9, Renew: 1, Small: 300, Meanwhile: 1 << 40, Inline: 2000}, Failing: true, Warm: 2},
	{Name: "gpu1 5000 cold", Machine: limited(machine(1, 1), 0, 5000, 8), Options: core.Options{MinTile: 1, Window: 20, Renew: 1, Meanwhile: 2000, Inline: 1 << 40}, Warm: 5},
	{Name: "gpu1 4000 cold short", Machine: ordered(limited(machine(1, 1), 2500, 4000, 8), 2), Options: core.Options{MinTile: 1, Window: 20, Renew: 1, Small: 200, Meanwhile: 2000}, Warm: 2},
	{Name: "gpu2", Machine: calling(machine(1, 2), 1), Options: core.Options{MinTile: 1, Window: 5}},
	{Name: "gpu3", Machine: machine(1, 3), Options: core.Options{MinTile: 1}},
	{Name: "cpu4 failing", Machine: machine(4, 0), Options: core.Options{MinTile: 1, Window: 7, Renew: 1}, Failing: true},
	{Name: "gpu3 failing", Machine: calling(machine(1, 3), 0), Options: core.Options{MinTile: 1, Window: 7}, Failing: true},
	{Name: "gpu4 grid", Machine: machine(1, 4), Options: core.Options{MinTile: 1, Window: 9, Grid: [2]int{2, 2}}},
	{Name: "gpu1 300", Machine: limited(machine(1, 1), 0, 300, 0), Options: core.Options{MinTile: 1}},
	{Name: "gpu2 700", Machine: limited(calling(machine(2, 2), 0), 0, 700, 8), Options: core.Options{MinTile: 1, Window: 9}},
	{Name: "gpu2 1500 unfused", Machine: limited(machine(1, 2), 0, 1500, 1), Options: core.Options{MinTile: 64, NoFusion: true, Window: 200}},
	{Name: "gpu3 4000", Machine: limited(calling(machine(2, 3), 2), 0, 4000, 64), Options: core.Options{MinTile: 1, Window: 5}},
	{Name: "gpu4 grid 2000", Machine: limited(machine(1, 4), 0, 2000, 8), Options: core.Options{MinTile: 1, Window: 9, Grid: [2]int{2, 2}}},
	{Name: "gpu2 failing grid 6000", Machine: limited(machine(1, 2), 0, 6000, 8), Options: core.Options{MinTile: 1, Window: 30, Grid: [2]int{1, 2}}, Failing: true},
	{Name: "gpu2 40000", Machine: limited(calling(machine(2, 2), 0), 0, 40_000, 64), Options: core.Options{MinTile: 1}},
	{Name: "gpu2 failing 600", Machine: limited(calling(machine(1, 2), 1), 0, 600, 0), Options: core.Options{MinTile: 1, Window: 7}, Failing: true},
	{Name: "gpu2 cancelling 900", Machine: limited(machine(1, 2), 0, 900, 0), Options: core.Options{MinTile: 1, Window: 3}, Cancel: true},
	{Name: "cpu2 short", Machine: limited(machine(2, 0), 3000, 0, 8), Options: core.Options{MinTile: 1, Window: 9, Renew: 1}},
	{Name: "cpu1 in order short", Machine: limited(machine(1, 0), 3000, 0, 8), Options: core.Options{MinTile: 1, Window: 9, Renew: 1, Inline: 1 << 40, CutLittle: true}},
	{Name: "cpu2 in order failing short", Machine: limited(machine(2, 0), 2500, 0, 0), Options: core.Options{MinTile: 1, Renew: 1, Inline: 1 << 40, CutLittle: true}, Failing: true},
	{Name: "cpu2 failing short", Machine: limited(machine(2, 0), 2000, 0, 0), Options: core.Options{MinTile: 1, Renew: 1}, Failing: true},
	{Name: "gpu2 500 short", Machine: limited(calling(machine(1, 2), 1), 2500, 500, 0), Options: core.Options{MinTile: 1, Window: 9}},
	{Name: "gpu1 300 failing short", Machine: limited(machine(1, 1), 1500, 300, 8), Options: core.Options{MinTile: 1, Window: 4}, Failing: true},
	{Name: "gpu2 cancelling", Machine: machine(1, 2), Options: core.Options{MinTile: 1, Window: 3}, Cancel: true},
	{Name: "gpu1 ordered", Machine: ordered(machine(1, 1), 1), Options: core.Options{MinTile: 1, Window: 3}},
	{Name: "gpu1 ordered renewing", Machine: ordered(limited(machine(2, 1), 0, 9000, 64), 2), Options: core.Options{MinTile: 1, Window: 12, Renew: 1, Small: 900, Inline: 1 << 40}},
	{Name: "gpu1 ordered renewing failing", Machine: ordered(machine(1, 1), 2), Options: core.Options{MinTile: 1, Window: 6, Renew: 1, Small: 500, Inline: 1 << 40}, Failing: true},
	{Name: "gpu2 ordered", Machine: ordered(calling(machine(2, 2), 1), 2), Options: core.Options{MinTile: 1, Window: 3, NoFusion: true}},
	{Name: "gpu3 ordered failing", Machine: ordered(calling(machine(1, 3), 2), 2), Options: core.Options{MinTile: 1, Window: 4}, Failing: true},
	{Name: "gpu4 ordered grid", Machine: ordered(machine(1, 4), 1), Options: core.Options{MinTile: 1, Window: 9, Grid: [2]int{2, 2}}},
	{Name: "cpu4 ordered failing", Machine: everywhere(machine(4, 0)), Options: core.Options{MinTile: 1, Window: 2, NoFusion: true}, Failing: true},
	{Name: "gpu2 ordered everywhere failing", Machine: everywhere(ordered(calling(machine(2, 2), 1), 2)), Options: core.Options{MinTile: 1, Window: 2, NoFusion: true}, Failing: true},
	{Name: "gpu2 ordered 700", Machine: limited(ordered(calling(machine(2, 2), 0), 2), 0, 700, 8), Options: core.Options{MinTile: 1, Window: 9}},
	{Name: "gpu1 ordered failing 600", Machine: limited(ordered(machine(1, 1), 2), 0, 600, 0), Options: core.Options{MinTile: 1, Window: 3}, Failing: true},
	{Name: "gpu2 ordered failing short", Machine: limited(everywhere(ordered(calling(machine(1, 2), 1), 2)), 2500, 500, 0), Options: core.Options{MinTile: 1, Window: 5}, Failing: true},
	{Name: "gpu2 ordered cancelling", Machine: everywhere(ordered(machine(2, 2), 1)), Options: core.Options{MinTile: 1, Window: 3}, Cancel: true},
}

func TestRandom(t *testing.T) {
	first, n := uint64(1), *count
	if *seed != 0 {
		first, n = *seed, 1
	}
	if testing.Short() {
		n = min(n, 240)
	}
	for sd := first; sd < first+uint64(n); sd++ {
		stream := generate(sd, 40)
		for i, cfg := range configs {
			if *seed == 0 && sd%uint64(len(configs)) != uint64(i) { // each stream on one of them
				continue
			}
			cfg := roomy(cfg, stream)
			if err := Run(sd, stream, cfg); err != nil {
				t.Fatal(failure{sd, stream, cfg, err}.report())
			}
		}
	}
}

// Arrays leave GPUs at any moment at which no window waits, and nothing comes out otherwise.
func TestYields(t *testing.T) {
	for i, cfg := range configs {
		if memories := cfg.Machine.Memories; memories[len(memories)-1].Capacity == 0 || len(memories) == 1 {
			continue
		}
		cfg.Yields = true
		for sd := uint64(7060 + 100*i); sd < uint64(7072+100*i); sd++ {
			stream := generate(sd, 40)
			cfg := roomy(cfg, stream)
			if err := Run(sd, stream, cfg); err != nil {
				t.Fatal(failure{sd, stream, cfg, err}.report())
			}
		}
	}
}

// Streams whose ops are to renew stores and find no room: the instance that was to be written holds an older value,
// which no reader may be given.
func TestRenewalsWithoutRoom(t *testing.T) {
	for _, sd := range []uint64{1018, 1020} {
		stream := generate(sd, 40)
		for _, cfg := range configs {
			if !strings.HasSuffix(cfg.Name, "short") {
				continue
			}
			if err := Run(sd, stream, roomy(cfg, stream)); err != nil {
				t.Fatal(failure{sd, stream, cfg, err}.report())
			}
		}
	}
}

// A test of fusion that fuses nothing would find nothing.
func TestStreamsFuse(t *testing.T) {
	for gpus := range 2 {
		streamsFuse(t, machine(2, gpus))
	}
}

func streamsFuse(t *testing.T, m scheduler.Machine) {
	ops, fused, hidden, renewed := 0, 0, 0, 0
	for sd := range uint64(20) {
		planner, err := core.New(m, core.Options{Window: 200, Renew: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range generate(sd, 40) {
			switch step.Verb {
			case "store":
				planner.NewStore(step.Bytes)
			case "op":
				op := *step.Op
				if _, err := planner.Submit(&op); err != nil {
					t.Fatal(err)
				}
				ops++
			case "release":
				planner.Release(step.Store)
			case "flush":
				for _, op := range planner.Flush(false).Ops {
					fused += len(op.Parts)
					parts := 0
					for _, part := range op.Parts {
						parts += len(part.Uses)
					}
					hidden += max(0, parts-len(op.Uses))
					for _, u := range op.Uses {
						if u.Renews && op.Parts != nil {
							renewed++
						}
					}
				}
			}
		}
	}
	if fused < ops/4 || hidden < fused/2 || renewed < 10 {
		t.Errorf("of %d ops %d were fused, %d operands went away, %d stores were renewed; the generator should make more that can be", ops, fused, hidden, renewed)
	}
}

// A loop submits the same windows again, with other stores and other numbers: what was
// remembered of the first must be right for the others.
func TestRepeatedWindows(t *testing.T) {
	n := uint64(6 * len(configs))
	if testing.Short() {
		n = uint64(len(configs))
	}
	for sd := range n {
		once := generate(sd, 30)
		stream := slices.Clone(once)
		stores := scheduler.StoreID(0)
		for _, step := range once {
			if step.Verb == "store" {
				stores = max(stores, step.Store)
			}
		}
		for round := range scheduler.StoreID(2) {
			stream = append(stream, scheduler.Step{Verb: "flush"})
			stream = append(stream, renumbered(once, (round+1)*stores, int(round))...)
		}
		for _, cfg := range configs[sd%uint64(len(configs)):][:1] {
			cfg := roomy(cfg, stream)
			if err := Run(sd, stream, cfg); err != nil {
				t.Fatal(failure{sd, stream, cfg, err}.report())
			}
		}
	}
}

// A plan by the template of an earlier window is the one that planning afresh makes, text for text.
func TestReplayedPlansAreThoseMadeAfresh(t *testing.T) {
	n, replayed := uint64(10*len(configs)), int64(0)
	if testing.Short() {
		n = uint64(3 * len(configs))
	}
	for sd := range n {
		once := generate(sd, 30)
		stores := scheduler.StoreID(0)
		for _, step := range once {
			stores = max(stores, step.Store)
		}
		var stream scheduler.Stream
		for round := range scheduler.StoreID(4) {
			stream = append(stream, renumbered(once, round*stores, int(round))...)
			stream = append(stream, scheduler.Step{Verb: "flush"})
		}
		cfg := roomy(configs[sd%uint64(len(configs))], stream)
		cfg.Options.NoTemplates = false
		got, counts, err := planned(stream, cfg)
		if err != nil {
			t.Fatalf("seed %d on %s: %v", sd, cfg.Name, err)
		}
		replayed += counts.Replayed
		cfg.Options.NoTemplates = true
		want, counts, err := planned(stream, cfg)
		if err != nil || counts.Replayed > 0 {
			t.Fatalf("seed %d on %s: error %v, %d windows replayed where no template is remembered", sd, cfg.Name, err, counts.Replayed)
		}
		if got != want {
			t.Fatalf("seed %d on %s: the plans are\n%s\nwanted\n%s\nof\n%s", sd, cfg.Name, got, want, stream)
		}
	}
	if replayed < int64(n) {
		t.Errorf("%d windows of %d streams were replayed; the test shows too little", replayed, n)
	}
}

// renumbered returns the stream on other stores, with other uniforms.
func renumbered(stream scheduler.Stream, by scheduler.StoreID, add int) scheduler.Stream {
	var out scheduler.Stream
	for _, step := range stream {
		if step.Verb != "flush" {
			step.Store += by
		}
		if step.Op != nil {
			op := *step.Op
			op.Uses = slices.Clone(op.Uses)
			for i := range op.Uses {
				op.Uses[i].View.Store += by
			}
			op.Uniforms = slices.Clone(op.Uniforms)
			for i, u := range op.Uniforms {
				if u.Type.Is(tile.KindInt) {
					op.Uniforms[i] = tile.IntScalar(u.Type, u.Int()+int64(add))
				}
			}
			op.Where.Line += int32(add)
			step.Op = &op
			step.Store = 0
		}
		out = append(out, step)
	}
	return out
}

// The same seed must give the same stream, or a failure could not be run again; and what a
// failure prints must read back.
func TestStreamsRepeat(t *testing.T) {
	for sd := range uint64(20) {
		text := generate(sd, 40).String()
		if again := generate(sd, 40).String(); again != text {
			t.Fatalf("seed %d: two runs generated different streams", sd)
		}
		parsed, err := scheduler.ParseOps(text)
		if err != nil {
			t.Fatal(err)
		}
		if again := parsed.String(); again != text {
			t.Fatalf("seed %d: the stream reads back as\n%s\nwanted\n%s", sd, again, text)
		}
	}
}

// What ran in order is related afterwards as it would have been before.
func TestRelate(t *testing.T) {
	tasks := func(stream scheduler.Stream, inline int64) (all []*scheduler.Task) {
		planner, err := core.New(machine(1, 0), core.Options{Window: 200, Inline: inline})
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range stream {
			switch step.Verb {
			case "store":
				planner.NewStore(step.Bytes)
			case "host":
				_, err = planner.Host.Written(step.Store)
			case "op":
				op := *step.Op
				_, err = planner.Submit(&op)
			case "release":
				planner.Release(step.Store)
			case "flush", "read", "claim":
				p := planner.Flush(false)
				all = append(all, p.Tasks...)
				for i := range p.Tasks {
					if p.InOrder && planner.InOrder.Turn(i) {
						planner.InOrder.Ended(i, nil)
					}
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	related := 0
	for sd := range uint64(20) {
		stream := generate(sd, 40)
		want, got := tasks(stream, 0), tasks(stream, 1<<40)
		if len(want) != len(got) {
			t.Fatalf("seed %d: %d tasks in order, %d otherwise", sd, len(got), len(want))
		}
		core.Relate(got)
		for i := range want {
			if !slices.Equal(got[i].After, want[i].After) {
				t.Fatalf("seed %d: %v ran in order and is related to %v, wanted %v\n%s", sd, want[i].ID, got[i].After, want[i].After, stream)
			}
			related += len(got[i].After)
		}
	}
	if related == 0 {
		t.Error("no task was related to another")
	}
}

// On ordered devices many tasks begin behind others, some of them behind those that fail. Otherwise the streams show
// nothing.
func TestTasksRunAhead(t *testing.T) {
	for _, cfg := range configs {
		if !strings.Contains(cfg.Name, "ordered") {
			continue
		}
		tasks, ahead, lost := 0, 0, 0
		for sd := range uint64(12) {
			stream := generate(sd, 40)
			tr, err := trace(sd, stream, roomy(cfg, stream))
			if err != nil {
				t.Fatal(failure{sd, stream, cfg, err}.report())
			}
			for _, task := range tr.Tasks {
				tasks++
				if len(task.Behind) > 0 {
					ahead++
					if task.Failed && task.End > 0 {
						lost++
					}
				}
			}
		}
		if ahead < tasks/20 || cfg.Failing && lost < 5 {
			t.Errorf("%s: of %d tasks %d began behind others, and %d of these ran and failed", cfg.Name, tasks, ahead, lost)
		}
	}
}
