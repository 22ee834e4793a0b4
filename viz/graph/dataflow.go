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

// Dataflow returns the graph of ops and of what flows between them, collapsed to at most
// Limit nodes: an index launch is one node, the body of a loop appears once, and if that is
// not enough, the ops of one line, at last of one source, become one node. It is
// deterministic.
func Dataflow(ops []OpNode, o Options) *Graph {
	if len(ops) == 0 {
		return &Graph{Title: o.Title, Note: "no operations were recorded"}
	}
	_, g := collapseOps(ops, o)
	return g
}

// collapseOps finds the finest level that fits, and draws it.
func collapseOps(ops []OpNode, o Options) ([]*step, *Graph) {
	var g *Graph
	var steps []*step
	for _, level := range dataflowLevels {
		if level.whole && !o.Whole {
			continue
		}
		// The arrays at the edges count too, so that the graph is drawn before it is judged.
		steps = level.steps(ops)
		if len(leaves(steps)) > o.limit() && level.note != lastLevel {
			continue
		}
		g = drawDataflow(ops, steps, level.loops, o.pen())
		g.Title, g.Note = o.Title, join("; ", level.note, o.Note)
		if len(g.Nodes) <= o.limit() {
			return steps, g
		}
	}
	return steps, g.cut(o.limit())
}

// lastLevel is the note of the coarsest level.
const lastLevel = "the operations of a source are one node"

// dataflowLevels are the ways to collapse, from the finest to the coarsest.
var dataflowLevels = []struct {
	whole bool // only on request
	loops bool // a node's edge to itself goes from one iteration to the next
	note  string
	steps func(ops []OpNode) []*step
}{
	{whole: true, steps: func(ops []OpNode) []*step {
		return group(len(ops), strconv.Itoa)
	}},
	{loops: true, steps: func(ops []OpNode) []*step {
		return foldOps(ops, 3)
	}},
	{loops: true, note: "repeated operations are folded", steps: func(ops []OpNode) []*step {
		return foldOps(ops, 2)
	}},
	{note: "the operations of a line are one node", steps: func(ops []OpNode) []*step {
		return group(len(ops), func(i int) scheduler.Where { return ops[i].Where })
	}},
	{note: lastLevel, steps: func(ops []OpNode) []*step {
		return group(len(ops), func(i int) scheduler.SourceID { return ops[i].Where.Source })
	}},
}

func foldOps(ops []OpNode, least int) []*step {
	keys, lines, weights := make([]string, len(ops)), make([]int, len(ops)), make([]int, len(ops))
	for i := range ops {
		weights[i] = max(1, ops[i].Parts)
		keys[i] = strings.Join([]string{ops[i].Name, ops[i].Kind, lineKey(ops[i].Where), ops[i].Shape}, "\x00")
		lines[i] = int(ops[i].Where.Line)
	}
	return fold(keys, lines, weights, least)
}

// group makes one step of all elements with the same key.
func group[K comparable](n int, key func(i int) K) []*step {
	var out []*step
	index := map[K]*step{}
	var last K
	var s *step
	for i := range n {
		if k := key(i); s == nil || k != last { // neighbors are often alike
			if s = index[k]; s == nil {
				s = &step{symbol: len(out)}
				index[k] = s
				out = append(out, s)
			}
			last = k
		}
		s.members = append(s.members, i)
	}
	return out
}

// drawDataflow makes a node of each step, an edge of each store that is written in one and
// read in another, and a node of each group of arrays that come from outside or stay at the end.
func drawDataflow(ops []OpNode, steps []*step, loops bool, p *pen) *Graph {
	g := &Graph{}
	var total int64
	for i := range ops {
		total += ops[i].DurNs
	}
	at := make([]int, len(ops)) // node of each op
	g.place(steps, at, func(members []int) Node { return opNode(ops, members, total, p) })

	var edges edgeSet
	type write struct {
		op   int
		read bool
	}
	last := map[scheduler.StoreID]*write{}
	text := map[scheduler.StoreID]string{}
	var inputs, outputs arrays
	for i := range ops {
		for _, s := range ops[i].Reads {
			text[s.ID] = s.Text
			if w := last[s.ID]; w != nil {
				w.read = true
				if at[w.op] != at[i] || loops && w.op != i {
					e := edges.add(at[w.op], at[i], s.label(), false)
					e.Bytes += s.Bytes
					e.add(privilege{ops[w.op].Kind == reduction, holds(ops[i].Writes, s.ID)})
				}
			} else {
				inputs.add(s, at[i], privilege{updated: holds(ops[i].Writes, s.ID)})
			}
		}
		for _, s := range ops[i].Writes {
			text[s.ID] = s.Text
			last[s.ID] = &write{op: i}
		}
	}
	for i := range ops {
		for _, s := range ops[i].Writes {
			if w := last[s.ID]; w.op == i && !w.read {
				outputs.add(s, at[i], privilege{reduced: ops[i].Kind == reduction})
			}
		}
	}
	g.connect(&edges)
	for _, in := range inputs.groups() {
		g.Nodes = append(g.Nodes, storeNode(in.stores, "input"))
		for _, n := range in.nodes {
			g.Edges = append(g.Edges, Edge{From: len(g.Nodes) - 1, To: n, privilege: in.how[n]})
		}
	}
	for _, out := range outputs.groups() {
		g.Nodes = append(g.Nodes, storeNode(out.stores, "output"))
		for _, n := range out.nodes {
			g.Edges = append(g.Edges, Edge{From: n, To: len(g.Nodes) - 1, privilege: out.how[n]})
		}
	}
	return g
}

