package core

import "weft/scheduler"

// pass is one step of planning. It reads and extends what the passes before it left in the
// core's window and plan.
//
// Passes leave what they decide in the window's entries, its stores and the plan, and call no other pass.
type pass struct {
	name   string
	within string             // the pass that takes this step op by op, or tile by tile; "" for one that goes over the whole window
	run    func(*Core)        // nil for a step within another
	form   func(*Core) string // what it has left, as text; forms.go
	why    string             // why it stands where it stands
}

// passes is the order of planning.
var passes = []pass{
	{"split", "", split, splitForm, "first: what a full window keeps back is not planned at all"},
	{"fuse", "", fuseWindow, fuseForm, "before partition: what is fused is cut, placed and ordered as one"},
	{"partition", "", partitionWindow, partitionForm, "before place: tiles are the unit of everything that follows, and how an op is cut depends on its own shape and views, and on keys"},
	{"contract", "partition", nil, contractForm, "products are cut by the bytes that their tiles use, not along their longest axis"},
	{"key", "partition", nil, keyForm, "tiles go where the bytes of their stores are, which says how an op is cut"},
	{"capacity", "partition", nil, capacityForm, "tiles that no GPU has room for are made smaller, before any of them has a place"},
	{"place", "", place, placeForm, "before depend: which copies there are, and in which instance a task finds its bytes, is known only now"},
	{"residency", "place", nil, residencyForm, "tile by tile: which bytes are valid where follows from all tiles before"},
	{"evict", "place", nil, evictForm, "as instances are made: what leaves a memory makes room for the tile that is placed"},
	{"rename", "place", nil, renameForm, "around the tiles of an op: they read the old instance and write the new one"},
	{"depend", "", order, dependForm, "last: it orders all tasks, copies and frees included, by the instances that they touch; little work keeps the plan's order"},
	{"history", "depend", nil, historyForm, "task by task: what later tasks wait for is what earlier ones did with the same bytes"},
}

// reset begins a plan.
func (c *Core) reset() {
	c.plan.Reset()
	clear(c.nodes)
	c.nodes = c.nodes[:0]
}

// Flush plans the window: its ops become tasks. A full window is planned up to the place where cutting it costs least
// (cut.go), and what is behind that place stays.
//
// Behind the passes, the window is what split kept; stores that came and went are ready to be used again; and tasks
// enter the state machine, unless the plan runs in order, where Turn and Ended lead through it.
func (c *Core) Flush(full bool) *scheduler.Plan {
	c.reset()
	c.plan.Limits = c.threshold()
	c.cutting.full = full
	for i := range passes {
		if passes[i].run != nil {
			if c.opt.Step != nil {
				c.opt.Step(passes[i].name)
			}
			passes[i].run(c)
		}
		if c.opt.Form != nil {
			c.opt.Form(passes[i].name, passes[i].form(c))
		}
	}
	clear(c.window)
	c.window = append(c.window[:0], c.cutting.kept...)
	c.ops = c.cutting.ops
	clear(c.cutting.kept)
	c.cutting.kept, c.cutting.ops = c.cutting.kept[:0], 0
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
		if n.Cold {
			c.running.cold += n.Work
		}
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
