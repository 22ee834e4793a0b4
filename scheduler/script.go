package scheduler

import (
	"slices"

	"weft/scheduler/region"
	"weft/tile"
)

// Loops over small arrays hand over the same window again and again, with other stores. What such
// a window came to, when it was planned and ran in order, is kept as a Script: which tasks there
// were, and where their operands are. The next time nothing is submitted, fused or placed: Enact
// names what is new, and the driver runs the tasks.
//
// Stores are known by slots: first those from before, in the order in which the caller lists
// them, then those that the window makes, in the order of their IDs. Most of the latter do not
// outlive it, and many never have an instance.
//
//	m := c.Mark()
//	... NewStore, Submit, Release of some of the new stores ...
//	plan := c.Flush()
//	s := c.Learn(plan, m, outside, ops)    the ops being as many as m is followed by
//	... run the plan ...
//	if c.Ready(s, others, &cast) {
//		c.Enact(&cast)
//		... run the tasks of s on the instances of the cast ...
//	}

// Mark is where IDs stand.
type Mark struct {
	Op    OpID
	Task  TaskID
	Store StoreID
	inst  InstanceID
}

// Mark returns the newest IDs.
func (c *Core) Mark() Mark { return Mark{c.lastOp, c.lastTask, c.lastStore, c.lastInst} }

// Script is a window that can be repeated.
type Script struct {
	Ops     []*Op         // of the plan, with the IDs of the window that was learned
	Runs    []ScriptRun   // in order
	Outside []int64       // bytes of the stores from before, by slot
	Fresh   []ScriptStore // the window's own, by slot behind the others

	count   int // of ops that the program submitted
	tasks   []ScriptTask
	fused   int64
	mark    Mark
	outside []StoreID
	splits  []Split
	made    InstanceID // instances of new stores
}

// ScriptStore is a store that a window makes.
type ScriptStore struct {
	Bytes int64
	Kept  bool // it is there when the window has ended
	Used  bool // it has an instance
	By    *Op  // the op of the program that writes it first; nil if there is none

	inst InstanceID // which of the new instances it has
	free TaskID     // the free of that, in the window that was learned
}

// ScriptRun is a run task.
type ScriptRun struct {
	Task    *Task // of the window that was learned, without Args
	Args    []ScriptArg
	Numbers []int // which ops of the program the uniforms are of, counted from 0
}

// ScriptArg is where an operand is.
type ScriptArg struct {
	Slot   int
	Offset int64 // bytes from the start of the instance
}

// ScriptTask is a task of the window, a free of a store among them.
type ScriptTask struct {
	task *Task
	slot int // of a free
	run  int // of a run
}

// Cast is one repetition of a script.
type Cast struct {
	Script  *Script
	From    Mark          // IDs count on from here
	Slots   []*Instance   // by slot; nil for a store without an instance
	Numbers []tile.Scalar // by op of the program; of those without a uniform the zero Scalar

	own []Instance // of stores that end with the window, until the cast is used again
}

// Learn makes a script of the plan of all that was submitted since the mark: so many ops, on
// stores from outside and on new ones. It returns nil where the window cannot be repeated. The plan
// must not have run yet.
func (c *Core) Learn(p *Plan, m Mark, outside []StoreID, ops int) *Script {
	if !p.InOrder || c.limited || c.lastOp-m.Op != OpID(ops) || len(c.spares) > 0 {
		return nil
	}
	s := &Script{
		Ops: slices.Clone(p.Ops), count: ops, mark: m, outside: slices.Clone(outside),
		splits: slices.Clone(p.Splits), made: c.lastInst - m.inst, Fresh: make([]ScriptStore, c.lastStore-m.Store),
	}
	for _, id := range outside {
		st := c.stores.get(uint32(id))
		if st == nil || st.at[0] == nil {
			return nil
		}
		s.Outside = append(s.Outside, st.size)
	}
	for i := range s.Fresh {
		if st := c.stores.get(uint32(m.Store) + 1 + uint32(i)); st != nil {
			s.Fresh[i].Kept, s.Fresh[i].Bytes = true, st.size
		}
	}
	for _, inst := range p.Instances {
		slot, ok := s.slot(inst.Store)
		if !ok || slot < len(outside) || inst.Memory != 0 {
			return nil
		}
		f := &s.Fresh[slot-len(outside)]
		if f.Used {
			return nil // renewed
		}
		f.Used, f.Bytes, f.inst = true, inst.Hi, inst.ID-m.inst
	}
	for _, op := range p.Ops {
		if len(op.Parts) > 0 {
			s.fused += int64(len(op.Parts))
		}
	}
	for i, n := range p.nodes {
		if n.ID != m.Task+1+TaskID(i) || n.Kind == Copy || n.doom != nil || !s.learn(n) {
			return nil
		}
	}
	return s
}

