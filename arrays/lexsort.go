package arrays

import (
	"slices"

	"weft/tile"
)

// lexsort sorts by the last key first: one stable sort after the other, from the first.
func lexsort(s *scope, v []Value) (Value, error) {
	keys, err := s.arrays(v[0])
	if err != nil {
		return Value{}, err
	}
	at, err := s.integer(v[1], -1)
	if err != nil {
		return Value{}, err
	}
	if len(keys) == 0 || keys[0].Ndim() == 0 {
		return Value{}, &Fallback{"lexsort of no keys, or of numbers"} // NumPy words the error
	}
	for _, k := range keys {
		if !slices.Equal(k.view.Shape, keys[0].view.Shape) {
			return Value{}, errorf("ValueError", "all keys need to be the same shape")
		}
	}
	if at, err = axis(at, keys[0].Ndim(), ""); err != nil {
		return Value{}, err
	}
	order, err := s.lexicographic(keys, at)
	if err != nil {
		return Value{}, err
	}
	return Of(order.same()), nil
}

// lexicographic returns the order of lexsort, which the scope owns.
func (s *scope) lexicographic(keys []*Array, axis int) (*Array, error) {
	var order *Array
	for _, key := range keys {
		if order == nil {
			var err error
			if order, err = s.own(s.sorted("lexsort", "argsort", key, Int(int64(axis)), nil)); err != nil {
				return nil, err
			}
			continue
		}
		turned, err := s.pickedAlong(key, order, axis)
		if err != nil {
			return nil, err
		}
		next, err := s.own(s.sorted("lexsort", "argsort", turned, Int(int64(axis)), nil))
		if err != nil {
			return nil, err
		}
		if order, err = s.pickedAlong(order, next, axis); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// pickedAlong is take_along_axis for positions that a sort gave, owned by the scope.
func (s *scope) pickedAlong(a, at *Array, axis int) (*Array, error) {
	out, err := s.own(s.c.alloc(a.view.Type, at.view.Shape, nil))
	if err != nil || out.size == 0 {
		return out, err
	}
	x, err := s.packed(a, a.view.Type)
	if err != nil {
		return nil, err
	}
	if at, err = s.packed(at, tile.Int64); err != nil {
		return nil, err
	}
	return out, s.c.routine("take_along", tile.IntAttr("axis", int64(axis))).in(x.view).in(at.view).out(out).submit("lexsort")
}

// maxColumns bounds the elements of a row that uniqueRows sorts by, and fewColumns and rowsPerColumn those of few rows:
// a sort by one of them takes some 30 us however few there are, and NumPy looks no farther than where two rows differ.
const maxColumns, fewColumns, rowsPerColumn = 256, 4, 16

// uniqueRows is unique along an axis: rows are sorted by their elements from the first on, and
// those that differ from the one before are kept. NaNs differ.
func (s *scope) uniqueRows(a *Array, along Value, want [3]bool) (Value, error) {
	at, err := s.integer(along, 0)
	if err != nil {
		return Value{}, err
	}
	if at, err = axis(at, a.Ndim(), ""); err != nil {
		return Value{}, err
	}
	n := a.view.Shape[at]
	if a.size == 0 || a.size/n > min(maxColumns, fewColumns+n/rowsPerColumn) {
		return Value{}, &Fallback{"unique along an axis of such an array"}
	}
	order := append([]int{at}, slices.Delete(slices.Collect(seq(a.Ndim())), at, at+1)...)
	front := s.turned(a, order)
	rows, err := s.own(s.c.Reshape(front, []int{n, a.size / n}))
	if err != nil {
		return Value{}, err
	}
	var keys []*Array
	for k := a.size/n - 1; k >= 0; k-- {
		key, _ := s.own(rows.take(1, k), nil)
		keys = append(keys, key)
	}
	places, err := s.lexicographic(keys, 0)
	if err != nil {
		return Value{}, err
	}
	sorted, err := s.own(s.take("unique", rows, places, 0, takeWrap))
	if err != nil {
		return Value{}, err
	}
	first, err := s.own(s.c.full([]int{n}, tile.BoolScalar(true), "unique"))
	if err != nil {
		return Value{}, err
	}
	if n > 1 {
		before, _ := s.own(sorted.span(0, 0, n-1), nil)
		after, _ := s.own(sorted.span(0, 1, n-1), nil)
		differ, err := s.own(s.c.Binary(NotEqual, Of(before), Of(after)))
		if err != nil {
			return Value{}, err
		}
		any, err := anyOf(s, []Value{Of(differ), Int(1), {}, {}, {}})
		if err != nil {
			return Value{}, err
		}
		s.own(any.Array, nil)
		rest, _ := s.own(first.span(0, 1, n-1), nil)
		if err := s.c.move(rest, any.Array, "unique"); err != nil {
			return Value{}, err
		}
	}
	starts, err := s.own(s.positionsOf(first))
	if err != nil {
		return Value{}, err
	}
	kept, err := s.own(s.take("unique", sorted, starts, 0, takeWrap))
	if err != nil {
		return Value{}, err
	}
	shape := slices.Clone(front.view.Shape)
	shape[0] = starts.size
	if kept, err = s.own(s.c.Reshape(kept, shape)); err != nil {
		return Value{}, err
	}
	back := make([]int, a.Ndim())
	for i, axis := range order {
		back[axis] = i
	}
	results := []*Array{s.turned(kept, back)}
	if want[0] {
		index, err := s.own(s.take("unique", places, starts, 0, takeWrap))
		if err != nil {
			return Value{}, err
		}
		results = append(results, index)
	}
	if want[1] {
		inverse, err := s.inverseOf(first, places)
		if err != nil {
			return Value{}, err
		}
		results = append(results, inverse)
	}
	if want[2] {
		counts, err := s.gaps(starts, n)
		if err != nil {
			return Value{}, err
		}
		results = append(results, counts)
	}
	var values []Value
	for _, r := range results {
		values = append(values, Of(r.same()))
	}
	if len(values) == 1 {
		return values[0], nil
	}
	return Tuple(values...), nil
}

// inverseOf returns for each place the number of the run of equal rows that it came to.
func (s *scope) inverseOf(first, places *Array) (*Array, error) {
	sum, err := s.scan("add", first, Int(0), DTypeOf(tile.Int64), Value{})
	if err != nil {
		return nil, err
	}
	runs, err := s.own(sum.Array, nil)
	if err != nil {
		return nil, err
	}
	if runs, err = s.own(s.c.Binary(Subtract, Of(runs), Int(1))); err != nil {
		return nil, err
	}
	out, err := s.own(s.c.alloc(tile.Int64, places.view.Shape, nil))
	if err != nil {
		return nil, err
	}
	sel := &selection{view: out, axes: []int{0}, at: []*Array{places}, shape: places.view.Shape, mode: takeWrap}
	// Every element of out is written, but it is an update: it has to have a value.
	if err := s.c.fill(out, tile.IntScalar(tile.Int64, 0), "unique"); err != nil {
		return nil, err
	}
	return out, s.scatter("unique", "scatter", sel, runs)
}

// gaps returns the distances from each start to the next, the last one to n.
func (s *scope) gaps(starts *Array, n int) (*Array, error) {
	out, err := s.own(s.c.alloc(tile.Int64, starts.view.Shape, nil))
	if err != nil {
		return nil, err
	}
	if err := s.c.fill(out, tile.IntScalar(tile.Int64, int64(n)), "unique"); err != nil {
		return nil, err
	}
	if starts.size > 1 {
		to, _ := s.own(out.span(0, 0, starts.size-1), nil)
		next, _ := s.own(starts.span(0, 1, starts.size-1), nil)
		if err := s.c.move(to, next, "unique"); err != nil {
			return nil, err
		}
	}
	return out, s.c.InPlace(Subtract, out, Of(starts))
}

// seq counts from 0 to n-1.
func seq(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}
