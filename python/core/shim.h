// What the C files of the extension share with each other.
#ifndef WEFT_SHIM_H
#define WEFT_SHIM_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <signal.h>
#include <string.h>

// The limited API has the name from 3.12 on; the function has been there since 3.9.
extern PyObject *PyObject_Vectorcall(PyObject *function, PyObject *const *args, size_t n, PyObject *names);

#include "values.h"

#define WEFT_FEW 64 // elements that a list of Python's is made of at once

// weft_array is the ndarray object. A view that basic indexing made has no array of Go's until
// something else than basic indexing and the eager tier wants one (weft_handle): its handle is 0. Nor has an array of few elements, whose memory
// is its own.
typedef struct weft_array {
	PyObject_HEAD
	uint64_t handle;
	weft_place place;  // layout is WEFT_NO_LAYOUT, or older than weft_layouts.base: ask Go; see weft_look in known.c
	weft_layout at;    // known of all without a handle, and of others that were looked at
	char *bytes;       // memory that Go does not know yet; or NULL. Only of an array that is no view
	char *opens;       // the first byte of the store, where it is open to the eager tier; see opening.c
	uint64_t opened;   // by which Go knows that; or 0
	int refused;       // how often it could not be opened, or was not worth it
	PyObject *weakrefs;
	PyObject *lender; // whose memory it is that was lent to weft, where Python made this array of it; or NULL
	PyObject *base;   // the array that this one is a view of, which is none itself; or NULL
	PyObject *pinned; // the mapping whose address __array_interface__ gave away, what keeps the one in a GPU's memory, both as (on the GPU, mapping), or NULL
	int64_t views;    // without a handle that have this one as base
	struct weft_array *next, *previous; // all views without a handle
	int borrowed;         // bytes are others', and a loan says whose; see borrow.c
	int exports, lasting; // buffers of bytes that others hold, and whether bytes are a block that outlasts the lock; see export.c
	uint8_t misaligned;   // so the program says, which it is not
	uint8_t warns;        // the program is warned when it writes the array, or asks whether it may
	uint64_t mapped;      // the mapping that holds what was bytes for those buffers, once Go has it; or 0
	struct weft_array *exported_next, *exported_previous; // all whose bytes others hold
} weft_array;

extern PyTypeObject *weft_array_type;
extern volatile int weft_forked; // set in forked children, which must not touch Go

// weft_inside says that this thread is in a function of ours, for the ticks of sampler.c.
extern __thread volatile int weft_inside __attribute__((tls_model("initial-exec")));
static inline void weft_leaves(const int *before) { weft_inside = *before; }

// ENTER stands at the beginning of whatever Python calls. It turns away forked children, and
// looks for signals that came: CPython may miss one that the system gave to another thread.
#define ENTER(result) \
	__attribute__((cleanup(weft_leaves))) const int weft_was_inside = weft_inside; \
	weft_inside = 1; \
	if (__builtin_expect(weft_forked | weft_interrupts_noted | weft_held | weft_kept, 0) && weft_attend() < 0) \
		return result;

int weft_attend(void); // 0 to go on, or -1 with an exception

// weft_calling is how deep this thread is in calls that may let go of the interpreter's lock while they wait: between
// WEFT_CALL and WEFT_CALLED.
extern __thread int weft_calling __attribute__((tls_model("initial-exec")));
#define WEFT_CALL weft_calling++;
#define WEFT_CALLED weft_calling--;

// WEFT_MEET and WEFT_MET are the same where there are GPUs: for calls that wait for nothing but what other libraries do there, which may be functions
// of Python's.
#define WEFT_MEET const int weft_meets = weft_devices != 0; weft_calling += weft_meets;
#define WEFT_MET weft_calling -= weft_meets;

// weft_out counts the calls that have let go of the interpreter's lock on their way and are not back yet: they have names of stores of the machine,
// and arrays that no handle stands for. weft_standing counts the threads that wait for there to be none. Who has the lock has both.
extern int weft_out, weft_standing;
void weft_back(void); // one call less

// named.c: a call names handles between weft_begin_naming and weft_end_naming, which is given what that returned. weft_keep_named has an object, and weft_free_named an array,
// stay for as long as calls may name it; weft_keep_named is -1 with an exception. weft_give_back_named gives back what no call names any more; weft_kept says that there is such.
extern volatile int weft_kept;
int weft_begin_naming(void);
void weft_end_naming(int begun);
int weft_keep_named(PyObject *array);
void weft_free_named(uint64_t handle);
void weft_give_back_named(void);

