package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"weft/cpu"
	"weft/cpu/blas"
	cudadriver "weft/cuda/driver"
	"weft/cuda/libraries"
	"weft/cuda/nvtx"
	"weft/install/flags"
	"weft/internal/debug"
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/viz/label"
	"weft/viz/report"
)

// Program is what a Workspace asks of the process that it serves: the extension module, or a test. All but Forget may
// be called by any goroutine.
type Program interface {
	Holdings() Holdings
	Computed() int64                        // operations that the eager tier has computed since the process began
	Samples() Samples                       // of the profile by lines that has just ended
	Counted(marked bool) []report.LineCount // what lines did while that was counted; marked: since that profile began
	Counting(on bool)                       // whether that is counted, until all that began it have ended it
	Noting(on bool)                         // whether the eager tier's operations are noted
	Forget()                                // drops what lines did in the eager tier: it was of another runtime
}

// Holdings are what Python has.
type Holdings struct {
	Arrays   int
	Mappings int   // buffers that it sees arrays through
	Blocks   int64 // bytes of arrays that no memory of the machine has; those that have died meanwhile may be among them
}

// Samples are what the program's thread did while a profile by lines was made.
type Samples struct {
	Rows      []Sample
	Main, All int64 // nanoseconds of the processors' time that the main thread and all threads took
	Clock     int64 // what the clock of the rows shows now
}

// Sample is one of them. The query that asks for a report names its site.
type Sample struct {
	report.Sample
	Site int // from 1 on; 0 where what the thread did says it all
}

// Output is where a cell shows things: below it, in a notebook.
type Output interface {
	// Display shows data by MIME type, or replaces what was shown under the same id.
	Display(id string, data map[string]string, again bool) error
}

// Waits are what the runtime asks of the program's threads; see the functions of driver.Options that are called so.
type Waits interface {
	Held()
	Submits()
	Release() (back func())
	Stops() <-chan struct{}
	Asking() scheduler.Where
	Wrong()
}

// Surface is what the user sees of the process.
type Surface interface {
	Log(format string, args ...any) // to the kernel's log, or to standard error
	Kernel() bool                   // whether the process is a Jupyter kernel
	Output() Output                 // of the cell of the main shell that runs; nil if there is none
	Line(shown bool)                // a line on the terminal tells what is waited for, or does no longer
}

// Options say what a Workspace works for.
type Options struct {
	Program     Program
	Waits       Waits
	Surface     Surface
	Version     string
	Interrupted error                                            // what ends a wait that was interrupted
	Named       func(what uint16) (name, kind string)            // an operation of the eager tier; see Noted
	Queries     map[string]func(argument string) (string, error) // that the program answers itself
}

// Workspace is what a process has besides its arrays: its one runtime, the cells that have run on it, and what is known
// of both. There is one for the life of a process; its Machine is replaced when the settings change.
type Workspace struct {
	options Options
	machine atomic.Pointer[Machine]
	queries map[string]func(argument string) (string, error)
	tool    func() *nvtx.Tool // that the process runs under; nil if there is none
	palette *label.Palette    // of all pictures of the process, also of runtimes that are replaced
	outside outside

	settings   settings
	lost       lost
	cells      cells
	notes      notes
	counters   []*Counter
	recording  recording
	progress   progress
	viewer     viewer
	interrupts interrupts
	breakage   breakage
	reports    atomic.Int32

	// copySpeed measures once how many bytes per second all processors together read and write, the limit that
	// most array programs meet: when a cell has ended and no other has begun for a while, or at the latest before the
	// first profile by lines, while nothing of the program's runs.
	copySpeed func() (float64, error)
	copied    atomic.Int64 // the copy speed, 0 before it is measured: pictures do not wait for it
}

// New returns a Workspace without a machine.
func New(o Options) *Workspace {
	s := &Workspace{options: o, palette: label.NewPalette()}
	s.tool = sync.OnceValue(openTool)
	s.cells.space, s.notes.space, s.progress.space, s.viewer.space, s.recording.space, s.interrupts.space = s, s, s, s, s, s
	s.copySpeed = sync.OnceValues(func() (float64, error) {
		speed, err := cpu.CopySpeed(s.Flags().CPUs)
		s.copied.Store(int64(speed))
		return speed, err
	})
	s.queries = s.table()
	return s
}

// Machine returns the machine of the process, nil before the first array.
func (s *Workspace) Machine() *Machine { return s.machine.Load() }

// Dense loads the library for linear algebra when it is first asked.
func (s *Workspace) Dense() (*blas.Library, error) { return s.outside.blas() }

// wanted is what WEFT_DEBUG asks for.
func (s *Workspace) wanted() (debug.Settings, error) {
	wanted, err := debug.Parse(s.Getenv(debug.Variable))
	if err != nil {
		return wanted, &SettingError{err}
	}
	return wanted, nil
}

