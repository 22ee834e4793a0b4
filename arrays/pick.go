package arrays

import (
	"slices"

	"weft/internal/units"
	"weft/scheduler"
	"weft/tile"
)

// pick answers a[index] where the index has arrays: done is false where it has none.
func (c *Context) pick(a *Array, index Value) (x *Array, done bool, err error) {
	items := itemsOf(index)
	if !slices.ContainsFunc(items, advanced) {
		return nil, false, nil
	}
	s := &scope{c: c}
	defer s.free()
	if len(items) == 1 && items[0].Array.view.Type == tile.Bool {
		x, err = s.masked(a, items[0].Array)
		return x, true, err
	}
	sel, err := s.selection("getitem", a, items)
	if err == nil {
		x, err = s.gathered("getitem", sel, sel.order())
	}
	return x, true, err
}

// itemsOf returns the items of an index.
func itemsOf(index Value) []Value {
	if index.Kind == TupleValue {
		return index.Items
	}
	return []Value{index}
}

// advanced reports whether an item of an index is an array that is not one integer.
func advanced(it Value) bool {
	return it.Kind == ArrayValue && it.Array.Ndim() > 0
}

// selection is elements of an array that arrays of integers pick along some axes of a view.
// Its axes are those of the view, with those of the arrays together in the place of the
// picked ones, or in front where these do not stand together.
type selection struct {
	view  *Array
	axes  []int    // the picked ones, ascending
	at    []*Array // for each of them, packed int64; all in bounds as mode has it
	given []*Array // the arrays as they lie, where the order of a copy depends on them
	shape []int    // of the arrays together
	to    int      // where its axes begin
	mode  takeMode
}

// selection takes an index apart: slices, integers, None and the ellipsis make the view.
// Masks are arrays of the positions that they choose. It waits for whether the arrays are
// in bounds, as far as that is not known.
func (s *scope) selection(name string, a *Array, items []Value) (*selection, error) {
	taken := 0
	for _, it := range items {
		switch {
		case it.Kind == BoolValue || it.Kind == ArrayValue && it.Array.Ndim() == 0 && it.Array.view.Type == tile.Bool:
			return nil, &Fallback{"indexing with a bool"}
		case !advanced(it) && it.Kind != None && it.Kind != EllipsisValue:
			taken++
		case !advanced(it):
		case it.Array.view.Type == tile.Bool:
			taken += it.Array.Ndim()
		case !it.Array.view.Type.Is(tile.KindInt | tile.KindUint):
			return nil, errorf("IndexError", "arrays used as indices must be of integer (or boolean) type")
		default:
			taken++
		}
	}
	if taken > a.Ndim() {
		return nil, errorf("IndexError", "too many indices for array: array is %d-dimensional, but %d were indexed", a.Ndim(), taken)
	}
	sel := &selection{}
	var plain []Value // the index with slices in the arrays' place
	var given []*Array
	var named []int // the axis of a that each array is for
	var sure []bool // in bounds by construction
	source, axis, first, last, together := 0, 0, -1, -1, 0
	for i, it := range items {
		integer := it.Kind == IntValue || it.Kind == UintValue || it.Kind == ArrayValue && it.Array.Ndim() == 0
		if integer || advanced(it) { // integers count as arrays
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
			arrays, mask := []*Array{it.Array}, it.Array.view.Type == tile.Bool
			if mask {
				var err error
				if arrays, err = s.chosen(a, it.Array, source); err != nil {
					return nil, err
				}
			}
			for _, x := range arrays {
				given, named, sel.axes = append(given, x), append(named, source), append(sel.axes, axis)
				sure = append(sure, mask)
				plain = append(plain, All())
				source++
				axis++
			}
			continue
		case it.Kind == SliceValue:
			source++
			axis++
		case it.Kind == EllipsisValue:
			source += a.Ndim() - taken
			axis += a.Ndim() - taken
		case it.Kind == None:
			axis++
		}
		plain = append(plain, it)
	}
	if last-first+1 == together {
		sel.to = sel.axes[0]
	}
	view, _, err := a.index(Tuple(plain...))
	if err != nil {
		return nil, err
	}
	sel.view, sel.given = view, given
	s.own(view, nil)
	if sel.shape, err = indexShape(given); err != nil {
		return nil, err
	}
	for i, x := range given {
		switch {
		case sure[i]:
		case slices.Contains(sel.shape, 0): // no position of an array is looked at where the arrays together have none
			x, err = s.packed(x, tile.Int64)
		default:
			x, err = s.inBounds(name, x, view.view.Shape[sel.axes[i]], named[i])
		}
		if err != nil {
			return nil, err
		}
		sel.at = append(sel.at, x)
	}
	if len(view.view.Shape)-len(sel.axes)+len(sel.shape) > maxDims {
		return nil, tooMany(len(view.view.Shape) - len(sel.axes) + len(sel.shape))
	}
	return sel, nil
}

