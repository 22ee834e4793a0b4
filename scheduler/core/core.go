package core

import (
	"fmt"

	"weft/internal/lru"
	"weft/scheduler"
	"weft/scheduler/fuse"
	"weft/scheduler/region"
	"weft/tile"
)

// Options are the choices that a plan depends on besides the machine and the ops. They
// change speed, never results.
type Options struct {
	// Window is how many ops gather before Submit asks for a flush; 0 means 64.
	Window int

	// MinTile is what a tile should cost at least, in the unit of Inline: an op that does not cost
	// twice as much stays whole, and plans say so. 0 means 256 KiB, about ten times what starting a task of a GPU costs, and
	// 2 MiB on machines of one memory, whose tasks are started by waking a thread.
	MinTile int64

	// Balance is how many tiles there are per CPU queue, so that a queue which is late leaves
	// work to the others; 0 means 2. GPUs get one tile each.
	Balance int

	// Renew is the bytes from which on a store is renewed where that lets an assignment into a
	// slice run in one pass with the slices that it is computed from; 0 means 512 KiB. Smaller
	// ones fit the cache, and one more pass over them costs less than carrying over the rest.
	Renew int64

	// Inline is the cost of all tasks of a window together up to which it runs in order; one whose tasks are all small (SmallTask), none
	// being a tile of several, does so, too. Handing them over would cost more than a second core can save. 0 means never. The unit is a byte of
	// operands, or what a core computes while it moves one (tile's Program.Work).
	Inline int64

	// Shared is the cost of all tasks of a window together up to which it runs in order, too, where each is small or one that the device
	// shares with queues which have nothing to do (shares in inorder.go). Such tasks are not cut. 0 means that the device shares none.
	Shared int64

	// HandOver is what it costs to have another queue run a task, in the unit of Inline; 0 means 1 MiB. See SetHandOver.
	HandOver int64

	// Small is the cost of an op up to which it runs on the CPUs of a machine with one GPU, if that alone holds nothing of what the op uses (see small.go). 0 means never.
	Small int64

	// CutLittle cuts windows of little work like others, to look for faults. They are to run in order,
	// where tiles gain nothing.
	CutLittle bool

	// Step, if set, is called before each pass of planning, with its name: those who have a clock can tell what it took.
	Step func(pass string)

	// NoFusion runs every op by itself.
	NoFusion bool

	// NoTemplates captures every window anew. Recapture does so as well, and panics where that is not the template which
	// is remembered from an earlier window.
	NoTemplates, Recapture bool

	// Grid is into how many rows and columns of tiles an op is cut that is cut at all, to look
	// for faults; {0, 0} leaves it to the core.
	Grid [2]int
}

// withDefaults fills in what was left at zero.
func (o Options) withDefaults(m scheduler.Machine) Options {
	if o.Window == 0 {
		o.Window = 64
	}
	if o.HandOver == 0 {
		o.HandOver = usualHandOver
	}
	if o.MinTile == 0 {
		o.MinTile = 256 << 10
		if len(m.Memories) == 1 {
			o.MinTile = 2 * o.HandOver
		}
	}
	if o.Renew == 0 {
		o.Renew = 1 << 19
	}
	if o.Balance == 0 {
		o.Balance = 2
	}
	return o
}

