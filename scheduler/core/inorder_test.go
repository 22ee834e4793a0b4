package core

import (
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// A window of little work is one task an op, to run in order; what costs more is cut and handed
// out, be it for its bytes or for what is computed on them.
func TestLittleWorkIsNotCut(t *testing.T) {
	repeated := func(op tile.Opcode, times int) *tile.Program {
		b := tile.NewBuilder("adds", 1)
		x := b.Load(tile.Float64)
		for range times {
			x = b.Do(op, x, x)
		}
		b.Store(x)
		return b.Program()
	}
	for _, c := range []struct {
		program  *tile.Program
		ops, n   int
		inOrder  bool
		tasksPer int
	}{
		{repeated(tile.Add, 1), 1, 1000, true, 1},
		{repeated(tile.Add, 1), 10, 500, true, 1},
		{repeated(tile.Add, 1), 1, 10000, false, 4},
		{repeated(tile.Add, 1), 10, 2000, false, 4},
		{repeated(tile.Add, 100), 1, 1000, false, 4},
		{repeated(tile.Pow, 2), 1, 1000, false, 4},
		{repeated(tile.Pow, 2), 1, 100, true, 1},
	} {
		core, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 2}}, Memories: []scheduler.Memory{{Name: "host"}}},
			Options{MinTile: 1000, Inline: 100_000, HandOver: 1, NoFusion: true})
		if err != nil {
			t.Fatal(err)
		}
		view := func() scheduler.View {
			return scheduler.View{Store: core.NewStore(int64(c.n) * 8), Type: tile.Float64, Shape: []int{c.n}, Strides: []int64{8}}
		}
		for range c.ops {
			from := view()
			if _, err := core.Host.Written(from.Store); err != nil {
				t.Fatal(err)
			}
			op := &scheduler.Op{Name: "adds", Shape: []int{c.n}, Program: c.program, Uses: []scheduler.Use{{View: from}, {View: view(), Access: scheduler.Write}}}
			if _, err := core.Submit(op); err != nil {
				t.Fatal(err)
			}
		}
		plan := core.Flush(false)
		if plan.InOrder != c.inOrder || len(plan.Tasks) != c.ops*c.tasksPer {
			t.Errorf("%d ops of %d elements, each of work %d: %d tasks, in order %v; want %d, %v",
				c.ops, c.n, c.program.Work(), len(plan.Tasks), plan.InOrder, c.ops*c.tasksPer, c.inOrder)
		}
	}
}
