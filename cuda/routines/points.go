package routines

import (
	"fmt"
	"slices"

	"weft/tile"
)

// points are the places of an array that arrays of indices name: one index for each of its first axes, and every point
// along the others. Operand 0 is the array, the last one what is near: what comes from there, or goes there. All may
// have any strides; axes that one step goes through as through one, in all operands, are one.
//
//	x[at0, at1]    x      (5, 6, 7, 8)            index axes of 2 and 3
//	               at0    (2, 3)                  rest axes of 7 and 8, here one of 56
//	               at1    (2, 3)
//	               near   (2, 3, 7, 8)
type points struct {
	*plan
	arrays      int       // of indices
	index, rest []int     // extents
	steps       [][]int64 // by operand but the first, along the index axes
	far, near   []int64   // of the array and of what is near, along the rest axes
	loose       bool      // elements of the array lie at any byte
	words       int       // of scratch memory
}

// newPoints takes a launch apart, and binds its operands.
func newPoints(s *plan) (*points, error) {
	args := s.l.Args
	last := len(args) - 1
	if last < 2 {
		return nil, fmt.Errorf("%d operands; want an array, indices, and what is near", len(args))
	}
	p := &points{plan: s, arrays: last - 1, steps: make([][]int64, last)}
	x, near, index := args[0].Shape, args[last].Shape, args[1].Shape
	if len(x) < p.arrays || !slices.Equal(near, append(slices.Clone(index), x[p.arrays:]...)) {
		return nil, fmt.Errorf("%d indices of shape %v into shape %v, with %v; want the axes of the indices and of the rest", p.arrays, index, x, near)
	}
	var shapes [][]int64
	for operand, a := range args[1:] {
		if operand < p.arrays && (!slices.Equal(a.Shape, index) || s.typeOf(1+operand) != tile.Int64) {
			return nil, fmt.Errorf("indices %v of shape %v; want int64 of shape %v", s.typeOf(1+operand), a.Shape, index)
		}
		shapes = append(shapes, a.Strides[:len(index)])
	}
	p.index, shapes = joined(index, shapes)
	copy(p.steps, shapes)
	var rest [][]int64
	p.rest, rest = joined(x[p.arrays:], [][]int64{args[0].Strides[p.arrays:], args[last].Strides[len(index):]})
	p.far, p.near = rest[0], rest[1]
	return p, nil
}

// joined leaves out axes of one point, and joins those that every operand goes through as through one.
func joined(shape []int, strides [][]int64) ([]int, [][]int64) {
	var extents []int
	steps := make([][]int64, len(strides))
	for axis, n := range shape {
		if n == 1 {
			continue
		}
		last, joins := len(extents)-1, len(extents) > 0
		for i := range strides {
			joins = joins && steps[i][last] == strides[i][axis]*int64(n)
		}
		if joins {
			extents[last] *= n
		} else {
			extents = append(extents, n)
		}
		for i := range strides {
			if joins {
				steps[i][last] = strides[i][axis]
			} else {
				steps[i] = append(steps[i], strides[i][axis])
			}
		}
	}
	return extents, steps
}

// count is the number of places.
func (p *points) count() int { return p.elements(1) }

// row is how many elements a place has.
func (p *points) row() int { return p.elements(len(p.l.Args)-1) / p.count() }

// spread binds an operand of any strides as one axis, from its least address on. Steps are counted in elements, or in
// bytes where these do not do.
func (p *points) spread(operand int) (unit int64) {
	b := &p.l.Args[operand]
	unit = int64(p.typeOf(operand).Size())
	var lo, hi int64
	for axis, n := range b.Shape {
		if by := b.Strides[axis] * int64(n-1); by < 0 {
			lo += by
		} else {
			hi += by
		}
	}
	for axis, n := range b.Shape {
		if n > 1 && b.Strides[axis]%unit != 0 {
			unit = 1
		}
	}
	p.args = append(p.args, tile.Binding{Buffer: b.Buffer, Offset: b.Offset + lo, Shape: []int{int((hi-lo)/unit) + 1}, Strides: []int64{unit}})
	p.number(int(-lo / unit))
	return unit
}

