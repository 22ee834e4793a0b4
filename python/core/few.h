// What the files of the eager tier share with each other. All of it is called with the interpreter's lock held.
#ifndef WEFT_FEW_H
#define WEFT_FEW_H

#include "../../cpu/eager/eager.h"

// weft_few is an array of few elements, one at least, which may be read and written at once.
typedef struct {
	weft_array *array;
	const weft_layout *l;
	char *data;
} weft_few;

// few.c
// weft_few_of says whether the object is one, of WEFT_SMALL_MOST elements; weft_fits_of, of those that WEFT_MOST and weft_limit allow;
// weft_most_of, of so many. reads says that the caller gives a value to the program, which would be waited for.
// To look at a second object may shut the first (see opening.c): weft_fits_both looks at two.
int weft_few_of(PyObject *o, int reads, weft_few *x);
// weft_any_of does the same for an array of any number of elements, of which the operation reads few.
int weft_any_of(PyObject *o, weft_few *x);
int weft_fits_of(PyObject *o, int reads, weft_few *x);
int weft_most_of(PyObject *o, int64_t most, int reads, weft_few *x);
int weft_fits_both(PyObject *o, weft_few *x, PyObject *p, weft_few *y, int reads);
int weft_most_both(PyObject *o, weft_few *x, PyObject *p, weft_few *y, int64_t most); // whose elements are not for the program
static inline int weft_fits(int64_t elements, int dtype) { return elements <= WEFT_MOST && elements * weft_sizes[dtype] <= weft_limit; }
// chain.c: weft_chain says that an operation has, or will have, a result of so many bytes; weft_chain_end, that the program wants to know something of an
// array's elements.
void weft_chain_more(int64_t bytes);
void weft_chain_cut(void);
void weft_chain_wait(void); // that the program waits for all that came before

// weft_waited says whether nothing was submitted since the program waited last.
static inline int weft_waited(void) { return weft_submitted == weft_waited_at; }

int weft_alone(void); // whether an operation is computed at once that is larger than weft_limit, and
void weft_alone_taken(void); // that it was
int weft_alone_of(PyObject *o, weft_few *x); // whether an array of any size may be read by one
weft_array *weft_new_alone(const weft_layout *l); // an array for one; NULL, without exception, where it is not to be
static inline void weft_chain(int64_t bytes)
{
	if (bytes > WEFT_LEAST)
		weft_chain_more(bytes);
}
static inline void weft_chain_end(const weft_layout *l)
{
	if (l->size > WEFT_LEAST / 16) // the fewest elements that a result has which counts: complex numbers
		weft_chain_cut();
}
// weft_few_packed returns the elements side by side in the order of C as those of a dtype: in their own memory where they are
// that already, otherwise in a place that has WEFT_BLOCK bytes. NULL where there is no conversion, or where they are more.
char *weft_few_packed(const weft_few *x, int dtype, char *room);
// weft_turned copies outer blocks of rows x columns elements as blocks of columns x rows, for what is done along rows; it returns where they are.
char *weft_turned(int dtype, int64_t outer, int64_t rows, int64_t columns, char *from, char *to);
// blocks.c: scratch memory, which each function that the program calls uses as it likes. The first is weft_few_packed's besides.
#define WEFT_SCRATCH 5
extern char weft_scratch[WEFT_SCRATCH][WEFT_ROOM];
// weft_few_result makes an array of elements side by side; a scalar of NumPy's where there are no axes. NULL without exception.
PyObject *weft_few_result(int dtype, int ndim, const int64_t *shape, const char *data);
int weft_promoted(int a, int b); // the dtype that arrays of two dtypes have together; 0 where the general functions have to look
int weft_promoted_number(int a, int kind); // that of an array's dtype and a kind of Python number

