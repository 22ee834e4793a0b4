package cuda

import (
	"slices"
	"testing"

	"weft/cuda/ptx"
	"weft/tile"
)

// A form of a program of threads is of launches whose arrays lie at odd bytes as its own do: the kernel reads these
// byte by byte, and no others.
func TestFormsOfThreadsAtOddBytes(t *testing.T) {
	b := tile.NewThreads("copied")
	from, to := b.Array(tile.In, tile.Int32, 1, "x"), b.Array(tile.Update, tile.Int32, 1, "y")
	i := b.Cast(tile.Int64, b.Thread(tile.TidX))
	b.Put(to, b.Element(from, i), i)
	launch := func(offsets ...int64) *tile.Launch {
		l := &tile.Launch{Program: b.Program(), Grid: tile.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{32, 1, 1}}}
		for _, at := range offsets {
			l.Args = append(l.Args, tile.Binding{Buffer: tile.Buffer{Handle: 256, Size: 256}, Offset: at, Strides: []int64{4}, Shape: []int{32}})
		}
		return l
	}
	offsets := [][]int64{{0, 0}, {1, 0}, {0, 1}, {1, 2}}
	var f forms
	for _, at := range offsets {
		l := launch(at...)
		if f.find(l) != nil {
			t.Fatalf("offsets %v: a form of other offsets is taken", at)
		}
		v, s := ptx.Plan(l)
		f.keep(l, nil, v, s)
	}
	for n, at := range offsets {
		l := launch(at[0]+4, at[1]+8)
		if got := f.find(l); got == nil || got != f.known[n] {
			t.Errorf("offsets %v: form %d is taken, want %d", at, slices.Index(f.known[:], got), n)
		}
	}
}
