package workspace

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"weft/cuda"
	"weft/install/flags"
	"weft/scheduler"
	"weft/tile"
)

// text is the member of that name of a query's JSON.
func text(t *testing.T, answer, name string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(answer), &all); err != nil {
		t.Fatal(err)
	}
	s, _ := all[name].(string)
	return s
}

func TestPlan(t *testing.T) {
	s, _ := newWorkspace(t)
	r := newRun()
	s.with(r)
	s.BeginCell("In[1]", "", "")
	in := r.Source("In[1]")
	op := r.add("add+multiply (2)", scheduler.Where{Source: in, Line: 1}, []int{8})
	op.Parts = []*scheduler.Op{{ID: 7, Name: "add"}, {ID: 8, Name: "multiply"}}
	r.add("sum", scheduler.Where{Source: in, Line: 2}, []int{8})
	r.whole = map[scheduler.OpID]string{2: "whole: it is little"}
	r.splits = map[scheduler.OpID]scheduler.Split{2: {Op: 2, From: 1}}
	s.EndCell("")
	got := text(t, query(t, s, "plan", "In[1]"), "text")
	for _, want := range []string{
		"In[1]: 3 operations in 2 passes over 0 B, 2 tasks, no copies\n",
		"o1     add+multiply (2)  (8,)  1 task  0 B  In[1] line 1\n         o7 add, o8 multiply\n",
		"         whole: it is little\n",
		"         apart from o1: ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the plan lacks %q:\n%s", want, got)
		}
	}
}

// note is a run of the eager tier, of operations of 2 elements at a line.
func note(m *Machine, what uint16, at scheduler.Where, n int) {
	var ring [NotesKept]Noted
	for i := range n {
		ring[i%NotesKept] = Noted{
			Where: uint64(at.Source)<<32 | uint64(uint32(at.Line)), What: what, DType: tile.Float64, Ndim: 1, Elements: 2, Out: uint32(i + 1),
		}
	}
	m.TakeNotes(&ring, int64(n), []NotedRun{{N: int64(n), Begun: 100, Ended: 200}}, 0)
}

// What the eager tier has computed is in the plan, the graph and the counts, though the runtime knows nothing of it.
func TestNotes(t *testing.T) {
	s, p := newWorkspace(t)
	r := newRun()
	m := s.with(r)
	at := scheduler.Where{Source: r.Source("In[1]"), Line: 3}
	s.BeginCell("In[1]", "", "")
	note(m, 0, at, 3)
	p.computed.Store(3)
	r.add("ones", scheduler.Where{Source: 1, Line: 4}, []int{8}, scheduler.Use{View: vector(1, 8), Access: scheduler.Write})
	note(m, 1, at, 1)
	cost := s.EndCell("")
	if !strings.Contains(cost, `"operations":4`) { // of which the runtime counts none here
		t.Errorf("the cell costs %s, wanted 4 operations", cost)
	}
	if got := text(t, query(t, s, "plan", ""), "text"); !strings.Contains(got, "4 small operations at once") || !strings.Contains(got, "add (3), sum  In[1] line 3") {
		t.Errorf("the plan lacks the small operations:\n%s", got)
	}
	if got := text(t, query(t, s, "verify", ""), "text"); !strings.Contains(got, "not checked: 4 small operations") {
		t.Errorf("verify says nothing of the small operations: %s", got)
	}
	c, err := s.cells.pick("")
	if err != nil {
		t.Fatal(err)
	}
	tasks, _ := m.taskNodes(c)
	var order []string
	for _, n := range m.opNodes(c, tasks) {
		order = append(order, n.Name)
	}
	if got := strings.Join(order, " "); got != "add add add ones sum" {
		t.Errorf("the graph's operations are %s, wanted add add add ones sum", got)
	}
	if got := m.stats()["small_operations"]; got != int64(3) {
		t.Errorf("%v small operations in the figures, wanted the 3 that the program counts", got)
	}
	s.Tallied([]Tally{{}, {Where: 1<<32 | 3, N: 5, What: int32(FirstDelegate + s.Delegate("numpy.unique"))}})
	if got := query(t, s, "delegated", ""); got != `[["numpy.unique","In[1] line 3",5]]` {
		t.Errorf("delegated: %s", got)
	}
}