// many.c: the same for arrays of any size, up to most elements.
// weft_many_of says whether the object is one whose memory can be had now. waits says that the program waits for what its elements are
// computed from. It is 0 with an exception where the program was interrupted. As it may wait, and shut others, it stands before
// all looks at memory; weft_data tells afterwards whether it is still there.
// WEFT_WAITS_AGAIN, that it does so where that array has been asked for in vain before: then operations on the whole of it, with which this one could be
// planned, are what it waits for once, and not in each turn of a loop.
enum { WEFT_WAITS_AGAIN = 2 };
int weft_many_of(PyObject *o, int64_t most, int waits, weft_few *x);
enum { WEFT_ROOM_BEFORE, WEFT_ROOM_ELEMENTS, WEFT_ROOM_VALUES, WEFT_ROOM_INDEX, WEFT_ROOMS = WEFT_ROOM_INDEX + WEFT_NEAR };
char *weft_room(int which, int64_t bytes); // scratch memory, or NULL
char *weft_many_packed(const weft_few *x, int dtype, int which); // in the array's memory or in a room
weft_array *weft_many_made(int dtype, int ndim, const int64_t *shape); // without values yet; NULL, maybe with an exception

// based.c: weft_seen_in gives a new array the layout of what it is a view of in NumPy, and returns that view; it takes the reference over.
PyObject *weft_seen_in(PyObject *made, const weft_layout *base);

// dtypes.c
const void *weft_conversion_code(int from, int to);
// weft_write_uniform writes a number among operands as the recipe's dtype has it; 0 where the general functions have to look.
int weft_write_uniform(const weft_value *v, const weft_recipe *r, uint64_t bits[2]);
int weft_is_unknown_dtype(PyObject *o); // whether it is a dtype of NumPy's that weft has not

// copies.c
PyObject *weft_fortran_copy(PyObject *array); // of few elements, in the order of Fortran
PyObject *weft_keeping_copy(PyObject *array); // of few elements, whose axes keep their order

// geometry.c
int weft_common(const weft_layout *a, const weft_layout *b, int64_t *shape, int *ndim); // the shape of both together; 0 where there is none
// weft_beside returns the elements of an operand, broadcast to the shape of out, where they lie side by side: the operand's memory, or
// a copy. *one is set where it is one element for all. copy is for memory that is written before it is read.
char *weft_beside(const weft_layout *l, char *data, const weft_layout *out, int copy, char *to, int *one);
int weft_is_fortran(const weft_layout *l); // whether elements lie in the order of Fortran without gaps
void weft_lay_in(weft_layout *l, const int *order); // gives the axes steps in an order, the outermost first, without gaps
void weft_fortran(weft_layout *l);         // lays them so
int weft_falls(const weft_layout *l, int back); // whether steps get no longer from axis to axis, or, back to front, no shorter
// The axes of a new array in the order of memory, the one with the longest steps first, as package arrays has it (order.go): of what is computed of operands
// (keptOrder), and of a copy (copyOrder). 0 is the order of C.
int weft_order(const weft_layout *const *in, int n, int ndim, int *order);
int weft_order_of_copy(const weft_layout *l, int *order);
void weft_order_reduced(weft_layout *made, const weft_layout *from); // gives a result the order of the array whose axes it keeps; one axis at most has several elements, or the order is C's
void weft_permute(weft_layout *to, const weft_layout *from, int ndim, const int *order); // has the axes in an order, those that from lacks being of one point
void weft_put_back(weft_layout *to, const weft_layout *from, const int *order);          // what weft_permute has done
static inline int64_t weft_magnitude(int64_t n) { return n < 0 ? -n : n; }
static inline eager_layout weft_plain(const weft_layout *l) { return (eager_layout){l->ndim, l->size, l->shape, l->strides}; }

// eager.c
const weft_recipe *weft_recipe_of(int ufunc, int a, int b); // of arrays of two dtypes, or of one where b is 0
const weft_recipe *weft_recipe_of_number(int ufunc, int a, int kind); // of an array's dtype and a kind of Python number

