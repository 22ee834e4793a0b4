// The program that the machine runs, as Go writes it: see layout.go, which has the same
// structures and checks their sizes. Everything that these pointers name is mapped memory
// outside the Go heap; the caller owns it. Sizes and steps are in bytes.
#ifndef WEFT_VM_H
#define WEFT_VM_H

#include <stddef.h>
#include <stdint.h>

enum { VM_INPUTS = 5, VM_LANES = 32, VM_AXES = 33, VM_FORMS = 4 };

// vm_loop computes n elements: p[0] is where they go, p[1] and on where the operands are. It
// reads element i of every operand before it writes element i, and goes forwards.
typedef void vm_loop(int64_t n, char *const *p);

// vm_lanes takes rounds * 32 elements, which lie side by side, into 32 accumulators.
typedef void vm_lanes(int64_t rounds, char *acc, const char *x);

// vm_dot sums the products of n elements, one at least, that lie side by side: a block of the canonical order, without the neutral element.
typedef void vm_dot(int64_t n, const char *a, const char *b, char *to);

// vm_fold combines 32 accumulators into the first.
typedef void vm_fold(char *acc);

// vm_rows takes rows of n elements, which begin that many bytes apart, into n accumulators, one row after the other.
typedef void vm_rows(int64_t rows, int64_t apart, int64_t n, char *acc, const char *x);

// vm_form is a loop for one way in which operands lie: bit k of scalars says that input k is
// one element for all; the others lie side by side.
typedef struct {
	uint8_t scalars;
	vm_loop *loop;
	vm_loop *stream; // the same, writing past the caches; or 0
} vm_form;

typedef struct {
	uint8_t inputs;
	uint8_t size[1 + VM_INPUTS]; // of the elements of the result and the inputs
	vm_form form[VM_FORMS];      // the first is the general one; the rest may be empty
	vm_lanes *lanes;             // for the steps of reductions; or 0
	vm_fold *fold;               // as well
	vm_rows *rows;               // as well
} vm_primitive;

typedef struct {
	const char *opcode, *dtype;
	const vm_primitive *primitive;
} vm_row;

typedef struct {
	char *p;
	int64_t step;
} vm_operand;

typedef struct {
	uint16_t op;              // row of the table
	uint16_t d;               // operands, by number
	uint16_t in[VM_INPUTS];
	uint16_t look;            // which look at its results says what flags do not: 0 is none
} vm_step;

// Looks, in launches that are watched: at results, whether one is infinite or no number. See look.h.
enum { VM_LOOK_HALF = 1, VM_LOOK_FLOAT, VM_LOOK_DOUBLE, VM_LOOK_FLOATS, VM_LOOK_DOUBLES };

// What may have gone wrong in a launch, by NumPy's bits. VM_SEEN says that a look has found something.
enum { VM_DIVIDE = 1, VM_OVER = 2, VM_UNDER = 4, VM_INVALID = 8, VM_SEEN = 16 };

enum { VM_STRIP = 0xffff }; // a step that is a strip: d is its number

// vm_micro is one operation of a strip; see strip.h.
typedef struct {
	uint8_t op, reg; // number of the operation, and of the accumulator
	uint8_t kind;    // of the operand
	uint8_t unused;
	uint16_t operand;
	uint16_t port; // of a window: counted from the strip's first
} vm_micro;

enum { VM_NEXT, VM_WINDOW, VM_REGISTER, VM_SLOT, VM_SCALAR }; // what an operand is: the next accumulator, ...

// vm_port is a window that a strip reads or writes.
typedef struct {
	int64_t operand, window;
	int64_t out;
	int64_t stream; // written past the caches where it is aligned
	char *room;     // VM_ROOM bytes, aligned, for elements that are staged
} vm_port;

enum { VM_ROOM = 512 }; // bytes of an accumulator

typedef struct {
	int64_t size; // of elements: 4 or 8, floats
	int64_t first, count;
	int64_t port, ports;
} vm_strip;

// vm_cell is room for what the machine makes of a micro operation; it fills it in.
typedef struct {
	int64_t room[4];
} vm_cell;

// Steps of control flow, which stand above the rows of the table; d is their number. A skip goes
// elsewhere where its mask holds for no lane of the block, the end of a loop always goes back.
enum { VM_SKIP = 0xff00, VM_AGAIN, VM_GATHER, VM_GATHER_AXES = 3 };

