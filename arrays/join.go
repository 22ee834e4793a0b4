package arrays

import (
	"slices"

	"weft/tile"
)

// joinFuncs are the rows that put arrays together, or repeat them.
var joinFuncs = []row{
	{"concatenate concat", "arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind'", "",
		"Join a sequence of arrays along an existing axis.", concatenate},
	{"stack", "arrays, axis=0, out=None, *, dtype=None, casting='same_kind'", "",
		"Join a sequence of arrays along a new axis.", stack},
	{"vstack", "tup, *, dtype=None, casting='same_kind'", "",
		"Stack arrays in sequence vertically (row wise).", stacked(2, 0)},
	{"hstack", "tup, *, dtype=None, casting='same_kind'", "",
		"Stack arrays in sequence horizontally (column wise).", stacked(1, 1)},
	{"dstack", "tup", "", "Stack arrays in sequence depth wise (along third axis).", stacked(3, 2)},
	{"column_stack", "tup", "", "Stack 1-D arrays as columns into a 2-D array.", columnStack},
	{"tile", "A, reps", "", "Construct an array by repeating A the number of times given by reps.", tiled},
	{"repeat", "a, repeats, axis=None", "repeats, axis=None", "Repeat each element of an array after themselves.", repeat},
	{"roll", "a, shift, axis=None", "", "Roll array elements along a given axis.", roll},
}

// join concatenates along an axis, which has been checked to exist in the first array.
func (s *scope) join(list []*Array, axis int, out, dtype, casting Value) (Value, error) {
	if err := named("casting=", casting, "same_kind"); err != nil {
		return Value{}, err
	}
	t, err := dtypeArg(dtype)
	if err != nil {
		return Value{}, err
	}
	first := list[0]
	shape := slices.Clone(first.view.Shape)
	shape[axis] = 0
	types := make([]operandType, len(list))
	for k, a := range list {
		if a.Ndim() != first.Ndim() {
			return Value{}, errorf("ValueError", "all the input arrays must have same number of dimensions, but the array at index 0 has %d dimension(s) and the array at index %d has %d dimension(s)",
				first.Ndim(), k, a.Ndim())
		}
		for i, n := range a.view.Shape {
			if i != axis && n != shape[i] {
				return Value{}, errorf("ValueError", "all the input array dimensions except for the concatenation axis must match exactly, but along dimension %d, the array at index 0 has size %d and the array at index %d has size %d",
					i, shape[i], k, n)
			}
		}
		shape[axis] += a.view.Shape[axis]
		types[k] = operandType(a.view.Type)
	}
	common := promote(types...)
	dst, err := outArg(out)
	if err != nil {
		return Value{}, err
	}
	if dst != nil {
		return Value{}, &Fallback{"out= of concatenate"}
	}
	if t == tile.Invalid {
		t = common
	} else if !canCast(common, t, "same_kind") {
		return Value{}, errorf("TypeError", "Cannot cast array data from dtype('%v') to dtype('%v') according to the rule 'same_kind'", common, t)
	}
	if dst, err = s.c.allocIn(t, shape, orderOf(shape, true, viewsIn(list))); err != nil {
		return Value{}, err
	}
	at := 0
	for _, a := range list {
		part := dst.span(axis, at, a.view.Shape[axis])
		at += a.view.Shape[axis]
		err = s.c.move(part, a, "concatenate")
		part.Free()
		if err != nil {
			dst.Free()
			return Value{}, err
		}
	}
	return Of(dst), nil
}

// span returns the view of n points of an axis, from at.
func (a *Array) span(axis, at, n int) *Array {
	shape := slices.Clone(a.view.Shape)
	shape[axis] = n
	return a.sub(a.view.Type, a.view.Offset+int64(at)*a.view.Strides[axis], shape, a.view.Strides)
}

