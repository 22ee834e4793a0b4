// What a call of a function of NumPy's hands over (handover.c), between that file and delegate.c.
#ifndef WEFT_HANDOVER_H
#define WEFT_HANDOVER_H

// The head of numpy/ndarraytypes.h's PyArrayObject, which is part of NumPy's stable ABI.
typedef struct {
	PyObject_HEAD
	char *data;
	int nd;
	intptr_t *dimensions, *strides;
	PyObject *base, *descr;
	int flags;
	PyObject *weak; // references
} np_array;

typedef struct { // and of its PyArray_Descr
	PyObject_HEAD
	PyTypeObject *of;
	char kind, type, order, reserved;
	int number; // of enum NPY_TYPES
} np_dtype;

enum { C_ORDER = 1, F_ORDER = 2, OWNED = 4, ALIGNED = 0x100, WRITABLE = 0x400, WARNS = INT32_MIN }; // of numpy/ndarraytypes.h
enum { COMPLEX64 = 13, COMPLEX128 = 14 }; // tile.DTypes
enum { AS_C, AS_F, KEEP }; // the order of a copy's axes: NPY_CORDER, NPY_FORTRANORDER, NPY_KEEPORDER

extern PyTypeObject *weft_np_type, *weft_np_descr;
extern PyObject *weft_np_dtypes[WEFT_DTYPES]; // NumPy's, by weft's
extern PyObject *(*weft_np_copy)(PyObject *of, int order);
extern PyObject *(*weft_np_new)(PyTypeObject *type, PyObject *descr, int nd, const intptr_t *dims, const intptr_t *strides, void *data, int flags, PyObject *of);

enum { GIVEN = 16, ARRAYS = 8, DEEP = 8 }; // arguments, arrays among them, lists in lists
enum { FEW = 4096 };                       // elements, as in _delegates.py

enum { PARTS = 1, SHAPES, FRAMES }; // kinds of functions that make views: by the elements, or whatever the elements are, of their first argument or of all

typedef struct { // an array among the arguments
	np_array *made;
	weft_array *of;
	weft_layout was; // of it, when it was copied
	char *first, *end; // of views: the bytes between which the elements are, in memory or not
} argument;

typedef struct {
	int n, writes, views;
	int grids;     // the result is as long as the product of integers and ranges among the arguments
	double result; // how long that is so far
	int objects; // the dtype may be that of objects, which arrays among the arguments would be then
	int is_first; // the argument that is looked at is the first one
	int makes; // the function is array, or the like
	int whole; // no array has gaps
	int lends; // the function only reads, and keeps nothing
	int dtypes; // of arrays of weft's nothing else is looked at
	int plain, numpys; // no array is weft's; so many are NumPy's
	int runs; // one of those has objects for elements, whose methods may be the program's
	int64_t most; // elements of an array, less one; all together are four times as many
	int64_t elements, greatest; // so far, and the greatest integer among the arguments
	const np_array *given[ARRAYS]; // which
	argument array[ARRAYS];
} handover;

extern int (*weft_np_set_base)(np_array *of, PyObject *base); // takes the reference over
extern PyObject *(*weft_np_from_any)(PyObject *of, PyObject *descr, int least, int most, int flags, PyObject *context);

// weft_np_over returns an array of NumPy's over elements, or, where data is NULL, with room for as many.
PyObject *weft_np_over(const weft_layout *l, char *data);
void weft_np_give_up(np_array *a, const weft_layout *l); // one that lay so, to be used again
int weft_np_dtype(const np_array *a); // weft's, or WEFT_DTYPES where it has none
// weft_np_bounds finds the bytes between which elements of so many bytes lie.
void weft_np_bounds(const np_array *a, int64_t size, const char **first, const char **end);
int64_t weft_np_shape(const np_array *a, int64_t shape[WEFT_NEAR]); // of at most WEFT_NEAR axes; returns how many elements, a number above WEFT_MOST for all that are more
void weft_np_truths(char *bytes, int64_t n); // makes bools of bytes, of which each but 0 is true to NumPy, where weft has 0 and 1
int weft_np_unknown(const np_array *a); // whether it has a dtype that weft has not
int weft_np_unknown_dtype(PyObject *dtype); // whether it is such a dtype
int weft_np_passes(PyTypeObject *type); // whether NumPy may have an object of a type as it is
// weft_np_seen makes a view of an array of weft's, whose memory is its own, of an array of NumPy's over that; NULL, maybe with an exception, where Python has to look.
PyObject *weft_np_seen(weft_array *of, const np_array *a);
PyObject *weft_np_view(const argument *as, const np_array *a); // the same of one of several arguments
// weft_np_adopted is an array over the memory of one of NumPy's that nothing else has (adopt.c); NULL, without an exception, where the elements are to be copied.
PyObject *weft_np_adopted(np_array *a);
int weft_np_is_new(const np_array *a); // whether it has memory that nothing else has, itself or the array that it is a view of
// weft_hand_copy makes NumPy's array of one of weft's; NULL, maybe with an exception, where it is none of few elements.
PyObject *weft_hand_copy(handover *h, PyObject *o);
// weft_hand_grows counts that a result may become so many times as long; 0 where it is too long for NumPy then.
int weft_hand_grows(handover *h, double times);
// weft_hand is what NumPy gets for an argument: NULL, maybe with an exception, where it is neither a number, a word of NumPy's, an array of few elements, nor a list of such.
PyObject *weft_hand(handover *h, PyObject *o, int depth);

#endif
