package core

import "weft/scheduler"

// With one GPU, small work stays on the host as long as what it uses is there. An op that costs less than launching a
// program and waiting for it runs on the CPUs if none of its operands has a byte that the GPU alone holds; what it
// writes is on the host then, so that whole chains of such ops stay there, and run in order where nothing else is
// pending:
//
//	x = ones(20000)       host
//	x = x*0.5 + y         host
//	z = big + x[0]        GPU: x[0] goes there
//	z[5] = 1.0            GPU: the rest of z is there alone
//
// So does a larger op whose kernel the GPU's compiler has not made yet, if it reads what the host has, up to another
// cost: it is done before the kernel would be there, which the op's next turn finds. A loop records many turns before
// that, so that the cost bounds all such work that is pending together: what comes then waits for the kernel. Both give
// the same bits, and so no products are among these, which libraries add up in orders of their own; nor are programs
// that flow, whose cost is not known.
//
//	y = x*0.5 + 1         host: nothing is on the GPU, and the kernel is compiled meanwhile
//	y = x*0.5 + 1         GPU: x goes there, or as much is pending on the host as may be
//
// It is decided op by op in the order of the stream, by what each writes where: by nothing but the plan's own state,
// and what it is told of kernels and ends.

// stay finds the ops of the window that run on the host because they are small, or cold.
func (c *Core) stay() {
	if c.opt.Small == 0 && c.opt.Meanwhile == 0 || !c.solo {
		return
	}
	c.placing.counting++
	left := c.opt.Meanwhile - c.running.cold
	for i := range c.window {
		e := &c.window[i]
		if e.op == nil || e.empty {
			continue
		}
		e.onHost = c.within(e, c.opt.Small)
		if e.cold = !e.onHost && e.work <= left && c.cold(e); e.cold {
			e.onHost = true
			left -= e.work
			c.plan.Fits = append(c.plan.Fits, scheduler.Fit{Op: e.op.ID, Lacks: "its kernel for the GPU is compiled meanwhile"})
		}
		if e.onHost || c.onCPUs(e) {
			continue
		}
		for k := range e.uses {
			if u := &e.uses[k]; u.write {
				u.store.counted, u.store.away = c.placing.counting, true
			}
		}
	}
}

// cold reports whether the host does an op while its kernel is compiled.
func (c *Core) cold(e *entry) bool {
	if c.opt.Cold == nil || e.op.Kind == scheduler.Call || e.op.Kind == scheduler.Contract {
		return false
	}
	reads := false
	for k := range e.uses {
		reads = reads || e.uses[k].read
	}
	return reads && c.within(e, c.opt.Meanwhile) && !e.op.Program.Flows() && c.opt.Cold(e.op)
}

// within reports whether an op is at most so much work, on what the host has.
func (c *Core) within(e *entry, most int64) bool {
	if e.work > most || e.op.Kind == scheduler.Call && c.answers == nowhere {
		return false
	}
	for k := range e.uses {
		st := e.uses[k].store
		if st.counted != c.placing.counting {
			st.counted, st.away = c.placing.counting, c.abroad(st)
		}
		if st.away || st.at[0] == nil && st.size > most { // the host would need memory for all of it
			return false
		}
	}
	return true
}

// abroad reports whether a GPU alone holds bytes of a store.
func (c *Core) abroad(st *store) bool {
	for _, inst := range st.at[1:] {
		for ; inst != nil; inst = inst.beside {
			if !inst.valid.Empty() && len(c.lone(st, inst)) > 0 {
				return true
			}
		}
	}
	return false
}
