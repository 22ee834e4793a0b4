package arrays

import (
	"math"
	"slices"
)

// linalgCond is the ratio of the largest and the smallest singular value.
func linalgCond(s *scope, v []Value) (Value, error) {
	p := 2.0
	if v[1].given() {
		ok, err := false, error(nil)
		if p, ok, err = s.order(v[1]); err != nil {
			return Value{}, err
		}
		if !ok || math.Abs(p) != 2 {
			return Value{}, &Fallback{"p= of cond other than 2"} // NumPy inverts without raising
		}
	}
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	w, err := s.singularValues("cond", Of(a))
	if err != nil {
		return Value{}, err
	}
	n := w.Ndim() - 1
	high, err := s.own(w.take(n, 0), nil)
	if err != nil {
		return Value{}, err
	}
	low, err := s.own(w.take(n, w.view.Shape[n]-1), nil)
	if err != nil {
		return Value{}, err
	}
	if p < 0 {
		high, low = low, high
	}
	r, err := s.step(Divide, Of(high), Of(low))
	if err != nil {
		return Value{}, err
	}
	// 0/0 is infinite unless the matrix had a NaN.
	odd, err := s.step(IsNaN, r, Value{})
	if err != nil {
		return Value{}, err
	}
	clean, err := s.step(Equal, Of(a), Of(a))
	if err != nil {
		return Value{}, err
	}
	whole, err := s.do("all", clean.Array, Keyword{"axis", []int{-2, -1}})
	if err != nil {
		return Value{}, err
	}
	if odd, err = s.step(LogicalAnd, odd, Of(whole)); err != nil {
		return Value{}, err
	}
	x, err := s.do("where", odd.Array, math.Inf(1), r.Array)
	if err != nil {
		return Value{}, err
	}
	return s.give(x), nil
}

// tolerance reads what pinv and matrix_rank take: the number that is given, or the usual one.
func (s *scope) tolerance(v Value, usual float64) (float64, error) {
	if !v.given() {
		return usual, nil
	}
	if v.Kind == ArrayValue && v.Array.Ndim() > 0 {
		return 0, &Fallback{"tolerances that are an array"}
	}
	v, err := s.number(v)
	if err != nil {
		return 0, err
	}
	return floatOf(v)
}

func linalgPinv(s *scope, v []Value) (Value, error) {
	if hermitian, err := truth(v[2], false); err != nil || hermitian {
		return Value{}, &Fallback{"hermitian=True of pinv"}
	}
	if v[3].Kind != Missing {
		return Value{}, &Fallback{"rtol= of pinv"}
	}
	rcond, err := s.tolerance(v[1], 1e-15)
	if err != nil {
		return Value{}, err
	}
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	conjugate, err := s.step(Conjugate, Of(a), Value{})
	if err != nil {
		return Value{}, err
	}
	x, err := s.singular(conjugate, false)
	if err != nil {
		return Value{}, err
	}
	u, w, vh := x[0], x[1], x[2]
	most, err := s.do("max", axisAnd(-1, true, w)...)
	if err != nil {
		return Value{}, err
	}
	cutoff, err := s.step(Multiply, Of(most), Float(rcond))
	if err != nil {
		return Value{}, err
	}
	large, err := s.step(Greater, Of(w), cutoff)
	if err != nil {
		return Value{}, err
	}
	inverse, err := s.step(Divide, Float(1), Of(w))
	if err != nil {
		return Value{}, err
	}
	kept, err := s.do("where", large.Array, inverse.Array, 0.0)
	if err != nil {
		return Value{}, err
	}
	column, err := s.own(s.c.Reshape(kept, append(slices.Clone(kept.view.Shape), 1)))
	if err != nil {
		return Value{}, err
	}
	turned, err := s.own(transposed(u), nil)
	if err != nil {
		return Value{}, err
	}
	scaled, err := s.step(Multiply, Of(column), Of(turned))
	if err != nil {
		return Value{}, err
	}
	back, err := s.own(transposed(vh), nil)
	if err != nil {
		return Value{}, err
	}
	y, err := s.own(s.c.Matmul(Of(back), scaled))
	if err != nil {
		return Value{}, err
	}
	return s.give(y), nil
}

// transposed swaps the last two axes.
func transposed(a *Array) *Array {
	order := make([]int, a.Ndim())
	for i := range order {
		order[i] = i
	}
	n := len(order)
	order[n-2], order[n-1] = n-1, n-2
	return a.permuted(order)
}

func linalgRank(s *scope, v []Value) (Value, error) {
	if hermitian, err := truth(v[2], false); err != nil || hermitian {
		return Value{}, &Fallback{"hermitian=True of matrix_rank"}
	}
	if v[1].given() && v[3].given() {
		return Value{}, errorf("ValueError", "`tol` and `rtol` can't be both set.")
	}
	if v[0].Kind != ArrayValue || v[0].Array.Ndim() < 2 {
		return Value{}, &Fallback{"matrix_rank of a vector"}
	}
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	w, err := s.singularValues("matrix_rank", Of(a))
	if err != nil {
		return Value{}, err
	}
	m, n, _ := extents(a)
	rtol, err := s.tolerance(v[3], epsilon(w.view.Type)*float64(max(m, n)))
	if err != nil {
		return Value{}, err
	}
	most, err := s.do("max", axisAnd(-1, true, w)...)
	if err != nil {
		return Value{}, err
	}
	limit, err := s.step(Multiply, Of(most), Float(rtol))
	if err != nil {
		return Value{}, err
	}
	if v[1].given() {
		tol, err := s.tolerance(v[1], 0)
		if err != nil {
			return Value{}, err
		}
		limit = Float(tol)
	}
	large, err := s.step(Greater, Of(w), limit)
	if err != nil {
		return Value{}, err
	}
	x, err := s.do("sum", axisAnd(-1, false, large.Array)...)
	if err != nil {
		return Value{}, err
	}
	return s.give(x), nil
}
