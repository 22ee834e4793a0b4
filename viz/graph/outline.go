package graph

import (
	"cmp"
	"slices"

	"weft/profiler"
	"weft/scheduler"
	"weft/viz/label"
)

// Outline is a graph with all that its nodes can be opened into: an index launch into its tasks, a loop into its
// iterations, a fused operation into its parts, a line into its operations. It is what the interactive page gets; the
// page lays out whatever part of it is open.
//
// The parts form a tree. Only a loop has two kinds of children: those that stand for all iterations (Fold), which
// are shown at first, and its iterations. So what an element belongs to is not one place in the tree: a Grain is a set
// of elements that lie in the same smallest part, and in the same parts of all folded loops around it. Flows join
// grains, from which the edges of any state of the page follow.
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
	More     []string    `json:"more,omitempty"` // further lines, shown as details
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

// OutlineOptions say how much of a graph goes into an outline.
type OutlineOptions struct {
	Graph   Options
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

// elements are what an outline is made of: operations, or launches. Each has units, which are its fused parts or its
// tasks.
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
	known  map[scheduler.SourceID]bool // whether it is a source
	turns  map[int]int                 // how many iterations a loop has
}

// opening is a part that has still to be opened: count says into how many parts, open does it.
type opening struct {
	part, count int
	open        func()
}

func newOutliner(kind string, of elements, o OutlineOptions) *outliner {
	b := &outliner{of: of, most: cmp.Or(o.Parts, outlineParts), at: make([]int, of.first[len(of.first)-1]), known: map[scheduler.SourceID]bool{}, turns: map[int]int{}}
	b.Kind = kind
	b.Sources = o.Sources
	for _, s := range o.Sources {
		b.known[scheduler.SourceID(s.ID)] = true
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
	p := Part{In: parent, Fold: fold, Class: class, Name: f.Name, Count: f.Count, Lines: f.Lines, Color: n.Color, Tip: label.Printable(n.Tooltip, 600),
		Share: float64(int(min(max(n.Weight, 0), 1)*1000)) / 1000, Nanos: n.ns, Bytes: n.bytes, Device: label.OneLine(n.Device, longestText), Critical: n.Critical,
		Uses: n.uses, Ops: n.opRuns, Tasks: n.taskRuns, Where: n.where, Rate: n.rate, Fused: n.fused}
	if look.shape != "box" {
		p.Shape = look.shape
	}
	p.Width, p.Height = n.size(false)
	if len(f.More) > 0 {
		p.More = f.More
		p.Wide, p.High = n.size(true)
	}
	if b.known[n.place.Source] && n.place.Line > 0 {
		p.Place = &Place{uint32(n.place.Source), int(n.place.Line)}
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

// keepSources leaves the texts of the sources that parts name, as far as there is room.
func (b *outliner) keepSources() {
	named := map[uint32]bool{}
	for i := range b.Parts {
		if p := b.Parts[i].Place; p != nil {
			named[p.Source] = true
		}
	}
	room := keptSources
	kept := []profiler.Source{}
	for _, s := range b.Sources {
		if named[s.ID] && len(s.Text) <= room {
			room -= len(s.Text)
			kept = append(kept, s)
		}
	}
	b.Sources = kept
}
