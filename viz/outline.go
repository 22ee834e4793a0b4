package viz

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"weft/profiler"
)

// Outline is a graph with all that its nodes can be opened into: an index launch into its tasks, a loop into its
// iterations, a fused operation into its parts, a line into its operations. It is what the interactive page gets; the
// page lays out whatever part of it is open.
//
// The parts form a tree. Only a loop has two kinds of children: those that stand for all iterations (Fold), which
// are shown at first, and its iterations. So what an element belongs to is not one place in the tree: a Grain is a set of
// elements that lie in the same smallest part, and in the same parts of all folded loops around it. Flows join grains,
// from which the edges of any state of the page follow.
type Outline struct {
	Kind    string            `json:"kind"` // dataflow or events
	Title   string            `json:"title"`
	Note    string            `json:"note"`
	Parts   []Part            `json:"parts"`
	Grains  [][]int           `json:"grains"` // the smallest part, then that of each folded loop around it, the outermost loop first
	Flows   []Flow            `json:"flows"`
	Sources []profiler.Source `json:"sources"` // texts of the cells that parts name
}

// Part is a node, or a box when it is open.
type Part struct {
	In       int         `json:"in"`             // the part in which it lies; -1: none
	Loop     bool        `json:"loop,omitempty"` // a loop
	Fold     bool        `json:"fold,omitempty"` // stands for all iterations of the loop in which it lies
	Class    string      `json:"class"`
	Shape    string      `json:"shape,omitempty"` // a word of Graphviz's: ellipse, rect, note; empty is a round box
	Name     string      `json:"name"`
	Count    string      `json:"count,omitempty"` // x8
	Lines    []string    `json:"lines,omitempty"`
	More     []string    `json:"more,omitempty"` // further lines, for those who ask for details
	Color    string      `json:"color,omitempty"`
	Tip      string      `json:"tip,omitempty"`
	Width    float64     `json:"w"`
	Height   float64     `json:"h"`
	Wide     float64     `json:"mw,omitempty"` // the measures with the further lines
	High     float64     `json:"mh,omitempty"`
	Share    float64     `json:"share,omitempty"` // of the time
	Nanos    int64       `json:"ns,omitempty"`
	Bytes    int64       `json:"bytes,omitempty"`
	Device   string      `json:"device,omitempty"`
	Critical bool        `json:"critical,omitempty"`
	Uses     []Use       `json:"uses,omitempty"`
	Place    *Place      `json:"place,omitempty"`
	Where    string      `json:"where,omitempty"`  // all its lines: In[3] lines 4-7
	Rate     string      `json:"rate,omitempty"`   // of the line, over all its passes
	Fused    []FusedLine `json:"fused,omitempty"`  // the lines whose operations it computes in one pass
	Ops      [][2]uint32 `json:"ops,omitempty"`    // runs of ids, the first and the last
	Tasks    [][2]uint32 `json:"tasks,omitempty"`  // the same
	Hidden   int         `json:"hidden,omitempty"` // how many parts it would open into, were there room for them
}

