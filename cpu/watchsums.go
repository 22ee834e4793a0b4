package cpu

import (
	"math/bits"
	"slices"
	"unsafe"

	"weft/cpu/eager"
	"weft/tile"
)

// What went wrong in sums, and in sums of products. A sum that has overflowed, or become no number, stays infinite or
// none: so results are looked at, and only where one is, what it is made of. Sums of products are asked for the rows
// and columns of their factors, each once, since their points are many.
//
//	sum of 1e308, 1e308         inf of finite numbers: overflow
//	sum of inf, 1, -inf         none of numbers: invalid
//	inf of a factor with inf    nothing
//	none of finite numbers      both

// What may be among numbers.
const (
	holdsInfinity uint8 = 1 << iota
	holdsNone
)

// combination is a reduction of a launch that is explained, some of whose results are infinite or no number.
type combination struct {
	l     *tile.Launch
	t     tile.DType
	out   unsafe.Pointer // the first result
	steps []int64        // bytes from result to result, by axis
	grid  []int          // results
	seen  []uint8        // by result: what is among the elements
}

// combination returns the reduction of what is watched. It is nil of anything else, and where all results are finite.
func (f *frame) combination(x *executable, w *tile.Watched, l *tile.Launch) *combination {
	if w.Rule != tile.Sums {
		return nil
	}
	for i := range x.program.Code {
		in := &x.program.Code[i]
		if in.Op != tile.Reduce || in.Args[0] != w.Out || in.Comb != w.Comb {
			continue
		}
		c := f.results(l, int(in.N), in.Type)
		if !c.unusual() {
			return nil
		}
		c.seen = make([]uint8, c.count())
		return c
	}
	return nil
}

// results are what a launch has reduced to.
func (f *frame) results(l *tile.Launch, param int, t tile.DType) *combination {
	a := &l.Args[param]
	return &combination{l: l, t: t, out: unsafe.Add(f.base[param], a.Offset), steps: a.Strides, grid: gridOf(l)}
}

// gridOf is how many results a reduction has along each axis.
func gridOf(l *tile.Launch) []int {
	grid := make([]int, len(l.Shape))
	for axis, n := range l.Shape {
		if grid[axis] = n; l.Reduced.Has(axis) {
			grid[axis] = (n + l.Block[axis] - 1) / l.Block[axis]
		}
	}
	return grid
}

func (c *combination) count() int {
	n := 1
	for _, g := range c.grid {
		n *= g
	}
	return n
}

// unusual says whether one of the results is infinite or no number.
func (c *combination) unusual() bool {
	last := len(c.grid) - 1
	for last > 0 && c.grid[last] == 1 {
		last--
	}
	if last < 0 {
		return eager.Unusual(int(c.t), 1, c.out)
	}
	row, pieces := c.grid[last], 1
	if c.steps[last] != int64(c.t.Size()) {
		row, pieces = 1, c.grid[last]
	}
	at := make([]int, last)
	for more := true; more; more = next(at, c.grid[:last]) {
		p := unsafe.Add(c.out, along(c.steps, at))
		for i := range pieces {
			if eager.Unusual(int(c.t), row, unsafe.Add(p, int64(i)*c.steps[last])) {
				return true
			}
		}
	}
	return false
}

// see looks at the elements of some points, which begin at a point; a shape of them.
func (c *combination) see(x []float64, at, shape []int) {
	if !eager.Unusual(int(tile.Float64), len(x), unsafe.Pointer(unsafe.SliceData(x))) {
		return
	}
	for i, v := range x {
		if v-v == 0 {
			continue
		}
		result, step, rest := 0, 1, i
		for axis := len(shape) - 1; axis >= 0; axis-- {
			k := at[axis] + rest%shape[axis]
			rest /= shape[axis]
			if c.l.Reduced.Has(axis) {
				k /= c.l.Block[axis]
			}
			result += k * step
			step *= c.grid[axis]
		}
		if v != v {
			c.seen[result] |= holdsNone
		} else {
			c.seen[result] |= holdsInfinity
		}
	}
}

// tells is what the results and what they are made of say.
func (c *combination) tells() (found tile.Flags) {
	at := make([]int, len(c.grid))
	for i := range c.seen {
		found |= became(kindOf(unsafe.Add(c.out, along(c.steps, at)), c.t), c.seen[i])
		next(at, c.grid)
	}
	return found
}

// became is what has happened where a result is infinite, or no number, of elements among which such are.
func became(result, elements uint8) (found tile.Flags) {
	switch {
	case elements&holdsNone != 0:
		return 0
	case result&holdsNone != 0:
		found = tile.InvalidValue
	}
	if result != 0 && elements == 0 {
		found |= tile.Overflow
	}
	return found
}

// kindOf is what an element is, or a part of a complex one.
func kindOf(p unsafe.Pointer, t tile.DType) (kind uint8) {
	switch t {
	case tile.Float16:
		return kindOfBits(uint64(*at[uint16](p)), 15, 10)
	case tile.Float32:
		return kindOfBits(uint64(*at[uint32](p)), 31, 23)
	case tile.Float64:
		return kindOfBits(*at[uint64](p), 63, 52)
	case tile.Complex64, tile.Complex128:
		return kindOf(p, t.Real()) | kindOf(unsafe.Add(p, t.Real().Size()), t.Real())
	}
	return 0
}

