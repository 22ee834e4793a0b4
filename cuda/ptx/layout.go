package ptx

import (
	"fmt"

	"weft/tile"
)

// layout says where each number stands in a kernel's parameter block, in words of 8 bytes:
//
//	points or blocks
//	Reduce: by axis, the shape, the extent of a block and the number of blocks;
//	Map: by axis, the shape; in the vector form vectors, and then how many elements are in front of the first, and
//	how many in front and behind the last; in the rows form turns, the extent of the last axis and of the one before it,
//	how wide a block of threads is, as a power of two, how many threads stand in front of the last axis's first point,
//	the extents of all other axes, and turns along the last of these
//	by axis, the origin, where the program has an index
//	by parameter, the address and the stride along each axis, but in the vector and rows forms; of a whole parameter, the
//	stride along each axis of its own, and the extents of these
//	rows form: by class of parameters, the offset of the first point, and the stride along each axis
//	the addresses of the fault block and of the stop word, where the program has loops or gathers
//	by uniform, its bits: one word, two for complex128
//
// Programs of threads have another one (threads.go).
type layout struct {
	axes     int
	reduces  bool
	vector   bool
	rows     bool
	classes  []int // first word of each, in the rows form
	indexes  bool
	params   []int // first word of each
	whole    []int // by parameter: axes of its own
	faults   int   // the fault block's; the stop word's follows; 0: the program needs neither
	uniforms []int // first word of each
	words    int
}

// How many words the driver accepts: 4 KiB, and since PTX 8.1 (CUDA 12.1) 32,764 bytes on the devices that are
// supported here.
const (
	plainWords = 512
	maxWords   = 32764 / 8
)

func newLayout(p *tile.Program, v Variant) (layout, error) {
	lay := layout{axes: v.Axes, reduces: p.Reduces(), vector: v.Vector > 0 && v.Lanes == 0, rows: v.Rows > 0}
	if p.Threads {
		return threadsLayout(p).withUniforms(p)
	}
	checks := p.Gathers()
	for i := range p.Code {
		lay.indexes = lay.indexes || p.Code[i].Op == tile.Index
		checks = checks || p.Code[i].Op == tile.Loop
	}
	lay.words = lay.origin(0)
	if lay.indexes {
		lay.words += lay.axes
	}
	for _, param := range p.Params {
		lay.params, lay.whole = append(lay.params, lay.words), append(lay.whole, param.Axes)
		switch lay.words++; {
		case param.Axes > 0:
			lay.words += 2 * param.Axes
		case !lay.vector && !lay.rows:
			lay.words += v.Axes
		}
	}
	for range v.alike() {
		lay.classes = append(lay.classes, lay.words)
		lay.words += 1 + v.Axes
	}
	if checks {
		lay.faults = lay.words
		lay.words += 2
	}
	return lay.withUniforms(p)
}

// withUniforms adds the last words.
func (l layout) withUniforms(p *tile.Program) (layout, error) {
	for _, t := range p.Uniforms {
		l.uniforms = append(l.uniforms, l.words)
		l.words += max(1, t.Size()/8)
	}
	if l.words > maxWords {
		return l, fmt.Errorf("cuda: program %s needs a parameter block of %d words with %d parameters over %d axes; a kernel takes %d",
			p.Name, l.words, len(l.params), l.axes, maxWords)
	}
	return l, nil
}

// The words of the header; extra is that of a Reduce.

func (l *layout) shape(axis int) int  { return 1 + axis }
func (l *layout) block(axis int) int  { return 1 + l.axes + axis }
func (l *layout) grid(axis int) int   { return 1 + 2*l.axes + axis }
func (l *layout) origin(axis int) int { return l.header() + axis }

// header is how many words stand before the origin.
func (l *layout) header() int {
	switch {
	case l.reduces:
		return 1 + 3*l.axes
	case l.vector:
		return 3
	case l.rows:
		return l.outer(l.axes - 1)
	}
	return 1 + l.axes
}

// outer is, in the rows form, the extent of an axis, and for the one before the last the turns along it.
func (l *layout) outer(axis int) int { return 5 + axis }

// shift is, in the rows form, how wide a block is, and before how many threads stand in front of the first point.
func (l *layout) shift() int  { return 3 }
func (l *layout) before() int { return 4 }

// alike returns a parameter of each class of those with the same strides.
func (v Variant) alike() []int {
	var firsts []int
	for p := range len(v.Alike) {
		if !v.Same.Has(p) && int(v.Alike[p]) == len(firsts) {
			firsts = append(firsts, p)
		}
	}
	return firsts
}

// head is where the elements are that belong to no vector.
func (l *layout) head() int { return 1 }

func (l *layout) base(param int) int         { return l.params[param] }
func (l *layout) stride(param, axis int) int { return l.params[param] + 1 + axis }

// extent is that of a whole parameter.
func (l *layout) extent(param, axis int) int { return l.stride(param, l.whole[param]+axis) }

// Words appends the parameter block of a launch to dst. Buffer.Handle is a buffer's address on
// the device, faults and stop those of the launch's fault block and stop word, if it Checks.
func (k *Kernel) Words(dst []uint64, l *tile.Launch, s Space, faults, stop uint64) []uint64 {
	switch {
	case l.Program.Threads:
		return k.threadWords(dst, l, faults, stop)
	case k.layout.vector:
		return k.vectorWords(dst, l, s)
	case k.layout.rows:
		return k.rowsWords(dst, l, s)
	}
	dst = append(dst, uint64(s.Points))
	for _, n := range s.Shape {
		dst = append(dst, uint64(n))
	}
	if k.layout.reduces {
		for _, n := range s.Block {
			dst = append(dst, uint64(n))
		}
		for i, n := range s.Shape {
			dst = append(dst, uint64((n+s.Block[i]-1)/s.Block[i]))
		}
	}
	if k.layout.indexes {
		for _, n := range s.Origin {
			dst = append(dst, uint64(n))
		}
	}
	for p := range l.Args {
		dst = append(dst, l.Args[p].Buffer.Handle+uint64(l.Args[p].Offset))
		for _, n := range s.Strides[p] {
			dst = append(dst, uint64(n))
		}
		if k.layout.whole[p] > 0 {
			for _, n := range l.Args[p].Strides {
				dst = append(dst, uint64(n))
			}
			for _, n := range l.Args[p].Shape {
				dst = append(dst, uint64(n))
			}
		}
	}
	if k.Checks() {
		dst = append(dst, faults, stop)
	}
	return uniformWords(dst, l)
}

