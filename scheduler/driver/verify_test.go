package driver

import (
	"strings"
	"testing"

	"weft/scheduler"
	"weft/scheduler/verify"
)

// verified has a session do something in which everything hangs together, and returns what Verify says.
func (s *session) verified(span verify.Span) Verification {
	s.t.Helper()
	v, err := s.Verify(span, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

func TestVerify(t *testing.T) {
	gpu := func() Options { return gpus(2) }
	cpu := func(inline int64) func() Options {
		return func() Options {
			o, _ := cpuFake(3, 0)
			o.InlineBytes, o.Core.MinTile, o.Core.NoFusion, o.Shuffle, o.Seed = inline, 64, false, true, 5
			return o
		}
	}
	for name, options := range map[string]func() Options{"inline": cpu(1 << 40), "queues": cpu(-1), "gpu": gpu, "ordered": func() Options { return ordered(gpus(2)) }} {
		s := start(t, options())
		s.stencil(200, 6)
		v := s.verified(verify.Whole)
		if v.Wrong != 0 || v.Older != 0 || v.Conflicts < 20 || v.Reads < 20 || v.Host == 0 || !strings.HasPrefix(v.Text, "no violation among ") {
			t.Errorf("%s: %s\n%+v", name, v.Text, v.Report)
		}
		if name == "gpu" && v.Tasks[scheduler.Copy] == 0 {
			t.Errorf("no copy was looked at: %s", v.Text)
		}
		before := s.LastOp()
		whole := v.Tasks
		s.stencil(200, 6)
		v = s.verified(verify.Span{FirstOp: before, LastOp: s.LastOp(), FirstTask: scheduler.TaskID(whole[0] + whole[1] + whole[2]), LastTask: s.core.Look.LastTask()})
		if v.Wrong != 0 || v.Tasks[scheduler.Run] != whole[scheduler.Run] {
			t.Errorf("%s, the second half: %s", name, v.Text)
		}
	}
}

// A log in which two tasks have each other's times, and one in which a task does not wait for
// another, are told with the places in the program.
func TestVerifyTellsWhatIsWrong(t *testing.T) {
	o, _ := cpuFake(2, 0)
	o.Core.MinTile = 0
	s := start(t, o)
	a := s.iota(4)
	b := s.empty(4)
	s.add(b, a, a) // line 2
	s.add(a, b, b) // line 3
	s.want(a, 0, 4, 8, 12)
	row := func(line int32) *verify.Ran {
		for i := range s.log.tasks {
			if x := &s.log.tasks[i]; x.Task != nil && x.Where.Line == line {
				return x
			}
		}
		t.Fatalf("no task of line %d is logged", line)
		return nil
	}
	x, y := row(2), row(3)
	was := [2]verify.Ran{*x, *y}
	x.Start, x.End, y.Start, y.End = y.Start+1, y.End+1, x.Start, x.End // one may begin when the other ends
	v := s.verified(verify.Whole)
	for _, want := range []string{"VIOLATION", "BUG: inv 4: ", "add at In[3] line 2", "add at In[3] line 3", "after the end of t3", "BUG: inv 5: ", "hold the value of"} {
		if !strings.Contains(v.Text, want) {
			t.Errorf("%q is not in\n%s", want, v.Text)
		}
	}
	*x, *y = was[0], was[1]
	after := y.After
	y.After = nil
	y.Planned = x.End - 1
	v = s.verified(verify.Whole)
	if v.Wrong != 1 || !strings.Contains(v.Text, "t3 run o3") || !strings.Contains(v.Text, "does not wait for t2 run o2") || !strings.Contains(v.Text, "the other: add at In[3] line 2") {
		t.Errorf("a dependence is missing:\n%s", v.Text)
	}
	y.After = after
	if v = s.verified(verify.Whole); v.Wrong != 0 {
		t.Errorf("put right:\n%s", v.Text)
	}
}

// When the log has lost what is old, of either ring, Verify says so and finds nothing wrong with the rest.
func TestVerifyOfALongRun(t *testing.T) {
	for i := range 4 {
		reads, brief := i&1 != 0, i&2 != 0
		o, tasks, hosts := Options{InlineBytes: -1}, loggedHosts/2, loggedHosts-1
		if brief { // in order on this thread: less is logged
			o, tasks, hosts = Options{}, briefOps, briefOps
		}
		s := start(t, o)
		u, w := s.iota(8), s.empty(8)
		n := loggedTasks + 100
		if reads {
			n = loggedHosts + 100
		}
		for i := range n {
			s.add(w.slice(1, 6, 1), u.slice(0, 6, 1), u.slice(2, 6, 1))
			u, w = w, u
			if reads {
				if _, err := s.read(u); err != nil {
					t.Fatal(i, err)
				}
			}
		}
		v := s.verified(verify.Whole)
		if v.Wrong != 0 || v.Older == 0 || !strings.Contains(v.Text, "NOT checked: ") || v.Tasks[scheduler.Run] < tasks {
			t.Errorf("reads %v, brief %v: %s", reads, brief, v.Text)
		}
		if reads && (v.Host < hosts || v.Host > hosts+1) {
			t.Errorf("brief %v: %d accesses of the host were looked at", brief, v.Host)
		}
	}
}
