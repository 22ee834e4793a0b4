package cpu

import (
	"slices"

	"weft/tile"
)

// accumulators is how many a strip has; maxSlots is how many values it can keep besides, 512 bytes
// each: half of the smallest L1 cache.
const (
	accumulators = 3
	maxSlots     = 32
)

// strip is a run of micro operations.
type strip struct {
	t       tile.DType
	code    []micro
	in, out []int // places, each once
	slots   int
}

// micro is one: its operand is a place, a slot, or the next accumulator.
type micro struct {
	op, reg uint8
	place   int // or none
	slot    int // or -1
}

// coding turns nodes into micro operations. Values that one other value of the strip needs, and
// nothing else, are subtrees of it and live in accumulators only; the others are roots, computed
// one after the other and put into a slot, a register or a window.
type coding struct {
	*grouping
	s      *strip
	inside map[int]int  // by node: how often the strip reads it
	root   map[int]bool // by node
	need   map[int]int  // by node: accumulators that its tree takes
	slot   map[int]int  // by node: where a root is
	left   map[int]int  // by node: reads of a root to come
	free   []int
	held   int // node whose value r0 holds, or -1: it has just been stored
	full   bool
}

// code returns the strip of these nodes, which are in an order in which they can be computed, or nil
// if it needs too many slots.
func (g *grouping) code(t tile.DType, members []int) *strip {
	c := &coding{grouping: g, s: &strip{t: t}, inside: map[int]int{}, root: map[int]bool{}, need: map[int]int{}, slot: map[int]int{}, left: map[int]int{}, held: -1}
	for _, i := range members {
		c.inside[i] = 0
	}
	for _, i := range members {
		for _, v := range g.nodes[i].inputs() {
			if m, ok := c.member(v); ok {
				c.inside[m]++
				// A load that was put at the end must not take the computation with it: that would read
				// inputs where outputs may have been written.
				c.root[m] = c.root[m] || g.pinned(i)
			}
		}
	}
	for _, i := range members {
		c.root[i] = c.root[i] || c.inside[i] != 1 || c.outside(i)
		c.measure(i)
	}
	for _, i := range members {
		if c.root[i] {
			c.finish(i)
		}
	}
	if c.full {
		return nil
	}
	c.emit("end", 0, none, -1)
	return c.s
}

// member returns the node of this strip that computes a place.
func (c *coding) member(v int) (int, bool) {
	m := c.maker[v]
	if m < 0 {
		return 0, false
	}
	_, ok := c.inside[m]
	return m, ok
}

// outside reports whether a node that is not of the strip needs this one's value.
func (c *coding) outside(i int) bool {
	d := c.nodes[i].d
	return c.places[d].kind == inWindow || c.kept[d] ||
		slices.ContainsFunc(c.readers[d], func(r int) bool { _, ok := c.inside[r]; return !ok })
}

// tree returns the node below an operand that is computed as part of its reader.
func (c *coding) tree(v int) (int, bool) {
	m, ok := c.member(v)
	return m, ok && !c.root[m]
}

// measure finds how many accumulators a node's tree takes (Sethi and Ullman, The generation of optimal
// code for arithmetic expressions, 1970), and makes roots where there are not so many.
func (c *coding) measure(i int) {
	n := &c.nodes[i]
	size := func(v int) int {
		if m, ok := c.tree(v); ok {
			return c.need[m]
		}
		return 0
	}
	in := n.inputs()
	need := 1
	switch {
	case n.op == tile.Select:
		// The mask goes to memory first; then both values are in accumulators.
		x, y := max(1, size(in[1])), max(1, size(in[2]))
		if x == y && x == accumulators {
			m, _ := c.tree(in[2])
			c.root[m], y = true, 1
		}
		need = max(x, y, size(in[0]))
		if x == y {
			need = max(x+1, need)
		}
	case len(in) == 2:
		x, y := size(in[0]), size(in[1])
		if x == y && x == accumulators {
			m, _ := c.tree(in[1])
			c.root[m], y = true, 0
		}
		need = max(1, x, y)
		if x == y && x > 0 {
			need = x + 1
		}
	default:
		need = max(1, size(in[0]))
	}
	c.need[i] = need
}

