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
// followed by its n items, each of which may be followed by its own.
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

// weft_info is what Python shows of an array without waiting for its value.
typedef struct {
	uint8_t dtype, ndim, writable, contiguous;
	int64_t size;
	int64_t shape[WEFT_MAXDIMS], strides[WEFT_MAXDIMS];
} weft_info;

// weft_mapping is an array's value in host memory, pinned until goUnmap(id).
typedef struct {
	uint64_t id;
	void *data;
	weft_info info;
} weft_mapping;

// A handle names a slot of Go's table of arrays, and tells C what it must know without a call.
#define WEFT_SCALAR 1 // NumPy would have a scalar
#define WEFT_SMALL 2  // its memory is not worth a call to give it back early
#define WEFT_SLOT 2   // the slot's number is above these bits

// weft_freed are handles of small arrays that Python has dropped. The next operation gives them
// back on its way: a call of their own would cost as much as the operation. Whatever reads
// values, or tells what there is, first calls weft_give_back. The interpreter's lock guards it.
typedef struct {
	int n;
	uint64_t handle[16];
} weft_handles;

extern weft_handles weft_freed;

// weft_interrupts_noted is set when a SIGINT came since the main thread last looked.
extern volatile int weft_interrupts_noted;

#endif