// learn takes in a task.
func (s *Script) learn(n *node) bool {
	task := n.Task
	task.Args, task.After = nil, nil
	if n.Kind == Free {
		slot, ok := s.slot(n.Src.Store)
		if !ok || slot < len(s.outside) || s.Fresh[slot-len(s.outside)].Kept {
			return false
		}
		s.tasks = append(s.tasks, ScriptTask{task: &task, slot: slot})
		s.Fresh[slot-len(s.outside)].free = n.ID
		return true
	}
	r := ScriptRun{Task: &task}
	for i := range n.Args {
		u := &n.Op.Uses[i]
		slot, ok := s.slot(u.View.Store)
		if !ok || u.Renews || n.Args[i].Instance.Lo != 0 {
			return false
		}
		r.Args = append(r.Args, ScriptArg{slot, n.Args[i].Offset})
		if f := slot - len(s.outside); f >= 0 && u.Access.Writes() && s.Fresh[f].By == nil {
			s.Fresh[f].By = n.Op.Maker(u.View.Store)
		}
	}
	for _, op := range parts(n.Op) {
		for range op.Uniforms {
			r.Numbers = append(r.Numbers, int(op.ID-s.mark.Op)-1)
		}
		if len(op.Uniforms) > 1 {
			return false
		}
	}
	s.tasks = append(s.tasks, ScriptTask{task: &task, run: len(s.Runs)})
	s.Runs = append(s.Runs, r)
	return len(r.Numbers) == len(n.Op.Uniforms)
}

// parts returns the ops of the program that an op is made of.
func parts(op *Op) []*Op {
	if len(op.Parts) > 0 {
		return op.Parts
	}
	return []*Op{op}
}

// slot finds a store of the window that was learned.
func (s *Script) slot(id StoreID) (int, bool) {
	if at := int(id) - int(s.mark.Store) - 1; at >= 0 {
		return len(s.outside) + at, at < len(s.Fresh)
	}
	at := slices.Index(s.outside, id)
	return at, at >= 0
}

// Ready reports whether a script can be repeated now: nothing waits or is pending, and all stores from
// outside have their values in host memory. It fills in their instances. The cast is used again.
func (c *Core) Ready(s *Script, outside []StoreID, x *Cast) bool {
	if len(c.window) > 0 || c.pending > 0 || len(c.spares) > 0 || len(outside) != len(s.Outside) {
		return false
	}
	x.Script, x.Slots = s, x.Slots[:0]
	for i, id := range outside {
		st := c.stores.get(uint32(id))
		if st == nil || st.released || st.size != s.Outside[i] || st.at[0] == nil || len(st.at[0].bad) > 0 {
			return false
		}
		x.Slots = append(x.Slots, &st.at[0].Instance)
	}
	return true
}

// Enact takes the IDs for what the script makes, and makes the stores that outlive it, with
// their instances. The cast must be Ready.
func (c *Core) Enact(x *Cast) {
	s := x.Script
	x.From = c.Mark()
	if cap(x.own) < len(s.Fresh) {
		x.own = make([]Instance, 0, len(s.Fresh))
	}
	x.own = x.own[:0]
	for i := range s.Fresh {
		f := &s.Fresh[i]
		c.lastStore++
		switch {
		case f.Kept:
			st := c.takeStore()
			st.id, st.size = c.lastStore, f.Bytes
			c.stores.put(uint32(st.id), st)
			if !f.Used {
				x.Slots = append(x.Slots, nil)
				continue
			}
			st.host.first = c.lastOp + 1
			st.host.Instance = Instance{ID: x.From.inst + f.inst, Store: st.id, Hi: st.size}
			st.at[0] = &st.host
			x.Slots = append(x.Slots, &st.host.Instance)
		case f.Used:
			x.own = x.own[:len(x.own)+1]
			inst := &x.own[len(x.own)-1]
			inst.ID, inst.Store, inst.Hi = x.From.inst+f.inst, c.lastStore, f.Bytes
			x.Slots = append(x.Slots, inst)
		default:
			x.Slots = append(x.Slots, nil)
		}
	}
	c.lastOp += OpID(s.count)
	c.lastTask += TaskID(len(s.tasks))
	c.lastInst += s.made
	c.fusion.Known++
	c.fusion.Fused += s.fused
}

