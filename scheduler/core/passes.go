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
	{"partition", partitionWindow, "second: tiles are the unit of everything that follows, and how an op is cut depends on its own shape and views alone"},
	{"place", place, "before depend: which copies there are, and in which instance a task finds its bytes, is known only now"},
	{"depend", order, "last: it orders all tasks, copies and frees included, by the instances that they touch; little work keeps the plan's order"},
}

// reset begins a plan.
func (c *Core) reset() {
	c.plan.Reset()
	clear(c.nodes)
	c.nodes = c.nodes[:0]
}

// Flush plans the window: its ops become tasks. A full window is planned up to the place where cutting it costs least (cut.go), and what is
// behind that place stays.
func (c *Core) Flush(full bool) *scheduler.Plan {
	if full {
		return c.flushFull()
	}
	return c.flushAll()
}

// flushAll plans the window to its end.
func (c *Core) flushAll() *scheduler.Plan {
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
	c.stores.idle = append(c.stores.idle, c.stores.gone[:min(len(c.stores.gone), storesAtRest-len(c.stores.idle))]...)
	clear(c.stores.gone)
	c.stores.gone = c.stores.gone[:0]
	if !c.plan.InOrder {
		c.commit(c.nodes)
	}
	return &c.plan
}

// commit hands tasks of the plan over to the state machine.
func (c *Core) commit(nodes []*node) {
	for _, n := range nodes {
		c.running.tasks.put(uint32(n.ID), n)
		c.running.pending++
		if n.Kind == scheduler.Run {
			c.running.runs++
		}
		c.running.bytes += n.Moves
		c.running.owed += n.Work
	}
	for _, n := range nodes {
		c.enable(n)
	}
	c.settle()
}

// add gives a task its ID and puts it at the plan's end.
func (c *Core) add(n *node) {
	c.named.task++
	n.ID = c.named.task
	c.nodes = append(c.nodes, n)
	c.plan.Tasks = append(c.plan.Tasks, &n.Task)
}