func concatenate(s *scope, v []Value) (Value, error) {
	list, err := s.alike(v[0])
	if err != nil {
		return Value{}, err
	}
	if len(list) == 0 {
		return Value{}, errorf("ValueError", "need at least one array to concatenate")
	}
	if v[1].Kind == None {
		for i, a := range list {
			flat, err := flatten(s, []Value{Of(a), {}})
			if err != nil {
				return Value{}, err
			}
			list[i] = flat.Array
			s.owned = append(s.owned, flat.Array)
		}
		return s.join(list, 0, v[2], v[3], v[4])
	}
	if list[0].Ndim() == 0 {
		return Value{}, errorf("ValueError", "zero-dimensional arrays cannot be concatenated")
	}
	i, err := s.integer(v[1], 0)
	if err != nil {
		return Value{}, err
	}
	if i, err = axis(i, list[0].Ndim(), ""); err != nil {
		return Value{}, err
	}
	return s.join(list, i, v[2], v[3], v[4])
}

func stack(s *scope, v []Value) (Value, error) {
	list, err := s.arrays(v[0])
	if err != nil {
		return Value{}, err
	}
	if len(list) == 0 {
		return Value{}, errorf("ValueError", "need at least one array to stack")
	}
	i, err := s.integer(v[1], 0)
	if err != nil {
		return Value{}, err
	}
	for _, a := range list {
		if !slices.Equal(a.view.Shape, list[0].view.Shape) {
			return Value{}, errorf("ValueError", "all input arrays must have the same shape")
		}
	}
	if i, err = axis(i, list[0].Ndim()+1, ""); err != nil {
		return Value{}, err
	}
	for k, a := range list {
		shape := slices.Insert(slices.Clone(a.view.Shape), i, 1)
		strides := slices.Insert(slices.Clone(a.view.Strides), i, 0)
		list[k] = a.sub(a.view.Type, a.view.Offset, shape, strides)
		s.owned = append(s.owned, list[k])
	}
	return s.join(list, i, v[2], v[3], v[4])
}

// stacked joins arrays of at least so many dimensions along an axis; vectors join along
// their only one.
func stacked(ndim, axis int) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		v = append(slices.Clone(v), Value{}, Value{}) // dstack has no dtype and casting
		list, err := s.arrays(v[0])
		if err != nil {
			return Value{}, err
		}
		if len(list) == 0 {
			return Value{}, errorf("ValueError", "need at least one array to concatenate")
		}
		for i, a := range list {
			if a.Ndim() < ndim {
				list[i] = a.atLeast(ndim)
				s.owned = append(s.owned, list[i])
			}
		}
		return s.join(list, min(axis, list[0].Ndim()-1), Value{}, v[1], v[2])
	}
}

func columnStack(s *scope, v []Value) (Value, error) {
	list, err := s.arrays(v[0])
	if err != nil {
		return Value{}, err
	}
	if len(list) == 0 {
		return Value{}, errorf("ValueError", "need at least one array to concatenate")
	}
	for i, a := range list {
		if a.Ndim() < 2 {
			row := a.atLeast(2)
			list[i] = row.permuted([]int{1, 0})
			s.owned = append(s.owned, row, list[i])
		}
	}
	return s.join(list, 1, Value{}, Value{}, Value{})
}

func tiled(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	reps, err := s.shape(v[1])
	if err != nil {
		return Value{}, err
	}
	if a.Size() == 0 {
		return Value{}, &Fallback{"tile of no elements"} // a view, which may be written where the array may
	}
	n := max(len(reps), a.Ndim())
	reps = append(ones(n-len(reps)), reps...)
	shape := append(ones(n-a.Ndim()), a.view.Shape...)
	strides := append(make([]int64, n-a.Ndim()), a.view.Strides...)
	if !slices.ContainsFunc(reps, func(r int) bool { return r != 1 }) { // a copy, which lies as the array does
		c, err := s.own(s.c.castIn(a, a.view.Type, copyOrder(a.view), "tile"))
		if err != nil {
			return Value{}, err
		}
		return Of(c.sub(c.view.Type, c.view.Offset, shape, append(make([]int64, n-a.Ndim()), c.view.Strides...))), nil
	}
	// A copy of shape (r0, n0, r1, n1, ...), read with stride 0 along the repetitions.
	var wideShape, final []int
	var wideStrides []int64
	for i := range n {
		if reps[i] < 0 {
			return Value{}, errorf("ValueError", "negative dimensions are not allowed")
		}
		wideShape = append(wideShape, reps[i], shape[i])
		wideStrides = append(wideStrides, 0, strides[i])
		final = append(final, reps[i]*shape[i])
	}
	return s.spreadCopy(a, wideShape, wideStrides, final, "tile")
}

