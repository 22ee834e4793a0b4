//go:build extension

package main

// #include <stdlib.h>
// #include "values.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"weft/arrays"
	"weft/cpu"
	"weft/cpu/blas"
	"weft/cpu/eager"
	"weft/cuda"
	cudadriver "weft/cuda/driver"
	"weft/install/flags"
	"weft/internal/debug"
	"weft/internal/units"
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/core"
	"weft/scheduler/driver"
	"weft/tile"
)

// configured is what the user asked for, kept until the runtime starts and after.
type configured struct {
	env   map[string]string // what Python says that the environment is now
	flags flags.Settings
	rest  []string
	read  bool // the flags have been parsed

	warm *cudadriver.Warmth // contexts of GPUs, made while the program imports its modules; nil where there are none
}

func (s *configured) getenv(name string) string { return s.env[name] }

// machine is one runtime and the devices that it runs on.
type machine struct {
	rt    *driver.Runtime
	flags flags.Settings
	names []string // of the devices
	text  string   // for people: the processors, one per line
	pins  int      // mappings of its memory that Python holds
	gpus  []*cuda.Device

	follower  follower   // of the profile by lines that is made
	samples   sampleLane // of those that were
	variables variables

	relating sync.Mutex       // the viewer's pages and the program may ask at once
	related  scheduler.TaskID // the tasks up to this one have told the recorder what they depend on
}

// emulatedQueues lets an emulated GPU copy while it computes, as real ones do.
const emulatedQueues = 2

// newMachine builds what the flags and WEFT_DEBUG ask for, without the GPUs that are lost.
func newMachine(s flags.Settings, wanted debug.Settings, dense func() (*blas.Library, error), lost []int) (*machine, error) {
	epoch := time.Now()
	o := driver.Options{
		Core:        core.Options{Window: s.Window, NoFusion: wanted.Unfused, NoTemplates: wanted.Afresh, Grid: wanted.Grid},
		Interrupted: arrays.ErrInterrupted, Epoch: epoch, Held: held, Submits: submits, Release: release, Asking: asking, Wrong: wentWrong,
		Shuffle: wanted.Seed.Set, Seed: wanted.Seed.Value,
		Check: wanted.Check, Dump: wanted.Dump, Panic: wanted.Panic,
	}
	o.HandOver = time.Duration(wanted.HandOver) * time.Microsecond
	o.Calibrate = wanted == debug.Settings{} // who asks for anything wants the same plans each time
	if wanted.Window > 0 {
		o.Core.Window = wanted.Window
	}
	o.Core.CutLittle = wanted.Tile > 0 || wanted.Grid != [2]int{} // a flag that asks for tiles gets them
	if wanted.Tile > 0 {
		o.Core.MinTile = int64(wanted.Tile) * 8 // elements, of float64
	}
	if wanted.Trace {
		o.Trace = os.Stderr
	}
	if err := s.Available(cudadriver.Found); err != nil {
		return nil, err
	}
	if all := cpu.ISAs(); wanted.ISA != "" && !slices.Contains(all, wanted.ISA) {
		return nil, fmt.Errorf("%s: isa=%s: this processor has %s; choose one of these", debug.Variable, wanted.ISA, strings.Join(all, ", "))
	}
	host := tile.Device(nil)
	if wanted.Device == "ref" {
		host = tile.NewReference(s.SysMem<<20, epoch, cpu.Routines(wanted.ISA, dense))
	} else {
		host = cpu.New(cpu.Options{ISA: wanted.ISA, Workers: s.CPUs, Memory: s.SysMem << 20, Epoch: epoch, Dense: dense, Unpinned: wanted.Unpinned})
		eager.Hands(host.Info().Queues - 1)
	}
	o.Devices = append(o.Devices, host)
	o.Kinds = append(o.Kinds, scheduler.CPU)
	fbmem := s.FBMem << 20
	if wanted.FBMem > 0 {
		fbmem = int64(wanted.FBMem)
	}
	var gpus []*cuda.Device
	for i := range s.GPUs {
		switch {
		case s.Emulate:
			o.Devices = append(o.Devices, cpu.NewEmulatedGPU(i, cpu.Options{ISA: wanted.ISA, Workers: emulatedQueues, Memory: fbmem, Epoch: epoch, Dense: dense}))
		case slices.Contains(lost, i):
			continue
		default:
			gpu, err := cuda.Open(i, cuda.Options{Memory: fbmem, Epoch: epoch, Singly: wanted.Sync})
			if err != nil {
				return nil, closeAll(o.Devices, fmt.Errorf("--gpus %d: %w", s.GPUs, err))
			}
			gpus = append(gpus, gpu)
			o.Devices = append(o.Devices, gpu)
		}
		o.Kinds = append(o.Kinds, scheduler.GPU)
	}
	var names, lines []string
	var fields []profiler.Field
	for _, d := range o.Devices {
		info := d.Info()
		line := fmt.Sprintf("%s, %d queues", info.Model, info.Queues)
		if engine, ok := d.(*cpu.Device); ok && len(engine.Pins()) > 0 {
			line += " on CPUs " + strings.Trim(fmt.Sprint(engine.Pins()), "[]")
		}
		if info.Memory > 0 {
			line += ", " + units.Size(info.Memory)
		}
		names = append(names, info.Name)
		fields = append(fields, profiler.Field{Key: info.Name, Value: line})
		lines = append(lines, info.Name+": "+line)
	}
	if tool := the.tool(); tool.Overlapping() {
		o.Ranges = tool
	}
	o.Recorder = profiler.New(profiler.Options{Machine: fields})
	rt, err := driver.New(o)
	if err != nil {
		return nil, closeAll(o.Devices, err)
	}
	return &machine{rt: rt, flags: s, names: names, text: strings.Join(lines, "\n"), gpus: gpus}, nil
}

