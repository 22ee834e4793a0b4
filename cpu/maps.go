package cpu

import (
	"slices"

	"weft/cpu/vm"
	"weft/tile"
)

// narrow is the length below which a row is too short to pay for the steps on it.
const narrow = 16

// runMap runs a program without Reduce over a tile. The order of points is free, so that
// axes are walked in the order of the output's strides, largest first.
func (f *frame) runMap(x *executable, l *tile.Launch) error {
	for _, n := range l.Shape {
		if n == 0 {
			return nil
		}
	}
	c := x.code(f, l)
	f.mapAxes(x, l)
	// Where the contiguous rows are short, walk along the longest axis instead, in blocks that
	// stay in the cache while the short ones are walked.
	last := len(f.axes) - 1
	blocked := false
	if last > 0 && f.axes[last].extent < narrow {
		long := last
		for k := range f.axes {
			if f.axes[k].extent > f.axes[long].extent {
				long = k
			}
		}
		if f.axes[long].extent >= 2*f.axes[last].extent {
			a := f.axes[long]
			copy(f.axes[long:], f.axes[long+1:])
			f.axes[last] = a
			blocked = true
		}
	}
	if last < 0 {
		f.axes = append(f.axes, axis{id: -1, extent: 1})
		last = 0
	}
	if err := f.encode(x, c, l, 0); err != nil {
		return err
	}
	switch {
	case blocked:
		f.launch.Chunk = f.launch.Block
	case c.registers == 0 && !c.looks: // what is looked at should stay in the L1 cache
		f.launch.Block = int64(f.axes[last].extent)
	}
	f.goPast(x, c, l)
	f.remember(x)
	unpin := f.pin(c, l)
	f.walk(f.machine.Map)
	unpin()
	return f.fault(c)
}

// code chooses the code for a launch: where an output may be an input's memory, it is careful.
func (x *executable) code(f *frame, l *tile.Launch) *code {
	if x.careful != nil && overlap(x.program, f.base, l.Args) {
		return x.careful
	}
	return x.fast
}

// defaultStream is the size from which on an output goes past the caches, which could not hold it
// until it is read; half of the memory traffic of a store is then saved: nothing is
// read only to be overwritten.
const defaultStream = 64 << 20

// goPast makes large outputs go past the caches, and strips ask for their inputs ahead of time.
func (f *frame) goPast(x *executable, c *code, l *tile.Launch) {
	for _, r := range c.results {
		if l.Args[r.param].Buffer.Size < f.stream || overlap(x.program, f.base, l.Args) {
			continue
		}
		f.launch.Stream = 1
		if r.port >= 0 {
			f.ports[r.port].Stream = 1
		}
	}
	if f.launch.Stream == 0 {
		return
	}
	for i := range f.strips {
		f.fetch(&f.strips[i], c, l)
	}
}

// fetch puts operations in front of a strip's code that ask for the memory of the window that is ahead,
// where several windows on one buffer follow each other. (The processor does well with windows
// that are alone.)
func (f *frame) fetch(s *vm.Strip, c *code, l *tile.Launch) {
	ports := f.ports[s.Port:][:s.Ports]
	start := func(p *vm.Port) (at uintptr, param int) {
		return uintptr(f.windows[p.Window].P), int(c.windows[p.Window].param)
	}
	for i := range ports {
		p := &ports[i]
		if p.Out != 0 || f.operands[p.Operand].Step != s.Size {
			continue
		}
		at, param := start(p)
		ahead, behind := false, false
		for k := range ports {
			if to, other := start(&ports[k]); ports[k].Out == 0 && f.base[other] == f.base[param] && slices.Equal(l.Args[other].Strides, l.Args[param].Strides) {
				ahead, behind = ahead || to < at, behind || to > at
			}
		}
		if ahead && !behind {
			s.First--
			s.Count++
			f.micros[s.First] = vm.Micro{Op: c.fetch, Kind: vm.WindowOperand, Operand: uint16(p.Operand), Port: uint16(i)}
		}
	}
}

// mapAxes fills f.axes.
func (f *frame) mapAxes(x *executable, l *tile.Launch) {
	f.axes = f.axes[:0]
	lead := l.Args[x.lead].Strides
	for id, n := range l.Shape {
		if n == 1 {
			continue
		}
		f.axes = append(f.axes, axis{id: id, extent: n})
		for k := len(f.axes) - 1; k > 0 && size(lead[f.axes[k].id]) > size(lead[f.axes[k-1].id]); k-- {
			f.axes[k], f.axes[k-1] = f.axes[k-1], f.axes[k]
		}
	}
	if len(x.indexes) > 0 || len(f.axes) < 2 {
		return
	}
	m := 1
	for _, a := range f.axes[1:] {
		outer := &f.axes[m-1]
		if mergeable(l, *outer, a) {
			a.extent *= outer.extent
			*outer = a
		} else {
			f.axes[m] = a
			m++
		}
	}
	f.axes = f.axes[:m]
}

func size(stride int64) int64 { return max(stride, -stride) }

// mergeable reports whether walking inner in each step of outer is one walk for every parameter.
func mergeable(l *tile.Launch, outer, inner axis) bool {
	for i := range l.Args {
		if l.Program.Params[i].Axes > 0 { // a whole one
			continue
		}
		s := l.Args[i].Strides
		if s[outer.id] != s[inner.id]*int64(inner.extent) {
			return false
		}
	}
	return true
}
