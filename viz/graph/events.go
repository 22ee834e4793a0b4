package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/units"
	"weft/scheduler"
)

// fewTasks is up to how many tasks an event graph shows each one by itself.
const fewTasks = 60

// Events returns the graph of tasks, copies and frees and of which waited for which,
// collapsed to at most Limit nodes: each task by itself while there are few, then the tasks of an
// index launch as one node, then loops folded, then the launches of a line as one node. It
// is deterministic.
func Events(tasks []TaskNode, o Options) *Graph {
	if len(tasks) == 0 {
		return &Graph{Title: o.Title, Note: "no tasks were recorded"}
	}
	return collapseTasks(tasks, o).graph
}

// collapsed is an event graph at the finest level that fits.
type collapsed struct {
	tasks []TaskNode // without those that are not shown
	steps []*step    // of tasks, or of launches
	parts []*step    // the launches that steps are of; nil where steps are of tasks
	graph *Graph
	point pointwise
}

// pointwise finds the pairs of index launches of which each task of the second waits for one task of the first, not for
// all.
type pointwise struct {
	launch []int           // of each task
	size   []int           // of each launch
	pairs  map[[2]int]bool // false where a task waits for several
}

func findPointwise(tasks []TaskNode) pointwise {
	launches := group(len(tasks), func(i int) launchID { return launchKey(&tasks[i]) })
	p := pointwise{launch: make([]int, len(tasks)), size: make([]int, len(launches)), pairs: map[[2]int]bool{}}
	for k, s := range launches {
		p.size[k] = len(s.members)
		for _, i := range s.members {
			p.launch[i] = k
		}
	}
	index := indexTasks(tasks)
	var seen []int // launches that the task waits for
	for i := range tasks {
		seen = seen[:0]
		for _, before := range tasks[i].After {
			from, known := index.find(before)
			if !known {
				continue
			}
			pair := [2]int{p.launch[from], p.launch[i]}
			if slices.Contains(seen, pair[0]) {
				p.pairs[pair] = false
			} else if _, known := p.pairs[pair]; !known {
				p.pairs[pair] = p.size[pair[0]] > 1 && p.size[pair[1]] > 1
			}
			seen = append(seen, pair[0])
		}
	}
	return p
}

// joins says whether two tasks are of such a pair.
func (p *pointwise) joins(from, to int) bool { return p.pairs[[2]int{p.launch[from], p.launch[to]}] }

func collapseTasks(tasks []TaskNode, o Options) collapsed {
	few := fewTasks
	if o.Whole {
		few = o.limit()
	}
	longest := criticalPath(tasks)
	if len(tasks) <= few {
		c := collapsed{tasks: tasks, steps: group(len(tasks), strconv.Itoa), point: findPointwise(tasks)}
		c.graph = drawEvents(&c, c.steps, longest, false, o.pen())
		c.graph.Title, c.graph.Note = o.Title, join("; ", longest.text(o.Missing), o.Note)
		return c
	}
	kept, frees := withoutFrees(tasks)
	if len(kept) < len(tasks) {
		longest = criticalPath(kept)
	}
	c := collapsed{tasks: kept, parts: findLaunches(kept), point: findPointwise(kept)}
	for _, level := range eventLevels {
		c.steps = level.steps(kept, c.parts)
		steps := ofTasks(c.steps, c.parts)
		if len(leaves(steps)) > o.limit() && level.note != lastEventLevel {
			continue
		}
		c.graph = drawEvents(&c, steps, longest, level.loops, o.pen())
		c.graph.Title, c.graph.Note = o.Title, join("; ", level.note, frees, longest.text(o.Missing), o.Note)
		if len(c.graph.Nodes) <= o.limit() {
			return c
		}
	}
	c.graph = c.graph.cut(o.limit())
	return c
}

// lastEventLevel is the note of the coarsest level.
const lastEventLevel = "tasks are one node per kind"

