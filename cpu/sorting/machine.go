package sorting

// #cgo CFLAGS: -O3 -std=c11
// #cgo noescape sorting_rows
// #cgo nocallback sorting_rows
// #cgo noescape sorting_sample
// #cgo nocallback sorting_sample
// #cgo noescape sorting_count
// #cgo nocallback sorting_count
// #cgo noescape sorting_place
// #cgo nocallback sorting_place
// #cgo noescape sorting_bucket
// #cgo nocallback sorting_bucket
// #cgo noescape sorting_prepare
// #cgo nocallback sorting_prepare
// #cgo noescape sorting_cut
// #cgo nocallback sorting_cut
// #cgo noescape sorting_best_end
// #cgo nocallback sorting_best_end
// #cgo noescape sorting_finish
// #cgo nocallback sorting_finish
// #cgo noescape sorting_span
// #cgo nocallback sorting_span
// #cgo noescape sorting_position_rows
// #cgo nocallback sorting_position_rows
// #cgo noescape sorting_place_positions
// #cgo nocallback sorting_place_positions
// #cgo noescape sorting_position_bucket
// #cgo nocallback sorting_position_bucket
// #cgo noescape sorting_count_below
// #cgo nocallback sorting_count_below
// #cgo noescape sorting_split
// #cgo nocallback sorting_split
// #cgo noescape sorting_split_positions
// #cgo nocallback sorting_split_positions
// #cgo noescape sorting_distinct
// #cgo nocallback sorting_distinct
// #cgo noescape sorting_starts
// #cgo nocallback sorting_starts
// #cgo noescape sorting_select_row
// #cgo nocallback sorting_select_row
// #cgo noescape sorting_select_places
// #cgo nocallback sorting_select_places
// #include "sorting.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// Machine sorts with one instruction set.
type Machine struct {
	name    string
	address C.uintptr_t // of a sorting_machine
}

// Machines returns those that this processor has, the plainest first.
func Machines() []Machine {
	var all []Machine
	for i := range 3 {
		if m := C.sorting_machines(C.int(i)); m != nil {
			all = append(all, Machine{C.GoString(m.name), C.uintptr_t(uintptr(unsafe.Pointer(m)))})
		}
	}
	return all
}

// Named returns the machine of an instruction set: base, v3 or v4; of "", the best one.
func Named(isa string) Machine {
	all := Machines()
	for _, m := range all {
		if m.name == isa {
			return m
		}
	}
	if isa != "" {
		panic(fmt.Sprintf("BUG: inv 1: sorting: no instruction set %q", isa))
	}
	return all[len(all)-1]
}

// Address is where C's functions find it, for callers in C.
func (m Machine) Address() uintptr { return uintptr(m.address) }

// Name is base, v3 or v4.
func (m Machine) Name() string { return m.name }

// Order makes ranks of elements: see sorting_order. As makes one of a dtype's properties.
type Order struct {
	Flip, Fold, Less int64
	Top, Zero, Merge int64
}

// Levels is the most levels of a tree of buckets.
const Levels = 5

// Buckets is sorting_buckets.
type Buckets struct {
	Tree, Low [1 << Levels]int64
	Shift     [1 << Levels]uint8
	Levels    int32
	Bits      int32
}

// The two languages agree on the layout, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Order{})-C.sizeof_sorting_order]
	_ = [1]struct{}{}[unsafe.Sizeof(Buckets{})-C.sizeof_sorting_buckets]
	_ = [1]struct{}{}[1<<Levels-C.BUCKETS]
)

// Array is n elements of 1<<Width bytes that lie side by side.
type Array struct {
	P     unsafe.Pointer
	N     int
	Width int
}

// Part is n elements from the i-th on.
func (a Array) Part(i, n int) Array {
	if n == 0 {
		return Array{a.P, 0, a.Width} // behind the last element may be memory of others, which the collector must not see
	}
	return Array{unsafe.Add(a.P, i<<a.Width), n, a.Width}
}

// Selectable is the number of elements up to which a partition is a sort.
const Selectable = C.SELECTABLE

// Counted is the number of integers from which on Rows counts them where they lie close together.
const Counted = C.COUNTED

// NarrowRow is the most elements of a row of 1 or 2 bytes each that Rows takes.
const NarrowRow = 4096

// Rows writes to out the rows of so many elements of x, each sorted. The order's ranks can be
// turned back.
func (m Machine) Rows(o *Order, x Array, out unsafe.Pointer, n int) {
	C.sorting_rows(m.address, o.c(), C.int(x.Width), x.P, out, C.int64_t(x.N/max(n, 1)), C.int64_t(n))
}

// Sample writes some ranks of x to out, sorted. Which ones depends on x's length only.
func (m Machine) Sample(o *Order, x Array, out []int64) {
	C.sorting_sample(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(x.N), pointer(out), C.int64_t(len(out)))
}

// Count adds to counts how many elements belong into each bucket, and returns the least and the
// greatest rank.
func (m Machine) Count(o *Order, x Array, b *Buckets, counts *[1 << Levels]int64) (low, high int64) {
	var limits [2]int64
	C.sorting_count(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(x.N), b.c(), pointer(counts[:]), pointer(limits[:]))
	return limits[0], limits[1]
}

// Place writes the elements of x, of 4 or 8 bytes, to out: each to the next place of its bucket.
func (m Machine) Place(o *Order, x Array, b *Buckets, next *[1 << Levels]int64, out unsafe.Pointer) {
	C.sorting_place(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(x.N), b.c(), pointer(next[:]), out)
}

// Bucket sorts elements, of 4 or 8 bytes, where they are.
func (m Machine) Bucket(o *Order, x Array) {
	C.sorting_bucket(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(x.N))
}

