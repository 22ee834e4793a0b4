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
	if len(b.wrongs) == 0 {
		b.takeWrongs()
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

// takeWrongs takes what went wrong in operations that have been computed. What was asked for by a call that does not
// wait any more, as it was interrupted, the program is not told of.
func (b *binding) takeWrongs() {
	if b.space.Machine() == nil {
		return
	}
	C.weft_floating_late = 0 // first: what comes now is told of the next time
	for _, w := range b.rt().TakeWrongs() {
		if w.Asked == 0 {
			b.wrongs = append(b.wrongs, w)
		} else if all, waits := b.asked[w.Asked]; waits {
			if n := len(all); n > 0 && all[n-1].Op == w.Op && all[n-1].Name == w.Name { // found in another tile
				all[n-1].Flags |= w.Flags
			} else {
				b.asked[w.Asked] = append(all, w)
			}
		}
	}
}

// goAsks returns the number of a call that waits to be told what goes wrong in its operations. What is pending is
// planned first, without the call's operations: in one launch with others they may write over what others went wrong
// in, or have the same flags, and then nothing is told of either (cpu/watch.go).
//
//export goAsks
func goAsks() C.uint32_t {
	defer guard("a call that waits to be told")
	b := &the
	if b.space.Machine() != nil {
		b.rt().BeginCell(0)
	}
	if b.lastAsked++; b.lastAsked == 0 {
		b.lastAsked++
	}
	b.asked[b.lastAsked] = nil
	return C.uint32_t(b.lastAsked)
}

// goAskedWrong takes the next of what went wrong in the operations of such a call, which have been computed. It is 0
// where there is none. The caller frees the name.
//
//export goAskedWrong
func goAskedWrong(call C.uint32_t, name **C.char, flags *C.int) C.int {
	defer guard("what went wrong in a call")
	b := &the
	b.takeWrongs()
	all := b.asked[uint32(call)]
	if len(all) == 0 {
		return 0
	}
	*name, *flags = C.CString(all[0].Name), C.int(all[0].Flags)
	b.asked[uint32(call)] = all[1:]
	return 1
}

// goAsksEnd says that such a call waits no more.
//
//export goAsksEnd
func goAsksEnd(call C.uint32_t) {
	defer guard("the end of a call that waits to be told")
	delete(the.asked, uint32(call))
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