// closeAll closes devices of which nothing comes, because of err.
func closeAll(devices []tile.Device, err error) error {
	for _, d := range devices {
		err = errors.Join(err, d.Close())
	}
	return err
}

// start builds the runtime on first use.
func (b *binding) start() error {
	if b.machine != nil {
		return nil
	}
	if !b.settings.read {
		if err := b.settings.parse(nil); err != nil {
			return valueError(err)
		}
	}
	wanted, err := debug.Parse(b.settings.getenv(debug.Variable))
	if err != nil {
		return valueError(err)
	}
	if wanted.Help {
		fmt.Fprint(os.Stderr, debug.Help())
	}
	b.panics = wanted.Panic
	if b.dense == nil {
		b.dense = sync.OnceValues(blas.Search{
			Path: b.settings.getenv("WEFT_BLAS"), NumPy: b.settings.getenv("WEFT_NUMPY"), Threads: b.settings.flags.CPUs,
		}.Open)
	}
	b.settings.warm.Wait()
	m, err := newMachine(b.settings.flags, wanted, b.dense, b.lost)
	b.settings.cool()
	if err != nil {
		return err
	}
	b.waits.stop = make(chan struct{}, 1)
	tuneHeap()
	b.ctx = arrays.New(m.rt)
	b.ctx.Exact = true
	C.weft_defer_scalars, C.weft_devices = cbool(b.settings.flags.DeferScalars), cbool(len(m.names) > 1)
	C.weft_layouts.plain = cbool(wanted.NoLaunches)
	b.tellEager(wanted)
	b.funcs = arrays.Functions()
	b.calls = make([]int64, len(b.funcs))
	for i := range b.funcs {
		switch b.funcs[i].Name {
		case "matmul":
			b.matmul = &b.funcs[i]
		case "reshape":
			b.reshape = &b.funcs[i]
		case "copy":
			b.copied = i
		}
	}
	b.machine = m
	b.cells.moveTo(m.rt)
	if jupyter.kernel == nil {
		b.progress.followTerminal(os.Stderr)
	}
	return b.recording.follow(m)
}

func cbool(b bool) C.int { return C.int(boolByte(b)) }

