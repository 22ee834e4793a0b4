package arrays

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"weft/scheduler"
	"weft/tile"
)

// Context turns calls into ops of one runtime. It is used by one goroutine at a time, as
// the op stream has one order. Where it is Exact, Array.Item, Element, Read and Map may wait on other goroutines
// meanwhile: they change nothing of the context. A call that waits on its way may let others call in the wait, as
// Python's lock does.
type Context struct {
	// Stop interrupts the waits inside of calls that need a value; nil never does.
	Stop <-chan struct{}

	// Exact says that the caller Frees every array, as a language binding with reference
	// counts does. It saves the cost of registering each store with Go's collector. Set it
	// before the first array is made.
	Exact bool

	// Warns asks for an error of the type ComplexWarning where a conversion or assignment would discard imaginary
	// parts, before anything is done. Who has warned the program calls again without it.
	Warns bool

	rt       Runtime
	where    scheduler.Where
	wanted   tile.Flags
	asked    uint32 // see Asks
	told     told   // of the call at hand, unless that is one of steps
	steps    *Steps // nil for none
	resolved map[uint64]*resolution
	programs map[programKey]*tile.Program
	routines map[string]*tile.Program // by call.key
	known    map[scheduler.StoreID]facts
	bytewise bytewise
	dropped  *dropQueue
	byName   map[string]*Func // for Call
	layouts  layouts
	launches launches
	tracer   *tracer // of launches; nil before the first

	// Blocks that were allocated together and are handed out one by one; see take.
	flats  []flatBlock
	blocks []arrayBlock
	runs   []runBlock

	// Strides of collapsed operands, by item size; index 0 is the broadcast.
	unit [17][]int64
}

// New returns a context over a runtime.
func New(rt Runtime) *Context {
	c := &Context{
		rt:       rt,
		resolved: map[uint64]*resolution{},
		programs: map[programKey]*tile.Program{},
		routines: map[string]*tile.Program{},
		known:    map[scheduler.StoreID]facts{},
		bytewise: bytewise{},
		dropped:  &dropQueue{},
		layouts:  newLayouts(FirstLayout),
		launches: newLaunches(),
	}
	for size := range c.unit {
		c.unit[size] = []int64{int64(size)}
	}
	return c
}

// At says which place of the user's program the following calls come from. It returns c.
func (c *Context) At(where scheduler.Where) *Context {
	c.where, c.wanted, c.asked = where, 0, 0
	c.told, c.steps = told{}, nil
	return c
}

// Steps are calls that the program knows as one function, by which name it is told once what went wrong in them.
type Steps struct {
	name string
	told told
}

// StepsOf returns the steps of a function of that name, of which there are none yet.
func StepsOf(name string) *Steps { return &Steps{name: name} }

// Within says that the following calls, up to the next At, are steps of a function; of none where that is nil.
func (c *Context) Within(s *Steps) *Context {
	if c.steps = s; s != nil {
		s.told.as = s.name
	}
	return c
}

// telling is what the call at hand says of the ops that follow.
func (c *Context) telling() *told {
	if c.steps != nil {
		return &c.steps.told
	}
	return &c.told
}

// Wants says what the program wants to know of what goes wrong in the operations of the following calls, up to the next
// At. It is for functions that the program calls in which NumPy tells it, too: what others are composed of says what
// NumPy's do not.
func (c *Context) Wants(flags tile.Flags) *Context {
	c.wanted = flags
	return c
}

// Asks says that a call of the program's waits to be told what goes wrong in the operations of the following calls, up
// to the next At: each Op has the call's number.
func (c *Context) Asks(call uint32) *Context {
	c.asked = call
	return c
}

// told says what NumPy calls a function of which several ops that follow are steps, and which the last of them was: the
// program is told once what went wrong in them.
type told struct {
	as   string // "" where each op is told of
	last *scheduler.Op
}

// toldAs has the ops that follow told of as one, by a name, until the call of end; not where they are steps of a
// function, which is told of by its own.
func (c *Context) toldAs(name string) (end func()) {
	now := c.telling()
	if now.as != "" {
		return func() {}
	}
	now.as = name
	return func() { *now = told{} }
}

// Waits returns what has the call at hand go on after a wait in which others call.
func (c *Context) Waits() (resume func()) {
	stop, where, wanted, asked, told, steps := c.Stop, c.where, c.wanted, c.asked, c.told, c.steps
	return func() {
		c.Stop, c.where, c.wanted, c.asked, c.told, c.steps = stop, where, wanted, asked, told, steps
	}
}

// Wanted is what Wants said.
func (c *Context) Wanted() tile.Flags { return c.wanted }

// Place is the place that At set.
func (c *Context) Place() scheduler.Where { return c.where }

// Runtime returns the runtime under the context.
func (c *Context) Runtime() Runtime { return c.rt }

// Sync waits for everything that was asked for.
func (c *Context) Sync(stop <-chan struct{}) error {
	c.collect()
	return c.rt.Sync(stop)
}

// store is a reference-counted store: what an array and its views share.
type store struct {
	id       scheduler.StoreID
	refs     int
	bytes    int64
	tag      uint64 // see Array.Tag
	cleanup  runtime.Cleanup
	watched  bool          // the cleanup is registered
	lost     error         // why there is no value; set by Carry
	exported atomic.Int32  // shared mappings that are out; a little more is harmless
	exports  atomic.Uint32 // shared mappings that there have been
	lent     *loan         // whose memory it is, if it is the program's own
	onDevice bool          // see Array.OnDevice
}

