// A row of lanes as Go writes it: see layout.go, which has the same structures and checks their sizes. Sizes and steps
// are in bytes.
#ifndef WEFT_LOCKSTEP_H
#define WEFT_LOCKSTEP_H

#include <stdlib.h>
#include <string.h>

#include "../vm/vm.h"

enum { LOCKSTEP_AXES = 3, LOCKSTEP_WARP = 32, LOCKSTEP_LANES = 1024 };

// The kinds of steps besides the rows of package vm's table, which are their own kinds. Operands are in[0] and on; d is
// the result, or the scope that begins.
enum {
	LOCKSTEP_IF = 1 << 16, // scope d: the lanes of the step's for which in[0] holds; to `to` if there are none
	LOCKSTEP_ELSE,         // scope d: those for which it does not hold
	LOCKSTEP_LOOP,         // scope d: all lanes of the step's. n: the number of an inner loop, from 1 on
	LOCKSTEP_WHILE,        // lanes for which in[0] does not hold leave the step's scope; to `to` if none is left. n:
	                       // others may wait for those that leave
	LOCKSTEP_AGAIN,        // to `to`. n: lanes may wait here for other blocks
	LOCKSTEP_KEEP,         // d becomes in[0] in the lanes of the step's scope
	LOCKSTEP_ELEMENT,      // d from memory n; the indices are in[0] and on
	LOCKSTEP_PUT,          // in[0] into memory n; the indices are in[1] and on
	LOCKSTEP_ATOMIC,       // as well; d is what was there
	LOCKSTEP_CAS,          // in[0] where it is, in[1] comes; the indices are in[2] and on
	LOCKSTEP_BARRIER,
	LOCKSTEP_GRID_BARRIER,
	LOCKSTEP_TALLY,
	LOCKSTEP_VOTE,
	LOCKSTEP_SHUFFLE,
	LOCKSTEP_MATCH,
	LOCKSTEP_ACTIVE,
	LOCKSTEP_LEAVE,
	LOCKSTEP_FAIL, // with in[0] to in[n - 1]
	LOCKSTEP_FENCE, // of guarded programs
	LOCKSTEP_COPY,  // what the steps up to the put before `to` do, if copy n, from 1 on, can: to `to` then
};

// Steps of rows of one lane: with code of their own, by package vm's opcode and dtype; a step's form is the position in this
// list, from 1 on, or 0. See alone.h.
#define LOCKSTEP_SINGLES(X) \
	X(add_i64, BINARY, "add", "int64", uint64_t, uint64_t, x + y) \
	X(sub_i64, BINARY, "sub", "int64", uint64_t, uint64_t, x - y) \
	X(mul_i64, BINARY, "mul", "int64", uint64_t, uint64_t, x *y) \
	X(floordiv_i64, BINARY, "floordiv", "int64", int64_t, int64_t, divided(x, y)) \
	X(rem_i64, BINARY, "rem", "int64", int64_t, int64_t, remaining(x, y)) \
	X(and_i64, BINARY, "and", "int64", uint64_t, uint64_t, x &y) \
	X(or_i64, BINARY, "or", "int64", uint64_t, uint64_t, x | y) \
	X(xor_i64, BINARY, "xor", "int64", uint64_t, uint64_t, x ^ y) \
	X(eq_i64, BINARY, "eq", "int64", int64_t, uint8_t, x == y) \
	X(ne_i64, BINARY, "ne", "int64", int64_t, uint8_t, x != y) \
	X(lt_i64, BINARY, "lt", "int64", int64_t, uint8_t, x < y) \
	X(le_i64, BINARY, "le", "int64", int64_t, uint8_t, x <= y) \
	X(add_f64, BINARY, "add", "float64", double, double, x + y) \
	X(sub_f64, BINARY, "sub", "float64", double, double, x - y) \
	X(mul_f64, BINARY, "mul", "float64", double, double, x *y) \
	X(div_f64, BINARY, "div", "float64", double, double, x / y) \
	X(eq_f64, BINARY, "eq", "float64", double, uint8_t, x == y) \
	X(ne_f64, BINARY, "ne", "float64", double, uint8_t, x != y) \
	X(lt_f64, BINARY, "lt", "float64", double, uint8_t, x < y) \
	X(le_f64, BINARY, "le", "float64", double, uint8_t, x <= y) \
	X(and_bool, BINARY, "and", "bool", uint8_t, uint8_t, x &y) \
	X(or_bool, BINARY, "or", "bool", uint8_t, uint8_t, x | y) \
	X(not_bool, UNARY, "not", "bool", uint8_t, uint8_t, !x) \
	X(neg_i64, UNARY, "neg", "int64", uint64_t, uint64_t, -x) \
	X(neg_f64, UNARY, "neg", "float64", double, double, -x) \
	X(abs_f64, UNARY, "abs", "float64", double, double, __builtin_fabs(x)) \
	X(float_i64, UNARY, "cast", "int64 float64", int64_t, double, x) \
	X(int_bool, UNARY, "cast", "bool int64", uint8_t, int64_t, x) \
	X(select_64, UNARY, "select", "64", uint8_t, uint64_t, x ? *(const uint64_t *)o->b : *(const uint64_t *)o->c) \
	X(select_8, UNARY, "select", "8", uint8_t, uint8_t, x ? *(const uint8_t *)o->b : *(const uint8_t *)o->c)
