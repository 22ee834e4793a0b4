// The plain structs and numbers that cross between C and Go. The Go files include this header
// in their preambles, so that each has one definition.
#ifndef WEFT_VALUES_H
#define WEFT_VALUES_H

#include <stdint.h>

// The kinds of a value; the numbers are those of arrays.ValueKind, which Go checks at
// compile time.
enum {
	WEFT_MISSING, WEFT_NONE, WEFT_BOOL, WEFT_INT, WEFT_UINT, WEFT_FLOAT, WEFT_COMPLEX,
	WEFT_STRING, WEFT_DTYPE, WEFT_ARRAY, WEFT_TUPLE, WEFT_SLICE, WEFT_ELLIPSIS
};

// What a call into Go answers.
enum { WEFT_OK = 0, WEFT_ERROR = -1, WEFT_INTERRUPTED = 1, WEFT_FALLBACK = 2 };

// The operators; Go has the table that names the ufunc of each.
enum {
	OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE, OP_FLOOR_DIVIDE, OP_REMAINDER, OP_POWER,
	OP_LSHIFT, OP_RSHIFT, OP_AND, OP_OR, OP_XOR, OP_MATMUL,
	OP_LT, OP_LE, OP_EQ, OP_NE, OP_GT, OP_GE,
	OP_NEGATIVE, OP_POSITIVE, OP_ABSOLUTE, OP_INVERT, OP_COUNT
};

// weft_value is one argument or result, the C form of arrays.Value. A tuple or slice is
// followed by its n items, each of which may be followed by its own. dtype is also that of a number that is a NumPy
// scalar.
typedef struct {
	uint8_t kind, dtype;
	int32_t n;       // items of a tuple or slice, bytes of a string
	uint64_t handle; // of an array
	int64_t i;
	double re, im;
	// Of a string: as argument it belongs to Python, as result it is malloc'd. Of an array:
	// its Python object as argument. As result, this is the argument that it is a view of, or,
	// where handle is 0, that it is itself.
	const char *s;
} weft_value;

// weft_error is why a call failed. The strings are malloc'd; the caller frees them.
typedef struct {
	char *type, *text;
} weft_error;

#define WEFT_MAXDIMS 64

// Numbers of tile.DType.
enum { WEFT_BOOL_DTYPE = 1, WEFT_FIRST_SIGNED = 2, WEFT_LAST_SIGNED = 5, WEFT_FIRST_INEXACT = 10 };

// weft_info is what Python shows of an array without waiting for its value.
typedef struct {
	uint8_t dtype, ndim, writable, contiguous;
	int64_t size;
	int64_t shape[WEFT_MAXDIMS], strides[WEFT_MAXDIMS];
} weft_info;

// weft_mapping is an array's value in host memory, pinned until weft_unmap(id).
typedef struct {
	uint64_t id;
	void *data;
	weft_info info;
} weft_mapping;

// weft_settled is what a forked child may read of the array of a slot; see fork.c.
typedef struct {
	uint64_t start;  // address of its store; 0 where there is no value
	int64_t offset;  // of the first element
	uint8_t known, dtype, ndim, writable, contiguous;
	int64_t size;
	int64_t *extents; // shape, then strides
	char *why;        // there is no value; malloc'd, or NULL
} weft_settled;

// A handle names a slot of Go's table of arrays, and tells C what it must know without a call.
#define WEFT_SCALAR 1 // the result is a scalar: no array that Python has is one
#define WEFT_SLOT 1   // the slot's number is above this bit

// Operators and assignments over layouts that were met before (see launch.c) name layouts, which are interned dtypes, shapes and strides, by
// Go's arrays.LayoutID. Numbers below WEFT_LAYOUTS are the kinds of numbers among the operands.
enum { WEFT_NO_LAYOUT, WEFT_A_BOOL, WEFT_AN_INT, WEFT_A_FLOAT, WEFT_TWO, WEFT_A_SCALAR, WEFT_LAYOUTS = 32 }; // a scalar's dtype is added

// weft_layout is an arrays.Layout as C needs it.
#define WEFT_NEAR 4 // axes; layouts with more are not indexed in C
typedef struct {
	uint8_t dtype, ndim, contiguous, known;
	int64_t size;
	int64_t shape[WEFT_NEAR], strides[WEFT_NEAR];
} weft_layout;

