package cpu

import (
	"maps"
	"slices"

	"weft/cpu/vm"
	"weft/tile"
)

// Control flow is lowered to masks. All nodes of a branch compute all lanes of a block; a merge
// selects, a carry changes where the loop's mask holds, and so does an output. What no lane of the
// block takes is skipped, and a loop goes round until no lane goes on. So nodes need no masks, but for
// gathers, which must not read where a lane does not.
//
// Between the nodes stand marks: labels, jumps to them, and gathers.

// flow is the control flow of a program while it is lowered.
type flow struct {
	marks  []mark
	labels int
	open   []scope
	ended  scope // the if that has just ended, for its merges
	mask   int   // place: lanes that take what is lowered now; none for all
	masks  []int // of stores: places that are false until the store is met
	never  int   // place: the literal false, which they begin as

	changing map[int]bool // places that several nodes write
}

// markKind says what a mark is.
type markKind uint8

const (
	markLabel markKind = iota
	markSkip           // to the label, if the mask holds for no lane
	markAgain          // to the label
	markGather
)

// mark stands before node at.
type mark struct {
	at    int
	kind  markKind
	label int
	mask  int // place, or none
	gather
}

// gather reads elements of a whole parameter.
type gather struct {
	param, d int // d, mask and index are places
	index    []int
	mask     int
	size     int
}

// scope is an if or a loop that is being lowered.
type scope struct {
	outer     int // mask
	condition int // of an if: place
	mask      int // of a loop: place
	other     int // label: of an if without its first branch; of a loop: behind it
	again     int // label: of a loop's condition
	carries   []carry
	nexts     []int // places
	singles   map[int]int
	divided   bool // the if has an else
	loop      bool
	together  bool // a loop that all lanes leave in the same turn
}

// carry is a place that changes from turn to turn.
type carry struct {
	v int
	t tile.DType
}

func (fl *flow) top() *scope { return &fl.open[len(fl.open)-1] }

func (fl *flow) label() int {
	fl.labels++
	return fl.labels - 1
}

// mark adds a mark before the next node.
func (lo *lowering) mark(m mark) {
	m.at = len(lo.nodes)
	lo.flow.marks = append(lo.flow.marks, m)
}

// turns reports whether a program has loops.
func turns(p *tile.Program) bool {
	return slices.ContainsFunc(p.Code, func(in tile.Instr) bool { return in.Op == tile.Loop })
}

// load lowers a load. What loops read is copied to a register before them: a window whose elements do not lie side by
// side would be packed in each turn.
func (lo *lowering) load(in *tile.Instr) (int, error) {
	v := lo.place(inWindow, int(in.N), in.Type.Size())
	if lo.alike == nil || len(lo.flow.open) > 0 {
		return v, nil
	}
	to := lo.place(inRegister, 0, in.Type.Size())
	return to, lo.set(to, v, in.Type)
}

// control lowers an instruction of control flow, or a gather.
func (lo *lowering) control(i int) (int, error) {
	in := &lo.p.Code[i]
	fl := &lo.flow
	arg := func(k int) int { return lo.values[in.Args[k]] }
	switch in.Op {
	case tile.Gather:
		g := gather{param: int(in.N), mask: fl.mask, size: in.Type.Size()}
		for k := range in.Operands() {
			g.index = append(g.index, arg(k))
		}
		g.d = lo.place(lo.resultOf("gather", g.index), 0, in.Type.Size())
		lo.mark(mark{kind: markGather, gather: g})
		return g.d, nil
	case tile.If:
		b := scope{outer: fl.mask, condition: arg(0), other: fl.label(), singles: maps.Clone(lo.singles)}
		fl.open = append(fl.open, b)
		return none, lo.enter(b.condition, b.outer, b.other)
	case tile.Else:
		b := fl.top()
		lo.mark(mark{kind: markLabel, label: b.other})
		b.other, b.divided = fl.label(), true
		lo.singles = maps.Clone(b.singles)
		not, err := lo.emit("not", "bool", b.condition)
		if err != nil {
			return none, err
		}
		return none, lo.enter(not, b.outer, b.other)
	case tile.Merge:
		return lo.emit("select", bySize(in.Type), fl.ended.condition, arg(0), arg(1))
	case tile.Loop:
		b := scope{outer: fl.mask, mask: lo.changing(inRegister, 1), other: fl.label(), again: fl.label(), loop: true,
			singles: maps.Clone(lo.singles)}
		all := b.outer
		if all == none {
			all = lo.constant(tile.BoolScalar(true))
		}
		fl.open = append(fl.open, b)
		fl.mask = b.mask
		err := lo.set(b.mask, all, tile.Bool)
		lo.begin(i)
		return none, err
	case tile.Carry:
		c := carry{lo.changing(lo.carried(i), in.Type.Size()), in.Type}
		fl.top().carries = append(fl.top().carries, c)
		err := lo.set(c.v, arg(0), in.Type)
		lo.begin(i)
		return c.v, err
	case tile.While:
		b := fl.top()
		b.together = b.outer == none && lo.one(arg(0))
		and, err := primitive(lo.table, "and", "bool")
		lo.nodes = append(lo.nodes, node{primitive: and, d: b.mask, in: [vm.Inputs]int{b.mask, arg(0)}})
		lo.mark(mark{kind: markSkip, label: b.other, mask: b.mask})
		if b.together {
			fl.mask = none
		}
		return none, err
	case tile.Next:
		fl.top().nexts = append(fl.top().nexts, arg(1))
		return none, nil
	}
	return none, lo.end() // tile.End
}

