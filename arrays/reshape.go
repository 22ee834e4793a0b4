package arrays

import (
	"math"
	"slices"
	"strconv"

	"weft/tile"
)

// shapeFuncs are the rows that look at the same elements in another shape.
var shapeFuncs = []row{
	{"reshape", "a, /, shape, order='C', *, copy=None", "*shape, order='C', copy=None",
		"Gives a new shape to an array without changing its data: a view where the strides allow it, else a copy.", reshape},
	{"ravel", "a, order='C'", "order='C'", "Return a contiguous flattened array: a view where it can be.", ravel},
	{"flatten", "", "order='C'", "Return a copy of the array collapsed into one dimension.", flatten},
	{"transpose permute_dims", "a, axes=None", "*axes", "Returns an array with axes transposed: a view.", transpose},
	{"matrix_transpose", "x, /", "", "Transposes a matrix (or a stack of matrices): a view.", matrixTranspose},
	{"swapaxes", "a, axis1, axis2", "axis1, axis2, /", "Interchange two axes of an array: a view.", swapaxes},
	{"moveaxis", "a, source, destination", "", "Move axes of an array to new positions: a view.", moveaxis},
	{"squeeze", "a, axis=None", "axis=None", "Remove axes of length one: a view.", squeeze},
	{"expand_dims", "a, axis", "", "Expand the shape of an array by axes of length one: a view.", expandDims},
	{"broadcast_to", "array, shape, subok=False", "", "Broadcast an array to a new shape: a read-only view.", broadcastTo},
	{"flip", "m, axis=None", "", "Reverse the order of elements along the given axes: a view.", flip(nil)},
	{"flipud", "m", "", "Reverse the order of elements along axis 0: a view.", flip([]int{0})},
	{"fliplr", "m", "", "Reverse the order of elements along axis 1: a view.", flip([]int{1})},
	{"diagonal", "a, offset=0, axis1=0, axis2=1", "offset=0, axis1=0, axis2=1",
		"Return specified diagonals: a read-only view.", diagonal},
	{"view", "", "dtype=None", "The same memory, seen as elements of another dtype.", reinterpret},
	{"conj", "", "out=None, /", "Return the complex conjugate of every element: the array itself where it is not complex.", conjugated},
	{"conjugate", "", "out=None, /", "Return the complex conjugate of every element: the array itself where it is not complex.", conjugated},
	{"real", "val", "", "Return the real part of the argument: a view where it is complex.", realPart},
	{"imag", "val", "", "Return the imaginary part of the argument: a view where it is complex.", imagPart},
	{"atleast_1d", "*arys", "", "Convert inputs to arrays with at least one dimension.", atLeast(1)},
	{"atleast_2d", "*arys", "", "View inputs as arrays with at least two dimensions.", atLeast(2)},
	{"atleast_3d", "*arys", "", "View inputs as arrays with at least three dimensions.", atLeast(3)},
}

// Reshape returns the elements in C order in another shape; one extent may be -1. It is a
// view where the strides allow it, else a copy.
func (c *Context) Reshape(a *Array, shape []int) (*Array, error) {
	c.collect()
	if err := a.alive(); err != nil {
		return nil, err
	}
	same := slices.Equal(shape, a.view.Shape) // then axes of one element keep their steps as well
	shape = slices.Clone(shape)
	unknown, known := -1, 1
	huge := false // the product is more than any array has
	for i, n := range shape {
		switch {
		case n > 0 && known > math.MaxInt/n:
			huge = true
		case n >= 0:
			known *= n
		case unknown >= 0:
			return nil, errorf("ValueError", "can only specify one unknown dimension")
		default:
			unknown = i
		}
	}
	misfit := func() error {
		text := slices.Clone(shape)
		if unknown >= 0 {
			text[unknown] = -1
		}
		return errorf("ValueError", "cannot reshape array of size %d into shape %s", a.size, newaxisText(text))
	}
	if huge {
		return nil, misfit()
	}
	if unknown >= 0 {
		if known == 0 || a.size%known != 0 {
			return nil, misfit()
		}
		shape[unknown] = a.size / known
	} else if known != a.size {
		return nil, misfit()
	}
	if _, err := checkedSize(shape, a.view.Type.Size()); err != nil {
		return nil, err
	}
	if same {
		return a.sub(a.view.Type, a.view.Offset, shape, slices.Clone(a.view.Strides)), nil
	}
	if strides, ok := viewStrides(a, shape); ok {
		return a.sub(a.view.Type, a.view.Offset, shape, strides), nil
	}
	copied, err := c.alloc(a.view.Type, a.view.Shape, nil)
	if err != nil {
		return nil, err
	}
	defer copied.Free()
	if err := c.move(copied, a, "reshape"); err != nil {
		return nil, err
	}
	strides, _ := viewStrides(copied, shape)
	return copied.sub(a.view.Type, 0, shape, strides), nil
}