// How the program may write an array: the numbers are those of arrays.Writing. WEFT_ALLOWED is for goSetWritable, of a view of an array that may be written.
enum { WEFT_WRITES, WEFT_WRITES_NOT, WEFT_WRITES_APART, WEFT_ALLOWED = 2 };

// weft_place is which bytes an array has, and how it sees them.
#define WEFT_LENT ((uint64_t)1 << 63) // in memory: its owner sees what an operation did at once, and changes what the next one reads
typedef struct {
	uint64_t memory; // a number that all arrays over one store share
	uint64_t layout;   // WEFT_NO_LAYOUT when there is no room for another
	int64_t offset;  // of the first element in the store
	uint8_t readonly; // but 0 is for NumPy at most
} weft_place;

// What is computed at once, by what it costs: see RATIONALE.md on the limits of the eager tier.
enum {
	WEFT_MOST = 1 << 16,      // elements of an operation that computes or copies each, and
	WEFT_BLOCK = 1 << 20,   // bytes of each of its operands at most, and
	WEFT_ROOM = WEFT_BLOCK + 21 * 64, // bytes of scratch memory for one: what lies at the same place of two pages is waited for as if it were the same
	WEFT_ALONE = 16 << 20,  // bytes of a result that is computed at once, however large, as nothing stands beside it: see chain.c
	WEFT_LEAST = 128 << 10,   // where nothing is known of the program: they stay in the second-level cache
	WEFT_FILL_MOST = 1 << 21, // bytes of elements that are all set to one number, in memory that is open
	WEFT_FOLD_MOST = 1 << 20, // elements that are read for one value: to plan for more than the hands of cpu/eager would gain less than it costs
	WEFT_ALONG_MOST = 1 << 17, // elements that are reduced along an axis where few of them lie side by side, which is
	WEFT_ALONG_FEW = 64,       // less than so many
	WEFT_SMALL_MOST = 2048,   // elements that arrays of integers or a mask choose from
};

// What the eager tier (eager.c) asks once. code is an eager_code and fold an eager_fold, NULL where there is none.
#define WEFT_DTYPES 15 // tile.DType from 1 on
typedef struct {
	uint8_t known, result, number; // dtypes: of the result, and of the number among the operands
	int32_t most;                  // elements that are worth no hand-over
	int64_t low, high;             // for ints in this range
	const void *code;
} weft_recipe;

extern int64_t weft_limit;               // bytes of an operand, of WEFT_LEAST to WEFT_BLOCK: see chain.c
extern int weft_eager;                     // whether there is an eager tier
extern int weft_checks;                    // whether Go is told of each use of memory that is open; see opening.c
extern int weft_operators[OP_COUNT + 1];   // the ufunc of each operator, and the one that squares
extern int weft_divide;                    // the ufunc of quotients

// What the eager tier did: a ufunc's number, or one of these.
enum { WEFT_NOTE_FOLD = 200, WEFT_NOTE_POSITION = WEFT_NOTE_FOLD + 16, WEFT_NOTE_PRODUCT, WEFT_NOTE_COPY, WEFT_NOTE_SET, WEFT_NOTE_FILL, WEFT_NOTE_RANGE,
	WEFT_NOTE_WHERE, WEFT_NOTE_CLIP, WEFT_NOTE_PICK, WEFT_NOTE_PUT, WEFT_NOTE_NONZERO, WEFT_NOTE_JOIN, WEFT_NOTE_RUNNING, WEFT_NOTE_DIFF, WEFT_NOTE_NORM,
	WEFT_NOTE_OUTER, WEFT_NOTE_LINE, WEFT_NOTE_INTERP, WEFT_NOTE_FFT, WEFT_NOTE_SORT, WEFT_NOTE_ARGSORT,
	WEFT_NOTE_SOLVE, WEFT_NOTE_INV, WEFT_NOTE_DETERMINANT, WEFT_NOTE_CHOLESKY, WEFT_NOTE_QR, WEFT_NOTE_EIGH, WEFT_NOTE_SVD, WEFT_NOTE_EIGVALS, WEFT_NOTE_LSTSQ, WEFT_NOTE_ROLL, WEFT_NOTE_SEGMENTS, WEFT_NOTE_PAD, WEFT_NOTE_BINCOUNT, WEFT_NOTE_SEARCH, WEFT_NOTE_DIGITIZE, WEFT_NOTE_SAME, WEFT_NOTE_REPEAT,
	WEFT_NOTE_DRAW, WEFT_NOTE_UNIQUE, WEFT_NOTE_SPLICE, WEFT_NOTE_CORRELATE, WEFT_NOTE_POLYNOMIAL, WEFT_NOTE_ISIN, WEFT_NOTE_INTERSECT, WEFT_NOTE_CROSS, WEFT_NOTE_BITS, WEFT_NOTE_QUANTILE, WEFT_NOTE_HISTOGRAM,
	WEFT_NOTE_NUMPY = 512 }; // and the number of a function of NumPy's: see delegate.c

