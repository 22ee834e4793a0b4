package ptx

import (
	"strings"
	"testing"

	"weft/tile"
)

// An array at odd bytes is read byte by byte; those beside it are not, and can be changed by atomics.
func TestLooseArrays(t *testing.T) {
	b := tile.NewThreads("counted")
	from := b.Array(tile.In, tile.Int32, 1, "x")
	to := b.Array(tile.Update, tile.Int32, 1, "n")
	i := b.Cast(tile.Int64, b.Thread(tile.TidX))
	b.Atomic(tile.AtomicAdd, to, b.Element(from, i), i)
	p := b.Program()
	for _, c := range []struct {
		offsets [2]int64
		bytes   int // how many parts of elements are read byte by byte
		wrong   string
	}{
		{[2]int64{0, 0}, 0, ""},
		{[2]int64{1, 0}, 4, ""},
		{[2]int64{0, 2}, 0, "do not lie at multiples"},
	} {
		l := &tile.Launch{Program: p, Grid: tile.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{32, 1, 1}}}
		for k := range p.Params {
			l.Args = append(l.Args, tile.Binding{Buffer: tile.Buffer{Handle: 256}, Offset: c.offsets[k], Strides: []int64{4}, Shape: []int{32}})
		}
		v, _ := Plan(l)
		k, err := Emit(p, v)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("offsets %v: got %v; want an error with %q", c.offsets, err, c.wrong)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(Module(Target{}, k), "ld.global.u8"); got != c.bytes {
			t.Errorf("offsets %v: %d bytes are read; want %d", c.offsets, got, c.bytes)
		}
	}
}
