package workspace

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/scheduler/verify"
	"weft/tile"
	"weft/viz/report"
)

// process is a Program, its Waits and its Surface, of tests.
type process struct {
	computed atomic.Int64
	forgot   atomic.Int64
	noting   atomic.Bool
	counting atomic.Int64
	samples  Samples
	counted  []report.LineCount

	mu    sync.Mutex
	log   []string
	lines []bool // on the terminal
	out   Output
}

func (p *process) Holdings() Holdings              { return Holdings{Arrays: 3, Mappings: 1, Blocks: 512} }
func (p *process) Computed() int64                 { return p.computed.Load() }
func (p *process) Samples() Samples                { return p.samples }
func (p *process) Counted(bool) []report.LineCount { return p.counted }
func (p *process) Noting(on bool)                  { p.noting.Store(on) }
func (p *process) Forget()                         { p.forgot.Add(1) }

func (p *process) Counting(on bool) {
	if on {
		p.counting.Add(1)
	} else {
		p.counting.Add(-1)
	}
}

func (p *process) Held()                   {}
func (p *process) Submits()                {}
func (p *process) Release() func()         { return func() {} }
func (p *process) Stops() <-chan struct{}  { return nil }
func (p *process) Asking() scheduler.Where { return scheduler.Where{} }
func (p *process) Wrong()                  {}

func (p *process) Kernel() bool { return true }

func (p *process) Log(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, fmt.Sprintf(format, args...))
}

func (p *process) Line(shown bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, shown)
}

func (p *process) Output() Output {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out
}

// screen is an Output that keeps what it was given.
type screen struct {
	mu    sync.Mutex
	shown []string // the plain texts, those that replace others behind "again: "
}

func (s *screen) Display(_ string, data map[string]string, again bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := data["text/plain"]
	if again {
		text = "again: " + text
	}
	s.shown = append(s.shown, text)
	return nil
}

var errInterrupted = errors.New("interrupted")

func newWorkspace(t *testing.T) (*Workspace, *process) {
	t.Helper()
	p := &process{}
	s := New(Options{
		Program: p, Waits: p, Surface: p, Version: "test", Interrupted: errInterrupted,
		Named: func(what uint16) (name, kind string) {
			return [...]string{"add", "sum"}[what], [...]string{"map", "reduce"}[what]
		},
		Queries: map[string]func(string) (string, error){"echo": func(a string) (string, error) { return a, nil }},
	})
	return s, p
}

// run is a Runtime that has run what a test says.
type run struct {
	mu       sync.Mutex
	clock    int64
	rec      *profiler.Recorder
	names    []string // of sources
	ops      []driver.OpInfo
	tasks    []verify.Ran
	accesses []verify.HostAccess
	splits   map[scheduler.OpID]scheduler.Split
	whole    map[scheduler.OpID]string
	stats    driver.Stats
	totals   driver.Cost
	glance   driver.Glance
	noted    []string
	cancels  [][2]scheduler.OpID
	closed   bool
	recorded bool
}

var _ Runtime = (*run)(nil)

func newRun() *run { return &run{names: []string{""}, rec: profiler.New(profiler.Options{})} }

// with makes a run the machine of a Workspace.
func (s *Workspace) with(r *run) *Machine {
	m := &Machine{space: s, rt: r, names: []string{"cpu0"}, text: "cpu0: a test's"}
	s.adopt(m)
	return m
}

// add notes an op at a line of a source, and the task that ran it.
func (r *run) add(name string, w scheduler.Where, shape []int, uses ...scheduler.Use) *scheduler.Op {
	op := &scheduler.Op{ID: scheduler.OpID(len(r.ops) + 1), Name: name, Shape: shape, Where: w, Uses: uses}
	r.ops = append(r.ops, driver.OpInfo{Op: op})
	t := &scheduler.Task{ID: scheduler.TaskID(len(r.tasks) + 1), Kind: scheduler.Run, Op: op, Where: w, Shape: shape}
	r.tasks = append(r.tasks, verify.Ran{Task: t, Start: int64(t.ID) * 100, End: int64(t.ID)*100 + 50})
	return op
}

