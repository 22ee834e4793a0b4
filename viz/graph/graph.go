package graph

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/units"
	"weft/scheduler"
	"weft/viz/label"
)

// Store is a store as a graph shows it.
type Store struct {
	ID     scheduler.StoreID
	Name   string // of the variable that holds it
	Hidden bool   // where it has no name, its number is not one either: that is a detail
	Text   string // its type and shape, or empty
	Bytes  int64  // that the op reads or writes of it
}

// label is what a graph calls a store; nothing where a person knows no name of it.
func (s *Store) label() string {
	switch {
	case s.Name != "":
		return label.OneLine(s.Name, 24)
	case s.Hidden:
		return ""
	}
	return s.ID.String()
}

// OpNode is one op of a dataflow graph. A store of which the op overwrites only a part
// stands in both Reads and Writes: the rest of it goes on.
type OpNode struct {
	ID            scheduler.OpID
	Name          string // as the user knows it: add
	Kind          string // map, reduce, contract, scan, move, fill, call, fallback
	Where         scheduler.Where
	Lines         string // where what was fused into it comes from: In [3] lines 4-7; empty for a single operation
	Rate          string // how fast the line's passes moved bytes, and what share of the copy speed that is; or empty
	Line          string // the text of that line, by which people know the op; empty if it is not known
	Does          string // in the words of people, where its name is none; or empty
	Shape         string // (1000,1000)
	Reads, Writes []Store
	Parts         int // how many operations were fused into it; 0 or 1 for one
	Tasks         int
	Bytes         int64
	DurNs         int64 // added over its tasks
	Copies        []Moved
	Inner         []InnerOp // what was fused into it, in order; or nil
}

// Moved is what was copied for an op before its tasks could run.
type Moved struct {
	Cause string // halo, repartition, ...
	Bytes int64
}

// InnerOp is an operation of the program that runs as a part of another one.
type InnerOp struct {
	Name, Kind, Shape string
	Where             scheduler.Where
	Line, Rate        string // as in OpNode
	Reads, Writes     []Store
}

// TaskNode is one task of an event graph.
type TaskNode struct {
	ID         scheduler.TaskID
	Nameless   bool           // no task of the runtime's: ID tells the node from the others, and is not shown
	Kind       string         // run, copy, free
	Op         scheduler.OpID // what it belongs to; 0 for a read by the program
	Name       string         // the op's name
	Where      scheduler.Where
	Line       string // as in OpNode, and so are Lines and Rate
	Lines      string
	Rate       string
	Device     string // cpu0, gpu1
	After      []scheduler.TaskID
	Bytes      int64
	Cause      string // of a copy: halo, upload, ...
	Start, End int64  // nanoseconds; zeros if it has not started, or not ended
}

func (t *TaskNode) duration() int64 { return max(t.End-t.Start, 0) }

// Options say how much of a graph is shown. The zero value is good.
type Options struct {
	Title   string
	Note    string // what the reader must know beside, such as what is missing
	Missing int    // tasks of which it is not known any more what they waited for, and that are not there
	Limit   int    // most nodes that are visible; 0 is 200
	Whole   bool   // do not fold loops while the graph has at most Limit nodes

	Palette    *label.Palette                  // colors of operations that other pictures have too; or nil
	SourceName func(scheduler.SourceID) string // of cells and files: In[3]; nil where none has a name
}

// defaultLimit is what a person can still read.
const defaultLimit = 200

func (o Options) limit() int {
	if o.Limit <= 0 {
		return defaultLimit
	}
	return o.Limit
}

// Graph is a graph that is ready to be drawn. Its text form is DOT.
type Graph struct {
	Title string
	Note  string // how it was collapsed, for the reader
	Nodes []Node // in the order of the program
	Edges []Edge
	Loops []Loop
}

// Node is one visible node.
type Node struct {
	Class   string   // a row of nodeStyles
	Name    string   // what it is
	Times   int      // shown as x8 when it is more than 1; in a loop, per iteration
	InAll   bool     // Times counts all iterations, because they differ
	Details []string // small lines below
	More    []string // further ones, shown as details
	Color   string   // #rrggbb, that of the operation in all pictures; empty: its class has one
	Tooltip string
	Weight  float64 // its share of the whole time, shown by its border
	Loop    int     // index into Graph.Loops, -1 outside of loops

	Device   string // where all of it ran; empty if that is not one device
	Critical bool   // it has a part in the longest chain
	Copies   string // what was copied for it, by cause: halo 1.20 MB

	ns, bytes        int64           // of all that it stands for
	place            scheduler.Where // the first of its lines
	fused            []FusedLine
	where, rate      string // all its lines, and the rate of its one line
	uses             []Use
	opRuns, taskRuns [][2]uint32
	several          bool // tasks
}

// Edge joins two nodes, named by their positions.
type Edge struct {
	From, To  int
	Label     string
	Bytes     int64 // of the arrays along it, added over what it stands for
	Carried   bool  // from one iteration of a loop to the next
	Order     bool  // no data moves along it
	Pointwise bool  // each task waits for one task of the other side, not for all
	Critical  bool  // the longest chain goes along it
	privilege       // of a dataflow

	all    bool // a task waits for several of the other side
	stands int  // for how many of what was drawn together
}