// Start builds the machine on first use. ready makes the program ready for it before a goroutine sees it.
func (s *Workspace) Start(ready func(*Machine)) error {
	if s.Machine() != nil {
		return nil
	}
	if err := s.settings.load(); err != nil {
		return &SettingError{err}
	}
	wanted, err := s.wanted()
	if err != nil {
		return err
	}
	if wanted.Help {
		fmt.Fprint(os.Stderr, debug.Help())
	}
	if s.outside.blas == nil {
		s.outside.blas = sync.OnceValues(blas.Search{Path: s.Getenv("WEFT_BLAS"), NumPy: s.Getenv("WEFT_NUMPY"), Threads: s.Flags().CPUs}.Open)
		named, packages := s.Getenv("WEFT_CUBLAS"), filepath.SplitList(s.Getenv("WEFT_NVIDIA"))
		s.outside.cublas = sync.OnceValues(func() (*libraries.Blas, error) {
			return libraries.OpenBlas(named, libraries.Folders(packages), cudadriver.Probe().Version/1000)
		})
		transformer := s.Getenv("WEFT_CUFFT")
		s.outside.cufft = sync.OnceValues(func() (*libraries.Fourier, error) {
			return libraries.OpenFourier(transformer, libraries.Folders(packages), cudadriver.Probe().Version/1000)
		})
		solver := s.Getenv("WEFT_CUSOLVER")
		s.outside.solver = sync.OnceValues(func() (*libraries.Solver, error) {
			return libraries.OpenSolver(solver, libraries.Folders(packages), cudadriver.Probe().Version/1000)
		})
		s.outside.cubins = sync.OnceValue(cubins)
	}
	m, err := s.build(s.Flags(), wanted)
	if err != nil {
		return err
	}
	tuneHeap()
	ready(m)
	s.adopt(m)
	if !s.options.Surface.Kernel() {
		s.progress.followTerminal(os.Stderr)
	}
	return s.recording.follow(m)
}

// adopt makes a machine that of the process. Its cells are ready before a goroutine sees it.
func (s *Workspace) adopt(m *Machine) {
	s.cells.moveTo(m.rt)
	s.machine.Store(m)
}

// Restart replaces the machine, if there is one, by one for other flags. carry moves the program's arrays there.
func (s *Workspace) Restart(f flags.Settings, carry func(*Machine) error) error {
	old := s.Machine()
	if old == nil {
		return nil
	}
	wanted, err := s.wanted()
	if err != nil {
		return err
	}
	m, err := s.build(f, wanted)
	if err != nil {
		return err
	}
	if err := carry(m); err != nil {
		return errors.Join(err, m.rt.Close())
	}
	finished := s.recording.leave(old)
	s.adopt(m)
	return errors.Join(finished, s.recording.follow(m))
}

// build makes a machine of what the flags and WEFT_DEBUG ask for, without the GPUs that are lost.
func (s *Workspace) build(f flags.Settings, wanted debug.Settings) (*Machine, error) {
	s.settings.warmed()
	defer s.settings.cool()
	w := s.options.Waits
	o := driver.Options{
		Interrupted: s.options.Interrupted, Held: w.Held, Submits: w.Submits, Release: w.Release, Stops: w.Stops, Asking: w.Asking, Wrong: w.Wrong,
	}
	if tool := s.tool(); tool.Overlapping() {
		o.Ranges = tool
	}
	m, err := newMachine(o, f, wanted, s.outside, s.lost.ordinals())
	if err != nil {
		return nil, err
	}
	m.space = s
	return m, nil
}

// Configure reads flags, and restarts the machine for them, if there is one and it is to be restarted. It returns the
// words that are no flags of weft's. After an error, the settings of before hold.
func (s *Workspace) Configure(words []string, restart bool, carry func(*Machine) error) (rest []string, err error) {
	before := s.settings.now()
	defer func() {
		if err != nil {
			s.settings.revert(before)
		}
	}()
	rest, err = s.settings.parse(words)
	if err != nil {
		return nil, &SettingError{err}
	}
	if !restart {
		return rest, nil
	}
	if len(rest) > 0 {
		if err := flags.Check(rest); err != nil {
			return nil, &SettingError{err}
		}
	}
	if err := s.wantsLost(s.Flags()); err != nil {
		return nil, err
	}
	return rest, s.Restart(s.Flags(), carry)
}

// Close ends the machine, if there is one. A driver must not be torn down while it makes a context.
func (s *Workspace) Close() {
	s.settings.cool()
	if m := s.Machine(); m != nil {
		m.Close()
	}
}

// guard turns a panic of a goroutine into a line of the log: an unrecovered one would end the process and the user's
// variables with it.
func (s *Workspace) guard(what string) {
	if r := recover(); r != nil {
		s.options.Surface.Log("BUG: panic in %s: %v\n%s", what, r, stack())
	}
}

// BeginRange begins a part of the program that it has named. It returns the time, and what EndRange needs.
func (s *Workspace) BeginRange(name string) (begun int64, annotation uint64) {
	if tool := s.tool(); tool != nil {
		annotation = uint64(tool.Begin(name))
	}
	if m := s.Machine(); m != nil {
		begun = m.rt.Now()
	}
	return begun, annotation
}

// EndRange ends it.
func (s *Workspace) EndRange(name string, packed uint64, begun int64, annotation uint64) {
	s.tool().End(annotation)
	if m := s.Machine(); m != nil {
		m.rt.Note(profiler.Range, name, WhereOf(packed), begun, m.rt.Now(), 0)
	}
}

// openTool loads the library of a tool that has started the process, such as Nsight Systems. What is wrong with it must
// not keep the program from running.
func openTool() *nvtx.Tool {
	tool, err := nvtx.Open()
	if err != nil {
		fmt.Fprintf(os.Stderr, "weft: %v. The program runs without telling it; unset the variable, or run under a tool that sets it (nsys profile -t nvtx)\n", err)
	}
	return tool
}