// vector is a view of all of a store of n float64.
func vector(id scheduler.StoreID, n int) scheduler.View {
	return scheduler.View{Store: id, Type: tile.Float64, Shape: []int{n}, Strides: []int64{8}}
}

func (r *run) Ops(since scheduler.OpID) []driver.OpInfo {
	return slices.DeleteFunc(slices.Clone(r.ops), func(o driver.OpInfo) bool { return o.ID <= since })
}

func (r *run) Tasks(since scheduler.TaskID) []verify.Ran {
	return slices.DeleteFunc(slices.Clone(r.tasks), func(t verify.Ran) bool { return t.ID <= since })
}

func (r *run) HostAccesses() []verify.HostAccess             { return r.accesses }
func (r *run) Oldest() (scheduler.OpID, scheduler.TaskID)    { return 1, 1 }
func (r *run) LastOp() scheduler.OpID                        { return scheduler.OpID(len(r.ops)) }
func (r *run) Fit(scheduler.OpID) (f scheduler.Fit, ok bool) { return f, false }
func (r *run) WhyWhole(op *scheduler.Op) string              { return r.whole[op.ID] }
func (r *run) Doing() driver.Doing                           { return driver.Doing{} }
func (r *run) Stats() driver.Stats                           { return r.stats }
func (r *run) Totals() driver.Cost                           { return r.totals }
func (r *run) Recorder() *profiler.Recorder                  { return r.rec }
func (r *run) SourceText(id scheduler.SourceID, text string) {}
func (r *run) Record(on bool)                                { r.recorded = on }

func (r *run) CancelOps(since, until scheduler.OpID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cancels = append(r.cancels, [2]scheduler.OpID{since, until})
}

// cancelled is what was, in the order in which it was.
func (r *run) cancelled() [][2]scheduler.OpID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.cancels)
}

func (r *run) Close() error { r.closed = true; return nil }
func (r *run) Submitted() (scheduler.OpID, scheduler.TaskID) {
	return scheduler.OpID(len(r.ops)), scheduler.TaskID(len(r.tasks))
}

func (r *run) Split(id scheduler.OpID) (scheduler.Split, bool) {
	s, ok := r.splits[id]
	return s, ok
}

func (r *run) Verify(verify.Span, <-chan struct{}) (driver.Verification, error) {
	return driver.Verification{Text: "right"}, nil
}

// Now is a nanosecond later at each call.
func (r *run) Now() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock++
	return r.clock
}

func (r *run) Glance() driver.Glance {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.glance
}

func (r *run) look(g driver.Glance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.glance = g
}

func (r *run) Note(_ profiler.Kind, name string, w scheduler.Where, _, _, bytes int64) {
	r.noted = append(r.noted, fmt.Sprintf("%s at %s, %d bytes", name, r.Place(w), bytes))
}

func (r *run) Source(name string) scheduler.SourceID {
	if i := slices.Index(r.names, name); i >= 0 {
		return scheduler.SourceID(i)
	}
	r.names = append(r.names, name)
	id := scheduler.SourceID(len(r.names) - 1)
	r.rec.Source(profiler.Source{ID: uint32(id), Name: name})
	return id
}

func (r *run) SourceName(id scheduler.SourceID) string { return r.names[id] }

func (r *run) Place(w scheduler.Where) string {
	if w.Source == 0 {
		return ""
	}
	return fmt.Sprintf("%s line %d", r.names[w.Source], w.Line)
}

func (r *run) BeginCell(source scheduler.SourceID) driver.Cell {
	op, task := r.Submitted()
	return driver.Cell{Source: source, FirstOp: op, FirstTask: task, Start: r.Now()}
}

func (r *run) EndCell(c driver.Cell) driver.Cell {
	c.LastOp, c.LastTask = r.Submitted()
	c.End = r.Now()
	return c
}

func query(t *testing.T, s *Workspace, name, argument string) string {
	t.Helper()
	answer, known, err := s.Query(name, argument)
	if !known || err != nil {
		t.Fatalf("query %s(%q): known %v, %v", name, argument, known, err)
	}
	return answer
}