// strides binds steps in an operand's units.
func (p *points) strides(steps []int64, unit int64) {
	for _, by := range steps {
		p.number(int(by / unit))
	}
}

// bind binds all operands, the numbers that pointsCode reads, and words of scratch memory, in front of which are those
// of inside.
func (p *points) bind(words int) {
	if p.words = words; p.raises() {
		p.words += p.arrays
	}
	for _, n := range slices.Concat(p.index, p.rest, p.l.Args[0].Shape[:p.arrays]) {
		p.number(n)
	}
	p.number(p.count())
	p.number(p.row())
	unit, x := p.spread(0), &p.args[0]
	size := int64(p.typeOf(0).Size())
	p.loose = unit < size || (int64(x.Buffer.Handle)+x.Offset)%size != 0
	p.strides(p.l.Args[0].Strides[:p.arrays], unit)
	p.strides(p.far, unit)
	for i, steps := range p.steps {
		unit = p.spread(1 + i)
		p.strides(steps, unit)
	}
	p.strides(p.near, unit)
	if p.words > 0 {
		p.scratch(p.words)
	}
}

// raises reports whether an index that means no place is an error.
func (p *points) raises() bool { return p.attr("mode") == raises }

// key is what a program depends on beside the routine's own.
func (p *points) key(word string) string {
	return fmt.Sprintf("%s %d %d", word, len(p.index), len(p.rest))
}

// pointsCode writes the code for points.
type pointsCode struct {
	*code
	p              *points
	mode           int64
	index, rest, n []tile.Value // extents; those of the axes that are indexed
	count, row     tile.Value
	x              tile.Memory
	at             []tile.Memory
	near, words    tile.Memory
	start          tile.Value // of the array
	strides, far   []tile.Value
	starts         []tile.Value // of the others
	steps          [][]tile.Value
	toNear         []tile.Value
	zero, one      tile.Value
}

// newPointsCode declares what bind has bound.
func newPointsCode(c *code, p *points) *pointsCode {
	w := &pointsCode{code: c, p: p, mode: p.attr("mode"), zero: c.whole(0), one: c.whole(1)}
	numbers := func(n int) []tile.Value {
		list := make([]tile.Value, n)
		for i := range list {
			list[i] = c.Uniform(tile.Int64)
		}
		return list
	}
	number := func() tile.Value { return c.Uniform(tile.Int64) }
	w.index, w.rest, w.n = numbers(len(p.index)), numbers(len(p.rest)), numbers(p.arrays)
	w.count, w.row = number(), number()
	last := len(p.steps)
	array := func(operand int, name string) tile.Memory {
		return c.Array(p.r.p.Params[operand].Dir, copied(p.typeOf(operand)), 1, name)
	}
	w.x = array(0, "x")
	w.start, w.strides, w.far = number(), numbers(p.arrays), numbers(len(p.rest))
	for i := range p.steps {
		if i+1 < last {
			w.at = append(w.at, array(1+i, "indices"))
		} else {
			w.near = array(last, "near")
		}
		w.starts, w.steps = append(w.starts, number()), append(w.steps, numbers(len(p.index)))
	}
	w.toNear = numbers(len(p.rest))
	if p.words > 0 {
		w.words = c.result(tile.Int64, "words")
	}
	return w
}

// coordinates are those of number i of extents, in C order.
func (c *code) coordinates(i tile.Value, extents []tile.Value) []tile.Value {
	at := make([]tile.Value, len(extents))
	for axis := len(extents) - 1; axis > 0; axis-- {
		i, at[axis] = c.over(i, extents[axis])
	}
	if len(at) > 0 {
		at[0] = i
	}
	return at
}

// along goes from a place some steps further.
func (c *code) along(from tile.Value, at, steps []tile.Value) tile.Value {
	for axis := range at {
		from = c.add(from, c.mul(at[axis], steps[axis]))
	}
	return from
}

