package driver

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// window submits ops at random, the same ones for the same seed, on some stores from outside of eight
// elements each. It returns the new stores that are left, how many ops there were and the uniforms of each.
func (s *session) window(seed uint64, outside []array, scale float64) (kept []array, ops int, numbers []tile.Scalar) {
	r := rand.New(rand.NewPCG(seed, 0))
	all := slices.Clone(outside)
	fresh := map[scheduler.StoreID]bool{}
	part := func(n int) array { // n elements of anything
		a := all[r.IntN(len(all))]
		switch r.IntN(3) {
		case 0:
			return a.slice(r.IntN(9-n), n, 1)
		case 1:
			if 2*n <= 8 {
				return a.slice(r.IntN(2), n, 2)
			}
		}
		return a.slice(8-n, n, 1)
	}
	for range 6 + r.IntN(20) {
		n := 2 + r.IntN(7)
		out := part(n)
		if r.IntN(3) > 0 {
			n = 8
			out = s.empty(8)
		}
		apart := func() array { // from another store than out
			for {
				if a := part(n); a.id != out.id {
					return a
				}
			}
		}
		x, y := apart(), apart()
		number := tile.Scalar{}
		switch r.IntN(4) {
		case 0:
			number = tile.FloatScalar(tile.Float64, scale*float64(ops+1))
			s.do(scaleProgram, out, n, []tile.Scalar{number}, x)
		case 1:
			number = tile.FloatScalar(tile.Float64, scale)
			s.fill(out, scale)
		default:
			s.add(out, x, y)
		}
		ops++
		numbers = append(numbers, number)
		if out.n == 8 && !slices.Contains(all, out) {
			all = append(all, out)
			fresh[out.id] = true
		}
	}
	for _, a := range all[len(outside):] {
		if r.IntN(3) > 0 {
			s.Free(a.id)
		} else {
			kept = append(kept, a)
		}
	}
	return kept, ops, numbers
}

// learn makes a script of what play submits, on a lease.
func (s *session) learn(outside []array, ops int, play func()) *Script {
	s.t.Helper()
	l := s.Lease()
	defer l.End()
	s.lease = &l
	defer func() { s.lease = nil }()
	script, played := l.Learn(ids(outside), ops, play)
	if !played || script == nil {
		s.t.Fatalf("nothing was learned (played %v)", played)
	}
	return script
}

func (s *session) enact(script *Script, outside []array, numbers []tile.Scalar, edition uint64) (scheduler.StoreID, bool) {
	l := s.Lease()
	defer l.End()
	return l.Enact(script, ids(outside), numbers, edition)
}

func ids(list []array) (all []scheduler.StoreID) {
	for _, a := range list {
		all = append(all, a.id)
	}
	return all
}

// unchecked starts a runtime without the checker, which wants to see every window.
func unchecked(t *testing.T, o Options) *session {
	return begin(t, o)
}

// A window that is repeated leaves the same bits as one that is submitted again, and the log tells the
// same of it, but for how ops were put into passes.
func TestRepeatedWindows(t *testing.T) {
	for seed := range uint64(150) {
		plain, s := unchecked(t, Options{}), unchecked(t, Options{})
		var stores [2][]array
		for i, x := range []*session{plain, s} {
			for range 4 {
				a := x.iota(8)
				x.do(scaleProgram, a, 8, []tile.Scalar{tile.FloatScalar(tile.Float64, 0.5)}, x.iota(8))
				stores[i] = append(stores[i], a)
			}
			if err := x.Sync(nil); err != nil {
				t.Fatal(err)
			}
		}
		var kept []array
		want, ops, _ := plain.window(seed, stores[0], 1)
		script := s.learn(stores[1], ops, func() { kept, _, _ = s.window(seed, stores[1], 1) })
		compare := func(what string, want, got []array) {
			t.Helper()
			for i := range want {
				x, err := plain.read(want[i])
				y, err2 := s.read(got[i])
				if (err == nil) != (err2 == nil) || !slices.EqualFunc(x, y, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }) {
					t.Fatalf("seed %d: %s %d is %v (%v), want %v (%v)", seed, what, i, y, err2, x, err)
				}
			}
		}
		compare("kept", want, kept)
		for turn := range 3 {
			r := rand.New(rand.NewPCG(seed, uint64(turn)))
			order := r.Perm(4)
			var there, here []array
			for _, k := range order {
				there, here = append(there, stores[0][k]), append(here, stores[1][k])
			}
			scale := float64(turn) + 0.25
			want, _, numbers := plain.window(seed, there, scale)
			before := s.core.Mark()
			first, ok := s.enact(script, here, numbers, uint64(turn))
			if !ok {
				t.Fatalf("seed %d turn %d: it was not repeated", seed, turn)
			}
			var got []array
			for _, a := range want { // new stores are numbered alike
				got = append(got, array{first + a.id - want[0].id + offset(script, 0), 0, 8, 1})
			}
			compare("kept", want, got)
			compare("outside", stores[0], stores[1])
			logged := s.Ops(before.Op)
			parts := 0
			for _, op := range logged {
				parts += max(1, len(op.Parts))
			}
			if parts > ops || len(logged) == 0 {
				t.Fatalf("seed %d: %d ops are logged of %d", seed, parts, ops)
			}
			if r.IntN(2) == 0 { // some are left to be told later
				continue
			}
			if v := s.verified(scheduler.Whole); v.Wrong != 0 {
				t.Fatalf("seed %d turn %d:\n%s", seed, turn, v.Text)
			}
		}
		for i, x := range []*session{plain, s} {
			for _, a := range stores[i] {
				x.Free(a.id)
			}
		}
		if v := s.verified(scheduler.Whole); v.Wrong != 0 {
			t.Fatalf("seed %d:\n%s", seed, v.Text)
		}
		if got := s.Stats().Counts[Repeated]; got != 3 {
			t.Fatalf("seed %d: %d windows were repeated", seed, got)
		}
	}
}

