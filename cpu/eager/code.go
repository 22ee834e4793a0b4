package eager

// #cgo CFLAGS: -O3 -std=c11 -D_GNU_SOURCE
// #include <stdlib.h>
// #include "eager.h"
import "C"

import (
	"unsafe"

	"weft/cpu/vm"
)

// PlaceKind says where a value of a program lies.
type PlaceKind uint8

// The kinds of places.
const (
	Register PlaceKind = C.EAGER_REGISTER
	Input    PlaceKind = C.EAGER_INPUT
	Output   PlaceKind = C.EAGER_OUTPUT
	Literal  PlaceKind = C.EAGER_LITERAL
	Uniform  PlaceKind = C.EAGER_UNIFORM
)

// Place is one value of a program.
type Place struct {
	Kind PlaceKind
	N    int // which register, input, literal or uniform
	Size int // bytes of an element
}

// Program is a straight line of primitives. There is one output, which the last step writes.
type Program struct {
	Steps    []vm.Step // D and In are places
	Places   []Place
	Literals [][2]uint64
}

// Code is a program as the C side runs it, in memory that is never given back.
type Code struct{ c *C.eager_code }

// NewCode lays a program out. It is false for one that has more registers, inputs or steps than the C side has room
// for.
func NewCode(p *Program) (Code, bool) {
	if len(p.Steps) == 0 || len(p.Steps) > 1<<10 {
		return Code{}, false
	}
	for _, v := range p.Places {
		if v.Kind == Register && v.N >= C.EAGER_REGISTERS || v.Kind == Input && v.N >= C.EAGER_INPUTS {
			return Code{}, false
		}
	}
	c := (*C.eager_code)(C.calloc(1, C.sizeof_eager_code))
	c.steps = C.int32_t(len(p.Steps))
	steps := alloc[C.eager_step](len(p.Steps))
	for i, s := range p.Steps {
		steps[i].primitive = C.eager_primitive(C.int(s.Op))
		steps[i].d = C.uint16_t(s.D)
		for k, v := range s.In {
			steps[i].in[k] = C.uint16_t(v)
		}
	}
	places := alloc[C.eager_place](len(p.Places))
	for i, v := range p.Places {
		places[i] = C.eager_place{kind: C.uint8_t(v.Kind), size: C.uint8_t(v.Size), n: C.uint32_t(v.N)}
	}
	literals := alloc[[2]C.uint64_t](len(p.Literals))
	for i, bits := range p.Literals {
		literals[i] = [2]C.uint64_t{C.uint64_t(bits[0]), C.uint64_t(bits[1])}
	}
	if len(p.Steps) == 1 {
		c.direct = 1
	}
	c.step, c.place, c.literal = unsafe.SliceData(steps), unsafe.SliceData(places), unsafe.SliceData(literals)
	return Code{c}, true
}

// alloc returns memory of C's for n elements.
func alloc[T any](n int) []T {
	var zero T
	return unsafe.Slice((*T)(C.calloc(C.size_t(max(n, 1)), C.size_t(unsafe.Sizeof(zero)))), n)
}

// Address is that of the eager_code.
func (c Code) Address() unsafe.Pointer { return unsafe.Pointer(c.c) }

// Fold is a reduction's way to combine elements, as the C side has it.
type Fold struct{ c *C.eager_fold }

// NewFold makes the fold of a row of the primitives' table, for elements of so many bytes. Each result takes neutral
// last where settles is true.
func NewFold(combine uint16, size int, settles bool, neutral [2]uint64) Fold {
	f := (*C.eager_fold)(C.calloc(1, C.sizeof_eager_fold))
	f.combine, f.size = C.eager_primitive(C.int(combine)), C.int32_t(size)
	if settles {
		f.settles = 1
	}
	f.neutral = [2]C.uint64_t{C.uint64_t(neutral[0]), C.uint64_t(neutral[1])}
	return Fold{f}
}

// Address is that of the eager_fold.
func (f Fold) Address() unsafe.Pointer { return unsafe.Pointer(f.c) }
