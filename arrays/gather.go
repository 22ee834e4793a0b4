package arrays

import (
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// gatherFuncs are the rows that pick elements by their positions, or find positions.
var gatherFuncs = []row{
	{"nonzero", "a", "()", "Return the indices of the elements that are non-zero, an array for each axis.\n\nWaits for their number.", nonzeroRow},
	{"flatnonzero", "a", "", "Return indices that are non-zero in the flattened version of a.", flatnonzero},
	{"argwhere", "a", "", "Find the indices of array elements that are non-zero, grouped by element.", argwhere},
	{"compress", "condition, a, axis=None, out=None", "", "Return selected slices of an array along given axis.", compress},
	{"extract", "condition, arr", "", "Return the elements of an array that satisfy some condition.", extract},
	{"take", "a, indices, axis=None, out=None, mode='raise'", "indices, axis=None, out=None, mode='raise'",
		"Take elements from an array along an axis.\n\nIndexError where an index is out of bounds, which is waited for.", takeRow},
	{"take_along_axis", "arr, indices, axis=-1", "", "Take values from the input array by matching 1d index and data slices.", takeAlongAxis},
}

// takeMode is what becomes of an index that is out of bounds.
type takeMode int64

// The modes, as the routine has them.
const (
	takeRaise takeMode = iota
	takeWrap
	takeClip
)

// nonzeros waits for how many elements are not zero and returns their coordinates: one row
// for each axis.
func (s *scope) nonzeros(a *Array) (*Array, error) {
	n, err := s.howMany(a)
	if err != nil {
		return nil, err
	}
	out, err := s.c.alloc(tile.Int64, []int{a.Ndim(), n}, nil)
	if err != nil || out.size == 0 {
		return out, err
	}
	x, err := s.packed(a, a.view.Type)
	if err == nil {
		call := s.c.routine("nonzero").in(x.view)
		for i := range a.Ndim() {
			row, _ := s.own(out.take(0, i), nil)
			call.out(row)
		}
		err = call.submit("nonzero")
	}
	if err != nil {
		out.Free()
		return nil, err
	}
	return out, nil
}

// howMany waits for the number of elements that are not zero, where it is not known.
func (s *scope) howMany(a *Array) (int, error) {
	if !a.Whole() {
		return s.counted(a)
	}
	if f, known := s.c.about(a); known && f.counted {
		return f.nonzeros, nil
	}
	f, err := s.c.learn(a, func() (facts, error) {
		n, err := s.counted(a)
		return facts{counted: true, nonzeros: n}, err
	})
	return f.nonzeros, err
}

// counted waits for the number of elements that are not zero.
func (s *scope) counted(a *Array) (int, error) {
	v, err := countNonzero(s, []Value{Of(a), {}, {}})
	if err != nil {
		return 0, err
	}
	if v.Kind != ArrayValue {
		return int(v.Int), nil
	}
	number, err := s.own(v.Array, nil)
	if err != nil {
		return 0, err
	}
	return s.count(number)
}

func nonzeroRow(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if a.Ndim() == 0 {
		return Value{}, &Fallback{"nonzero of no dimensions"} // NumPy words the error
	}
	found, err := s.own(s.nonzeros(a))
	if err != nil {
		return Value{}, err
	}
	var parts []Value
	for i := range a.Ndim() {
		row := found.take(0, i)
		if a.Ndim() > 1 { // each array owns its memory
			part, err := s.own(row, nil)
			if err == nil {
				row, err = s.c.copyOf(part)
			}
			if err != nil {
				for _, p := range parts {
					p.Array.Free()
				}
				return Value{}, err
			}
		}
		if row.Whole() {
			s.c.remember(row, facts{bounded: true, high: int64(max(a.view.Shape[i]-1, 0))})
		}
		parts = append(parts, Of(row))
	}
	return Tuple(parts...), nil
}

func flatnonzero(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	x, err := s.positionsOf(a)
	return result(x, err)
}

// positionsOf returns where the flattened array is not zero.
func (s *scope) positionsOf(a *Array) (*Array, error) {
	flat, err := s.flat(a)
	if err != nil {
		return nil, err
	}
	found, err := s.nonzeros(flat)
	if err != nil {
		return nil, err
	}
	return reshaped(found, []int{found.size}), nil
}

func argwhere(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if a.Ndim() == 0 {
		return Value{}, &Fallback{"argwhere of no dimensions"}
	}
	found, err := s.own(s.nonzeros(a))
	if err != nil {
		return Value{}, err
	}
	return Of(s.swapped(found, 0, 1).same()), nil
}

func compress(s *scope, v []Value) (Value, error) {
	condition, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	a, err := s.array(v[1])
	if err != nil {
		return Value{}, err
	}
	if condition.Ndim() != 1 {
		return Value{}, errorf("ValueError", "condition must be a 1-d array")
	}
	if v[2].Kind == Missing {
		v[2] = Value{Kind: None}
	}
	a, axis, err := s.axisOrFlat(a, v[2], 0)
	if err != nil {
		return Value{}, err
	}
	at, err := s.own(s.positionsOf(condition))
	if err != nil {
		return Value{}, err
	}
	x, err := s.take("compress", a, at, axis, takeRaise)
	if err != nil {
		return Value{}, err
	}
	return s.handed("compress", x, v[3])
}

func extract(s *scope, v []Value) (Value, error) {
	condition, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	a, err := s.array(v[1])
	if err != nil {
		return Value{}, err
	}
	at, err := s.own(s.positionsOf(condition))
	if err != nil {
		return Value{}, err
	}
	flat, err := s.flat(a)
	if err != nil {
		return Value{}, err
	}
	return result(s.take("extract", flat, at, 0, takeRaise))
}

func takeRow(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	mode, err := modeArg(v[4])
	if err != nil {
		return Value{}, err
	}
	if v[2].Kind == Missing {
		v[2] = Value{Kind: None}
	}
	if v[1].Kind == IntValue && mode == takeRaise && a.Ndim() > 0 {
		from, axis, err := s.axisOrFlat(a, v[2], 0)
		if err != nil {
			return Value{}, err
		}
		if n := int64(from.view.Shape[axis]); -n <= v[1].Int && v[1].Int < n {
			x, err := s.takeOne(from, axis, int((v[1].Int+n)%n))
			if err != nil {
				return Value{}, err
			}
			return s.handed("take", x, v[3])
		}
	}
	indices, err := s.array(v[1])
	if err != nil {
		return Value{}, err
	}
	if !indices.view.Type.Is(tile.KindBool|tile.KindInt|tile.KindUint) || indices.view.Type == tile.Uint64 || a.Ndim() == 0 {
		return Value{}, &Fallback{"take with such indices"} // NumPy words the error
	}
	a, axis, err := s.axisOrFlat(a, v[2], 0)
	if err != nil {
		return Value{}, err
	}
	x, err := s.take("take", a, indices, axis, mode)
	if err != nil {
		return Value{}, err
	}
	return s.handed("take", x, v[3])
}

// takeOne copies what is at one place along an axis.
func (s *scope) takeOne(a *Array, axis, at int) (*Array, error) {
	v := &a.view
	shape, strides := slices.Delete(slices.Clone(v.Shape), axis, axis+1), slices.Delete(slices.Clone(v.Strides), axis, axis+1)
	one := a.sub(v.Type, v.Offset+int64(at)*v.Strides[axis], shape, strides)
	defer one.Free()
	x, err := s.c.alloc(v.Type, shape, nil)
	if err != nil {
		return nil, err
	}
	if err := s.c.move(x, one, "take"); err != nil {
		x.Free()
		return nil, err
	}
	return x, nil
}

// take picks along an axis by indices of any shape, which takes the axis's place. With
// takeRaise it waits for whether all are in bounds, where that is not known.
func (s *scope) take(name string, a, indices *Array, axis int, mode takeMode) (*Array, error) {
	if a.view.Shape[axis] == 0 && indices.size > 0 {
		return nil, errorf("IndexError", "cannot do a non-empty take from an empty axes.")
	}
	sel, err := s.along(name, a, indices, axis, mode)
	if err != nil {
		return nil, err
	}
	return s.gathered(name, sel, nil)
}

func takeAlongAxis(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	indices, err := s.array(v[1])
	if err != nil {
		return Value{}, err
	}
	if v[2].Kind == None {
		if a, err = s.flat(a); err != nil {
			return Value{}, err
		}
	}
	if a.Ndim() != indices.Ndim() || a.Ndim() == 0 || !indices.view.Type.Is(tile.KindInt|tile.KindUint) || indices.view.Type == tile.Uint64 {
		return Value{}, &Fallback{"take_along_axis with such indices"} // NumPy words the error
	}
	a, axis, err := s.axisOrFlat(a, v[2], -1)
	if err != nil {
		return Value{}, err
	}
	for i, n := range a.view.Shape {
		if i != axis && indices.view.Shape[i] != n {
			return Value{}, &Fallback{"take_along_axis with broadcasting"}
		}
	}
	// The copy lies as the indices do.
	return result(s.asTheyLie(indices, a, axis, keptOrder(indices.view.Shape, indices.view), s.takenAlong))
}

// takenAlong picks along an axis by indices of the array's shape along the others, in C order.
func (s *scope) takenAlong(indices, a *Array, axis int) (*Array, error) {
	at, err := s.inBounds("take_along_axis", indices, a.view.Shape[axis], axis)
	if err != nil {
		return nil, err
	}
	out, err := s.c.alloc(a.view.Type, indices.view.Shape, nil)
	if err != nil || out.size == 0 {
		return out, err
	}
	x, err := s.packed(a, a.view.Type)
	if err == nil {
		err = s.c.routine("take_along", tile.IntAttr("axis", int64(axis))).in(x.view).in(at.view).out(out).submit("take_along_axis")
	}
	if err != nil {
		out.Free()
		return nil, err
	}
	return out, nil
}

// masked returns a[mask]: the mask covers the leading axes. It waits for how many are chosen.
func (s *scope) masked(a, mask *Array) (*Array, error) {
	if err := maskFits(a, mask, 0); err != nil {
		return nil, err
	}
	n, err := s.howMany(mask)
	if err != nil {
		return nil, err
	}
	// What the mask does not cover lies in the copy as it does in the array.
	k := mask.Ndim()
	rest := scheduler.View{Type: a.view.Type, Shape: a.view.Shape[k:], Strides: a.view.Strides[k:]}
	order := copyOrder(rest)
	if order == nil {
		return s.compressed(a, mask, n)
	}
	turn, back := make([]int, a.Ndim()), make([]int, 1+len(order))
	for i := range turn {
		turn[i] = i
	}
	for i, axis := range order {
		turn[k+i], back[1+axis] = k+axis, 1+i
	}
	turned, _ := s.own(a.permuted(turn), nil)
	x, err := s.own(s.compressed(turned, mask, n))
	if err != nil {
		return nil, err
	}
	return x.permuted(back), nil
}

// compressed returns the n parts of an array that a mask of its leading axes chooses, in C order.
func (s *scope) compressed(a, mask *Array, n int) (*Array, error) {
	out, err := s.c.alloc(a.view.Type, append([]int{n}, a.view.Shape[mask.Ndim():]...), nil)
	if err != nil || out.size == 0 {
		return out, err
	}
	x, err := s.packed(a, a.view.Type)
	if err == nil {
		mask, err = s.packed(mask, tile.Bool)
	}
	if err == nil {
		err = s.c.routine("compress").in(x.view).in(mask.view).out(out).submit("masked")
	}
	if err != nil {
		out.Free()
		return nil, err
	}
	return out, nil
}

// maskFits checks that a mask covers axes of an array, from one on.
func maskFits(a, mask *Array, from int) error {
	if err := mask.alive(); err != nil {
		return err
	}
	if from+mask.Ndim() > a.Ndim() {
		return errorf("IndexError", "too many indices for array: array is %d-dimensional, but %d were indexed", a.Ndim(), mask.Ndim())
	}
	empty := false // NumPy does not compare an extent of 0, as there is nothing that the mask could choose beyond the axis
	for i, n := range mask.view.Shape {
		if i += from; n == 0 && a.view.Shape[i] != 0 {
			empty = true
		} else if n != a.view.Shape[i] {
			return errorf("IndexError", "boolean index did not match indexed array along axis %d; size of axis is %d but size of corresponding boolean axis is %d",
				i, a.view.Shape[i], n)
		}
	}
	if empty {
		return &Fallback{"a mask of no elements that is shorter than the axis"}
	}
	return nil
}
