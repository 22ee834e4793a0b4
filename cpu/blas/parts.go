package blas

// #include "shim.h"
import "C"

import "unsafe"

// Parts are calls of one routine that together do what one call would do: each has some of its units, say the rows of a
// matrix. They may be made in any order, on any thread.
type Parts struct{ c C.weft_blas_parts }

// Cut says which argument is the number of units, which are the operands that are read and written from unit to unit,
// and how many bytes these lie apart.
type Cut struct {
	Count, From, To int
	Reads, Writes   int
	Most            int // units of a part
}

// Parts prepares calls of a routine. It is nil where the library is Go, which threads of C do not call.
func (l *Library) Parts(name string, cut Cut, args ...Arg) *Parts {
	if l.own != nil {
		return nil
	}
	f := l.find(name)
	if f == nil || len(args) > C.WEFT_MAX_ARGS {
		return nil
	}
	p := &Parts{C.weft_blas_parts{
		routine: f, n: C.int64_t(len(args)), count: C.int64_t(cut.Count), from: C.int64_t(cut.From), to: C.int64_t(cut.To),
		reads: C.int64_t(cut.Reads), writes: C.int64_t(cut.Writes), all: C.int64_t(args[cut.Count].c.bits), most: C.int64_t(cut.Most),
	}}
	for i, a := range args {
		p.c.args[i] = a.c
	}
	return p
}

// Count returns how many calls there are.
func (p *Parts) Count() int { return int((p.c.all + p.c.most - 1) / p.c.most) }

// Each returns a function of C that makes the call of a number, and what it wants besides.
func (p *Parts) Each() (call, of unsafe.Pointer) { return C.weft_blas_part, unsafe.Pointer(&p.c) }
