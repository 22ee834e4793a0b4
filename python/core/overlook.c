//go:build extension

// Exceptions that a short way meets and the general function meets as well: they are forgotten, unless they tell of something else than the call.
#include "shim.h"
#include "table.h"

// weft_is_about_arguments says whether the exception at hand tells what is wrong with a call, and not that it was interrupted, or that memory is short.
int weft_is_about_arguments(void)
{
	return PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_LookupError) || PyErr_ExceptionMatches(PyExc_ArithmeticError);
}

int weft_overlook(void)
{
	if (!weft_is_about_arguments())
		return -1;
	PyErr_Clear();
	return 0;
}
