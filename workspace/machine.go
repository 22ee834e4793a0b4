package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"weft/cpu"
	"weft/cpu/blas"
	"weft/cpu/eager"
	"weft/cuda"
	cudadriver "weft/cuda/driver"
	"weft/cuda/libraries"
	"weft/install/flags"
	"weft/internal/debug"
	"weft/internal/units"
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/core"
	"weft/scheduler/driver"
	"weft/tile"
)

// Machine is one runtime and the devices that it runs on.
type Machine struct {
	space  *Workspace
	rt     Runtime
	driver *driver.Runtime // that rt is; nil in tests without devices
	flags  flags.Settings
	wanted debug.Settings
	names  []string // of the devices
	text   string   // for people: the processors, one per line
	gpus   []gpu

	follower  follower   // of the profile by lines that is made
	samples   sampleLane // of those that were
	variables variables

	relating sync.Mutex       // the viewer's pages and the program may ask at once
	related  scheduler.TaskID // the tasks up to this one have told the recorder what they depend on
}

// emulatedQueues lets an emulated GPU copy while it computes, as real ones do.
const emulatedQueues = 2

// outside is what machines use from outside of the process: the libraries for products of matrices and linear algebra,
// of CPUs and of GPUs, that for Fourier transforms of GPUs, that for their linear algebra, and what processes before
// have compiled. It is looked for when it is first needed, once in the life of the process, and so said once where it
// is not to be had.
type outside struct {
	blas   func() (*blas.Library, error)
	cublas func() (*libraries.Blas, error)
	cufft  func() (*libraries.Fourier, error)
	solver func() (*libraries.Solver, error)
	cubins func() *cuda.Cubins // nil where the user has no cache
}

// newMachine builds what the flags and WEFT_DEBUG ask for, without the GPUs that are lost. o has the functions by which
// the runtime asks the program.
func newMachine(o driver.Options, s flags.Settings, wanted debug.Settings, from outside, lost []int) (*Machine, error) {
	epoch := time.Now()
	o.Core = core.Options{Window: s.Window, NoFusion: wanted.Unfused, NoTemplates: wanted.Afresh, Grid: wanted.Grid}
	o.Epoch = epoch
	o.Shuffle, o.Seed = wanted.Seed.Set, wanted.Seed.Value
	o.Check, o.Dump, o.Panic = wanted.Check, wanted.Dump, wanted.Panic
	o.HandOver = time.Duration(wanted.HandOver) * time.Microsecond
	o.Calibrate = wanted == debug.Settings{} // a key that asks for anything wants the same plans each time
	o.Meanwhile = o.Calibrate
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
		host = tile.NewReference(s.SysMem<<20, epoch, cpu.Routines(wanted.ISA, from.blas))
	} else {
		host = cpu.New(cpu.Options{ISA: wanted.ISA, Workers: s.CPUs, Memory: s.SysMem << 20, Epoch: epoch, Dense: from.blas, Unpinned: wanted.Unpinned})
		eager.Hands(host.Info().Queues - 1)
	}
	o.Devices = append(o.Devices, host)
	o.Kinds = append(o.Kinds, scheduler.CPU)
	fbmem := s.FBMem << 20
	if wanted.FBMem > 0 {
		fbmem = int64(wanted.FBMem)
	}
	var gpus []gpu
	for i := range s.GPUs {
		switch {
		case s.Emulate:
			o.Devices = append(o.Devices, cpu.NewEmulatedGPU(i, cpu.Options{ISA: wanted.ISA, Workers: emulatedQueues, Memory: fbmem, Epoch: epoch, Dense: from.blas}))
		case slices.Contains(lost, i):
			continue
		default:
			var kept *cuda.Cubins
			if !wanted.NoCubins {
				kept = from.cubins()
			}
			gpu, err := cuda.Open(i, cuda.Options{Memory: fbmem, Epoch: epoch, Singly: wanted.Sync, Plain: wanted.NoGraphs, Blas: from.cublas, Fourier: from.cufft, Solver: from.solver, Cubins: kept})
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
	o.Recorder = profiler.New(profiler.Options{Machine: fields})
	rt, err := driver.New(o)
	if err != nil {
		return nil, closeAll(o.Devices, err)
	}
	return &Machine{rt: rt, driver: rt, flags: s, wanted: wanted, names: names, text: strings.Join(lines, "\n"), gpus: gpus}, nil
}

// cubins keeps what is compiled for GPUs in the user's cache; nil where the user has none.
func cubins() *cuda.Cubins {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return cuda.NewCubins(filepath.Join(cache, "weft", "cubins"), cuda.CubinsLimit, func(err error) {
		fmt.Fprintf(os.Stderr, "weft: %v. Programs run without that, and are compiled anew in each process\n", err)
	})
}

// closeAll closes devices of which nothing comes, because of err.
func closeAll(devices []tile.Device, err error) error {
	for _, d := range devices {
		err = errors.Join(err, d.Close())
	}
	return err
}

// Driver is the runtime as arrays are computed with it.
func (m *Machine) Driver() *driver.Runtime { return m.driver }

// Wanted is what WEFT_DEBUG asked for when the machine was built.
func (m *Machine) Wanted() debug.Settings { return m.wanted }

// Flags are the settings that it was built for.
func (m *Machine) Flags() flags.Settings { return m.flags }

// Devices are the names of its devices.
func (m *Machine) Devices() []string { return m.names }

// Close ends the runtime of a machine that nothing uses any more.
func (m *Machine) Close() {
	if err := m.rt.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "weft: closing the previous runtime: %v\n", err)
	}
}
