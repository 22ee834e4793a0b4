package workspace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/viz/graph"
)

// notesOf are the operations of a cell that were computed at once, but for those that only show a value.
func (m *Machine) notesOf(c cell) (runs []notedRun, missing int64) {
	return m.space.notes.of(c, func(w scheduler.Where) bool { return !m.displays(w) })
}

// ordered is a node of a dataflow graph and what tells its place among the others: the first of its tasks, and, of what
// was computed at once, when that run began.
type ordered struct {
	graph.OpNode
	first scheduler.TaskID
	begun int64
}

// withSmall puts a cell's operations that were computed at once among its others, behind those that had been submitted
// by then.
func (m *Machine) withSmall(c cell, ops []driver.OpInfo, nodes []graph.OpNode, firsts map[scheduler.OpID]scheduler.TaskID) []ordered {
	all := make([]ordered, 0, len(nodes))
	lines := m.lineTitles()
	runs, _ := m.notesOf(c)
	called := m.smallNames(runs, lines)
	var last scheduler.TaskID
	put := func(run notedRun) {
		for i := range run.ops {
			op := &run.ops[i]
			n := graph.OpNode{
				Name: op.name, Kind: op.kind, Where: op.where, Line: lines(op.where), Shape: op.shape, Does: op.name + ", at once",
			}
			store := func(id scheduler.StoreID) graph.Store {
				bytes := op.elements * int64(op.typ.Size())
				return graph.Store{ID: id, Name: called[id], Hidden: true, Text: fmt.Sprintf("%v %s", op.typ, op.shape), Bytes: bytes}
			}
			for _, id := range op.in {
				n.Reads = addStore(n.Reads, store(id))
				n.Bytes += store(id).Bytes
			}
			if op.out != 0 {
				n.Writes = addStore(n.Writes, store(op.out))
				n.Bytes += store(op.out).Bytes
			}
			all = append(all, ordered{OpNode: n, first: last, begun: run.begun})
		}
	}
	for i, op := range ops {
		for len(runs) > 0 && runs[0].after < op.ID {
			put(runs[0])
			runs = runs[1:]
		}
		last = firsts[op.ID]
		all = append(all, ordered{OpNode: nodes[i], first: last})
	}
	for _, run := range runs {
		put(run)
	}
	return all
}

// smallNames are the names of the stores of operations that were computed at once; see storeNames.
func (m *Machine) smallNames(runs []notedRun, lines func(scheduler.Where) string) map[scheduler.StoreID]string {
	called := map[scheduler.StoreID]string{}
	for _, run := range runs {
		for i := range run.ops {
			op := &run.ops[i]
			if op.out == 0 || i+1 < len(run.ops) && run.ops[i+1].where == op.where {
				continue // not the last one of its line
			}
			if found := assigned.FindStringSubmatch(lines(op.where)); found != nil {
				called[op.out] = found[1]
			}
		}
	}
	m.variables.tell(called, m.space.notes.known)
	return called
}

// tell adds the names of variables. known returns the store by which the runtime knows one, if it does.
func (v *variables) tell(called map[scheduler.StoreID]string, known func(scheduler.StoreID) scheduler.StoreID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for id, name := range v.names {
		if other := known(id); other != id && v.names[other] == "" {
			called[other] = name // the runtime has it by now
		}
		called[id] = name
	}
}

// withRuns puts a node for each run of operations that were computed at once among a cell's tasks. It has a number
// beyond all of the runtime's, since it is no task; the next run and the tasks of what was submitted in between stand
// behind it.
func (m *Machine) withRuns(c cell, tasks []graph.TaskNode) []graph.TaskNode {
	runs, _ := m.notesOf(c)
	if len(runs) == 0 {
		return tasks
	}
	lines, trace := m.lineTitles(), m.rt.Recorder().Tables()
	all := make([]graph.TaskNode, 0, len(tasks)+len(runs))
	var before []scheduler.TaskID
	put := func(run notedRun) {
		n := graph.TaskNode{
			ID: ^scheduler.TaskID(0) - scheduler.TaskID(run.first%NotesKept), Nameless: true, Kind: scheduler.Run.String(), Name: smallText(run.n),
			After: before, Device: "program", Start: run.begun, End: run.ended, Where: run.ops[0].where,
		}
		at := map[scheduler.Where]bool{}
		for i := range run.ops {
			op := &run.ops[i]
			at[op.where] = true
			n.Bytes += op.elements * int64(op.typ.Size()) * int64(len(op.in)+1)
		}
		if len(at) == 1 {
			n.Line = lines(run.ops[0].where)
		} else {
			n.Lines = trace.LinesName(inOrder(at), 0)
		}
		before = []scheduler.TaskID{n.ID}
		all = append(all, n)
	}
	for _, t := range tasks {
		for len(runs) > 0 && t.Op > runs[0].after {
			put(runs[0])
			runs = runs[1:]
		}
		all = append(all, t)
	}
	for _, run := range runs {
		put(run)
	}
	return all
}

