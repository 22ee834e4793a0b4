// The head of numpy/ufuncobject.h's PyUFuncObject, which is part of NumPy's stable ABI: extensions make ufuncs of such loops. What reads one compares its
// parts with what the object tells of itself first.
#ifndef WEFT_UFUNC_H
#define WEFT_UFUNC_H

#include "shim.h"
#include <fenv.h>

typedef void ufunc_loop(char **args, const intptr_t *dimensions, const intptr_t *strides, void *data);
typedef struct {
	PyObject_HEAD
	int nin, nout, nargs, identity;
	ufunc_loop **functions;
	void *const *data;
	int ntypes, reserved;
	const char *name, *types;
} ufunc;

// The flags of the processor for which NumPy may have a warning.
enum { FLAGS = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID };

#endif
