package scheduler

import (
	"testing"

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
	c, err := New(Machine{Devices: []Device{{Kind: CPU, Queues: 1}}, Memories: []Memory{{Name: "host"}}}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	shape, strides := []int{100}, []int64{8}
	view := func(id StoreID) View {
		return View{Store: id, Type: tile.Float64, Shape: shape, Strides: strides}
	}
	run := func() {
		c.Flush()
		for tasks := c.Next(); len(tasks) > 0; tasks = c.Next() {
			for _, t := range tasks {
				c.Done(t.ID, nil)
			}
		}
	}
	from := c.NewStore(800)
	if _, err := c.HostWritten(from); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		to := c.NewStore(800)
		full, err := c.Submit(&Op{Name: "add", Shape: shape, Program: add,
			Uses: []Use{{View: view(from)}, {View: view(from)}, {View: view(to), Access: Write}}})
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