// restart replaces the runtime by one for other flags. Arrays are carried over; the memory
// that Python's buffers pin stays with the old one until they are gone.
func (b *binding) restart(s flags.Settings) error {
	if b.machine == nil {
		return nil
	}
	wanted, err := debug.Parse(b.settings.getenv(debug.Variable))
	if err != nil {
		return valueError(err)
	}
	old := b.machine
	b.takeNotes() // they are of that one
	b.settings.warm.Wait()
	m, err := newMachine(s, wanted, b.dense, b.lost)
	b.settings.cool()
	if err != nil {
		return err
	}
	if err := b.ctx.Carry(m.rt, b.live(), b.waits.stop); err != nil {
		return errors.Join(err, m.rt.Close())
	}
	finished := b.recording.leave(old)
	b.machine = m
	C.weft_defer_scalars, C.weft_devices = cbool(s.DeferScalars), cbool(len(m.names) > 1)
	b.tellEager(wanted)
	b.cells.moveTo(m.rt)
	b.grounds.leave()
	b.mappings.retire(old)
	return errors.Join(finished, b.recording.follow(m))
}

func (s *configured) parse(words []string) error {
	words, rest, err := flags.Split(words)
	if err != nil {
		return err
	}
	parsed, err := flags.Load(words, s.getenv)
	if err != nil {
		return err
	}
	s.flags, s.rest, s.read = parsed, rest, true
	s.cool()
	if parsed.GPUs > 0 && !parsed.Emulate {
		s.warm = cudadriver.Warm(parsed.GPUs)
	}
	return nil
}

// cool gives up what parse has begun to make: the devices have it, or do without. It waits until it is made.
func (s *configured) cool() {
	s.warm.Leave()
	s.warm = nil
}

// revert goes back to what held before a call of parse that led to nothing, and gives up what that has begun to make.
func (s *configured) revert(before configured) {
	if s.warm != before.warm {
		s.cool()
	}
	*s = before
}

// valueError makes the user see a mistake in the settings as a ValueError.
func valueError(err error) error { return &arrays.Error{Type: "ValueError", Text: err.Error()} }

//export goSetEnvironment
func goSetEnvironment(name, value *C.char) {
	defer guard("set_flags")
	if the.settings.env == nil {
		the.settings.env = map[string]string{}
	}
	the.settings.env[C.GoString(name)] = C.GoString(value)
}

// wordSeparator stands between words that cross as one string.
const wordSeparator = "\x1f"

// configure reads flags, and restarts a runtime for them, if there is one and it is to be restarted.
func (b *binding) configure(words []string, restart bool) error {
	if err := b.settings.parse(words); err != nil {
		return valueError(err)
	}
	if !restart {
		return nil
	}
	if len(b.settings.rest) > 0 {
		if err := flags.Check(b.settings.rest); err != nil {
			return valueError(err)
		}
	}
	if err := b.wantsLost(b.settings.flags); err != nil {
		return err
	}
	return b.restart(b.settings.flags)
}

//export goSetFlags
func goSetFlags(text *C.char, n, restart C.int, rest **C.char, e *C.weft_error) (rc C.int) {
	defer caught("reading flags", &rc, e)
	var words []string
	if n > 0 {
		words = strings.Split(C.GoStringN(text, n), wordSeparator)
	}
	before := the.settings
	if err := the.configure(words, restart != 0); err != nil {
		the.settings.revert(before)
		return fail(err, e)
	}
	*rest = C.CString(strings.Join(the.settings.rest, wordSeparator))
	return C.WEFT_OK
}

//export goStart
func goStart(e *C.weft_error) (rc C.int) {
	defer caught("starting the runtime", &rc, e)
	if err := the.start(); err != nil {
		return fail(err, e)
	}
	return C.WEFT_OK
}

//export goClose
func goClose() {
	defer guard("close")
	the.settings.cool() // a driver must not be torn down while it makes a context
	if m := the.machine; m != nil {
		closeMachine(m)
	}
}
