//go:build extension

package main

// #include "values.h"
import "C"

import (
	"weft/arrays"
)

// goWrong takes the next of what went wrong in operations that were computed later than they were asked for. It is 0
// where there is none. The caller frees the strings: name is NumPy's of the operation, file that of the line, which is
// empty where it is not known.
//
//export goWrong
func goWrong(name, file **C.char, line, flags *C.int) C.int {
	defer guard("what went wrong")
	b := &the
	if len(b.wrongs) == 0 && b.space.Machine() != nil {
		C.weft_floating_late = 0 // first: what comes now is told of the next time
		b.wrongs = b.rt().TakeWrongs()
	}
	if len(b.wrongs) == 0 {
		return 0
	}
	w := b.wrongs[0]
	b.wrongs = b.wrongs[1:]
	*name, *file = C.CString(w.Name), C.CString(b.space.File(w.Where.Source))
	*line, *flags = C.int(w.Where.Line), C.int(w.Flags)
	return 1
}

// goTelling says by which name the program is told of what goes wrong in the calls that follow; "" for their own.
//
//export goTelling
func goTelling(name *C.char) {
	defer guard("the name of a function's steps")
	the.takeNotes()
	the.ctx.Telling(C.GoString(name))
}

// goRule says how it is found what went wrong in a ufunc.
//
//export goRule
func goRule(ufunc C.int) C.int {
	defer guard("a ufunc's rule")
	return C.int(arrays.Ufunc(ufunc).Rule())
}