// Of very many operations the newest are known, and it is said how many are not.
func TestNotesBeyondTheRing(t *testing.T) {
	s, _ := newWorkspace(t)
	r := newRun()
	m := s.with(r)
	s.BeginCell("In[1]", "", "")
	note(m, 0, scheduler.Where{Source: r.Source("In[1]"), Line: 1}, NotesKept+10)
	s.EndCell("")
	runs, missing := m.notesOf(s.cells.done[0])
	if missing != 10 || len(runs) != 1 || runs[0].n != NotesKept {
		t.Errorf("%d missing in %d runs, wanted 10 in one", missing, len(runs))
	}
	if got := text(t, query(t, s, "plan", ""), "text"); !strings.Contains(got, "and 10 small operations before these: the newest are kept") {
		t.Errorf("the plan does not say what is missing:\n%s", got)
	}
}

// A call that NumPy answers stands behind what had run by then.
func TestFallbacks(t *testing.T) {
	s, _ := newWorkspace(t)
	r := newRun()
	m := s.with(r)
	s.BeginCell("In[1]", "", "")
	s.NoteFallback("fft.fft2", 1<<32|2, r.Now(), 64, 0, 0)
	if cost := s.EndCell(""); !strings.Contains(cost, `"fallbacks":1`) {
		t.Errorf("the cell costs %s, wanted a fallback", cost)
	}
	nodes := m.opNodes(s.cells.done[0], nil)
	if len(nodes) != 1 || nodes[0].Kind != "fallback" || nodes[0].Bytes != 64 {
		t.Errorf("the graph has %+v, wanted the call", nodes)
	}
}

func TestQueries(t *testing.T) {
	s, p := newWorkspace(t)
	if _, known, _ := s.Query("nonsense", ""); known {
		t.Error("there is a query nonsense")
	}
	if got := query(t, s, "echo", "back"); got != "back" {
		t.Errorf("the program's own query answers %q", got)
	}
	if _, _, err := s.Query("plan", ""); err == nil || err.Error() != "no array operation has run yet" {
		t.Errorf("without a machine: %v", err)
	}
	r := newRun()
	s.with(r)
	query(t, s, "recording", "on")
	if !r.recorded || !p.noting.Load() {
		t.Errorf("recording on: the runtime records %v, the eager tier %v", r.recorded, p.noting.Load())
	}
	query(t, s, "counting", "on")
	if _, _, err := s.Query("counting", "maybe"); err == nil || p.counting.Load() != 1 {
		t.Errorf("counting is %d deep, and maybe gives %v", p.counting.Load(), err)
	}
	s.CountBy(NewCounter([]string{"sum", "dot"}), NewCounter([]string{"add", "sum"}))
	s.counters[0].Add(0, 2)
	s.counters[1].Add(1, 3)
	if got := query(t, s, "counts", ""); got != `{"sum":5}` {
		t.Errorf("counts: %s", got)
	}
}

func TestSettings(t *testing.T) {
	s, _ := newWorkspace(t)
	carry := func(*Machine) error { return nil }
	rest, err := s.Configure([]string{"--cpus", "3", "notebook.ipynb"}, false, carry)
	if err != nil || s.Flags().CPUs != 3 {
		t.Fatalf("configured %+v, %q, %v", s.Flags(), rest, err)
	}
	var mistake *SettingError
	if _, err = s.Configure([]string{"--cpus", "many"}, false, carry); !errors.As(err, &mistake) || s.Flags().CPUs != 3 {
		t.Errorf("--cpus many gives %v, and %d CPUs hold", err, s.Flags().CPUs)
	}
	s.SetEnvironment("WEFT_DEBUG", "nonsense")
	if err := s.Start(func(*Machine) { t.Error("started") }); !errors.As(err, &mistake) {
		t.Errorf("WEFT_DEBUG=nonsense gives %v", err)
	}
}

// lostGPU is a device of which the context has ended.
type lostGPU int

func (g lostGPU) Lost() error  { return errors.New("gpu fell off the bus") }
func (g lostGPU) Ordinal() int { return int(g) }

func (g lostGPU) Occupancy(p *tile.Program, threads int, dynamic int64) (cuda.Occupancy, error) {
	if dynamic > 0 {
		return cuda.Occupancy{}, g.Lost()
	}
	return cuda.Occupancy{Blocks: 4096 / threads, Registers: len(p.Code)}, nil
}

