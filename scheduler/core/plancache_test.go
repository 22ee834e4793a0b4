package core

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// loop is a core that is handed windows of two ops that fuse, which differ in their shapes.
type loop struct {
	*Core
	t        *testing.T
	programs map[string]*tile.Program
	from     map[int]scheduler.StoreID
}

func newLoop(t *testing.T) *loop {
	c, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 1}}, Memories: []scheduler.Memory{{Name: "host"}}}, Options{Inline: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	l := &loop{Core: c, t: t, programs: map[string]*tile.Program{}, from: map[int]scheduler.StoreID{}}
	for _, p := range known() {
		l.programs[p.Name] = p
	}
	return l
}

// turn submits t = a + a; b = t + t over so many elements, where t is a temporary, and returns the plan's text without
// its numbers.
func (l *loop) turn(n int) string {
	bytes := int64(8 * n)
	a, known := l.from[n]
	if !known {
		a = l.NewStore(bytes)
		if _, err := l.Host.Written(a); err != nil {
			l.t.Fatal(err)
		}
		l.from[n] = a
	}
	view := func(id scheduler.StoreID) scheduler.View {
		return scheduler.View{Store: id, Type: tile.Float64, Shape: []int{n}, Strides: []int64{8}}
	}
	temp, b := l.NewStore(bytes), l.NewStore(bytes)
	for _, on := range [][2]scheduler.StoreID{{a, temp}, {temp, b}} {
		if _, err := l.Submit(&scheduler.Op{Name: "add", Shape: []int{n}, Program: l.programs["add1"],
			Uses: []scheduler.Use{{View: view(on[0])}, {View: view(on[0])}, {View: view(on[1]), Access: scheduler.Write}}}); err != nil {
			l.t.Fatal(err)
		}
	}
	l.Release(temp)
	l.Release(b)
	p := l.Flush(false)
	text := fmt.Sprintln(len(p.Ops), p.InOrder, p.Splits)
	for _, op := range p.Ops {
		text += fmt.Sprintln(op.Name, op.Shape, op.Program)
	}
	for i, task := range p.Tasks {
		text += fmt.Sprintln(task.Kind, task.Shape, task.Bytes())
		if l.InOrder.Turn(i) {
			l.InOrder.Ended(i, nil)
		}
	}
	return text
}

// A loop of more shapes than fit finds the windows that it comes to often, and what is remembered stays within its
// bytes.
func TestLoopsOfMoreShapesThanFitKeepTheirHottestPlans(t *testing.T) {
	l := newLoop(t)
	const hot = 10
	l.turn(hot)
	each := l.fusing.templates.Size()
	l.fusing.templates.Limit(20 * each)
	_, program, number := l.fusing.fuser.Remembered()
	l.fusing.fuser.Limit(2*program, 10*number)
	for cold := range 1000 {
		before := l.Look.Fusion()
		l.turn(hot)
		if after := l.Look.Fusion(); after.Replayed != before.Replayed+1 {
			t.Fatalf("the window that comes every other time was forgotten after %d others", cold)
		}
		l.turn(hot + 1 + cold)
		if now := l.Look.Fusion(); now.Captured != before.Captured+1 {
			t.Fatalf("window %d is new, but was found", cold)
		}
		if n := l.fusing.templates.Size(); n > 20*each {
			t.Fatalf("%d bytes of templates are remembered, at most %d may be", n, 20*each)
		}
	}
	if n := l.fusing.templates.Len(); n < 10 || n > 20 {
		t.Errorf("%d windows are remembered where 20 fit", n)
	}
	if n, _, _ := l.fusing.fuser.Remembered(); n != 1 {
		t.Errorf("%d programs are remembered; all windows have the same", n)
	}
}

// Whatever is forgotten when, plans are those of a core that remembers nothing.
func TestWhatIsForgottenChangesNoPlan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	fast, slow := newLoop(t), newLoop(t)
	fast.turn(1000)
	fast.fusing.templates.Limit(5 * fast.fusing.templates.Size())
	_, programs, numbers := fast.fusing.fuser.Remembered()
	fast.fusing.fuser.Limit(100*programs, 2*numbers)
	slow.fusing.templates.Limit(0)
	slow.fusing.fuser.Limit(0, 0)
	for i := range 2000 {
		n := 1 + int(r.ExpFloat64()*6)
		if r.IntN(20) == 0 { // a program that neither core has seen
			p := *fast.programs["add1"]
			fast.programs["add1"], slow.programs["add1"] = &p, &p
		}
		if got, want := fast.turn(n), slow.turn(n); got != want {
			t.Fatalf("turn %d: got\n%swanted\n%s", i, got, want)
		}
	}
	if f := fast.Look.Fusion(); f.Replayed < 200 || f.Captured < 200 {
		t.Errorf("%+v: the test should find windows again, and forget some", f)
	}
	if f := slow.Look.Fusion(); f.Replayed != 0 {
		t.Errorf("%+v: the twin remembers something", f)
	}
}