// Core is the state machine. It is not safe for concurrent use: its driver locks.
type Core struct {
	machine    scheduler.Machine
	opt        Options
	fixedTile  bool                 // the least size of a tile does not follow from what a hand-over costs
	runners    []scheduler.DeviceID // the devices that ops run on: the GPUs, or without any the CPUs
	caller     scheduler.DeviceID   // the device that runs calls, or nowhere
	hosts      []scheduler.DeviceID // the CPUs: they take what fits no GPU
	answers    scheduler.DeviceID   // the CPU that runs the calls that do not fit the caller, or nowhere
	mover      []scheduler.DeviceID // by memory: the device that copies to and from it
	rooms      []room               // by memory
	solo       bool                 // there is one GPU
	limited    bool                 // a memory has a capacity
	smallest   int64                // the least capacity of a GPU; 0: none has one
	colors     int                  // most tiles of an op
	hostColors int                  // the same where the CPUs run it
	enough     int                  // units that make an axis good to cut

	lastStore scheduler.StoreID
	lastOp    scheduler.OpID
	lastTask  scheduler.TaskID
	lastInst  scheduler.InstanceID
	forms     uint32 // how many are known
	stores    table[store]
	unused    []store     // takeStore's
	idle      []*store    // that are no longer named, and never had an instance
	gone      []*store    // those, while the window that releases them is planned
	tasks     table[node] // planned and not completed

	window      []entry
	uses        []use      // takeUses'
	wholes      []runNode  // whole's
	frees       []freeNode // free's
	ops         int        // ops among the window's entries
	kept        []entry    // FlushFull's, between windows
	cross       []int64    // cut's scratch
	cuts        cuts       // partition's
	pieces      []region.Comb
	turns       uint64 // how many cuts there were
	plan        scheduler.Plan
	nodes       []*node           // of the plan's tasks
	shared      bool              // the window that is planned runs in order because the device shares what is large of it
	group       uint32            // the group of tasks that depend looks at; counts up
	touch       []*store          // place's list of stores whose want is set
	spares      []*store          // that have one
	spared      []int64           // their bytes, by memory
	lacking     *scheduler.NoRoom // why the renewing op that place is at fails
	plans       uint64            // how many windows were planned
	parts       [2][]region.Comb  // place's scratch
	tile        int32             // the one that place is at, counted over the window
	pin         uint64            // counts the tiles of all windows
	counting    uint64            // counts foresee's looks at memories
	wants       []want            // of that tile
	leavers     [2][]leaver       // makeRoom's scratch: the host's, GPUs'
	fuser       *fuse.Fuser
	templates   *lru.Cache[string, *fuse.Template] // by the window's signature
	key         []byte                             // of windows
	seen        uint64                             // the window that signature looks at
	made        made                               // replay's
	spareWindow []entry                            // the other of the two windows
	movers      map[moverKey]*tile.Program         // of carried bytes

	fusion Fusion

	ready   []*node           // may start and were not handed out
	handed  []*scheduler.Task // what Next returned last
	work    []*node           // complete's list
	pending int
	runs    int   // of those, that are tasks of ops: neither copies nor frees
	bytes   int64 // of the pending run tasks
	owed    int64 // what these cost
	unseen  []*Failure
}

type ranges = []region.Interval

// entry is one position of the op stream: an op, or the release of a store.
type entry struct {
	op     *scheduler.Op
	uses   []use    // of the whole op, in the order of Op.Uses
	block  []int    // reduction blocks; nil unless the op reduces
	empty  bool     // there is nothing to compute
	colors int      // of the grid that the op is cut into
	flows  bool     // the program has control flow
	onHost bool     // the CPUs run it: it is small, or no GPU has room for its tiles
	zeros  bool     // it fills a store with zeros before anything else uses it; see zeros.go
	work   int64    // what it costs, in the unit of Options.Inline
	tiles  []*node  // partition's result
	tile   [1]*node // where tiles begins: most ops have one

	release *store // instead of an op
}

// use is what a task does with the bytes of one store.
type use struct {
	store *store
	inst  *instance // set by place
	bytes region.Interval
	comb  *region.Comb // where bytes is its hull; nil where nothing is gained by leaving gaps out
	dense bool         // the elements cover all bytes of the comb, or of the interval
	read  bool         // the values from before are needed; of a write: it is an update
	write bool
	renew bool // the write goes to a new instance
}

// footprint returns the bytes as a comb.
func (u *use) footprint() region.Comb {
	if u.comb != nil {
		return *u.comb
	}
	return u.bytes.Comb()
}

