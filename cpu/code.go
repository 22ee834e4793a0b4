package cpu

import (
	"fmt"
	"slices"

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

// code is a straight line of steps over places with their registers.
type code struct {
	places    []place
	windows   []window
	steps     []vm.Step
	strips    []vm.Strip
	micros    []vm.Micro
	ports     []vm.Port // without room
	block     int       // elements that fit a register
	registers int       // how many
	slots     int
	fetch     uint8 // the operation of strips
	uniforms  []uniform
	results   []result
	looks     bool // steps look at what they read or write, in launches that are watched
	safe      bool // right also where an output is an input's memory: see safety

	// Of control flow and gathers:
	checked bool // there are such steps
	jumps   []vm.Jump
	gathers []gather
}

// window is a place that moves over the memory of a parameter.
type window struct{ place, param int32 }

// uniform is a place that holds a scalar of the launch.
type uniform struct{ place, n int32 }

// result is an output that may go past the caches: nothing reads it again.
type result struct{ param, port int } // port is -1 for what the last step writes

// kept returns the places that are read after the last step, if any are, and the widest of their
// elements: accumulators are registers, too.
func (lo *lowering) kept(any bool) (kept []int, widest int) {
	widest = 1
	if any {
		for _, w := range lo.writes {
			kept = append(kept, w.v)
			widest = max(widest, w.dtype.Size())
		}
	}
	return kept, widest
}

// finish makes strips, and assigns registers. A register is free again after the last node that
// reads it; the result of that node may take it if its elements are not larger, because primitives
// go forwards. keep holds on to what is written in the end, which reducers read.
func (lo *lowering) finish(places []place, nodes []node, keep bool) (*code, error) {
	c := &code{places: slices.Clone(places), fetch: lo.micros["fetch"]}
	kept, widest := lo.kept(keep)
	if !lo.stepwise {
		nodes = lo.strips(places, nodes, kept)
	}
	last := make([]int, len(places)) // last node that reads a place
	for i := range nodes {
		for _, v := range nodes[i].inputs() {
			last[v] = i
		}
	}
	for _, v := range kept {
		last[v] = len(nodes)
	}
	for i := range nodes { // a strip may write a register that only it reads, if at all
		for _, v := range nodes[i].outputs() {
			last[v] = max(last[v], i)
		}
	}
	var free []int
	for i := range nodes {
		n := &nodes[i]
		release := func(places []int, fits func(u place) bool) {
			for k, v := range places {
				u := c.places[v]
				if !slices.Contains(places[:k], v) && u.kind == inRegister && last[v] == i && fits(u) {
					free = append(free, u.n)
				}
			}
		}
		take := func(d *place) {
			if d.kind != inRegister {
				return
			}
			widest = max(widest, d.size)
			if k := len(free) - 1; k >= 0 {
				d.n, free = free[k], free[:k]
				return
			}
			d.n = c.registers
			c.registers++
		}
		if n.strip != nil {
			// It writes while it reads: what it reads is free only afterwards.
			for _, v := range n.outputs() {
				take(&c.places[v])
			}
			c.addStrip(n.strip)
			all := func(place) bool { return true }
			release(n.inputs(), all)
			release(n.outputs(), all)
			continue
		}
		d := &c.places[n.d]
		release(n.inputs(), func(u place) bool { return u.size >= d.size })
		take(d)
		release(n.inputs(), func(u place) bool { return u.size < d.size })
		s := vm.Step{Op: n.primitive.Row, D: uint16(n.d), Look: n.look}
		c.looks = c.looks || n.look != vm.LookNowhere
		for k, v := range n.inputs() {
			s.In[k] = uint16(v)
		}
		c.steps = append(c.steps, s)
	}
	if len(c.places) > 1<<16 || len(c.micros) > 1<<16 {
		return nil, fmt.Errorf("cpu: program %q has %d values when it is lowered; want at most %d", lo.p.Name, len(c.places), 1<<16)
	}
	c.safe = lo.safety(c.places, nodes)
	if n := len(nodes); n > 0 && nodes[n-1].strip == nil && c.places[nodes[n-1].d].kind == inWindow {
		c.results = append(c.results, result{c.places[nodes[n-1].d].n, -1})
	}
	c.sort()
	c.resize(widest)
	return c, nil
}

// sort lists the places that are different in every launch.
func (c *code) sort() {
	number := map[int64]int64{}
	for v, place := range c.places {
		switch {
		case v == none:
		case place.kind == inUniform:
			c.uniforms = append(c.uniforms, uniform{int32(v), int32(place.n)})
		case place.kind == inWindow:
			number[int64(v)] = int64(len(c.windows))
			c.windows = append(c.windows, window{int32(v), int32(place.n)})
		}
	}
	for i := range c.ports {
		c.ports[i].Window = number[c.ports[i].Operand]
	}
}

// resize chooses the length of blocks, for elements of so many bytes at most.
func (c *code) resize(widest int) {
	c.block = registerBytes / widest
	if live := c.registers + len(c.windows); live*registerBytes > liveBytes && c.registers > 0 {
		const lines = 64 // elements: whole cache lines of any dtype, and whole rounds of lanes
		c.block = max(liveBytes/live, leastBytes) / widest / lines * lines
	}
}

// addStrip adds the step that is a strip.
func (c *code) addStrip(s *strip) {
	c.steps = append(c.steps, vm.Step{Op: vm.StripStep, D: uint16(len(c.strips))})
	first := len(c.ports)
	ports := map[int]int{}
	port := func(v, out int) {
		if c.places[v].kind == inWindow {
			ports[v] = len(c.ports) - first
			if out == 1 {
				c.results = append(c.results, result{c.places[v].n, len(c.ports)})
			}
			c.ports = append(c.ports, vm.Port{Operand: int64(v), Out: int64(out)})
		}
	}
	for _, v := range s.in {
		port(v, 0)
	}
	ins := len(c.ports) - first
	for _, v := range s.out {
		port(v, 1)
	}
	c.micros = append(c.micros, make([]vm.Micro, ins)...) // room for fetches: see fetch
	for c.slots < s.slots {
		c.places = append(c.places, place{inSlot, c.slots, s.t.Size()})
		c.slots++
	}
	slot := len(c.places) - c.slots // slots are the last places
	c.strips = append(c.strips, vm.Strip{
		Size: int64(s.t.Size()), First: int64(len(c.micros)), Count: int64(len(s.code)), Port: int64(first), Ports: int64(len(c.ports) - first),
	})
	for _, m := range s.code {
		to := vm.Micro{Op: m.op, Reg: m.reg, Operand: uint16(m.place)}
		switch {
		case m.slot >= 0:
			to.Operand, to.Kind = uint16(slot+m.slot), vm.SlotOperand
		case m.place == none:
		case c.places[m.place].kind == inWindow:
			to.Kind, to.Port = vm.WindowOperand, uint16(ports[m.place])
		case c.places[m.place].kind == inRegister:
			to.Kind = vm.RegisterOperand
		default:
			to.Kind = vm.ScalarOperand
		}
		c.micros = append(c.micros, to)
	}
}

// safety reports whether the code is right also where outputs share memory with inputs: no input is
// read after the first output was written, but by the very step that writes. A strip takes some
// elements at a time, so that its operations count, one by one.
func (lo *lowering) safety(places []place, nodes []node) bool {
	wrote := false
	read := func(v int) bool { // whether it may be read now
		return !wrote || places[v].kind != inWindow || lo.p.Params[places[v].n].Dir != tile.In
	}
	for _, n := range nodes {
		if n.strip == nil {
			for _, v := range n.inputs() {
				if !read(v) {
					return false
				}
			}
			wrote = wrote || places[n.d].kind == inWindow
			continue
		}
		for _, m := range n.strip.code {
			if m.place == none {
				continue
			}
			if m.op == lo.micros["store"] {
				wrote = wrote || places[m.place].kind == inWindow
			} else if !read(m.place) {
				return false
			}
		}
	}
	return true
}
