package scheduler

// Loops over small arrays plan a few tasks at a time, a hundred thousand times a second. A task is half a kilobyte, and so is a
// store: left to the collector, they would be most of its work, and a log that keeps the newest of them most of what it
// looks through. So the tasks of most plans in order are brief: what they are follows from the op, the device, and the names of
// the instances, which a log can keep in a few words, and they are used again for the next plan. So are the stores that ended
// in such a plan, if only brief plans have had them.

// brief reports whether WholeTask or FreeTask make the same of a few words.
func (n *node) brief() bool {
	if n.Kind == Free {
		return n.Cause == NoCause && n.Where == Where{} && n.Src.Memory == 0 && n.Src.Lo == 0
	}
	return n.whole && n.Lacks == nil && n.doom == nil
}

// WholeTask returns the run of a brief plan that is all of an op, on instances by operand.
func WholeTask(id TaskID, op *Op, device DeviceID, bytes int64, on []*Instance) *Task {
	t := &Task{ID: id, Op: op, Device: device, Where: op.Where, Shape: op.Shape, Origin: origin0[:len(op.Shape)], bytes: bytes, alone: true}
	if op.Program.Reduces() {
		t.Block = Blocks(op.Kind, op.Shape, op.Reduced)
	}
	for i, inst := range on {
		t.Args = append(t.Args, Arg{Instance: inst, Offset: op.Uses[i].View.Offset, Access: op.Uses[i].Access})
	}
	return t
}

// FreeTask returns the free of an instance that was planned in order, or that FreeNow stands for.
func FreeTask(id TaskID, inst *Instance) *Task {
	return &Task{ID: id, Kind: Free, Src: inst, Lo: inst.Lo, Hi: inst.Hi, alone: true}
}

// FreeNow is Release where the store's free need not be planned: nothing waits or is pending, and there is one memory
// without a limit. Loops over small arrays let one go behind each window. It returns the free's ID and the instance that is
// freed, the same as if it had been planned; false says that it has to be.
func (c *Core) FreeNow(id StoreID) (task TaskID, inst Instance, ok bool) {
	st := c.stores.get(uint32(id))
	if len(c.window) > 0 || !c.alone() || c.limited || st == nil || st.released || st.pinned || st.spare.inst != nil || st.at[0] == nil {
		return 0, inst, false
	}
	c.lastTask++
	c.stores.remove(uint32(id))
	inst = st.at[0].Instance
	if st.again() {
		c.reuse(st)
	} else {
		st.at[0].forget()
	}
	return c.lastTask, inst, true
}

// keep says that somebody may keep tasks, and with them the instances of stores.
func keep(nodes []*node) {
	for _, n := range nodes {
		for i := range n.uses {
			if st := n.uses[i].store; st != nil {
				st.placed = true
			}
		}
	}
}

// again reports whether a store that ends may be used again, with its instance.
func (st *store) again() bool {
	return !st.placed && !st.pinned && st.spare.inst == nil && len(st.at) == 1 && st.at[0] == &st.host
}

// atRest is how many stores and tasks wait to be used again; a program that lets go of a hundred thousand arrays
// gets their memory back.
const atRest = 1 << 10

func (c *Core) reuse(st *store) {
	if len(c.idle) < atRest {
		st.host, st.at[0] = instance{}, nil
		c.idle = append(c.idle, st)
	}
}

// begin begins a plan. It makes use of what the last one leaves behind.
func (c *Core) begin() {
	if c.plan.Brief {
		for _, n := range c.plan.nodes {
			if len(c.done) < atRest {
				*n = node{}
				c.done = append(c.done, n)
			}
		}
		for _, st := range c.ending {
			c.reuse(st)
		}
	}
	clear(c.ending)
	c.ending = c.ending[:0]
	c.plan.reset()
}

// takeNode returns one that is used again, or nil.
func (c *Core) takeNode() *node {
	if len(c.done) == 0 {
		return nil
	}
	n := c.done[len(c.done)-1]
	c.done = c.done[:len(c.done)-1]
	return n
}
