package routines

import (
	"fmt"

	"weft/tile"
)

// plan is a launch of a routine on its way to one of threads.
type plan struct {
	r    *Routine
	l    *tile.Launch
	site Site

	args     []tile.Binding
	uniforms []tile.Scalar
	err      error // of an operand
}

// elements returns the number of elements of an operand.
func (s *plan) elements(operand int) int {
	n := 1
	for _, extent := range s.l.Args[operand].Shape {
		n *= extent
	}
	return n
}

// flat binds an operand, which lies in C order without gaps, as one axis.
func (s *plan) flat(operand int) { s.reshaped(operand, s.elements(operand)) }

// reshaped binds an operand, which lies in C order without gaps, with the extents that are given.
func (s *plan) reshaped(operand int, shape ...int) {
	b := &s.l.Args[operand]
	size := int64(s.r.p.Params[operand].Type.Size())
	step := size
	for axis := len(b.Shape) - 1; axis >= 0; axis-- {
		if b.Shape[axis] > 1 && b.Strides[axis] != step {
			s.err = fmt.Errorf("operand %d: shape %v has strides %v; want it in C order without gaps", operand, b.Shape, b.Strides)
		}
		step *= int64(b.Shape[axis])
	}
	bound, all := tile.Binding{Buffer: b.Buffer, Offset: b.Offset, Shape: shape, Strides: make([]int64, len(shape))}, 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		bound.Strides[axis] = size * int64(all)
		all *= shape[axis]
	}
	if n := s.elements(operand); all != n {
		s.err = fmt.Errorf("operand %d has %d elements; want %d, as shape %v", operand, n, all, shape)
	}
	s.args = append(s.args, bound)
}

// scratchWords is how many elements of scratch memory a launch has at most.
const scratchWords = 1 << 18

// scratch binds so many int64 of scratch memory.
func (s *plan) scratch(n int) {
	s.table(tile.Int64, n, 1)
	last := &s.args[len(s.args)-1]
	last.Shape, last.Strides = last.Shape[:1], last.Strides[:1]
}

// table binds rows and columns of scratch memory.
func (s *plan) table(t tile.DType, rows, columns int) {
	size := int64(t.Size())
	b, err := s.site.Scratch(size * int64(rows) * int64(columns))
	if err != nil {
		s.err = err
	}
	s.args = append(s.args, tile.Binding{Buffer: b, Shape: []int{rows, columns}, Strides: []int64{size * int64(columns), size}})
}

// together is how many threads the device has under way together.
func (s *plan) together() int { return s.site.Blocks * s.site.Threads }

// number binds a uniform of int64.
func (s *plan) number(n int) { s.uniforms = append(s.uniforms, tile.IntScalar(tile.Int64, int64(n))) }

// apart is how many times as many blocks as run together are launched of a routine whose blocks do not meet: an even
// share for the device's multiprocessors, whichever of them are faster.
const apart = 8

// grid returns a grid of threads for so many units of work. All its blocks are under way together where they meet.
func (s *plan) grid(units int, meet bool) tile.Grid {
	threads, most := s.site.Threads, s.site.Blocks
	if !meet {
		most *= apart
	}
	for threads > tile.WarpSize && units <= threads/2 {
		threads /= 2
	}
	blocks := max(1, min(most, (units+threads-1)/threads))
	return tile.Grid{Blocks: [3]int{blocks, 1, 1}, Threads: [3]int{threads, 1, 1}}
}

// launch returns the launch of a program, which is built where there is none for the key yet: what it depends on beside
// the routine's own program.
func (s *plan) launch(grid tile.Grid, key string, build func(c *code)) (*tile.Launch, error) {
	if s.err != nil {
		return nil, s.err
	}
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	p := s.r.built[key]
	if p == nil {
		c := &code{tile.NewThreads(s.r.p.Name)}
		c.Sure()
		build(c)
		p = c.Program()
		p.Source.Plain = true
		s.r.built[key] = p
	}
	return &tile.Launch{Program: p, Grid: grid, Args: s.args, Uniforms: s.uniforms}, nil
}

// attr returns an attribute that is an integer; 0 where it is not given.
func (s *plan) attr(name string) int64 {
	v, _ := s.r.p.Attr(name)
	return v.Int()
}

// typeOf returns the dtype of an operand.
func (s *plan) typeOf(operand int) tile.DType { return s.r.p.Params[operand].Type }

// mismatch is the error of two operands of different lengths.
func mismatch(s *plan, a, b int) error {
	return fmt.Errorf("operands %d and %d have shapes %v and %v; want as many elements", a, b, s.l.Args[a].Shape, s.l.Args[b].Shape)
}
