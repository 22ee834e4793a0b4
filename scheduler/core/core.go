package core

import (
	"fmt"

	"weft/internal/lru"
	"weft/scheduler"
	"weft/scheduler/fuse"
)

// Core is the state machine. It is not safe for concurrent use: its driver locks.
//
// It owns stores, instances and nodes, and the plan that Flush returns, which is valid until the next Flush. Ops belong
// to it from Submit on; tasks are shared with the driver, which reads them, and writes nothing but what it owns in
// them.
type Core struct {
	machine   scheduler.Machine
	opt       Options
	fixedTile bool // the least size of a tile does not follow from what a hand-over costs
	processors

	named  named
	stores storeTable

	window []entry
	ops    int // ops among the window's entries
	chunks chunks
	plan   scheduler.Plan
	nodes  []*node // of the plan's tasks
	rooms  []room  // by memory

	// What each pass keeps for the next window.
	cutting  cutting
	fusing   fusing
	tiling   tiling
	placing  placing
	renewals renewals
	group    uint32 // the group of tasks that depend looks at; counts up

	running running

	// The other faces; see doc.go.
	Host    Host
	Guests  Guests
	InOrder InOrder
	Look    Look
}

// processors is what follows from the machine: which device does what.
//
// It is found out once, in New: machines do not change while they run.
type processors struct {
	runners    []scheduler.DeviceID // the devices that ops run on: the GPUs, or without any the CPUs
	callers    []scheduler.DeviceID // the devices that run calls, GPUs first: the first one that has a routine runs it
	gridder    scheduler.DeviceID   // the device that runs threads, or nowhere
	hosts      []scheduler.DeviceID // the CPUs: they take what fits no GPU
	answers    scheduler.DeviceID   // the CPU that runs the calls that do not fit the caller, or nowhere
	mover      []scheduler.DeviceID // by memory: the device that copies to and from it
	solo       bool                 // there is one GPU
	limited    bool                 // a memory has a capacity
	smallest   int64                // the least capacity of a GPU; 0: none has one
	colors     int                  // most tiles of an op
	hostColors int                  // the same where the CPUs run it
	enough     int                  // units that make an axis good to cut
}

// named is the newest ID of each kind; later ones are larger.
//
// IDs are never used twice; those of stores, ops, tasks and instances have 32 bits.
type named struct {
	store scheduler.StoreID
	op    scheduler.OpID
	task  scheduler.TaskID
	inst  scheduler.InstanceID
	form  uint32
}

// chunks are rows that are allocated together, and not taken yet.
type chunks struct {
	uses   []use
	wholes []runNode
	frees  []freeNode
}

// nowhere is the device of what no device can run.
const nowhere = ^scheduler.DeviceID(0)

// New returns a core for a machine.
func New(m scheduler.Machine, o Options) (*Core, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if o.Window < 0 || o.MinTile < 0 || o.Balance < 0 || o.Renew < 0 || o.Inline < 0 || o.Small < 0 || o.Meanwhile < 0 || o.Shared < 0 || o.HandOver < 0 || o.Grid[0] < 0 || o.Grid[1] < 0 {
		return nil, fmt.Errorf("scheduler: options %+v: numbers must not be negative", o)
	}
	c := &Core{machine: m, opt: o.withDefaults(m), fixedTile: o.MinTile > 0 || len(m.Memories) > 1}
	c.gridder, c.answers, c.mover = nowhere, nowhere, make([]scheduler.DeviceID, len(m.Memories))
	c.Host, c.Guests, c.InOrder, c.Look = Host{c}, Guests{c}, InOrder{c}, Look{c}
	c.fusing.fuser, c.fusing.templates = fuse.New(), lru.New[string, *fuse.Template](templateBytes)
	if o.NoTemplates {
		c.fusing.templates.Limit(0)
	}
	queues := 0
	for i, d := range m.Devices {
		if d.Kind == scheduler.GPU {
			c.runners = append(c.runners, scheduler.DeviceID(i))
			c.mover[d.Memory] = scheduler.DeviceID(i)
			continue
		}
		c.hosts = append(c.hosts, scheduler.DeviceID(i))
		queues += d.Queues
		if d.Calls && c.answers == nowhere {
			c.answers = scheduler.DeviceID(i)
		}
	}
	c.measure()
	c.renewals.spared = make([]int64, len(m.Memories))
	for i, d := range m.Devices {
		if d.Calls && d.Kind == scheduler.GPU {
			c.callers = append(c.callers, scheduler.DeviceID(i))
		}
		if d.Grids && d.Kind == scheduler.GPU && c.gridder == nowhere {
			c.gridder = scheduler.DeviceID(i)
		}
	}
	if c.answers != nowhere {
		c.callers = append(c.callers, c.answers)
	}
	if c.gridder == nowhere && len(c.callers) > 0 {
		c.gridder = c.callers[0]
	}
	c.hostColors = queues * c.opt.Balance
	if queues == 1 {
		c.hostColors = 1
	}
	c.solo = len(c.runners) == 1 && len(c.hosts) > 0
	c.colors, c.enough = len(c.runners), 2
	if len(c.runners) == 0 {
		c.runners, c.colors, c.enough = c.hosts, c.hostColors, c.hostColors
	}
	return c, nil
}

// Submit appends an op to the stream and gives it its ID. It fails for an op that is
// malformed, which then has no effect. When it reports full, Flush(true) should be called.
func (c *Core) Submit(op *scheduler.Op) (full bool, err error) {
	e, err := c.admit(op)
	if err != nil {
		return false, err
	}
	c.named.op++
	op.ID = c.named.op
	c.window = append(c.window, e)
	c.ops++
	return c.ops >= c.opt.Window, nil
}

// admit checks an op.
func (c *Core) admit(op *scheduler.Op) (entry, error) {
	if f := c.known(op); f != nil {
		return c.checkForm(op, f)
	}
	e, err := c.check(op)
	if err == nil && op.Form != nil {
		c.learn(&e)
	}
	return e, err
}

// Release says that no later op uses the store. Its instances are freed after the last
// task that uses them. Releasing an unknown store is an error of the caller.
func (c *Core) Release(id scheduler.StoreID) {
	st := c.stores.get(uint32(id))
	if st == nil || st.released {
		panic(fmt.Sprintf("BUG: inv 6: %v is released, but there is no such store", id))
	}
	st.released = true
	c.window = append(c.window, entry{release: st})
}