// The first GPU is asked of programs that run there.
func TestOccupancy(t *testing.T) {
	s, _ := newWorkspace(t)
	m := s.with(newRun())
	b := tile.NewThreads("none")
	b.Thread(tile.TidX)
	p := *b.Program()
	guarded := p
	guarded.Guarded = true
	ask := func(p *tile.Program, threads, dynamic int) (string, error) {
		text, err := asJSON(map[string]any{"program": p.String(), "threads": threads, "dynamic": dynamic})
		if err != nil {
			t.Fatal(err)
		}
		answer, _, err := s.Query("occupancy", text)
		return answer, err
	}
	if got, err := ask(&p, 64, 0); got != "null" || err != nil {
		t.Errorf("without a GPU: got %s, %v; want null", got, err)
	}
	m.gpus = []gpu{lostGPU(0)}
	if got, err := ask(&guarded, 64, 0); got != "null" || err != nil {
		t.Errorf("a guarded program: got %s, %v; want null", got, err)
	}
	if got, err := ask(&p, 64, 0); got != `{"Blocks":64,"Registers":1,"Shared":0,"Local":0,"Threads":0}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := ask(&p, 64, 1); err == nil || err.Error() != "gpu fell off the bus" {
		t.Errorf("got error %v; want the device's", err)
	}
	if _, _, err := s.Query("occupancy", "64"); err == nil || !strings.Contains(err.Error(), "want {") {
		t.Errorf("got error %v; want one that says what is wanted", err)
	}
}

func TestLostGPUs(t *testing.T) {
	s, _ := newWorkspace(t)
	if s.AnyLost() {
		t.Error("lost without a machine")
	}
	m := s.with(newRun())
	m.gpus = []gpu{lostGPU(1)}
	if !s.AnyLost() {
		t.Error("nothing is lost")
	}
	s.SetEnvironment("WEFT_DEBUG", "device=ref")
	said, err := s.LeaveLost(func(*Machine) error { return nil })
	if err != nil || !strings.HasPrefix(said, "gpu fell off the bus. From here on the work is done by: ") {
		t.Errorf("%q, %v", said, err)
	}
	t.Cleanup(s.Close)
	if err := s.wantsLost(flags.Settings{GPUs: 1}); err != nil {
		t.Errorf("gpu0 is there: %v", err)
	}
	if err := s.wantsLost(flags.Settings{GPUs: 2}); err == nil || !strings.Contains(err.Error(), "ask for at most 1") {
		t.Errorf("gpu1 is lost: %v", err)
	}
}

// A place is two numbers up to where it is drawn: a file whose name reads like a line is one file, with its own lines.
func TestFilesCalledLikeLines(t *testing.T) {
	s, _ := newWorkspace(t)
	r := newRun()
	m := s.with(r)
	odd, plain := s.Source("/tmp/a line 3.py"), s.Source("/tmp/a")
	s.BeginCell("In[1]", "", "")
	in := scheduler.Use{View: vector(1, 8), Access: scheduler.Write}
	for line := range int32(3) {
		op := r.add("ones", scheduler.Where{Source: odd, Line: 10 - line}, []int{8}, in)
		op.Parts = []*scheduler.Op{
			{ID: 70, Name: "add", Where: scheduler.Where{Source: plain, Line: 3}}, {ID: 71, Name: "add", Where: scheduler.Where{Source: odd, Line: 9}},
			{ID: 72, Name: "add", Where: scheduler.Where{Source: odd, Line: 3}},
		}
	}
	s.EndCell("")
	outline, g := dataflowOf(m, s.cells.done[0], "flow", 0)
	if got := g.DOT(); !strings.Contains(got, "a line 3.py line 10") {
		t.Errorf("the graph does not name the line:\n%s", got)
	}
	for i, p := range outline.Parts {
		if len(p.Ops) == 0 {
			continue // an array
		}
		if p.Place == nil || scheduler.SourceID(p.Place.Source) != odd && scheduler.SourceID(p.Place.Source) != plain {
			t.Fatalf("part %d is at %v, wanted a line of source %d or %d", i, p.Place, odd, plain)
		}
		var fused []string
		for _, f := range p.Fused {
			fused = append(fused, f.Place)
		}
		if got := strings.Join(fused, ", "); got != "" && got != "a line 3.py line 3, a line 3.py line 9, a line 3" {
			t.Errorf("part %d is fused of %s, wanted the lines in the order of sources and lines", i, got)
		}
	}
	if len(outline.Parts) < 3 || outline.Parts[0].Place.Line != 10 {
		t.Errorf("the first of %d parts is at %+v, wanted line 10", len(outline.Parts), outline.Parts[0].Place)
	}
}
