package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"weft/profiler"
	"weft/scheduler"
	"weft/tile"
)

var iota = build("iota", func(b *tile.Builder) { b.Store(b.Cast(tile.Float64, b.Index(0))) })

func build(name string, fn func(*tile.Builder)) *tile.Program {
	b := tile.NewBuilder(name, 1)
	fn(b)
	return b.Program()
}

// started is a Workspace with a machine of the reference device.
func started(t *testing.T) (*Workspace, *process) {
	t.Helper()
	s, p := newWorkspace(t)
	s.SetEnvironment("WEFT_DEBUG", "device=ref")
	ready := false
	if err := s.Start(func(m *Machine) { ready = s.Machine() == nil && m != nil }); err != nil {
		t.Fatal(err)
	}
	if !ready {
		t.Fatal("the machine was seen before the program was ready for it")
	}
	t.Cleanup(s.Close)
	return s, p
}

// compute has the machine make an array, and waits for it.
func compute(t *testing.T, m *Machine, line int32) {
	t.Helper()
	rt := m.Driver()
	const n = 64
	id := rt.NewStore(n * 8)
	op := &scheduler.Op{
		Name: "iota", Kind: scheduler.Fill, Shape: []int{n}, Program: iota, Where: scheduler.Where{Source: rt.Source("In[1]"), Line: line},
		Uses: []scheduler.Use{{View: vector(id, n), Access: scheduler.Write}},
	}
	if err := errors.Join(rt.Submit(op), rt.Sync(nil)); err != nil {
		t.Fatal(err)
	}
}

// Each query about a cell answers over a real machine.
func TestQueriesOfAMachine(t *testing.T) {
	s, _ := started(t)
	s.BeginCell("In[1]", "x = np.arange(64.)\n", "")
	compute(t, s.Machine(), 1)
	s.EndCell("")
	for _, name := range []string{
		"stats", "dataflow", "events", "flowpage", "taskpage", "timeline", "plan", "verify", "summary", "memory", "acts", "validate",
		"chrome", "json", "csv", "delegated", "describe", "settings", "flags", "stats_doc",
	} {
		if query(t, s, name, "In[1]") == "" {
			t.Errorf("%s answers nothing", name)
		}
	}
	if got := query(t, s, "validate", "*"); got != "[]" {
		t.Errorf("the records contradict themselves: %s", got)
	}
	if got := text(t, query(t, s, "plan", ""), "text"); !strings.Contains(got, "iota  (64,)  1 task  512 B  In[1] line 1") {
		t.Errorf("the plan is\n%s", got)
	}
}

// A recording is complete when its machine is replaced, and the next machine has a file of its own, both for their
// owner alone.
func TestRecording(t *testing.T) {
	s, _ := started(t)
	path := filepath.Join(t.TempDir(), "run.weftprof")
	query(t, s, "record", path)
	compute(t, s.Machine(), 1)
	if err := s.Restart(s.Flags(), func(*Machine) error { return nil }); err != nil {
		t.Fatal(err)
	}
	compute(t, s.Machine(), 2)
	second := strings.TrimSuffix(path, ".weftprof") + ".2.weftprof"
	query(t, s, "save", second) // completes it
	for _, path := range []string{path, second} {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode().Perm() != ownersAlone {
			t.Errorf("%s may be read by others: %v", path, st.Mode())
		}
		trace, err := profiler.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(trace.Texts) == 0 || len(trace.Records) == 0 {
			t.Errorf("%s has %d records and %d documents, wanted the run and its graphs", path, len(trace.Records), len(trace.Texts))
		}
	}
}

// A machine that cannot take the arrays is given up: the old one stays.
func TestRestartThatFails(t *testing.T) {
	s, _ := started(t)
	old := s.Machine()
	no := errors.New("no room")
	if err := s.Restart(s.Flags(), func(m *Machine) error { return no }); !errors.Is(err, no) || s.Machine() != old {
		t.Errorf("got %v, and the machine is another one: %v", err, s.Machine() != old)
	}
	compute(t, s.Machine(), 1)
}

// A query while the program computes and its machine is replaced is answered about one of the machines. What makes this
// a test is go test -race.
func TestManyAsk(t *testing.T) {
	s, p := started(t)
	p.out = &screen{}
	counter := NewCounter([]string{"add"})
	s.CountBy(counter)
	stop := make(chan struct{})
	var all sync.WaitGroup
	ask := func(f func()) {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					f()
				}
			}
		})
	}
	for _, name := range []string{"stats", "counts", "summary", "plan", "settings", "delegated", "viewer", "memory"} {
		ask(func() {
			if _, _, err := s.Query(name, "*"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	ask(func() {
		if _, err := s.currentTrace(); err != nil {
			t.Error(err)
		}
		s.currentRecorder()
		_ = s.Doing()
	})
	ask(func() { s.NoteInterrupt(); s.TakeInterrupts(false) })
	for round := range 4 {
		s.BeginCell("In[1]", "x = 1", "")
		for i := range 8 {
			note(s.Machine(), 0, scheduler.Where{Source: 1, Line: 1}, 5)
			p.computed.Add(5)
			counter.Add(0, 1)
			compute(t, s.Machine(), int32(i+1))
			s.Source("/tmp/program.py")
		}
		s.EndCell("")
		s.SetEnvironment("WEFT_PROGRESS", "off")
		old := s.Machine()
		if _, err := s.Configure([]string{"--cpus", "2"}, round%2 == 0, func(*Machine) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if s.Machine() == old && round%2 == 0 {
			t.Error("the machine was not replaced")
		}
	}
	close(stop)
	all.Wait()
	if got := query(t, s, "counts", ""); got != `{"add":32}` {
		t.Errorf("counts: %s", got)
	}
}
