//go:build extension

package main

// #include <stdlib.h>
// #include "values.h"
import "C"

import (
	"unsafe"
)

// goCompiled asks jit/launch for something that the text what names. The answer, a number, dtype, array or nothing,
// goes to out.
//
//export goCompiled
func goCompiled(what *C.char, args *C.weft_value, n C.int, where C.uint64_t, onMain C.int, out *C.weft_value, e *C.weft_error) (rc C.int) {
	defer caught("a compiled function", &rc, e)
	c := the.at(where)
	c.Stop = the.waits.stopFor(onMain)
	v, err := the.compiled.Call(c, C.GoString(what), decode(args, n))
	if err != nil {
		return fail(err, e)
	}
	encode(&v, unsafe.Slice(out, 1), unsafe.Slice(args, n))
	return C.WEFT_OK
}
