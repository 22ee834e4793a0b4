/* The machine half's own words: types, instructions, functions, warps. Nothing here is known to the driver half. */
#ifndef MACHINE_H
#define MACHINE_H

#include "fake.h"
#include <stdbool.h>

enum {
	LANES = 32,
	SHARED_BASE = 1024, /* where .shared variables begin: sm_90 keeps what is below for itself */
};

/* ---- types.c: the fundamental types of PTX ---- */

typedef enum {
	T_NONE, T_PRED,
	T_B8, T_B16, T_B32, T_B64,
	T_U8, T_U16, T_U32, T_U64,
	T_S8, T_S16, T_S32, T_S64,
	T_F16, T_F16X2, T_BF16, T_BF16X2, T_F32, T_F64,
	TYPES
} type;

typedef struct {
	const char *name;
	uint8_t bytes;
	char class; /* p predicate, b bits, u unsigned, s signed, f float, x packed floats */
} type_row;

extern const type_row fake_types[TYPES];
type fake_type_named(const char *s, size_t n); /* T_NONE where there is none */
/* fake_type_fits says whether a register may be the operand of an instruction of a type; relaxed: of ld, st, cvt, where the register
   may be wider. */
bool fake_type_fits(type of_instruction, type of_register, bool relaxed);
static inline uint64_t type_mask(type t) { return t == T_PRED ? 1 : fake_types[t].bytes == 8 ? ~0ull : (1ull << 8 * fake_types[t].bytes) - 1; }

/* ---- words.inc: the words between an opcode's dots ---- */

typedef enum {
#define WORD(id, text) W_##id,
#include "words.inc"
#undef WORD
	WORDS
} word;

typedef struct { uint64_t bits[4]; } words;
static inline bool has(const words *w, word id) { return w->bits[id / 64] >> (id % 64) & 1; }

/* ---- forms.c: what an instruction looks like ---- */

typedef enum {
	O_ADD, O_SUB, O_MUL, O_MULHI, O_MULWIDE, O_MAD, O_MADHI, O_MADWIDE, O_ADDC, O_SUBC, O_MADC, O_MADCHI, O_MUL24, O_MAD24, O_SAD,
	O_DIV, O_REM, O_ABS, O_NEG, O_MIN, O_MAX,
	O_POPC, O_CLZ, O_BFIND, O_BREV, O_BFE, O_BFI, O_BMSK, O_SZEXT, O_DP4A, O_DP2A, O_FMA, O_RCP, O_SQRT, O_RSQRT, O_SIN, O_COS, O_LG2, O_EX2, O_TANH,
	O_COPYSIGN, O_TESTP, O_SETP, O_SET, O_SELP, O_SLCT, O_AND, O_OR, O_XOR, O_NOT, O_CNOT, O_LOP3, O_SHF, O_SHL, O_SHR, O_PRMT,
	O_CVT, O_CVT2, O_CVTA, O_MOV, O_PACK, O_UNPACK, O_ISSPACEP, O_CLOCK,
	O_LD, O_ST, O_ATOM, O_RED, O_FENCE, O_PREFETCH,
	O_BAR, O_WARPSYNC, O_SHFL, O_VOTE, O_MATCH, O_ACTIVEMASK, O_REDUX,
	O_BRA, O_CALL, O_RET, O_EXIT, O_TRAP, O_NOTHING,
	OPS
} op;

typedef struct {
	const char *name;
	const char *words;    /* slots in order, alternatives by |, an optional slot ends in ? */
	const char *operands; /* a letter each; operand.c says what they stand for */
	uint8_t op;
	uint8_t sm;  /* the lowest architecture that has it, 0 for any */
	uint8_t ptx; /* the lowest version of PTX, times ten */
} form;

extern const form fake_forms[];
/* fake_forms_of returns the first row of an opcode and how many follow on; NULL where there is no such opcode. */
const form *fake_forms_of(const char *name, size_t n, int *count);

/* ---- instructions ---- */

typedef struct inst inst;
typedef struct function function;

/* A pure instruction computes 32 lanes of d from its sources, and touches nothing else. */
typedef void pure(uint64_t *d, const uint64_t *const *s, const inst *in);

enum { NEAREST, ZERO, DOWN, UP };

typedef enum { S_GENERIC, S_GLOBAL, S_SHARED, S_LOCAL, S_CONST, S_PARAM, S_FRAME } space; /* S_FRAME: .param of functions, per thread */

/* A value that a call hands over: from register to register, or of so many bytes between frames. */
typedef struct { int32_t from, to; uint32_t bytes; } passed;

typedef struct {
	function *callee;
	passed *arguments, *results;
	int argument_count, result_count;
} call;

typedef struct { int32_t at; uint32_t bytes; uint8_t type; } formal; /* bytes 0: at is a register, else an offset in the frame */