// Loop is a box around the body of a loop.
type Loop struct {
	Label  string
	Parent int // -1 for an outermost one
}

// loopLabel says how often a body ran: x100, or what each entry of it did.
func loopLabel(s *step) string { return "repeats " + turnsText(s.times, s.entered) }

func turnsText(times, entered int) string {
	switch {
	case entered <= 1:
		return fmt.Sprintf("\u00d7%d", times)
	case times%entered == 0:
		return fmt.Sprintf("\u00d7%d each time", times/entered)
	}
	return fmt.Sprintf("\u00d7%d in all", times)
}

// place adds a node for each element of a folded sequence to a graph, and its loops. It tells
// node the element's members, of which at may be read as the node they went to.
func (g *Graph) place(seq []*step, at []int, node func(members []int) Node) {
	g.placeIn(seq, -1, 1, at, node)
}

func (g *Graph) placeIn(seq []*step, loop, iterations int, at []int, node func(members []int) Node) {
	for _, s := range seq {
		if len(s.body) == 1 && s.body[0].body == nil {
			s = s.body[0] // a box around one node says no more than its x100
		}
		if s.body != nil {
			g.Loops = append(g.Loops, Loop{loopLabel(s), loop})
			g.placeIn(s.body, len(g.Loops)-1, s.times, at, node)
			continue
		}
		for _, i := range s.members {
			at[i] = len(g.Nodes)
		}
		n := node(s.members)
		n.Loop, n.Times = loop, len(s.members)
		if n.InAll = n.Times%iterations != 0; !n.InAll {
			n.Times /= iterations // the box says the rest
		}
		g.Nodes = append(g.Nodes, n)
	}
}

// connect adds the edges of a set. One that goes back within a loop, or to itself, leads to the
// next iteration.
func (g *Graph) connect(s *edgeSet) {
	for _, e := range s.edges {
		e.Carried = e.From == e.To || e.From > e.To && g.share(g.Nodes[e.From].Loop, g.Nodes[e.To].Loop)
		g.Edges = append(g.Edges, e)
	}
}

// share says whether two loops are or lie in the same outermost loop.
func (g *Graph) share(a, b int) bool {
	if a < 0 || b < 0 {
		return false
	}
	for g.Loops[a].Parent >= 0 {
		a = g.Loops[a].Parent
	}
	for g.Loops[b].Parent >= 0 {
		b = g.Loops[b].Parent
	}
	return a == b
}

// edgeSet collects edges; parallel ones become one. What add returns is good until the next one.
type edgeSet struct {
	index map[[2]int]int
	edges []Edge
	names []map[string]bool
}

func (s *edgeSet) add(from, to int, label string, order bool) *Edge {
	if s.index == nil {
		s.index = map[[2]int]int{}
	}
	key := [2]int{from, to}
	at, known := s.index[key]
	if !known {
		at = len(s.edges)
		s.index[key] = at
		s.edges = append(s.edges, Edge{From: from, To: to, Order: true})
		s.names = append(s.names, map[string]bool{})
	}
	e := &s.edges[at]
	e.stands++
	e.Order = e.Order && order
	if label == "" || s.names[at][label] {
		return e
	}
	s.names[at][label] = true
	switch n := len(s.names[at]); {
	case n == 1:
		e.Label = label
	case n <= shownNames:
		e.Label += ", " + label
	default:
		e.Label = strings.TrimSuffix(e.Label, more(n-1-shownNames)) + more(n-shownNames)
	}
	return e
}

// shownNames is how many names a label shows before it says "and 7 more".
const shownNames = 2

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" +%d", n)
}

// list shows the first few of some names.
func list(names []string, shown int) string {
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:shown], ", ") + more(len(names)-shown)
}

// names collects different names in the order of their first appearance.
type names struct {
	list []string
	seen map[string]bool
	last string
}

func (n *names) add(name string) {
	if name == n.last || name == "" {
		return
	}
	n.last = name
	if n.seen == nil && slices.Contains(n.list, name) || n.seen[name] {
		return
	}
	n.list = append(n.list, name)
	if n.seen == nil && len(n.list) > 8 { // now looking through all costs more
		n.seen = map[string]bool{}
		for _, old := range n.list {
			n.seen[old] = true
		}
	} else if n.seen != nil {
		n.seen[name] = true
	}
}

// shownIDs is how many ids a tooltip names.
const shownIDs = 8

// idList names the first few ids of many.
func idList[T interface{ String() string }](n int, id func(i int) T) string {
	var shown []string
	for i := range min(n, shownIDs) {
		shown = append(shown, id(i).String())
	}
	return strings.Join(shown, ", ") + more(n-len(shown))
}

// unique returns the names without repetitions, in the order of their first appearance.
func unique(names []string) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// cost is the small line with time and bytes.
func cost(ns, bytes int64) string {
	var parts []string
	if ns > 0 {
		parts = append(parts, units.Duration(ns))
	}
	if bytes > 0 {
		parts = append(parts, units.Size(bytes))
	}
	return strings.Join(parts, ", ")
}

// join joins what is not empty.
func join(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}
