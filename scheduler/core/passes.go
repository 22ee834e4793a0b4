package core

import "weft/scheduler"

// pass is one step of planning. It reads and extends what the passes before it left in the
// core's window and plan.
type pass struct {
	name string
	fn   func(*Core)
	why  string // why it stands where it stands
}

// passes is the order of planning.
var passes = []pass{
	{"fuse", fuseWindow, "first: what is fused is cut, placed and ordered as one"},
	{"partition", partition, "second: tiles are the unit of everything that follows, and how an op is cut depends on its own shape and views alone"},
	{"place", place, "before depend: which copies there are, and in which instance a task finds its bytes, is known only now"},
	{"depend", order, "last: it orders all tasks, copies and frees included, by the instances that they touch; little work keeps the plan's order"},
}

// reset begins a plan.
func (c *Core) reset() {
	c.plan.Reset()
	clear(c.nodes)
	c.nodes = c.nodes[:0]
}

// Flush plans the window: its ops become tasks.
func (c *Core) Flush() *scheduler.Plan {
	c.reset()
	c.plan.Limits = c.threshold()
	for i := range passes {
		if c.opt.Step != nil {
			c.opt.Step(passes[i].name)
		}
		passes[i].fn(c)
	}
	clear(c.window)
	c.window, c.ops = c.window[:0], 0
	c.idle = append(c.idle, c.gone[:min(len(c.gone), storesAtRest-len(c.idle))]...)
	clear(c.gone)
	c.gone = c.gone[:0]
	if !c.plan.InOrder {
		c.commit(c.nodes)
	}
	return &c.plan
}

// commit hands tasks of the plan over to the state machine.
func (c *Core) commit(nodes []*node) {
	for _, n := range nodes {
		c.tasks.put(uint32(n.ID), n)
		c.pending++
		if n.Kind == scheduler.Run {
			c.runs++
		}
		c.bytes += n.Moves
		c.owed += n.Work
	}
	for _, n := range nodes {
		c.enable(n)
	}
	c.settle()
}

// add gives a task its ID and puts it at the plan's end.
func (c *Core) add(n *node) {
	c.lastTask++
	n.ID = c.lastTask
	c.nodes = append(c.nodes, n)
	c.plan.Tasks = append(c.plan.Tasks, &n.Task)
}
