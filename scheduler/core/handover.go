package core

// A task that another queue runs costs a hand-over: a thread is woken, and what it reads lies in another's caches. How
// much that is the driver measures, which has a clock, and tells the core (SetHandOver): to the core it is a number
// like the machine's, so that the same ops and numbers give the same plan. Two queues halve an op that costs w and add
// a hand-over h, which gains from 2h on; half of what is gained should be left for the caches:
//
//	w <= 4h    the op stays with the thread that waits (SmallTask)
//	w >  4h    it may be cut into tiles of 2h or more
//
// No number changes a result: tiles end between the blocks of the canonical order.

// usualHandOver is what a hand-over costs where neither Options.HandOver nor SetHandOver says: twenty microseconds of
// moving bytes.
const usualHandOver = 1 << 20

// SetHandOver tells what a hand-over costs, in the unit of Options.Inline. Windows that are planned from then on go by
// it. Tiles keep the least size that the options gave them, if they did, and that of machines with several memories.
func (c *Core) SetHandOver(cost int64) {
	c.opt.HandOver = max(1, cost)
	if !c.fixedTile {
		c.opt.MinTile = 2 * c.opt.HandOver
	}
}
