package driver

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"weft/scheduler"
	"weft/tile"
)

// solve is a named routine for the tests: each element of the result is 1 over that of the
// input, in reverse order. It fails for a zero.
var solve = tile.Routines{"solve": func(p *tile.Program) (tile.Routine, error) {
	return func(c *tile.Call) error {
		in, out := &c.Args[0], &c.Args[1]
		for i := range in.Shape[0] {
			x := *(*float64)(unsafe.Add(in.P, int64(i)*in.Strides[0]))
			if x == 0 {
				return &tile.DataError{Exception: "LinAlgError", Text: "Singular matrix"}
			}
			*(*float64)(unsafe.Add(out.P, int64(in.Shape[0]-1-i)*out.Strides[0])) = 1 / x
		}
		return nil
	}, nil
}}

func (s *session) call(out, in array) {
	s.t.Helper()
	s.line++
	b := tile.NewRoutine("solve", "solve")
	b.Param(tile.In, tile.Float64)
	b.Param(tile.Out, tile.Float64)
	op := &scheduler.Op{Kind: scheduler.Call, Name: "solve", Program: b.Program(), Where: scheduler.Where{Source: s.in, Line: s.line},
		Uses: []scheduler.Use{{View: in.view()}, {View: out.view(), Access: scheduler.Write}}}
	if err := s.Submit(op); err != nil {
		s.t.Fatal(err)
	}
}

// callers are machines: on CPUs, on GPUs that have the routine, and on GPUs that leave it to
// the host.
func callers() map[string]Options {
	cpu, _ := cpuFake(2, 0)
	machines := map[string]Options{"cpu": cpu, "gpu": gpus(2), "host of gpus": gpus(2)}
	for name, o := range machines {
		for i, d := range o.Devices {
			f := d.(*fake)
			f.info.Calls = i == 0 || name == "gpu"
			inner := tile.NewReference(0, o.Epoch, solve)
			if err := f.inner.Close(); err != nil {
				panic(err)
			}
			f.inner = inner
		}
	}
	return machines
}

// A failure surfaces where the value is read, with the op and its line; what depends on it
// fails alike, and nothing else does.
func TestCallFails(t *testing.T) {
	for name := range callers() {
		for _, inline := range []int64{0, -1} {
			t.Run(fmt.Sprintf("%s, inline %d", name, inline), func(t *testing.T) {
				o := callers()[name]
				o.InlineBytes = inline
				s := start(t, o)
				a := s.iota(9) // line 1
				good, bad, sum, fine := s.empty(8), s.empty(9), s.empty(9), s.empty(4)
				s.call(good, a.slice(1, 8, 1))                     // line 2
				s.call(bad, a)                                     // line 3
				s.add(sum, bad, a)                                 // line 4
				s.add(fine, good.slice(0, 4, 1), a.slice(0, 4, 1)) // line 5
				s.want(good, 0.125, 1./7, 1./6, 0.2, 0.25, 1./3, 0.5, 1)
				s.want(fine, 0.125, 1+1./7, 2+1./6, 3.2)
				for _, x := range []array{sum, bad} {
					_, err := s.read(x)
					var fault *tile.DataError
					if !errors.As(err, &fault) || fault.Exception != "LinAlgError" || !strings.Contains(err.Error(), "solve at In[3] line 3: Singular matrix") {
						t.Errorf("got error %v", err)
					}
				}
				s.fill(bad, 2) // heals it
				s.call(bad.slice(0, 3, 2), a.slice(8, 3, -3))
				s.want(bad, 0.5, 2, 0.2, 2, 0.125, 2, 2, 2, 2)
				if err := s.Sync(nil); err != nil {
					t.Errorf("Sync tells a failure that was told already: %v", err)
				}
			})
		}
	}
}

// A launch of threads runs between other ops, wherever a device runs calls, and what its data is at fault for surfaces
// where the value is read.
func TestThreads(t *testing.T) {
	b := tile.NewThreads("half")
	x, y := b.Array(tile.In, tile.Float64, 1, "x"), b.Array(tile.Update, tile.Float64, 1, "y")
	i := b.Cast(tile.Int64, b.Thread(tile.CtaidX))
	b.Put(y, b.Do(tile.Mul, b.Element(x, i), b.Const(tile.FloatScalar(tile.Float64, 0.5))), i)
	p := b.Program()
	machines := callers()
	machines["GPUs that run threads alone"] = callers()["host of gpus"]
	for _, d := range machines["GPUs that run threads alone"].Devices[1:] {
		d.(*fake).info.Grids = true
	}
	for name, o := range machines {
		t.Run(name, func(t *testing.T) {
			s := start(t, o)
			a, out, sum := s.iota(6), s.iota(4), s.empty(4)
			launch := func(blocks int) {
				op := &scheduler.Op{Kind: scheduler.Call, Name: "half", Program: p, Grid: &tile.Grid{Blocks: [3]int{blocks, 1, 1}, Threads: [3]int{1, 1, 1}},
					Uses: []scheduler.Use{{View: a.slice(1, 5, 1).view()}, {View: out.view(), Access: scheduler.Update}}}
				if err := s.Submit(op); err != nil {
					t.Fatal(err)
				}
			}
			launch(3)
			s.add(sum, out, out)
			s.want(sum, 1, 2, 3, 6)
			launch(5)
			if _, err := s.read(out); err == nil || !strings.Contains(err.Error(), "index 4 is out of bounds for axis 0 of y with size 4") {
				t.Errorf("got %v; want the index of the fifth block", err)
			}
		})
	}
}