struct inst {
	pure *pure; /* NULL where run by warp.c's switch */
	pure *inner; /* of setp with a boolean operation, of set */
	int32_t guard; /* slot of the predicate, or -1 */
	uint32_t line;
	uint8_t guard_not, op, type, type2, round, cmp, source_count, vector;
	uint8_t space, to, ftz, sat, approx, nan, wide, aligned, negate, bool_op, mode, atom, is_volatile, extend, dst_bytes, carry_out, sync, inverse;
	uint8_t strict; /* the sources must be defined */
	int32_t d[4]; /* slots; -1 where absent */
	int32_t s[5];
	int32_t base; /* of the address; -1 where there is none */
	int64_t offset;
	uint32_t target;
	call *call;
};

/* Slots that have their values before a warp starts. */
typedef enum {
	V_CONST, V_TID_X, V_TID_Y, V_TID_Z, V_NTID_X, V_NTID_Y, V_NTID_Z, V_CTAID_X, V_CTAID_Y, V_CTAID_Z, V_NCTAID_X, V_NCTAID_Y, V_NCTAID_Z,
	V_LANEID, V_WARPID, V_NWARPID, V_SMID, V_NSMID, V_GRIDID, V_LT, V_LE, V_GT, V_GE, V_EQ, V_ZERO, V_TOTAL_SHARED, V_DYNAMIC_SHARED_SIZE,
	V_SHARED, V_FRAME, V_GLOBAL,
	V_CLOCK, V_CLOCK64, V_CLOCK_HI, V_GLOBALTIMER, V_GLOBALTIMER_LO, V_GLOBALTIMER_HI, /* read by O_CLOCK */
	VALUES
} value_kind;

typedef struct { uint8_t kind; uint64_t value; /* V_SHARED: index of the variable */ } value;

typedef struct { uint32_t offset, bytes; } param;

struct function {
	char *name;
	bool entry, defined;
	uint32_t line;
	int index;           /* in the module */
	inst *code;
	int count, room;
	int registers;       /* slots [0, registers) */
	value *values;       /* slots [registers, registers + value_count) */
	int value_count, value_room;
	uint32_t frame;      /* bytes per thread: .local and .param */
	uint32_t local;      /* of these, .local */
	formal *results, *formals;
	int result_count, formal_count;
	uint32_t maxntid[3];
	bool reqntid;
	/* entries */
	param *params;
	int param_count;
	uint32_t param_bytes;
	/* after linking: what an entry reaches, itself first */
	function **reach;
	int *base;           /* slot of register 0 of reach[i] */
	uint32_t *frame_base;
	int reach_count, slots;
	uint32_t lane_bytes;
	uint32_t shared_static, shared_align;
	int64_t *shared_offset; /* by variable; -1: not used, -2: dynamic */
	bool recurses;       /* which this machine does not run */
	int mark;            /* of the walk */
	fake_module *module;
};

struct fake_kernel { function f; };

typedef struct { char *name; size_t at, bytes; bool constant; } global;
typedef struct { uint32_t bytes, align; bool dynamic; } shared_variable;
typedef struct { size_t at; uint8_t in, of; uint64_t offset; } relocation; /* in and of: S_GLOBAL or S_CONST */

struct fake_module {
	struct fake_kernel **functions; /* entries and functions, as declared */
	int function_count, function_room;
	global *globals;
	int global_count, global_room;
	shared_variable *shared;
	int shared_count, shared_room;
	uint8_t *memory;    /* of .global variables */
	size_t memory_bytes, memory_room;
	uint8_t *constants; /* of .const variables */
	size_t constant_bytes, constant_room;
	relocation *relocations; /* of .global variables that hold addresses */
	int relocation_count, relocation_room;
	int version, sm, cc;
};

pure *fake_integer_pure(const inst *in);
pure *fake_float_pure(const inst *in);
pure *fake_half_pure(const inst *in);
pure *fake_compare_pure(const inst *in);
pure *fake_convert_pure(const inst *in);
pure *fake_bits_pure(const inst *in);
static inline uint64_t *lanes_of(uint64_t *r, int base, int slot) { return r + (size_t)(base + slot) * LANES; }

/* ---- running ---- */

typedef struct block block;

enum { RUNS, WAITS_BARRIER, WAITS_LANES, EXITED, ABSENT }; /* what a lane does */

typedef struct { function *f; int pc; } frame_return; /* pc: of the call */

typedef struct {
	block *block;
	uint32_t index;             /* in the block */
	uint64_t *r;                /* [slot][lane] */
	uint32_t *defined;          /* by slot, a bit for each lane */
	uint8_t *memory;            /* [lane][lane_bytes] */
	uint8_t *memory_defined;
	uint32_t carry;             /* CC.CF by lane */
	uint8_t state[LANES];
	function *f[LANES];
	int pc[LANES];              /* of the next instruction; of the one that waits */
	int depth[LANES];
	frame_return *stack[LANES];
	int stack_room[LANES];
	uint32_t here;              /* lanes that there are */
	uint32_t live;              /* lanes that have not exited */
} warp;

typedef struct { uint32_t epoch; uint16_t writer, reader; } shadow; /* of a byte of shared memory: warps from 1; 0: none yet */

struct block {
	struct run *run;
	uint32_t linear, index[3];
	warp *warps;
	int warp_count;
	uint8_t *shared;
	shadow *shadow;
	uint32_t epoch;
	uint32_t strong; /* atomic and volatile accesses since the block goes on */
	uint32_t arrived[16]; /* by bar.arrive, in threads */
	struct block *next;
};

