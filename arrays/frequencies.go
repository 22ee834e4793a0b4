package arrays

import "weft/tile"

// fftfreq is the frequencies of a transform of n points d apart; the half of them with real.
func fftfreq(real bool) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		d, err := s.number(orInt(v[1], 1))
		if err != nil {
			return Value{}, err
		}
		if v[0].Kind != IntValue || d.Kind != IntValue && d.Kind != FloatValue || v[2].given() {
			return Value{}, &Fallback{"frequencies of something that is not a number"} // NumPy words the error
		}
		n, step := int(v[0].Int), d.Float
		if d.Kind == IntValue {
			step = float64(d.Int)
		}
		if n < 1 || float64(n)*step == 0 {
			return Value{}, &Fallback{"frequencies of no points"} // NumPy words the error
		}
		each := func(low, high int) (*Array, error) {
			v, err := arange(s, []Value{Int(int64(low)), Int(int64(high)), {}, {}, {}, {}})
			if err != nil {
				return nil, err
			}
			return s.own(v.Array, nil)
		}
		per := Float(1 / (float64(n) * step))
		if real {
			k, err := each(0, n/2+1)
			if err != nil {
				return Value{}, err
			}
			return result(s.c.Binary(Multiply, Of(k), per))
		}
		out, err := s.c.alloc(tile.Float64, []int{n}, nil)
		if err != nil {
			return Value{}, err
		}
		half := (n-1)/2 + 1
		for _, part := range [2]struct{ from, low, high int }{{0, 0, half}, {half, -(n / 2), 0}} {
			if part.low == part.high {
				continue
			}
			k, err := each(part.low, part.high)
			if err == nil {
				k, err = s.own(s.c.Binary(Multiply, Of(k), per))
			}
			if err == nil {
				to, _ := s.own(out.span(0, part.from, part.high-part.low), nil)
				err = s.c.move(to, k, "fftfreq")
			}
			if err != nil {
				out.Free()
				return Value{}, err
			}
		}
		return Of(out), nil
	}
}

func orInt(v Value, otherwise int64) Value {
	if v.Kind == Missing {
		return Int(otherwise)
	}
	return v
}

// hermitian is a real transform of the other direction, of or into conjugates: hfft, and with
// back ihfft.
func hermitian(back bool) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		a, err := s.array(v[0])
		if err != nil {
			return Value{}, err
		}
		// NumPy's norms count the other way.
		swapped := map[string]string{"backward": "forward", "forward": "backward", "ortho": "ortho"}
		norm := String("forward")
		if v[3].given() {
			if v[3].Kind != StringValue || swapped[v[3].String] == "" {
				return Value{}, &Fallback{"another norm"} // NumPy words the error
			}
			norm = String(swapped[v[3].String])
		}
		if !back {
			if a, err = s.own(s.c.Unary(Conjugate, Of(a))); err != nil {
				return Value{}, err
			}
			return transform1(inverseReal)(s, []Value{Of(a), v[1], v[2], norm, {}}) // NumPy does not look at out= here
		}
		x, err := transform1(forwardReal)(s, []Value{Of(a), v[1], v[2], norm, {}})
		if err != nil {
			return Value{}, err
		}
		s.own(x.Array, nil)
		if !v[4].given() {
			return result(s.c.Unary(Conjugate, x))
		}
		conjugate, err := s.own(s.c.Unary(Conjugate, x))
		if err != nil {
			return Value{}, err
		}
		return s.into(conjugate, v[4], "fft.ihfft")
	}
}