// Steps of inner loops, of all lanes, with code of their own: a step's code is the position in this list, three times, for
// operands of which each is a row, the second one is the same in all lanes, or the first one is. See inner.h.
#define LOCKSTEP_ROWS(X) \
	X(add_f32, "add", "float32", float, x + y) \
	X(sub_f32, "sub", "float32", float, x - y) \
	X(mul_f32, "mul", "float32", float, x *y) \
	X(add_f64, "add", "float64", double, x + y) \
	X(sub_f64, "sub", "float64", double, x - y) \
	X(mul_f64, "mul", "float64", double, x *y) \
	X(add_u32, "add", "int32", uint32_t, x + y) \
	X(sub_u32, "sub", "int32", uint32_t, x - y) \
	X(mul_u32, "mul", "int32", uint32_t, x *y) \
	X(add_u64, "add", "int64", uint64_t, x + y) \
	X(sub_u64, "sub", "int64", uint64_t, x - y) \
	X(mul_u64, "mul", "int64", uint64_t, x *y)

#define SINGLE_LABEL(name, ...) &&name,
#define SINGLE_CODE(name, kind, opcode, dtype, ...) SINGLE_##kind(name, __VA_ARGS__)

// The form of fences that are the block's.
enum { LOCKSTEP_FENCE_BLOCK };

// The dtypes of atomics.
enum { LOCKSTEP_I32, LOCKSTEP_U32, LOCKSTEP_I64, LOCKSTEP_U64, LOCKSTEP_F32, LOCKSTEP_F64 };

typedef struct {
	int32_t kind, d, in[VM_INPUTS];
	int32_t scope; // whose lanes take it
	int32_t n, form; // n of primitives: the number of the operand, from 1 on, whose shape the result has, or 0
	int32_t type;  // of an atomic; of elements and puts, the number of what is kept of where they are, from 1 on, or 0
	int32_t to;    // a step
	int32_t idle;  // lanes that do not go on here are done: they leave
	int32_t instr; // of the program, for faults
} lockstep_step;

// lockstep_mark is an access: by which thread of the grid, from 1 on, when, and by which instruction. lockstep_marks are
// those of one kind: two of them, or all, the last one and a chain. A lockstep_shade is what was done to a grain of a
// memory; see shadow.h.
typedef struct {
	uint32_t thread, time;
	int32_t instr;
} lockstep_mark;
typedef union {
	lockstep_mark two[2];
	struct {
		lockstep_mark last;
		uint32_t first, length, most; // of the chain: its first link, how many it has, and may have before it is thinned
	} all;
} lockstep_marks;
typedef struct { lockstep_marks read, wrote, changed; } lockstep_shade;