// newaxisText is shapeText with NumPy's word for an unknown extent.
func newaxisText(shape []int) string {
	text, alone := "(", len(shape) == 1
	for len(shape) > 0 && shape[0] < 0 { // NumPy leaves out those in front
		shape = shape[1:]
	}
	for i, n := range shape {
		if i > 0 {
			text += ","
		}
		if n < 0 {
			text += "newaxis"
		} else {
			text += strconv.Itoa(n)
		}
	}
	if alone {
		text += ","
	}
	return text + ")"
}

// viewStrides finds the strides with which a shape of as many elements views the same
// memory in the same order. Old and new axes are matched in the smallest groups of equal
// size; within a group the old axes must follow each other without gaps.
func viewStrides(a *Array, shape []int) ([]int64, bool) {
	size := int64(a.view.Type.Size())
	strides := make([]int64, len(shape))
	if a.size == 0 {
		step := size
		for i := len(shape) - 1; i >= 0; i-- {
			strides[i] = step
			step *= int64(max(shape[i], 1))
		}
		return strides, true
	}
	var old []int
	var oldStrides []int64
	for i, n := range a.view.Shape {
		if n != 1 {
			old, oldStrides = append(old, n), append(oldStrides, a.view.Strides[i])
		}
	}
	oi, ni := 0, 0
	for oi < len(old) && ni < len(shape) {
		oj, nj := oi+1, ni+1
		on, nn := old[oi], shape[ni]
		for on != nn {
			if nn < on {
				nn *= shape[nj]
				nj++
			} else {
				on *= old[oj]
				oj++
			}
		}
		for k := oi; k < oj-1; k++ {
			if oldStrides[k] != oldStrides[k+1]*int64(old[k+1]) {
				return nil, false
			}
		}
		strides[nj-1] = oldStrides[oj-1]
		for k := nj - 1; k > ni; k-- {
			strides[k-1] = strides[k] * int64(shape[k])
		}
		oi, ni = oj, nj
	}
	last := size
	if ni > 0 {
		last = strides[ni-1]
	}
	for ; ni < len(shape); ni++ {
		strides[ni] = last
	}
	return strides, true
}

func reshape(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	dims := v[1]
	if dims.Kind == TupleValue && len(dims.Items) == 1 && dims.Items[0].Kind == TupleValue {
		dims = dims.Items[0] // the method called with one tuple
	}
	columns, err := byColumns(v[2])
	if err != nil {
		return Value{}, err
	}
	if err := plain("copy=", v[3]); err != nil {
		return Value{}, err
	}
	if dims.Kind == None { // the shape that it has
		return result(s.c.Reshape(a, a.view.Shape))
	}
	shape, err := s.dims(dims)
	if err != nil {
		return Value{}, err
	}
	if !columns {
		return result(s.c.Reshape(a, shape))
	}
	turned, err := s.own(a.permuted(reversed(a.Ndim())), nil)
	if err != nil {
		return Value{}, err
	}
	other := slices.Clone(shape)
	slices.Reverse(other)
	made, err := s.own(s.c.Reshape(turned, other))
	if err != nil {
		_, err = s.c.Reshape(a, shape) // whose error names the shape as it was given
		return Value{}, err
	}
	return Of(made.permuted(reversed(made.Ndim()))), nil
}

// byColumns reads order=: whether elements are counted by columns, as in Fortran.
func byColumns(order Value) (bool, error) {
	if order.Kind == StringValue && order.String == "F" {
		return true, nil
	}
	return false, plain("order=", order, "C")
}

func ravel(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if columns, err := byColumns(v[1]); err != nil {
		return Value{}, err
	} else if columns {
		if a, err = s.own(a.permuted(reversed(a.Ndim())), nil); err != nil {
			return Value{}, err
		}
		v = []Value{Of(a), {}}
	}
	if a.contiguous {
		return result(s.c.Reshape(a, []int{a.size}))
	}
	return flatten(s, v) // NumPy promises contiguity
}