// Prepare writes the elements of x, of 4 or 8 bytes, to out as Cut and Finish ask for. It reports whether they can be:
// NaNs cannot, nor floats of 8 bytes on the plainest machine.
func (m Machine) Prepare(o *Order, x Array, out unsafe.Pointer) bool {
	return C.sorting_prepare(m.address, o.c(), C.int(x.Width), x.P, out, C.int64_t(x.N)) != 0
}

// Cut moves what is less than one of the prepared elements to the front, and returns how many these are: all where none
// is less.
func (m Machine) Cut(o *Order, x Array) int {
	return int(C.sorting_cut(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(x.N)))
}

// Finish sorts what Prepare has written, or a part that Cut has made of it, and makes elements of it again.
func (m Machine) Finish(o *Order, x Array) {
	C.sorting_finish(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(x.N))
}

// Span returns the least and the greatest key of x, of 4 or 8 bytes, of which there is one at least. The order's ranks
// can be turned back.
func (m Machine) Span(o *Order, x Array) (low, high int64) {
	var limits [2]int64
	C.sorting_span(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(x.N), pointer(limits[:]))
	return limits[0], limits[1]
}

// BestEnd returns the place of the first of x's least elements, or of its greatest, by an order whose ranks can be
// turned back. x is as Span has it.
func (m Machine) BestEnd(o *Order, x Array, greatest bool) int {
	return int(C.sorting_best_end(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(x.N), flag(greatest)))
}

// PositionRows writes to out, for the rows of so many elements of x, the positions that sort each.
func (m Machine) PositionRows(o *Order, x Array, out []int64, n int) {
	C.sorting_position_rows(m.address, o.c(), C.int(x.Width), x.P, pointer(out), C.int64_t(x.N/max(n, 1)), C.int64_t(n))
}

// PlacePositions writes the positions of x's elements, of which the first has position first, with their ranks to
// out: each to the next place of its bucket.
func (m Machine) PlacePositions(o *Order, x Array, first int, b *Buckets, next *[1 << Levels]int64, out []int64) {
	C.sorting_place_positions(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(first), C.int64_t(x.N), b.c(), pointer(next[:]), pointer(out))
}

// PositionBucket sorts what PlacePositions has written to a bucket, and leaves the positions, of elements of x.
// Positions have so many bits; cut says that the ranks above them were shifted.
func (m Machine) PositionBucket(o *Order, x Array, out []int64, bits int, cut bool) {
	C.sorting_position_bucket(m.address, o.c(), C.int(x.Width), x.P, pointer(out), C.int64_t(len(out)), C.int(bits), flag(cut))
}

// CountBelow adds to counts how many ranks of x are less than low, less than high but not than low, and not.
func (m Machine) CountBelow(o *Order, x Array, low, high int64, counts *[3]int64) {
	C.sorting_count_below(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(x.N), C.int64_t(low), C.int64_t(high), pointer(counts[:]))
}

// Split writes the elements of x, of 4 or 8 bytes, to out: each to the next place of its part of three.
func (m Machine) Split(o *Order, x Array, low, high int64, next *[3]int64, out unsafe.Pointer) {
	C.sorting_split(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(x.N), C.int64_t(low), C.int64_t(high), pointer(next[:]), out)
}

// SplitPositions writes the positions of x's elements, of which the first has position first, to out in the same way.
func (m Machine) SplitPositions(o *Order, x Array, first int, low, high int64, next *[3]int64, out []int64) {
	C.sorting_split_positions(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(first), C.int64_t(x.N), C.int64_t(low), C.int64_t(high),
		pointer(next[:]), pointer(out))
}

// SelectRow writes the row x, of elements of 4 or 8 bytes, to out with one place right, on one processor.
func (m Machine) SelectRow(o *Order, x Array, out unsafe.Pointer, kth int) {
	room := make([]int64, 3*x.N+C.SELECT_MORE)
	C.sorting_select_row(m.address, o.c(), C.int(x.Width), x.P, out, C.int64_t(x.N), C.int64_t(kth), pointer(room))
}

// SelectPlaces writes the positions of the row x to out with that of one place right, on one processor.
func (m Machine) SelectPlaces(o *Order, x Array, out []int64, kth int) {
	room := make([]int64, 3*x.N+C.SELECT_MORE)
	C.sorting_select_places(m.address, o.c(), C.int(x.Width), x.P, pointer(out), C.int64_t(x.N), C.int64_t(kth), pointer(room))
}

// Distinct moves those elements of the sorted x to the front whose rank differs from that of the one before, and
// returns how many there are. The first is one of them if first says so; with apart all of rank Top are.
func (m Machine) Distinct(o *Order, x Array, first, apart bool) int {
	return int(C.sorting_distinct(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(x.N), flag(first), flag(apart)))
}

// Starts writes where in the sorted x, of which the first has position from, elements stand that Distinct keeps. It
// returns how many there are; out has room for all.
func (m Machine) Starts(o *Order, x Array, first, apart bool, from int, out []int64) int {
	return int(C.sorting_starts(m.address, o.c(), C.int(x.Width), x.P, C.int64_t(x.N), flag(first), flag(apart), C.int64_t(from), pointer(out)))
}

func (o *Order) c() *C.sorting_order { return (*C.sorting_order)(unsafe.Pointer(o)) }

func (b *Buckets) c() *C.sorting_buckets { return (*C.sorting_buckets)(unsafe.Pointer(b)) }

func pointer(x []int64) *C.int64_t { return (*C.int64_t)(unsafe.SliceData(x)) }

func flag(on bool) C.int {
	if on {
		return 1
	}
	return 0
}
