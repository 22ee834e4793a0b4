// The table of functions, between table.c, which calls them, and results.c.
#ifndef WEFT_TABLE_H
#define WEFT_TABLE_H

#include "few.h"

enum { WEFT_CASTS_EITHER = -1 }; // of casts below

// A function of the table.
typedef struct {
	char *roles;     // of its parameters
	char *name;
	Py_ssize_t parameters;
	uint32_t arrays; // which of them are arrays, or lists of such: bits
	PyObject *names, *defaults; // of them: tuples; a slash before a name says that it has none for a caller, and a star that it is several
	PyObject *ufunc; // NumPy's, which has the numbers that are its only operands; or NULL
	int operands;    // of the ufunc
	char *own;       // its name in NumPy, or NULL
	weft_loops loops; // of the ufunc, for numbers
	int writes;      // into its first argument
	int at;          // it is a ufunc's at
	int told;        // the program may be told of floating-point errors in it
	int later;       // of what it comes to later the program is told
	int casts;       // which argument, if it is a number, is cast to the dtype of the first one, an array; WEFT_CASTS_EITHER of where, 0 for none
	int based;       // which base results have in NumPy: see based.c; 0 for none
	int quiet;       // the eager tier does not look for them in it, or not for all dtypes
	int keeps;       // NumPy gives a scalar for a scalar as first argument
	int promotes;    // it computes in the dtype that its operand and the array for its result have together
	int unwraps;     // NumPy gives a scalar where it is told to write one into an array of no axes
	int makes;       // which constructor of literals it is, or 0
	int64_t made;    // calls that were answered here and Go has not counted
	int number;      // of the ufunc that it is, or -1
	const weft_answer *few; // what answers it for few elements, or NULL
	Py_ssize_t masked;      // which parameter is where, if that has to be as it is where nothing was said; or 0
	weft_delegate numpys;   // what NumPy answers for few elements, and
	weft_delegate plain;    // for arguments of which none is an array of weft's and one is nothing that weft has
} weft_row;

// weft_answer_otherwise answers what weft does not do natively. given are the arguments as the program gave them, where arrays were made of some of args; else they are args.
typedef PyObject *weft_answer_otherwise(const char *why, Py_ssize_t at, PyObject *const *args, PyObject *const *given, Py_ssize_t n);

int weft_answers(const weft_row *f, PyObject *const *args, Py_ssize_t n); // whether the arguments behind those that few knows are such
int weft_usual(PyObject *const *args, Py_ssize_t n, Py_ssize_t nones); // whether arguments are the defaults; the first nones of them may be None
// weft_ufunc_of_few computes a ufunc of few elements, into an array that is given for it or a new one, where out is NULL. where is an array that says which elements of
// out are written, or NULL. weft_ufunc_of_options reads the options behind the operands. All of these give NULL, without an exception, where the general function has to look.
PyObject *weft_ufunc_of_few(const weft_row *f, PyObject *const *args, PyObject *out, PyObject *where);
PyObject *weft_ufunc_of_options(const weft_row *f, PyObject *const *args);
PyObject *weft_answer_into(const weft_row *f, PyObject *const *args, Py_ssize_t n); // of what few answers, written into the array that is given for it

// What weft refuses, NumPy is asked about, which may name another mistake, or make none of it. weft_refuse notes that the exception at hand is weft's own; the caller of
// the row clears weft_refused before, and has weft_ask_about_refused answer with the arguments of the call, the row's number first.
extern int weft_refused;
void weft_refuse(void);
int weft_is_about_arguments(void);
int weft_overlook(void); // forgets the exception at hand, of what the general function finds out as well; -1 where it is another one, such as an interrupt
PyObject *weft_ask_about_refused(PyObject *const *args, Py_ssize_t n);

// based.c
int weft_bases_of(const char *name); // which base results of a function have in NumPy; 0 for none
// weft_based_result is the result that a call gives, as a view of what NumPy's is a view of; it takes the reference over.
PyObject *weft_based_result(const weft_row *f, PyObject *const *args, PyObject *made);

// foreign.c
enum { WEFT_MOST_PARAMETERS = 24 }; // as in function.h
// weft_is_unsaid says whether nothing was said beyond the first argument.
int weft_is_unsaid(const weft_row *f, PyObject *const *args, Py_ssize_t n);
// weft_fall_back asks NumPy for a call of the function args[0] with the arguments behind it. at is the number of the
// argument that weft has nothing for, from 1 on; 0 where weft has all arguments and no such function of them.
PyObject *weft_fall_back(const char *why, Py_ssize_t at, PyObject *const *args, PyObject *const *given, Py_ssize_t n);
// weft_say_again writes a call as the program may have written it, from an argument for each parameter: what is as if nothing was said is left out. It returns 0, or -1 where
// that cannot be, maybe with an exception; said->names is a new reference.
int weft_say_again(const weft_row *f, PyObject *const *args, Py_ssize_t n, PyObject **with, weft_said *said);
// weft_of_derived is a call with a masked array or the like, which NumPy answers, over the memory of weft's arrays.
PyObject *weft_of_derived(const weft_row *f, const weft_said *said);
// weft_plainly has NumPy answer what weft has nothing for, without Python's frames where no argument is an array of weft's, or where those have few elements, which it
// gets copies of: they lie as they did where they have no gaps, so that sums have the order that they would have. otherwise is for all else.
PyObject *weft_plainly(const weft_row *f, const char *why, Py_ssize_t at, PyObject *const *args, PyObject *const *given, Py_ssize_t n, weft_answer_otherwise *otherwise, const weft_said *said);
// weft_at_once has NumPy answer, which raises what np.errstate asks for.
PyObject *weft_at_once(const weft_row *f, PyObject *const *args, PyObject *const *given, Py_ssize_t n, weft_answer_otherwise *otherwise, const weft_said *said);
// weft_makes_others says that a constructor is asked for records, objects or strings, in a way that takes no look at a dtype.
int weft_makes_others(const weft_row *f, PyObject *const *args, Py_ssize_t n);
// weft_is_foreign says whether an argument that stands for an array is text, or an array of NumPy's of a dtype that weft has not, or begins with such: neither takes a look at
// what it would become.
int weft_is_foreign(PyObject *o);
// weft_of_foreign has NumPy answer a call at once of which such is an argument; NULL, without an exception, where there is none, or an array of weft's besides.
PyObject *weft_of_foreign(const weft_row *f, PyObject *const *args, Py_ssize_t n, const weft_said *said);

#endif