func flatten(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if columns, err := byColumns(v[1]); err != nil {
		return Value{}, err
	} else if columns {
		if a, err = s.own(a.permuted(reversed(a.Ndim())), nil); err != nil {
			return Value{}, err
		}
	}
	if a.size == 0 {
		return result(s.c.alloc(a.view.Type, []int{0}, nil))
	}
	copied, err := s.own(s.c.copyOf(a))
	if err != nil {
		return Value{}, err
	}
	return result(s.c.Reshape(copied, []int{a.size}))
}

// permuted returns the view with axes in another order.
func (a *Array) permuted(order []int) *Array {
	shape, strides := make([]int, len(order)), make([]int64, len(order))
	for to, from := range order {
		shape[to], strides[to] = a.view.Shape[from], a.view.Strides[from]
	}
	return a.sub(a.view.Type, a.view.Offset, shape, strides)
}

func reversed(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = n - 1 - i
	}
	return order
}

// T returns the transposed view.
func (a *Array) T() (*Array, error) {
	if err := a.alive(); err != nil {
		return nil, err
	}
	return a.permuted(reversed(a.Ndim())), nil
}

func transpose(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	axes := v[1]
	if axes.Kind == TupleValue && len(axes.Items) == 1 && (axes.Items[0].Kind == TupleValue || axes.Items[0].Kind == None) {
		axes = axes.Items[0] // the method called with one tuple
	}
	order := reversed(a.Ndim())
	if axes.given() {
		if order, err = s.shape(axes); err != nil {
			return Value{}, err
		}
		if len(order) != a.Ndim() {
			return Value{}, errorf("ValueError", "axes don't match array")
		}
		seen := make([]bool, len(order))
		for k, i := range order {
			if order[k], err = axis(i, a.Ndim(), ""); err != nil {
				return Value{}, err
			}
			if seen[order[k]] {
				return Value{}, errorf("ValueError", "repeated axis in transpose")
			}
			seen[order[k]] = true
		}
	}
	return Of(a.permuted(order)), nil
}

func matrixTranspose(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if a.Ndim() < 2 {
		return Value{}, errorf("ValueError", "Input array must be at least 2-dimensional, but it is %d", a.Ndim())
	}
	order := make([]int, a.Ndim())
	for i := range order {
		order[i] = i
	}
	n := len(order)
	order[n-1], order[n-2] = n-2, n-1
	return Of(a.permuted(order)), nil
}

func swapaxes(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	var ends [2]int
	for k, prefix := range []string{"axis1: ", "axis2: "} {
		i, err := s.integer(v[1+k], 0)
		if err != nil {
			return Value{}, err
		}
		if ends[k], err = axis(i, a.Ndim(), prefix); err != nil {
			return Value{}, err
		}
	}
	order := make([]int, a.Ndim())
	for i := range order {
		order[i] = i
	}
	order[ends[0]], order[ends[1]] = ends[1], ends[0]
	return Of(a.permuted(order)), nil
}

func moveaxis(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	lists := [2][]int{}
	for k, name := range []string{"source", "destination"} {
		list, err := s.shape(v[1+k])
		if err != nil {
			return Value{}, err
		}
		for j, i := range list {
			if list[j], err = axis(i, a.Ndim(), name+": "); err != nil {
				return Value{}, err
			}
			if slices.Contains(list[:j], list[j]) {
				return Value{}, errorf("ValueError", "repeated axis in `%s` argument", name)
			}
		}
		lists[k] = list
	}
	source, destination := lists[0], lists[1]
	if len(source) != len(destination) {
		return Value{}, errorf("ValueError", "`source` and `destination` arguments must have the same number of elements")
	}
	order := make([]int, a.Ndim())
	for i := range order {
		order[i] = -1
	}
	for k, to := range destination {
		order[to] = source[k]
	}
	next := 0
	for i := range order {
		if order[i] >= 0 {
			continue
		}
		for slices.Contains(source, next) {
			next++
		}
		order[i] = next
		next++
	}
	return Of(a.permuted(order)), nil
}

func conjugated(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err == nil && v[1].given() {
		return Value{}, &Fallback{"out="}
	}
	if err != nil || !a.view.Type.Is(tile.KindComplex) {
		return v[0], err
	}
	x := Of(a)
	return result(s.c.apply(Conjugate, &x, nil, nil, tile.Invalid))
}
