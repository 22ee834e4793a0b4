package arrays

import (
	"cmp"
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// NumPy lays most new arrays out as their operands lie ("K order"), so that loops follow memory: what is
// computed of a.T lies in memory as a.T does. Programs see it: ravel() and reshape() are views or copies by it.

// keptOrder returns the axes of a new array in the order of memory, the one with the longest steps
// first, or nil for C order. Operands are broadcast to the shape. Where they disagree, C order wins; axes
// along which none of them moves stay where they are.
func keptOrder(shape []int, operands ...scheduler.View) []int {
	return orderOf(shape, false, operands)
}

// orderOf is keptOrder, or, outwards, what concatenate does: axes move out past those with shorter steps, and
// not in past those with longer ones. That differs where there are axes of one point. To it, axes along which an
// operand does not move (steps of 0) are as good a reason for C order as others; what tells nothing is one point.
func orderOf(shape []int, outwards bool, operands []scheduler.View) []int {
	if len(shape) < 2 || !slices.ContainsFunc(operands, func(v scheduler.View) bool { return outOfOrder(v, outwards) }) {
		return nil
	}
	n := len(shape)
	step := func(v *scheduler.View, axis int) int64 {
		if axis -= n - len(v.Shape); axis < 0 || v.Shape[axis] == 1 {
			return -1
		}
		return max(v.Strides[axis], -v.Strides[axis])
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if !outwards {
		slices.Reverse(order) // until the end
	}
	for i := 1; i < n; i++ {
		axis, to := order[i], i
		for at := i - 1; at >= 0; at-- {
			told, passes := false, false
			for k := range operands {
				short, long := step(&operands[k], axis), step(&operands[k], order[at])
				if outwards {
					short, long = long, short
				}
				switch {
				case short < 0 || long < 0 || !outwards && (short == 0 || long == 0):
					continue
				case short >= long:
					passes = false
				case !told:
					passes = true
				}
				told = true
			}
			if told && !passes {
				break
			}
			if told {
				to = at
			}
		}
		copy(order[to+1:i+1], order[to:i])
		order[to] = axis
	}
	if !outwards {
		slices.Reverse(order)
	}
	if slices.IsSorted(order) {
		return nil
	}
	return order
}

// outOfOrder reports whether an axis of a view has longer steps than one before it. Steps of 0 are steps where still
// says so.
func outOfOrder(v scheduler.View, still bool) bool {
	last := int64(-1)
	for i, n := range v.Shape {
		if n == 1 || v.Strides[i] == 0 && !still {
			continue
		}
		step := max(v.Strides[i], -v.Strides[i])
		if last >= 0 && step > last {
			return true
		}
		last = step
	}
	return false
}

// orderArg reads order=, of a copy of a view: C, F for columns first, A for F where the view lies so, and K for
// as the view lies. NumPy's default differs from function to function.
func orderArg(order Value, otherwise string, v scheduler.View) ([]int, error) {
	if err := plain("order=", order, "C", "F", "A", "K"); err != nil {
		return nil, err
	}
	if order.given() {
		otherwise = order.String
	}
	if len(v.Shape) < 2 || otherwise == "C" || v.Strides == nil && otherwise != "F" {
		return nil, nil
	}
	columns := reversed(len(v.Shape))
	switch {
	case otherwise == "F" || !v.Contiguous() && inOrder(v, columns):
		return columns, nil
	case otherwise == "K" && !v.Contiguous():
		return descending(v.Strides), nil // axes that repeat what there is, without steps, become the fastest
	}
	return nil, nil
}

// orderLike reads order=, of a new array that lies as a prototype does, perhaps with other dimensions: then the
// prototype says only, and only for A, whether the first axis or the last one is the fastest.
func orderLike(order Value, proto scheduler.View, ndim int) ([]int, error) {
	if err := plain("order=", order, "C", "F", "A", "K"); err != nil {
		return nil, err
	}
	columns := order.given() && order.String == "F"
	fortran := !proto.Contiguous() && inOrder(proto, reversed(len(proto.Shape)))
	switch {
	case order.given() && order.String == "A":
		columns = fortran
	case !order.given() || order.String == "K":
		if len(proto.Shape) == ndim && !proto.Contiguous() && !fortran {
			return descending(proto.Strides), nil
		}
		columns = fortran && len(proto.Shape) == ndim
	}
	if !columns || ndim < 2 {
		return nil, nil
	}
	return reversed(ndim), nil
}

// descending returns the axes, those with longer steps first; nil where they stand so.
func descending(strides []int64) []int {
	order := make([]int, len(strides))
	for i := range order {
		order[i] = i
	}
	steps := func(axis int) int64 { return max(strides[axis], -strides[axis]) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(steps(b), steps(a)) })
	if slices.IsSorted(order) {
		return nil
	}
	return order
}

// inOrder reports whether the elements of a view lie without gaps, its axes in the order; nil is C order.
func inOrder(v scheduler.View, order []int) bool {
	if order == nil {
		return v.Contiguous()
	}
	turned := scheduler.View{Type: v.Type, Shape: make([]int, len(order)), Strides: make([]int64, len(order))}
	for to, from := range order {
		turned.Shape[to], turned.Strides[to] = v.Shape[from], v.Strides[from]
	}
	return turned.Contiguous()
}

// orderedStrides returns the strides of an array without gaps whose axes lie in an order; nil is C order.
func orderedStrides(shape, order []int, itemsize int) []int64 {
	if order == nil {
		return scheduler.CStrides(shape, itemsize)
	}
	strides, step := make([]int64, len(shape)), int64(itemsize)
	for i := len(order) - 1; i >= 0; i-- {
		strides[order[i]] = step
		step *= int64(max(shape[order[i]], 1))
	}
	return strides
}

// allocLike makes an array over a new store that lies as NumPy's result of the operands does.
func (c *Context) allocLike(t tile.DType, shape []int, operands ...scheduler.View) (*Array, error) {
	return c.allocIn(t, shape, keptOrder(shape, operands...))
}

// areFortrans reports whether operands lie as Fortran's arrays do, without gaps and in their full shape, and one of
// them not as C's. Where NumPy's loop casts none of them, it goes through such as through vectors, and makes a result
// of just that order; its iterator looks at strides instead, of which axes of one point have none.
func areFortrans(shape []int, operands ...scheduler.View) bool {
	if len(shape) < 2 {
		return false
	}
	falls := true
	for _, v := range operands {
		switch {
		case len(v.Shape) == 0:
		case !slices.Equal(v.Shape, shape) || !inOrder(v, reversed(len(shape))):
			return false
		default:
			falls = falls && v.Contiguous()
		}
	}
	return !falls
}

// allocOrLike is allocLike for a loop of NumPy's that casts no operand where casts is false.
func (c *Context) allocOrLike(casts bool, t tile.DType, shape []int, operands ...scheduler.View) (*Array, error) {
	if !casts && areFortrans(shape, operands...) {
		return c.allocIn(t, shape, reversed(len(shape)))
	}
	return c.allocLike(t, shape, operands...)
}

// viewsIn returns the arrays' views.
func viewsIn(list []*Array) []scheduler.View {
	views := make([]scheduler.View, len(list))
	for i, a := range list {
		views[i] = a.view
	}
	return views
}

// allocIn makes an array over a new store whose axes lie in an order; nil is C order.
func (c *Context) allocIn(t tile.DType, shape, order []int) (*Array, error) {
	if order == nil {
		return c.alloc(t, shape, nil)
	}
	a, err := c.alloc(t, shape, orderedStrides(shape, order, t.Size()))
	if err == nil {
		a.contiguous = a.view.Contiguous()
	}
	return a, err
}

// copyOrder is keptOrder as NumPy's copies and np.empty_like have it: axes along which the array does not move become
// the fastest.
func copyOrder(v scheduler.View) []int {
	order, _ := orderArg(Value{}, "K", v) // no error: there is no argument
	return order
}

// asItLies has a function work along an axis of an array whose axes are put in an order of memory (nil: they stay), and
// puts the axes of its result back.
func (s *scope) asItLies(a *Array, axis int, order []int, work func(a *Array, axis int) (*Array, error)) (*Array, error) {
	return s.asTheyLie(a, a, axis, order, func(a, _ *Array, axis int) (*Array, error) { return work(a, axis) })
}

// asTheyLie is asItLies for a second array as well, whose axes go with those of the first.
func (s *scope) asTheyLie(a, b *Array, axis int, order []int, work func(a, b *Array, axis int) (*Array, error)) (*Array, error) {
	if order == nil {
		return work(a, b, axis)
	}
	first, _ := s.own(a.permuted(order), nil)
	second, _ := s.own(b.permuted(order), nil)
	x, err := s.own(work(first, second, slices.Index(order, axis)))
	if err != nil {
		return nil, err
	}
	return x.permuted(putBack(order)), nil
}

func putBack(order []int) []int {
	back := make([]int, len(order))
	for to, from := range order {
		back[from] = to
	}
	return back
}

// reducedOrder returns the order of what is left when axes of an array are reduced: that of the array, also of the axes
// of one point that are kept.
func reducedOrder(v scheduler.View, axes tile.Axes, keep bool) []int {
	order := keptOrder(v.Shape, v)
	if keep || order == nil {
		return order
	}
	left := make([]int, 0, len(order))
	for _, axis := range order {
		if !axes.Has(axis) {
			before := 0
			for i := range axis {
				if axes.Has(i) {
					before++
				}
			}
			left = append(left, axis-before)
		}
	}
	return left
}