// floating.c: what went wrong in floating-point operations.
#define WEFT_UFUNCS 128
typedef struct {
	const char *name; // as NumPy tells it; NULL of what is no ufunc of NumPy's
	uint8_t rule, divides, integral, orders; // see cpu/eager/floating.h; integral: integers are divided as well; orders: complex numbers may have no order
} weft_floating;
extern weft_floating weft_floatings[WEFT_UFUNCS];
// weft_floating_operand is what an operation reads or writes: elements side by side, or one for all. dtype is 0 where that is not known.
typedef struct {
	int dtype, one;
	const char *data;
} weft_floating_operand;
int weft_floating_name(int ufunc, const char *name); // -1 where there is no memory
// weft_floating_look notes what went wrong in n operations of a ufunc that raised those flags; y->dtype is 0 where there is one operand.
void weft_floating_look(int ufunc, int raised, int64_t n, const weft_floating_operand *x, const weft_floating_operand *y, int dtype, const char *out);
void weft_floating_note(const char *name, int flags);
// weft_floating_cast notes what goes wrong when elements are cast to a dtype, out being some, side by side, or NULL. eager_lower() stands before the cast.
void weft_floating_cast(const weft_layout *from, const char *data, int to, const char *out);
void weft_floating_number(const weft_value *v, int to); // of a number, or
void weft_floating_object(PyObject *o, int to);         // an object that may be none
void weft_floating_rename(int from, const char *name); // of what was noted since there were so many, other than casts
void weft_floating_join(int from, const char *name);   // as one, with its casts
int weft_floating_merge(int from, const char *name);   // as one, and its casts as another before it: where what is left of it begins

// fold.c
const weft_folding *weft_folding_of(int kind, int dtype);
// weft_fold_packed reduces elements of x's shape and dtype that lie side by side, which are computed of x's: along an axis, or all of them where at is -1.
PyObject *weft_fold_packed(int kind, const weft_few *x, int at, int keeps, char *data);
int weft_divide_sums(int dtype, int64_t n, char *sums, int64_t by); // by how many elements each of n has, as means are; 0 where that is not known

// views.c: what makes views, of arrays of any size. args are those of the function of the table.
enum { WEFT_RESHAPE, WEFT_RESHAPE_FORTRAN, WEFT_RAVEL, WEFT_FLATTEN, WEFT_TRANSPOSE, WEFT_SWAPAXES, WEFT_SQUEEZE, WEFT_EXPAND_DIMS, WEFT_DIAGONAL, WEFT_FLIP, WEFT_REAL, WEFT_IMAG, WEFT_VIEW };
PyObject *weft_few_view(int kind, PyObject *const *args);
PyObject *weft_transposed(PyObject *self);
PyObject *weft_few_astype(int kind, PyObject *const *args);
PyObject *weft_few_reals(PyObject *a, PyObject *dtype); // astype of few complex elements to real ones, which warns of what that discards

// product.c
enum { WEFT_DOT, WEFT_MATMUL, WEFT_INNER, WEFT_VDOT };
PyObject *weft_few_product(int kind, PyObject *x, PyObject *y);
PyObject *weft_few_stacked(PyObject *x, PyObject *y, const char *told); // stacked.c: matmul of more than two axes, as which a warning tells it
// weft_few_alike reads factors as those of one dtype, without gaps where they are not yet; as is where their layouts are kept. 0: there is no room, or no conversion.
int weft_few_alike(weft_few *a, weft_few *b, weft_layout as[2], int dtype);
PyObject *weft_few_power(int kind, PyObject *const *args);
PyObject *weft_few_multi_dot(int kind, PyObject *const *args);

// choose.c; args are those of the functions of the table, here and below
PyObject *weft_few_where(int kind, PyObject *const *args);
PyObject *weft_few_clip(int kind, PyObject *const *args);

