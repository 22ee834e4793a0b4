package cpu

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"weft/cpu/vm"
	"weft/tile"
)

// item is a node or a mark, in the order in which they run.
type item struct {
	node *node
	mark *mark
}

// reads returns the places that an item reads.
func (it item) reads() []int {
	switch {
	case it.node != nil:
		return it.node.inputs()
	case it.mark.kind == markSkip:
		return []int{it.mark.mask}
	case it.mark.kind == markGather && it.mark.gather.mask != none:
		return append(slices.Clone(it.mark.index), it.mark.gather.mask)
	}
	return it.mark.index
}

// writes returns the places that an item writes.
func (it item) writes() []int {
	switch {
	case it.node != nil:
		return it.node.outputs()
	case it.mark.kind == markGather:
		return []int{it.mark.d}
	}
	return nil
}

// items puts nodes and marks in order. The masks of stores begin as false.
func (lo *lowering) items(kept []int) ([]item, error) {
	var all []item
	for _, v := range lo.flow.masks {
		n, err := lo.move(v, lo.flow.never, tile.Bool)
		if err != nil {
			return nil, err
		}
		all = append(all, item{node: &n})
	}
	run := 0 // first of the nodes that stand together
	outside := lo.outside(kept)
	strips := func(to int) {
		nodes := lo.nodes[run:to]
		if len(nodes) > 1 {
			nodes = lo.strips(lo.places, nodes, outside(run, to))
		}
		for i := range nodes {
			all = append(all, item{node: &nodes[i]})
		}
		run = to
	}
	marks := lo.flow.marks
	for i := range len(lo.nodes) + 1 {
		for len(marks) > 0 && marks[0].at == i {
			strips(i)
			all = append(all, item{mark: &marks[0]})
			marks = marks[1:]
		}
		if i < len(lo.nodes) && lo.changes(lo.nodes[i].d) {
			strips(i)
			strips(i + 1)
		}
	}
	strips(len(lo.nodes))
	return all, nil
}

// changes reports whether a place is written more than once, or belongs to an output: nodes
// that write it stay where they are.
func (lo *lowering) changes(d int) bool { return lo.flow.changing[d] || lo.places[d].kind == inWindow }

// outside returns a function that tells which results of some nodes, that stand together, others
// read.
func (lo *lowering) outside(kept []int) func(from, to int) []int {
	readers := make([][2]int, len(lo.places)) // the first and the last node
	for v := range readers {
		readers[v] = [2]int{len(lo.nodes), -1}
	}
	touch := func(v, first, last int) {
		readers[v] = [2]int{min(readers[v][0], first), max(readers[v][1], last)}
	}
	for i := range lo.nodes {
		for _, v := range lo.nodes[i].inputs() {
			touch(v, i, i)
		}
	}
	for _, m := range lo.flow.marks {
		for _, v := range (item{mark: &m}).reads() {
			touch(v, -1, len(lo.nodes))
		}
	}
	for _, v := range kept {
		touch(v, -1, len(lo.nodes))
	}
	return func(from, to int) []int {
		var all []int
		for i := from; i < to; i++ {
			if r := readers[lo.nodes[i].d]; r[0] < from || r[1] >= to {
				all = append(all, lo.nodes[i].d)
			}
		}
		return all
	}
}

// life is the first and the last item that touches a place.
type life struct{ first, last int }

// lives finds how long places are needed. What a loop reads that was there before, is needed to its
// end: the next turn reads it again.
func (lo *lowering) lives(all []item, kept []int) []life {
	lives := make([]life, len(lo.places))
	for v := range lives {
		lives[v] = life{-1, -1}
	}
	touch := func(v, i int) {
		if lives[v].first < 0 {
			lives[v].first = i
		}
		lives[v].last = i
	}
	begins := map[int]int{} // by label
	for i, it := range all {
		for _, v := range it.reads() {
			touch(v, i)
		}
		for _, d := range it.writes() {
			touch(d, i)
		}
		if it.mark == nil {
			continue
		}
		switch it.mark.kind {
		case markLabel:
			begins[it.mark.label] = i
		case markAgain: // inner loops end first
			from := begins[it.mark.label]
			for v := range lives {
				if l := &lives[v]; l.first >= 0 && l.first < from && l.last >= from {
					l.last = i
				}
			}
		}
	}
	for _, v := range kept {
		lives[v].last = len(all)
	}
	return lives
}

// loopLanes is how many lanes a block has at most where there are loops. All go on until the last lane leaves: long
// blocks compute for nothing where lanes differ. A Mandelbrot set of 1536 x 1024 points and 200 turns takes 0.14 s of a
// core, 0.17 in blocks of 64 lanes, and 0.20 in blocks that are as long as those without loops (BenchmarkLoops).
const loopLanes = 128

