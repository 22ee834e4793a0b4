//go:build extension

package main

// #include <stdlib.h>
// #include "values.h"
import "C"

import (
	"unsafe"
)

// goArgument names the argument at a position of a call, in a text that the caller frees.
//
//export goArgument
func goArgument(what *C.char, args *C.weft_value, n, at C.int) (text *C.char) {
	defer func() {
		if r := recover(); r != nil { // the call has an error to tell of already
			text = C.CString("an argument")
		}
	}()
	return C.CString(the.compiled.Argument(C.GoString(what), decode(args, n), int(at)))
}

// goCompiled asks jit/launch for something that the text what names. The answer goes to out, or, where it has more than
// one value, to *more, which the caller frees. It may let go of the interpreter's lock.
//
//export goCompiled
func goCompiled(what *C.char, args *C.weft_value, n C.int, where C.uint64_t, onMain C.int, out *C.weft_value, more **C.weft_value, e *C.weft_error) (rc C.int) {
	defer caught("a compiled function", &rc, e)
	c := the.at(where)
	c.Stop = the.waits.stopFor(onMain)
	v, err := the.compiled.Call(c, C.GoString(what), decode(args, n))
	if err != nil {
		return fail(err, e)
	}
	dst := unsafe.Slice(out, 1)
	if need := size(&v); need > 1 {
		*more = (*C.weft_value)(C.malloc(C.size_t(need) * C.size_t(unsafe.Sizeof(C.weft_value{}))))
		dst = unsafe.Slice(*more, need)
	}
	encode(&v, dst, unsafe.Slice(args, n))
	return C.WEFT_OK
}
