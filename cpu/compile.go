package cpu

import (
	"unsafe"

	"weft/tile"
)

// step is one call of a primitive; operands are positions in the frame.
type step struct {
	run        primitive
	d, a, b, c int32
}

// Registers hold one block each. A block of 8 KiB is long enough to hide the cost of a step
// and short enough that a handful of them stays in the L1 cache.
const registerBytes = 8 << 10

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
	steps     []step
	block     int // elements that fit a register
	registers int // registers, of registerBytes each
}

// window is a place that moves over the memory of a parameter.
type window struct{ place, param int32 }

func compile(p *tile.Program, known tile.Routines) (*executable, error) {
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
	lo, err := lower(p)
	if err != nil {
		return nil, err
	}
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
			if x.reducers[i], err = newReducer(w, lo.places[w.v].size); err != nil {
				return nil, err
			}
		}
		x.fast = lo.finish(lo.places, lo.nodes, true)
		x.product = findProduct(p)
		return x, nil
	}
	places, nodes, safe, err := lo.forward()
	if err != nil {
		return nil, err
	}
	x.fast = lo.finish(places, nodes, false)
	if !safe {
		places, nodes, err = lo.deferred()
		if err != nil {
			return nil, err
		}
		x.careful = lo.finish(places, nodes, false)
	}
	return x, nil
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
		run, err := mover(w.dtype)
		if err != nil {
			return nil, nil, false, err
		}
		places = append(places, place{inWindow, w.param, w.dtype.Size()})
		moves = append(moves, node{run: run, d: len(places) - 1, a: w.v})
	}
	nodes = append(nodes, moves...)
	input := func(v int) bool {
		return places[v].kind == inWindow && lo.p.Params[places[v].n].Dir == tile.In
	}
	wrote := false
	safe = true
	for _, n := range nodes {
		if wrote && (input(n.a) || input(n.b) || input(n.c)) {
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
		run, err := mover(w.dtype)
		if err != nil {
			return nil, nil, err
		}
		v := w.v
		if places[v].kind == inWindow {
			places = append(places, place{inRegister, 0, w.dtype.Size()})
			v = len(places) - 1
			nodes = append(nodes, node{run: run, d: v, a: w.v})
		}
		places = append(places, place{inWindow, w.param, w.dtype.Size()})
		moves = append(moves, node{run: run, d: len(places) - 1, a: v})
	}
	return places, append(nodes, moves...), nil
}

// finish assigns registers. A register is free again after the last node that reads it;
// the result of that node may take it if its elements are not larger, because primitives
// go forwards. keep holds on to what is written in the end, which reducers read.
func (lo *lowering) finish(places []place, nodes []node, keep bool) *code {
	c := &code{places: append([]place(nil), places...)}
	last := make([]int, len(places)) // last node that reads a place
	for i, n := range nodes {
		last[n.a], last[n.b], last[n.c] = i, i, i
	}
	widest := 1
	if keep {
		for _, w := range lo.writes {
			last[w.v] = len(nodes)
			widest = max(widest, w.dtype.Size()) // accumulators are registers, too
		}
	}
	var free []int
	for i, n := range nodes {
		d := &c.places[n.d]
		release := func(fits bool) {
			for k, v := range [3]int{n.a, n.b, n.c} {
				u := c.places[v]
				repeated := k > 0 && v == n.a || k > 1 && v == n.b
				if v != none && !repeated && u.kind == inRegister && last[v] == i && (u.size >= d.size) == fits {
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
		c.steps = append(c.steps, step{n.run, int32(n.d), int32(n.a), int32(n.b), int32(n.c)})
	}
	c.block = registerBytes / widest
	for v, place := range c.places {
		if v != none && place.kind == inWindow {
			c.windows = append(c.windows, window{int32(v), int32(place.n)})
		}
	}
	return c
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