// Use says how an operation uses an array.
type Use struct {
	How   string `json:"how"`            // read, write, update
	Name  string `json:"name,omitempty"` // what people call the array
	Store string `json:"store"`
	Text  string `json:"text,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
}

// Place is a line of a source, both by number; Source is that of profiler.Source.
type Place struct {
	Source uint32 `json:"source"`
	Line   int    `json:"line"`
}

// Flow joins two grains.
type Flow struct {
	From      int      `json:"from"`
	To        int      `json:"to"`
	Names     []string `json:"names,omitempty"` // of stores, the first few
	More      int      `json:"more,omitempty"`  // how many there are beyond
	Bytes     int64    `json:"bytes,omitempty"`
	Again     int64    `json:"again,omitempty"` // bytes of arrays that another part of the same operation reads as well, and which count there
	Order     bool     `json:"order,omitempty"` // no data
	Pointwise bool     `json:"pointwise,omitempty"`
	Critical  bool     `json:"critical,omitempty"`
	Inner     bool     `json:"inner,omitempty"` // within one operation or launch

	// Privileges of a dataflow: what flows was reduced into; what reads it writes it as well. Else it is written here and read there.
	Reduced bool `json:"reduced,omitempty"`
	Updated bool `json:"updated,omitempty"`
}

// OutlineOptions say how much of a graph goes into an outline.
type OutlineOptions struct {
	Graph   GraphOptions
	Parts   int               // most parts; 0 is 700
	Sources []profiler.Source // texts that may be shown
}

const (
	outlineParts = 700
	flowsPerPart = 6  // more would make the page heavy; then fewer parts are opened
	opensInto    = 24 // most children of one part; more are gathered
	keptRuns     = 40 // runs of ids of one part
	keptSources  = 64 << 10
	keptNames    = 3 // of a flow
	noOne        = -1
)

// elements are what an outline is made of: operations, or launches. Each has units, which are its fused parts or its tasks.
type elements struct {
	first []int                           // the first unit of each element, and at the end the number of units
	node  func(members []int) Node        // for several elements
	unit  func(members []int, k int) Node // for one unit, or for those of several elements that are alike
	noun  string                          // of units
}

// outliner builds an outline. It opens part after part, the outermost first, until there is no room for more.
type outliner struct {
	Outline
	of     elements
	most   int
	at     []int   // by unit: its smallest part
	folded [][]int // by depth of loops: by unit: its smallest part where that loop is folded
	todo   []opening
	opened []shut
	known  map[string]uint32 // number of a source
	turns  map[int]int       // how many iterations a loop has
}

// opening is a part that has still to be opened: count says into how many parts, open does it.
type opening struct {
	part, count int
	open        func()
}

func newOutliner(kind string, of elements, o OutlineOptions) *outliner {
	b := &outliner{of: of, most: cmp.Or(o.Parts, outlineParts), at: make([]int, of.first[len(of.first)-1]), known: map[string]uint32{}, turns: map[int]int{}}
	b.Kind = kind
	b.Sources = o.Sources
	for _, s := range o.Sources {
		b.known[s.Name] = s.ID
	}
	return b
}

// view is the side of a loop that is being built: the iterations (fold < 0), or the body of the loop at a depth.
type view struct {
	fold  int
	depth int // how many loops there are around
}

// add adds a part that stands for some elements.
func (b *outliner) add(n Node, parent int, v view, members []int) int {
	id := b.part(n, parent, v.fold >= 0)
	for _, e := range members {
		b.assign(b.of.first[e], b.of.first[e+1], id, v)
	}
	return id
}

func (b *outliner) assign(from, to, part int, v view) {
	row := b.at
	if v.fold >= 0 {
		for len(b.folded) <= v.fold {
			b.folded = append(b.folded, slices.Repeat([]int{noOne}, len(b.at)))
		}
		row = b.folded[v.fold]
	}
	for u := from; u < to; u++ {
		row[u] = part
	}
}

func (b *outliner) part(n Node, parent int, fold bool) int {
	class, look := style(n.Class)
	f := n.face()
	p := Part{In: parent, Fold: fold, Class: class, Name: f.Name, Count: f.Count, Lines: f.Lines, Color: n.Color, Tip: printable(n.Tooltip, 600),
		Share: float64(int(min(max(n.Weight, 0), 1)*1000)) / 1000, Nanos: n.ns, Bytes: n.bytes, Device: oneLine(n.Device, longestText), Critical: n.Critical,
		Uses: n.uses, Ops: n.opRuns, Tasks: n.taskRuns, Where: n.where, Rate: n.rate, Fused: n.fused}
	if look.shape != "box" {
		p.Shape = look.shape
	}
	p.Width, p.Height = n.size(false)
	if len(f.More) > 0 {
		p.More = f.More
		p.Wide, p.High = n.size(true)
	}
	if source, known := b.known[sourceOf(n.place)]; known {
		if line := lineOf(n.place); line > 0 {
			p.Place = &Place{source, line}
		}
	}
	b.Parts = append(b.Parts, p)
	return len(b.Parts) - 1
}

// later opens a part when all that are further out are open, if there is room.
func (b *outliner) later(part, count int, open func()) {
	b.todo = append(b.todo, opening{part, count, open})
}

// finish opens parts until there is no room, and gathers units into grains.
func (b *outliner) finish() {
	for len(b.todo) > 0 {
		next := b.todo[0]
		b.todo = b.todo[1:]
		if len(b.Parts)+next.count > b.most {
			b.Parts[next.part].Hidden = next.count
			continue
		}
		b.opened = append(b.opened, shut{next.part, len(b.Parts)})
		next.open()
	}
}

// shut says what closing a part again takes: its children begin at first.
type shut struct{ part, first int }

// shrink closes the parts that were opened last, until half of them are left. It returns false when nothing is open.
func (b *outliner) shrink() bool {
	keep := len(b.Parts) / 2
	at := len(b.opened)
	for at > 0 && b.opened[at-1].first > keep {
		at--
	}
	if at == len(b.opened) {
		if at--; at < 0 {
			return false
		}
	}
	end := len(b.Parts)
	for k := len(b.opened) - 1; k >= at; k-- {
		b.Parts[b.opened[k].part].Hidden = end - b.opened[k].first
		end = b.opened[k].first
	}
	b.opened = b.opened[:at]
	for _, row := range append(b.folded, b.at) {
		for u, part := range row {
			for part >= end {
				part = b.Parts[part].In
			}
			row[u] = part
		}
	}
	b.Parts = b.Parts[:end]
	return true
}

// connect gathers the flows, for fewer parts if there are too many.
func (b *outliner) connect(add func(f *flows)) {
	outer := len(b.Grains)
	for {
		b.Flows, b.Grains = nil, b.Grains[:outer]
		f := &flows{b: b, of: b.grains()}
		add(f)
		if len(b.Flows) <= flowsPerPart*b.most || !b.shrink() {
			return
		}
	}
}

// within returns the members of a step that lie in a range.
func within(members []int, in span) []int {
	from, _ := slices.BinarySearch(members, in.lo)
	to, _ := slices.BinarySearch(members, in.hi)
	return members[from:to]
}

// outermost adds what is shown at first. Of more steps than the limit the heaviest ones are parts of their own.
func (b *outliner) outermost(steps []*step, n, limit int) {
	top := view{fold: noOne}
	if len(leaves(steps)) <= limit {
		b.steps(steps, span{0, n}, noOne, top)
		return
	}
	nodes := make([]Node, len(steps)) // the coarsest level has no loops
	for i, s := range steps {
		nodes[i] = b.of.node(s.members)
	}
	var others []int
	keep := heaviest(nodes, limit-1)
	for i, s := range steps {
		if !keep[i] {
			others = append(others, s.members...)
			continue
		}
		nodes[i].Times = len(s.members)
		b.opens(b.add(nodes[i], noOne, top, s.members), s.members, top)
	}
	slices.Sort(others)
	rest := b.of.node(others)
	rest.Class, rest.Name, rest.Times = "rest", fmt.Sprintf("%d more nodes", len(steps)-limit+1), 1
	b.opens(b.add(rest, noOne, top, others), others, top)
}

// steps adds the parts of a folded sequence, as far as they lie in a range.
func (b *outliner) steps(seq []*step, in span, parent int, v view) {
	for _, s := range seq {
		if len(s.body) == 1 && s.body[0].body == nil {
			s = s.body[0] // as in Graph.placeIn
		}
		if s.body == nil {
			members := within(s.members, in)
			if len(members) == 0 {
				continue
			}
			n := b.of.node(members)
			n.Times = len(members)
			if v.fold >= 0 {
				n.Times, n.InAll = b.perTurn(parent, len(members))
			}
			id := b.add(n, parent, v, members)
			b.opens(id, members, v)
			continue
		}
		turns := b.turnsIn(s, in)
		if len(turns) == 0 {
			continue
		}
		b.loop(s, turns, in, parent, v)
	}
}

func (b *outliner) turnsIn(s *step, in span) []span {
	from, _ := slices.BinarySearchFunc(s.turns, in.lo, func(t span, lo int) int { return t.lo - lo })
	to, _ := slices.BinarySearchFunc(s.turns, in.hi, func(t span, hi int) int { return t.lo - hi })
	return s.turns[from:to]
}

// spansIn counts how often a step is come by in a range.
func spansIn(s *step, in span) int {
	n := 0
	for _, at := range s.spans {
		if at.lo >= in.lo && at.lo < in.hi {
			n++
		}
	}
	return n
}

// perTurn says how often an element of a folded loop is there: in each iteration, or in all.
func (b *outliner) perTurn(loop, members int) (times int, inAll bool) {
	turns := b.turns[loop]
	if turns == 0 || members%turns != 0 {
		return members, true
	}
	return members / turns, false
}

// loop adds a loop: its body at once, its iterations when there is room.
func (b *outliner) loop(s *step, turns []span, in span, parent int, v view) {
	all := elementsOf(turns)
	n := b.of.node(all)
	n.Name, n.Class = "loop", "op-several"
	id := b.add(n, parent, v, all)
	b.turns[id] = len(turns)
	entered := spansIn(s, in) // of a folded loop within another: once for each of that one's iterations
	if v.fold < 0 {
		entered = 1
	}
	b.Parts[id].Loop, b.Parts[id].Count = true, turnsText(len(turns), entered)
	if v.fold >= 0 { // a loop in a folded one is folded as well
		b.steps(s.body, in, id, v)
		return
	}
	b.steps(s.body, in, id, view{fold: v.depth, depth: v.depth + 1})
	b.iterations(id, s, turns, 0, view{fold: noOne, depth: v.depth + 1})
}

func elementsOf(turns []span) []int {
	var all []int
	for _, t := range turns {
		for e := t.lo; e < t.hi; e++ {
			all = append(all, e)
		}
	}
	return all
}

// iterations opens a loop, or a range of its iterations of which the first has number from.
func (b *outliner) iterations(part int, s *step, turns []span, from int, v view) {
	size := gathered(len(turns))
	b.later(part, (len(turns)+size-1)/size, func() {
		for k := 0; k < len(turns); k += size {
			some := turns[k:min(k+size, len(turns))]
			all := elementsOf(some)
			n := b.of.node(all)
			n.Class, n.Times, n.Name = "op-several", 1, "iteration "+strconv.Itoa(from+k+1)
			if len(some) > 1 {
				n.Name = fmt.Sprintf("iterations %d\u2013%d", from+k+1, from+k+len(some))
			}
			id := b.add(n, part, v, all)
			if len(some) > 1 {
				b.iterations(id, s, some, from+k, v)
				continue
			}
			b.later(id, len(leaves(s.body)), func() { b.steps(s.body, some[0], id, v) })
		}
	})
}

// gathered returns how many of n things become one part: 1, or so many that there are few parts, in round numbers.
func gathered(n int) int {
	size := 1
	for n > opensInto*size {
		size *= 10
	}
	return size
}

// opens says what a part of some elements opens into: the elements, or the units of a single one. Elements of a
// folded loop open into the units that they have in common.
func (b *outliner) opens(part int, members []int, v view) {
	units := func(e int) int { return b.of.first[e+1] - b.of.first[e] }
	if v.fold >= 0 || len(members) == 1 {
		n := units(members[0])
		if n < 2 || v.fold >= 0 && (n > opensInto || slices.ContainsFunc(members, func(e int) bool { return units(e) != n })) {
			return
		}
		b.units(part, members, 0, n, v)
		return
	}
	size := gathered(len(members))
	b.later(part, (len(members)+size-1)/size, func() {
		for k := 0; k < len(members); k += size {
			some := members[k:min(k+size, len(members))]
			n := b.of.node(some)
			n.Times = len(some)
			id := b.add(n, part, v, some)
			b.opens(id, some, v)
		}
	})
}

// units opens a part into units from up to to of its elements.
func (b *outliner) units(part int, members []int, from, to int, v view) {
	size := gathered(to - from)
	b.later(part, (to-from+size-1)/size, func() {
		for k := from; k < to; k += size {
			end := min(k+size, to)
			n := b.of.unit(members, k)
			if end-k > 1 {
				n = b.of.node(members)
				n.Name = fmt.Sprintf("%s %d\u2013%d", b.of.noun, k+1, end)
				n.Times = end - k
			} else if len(members) > 1 {
				n.Times = 1
			}
			id := b.part(n, part, v.fold >= 0)
			for _, e := range members {
				b.assign(b.of.first[e]+k, b.of.first[e]+end, id, v)
			}
			if end-k > 1 {
				b.units(id, members, k, end, v)
			}
		}
	})
}

// grains gathers units and returns the grain of each.
func (b *outliner) grains() []int {
	index := map[[6]int]int{}
	of := make([]int, len(b.at))
	depth := make([]int, len(b.Parts)) // loops around or at a part, those of folds aside
	for i := range b.Parts {
		if p := &b.Parts[i]; p.In >= 0 {
			depth[i] = depth[p.In]
		}
		if b.Parts[i].Loop && !b.Parts[i].Fold {
			depth[i]++
		}
	}
	for u, part := range b.at {
		key := [6]int{part, noOne, noOne, noOne, noOne, noOne}
		loops := min(depth[part], len(b.folded), len(key)-1)
		for d := range loops {
			key[d+1] = b.folded[d][u]
		}
		at, known := index[key]
		if !known {
			at = len(b.Grains)
			index[key] = at
			b.Grains = append(b.Grains, slices.Clone(key[:loops+1]))
		}
		of[u] = at
	}
	return of
}

// flows gathers what flows between units.
type flows struct {
	b     *outliner
	of    []int // grain of each unit
	index map[[3]int]int
	seen  []map[string]bool
}

func (f *flows) add(from, to int, inner bool) *Flow {
	key := [3]int{f.of[from], f.of[to], 0}
	if inner {
		key[2] = 1
	}
	at, known := f.index[key]
	if !known {
		if f.index == nil {
			f.index = map[[3]int]int{}
		}
		at = len(f.b.Flows)
		f.index[key] = at
		f.b.Flows = append(f.b.Flows, Flow{From: key[0], To: key[1], Order: true, Pointwise: f.b.Kind == "events", Inner: inner})
		f.seen = append(f.seen, nil)
	}
	return &f.b.Flows[at]
}

// carry adds a store to a flow. Where another part of the same operation reads the same (again), it moved once.
func (f *flows) carry(from, to int, inner, again bool, s Store, p privilege) {
	e := f.add(from, to, inner)
	e.Order = false
	e.take(p)
	if again {
		e.Again += s.Bytes
	} else {
		e.Bytes += s.Bytes
	}
	at := f.index[[3]int{e.From, e.To, boolInt(inner)}]
	name := s.label()
	if name == "" || f.seen[at][name] {
		return
	}
	if f.seen[at] == nil {
		f.seen[at] = map[string]bool{}
	}
	f.seen[at][name] = true
	if len(e.Names) < keptNames {
		e.Names = append(e.Names, name)
	} else {
		e.More++
	}
}

// privilege is how an array is used at both ends of a flow: what flows was reduced into; what reads it writes it as well.
type privilege struct{ reduced, updated bool }

func (p *privilege) add(q privilege) {
	p.reduced, p.updated = p.reduced || q.reduced, p.updated || q.updated
}

// text says what the marks of an edge mean.
func (p privilege) text() string {
	reduced, updated := "", ""
	if p.reduced {
		reduced = "reduced into: each task added to it"
	}
	if p.updated {
		updated = "updated: what reads it writes it as well"
	}
	return join("\n", reduced, updated)
}

func (e *Flow) take(p privilege) {
	e.Reduced, e.Updated = e.Reduced || p.reduced, e.Updated || p.updated
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// runs writes sorted ids as runs.
func runs[T ~uint32](ids []T) [][2]uint32 {
	var out [][2]uint32
	for _, id := range ids {
		switch n := len(out); {
		case n > 0 && out[n-1][1] >= uint32(id):
		case n > 0 && out[n-1][1]+1 == uint32(id):
			out[n-1][1] = uint32(id)
		case n == keptRuns:
			return out
		default:
			out = append(out, [2]uint32{uint32(id), uint32(id)})
		}
	}
	return out
}

// keepSources leaves the texts of the sources that parts name, as far as there is room.
func (b *outliner) keepSources() {
	named := map[uint32]bool{}
	for i := range b.Parts {
		if p := b.Parts[i].Place; p != nil {
			named[p.Source] = true
		}
	}
	room := keptSources
	var kept []profiler.Source
	for _, s := range b.Sources {
		if named[s.ID] && len(s.Text) <= room {
			room -= len(s.Text)
			kept = append(kept, s)
		}
	}
	b.Sources = kept
}
