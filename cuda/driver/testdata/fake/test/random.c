/* Random programs of branches, loops, calls and predicated arithmetic. Each is run by a plain evaluation of its tree, thread by thread, and by
   the machine as one block of warps, as blocks of single threads and under several seeds: all have the same bits. */
#include "check.h"
#include <stdarg.h>

enum { NODES = 256, REGISTERS = 8, THREADS = 96, ROUNDS = 60 };

typedef enum { SET, GUARDED, BRANCH, LOOP, CALL, LEAVE } kind;

typedef struct {
	kind kind;
	int op, d, a, b, compare; /* d = a op b; what a condition compares */
	int first, second;        /* lists of nodes: the branches, the loop's body; -1 */
	int next;
} node;

static const struct { const char *ptx; } operations[] = {
	{"add.u32"}, {"sub.u32"}, {"mul.lo.u32"}, {"xor.b32"}, {"min.s32"}, {"max.u32"}, {"shr.u32"}, {"shl.b32"}, {"mul.hi.u32"}, {"rem.u32"},
};
static const char *const comparisons[] = {"lt.u32", "ge.s32", "eq.u32", "ne.u32"};

static node nodes[NODES];
static int count, labels;
static uint64_t state;

static uint32_t pick(uint32_t n) {
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % n;
}

/* list makes some nodes; -1 where there is no room. */
static int list(int depth) {
	int head = -1, *tail = &head;
	for (uint32_t n = 1 + pick(4); n-- && count < NODES;) {
		int i = count++;
		uint32_t what = pick(depth > 3 ? 3 : 8);
		nodes[i] = (node){what < 2 ? SET : what < 3 ? GUARDED : what < 5 ? BRANCH : what < 6 ? LOOP : what < 7 ? CALL : pick(6) ? SET : LEAVE, (int)pick(10),
			(int)pick(REGISTERS), (int)pick(REGISTERS), (int)pick(REGISTERS), (int)pick(4), -1, -1, -1};
		if (nodes[i].kind == BRANCH || nodes[i].kind == LOOP)
			nodes[i].first = list(depth + 1);
		if (nodes[i].kind == BRANCH && pick(2))
			nodes[i].second = list(depth + 1);
		*tail = i;
		tail = &nodes[i].next;
	}
	return head;
}

static uint32_t apply(int op, uint32_t a, uint32_t b) {
	switch (op) {
	case 0: return a + b;
	case 1: return a - b;
	case 2: return a * b;
	case 3: return a ^ b;
	case 4: return (int32_t)a < (int32_t)b ? a : b;
	case 5: return a > b ? a : b;
	case 6: return b > 31 ? 0 : a >> b;
	case 7: return b > 31 ? 0 : a << b;
	case 8: return (uint32_t)((uint64_t)a * b >> 32);
	default: return b ? a % b : UINT32_MAX;
	}
}

static int holds(int how, uint32_t a, uint32_t b) {
	switch (how) {
	case 0: return a < b;
	case 1: return (int32_t)a >= (int32_t)b;
	case 2: return a == b;
	default: return a != b;
	}
}

/* mixed is the function that calls go to; it returns early for odd numbers. */
static uint32_t mixed(uint32_t x) { return x & 1 ? x >> 1 : x * 3 + 1; }
#define MIXED ".func (.reg .b32 %y) mixed (.reg .b32 %x)\n{\n.reg .pred %p<2>; .reg .b32 %t<2>;\nand.b32 %t0, %x, 1; setp.eq.u32 %p0, %t0, 0; @%p0 bra E;\n" \
	"shr.u32 %y, %x, 1; ret;\nE: mad.lo.u32 %y, %x, 3, 1;\nret;\n}\n"

/* evaluate runs a list for one thread; it returns 0 where the thread has left. */
static int evaluate(int i, uint32_t *r) {
	for (; i >= 0; i = nodes[i].next) {
		const node *n = &nodes[i];
		int yes = holds(n->compare, r[n->a], r[n->b]);
		switch (n->kind) {
		case SET:
			r[n->d] = apply(n->op, r[n->a], r[n->b]);
			break;
		case GUARDED:
			if (yes)
				r[n->d] = apply(n->op, r[n->b], r[n->a]);
			break;
		case BRANCH:
			if (!evaluate(yes ? n->first : n->second, r))
				return 0;
			break;
		case LOOP:
			for (uint32_t turn = 0, turns = 1 + (r[n->a] & 3); turn < turns; turn++)
				if (!evaluate(n->first, r))
					return 0;
			break;
		case CALL:
			r[n->d] = mixed(r[n->a]);
			break;
		case LEAVE:
			if (yes)
				return 0;
		}
	}
	return 1;
}

