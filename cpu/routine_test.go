package cpu

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"weft/tile"
)

// reversal is a routine for the tests: it copies a matrix with its rows in reverse order, a
// row per share, and refuses negative numbers.
func reversal(p *tile.Program) (tile.Routine, error) {
	if len(p.Params) != 2 || p.Params[0].Type != tile.Float64 {
		return nil, errors.New("it takes two matrices of float64")
	}
	return func(c *tile.Call) error {
		in, out := &c.Args[0], &c.Args[1]
		return c.Share(in.Shape[0], func(i int) error {
			for j := range in.Shape[1] {
				v := *cell(in, i, j)
				if v < 0 {
					return &tile.DataError{Exception: "ValueError", Text: fmt.Sprintf("row %d is negative", i)}
				}
				*cell(out, in.Shape[0]-1-i, j) = v
			}
			return nil
		})
	}, nil
}

func cell(o *tile.Operand, i, j int) *float64 {
	return (*float64)(unsafe.Add(o.P, int64(i)*o.Strides[0]+int64(j)*o.Strides[1]))
}

func reversalProgram() *tile.Program {
	b := tile.NewRoutine("reversal", "reversal")
	b.Param(tile.In, tile.Float64)
	b.Param(tile.Out, tile.Float64)
	return b.Program()
}

// A routine finds its operands through offsets and strides of any sign, and its cores share
// the work; its own error comes through as it is, that of the lowest row.
func TestRoutine(t *testing.T) {
	for workers := 1; workers <= 3; workers++ {
		d := New(Options{Workers: workers, Routines: tile.Routines{"reversal": reversal}})
		defer d.Close()
		p := reversalProgram()
		exe, err := d.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		const rows, columns = 100, 3
		buf, err := d.Alloc(2 * rows * columns * 8)
		if err != nil {
			t.Fatal(err)
		}
		x := unsafe.Slice((*float64)(buf.Host), 2*rows*columns)
		for i := range x {
			x[i] = float64(i)
		}
		// The input's columns are far apart and go backwards; the output lies behind it.
		l := &tile.Launch{Exe: exe, Program: p, Args: []tile.Binding{
			{Buffer: buf, Offset: 2 * rows * 8, Strides: []int64{8, -rows * 8}, Shape: []int{rows, columns}},
			{Buffer: buf, Offset: rows * columns * 8, Strides: []int64{columns * 8, 8}, Shape: []int{rows, columns}},
		}}
		run := func(queue int) error {
			done := make(chan error, 1)
			d.Launch(queue, l, func(c tile.Completion) { done <- c.Err })
			return <-done
		}
		for _, queue := range []int{tile.Inline, workers - 1} {
			clear(x[rows*columns:])
			if err := run(queue); err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				for j := range columns {
					if got, want := x[rows*columns+(rows-1-i)*columns+j], float64(i+(2-j)*rows); got != want {
						t.Fatalf("%d workers: element (%d,%d) is %v, wanted %v", workers, i, j, got, want)
					}
				}
			}
			x[40], x[70], x[90] = -1, -1, -1
			var fault *tile.DataError
			if err := run(queue); !errors.As(err, &fault) || fault.Text != "row 40 is negative" {
				t.Fatalf("%d workers: the error is %v, wanted that of row 40", workers, err)
			}
			x[40], x[70], x[90] = 40, 70, 90
		}
		l.Args[1].Offset += 8
		if err := run(tile.Inline); err == nil || !strings.Contains(err.Error(), "covers bytes") {
			t.Errorf("a launch behind the end of its buffer: %v", err)
		}
		if d.cores.busy.Load() != 0 {
			t.Errorf("%d cores are busy after the last launch", d.cores.busy.Load())
		}
	}
}

// Never do more goroutines work than the device has queues, however many routines run.
func TestSharesDoNotOversubscribe(t *testing.T) {
	const workers = 4
	var working, most atomic.Int64
	d, launch := routineOf(t, workers, func(c *tile.Call) error {
		return c.Share(50, func(int) error {
			n := working.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			for range 1000 {
				_ = fmt.Sprint(n)
			}
			working.Add(-1)
			return nil
		})
	})
	defer d.Close()
	var done []chan error
	for q := range workers {
		done = append(done, launch(q))
	}
	for _, end := range done {
		if err := <-end; err != nil {
			t.Fatal(err)
		}
	}
	if n := most.Load(); n > workers {
		t.Errorf("%d goroutines worked at once on %d queues", n, workers)
	}
}

// A panic in a share is an error of the launch, on whatever goroutine it was.
func TestRoutinePanics(t *testing.T) {
	d, launch := routineOf(t, 3, func(c *tile.Call) error { return c.Share(9, func(i int) error { panic(i) }) })
	defer d.Close()
	err := <-launch(tile.Inline)
	if err == nil || !strings.Contains(err.Error(), "panic") {
		t.Errorf("got %v", err)
	}
	if _, err := d.Compile(reversalProgram()); err == nil || !strings.Contains(err.Error(), `no routine "reversal"`) {
		t.Errorf("an unknown routine compiles: %v", err)
	}
}
