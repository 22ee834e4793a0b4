package core

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/scheduler"
	"weft/scheduler/fuse"
	"weft/tile"
)

// world submits random windows over a few stores to two cores alike.
type world struct {
	t        *testing.T
	cores    [2]*Core // the second one remembers nothing
	programs map[string]*tile.Program
}

func newWorld(t *testing.T, o Options) *world {
	w := &world{t: t, programs: map[string]*tile.Program{}}
	for i := range w.cores {
		o.NoTemplates = i > 0
		c, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 2}}, Memories: []scheduler.Memory{{Name: "host"}}}, o)
		if err != nil {
			t.Fatal(err)
		}
		w.cores[i] = c
	}
	for _, p := range known() {
		w.programs[p.Name] = p
	}
	return w
}

// window submits what a seed draws, over stores of its own with uniforms of its own, and returns the plans. Equal seeds
// are windows of one signature.
func (w *world) window(seed uint64) (plans [2]*scheduler.Plan) {
	for i, c := range w.cores {
		r := rand.New(rand.NewPCG(seed, 7))
		n := 2 + r.IntN(2)
		var stores []scheduler.StoreID
		for range 4 {
			id := c.NewStore(int64(16 * n * n))
			if len(stores) < 2 {
				if _, err := c.Host.Written(id); err != nil {
					w.t.Fatal(err)
				}
			}
			stores = append(stores, id)
		}
		released := map[scheduler.StoreID]bool{}
		for range 2 + r.IntN(6) {
			name := []string{"copy2", "add2", "scale2", "fill2", "all2", "sum2"}[r.IntN(6)]
			op := &scheduler.Op{Name: name[:len(name)-1], Shape: []int{n, n}, Program: w.programs[name], Where: scheduler.Where{Source: 1, Line: int32(c.Look.LastOp())}}
			for range op.Program.Uniforms {
				op.Uniforms = append(op.Uniforms, tile.FloatScalar(tile.Float64, float64(c.Look.LastOp())))
			}
			for _, p := range op.Program.Params {
				v := scheduler.View{Store: stores[r.IntN(len(stores))], Type: tile.Float64, Offset: int64(8 * r.IntN(2)), Shape: op.Shape, Strides: []int64{int64(8 * n), 8}}
				if r.IntN(4) == 0 {
					v.Strides = []int64{8, int64(8 * n)}
				}
				if p.Dir == tile.Out && name == "sum2" {
					op.Kind, op.Reduced, v.Shape = scheduler.Reduce, 3, []int{1, 1}
				}
				op.Uses = append(op.Uses, scheduler.Use{View: v, Access: scheduler.AccessOf[p.Dir]})
			}
			if _, err := c.Submit(op); err != nil {
				continue // it overlaps itself, or its store is gone
			}
			if id := stores[r.IntN(len(stores))]; r.IntN(3) == 0 && !released[id] {
				c.Release(id)
				released[id] = true
			}
		}
		for _, id := range stores {
			if !released[id] && r.IntN(2) == 0 {
				c.Release(id)
			}
		}
		plans[i] = c.Flush(false)
	}
	return plans
}

// Plans by templates are those of a core that captures each window anew, also by templates that were written down and
// read again.
func TestReplayIsPlanningAfresh(t *testing.T) {
	for name, o := range map[string]Options{
		"graph":    {Renew: 1, MinTile: 16},
		"in order": {Renew: 1, Inline: 1 << 40},
	} {
		w := newWorld(t, o)
		replayed, fused, dropped, turned := 0, 0, 0, 0
		for i := range uint64(6000) {
			plans := w.window(i % 2000)
			got, want := plans[0].String(), plans[1].String()
			if got != want {
				t.Fatalf("%s: window %d is planned as\n%s\nwanted\n%s\nby the template\n%s", name, i, got, want, plans[0].Template)
			}
			for k, c := range w.cores {
				finish(c, plans[k])
			}
			tm, _ := plans[0].Template.(*fuse.Template)
			if tm == nil {
				continue
			}
			if i >= 2000 {
				if !plans[0].Replayed {
					t.Fatalf("%s: window %d came before, but is captured again", name, i)
				}
				replayed++
				continue
			}
			read, err := fuse.ParseTemplate(tm.String())
			if err != nil || read.String() != tm.String() || fmt.Sprint(read.Made, read.Parts, read.Operands, read.Uniforms, read.Fused) != fmt.Sprint(tm.Made, tm.Parts, tm.Operands, tm.Uniforms, tm.Fused) {
				t.Fatalf("%s: a template reads back as\n%v\n(%v), wanted\n%v", name, read, err, tm)
			}
			for k := range tm.Ops {
				o := &tm.Ops[k]
				fused += len(o.Operands)
				turned += len(o.Turns)
				if o.Program == nil && len(o.Members) > 1 {
					dropped++
				}
				if o.Work != read.Ops[k].Work || fmt.Sprint(o.Block) != fmt.Sprint(read.Ops[k].Block) {
					t.Fatalf("%s: op %d of a template costs %d, read back %d\n%v", name, k, o.Work, read.Ops[k].Work, tm)
				}
			}
			// From now on the one that was read is replayed.
			*tm = *read
		}
		if replayed < 1000 || fused < 500 || dropped < 20 || turned < 20 {
			t.Errorf("%s: %d windows replayed, %d operands of fused ops, %d dropped, %d parts with turned axes: the test shows nothing", name, replayed, fused, dropped, turned)
		}
	}
}

// finish runs all tasks of a plan.
func finish(c *Core, p *scheduler.Plan) {
	for i := range p.Tasks {
		if p.InOrder && c.InOrder.Turn(i) {
			c.InOrder.Ended(i, nil)
		}
	}
	for tasks := c.Next(); len(tasks) > 0; tasks = c.Next() {
		for _, task := range tasks {
			c.Done(task.ID, nil)
		}
	}
}

// A template that is not what capturing gives is found where templates are checked.
func TestRecaptureFindsAWrongTemplate(t *testing.T) {
	w := newWorld(t, Options{Recapture: true})
	var tm *fuse.Template
	seed := uint64(0)
	for ; tm == nil || !tm.Fused; seed++ {
		plans := w.window(seed)
		tm, _ = plans[0].Template.(*fuse.Template)
		for k, c := range w.cores {
			finish(c, plans[k])
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong template is replayed")
		}
	}()
	tm.Splits = append(tm.Splits, fuse.Split{Op: 1, Why: scheduler.Size})
	w.window(seed - 1)
}