typedef struct run {
	const fake_launch *launch;
	function *entry;
	fake_module *module;
	uint32_t shared_bytes, dynamic_at, threads;
	char *why;
	size_t room;
	int fault;
	const volatile int *stop;
	uint64_t turns, limit, lanes, random;
} run;

uint32_t fake_random(uint64_t *state, uint32_t below);

/* fake_fault notes the first fault of a run: code and sentence. */
void fake_fault(const warp *w, const inst *in, int lane, int code, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* lanes_where returns the lanes where a predicate is true. */
static inline uint32_t lanes_where(const warp *w, int slot) {
	const uint64_t *p = w->r + (size_t)slot * LANES;
	uint32_t m = 0;
	for (int i = 0; i < LANES; i++)
		m |= (uint32_t)(p[i] & 1) << i;
	return m;
}

enum { FOUND_NONE, FOUND_WAITS, FOUND_RUNS };

/* fake_warp_run runs a warp until none of its lanes can go on, or it has had its turns. It returns whether one can. */
bool fake_warp_run(warp *w, uint32_t turns);
void fake_step(warp *w, const inst *in, uint32_t mask, int base);                                  /* step.c: what does not part lanes */
void fake_enter(warp *w, const inst *in, function *caller, int pc, uint32_t mask);                  /* frames.c: a call */
void fake_leave(warp *w, function *f, uint32_t mask, bool all);                                     /* a return, or the end */
bool fake_defined(const warp *w, const inst *in, int slot, uint32_t mask, const char *what);
void fake_memory(warp *w, const inst *in, uint32_t mask, int base);       /* memory.c: ld, st */
void fake_atomic(warp *w, const inst *in, uint32_t mask, int base);       /* atomic.c: atom, red */
uint32_t fake_exchange(warp *w, const inst *in, uint32_t mask, int base); /* exchange.c: the lanes that have had theirs */
void fake_arrive(warp *w, const inst *in, uint32_t mask, int base);       /* barrier.c: bar.arrive */
bool fake_barriers(block *b);                                             /* lets those go whose barrier is complete */
void fake_stuck(block *b);                                                /* says what a block waits for in vain */
/* fake_place turns an address into a pointer to n bytes, a power of two, or faults; where is the space it lies in. */
uint8_t *fake_place(warp *w, const inst *in, int lane, uint64_t address, uint32_t n, int how, space *where);
int fake_base_of(const run *r, const function *f);

/* ---- names.c, parse.c ---- */

typedef enum { N_REGISTER, N_VARIABLE, N_FUNCTION } name_kind;

typedef struct name {
	struct name *next; /* of the bucket */
	const char *text;
	size_t length;
	int scope;
	name_kind kind;
	uint8_t type, space;
	int at;        /* register: slot; variable: offset or index; function: index */
	int count;     /* %r<count>; 0 where the name itself is meant */
	uint32_t bytes;
	uint32_t line;
} name;

typedef enum { K_END, K_NAME, K_INTEGER, K_FLOAT, K_DOUBLE, K_DECIMAL, K_STRING, K_MARK } token_kind;

typedef struct {
	token_kind kind;
	const char *at;
	size_t length;
	uint32_t line;
	uint64_t value; /* K_INTEGER, K_FLOAT (32 bits), K_DOUBLE */
	bool joined;    /* no blank before it */
} token;

typedef struct { char *name; size_t length; int scope, pc; uint32_t line; } label;

typedef struct {
	const char *text, *at, *end;
	uint32_t line;
	token token; /* the next one */
	fake_logs logs;
	size_t log_used;
	int errors;
	fake_module *m;
	function *f; /* the one under way; NULL at module scope */
	name **buckets;
	name **stack;
	int stack_count, stack_room, scope, scope_next;
	int *scopes;
	int scopes_room;
	label *labels, *uses; /* of the function under way */
	int label_count, label_room, use_count, use_room;
	uint32_t *value_index;
	int value_buckets;
	bool aborted;
	bool architecture_only; /* sm_90a */
} parser;

void fake_next(parser *p); /* lex.c: reads the next token */
bool fake_is(const parser *p, const char *mark);
bool fake_take(parser *p, const char *mark);
bool fake_expect(parser *p, const char *mark);
void fake_error(parser *p, uint32_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));

name *fake_find(parser *p, const char *text, size_t n, int *index);
name *fake_declare(parser *p, const char *text, size_t n, name_kind kind, uint32_t line);
void fake_open(parser *p);
void fake_close(parser *p);

int fake_value(parser *p, value_kind kind, uint64_t v); /* a slot, marked as a value's */
enum { VALUE_SLOT = 1 << 24 };

void fake_statement(parser *p); /* statement.c: one instruction with its guard */
void fake_declaration(parser *p, space s, bool external); /* declare.c: variables after their state space */
void fake_registers_declared(parser *p);
bool fake_formals(parser *p, bool results);

void *fake_grow(void *at, int *room, int count, size_t size);

#endif
