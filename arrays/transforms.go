package arrays

import (
	"math"
	"slices"

	"weft/tile"
)

// transformFuncs are the rows of numpy.fft.
var transformFuncs = []row{
	{"fft.fft", "a, n=None, axis=-1, norm=None, out=None", "", "Compute the one-dimensional discrete Fourier Transform.\n\nfloat32 and complex64 are computed in double precision and rounded.", transform1(forward)},
	{"fft.ifft", "a, n=None, axis=-1, norm=None, out=None", "", "Compute the one-dimensional inverse discrete Fourier Transform.", transform1(inverse)},
	{"fft.rfft", "a, n=None, axis=-1, norm=None, out=None", "", "Compute the one-dimensional discrete Fourier Transform for real input.", transform1(forwardReal)},
	{"fft.irfft", "a, n=None, axis=-1, norm=None, out=None", "", "Computes the inverse of rfft.", transform1(inverseReal)},
	{"fft.fft2", "a, s=None, axes=(-2, -1), norm=None, out=None", "", "Compute the 2-dimensional discrete Fourier Transform.", transformN(forward, true)},
	{"fft.ifft2", "a, s=None, axes=(-2, -1), norm=None, out=None", "", "Compute the 2-dimensional inverse discrete Fourier Transform.", transformN(inverse, true)},
	{"fft.rfft2", "a, s=None, axes=(-2, -1), norm=None, out=None", "", "Compute the 2-dimensional FFT of a real array.", transformN(forwardReal, true)},
	{"fft.irfft2", "a, s=None, axes=(-2, -1), norm=None, out=None", "", "Computes the inverse of rfft2.", transformN(inverseReal, true)},
	{"fft.fftn", "a, s=None, axes=None, norm=None, out=None", "", "Compute the N-dimensional discrete Fourier Transform.", transformN(forward, false)},
	{"fft.ifftn", "a, s=None, axes=None, norm=None, out=None", "", "Compute the N-dimensional inverse discrete Fourier Transform.", transformN(inverse, false)},
	{"fft.rfftn", "a, s=None, axes=None, norm=None, out=None", "", "Compute the N-dimensional discrete Fourier Transform for real input.", transformN(forwardReal, false)},
	{"fft.irfftn", "a, s=None, axes=None, norm=None, out=None", "", "Computes the inverse of rfftn.", transformN(inverseReal, false)},
	{"fft.hfft", "a, n=None, axis=-1, norm=None, out=None", "", "Compute the FFT of a signal that has Hermitian symmetry, i.e., a real spectrum.", hermitian(false)},
	{"fft.ihfft", "a, n=None, axis=-1, norm=None, out=None", "", "Compute the inverse FFT of a signal that has Hermitian symmetry.", hermitian(true)},
	{"fft.fftfreq", "n, d=1.0, device=None", "", "Return the Discrete Fourier Transform sample frequencies.", fftfreq(false)},
	{"fft.rfftfreq", "n, d=1.0, device=None", "", "Return the Discrete Fourier Transform sample frequencies, for usage with rfft, irfft.", fftfreq(true)},
	{"fft.fftshift", "x, axes=None", "", "Shift the zero-frequency component to the center of the spectrum.", shifted(1)},
	{"fft.ifftshift", "x, axes=None", "", "The inverse of fftshift.", shifted(-1)},
}

// transformKind is one of the four kinds of transforms.
type transformKind int

const (
	forward transformKind = iota
	inverse
	forwardReal // of real numbers: half of the result
	inverseReal // of such a half
)

// isInverse reports whether NumPy's norms count backwards.
func (k transformKind) isInverse() bool { return k == inverse || k == inverseReal }

// plain is what the other axes of a transform of several axes get.
func (k transformKind) plain() transformKind {
	if k.isInverse() {
		return inverse
	}
	return forward
}

func transform1(kind transformKind) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		a, err := s.array(v[0])
		if err != nil {
			return Value{}, err
		}
		at, err := s.integer(v[2], -1)
		if err != nil {
			return Value{}, err
		}
		if at, err = axis(at, a.Ndim(), ""); err != nil {
			return Value{}, &Fallback{"a transform along no axis"} // NumPy words the error
		}
		n := -1
		if v[1].given() {
			if n, err = s.integer(v[1], 0); err != nil {
				return Value{}, err
			}
			if n < 1 {
				return Value{}, badLength(n)
			}
		}
		return s.transformed(v[3], v[4], func() (*Array, error) { return s.transform(kind, a, n, at, v[3]) })
	}
}

func badLength(n int) error {
	return errorf("ValueError", "Invalid number of FFT data points (%d) specified.", n)
}

// transformed runs a transform, into out= where that is given.
func (s *scope) transformed(norm, out Value, run func() (*Array, error)) (Value, error) {
	if err := plain("norm=", norm, "backward", "ortho", "forward"); err != nil {
		return Value{}, err
	}
	if !out.given() {
		return result(run())
	}
	x, err := s.own(run())
	if err != nil {
		return Value{}, err
	}
	return s.into(x, out, "a transform")
}

func transformN(kind transformKind, two bool) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		a, err := s.array(v[0])
		if err != nil {
			return Value{}, err
		}
		if v[1].given() || a.Ndim() == 0 {
			return Value{}, &Fallback{"a transform with s="}
		}
		var axes []int
		switch {
		case v[2].given():
			if axes, err = s.shape(v[2]); err != nil {
				return Value{}, err
			}
		case two && v[2].Kind == Missing:
			axes = []int{-2, -1}
		default:
			for i := range a.Ndim() {
				axes = append(axes, i)
			}
		}
		for i := range axes {
			if axes[i], err = axis(axes[i], a.Ndim(), ""); err != nil {
				return Value{}, &Fallback{"a transform along no axis"}
			}
		}
		if len(axes) == 0 {
			return Value{}, &Fallback{"a transform along no axes"}
		}
		out := v[4]
		if two && kind.isInverse() {
			out = Value{} // to which NumPy's write nothing
		}
		return s.transformed(v[3], out, func() (*Array, error) { return s.transformAxes(kind, a, axes, v[3]) })
	}
}

