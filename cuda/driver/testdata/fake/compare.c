/* Comparisons (PTX ISA, "Comparison and Selection Instructions"): a comparison with a NaN is false, its unordered form is true. */
#include "pure.h"

#define ORDER(suffix, T)                                                                         \
	PURE(eq_##suffix, T(A[i]) == T(B[i]))                                                         \
	PURE(ne_##suffix, T(A[i]) != T(B[i]))                                                         \
	PURE(lt_##suffix, T(A[i]) < T(B[i]))                                                          \
	PURE(le_##suffix, T(A[i]) <= T(B[i]))                                                         \
	PURE(gt_##suffix, T(A[i]) > T(B[i]))                                                          \
	PURE(ge_##suffix, T(A[i]) >= T(B[i]))

#define UNORDERED(suffix, T)                                                                     \
	ORDER(suffix, T)                                                                              \
	PURE(ordered_ne_##suffix, T(A[i]) < T(B[i]) || T(A[i]) > T(B[i]))                             \
	PURE(equ_##suffix, !(T(A[i]) < T(B[i]) || T(A[i]) > T(B[i])))                                 \
	PURE(ltu_##suffix, !(T(A[i]) >= T(B[i])))                                                     \
	PURE(leu_##suffix, !(T(A[i]) > T(B[i])))                                                      \
	PURE(gtu_##suffix, !(T(A[i]) <= T(B[i])))                                                     \
	PURE(geu_##suffix, !(T(A[i]) < T(B[i])))                                                      \
	PURE(num_##suffix, T(A[i]) == T(A[i]) && T(B[i]) == T(B[i]))                                  \
	PURE(nan_##suffix, T(A[i]) != T(A[i]) || T(B[i]) != T(B[i]))

#define HALF(v) fake_half((uint16_t)(v))
#define BRAIN(v) fake_brain((uint16_t)(v))

ORDER(u16, (uint16_t))
ORDER(s16, (int16_t))
ORDER(u32, (uint32_t))
ORDER(s32, (int32_t))
ORDER(u64, (uint64_t))
ORDER(s64, (int64_t))
UNORDERED(f16, HALF)
UNORDERED(bf16, BRAIN)
UNORDERED(f32, f32_of)
UNORDERED(f64, f64_of)

#define WHOLE(s) {[W_EQ] = eq_##s, [W_NE] = ne_##s, [W_LT] = lt_##s, [W_LE] = le_##s, [W_GT] = gt_##s, [W_GE] = ge_##s}
#define REAL(s)                                                                                  \
	{[W_EQ] = eq_##s, [W_NE] = ordered_ne_##s, [W_LT] = lt_##s, [W_LE] = le_##s, [W_GT] = gt_##s, [W_GE] = ge_##s, [W_EQU] = equ_##s, \
		[W_NEU] = ne_##s, [W_LTU] = ltu_##s, [W_LEU] = leu_##s, [W_GTU] = gtu_##s, [W_GEU] = geu_##s, [W_NUM] = num_##s, [W_TESTNAN] = nan_##s}

static pure *const table[TYPES][WORDS] = {
	[T_B16] = WHOLE(u16), [T_U16] = WHOLE(u16), [T_S16] = WHOLE(s16), [T_B32] = WHOLE(u32), [T_U32] = WHOLE(u32), [T_S32] = WHOLE(s32),
	[T_B64] = WHOLE(u64), [T_U64] = WHOLE(u64), [T_S64] = WHOLE(s64), [T_F16] = REAL(f16), [T_BF16] = REAL(bf16), [T_F32] = REAL(f32),
	[T_F64] = REAL(f64),
};

/* joined is a comparison with a boolean operation, one of flushed operands, the second result of p|q (negate), or set. */
static void joined(uint64_t *d, const uint64_t *const *s, const inst *in) {
	type t = in->type2;
	uint64_t flushed[2][LANES];
	const uint64_t *sources[4] = {s[0], s[1], s[2], s[2]};
	if (in->ftz && t == T_F32)
		for (int k = 0; k < 2; k++) {
			for (int i = 0; i < LANES; i++)
				flushed[k][i] = s[k][i] & 0x7f800000 ? s[k][i] : s[k][i] & 0x80000000;
			sources[k] = flushed[k];
		}
	uint64_t r[LANES];
	table[t][in->cmp](r, sources, in);
	for (int i = 0; i < LANES; i++) {
		uint64_t c = in->bool_op ? s[2][i] & 1 : 0, v = r[i] ^ (uint64_t)(in->negate != 0);
		v = in->bool_op == W_AND ? v & c : in->bool_op == W_OR ? v | c : in->bool_op == W_XOR ? v ^ c : v;
		d[i] = in->op == O_SETP ? v : !v ? 0 : in->type == T_F32 ? 0x3f800000 : 0xffffffff;
	}
}

static inline uint64_t tested(double v, uint64_t magnitude, uint64_t smallest, int mode) {
	switch (mode) {
	case W_FINITE: return v - v == 0;
	case W_INFINITE: return v == v && v - v != 0;
	case W_NUMBER: return v == v;
	case W_NOTANUMBER: return v != v;
	case W_NORMAL: return v - v == 0 && (magnitude == 0 || magnitude >= smallest); /* a zero counts as normal */
	default: return magnitude != 0 && magnitude < smallest;
	}
}
PURE(testp32, tested((double)f32_of(A[i]), A[i] & 0x7fffffff, 0x00800000, in->mode))
PURE(testp64, tested(f64_of(A[i]), A[i] & ~(1ull << 63), 1ull << 52, in->mode))

pure *fake_compare_pure(const inst *in) {
	if (in->op == O_TESTP)
		return in->type == T_F32 ? testp32 : testp64;
	if (in->op == O_SETP && !in->bool_op && !in->ftz && in->d[1] < 0)
		return table[in->type2][in->cmp];
	return in->op == O_SETP || in->op == O_SET ? joined : NULL;
}
