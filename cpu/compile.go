package cpu

import (
	"fmt"
	"slices"
	"unsafe"

	"weft/cpu/vm"
	"weft/tile"
)

// A register holds one block. A block of 8 KiB is long enough to hide the cost of a step. Programs
// with many registers and windows have shorter ones, so that all of them stay in the L1
// cache, but not so short that the steps cost more than their elements.
const (
	registerBytes = 8 << 10
	leastBytes    = 2 << 10
	liveBytes     = 40 << 10
)

// spacing is the distance of registers: were it a multiple of 4 KiB, the processor would take a
// load from one register for a load of what it is just storing in another.
const spacing = registerBytes + 128

// executable is what Compile makes of a program. It is immutable.
type executable struct {
	program  *tile.Program
	literals []tile.Scalar
	indexes  []int32
	lead     int // an output parameter, which decides the order of axes

	// fast writes results straight into the output windows. careful computes everything first and
	// writes at the end of the block: it is right also where an output is an input's memory.
	// It is nil where fast is right in any case.
	fast, careful *code

	reducers []reducer
	product  *product     // set for a sum of products: a matrix product
	routine  tile.Routine // of a program that is one; then there is nothing else
}

// code is a straight line of steps over places with their registers.
type code struct {
	places    []place
	windows   []window
	steps     []vm.Step
	block     int // elements that fit a register
	registers int // how many
	result    int // the parameter that the last step writes; -1 for a register
}

// window is a place that moves over the memory of a parameter.
type window struct{ place, param int32 }

func compile(p *tile.Program, table vm.Table, known tile.Routines) (*executable, error) {
	if err := tile.Check(p); err != nil {
		return nil, err
	}
	if p.Routine != "" {
		code, err := known.Find(p)
		if err != nil {
			return nil, err
		}
		return &executable{program: p, routine: code}, nil
	}
	if p.Flows() || p.Gathers() {
		return nil, fmt.Errorf("cpu: program %q: %w", p.Name, tile.ErrNoFlow)
	}
	lo, err := lower(p, table)
	if err != nil {
		return nil, err
	}
	lo.fuse()
	x := &executable{program: p, literals: lo.literals, indexes: lo.indexes}
	for i, param := range p.Params {
		if param.Dir == tile.Out {
			x.lead = i
			break
		}
	}
	if p.Reduces() {
		x.reducers = make([]reducer, len(lo.writes))
		for i, w := range lo.writes {
			if x.reducers[i], err = newReducer(table, w); err != nil {
				return nil, err
			}
		}
		x.product = findProduct(p)
		x.fast, err = lo.finish(lo.places, lo.nodes, true)
		return x, err
	}
	places, nodes, safe, err := lo.forward()
	if err != nil {
		return nil, err
	}
	if x.fast, err = lo.finish(places, nodes, false); err != nil || safe {
		return x, err
	}
	if places, nodes, err = lo.deferred(); err != nil {
		return nil, err
	}
	x.careful, err = lo.finish(places, nodes, false)
	return x, err
}

// forward lets the node that computes a stored value write into the output itself. safe
// tells whether that is right even where outputs share memory with inputs: no input is read
// after the first output was written, but by the very step that writes.
func (lo *lowering) forward() (places []place, nodes []node, safe bool, err error) {
	places = append(places, lo.places...)
	nodes = append(nodes, lo.nodes...)
	var moves []node
	for _, w := range lo.writes {
		if v := &places[w.v]; v.kind == inRegister {
			*v = place{inWindow, w.param, v.size}
			continue
		}
		move, err := lo.move(len(places), w.v, w.dtype)
		if err != nil {
			return nil, nil, false, err
		}
		places = append(places, place{inWindow, w.param, w.dtype.Size()})
		moves = append(moves, move)
	}
	nodes = append(nodes, moves...)
	input := func(v int) bool {
		return places[v].kind == inWindow && lo.p.Params[places[v].n].Dir == tile.In
	}
	wrote := false
	safe = true
	for _, n := range nodes {
		if wrote && slices.ContainsFunc(n.inputs(), input) {
			safe = false
		}
		wrote = wrote || places[n.d].kind == inWindow
	}
	return places, nodes, safe, nil
}

