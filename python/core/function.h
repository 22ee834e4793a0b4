// The objects of functions, between function.c, which calls them, and functype.c, which has their types.
#ifndef WEFT_FUNCTION_H
#define WEFT_FUNCTION_H

#include "few.h"

enum { WEFT_PARAMETERS = 24 };

typedef struct {
	PyObject_HEAD
	PyObject *(*call)(PyObject *self, PyObject *const *args, size_t n, PyObject *keywords);
	PyObject *python, *dict, *weakrefs;
	weft_shortcut *cut; // of what shortcut() made, and
	PyObject *about;    // what it is given besides
	weft_delegate numpys; // which answers calls with few elements instead
	int stacked;        // python is such an object itself: a shortcut of a shortcut
	int parameters, positional, required;
	PyObject *index;           // of the table's row
	int where, out;            // which parameters these are, or -1
	int extremum;              // np.maximum or np.minimum
	int values;                // it gives a scalar of an array
	PyObject *name[WEFT_PARAMETERS];      // interned; NULL of those that have no name for a caller
	PyObject *usual[WEFT_PARAMETERS];     // defaults; NULL of the required ones
} weft_function_object;

// The types: that of functions, and of those that are ufuncs, methods in a class, or functions there. All have the same fields.
extern PyTypeObject *weft_function_type, *weft_ufunc_type, *weft_binding_type, *weft_builtin_type;
PyObject *weft_call_fitting(PyObject *function, PyObject *odd, PyObject *args, PyObject *options);
int weft_init_function_types(PyObject *module); // 0, or -1 with an exception

#endif