// eventLevels are the ways to collapse launches, from the finest to the coarsest.
var eventLevels = []struct {
	loops bool
	note  string
	steps func(tasks []TaskNode, launches []*step) []*step
}{
	{true, "the tasks of an operation are one node", func(tasks []TaskNode, launches []*step) []*step {
		return foldLaunches(tasks, launches, 3)
	}},
	{true, "repeated launches are folded", func(tasks []TaskNode, launches []*step) []*step {
		return foldLaunches(tasks, launches, 2)
	}},
	{false, "the tasks of a line are one node per kind", func(tasks []TaskNode, launches []*step) []*step {
		return group(len(launches), func(i int) string {
			t := &tasks[launches[i].members[0]]
			return join("\x00", t.Kind, t.Cause, lineKey(t.Where))
		})
	}},
	{false, lastEventLevel, func(tasks []TaskNode, launches []*step) []*step {
		return group(len(launches), func(i int) string {
			t := &tasks[launches[i].members[0]]
			return join("\x00", t.Kind, t.Cause)
		})
	}},
}

// withoutFrees leaves out the tasks that only give memory back, and says how many they were.
func withoutFrees(tasks []TaskNode) ([]TaskNode, string) {
	kept := make([]TaskNode, 0, len(tasks))
	for _, t := range tasks {
		if t.Kind != "free" {
			kept = append(kept, t)
		}
	}
	if len(kept) == len(tasks) || len(kept) == 0 {
		return tasks, ""
	}
	return kept, fmt.Sprintf("%d frees are not shown", len(tasks)-len(kept))
}

// findLaunches returns the index launches in the order of their ops, the copies that an op
// needs before its tasks.
func findLaunches(tasks []TaskNode) []*step {
	launches := group(len(tasks), func(i int) launchID { return launchKey(&tasks[i]) })
	first := map[scheduler.OpID]int{} // position of an op's first task
	type placed struct {
		*step
		at int
	}
	order := make([]placed, len(launches))
	for i, s := range launches {
		order[i] = placed{s, s.members[0]}
		if op := tasks[s.members[0]].Op; op != 0 {
			if _, known := first[op]; !known {
				first[op] = s.members[0]
			}
			order[i].at = first[op]
		}
	}
	slices.SortStableFunc(order, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(tasks[a.members[0]].Kind, tasks[b.members[0]].Kind)) // copy before run
	})
	for i := range order {
		launches[i] = order[i].step
	}
	return launches
}

// launchID is the same for the tasks of one index launch, and for the copies that one op needs for one reason.
type launchID struct {
	kind, cause string
	where       scheduler.Where
	op          scheduler.OpID
}

func launchKey(t *TaskNode) launchID { return launchID{t.Kind, t.Cause, t.Where, t.Op} }

// foldLaunches folds a sequence of launches.
func foldLaunches(tasks []TaskNode, launches []*step, least int) []*step {
	keys, lines := make([]string, len(launches)), make([]int, len(launches))
	for i, s := range launches {
		t := &tasks[s.members[0]]
		lines[i] = int(t.Where.Line)
		keys[i] = strings.Join([]string{t.Kind, t.Name, t.Cause, lineKey(t.Where)}, "\x00")
	}
	return fold(keys, lines, nil, least)
}

// ofTasks returns steps of launches as steps of the launches' tasks.
func ofTasks(steps, launches []*step) []*step {
	out := make([]*step, len(steps))
	for i, s := range steps {
		of := *s
		if s.body != nil {
			of.body = ofTasks(s.body, launches)
		} else {
			of.members = nil
			for _, launch := range s.members {
				of.members = append(of.members, launches[launch].members...)
			}
		}
		out[i] = &of
	}
	return out
}

func drawEvents(c *collapsed, steps []*step, longest chain, loops bool, p *pen) *Graph {
	tasks := c.tasks
	g := &Graph{}
	var total int64
	index := indexTasks(tasks)
	for i := range tasks {
		total += tasks[i].duration()
	}
	keys := make([]launchID, len(tasks))
	for i := range tasks {
		keys[i] = launchKey(&tasks[i])
	}
	at := make([]int, len(tasks))
	g.place(steps, at, func(members []int) Node {
		n := taskNode(tasks, members, total, p)
		n.Critical = slices.ContainsFunc(members, func(i int) bool { return longest.on[i] })
		return n
	})
	var edges edgeSet
	for i := range tasks {
		for _, before := range tasks[i].After {
			from, known := index.find(before)
			if !known {
				continue // it completed before this part of the run
			}
			if at[from] == at[i] && (!loops || keys[from] == keys[i]) {
				continue
			}
			e := edges.add(at[from], at[i], "", tasks[i].Kind == "free" || tasks[from].Kind == "free")
			e.all = e.all || !c.point.joins(from, i)
			e.Critical = e.Critical || longest.before[i] == from && longest.on[i]
		}
	}
	for i := range edges.edges {
		e := &edges.edges[i]
		e.Pointwise = !e.all && g.Nodes[e.From].several && g.Nodes[e.To].several
	}
	g.connect(&edges)
	return g
}

