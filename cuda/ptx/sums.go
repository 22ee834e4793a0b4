package ptx

import (
	"math/bits"

	"weft/tile"
)

// This file chooses the form of a Reduce along one axis, of straight code.

// sums has such a Reduce load several elements of a lane before it combines them. In the inner form it is the lanes
// form.
func (v *Variant) sums(l *tile.Launch, s *Space, weight int) {
	if s.Origin != nil || bits.OnesCount(uint(v.Reduced)) != 1 {
		return
	}
	axis := bits.TrailingZeros(uint(v.Reduced))
	in := 0
	for i, param := range l.Program.Params {
		if param.Dir != tile.In {
			continue
		}
		if in += param.Type.Size(); s.Strides[i][axis] == int64(param.Type.Size()) {
			v.Dense |= 1 << uint(i)
		}
	}
	n := min(s.Shape[axis], s.Block[axis])
	switch {
	case n == 0:
		return
	case v.Inner:
		v.Whole, v.Lanes = n == s.Shape[axis], tile.Lanes
		v.inLanes(l, s, n, in, weight)
		return
	}
	v.Ahead = int8(ahead(mostSummed, 0, in, sumsBytes, weight))
}

// ahead is how many elements are loaded at once: a power of two of at most so many, of so many bytes together, and such
// that not too much text is written. It is least where these allow no more than one.
func ahead(most, least, size, bytes, weight int) int {
	found := least
	for n := 2; n <= most && n*size <= bytes && n*weight <= mostWritten; n *= 2 {
		found = n
	}
	return found
}

// inLanes makes the lanes form, for blocks of n elements.
func (v *Variant) inLanes(l *tile.Launch, s *Space, n, in, weight int) {
	accs := 0
	for _, param := range l.Program.Params {
		if param.Dir != tile.In {
			accs += param.Type.Size()
		}
	}
	if v.Whole && n <= tile.Lanes {
		v.Short, v.Lanes = true, int8(1<<bits.Len(uint(n-1)))
	}
	s.dense = v.Dense
	if s.Widest = 1; s.Points <= fewBlocks && n >= leastStaged && n <= mostStaged && accs*mostStaged <= stagedBytes {
		v.Staged, v.Vector = true, 1
		v.Ahead = int8(ahead(mostSummed, 1, in, laneBytes, weight))
		return
	}
	s.Widest = v.widest(l, s, n, accs, weight)
	v.Vector = int8(s.Lead(l))
	w, bytes := int(v.Vector), sumsBytes
	switch {
	case v.Short:
		v.Ahead = int8(ahead(mostShorts, 1, in*w, bytes, weight*w))
		return
	case w > 1:
		bytes = laneBytes
	}
	v.Ahead = int8(ahead(min(mostSummed, n/tile.Lanes), 1, in*w, bytes, weight*w))
}

// widest is how many lanes a thread can have, wherever buffers begin: operands lie one behind the other or are one
// element for a whole block, and each block begins where an access can.
func (v *Variant) widest(l *tile.Launch, s *Space, n, accs, weight int) int {
	axis, largest := bits.TrailingZeros(uint(v.Reduced)), 1
	for i, param := range l.Program.Params {
		switch {
		case param.Dir != tile.In || s.Strides[i][axis] == 0:
		case !v.Dense.Has(i):
			return 1
		default:
			largest = max(largest, param.Type.Size())
		}
	}
	w := min(accessBytes/largest, int(v.Lanes))
	fits := func() bool {
		if w*accs > accsBytes || w*weight > mostWritten || v.Short && n%w != 0 {
			return false
		}
		for i, param := range l.Program.Params {
			if !v.Dense.Has(i) || param.Dir != tile.In {
				continue
			}
			bytes := int64(w * param.Type.Size())
			for a, stride := range s.Strides[i] {
				if a != axis && stride%bytes != 0 || a == axis && !v.Whole && int64(s.Block[a])*stride%bytes != 0 {
					return false
				}
			}
		}
		return true
	}
	for w > 1 && !fits() {
		w /= 2
	}
	return max(w, 1)
}

// alignedFor reports whether accesses of w elements can begin where these parameters' buffers do.
func (s Parameters) alignedFor(l *tile.Launch, w int) bool {
	for i := range l.Args {
		a, param := &l.Args[i], l.Program.Params[i]
		if s.Has(i) && param.Dir == tile.In && w > 1 && (a.Buffer.Handle+uint64(a.Offset))%uint64(w*param.Type.Size()) != 0 {
			return false
		}
	}
	return true
}
