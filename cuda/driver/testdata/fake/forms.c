/* The table of instructions: which words and operands each opcode takes (PTX ISA, "Instruction Set"). The first row whose words match and
   whose operands are as many is the instruction's.

   Operands, a letter each; operand.c checks them:
     d  register of the first type            s  source of the first type
     e  d, or d|p with a predicate            z  source of the second type
     w  register twice as wide                x  source twice as wide
     D  register at least as wide (cvt)       S  source at least as wide, of the last type (cvt)
     v  register or vector (ld)               V  source or vector (st)
     r  register of 32 bits, an integer       u  source of 32 bits, an integer
     P  predicate register                    Q  p, or p|q
     m  address                               n  predicate source, or !p
     l  label
     k  integer constant                      g  address in a register, 32 or 64 bits
     R  r, or r|p with a predicate            ?  operands of mov
     a  source of the first type, or a variable (cvta) */
#include "machine.h"
#include <string.h>

#define RND "rn|rz|rm|rp"
#define WHOLE "u16|u32|u64|s16|s32|s64"
#define CARRIED "u32|s32|u64|s64"
#define SCOPE "cta|cluster|gpu|sys"
#define SPACE "global|shared|shared::cta|local|const|param|param::entry|param::func"
#define STSPACE "global|shared|shared::cta|local|param|param::func"
#define KEPT "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate?"
#define HINTS KEPT " L2::64B|L2::128B|L2::256B?"
#define STRONG "global|shared|shared::cta?"
#define STORED "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"
#define EQUAL "eq|ne"
#define SIGNED EQUAL "|lt|le|gt|ge"
#define UNSIGNED SIGNED "|lo|ls|hi|hs"
#define FLOATS SIGNED "|equ|neu|ltu|leu|gtu|geu|num|nan"
#define LOGIC "and|or|xor"
#define ATOMIC "relaxed|acquire|release|acq_rel? " SCOPE "? " STRONG " "
#define REDUCE "relaxed|release? " SCOPE "? " STRONG " "

