package viz

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/profiler"
	"weft/scheduler"
)

// fewTasks is up to how many tasks an event graph shows each one by itself.
const fewTasks = 60

// Events returns the graph of tasks, copies and frees and of which waited for which,
// collapsed to at most Limit nodes: each task by itself while there are few, then the tasks of an
// index launch as one node, then loops folded, then the launches of a line as one node. It
// is deterministic.
func Events(tasks []TaskNode, o GraphOptions) *Graph {
	if len(tasks) == 0 {
		return &Graph{Title: o.Title, Note: "no tasks were recorded"}
	}
	few := fewTasks
	if o.Whole {
		few = o.limit()
	}
	if len(tasks) <= few {
		g := drawEvents(tasks, group(len(tasks), strconv.Itoa), false)
		g.Title = o.Title
		return g
	}
	tasks, frees := withoutFrees(tasks)
	launches := findLaunches(tasks)
	var g *Graph
	for _, level := range eventLevels {
		g = drawEvents(tasks, level.steps(tasks, launches), level.loops)
		g.Title, g.Note = o.Title, join("; ", level.note, frees)
		if len(g.Nodes) <= o.limit() {
			return g
		}
	}
	return g.cut(o.limit())
}

// eventLevels are the ways to collapse, from the finest to the coarsest.
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
	{false, "the tasks of a line are one node per kind", func(tasks []TaskNode, _ []*step) []*step {
		return group(len(tasks), func(i int) string { return join("\x00", tasks[i].Kind, tasks[i].Cause, tasks[i].Where) })
	}},
	{false, "tasks are one node per kind", func(tasks []TaskNode, _ []*step) []*step {
		return group(len(tasks), func(i int) string { return join("\x00", tasks[i].Kind, tasks[i].Cause) })
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
	launches := group(len(tasks), func(i int) string { return launchKey(&tasks[i]) })
	first := map[scheduler.OpID]int{} // position of an op's first task
	position := func(s *step) int {
		at := s.members[0]
		if op := tasks[at].Op; op != 0 {
			if _, known := first[op]; !known {
				first[op] = at
			}
			at = first[op]
		}
		return at
	}
	for _, s := range launches {
		position(s)
	}
	slices.SortStableFunc(launches, func(a, b *step) int {
		return cmp.Or(cmp.Compare(position(a), position(b)), cmp.Compare(tasks[a.members[0]].Kind, tasks[b.members[0]].Kind)) // copy before run
	})
	return launches
}

// launchKey is the same for the tasks of one index launch, and for the copies that one op
// needs for one reason.
func launchKey(t *TaskNode) string {
	return fmt.Sprintf("%s\x00%d\x00%s\x00%s", t.Kind, t.Op, t.Cause, t.Where)
}

// foldLaunches folds a sequence of launches and returns steps whose members are tasks.
func foldLaunches(tasks []TaskNode, launches []*step, least int) []*step {
	keys, lines := make([]string, len(launches)), make([]int, len(launches))
	for i, s := range launches {
		t := &tasks[s.members[0]]
		lines[i] = lineOf(t.Where)
		keys[i] = strings.Join([]string{t.Kind, t.Name, t.Cause, t.Where}, "\x00")
	}
	steps := fold(keys, lines, nil, least)
	for _, s := range leaves(steps) {
		var members []int
		for _, launch := range s.members {
			members = append(members, launches[launch].members...)
		}
		s.members = members
	}
	return steps
}

func drawEvents(tasks []TaskNode, steps []*step, loops bool) *Graph {
	g := &Graph{}
	var total int64
	index := make(map[scheduler.TaskID]int, len(tasks))
	for i := range tasks {
		total += tasks[i].duration()
		index[tasks[i].ID] = i
	}
	at := make([]int, len(tasks))
	g.place(steps, at, func(members []int) Node { return taskNode(tasks, members, total) })
	var edges edgeSet
	for i := range tasks {
		for _, before := range tasks[i].After {
			from, known := index[before]
			if !known {
				continue // it completed before this part of the run
			}
			if at[from] == at[i] && (!loops || launchKey(&tasks[from]) == launchKey(&tasks[i])) {
				continue
			}
			edges.add(at[from], at[i], "", tasks[i].Kind == "free" || tasks[from].Kind == "free")
		}
	}
	g.connect(&edges)
	return g
}

func taskNode(tasks []TaskNode, members []int, total int64) Node {
	first := &tasks[members[0]]
	var names, places, devices, ids, ops, causes []string
	var ns, bytes int64
	for _, i := range members {
		t := &tasks[i]
		names, places, devices = append(names, t.Name), append(places, t.Where), append(devices, t.Device)
		ids, causes = append(ids, t.ID.String()), append(causes, t.Cause)
		if t.Op != 0 {
			ops = append(ops, t.Op.String())
		}
		ns, bytes = ns+t.duration(), bytes+t.Bytes
	}
	names, places, devices = unique(names), unique(places), unique(devices)
	causes, ops = unique(causes), unique(ops)
	n := Node{Class: "task-" + first.Kind, Name: list(names, 3)}
	switch first.Kind {
	case "copy":
		n.Name = list(causes, 3)
		if n.Name == "" || n.Name == "none" {
			n.Name = "copy"
		}
	case "free":
		n.Name = "free"
	}
	if total > 0 {
		n.Weight = float64(ns) / float64(total)
	}
	slices.SortFunc(devices, natural)
	id := ""
	if len(members) == 1 {
		id = ids[0]
	}
	n.Details = []string{join(" \u00b7 ", id, list(devices, 4))}
	if first.Kind == "run" {
		n.Details = append(n.Details, list(places, 1))
	}
	if first.Kind != "free" {
		n.Details = append(n.Details, cost(ns, bytes))
	}
	n.Tooltip = join("\n", list(ids, 8), list(ops, 8), list(devices, 16), list(places, 8), cost(ns, bytes), profiler.Rate(bytes, ns))
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