// finishFlow assigns registers and makes steps of nodes and marks, as finish does of nodes alone.
func (lo *lowering) finishFlow(keep bool) (*code, error) {
	kept, widest := lo.kept(keep)
	all, err := lo.items(kept)
	if err != nil {
		return nil, err
	}
	c := &code{places: slices.Clone(lo.places), checked: true}
	lives := lo.lives(all, kept)
	ends := make([][]int, len(all)+1) // by item: places that it is the last to touch
	for v, l := range lives {
		if l.first >= 0 && lo.places[v].kind == inRegister {
			ends[l.last] = append(ends[l.last], v)
		}
	}
	var free []int
	for i, it := range all {
		for _, d := range it.writes() {
			if c.places[d].kind != inRegister || lives[d].first != i {
				continue
			}
			widest = max(widest, c.places[d].size)
			if k := len(free) - 1; k >= 0 {
				c.places[d].n, free = free[k], free[:k]
			} else {
				c.places[d].n = c.registers
				c.registers++
			}
		}
		for _, v := range ends[i] {
			free = append(free, c.places[v].n)
		}
	}
	if err := lo.steps(c, all); err != nil {
		return nil, err
	}
	c.sort()
	c.resize(widest)
	if slices.ContainsFunc(lo.flow.marks, func(m mark) bool { return m.kind == markAgain }) {
		c.block = min(c.block, loopLanes)
	}
	return c, nil
}

// steps encodes the items. Labels become the steps that follow them.
func (lo *lowering) steps(c *code, all []item) error {
	at := make([]int64, lo.flow.labels)
	var labels []int // by jump
	for _, it := range all {
		if it.node != nil && it.node.strip != nil {
			c.addStrip(it.node.strip)
			continue
		}
		if it.node != nil {
			s := vm.Step{Op: it.node.primitive.Row, D: uint16(it.node.d)}
			for k, v := range it.node.inputs() {
				s.In[k] = uint16(v)
			}
			c.steps = append(c.steps, s)
			continue
		}
		switch it.mark.kind {
		case markLabel:
			at[it.mark.label] = int64(len(c.steps))
		case markGather:
			c.steps = append(c.steps, vm.Step{Op: vm.GatherStep, D: uint16(len(c.gathers))})
			c.gathers = append(c.gathers, it.mark.gather)
		default:
			op := vm.SkipStep
			if it.mark.kind == markAgain {
				op = vm.AgainStep
			}
			c.steps = append(c.steps, vm.Step{Op: uint16(op), D: uint16(len(c.jumps))})
			c.jumps = append(c.jumps, vm.Jump{Mask: int64(it.mark.mask)})
			labels = append(labels, it.mark.label)
		}
	}
	for i, l := range labels {
		c.jumps[i].To = at[l]
	}
	if len(c.places) > 1<<16 || len(c.micros) > 1<<16 {
		return fmt.Errorf("cpu: program %q has %d values when it is lowered; want at most %d", lo.p.Name, len(c.places), 1<<16)
	}
	return nil
}

// control lays out what steps of control flow look at.
func (f *frame) control(c *code, l *tile.Launch) {
	a := &f.arena
	jumps := carve[vm.Jump](a, len(c.jumps)+1)
	copy(jumps, c.jumps)
	gathers := carve[vm.Gather](a, len(c.gathers)+1)
	for i, g := range c.gathers {
		b := &l.Args[g.param]
		to := &gathers[i]
		*to = vm.Gather{P: unsafe.Add(f.base[g.param], b.Offset), D: int64(g.d), Mask: -1, Axes: int64(len(g.index)), Size: int64(g.size)}
		if g.mask != none {
			to.Mask = int64(g.mask)
		}
		for k, v := range g.index {
			to.Index[k], to.Extent[k], to.Stride[k] = int64(v), int64(b.Shape[k]), b.Strides[k]
		}
	}
	f.end = &carve[vm.Fault](a, 1)[0]
	*f.end = vm.Fault{}
	f.launch.Jump, f.launch.Gather, f.launch.Fault = start(jumps), start(gathers), unsafe.Pointer(f.end)
}

// pin lets the machine look at the launch's Stop, which is Go memory, until the function that it returns
// is called.
func (f *frame) pin(c *code, l *tile.Launch) func() {
	if !c.checked || l.Stop == nil {
		return func() {}
	}
	var p runtime.Pinner
	p.Pin(l.Stop.Word())
	f.launch.Stop = unsafe.Pointer(l.Stop.Word())
	return p.Unpin
}

// fault returns why the launch ended before its time.
func (f *frame) fault(c *code) error {
	if !c.checked {
		return nil
	}
	switch e := f.end; e.Kind {
	case vm.Bounds:
		return tile.OutOfBounds(e.Index, int(e.Axis), int(e.Size))
	case vm.Stopped:
		return tile.ErrStopped
	}
	return nil
}