// offset returns which of the new stores of a script the n'th that is kept is.
func offset(s *Script, n int) scheduler.StoreID {
	for i, f := range s.Fresh {
		if f.Kept {
			if n == 0 {
				return scheduler.StoreID(i)
			}
			n--
		}
	}
	return 0
}

// square learns b = a*2, c = b+b with b gone after it.
func (s *session) square(a array) (*Script, []tile.Scalar) {
	s.t.Helper()
	numbers := []tile.Scalar{tile.FloatScalar(tile.Float64, 2), {}}
	return s.learn([]array{a}, 2, func() {
		b, c := s.empty(a.n), s.empty(a.n)
		s.do(scaleProgram, b, a.n, numbers[:1], a)
		s.add(c, b, b)
		s.Free(b.id)
	}), numbers
}

// What a repetition needs is looked at each time.
func TestWhatCannotBeRepeated(t *testing.T) {
	s := unchecked(t, Options{})
	a := s.iota(8)
	script, numbers := s.square(a)
	refused := func(why string, outside array) {
		t.Helper()
		if err := s.Sync(nil); err != nil {
			t.Fatal(err)
		}
		last := s.core.Mark()
		if _, ok := s.enact(script, []array{outside}, numbers, 0); ok {
			t.Errorf("it was repeated with %s", why)
		}
		if s.core.Mark() != last {
			t.Errorf("with %s, IDs were used up", why)
		}
	}
	refused("a store that nobody wrote", s.empty(8))
	refused("a store of another size", s.iota(9))
	gone := s.iota(8)
	s.Free(gone.id)
	refused("a store that is gone", gone)
	_, release, err := s.Map(a.view(), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	refused("a store that the host has mapped", a)
	release()
	first, ok := s.enact(script, []array{a}, numbers, 0)
	if !ok {
		t.Fatal("it was not repeated")
	}
	s.want(array{first + 1, 0, 8, 1}, 0, 4, 8, 12, 16, 20, 24, 28)
	if live := s.Stats().Memories[0].Live; live != 4*64+72-64 { // a, two results, the other, of 9 elements
		t.Errorf("%d bytes are live", live)
	}
}

// What nobody sees is not computed, and not repeated either.
func TestRepeatNothing(t *testing.T) {
	s := unchecked(t, Options{})
	a := s.iota(8)
	script := s.learn([]array{a}, 2, func() {
		b, c := s.empty(8), s.empty(8)
		s.add(b, a, a)
		s.add(c, b, b)
		s.Free(b.id)
		s.Free(c.id)
	})
	last := s.core.LastOp()
	for range 3 {
		if _, ok := s.enact(script, []array{a}, []tile.Scalar{{}, {}}, 0); !ok {
			t.Error("it was not repeated")
		}
	}
	if got := s.core.LastOp() - last; got != 6 || len(s.Ops(last)) != 0 {
		t.Errorf("%d ops were counted, and %d logged", got, len(s.Ops(last)))
	}
}

// A run that fails leaves no values behind it, and says so where they are read.
func TestARepetitionThatFails(t *testing.T) {
	o, dev := cpuFake(1, 0)
	o.Core.NoFusion = true
	s := unchecked(t, o)
	a := s.iota(8)
	script, numbers := s.square(a)
	wrong := errors.New("the device is wet")
	at := int64(0)
	dev.before = func(*tile.Launch) error {
		if at--; at == 0 {
			return wrong
		}
		return nil
	}
	at = 2 // the add
	first, ok := s.enact(script, []array{a}, numbers, 0)
	if !ok {
		t.Fatal("it was not repeated")
	}
	c := array{first + 1, 0, 8, 1}
	if _, err := s.read(c); !errors.Is(err, wrong) || !strings.Contains(err.Error(), "add") || !strings.Contains(err.Error(), "line") {
		t.Errorf("got error %v", err)
	}
	s.want(a, 0, 1, 2, 3, 4, 5, 6, 7)
	refused := []array{c}
	if _, ok := s.enact(script, refused, numbers, 0); ok {
		t.Error("it was repeated with a store that has no value")
	}
	if first, ok = s.enact(script, []array{a}, numbers, 0); !ok {
		t.Fatal("it was not repeated after the failure")
	}
	s.want(array{first + 1, 0, 8, 1}, 0, 4, 8, 12, 16, 20, 24, 28)
	if v := s.verified(scheduler.Whole); v.Wrong != 0 || v.Never != 0 {
		t.Error(v.Text)
	}
}

// Where there is no memory for what is new, nothing happens.
func TestARepetitionWithoutMemory(t *testing.T) {
	o, dev := cpuFake(1, 64*5)
	dev.info.Memory = 0 // it does not say so
	s := unchecked(t, o)
	a := s.iota(8)
	script, numbers := s.square(a)
	var made []array
	for {
		live := s.Stats().Memories[0].Live
		first, ok := s.enact(script, []array{a}, numbers, 0)
		if !ok {
			if got := s.Stats().Memories[0].Live; got != live || len(made) == 0 {
				t.Errorf("%d bytes are live after %d repetitions, and were %d before the last", got, len(made), live)
			}
			break
		}
		made = append(made, array{first + 1, 0, 8, 1})
	}
	s.Free(made[0].id)
	if _, ok := s.enact(script, []array{a}, numbers, 0); !ok {
		t.Error("it was not repeated where there is memory again")
	}
}

// The log has more of repetitions than of other windows that ran in order.
func TestTheLogOfRepetitions(t *testing.T) {
	s := unchecked(t, Options{})
	a := s.iota(8)
	script, numbers := s.square(a)
	for range 2 * loggedCasts {
		first, ok := s.enact(script, []array{a}, numbers, 0)
		if !ok {
			t.Fatal("it was not repeated")
		}
		s.Free(first + 1)
	}
	s.Oldest() // who asks finds no more than there should be
	if n := s.log.casts; n > loggedCasts || n < loggedCasts-2 {
		t.Errorf("%d windows of two ops are kept", n)
	}
	rows := 0
	for _, row := range s.log.tasks {
		if row.Task != nil {
			rows++
		}
	}
	if rows > 2*loggedCasts { // the frees between them
		t.Errorf("%d tasks are kept besides", rows)
	}
	ops := s.Ops(0)
	if last := ops[len(ops)-1].ID; last != s.core.LastOp() || len(ops) != loggedCasts {
		t.Errorf("%d ops are logged, up to %v of %v", len(ops), last, s.core.LastOp())
	}
	v := s.verified(scheduler.Whole)
	if v.Wrong != 0 || v.Older == 0 || v.Tasks[scheduler.Run] < loggedCasts-1 {
		t.Error(v.Text)
	}
	s.add(s.empty(8), a, a) // and goes on with others
	if err := s.Sync(nil); err != nil {
		t.Fatal(err)
	}
	if v := s.verified(scheduler.Whole); v.Wrong != 0 {
		t.Error(v.Text)
	}
	if again := s.Ops(0); len(again) < loggedCasts-2 || again[0].ID > ops[4].ID {
		t.Errorf("%d ops from %v on are still logged after they were asked for, and were %d from %v on", len(again), again[0].ID, len(ops), ops[0].ID)
	}
}

// The log tells the numbers of each repetition, however often they change, and also where one was not logged.
func TestNumbersOfRepetitions(t *testing.T) {
	s := unchecked(t, Options{})
	a := s.iota(8)
	script, numbers := s.square(a)
	type logged struct {
		op     scheduler.OpID
		number float64
	}
	var want []logged
	for _, c := range []struct {
		number  float64
		edition uint64
		off     bool
	}{{2, 1, false}, {2, 1, false}, {3, 2, false}, {5, 3, true}, {5, 3, false}, {7, 0, false}, {6, 0, false}, {9, 0, true}, {8, 4, false}, {8, 4, false}} {
		s.Record(!c.off)
		numbers[0] = tile.FloatScalar(tile.Float64, c.number)
		before := s.core.Mark()
		first, ok := s.enact(script, []array{a}, numbers, c.edition)
		if !ok {
			t.Fatalf("%v was not repeated", c)
		}
		got, err := s.read(array{first + offset(script, 0), 0, 8, 1})
		if err != nil || got[3] != 2*c.number*3 {
			t.Fatalf("with %v: %v (%v)", c, got, err)
		}
		if !c.off {
			want = append(want, logged{before.Op, c.number})
		}
	}
	s.Record(true)
	for _, w := range want {
		found := false
		for _, op := range s.Ops(w.op) {
			if len(op.Uniforms) > 0 {
				if got := math.Float64frombits(op.Uniforms[0].Bits[0]); got != w.number {
					t.Errorf("%v is logged with %v, want %v", op.ID, got, w.number)
				}
				found = true
				break
			}
		}
		if !found {
			t.Errorf("no operation with a number is logged behind %v", w.op)
		}
	}
}
