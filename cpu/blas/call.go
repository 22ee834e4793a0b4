package blas

// #include "shim.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// Arg is one argument of a routine. Fortran takes all of them by address.
type Arg struct{ c C.weft_arg }

// Int is an integer.
func Int(n int) Arg { return Arg{C.weft_arg{C.WEFT_INT, C.uint64_t(n)}} }

// Char is an option, such as 'N' or 'T'.
func Char(c byte) Arg { return Arg{C.weft_arg{C.WEFT_CHAR, C.uint64_t(c)}} }

// Ptr is an array or a number in memory outside the Go heap.
func Ptr(p unsafe.Pointer) Arg { return Arg{C.weft_arg{C.WEFT_ADDRESS, C.uint64_t(uintptr(p))}} }

// Info is an integer that the routine returns: Call gives its value back.
func Info() Arg { return Arg{C.weft_arg{C.WEFT_INFO, 0}} }

// Call calls a routine by its Fortran name without the underscore: dgemm. It returns the last
// of the integers that were asked for by Info. It fails if the library does not have the
// routine.
func (l *Library) Call(name string, args ...Arg) (info int, err error) {
	_, info, err = l.call(name, false, args)
	return info, err
}

// Unknown are the flags of a call of which they are not known.
const Unknown = -1

// CallWatched does the same, and says which floating-point flags, by NumPy's bits, the part of the calling thread has
// raised.
func (l *Library) CallWatched(name string, args ...Arg) (raised int, err error) {
	raised, _, err = l.call(name, true, args)
	return raised, err
}

func (l *Library) call(name string, watched bool, args []Arg) (raised, info int, err error) {
	if len(args) > C.WEFT_MAX_ARGS {
		panic(fmt.Sprintf("BUG: %s has %d arguments; weft_blas_call takes %d", name, len(args), C.WEFT_MAX_ARGS))
	}
	if l.own != nil {
		f := l.own[name]
		if f == nil {
			return 0, 0, fmt.Errorf("blas: gonum has no %s: install OpenBLAS (NumPy's wheels bring it; on Debian and Ubuntu libopenblas0), or name a library with WEFT_BLAS", name)
		}
		return Unknown, f(args), nil
	}
	f := l.find(name)
	if f == nil {
		return 0, 0, fmt.Errorf("blas: %s has no %s", l.Path, name)
	}
	if watched {
		raised = int(C.weft_blas_watched(f, &args[0].c, C.int(len(args))))
	} else {
		C.weft_blas_call(f, &args[0].c, C.int(len(args)))
	}
	for i := range args {
		if args[i].c.kind == C.WEFT_INFO {
			info = int(int64(args[i].c.bits))
			if !l.Wide {
				info = int(int32(args[i].c.bits))
			}
		}
	}
	return raised, info, nil
}

// Has reports whether the library has a routine.
func (l *Library) Has(name string) bool {
	if l.own != nil {
		return l.own[name] != nil
	}
	return l.find(name) != nil
}

func (l *Library) find(name string) unsafe.Pointer {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.found[name]
	if !ok {
		f = l.symbol(l.dress.of(name + "_"))
		l.found[name] = f
	}
	return f
}

// Integers reads n integers of the library's size.
func (l *Library) Integers(p unsafe.Pointer, n int) []int {
	list := make([]int, n)
	for i := range list {
		if l.Wide {
			list[i] = int(*(*int64)(unsafe.Add(p, 8*i)))
		} else {
			list[i] = int(*(*int32)(unsafe.Add(p, 4*i)))
		}
	}
	return list
}

// Memory is scratch memory outside the Go heap, which Fortran may write to. It is kept for
// the next call for the same sizes in the same order.
type Memory struct {
	parts []part
	used  int // parts that are handed out
}

type part struct {
	p unsafe.Pointer
	n int
}

// Bytes returns n bytes of unspecified contents, aligned to 64; they live until Reset or Free.
func (m *Memory) Bytes(n int) (unsafe.Pointer, error) {
	n = (max(n, 1) + 63) &^ 63
	if m.used == len(m.parts) {
		m.parts = append(m.parts, part{})
	}
	at := &m.parts[m.used]
	if at.n < n {
		C.free(at.p)
		*at = part{C.aligned_alloc(64, C.size_t(n)), n}
		if at.p == nil {
			at.n = 0
			return nil, fmt.Errorf("blas: no %d bytes of scratch memory: %w", n, errMemory)
		}
	}
	m.used++
	return at.p, nil
}

// Reset lets the memory be handed out again.
func (m *Memory) Reset() { m.used = 0 }

// Free gives the memory back.
func (m *Memory) Free() {
	for _, x := range m.parts {
		C.free(x.p)
	}
	m.parts, m.used = nil, 0
}