// chosen returns the positions along each axis of what a mask over some axes of a chooses.
func (s *scope) chosen(a, mask *Array, from int) ([]*Array, error) {
	if err := maskFits(a, mask, from); err != nil {
		return nil, err
	}
	found, err := s.own(s.nonzeros(mask))
	if err != nil {
		return nil, err
	}
	var list []*Array
	for i := range mask.view.Shape {
		row, _ := s.own(found.take(0, i), nil)
		list = append(list, row)
	}
	return list, nil
}

// indexShape is the shape that arrays of an index have together.
func indexShape(list []*Array) ([]int, error) {
	shape, ok := list[0].view.Shape, true
	text := "shape mismatch: indexing arrays could not be broadcast together with shapes"
	for _, x := range list {
		text += " " + units.Shape(x.view.Shape)
		if ok {
			shape, ok = broadcastShapes(shape, x.view.Shape)
		}
	}
	if !ok {
		return nil, errorf("IndexError", "%s", text+" ")
	}
	if _, err := checkedSize(shape, 1); err != nil {
		return nil, errorf("ValueError", "iterator is too large")
	}
	return shape, nil
}

// along selects along one axis by an array of any shape, which takes the axis's place.
func (s *scope) along(name string, a, indices *Array, axis int, mode takeMode) (*selection, error) {
	n := a.view.Shape[axis]
	if a.Ndim()-1+indices.Ndim() > maxDims {
		return nil, &Fallback{name + " of too many dimensions"}
	}
	sel := &selection{view: a, axes: []int{axis}, shape: indices.view.Shape, to: axis, mode: mode}
	var at *Array
	var err error
	if mode == takeRaise {
		at, err = s.inBounds(name, indices, n, axis)
	} else {
		at, err = s.packed(indices, tile.Int64)
	}
	sel.at = []*Array{at}
	return sel, err
}

// resultShape is the shape of the selection.
func (sel *selection) resultShape() []int {
	rest := sel.rest()
	var shape []int
	for _, axis := range rest[:sel.to] {
		shape = append(shape, sel.view.view.Shape[axis])
	}
	shape = append(shape, sel.shape...)
	for _, axis := range rest[sel.to:] {
		shape = append(shape, sel.view.view.Shape[axis])
	}
	return shape
}

// rest are the axes of the view that are not picked.
func (sel *selection) rest() []int {
	var list []int
	for axis := range sel.view.view.Shape {
		if !slices.Contains(sel.axes, axis) {
			list = append(list, axis)
		}
	}
	return list
}

// operands are the views that a routine gets: of the array, the picked axes first; of each
// array of indices, broadcast; of what has the selection's shape, the indices' axes first.
func (s *scope) operands(sel *selection, near *Array) (array *Array, at []*Array, turned *Array) {
	array = s.turned(sel.view, append(slices.Clone(sel.axes), sel.rest()...))
	for _, x := range sel.at {
		x, _ := s.own(broadcast(x, sel.shape), nil)
		at = append(at, x)
	}
	var order []int
	n := len(sel.shape)
	for i := range n {
		order = append(order, sel.to+i)
	}
	for i := range near.view.Shape {
		if i < sel.to || i >= sel.to+n {
			order = append(order, i)
		}
	}
	return array, at, s.turned(near, order)
}