func opNode(ops []OpNode, members []int, total int64, p *pen) Node {
	first := &ops[members[0]]
	var called, kinds, places, spread, shapes, moved names
	var ns, bytes int64
	tasks := 0
	copied := map[string]int64{}
	for _, i := range members {
		op := &ops[i]
		called.add(op.Name)
		kinds.add(op.Kind)
		shapes.add(op.Shape)
		places.add(p.line(op.Where))
		spread.add(cmp.Or(op.Lines, p.line(op.Where)))
		ns, bytes, tasks = ns+op.DurNs, bytes+op.Bytes, tasks+op.Tasks
		for _, m := range op.Copies {
			moved.add(m.Cause)
			copied[m.Cause] += m.Bytes
		}
	}
	n := Node{Class: "op-" + first.Kind, Name: list(called.list, 3), ns: ns, bytes: bytes}
	if len(kinds.list) > 1 {
		n.Class = "op-several"
		if slices.Contains(kinds.list, "fallback") { // must stand out wherever it hides
			n.Class = "op-fallback"
		}
	}
	launch := ""
	if perOp := tasks / len(members); perOp > 1 {
		launch = fmt.Sprintf("%d tasks", perOp)
	}
	if total > 0 {
		n.Weight = float64(ns) / float64(total)
	}
	var copies []string
	for _, cause := range moved.list {
		copies = append(copies, cause+" "+units.Size(copied[cause]))
	}
	n.Copies = strings.Join(copies, ", ")
	n.Details = append(n.Details, join(" \u00b7 ", list(shapes.list, 1), launch), list(places.list, 1), cost(ns, bytes))
	if title := lineTitle(ops, members); title != "" {
		n.Color = p.colors.Operation(title)
		n.More = []string{join(" \u00b7 ", n.Name, list(shapes.list, 1)), list(places.list, 1)}
		n.Name, n.Details = title, []string{join(" \u00b7 ", inWords(ops, members), launch), cost(ns, bytes)}
	}
	var opIDs []scheduler.OpID
	for _, i := range members {
		if ops[i].ID != 0 { // calls that went to NumPy have none
			opIDs = append(opIDs, ops[i].ID)
		}
	}
	ids := idList(len(opIDs), func(i int) scheduler.OpID { return opIDs[i] })
	slices.Sort(opIDs)
	n.fused = fusedLines(ops, members, p)
	if n.fused != nil || len(spread.list) > 1 {
		n.where = list(spread.list, 4)
	}
	if n.fused == nil && len(places.list) == 1 {
		n.rate = first.Rate
	}
	lines := cmp.Or(fusedText(n.fused), list(places.list, 8))
	lines = join("\n", lines, lineInAll(n.rate))
	n.Tooltip = join("\n", ids, strings.Join(kinds.list, ", "), lines, list(shapes.list, 8), cost(ns, bytes), units.Rate(bytes, ns), copiesText(n.Copies))
	n.place = first.Where
	n.opRuns = runs(opIDs)
	if len(members) == 1 {
		n.uses = usesOf(first.Reads, first.Writes)
	}
	return n
}

// lineInAll introduces the rate of a line, which may have more passes than a node stands for.
func lineInAll(rate string) string {
	if rate == "" {
		return ""
	}
	return "the line in all: " + rate
}

// lineTitle is the text of the line that ops come from, the first one where they come from several; nothing where it is
// not known.
func lineTitle(ops []OpNode, members []int) string {
	var lines names
	for _, i := range members {
		if ops[i].Line == "" {
			return ""
		}
		lines.add(ops[i].Line)
	}
	return list(lines.list, 1)
}

