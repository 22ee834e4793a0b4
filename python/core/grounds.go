//go:build extension

package main

// #include "values.h"
// void weft_give_back(void *owner);
import "C"

import (
	"cmp"
	"slices"
	"unsafe"

	"weft/arrays"
	"weft/tile"
)

// grounds is the memory of arrays that Python has the address of, ordered by address: what it has lent
// and what it has mapped. So two NumPy arrays over the same memory become views of one store, whose ops know
// that they overlap. The interpreter's lock guards it.
type grounds struct {
	rows []ground // they do not overlap each other
}

// ground is the memory of one store.
type ground struct {
	lo, hi uintptr
	memory arrays.Memory
	maps   int // mappings of it; 0 when it is lent
}

// overlapping returns the rows that share bytes with a range: rows[i:j].
func (g *grounds) overlapping(lo, hi uintptr) (i, j int) {
	i, _ = slices.BinarySearchFunc(g.rows, lo, func(r ground, lo uintptr) int {
		if r.hi <= lo {
			return -1
		}
		return 1
	})
	for j = i; j < len(g.rows) && g.rows[j].lo < hi; j++ {
	}
	return i, j
}

// clear forgets what is gone in a range, and returns the index of where it belongs, and whether there is
// something else left in it.
func (g *grounds) clear(lo, hi uintptr) (at int, taken bool) {
	i, j := g.overlapping(lo, hi)
	left := slices.DeleteFunc(slices.Clone(g.rows[i:j]), func(r ground) bool { return !r.memory.Alive() })
	g.rows = slices.Replace(g.rows, i, j, left...)
	return i, len(left) > 0
}

// mapped notes that an array's memory starts at an address.
func (g *grounds) mapped(lo uintptr, a *arrays.Array) {
	hi := lo + uintptr(a.StoreBytes())
	at, taken := g.clear(lo, hi)
	switch {
	case !taken:
		g.rows = slices.Insert(g.rows, at, ground{lo: lo, hi: hi, memory: a.Memory(), maps: 1})
	case g.rows[at].lo == lo && g.rows[at].memory == a.Memory() && g.rows[at].maps > 0:
		g.rows[at].maps++
	}
}

// unmapped undoes mapped.
func (g *grounds) unmapped(lo uintptr, memory arrays.Memory) {
	at, found := slices.BinarySearchFunc(g.rows, lo, func(r ground, lo uintptr) int { return cmp.Compare(r.lo, lo) })
	if !found || g.rows[at].memory != memory || g.rows[at].maps == 0 {
		return
	}
	if g.rows[at].maps--; g.rows[at].maps == 0 {
		g.rows = slices.Delete(g.rows, at, at+1)
	}
}

// leave forgets the mapped memory of a machine that is replaced: the arrays have moved on.
func (g *grounds) leave() {
	g.rows = slices.DeleteFunc(g.rows, func(r ground) bool { return r.maps > 0 })
}

// goMapped notes a mapping's address, with the interpreter's lock.
//
//export goMapped
func goMapped(handle C.uint64_t, id C.uint64_t, data unsafe.Pointer) {
	defer guard("a mapping")
	a := the.array(handle)
	lo := uintptr(data) - uintptr(a.View().Offset)
	the.mappings.place(uint64(id), lo, a.Memory())
	the.grounds.mapped(lo, a)
}

// view is the shape and strides of a request, in Go's memory.
func view(shape, strides *C.int64_t, ndim C.int) ([]int, []int64) {
	s, t := make([]int, ndim), make([]int64, ndim)
	for i, n := range unsafe.Slice(shape, ndim) {
		s[i] = int(n)
	}
	for i, n := range unsafe.Slice(strides, ndim) {
		t[i] = int64(n)
	}
	return s, t
}

// goViewAt makes a view of an array's memory, its first element so many bytes behind the array's. It
// returns 0 where there can be none.
//
//export goViewAt
func goViewAt(handle C.uint64_t, dtype C.int, away C.int64_t, shape, strides *C.int64_t, ndim, writable C.int) C.uint64_t {
	defer guard("a view")
	s, t := view(shape, strides, ndim)
	if a := the.array(handle).At(tile.DType(dtype), int64(away), s, t, writable != 0); a != nil {
		return the.put(a)
	}
	return 0
}

// goShare makes an array over memory of Python's, whose owner holds it: [address, address+n), of which the
// array views a part. It returns no handle where the memory lies partly in that of other arrays, or where the view is
// impossible. *kept says that the owner must live until weft_give_back is called for it.
// tag is the number that C has for the memory, or 0.
//
//export goShare
func goShare(address unsafe.Pointer, n C.uint64_t, owner unsafe.Pointer, dtype C.int, offset C.int64_t, shape, strides *C.int64_t, ndim, access C.int, tag C.uint64_t, kept *C.int, out *C.uint64_t, e *C.weft_error) (rc C.int) {
	defer caught("sharing memory", &rc, e)
	lo := uintptr(address)
	hi := lo + uintptr(n)
	s, t := view(shape, strides, ndim)
	at := func(m arrays.Memory, from uintptr) {
		if a := m.At(tile.DType(dtype), int64(lo-from)+int64(offset), s, t, arrays.Access(access)); a != nil {
			*out = the.put(a)
		}
	}
	i, taken := the.grounds.clear(lo, hi)
	if taken {
		if r := the.grounds.rows[i]; r.lo <= lo && hi <= r.hi {
			at(r.memory, r.lo)
		}
		return C.WEFT_OK
	}
	if owner == nil {
		return C.WEFT_OK
	}
	*kept = 1
	base, err := the.ctx.Lend(address, int64(n), func() { C.weft_give_back(owner) })
	if err != nil {
		return fail(err, e)
	}
	defer base.Free() // the view stays
	if tag != 0 {
		base.SetTag(uint64(tag))
	}
	at(base.Memory(), lo)
	if *out != 0 {
		the.grounds.rows = slices.Insert(the.grounds.rows, i, ground{lo: lo, hi: hi, memory: base.Memory()})
	}
	return C.WEFT_OK
}

// goKnown reports whether there are arrays over memory in [address, address+n).
//
//export goKnown
func goKnown(address unsafe.Pointer, n C.uint64_t) C.int {
	defer guard("shared memory")
	_, taken := the.grounds.clear(uintptr(address), uintptr(address)+uintptr(n))
	return C.int(boolByte(taken))
}

// goLent tells whether an array's memory is Python's own.
//
//export goLent
func goLent(handle C.uint64_t) C.int {
	defer guard("shared memory")
	return C.int(boolByte(the.array(handle).Lent()))
}
