package driver

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"weft/profiler"
	"weft/scheduler"
	"weft/tile"
)

// session is a runtime with a small language on top: arrays of float64 in one line each.
type session struct {
	*Runtime
	t    testing.TB
	line int32
	in   scheduler.SourceID
}

func start(t *testing.T, o Options) *session {
	t.Helper()
	o.Check = true
	return begin(t, o)
}

// begin is start where the options say whether there is a checker.
func begin(t *testing.T, o Options) *session {
	t.Helper()
	if o.Recorder == nil {
		o.Recorder = profiler.New(profiler.Options{})
	}
	if o.Devices == nil {
		o.Devices = []tile.Device{tile.NewReference(0, o.Recorder.Epoch(), nil)}
		o.Kinds = []scheduler.DeviceKind{scheduler.CPU}
	}
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{Runtime: r, t: t, in: r.Source("In[3]")}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if r.wrong != nil {
			t.Error(r.wrong)
		}
	})
	return s
}

// programs are built once: executables are found by the program's address.
var (
	addProgram = build("add", 1, func(b *tile.Builder) {
		x := b.Load(tile.Float64)
		b.Store(b.Do(tile.Add, x, b.Load(tile.Float64)))
	})
	fillProgram  = build("fill", 1, func(b *tile.Builder) { b.Store(b.Uniform(tile.Float64)) })
	sumProgram   = build("sum", 1, func(b *tile.Builder) { b.Reduce(tile.Sum, b.Load(tile.Float64)) })
	scaleProgram = build("scale", 1, func(b *tile.Builder) {
		x := b.Load(tile.Float64)
		b.Store(b.Do(tile.Mul, x, b.Uniform(tile.Float64)))
	})
	iotaProgram = build("iota", 1, func(b *tile.Builder) { b.Store(b.Cast(tile.Float64, b.Index(0))) })
)

func build(name string, rank int, fn func(*tile.Builder)) *tile.Program {
	b := tile.NewBuilder(name, rank)
	fn(b)
	return b.Program()
}

// array is a slice of a store of float64.
type array struct {
	id          scheduler.StoreID
	at, n, step int
}

func (a array) view() scheduler.View {
	return scheduler.View{Store: a.id, Type: tile.Float64, Offset: int64(a.at) * 8, Shape: []int{a.n}, Strides: []int64{int64(a.step) * 8}}
}

// slice is a[from::step], n elements.
func (a array) slice(from, n, step int) array {
	return array{a.id, a.at + from*a.step, n, a.step * step}
}

func (s *session) empty(n int) array { return array{s.NewStore(int64(n) * 8), 0, n, 1} }

func (s *session) do(p *tile.Program, out array, n int, uniform []tile.Scalar, in ...array) {
	s.t.Helper()
	if err := s.Submit(s.op(p, out, n, uniform, in...)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) op(p *tile.Program, out array, n int, uniform []tile.Scalar, in ...array) *scheduler.Op {
	s.line++
	op := &scheduler.Op{Name: p.Name, Shape: []int{n}, Program: p, Uniforms: uniform, Where: scheduler.Where{Source: s.in, Line: s.line}}
	for _, a := range in {
		op.Uses = append(op.Uses, scheduler.Use{View: a.view()})
	}
	if p.Reduces() {
		op.Kind, op.Reduced = scheduler.Reduce, 1
	}
	op.Uses = append(op.Uses, scheduler.Use{View: out.view(), Access: scheduler.Write})
	return op
}

func (s *session) fill(out array, v float64) {
	s.t.Helper()
	s.do(fillProgram, out, out.n, []tile.Scalar{tile.FloatScalar(tile.Float64, v)})
}

func (s *session) iota(n int) array {
	s.t.Helper()
	a := s.empty(n)
	s.do(iotaProgram, a, n, nil)
	return a
}

// filled returns an array that the host fills with ones.
func (s *session) filled(n int) array {
	s.t.Helper()
	a := s.empty(n)
	ones := slices.Repeat([]byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, n)
	if err := s.Write(a.id, ones); err != nil {
		s.t.Error(err)
	}
	return a
}

func (s *session) add(out, a, b array) {
	s.t.Helper()
	s.do(addProgram, out, out.n, nil, a, b)
}

// sum reduces block by block until one element is left.
func (s *session) sum(a array) array {
	s.t.Helper()
	for {
		out := s.empty(tile.GridShape([]int{a.n}, tile.BlockShape([]int{a.n}, 1))[0])
		s.do(sumProgram, out, a.n, nil, a)
		if out.n == 1 {
			return out
		}
		a = out
	}
}

func (s *session) read(a array) ([]float64, error) {
	buf := make([]byte, a.n*8)
	err := s.Read(a.view(), buf, nil)
	return floats(buf), err
}

func floats(buf []byte) []float64 {
	out := make([]float64, len(buf)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(buf[i*8:]))
	}
	return out
}

func (s *session) want(a array, want ...float64) {
	s.t.Helper()
	got, err := s.read(a)
	if err != nil {
		s.t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.t.Errorf("got %v, want %v", got, want)
	}
}