// emit adds a micro operation.
func (c *coding) emit(name string, reg, place, slot int) {
	op, ok := c.lo.micros[name]
	if !ok {
		panic("BUG: inv 4: no micro operation " + name + " in cpu/vm/strip.h")
	}
	c.s.code = append(c.s.code, micro{op, uint8(reg), place, slot})
	c.held = -1
}

// operand adds a micro operation on a value that is in memory.
func (c *coding) operand(name string, reg, v int) {
	m, ok := c.member(v)
	if !ok {
		if k := c.places[v].kind; (k == inWindow || k == inRegister) && !slices.Contains(c.s.in, v) {
			c.s.in = append(c.s.in, v)
		}
		c.emit(name, reg, v, -1)
		return
	}
	c.left[m]--
	slot, slotted := c.slot[m]
	if name == "load" && reg == 0 && c.held == m {
		// r0 has it still. If nothing else reads the slot it was for nothing.
		if slotted && c.left[m] == 0 {
			c.s.code = c.s.code[:len(c.s.code)-1]
		}
	} else if slotted {
		c.emit(name, reg, none, slot)
	} else {
		c.emit(name, reg, v, -1)
	}
	if slotted && c.left[m] == 0 {
		c.free = append(c.free, slot)
	}
}

// finish computes a root and puts it where it is needed.
func (c *coding) finish(i int) {
	c.gen(i, 0)
	c.left[i] = c.inside[i]
	d := c.nodes[i].d
	outside := c.outside(i)
	if outside {
		c.emit("store", 0, d, -1)
		c.s.out = append(c.s.out, d)
	}
	// A register can be read again; a window may be past the caches, or a scalar.
	if c.inside[i] > 0 && !(outside && c.places[d].kind == inRegister) {
		c.slot[i] = c.take()
		c.emit("store", 0, none, c.slot[i])
	}
	c.held = i
}

// take returns a slot.
func (c *coding) take() int {
	if k := len(c.free) - 1; k >= 0 {
		s := c.free[k]
		c.free = c.free[:k]
		return s
	}
	c.s.slots++
	c.full = c.full || c.s.slots > maxSlots
	return c.s.slots - 1
}

// gen computes a node into an accumulator; those above it are free.
func (c *coding) gen(i, k int) {
	n := &c.nodes[i]
	names := microNames[n.op]
	in := n.inputs()
	if n.op == tile.Select {
		mask, temporary := in[0], -1
		if m, ok := c.tree(mask); ok {
			c.gen(m, k)
			temporary = c.take()
			c.emit("store", k, none, temporary)
		}
		name := names.name
		x, y := in[1], in[2]
		if c.size(y) > c.size(x) {
			name, x, y = names.reversed, y, x
		}
		c.value(x, k)
		c.value(y, k+1)
		if temporary >= 0 {
			c.emit(name, k, none, temporary)
			c.free = append(c.free, temporary)
		} else {
			c.operand(name, k, mask)
		}
		return
	}
	if n.op == tile.Load {
		c.value(in[0], k)
		return
	}
	if len(in) == 1 {
		c.value(in[0], k)
		c.emit(names.name, k, none, -1)
		return
	}
	x, y, name := in[0], in[1], names.name
	_, deepX := c.tree(x)
	_, deepY := c.tree(y)
	switch {
	case deepX && deepY:
		if c.size(y) > c.size(x) {
			name, x, y = names.reversed, y, x
		}
		c.value(x, k)
		c.value(y, k+1)
		c.emit(name, k, none, -1)
		return
	case deepY, !deepX && (c.scalar(x) || c.heldAt(y, k)):
		name, x, y = names.reversed, y, x
	}
	c.value(x, k)
	c.operand(name, k, y)
}

func (c *coding) size(v int) int {
	if m, ok := c.tree(v); ok {
		return c.need[m]
	}
	return 0
}

func (c *coding) scalar(v int) bool {
	k := c.places[v].kind
	return k == inLiteral || k == inUniform || k == inCell
}

// heldAt reports whether accumulator k has a value already.
func (c *coding) heldAt(v, k int) bool {
	m, ok := c.member(v)
	return ok && k == 0 && c.held == m
}

// value brings a value into an accumulator.
func (c *coding) value(v, k int) {
	if m, ok := c.tree(v); ok {
		c.gen(m, k)
		return
	}
	c.operand("load", k, v)
}
