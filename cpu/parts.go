package cpu

import (
	"weft/tile"
)

// A launch on the thread that waits for it is done in parts, where it is large enough that others may help (see
// share.go). A part is a launch over some of the points, as the tiles of an op are: no point reads what another writes,
// and parts of a reduction are whole blocks, so that the cut never shows in the result.

const (
	partBytes  = 512 << 10 // of operands that a part has, or what costs as much: some ten microseconds
	leastParts = 12        // that are worth a helper, which takes as long to wake as some of them do
)

// parts returns along which axis a launch is cut into parts of so many bytes, how many points each has there, and how
// many there are: 0 where it stays whole.
func (x *executable) parts(l *tile.Launch, bytes int64) (axis, size, count int) {
	if x.routine != nil || l.Product || x.fast.checked {
		return 0, 0, 0
	}
	work := x.work
	for _, n := range l.Shape {
		work *= int64(n)
	}
	count = int(min(work, 1<<40) / bytes)
	if count < leastParts {
		return 0, 0, 0
	}
	axis, unit, units := x.cutAxis(l)
	if axis < 0 {
		return 0, 0, 0
	}
	count = min(count, units)
	size = (units + count - 1) / count
	return axis, size * unit, (units + size - 1) / size
}

// cutAxis chooses the axis of the largest stride in what is written of those with enough units, kept ones before
// reduced ones; else the one with most units. A unit is what has to stay in one part.
func (x *executable) cutAxis(l *tile.Launch) (axis, unit, units int) {
	axis, most := -1, 1
	lead := l.Args[x.lead].Strides
	for _, reduced := range [2]bool{false, true} {
		best := -1
		for a, n := range l.Shape {
			if l.Reduced.Has(a) != reduced {
				continue
			}
			whole := 1
			if reduced {
				whole = l.Block[a]
			}
			count := (n + whole - 1) / whole
			if count >= leastParts && (best < 0 || size(lead[a]) > size(lead[best])) {
				best, unit, units = a, whole, count
			}
			if best < 0 && count > most {
				axis, most, unit, units = a, count, whole, count
			}
		}
		if best >= 0 {
			return best, unit, units
		}
	}
	return axis, unit, units
}

// runParts runs a launch in parts that were chosen for it, with the help of idle queues.
func (e *engine) runParts(l *tile.Launch, axis, size, count int) error {
	return e.shareWith(2*count/leastParts, count, func(i int) error {
		f, err := e.borrow()
		if err != nil {
			return err
		}
		defer e.giveBack(f)
		part := f.part.of(l, axis, size, i)
		if err := e.locate(f, part); err != nil {
			return err
		}
		known := f.recall(part.Exe.(*executable), part)
		return f.run(part.Exe.(*executable), part, known)
	})
}

// launchPart is room for a part of a launch.
type launchPart struct {
	launch        tile.Launch
	shape, origin []int
	args          []tile.Binding
}

// of makes a part: size points along the axis, from the i'th such stretch.
func (p *launchPart) of(l *tile.Launch, axis, size, i int) *tile.Launch {
	from := i * size
	p.launch = *l
	p.shape = append(p.shape[:0], l.Shape...)
	p.shape[axis] = min(size, l.Shape[axis]-from)
	p.args = append(p.args[:0], l.Args...)
	for k := range p.args {
		param := &l.Program.Params[k]
		if param.Axes > 0 { // a whole one
			continue
		}
		steps := from
		if param.Dir.Writes() && l.Reduced.Has(axis) {
			steps = from / l.Block[axis]
		}
		p.args[k].Offset += int64(steps) * p.args[k].Strides[axis]
	}
	p.launch.Shape, p.launch.Args = p.shape, p.args
	if len(l.Origin) > 0 {
		p.origin = append(p.origin[:0], l.Origin...)
		p.origin[axis] += from
		p.launch.Origin = p.origin
	}
	return &p.launch
}
