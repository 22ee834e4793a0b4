package cpu

import (
	"strings"
	"testing"

	"weft/tile"
)

// What the marks of a launch take has a bound: a launch with more of them fails, and says so, and the next one runs.
func TestMarksOfManyThreads(t *testing.T) {
	const reads, most = 16, 4096
	b := tile.NewThreads("read")
	b.Guarded()
	a := b.Array(tile.Update, tile.Int64, 1, "a")
	b.Fence(tile.FenceDevice)
	wide := func(form tile.Form) tile.Value { return b.Cast(tile.Int64, b.Thread(form)) }
	i := b.Do(tile.Add, b.Do(tile.Mul, wide(tile.CtaidX), wide(tile.NtidX)), wide(tile.TidX))
	sum := i
	for k := range reads {
		sum = b.Do(tile.Add, sum, b.Element(a, b.Const(tile.IntScalar(tile.Int64, int64(k)))))
	}
	b.Put(a, sum, b.Do(tile.Add, i, b.Const(tile.IntScalar(tile.Int64, reads))))
	p := b.Program()
	d := New(Options{Workers: 1, Memory: 1 << 20}) // a quarter of it is for 16 Ki marks
	exe, err := d.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	buf, err := d.Alloc(8 * (reads + most))
	if err != nil {
		t.Fatal(err)
	}
	launch := func(threads int) error {
		l := &tile.Launch{Exe: exe, Program: p, Grid: tile.Grid{Blocks: [3]int{threads / 64, 1, 1}, Threads: [3]int{64, 1, 1}},
			Args: []tile.Binding{{Buffer: buf, Shape: []int{reads + most}, Strides: []int64{8}}}}
		done := make(chan error, 1)
		d.Launch(0, l, func(c tile.Completion) { done <- c.Err })
		return <-done
	}
	for range 2 {
		if err := launch(512); err != nil {
			t.Errorf("512 threads with %d marks each: %v", reads, err)
		}
		if err := launch(most); err == nil || !strings.Contains(err.Error(), "there is no memory for what says who did what") {
			t.Errorf("%d threads with %d marks each: got error %v; want that there is no memory", most, reads, err)
		}
	}
	d.Free(buf)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