// inOrder are lines in the order of their sources.
func inOrder(at map[scheduler.Where]bool) []profiler.Where {
	var lines []profiler.Where
	for where := range at {
		if where.Line > 0 {
			lines = append(lines, place(where))
		}
	}
	slices.SortFunc(lines, func(a, b profiler.Where) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Line, b.Line))
	})
	return lines
}

// smallSite is an operation at a line of the program, which was computed at once.
type smallSite struct {
	where scheduler.Where
	name  string
}

// smallSites counts what of a cell was computed at once, by line. missing is how many of all are not in the counts.
func (m *Machine) smallSites(c cell) (counts map[smallSite]int64, all, missing int64) {
	runs, missing := m.notesOf(c)
	counts, all = map[smallSite]int64{}, missing
	for _, run := range runs {
		all += run.n
		for i := range run.ops {
			counts[smallSite{run.ops[i].where, run.ops[i].name}]++
		}
	}
	if c.lastNote == everyNote && c.firstNote == 0 { // of which there are counts of all
		if tallied := m.space.notes.tallied(m.displays); len(tallied) > 0 {
			clear(counts)
			missing = 0
			for _, t := range tallied {
				counts[smallSite{t.where, t.name}] += t.n
			}
		}
	}
	return counts, all, missing
}

// smallPlan says what of a cell was computed at once, and why: a line for each line of the program.
func (m *Machine) smallPlan(c cell) string {
	counts, all, missing := m.smallSites(c)
	if all == 0 {
		return ""
	}
	sites := slices.SortedFunc(maps.Keys(counts), func(a, b smallSite) int {
		return cmp.Or(cmp.Compare(a.where.Source, b.where.Source), cmp.Compare(a.where.Line, b.where.Line), cmp.Compare(a.name, b.name))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%s at once, when the program asked for them: few elements are computed sooner than they are planned\n", smallText(all))
	for at := 0; at < len(sites); {
		where := sites[at].where
		var parts []string
		for ; at < len(sites) && sites[at].where == where; at++ {
			text := sites[at].name
			if n := counts[sites[at]]; n > 1 {
				text = fmt.Sprintf("%s (%d)", text, n)
			}
			parts = append(parts, text)
		}
		fmt.Fprintf(&b, "       %s  %s\n", strings.Join(parts, ", "), m.rt.Place(where))
	}
	if missing > 0 {
		fmt.Fprintf(&b, "       and %s before these: the newest are kept\n", smallText(missing))
	}
	return b.String()
}

// shownSmall is how many lines a summary shows of those that had operations computed at once.
const shownSmall = 12

// smallSummary says how many operations the lines of a cell had computed at once, the most first. They have no bars of
// their own.
func (m *Machine) smallSummary(c cell) string {
	counts, all, _ := m.smallSites(c)
	if all == 0 {
		return ""
	}
	lines := map[scheduler.Where]int64{}
	for site, n := range counts {
		lines[site.where] += n
	}
	order := slices.SortedFunc(maps.Keys(lines), func(a, b scheduler.Where) int {
		return cmp.Or(cmp.Compare(lines[b], lines[a]), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Line, b.Line))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s at once\n", smallText(all))
	for _, where := range order[:min(len(order), shownSmall)] {
		place := m.rt.Place(where)
		if place == "" {
			place = "elsewhere"
		}
		fmt.Fprintf(&b, "%9d  %s\n", lines[where], place)
	}
	if more := len(order) - shownSmall; more > 0 {
		fmt.Fprintf(&b, "and at %d more lines\n", more)
	}
	return b.String()
}
