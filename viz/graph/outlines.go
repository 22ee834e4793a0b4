package graph

import (
	"slices"

	"weft/scheduler"
	"weft/viz/label"
)

// DataflowOutline returns the dataflow graph with all that its nodes open into, and the graph that is shown at first.
// It is deterministic.
func DataflowOutline(ops []OpNode, o OutlineOptions) (*Outline, *Graph) {
	if len(ops) == 0 {
		g := Dataflow(ops, o.Graph)
		return &Outline{Kind: "dataflow", Title: g.Title, Note: g.Note}, g
	}
	steps, g := collapseOps(ops, o.Graph)
	var total int64
	first := make([]int, len(ops)+1)
	for i := range ops {
		total += ops[i].DurNs
		first[i+1] = first[i] + max(1, len(ops[i].Inner))
	}
	p := o.Graph.pen()
	b := newOutliner("dataflow", elements{
		first: first, noun: "parts",
		node: func(members []int) Node { return opNode(ops, members, total, p) },
		unit: func(members []int, k int) Node { return innerNode(&ops[members[0]], k, p) },
	}, o)
	b.Title, b.Note = g.Title, g.Note
	b.outermost(steps, len(ops), o.Graph.limit())
	inputs, outputs := b.storeParts(ops, g.isCut())
	b.finish()
	b.connect(func(f *flows) { b.dataflows(f, ops, inputs, outputs) })
	b.keepSources()
	return &b.Outline, g
}

// innerNode is a part of a fused operation.
func innerNode(op *OpNode, k int, p *pen) Node {
	in := &op.Inner[k]
	line := p.line(in.Where)
	return Node{
		Class: "op-" + in.Kind, Name: in.Name, Times: 1, Details: []string{in.Shape, line}, place: in.Where,
		Tooltip: join("\n", "part of "+op.ID.String(), in.Kind, line, in.Shape), uses: usesOf(in.Reads, in.Writes),
		opRuns: runs([]scheduler.OpID{op.ID}),
	}
}

// usesOf says how an operation uses its arrays.
func usesOf(reads, writes []Store) []Use {
	var out []Use
	for _, s := range reads {
		how := "read"
		if slices.ContainsFunc(writes, func(w Store) bool { return w.ID == s.ID }) {
			how = "update"
		}
		out = append(out, useOf(how, s))
	}
	for _, s := range writes {
		if !slices.ContainsFunc(reads, func(r Store) bool { return r.ID == s.ID }) {
			out = append(out, useOf("write", s))
		}
	}
	return out
}

func useOf(how string, s Store) Use {
	return Use{How: how, Name: s.label(), Store: s.ID.String(), Text: label.Printable(s.Text, 80), Bytes: s.Bytes}
}

// unitsOf returns the first unit of an op, and which of its units read a store's value from before the op, and which
// one leaves its last.
func (b *outliner) readers(ops []OpNode, op int, store scheduler.StoreID) []int {
	var out []int
	for k, in := range ops[op].Inner {
		if holds(in.Reads, store) {
			out = append(out, b.of.first[op]+k)
		}
		if holds(in.Writes, store) {
			break
		}
	}
	if out == nil {
		out = []int{b.of.first[op]}
	}
	return out
}

func (b *outliner) writer(ops []OpNode, op int, store scheduler.StoreID) int {
	for k := len(ops[op].Inner) - 1; k >= 0; k-- {
		if holds(ops[op].Inner[k].Writes, store) {
			return b.of.first[op] + k
		}
	}
	return b.of.first[op+1] - 1
}

func holds(list []Store, id scheduler.StoreID) bool {
	return slices.ContainsFunc(list, func(s Store) bool { return s.ID == id })
}

// storeParts adds the arrays that come from outside or stay at the end: for each part its stores, as the groups of
// arrays in drawDataflow; or, where few are wanted, one part for all of a role.
func (b *outliner) storeParts(ops []OpNode, few bool) (inputs, outputs map[scheduler.StoreID]int) {
	type write struct {
		op   int
		read bool
	}
	last := map[scheduler.StoreID]*write{}
	var in, out arrays
	top := func(u int) int { // as it is shown at first
		p := b.at[u]
		if b.Parts[p].Loop {
			p = b.folded[0][u]
		}
		return p
	}
	for i := range ops {
		for _, s := range ops[i].Reads {
			if w := last[s.ID]; w != nil {
				w.read = true
			} else {
				in.add(s, top(b.of.first[i]), privilege{})
			}
		}
		for _, s := range ops[i].Writes {
			last[s.ID] = &write{op: i}
		}
	}
	for i := range ops {
		for _, s := range ops[i].Writes {
			if w := last[s.ID]; w.op == i && !w.read {
				out.add(s, top(b.of.first[i]), privilege{})
			}
		}
	}
	add := func(a *arrays, role string) map[scheduler.StoreID]int {
		at := map[scheduler.StoreID]int{}
		groups := a.groups()
		if few && len(groups) > 1 {
			groups = []arrayGroup{{stores: a.stores}}
		}
		for _, group := range groups {
			n := storeNode(group.stores, role)
			n.uses = nil
			part := b.part(n, noOne, false)
			b.Parts[part].Uses = storeUses(group.stores)
			for _, s := range group.stores {
				at[s.ID] = part
			}
		}
		return at
	}
	return add(&in, "input"), add(&out, "output")
}

// storeUses lists the first few of a group of stores.
func storeUses(stores []Store) []Use {
	var out []Use
	for _, s := range stores[:min(len(stores), 12)] {
		out = append(out, useOf("", s))
	}
	return out
}