// store is the core's side of a StoreID.
type store struct {
	id        scheduler.StoreID
	size      int64
	released  bool
	pinned    bool           // the host has its address: it is not renewed
	at        []*instance    // by memory: the first of its instances there; nil where there is none
	next      *instance      // the new one, while place runs over the op that renews the store
	spare     spare          // the old one
	key       *region.Tiling // which GPU has which bytes; nil if it was never cut
	row       int64          // bytes from row to row, for a key
	item      int64          // bytes of an element
	want      ranges         // by memory: what the window needs there, while place runs
	needs     []need         // where memory is short: what its tiles need, in order, while place runs
	counted   uint64         // the look at a memory that counted it, and what it counted
	more, own int64
	away      bool   // likewise: a GPU alone holds some of it
	maker     string // the op that wrote it last, where a memory has a capacity
	made      scheduler.Where

	cut crossing // while the window is cut

	// While the window's signature is written:
	seen   uint64 // the window that number belongs to
	number uint32 // in the order of the window

	// Most machines have one memory: these save allocations there.
	host  instance
	alone [1]*instance
}

// instance is the core's side of an Instance.
type instance struct {
	scheduler.Instance
	valid  region.Area    // plan-time: the bytes that hold the store's value after all planned tasks; unused when there is one memory
	past   history        // which planned tasks used which bytes
	bad    []poison       // run-time: bytes that failed tasks should have written
	filled bool           // plan-time: bytes came from elsewhere before the first op wrote it
	first  scheduler.OpID // plan-time: the first op that writes it; 0 for none
	beside *instance      // another instance of the store in the same memory

	// In a memory with a capacity:
	held    int64   // bytes that it takes up; 0 while it is missing
	slot    int     // among the memory's residents
	room    []*node // frees that have to come before
	pin     uint64  // the last tile that needed it
	missing bool    // there was no room: no task that runs may use it
}

// node is the core's side of a Task.
type node struct {
	scheduler.Task
	uses  []use
	next  []*node          // what waits for it
	wait  int              // how many of After are not completed
	ahead int              // and of these, how many have not begun on an ordered device either
	mark  scheduler.TaskID // the last task that found this one among its dependences
	state state
	doom  *Failure // it must not run: it was cancelled, or what it needs is not there
	gives int64    // of a free: bytes that nobody has taken yet
	whole bool     // it is all of its op

	// Where the slices begin: most tasks have few of each.
	fewAfter [3]scheduler.TaskID
	fewNext  [2]*node
}

// runNode is a run of a whole op, freeNode a free, with room for what most of them have.
type runNode struct {
	node
	args [3]scheduler.Arg
}

type freeNode struct {
	node
	use [1]use
}

type state uint8

const (
	planned   state = iota
	enabled         // it may start, which Next is to say
	handedOut       // Next has said so
	begun           // an ordered device has it; see ahead.go
	completed
)

// nowhere is the device of what no device can run.
const nowhere = ^scheduler.DeviceID(0)