// transformAxes transforms one axis after the other: the real one first on the way there, and
// last on the way back. An axis that stands there twice has the length that a has along it both times, whatever
// the first transform left.
func (s *scope) transformAxes(kind transformKind, a *Array, axes []int, norm Value) (*Array, error) {
	order := slices.Clone(axes)
	if kind != inverseReal {
		slices.Reverse(order)
	}
	lengths := make([]int, len(order))
	for i, at := range order {
		lengths[i] = a.view.Shape[at]
	}
	if kind == inverseReal {
		lengths[len(order)-1] = 2 * (lengths[len(order)-1] - 1)
	}
	for i, at := range order {
		k := kind.plain()
		if kind == forwardReal && i == 0 || kind == inverseReal && i == len(order)-1 {
			k = kind
		}
		x, err := s.transform(k, a, lengths[i], at, norm)
		if err != nil || i == len(order)-1 {
			return x, err
		}
		a, _ = s.own(x, nil)
	}
	return a, nil
}

// transform transforms along an axis. n is the number of points, or -1 for those that the
// array has.
func (s *scope) transform(kind transformKind, a *Array, n, axis int, norm Value) (*Array, error) {
	in, out := tile.Complex128, tile.Complex128
	switch kind {
	case forward, inverse:
		if !a.view.Type.Is(tile.KindComplex) {
			in = tile.Float64
		}
	case forwardReal:
		if a.view.Type.Is(tile.KindComplex) {
			return nil, &Fallback{"a real transform of complex numbers"} // NumPy words the error
		}
		in = tile.Float64
	case inverseReal:
		out = tile.Float64
	}
	extent := a.view.Shape[axis]
	if n < 0 {
		n = extent
		if kind == inverseReal {
			n = 2 * (extent - 1)
		}
	}
	if n < 1 {
		return nil, badLength(n)
	}
	need, points := n, n
	switch kind {
	case forwardReal:
		points = n/2 + 1
	case inverseReal:
		need = n/2 + 1
	}
	padded, err := s.cut(a, axis, need, in)
	if err != nil {
		return nil, err
	}
	scale := 1.0
	switch {
	case norm.Kind == StringValue && norm.String == "ortho":
		scale = 1 / math.Sqrt(float64(n))
	case (norm.Kind == StringValue && norm.String == "forward") != kind.isInverse():
		scale = 1 / float64(n)
	}
	var attrs []tile.Attr
	if kind == forward || kind == inverse {
		attrs = append(attrs, flag("inverse", kind == inverse))
	}
	routine := [...]string{"fft", "fft", "rfft", "irfft"}[kind]
	x, err := s.asItLies(padded, axis, copyOrder(padded.view), func(a *Array, axis int) (*Array, error) {
		return s.alongRows(a, axis, points, in, out, func(x, r *Array) error {
			return s.c.routine(routine, attrs...).in(x.view).out(r).uniform(tile.FloatScalar(tile.Float64, scale)).submit(routine)
		})
	})
	if err != nil {
		return nil, err
	}
	if single(a.view.Type) {
		s.own(x, nil)
		small := tile.Complex64
		if kind == inverseReal {
			small = tile.Float32
			if a.view.Type == tile.Float16 {
				small = tile.Float16
			}
		}
		return s.c.castAsItLies(x, small, routine)
	}
	return x, nil
}

// single reports whether NumPy transforms a dtype in single precision.
func single(t tile.DType) bool {
	return t == tile.Float16 || t == tile.Float32 || t == tile.Complex64
}

// cut returns the array with n points along an axis: the first ones, or zeros behind them.
// The scope owns it unless it is a.
func (s *scope) cut(a *Array, axis, n int, t tile.DType) (*Array, error) {
	extent := a.view.Shape[axis]
	if n <= extent {
		if n == extent {
			return a, nil
		}
		return s.own(a.span(axis, 0, n), nil)
	}
	shape := slices.Clone(a.view.Shape)
	shape[axis] = n
	x, err := s.own(s.c.fullIn(shape, copyOrder(a.view), numberScalar(t, 0, 0), "zeros"))
	if err != nil || a.size == 0 {
		return x, err
	}
	part, _ := s.own(x.span(axis, 0, extent), nil)
	return x, s.c.move(part, a, "copy")
}

// shifted is fftshift, or for -1 ifftshift: half of each axis, rounded down or up.
func shifted(direction int) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		a, err := s.array(v[0])
		if err != nil {
			return Value{}, err
		}
		if a.Ndim() == 0 {
			return Value{}, &Fallback{"a shift of a number"} // NumPy words the error
		}
		var axes []int
		if v[1].given() {
			if axes, err = s.shape(v[1]); err != nil {
				return Value{}, err
			}
		} else {
			for i := range a.Ndim() {
				axes = append(axes, i)
			}
		}
		x := a
		for _, i := range axes {
			if i, err = axis(i, a.Ndim(), ""); err != nil {
				return Value{}, &Fallback{"a shift along no axis"} // NumPy words the error
			}
			if x, err = s.own(s.rolled(x, i, direction*(a.view.Shape[i]/2))); err != nil {
				return Value{}, err
			}
		}
		if x == a {
			return result(s.c.astype(a, a.view.Type, "copy"))
		}
		return Of(x.same()), nil
	}
}
