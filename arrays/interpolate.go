package arrays

import "weft/tile"

// interpolationFuncs are the rows that interpolate.
var interpolationFuncs = []row{
	{"interp", "x, xp, fp, left=None, right=None, period=None", "",
		"One-dimensional linear interpolation for monotonically increasing sample points.", interp},
}

// interp leaves what has no points, complex values and periods to NumPy, which words the errors.
func interp(s *scope, v []Value) (Value, error) {
	if v[5].given() {
		return Value{}, &Fallback{"interp with a period"}
	}
	var of [3]*Array
	for i := range of {
		a, err := s.array(v[i])
		if err != nil {
			return Value{}, err
		}
		if a.view.Type.Is(tile.KindComplex) {
			return Value{}, &Fallback{"interp of complex numbers"}
		}
		of[i] = a
	}
	if x, y := of[1], of[2]; x.Ndim() != 1 || y.Ndim() != 1 || x.size != y.size || x.size == 0 {
		return Value{}, &Fallback{"interp between such points"}
	}
	var err error
	for i := range of {
		if of[i], err = s.packed(of[i], tile.Float64); err != nil {
			return Value{}, err
		}
	}
	var ends [2]float64
	for i, beyond := range v[3:5] {
		if ends[i], err = s.end(beyond); err != nil {
			return Value{}, err
		}
	}
	at := of[0]
	out, err := s.c.alloc(tile.Float64, at.view.Shape, nil)
	if err != nil || out.size == 0 {
		return result(out, err)
	}
	out.Scalar = at.Ndim() == 0
	call := s.c.routine("interp", flag("left", v[3].given()), flag("right", v[4].given()))
	call.in(at.view).in(of[1].view).in(of[2].view).out(out)
	for _, end := range ends {
		call.uniform(tile.FloatScalar(tile.Float64, end))
	}
	if err := call.submit("interp"); err != nil {
		out.Free()
		return Value{}, err
	}
	return Of(out), nil
}

// end is what is beyond an end of the points; 0 where nothing was said.
func (s *scope) end(v Value) (float64, error) {
	if !v.given() {
		return 0, nil
	}
	n, err := s.number(v)
	if err != nil {
		return 0, err
	}
	switch n.Kind {
	case FloatValue:
		return n.Float, nil
	case IntValue, BoolValue:
		return float64(n.Int), nil
	}
	return 0, &Fallback{"interp with such an end"}
}