const form fake_forms[] = {
	{"abs", "s16|s32|s64", "ds", O_ABS, 0, 0}, {"abs", "ftz? f32", "ds", O_ABS, 0, 0}, {"abs", "f64", "ds", O_ABS, 0, 0},
	{"abs", "ftz? f16|f16x2", "ds", O_ABS, 53, 65}, {"abs", "bf16|bf16x2", "ds", O_ABS, 80, 70},
	{"activemask", "b32", "d", O_ACTIVEMASK, 30, 62},
	{"add", WHOLE, "dss", O_ADD, 0, 0}, {"add", "sat s32", "dss", O_ADD, 0, 0}, {"add", RND "? ftz? sat? f32", "dss", O_ADD, 0, 0},
	{"add", RND "? f64", "dss", O_ADD, 0, 0}, {"add", "rn? ftz? sat? f16|f16x2", "dss", O_ADD, 53, 42},
	{"add", "rn? bf16|bf16x2", "dss", O_ADD, 90, 78}, {"add", "cc " CARRIED, "dss", O_ADD, 0, 0},
	{"addc", "cc? " CARRIED, "dss", O_ADDC, 0, 0},
	{"and", "pred", "dss", O_AND, 0, 0}, {"and", "b16|b32|b64", "dss", O_AND, 0, 0},
	{"atom", ATOMIC LOGIC "|exch b32|b64", "dms", O_ATOM, 0, 0}, {"atom", ATOMIC "cas b16|b32|b64", "dmss", O_ATOM, 0, 0},
	{"atom", ATOMIC "add u32|s32|u64|f32|f64", "dms", O_ATOM, 0, 0}, {"atom", ATOMIC "add noftz f16|f16x2", "dms", O_ATOM, 70, 63},
	{"atom", ATOMIC "inc|dec u32", "dms", O_ATOM, 0, 0}, {"atom", ATOMIC "min|max u32|s32|u64|s64", "dms", O_ATOM, 0, 0},
	{"bar", "cta? sync", "u", O_BAR, 0, 0}, {"bar", "cta? sync", "uu", O_BAR, 0, 0}, {"bar", "cta? arrive", "uu", O_BAR, 0, 0},
	{"bar", "cta? red popc u32", "dun", O_BAR, 0, 0}, {"bar", "cta? red popc u32", "duun", O_BAR, 0, 0},
	{"bar", "cta? red and|or pred", "dun", O_BAR, 0, 0}, {"bar", "cta? red and|or pred", "duun", O_BAR, 0, 0},
	{"bar", "warp sync", "u", O_WARPSYNC, 30, 60},
	{"barrier", "cta? sync aligned?", "u", O_BAR, 30, 60}, {"barrier", "cta? sync aligned?", "uu", O_BAR, 30, 60},
	{"barrier", "cta? arrive aligned?", "uu", O_BAR, 30, 60},
	{"barrier", "cta? red popc aligned? u32", "dun", O_BAR, 30, 60}, {"barrier", "cta? red popc aligned? u32", "duun", O_BAR, 30, 60},
	{"barrier", "cta? red and|or aligned? pred", "dun", O_BAR, 30, 60}, {"barrier", "cta? red and|or aligned? pred", "duun", O_BAR, 30, 60},
	{"bfe", "u32|u64|s32|s64", "dsuu", O_BFE, 0, 0}, {"bfi", "b32|b64", "dssuu", O_BFI, 0, 0},
	{"bfind", "shiftamt? u32|u64|s32|s64", "rs", O_BFIND, 0, 0}, {"bmsk", "clamp|wrap b32", "ruu", O_BMSK, 70, 76},
	{"bra", "uni?", "l", O_BRA, 0, 0}, {"brev", "b32|b64", "ds", O_BREV, 0, 0}, {"brkpt", "", "", O_TRAP, 0, 0},
	{"clz", "b32|b64", "rs", O_CLZ, 0, 0}, {"cnot", "b16|b32|b64", "ds", O_CNOT, 0, 0}, {"copysign", "f32|f64", "dss", O_COPYSIGN, 0, 0},
	{"cos", "approx ftz? f32", "ds", O_COS, 0, 0},
	{"cvt", "rni|rzi|rmi|rpi|" RND "? ftz? sat? u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64 u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64", "DS", O_CVT, 0, 0},
	{"cvt", "rn|rz relu? bf16 f32", "dz", O_CVT, 80, 70}, {"cvt", "f32 bf16", "dz", O_CVT, 80, 71},
	{"cvt", "rn|rz relu? f16x2|bf16x2 f32", "dzz", O_CVT2, 80, 70},
	{"cvta", SPACE " u32|u64", "da", O_CVTA, 0, 0}, {"cvta", "to " SPACE " u32|u64", "da", O_CVTA, 0, 0},
	{"div", WHOLE, "dss", O_DIV, 0, 0}, {"div", "approx|full ftz? f32", "dss", O_DIV, 0, 0}, {"div", RND " ftz? f32", "dss", O_DIV, 0, 0},
	{"div", RND " f64", "dss", O_DIV, 0, 0},
	{"dp2a", "lo|hi u32|s32 u32|s32", "ruuu", O_DP2A, 61, 50}, {"dp4a", "u32|s32 u32|s32", "ruuu", O_DP4A, 61, 50},
	{"ex2", "approx ftz? f32", "ds", O_EX2, 0, 0}, {"ex2", "approx f16|f16x2", "ds", O_EX2, 75, 70}, {"exit", "", "", O_EXIT, 0, 0},
	{"fence", "sc|acq_rel|acquire|release? " SCOPE, "", O_FENCE, 70, 60}, {"fence", "proxy alias", "", O_FENCE, 70, 75},
	{"fma", RND " ftz? sat? f32", "dsss", O_FMA, 0, 0}, {"fma", RND " f64", "dsss", O_FMA, 0, 0},
	{"fma", "rn ftz? sat? f16|f16x2", "dsss", O_FMA, 53, 42}, {"fma", "rn ftz? relu f16|f16x2", "dsss", O_FMA, 80, 70},
	{"fma", "rn relu? bf16|bf16x2", "dsss", O_FMA, 80, 70},
	{"griddepcontrol", "launch_dependents|wait", "", O_NOTHING, 90, 78},
	{"isspacep", "global|shared|shared::cta|local|const|param|param::entry", "Pg", O_ISSPACEP, 0, 0},
	{"ld", "weak? " SPACE "? ca|cg|cs|lu|cv? " HINTS " v2|v4? " STORED, "vm", O_LD, 0, 0},
	{"ld", "volatile " STRONG " v2|v4? " STORED, "vm", O_LD, 0, 0},
	{"ld", "relaxed|acquire " SCOPE " " STRONG " " HINTS " v2|v4? " STORED, "vm", O_LD, 70, 60},
	{"ld", "global ca|cg|cs? nc " HINTS " v2|v4? " STORED, "vm", O_LD, 32, 31},
	{"ldu", "global? v2|v4? " STORED, "vm", O_LD, 0, 0},
	{"lg2", "approx ftz? f32", "ds", O_LG2, 0, 0}, {"lop3", "b32", "dsssk", O_LOP3, 50, 43},
	{"mad", "lo|hi " WHOLE, "dsss", O_MAD, 0, 0}, {"mad", "hi sat s32", "dsss", O_MAD, 0, 0},
	{"mad", "wide u16|u32|s16|s32", "wssx", O_MAD, 0, 0}, {"mad", RND " ftz? sat? f32", "dsss", O_FMA, 0, 0},
	{"mad", RND " f64", "dsss", O_FMA, 0, 0}, {"mad", "lo|hi cc " CARRIED, "dsss", O_MAD, 0, 0},
	{"mad24", "lo|hi u32|s32", "dsss", O_MAD24, 0, 0}, {"madc", "lo|hi cc? " CARRIED, "dsss", O_MADC, 0, 0},
	{"match", "any sync b32|b64", "rsu", O_MATCH, 70, 60}, {"match", "all sync b32|b64", "Rsu", O_MATCH, 70, 60},
	{"max", WHOLE, "dss", O_MAX, 0, 0}, {"max", "ftz? f32", "dss", O_MAX, 0, 0}, {"max", "ftz? NaN f32", "dss", O_MAX, 80, 70},
	{"max", "f64", "dss", O_MAX, 0, 0}, {"max", "ftz? NaN? f16|f16x2", "dss", O_MAX, 80, 70}, {"max", "NaN? bf16|bf16x2", "dss", O_MAX, 80, 70},
	{"membar", "cta|gl|sys", "", O_FENCE, 0, 0},
	{"min", WHOLE, "dss", O_MIN, 0, 0}, {"min", "ftz? f32", "dss", O_MIN, 0, 0}, {"min", "ftz? NaN f32", "dss", O_MIN, 80, 70},
	{"min", "f64", "dss", O_MIN, 0, 0}, {"min", "ftz? NaN? f16|f16x2", "dss", O_MIN, 80, 70}, {"min", "NaN? bf16|bf16x2", "dss", O_MIN, 80, 70},
	{"mov", "pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "??", O_MOV, 0, 0},
	{"mul", "lo|hi " WHOLE, "dss", O_MUL, 0, 0}, {"mul", "wide u16|u32|s16|s32", "wss", O_MUL, 0, 0},
	{"mul", RND "? ftz? sat? f32", "dss", O_MUL, 0, 0}, {"mul", RND "? f64", "dss", O_MUL, 0, 0},
	{"mul", "rn? ftz? sat? f16|f16x2", "dss", O_MUL, 53, 42}, {"mul", "rn? bf16|bf16x2", "dss", O_MUL, 90, 78},
	{"mul24", "lo|hi u32|s32", "dss", O_MUL24, 0, 0}, {"nanosleep", "u32", "s", O_NOTHING, 70, 63},
	{"neg", "s16|s32|s64", "ds", O_NEG, 0, 0}, {"neg", "ftz? f32", "ds", O_NEG, 0, 0}, {"neg", "f64", "ds", O_NEG, 0, 0},
	{"neg", "ftz? f16|f16x2", "ds", O_NEG, 53, 60}, {"neg", "bf16|bf16x2", "ds", O_NEG, 80, 70},
	{"not", "pred", "ds", O_NOT, 0, 0}, {"not", "b16|b32|b64", "ds", O_NOT, 0, 0},
	{"or", "pred", "dss", O_OR, 0, 0}, {"or", "b16|b32|b64", "dss", O_OR, 0, 0}, {"pmevent", "", "k", O_NOTHING, 0, 0},
	{"popc", "b32|b64", "rs", O_POPC, 0, 0}, {"prefetch", "global|local? L1|L2", "m", O_PREFETCH, 0, 0}, {"prefetchu", "L1", "m", O_PREFETCH, 0, 0},
	{"prmt", "b32 f4e|b4e|rc8|ecl|ecr|rc16?", "dsss", O_PRMT, 0, 0},
	{"rcp", "approx ftz? f32", "ds", O_RCP, 0, 0}, {"rcp", RND " ftz? f32", "ds", O_RCP, 0, 0}, {"rcp", RND " f64", "ds", O_RCP, 0, 0},
	{"rcp", "approx ftz f64", "ds", O_RCP, 0, 0},
	{"red", REDUCE LOGIC " b32|b64", "ms", O_RED, 0, 0}, {"red", REDUCE "add u32|s32|u64|f32|f64", "ms", O_RED, 0, 0},
	{"red", REDUCE "add noftz f16|f16x2", "ms", O_RED, 70, 63}, {"red", REDUCE "inc|dec u32", "ms", O_RED, 0, 0},
	{"red", REDUCE "min|max u32|s32|u64|s64", "ms", O_RED, 0, 0},
	{"redux", "sync add|min|max u32|s32", "dsu", O_REDUX, 80, 70}, {"redux", "sync and|or|xor b32", "ruu", O_REDUX, 80, 70},
	{"rem", WHOLE, "dss", O_REM, 0, 0}, {"ret", "uni?", "", O_RET, 0, 0},
	{"rsqrt", "approx ftz? f32", "ds", O_RSQRT, 0, 0}, {"rsqrt", "approx ftz? f64", "ds", O_RSQRT, 0, 0},
	{"sad", WHOLE, "dsss", O_SAD, 0, 0},
	{"selp", "b16|b32|b64|" WHOLE "|f32|f64", "dssn", O_SELP, 0, 0},
	{"set", EQUAL " u32|s32|f32 b16|b32|b64", "dzz", O_SET, 0, 0}, {"set", SIGNED " u32|s32|f32 s16|s32|s64", "dzz", O_SET, 0, 0},
	{"set", UNSIGNED " u32|s32|f32 u16|u32|u64", "dzz", O_SET, 0, 0}, {"set", FLOATS " ftz? u32|s32|f32 f32", "dzz", O_SET, 0, 0}, {"set", FLOATS " u32|s32|f32 f64", "dzz", O_SET, 0, 0},
	{"set", EQUAL " " LOGIC " u32|s32|f32 b16|b32|b64", "dzzn", O_SET, 0, 0},
	{"set", SIGNED " " LOGIC " u32|s32|f32 s16|s32|s64", "dzzn", O_SET, 0, 0},
	{"set", UNSIGNED " " LOGIC " u32|s32|f32 u16|u32|u64", "dzzn", O_SET, 0, 0},
	{"set", FLOATS " " LOGIC " ftz? u32|s32|f32 f32", "dzzn", O_SET, 0, 0}, {"set", FLOATS " " LOGIC " u32|s32|f32 f64", "dzzn", O_SET, 0, 0},
	{"setp", EQUAL " b16|b32|b64", "Qss", O_SETP, 0, 0}, {"setp", SIGNED " s16|s32|s64", "Qss", O_SETP, 0, 0},
	{"setp", UNSIGNED " u16|u32|u64", "Qss", O_SETP, 0, 0}, {"setp", FLOATS " ftz? f32", "Qss", O_SETP, 0, 0},
	{"setp", FLOATS " f64", "Qss", O_SETP, 0, 0}, {"setp", FLOATS " ftz? f16", "Pss", O_SETP, 53, 42},
	{"setp", FLOATS " bf16", "Pss", O_SETP, 90, 78}, {"setp", EQUAL " " LOGIC " b16|b32|b64", "Qssn", O_SETP, 0, 0},
	{"setp", SIGNED " " LOGIC " s16|s32|s64", "Qssn", O_SETP, 0, 0}, {"setp", UNSIGNED " " LOGIC " u16|u32|u64", "Qssn", O_SETP, 0, 0},
	{"setp", FLOATS " " LOGIC " ftz? f32", "Qssn", O_SETP, 0, 0}, {"setp", FLOATS " " LOGIC " f64", "Qssn", O_SETP, 0, 0},
	{"setp", FLOATS " " LOGIC " ftz? f16", "Pssn", O_SETP, 53, 42}, {"setp", FLOATS " " LOGIC " bf16", "Pssn", O_SETP, 90, 78},
	{"shf", "l|r clamp|wrap b32", "dssu", O_SHF, 32, 31},
	{"shfl", "sync up|down|bfly|idx b32", "esuuu", O_SHFL, 30, 60}, {"shl", "b16|b32|b64", "dsu", O_SHL, 0, 0},
	{"shr", "b16|b32|b64|" WHOLE, "dsu", O_SHR, 0, 0}, {"sin", "approx ftz? f32", "ds", O_SIN, 0, 0},
	{"slct", "b16|b32|b64|" WHOLE "|f32|f64 s32", "dssz", O_SLCT, 0, 0}, {"slct", "ftz? b16|b32|b64|" WHOLE "|f32|f64 f32", "dssz", O_SLCT, 0, 0},
	{"sqrt", "approx ftz? f32", "ds", O_SQRT, 0, 0}, {"sqrt", RND " ftz? f32", "ds", O_SQRT, 0, 0}, {"sqrt", RND " f64", "ds", O_SQRT, 0, 0},
	{"st", "weak? " STSPACE "? wb|cg|cs|wt? " KEPT " v2|v4? " STORED, "mV", O_ST, 0, 0},
	{"st", "volatile " STRONG " v2|v4? " STORED, "mV", O_ST, 0, 0},
	{"st", "relaxed|release " SCOPE " " STRONG " " KEPT " v2|v4? " STORED, "mV", O_ST, 70, 60},
	{"sub", WHOLE, "dss", O_SUB, 0, 0}, {"sub", "sat s32", "dss", O_SUB, 0, 0}, {"sub", RND "? ftz? sat? f32", "dss", O_SUB, 0, 0},
	{"sub", RND "? f64", "dss", O_SUB, 0, 0}, {"sub", "rn? ftz? sat? f16|f16x2", "dss", O_SUB, 53, 42},
	{"sub", "rn? bf16|bf16x2", "dss", O_SUB, 90, 78}, {"sub", "cc " CARRIED, "dss", O_SUB, 0, 0}, {"subc", "cc? " CARRIED, "dss", O_SUBC, 0, 0},
	{"szext", "clamp|wrap u32|s32", "dsu", O_SZEXT, 70, 76}, {"tanh", "approx f32", "ds", O_TANH, 75, 70},
	{"testp", "finite|infinite|number|notanumber|normal|subnormal f32|f64", "Ps", O_TESTP, 0, 0}, {"trap", "", "", O_TRAP, 0, 0},
	{"vote", "sync all|any|uni pred", "dnu", O_VOTE, 30, 60}, {"vote", "sync ballot b32", "dnu", O_VOTE, 30, 60},
	{"xor", "pred", "dss", O_XOR, 0, 0}, {"xor", "b16|b32|b64", "dss", O_XOR, 0, 0},
	{NULL, NULL, NULL, 0, 0, 0},
};

/* Rows are in the order of their names. */
const form *fake_forms_of(const char *text, size_t n, int *count) {
	size_t low = 0, high = sizeof fake_forms / sizeof *fake_forms - 1;
	while (low < high) {
		size_t mid = (low + high) / 2;
		const char *have = fake_forms[mid].name;
		int order = strncmp(have, text, n);
		if (order == 0 && have[n])
			order = 1;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	int k = 0;
	for (const form *f = &fake_forms[low]; f->name && strlen(f->name) == n && !memcmp(f->name, text, n); f++)
		k++;
	*count = k;
	return k ? &fake_forms[low] : NULL;
}
