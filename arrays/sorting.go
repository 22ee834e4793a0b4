package arrays

import (
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// sortingFuncs are the rows that order elements, or search among ordered ones.
var sortingFuncs = []row{
	{"sort", "a, axis=-1, kind=None, order=None, *, stable=None", "",
		"Return a sorted copy of an array.\n\nEvery kind is the same sort, of the elements' bits. NaNs come last, -0.0 before 0.0; complex numbers are ordered by real, then imaginary part.", sorted},
	{"sort", "", "axis=-1, kind=None, order=None, *, stable=None", "Sort an array in-place.", sortInPlace},
	{"argsort", "a, axis=-1, kind=None, order=None, *, stable=None", "axis=-1, kind=None, order=None, *, stable=None",
		"Returns the indices that would sort an array. Equal elements keep their order.", argsort},
	{"partition", "a, kth, axis=-1, kind='introselect', order=None", "", "Return a partitioned copy of an array.", partitioned},
	{"partition", "", "kth, axis=-1, kind='introselect', order=None", "Partially sort the elements in-place.", partitionInPlace},
	{"argpartition", "a, kth, axis=-1, kind='introselect', order=None", "kth, axis=-1, kind='introselect', order=None",
		"Returns the indices that would partition an array.", argpartition},
	{"searchsorted", "a, v, side='left', sorter=None", "v, side='left', sorter=None",
		"Find indices where elements should be inserted to maintain order.", searchsorted},
	{"digitize", "x, bins, right=False", "", "Return the indices of the bins to which each value in input array belongs.", digitize},
	{"lexsort", "keys, axis=-1", "", "Perform an indirect stable sort using a sequence of keys, the last one first.", lexsort},
	{"unique", "ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True", "",
		"Returns the sorted unique elements of an array.", unique},
}

// sortKind refuses what only NumPy does or words.
func sortKind(kind, order, stable Value) error {
	if order.given() {
		return &Fallback{"order= is not native"}
	}
	if stable.given() && kind.given() {
		return &Fallback{"kind= and stable= at once"}
	}
	if stable.given() && stable.Kind != BoolValue {
		return &Fallback{"stable= that is not a bool"}
	}
	return plain("kind=", kind, "quicksort", "mergesort", "heapsort", "stable", "introselect")
}

// partitionKind refuses what partitions have no kind by.
func partitionKind(kind, order Value) error {
	if kind.Kind == None {
		return &Fallback{"kind=None"} // NumPy words the error
	}
	return sortKind(kind, order, Value{})
}

func sorted(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if err := sortKind(v[2], v[3], v[4]); err != nil {
		return Value{}, err
	}
	return result(s.sorted("sort", "sort", a, v[1], nil))
}

// sorted runs a routine that orders rows: sort or argsort.
func (s *scope) sorted(name, routine string, a *Array, along Value, kth []tile.Scalar) (*Array, error) {
	a, axis, err := s.axisOrFlat(a, along, -1)
	if err != nil {
		return nil, err
	}
	t := a.view.Type
	order := func(a *Array, axis int) (*Array, error) {
		return s.alongRows(a, axis, a.view.Shape[axis], a.view.Type, t, func(x, out *Array) error {
			call := s.c.routine(routine).in(x.view).out(out)
			for _, k := range kth {
				call.uniform(k)
			}
			return call.submit(name)
		})
	}
	var x *Array
	if routine == "argsort" {
		t = tile.Int64
		x, err = order(a, axis)
	} else {
		x, err = s.asItLies(a, axis, copyOrder(a.view), order)
	}
	if err == nil && routine == "argsort" {
		s.c.remember(x, facts{bounded: true, high: int64(max(a.view.Shape[axis]-1, 0))})
	}
	return x, err
}

func sortInPlace(s *scope, v []Value) (Value, error) {
	if err := sortKind(v[2], v[3], v[4]); err != nil {
		return Value{}, err
	}
	return s.orderInPlace("sort", v[0].Array, v[1], nil)
}

func (s *scope) orderInPlace(name string, a *Array, along Value, kth []tile.Scalar) (Value, error) {
	if along.Kind == None {
		return Value{}, &Fallback{"axis=None in place"} // NumPy words the error
	}
	if err := a.refuse(name + " array is read-only"); err != nil {
		return Value{}, err
	}
	x, err := s.own(s.sorted(name, "sort", a, along, kth))
	if err != nil {
		return Value{}, err
	}
	return Value{Kind: None}, s.c.move(a, x, name)
}

func argsort(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if err := sortKind(v[2], v[3], v[4]); err != nil {
		return Value{}, err
	}
	if a.Ndim() == 0 {
		return Value{}, &Fallback{"argsort of no dimensions"}
	}
	return result(s.sorted("argsort", "argsort", a, v[1], nil))
}

// positions reads kth, for an axis: ascending, counted from 0.
func (s *scope) kth(a *Array, kth, along Value) ([]tile.Scalar, error) {
	list, err := s.shape(kth)
	if err != nil {
		return nil, err
	}
	n := a.size
	if along.Kind != None {
		if _, at, err := s.axisOrFlat(a, along, -1); err != nil {
			return nil, err
		} else {
			n = a.view.Shape[at]
		}
	}
	for i := range list {
		if list[i] < -n || list[i] >= n {
			if n == 0 {
				return nil, &Fallback{"kth of an empty axis"}
			}
			return nil, errorf("ValueError", "kth(=%d) out of bounds (%d)", list[i]+max(0, min(1, -list[i]))*n, n)
		}
		list[i] = (list[i] + n) % n
	}
	if len(list) == 0 {
		return nil, &Fallback{"no kth"}
	}
	slices.Sort(list)
	var uniforms []tile.Scalar
	for _, k := range slices.Compact(list) {
		uniforms = append(uniforms, tile.IntScalar(tile.Int64, int64(k)))
	}
	return uniforms, nil
}

// partition does what partition and argpartition have in common.
func (s *scope) partition(name, routine string, v []Value) (*Array, error) {
	a, err := s.array(v[0])
	if err != nil {
		return nil, err
	}
	if err := partitionKind(v[3], v[4]); err != nil {
		return nil, err
	}
	if a.Ndim() == 0 {
		return nil, &Fallback{name + " of no dimensions"}
	}
	kth, err := s.kth(a, v[1], v[2])
	if err != nil {
		return nil, err
	}
	return s.sorted(name, routine, a, v[2], kth)
}

func partitioned(s *scope, v []Value) (Value, error) {
	return result(s.partition("partition", "sort", v))
}

func argpartition(s *scope, v []Value) (Value, error) {
	return result(s.partition("argpartition", "argsort", v))
}

func partitionInPlace(s *scope, v []Value) (Value, error) {
	if err := partitionKind(v[3], v[4]); err != nil {
		return Value{}, err
	}
	if v[0].Array.Ndim() == 0 {
		return Value{}, &Fallback{"partition of no dimensions"}
	}
	kth, err := s.kth(v[0].Array, v[1], v[2])
	if err != nil {
		return Value{}, err
	}
	return s.orderInPlace("partition", v[0].Array, v[2], kth)
}

func searchsorted(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	right := v[2].Kind == StringValue && v[2].String == "right"
	if v[2].Kind == None {
		return Value{}, &Fallback{"side=None"} // NumPy words the error
	}
	if !right {
		if err := plain("side=", v[2], "left"); err != nil {
			return Value{}, err
		}
	}
	if a.Ndim() != 1 {
		return Value{}, &Fallback{"searchsorted in an array that has not one dimension"} // NumPy words the error
	}
	if v[3].given() {
		if v[3].Kind != ArrayValue || v[3].Array.Ndim() != 1 || v[3].Array.size != a.size || !v[3].Array.view.Type.Is(tile.KindInt) {
			return Value{}, &Fallback{"such a sorter"} // NumPy words the error
		}
		if a, err = s.sortedBy(a, v[3].Array); err != nil {
			return Value{}, err
		}
	}
	x, err := s.array(v[1])
	if err != nil {
		return Value{}, err
	}
	return result(s.search("searchsorted", a, x, right))
}

// sortedBy is a in the order of a sorter as long as it. NumPy's sorter has no negative places.
func (s *scope) sortedBy(a, sorter *Array) (*Array, error) {
	if a.size == 0 {
		return a, nil
	}
	at, err := s.packed(sorter, tile.Int64)
	if err != nil {
		return nil, err
	}
	f, err := s.extremes("searchsorted", at)
	if err != nil {
		return nil, err
	}
	if f.low < 0 || f.high >= int64(a.size) {
		return nil, &Fallback{"a sorter out of range"} // NumPy says whether it gets there
	}
	return s.own(s.take("searchsorted", a, at, 0, takeRaise))
}

// search finds where each element of x belongs in a sorted one-dimensional array.
func (s *scope) search(name string, a, x *Array, right bool) (*Array, error) {
	t := promotions[a.view.Type][x.view.Type]
	if t.Is(tile.KindComplex) {
		return nil, &Fallback{name + " of complex numbers"}
	}
	out, err := s.c.alloc(tile.Int64, x.view.Shape, nil)
	if err != nil || out.size == 0 {
		return out, err
	}
	fail := func(err error) (*Array, error) {
		out.Free()
		return nil, err
	}
	out.Scalar = x.Ndim() == 0
	if a.size == 0 {
		if err := s.c.fill(out, tile.IntScalar(tile.Int64, 0), name); err != nil {
			return fail(err)
		}
		return out, nil
	}
	if a, err = s.packed(a, t); err != nil {
		return fail(err)
	}
	if x, err = s.packed(x, t); err != nil {
		return fail(err)
	}
	if err := s.c.routine("searchsorted", flag("right", right)).in(a.view).in(x.view).out(out).submit(name); err != nil {
		return fail(err)
	}
	return out, nil
}

func flag(name string, on bool) tile.Attr {
	if on {
		return tile.IntAttr(name, 1)
	}
	return tile.IntAttr(name, 0)
}

func digitize(s *scope, v []Value) (Value, error) {
	x, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	bins, err := s.array(v[1])
	if err != nil {
		return Value{}, err
	}
	right, err := truth(v[2], false)
	if err != nil {
		return Value{}, err
	}
	if bins.Ndim() != 1 || bins.size == 0 || bins.view.Type.Is(tile.KindComplex) || x.view.Type.Is(tile.KindComplex) {
		return Value{}, &Fallback{"digitize with such bins"}
	}
	ascending, err := s.ascending(bins)
	if err != nil {
		return Value{}, err
	}
	if !ascending {
		return Value{}, &Fallback{"digitize with bins that do not ascend"}
	}
	return result(s.search("digitize", bins, x, !right))
}

// ascending waits for whether no element of a one-dimensional array is less than the one
// before.
func (s *scope) ascending(a *Array) (bool, error) {
	if a.size < 2 {
		return true, nil
	}
	before, after := a.span(0, 0, a.size-1), a.span(0, 1, a.size-1)
	defer before.Free()
	defer after.Free()
	fits, err := s.own(s.c.Binary(LessEqual, Of(before), Of(after)))
	if err != nil {
		return false, err
	}
	all, err := s.allTrue(fits)
	return all.Int != 0, err
}

func unique(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	var want [3]bool // index, inverse, counts
	for i := range want {
		if want[i], err = truth(v[1+i], false); err != nil {
			return Value{}, err
		}
	}
	equalNaN, err := truth(v[5], true)
	if err != nil {
		return Value{}, err
	}
	if a.view.Type.Is(tile.KindComplex) {
		return Value{}, &Fallback{"unique of complex numbers"}
	}
	if v[4].given() && a.Ndim() > 1 {
		return s.uniqueRows(a, v[4], want)
	}
	if v[4].given() {
		if at, err := s.integer(v[4], 0); err != nil || at != 0 && at != -1 || a.Ndim() == 0 {
			return Value{}, &Fallback{"unique along another axis"} // NumPy words the error
		}
	}
	x, err := s.packed(a, a.view.Type)
	if err != nil {
		return Value{}, err
	}
	n := a.size
	values, err := s.own(s.c.alloc(a.view.Type, []int{n}, nil))
	if err != nil {
		return Value{}, err
	}
	count, err := s.own(s.c.alloc(tile.Int64, []int{1}, nil))
	if err != nil {
		return Value{}, err
	}
	names := [3]string{"index", "inverse", "counts"}
	outs := []*Array{values}
	attrs := []tile.Attr{flag("apart", !equalNaN)}
	for i, wanted := range want {
		attrs = append(attrs, flag(names[i], wanted))
		if !wanted {
			continue
		}
		out, err := s.own(s.c.alloc(tile.Int64, []int{n}, nil))
		if err != nil {
			return Value{}, err
		}
		outs = append(outs, out)
	}
	total := 0
	if n > 0 {
		call := s.c.routine("unique", attrs...).in(x.view).out(values).out(count)
		for _, out := range outs[1:] {
			call.out(out)
		}
		if err := call.submit("unique"); err != nil {
			return Value{}, err
		}
		if total, err = s.count(count); err != nil {
			return Value{}, err
		}
	}
	var results []Value
	free := func() {
		for _, r := range results {
			r.Array.Free()
		}
	}
	for k, out := range outs {
		var part *Array
		if k > 0 && isInverse(want, k) {
			part = out.sub(tile.Int64, 0, a.view.Shape, scheduler.CStrides(a.view.Shape, 8))
		} else if part, err = s.first(out, total); err != nil {
			free()
			return Value{}, err
		}
		results = append(results, Of(part))
	}
	if len(results) == 1 {
		return results[0], nil
	}
	return Tuple(results...), nil
}

// isInverse reports whether the k-th output of unique, counted from 1, is the inverse.
func isInverse(want [3]bool, k int) bool {
	return want[1] && (k == 1 && !want[0] || k == 2 && want[0])
}