// pick.c and put.c, of arrays of any size
PyObject *weft_few_pick(PyObject *array, PyObject *index);
PyObject *weft_few_take(int kind, PyObject *const *args);
PyObject *weft_few_take_along(int kind, PyObject *const *args);
int weft_few_put(PyObject *array, PyObject *index, PyObject *value); // whether it is done
PyObject *weft_few_put_flat(int kind, PyObject *const *args);
PyObject *weft_cut_diagonal(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names);
enum { WEFT_AT_DIVIDE = EAGER_OPERATIONS, WEFT_AT_FLOOR_DIVIDE, WEFT_AT_REMAINDER, WEFT_AT_OPERATIONS };
PyObject *weft_few_at(int op, PyObject *const *args); // EAGER_ADD and its like, or WEFT_AT_DIVIDE and its like
PyObject *weft_few_divmod(int kind, PyObject *const *args); // in answers.c
PyObject *weft_few_copyto(int kind, PyObject *const *args);
PyObject *weft_few_putmask(int kind, PyObject *const *args);
// along.c: an index of one array beside slices
PyObject *weft_pick_along(PyObject *array, PyObject *index);
int weft_put_along(PyObject *array, PyObject *index, PyObject *value); // whether it is done
// segments.c
weft_shortcut weft_cut_segments;
// same.c, repeat.c
PyObject *weft_few_same(int kind, PyObject *const *args);
PyObject *weft_few_close(int kind, PyObject *const *args);
PyObject *weft_few_isclose(int kind, PyObject *const *args);
PyObject *weft_few_repeat(int kind, PyObject *const *args);
PyObject *weft_few_tile(int kind, PyObject *const *args);
// pad.c, positions.c
weft_shortcut weft_cut_pad, weft_cut_unravel;
weft_shortcut weft_cut_append, weft_cut_lined; // join.c
weft_shortcut weft_cut_isin, weft_cut_intersect; // member.c
// triangle.c
PyObject *weft_few_triangle(int upper, PyObject *const *args);
// turned.c
weft_shortcut weft_cut_turned;
PyObject *weft_few_moveaxis(int kind, PyObject *const *args);
// statistics.c
enum { WEFT_PLACES = 64, WEFT_STATISTICS_MOST = 1 << 17 }; // elements; several threads do more
// weft_statistics writes to found what a sort of n elements of from, side by side, would have at places, which rise. It is 0 of what general functions
// have to order, and -1, without an exception, where memory is short.
int weft_statistics(int dtype, const char *from, int64_t n, const int64_t *places, int count, char *found);
// quantile.c, histogram.c
weft_shortcut weft_cut_quantile, weft_cut_nanquantile;
PyObject *weft_few_histogram(int kind, PyObject *const *args);
// finite.c, powers.c
weft_shortcut weft_cut_finite, weft_cut_powers;
// grid.c, gradient.c
weft_shortcut weft_cut_grid, weft_cut_gradient;
// splice.c, correlate.c
weft_shortcut weft_cut_splice, weft_cut_correlate;
weft_shortcut weft_cut_polyval; // composed.c
weft_shortcut weft_cut_select, weft_cut_piecewise; // choose.c
weft_shortcut weft_cut_average, weft_cut_trapezoid; // weighed.c
weft_shortcut weft_cut_nansum, weft_cut_nanspread, weft_cut_nanextreme; // nans.c
// overlap.c, layouts.c, einsum.c
// weft_laid is array(o, ...) of an array, or asarray(o, ...), which gives an array back that is as it is wanted. NULL, without an exception, where the general function has to look.
PyObject *weft_laid(int is_given, PyObject *const *args, Py_ssize_t n, PyObject *names);
weft_shortcut weft_cut_overlap, weft_cut_order, weft_cut_axes, weft_cut_einsum, weft_cut_tensordot;
weft_shortcut weft_cut_byteswap; // bytes.c
weft_shortcut weft_cut_packbits; // bits.c
weft_shortcut weft_cut_chosen;   // positions.c
weft_shortcut weft_cut_vectors;  // product.c
weft_shortcut weft_cut_cross, weft_cut_kron; // cross.c, outer.c
// selected.c: sum(a, ...) and its like with initial= or where=, which stand before the last
PyObject *weft_few_selected(int kind, PyObject *array, PyObject *axis, int keeps, PyObject *initial, PyObject *where);
// axes.c
PyObject *weft_few_fold(int kind, PyObject *array, PyObject *axes, int keeps); // along several axes
// extremes.c
PyObject *weft_few_extremes(int most, PyObject *array, PyObject *axis);
// positions.c
enum { WEFT_NONZERO, WEFT_FLATNONZERO, WEFT_ARGWHERE };
PyObject *weft_few_nonzero(int what, PyObject *const *args);
PyObject *weft_few_extract(int kind, PyObject *const *args);
PyObject *weft_few_count(int kind, PyObject *const *args);
PyObject *weft_many_fold(int kind, PyObject *o); // all of a mask

