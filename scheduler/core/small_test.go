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
	return oneGPUWith(t, Options{Small: 2000, Inline: 100_000})
}

func oneGPUWith(t *testing.T, o Options) (c *Core, fill func(n int) scheduler.StoreID) {
	c, err := New(scheduler.Machine{
		Devices:  []scheduler.Device{{Kind: scheduler.CPU, Queues: 1}, {Kind: scheduler.GPU, Memory: 1, Queues: 1}},
		Memories: []scheduler.Memory{{Name: "host"}, {Name: "gpu"}},
	}, o)
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

// An op whose kernel is not there runs on the host, marked so, if it reads what the host has and is no product; with
// the kernel it runs on the GPU.
func TestColdOps(t *testing.T) {
	cold := map[string]bool{"half": true, "filled": true, "product": true}
	asked := 0
	c, _ := oneGPUWith(t, Options{Meanwhile: 20_000, NoFusion: true, Cold: func(op *scheduler.Op) bool {
		asked++
		return cold[op.Name]
	}})
	b := tile.NewBuilder("half", 1)
	b.Store(b.Do(tile.Mul, b.Load(tile.Float64), b.Const(tile.FloatScalar(tile.Float64, .5))))
	half := b.Program()
	b = tile.NewBuilder("filled", 1)
	b.Store(b.Const(tile.FloatScalar(tile.Float64, 1)))
	filled := b.Program()
	submit := func(p *tile.Program, n int, stores ...scheduler.StoreID) {
		t.Helper()
		op := &scheduler.Op{Name: p.Name, Shape: []int{n}, Program: p}
		for k, id := range stores {
			u := scheduler.Use{View: scheduler.View{Store: id, Type: tile.Float64, Shape: []int{n}, Strides: []int64{8}}}
			if k == len(stores)-1 {
				u.Access = scheduler.Write
			}
			op.Uses = append(op.Uses, u)
		}
		if _, err := c.Submit(op); err != nil {
			t.Fatal(err)
		}
	}
	of := func(bytes int64) scheduler.StoreID {
		id := c.NewStore(bytes)
		if _, err := c.Host.Written(id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	here, large := of(4000), of(16000)
	x, y, z, v, w := c.NewStore(4000), c.NewStore(4000), c.NewStore(4000), c.NewStore(4000), c.NewStore(16000)
	submit(half, 500, here, x)   // on the host
	submit(half, 500, x, y)      // likewise, as x is there
	submit(filled, 500, z)       // reads nothing
	submit(half, 500, z, v)      // z is on the GPU
	submit(half, 2000, large, w) // too much
	plan := c.Flush(false)
	var on []scheduler.DeviceID
	var marked []bool
	for _, task := range plan.Tasks {
		if task.Kind == scheduler.Run {
			on, marked = append(on, task.Device), append(marked, task.Cold)
		}
	}
	if !slices.Equal(on, []scheduler.DeviceID{0, 0, 1, 1, 1}) || !slices.Equal(marked, []bool{true, true, false, false, false}) || len(plan.Fits) != 2 || asked != 2 {
		t.Errorf("asked %d times, the plan is\n%s", asked, plan)
	}
	delete(cold, "half")
	submit(half, 500, here, v)
	if plan := c.Flush(false); plan.Tasks[len(plan.Tasks)-1].Device != 1 || len(plan.Fits) != 0 {
		t.Errorf("with the kernel the plan is\n%s", plan)
	}
}

// halving returns an op of n elements into a new store.
func halving(c *Core, of scheduler.StoreID, n int) *scheduler.Op {
	b := tile.NewBuilder("half", 1)
	b.Store(b.Do(tile.Mul, b.Load(tile.Float64), b.Const(tile.FloatScalar(tile.Float64, .5))))
	view := func(id scheduler.StoreID) scheduler.View {
		return scheduler.View{Store: id, Type: tile.Float64, Shape: []int{n}, Strides: []int64{8}}
	}
	return &scheduler.Op{Name: "half", Shape: []int{n}, Program: b.Program(), Uses: []scheduler.Use{{View: view(of)}, {View: view(c.NewStore(int64(n) * 8)), Access: scheduler.Write}}}
}

// A loop whose kernel is long in coming runs on the host as far as the bound, over all windows together, and goes on
// there when that is done. Each op is cut for the host's queues.
func TestALoopThatStaysCold(t *testing.T) {
	const n, turns = 1000, 5
	c, err := New(scheduler.Machine{
		Devices:  []scheduler.Device{{Kind: scheduler.CPU, Queues: 2}, {Kind: scheduler.GPU, Memory: 1, Queues: 1}},
		Memories: []scheduler.Memory{{Name: "host"}, {Name: "gpu"}},
	}, Options{Meanwhile: 1, MinTile: 4000, Balance: 1, NoFusion: true, Cold: func(*scheduler.Op) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	x := c.NewStore(8 * n)
	if _, err := c.Host.Written(x); err != nil {
		t.Fatal(err)
	}
	work := halving(c, x, n).Work()
	c.opt.Meanwhile = 7*work + work/2
	window := func() (onHost, tiles int) {
		t.Helper()
		for range turns {
			if _, err := c.Submit(halving(c, x, n)); err != nil {
				t.Fatal(err)
			}
		}
		ops := map[scheduler.OpID]bool{}
		for _, task := range c.Flush(true).Tasks {
			if task.Kind == scheduler.Run && task.Cold {
				ops[task.Op.ID] = true
				tiles++
			}
		}
		return len(ops), tiles
	}
	finish := func() {
		for tasks := c.Next(); len(tasks) > 0; tasks = c.Next() {
			for _, task := range slices.Clone(tasks) {
				c.Done(task.ID, nil)
			}
		}
	}
	for i, want := range []int{5, 2, 0, 0} {
		if ops, tiles := window(); ops != want || tiles != 2*want {
			t.Errorf("window %d: %d ops run on the host, in %d tiles; want %d in %d", i, ops, tiles, want, 2*want)
		}
	}
	finish()
	if c.running.cold != 0 {
		t.Errorf("nothing is pending, and of work that waits for kernels %d", c.running.cold)
	}
	if ops, _ := window(); ops != 5 {
		t.Errorf("with nothing pending %d ops run on the host, wanted 5", ops)
	}
}

// What a program costs that flows is not known: it waits for its kernel.
func TestLoopsAreNotCold(t *testing.T) {
	c, _ := oneGPUWith(t, Options{Meanwhile: 1 << 40, NoFusion: true, Cold: func(*scheduler.Op) bool { return true }})
	x := c.NewStore(800)
	if _, err := c.Host.Written(x); err != nil {
		t.Fatal(err)
	}
	b := tile.NewBuilder("flows", 1)
	v := b.Load(tile.Float64)
	b.If(b.Do(tile.Lt, v, b.Const(tile.FloatScalar(tile.Float64, 0))))
	b.End()
	b.Store(v)
	op := halving(c, x, 100)
	op.Program = b.Program()
	if !op.Program.Flows() {
		t.Fatal("the program does not flow")
	}
	for _, op := range []*scheduler.Op{op, halving(c, x, 100)} {
		if _, err := c.Submit(op); err != nil {
			t.Fatal(err)
		}
	}
	var cold []bool
	for _, task := range c.Flush(false).Tasks {
		if task.Kind == scheduler.Run {
			cold = append(cold, task.Cold)
		}
	}
	if !slices.Equal(cold, []bool{false, true}) {
		t.Errorf("on the host meanwhile are %v; want the second alone, which does not flow", cold)
	}
}