// begin puts the label of a loop's condition behind its carries.
func (lo *lowering) begin(i int) {
	if lo.p.Code[i+1].Op != tile.Carry {
		lo.mark(mark{kind: markLabel, label: lo.flow.top().again})
	}
}

// enter makes the mask of a branch, and skips it where that holds for no lane.
func (lo *lowering) enter(mask, outer, skip int) (err error) {
	if outer != none {
		if mask, err = lo.emit("and", "bool", outer, mask); err != nil {
			return err
		}
	}
	lo.flow.mask = mask
	lo.mark(mark{kind: markSkip, label: skip, mask: mask})
	return nil
}

// end lowers the end of a block.
func (lo *lowering) end() error {
	fl := &lo.flow
	b := *fl.top()
	fl.open = fl.open[:len(fl.open)-1]
	fl.mask, lo.singles = b.outer, b.singles
	if !b.loop {
		fl.ended = b
		lo.mark(mark{kind: markLabel, label: b.other})
		return nil
	}
	// All carries change at once: what a carry takes from another is set aside.
	for k, v := range b.nexts {
		for j, c := range b.carries {
			if c.v != v || j == k {
				continue
			}
			b.nexts[k] = lo.place(lo.places[v].kind, 0, c.t.Size())
			if err := lo.set(b.nexts[k], v, c.t); err != nil {
				return err
			}
			break
		}
	}
	for k, c := range b.carries {
		if b.together || lo.one(c.v) {
			if err := lo.set(c.v, b.nexts[k], c.t); err != nil {
				return err
			}
			continue
		}
		p, err := primitive(lo.table, "select", bySize(c.t))
		if err != nil {
			return err
		}
		lo.nodes = append(lo.nodes, node{primitive: p, d: c.v, in: [vm.Inputs]int{b.mask, b.nexts[k], c.v}})
	}
	lo.mark(mark{kind: markAgain, label: b.again})
	lo.mark(mark{kind: markLabel, label: b.other})
	return nil
}

// carried says where a carry lives.
func (lo *lowering) carried(i int) kind {
	if lo.alike[i] {
		return inOne
	}
	return inRegister
}

// changing returns a place that several nodes write.
func (lo *lowering) changing(k kind, size int) int {
	v := lo.place(k, 0, size)
	if lo.flow.changing == nil {
		lo.flow.changing = map[int]bool{}
	}
	lo.flow.changing[v] = true
	return v
}

// constant returns the place of a literal.
func (lo *lowering) constant(s tile.Scalar) int {
	lo.literals = append(lo.literals, s)
	return lo.place(inLiteral, len(lo.literals)-1, s.Type.Size())
}

// set adds a node that writes a place which has, or will have, other values too.
func (lo *lowering) set(to, from int, t tile.DType) error {
	n, err := lo.move(to, from, t)
	lo.nodes = append(lo.nodes, n)
	return err
}

// storeMask returns a place that holds for the lanes that store here, and none for all. Where the
// store is skipped, the place is false, as storeMasked made it.
func (lo *lowering) storeMask() (int, error) {
	if lo.flow.mask == none {
		return none, nil
	}
	if lo.flow.never == none {
		lo.flow.never = lo.constant(tile.BoolScalar(false))
	}
	v := lo.changing(inRegister, 1)
	lo.flow.masks = append(lo.flow.masks, v)
	return v, lo.set(v, lo.flow.mask, tile.Bool)
}

// storeMasked adds the nodes that write outputs, at the end, when every input has been read.
func (lo *lowering) storeMasked() error {
	for i := range lo.writes {
		w := &lo.writes[i]
		if lo.places[w.v].kind != inWindow {
			continue
		}
		v := lo.place(inRegister, 0, w.dtype.Size())
		if err := lo.set(v, w.v, w.dtype); err != nil {
			return err
		}
		w.v = v
	}
	for _, w := range lo.writes {
		out := lo.place(inWindow, w.param, w.dtype.Size())
		if w.mask == none {
			if err := lo.set(out, w.v, w.dtype); err != nil {
				return err
			}
			continue
		}
		p, err := primitive(lo.table, "select", bySize(w.dtype))
		if err != nil {
			return err
		}
		lo.nodes = append(lo.nodes, node{primitive: p, d: out, in: [vm.Inputs]int{w.mask, w.v, out}})
	}
	return nil
}