// lockstep_chains are the links of all chains of a launch (chains.h).
typedef struct {
	lockstep_mark mark;
	uint32_t next; // or 0
} lockstep_link;
typedef struct {
	lockstep_link *link; // from 1 on
	uint32_t links, room;
	uint32_t unused; // the first of those that no chain has
	uint32_t round, *seen; // how many times a chain was thinned, and by thread of the grid the last one that had a mark of it
	int64_t most; // places for links, the one that no chain has included
	int64_t full; // there was none for another link
} lockstep_chains;

// lockstep_calm is when something happened last in what a block shares, or 0: behind the time when lanes changed it, and when
// any marks or notes were made there.
typedef struct { uint32_t stirred, marked; } lockstep_calm;

typedef struct {
	char *p; // the element at 0, 0, ... of lane 0
	int64_t axes, size;
	int64_t lane; // from lane to lane
	int64_t extent[LOCKSTEP_AXES], stride[LOCKSTEP_AXES];
	int64_t crowded; // other rows change it at the same time

	// Of guarded programs, by grain of 1 << grain bytes, the first of which is at p: what was done there, unless only a
	// lane's own elements are there, and whether anything has written it, unless something has before.
	lockstep_shade *shade;
	uint8_t *written;
	int64_t grain;
	lockstep_calm *calm; // of what is the block's: others that may be in the same bytes have the same one
	int64_t full;        // all of it has been written, as is known
} lockstep_memory;

// lockstep_note is what an inner loop of a guarded program has read for all lanes, or a step put, whose marks may be left out
// (notes.h).
typedef struct {
	const lockstep_memory *memory;
	const int64_t *offset; // by lane, or NULL: none; of a put by group of lanes that stand together
	int64_t from;          // in bytes
	int32_t instr, put;
} lockstep_note;

// lockstep_scope says which lanes take what stands in a block. The first is the program itself: its lanes have not
// ended.
typedef struct {
	uint8_t *mask;
	int64_t count; // lanes that it holds for
	int64_t outer; // or -1
	int64_t turns, still; // of a loop, and how many of the last in which no lane left it
	int64_t spins;        // lanes have gone ahead of it
} lockstep_scope;

// lockstep_parked is a row at a moment (split.h): what its operands hold, and its scopes.
typedef struct lockstep_parked lockstep_parked;
struct lockstep_parked {
	lockstep_parked *below;
	int64_t at; // a step
	int64_t turning; // it is to go on, whatever others do
	lockstep_scope *scope;
	uint8_t *masks; // of all scopes, one behind the other
	char *bytes;    // of all operands
};

// lockstep_single is an operation of a row of one lane: where its code is, its operands, and where a jump leads.
typedef struct lockstep_single {
	const void *go;
	char *d;
	const char *a, *b, *c;
	struct lockstep_single *to;
	const lockstep_step *s;
} lockstep_single;

// The codes of inner loops: what an operation does for all lanes of a strip.
enum {
	CODE_AGAIN,    // to the loop's condition
	CODE_LEAVE,    // where in[0] does not hold
	CODE_COPY,     // d becomes in[0]; where that stays, and CODE_DOTS is the first to change d, without a copy
	CODE_SPREAD,   // in all lanes, which in[0] is the same in
	CODE_ONE,      // d is an element, the same in all lanes
	CODE_FIND,     // where the elements of a step are
	CODE_FOUND,    // d are those elements
	CODE_ANYWHERE, // both
	CODE_CALL,     // d by a row of package vm's table
	CODE_CALL_ONE, // the same in all lanes
	CODE_COUNT,    // adds in[0] to d, and goes to the loop's first operation behind its condition while that is less than in[1]
	CODE_DOTS,     // all turns of the two elements, the sum of their product, and the count that follow; see dots.h
	CODE_SUMS,     // d by a product of in[0] and in[1], and in[2]; of float32 and float64, each six: in[2] comes last, or first,
	               // and which of in[0] and in[1] are rows, as in LOCKSTEP_ROWS
	CODE_ROWS = CODE_SUMS + 12, // by the position in LOCKSTEP_ROWS; behind them those in LOCKSTEP_SINGLES, of what is the same in all lanes
};