func taskNode(tasks []TaskNode, members []int, total int64, p *pen) Node {
	first := &tasks[members[0]]
	var called, lines, places, rates, devices, causes names
	var ops []scheduler.OpID
	var ns, bytes int64
	for _, i := range members {
		t := &tasks[i]
		called.add(t.Name)
		lines.add(t.Line)
		places.add(cmp.Or(t.Lines, p.line(t.Where)))
		rates.add(t.Rate)
		devices.add(t.Device)
		causes.add(t.Cause)
		if t.Op != 0 && (len(ops) == 0 || ops[len(ops)-1] != t.Op) {
			ops = append(ops, t.Op)
		}
		ns, bytes = ns+t.duration(), bytes+t.Bytes
	}
	slices.Sort(ops)
	ops = slices.Compact(ops)
	n := Node{Class: "task-" + first.Kind, Name: list(called.list, 3), ns: ns, bytes: bytes}
	switch first.Kind {
	case "copy":
		n.Name = list(causes.list, 3)
		if n.Name == "" || n.Name == "none" {
			n.Name = "copy"
		}
		if first.Line != "" {
			n.Color = p.colors.Copies(n.Name)
		}
	case "free":
		n.Name = "free"
	case "run":
		if first.Line != "" {
			n.More = []string{n.Name}
			n.Name = list(lines.list, 1)
			n.Color = p.colors.Operation(n.Name)
		}
	}
	if total > 0 {
		n.Weight = float64(ns) / float64(total)
	}
	slices.SortFunc(devices.list, natural)
	if len(devices.list) == 1 {
		n.Device = devices.list[0]
	}
	id := ""
	if len(members) == 1 && !first.Nameless {
		id = first.ID.String()
	}
	n.Details = []string{join(" \u00b7 ", id, list(devices.list, 4))}
	switch {
	case first.Line != "": // the id and the place are details
		n.Details = []string{list(devices.list, 4)}
		n.More = append(n.More, join(" \u00b7 ", id, list(places.list, 1)))
	case first.Kind == "run":
		n.Details = append(n.Details, list(places.list, 1))
	}
	if first.Kind != "free" {
		n.Details = append(n.Details, cost(ns, bytes))
	}
	if len(places.list) > 1 || first.Lines != "" {
		n.where = list(places.list, 4)
	}
	if len(places.list) == 1 && len(rates.list) == 1 {
		n.rate = rates.list[0]
	}
	var taskIDs []scheduler.TaskID
	for _, i := range members {
		if !tasks[i].Nameless {
			taskIDs = append(taskIDs, tasks[i].ID)
		}
	}
	ids := idList(len(taskIDs), func(i int) scheduler.TaskID { return taskIDs[i] })
	opIDs := idList(len(ops), func(i int) scheduler.OpID { return ops[i] })
	n.Tooltip = join("\n", ids, opIDs, list(devices.list, 16), list(places.list, 8), lineInAll(n.rate), cost(ns, bytes), units.Rate(bytes, ns))
	n.several = len(members) > 1
	n.place = first.Where
	n.opRuns = runs(ops)
	slices.Sort(taskIDs)
	n.taskRuns = runs(taskIDs)
	return n
}

// natural orders cpu2 before cpu10.
func natural(a, b string) int {
	return cmp.Or(cmp.Compare(strings.TrimRight(a, "0123456789"), strings.TrimRight(b, "0123456789")),
		cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// heaviest marks the n nodes with the largest share of time; of equal ones the first.
func heaviest(nodes []Node, n int) []bool {
	order := make([]int, len(nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(nodes[b].Weight, nodes[a].Weight) })
	keep := make([]bool, len(nodes))
	for _, i := range order[:min(max(n, 0), len(order))] {
		keep[i] = true
	}
	return keep
}
