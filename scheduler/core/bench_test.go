package core

import (
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// What the core costs per small op on one CPU: a fresh result, and the operand released, as
// in a loop over small arrays.
func BenchmarkOp(b *testing.B) {
	var add *tile.Program
	for _, p := range known() {
		if p.Name == "add1" {
			add = p
		}
	}
	c, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 1}}, Memories: []scheduler.Memory{{Name: "host"}}}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	shape, strides := []int{100}, []int64{8}
	view := func(id scheduler.StoreID) scheduler.View {
		return scheduler.View{Store: id, Type: tile.Float64, Shape: shape, Strides: strides}
	}
	run := func() {
		c.Flush(true)
		for tasks := c.Next(); len(tasks) > 0; tasks = c.Next() {
			for _, t := range tasks {
				c.Done(t.ID, nil)
			}
		}
	}
	from := c.NewStore(800)
	if _, err := c.Host.Written(from); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		to := c.NewStore(800)
		full, err := c.Submit(&scheduler.Op{Name: "add", Shape: shape, Program: add,
			Uses: []scheduler.Use{{View: view(from)}, {View: view(from)}, {View: view(to), Access: scheduler.Write}}})
		if err != nil {
			b.Fatal(err)
		}
		c.Release(from)
		from = to
		if full {
			run()
		}
	}
}

// What the core costs per op of an in-place stencil over a small grid: slices of one array,
// temporaries that are released at once, an assignment into a slice. Each op counts.
func BenchmarkStencilOp(b *testing.B) {
	for name, unfused := range map[string]bool{"fused": false, "unfused": true} {
		b.Run(name, func(b *testing.B) {
			programs := map[string]*tile.Program{}
			for _, p := range known() {
				programs[p.Name] = p
			}
			c, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 1}}, Memories: []scheduler.Memory{{Name: "host"}}}, Options{NoFusion: unfused})
			if err != nil {
				b.Fatal(err)
			}
			const n, inner = 41, 39
			shape, row := []int{inner, inner}, []int64{n * 8, 8}
			flat, step := []int{inner * inner}, []int64{8}
			u := c.NewStore(n * n * 8)
			if _, err := c.Host.Written(u); err != nil {
				b.Fatal(err)
			}
			slice := func(i, j int) scheduler.View {
				return scheduler.View{Store: u, Type: tile.Float64, Offset: int64(i*n+j) * 8, Shape: shape, Strides: row}
			}
			temp := func(id scheduler.StoreID) scheduler.View {
				return scheduler.View{Store: id, Type: tile.Float64, Shape: shape, Strides: scheduler.CStrides(shape, 8)}
			}
			ops := 0
			submit := func(op *scheduler.Op) {
				ops++
				full, err := c.Submit(op)
				if err != nil {
					b.Fatal(err)
				}
				if full {
					c.Flush(true)
					for tasks := c.Next(); len(tasks) > 0; tasks = c.Next() {
						for _, t := range tasks {
							c.Done(t.ID, nil)
						}
					}
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				sum := slice(1, 1)
				for _, at := range [4][2]int{{0, 1}, {2, 1}, {1, 0}, {1, 2}} {
					next := temp(c.NewStore(inner * inner * 8))
					submit(&scheduler.Op{Name: "add", Shape: shape, Program: programs["add2"],
						Uses: []scheduler.Use{{View: sum}, {View: slice(at[0], at[1])}, {View: next, Access: scheduler.Write}}})
					if sum.Store != u {
						c.Release(sum.Store)
					}
					sum = next
				}
				scaled := temp(c.NewStore(inner * inner * 8))
				submit(&scheduler.Op{Name: "multiply", Shape: flat, Program: programs["scale1"], Uniforms: []tile.Scalar{tile.FloatScalar(tile.Float64, 0.2)},
					Uses: []scheduler.Use{{View: scheduler.View{Store: sum.Store, Type: tile.Float64, Shape: flat, Strides: step}},
						{View: scheduler.View{Store: scaled.Store, Type: tile.Float64, Shape: flat, Strides: step}, Access: scheduler.Write}}})
				c.Release(sum.Store)
				submit(&scheduler.Op{Name: "copy", Kind: scheduler.Move, Shape: shape, Program: programs["copy2"],
					Uses: []scheduler.Use{{View: scaled}, {View: slice(1, 1), Access: scheduler.Write}}})
				c.Release(scaled.Store)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(ops), "ns/op-of-cell")
		})
	}
}

// BenchmarkWindow is what a window of five ops costs that a loop comes to again, planned in order, with the run of its
// tasks left out.
func BenchmarkWindow(b *testing.B) {
	for name, afresh := range map[string]bool{"replayed": false, "captured": true} {
		b.Run(name, func(b *testing.B) {
			programs := map[string]*tile.Program{}
			for _, p := range known() {
				programs[p.Name] = p
			}
			c, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 2}}, Memories: []scheduler.Memory{{Name: "host"}}}, Options{Inline: 5 << 19, NoTemplates: afresh})
			if err != nil {
				b.Fatal(err)
			}
			const n = 20_000
			shape, strides := []int{n}, []int64{8}
			view := func(id scheduler.StoreID) scheduler.View {
				return scheduler.View{Store: id, Type: tile.Float64, Shape: shape, Strides: strides}
			}
			x := c.NewStore(8 * n)
			if _, err := c.Host.Written(x); err != nil {
				b.Fatal(err)
			}
			var forms [2]scheduler.Form
			add := func(x, y scheduler.StoreID) scheduler.StoreID {
				z := c.NewStore(8 * n)
				if _, err := c.Submit(&scheduler.Op{Name: "add", Shape: shape, Program: programs["add1"], Form: &forms[0],
					Uses: []scheduler.Use{{View: view(x)}, {View: view(y)}, {View: view(z), Access: scheduler.Write}}}); err != nil {
					b.Fatal(err)
				}
				return z
			}
			b.ReportAllocs()
			for b.Loop() {
				t := add(x, x)
				u := add(t, x)
				c.Release(t)
				v := add(u, x)
				w := add(v, u)
				c.Release(u)
				y := add(w, x)
				c.Release(v)
				c.Release(w)
				sum := c.NewStore(40)
				if _, err := c.Submit(&scheduler.Op{Kind: scheduler.Reduce, Name: "sum", Shape: shape, Reduced: 1, Program: programs["sum1"], Form: &forms[1],
					Uses: []scheduler.Use{{View: view(y)}, {View: scheduler.View{Store: sum, Type: tile.Float64, Shape: []int{5}, Strides: strides}, Access: scheduler.Write}}}); err != nil {
					b.Fatal(err)
				}
				c.Release(y)
				c.Release(sum)
				p := c.Flush(false)
				for i := range p.Tasks {
					if c.InOrder.Turn(i) {
						c.InOrder.Ended(i, nil)
					}
				}
			}
		})
	}
}