// dataflows adds what flows from unit to unit, as drawDataflow does from node to node.
func (b *outliner) dataflows(f *flows, ops []OpNode, inputs, outputs map[scheduler.StoreID]int) {
	grain := map[int]int{} // of a store's part
	store := func(part int) int {
		at, known := grain[part]
		if !known {
			at = len(b.Grains)
			grain[part] = at
			b.Grains = append(b.Grains, []int{part})
		}
		return at
	}
	last, op := map[scheduler.StoreID]int{}, map[scheduler.StoreID]int{} // unit and op that wrote it
	outside := map[[2]int]int{}                                          // flow between grains
	across := func(from, to int, p privilege) {
		at, known := outside[[2]int{from, to}]
		if !known {
			at = len(b.Flows)
			outside[[2]int{from, to}] = at
			b.Flows = append(b.Flows, Flow{From: from, To: to})
			f.seen = append(f.seen, nil)
		}
		b.Flows[at].take(p)
	}
	for i := range ops {
		for _, s := range ops[i].Reads {
			p := privilege{updated: holds(ops[i].Writes, s.ID)}
			for k, u := range b.readers(ops, i, s.ID) {
				if from, known := last[s.ID]; known {
					p.reduced = ops[op[s.ID]].Kind == reduction
					f.carry(from, u, false, k > 0, s, p)
				} else {
					across(store(inputs[s.ID]), f.of[u], p)
				}
			}
		}
		b.innerFlows(f, ops, i)
		for _, s := range ops[i].Writes {
			last[s.ID], op[s.ID] = b.writer(ops, i, s.ID), i
		}
	}
	for i := range ops {
		for _, s := range ops[i].Writes {
			if part, stays := outputs[s.ID]; stays && op[s.ID] == i {
				across(f.of[last[s.ID]], store(part), privilege{reduced: ops[i].Kind == reduction})
			}
		}
	}
}

// reduction is the kind of operations of which each task adds to a result that they share.
const reduction = "reduce"

// innerFlows adds what flows between the parts of one op.
func (b *outliner) innerFlows(f *flows, ops []OpNode, op int) {
	written := map[scheduler.StoreID]int{} // by which part
	for k, in := range ops[op].Inner {
		for _, s := range in.Reads {
			if from, known := written[s.ID]; known && from != k {
				p := privilege{ops[op].Inner[from].Kind == reduction, holds(in.Writes, s.ID)}
				f.carry(b.of.first[op]+from, b.of.first[op]+k, true, false, s, p)
			}
		}
		for _, s := range in.Writes {
			written[s.ID] = k
		}
	}
}

// EventsOutline returns the event graph with all that its nodes open into, and the graph that is shown at first. It is
// deterministic.
func EventsOutline(tasks []TaskNode, o OutlineOptions) (*Outline, *Graph) {
	if len(tasks) == 0 {
		g := Events(tasks, o.Graph)
		return &Outline{Kind: "events", Title: g.Title, Note: g.Note}, g
	}
	c := collapseTasks(tasks, o.Graph)
	tasks = c.tasks
	var total int64
	for i := range tasks {
		total += tasks[i].duration()
	}
	launches := c.parts
	if launches == nil {
		launches = c.steps
	}
	first := make([]int, len(launches)+1)
	unit := make([]int, len(tasks)) // of each task
	task := make([]int, len(tasks)) // of each unit
	for i, s := range launches {
		for k, m := range s.members {
			unit[m], task[first[i]+k] = first[i]+k, m
		}
		first[i+1] = first[i] + len(s.members)
	}
	longest := criticalPath(tasks)
	p := o.Graph.pen()
	node := func(members []int) Node {
		n := taskNode(tasks, members, total, p)
		n.Critical = slices.ContainsFunc(members, func(i int) bool { return longest.on[i] })
		return n
	}
	b := newOutliner("events", elements{
		first: first, noun: "tasks",
		node: func(members []int) Node {
			var all []int
			for _, e := range members {
				all = append(all, task[first[e]:first[e+1]]...)
			}
			return node(all)
		},
		unit: func(members []int, k int) Node {
			all := make([]int, len(members))
			for i, e := range members {
				all[i] = task[first[e]+k]
			}
			return node(all)
		},
	}, o)
	b.Title, b.Note = c.graph.Title, c.graph.Note
	steps := c.steps
	if c.parts == nil {
		steps = group(len(launches), func(i int) int { return i })
	}
	b.outermost(steps, len(launches), o.Graph.limit())
	b.finish()
	b.connect(func(f *flows) { b.waits(f, &c, unit, longest) })
	b.keepSources()
	return &b.Outline, c.graph
}

// waits adds which task waited for which.
func (b *outliner) waits(f *flows, c *collapsed, unit []int, longest chain) {
	tasks := c.tasks
	index := indexTasks(tasks)
	keys := make([]launchID, len(tasks))
	for i := range tasks {
		keys[i] = launchKey(&tasks[i])
	}
	for i := range tasks {
		for _, before := range tasks[i].After {
			from, known := index.find(before)
			if !known {
				continue
			}
			e := f.add(unit[from], unit[i], keys[from] == keys[i])
			e.Order = e.Order && (tasks[i].Kind == "free" || tasks[from].Kind == "free")
			e.Pointwise = e.Pointwise && c.point.joins(from, i)
			e.Critical = e.Critical || longest.on[i] && longest.before[i] == from
		}
	}
}
