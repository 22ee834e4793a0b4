package arrays

import (
	"slices"

	"weft/internal/units"
	"weft/scheduler"
	"weft/tile"
)

// space is the index space of a Map under construction: operands are broadcast to its
// shape, then its axes are collapsed as far as all operands allow.
type space struct {
	rank    int
	shape   [maxDims]int
	views   [maxOperands]scheduler.View
	strides [maxOperands][maxDims]int64
	n       int // operands
}

// maxOperands is the most that a Map of this package has: a select of three into a fourth.
const maxOperands = 4

func (s *space) init(shape []int) {
	s.rank = len(shape)
	copy(s.shape[:], shape)
	s.n = 0
}

// add broadcasts a view to the space; the caller has checked that it can be.
func (s *space) add(v scheduler.View) {
	at := s.n
	s.n++
	s.views[at] = v
	lead := s.rank - len(v.Shape)
	for i := range lead {
		s.strides[at][i] = 0
	}
	for i, extent := range v.Shape {
		if extent == 1 && s.shape[lead+i] != 1 {
			s.strides[at][lead+i] = 0
		} else {
			s.strides[at][lead+i] = v.Strides[i]
		}
	}
}

// arrange puts the axes in the order in which the last operand, which is written, lies in memory: every point
// of a Map is computed by itself, so that the order is free.
func (s *space) arrange() {
	out := &s.strides[s.n-1]
	for i := 1; i < s.rank; i++ {
		for at := i; at > 0 && s.shape[at] > 1 && s.before(out, at, at-1); at-- {
			s.shape[at], s.shape[at-1] = s.shape[at-1], s.shape[at]
			for k := range s.n {
				s.strides[k][at], s.strides[k][at-1] = s.strides[k][at-1], s.strides[k][at]
			}
		}
	}
}

// before reports whether an axis has longer steps than another one, or that one has only one point.
func (s *space) before(strides *[maxDims]int64, axis, other int) bool {
	return s.shape[other] == 1 || max(strides[axis], -strides[axis]) > max(strides[other], -strides[other])
}

// collapse drops axes of one point and merges neighbours where every operand steps through
// both as through one. At least one axis is left.
func (s *space) collapse() {
	to := 0
	for i := range s.rank {
		if s.shape[i] == 1 {
			continue
		}
		if to > 0 && s.merges(to-1, i) {
			s.shape[to-1] *= s.shape[i]
			for k := range s.n {
				s.strides[k][to-1] = s.strides[k][i]
			}
			continue
		}
		s.shape[to] = s.shape[i]
		for k := range s.n {
			s.strides[k][to] = s.strides[k][i]
		}
		to++
	}
	if to == 0 {
		s.shape[0] = 1
		for k := range s.n {
			s.strides[k][0] = int64(s.views[k].Type.Size())
		}
		to = 1
	}
	s.rank = to
}

func (s *space) merges(outer, inner int) bool {
	for k := range s.n {
		if s.strides[k][outer] != s.strides[k][inner]*int64(s.shape[inner]) {
			return false
		}
	}
	return true
}

// op makes an op; the last operand is written, the others are read.
func (s *space) op(c *Context, kind scheduler.OpKind, name string, p *tile.Program, uniforms []tile.Scalar) *scheduler.Op {
	shape := slices.Clone(s.shape[:s.rank])
	strides := make([]int64, s.n*s.rank)
	uses := make([]scheduler.Use, s.n)
	for k := range s.n {
		own := strides[k*s.rank : (k+1)*s.rank : (k+1)*s.rank]
		copy(own, s.strides[k][:s.rank])
		v := s.views[k]
		v.Shape, v.Strides = shape, own
		uses[k] = scheduler.Use{View: v}
	}
	uses[s.n-1].Access = scheduler.Write
	return &scheduler.Op{
		Kind: kind, Name: name, Shape: shape, Program: p, Uses: uses, Uniforms: uniforms, Where: c.where,
	}
}

// broadcastShapes returns the common shape, or nil and false.
func broadcastShapes(a, b []int) ([]int, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	same := true // as a
	lead := len(a) - len(b)
	for i, s := range b {
		if s != a[lead+i] && s != 1 {
			if a[lead+i] != 1 {
				return nil, false
			}
			same = false
		}
	}
	if same {
		return a, true
	}
	shape := slices.Clone(a)
	for i, s := range b {
		if s != 1 {
			shape[lead+i] = s
		}
	}
	return shape, true
}

// fitsInto reports whether an array of shape a can be broadcast to the shape b.
func fitsInto(a, b []int) bool {
	if len(a) > len(b) {
		return false
	}
	lead := len(b) - len(a)
	for i, s := range a {
		if s != 1 && s != b[lead+i] {
			return false
		}
	}
	return true
}

// broadcastError is NumPy's, with its trailing blank.
func broadcastError(shapes ...[]int) error {
	text := "operands could not be broadcast together with shapes "
	for _, s := range shapes {
		text += units.Shape(s) + " "
	}
	return errorf("ValueError", "%s", text)
}