// spreadCopy copies the elements as they are seen through a view, into another shape.
func (s *scope) spreadCopy(a *Array, shape []int, strides []int64, final []int, name string) (Value, error) {
	if len(shape) > maxDims {
		return Value{}, &Fallback{"a copy through more than 32 dimensions"}
	}
	seen, err := s.own(a.sub(a.view.Type, a.view.Offset, shape, strides), nil)
	if err != nil {
		return Value{}, err
	}
	copied, err := s.own(s.c.cast(seen, a.view.Type, name))
	if err != nil {
		return Value{}, err
	}
	return result(s.c.Reshape(copied, final))
}

func repeat(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if v[1].Kind == TupleValue || v[1].Kind == ArrayValue && v[1].Array.Ndim() > 0 {
		return Value{}, &Fallback{"a count for each element"}
	}
	n, err := s.integer(v[1], 0)
	if err != nil {
		return Value{}, err
	}
	if a.Ndim() == 0 || !v[2].given() {
		flat, err := ravel(s, []Value{Of(a), {}})
		if err != nil {
			return Value{}, err
		}
		a = flat.Array
		s.owned = append(s.owned, a)
	}
	i := 0
	if v[2].given() {
		if i, err = s.integer(v[2], 0); err != nil {
			return Value{}, err
		}
		if i, err = axis(i, a.Ndim(), ""); err != nil {
			return Value{}, err
		}
	}
	if n < 0 && a.view.Shape[i] > 0 {
		return Value{}, errorf("ValueError", "negative dimensions are not allowed")
	}
	n = max(n, 0)
	shape := slices.Insert(slices.Clone(a.view.Shape), i+1, n)
	strides := slices.Insert(slices.Clone(a.view.Strides), i+1, 0)
	final := slices.Clone(a.view.Shape)
	final[i] *= n
	if a.size == 0 {
		return result(s.c.alloc(a.view.Type, final, nil))
	}
	return s.spreadCopy(a, shape, strides, final, "repeat")
}

func roll(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	shifts, err := s.shape(v[1])
	if err != nil {
		return Value{}, err
	}
	if !v[2].given() {
		if len(shifts) != 1 {
			return Value{}, &Fallback{"several shifts of a flattened array"}
		}
		flat, err := s.own(s.c.Reshape(a, []int{a.size}))
		if err != nil {
			return Value{}, err
		}
		rolled, err := s.own(s.rolled(flat, 0, shifts[0]))
		if err != nil {
			return Value{}, err
		}
		return result(s.c.Reshape(rolled, a.view.Shape))
	}
	axes, err := s.shape(v[2])
	if err != nil {
		return Value{}, err
	}
	if len(shifts) != len(axes) && len(shifts) != 1 && len(axes) != 1 {
		return Value{}, errorf("ValueError", "'shift' and 'axis' should be scalars or 1D sequences")
	}
	if len(shifts) == 0 || len(axes) == 0 {
		if len(shifts)+len(axes) > 1 || a.Ndim() == 0 {
			return Value{}, &Fallback{"several shifts along no axis"} // NumPy words the error, or takes one shift for none
		}
		return result(s.c.copyOf(a))
	}
	var last *Array
	for k := range max(len(shifts), len(axes)) {
		i, err := axis(axes[k%len(axes)], a.Ndim(), "")
		if err != nil {
			return Value{}, err
		}
		if last, err = s.own(s.rolled(a, i, shifts[k%len(shifts)])); err != nil {
			return Value{}, err
		}
		a = last
	}
	return Of(last.same()), nil
}

// rolled moves the two parts of an array that a shift along one axis swaps.
func (s *scope) rolled(a *Array, axis, shift int) (*Array, error) {
	dst, err := s.c.allocIn(a.view.Type, a.view.Shape, copyOrder(a.view))
	if err != nil || dst.size == 0 {
		return dst, err
	}
	n := a.view.Shape[axis]
	shift = ((shift % n) + n) % n
	for _, part := range []struct{ from, to, n int }{{0, shift, n - shift}, {n - shift, 0, shift}} {
		src, to := a.span(axis, part.from, part.n), dst.span(axis, part.to, part.n)
		err = s.c.move(to, src, "roll")
		src.Free()
		to.Free()
		if err != nil {
			dst.Free()
			return nil, err
		}
	}
	return dst, nil
}
