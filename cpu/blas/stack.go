package blas

// #include "shim.h"
import "C"

import "fmt"

// Steps say which three operands of a routine begin how many bytes behind those of the call before.
type Steps [C.WEFT_STEPS]struct{ Arg, Bytes int }

// Stack calls a routine so many times, one after the other, as CallWatched does where it is watched, else as Call.
func (l *Library) Stack(name string, calls int, steps Steps, watched bool, args ...Arg) (raised int, err error) {
	if l.own != nil {
		for range calls {
			if raised, _, err = l.call(name, watched, args); err != nil {
				return raised, err
			}
			for _, s := range steps {
				args[s.Arg].c.bits += C.uint64_t(s.Bytes)
			}
		}
		return raised, nil
	}
	f := l.find(name)
	if f == nil {
		return 0, fmt.Errorf("blas: %s has no %s", l.Path, name)
	}
	var c C.weft_blas_steps
	for k, s := range steps {
		c.which[k], c.by[k] = C.int64_t(s.Arg), C.int64_t(s.Bytes)
	}
	look := C.int(0)
	if watched {
		look = 1
	}
	return int(C.weft_blas_stack(f, &args[0].c, C.int(len(args)), C.int64_t(calls), &c, look)), nil
}