// deferred computes every value into a register, inputs that are stored as they are
// included, and moves them to the outputs at the end.
func (lo *lowering) deferred() (places []place, nodes []node, err error) {
	places = append(places, lo.places...)
	nodes = append(nodes, lo.nodes...)
	var moves []node
	for _, w := range lo.writes {
		v := w.v
		if places[v].kind == inWindow {
			move, err := lo.move(len(places), v, w.dtype)
			if err != nil {
				return nil, nil, err
			}
			v = len(places)
			places = append(places, place{inRegister, 0, w.dtype.Size()})
			nodes = append(nodes, move)
		}
		move, err := lo.move(len(places), v, w.dtype)
		if err != nil {
			return nil, nil, err
		}
		places = append(places, place{inWindow, w.param, w.dtype.Size()})
		moves = append(moves, move)
	}
	return places, append(nodes, moves...), nil
}

// move returns a node that copies elements from one place to another.
func (lo *lowering) move(to, from int, t tile.DType) (node, error) {
	p, err := primitive(lo.table, "move", bySize(t))
	return node{primitive: p, d: to, in: [vm.Inputs]int{from}}, err
}

// finish assigns registers. A register is free again after the last node that reads it;
// the result of that node may take it if its elements are not larger, because primitives
// go forwards. keep holds on to what is written in the end, which reducers read.
func (lo *lowering) finish(places []place, nodes []node, keep bool) (*code, error) {
	if len(places) > 1<<16 {
		return nil, fmt.Errorf("cpu: program %q has %d values when it is lowered; want at most %d", lo.p.Name, len(places), 1<<16)
	}
	c := &code{places: slices.Clone(places)}
	last := make([]int, len(places)) // last node that reads a place
	for i := range nodes {
		for _, v := range nodes[i].inputs() {
			last[v] = i
		}
	}
	widest := 1
	if keep {
		for _, w := range lo.writes {
			last[w.v] = len(nodes)
			widest = max(widest, w.dtype.Size()) // accumulators are registers, too
		}
	}
	var free []int
	for i := range nodes {
		n := &nodes[i]
		d := &c.places[n.d]
		release := func(fits bool) {
			for k, v := range n.inputs() {
				u := c.places[v]
				if !slices.Contains(n.in[:k], v) && u.kind == inRegister && last[v] == i && (u.size >= d.size) == fits {
					free = append(free, u.n)
				}
			}
		}
		release(true)
		if d.kind == inRegister {
			widest = max(widest, d.size)
			if k := len(free) - 1; k >= 0 {
				d.n, free = free[k], free[:k]
			} else {
				d.n = c.registers
				c.registers++
			}
		}
		release(false)
		s := vm.Step{Op: n.primitive.Row, D: uint16(n.d)}
		for k, v := range n.inputs() {
			s.In[k] = uint16(v)
		}
		c.steps = append(c.steps, s)
	}
	c.result = -1
	if n := len(nodes); n > 0 && c.places[nodes[n-1].d].kind == inWindow {
		c.result = c.places[nodes[n-1].d].n
	}
	for v, place := range c.places {
		if v != none && place.kind == inWindow {
			c.windows = append(c.windows, window{int32(v), int32(place.n)})
		}
	}
	c.block = registerBytes / widest
	if live := c.registers + len(c.windows); live*registerBytes > liveBytes && c.registers > 0 {
		const lines = 64 // elements: whole cache lines of any dtype, and whole rounds of lanes
		c.block = max(liveBytes/live, leastBytes) / widest / lines * lines
	}
	return c, nil
}

// overlap reports whether an output of a launch may share memory with an input.
func overlap(p *tile.Program, base []unsafe.Pointer, args []tile.Binding) bool {
	for i := range p.Params {
		if p.Params[i].Dir != tile.Out {
			continue
		}
		for k := range p.Params {
			if p.Params[k].Dir != tile.In {
				continue
			}
			o, n := uintptr(base[i]), uintptr(base[k])
			if o < n+uintptr(args[k].Buffer.Size) && n < o+uintptr(args[i].Buffer.Size) {
				return true
			}
		}
	}
	return false
}
