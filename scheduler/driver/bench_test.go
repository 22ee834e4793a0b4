package driver

import (
	"testing"

	"weft/cpu"
	"weft/scheduler"
	"weft/tile"
)

func benchSession(b testing.TB, workers int) *session {
	dev := cpu.New(cpu.Options{Workers: workers})
	r, err := New(Options{Devices: []tile.Device{dev}, Kinds: []scheduler.DeviceKind{scheduler.CPU}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	return &session{Runtime: r, t: b, in: r.Source("In[1]")}
}

// A small op with a fresh result, the operand freed, as in a loop over small arrays.
func BenchmarkSmallOp(b *testing.B) {
	s := benchSession(b, 1)
	a := s.empty(100)
	s.fill(a, 1)
	b.ReportAllocs()
	for b.Loop() {
		c := s.empty(100)
		op := &scheduler.Op{Name: "add", Shape: []int{100}, Program: addProgram, Where: scheduler.Where{Source: s.in, Line: 1},
			Uses: []scheduler.Use{{View: a.view()}, {View: a.view()}, {View: c.view(), Access: scheduler.Write}}}
		if err := s.Submit(op); err != nil {
			b.Fatal(err)
		}
		s.Free(a.id)
		a = c
	}
	if err := s.Sync(nil); err != nil {
		b.Fatal(err)
	}
}

// A small op whose value is read at once.
func BenchmarkSmallOpRead(b *testing.B) {
	s := benchSession(b, 1)
	a := s.empty(1)
	s.fill(a, 1)
	c := s.empty(1)
	buf := make([]byte, 8)
	v := c.view()
	b.ReportAllocs()
	for b.Loop() {
		op := &scheduler.Op{Name: "add", Shape: []int{1}, Program: addProgram, Where: scheduler.Where{Source: s.in, Line: 1},
			Uses: []scheduler.Use{{View: a.view()}, {View: a.view()}, {View: v, Access: scheduler.Write}}}
		if err := s.Submit(op); err != nil {
			b.Fatal(err)
		}
		if err := s.Read(v, buf, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// A large op on two workers: eight tiles or so, handed to their goroutines.
func BenchmarkLargeOp(b *testing.B) {
	s := benchSession(b, 2)
	a, c := s.empty(1<<20), s.empty(1<<20)
	s.fill(a, 1)
	b.SetBytes(3 << 23)
	for b.Loop() {
		op := &scheduler.Op{Name: "add", Shape: []int{1 << 20}, Program: addProgram,
			Uses: []scheduler.Use{{View: a.view()}, {View: a.view()}, {View: c.view(), Access: scheduler.Write}}}
		if err := s.Submit(op); err != nil {
			b.Fatal(err)
		}
		if err := s.Sync(nil); err != nil {
			b.Fatal(err)
		}
	}
}
