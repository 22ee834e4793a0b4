package core

import (
	"fmt"
	"math"
	"slices"

	"weft/scheduler"
	"weft/scheduler/region"
)

// A window of little work is not worth a graph: where nothing else is pending, its tasks run on
// the calling thread in the order of the plan, which is an order in which they could run one by
// one. No dependences are looked for, nothing is handed out; what is left of a task is its
// place in the log and the values of its bytes.
//
//	p := c.Flush(true)
//	if p.InOrder {
//		for i, t := range p.Tasks {
//			if c.InOrder.Turn(i) {
//				c.InOrder.Ended(i, run(t))
//			}
//		}
//	}

// InOrder runs the tasks of such a plan.
type InOrder struct{ c *Core }

// order is the pass that decides between the two.
func order(c *Core) {
	if c.plan.InOrder = c.little(); !c.plan.InOrder {
		c.depend(c.nodes)
		return
	}
	for _, n := range c.nodes {
		n.InOrder = true
	}
}

// little reports whether the plan is to run in order.
func (c *Core) little() bool {
	if !c.quiet() || len(c.machine.Memories) > 1 && !c.atHome() {
		return false
	}
	all, largest := int64(0), int64(0)
	for _, n := range c.nodes {
		if n.Kind != scheduler.Free && !n.Zeros {
			all += n.Cost()
			if stake := n.Stake(); !c.tiling.shared || stake == math.MaxInt64 || !shares(n.Op) {
				largest = max(largest, stake)
			}
		}
	}
	return all <= c.opt.Inline || largest <= c.Look.SmallTask()
}

// quiet reports whether nothing else is pending that a window which runs in order would have to wait for.
func (c *Core) quiet() bool { return c.opt.Inline > 0 && c.running.pending == 0 }

// alone reports whether any window may run in order now. Where memory is limited, the order of the plan is one in
// which everything has room. On machines of several memories it is known only when everything has its place: see
// atHome.
func (c *Core) alone() bool { return c.quiet() && len(c.machine.Memories) == 1 }

// atHome reports whether all that the plan runs is on the host, and nothing is copied: copies wait for queues of their
// own.
func (c *Core) atHome() bool {
	for _, n := range c.nodes {
		if n.Kind == scheduler.Copy || n.Kind == scheduler.Run && c.machine.Devices[n.Device].Memory != 0 {
			return false
		}
	}
	return true
}

// sharing reports whether the window is to run in order because the device shares what is large of it.
func (c *Core) sharing() bool {
	if c.opt.CutLittle || !c.alone() || c.windowWork() > c.opt.Shared {
		return false
	}
	for i := range c.window {
		if e := &c.window[i]; e.op != nil && !e.empty && e.work > c.Look.SmallTask() && !shares(e.op) {
			return false
		}
	}
	return true
}

// shares reports whether a device can do the op in parts side by side: it is points, or blocks, of which none needs
// another's result.
func shares(op *scheduler.Op) bool {
	switch op.Kind {
	case scheduler.Map, scheduler.Move, scheduler.Fill, scheduler.Reduce:
		return !op.Program.Flows() && !op.Program.Gathers()
	}
	return false
}

// windowWork returns what the window costs. Zeros of an array that has no memory yet cost nothing where that comes
// fresh from the system, and are paid for by what writes them first where it does not.
func (c *Core) windowWork() int64 {
	sum := int64(0)
	for i := range c.window {
		if e := &c.window[i]; e.op != nil && !(fillsZeros(e.op, e.uses[0].store) && e.uses[0].store.bare()) {
			sum += e.work
		}
	}
	return sum
}

// Turn is asked before each task of a plan in order. Without the values that it reads a task does
// not run: it has failed already.
func (o InOrder) Turn(i int) bool {
	n := o.c.turn(i)
	if f := o.c.fate(n); f != nil {
		o.c.end(n, f)
		return false
	}
	n.state = handedOut
	return true
}

func (c *Core) turn(i int) *node {
	n := c.nodes[i]
	if !c.plan.InOrder || n.state != planned {
		panic(fmt.Sprintf("BUG: inv 3: %v runs out of turn", n.ID))
	}
	return n
}

// Relate fills in After of the tasks that ran in order, which graphs show like the others. The
// tasks are in the order of their IDs; what came before them is not looked at.
func Relate(tasks []*scheduler.Task) {
	for len(tasks) > 0 && !tasks[len(tasks)-1].InOrder { // later tasks have no say in what earlier ones waited for
		tasks = tasks[:len(tasks)-1]
	}
	asked := map[scheduler.InstanceID]bool{} // by tasks that ran in order: what touches none of these has no say either
	touched := func(t *scheduler.Task, with func(*scheduler.Instance)) {
		for k := range t.Args {
			with(t.Args[k].Instance)
		}
		for _, inst := range []*scheduler.Instance{t.Src, t.Dst} {
			if inst != nil {
				with(inst)
			}
		}
	}
	for _, t := range tasks {
		if t.InOrder {
			touched(t, func(inst *scheduler.Instance) { asked[inst.ID] = true })
		}
	}
	tasks = slices.DeleteFunc(slices.Clone(tasks), func(t *scheduler.Task) bool {
		beside := true
		touched(t, func(inst *scheduler.Instance) { beside = beside && !asked[inst.ID] })
		return beside && !t.InOrder
	})
	instances := map[scheduler.InstanceID]*instance{}
	known := func(inst *scheduler.Instance, bytes region.Interval, write bool) use {
		if instances[inst.ID] == nil {
			instances[inst.ID] = &instance{Instance: *inst}
		}
		return use{inst: instances[inst.ID], bytes: bytes, write: write}
	}
	nodes := make([]*node, len(tasks))
	for i, t := range tasks {
		n := &node{Task: *t}
		switch t.Kind {
		case scheduler.Run:
			for k := range t.Args {
				at, shape := t.Extent(k)
				bytes, _ := region.Footprint(t.Op.Uses[k].View.Layout(), at, shape)
				n.uses = append(n.uses, known(t.Args[k].Instance, bytes, t.Args[k].Access.Writes()))
			}
		case scheduler.Copy:
			bytes := region.Interval{Lo: t.Lo, Hi: t.Hi}
			n.uses = append(n.uses, known(t.Src, bytes, false), known(t.Dst, bytes, true))
		case scheduler.Free:
			n.uses = append(n.uses, known(t.Src, region.Interval{Lo: t.Lo, Hi: t.Hi}, false))
		}
		nodes[i] = n
	}
	new(Core).depend(nodes)
	for i, t := range tasks {
		if t.InOrder {
			t.After, t.InOrder = slices.Clone(nodes[i].After), false
		}
	}
}

// Ended reports that the task whose turn it was is completed, with the error that it failed
// with, if any.
func (o InOrder) Ended(i int, err error) {
	n := o.c.nodes[i]
	if n.state != handedOut {
		panic(fmt.Sprintf("BUG: inv 3: %v is reported done, but is not running", n.ID))
	}
	var f *Failure
	if err != nil {
		f = o.c.failure(n, err)
	}
	o.c.end(n, f)
}

// Spread takes the tasks from the i'th on back: they become tasks like those of any other plan,
// which Next hands out. It is for tasks that the calling thread cannot run, and for memory
// that is used up.
func (o InOrder) Spread(i int) {
	c := o.c
	c.turn(i)
	c.plan.InOrder = false
	c.depend(c.nodes[i:])
	c.commit(c.nodes[i:])
}
