package jit

import (
	"fmt"
	"math"
	"slices"

	"weft/tile"
)

// Lanes is one launch of a kernel as lanes of a program.
type Lanes struct {
	Program  *tile.Program
	Shape    []int     // of the index space; an extent of 0 says that no thread does anything
	Operands []Operand // one for each parameter
	Uniforms []Uniform
	Numbers  []int64 // the values of those uniforms that are no arguments
}

// Operand is what a parameter of a Lanes is bound to: a whole argument, or its element for each thread.
type Operand struct {
	Argument int
	Whole    bool
	Write    bool
	From     []int // for each axis of the argument: the index at the first thread
	Axes     []int // and the axis of the index space along which it moves, or -1
}

// span is the threads along an axis of the grid that do anything: from first up to end.
type span struct{ first, end int64 }

// Place finds what one launch of the kernel is: which threads do anything, and where the elements are that they use.
func (k *Kernel) Place(f *Facts) (lanes *Lanes, err error) {
	defer recovered(&err)
	l := k.lower
	spans := k.spans(f)
	lanes = &Lanes{}
	for _, axis := range k.axes {
		lanes.Shape = append(lanes.Shape, int(max(spans[axis].end-spans[axis].first, 0)))
	}
	if len(k.axes) == 0 {
		lanes.Shape = []int{1}
	}
	if slices.Contains(lanes.Shape, 0) {
		return lanes, nil
	}
	k.checkPremises(f)
	k.checkOwn(f, spans)
	gathered := make([]byte, len(l.elements))
	for at := range l.elements {
		gathered[at] = '.'
		if _, _, outside := k.reach(f, spans, at); outside >= 0 {
			gathered[at] = 'g'
		}
	}
	v := k.variant(string(gathered))
	lanes.Program, lanes.Uniforms = v.program, v.uniforms
	for _, u := range v.uniforms {
		n := int64(0)
		switch {
		case u.first > 0:
			n = spans[u.first-1].first
		case u.number != nil:
			n = u.number.value(f)
		}
		lanes.Numbers = append(lanes.Numbers, n)
	}
	for _, o := range v.operands {
		if o.element < 0 {
			lanes.Operands = append(lanes.Operands, Operand{Argument: o.array, Whole: true})
			continue
		}
		to := Operand{Argument: l.elements[o.element].array, Write: o.write}
		starts, _, _ := k.reach(f, spans, o.element)
		for i, d := range l.elements[o.element].dims {
			to.From = append(to.From, int(starts[i]))
			if d.axis < 0 {
				to.Axes = append(to.Axes, -1)
			} else {
				to.Axes = append(to.Axes, indexOf(k.axes, d.axis))
			}
		}
		lanes.Operands = append(lanes.Operands, to)
	}
	return lanes, nil
}

// spans returns the threads along each axis of the grid that are within the bounds.
func (k *Kernel) spans(f *Facts) (spans [3]span) {
	for axis := range spans {
		spans[axis].end = f.Blocks[axis] * f.Block[axis]
		if k.lower.over[axis] {
			spans[axis].end = math.MaxInt64
		}
	}
	for _, b := range k.lower.bounds {
		s, n := &spans[b.axis], b.limit.value(f)
		if b.below {
			s.end = min(s.end, n)
		} else {
			s.first = max(s.first, n)
		}
	}
	return spans
}

// reach returns the first and last index along each axis of the array at an element, and the axis along which some
// lie outside of it, or -1. Negative numbers that are the same for all threads count from the end.
func (k *Kernel) reach(f *Facts, spans [3]span, at int) (first, last []int64, outside int) {
	e := k.lower.elements[at]
	outside = -1
	for i, d := range e.dims {
		size := int64(f.Shapes[e.array][i])
		lo := d.at.value(f)
		hi := lo
		if d.axis >= 0 {
			lo, hi = lo+spans[d.axis].first, hi+spans[d.axis].end-1
		} else if lo < 0 {
			lo, hi = lo+size, lo+size
		}
		if lo < 0 || hi >= size {
			outside = i
		}
		first, last = append(first, lo), append(last, hi)
	}
	return first, last, outside
}

// checkOwn wants each thread to write elements within arrays, which no other thread reads or writes.
func (k *Kernel) checkOwn(f *Facts, spans [3]span) {
	l := k.lower
	for _, o := range k.outputs {
		e, n := l.elements[o.element], l.stored[o.element]
		first, last, outside := k.reach(f, spans, o.element)
		if outside >= 0 {
			k.outside(f, o.element, outside, first, last)
		}
		for _, axis := range k.axes {
			moves := slices.ContainsFunc(e.dims, func(d dim) bool { return d.axis == axis })
			if !moves && spans[axis].end-spans[axis].first > 1 {
				l.fail(n, unsupported, "Index the array by the thread's position along each axis of the grid.", "several threads write one element of an array")
			}
		}
		for axis := range spans {
			if !slices.Contains(k.axes, axis) && spans[axis].end > 1 && l.loads[o.element] != nil {
				l.fail(n, unsupported, "Launch it on a grid of as many axes as the kernel asks for.", "several threads change one element of an array")
			}
		}
		for other, x := range l.elements {
			if other == o.element || x.array != e.array {
				continue
			}
			alike, apart := true, false
			for i := range x.dims {
				a, b := x.dims[i], e.dims[i]
				from, _, _ := k.reach(f, spans, other)
				alike = alike && a.axis == b.axis && (a.axis < 0 || from[i] == first[i])
				apart = apart || a.axis < 0 && b.axis < 0 && from[i] != first[i]
			}
			if !alike || !apart {
				l.fail(n, unsupported, "Read from another array than the one that is written.", "the kernel uses other elements of the array that it writes, too")
			}
		}
	}
}

// outside fails for an element that some threads would write outside of its array.
func (k *Kernel) outside(f *Facts, at, axis int, first, last []int64) {
	l := k.lower
	e := l.elements[at]
	index := last[axis]
	if first[axis] < 0 {
		index = first[axis]
	}
	name := l.names[e.array]
	what := fmt.Sprintf("index %d is out of bounds for axis %d of '%s' with size %d", index, axis, name, f.Shapes[e.array][axis])
	if size := int64(f.Shapes[e.array][axis]); !l.surely[at] || first[axis] < 0 && first[axis] >= -size {
		l.fail(l.stored[at], unsupported, "Put \"if i < n\" around all that the kernel does, with the number of elements.",
			"some threads are at an index outside of the array that the kernel writes: %s", what)
	}
	l.fail(l.stored[at], "IndexError", "Let only threads within the array write: if i < n, say.", "%s", what)
}

// variant returns the program in which the given elements are gathered.
func (k *Kernel) variant(gathered string) *variant {
	if v := k.variants[gathered]; v != nil {
		return v
	}
	e := emission{
		l: k.lower, b: tile.NewBuilder(k.name, max(len(k.axes), 1)), axes: k.axes, from: k.from,
		gathers: func(at int) bool { return gathered[at] == 'g' },
	}
	v := &variant{program: e.emit(k.lower.out, k.outputs)}
	v.operands, v.uniforms = e.operands, e.uniforms
	k.variants[gathered] = v
	return v
}