// The Fourier transforms that the eager tier has.
enum { WEFT_FFT, WEFT_IFFT, WEFT_RFFT, WEFT_IRFFT };

// weft_noted is one operation of the eager tier. Arrays are named by the lower bits of their memories' numbers, as 0 where they
// are numbers.
typedef struct {
	uint64_t where;
	uint32_t out, x, y;
	uint32_t n; // elements: of the result, or of what was reduced
	uint16_t what;
	uint8_t dtype, ndim;
} weft_noted;

// weft_run is a run of them; see notes.c.
typedef struct {
	int64_t n;            // how many
	int64_t begun, ended; // nanoseconds of CLOCK_MONOTONIC
} weft_run;

// weft_tally is how often a line did what, since the runtime started. n is 0 in empty rows.
typedef struct {
	uint64_t where;
	int64_t n;
	int what;
} weft_tally;

#define WEFT_NOTES (1 << 14)
#define WEFT_RUNS 512 // more than there are between two calls of Go that take them
typedef struct {
	int64_t all;   // operations since the process started
	int64_t n;     // notes since Go took some, and runs
	int runs;      // that have ended
	int open, off; // off: none is noted, for measuring what that costs
	weft_run run[WEFT_RUNS + 1];
	weft_noted note[WEFT_NOTES];
	weft_tally *tallies; // an open hash
	int64_t used, slots;
} weft_notes_t;

extern weft_notes_t weft_notes;
void weft_end_run(void);
void weft_forget_tallies(void);

// weft_operated is how often the eager tier answered an operator that Go has not counted.
extern int64_t weft_operated[OP_COUNT + 2];

void weft_return_block(void *memory, int64_t bytes); // of an array that Go has had; on any thread
extern int64_t weft_blocks, weft_blocks_most; // bytes of those that are in use, and how many may be

extern int64_t weft_smalls; // arrays of few elements that Go does not know

// WEFT_OWN is added to the number of memory that Go has no store for.
#define WEFT_OWN 0x80000000u

typedef struct {
	int known;
	const void *code;
} weft_conversion;

// The reductions; arrays.FoldKind's numbers.
enum { WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX, WEFT_ANY, WEFT_ALL, WEFT_MEAN, WEFT_TERMS, WEFT_FOLDS };
typedef struct {
	int known, dtype; // of the accumulators, which the result has too
	const void *fold;
} weft_folding;

// weft_pattern is an operator and the layouts of its operands; arrays.Pattern.
#define WEFT_ASSIGN OP_COUNT
#define WEFT_COPY (OP_COUNT + 1)
#define WEFT_FAR INT64_MIN
typedef struct {
	int64_t op;
	uint64_t x, y, out;      // layouts, or kinds of numbers; out is WEFT_NO_LAYOUT for a new array
	int64_t x_away, y_away;  // bytes behind the first of out where they share memory, or WEFT_FAR
} weft_pattern;

// weft_launch is what is known of a pattern.
typedef struct {
	int32_t id;        // arrays.Launch; -1 when there is none: the general functions have to do it
	uint64_t result;   // layout of the new array
	int64_t low, high; // for ints in this range
} weft_launch;