// indexOf is the index that an array of indices has at coordinates.
func (w *pointsCode) indexOf(array int, at []tile.Value) tile.Value {
	return w.Element(w.at[array], w.along(w.starts[array], at, w.steps[array]))
}

// meant is the place along an axis that an index means.
func (w *pointsCode) meant(axis int, i tile.Value) tile.Value {
	switch w.mode {
	case raises:
		return w.Do(tile.Select, w.less(i, w.zero), w.add(i, w.n[axis]), i)
	case wraps:
		return w.Do(tile.Rem, i, w.n[axis])
	}
	return w.least(w.Do(tile.Max, i, w.zero), w.sub(w.n[axis], w.one))
}

// The modes of indices, as cpu/routines has them.
const (
	raises = iota
	wraps
)

// place is where in the array the row begins that the indices at coordinates mean, and the number of the place.
func (w *pointsCode) place(at []tile.Value) (offset, number tile.Value) {
	offset = w.start
	for axis := range w.at {
		i := w.meant(axis, w.indexOf(axis, at))
		offset = w.add(offset, w.mul(i, w.strides[axis]))
		if axis == 0 {
			number = i
		} else {
			number = w.add(w.mul(number, w.n[axis]), i)
		}
	}
	return offset, number
}

// element takes apart the number of an element: of which place it is, at which coordinates of the indices, and where
// it lies from the beginning of its row, and in what is near.
func (w *pointsCode) element(k tile.Value) (place tile.Value, at []tile.Value, from, near tile.Value) {
	var rest []tile.Value
	if place = k; len(w.rest) > 0 {
		var column tile.Value
		place, column = w.over(k, w.row)
		rest = w.coordinates(column, w.rest)
	}
	at = w.coordinates(place, w.index)
	last := len(w.steps) - 1
	return place, at, w.along(w.zero, rest, w.far), w.along(w.along(w.starts[last], at, w.steps[last]), rest, w.toNear)
}

// inside does something if every index means a place. Else the first thread fails with the first index that means none,
// of the first axis that has one. What they tell each other is, by axis, the least place that they have found. Before
// is what is to be done before they have met; nil where there is nothing.
func (w *pointsCode) inside(before, body func()) {
	if !w.p.raises() {
		if before != nil {
			before()
			w.GridBarrier()
		}
		body()
		return
	}
	w.first(func() {
		for axis := range w.at {
			w.Put(w.words, w.count, w.whole(int64(axis)))
		}
	})
	if before != nil {
		before()
	}
	w.GridBarrier()
	for axis := range w.at {
		w.outside(w.count, w.n[axis], func(i tile.Value) tile.Value { return w.indexOf(axis, w.coordinates(i, w.index)) }, w.words, w.whole(int64(axis)))
	}
	w.GridBarrier()
	for axis := range w.at {
		where := w.Element(w.words, w.whole(int64(axis)))
		w.If(w.less(where, w.count))
		w.first(func() {
			w.Fail(w.Message("IndexError", "index {} is out of bounds for axis {} with size {}"),
				w.indexOf(axis, w.coordinates(where, w.index)), w.whole(int64(axis)), w.n[axis])
		})
		w.Else()
	}
	body()
	for range w.at {
		w.End()
	}
}

// gather has each thread copy some elements.
func gather(s *plan) (*tile.Launch, error) {
	p, err := newPoints(s)
	if err != nil {
		return nil, err
	}
	p.bind(0)
	return p.launch(p.grid(p.count()*p.row(), p.raises()), p.key("gather"), func(c *code) {
		w := newPointsCode(c, p)
		w.inside(nil, func() {
			w.each(w.mul(w.count, w.row), func(k tile.Value) {
				_, at, from, near := w.element(k)
				offset, _ := w.place(at)
				w.Put(w.near, w.Element(w.x, w.add(offset, from)), near)
			})
		})
	})
}
