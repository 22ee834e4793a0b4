package routines

// Scans of integers. Their combinations are the same however they are grouped, so that four elements are combined with
// each other before they meet those that came before: a step waits for the one before it once in four elements.
//
//	acc | a b c d       acc a, acc ab, acc abc, acc (ab)(cd)
//
// Each operation has loops of its own: one of a function or of a type's method would call it for each element, as Go
// compiles generic code once for all types of a kind.

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// summing adds, and wraps.
func summing[T integer]() scanner[T] {
	return scanner[T]{
		run: func(dst, src []T, acc T) {
			dst = dst[:len(src)]
			i := 0
			for ; i+4 <= len(src); i += 4 {
				x, to := (*[4]T)(src[i:i+4]), (*[4]T)(dst[i:i+4])
				a, b, c, d := x[0], x[1], x[2], x[3]
				ab := a + b
				abc, cd := ab+c, c+d
				to[0], to[1], to[2] = acc+a, acc+ab, acc+abc
				acc += ab + cd
				to[3] = acc
			}
			for ; i < len(src); i++ {
				acc += src[i]
				dst[i] = acc
			}
		},
		fold: func(src []T, acc T) T {
			i := 0
			for ; i+4 <= len(src); i += 4 {
				x := (*[4]T)(src[i : i+4])
				ab, cd := x[0]+x[1], x[2]+x[3]
				acc += ab + cd
			}
			for ; i < len(src); i++ {
				acc += src[i]
			}
			return acc
		},
		zip: func(dst, acc, x []T) {
			dst, acc = dst[:len(x)], acc[:len(x)]
			for i := range x {
				dst[i] = acc[i] + x[i]
			}
		},
	}
}

// compounding multiplies, and wraps.
func compounding[T integer]() scanner[T] {
	return scanner[T]{
		run: func(dst, src []T, acc T) {
			dst = dst[:len(src)]
			i := 0
			for ; i+4 <= len(src); i += 4 {
				x, to := (*[4]T)(src[i:i+4]), (*[4]T)(dst[i:i+4])
				a, b, c, d := x[0], x[1], x[2], x[3]
				ab := a * b
				abc, cd := ab*c, c*d
				to[0], to[1], to[2] = acc*a, acc*ab, acc*abc
				acc *= ab * cd
				to[3] = acc
			}
			for ; i < len(src); i++ {
				acc *= src[i]
				dst[i] = acc
			}
		},
		fold: func(src []T, acc T) T {
			i := 0
			for ; i+4 <= len(src); i += 4 {
				x := (*[4]T)(src[i : i+4])
				ab, cd := x[0]*x[1], x[2]*x[3]
				acc *= ab * cd
			}
			for ; i < len(src); i++ {
				acc *= src[i]
			}
			return acc
		},
		zip: func(dst, acc, x []T) {
			dst, acc = dst[:len(x)], acc[:len(x)]
			for i := range x {
				dst[i] = acc[i] * x[i]
			}
		},
	}
}

// peak is maximum or minimum, which is the maximum of complements: those of integers have the other order.
func peak[T integer](least bool) scanner[T] {
	var flip T
	if least {
		flip = ^flip
	}
	return scanner[T]{
		run: func(dst, src []T, acc T) {
			dst = dst[:len(src)]
			acc ^= flip
			i := 0
			for ; i+4 <= len(src); i += 4 {
				x, to := (*[4]T)(src[i:i+4]), (*[4]T)(dst[i:i+4])
				a, b, c, d := x[0]^flip, x[1]^flip, x[2]^flip, x[3]^flip
				ab := max(a, b)
				abc, cd := max(ab, c), max(c, d)
				to[0], to[1], to[2] = max(acc, a)^flip, max(acc, ab)^flip, max(acc, abc)^flip
				acc = max(acc, max(ab, cd))
				to[3] = acc ^ flip
			}
			for ; i < len(src); i++ {
				acc = max(acc, src[i]^flip)
				dst[i] = acc ^ flip
			}
		},
		fold: func(src []T, acc T) T {
			acc ^= flip
			i := 0
			for ; i+4 <= len(src); i += 4 {
				x := (*[4]T)(src[i : i+4])
				ab, cd := max(x[0]^flip, x[1]^flip), max(x[2]^flip, x[3]^flip)
				acc = max(acc, max(ab, cd))
			}
			for ; i < len(src); i++ {
				acc = max(acc, src[i]^flip)
			}
			return acc ^ flip
		},
		zip: func(dst, acc, x []T) {
			dst, acc = dst[:len(x)], acc[:len(x)]
			for i := range x {
				dst[i] = max(acc[i]^flip, x[i]^flip) ^ flip
			}
		},
	}
}
