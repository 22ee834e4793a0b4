package driver

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// losing makes a GPU fail its n-th launch and all that follow, as one whose context has ended.
func losing(gpu *fake, n int64) {
	var seen atomic.Int64
	gpu.before = func(*tile.Launch) error {
		if seen.Add(1) < n {
			return nil
		}
		return &tile.LostError{Device: "gpu0", Err: errors.New("700")}
	}
}

// TestLostByOneOp loses a GPU while tasks of one op are under way alone: one of them has done it, but the error does
// not say that it is certain.
func TestLostByOneOp(t *testing.T) {
	o, _ := aheadOf()
	s := start(t, o)
	op := &scheduler.Op{Name: "add", Where: scheduler.Where{Source: s.in, Line: 7}}
	q := s.devices[1].queues[0]
	for i := range 2 {
		*q.at(i) = slot{task: &scheduler.Task{ID: scheduler.TaskID(900 + i), Op: op}}
	}
	for count, want := range map[int]string{1: "It was lost by add at In[3] line 7", 2: "Under way were only add at In[3] line 7; WEFT_DEBUG=sync"} {
		q.count = count
		if got := s.suspects(q); !strings.HasPrefix(got, want) {
			t.Errorf("with %d tasks: %q; want %q", count, got, want)
		}
	}
	q.count = 0
}

// TestLostBy loses a GPU by the third of eight adds: all errors name what was under way then, or, of a device that does
// one thing at a time, the add.
func TestLostBy(t *testing.T) {
	for _, singly := range []bool{false, true} {
		o, gpu := aheadOf()
		gpu.info.Singly = singly
		s := start(t, o)
		losing(gpu, 3)
		g := gpu.before
		arrived, pass := make(chan struct{}, 100), make(chan struct{})
		gpu.before = func(l *tile.Launch) error {
			arrived <- struct{}{}
			<-pass
			return g(l)
		}
		a, b := s.filled(64), s.empty(64) // line 1
		s.add(b, a, a)                    // line 2
		var last array
		for range 6 {
			last = s.empty(64)
			s.add(last, b, b) // lines 3 to 8
		}
		s.BeginCell(0)
		<-arrived
		close(pass)
		_, err := s.read(last) // an op of this cell could be under way by then, or not
		if err == nil || !strings.Contains(err.Error(), "gpu0 is lost: 700") {
			t.Fatalf("got error %v; want one that says that gpu0 is lost", err)
		}
		want := "Under way were add at In[3] line 3, add at In[3] line 4, add at In[3] line 5, add at In[3] line 6 and "
		if singly {
			want = "It was lost by add at In[3] line 3"
		}
		if !strings.Contains(err.Error(), want) || singly != !strings.Contains(err.Error(), "WEFT_DEBUG=sync") {
			t.Errorf("singly %v: got error %q; want %q in it", singly, err, want)
		}
	}
}