// tally.c
PyObject *weft_few_bincount(int kind, PyObject *const *args);

// join.c
enum { WEFT_CONCATENATE, WEFT_STACK, WEFT_VSTACK, WEFT_HSTACK, WEFT_COLUMN_STACK };
PyObject *weft_few_join(int kind, PyObject *const *args);

// running.c
enum { WEFT_CUMSUM, WEFT_CUMPROD, WEFT_OF_UFUNC }; // the last is added to a kind: no axis is none that it takes
PyObject *weft_few_running(int kind, PyObject *const *args);
PyObject *weft_few_extremes_so_far(int kind, PyObject *const *args);
PyObject *weft_few_diff(int kind, PyObject *const *args);
// weft_along splits the axes of an array at one of them; None is all elements as one axis. 0 where the general function has to look.
int weft_along(const weft_layout *l, PyObject *axis, int64_t *outer, int64_t *n, int64_t *inner);

// roll.c
PyObject *weft_few_roll(int kind, PyObject *const *args);

// composed.c
PyObject *weft_few_norm(int kind, PyObject *const *args);
PyObject *weft_few_outer(int kind, PyObject *const *args); // outer.c
PyObject *weft_few_linspace(int kind, PyObject *const *args);
PyObject *weft_few_spread(int root, PyObject *const *args); // the variance, or its root
PyObject *weft_few_sinc(int kind, PyObject *const *args);
PyObject *weft_few_ptp(int kind, PyObject *const *args);

// interpolate.c
PyObject *weft_few_interp(int kind, PyObject *const *args);

// transform.c
PyObject *weft_few_transform(int kind, PyObject *const *args);

// order.c
enum { WEFT_SORT, WEFT_ARGSORT, WEFT_SORT_IN_PLACE };
PyObject *weft_few_sort(int kind, PyObject *const *args);
PyObject *weft_few_partition(int kind, PyObject *const *args);
PyObject *weft_few_unique(int kind, PyObject *const *args);
PyObject *weft_few_lexsort(int kind, PyObject *const *args);

// search.c
PyObject *weft_few_search(int kind, PyObject *const *args);
PyObject *weft_few_digitize(int kind, PyObject *const *args);

// solve.c
enum { WEFT_SOLVE_MANY, WEFT_SOLVE_ONE, WEFT_INVERT, WEFT_DETERMINANT, WEFT_FACTOR };
PyObject *weft_few_solve(int kind, PyObject *const *args);
PyObject *weft_few_determinant(int kind, PyObject *const *args);
PyObject *weft_few_factor(int kind, PyObject *const *args);

// decompose.c
PyObject *weft_has_numpys_library(PyObject *self, PyObject *unused);
PyObject *weft_few_qr(int kind, PyObject *const *args);
PyObject *weft_few_eigh(int values, PyObject *const *args);
PyObject *weft_few_svd(int kind, PyObject *const *args);
PyObject *weft_few_eigvals(int kind, PyObject *const *args);
PyObject *weft_few_lstsq(int kind, PyObject *const *args);
PyObject *weft_few_cholesky(PyObject *a);

// literal.c
enum { WEFT_LIKE_ZEROS, WEFT_LIKE_ONES, WEFT_LIKE_FULL };
PyObject *weft_few_like(int kind, PyObject *const *args);
PyObject *weft_cut_range(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names);
PyObject *weft_few_eye(int kind, PyObject *const *args);

// results.c: an array into which what was computed for it is written, of another dtype or shape; NULL where NumPy refuses that, or may, if it is unsafe. It takes made over,
// which may be NULL.
PyObject *weft_written(PyObject *made, PyObject *out, int unsafe);

// launch.c: the ufunc of an operator. A power of two is a square, which has one operand.
int weft_ufunc_of(int op, PyObject *x, PyObject **y);

