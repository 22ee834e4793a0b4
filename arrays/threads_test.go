package arrays_test

import (
	"errors"
	"testing"

	"weft/arrays"
	"weft/tile"
)

// scaled is a kernel that writes x[i] * by into y[i], for i below the length of y.
func scaled() *tile.Program {
	b := tile.NewThreads("scaled")
	x, y := b.Array(tile.In, tile.Float64, 1, "x"), b.Array(tile.Update, tile.Float64, 1, "y")
	by := b.Uniform(tile.Float64)
	wide := func(f tile.Form) tile.Value { return b.Cast(tile.Int64, b.Thread(f)) }
	i := b.Do(tile.Add, b.Do(tile.Mul, wide(tile.CtaidX), wide(tile.NtidX)), wide(tile.TidX))
	b.If(b.Do(tile.Lt, i, b.Size(y, 0)))
	b.Put(y, b.Do(tile.Mul, b.Element(x, i), by), i)
	b.End()
	return b.Program()
}

// A launch is an op among others: it sees what was asked before, and what comes later sees what it writes.
func TestThreads(t *testing.T) {
	c := arrays.New(newDirect(t))
	call := func(name string, args ...any) *arrays.Array {
		t.Helper()
		a, err := c.Call(name, args...)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	x := call("arange", 10.0)
	y := call("zeros", 10)
	p := scaled()
	grid := tile.Grid{Blocks: [3]int{3, 1, 1}, Threads: [3]int{4, 1, 1}}
	by := []tile.Scalar{tile.FloatScalar(tile.Float64, 3)}
	if err := c.Threads(p, grid, []*arrays.Array{call("add", x, 1.0), y}, by); err != nil {
		t.Fatal(err)
	}
	if got, err := call("sum", y).Item(nil); err != nil || got.Float() != 3*55 {
		t.Errorf("got %v, %v; want 165", got, err)
	}
	for _, bad := range []struct {
		args []*arrays.Array
		grid tile.Grid
		want string
	}{
		{[]*arrays.Array{x}, grid, "kernel scaled takes 2 arrays and 1 scalars, got 1 and 1"},
		{[]*arrays.Array{x, call("broadcast_to", y, 10)}, grid, "kernel scaled: y is read-only"},
		{[]*arrays.Array{x, call("arange", 10)}, grid, "kernel scaled: y is an array of int64 with 1 axes; it was compiled for float64 with 1"},
		{[]*arrays.Array{x, y}, tile.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{2000, 1, 1}}, "kernel scaled: 2000 threads along x of a block; want 1 to 1024"},
	} {
		err := c.Threads(p, bad.grid, bad.args, by)
		var e *arrays.Error
		if !errors.As(err, &e) || e.Text != bad.want {
			t.Errorf("got %v; want %s", err, bad.want)
		}
	}
	for _, args := range [][]*arrays.Array{
		{call("arange", 5.0), y},
		{call("zeros", arrays.Keyword{Name: "shape", Value: 0}), y},
	} {
		err := c.Threads(p, grid, args, by)
		var e *arrays.Error
		if !errors.As(err, &e) || e.Type != "IndexError" {
			t.Errorf("got %v; want an IndexError", err)
		}
	}
	if err := c.Threads(p, grid, []*arrays.Array{x, x}, by); err != nil {
		t.Fatal(err)
	}
	if got, err := call("sum", x).Item(nil); err != nil || got.Float() != 3*45 {
		t.Errorf("got %v, %v; want 135", got, err)
	}
}