// turned returns the view with its axes in another order, owned by the scope.
func (s *scope) turned(a *Array, order []int) *Array {
	var shape []int
	var strides []int64
	for _, axis := range order {
		shape, strides = append(shape, a.view.Shape[axis]), append(strides, a.view.Strides[axis])
	}
	v, _ := s.own(a.sub(a.view.Type, a.view.Offset, shape, strides), nil)
	return v
}

// broadcast returns a view in a shape that the array's can be broadcast to.
func broadcast(a *Array, shape []int) *Array {
	strides := make([]int64, len(shape))
	lead := len(shape) - a.Ndim()
	for i, n := range a.view.Shape {
		if n == shape[lead+i] {
			strides[lead+i] = a.view.Strides[i]
		}
	}
	return a.sub(a.view.Type, a.view.Offset, shape, strides)
}

// order returns how the axes of a copy lie in memory where NumPy indexes: those of the arrays first, the others
// as those of the view lie; and where there are no others, as those of the arrays lie. nil is C order.
func (sel *selection) order() []int {
	rest := sel.rest()
	if len(rest) == 0 {
		var views []scheduler.View
		for _, x := range sel.given {
			views = append(views, x.view)
		}
		return keptOrder(sel.shape, views...)
	}
	left := scheduler.View{Type: sel.view.view.Type}
	for _, axis := range rest {
		left.Shape, left.Strides = append(left.Shape, sel.view.view.Shape[axis]), append(left.Strides, sel.view.view.Strides[axis])
	}
	n := len(sel.shape)
	var order []int
	for i := range n {
		order = append(order, sel.to+i)
	}
	inner := descending(left.Strides) // also where it is as contiguous in another order, but for axes of one point
	for i := range rest {
		if inner != nil {
			i = inner[i]
		}
		if i >= sel.to {
			i += n
		}
		order = append(order, i)
	}
	if slices.IsSorted(order) {
		return nil
	}
	return order
}

// gathered returns a copy of the selection whose axes lie in an order; nil is C order.
func (s *scope) gathered(name string, sel *selection, order []int) (*Array, error) {
	out, err := s.c.allocIn(sel.view.view.Type, sel.resultShape(), order)
	if err != nil {
		return nil, err
	}
	if err := s.gatherInto(name, sel, out); err != nil {
		out.Free()
		return nil, err
	}
	return out, nil
}

// gatherInto writes the selection to an array of its shape and dtype, which shares nothing
// with it.
func (s *scope) gatherInto(name string, sel *selection, out *Array) error {
	if out.size == 0 {
		return nil
	}
	if sel.mode == takeRaise && sel.view.Ndim() == 1 {
		return s.gatherPoints(name, sel, out)
	}
	array, at, near := s.operands(sel, out)
	call := s.c.routine("gather", tile.IntAttr("mode", int64(sel.mode))).in(array.view)
	for _, x := range at {
		call.in(x.view)
	}
	return call.out(near).submit(name)
}

// gatherPoints is gatherInto for an array of one axis: a map, which can be fused with what is
// computed of the result. The indices are known to be in bounds.
func (s *scope) gatherPoints(name string, sel *selection, out *Array) error {
	var points space
	points.init(out.view.Shape)
	points.add(sel.at[0].view)
	points.add(out.view)
	points.collapse()
	t := sel.view.view.Type
	p := s.c.program(programKey{what: gatherTemplate, rank: uint8(points.rank), types: [4]tile.DType{t}})
	op := points.op(s.c, scheduler.Map, name, p, nil)
	op.Uses = slices.Insert(op.Uses, 1, scheduler.Use{View: sel.view.view})
	return dataError(s.c.submit(op))
}

func buildGather(b *tile.Builder, k programKey) {
	at := b.Load(tile.Int64)
	b.Store(b.Gather(b.Whole(k.types[0], 1), at))
}