typedef struct {
	int64_t mask; // operand
	int64_t to;   // step
} vm_jump;

// vm_gather reads the elements of an array at indices, which are operands; so is the result.
typedef struct {
	char *p; // the element at index 0, 0, ...
	int64_t d, mask; // mask is -1 for all lanes
	int64_t axes, size;
	int64_t index[VM_GATHER_AXES], extent[VM_GATHER_AXES], stride[VM_GATHER_AXES];
} vm_gather;

// vm_fault is why a launch ended before its time.
enum { VM_BOUNDS = 1, VM_STOPPED };

typedef struct {
	int64_t kind; // 0: it did not
	int64_t index, axis, size;
} vm_fault;

// vm_window moves an operand over memory; its strides are in the launch.
typedef struct {
	char *p; // the element of the first point
	int64_t operand;
} vm_window;

// vm_counter keeps the coordinate of a block's first point in a cell.
typedef struct {
	int64_t *cell;
	int64_t origin;
	int64_t axis; // or -1
} vm_counter;

typedef struct {
	int64_t extent;
	int64_t block;   // of a reduction
	int64_t reduced;
} vm_axis;

// vm_reducer combines the elements of an operand.
typedef struct {
	int64_t value;   // operand
	int64_t combine; // row of the table
	int64_t move;    // row
	char *acc;
	char *out;       // result of the first block
	int64_t strides[VM_AXES]; // of results, by axis: along kept axes from point to point, along reduced ones from block to block
	int64_t settles; // every result takes neutral last, an element's bytes
	uint64_t neutral[2];
} vm_reducer;

// vm_call is a step made ready; the machine fills it in.
typedef struct {
	const vm_primitive *primitive;
	vm_loop *loop;
	uint16_t pack; // bits of operands, 0 the result, that have to lie side by side first; of a strip: whether it stages
	uint16_t one;  // the result is one element for all
	uint32_t scalars; // of a strip: the moves of its cells
} vm_call;

enum { VM_OUTER, VM_INNER, VM_WIDE };

typedef struct {
	int64_t steps, operands, windows, counters, axes, reducers;
	int64_t block; // elements that the steps take at a time
	int64_t chunk; // elements of the last axis after which the others go round again; 0 is all
	int64_t stream;

	// Of reductions.
	int64_t form;
	int64_t rows, kept; // of wide accumulators: how many rows, and how many bytes to the next

	vm_step *step;
	vm_operand *operand;
	vm_call *call;
	vm_window *window;
	int64_t *stride; // by window, then by axis
	vm_counter *counter;
	vm_axis *axis;
	vm_reducer *reducer;
	vm_strip *strip;
	vm_micro *micro;
	vm_port *port;
	vm_cell *cell; // two for each micro operation
	int64_t planned; // 0 until calls and cells are filled in, which only depends on what comes before

	// Of control flow and gathers; there is none where fault is 0.
	vm_jump *jump;
	vm_gather *gather;
	vm_fault *fault;
	const uint32_t *stop; // not 0 once loops are to end; or no pointer

	// Of floating-point operations that went wrong.
	int64_t watched; // whether to find out
	int64_t raised;  // what may have
} vm_launch;

// vm_machine is what one instruction set makes of the table and the walks over it.
typedef struct {
	const char *name;
	void (*map)(vm_launch *l);
	void (*reduce)(vm_launch *l);
	const vm_row *rows;
	int64_t count;
	const char *const *micros; // names of the operations of strips
	int64_t micro_count;
	vm_dot *dot[2]; // of float32 and float64
} vm_machine;

extern const vm_machine vm_base, vm_v3, vm_v4;

const vm_machine *vm_machines(int i); // 0 when there is no such instruction set here, or BASE_ALONE leaves it out: for the race detector

// Addresses of a vm_machine and a vm_launch.
void vm_map(uintptr_t machine, uintptr_t launch);
void vm_reduce(uintptr_t machine, uintptr_t launch);
// vm_dots is the machine's vm_dot for elements of so many bytes.
void vm_dots(uintptr_t machine, int64_t size, int64_t n, const char *a, const char *b, char *to);

#endif