// taken.c
// weft_few_of_host is a copy of an array of NumPy's of few elements, one at least, that lie side by side or in one line; NULL, without an exception, of all else.
PyObject *weft_few_of_host(PyObject *o);
PyObject *weft_operand_of_host(PyObject *o); // the same for an operator, to which an array without axes is its number
int weft_is_unknown(PyObject *o); // whether it is an array of NumPy's of a dtype that weft has not
PyObject *weft_taken(PyObject *o); // an array of weft's for one of NumPy's, which is given up and which nothing else has; other objects are themselves
PyObject *weft_taken_from(PyObject *o, PyObject *in); // the same of an item of a list or tuple, which is going to be given up

// adopt.c
PyObject *weft_adopted_method(PyObject *self, PyObject *o);

// delegate.c
enum { WEFT_UNNOTED = INT32_MIN };
typedef struct {
	PyObject *function; // NumPy's; NULL where there is none
	PyObject *method;   // the method that it calls of an array that is its first argument, or NULL
	PyObject *self;     // the object of which it is a method of the class, or NULL
	int number;         // by which notes name it, or WEFT_UNNOTED
	int64_t few;        // elements that none of its arrays has, nor more
	int writes, grows;  // into its first argument; with the integers among its arguments, which say how long the result is
	int grids;          // the result is as long as the product of the integers and ranges among the arguments
	int makes;          // an array of any object
	int whole;          // gets no array with gaps
	int dtypes;         // looks at dtypes alone, so that any array of one does
	int calls;          // the program's functions, so that its time is theirs
	int falls, numbers; // plain, of the function of a row that NumPy always answers where weft does not; or of numbers in any case
	int plain;          // gets no array of weft's
	int wrapped;        // plain; others are handed over by wrapped.c
	int kept;           // all are handed over by wrapped.c, and the program gets what NumPy gives
	int views;          // makes views of its arguments: of what kind, in delegate.c
	int reads;          // so many arguments without names stand before those that it writes to, 0 where none does
	int results;        // of a ufunc; 0 of other functions
	PyObject *says;     // NumPy's public function, where that has other words for what is wrong with a call than the text of it that function is; or NULL
	PyObject *text;     // what computes function's result where all arrays are NumPy's own, which looks at no other types of arrays; or NULL
	int traceless;      // function is one of C's, so that an exception does not tell whether it came before any element was computed with
} weft_delegate;
int weft_init_delegates(PyObject *api); // NumPy's table of functions
int64_t weft_most_of_numpys(void); // how many elements a call may have that is some passes, and NumPy's
// weft_of_unknown has NumPy answer an operator of two operands, of which one is such an array; NULL, without an exception, of others, or where an array of weft's has more than few elements.
PyObject *weft_of_unknown(int op, const char *name, PyObject *x, PyObject *y);
PyObject *weft_copy_of_unknown(PyObject *o); // numpy.array(o), of such an array
PyObject *weft_ask_floating(PyObject *self, PyObject *unused);
PyObject *weft_watch_floating(PyObject *self, PyObject *flags);
PyObject *weft_floating_settings(PyObject *self, PyObject *function);
PyObject *weft_tell_floating(PyObject *self, PyObject *unused);
PyObject *weft_within(PyObject *self, PyObject *args);
PyObject *weft_set_few(PyObject *self, PyObject *number);
PyObject *weft_copy_of(PyObject *self, PyObject *array);
PyObject *weft_with_few(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names);
int weft_read_delegate(PyObject *told, weft_delegate *to);
// weft_ask_numpy has NumPy answer a call with few elements; NULL, without an exception where it has more, or others. weft_delegated (results.c) sees to
// an array for the result as well.
PyObject *weft_ask_numpy(const weft_delegate *d, PyObject *const *args, Py_ssize_t n, PyObject *names);
PyObject *weft_delegated(const weft_delegate *d, PyObject *const *args, Py_ssize_t n, PyObject *names);
// weft_np_result is what the program gets for what NumPy made of arguments of which none was weft's; it takes the reference over.
PyObject *weft_np_result(PyObject *made, PyObject *const *args, Py_ssize_t n);