// An inner loop may have so many values. Strips have so many lanes at most, and what a step knows of its elements so many
// bytes.
enum { LOCKSTEP_VALUES = 64, LOCKSTEP_STRIP = 256, LOCKSTEP_SLOT = 1024, LOCKSTEP_SPOTS = 8 * LOCKSTEP_STRIP + 64 };

// Of guarded programs, a strip is the row.
enum { LOCKSTEP_ROW_SLOT = 16 * LOCKSTEP_LANES, LOCKSTEP_ROW_SPOTS = 8 * LOCKSTEP_LANES + 64, LOCKSTEP_NOTES = 4096 };

typedef struct {
	int32_t code, step; // step says what is computed, and which elements
	int32_t spots;      // by number
	int32_t stays;      // they are the same whenever the row comes to the loop
	int32_t d, in[VM_INPUTS]; // values, by number
} lockstep_code;

typedef struct {
	int32_t place, slot; // a slot of the loop's room, or -1: where the row has it
	int32_t size, row;   // row is 0 for what is the same in all lanes
	int32_t result;      // others read it behind the loop
} lockstep_value;

typedef struct {
	int32_t again, end; // where a turn begins again, and the step behind the loop
	int32_t values, widest; // widest is the size of the largest values in slots
	int64_t kinds;          // of spots, for each strip
	const lockstep_code *code;
	const lockstep_value *value;
	char *room, *spots;
} lockstep_inner;

// lockstep_fault is what ended the lowest lane of those that failed.
enum {
	LOCKSTEP_INDEX = 1, LOCKSTEP_FAILED, LOCKSTEP_ALONE, LOCKSTEP_MASK, LOCKSTEP_STOPPED, LOCKSTEP_RACE, LOCKSTEP_UNWRITTEN,
	LOCKSTEP_EXHAUSTED, LOCKSTEP_UNMARKED
};

typedef struct {
	int64_t kind; // 0: none did
	int64_t instr, lane, other;
	int64_t axis, index, size; // of a race, other is the thread in the grid, and size the instruction
	uint64_t value[VM_INPUTS][2]; // or the indices
} lockstep_fault;

// lockstep_kept is where the elements of a step are, of each of those lanes that stand together, from axes whose indices a row
// computes once; bits of axes say which.
enum { LOCKSTEP_LEAST = 4, LOCKSTEP_GROUPS = LOCKSTEP_LANES / LOCKSTEP_LEAST };
typedef struct {
	int64_t row; // that they are of, from 1 on
	int64_t axes;
	int64_t offset[LOCKSTEP_GROUPS];
} lockstep_kept;

// lockstep_side is where a step finds the elements of a copy, or puts them: by axis the operand that is a row of indices, computed
// once for a row of lanes, and the one that is added to it, which is the same in all lanes; or 0. Of groups of lanes that stand
// together it is kept where they are, without what is added, and which indices there are.
typedef struct {
	int32_t step, row[LOCKSTEP_AXES], by[LOCKSTEP_AXES], unused;
	int64_t low[LOCKSTEP_AXES], high[LOCKSTEP_AXES];
	int64_t offset[LOCKSTEP_GROUPS];
} lockstep_side;
typedef struct {
	int64_t row;  // that both sides are of, from 1 on
	int64_t lies; // elements of a group are side by side in both
	int64_t last; // what was added to the offsets of from
	lockstep_side from, to;
} lockstep_copy;

