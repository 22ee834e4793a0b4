package ptx

import (
	"fmt"

	"weft/tile"
)

// Parameters is a set of a program's parameters, of the first 64.
type Parameters uint64

// Has reports whether a parameter is in the set.
func (s Parameters) Has(param int) bool { return s>>uint(param)&1 == 1 }

// Form says in words which form of a launch a variant is.
func (v Variant) Form() string {
	switch {
	case v.Vector > 0:
		return fmt.Sprintf("vector of %d, %d ahead", v.Vector, v.Ahead)
	case v.Bytes:
		return "byte by byte"
	}
	return "one by one"
}

// vector makes the vector form of a planned Map, if it can be: the operands of a straight line of code are one element
// each, or lie one behind the other.
func (v *Variant) vector(l *tile.Launch, s *Space) {
	p := l.Program
	if v.Axes != 1 || v.Bytes || s.Block != nil || len(p.Params) > 64 {
		return
	}
	weight := 0
	for i := range p.Code {
		switch in := &p.Code[i]; in.Op {
		case tile.Gather, tile.If, tile.Else, tile.Merge, tile.Loop, tile.Carry, tile.While, tile.Next, tile.End:
			return
		default:
			weight += cost(in)
		}
	}
	largest, in := 1, 0
	var same Parameters
	for i := range p.Params {
		param := &p.Params[i]
		size := param.Type.Size()
		switch stride := s.Strides[i][0]; {
		case stride == 0 && param.Dir == tile.In:
			same |= 1 << uint(i)
			continue
		case stride != int64(size):
			return
		}
		if largest = max(largest, size); param.Dir == tile.In {
			in += size
		}
	}
	s.Widest, s.Same = accessBytes/largest, same
	for s.Widest > 1 && s.Widest*weight > mostWritten {
		s.Widest /= 2
	}
	w := s.Lead(l)
	if w == 0 {
		s.Widest = 0
		return
	}
	v.Vector, v.Ahead, v.Same = int8(w), 1, same
	for n := 2; n <= mostAhead && in > 0 && n*w*in <= aheadBytes && n*w*weight <= mostWritten; n *= 2 {
		v.Ahead = int8(n)
	}
}

// Lead finds how many elements of each operand of a launch in the vector form can be accessed at once, and the first
// of them: Head and Vectors. It returns 0 where not even single elements can be, in this form, or where it is another
// form.
func (s *Space) Lead(l *tile.Launch) int {
	for w := s.Widest; w > 0; w /= 2 {
		if head, ok := s.lead(l, w); ok {
			n := int64(s.Shape[0])
			s.Head = min(int64(head), n)
			s.Vectors = (n - s.Head) / int64(w)
			return w
		}
	}
	return 0
}

// lead returns how many elements come before the first access of w elements, if that is the same number for all
// operands: accesses are aligned to their own size.
func (s *Space) lead(l *tile.Launch, w int) (head int, ok bool) {
	every := 1 // elements from one place where an access can begin to the next
	for i := range l.Args {
		if s.Same.Has(i) {
			continue
		}
		size := l.Program.Params[i].Type.Size()
		bytes := min(accessBytes, w*size)
		ahead := int(-(l.Args[i].Buffer.Handle + uint64(l.Args[i].Offset)) % uint64(bytes))
		if ahead%size != 0 {
			return 0, false
		}
		h, n := ahead/size, bytes/size
		if n < every {
			h, n, head, every = head, every, h, n // compare the rarer places with the denser ones
		}
		if h%every != head {
			return 0, false
		}
		head, every = h, n
	}
	return head, true
}