// Spoil says that a run of a cast failed, and that those behind it did not run: what they
// should have written has no value.
func (c *Core) Spoil(x *Cast, run int, err error) {
	s := x.Script
	op := *s.Runs[run].Task.Op
	op.ID = x.OpID(op.ID)
	f := c.failure(&node{Task: Task{ID: x.Task(run), Op: &op, Where: op.Where}}, err)
	for i := run; i < len(s.Runs); i++ {
		for k, a := range s.Runs[i].Args {
			if st := c.stores.get(uint32(x.Slots[a.Slot].Store)); st != nil && s.Runs[i].Task.Op.Uses[k].Access.Writes() {
				st.at[0].poison(region.Interval{Lo: 0, Hi: st.size}.Comb(), f, false)
			}
		}
	}
}

// OpID returns the ID in the cast of an op that had this one in the window that was learned.
func (x *Cast) OpID(id OpID) OpID { return id - x.Script.mark.Op + x.From.Op }

// Op returns the ID of op i of the script's plan.
func (x *Cast) Op(i int) OpID { return x.OpID(x.Script.Ops[i].ID) }

// RunOp returns the ID of the op of run i.
func (x *Cast) RunOp(i int) OpID { return x.OpID(x.Script.Runs[i].Task.Op.ID) }

// Task returns the ID of run i.
func (x *Cast) Task(i int) TaskID { return x.task(x.Script.Runs[i].Task.ID) }

// FreeTask returns the ID of the task that frees what is in a slot.
func (x *Cast) FreeTask(slot int) TaskID {
	return x.task(x.Script.Fresh[slot-len(x.Script.Outside)].free)
}

func (x *Cast) task(id TaskID) TaskID { return id - x.Script.mark.Task + x.From.Task }

// Last returns the newest IDs of the cast.
func (x *Cast) Last() (OpID, TaskID) {
	return x.From.Op + OpID(x.Script.count), x.From.Task + TaskID(len(x.Script.tasks))
}

// Submitted returns how many ops of the program a script is.
func (s *Script) Submitted() int { return s.count }

// Fused returns how many of them ran in one pass with others.
func (s *Script) Fused() int64 { return s.fused }

// TaskCount returns how many tasks there are, frees among them.
func (s *Script) TaskCount() int { return len(s.tasks) }

// Ended is how a task of a cast ended.
type Ended struct {
	Task *Task
	Run  int // which run it is; -1 for a free
}

// Expand returns the ops and tasks that a cast was, as if it had been submitted and planned, and
// why which ops were not fused.
func (x *Cast) Expand() (ops []*Op, tasks []Ended, splits []Split) {
	s := x.Script
	made := map[*Op]*Op{}
	for _, op := range s.Ops {
		n := x.expand(op)
		made[op] = n
		ops = append(ops, n)
	}
	for _, t := range s.tasks {
		n := *t.task
		n.ID = x.task(n.ID)
		n.alone = true
		run := -1
		if n.Kind == Free {
			n.Src = x.Slots[t.slot]
		} else {
			run = t.run
			n.Op = made[n.Op]
			for i, a := range s.Runs[run].Args {
				n.Args = append(n.Args, Arg{Instance: x.Slots[a.Slot], Offset: a.Offset, Access: n.Op.Uses[i].Access})
			}
		}
		tasks = append(tasks, Ended{&n, run})
	}
	for _, split := range s.splits {
		splits = append(splits, Split{Op: x.OpID(split.Op), From: x.OpID(split.From), Why: split.Why})
	}
	return ops, tasks, splits
}

func (x *Cast) expand(op *Op) *Op {
	n := *op
	n.ID = x.OpID(op.ID)
	n.Uses = slices.Clone(op.Uses)
	for i := range n.Uses {
		slot, _ := x.Script.slot(n.Uses[i].View.Store)
		n.Uses[i].View.Store = x.From.Store + 1 + StoreID(slot-len(x.Script.outside))
		if slot < len(x.Script.outside) {
			n.Uses[i].View.Store = x.Slots[slot].Store
		}
	}
	n.Parts, n.Uniforms = nil, nil
	for _, part := range op.Parts {
		p := x.expand(part)
		n.Parts = append(n.Parts, p)
		n.Uniforms = append(n.Uniforms, p.Uniforms...)
	}
	if len(op.Parts) == 0 && len(op.Uniforms) > 0 {
		n.Uniforms = []tile.Scalar{x.Numbers[op.ID-x.Script.mark.Op-1]}
	}
	return &n
}
