package tile

// The integer rows of the reference table. Results may exceed the dtype t; they wrap
// afterwards.

// signedFloorDiv rounds towards minus infinity; x//0 is 0.
func signedFloorDiv(_ DType, a, b int64) int64 {
	switch b {
	case 0:
		return 0
	case -1:
		return -a // the smallest int64 wraps to itself, without trapping
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// signedRem has the divisor's sign; x%0 is 0.
func signedRem(_ DType, a, b int64) int64 {
	if b == 0 || b == -1 {
		return 0
	}
	r := a % b
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

func unsignedDiv(_ DType, a, b uint64) uint64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func unsignedRem(_ DType, a, b uint64) uint64 {
	if b == 0 {
		return 0
	}
	return a % b
}

// signedPow wraps. NumPy refuses negative exponents before it computes anything; here they
// give what rounding the true power to zero gives, and 0 for base 0.
func signedPow(_ DType, a, b int64) int64 {
	if b < 0 {
		switch a {
		case 1:
			return 1
		case -1:
			return 1 - 2*(b&1)
		}
		return 0
	}
	return int64(unsignedPow(Uint64, uint64(a), uint64(b)))
}

func unsignedPow(_ DType, a, b uint64) uint64 {
	p := uint64(1)
	for ; b != 0; b >>= 1 {
		if b&1 != 0 {
			p *= a
		}
		a *= a
	}
	return p
}

// Shift counts are taken as unsigned: negative ones are past the width, as in NumPy.

func signedShl(t DType, a, b int64) int64 { return int64(unsignedShl(t, uint64(a), uint64(b))) }

func unsignedShl(t DType, a, b uint64) uint64 {
	if b >= uint64(t.Size())*8 {
		return 0
	}
	return a << b
}

func signedShr(t DType, a, b int64) int64 {
	if uint64(b) >= uint64(t.Size())*8 {
		b = 63
	}
	return a >> uint64(b)
}

func unsignedShr(t DType, a, b uint64) uint64 {
	if b >= uint64(t.Size())*8 {
		return 0
	}
	return a >> b
}
