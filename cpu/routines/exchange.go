package routines

import (
	"unsafe"

	"weft/tile"
)

// mover does something with pairs of elements, in order: dst is at the address to plus its
// offset, src at from plus its own.
type mover func(to, from unsafe.Pointer, dst, src []int64)

// moverOf returns the mover that copies elements of so many bytes.
func moverOf(size int) mover {
	switch size {
	case 1:
		return moving[uint8]
	case 2:
		return moving[uint16]
	case 4:
		return moving[uint32]
	case 8:
		return moving[uint64]
	}
	return moving[[2]uint64]
}

func moving[T any](to, from unsafe.Pointer, dst, src []int64) {
	src = src[:len(dst)]
	for k, at := range dst {
		*(*T)(unsafe.Add(to, at)) = *(*T)(unsafe.Add(from, src[k]))
	}
}

// exchange is elements that go between the places of an array and another operand, which
// has the axes of the indices and then those that the indices leave.
type exchange struct {
	points  *Points
	near    *tile.Operand
	walks   []walk // of the indices
	along   walk   // of near's axes of indices
	inner   int    // elements at each place
	far     []int64
	close   []int64 // where they lie, from the place on and from near's element on
	plain   bool    // both lie without gaps
	size    int     // of an element
	reverse bool    // from the places to near
	move    mover
	copies  bool // move copies
}

// newExchange prepares one. copies says that move only copies.
func newExchange(p *Points, near *tile.Operand, move mover, copies bool) *exchange {
	axes := len(near.Shape) - (len(p.Of.Shape) - len(p.Indices)) // of the indices
	x := &exchange{points: p, near: near, walks: p.walks(), along: newWalk(near, 0, axes), inner: 1, size: p.Of.Type.Size(), move: move, copies: copies}
	for _, n := range near.Shape[axes:] {
		x.inner *= n
	}
	rest := newWalk(&p.Of, len(p.Indices), len(p.Of.Shape))
	other := newWalk(near, axes, len(near.Shape))
	gapless := func(w walk) bool { return x.inner == 1 || len(w.shape) == 1 && w.strides[0] == int64(x.size) }
	x.plain = copies && gapless(rest) && gapless(other)
	if !x.plain && x.inner > 1 {
		x.far, x.close = make([]int64, x.inner), make([]int64, x.inner)
		rest.offsets(0, x.far)
		other.offsets(0, x.close)
	}
	return x
}

// pointBlock is how many places are looked up at once: their offsets stay in the L1 cache.
const pointBlock = 1 << 9

// run exchanges the places with numbers from lo to hi, in order, of those that begin at
// the bytes from first up to, not including, end.
func (x *exchange) run(lo, hi int, first, end int64) {
	block, inner := min(pointBlock, max(hi-lo, 0)), min(pointBlock, x.inner)
	room := make([]int64, 2*block+2*inner) // most calls are small
	for ; lo < hi; lo += pointBlock {
		n := min(pointBlock, hi-lo)
		far, near := room[:n], room[block:][:n]
		x.points.offsets(x.walks, lo, far)
		x.along.offsets(lo, near)
		if first != everywhere.lo || end != everywhere.hi {
			kept := 0
			for k, at := range far {
				far[kept], near[kept] = at, near[k]
				in := 0
				if uint64(at-first) < uint64(end-first) {
					in = 1
				}
				kept += in
			}
			far, near = far[:kept], near[:kept]
		}
		switch {
		case x.inner == 1:
			x.pass(far, near)
		case x.plain:
			bytes := x.inner * x.size
			for k, at := range far {
				place := unsafe.Slice((*byte)(unsafe.Add(x.points.Of.P, at)), bytes)
				element := unsafe.Slice((*byte)(unsafe.Add(x.near.P, near[k])), bytes)
				if x.reverse {
					copy(element, place)
				} else {
					copy(place, element)
				}
			}
		default:
			for k := range far {
				x.row(far[k], near[k], room[2*block:][:inner], room[2*block+inner:])
			}
		}
	}
}

// everywhere is the range of bytes that leaves out nothing.
var everywhere = struct{ lo, hi int64 }{-1 << 62, 1 << 62}

// row exchanges all elements at one place.
func (x *exchange) row(far, near int64, a, b []int64) {
	for i := 0; i < x.inner; i += pointBlock {
		n := min(pointBlock, x.inner-i)
		for k := range n {
			a[k], b[k] = far+x.far[i+k], near+x.close[i+k]
		}
		x.pass(a[:n], b[:n])
	}
}

func (x *exchange) pass(far, near []int64) {
	if x.reverse {
		x.move(x.near.P, x.points.Of.P, near, far)
	} else {
		x.move(x.points.Of.P, x.near.P, far, near)
	}
}

// Gather writes the elements at the points to out, whose axes are those of the indices and
// then those of the array that the indices leave. All indices mean places: see Outside.
func Gather(par Parallel, p *Points, out *tile.Operand) {
	x := newExchange(p, out, moverOf(out.Type.Size()), true)
	x.reverse = true
	split(par, p.count(), x.inner, func(lo, hi int) { x.run(lo, hi, everywhere.lo, everywhere.hi) })
}

// Scatter writes values, which have the axes that out of Gather has, to the points; it
// combines them with what is there if combine is not nil. Where points coincide, the values
// come in the order of the indices. All indices mean places.
//
// Each place has one owner, which is what keeps the order: each looks at all the indices, and
// takes those of its part of the array.
func Scatter(par Parallel, p *Points, values *tile.Operand, combine mover) {
	move, copies := combine, combine == nil
	if copies {
		move = moverOf(p.Of.Type.Size())
	}
	x := newExchange(p, values, move, copies)
	n := p.count()
	lo, hi := p.reach()
	if n*x.inner < 2*grain || x.inner < 4 { // to look at an index costs a third of writing a far element
		x.run(0, n, everywhere.lo, everywhere.hi)
		return
	}
	const owners = 4
	par(owners, func(k int) {
		x.run(0, n, lo+(hi-lo)*int64(k)/owners, lo+(hi-lo)*int64(k+1)/owners)
	})
}

// reach returns the bytes between which all places begin.
func (p *Points) reach() (lo, hi int64) {
	for axis := range p.Indices {
		if far := int64(p.Of.Shape[axis]-1) * p.Of.Strides[axis]; far < 0 {
			lo += far
		} else {
			hi += far
		}
	}
	return lo, hi + 1
}
