package scheduler

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/tile"
)

// slowCache is what a cache should be: a list, by last use.
type slowCache struct {
	most int64
	list []slowEntry
}

type slowEntry struct {
	key, value int
	bytes      int64
}

func (s *slowCache) get(key int) (value int, ok bool) {
	i := slices.IndexFunc(s.list, func(e slowEntry) bool { return e.key == key })
	if i < 0 {
		return 0, false
	}
	e := s.list[i]
	s.list = append([]slowEntry{e}, slices.Delete(s.list, i, i+1)...)
	return e.value, true
}

func (s *slowCache) add(e slowEntry) {
	if e.bytes > s.most {
		return
	}
	s.list = append([]slowEntry{e}, s.list...)
	for s.bytes() > s.most {
		s.list = s.list[:len(s.list)-1]
	}
}

func (s *slowCache) bytes() (sum int64) {
	for _, e := range s.list {
		sum += e.bytes
	}
	return sum
}

func TestCacheDropsWhatWasNotUsedForLongest(t *testing.T) {
	hits, dropped := 0, 0
	for sd := range uint64(50) {
		r := rand.New(rand.NewPCG(sd, 1))
		most := 1 + r.Int64N(300)
		fast, slow := newCache[int, int](most), &slowCache{most: most}
		for step := range 500 {
			key := int(r.ExpFloat64() * 10)
			want, known := slow.get(key)
			e := fast.at[key]
			if (e != nil) != known {
				t.Fatalf("seed %d, step %d: key %d is kept: %v, wanted %v", sd, step, key, e != nil, known)
			}
			if known {
				hits++
				if got := fast.use(e); got != want {
					t.Fatalf("seed %d, step %d: key %d has %d, wanted %d", sd, step, key, got, want)
				}
				continue
			}
			bytes := r.Int64N(40)
			before := len(slow.list)
			fast.add(key, step, bytes)
			slow.add(slowEntry{key, step, bytes})
			if len(slow.list) <= before {
				dropped++
			}
			if fast.bytes != slow.bytes() || len(fast.at) != len(slow.list) {
				t.Fatalf("seed %d, step %d: %d entries of %d bytes, wanted %d of %d", sd, step, len(fast.at), fast.bytes, len(slow.list), slow.bytes())
			}
		}
	}
	if hits < 1000 || dropped < 1000 {
		t.Errorf("%d hits, %d times something was dropped: the test shows nothing", hits, dropped)
	}
}

// loop is a core that is handed windows of two ops that fuse, which differ in their shapes.
type loop struct {
	*Core
	t        *testing.T
	programs map[string]*tile.Program
	from     map[int]StoreID
}

func newLoop(t *testing.T) *loop {
	c, err := New(Machine{Devices: []Device{{Kind: CPU, Queues: 1}}, Memories: []Memory{{Name: "host"}}}, Options{Inline: 1 << 30, InlineTask: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	l := &loop{Core: c, t: t, programs: map[string]*tile.Program{}, from: map[int]StoreID{}}
	for _, p := range known() {
		l.programs[p.Name] = p
	}
	return l
}

// turn submits t = a + a; b = t + t over so many elements, where t is a temporary, and returns the plan's text without its numbers.
func (l *loop) turn(n int) string {
	bytes := int64(8 * n)
	a, known := l.from[n]
	if !known {
		a = l.NewStore(bytes)
		if _, err := l.HostWritten(a); err != nil {
			l.t.Fatal(err)
		}
		l.from[n] = a
	}
	view := func(id StoreID) View {
		return View{Store: id, Type: tile.Float64, Shape: []int{n}, Strides: []int64{8}}
	}
	temp, b := l.NewStore(bytes), l.NewStore(bytes)
	for _, on := range [][2]StoreID{{a, temp}, {temp, b}} {
		if _, err := l.Submit(&Op{Name: "add", Shape: []int{n}, Program: l.programs["add1"],
			Uses: []Use{{View: view(on[0])}, {View: view(on[0])}, {View: view(on[1]), Access: Write}}}); err != nil {
			l.t.Fatal(err)
		}
	}
	l.Release(temp)
	l.Release(b)
	p := l.Flush()
	text := fmt.Sprintln(len(p.Ops), p.InOrder, p.Splits)
	for _, op := range p.Ops {
		text += fmt.Sprintln(op.Name, op.Shape, op.Program)
	}
	for i, task := range p.Tasks {
		text += fmt.Sprintln(task.Kind, task.Shape, task.Bytes())
		if l.Turn(i) {
			l.Ended(i, nil)
		}
	}
	return text
}

// A loop of more shapes than fit finds the windows that it comes to often, and what is remembered stays within its bytes.
func TestLoopsOfMoreShapesThanFitKeepTheirHottestPlans(t *testing.T) {
	l := newLoop(t)
	const hot = 10
	l.turn(hot)
	each := l.fuser.templates.bytes
	l.fuser.templates.most = 20 * each
	l.fuser.programs.most = 2 * l.fuser.programs.bytes
	for cold := range 1000 {
		before := l.Fusion()
		l.turn(hot)
		if after := l.Fusion(); after.Replayed != before.Replayed+1 {
			t.Fatalf("the window that comes every other time was forgotten after %d others", cold)
		}
		l.turn(hot + 1 + cold)
		if now := l.Fusion(); now.Captured != before.Captured+1 {
			t.Fatalf("window %d is new, but was found", cold)
		}
		for what, c := range map[string][2]int64{
			"templates": {l.fuser.templates.bytes, l.fuser.templates.most}, "programs": {l.fuser.programs.bytes, l.fuser.programs.most}, "numbers": {l.fuser.numbers.bytes, l.fuser.numbers.most},
		} {
			if c[0] > c[1] {
				t.Fatalf("%s: %d bytes are remembered, at most %d may be", what, c[0], c[1])
			}
		}
	}
	if n := len(l.fuser.templates.at); n < 10 || n > 20 {
		t.Errorf("%d windows are remembered where 20 fit", n)
	}
	if n := len(l.fuser.programs.at); n != 1 {
		t.Errorf("%d programs are remembered; all windows have the same", n)
	}
}

// Whatever is forgotten when, plans are those of a core that remembers nothing.
func TestWhatIsForgottenChangesNoPlan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	fast, slow := newLoop(t), newLoop(t)
	fast.turn(1000)
	fast.fuser.templates.most, fast.fuser.numbers.most = 5*fast.fuser.templates.bytes, 2*fast.fuser.numbers.bytes
	slow.fuser.templates.most, slow.fuser.programs.most, slow.fuser.numbers.most = 0, 0, 0
	for i := range 2000 {
		n := 1 + int(r.ExpFloat64()*6)
		if r.IntN(20) == 0 { // a program that nobody has seen
			p := *fast.programs["add1"]
			fast.programs["add1"], slow.programs["add1"] = &p, &p
		}
		if got, want := fast.turn(n), slow.turn(n); got != want {
			t.Fatalf("turn %d: got\n%swanted\n%s", i, got, want)
		}
	}
	if f := fast.Fusion(); f.Replayed < 200 || f.Captured < 200 {
		t.Errorf("%+v: the test should find windows again, and forget some", f)
	}
	if f := slow.Fusion(); f.Replayed != 0 {
		t.Errorf("%+v: the twin remembers something", f)
	}
}
