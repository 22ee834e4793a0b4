package workspace

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/scheduler"
	"weft/scheduler/driver"
)

func TestCells(t *testing.T) {
	s, _ := newWorkspace(t)
	r := newRun()
	s.with(r)
	s.BeginCell("In[1]", "a = np.ones(8)", "")
	r.add("ones", scheduler.Where{Source: r.Source("In[1]"), Line: 1}, []int{8})
	r.totals.Operations, r.totals.Waits = 1, 2
	var cost cellCost
	if err := json.Unmarshal([]byte(s.EndCell("")), &cost); err != nil || cost.Operations != 1 || cost.Waits != 2 {
		t.Errorf("the cost is %+v (%v), wanted 1 operation and 2 waits", cost, err)
	}
	s.BeginCell("In[2]", "print(1)", "")
	if got := s.EndCell(""); got != "" {
		t.Errorf("a cell without arrays costs %s", got)
	}
	s.BeginCell("In[3]", "b = a + 1", "")
	r.add("add", scheduler.Where{Source: r.Source("In[3]"), Line: 1}, []int{8})
	for name, want := range map[string]string{"": "In[3]", "In[1]": "In[1]", "In[3]": "In[3]"} { // In[3] still runs
		if c, err := s.cells.pick(name); err != nil || c.name != want {
			t.Errorf("picked %q for %q (%v), wanted %s", c.name, name, err, want)
		}
	}
	_, err := s.cells.pick("In[2]")
	if want := "In[2] is not among the cells whose array operations are still known; the latest are In[3], In[1]"; err == nil || err.Error() != want {
		t.Errorf("got %v, wanted %s", err, want)
	}
}

// A second machine knows nothing of the cells of the first; the one that runs goes on there.
func TestCellsOfAnotherMachine(t *testing.T) {
	s, p := newWorkspace(t)
	first := newRun()
	s.with(first)
	s.BeginCell("In[1]", "", "")
	first.add("ones", scheduler.Where{}, []int{8})
	second := newRun()
	s.with(second)
	if p.forgot.Load() != 2 {
		t.Errorf("the program was asked %d times to forget, wanted at each of 2 machines", p.forgot.Load())
	}
	if _, err := s.cells.pick("In[1]"); err == nil {
		t.Error("the operations of the first machine are still known")
	}
	second.add("add", scheduler.Where{}, []int{8})
	if c, err := s.cells.pick(""); err != nil || c.name != "In[1]" {
		t.Errorf("picked %q (%v), wanted In[1]", c.name, err)
	}
}

// An interrupt is about the cell of the main shell, and cancels what is queued there at the second one, or after the
// grace.
func TestInterrupts(t *testing.T) {
	s, _ := newWorkspace(t)
	if s.NoteInterrupt() {
		t.Error("an interrupt was kept without a machine")
	}
	r := newRun()
	s.with(r)
	s.BeginCell("In[1]", "", "")
	r.add("ones", scheduler.Where{}, []int{8})
	s.EndCell("")
	if s.NoteInterrupt() {
		t.Error("an interrupt between two cells was kept")
	}
	s.BeginCell("In[2]", "", "")
	r.add("add", scheduler.Where{}, []int{8})
	if !s.NoteInterrupt() {
		t.Fatal("an interrupt in a cell was not kept")
	}
	if s.NoteInterrupt() {
		t.Error("the same interrupt was kept twice")
	}
	s.TakeInterrupts(false)
	s.TakeInterrupts(true)
	if len(r.cancels) != 0 {
		t.Errorf("cancelled %v for a handler of the program's own", r.cancels)
	}
	s.interrupts.last.at = s.interrupts.last.at.Add(-echo)
	if !s.NoteInterrupt() {
		t.Fatal("the second interrupt was not kept")
	}
	s.interrupts.noted[0].at = s.interrupts.noted[0].at.Add(-grace) // it is long ago that it came
	s.TakeInterrupts(true)
	if len(r.cancels) != 1 || r.cancels[0] != [2]scheduler.OpID{1, 2} {
		t.Errorf("cancelled %v, wanted the operations behind o1 up to o2", r.cancels)
	}
}

