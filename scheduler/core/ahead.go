package core

import (
	"fmt"

	"weft/internal/invariants"
	"weft/scheduler"
)

// The queues of an ordered device take a task behind others that have not run yet, so that the device need not wait for
// the driver between two tasks. Next hands out a task of such a device as soon as each of After is completed, or has
// begun on an ordered device: the driver has given it to a queue. The device keeps the order from there on; which tasks
// that concerns beyond those of the task's own queue is in Behind.
//
//	t1 run on d1           Next: t1
//	t2 run on d1 after t1            Begun(t1)    Next: t2, behind t1
//	t3 free after t2                 Begun(t2)    Next: nothing: what is freed is used until t2 is completed
//	                                 Done(t1)     Done(t2)     Next: t3
//
// A task that waits for memory is not begun, and nothing waits for what comes behind it: an instance takes its bytes
// from frees that are completed when its users start, as everywhere (capacity.go).
//
// A task may turn out to have failed after others have begun that read what it should have written. They run on what
// they find, and when they are done they fail like any task that reads poisoned bytes: the program is told neither of
// what they made nor of the errors that they met.

// ordered reports whether a task runs on a device that keeps an order.
func (c *Core) ordered(n *node) bool {
	return n.Kind != scheduler.Free && c.machine.Devices[n.Device].Ordered
}

// follows reports whether a task that waits for some may be handed out behind them. One that cannot run is
// not: it fails when it need not wait any more.
func (c *Core) follows(n *node) bool {
	return n.ahead == 0 && c.ordered(n) && n.doom == nil && n.Lacks == nil && n.poisoned() == nil
}

// Begun reports that a task that was handed out has been given to a queue of its device.
func (c *Core) Begun(id scheduler.TaskID) {
	n := c.running.tasks.get(uint32(id))
	if n == nil || n.state != handedOut {
		panic(fmt.Sprintf("BUG: inv 3: %v begins, but was not handed out, or has begun already", id))
	}
	if !c.ordered(n) || n.partial() {
		return
	}
	n.state = begun
	for _, w := range n.next {
		w.ahead--
		c.enable(w)
	}
}

// partial reports whether a copy carries bytes that have no value with others that have one. What reads them waits
// until it is known which these are: for want of memory an update must not even begin (poison).
func (n *node) partial() bool {
	if n.Kind != scheduler.Copy {
		return false
	}
	for i := range n.uses[0].inst.bad {
		p := &n.uses[0].inst.bad[i]
		if p.holds(n.asker()) && p.bytes.Overlaps(n.uses[0].footprint()) {
			return true
		}
	}
	return false
}

// behind returns which tasks a task is handed out behind.
func (c *Core) behind(n *node) (list []scheduler.TaskID) {
	if n.wait == 0 && !invariants.Enabled {
		return nil
	}
	for _, id := range n.After {
		if on := c.running.tasks.get(uint32(id)); on != nil {
			invariants.Check(on.state == begun && c.ordered(n), 4, "%v starts before the end of %v", n.ID, id)
			list = append(list, id)
		}
	}
	return list
}