// vectorWords is Words in the vector form.
func (k *Kernel) vectorWords(dst []uint64, l *tile.Launch, s Space) []uint64 {
	dst = append(dst, uint64(s.Vectors), uint64(s.Head), uint64(s.Points-s.Vectors*int64(k.Variant.Vector)))
	if k.layout.indexes {
		dst = append(dst, uint64(int64(s.Origin[0])+s.Head))
	}
	for p := range l.Args {
		at := l.Args[p].Buffer.Handle + uint64(l.Args[p].Offset)
		if !s.Same.Has(p) {
			at += uint64(s.Head * int64(l.Program.Params[p].Type.Size()))
		}
		dst = append(dst, at)
	}
	return uniformWords(dst, l)
}

// rowsWords is Words in the rows form.
func (k *Kernel) rowsWords(dst []uint64, l *tile.Launch, s Space) []uint64 {
	last := len(s.Shape) - 1
	dst = append(dst, uint64(k.turns(s)), uint64(s.Shape[last]), uint64(s.Shape[last-1]), uint64(k.width(s)), uint64(s.Before))
	for _, n := range s.Shape[:last-1] {
		dst = append(dst, uint64(n))
	}
	dst = append(dst, uint64(k.turnsDown(s)))
	if k.layout.indexes {
		for _, n := range s.Origin {
			dst = append(dst, uint64(n))
		}
	}
	for p := range l.Args {
		at := l.Args[p].Buffer.Handle + uint64(l.Args[p].Offset)
		if k.Variant.Near && !s.Same.Has(p) {
			lowest, _ := s.reach(p)
			at += uint64(lowest)
		}
		dst = append(dst, at)
	}
	for _, p := range k.classes {
		start := int64(0)
		if k.Variant.Near {
			start, _ = s.reach(p)
		}
		dst = append(dst, uint64(-start))
		for _, n := range s.Strides[p] {
			dst = append(dst, uint64(n))
		}
	}
	return uniformWords(dst, l)
}

// width is how many threads of a block lie along the last axis, as a power of two.
func (k *Kernel) width(s Space) int {
	if k.Variant.Turned != 0 {
		return tileShift
	}
	return width(s.Shape[len(s.Shape)-1], k.turns(s))
}

// turnsDown is how many turns threads take along the axis before the last, in the rows form, and turns along all but
// the last.
func (k *Kernel) turnsDown(s Space) int64 {
	return (int64(s.Shape[len(s.Shape)-2]) + int64(k.Variant.Rows) - 1) / int64(k.Variant.Rows)
}

func (k *Kernel) turns(s Space) int64 {
	n := k.turnsDown(s)
	for _, extent := range s.Shape[:len(s.Shape)-2] {
		n *= int64(extent)
	}
	return n
}

func uniformWords(dst []uint64, l *tile.Launch) []uint64 {
	for _, u := range l.Uniforms {
		dst = append(dst, u.Bits[0])
		if u.Type.Size() > 8 {
			dst = append(dst, u.Bits[1])
		}
	}
	return dst
}

// maxGridDown is how many blocks the driver takes along the second axis of a grid.
const maxGridDown = 65535

// Grid returns a grid and block for a launch on a device of so many multiprocessors: enough
// threads to fill it, which take as many turns as it needs. An empty space has an empty grid,
// which must not be launched.
func (k *Kernel) Grid(s Space, multiprocessors int) (grid, block [3]uint32) {
	if k.Variant.Rows > 0 && s.Points > 0 {
		shift := k.width(s)
		across := (int64(s.Shape[len(s.Shape)-1]+s.Before) + 1<<shift - 1) >> shift
		high := int64(Threads >> shift) // turns
		if k.Variant.Turned != 0 {
			high = 1
		}
		down := min((k.turns(s)+high-1)/high, maxGridDown)
		if k.Variant.Turned != 0 {
			down = min(down, max(1, int64(max(1, multiprocessors))*blocksPerSM/across))
		}
		return [3]uint32{uint32(across), uint32(down), 1}, [3]uint32{Threads, 1, 1}
	}
	threads := s.Points
	switch {
	case k.Variant.Staged, k.Variant.Product > 0:
		threads *= Threads
	case k.Variant.Short:
		ahead := int64(k.Variant.Ahead)
		threads = (threads + ahead - 1) / ahead * int64(k.Variant.Lanes/k.Variant.Vector)
	case k.Variant.Lanes > 0:
		threads *= int64(k.Variant.Lanes / k.Variant.Vector)
	case k.Variant.Vector > 0:
		threads = max(s.Vectors, min(s.Points, 1)) // the elements that are left are fewer than a block's threads
	case k.Variant.Inner:
		threads *= tile.Lanes
	}
	blocks := (threads + Threads - 1) / Threads
	blocks = min(blocks, int64(max(1, multiprocessors))*blocksPerSM)
	return [3]uint32{uint32(blocks), 1, 1}, [3]uint32{Threads, 1, 1}
}
