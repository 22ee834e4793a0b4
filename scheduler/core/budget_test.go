package core

import (
	"fmt"
	"testing"

	"weft/scheduler"
	"weft/scheduler/verify"
	"weft/tile"
)

// What a stencil moves between four GPUs in each step: the rows at the borders of the tiles, in
// a grid also the columns, and nothing else. Two of the array's edges are written on their own.
func TestStencilMovesItsHalo(t *testing.T) {
	const n, inner = 1002, 1000
	programs := map[string]*tile.Program{}
	for _, p := range known() {
		programs[p.Name] = p
	}
	for _, c := range []struct {
		gpus int
		grid [2]int
		want int64
	}{
		{4, [2]int{}, 3 * 2 * inner * 8},
		{4, [2]int{4, 1}, 3 * 2 * inner * 8},
		{4, [2]int{2, 2}, 2*inner*8 + 2*inner*8},
		{4, [2]int{1, 4}, 3 * 2 * inner * 8},
		{6, [2]int{2, 3}, 2*inner*8 + 2*2*inner*8},
		{3, [2]int{}, 2 * 2 * inner * 8},
	} {
		t.Run(fmt.Sprintf("%d GPUs %v", c.gpus, c.grid), func(t *testing.T) {
			m := scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 1}}, Memories: []scheduler.Memory{{Name: "host"}}}
			for i := range c.gpus {
				m.Devices = append(m.Devices, scheduler.Device{Kind: scheduler.GPU, Memory: scheduler.MemoryID(i + 1), Queues: 1})
				m.Memories = append(m.Memories, scheduler.Memory{Name: fmt.Sprintf("gpu%d", i)})
			}
			core, err := New(m, Options{Grid: c.grid})
			if err != nil {
				t.Fatal(err)
			}
			checker := verify.NewChecker(core.Look.Completed)
			moved := func(ops ...*scheduler.Op) (total int64) {
				for _, op := range ops {
					if _, err := core.Submit(op); err != nil {
						t.Fatal(err)
					}
				}
				p := core.Flush(false)
				if err := checker.Plan(p); err != nil {
					t.Fatal(err)
				}
				for _, task := range p.Tasks {
					if task.Kind == scheduler.Copy {
						total += task.Bytes()
					}
				}
				return total
			}
			u, w := core.NewStore(n*n*8), core.NewStore(inner*inner*8)
			flat := scheduler.View{Store: u, Type: tile.Float64, Shape: []int{n * n}, Strides: []int64{8}}
			whole := scheduler.View{Store: u, Type: tile.Float64, Shape: []int{n, n}, Strides: []int64{n * 8, 8}}
			slice := func(i, j, rows, cols int) scheduler.View {
				return scheduler.View{Store: u, Type: tile.Float64, Offset: int64(i*n+j) * 8, Shape: []int{rows, cols}, Strides: []int64{n * 8, 8}}
			}
			temp := scheduler.View{Store: w, Type: tile.Float64, Shape: []int{inner, inner}, Strides: []int64{inner * 8, 8}}
			fill := func(v scheduler.View) *scheduler.Op {
				return &scheduler.Op{Name: "fill", Kind: scheduler.Fill, Shape: v.Shape, Program: programs[fmt.Sprint("fill", len(v.Shape))], Uses: []scheduler.Use{{View: v, Access: scheduler.Write}}}
			}
			add := func(a, b, to scheduler.View) *scheduler.Op {
				return &scheduler.Op{Name: "add", Shape: to.Shape, Program: programs["add2"], Uses: []scheduler.Use{{View: a}, {View: b}, {View: to, Access: scheduler.Write}}}
			}
			start := flat
			if c.grid[1] > 1 {
				start = whole // as one axis it is cut into slabs
			}
			moved(fill(start))
			step := func() int64 {
				return moved(
					add(slice(0, 1, inner, inner), slice(2, 1, inner, inner), temp),
					add(temp, slice(1, 0, inner, inner), temp),
					add(temp, slice(1, 2, inner, inner), temp),
					&scheduler.Op{Name: "copy", Kind: scheduler.Move, Shape: temp.Shape, Program: programs["copy2"], Uses: []scheduler.Use{{View: temp}, {View: slice(1, 1, inner, inner), Access: scheduler.Write}}},
					fill(slice(0, 0, 1, n)), fill(slice(0, n-1, n, 1)),
				)
			}
			step()
			for k := range 3 {
				if got := step(); got != c.want {
					t.Errorf("step %d moves %d bytes, want %d", k, got, c.want)
				}
			}
		})
	}
}