// loan is memory that the program has lent.
type loan struct {
	lend  func(rt Runtime, id scheduler.StoreID, back func()) error
	back  func()
	away  bool         // it is a GPU's, which another runtime may not have
	users atomic.Int32 // runtimes that have it
}

// give is for a runtime that has done with the memory.
func (l *loan) give() {
	if l.users.Add(-1) == 0 {
		l.back()
	}
}

// whole is a view of all of the store's bytes.
func (s *store) whole() scheduler.View {
	return scheduler.View{Store: s.id, Type: tile.Uint8, Shape: []int{int(s.bytes)}, Strides: []int64{1}}
}

// dropQueue takes the stores that the collector found unreachable. Cleanups run on a
// goroutine of Go's own, so that they only leave a note; the next call reads it.
type dropQueue struct {
	some atomic.Bool
	mu   sync.Mutex
	ids  []scheduler.StoreID
}

// dropNote is what a cleanup knows; it must not reach the store itself.
type dropNote struct {
	queue *dropQueue
	id    scheduler.StoreID
}

func (n dropNote) leave() {
	n.queue.mu.Lock()
	n.queue.ids = append(n.queue.ids, n.id)
	n.queue.mu.Unlock()
	n.queue.some.Store(true)
}

// collect frees the stores that the collector found. Every entry point calls it first.
func (c *Context) collect() {
	if !c.dropped.some.Load() {
		return
	}
	c.dropped.mu.Lock()
	ids := c.dropped.ids
	c.dropped.ids = nil
	c.dropped.some.Store(false)
	c.dropped.mu.Unlock()
	for _, id := range ids {
		delete(c.known, id)
		delete(c.bytewise, id)
		c.rt.Free(id)
	}
}

// watch registers a store with the collector, under the name that it has now.
func (c *Context) watch(s *store) {
	s.cleanup = runtime.AddCleanup(s, dropNote.leave, dropNote{c.dropped, s.id})
	s.watched = true
}

// arrayBlock is an array that owns its store, in one allocation.
type arrayBlock struct {
	array Array
	store store
}

// arrayBlock returns a new one. A cleanup needs an allocation of its own: it runs when
// nothing in the allocation can be reached.
func (c *Context) arrayBlock() *arrayBlock {
	if !c.Exact {
		return new(arrayBlock)
	}
	return take(&c.blocks, chunkBlocks)
}

// How many blocks are allocated together. One that lives keeps its neighbours' memory, but those
// of a loop over small arrays live equally long, and ops only until they have run.
const (
	chunkBlocks = 8
	chunkRuns   = 32
)

// take returns a zero block: an allocation costs as much as the rest of a small call, and
// for several blocks hardly more than for one.
func take[block any](chunk *[]block, together int) *block {
	if len(*chunk) == 0 {
		*chunk = make([]block, together)
	}
	b := &(*chunk)[0]
	*chunk = (*chunk)[1:]
	return b
}

// alloc makes a C-contiguous array over a new store. It shares the shape's slice. strides
// is nil, or the C strides that the caller already has.
func (c *Context) alloc(t tile.DType, shape []int, strides []int64) (*Array, error) {
	n, err := checkedSize(shape, t.Size())
	if err != nil {
		return nil, err
	}
	switch {
	case n == 0: // as NumPy has memory of no elements
		strides = make([]int64, len(shape))
	case strides == nil:
		strides = scheduler.CStrides(shape, t.Size())
	}
	bytes := int64(max(n, 1)) * int64(t.Size())
	b := c.arrayBlock()
	b.store = store{id: c.rt.NewStore(bytes), refs: 1, bytes: bytes}
	b.array = Array{
		c:          c,
		store:      &b.store,
		view:       scheduler.View{Store: b.store.id, Type: t, Shape: shape, Strides: strides},
		size:       n,
		contiguous: true,
	}
	if !c.Exact {
		c.watch(&b.store)
	}
	return &b.array, nil
}

// release gives back one reference.
func (c *Context) release(s *store) {
	s.refs--
	if s.refs > 0 {
		return
	}
	if s.watched {
		s.cleanup.Stop()
	}
	delete(c.known, s.id)
	delete(c.bytewise, s.id)
	c.rt.Free(s.id)
}

// checkedSize multiplies the extents, with NumPy's errors.
func checkedSize(shape []int, itemsize int) (int, error) {
	if len(shape) > maxDims {
		return 0, tooMany(len(shape))
	}
	n, empty := 1, false
	for _, s := range shape {
		if s < 0 {
			return 0, errorf("ValueError", "negative dimensions are not allowed")
		}
		if s == 0 {
			empty = true
			continue
		}
		if n > (1<<62)/itemsize/s {
			return 0, errorf("ValueError", "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.")
		}
		n *= s
	}
	if empty {
		return 0, nil
	}
	return n, nil
}

// maxDims is the highest rank of an array: that of programs. NumPy has arrays of more, up to 64.
const maxDims = 32

// tooMany leaves what has more dimensions than maxDims to NumPy, which also words the error where they are too many for
// it.
func tooMany(ndim int) error {
	return &Fallback{fmt.Sprintf("an array of %d dimensions, more than %d", ndim, maxDims)}
}
