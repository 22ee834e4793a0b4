package scheduler

// pass is one step of planning. It reads and extends what the passes before it left in the
// core's window and plan.
type pass struct {
	name string
	fn   func(*Core)
	why  string // why it stands where it stands
}

// passes is the order of planning.
var passes = []pass{
	{"fuse", fuse, "first: what is fused is cut, placed and ordered as one"},
	{"partition", partition, "second: tiles are the unit of everything that follows, and how an op is cut depends on its own shape and views alone"},
	{"place", place, "before depend: which copies there are, and in which instance a task finds its bytes, is known only now"},
	{"depend", order, "last: it orders all tasks, copies and frees included, by the instances that they touch; little work keeps the plan's order"},
}

// Plan is what one flush, or one access by the host, adds. The slices are reused: they are
// valid until the core plans again.
type Plan struct {
	Ops       []*Op
	Tasks     []*Task     // in ID order, which is an order in which they could run one by one
	Instances []*Instance // new ones
	Splits    []Split     // why ops were not fused with those that they depend on
	Fits      []Fit       // which ops no GPU has room for as they are

	// Template is what the ops were fused by, nil where nothing had to be decided; Replayed says that it is that of an earlier window.
	Template *Template
	Replayed bool

	// InOrder says that the tasks are not handed out by Next: whoever planned them runs them at
	// once, one after the other (see inorder.go).
	InOrder bool

	nodes  []*node
	limits threshold
}

func (p *Plan) reset() {
	clear(p.Ops)
	clear(p.Tasks)
	clear(p.Instances)
	clear(p.nodes)
	p.Ops, p.Tasks, p.Instances, p.nodes = p.Ops[:0], p.Tasks[:0], p.Instances[:0], p.nodes[:0]
	p.Splits, p.Fits, p.InOrder = p.Splits[:0], p.Fits[:0], false
	p.Template, p.Replayed = nil, false
}

// Flush plans the window: its ops become tasks.
func (c *Core) Flush() *Plan {
	c.plan.reset()
	c.plan.limits = c.threshold()
	for i := range passes {
		if c.opt.Step != nil {
			c.opt.Step(passes[i].name)
		}
		passes[i].fn(c)
	}
	clear(c.window)
	c.window, c.ops = c.window[:0], 0
	c.idle = append(c.idle, c.gone[:min(len(c.gone), storesAtRest-len(c.idle))]...)
	clear(c.gone)
	c.gone = c.gone[:0]
	if !c.plan.InOrder {
		c.commit(c.plan.nodes)
	}
	return &c.plan
}

// commit hands tasks of the plan over to the state machine.
func (c *Core) commit(nodes []*node) {
	for _, n := range nodes {
		c.tasks.put(uint32(n.ID), n)
		c.pending++
		if n.Kind == Run {
			c.runs++
		}
		c.bytes += n.bytes
		c.owed += n.work
	}
	for _, n := range nodes {
		c.enable(n)
	}
	c.settle()
}

// add gives a task its ID and puts it at the plan's end.
func (c *Core) add(n *node) {
	c.lastTask++
	n.ID = c.lastTask
	c.plan.nodes = append(c.plan.nodes, n)
	c.plan.Tasks = append(c.plan.Tasks, &n.Task)
}
