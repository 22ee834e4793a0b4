package cpu

import (
	"math"
	"unsafe"
)

// The four operations that take most of the time have further loops for elements that lie
// side by side, and for a scalar with them.

func add[T number](n int, d, a, b, _ *operand) {
	switch arranged(unsafe.Sizeof(*at[T](d.p)), d, a, b) {
	case sideBySide:
		z, x, y := vector[T](d, n), vector[T](a, n), vector[T](b, n)
		x, y = x[:len(z)], y[:len(z)]
		for i := range z {
			z[i] = x[i] + y[i]
		}
		return
	case scalarRight:
		z, x, y := vector[T](d, n), vector[T](a, n), *at[T](b.p)
		x = x[:len(z)]
		for i := range z {
			z[i] = x[i] + y
		}
		return
	case scalarLeft:
		z, x, y := vector[T](d, n), *at[T](a.p), vector[T](b, n)
		y = y[:len(z)]
		for i := range z {
			z[i] = x + y[i]
		}
		return
	}
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = *at[T](ap) + *at[T](bp)
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func sub[T number](n int, d, a, b, _ *operand) {
	switch arranged(unsafe.Sizeof(*at[T](d.p)), d, a, b) {
	case sideBySide:
		z, x, y := vector[T](d, n), vector[T](a, n), vector[T](b, n)
		x, y = x[:len(z)], y[:len(z)]
		for i := range z {
			z[i] = x[i] - y[i]
		}
		return
	case scalarRight:
		z, x, y := vector[T](d, n), vector[T](a, n), *at[T](b.p)
		x = x[:len(z)]
		for i := range z {
			z[i] = x[i] - y
		}
		return
	case scalarLeft:
		z, x, y := vector[T](d, n), *at[T](a.p), vector[T](b, n)
		y = y[:len(z)]
		for i := range z {
			z[i] = x - y[i]
		}
		return
	}
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = *at[T](ap) - *at[T](bp)
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func mul[T real](n int, d, a, b, _ *operand) {
	switch arranged(unsafe.Sizeof(*at[T](d.p)), d, a, b) {
	case sideBySide:
		z, x, y := vector[T](d, n), vector[T](a, n), vector[T](b, n)
		x, y = x[:len(z)], y[:len(z)]
		for i := range z {
			z[i] = x[i] * y[i]
		}
		return
	case scalarRight:
		z, x, y := vector[T](d, n), vector[T](a, n), *at[T](b.p)
		x = x[:len(z)]
		for i := range z {
			z[i] = x[i] * y
		}
		return
	case scalarLeft:
		z, x, y := vector[T](d, n), *at[T](a.p), vector[T](b, n)
		y = y[:len(z)]
		for i := range z {
			z[i] = x * y[i]
		}
		return
	}
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = *at[T](ap) * *at[T](bp)
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func div[T float](n int, d, a, b, _ *operand) {
	switch arranged(unsafe.Sizeof(*at[T](d.p)), d, a, b) {
	case sideBySide:
		z, x, y := vector[T](d, n), vector[T](a, n), vector[T](b, n)
		x, y = x[:len(z)], y[:len(z)]
		for i := range z {
			z[i] = x[i] / y[i]
		}
		return
	case scalarRight:
		z, x, y := vector[T](d, n), vector[T](a, n), *at[T](b.p)
		x = x[:len(z)]
		for i := range z {
			z[i] = x[i] / y
		}
		return
	case scalarLeft:
		z, x, y := vector[T](d, n), *at[T](a.p), vector[T](b, n)
		y = y[:len(z)]
		for i := range z {
			z[i] = x / y[i]
		}
		return
	}
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = *at[T](ap) / *at[T](bp)
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func neg[T number](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = -*at[T](ap)
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func absSigned[T signedInt](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		x := *at[T](ap)
		*at[T](dp) = max(x, -x)
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func absFloat[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = T(math.Abs(float64(*at[T](ap))))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func signSigned[T signedInt](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = min(max(*at[T](ap), -1), 1)
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func signUnsigned[T unsignedInt](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = min(*at[T](ap), 1)
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func signFloat[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		x := *at[T](ap)
		switch {
		case x > 0:
			x = 1
		case x < 0:
			x = -1
		case x == 0:
			x = 0
		}
		*at[T](dp) = x
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func minInt[T integer](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = min(*at[T](ap), *at[T](bp))
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func maxInt[T integer](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = max(*at[T](ap), *at[T](bp))
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

// minFloat and maxFloat propagate NaN and of equal operands take the second. They choose between
// bits, not numbers: that way the compiler needs no branches, which random data makes slow.
func minFloat[T float, B bitsOf](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		x, y := *at[T](ap), *at[T](bp)
		taken, other := *at[B](ap), *at[B](bp)
		if x < y {
			other = taken
		}
		if x != x {
			other = taken
		}
		*at[B](dp) = other
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func maxFloat[T float, B bitsOf](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		x, y := *at[T](ap), *at[T](bp)
		taken, other := *at[B](ap), *at[B](bp)
		if x > y {
			other = taken
		}
		if x != x {
			other = taken
		}
		*at[B](dp) = other
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}