// An interrupt is about the machine that it found. A cell that goes on with another machine, where operations have the
// same numbers, is interrupted there anew:
//
//	first    o1 (an earlier cell's)  o2 o3  interrupt              grace over: o2, o3 cancelled
//	second                                      o1  interrupt  o2  again: o1 cancelled    grace over: o2 cancelled
func TestInterruptsAcrossARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newWorkspace(t)
		first, second := newRun(), newRun()
		s.with(first)
		s.BeginCell("In[1]", "", "")
		first.add("ones", scheduler.Where{}, []int{8})
		s.EndCell("")
		s.BeginCell("In[2]", "", "")
		first.add("add", scheduler.Where{}, []int{8})
		first.add("add", scheduler.Where{}, []int{8})
		interrupt := func(what string) {
			t.Helper()
			if !s.NoteInterrupt() {
				t.Errorf("%s was taken for one that is known", what)
			}
		}
		wait := func(d time.Duration) {
			time.Sleep(d) // of the bubble's clock
			synctest.Wait()
		}
		cancelled := func(when string, ofFirst, ofSecond [][2]scheduler.OpID) {
			t.Helper()
			if a, b := first.cancelled(), second.cancelled(); !slices.Equal(a, ofFirst) || !slices.Equal(b, ofSecond) {
				t.Errorf("%s: cancelled %v of the first machine and %v of the second, wanted %v and %v", when, a, b, ofFirst, ofSecond)
			}
		}
		interrupt("the interrupt of the first machine")
		s.with(second)
		second.add("add", scheduler.Where{}, []int{8})
		s.TakeInterrupts(true)
		cancelled("in the grace", nil, nil)
		interrupt("that of the second machine, a moment later")
		s.TakeInterrupts(true)
		cancelled("in the grace of both", nil, nil)
		wait(echo)
		second.add("add", scheduler.Where{}, []int{8})
		interrupt("the second interrupt of the second machine")
		s.TakeInterrupts(true)
		cancelled("at the second interrupt", nil, [][2]scheduler.OpID{{0, 1}})
		wait(grace)
		cancelled("after the grace", [][2]scheduler.OpID{{1, 3}}, [][2]scheduler.OpID{{0, 1}, {1, 2}})
	})
}

// What a program queues behind an interrupt that it has caught is not cancelled with what the interrupt was about.
func TestOperationsBehindAnInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newWorkspace(t)
		r := newRun()
		s.with(r)
		s.BeginCell("In[1]", "", "")
		interrupt := func() {
			t.Helper()
			time.Sleep(echo) // of the bubble's clock
			synctest.Wait()
			if !s.NoteInterrupt() {
				t.Error("an interrupt was taken for one that is known")
			}
			s.TakeInterrupts(true)
		}
		cancelled := func(when string, want ...[2]scheduler.OpID) {
			t.Helper()
			if got := r.cancelled(); !slices.Equal(got, want) {
				t.Errorf("%s: cancelled %v, wanted %v", when, got, want)
			}
		}
		add := func() { r.add("add", scheduler.Where{}, []int{8}) }
		add()
		add()
		interrupt()
		cancelled("in the grace")
		interrupt()
		cancelled("at the second interrupt, with nothing more queued", [2]scheduler.OpID{0, 2})
		time.Sleep(2 * grace)
		synctest.Wait()
		cancelled("nothing is pending", [2]scheduler.OpID{0, 2})
		interrupt()
		add()
		interrupt()
		cancelled("the third one's are cancelled by the fourth", [2]scheduler.OpID{0, 2}, [2]scheduler.OpID{0, 2})
		add()
		interrupt()
		cancelled("and the fourth one's by the fifth", [2]scheduler.OpID{0, 2}, [2]scheduler.OpID{0, 2}, [2]scheduler.OpID{2, 3})
		time.Sleep(grace)
		synctest.Wait()
		cancelled("after the grace", [2]scheduler.OpID{0, 2}, [2]scheduler.OpID{0, 2}, [2]scheduler.OpID{2, 3}, [2]scheduler.OpID{3, 4})
	})
}

func TestProgress(t *testing.T) {
	s, p := newWorkspace(t)
	out := &screen{}
	p.out = out
	r := newRun()
	s.with(r)
	s.BeginCell("In[1]", "", "")
	s.progress.update(s.progress.current, r)
	if len(out.shown) != 0 {
		t.Errorf("shown without work: %q", out.shown)
	}
	r.look(driver.Glance{At: 2e9, Pending: 3, Under: 3, Tasks: 1})
	s.progress.update(s.progress.current, r)
	s.EndCell("") // three tasks are left
	behind := s.progress.behind
	if len(out.shown) != 2 || strings.HasPrefix(out.shown[0], "again") || !strings.HasPrefix(out.shown[1], "again") || len(behind) != 1 {
		t.Fatalf("shown %q, %d strips behind their cells; wanted a strip, its update, and it behind the cell", out.shown, len(behind))
	}
	r.look(driver.Glance{At: 3e9, Tasks: 4})
	s.progress.update(behind[0], r)
	if len(s.progress.behind) != 0 || len(out.shown) != 3 {
		t.Errorf("shown %q, %d strips behind their cells; wanted the last one to have ended", out.shown, len(s.progress.behind))
	}
	if _, _, err := s.Query("progress", "loud"); err == nil {
		t.Error("progress may be loud")
	}
	query(t, s, "progress", "off")
	s.BeginCell("In[2]", "", "")
	if s.progress.current != nil {
		t.Error("progress is shown that was turned off")
	}
}