void weft_unmap(uint64_t id); // ends a mapping of Go's
void weft_close_retired(void); // closes the machines that were replaced; both may let go of the interpreter's lock

// weft_set stores a reference that it takes over, and drops the old one afterwards.
static inline void weft_set(PyObject **place, PyObject *o)
{
	PyObject *old = *place;
	*place = o;
	Py_XDECREF(old);
}

// weft_alloc makes an object of a type of the extension's, of which all is zero; NULL with an exception.
static inline void *weft_alloc(PyTypeObject *type) { return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0); }

// weft_release ends a deallocation: the object's memory is given back, and its reference to its type.
static inline void weft_release(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

// weft_make_type makes a type of its description: 0, or -1 with an exception.
static inline int weft_make_type(PyType_Spec *spec, PyTypeObject **type) { return (*type = (PyTypeObject *)PyType_FromSpec(spec)) ? 0 : -1; }

// raise.c
int weft_warns(const weft_error *e);      // whether a call only wants the program to be warned before it is made
extern int weft_some_warn;               // whether there was an array of which the program is warned when it writes it
int weft_warn_of_writing(PyObject *o);   // warns of a write to one; -1 with an exception
int weft_warn_discards(int level);       // warns, so many Python frames up, that complex elements become real ones; -1 with an exception
int weft_warn(weft_error *e, int level);  // warns so many Python frames up, and frees the strings; -1 with an exception
PyObject *weft_raise(weft_error *e);      // sets the exception, frees the strings, returns NULL
PyObject *weft_hook(const char *name);    // a Python function given to setup; borrowed
int weft_take_hooks(PyObject *given);     // that the package gives to setup: a dict; 0, or -1 with an exception
extern PyObject *weft_np_ndarray, *weft_np_generic, *weft_no_value, *weft_dtypes;

// dtypes.c
extern const uint8_t weft_sizes[WEFT_DTYPES]; // bytes of an element
int weft_write(const weft_value *v, int dtype, void *to); // a number as an element: 0 where the general function has to look
int weft_value_at(const char *data, int dtype, weft_value *v); // the number that an element is; 0 of halves
int weft_init_dtypes(void);               // after weft_take_hooks; 0, or -1 with an exception
PyObject *weft_dtype_object(int dtype);   // NumPy's dtype object; borrowed
int weft_dtype_is_integer(int dtype);
int weft_dtype_of_few(PyObject *o);       // the same, but 0 also of what is no dtype, which the general function finds out as well
int weft_dtype_code(PyObject *o);         // of anything NumPy takes as a dtype; 0 not native, -1 error

// where.c
uint64_t weft_where(void); // the user's source << 32 | line
int weft_level(void);
PyObject *weft_displaying(PyObject *self, PyObject *on);
PyObject *weft_where_object(PyObject *self, PyObject *unused);
uint64_t weft_place_of(PyObject *frame, PyObject *code, int32_t *instruction); // of a frame of the user's
int weft_set_skipped(PyObject *prefixes);
void weft_forget_sources(void);

// convert.c
typedef struct {
	weft_value fixed[24], *v;
	int n, cap;
	PyObject *temporaries; // arrays that were made for this call; NULL or a list
} weft_values;

void weft_values_init(weft_values *b);
void weft_values_free(weft_values *b);
// weft_push appends a Python object in the given role (see convert.c): 0 done, 1 NumPy has
// to answer, -1 exception.
int weft_push(weft_values *b, PyObject *o, char role);
// weft_operand makes a value of an operand: 1 done, 0 not one of ours, -1 exception.
// *temporary is a new reference to hold on to until the call is over, or NULL.
int weft_operand(PyObject *o, weft_value *v, PyObject **temporary);
// weft_read_again reads the handles of arguments anew, before a call that was interrupted is made again: a signal handler, or another thread, may have
// given an array another shape, and its old handle back. It is 1.
int weft_read_again(weft_value *v, int n);
PyObject *weft_pop(const weft_value **p); // makes a Python object of the value at *p, steps behind it
PyObject *weft_scalar(const weft_value *v); // Python's number
int weft_push_operand(weft_values *b, PyObject *o); // of a ufunc: a NumPy scalar is a number with a dtype, without an array of it

// table.c
typedef struct {
	PyObject *const *args; // the arguments of a call as the program wrote them, those with names behind the n others
	Py_ssize_t n;
	PyObject *names;
	int owned; // whether each has a reference that is given up after the call, and is no other's
} weft_said;
PyObject *weft_call(PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *weft_call_directly(PyObject *const *args, Py_ssize_t n, const weft_said *said); // of what is no function of Python's
PyObject *weft_native(PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *weft_delegate_row(PyObject *self, PyObject *args);
PyObject *weft_define(PyObject *self, PyObject *args);
void weft_count_literals(void); // tells Go of the calls that were answered here
PyObject *weft_row_plainly(int index, PyObject *const *args, Py_ssize_t n, PyObject *names); // NumPy's function of a row, of no array of weft's
void weft_count_made(int index); // one more, of a function of the table

// compiled.c
PyObject *weft_compiled(PyObject *self, PyObject *const *args, Py_ssize_t n);

// scalar.c
int weft_init_scalars(PyObject *api, PyObject *dtypes);
int weft_scalar_code(PyObject *o);               // the dtype of a NumPy scalar of native type, 0 for anything else
int weft_read_scalar(PyObject *o, weft_value *v); // whether o is one; then v is its number
PyObject *weft_scalar_at(const void *data, int dtype); // of the bytes of one element
PyObject *weft_scalar_type(int dtype);                 // NumPy's type; borrowed
int weft_number(PyObject *o, weft_value *v); // whether o is a Python number or a NumPy scalar that stands among the operands of layouts

// loop.c
typedef struct {
	void (*run)(void); // NumPy's loop, or NULL
	void *data;        // that it is given
	int result;        // a tile.DType; 0 where it is none of those that are made here
} weft_loop;
typedef struct {
	int operands; // 0 where there are no loops
	weft_loop of_floats, of_ints;
} weft_loops;
int weft_read_loops(PyObject *ufunc, weft_loops *to); // of a ufunc of NumPy's; 0, or -1 with an exception
// The loop of a generalized ufunc of doubles, which computes whole matrices: its sizes are those of the stack and of the signature's axes, its
// steps those along the stack for each operand and then along the signature's axes. to->run stays NULL where there is none.
int weft_read_core_loop(const char *module, const char *name, const char *signature, weft_loop *to); // 0, or -1 with an exception
int weft_run_core_loop(const weft_loop *loop, char **at, const int64_t *sizes, const int64_t *steps); // 0 where it set a flag
// weft_run_core_loops runs it n times, of so many operands and sizes each, with the same steps.
int weft_run_core_loops(const weft_loop *loop, int n, char **at, int operands, const int64_t *sizes, int axes, const int64_t *steps);
PyObject *weft_run_loop(const weft_loops *l, PyObject *const *args); // NULL without exception: NumPy has to do it

// object.c
PyObject *weft_wrap(uint64_t handle); // takes the handle; on failure it is freed
PyObject *weft_copied(const char *data, int64_t bytes, int dtype, const int64_t *shape, int ndim); // Go's array of a copy of packed elements
PyObject *weft_wrap_view(uint64_t handle, PyObject *of); // the same for a view of an array
int weft_init_array(PyObject *module); // ndarray.c
int weft_init_array_type(void); // arraytype.c
PyObject *weft_of_class(PyObject *self, PyObject *methods);
PyObject *weft_new_of(PyObject *unused, PyObject *args, PyObject *keywords);
PyObject *weft_int_tuple(const int64_t *v, int n);
void weft_know_array_type(void); // which has been made
void weft_moved(weft_array *a);     // its place is another than it was
void weft_end_object(PyObject *o);  // ends a deallocation

// dealloc.c
void weft_dealloc(PyObject *self);
// weft_give_up_dying gives back those arrays among the arguments of weft._core.call that nothing can reach after the call:
// in abs(x - y).max(), what abs gave would be stored for a wait for the maximum, and read by nothing.
void weft_give_up_dying(PyObject *const *args, Py_ssize_t n);
void weft_give_up_owned(PyObject *const *args, Py_ssize_t n); // the same for arguments of which the caller gives up its references
PyObject *weft_references(PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *weft_set_dying(PyObject *self, PyObject *references);

// handle.c
uint64_t weft_handle(PyObject *array); // of its array of Go's, which is made where there is none
int weft_settle(weft_array *a);        // makes the bytes of one without a base an array of Go's; 0 where that fails
void weft_link_view(weft_array *a);    // a view without a handle is made
void weft_forget_view(weft_array *a);  // and dies
void weft_make_views(PyObject *of);    // gives all views of an array handles; NULL is every array
void weft_settle_exported(uint64_t address, uint64_t bytes); // makes those arrays Go's whose memory others have as well and lies in a range

// known.c
void weft_forget_layouts(void);
int weft_look(weft_array *a); // makes sure that an array's layout is known; one without a handle has no array of Go's for it yet
void weft_get_info(PyObject *array, weft_info *info);

// slice.c
// weft_select finds what a basic index selects: 1 done, 0 the general function has to do it, -1 an exception. at is its layout, and
// offset where its first element is in self's memory. element says that it is one element, which NumPy gives as a scalar.
int weft_select(weft_array *self, PyObject *index, weft_layout *at, int64_t *offset, int *element);
PyObject *weft_slice(PyObject *array, PyObject *index); // NULL, without an exception where the general function has to do it

// launch.c
// Operators and assignments of few elements, or over layouts that were met before. They return NULL (or 0) without an exception where the general functions have
// to do it: always when that may raise one. weft_assign returns 1 when it is done, -1 for an exception.
PyObject *weft_operate(int op, PyObject *x, PyObject *y); // y is NULL for one operand
int weft_operate_in_place(int op, PyObject *x, PyObject *y); // 1 done, 0 the general function has to look, -1 an exception
int weft_assign(PyObject *array, PyObject *index, PyObject *value);
// weft_viewed returns the layout of an array of which views can be made without Go; otherwise NULL. weft_view_of makes
// one, whose first element is at offset in the array's memory; NULL without an exception where Go has to.
const weft_layout *weft_viewed(weft_array *self);
PyObject *weft_view_of(weft_array *self, const weft_layout *at, int64_t offset);

// blocks.c
char *weft_take_block(int64_t bytes);         // or NULL
void weft_give_block(char *memory, int64_t bytes);
// weft_lasting_block returns memory, or a copy of it, as weft_return_block takes it, which needs no lock; NULL where that fails.
char *weft_lasting_block(char *memory, int64_t bytes);

// weft_copy_element copies an element, of 1, 2, 4, 8 or 16 bytes: memcpy of a size that the compiler knows only to be small is an instruction that repeats, which takes as long as a sum.
static inline void weft_copy_element(void *to, const void *from, int size)
{
	switch (size) {
	case 1: memcpy(to, from, 1); break;
	case 2: memcpy(to, from, 2); break;
	case 4: memcpy(to, from, 4); break;
	case 8: memcpy(to, from, 8); break;
	default: memcpy(to, from, 16);
	}
}

// small.c
void weft_lay(weft_layout *l, int dtype, int ndim, const int64_t *shape); // in the order of C without gaps
int weft_is_contiguous(const weft_layout *l);
weft_array *weft_new_small(const weft_layout *l); // without values yet; NULL without exception
weft_array *weft_new_packed(int dtype, int ndim, const int64_t *shape); // NULL also where the array is not for the eager tier
PyObject *weft_small_of(int dtype, int ndim, const int64_t *shape, const void *data, int64_t bytes); // or NULL as well
const weft_layout *weft_layout_of(weft_array *a); // NULL where it has more than WEFT_NEAR axes

// opening.c
extern int weft_opened; // how many arrays are
// weft_open_now returns 1 where weft_data has an answer from now on. reads says that the program gets a value of some elements, for which
// it would wait; or of as many as an operation that is planned could compute with the one that makes them; or that there are so many
// and it would not wait, so that they are read only where they are there already.
enum { WEFT_READS = 1, WEFT_READS_ALL, WEFT_READS_SETTLED };
int weft_open_now(weft_array *a, int reads);
// weft_opens_later says that x, of two operands, is opened after y: the larger one may be refused, before the other is waited for in vain.
int weft_opens_later(PyObject *x, PyObject *y);
weft_array *weft_new_open(const weft_layout *l); // a new one of Go's, without values yet; NULL without exception
void weft_shut(weft_array *a);
void weft_shut_memory(weft_array *a);     // of all arrays over the memory of this one
void weft_shut_all(void);
static inline weft_array *weft_owner(weft_array *a) { return a->handle || !a->base ? a : (weft_array *)a->base; }
char *weft_opened_data(const weft_array *a, const weft_array *owner); // weft_data of an array whose memory is not its own

// weft_data is where the first element is, which may be read and written at once; or NULL.
static inline char *weft_data(weft_array *a)
{
	weft_array *owner = weft_owner(a);
	return owner->bytes ? owner->bytes + a->place.offset : weft_opened_data(a, owner);
}

// eager.c: results are NULL (or 0) without an exception where the general functions have to do it.
PyObject *weft_eager_ufunc(int ufunc, PyObject *x, PyObject *y); // y is NULL for one operand
int weft_eager_in_place(int ufunc, PyObject *x, PyObject *y);
PyObject *weft_eager_into(int ufunc, PyObject *x, PyObject *y, PyObject *out); // out, in which the result is
PyObject *weft_eager_copy(PyObject *array);
int weft_eager_set(const weft_layout *l, char *to, uint64_t memory, PyObject *value);
PyObject *weft_eager_fold(int kind, PyObject *array, PyObject *axis, int keeps); // keeps the axes that are reduced, with one element each
PyObject *weft_watched_fold(int kind, PyObject *array, PyObject *axis, int keeps); // the same, and notes what went wrong
PyObject *weft_eager_position(int most, PyObject *array, PyObject *axis);

// refused.c: weft_says_numpy says whether NumPy is to say what the exception at hand is, of an operation in place of a few elements, and drops it: of two mistakes NumPy
// names the one that it meets first, and some are none to it. It is not asked where to read the operand once more runs code of the program's.
int weft_says_numpy(PyObject *array, PyObject *with);

// index.c: array[index] = value, without a word on what went wrong: 0, or -1 with an exception.
int weft_assigned(PyObject *self, PyObject *index, PyObject *value);
static inline int weft_dtype_of_array(weft_array *a) // 0 where it has too many axes
{
	const weft_layout *l = weft_layout_of(a);
	return l ? l->dtype : 0;
}
// weft_holds says whether nothing can go wrong where elements of a dtype become those of another one.
static inline int weft_holds(int dtype, int from)
{
	enum { FLOAT64 = 12 }; // a tile.DType
	return from && (from == dtype || from == WEFT_BOOL_DTYPE || (from < WEFT_FIRST_INEXACT && dtype < WEFT_FIRST_INEXACT) || (dtype == FLOAT64 && from < FLOAT64));
}

// floating.c: weft_told stands at the end of what the program calls, and tells it what went wrong in floating-point operations meanwhile: NULL with an exception where it
// asked for one.
// What is recorded to be computed later has no call to raise an error at. So where the program asks for errors, or for calls of its own (weft_asks), what the eager tier does
// not compute is waited for, and told of as the call ends:
//
//	asks = weft_asks(), way = weft_floating_way("add", {x, y})     WEFT_AS_USUAL   nothing can go wrong in it: it is computed later
//	call = weft_floating_begin()                                   WEFT_WAITED_FOR
//	weft_floating_tells_of(weft_floating_minded(call), call)       what is submitted has the call's number
//	made = weft_floating_end(call, made, made)                     waits; NULL with an exception where an error was asked for
//
// WEFT_BY_NUMPY is all of which weft does not know as much as NumPy.
enum { WEFT_AS_USUAL, WEFT_WAITED_FOR, WEFT_BY_NUMPY };
extern int weft_floating_asked;
int weft_floating_asks(void);
int weft_floating_way(const char *name, PyObject *const *args, Py_ssize_t n); // -1 with an exception
uint32_t weft_floating_begin(void);
int weft_floating_calls(void);                // whether np.errstate has a function of the program's called
uint8_t weft_floating_says(uint8_t *ignored); // of what np.errstate has the program warned, and what it ignores
uint8_t weft_floating_minded(uint32_t call); // what the program is told of: what is not ignored, of a call that waits; otherwise weft_floating_wanted
void weft_floating_tells_of(uint8_t wanted, uint32_t call);
// weft_floating_end ends such a call; of 0 it does nothing. written is the array of which values are waited for, a new one or one that was there. It takes the reference of made over,
// which is NULL with an exception where the call has failed.
PyObject *weft_floating_end(uint32_t call, PyObject *written, PyObject *made);
int weft_await(PyObject *array); // many.c: waits until what an array's elements are computed from is done; -1 with an exception where the program is interrupted
static inline int weft_asks(void) { return __builtin_expect(weft_floating_asked, 0) ? weft_floating_asks() : 0; }
// Halves are computed as floats, which are normal numbers where a half is none: the flags of the processor do not say whether one underflows. So where the program is told
// of underflows (weft_floating_vanishing, of what it has ever asked for), NumPy computes with halves.
extern int weft_floating_watched; // flags, in NumPy's bits
int weft_is_half(PyObject *o);    // an array of float16, weft's or NumPy's, or a scalar of NumPy's
int weft_floating_vanishing(void);
static inline int weft_vanishes(PyObject *o) { return __builtin_expect(weft_floating_watched & 4, 0) && weft_is_half(o) && weft_floating_vanishing(); }
// What is computed later is told of where the program waits for values: weft_floating_later, which is -1 with an exception. It is asked for with the operation: weft_floating_wanted
// is what np.errstate has the program warned of, in NumPy's bits; it never fails.
int weft_floating_later(void);
void weft_interrupted(void); // forgets the exception at hand where no call could raise it; an interrupt is raised as soon as the program's own code goes on
uint8_t weft_floating_wanted(void);
void weft_floating_tells(uint8_t wanted); // of the call of Go's that follows
extern int weft_wrongs; // how many are noted
PyObject *weft_floating_tell(PyObject *made);
extern volatile int weft_floating_late; // see values.h
static inline PyObject *weft_told(PyObject *made) { return __builtin_expect(weft_wrongs | weft_floating_late, 0) ? weft_floating_tell(made) : made; }

// notes.c
// weft_note notes an operation: the layout of its result, or of what was reduced, and the memories of result and operands.
void weft_note(int what, const weft_layout *l, uint64_t out, uint64_t x, uint64_t y);
void weft_note_made(int what, PyObject *made, int dtype, const weft_array *x, const weft_array *y); // an array, or a scalar of dtype

// literal.c
enum { WEFT_MAKES_ZEROS = 1, WEFT_MAKES_ONES, WEFT_MAKES_EMPTY, WEFT_MAKES_FULL, WEFT_MAKES_RANGE };
// weft_make_literal is what a constructor makes of its arguments; NULL without exception: the general function has to do it.
PyObject *weft_make_literal(int makes, PyObject *const *args, Py_ssize_t n);
// lists.c
PyObject *weft_few_list(PyObject *self); // tolist() of few elements; NULL without exception: the general function has to do it

// number.c and index.c, the slots that object.c puts together
PyObject *weft_richcompare(PyObject *x, PyObject *y, int op);
void weft_watch_left(void); // leftscalar.c: gives NumPy's scalar types their functions
PyObject *weft_set_left(PyObject *module, PyObject *on);
void weft_watch_index(void); // leftindex.c: gives NumPy's arrays theirs
void weft_set_left_index(int own);
PyObject *weft_array_ufunc(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names);
#define SLOT2(name) PyObject *weft_##name(PyObject *, PyObject *);
SLOT2(nb_add) SLOT2(nb_subtract) SLOT2(nb_multiply) SLOT2(nb_true_divide) SLOT2(nb_floor_divide) SLOT2(nb_remainder)
SLOT2(nb_lshift) SLOT2(nb_rshift) SLOT2(nb_and) SLOT2(nb_or) SLOT2(nb_xor) SLOT2(nb_matrix_multiply) SLOT2(nb_divmod)
SLOT2(nb_inplace_add) SLOT2(nb_inplace_subtract) SLOT2(nb_inplace_multiply) SLOT2(nb_inplace_true_divide)
SLOT2(nb_inplace_floor_divide) SLOT2(nb_inplace_remainder) SLOT2(nb_inplace_lshift) SLOT2(nb_inplace_rshift)
SLOT2(nb_inplace_and) SLOT2(nb_inplace_or) SLOT2(nb_inplace_xor) SLOT2(nb_inplace_matrix_multiply)
SLOT2(mp_subscript)
#undef SLOT2
PyObject *weft_nb_power(PyObject *, PyObject *, PyObject *);
PyObject *weft_nb_inplace_power(PyObject *, PyObject *, PyObject *);
PyObject *weft_nb_negative(PyObject *);
PyObject *weft_nb_positive(PyObject *);
PyObject *weft_nb_absolute(PyObject *);
PyObject *weft_nb_invert(PyObject *);
PyObject *weft_nb_int(PyObject *);
PyObject *weft_nb_float(PyObject *);
PyObject *weft_nb_index(PyObject *);
PyObject *weft_complex(PyObject *, PyObject *);
int weft_nb_bool(PyObject *);
PyObject *weft_item(PyObject *self, PyObject *unused);
Py_ssize_t weft_length(PyObject *);
PyObject *weft_sq_item(PyObject *, Py_ssize_t);
int weft_mp_ass_subscript(PyObject *, PyObject *, PyObject *);
int weft_sq_ass_item(PyObject *, Py_ssize_t, PyObject *);

// flags.c
int weft_init_flags(void);
PyObject *weft_get_flags(PyObject *self, void *unused);
int weft_owns(weft_array *a); // whether its memory is its own: no other array's and no other owner's

// flat.c
int weft_init_flat(void);
PyObject *weft_get_flat(PyObject *self, void *unused);
PyObject *weft_get_data(PyObject *self, void *unused);
PyObject *weft_hold(PyObject *self, PyObject *array);
PyObject *weft_held_array(PyObject *self, PyObject *o);
int weft_set_flat(PyObject *self, PyObject *value, void *unused);

// borrow.c
PyObject *weft_borrow(PyObject *o); // an array over the memory of one of NumPy's; NULL where the general function has to look
PyObject *weft_borrow_method(PyObject *self, PyObject *o);
PyObject *weft_is_known(PyObject *self, PyObject *o);

// fork.c
PyObject *weft_before_fork(PyObject *self, PyObject *unused);
PyObject *weft_after_fork(PyObject *self, PyObject *unused);
PyObject *weft_seen(PyObject *self, PyObject *array);
int weft_settled_of(weft_array *a, weft_mapping *m); // where a forked child finds an array's value: 0, or -1 with an exception

// export.c
typedef struct {
	char *data;
	int dtype, ndim, writable, contiguous;
	int64_t size;
	Py_ssize_t *shape, *strides;
} weft_exported;
int weft_fill_buffer(Py_buffer *view, PyObject *of, int flags, const weft_exported *e); // 0, or -1 with an exception
int weft_export(PyObject *array, Py_buffer *view, int flags); // 1 done, 0 the general function has to do it, -1 an exception
int weft_keep_mapping(Py_buffer *view, PyObject *mapping); // has an array's buffer keep the mapping that it is of; -1 with an exception
void weft_releasebuffer(PyObject *array, Py_buffer *view);

// host.c
int weft_getbuffer(PyObject *self, Py_buffer *view, int flags);
int weft_init_mapping(void);

// numbers.c
static inline Py_ssize_t weft_items(PyObject *o) { return PyList_CheckExact(o) ? PyList_Size(o) : PyTuple_CheckExact(o) ? PyTuple_Size(o) : -1; } // of a list or tuple, or -1
static inline PyObject *weft_item_of(PyObject *o, Py_ssize_t i) { return PyList_CheckExact(o) ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i); }
// weft_of_numbers is the array that NumPy makes of a float, an int, a scalar of one, or nested lists or tuples of them; None for anything else.
PyObject *weft_of_numbers(PyObject *object);
PyObject *weft_numbers_as(PyObject *object, int dtype); // of a dtype, where that is not 0
PyObject *weft_of_list(PyObject *list); // asarray.c: the same of a list or tuple, or of one of arrays of few elements and one shape

// iterate.c
int weft_init_iteration(void);
int weft_init_function(PyObject *module); // function.c
PyObject *weft_set_owning(PyObject *self, PyObject *on);
PyObject *weft_as_ufunc(PyObject *self, PyObject *function);
PyObject *weft_set_ufuncs_class(PyObject *self, PyObject *metaclass);
int weft_init_draws(void);                 // draw.c
PyObject *weft_function(PyObject *self, PyObject *args);
// weft_shortcut answers calls of a function that stands in Python, as a vectorcall gives them; NULL without exception: the Python function
// has to. about is what the package gave with it.
typedef PyObject *weft_shortcut(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names);
weft_shortcut weft_cut_numbers, weft_cut_draw, weft_cut_buffer, weft_cut_row; // asarray.c, draw.c, borrow.c, table.c
PyObject *weft_shortcut_of(PyObject *self, PyObject *args);
PyObject *weft_adopt(PyObject *self, PyObject *args);
PyObject *weft_iterate(PyObject *array); // what iter() gives for it
PyObject *weft_array_interface(PyObject *self, void *unused);
PyObject *weft_from_host(PyObject *o); // NULL without exception: NumPy only
PyObject *weft_from_host_method(PyObject *self, PyObject *o);
PyObject *weft_pin(PyObject *self, PyObject *args);

// wait.c
// weft_wait asks for what another thread has to do first, without the interpreter's lock, and again after each interrupt that raises
// nothing: 0, or -1 with an exception. ask returns a status of Go's.
typedef int (*weft_blocking)(void *about, int on_main, weft_error *e);
int weft_wait(weft_blocking ask, void *about);
// weft_wait_of asks so about an array, whose handle is read each time: a signal handler may give the array another shape, and the old handle back.
int weft_wait_of(PyObject *array, uint64_t *handle, weft_blocking ask, void *about);
// weft_wait_item waits for the value of a one-element array: 0, or -1 with an exception.
int weft_wait_item(uint64_t handle, weft_value *v);
// weft_element waits for the element of a dtype at a place in handle's memory, and makes NumPy's scalar of it. of is the
// object that keeps the handle.
PyObject *weft_element(PyObject *of, uint64_t handle, const weft_place *place, int dtype);
int weft_read(PyObject *array, void *to); // waits for the elements, which are packed; 0, or -1 with an exception
PyObject *weft_result(uint64_t handle); // what Python gets for a new array: takes the handle

// share.c
// weft_described is a dtype, shape and strides as Python gives them.
typedef struct {
	int dtype, ndim;
	int64_t shape[WEFT_MAXDIMS], strides[WEFT_MAXDIMS];
} weft_described;
int weft_read_described(PyObject *dtype, PyObject *shape, PyObject *strides, weft_described *l); // 1 done, 0 the dtype is not native, -1 an exception

// Other libraries' arrays on GPUs, and DLPack's tensors; see guests.c and dlpack.c.
PyObject *weft_shares(PyObject *self, PyObject *unused);
PyObject *weft_order_statistics(PyObject *self, PyObject *args); // statistics.c
PyObject *weft_host_most(PyObject *self, PyObject *unused);
PyObject *weft_on_device(PyObject *self, PyObject *args);
PyObject *weft_expose(PyObject *self, PyObject *array);
PyObject *weft_await_stream(PyObject *self, PyObject *number);
PyObject *weft_keep(PyObject *self, PyObject *args);
int weft_given_away(weft_array *a, PyObject *keeps, int on_gpu); // has an array keep what keeps its address, instead of the one before in the same memory; 0 or -1
PyObject *weft_adopt_guest(PyObject *self, PyObject *args);
PyObject *weft_tensor_of(PyObject *self, PyObject *capsule);
PyObject *weft_tensor(PyObject *self, PyObject *args);

PyObject *weft_view_at(PyObject *self, PyObject *args);
PyObject *weft_share(PyObject *self, PyObject *args);
PyObject *weft_based(PyObject *self, PyObject *args);
void weft_let_owners_go(void); // drops the owners of memory that nothing uses any more

// freesignal.c: weft_take_signal finds a signal that nothing uses, and has a method handle it in Python and caught in the system. It returns its number, or
// -1 with an exception. weft_leave_signal gives it back: 0, or -1 with an exception. weft_pass_signals_on empties the pipe, from any thread, now and then.
int weft_take_signal(PyMethodDef *method, void (*caught)(int, siginfo_t *, void *));
int weft_leave_signal(void);
void weft_pass_signals_on(void);

// sampler.c
PyObject *weft_sample_begin(PyObject *self, PyObject *classify);
PyObject *weft_sample_end(PyObject *self, PyObject *unused);

// methods.c
PyObject *weft_bind(PyObject *self, PyObject *args);
PyObject *weft_get_transposed(PyObject *self, void *unused);
#define METHOD(name) PyObject *weft_method_##name(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
METHOD(reshape) METHOD(ravel) METHOD(flatten) METHOD(transpose) METHOD(swapaxes) METHOD(copy) METHOD(astype) METHOD(dot) METHOD(tolist) METHOD(tobytes) METHOD(item) METHOD(argmin) METHOD(argmax) METHOD(fill) METHOD(view)
#undef METHOD
#define PART(name) PyObject *weft_get_##name(PyObject *, void *); int weft_set_##name(PyObject *, PyObject *, void *);
PART(real) PART(imag)
#undef PART

// counts.c
void weft_add_count(int what, uint64_t where); // of a line, while weft_counting
static inline void weft_count(int what, uint64_t where)
{
	if (__builtin_expect(weft_counting, 0))
		weft_add_count(what, where);
}
static inline void weft_count_here(int what)
{
	if (__builtin_expect(weft_counting, 0))
		weft_add_count(what, weft_where());
}

// threads.c
int weft_init_threads(void); // 0, or -1 with an exception
int weft_on_main_thread(void);
void weft_look_back(void);     // may leave an exception
int weft_ensure_started(void); // 0, or -1 with an exception
int weft_started(void);

#endif
