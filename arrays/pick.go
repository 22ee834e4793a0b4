package arrays

import (
	"slices"

	"weft/tile"
)

// pick answers a[index] where the index has arrays: done is false where it has none.
//
// One array of integers, or several next to each other, pick along their axes; slices,
// None and the ellipsis around them are applied first, as a view. A mask covers leading
// axes and stands alone. Everything else is NumPy's.
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
	var picks []*Array
	plainItems := make([]Value, len(items))
	from := -1
	for i, it := range items {
		plainItems[i] = it
		switch {
		case advanced(it):
			if !it.Array.view.Type.Is(tile.KindInt|tile.KindUint) || it.Array.view.Type == tile.Uint64 {
				return nil, false, nil
			}
			if from >= 0 && i != from+len(picks) {
				return nil, false, nil
			}
			if from < 0 {
				from = i
			}
			picks = append(picks, it.Array)
			plainItems[i] = All()
		case it.Kind == SliceValue, it.Kind == EllipsisValue, it.Kind == None:
		default: // an integer is an array too
			return nil, false, nil
		}
	}
	view, _, err := a.index(Tuple(plainItems...))
	if err != nil {
		return nil, true, err
	}
	s.own(view, nil)
	// An item before the arrays is one axis of the view, the ellipsis as many as are left.
	axis, around := from, 0
	for i, it := range plainItems {
		if it.Kind == EllipsisValue && i < from {
			around = view.Ndim() - (len(plainItems) - 1)
			axis += around - 1
		}
	}
	x, err = s.points(view, axis, picks, items[:from])
	return x, true, err
}

// advanced reports whether an item of an index is an array that is not one integer.
func advanced(it Value) bool {
	return it.Kind == ArrayValue && it.Array.Ndim() > 0
}

// points picks along len(picks) neighbouring axes at once.
func (s *scope) points(view *Array, axis int, picks []*Array, before []Value) (*Array, error) {
	// NumPy counts the axes of the array, not those that None has added.
	named := axis
	for _, it := range before {
		if it.Kind == None {
			named--
		}
	}
	if len(picks) == 1 {
		return s.picked(view, picks[0], axis, named)
	}
	shape := picks[0].view.Shape
	var shapes [][]int
	ok := true
	for _, p := range picks {
		shapes = append(shapes, p.view.Shape)
		if ok {
			shape, ok = broadcastShapes(shape, p.view.Shape)
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
	extents := view.view.Shape[axis : axis+len(picks)]
	var place *Array
	for i, p := range picks {
		at, err := s.packed(p, tile.Int64)
		if err != nil {
			return nil, err
		}
		n := extents[i]
		if err := s.inBounds("getitem", at, n, named+i); err != nil {
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
	joined, err := s.own(s.c.Reshape(view, slices.Concat(view.view.Shape[:axis], []int{merged}, view.view.Shape[axis+len(picks):])))
	if err != nil {
		return nil, err
	}
	return s.picked(joined, place, axis, named)
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
