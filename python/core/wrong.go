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

// goStepsOf returns the number of the steps of a function of that name, which calls name that are among them.
//
//export goStepsOf
func goStepsOf(name *C.char) C.int {
	defer guard("the steps of a function")
	b := &the
	b.lastSteps++
	b.steps[b.lastSteps] = arrays.StepsOf(C.GoString(name))
	return b.lastSteps
}

// goStepsEnd says that a function has no more steps.
//
//export goStepsEnd
func goStepsEnd(number C.int) {
	defer guard("the end of a function's steps")
	delete(the.steps, number)
}

// goRule says how it is found what went wrong in a ufunc.
//
//export goRule
func goRule(ufunc C.int) C.int {
	defer guard("a ufunc's rule")
	return C.int(arrays.Ufunc(ufunc).Rule())
}
