package routines

// #include "exchange.h"
import "C"

import (
	"unsafe"

	"weft/tile"
)

// mover combines pairs of elements, in order: dst is at the address to plus its offset, src at from plus its own.
type mover func(to, from unsafe.Pointer, dst, src []int64)

// exchange is elements that go between the places of an array and another operand, near, which has the axes of the
// indices and then those that the indices leave. At each place, what lies side by side in both is one piece.
type exchange struct {
	points  *Points
	near    *tile.Operand
	walks   []walk // of the indices
	along   walk   // of near's axes of indices
	rest    walk   // of the array's pieces, from the place on
	other   walk   // of near's
	pieces  int    // at each place
	across  bool   // pieces of several places lie closer together in near than those of one
	size    int    // of a piece, in bytes
	reverse bool   // from the places to near
	combine mover  // of elements, which are the pieces then; nil copies
}

// newExchange prepares one, which copies if combine is nil.
func newExchange(p *Points, near *tile.Operand, combine mover) *exchange {
	axes := len(near.Shape) - (len(p.Of.Shape) - len(p.Indices)) // of the indices
	x := &exchange{points: p, near: near, walks: p.walks(), along: newWalk(near, 0, axes), pieces: 1, size: near.Type.Size(), combine: combine}
	end := len(near.Shape)
	for ; combine == nil && end > axes; end-- {
		i := end - 1
		n, by := near.Shape[i], int64(x.size)
		if n != 1 && (near.Strides[i] != by || p.Of.Strides[len(p.Indices)+i-axes] != by) {
			break
		}
		x.size *= n
	}
	for _, n := range near.Shape[axes:end] {
		x.pieces *= n
	}
	x.rest, x.other = newWalk(&p.Of, len(p.Indices), len(p.Indices)+end-axes), newWalk(near, axes, end)
	n, a, b := p.count(), x.along.step(), x.other.step()
	x.across = n > 1 && (a < b || a == b && n > x.pieces)
	return x
}

// byPieces reports whether processors share the pieces rather than the places, whose offsets each of them then finds.
func (x *exchange) byPieces(places int) bool {
	return x.pieces > places || x.across && x.pieces >= 16
}

// pointBlock is how many places are looked up at once, and how many pieces: their offsets stay in the L1 cache. Fewer
// pieces are taken where the places are gone through for each part of them: what they touch stays there, too.
const pointBlock, pieceBlock = 1 << 9, 1 << 6

// run exchanges so many pieces from number at on, of the places with numbers from lo to hi, in order, of those that
// begin at the bytes from first up to, not including, end.
func (x *exchange) run(lo, hi, at, pieces int, first, end int64) {
	block, part := min(pointBlock, max(hi-lo, 0)), min(pieceBlock, pieces)
	if hi-lo <= 1 {
		part = min(pointBlock, pieces)
	}
	room := make([]int64, 2*block+2*part) // most calls are small
	farther, nearer := room[2*block:][:part], room[2*block+part:]
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
		if x.pieces == 1 {
			x.pass(origin, origin, far, near)
			continue
		}
		for i := 0; i < pieces; i += part {
			far2, near2 := farther[:min(part, pieces-i)], nearer[:min(part, pieces-i)]
			x.rest.offsets(at+i, far2)
			x.other.offsets(at+i, near2)
			if x.across {
				x.pass(far2, near2, far, near)
			} else {
				x.pass(far, near, far2, near2)
			}
		}
	}
}

// everywhere is the range of bytes that leaves out nothing.
var everywhere = struct{ lo, hi int64 }{-1 << 62, 1 << 62}

// origin is the only offset of an outer loop that goes round once.
var origin = []int64{0}

// pass exchanges pieces: for each of the first offsets those at all the second ones from it.
func (x *exchange) pass(far1, near1, far2, near2 []int64) {
	if len(far1) == 0 || len(far2) == 0 {
		return
	}
	place, element := x.points.Of.P, x.near.P
	if x.combine != nil {
		for i := range far1 {
			x.combine(unsafe.Add(place, far1[i]), unsafe.Add(element, near1[i]), far2, near2)
		}
		return
	}
	if x.reverse {
		place, element = element, place
		far1, near1, far2, near2 = near1, far1, near2, far2
	}
	C.weft_exchange(C.int64_t(x.size), (*C.char)(place), (*C.char)(element), list(far1), list(near1), C.int64_t(len(far1)), list(far2), list(near2), C.int64_t(len(far2)))
}

func list(offsets []int64) *C.int64_t { return (*C.int64_t)(unsafe.SliceData(offsets)) }

// Gather writes the elements at the points to out, whose axes are those of the indices and
// then those of the array that the indices leave. All indices mean places: see Outside.
func Gather(par Parallel, p *Points, out *tile.Operand) {
	x := newExchange(p, out, nil)
	x.reverse = true
	n, elements := p.count(), out.Elements()
	if x.byPieces(n) {
		split(par, x.pieces, elements/x.pieces, func(lo, hi int) { x.run(0, n, lo, hi-lo, everywhere.lo, everywhere.hi) })
		return
	}
	split(par, n, elements/max(n, 1), func(lo, hi int) { x.run(lo, hi, 0, x.pieces, everywhere.lo, everywhere.hi) })
}

// Scatter writes values, which have the axes that out of Gather has, to the points; it
// combines them with what is there if combine is not nil. Where points coincide, the values
// come in the order of the indices. All indices mean places.
//
// Each place has one owner, which is what keeps the order: each looks at all the indices, and
// takes those of its part of the array, or its share of the pieces of all.
func Scatter(par Parallel, p *Points, values *tile.Operand, combine mover) {
	x := newExchange(p, values, combine)
	n, elements := p.count(), values.Elements()
	if x.byPieces(n) { // each of which has places of its own, too
		split(par, x.pieces, elements/x.pieces, func(lo, hi int) { x.run(0, n, lo, hi-lo, everywhere.lo, everywhere.hi) })
		return
	}
	lo, hi := p.reach()
	if elements < 2*grain || elements < 4*n { // to look at an index costs a third of writing a far element
		x.run(0, n, 0, x.pieces, everywhere.lo, everywhere.hi)
		return
	}
	const owners = 4
	par(owners, func(k int) {
		x.run(0, n, 0, x.pieces, lo+(hi-lo)*int64(k)/owners, lo+(hi-lo)*int64(k+1)/owners)
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
