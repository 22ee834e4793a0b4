package arrays

import "weft/scheduler"

// mayOverlap reports whether two views might share a byte. It errs on the side of yes: the
// answer costs a copy and never changes a result.
func mayOverlap(a, b scheduler.View) bool {
	if a.Store != b.Store {
		return false
	}
	aLo, aHi := byteRange(a)
	bLo, bHi := byteRange(b)
	if aHi <= bLo || bHi <= aLo {
		return false
	}
	// All addresses of both lie on a lattice: where the offsets differ by a remainder that
	// leaves room for both items, as in a[::2] and a[1::2], they never meet.
	step := int64(0)
	for _, v := range []scheduler.View{a, b} {
		for i, s := range v.Strides {
			if v.Shape[i] > 1 {
				step = gcd(step, s)
			}
		}
	}
	if step == 0 {
		return true
	}
	apart := (b.Offset - a.Offset) % step
	if apart < 0 {
		apart += step
	}
	return apart < int64(a.Type.Size()) || step-apart < int64(b.Type.Size())
}

// byteRange returns the bytes [lo, hi) of the store that a view of at least one element spans.
func byteRange(v scheduler.View) (lo, hi int64) {
	lo, hi = v.Offset, v.Offset+int64(v.Type.Size())
	for i, s := range v.Strides {
		reach := s * int64(v.Shape[i]-1)
		lo, hi = lo+min(reach, 0), hi+max(reach, 0)
	}
	return lo, hi
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