// New returns a core for a machine.
func New(m scheduler.Machine, o Options) (*Core, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if o.Window < 0 || o.MinTile < 0 || o.Balance < 0 || o.Renew < 0 || o.Inline < 0 || o.Small < 0 || o.Shared < 0 || o.HandOver < 0 || o.Grid[0] < 0 || o.Grid[1] < 0 {
		return nil, fmt.Errorf("scheduler: options %+v: numbers must not be negative", o)
	}
	c := &Core{machine: m, opt: o.withDefaults(m), fixedTile: o.MinTile > 0 || len(m.Memories) > 1, caller: nowhere, answers: nowhere, mover: make([]scheduler.DeviceID, len(m.Memories)), fuser: fuse.New(), templates: lru.New[string, *fuse.Template](templateBytes)}
	if o.NoTemplates {
		c.templates.Limit(0)
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
	c.spared = make([]int64, len(m.Memories))
	for i, d := range m.Devices {
		if d.Calls && (c.caller == nowhere || d.Kind == scheduler.GPU && m.Devices[c.caller].Kind == scheduler.CPU) {
			c.caller = scheduler.DeviceID(i)
		}
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

// NewStore names a store. It has no instance until a task or the host writes it.
func (c *Core) NewStore(bytes int64) scheduler.StoreID {
	c.lastStore++
	st := c.takeStore()
	st.id, st.size = c.lastStore, bytes
	c.stores.put(uint32(st.id), st)
	return st.id
}

// storesAtRest is how many stores without an instance wait to be used again, some 700 kB.
const storesAtRest = 1 << 10

// storesTogether is how many stores are allocated together.
const storesTogether = 8

// takeStore returns a store that nobody uses: one that came and went without an instance, as most
// temporaries do, or a new one.
func (c *Core) takeStore() *store {
	if n := len(c.idle); n > 0 {
		st := c.idle[n-1]
		c.idle = c.idle[:n-1]
		st.released = false
		return st
	}
	if len(c.unused) == 0 {
		c.unused = make([]store, storesTogether)
	}
	st := &c.unused[0]
	c.unused = c.unused[1:]
	if n := len(c.machine.Memories); n == 1 {
		st.at = st.alone[:]
	} else {
		st.at, st.want = make([]*instance, n), make(ranges, n)
	}
	return st
}

// Bytes returns the size of a store, and whether there is such a store.
func (c *Core) Bytes(id scheduler.StoreID) (int64, bool) {
	st := c.stores.get(uint32(id))
	if st == nil || st.released {
		return 0, false
	}
	return st.size, true
}

// Placed is how much of a store a memory holds.
type Placed struct {
	Memory scheduler.MemoryID
	Bytes  int64
}

// Placement says which memories will hold the store's value when all planned tasks have run, and how much of it; nothing
// for what was never written. Several may hold the same bytes.
func (c *Core) Placement(id scheduler.StoreID) []Placed {
	st := c.stores.get(uint32(id))
	if st == nil || st.released {
		return nil
	}
	var list []Placed
	for m, inst := range st.at {
		n := int64(0)
		for ; inst != nil; inst = inst.beside {
			if len(st.at) == 1 {
				n += inst.Hi - inst.Lo
			} else {
				n += inst.valid.Len()
			}
		}
		if n > 0 {
			list = append(list, Placed{scheduler.MemoryID(m), n})
		}
	}
	return list
}

// Submit appends an op to the stream and gives it its ID. It fails for an op that is
// malformed, which then has no effect. When it reports full, FlushFull should be called.
func (c *Core) Submit(op *scheduler.Op) (full bool, err error) {
	e, err := c.admit(op)
	if err != nil {
		return false, err
	}
	c.lastOp++
	op.ID = c.lastOp
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

// Waiting returns how many ops are in the window.
func (c *Core) Waiting() int { return c.ops }

// Released returns how many releases are in the window.
func (c *Core) Released() int { return len(c.window) - c.ops }

// Unflushed reports whether the window holds anything, releases included.
func (c *Core) Unflushed() bool { return len(c.window) > 0 }

// Pending returns how many planned tasks are not completed, and the bytes of operands of
// the runs among them.
func (c *Core) Pending() (tasks int, bytes int64) { return c.pending, c.bytes }

// PendingRuns returns how many of the pending tasks run ops.
func (c *Core) PendingRuns() int { return c.runs }

// Owed returns what the pending runs cost, in the unit of Options.Inline.
func (c *Core) Owed() int64 { return c.owed }

// LastOp and LastTask return the newest IDs; later ones are larger.
func (c *Core) LastOp() scheduler.OpID { return c.lastOp }

// LastTask returns the newest task's ID.
func (c *Core) LastTask() scheduler.TaskID { return c.lastTask }