static char text[1 << 18];
static size_t length;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...) {
	va_list args;
	va_start(args, format);
	length += (size_t)vsnprintf(text + length, sizeof text - length, format, args);
	va_end(args);
}

/* write_out gives a list as PTX, with registers of its own for each condition and loop. */
static void write_out(int i) {
	for (; i >= 0; i = nodes[i].next) {
		const node *n = &nodes[i];
		int l = labels++;
		if (n->kind == GUARDED || n->kind == BRANCH || n->kind == LEAVE)
			say("{ .reg .pred %%q; setp.%s %%q, %%v%d, %%v%d;\n", comparisons[n->compare], n->a, n->b);
		switch (n->kind) {
		case SET:
			say("%s %%v%d, %%v%d, %%v%d;\n", operations[n->op].ptx, n->d, n->a, n->b);
			break;
		case GUARDED:
			say("@%%q %s %%v%d, %%v%d, %%v%d; }\n", operations[n->op].ptx, n->d, n->b, n->a);
			break;
		case BRANCH:
			say("@!%%q bra ELSE_%d;\n", l);
			write_out(n->first);
			say("bra END_%d;\nELSE_%d:\n", l, l);
			write_out(n->second);
			say("END_%d: }\n", l);
			break;
		case LOOP:
			say("{ .reg .pred %%q; .reg .b32 %%i; and.b32 %%i, %%v%d, 3;\nTOP_%d:\n", n->a, l);
			write_out(n->first);
			say("sub.u32 %%i, %%i, 1; setp.ge.s32 %%q, %%i, 0; @%%q bra TOP_%d; }\n", l);
			break;
		case CALL:
			say("call (%%v%d), mixed, (%%v%d);\n", n->d, n->a);
			break;
		case LEAVE:
			say("@%%q bra OUT; }\n");
		}
	}
}

static uint32_t start_value(uint32_t thread, int k) { return (thread + 1) * 2654435761u >> (3 * k) & (k & 1 ? 0xffffffff : 15); }

void test_random(void) {
	static const struct { uint32_t grid, block; } shapes[] = {{1, THREADS}, {THREADS, 1}, {3, 32}, {6, 16}};
	for (int round = 0; round < ROUNDS; round++) {
		state = (uint64_t)round + 1;
		count = labels = 0;
		length = 0;
		int head = list(0);
		say("%s", HEAD MIXED ENTRY);
		say("mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ntid.x; mad.lo.u32 %%r1, %%r2, %%r3, %%r1; mul.wide.u32 %%l2, %%r1, %d; add.u64 %%l3, %%l1, %%l2;\n.reg .b32 %%v<%d>;\n", 4 * REGISTERS, REGISTERS);
		for (int k = 0; k < REGISTERS; k++)
			say("ld.global.u32 %%v%d, [%%l3+%d];\n", k, 4 * k);
		write_out(head);
		say("OUT:\n");
		for (int k = 0; k < REGISTERS; k++)
			say("st.global.u32 [%%l3+%d], %%v%d;\n", 4 * k, k);
		say("ret;\n}\n");
		uint32_t want[THREADS][REGISTERS], (*at)[REGISTERS] = (uint32_t(*)[REGISTERS])(void *)touchable;
		for (uint32_t t = 0; t < THREADS; t++) {
			for (int k = 0; k < REGISTERS; k++)
				want[t][k] = start_value(t, k);
			evaluate(head, want[t]);
		}
		for (uint64_t run = 0; run < 2 * sizeof shapes / sizeof *shapes; run++) {
			for (uint32_t t = 0; t < THREADS; t++)
				for (int k = 0; k < REGISTERS; k++)
					at[t][k] = start_value(t, k);
			outcome o = run_text(text, shapes[run / 2].grid, shapes[run / 2].block, 0, run);
			if (o.rc || memcmp(at, want, sizeof want)) {
				fail("random program", "round %d, %u blocks of %u: %d %s%s\n%.3000s", round, shapes[run / 2].grid, shapes[run / 2].block, o.rc, o.log, o.why, text);
				return;
			}
		}
	}
}