typedef struct {
	const vm_machine *machine; // filled in
	int64_t steps, lanes;
	int64_t threads; // of a block: the lanes are whole blocks
	lockstep_step *step;
	vm_operand *operand; // step is 0 for what is the same in all lanes
	lockstep_memory *memory;
	lockstep_scope *scope;
	char *room; // LOCKSTEP_ROOM bytes for each lane
	const uint32_t *stop; // or no pointer

	// Lanes that differ in their thread's x alone stand together, `width` of them; inner has all bits where a lane is
	// not the first of those. shape is by operand how such lanes' integers are to each other, where that is known.
	int64_t width;
	const int64_t *inner;
	uint8_t *shape;
	lockstep_kept *kept;
	lockstep_copy *copy;

	int64_t operands, scopes;
	const int32_t *life; // by operand with a row that steps write, the first of these, and the last step that needs it
	int64_t patience; // turns of a loop that no lane leaves, before those go ahead that have left it
	int64_t waiting;  // loops whose lanes wait, for those that have gone ahead
	lockstep_parked *parked;
	int64_t spent, turns; // in loops whose lanes may wait for other blocks, and how many turns there are of these at a time
	int64_t pause, at; // why the row is not at its end, and the step of its grid barrier
	int64_t absent; // the lowest lane that has not come there nor ended, or -1
	int64_t fails; // the lanes at the grid barrier fail, for a thread has not come that is
	int64_t other; // this one

	// Of guarded programs: the number of lane 0 in the grid, the time, and what lanes know of others (order.h), NULL where
	// nothing has them know it: by lane, of each lane of its warp; by thread of the grid; and by lane. Chains are NULL where
	// two marks are enough.
	int64_t first;
	uint32_t now, met, grid;
	uint32_t (*voted)[LOCKSTEP_WARP], *fenced, *fencedIn;
	lockstep_chains *chains;
	lockstep_note *note; // LOCKSTEP_NOTES of them
	int64_t notes;
	int64_t *place; // LOCKSTEP_NOTES offsets of puts
	int64_t places;
	uint32_t began;    // when the block did
	uint32_t lanewise; // marks are looked at lane by lane, always
	const lockstep_inner *loop; // the inner ones
	lockstep_single *single; // one more than steps, zeros at first: the row may run alone, if it has one lane
	lockstep_fault fault;
} lockstep_row;

// A row pauses where it has had its turns, and at grid barriers. Parked are all its lanes then.
enum { LOCKSTEP_ENDED, LOCKSTEP_TURNS, LOCKSTEP_GRID };

enum { LOCKSTEP_UNKNOWN, LOCKSTEP_EQUAL, LOCKSTEP_RISING, LOCKSTEP_OTHERS };

enum { LOCKSTEP_ROOM = 16 * VM_INPUTS + 8 + 8 };

// lockstep_single_names says what the step at a position of LOCKSTEP_SINGLES is; false behind the last.
int lockstep_single_names(int position, const char **opcode, const char **dtype);

// lockstep_row_names does so of LOCKSTEP_ROWS.
int lockstep_row_names(int position, const char **opcode, const char **dtype);

// lockstep_run runs all steps with the machine of a name, up to the row's end or a pause; from the pause on, where lanes
// are parked.
void lockstep_run(int machine, uintptr_t row);

// lockstep_forget frees the lanes that are parked.
void lockstep_forget(uintptr_t row);

// lockstep_lowest is the lowest of so many lanes that are parked.
int64_t lockstep_lowest(const lockstep_parked *parked, int64_t lanes);

// lockstep_unlink gives back the links of a chain, and lockstep_unlink_all those of so many grains.
void lockstep_unlink(lockstep_chains *c, lockstep_marks *m);
void lockstep_unlink_all(lockstep_chains *c, lockstep_shade *shade, int64_t grains);

void lockstep_run_base(lockstep_row *r);
void lockstep_run_v3(lockstep_row *r);
void lockstep_run_v4(lockstep_row *r);

#endif
