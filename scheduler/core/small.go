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
// It is decided op by op in the order of the stream, by what each writes where: by nothing but the plan's own state.

// stay finds the ops of the window that run on the host because they are small.
func (c *Core) stay() {
	if c.opt.Small == 0 || !c.solo {
		return
	}
	c.placing.counting++
	for i := range c.window {
		e := &c.window[i]
		if e.op == nil || e.empty {
			continue
		}
		if e.onHost = c.small(e); e.onHost || c.onCPUs(e) {
			continue
		}
		for k := range e.uses {
			if u := &e.uses[k]; u.write {
				u.store.counted, u.store.away = c.placing.counting, true
			}
		}
	}
}

// small reports whether an op is little work on what the host has.
func (c *Core) small(e *entry) bool {
	if e.work > c.opt.Small || e.op.Kind == scheduler.Call && c.answers == nowhere {
		return false
	}
	for k := range e.uses {
		st := e.uses[k].store
		if st.counted != c.placing.counting {
			st.counted, st.away = c.placing.counting, c.abroad(st)
		}
		if st.away || st.at[0] == nil && st.size > c.opt.Small { // the host would need memory for all of it
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
