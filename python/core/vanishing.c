//go:build extension

// Which operands are halves: where the program is told of underflows, NumPy computes with those (weft_vanishes).
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "handover.h"

enum { FLOAT16 = 10 }; // a tile.DType

int weft_is_half(PyObject *o)
{
	if (Py_TYPE(o) == weft_np_type)
		return weft_np_dtype((np_array *)o) == FLOAT16;
	if (Py_TYPE(o) != weft_array_type)
		return weft_scalar_code(o) == FLOAT16;
	weft_info info; // also of more axes than a layout has
	weft_get_info(o, &info);
	return info.dtype == FLOAT16;
}