// inWords says what the ops of a node do: its name, or how many operations of how many lines run as one.
func inWords(ops []OpNode, members []int) string {
	first := &ops[members[0]]
	var called names
	for _, i := range members {
		called.add(cmp.Or(ops[i].Does, ops[i].Name))
	}
	if len(called.list) > 1 || first.Parts < 2 {
		return list(called.list, 2)
	}
	lines := map[scheduler.Where]bool{}
	for _, in := range first.Inner {
		if in.Where.Source != 0 {
			lines[in.Where] = true
		}
	}
	text := fmt.Sprintf("%d operations", first.Parts)
	if len(lines) > 1 {
		text += fmt.Sprintf(" of %d lines", len(lines))
	}
	return text + " in one pass"
}

// copiesText introduces what was copied for a node.
func copiesText(copies string) string {
	if copies == "" {
		return ""
	}
	return "copied for it: " + copies
}

// arrays collects stores by the nodes that they touch.
type arrays struct {
	stores []Store
	nodes  [][]int             // per store
	how    []map[int]privilege // per store, by node; nil where there is nothing to tell
	index  map[scheduler.StoreID]int
}

func (a *arrays) add(s Store, node int, how privilege) {
	if a.index == nil {
		a.index = map[scheduler.StoreID]int{}
	}
	i, known := a.index[s.ID]
	if !known {
		i = len(a.stores)
		a.index[s.ID] = i
		a.stores = append(a.stores, s)
		a.nodes = append(a.nodes, nil)
		a.how = append(a.how, nil)
	}
	if how != (privilege{}) {
		if a.how[i] == nil {
			a.how[i] = map[int]privilege{}
		}
		how.add(a.how[i][node])
		a.how[i][node] = how
	}
	if n := a.nodes[i]; len(n) == 0 || n[len(n)-1] != node {
		for _, have := range n {
			if have == node {
				return
			}
		}
		a.nodes[i] = append(n, node)
	}
}

type arrayGroup struct {
	stores []Store
	nodes  []int
	how    map[int]privilege // by node
}

// groups returns one group for all stores that touch the same nodes.
func (a *arrays) groups() []arrayGroup {
	var out []arrayGroup
	index := map[string]int{}
	for i, s := range a.stores {
		key := fmt.Sprint(a.nodes[i])
		at, known := index[key]
		if !known {
			at = len(out)
			index[key] = at
			out = append(out, arrayGroup{nodes: a.nodes[i], how: map[int]privilege{}})
		}
		for node, how := range a.how[i] {
			how.add(out[at].how[node])
			out[at].how[node] = how
		}
		out[at].stores = append(out[at].stores, s)
	}
	return out
}

func storeNode(stores []Store, role string) Node {
	var labels, texts, tips, numbers []string
	for i := range stores {
		s := &stores[i]
		labels, texts = append(labels, s.label()), append(texts, s.Text)
		numbers = append(numbers, s.ID.String())
		tips = append(tips, join(" ", s.label(), s.Text))
	}
	labels = unique(labels)
	n := Node{
		Class: "store-" + role, Name: list(labels, 3), Details: []string{list(unique(texts), 1)},
		Tooltip: role + "\n" + list(tips, 20), Loop: -1,
	}
	switch {
	case n.Name == "" && len(stores) == 1:
		n.Name = "array"
	case n.Name == "":
		n.Name = units.Count(len(stores), "array")
	}
	if stores[0].Hidden || stores[0].Name != "" {
		n.More = []string{list(numbers, 3)}
	}
	return n
}

// isCut says whether nodes were left out.
func (g *Graph) isCut() bool {
	return slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.Class == "rest" })
}

// cut keeps the heaviest nodes of a graph that is still too large and says what it left out.
func (g *Graph) cut(limit int) *Graph {
	keep := heaviest(g.Nodes, limit-1)
	out := &Graph{Title: g.Title, Loops: g.Loops}
	at := make([]int, len(g.Nodes))
	dropped := 0
	for i, n := range g.Nodes {
		if !keep[i] {
			dropped++
			continue
		}
		at[i] = len(out.Nodes)
		out.Nodes = append(out.Nodes, n)
	}
	rest := len(out.Nodes)
	for i := range g.Nodes {
		if !keep[i] {
			at[i] = rest
		}
	}
	out.Nodes = append(out.Nodes, Node{
		Class: "rest", Name: fmt.Sprintf("%d more nodes", dropped), Loop: -1,
		Details: []string{"left out: they took the least time"},
	})
	var edges edgeSet
	for _, e := range g.Edges {
		if from, to := at[e.From], at[e.To]; from != to || from != rest {
			sum := edges.add(from, to, e.Label, e.Order)
			sum.Bytes += e.Bytes
			sum.Critical = sum.Critical || e.Critical
			sum.add(e.privilege)
		}
	}
	out.connect(&edges)
	out.Note = join("; ", g.Note, fmt.Sprintf("%d of %d nodes are shown", rest, len(g.Nodes)))
	return out
}
