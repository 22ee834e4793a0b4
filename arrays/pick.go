package arrays

import (
	"slices"

	"weft/tile"
)

// pick answers a[index] where the index has arrays: done is false where it has none.
//
// Arrays of integers that stand together pick along their axes; slices, integers, None and
// the ellipsis around them are applied first, as a view. A mask covers leading axes and
// stands alone. Everything else is NumPy's.
func (c *Context) pick(a *Array, index Value) (x *Array, done bool, err error) {
	items := []Value{index}
	if index.Kind == TupleValue {
		items = index.Items
	}
	if !slices.ContainsFunc(items, advanced) {
		return nil, false, nil
	}
	s := &scope{c: c}
	defer s.free()
	if len(items) == 1 && items[0].Array.view.Type == tile.Bool {
		x, err = s.masked(a, items[0].Array)
		return x, true, err
	}
	p := picks{items: slices.Clone(items)}
	if !p.read(a) {
		return nil, false, nil
	}
	view, _, err := a.index(Tuple(p.items...))
	if err != nil {
		return nil, true, err
	}
	s.own(view, nil)
	x, err = s.points(view, &p)
	return x, true, err
}

// picks are the arrays of an index.
type picks struct {
	items  []Value  // the index with slices in their place
	arrays []*Array // in order
	named  []int    // the axis of the indexed array that each is for
	axis   int      // where their axes begin in the view that items makes
}

// read takes the arrays out of an index. It reports false where they are not integers, or do
// not stand together: integers count as arrays, and the place of the result is another then.
func (p *picks) read(a *Array) bool {
	taken := 0
	for _, it := range p.items {
		if it.Kind != None && it.Kind != EllipsisValue {
			taken++
		}
	}
	source, axis, first, last, together := 0, 0, -1, -1, 0
	for i, it := range p.items {
		integer := it.Kind == IntValue || it.Kind == UintValue || it.Kind == ArrayValue && it.Array.Ndim() == 0
		if integer || advanced(it) {
			if it.Kind == ArrayValue && (!it.Array.view.Type.Is(tile.KindInt|tile.KindUint) || it.Array.view.Type == tile.Uint64) {
				return false
			}
			if first < 0 {
				first = i
			}
			last = i
			together++
		}
		switch {
		case integer:
			source++
		case advanced(it):
			if len(p.arrays) == 0 {
				p.axis = axis
			}
			p.arrays, p.named = append(p.arrays, it.Array), append(p.named, source)
			p.items[i] = All()
			source++
			axis++
		case it.Kind == SliceValue:
			source++
			axis++
		case it.Kind == EllipsisValue:
			source += a.Ndim() - taken
			axis += a.Ndim() - taken
		case it.Kind == None:
			axis++
		default:
			return false
		}
	}
	return last-first+1 == together
}

// advanced reports whether an item of an index is an array that is not one integer.
func advanced(it Value) bool {
	return it.Kind == ArrayValue && it.Array.Ndim() > 0
}

// points picks along neighbouring axes at once.
func (s *scope) points(view *Array, p *picks) (*Array, error) {
	axis := p.axis
	if len(p.arrays) == 1 {
		return s.picked(view, p.arrays[0], axis, p.named[0])
	}
	shape := p.arrays[0].view.Shape
	var shapes [][]int
	ok := true
	for _, at := range p.arrays {
		shapes = append(shapes, at.view.Shape)
		if ok {
			shape, ok = broadcastShapes(shape, at.view.Shape)
		}
	}
	if !ok {
		text := "shape mismatch: indexing arrays could not be broadcast together with shapes"
		for _, shape := range shapes {
			text += " " + shapeText(shape)
		}
		return nil, errorf("IndexError", "%s", text+" ")
	}
	// One number for each place: row by row, as in memory.
	extents := view.view.Shape[axis : axis+len(p.arrays)]
	var place *Array
	for i, pick := range p.arrays {
		at, err := s.packed(pick, tile.Int64)
		if err != nil {
			return nil, err
		}
		n := extents[i]
		if err := s.inBounds("getitem", at, n, p.named[i]); err != nil {
			return nil, err
		}
		if at, err = s.own(s.c.Binary(Remainder, Of(at), Int(int64(max(n, 1))))); err != nil {
			return nil, err
		}
		if place != nil {
			if place, err = s.own(s.c.Binary(Multiply, Of(place), Int(int64(n)))); err != nil {
				return nil, err
			}
			if at, err = s.own(s.c.Binary(Add, Of(place), Of(at))); err != nil {
				return nil, err
			}
		}
		place = at
	}
	if !slices.Equal(place.view.Shape, shape) {
		return nil, &Fallback{"indexing with arrays of such shapes"}
	}
	merged := 1
	for _, n := range extents {
		merged *= n
	}
	joined, err := s.own(s.c.Reshape(view, slices.Concat(view.view.Shape[:axis], []int{merged}, view.view.Shape[axis+len(p.arrays):])))
	if err != nil {
		return nil, err
	}
	return s.picked(joined, place, axis, p.named[0])
}

// picked is take with the words of an index.
func (s *scope) picked(a, at *Array, axis, named int) (*Array, error) {
	packed, err := s.packed(at, tile.Int64)
	if err != nil {
		return nil, err
	}
	if err := s.inBounds("getitem", packed, a.view.Shape[axis], named); err != nil {
		return nil, err
	}
	if packed.size > 0 && a.view.Shape[axis] == 0 {
		return nil, &Fallback{"picking from nothing"}
	}
	return s.take("getitem", a, packed, axis, takeWrap)
}