func kindOfBits(b uint64, sign, fraction uint) uint8 {
	b &^= 1 << sign
	infinity := uint64(1)<<sign - uint64(1)<<fraction
	switch {
	case b > infinity:
		return holdsNone
	case b == infinity:
		return holdsInfinity
	}
	return 0
}

// contracted is what went wrong in the sums of products that a launch has computed, of what is wanted.
func (f *frame) contracted(x *executable, i int, l *tile.Launch, wanted tile.Flags) (found tile.Flags) {
	p, w := x.program, &x.program.Watched[i]
	first, second, out := loaded(p, w.X), loaded(p, w.Y), -1
	for k := range p.Code {
		if in := &p.Code[k]; in.Op == tile.Reduce && in.Args[0] == w.Out {
			out = int(in.N)
		}
	}
	if first < 0 || second < 0 || out < 0 || bits.OnesCount64(uint64(l.Reduced)) != 1 {
		return 0
	}
	c := f.results(l, out, p.Params[out].Type)
	if !c.unusual() {
		return 0
	}
	axis := bits.TrailingZeros64(uint64(l.Reduced))
	factors := [2]factorKinds{f.factorKinds(l, first, axis), f.factorKinds(l, second, axis)}
	at := make([]int, len(c.grid))
	for more := true; more && found&wanted != wanted; more = next(at, c.grid) {
		result := kindOf(unsafe.Add(c.out, along(c.steps, at)), c.t)
		if result == 0 {
			continue
		}
		n := min(l.Block[axis], l.Shape[axis]-at[axis]*l.Block[axis])
		found |= became(result, factors[0].of(at, n)|factors[1].of(at, n))
	}
	return found
}

// loaded is the parameter that a value is loaded from, and converted; -1 where it is something else.
func loaded(p *tile.Program, v tile.Value) int {
	for {
		switch in := &p.Code[v]; in.Op {
		case tile.Load:
			return int(in.N)
		case tile.Cast, tile.Conj:
			v = in.Args[0]
		default:
			return -1
		}
	}
}

// factorKinds is what the vectors of a factor hold, those that were asked for.
type factorKinds struct {
	t     tile.DType
	p     unsafe.Pointer
	steps []int64
	axis  int // along which products are added
	block int
	known map[int64]uint8 // by where a vector begins
}

func (f *frame) factorKinds(l *tile.Launch, param, axis int) factorKinds {
	a := &l.Args[param]
	return factorKinds{l.Program.Params[param].Type, unsafe.Add(f.base[param], a.Offset), a.Strides, axis, l.Block[axis], map[int64]uint8{}}
}

// of is what the vector of n elements that the result at a point is made of holds.
func (k *factorKinds) of(at []int, n int) (kind uint8) {
	if !k.t.Is(tile.KindFloat | tile.KindComplex) {
		return 0
	}
	offset := int64(0)
	for axis, c := range at {
		if axis == k.axis {
			c *= k.block
		}
		offset += int64(c) * k.steps[axis]
	}
	kind, known := k.known[offset]
	if !known {
		for i := range n {
			kind |= kindOf(unsafe.Add(k.p, offset+int64(i)*k.steps[k.axis]), k.t)
		}
		k.known[offset] = kind
	}
	return kind
}

// ran is what went wrong in running sums or products of x. The last one of each line is infinite, or no number, where
// one is.
func ran(p *tile.Program, args []tile.Operand) (found tile.Flags) {
	x, out := &args[0], &args[1]
	axis := 0
	for _, a := range p.Attrs {
		if a.Name == "axis" {
			axis = int(a.Value.Int())
		}
	}
	lines, n := slices.Clone(x.Shape), x.Shape[axis]
	lines[axis] = 1
	if n == 0 || slices.Contains(lines, 0) {
		return 0
	}
	last := int64(n-1) * out.Strides[axis]
	at := make([]int, len(lines))
	for more := true; more; more = next(at, lines) {
		result := kindOf(unsafe.Add(out.P, along(out.Strides, at)+last), out.Type)
		if result == 0 {
			continue
		}
		elements, line := uint8(0), unsafe.Add(x.P, along(x.Strides, at))
		for i := range n {
			elements |= kindOf(unsafe.Add(line, int64(i)*x.Strides[axis]), x.Type)
		}
		found |= became(result, elements)
	}
	return found
}

// lost is what went wrong where the last operand has elements that are no numbers.
func lost(_ *tile.Program, args []tile.Operand) tile.Flags {
	x := &args[len(args)-1]
	if slices.Contains(x.Shape, 0) {
		return 0
	}
	at := make([]int, len(x.Shape))
	for more := true; more; more = next(at, x.Shape) {
		if kindOf(unsafe.Add(x.P, along(x.Strides, at)), x.Type)&holdsNone != 0 {
			return tile.InvalidValue
		}
	}
	return 0
}