// weft_record is an op that is submitted over layouts that were met before.
typedef struct {
	int32_t launch;
	uint8_t op;
	uint64_t out, x, y;   // handles of arrays that have the memory; out is 0 for a new array
	int64_t out_at, x_at, y_at;
	uint64_t memory;      // of a new array
	uint64_t where;
	int64_t i;            // the number among the operands
	double f;
} weft_record;

// weft_layouts is what known.c shares with Go. The interpreter's lock guards it.
typedef struct {
	int plain;            // WEFT_DEBUG=nolaunches: only the general functions
	uint64_t memories;    // numbers handed out so far
	uint64_t base;        // layouts below are forgotten
	int32_t launches;     // and launches
} weft_layouts_t;

extern weft_layouts_t weft_layouts;

// weft_defer_scalars makes arrays without dimensions of what are scalars in NumPy.
extern volatile int weft_defer_scalars;

// weft_devices says that arrays may lie in other memories than the host's. Of those that are too large for a place on the host (goNear), an op copies
// an element where it lies.
extern volatile int weft_devices;

// weft_sample is what the main thread did for a while; see sampler.c. site counts from 1, and is 0 where the kind says it all.
enum { WEFT_PYTHON, WEFT_CALLS, WEFT_RUNTIME };
typedef struct {
	int64_t start, end; // nanoseconds of CLOCK_MONOTONIC
	int64_t asleep;     // of these, on no processor
	uint64_t where;     // the user's source << 32 | line; 0 is none
	int32_t site, does;
} weft_sample;

int64_t weft_clock(void);
weft_sample *weft_samples(int64_t *n, int64_t *main_cpu, int64_t *process_cpu);

// weft_line_count is how often a line did what, while that is counted.
enum { WEFT_OPERATIONS, WEFT_ELEMENTS_READ, WEFT_ELEMENTS_WRITTEN, WEFT_NUMBERS, WEFT_COUNTS };
typedef struct {
	uint64_t where;
	int64_t n[WEFT_COUNTS];
} weft_line_count;

weft_line_count *weft_line_counts(int64_t *n);
weft_line_count *weft_counted_before(uint64_t where);
void weft_begin_counting(void); // which the first of those that count at the same time begins anew
void weft_end_counting(void);
void weft_mark_counts(void);
extern volatile int weft_counting; // how many count: a profile by lines, and blocks of the program for advice

// weft_interrupts_noted is set when a SIGINT came since the main thread last looked.
extern volatile int weft_interrupts_noted;

// weft_look_soon asks Python what it makes of them.
void weft_look_soon(void);

// weft_held is set when too much is queued: the next operation waits first.
extern volatile int weft_held;

// weft_submitted counts the ops that were submitted. It is written under the runtime's mutex, by calls that have the interpreter's lock.
extern volatile uint64_t weft_submitted;
extern uint64_t weft_waited_at; // weft_submitted when the program waited last

// weft_floating_late is set when an operation has been computed, later than it was asked for, in which something went wrong that the program is to be told of.
extern volatile int weft_floating_late;

// weft_floating_telling is what the program wants to know of what goes wrong in the operations of the call of Go's that follows, in NumPy's bits; the call clears it.
extern uint8_t weft_floating_telling;

// weft_floating_steps is the number of the steps, of a function that the program knows, among which that call is; 0 for none. The call clears it.
extern int weft_floating_steps;

// weft_floating_call is the number of the call that waits to be told what goes wrong in its operations, which are those of the call of Go's that follows; 0 for none. The
// call of Go's clears it.
extern uint32_t weft_floating_call;

// weft_asking is the place of the user's program that this thread waits for, as weft_where gives it; 0 is unknown.
void weft_ask(uint64_t where);

// weft_line says that a line on the terminal tells what is waited for; weft_answered takes it away, when the wait is over, and forgets the place.
extern volatile int weft_line;
void weft_answered(void);
uint64_t weft_asking(void);

// weft_in_call says whether this thread is in a call that has the interpreter's lock and may let go of it while it waits.
int weft_in_call(void);

int weft_on_main_thread(void); // Python runs signal handlers there
void *weft_let_go(void);
void weft_take_back(void *state);

#endif
