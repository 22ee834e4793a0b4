package core

import "weft/scheduler"

// Options are the choices that a plan depends on besides the machine and the ops. They
// change speed, never results.
type Options struct {
	// Window is how many ops gather before Submit asks for a flush; 0 means 64.
	Window int

	// MinTile is what a tile should cost at least, in the unit of Inline: an op that does not cost
	// twice as much stays whole, and plans say so. 0 means 256 KiB, about ten times what starting a task of a GPU
	// costs, and 2 MiB on machines of one memory, whose tasks are started by waking a thread.
	MinTile int64

	// Balance is how many tiles there are per CPU queue, so that a queue which is late leaves
	// work to the others; 0 means 2. GPUs get one tile each.
	Balance int

	// Renew is the bytes from which on a store is renewed where that lets an assignment into a
	// slice run in one pass with the slices that it is computed from; 0 means 512 KiB. Smaller
	// ones fit the cache, and one more pass over them costs less than carrying over the rest.
	Renew int64

	// Inline is the cost of all tasks of a window together up to which it runs in order; one whose tasks are all small
	// (SmallTask), none being a tile of several, does so, too. Handing them over would cost more than a second core can
	// save. 0 means never. The unit is a byte of operands, or what a core computes while it moves one (tile's
	// Program.Work).
	Inline int64

	// Shared is the cost of all tasks of a window together up to which it runs in order, too, where each is small or
	// one that the device shares with queues which have nothing to do (shares in inorder.go). Such tasks are not cut. 0
	// means that the device shares none.
	Shared int64

	// HandOver is what it costs to have another queue run a task, in the unit of Inline; 0 means 1 MiB. See
	// SetHandOver.
	HandOver int64

	// Small is the cost of an op up to which it runs on the CPUs of a machine with one GPU, if that alone holds nothing
	// of what the op uses (see small.go). 0 means never.
	Small int64

	// Meanwhile is the cost of an op up to which it runs on the CPUs of such a machine, too, if Cold says that the GPU
	// would wait for a compiler: of its kernel nothing is there yet. It is also that of all pending ops together which
	// run there for this reason. 0 means never. What Cold answers is an input of the plan like the ops are; nil answers
	// that nothing is cold.
	Meanwhile int64
	Cold      func(op *scheduler.Op) bool

	// CutLittle cuts windows of little work like others, to look for faults. They are to run in order,
	// where tiles gain nothing.
	CutLittle bool

	// Step, if set, is called before each pass of planning, with its name: the driver, which has a clock, can tell what
	// it took.
	Step func(pass string)

	// Form, if set, is called after each pass, and for each step within one, with its name and what it has left in
	// text.
	Form func(pass, text string)

	// NoFusion runs every op by itself.
	NoFusion bool

	// NoTemplates captures every window anew. Recapture does so as well, and panics where that is not the template
	// which is remembered from an earlier window.
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
