package core

import (
	"weft/internal/invariants"
	"weft/scheduler"
)

// depend finds, for every task of the plan, the tasks that it must wait for: those that
// wrote bytes of an instance that it uses, and, where it writes, those that read them.
// Copies are ordinary readers of their source and writers of their destination; a free
// waits for every use of its instance.
//
// The tiles of one op never wait for each other, although their footprints may overlap
// where views interleave: by inv 1 they touch different elements. So dependences are
// collected for a whole group, neighbours in the plan of the same op, before any of its
// uses is recorded. Tiles in different memories are in different groups as soon as a copy
// stands between them; where that copy carries bytes from one to the other, this is what
// puts the two in order.
func (c *Core) depend(nodes []*node) {
	for i := 0; i < len(nodes); {
		j := i + 1
		if nodes[i].Kind == scheduler.Run {
			for j < len(nodes) && nodes[j].Kind == scheduler.Run && nodes[j].Op == nodes[i].Op {
				j++
			}
		}
		c.group++
		for _, n := range nodes[i:j] {
			c.collect(n)
		}
		for _, n := range nodes[i:j] {
			for k := range n.uses {
				if u := &n.uses[k]; u.write {
					u.inst.past.wrote(u, n, c.group)
				}
			}
		}
		for _, n := range nodes[i:j] {
			for k := range n.uses {
				if u := &n.uses[k]; !u.write && n.Kind != scheduler.Free {
					u.inst.past.read(u, n, c.group)
				}
			}
		}
		i = j
	}
}

// collect fills in After and the edges.
func (c *Core) collect(n *node) {
	n.After = n.fewAfter[:0]
	n.ahead = 0
	need := func(on *node) {
		if on.mark == n.ID {
			return
		}
		on.mark = n.ID
		if on.state != begun {
			n.ahead++
		}
		if invariants.Enabled {
			invariants.Check(on.ID < n.ID, 2, "%v waits for %v", n.ID, on.ID)
		}
		if on.next == nil {
			on.next = on.fewNext[:0]
		}
		on.next = append(on.next, n)
		n.After = append(n.After, on.ID)
	}
	for k := range n.uses {
		u := &n.uses[k]
		u.inst.past.collect(u, u.write || n.Kind == scheduler.Free, need)
		u.inst.eachRoom(n.ID, need)
	}
	n.wait = len(n.After)
	sortIDs(n.After)
}

// sortIDs sorts a short list that is nearly sorted.
func sortIDs(ids []scheduler.TaskID) {
	for i := 1; i < len(ids); i++ {
		for j := i; j > 0 && ids[j] < ids[j-1]; j-- {
			ids[j], ids[j-1] = ids[j-1], ids[j]
		}
	}
}