// weft_made_by takes over what NumPy makes of arguments that are none of weft's arrays.
PyObject *weft_made_by(const weft_delegate *d, PyObject *const *args, Py_ssize_t n, PyObject *names);
PyObject *weft_delegated_get(PyObject *array, PyObject *index);
int weft_delegated_set(PyObject *array, PyObject *index, PyObject *value); // 1 done, 0 it has more elements, or others; -1 an exception

// wrapped.c: a call of a function of NumPy's with arrays of fewer than most elements, or of any number of them, over their own memory; NULL, without an exception, where
// Python has to look.
#define WEFT_UNBOUNDED INT64_MAX
PyObject *weft_wrapped(const weft_delegate *d, PyObject *name, int64_t most, PyObject *const *args, Py_ssize_t n, PyObject *names);
int weft_is_derived(PyObject *o); // whether it is of a class derived from NumPy's arrays

// others.c: calls of which no argument has to be another for NumPy, and one is an array of NumPy's of a dtype that weft has not, unless it is known that NumPy has to answer;
// NULL, without an exception, of other calls.
PyObject *weft_of_others(const weft_delegate *d, PyObject *const *args, Py_ssize_t n, PyObject *names, int known);
// weft_loop_of_others computes a ufunc of such arrays of few elements by NumPy's own loop; NULL, without an exception, where NumPy's ufunc has to. Notes name it by a number.
PyObject *weft_loop_of_others(PyObject *ufunc, int number, PyObject *const *args, Py_ssize_t n);

// elements.c: ufuncs of few elements by NumPy's own loops
weft_shortcut weft_cut_elements;
PyObject *weft_elements(PyObject *self, PyObject *args);

// plain.c
int weft_is_plain(PyTypeObject *type); // whether objects of it mean to NumPy what they mean to weft
weft_shortcut weft_cut_extent, weft_cut_settings, weft_cut_asked;

// congruential.c: NumPy's PCG64, whose state is drawn from where it lies.
// weft_pcg is the state of a PCG64 as it lies in NumPy's: the number that goes through the states, and what each step adds.
typedef struct {
	uint64_t low, high, added_low, added_high;
} weft_pcg;

// weft_pcg_state returns the words of the state of a bit generator of NumPy's, or NULL where it is no PCG64 that has them where they are looked for.
// next is its own function, which the look moves on and back.
weft_pcg *weft_pcg_state(PyObject *generator, void *state, uint64_t (*next)(void *state));
int weft_is_pcg64(PyObject *generator); // and of no class derived from it
void weft_pcg_step(weft_pcg *state, uint64_t n);
uint64_t weft_pcg_next(weft_pcg *state); // a step, and what it gives
int weft_pcg_words(weft_pcg *state, int64_t n, uint64_t *to); // what the next n steps give; 0 where there is no code for them
int weft_pcg_draw(weft_pcg *state, int64_t n, double *to); // the same as floats in [0, 1), with NumPy's bits

// weft_pcg_integers draws integers from low to low + most, where the words begin at pcg and next is the bit generator's function for half of one; n is 2 at
// least. 0 is returned where there is no code for them. See halves.c.
int weft_pcg_integers(weft_pcg *pcg, void *state, uint32_t (*next)(void *state), int64_t low, uint32_t most, int64_t n, int64_t *to);

// weft_pcg_many draws numbers of a distribution with NumPy's bits, where weft_knows says that it can: see ziggurat.c. one has NumPy draw a number from
// the state; it returns -1 with an exception, and so does the whole then. 0 is returned where there is no code for the words.
enum { WEFT_NORMALS, WEFT_EXPONENTIALS };
int weft_pcg_many(int kind, weft_pcg *state, int64_t n, double *to, int (*one)(void *context, double *to), void *context);
int weft_knows(int kind);
int weft_pcg_one(int kind, weft_pcg *state, double *to); // 0 where it is NumPy that has to draw it

// answers.c; args are those of the table's function
PyObject *weft_few_fill(int kind, PyObject *const *args);
typedef struct {
	const char *name;
	PyObject *(*answer)(int kind, PyObject *const *args);
	int kind, first; // the arguments from first on have to be the defaults
	int nones;       // so many of these are None then; the others are NumPy's no value
} weft_answer;
const weft_answer *weft_answer_of(const char *name); // or NULL

#endif
