package arrays

import (
	"weft/tile"
)

func linalgQR(s *scope, v []Value) (Value, error) {
	mode := "reduced"
	if v[1].given() {
		mode = v[1].String
	}
	a, t, single, err := s.matrix(v[0])
	if err != nil {
		return Value{}, err
	}
	m, n, stack := extents(a)
	given := a.view // as it lies before it is cast
	if v[0].Kind == ArrayValue {
		given = v[0].Array.view
	}
	if (len(stack) > 0 || mode == "raw") && outOfOrder(given, false) {
		return Value{}, &Fallback{"qr of what lies otherwise"} // as its factors do then
	}
	k := min(m, n)
	both := []tile.DType{t, t}
	routine := "linalg.qr"
	var shapes [][]int
	switch mode {
	case "reduced":
		shapes = [][]int{{m, k}, {k, n}}
	case "complete":
		shapes = [][]int{{m, m}, {m, n}}
	case "r":
		routine, shapes = "linalg.qr.r", [][]int{{k, n}}
	case "raw":
		routine, shapes = "linalg.qr.raw", [][]int{{m, n}, {k}}
	default:
		return Value{}, &Fallback{"mode='" + mode + "' of qr"} // NumPy words the warning or the error
	}
	x, err := s.results(stack, both, shapes...)
	if err != nil {
		return Value{}, err
	}
	if mode == "raw" { // LAPACK's factor, by columns, is seen by rows
		if x[0], err = s.own(transposed(x[0]), nil); err != nil {
			return Value{}, err
		}
	}
	if err := s.factor("qr", routine, a.view, false, single, x); err != nil {
		return Value{}, err
	}
	return s.give(x...), nil
}

func linalgSVD(s *scope, v []Value) (Value, error) {
	full, err := truth(v[1], true)
	if err != nil {
		return Value{}, err
	}
	vectors, err := truth(v[2], true)
	if err != nil {
		return Value{}, err
	}
	if hermitian, err := truth(v[3], false); err != nil || hermitian {
		return Value{}, &Fallback{"hermitian=True of svd"}
	}
	if !vectors {
		return linalgSVDValues(s, v)
	}
	x, err := s.singular(v[0], full)
	if err != nil {
		return Value{}, err
	}
	return s.give(x...), nil
}

// singular returns u, the singular values, and vh.
func (s *scope) singular(v Value, full bool) ([]*Array, error) {
	a, t, single, err := s.matrix(v)
	if err != nil {
		return nil, err
	}
	m, n, stack := extents(a)
	k := min(m, n)
	left, right := k, k
	if full {
		left, right = m, n
	}
	x, err := s.results(stack, []tile.DType{t, t.Real(), t}, []int{m, left}, []int{k}, []int{right, n})
	if err != nil {
		return nil, err
	}
	return x, s.factor("svd", "linalg.svd", a.view, true, single, x)
}

func linalgSVDValues(s *scope, v []Value) (Value, error) {
	x, err := s.singularValues("svdvals", v[0])
	if err != nil {
		return Value{}, err
	}
	return s.give(x), nil
}

func (s *scope) singularValues(name string, v Value) (*Array, error) {
	a, t, single, err := s.matrix(v)
	if err != nil {
		return nil, err
	}
	m, n, stack := extents(a)
	x, err := s.results(stack, []tile.DType{t.Real()}, []int{min(m, n)})
	if err != nil {
		return nil, err
	}
	err = s.factor(name, "linalg.svdvals", a.view, true, single, x)
	return x[0], err
}

// triangleArg reads UPLO.
func triangleArg(v Value) (tile.Attr, error) {
	upper := 0
	switch {
	case v.Kind == None:
		return tile.Attr{}, &Fallback{"UPLO=None"} // NumPy words the error
	case !v.given() || v.String == "L" || v.String == "l":
	case v.String == "U" || v.String == "u":
		upper = 1
	default:
		return tile.Attr{}, errorf("ValueError", "UPLO argument must be 'L' or 'U'")
	}
	return tile.IntAttr("upper", int64(upper)), nil
}

func linalgEigh(s *scope, v []Value) (Value, error) { return s.symmetric("eigh", v, true) }

func linalgEigvalsh(s *scope, v []Value) (Value, error) { return s.symmetric("eigvalsh", v, false) }

func (s *scope) symmetric(name string, v []Value, vectors bool) (Value, error) {
	attr, err := triangleArg(v[1])
	if err != nil {
		return Value{}, err
	}
	a, t, single, err := s.square(v[0])
	if err != nil {
		return Value{}, err
	}
	n, _, stack := extents(a)
	shapes := [][]int{{n}}
	if vectors {
		shapes = append(shapes, []int{n, n})
	}
	x, err := s.results(stack, []tile.DType{t.Real(), t}, shapes...)
	if err != nil {
		return Value{}, err
	}
	if err := s.factor(name, "linalg."+name, a.view, true, single, x, attr); err != nil {
		return Value{}, err
	}
	return s.give(x...), nil
}

func linalgEig(s *scope, v []Value) (Value, error) { return s.general("eig", v[0], true) }

func linalgEigvals(s *scope, v []Value) (Value, error) { return s.general("eigvals", v[0], false) }

// general computes eigenvalues, whose dtype depends on the data: those of a real array are
// real if all of them are.
func (s *scope) general(name string, v Value, vectors bool) (Value, error) {
	a, t, single, err := s.square(v)
	if err != nil {
		return Value{}, err
	}
	finite, err := s.step(IsFinite, Of(a), Value{})
	if err != nil {
		return Value{}, err
	}
	if ok, err := s.allOf(finite.Array); err != nil || !ok {
		if err == nil {
			err = linalgError("Array must not contain infs or NaNs")
		}
		return Value{}, err
	}
	n, _, stack := extents(a)
	shapes := [][]int{{n}}
	if vectors {
		shapes = append(shapes, []int{n, n})
	}
	x, err := s.results(stack, []tile.DType{tile.Complex128, tile.Complex128}, shapes...)
	if err != nil {
		return Value{}, err
	}
	if err := s.factor(name, "linalg."+name, a.view, true, single, x); err != nil {
		return Value{}, err
	}
	if t.Is(tile.KindComplex) {
		return s.give(x...), nil
	}
	imaginary, err := s.own(x[0].Imag())
	if err != nil {
		return Value{}, err
	}
	zero := Float(0)
	none, err := s.step(Equal, Of(imaginary), zero)
	if err != nil {
		return Value{}, err
	}
	real, err := s.allOf(none.Array)
	if err != nil {
		return Value{}, err
	}
	if !real {
		return s.give(x...), nil
	}
	for i := range x {
		part, err := s.own(x[i].Real())
		if err != nil {
			return Value{}, err
		}
		x[i] = part // NumPy's are views of the complex numbers, where they are no float32
		if single {
			if x[i], err = s.own(s.c.copyOf(part)); err != nil {
				return Value{}, err
			}
		}
	}
	return s.give(x...), nil
}

// allOf waits for an array of bools and reports whether all are true.
func (s *scope) allOf(a *Array) (bool, error) {
	x, err := s.own(s.c.Call("all", a))
	if err != nil {
		return false, err
	}
	v, err := x.Item(s.c.Stop)
	return v.Bits[0] != 0, err
}
