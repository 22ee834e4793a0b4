package driver

import (
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// A program that runs again and again is compiled once, however many others run in between, and the others do not pile
// up.
func TestHotProgramsStayCompiled(t *testing.T) {
	o, dev := cpuFake(1, 0)
	times := map[string]int{}
	o.Devices = []tile.Device{counting{dev, times}}
	s := begin(t, o)
	a := s.iota(8)
	b := s.empty(8)
	for range maxCompiled + maxCompiled/2 {
		cold := *addProgram
		cold.Name = "cold"
		s.do(&cold, b, 8, nil, a, a)
		s.do(scaleProgram, b, 8, []tile.Scalar{tile.FloatScalar(tile.Float64, 2)}, a)
		if err := s.Sync(nil); err != nil {
			t.Fatal(err)
		}
	}
	s.want(b, 0, 2, 4, 6, 8, 10, 12, 14)
	if times["scale"] != 1 {
		t.Errorf("the hot program was compiled %d times", times["scale"])
	}
	if n := times["cold"]; n != maxCompiled+maxCompiled/2 {
		t.Errorf("%d cold programs were compiled: the test shows nothing", n)
	}
	if n := s.devices[0].compiled.Len(); n != maxCompiled {
		t.Errorf("%d executables are kept, %d should be", n, maxCompiled)
	}
}

// counting is a device that counts how often a program is compiled, by name.
type counting struct {
	*fake
	times map[string]int
}

func (d counting) Compile(p *tile.Program) (tile.Executable, error) {
	d.times[p.Name]++
	return d.fake.Compile(p)
}

// Ops of more layouts than the driver remembers keep the forms of those that come again, and have the right form in any
// case.
func TestFormsOfManyShapes(t *testing.T) {
	s := begin(t, Options{})
	hot := &scheduler.Op{Name: "hot", Shape: []int{7}, Program: addProgram}
	want := s.formOf(hot)
	for n := range 3 * maxForms {
		cold := &scheduler.Op{Name: "cold", Shape: []int{n + 1}, Program: addProgram, Where: scheduler.Where{Line: int32(n)}}
		if first, again := s.formOf(cold), s.formOf(cold); first != again || first == want {
			t.Fatalf("shape %d has form %d, then %d; the hot one has %d", n, first, again, want)
		}
		if got := s.formOf(hot); got != want {
			t.Fatalf("after %d others the hot form is %d, and was %d", n, got, want)
		}
		if s.forms.Len() > maxForms {
			t.Fatalf("%d forms are remembered", s.forms.Len())
		}
	}
}
