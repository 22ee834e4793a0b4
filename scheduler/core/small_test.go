package core

import (
	"slices"
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// oneGPU returns a core of a machine with one GPU that keeps little work on the host, in order, and what fills a new
// store of so many float64.
func oneGPU(t *testing.T) (c *Core, fill func(n int) scheduler.StoreID) {
	c, err := New(scheduler.Machine{
		Devices:  []scheduler.Device{{Kind: scheduler.CPU, Queues: 1}, {Kind: scheduler.GPU, Memory: 1, Queues: 1}},
		Memories: []scheduler.Memory{{Name: "host"}, {Name: "gpu"}},
	}, Options{Small: 2000, Inline: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	b := tile.NewBuilder("fill", 1)
	b.Store(b.Const(tile.FloatScalar(tile.Float64, 1)))
	p := b.Program()
	return c, func(n int) scheduler.StoreID {
		id := c.NewStore(int64(n) * 8)
		op := &scheduler.Op{Kind: scheduler.Fill, Name: "fill", Shape: []int{n}, Program: p, Uses: []scheduler.Use{{View: scheduler.View{Store: id, Type: tile.Float64, Shape: []int{n}, Strides: []int64{8}}, Access: scheduler.Write}}}
		if _, err := c.Submit(op); err != nil {
			t.Fatal(err)
		}
		return id
	}
}

// What stays on the host runs in order, on a machine with a GPU as on others; what uses the GPU, or comes while it
// works, does not.
func TestSmallWorkRunsInOrder(t *testing.T) {
	c, fill := oneGPU(t)
	fill(50)
	c.Release(fill(20))
	plan := c.Flush(false)
	if !plan.InOrder {
		t.Fatalf("the plan is not in order:\n%s", plan)
	}
	for i := range plan.Tasks {
		c.InOrder.Turn(i)
		c.InOrder.Ended(i, nil)
	}
	fill(50)
	fill(5000)
	if plan := c.Flush(false); plan.InOrder {
		t.Errorf("work for the GPU runs in order:\n%s", plan)
	}
	fill(50)
	if plan := c.Flush(false); plan.InOrder {
		t.Errorf("a window runs in order while the GPU has work:\n%s", plan)
	}
}

// The host may write at once what no other memory has, and what it has itself it reads at no cost.
func TestStoresAtHome(t *testing.T) {
	c, fill := oneGPU(t)
	small, large := fill(50), fill(5000)
	c.Flush(false)
	for tasks := c.Next(); len(tasks) > 0; tasks = c.Next() {
		for _, task := range slices.Clone(tasks) {
			c.Done(task.ID, nil)
		}
	}
	if c.Host.AtRest(small) == nil || c.Host.AtRest(large) != nil {
		t.Errorf("at rest are %v, on the host, and %v, on the GPU", c.Host.AtRest(small), c.Host.AtRest(large))
	}
	if vast := c.NewStore(nearBytes + 1); !c.Look.Near(small) || !c.Look.Near(large) || c.Look.Near(vast) {
		t.Errorf("near are %v, on the host; %v, on the GPU; %v, of %d bytes", c.Look.Near(small), c.Look.Near(large), c.Look.Near(vast), nearBytes+1)
	}
}
