/* Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions"). A division by zero, whose result PTX leaves to the machine, gives all
   ones, and so does the remainder, as on an H200. */
#include "pure.h"

#define ARITHMETIC(w, U, S, U2, S2)                                                              \
	PURE(add##w, (U)((U)A[i] + (U)B[i]))                                                          \
	PURE(sub##w, (U)((U)A[i] - (U)B[i]))                                                          \
	PURE(mul##w, (U)((U2)(U)A[i] * (U)B[i]))                                                      \
	PURE(mulhi_u##w, (U)((U2)(U)A[i] * (U)B[i] >> w))                                             \
	PURE(mulhi_s##w, (U)((S2)(S)A[i] * (S)B[i] >> w))                                             \
	PURE(mad##w, (U)((U2)(U)A[i] * (U)B[i] + (U)C[i]))                                            \
	PURE(madhi_u##w, (U)(((U2)(U)A[i] * (U)B[i] >> w) + (U)C[i]))                                 \
	PURE(madhi_s##w, (U)((U)((S2)(S)A[i] * (S)B[i] >> w) + (U)C[i]))                              \
	PURE(sad_u##w, (U)((U)C[i] + ((U)A[i] < (U)B[i] ? (U)B[i] - (U)A[i] : (U)A[i] - (U)B[i])))    \
	PURE(sad_s##w, (U)((U)C[i] + (U)((S)A[i] < (S)B[i] ? (U)B[i] - (U)A[i] : (U)A[i] - (U)B[i]))) \
	PURE(div_u##w, (U)B[i] ? (U)((U)A[i] / (U)B[i]) : (U)-1)                                      \
	PURE(div_s##w, (U)((S)B[i] == 0 ? (U)-1 : (S)B[i] == -1 ? (U)(0 - (U)A[i]) : (U)((S)A[i] / (S)B[i]))) \
	PURE(rem_u##w, (U)B[i] ? (U)((U)A[i] % (U)B[i]) : (U)-1)                                    \
	PURE(rem_s##w, (U)((S)B[i] == 0 ? (U)-1 : (S)B[i] == -1 ? (U)0 : (U)((S)A[i] % (S)B[i])))   \
	PURE(abs##w, (U)((S)A[i] < 0 ? 0 - (U)A[i] : (U)A[i]))                                        \
	PURE(neg##w, (U)(0 - (U)A[i]))                                                                \
	PURE(min_u##w, (U)A[i] < (U)B[i] ? (U)A[i] : (U)B[i])                                         \
	PURE(min_s##w, (U)((S)A[i] < (S)B[i] ? A[i] : B[i]))                                          \
	PURE(max_u##w, (U)A[i] > (U)B[i] ? (U)A[i] : (U)B[i])                                         \
	PURE(max_s##w, (U)((S)A[i] > (S)B[i] ? A[i] : B[i]))

ARITHMETIC(16, uint16_t, int16_t, uint32_t, int32_t)
ARITHMETIC(32, uint32_t, int32_t, uint64_t, int64_t)
ARITHMETIC(64, uint64_t, int64_t, unsigned __int128, __int128)

static inline int64_t clamp32(int64_t v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v; }

PURE(add_sat, (uint32_t)clamp32((int64_t)(int32_t)A[i] + (int32_t)B[i]))
PURE(sub_sat, (uint32_t)clamp32((int64_t)(int32_t)A[i] - (int32_t)B[i]))
PURE(madhi_sat, (uint32_t)clamp32(((int64_t)(int32_t)A[i] * (int32_t)B[i] >> 32) + (int32_t)C[i]))

PURE(mulwide_u16, (uint32_t)(uint16_t)A[i] * (uint16_t)B[i])
PURE(mulwide_s16, (uint32_t)((int32_t)(int16_t)A[i] * (int16_t)B[i]))
PURE(mulwide_u32, (uint64_t)(uint32_t)A[i] * (uint32_t)B[i])
PURE(mulwide_s32, (int64_t)(int32_t)A[i] * (int32_t)B[i])
PURE(madwide_u16, (uint32_t)((uint32_t)(uint16_t)A[i] * (uint16_t)B[i] + (uint32_t)C[i]))
PURE(madwide_s16, (uint32_t)((uint32_t)((int32_t)(int16_t)A[i] * (int16_t)B[i]) + (uint32_t)C[i]))
PURE(madwide_u32, (uint64_t)(uint32_t)A[i] * (uint32_t)B[i] + C[i])
PURE(madwide_s32, (uint64_t)((int64_t)(int32_t)A[i] * (int32_t)B[i]) + C[i])

/* The low 24 bits of a register, signed or not; hi takes bits 47..16 of the product. */
static inline int64_t low24(uint64_t v, bool is_signed) { return is_signed ? (int32_t)((uint32_t)v << 8) >> 8 : (int64_t)(v & 0xffffff); }
PURE(mul24, (uint32_t)(low24(A[i], in->type == T_S32) * low24(B[i], in->type == T_S32) >> (in->wide ? 16 : 0)))
PURE(mad24, (uint32_t)((low24(A[i], in->type == T_S32) * low24(B[i], in->type == T_S32) >> (in->wide ? 16 : 0)) + (int64_t)C[i]))

/* Dot products of bytes, or of half words and bytes. */
static inline int64_t part_of(uint64_t v, int at, int bits, bool is_signed) {
	uint64_t m = v >> at & ((1u << bits) - 1);
	return is_signed && m >> (bits - 1) ? (int64_t)m - (1 << bits) : (int64_t)m;
}

static void dp4a(uint64_t *d, const uint64_t *const *s, const inst *in) {
	EACH_LANE {
		int64_t sum = (int64_t)s[2][i];
		for (int k = 0; k < 32; k += 8)
			sum += part_of(s[0][i], k, 8, in->type == T_S32) * part_of(s[1][i], k, 8, in->type2 == T_S32);
		d[i] = (uint32_t)sum;
	}
}

static void dp2a(uint64_t *d, const uint64_t *const *s, const inst *in) {
	EACH_LANE {
		int64_t sum = (int64_t)s[2][i];
		for (int k = 0; k < 2; k++)
			sum += part_of(s[0][i], 16 * k, 16, in->type == T_S32) * part_of(s[1][i], 8 * k + (in->wide ? 16 : 0), 8, in->type2 == T_S32);
		d[i] = (uint32_t)sum;
	}
}

#define SAME(op, f) [op] = {[T_U16] = f##16, [T_S16] = f##16, [T_U32] = f##32, [T_S32] = f##32, [T_U64] = f##64, [T_S64] = f##64}
#define BOTH(op, f) [op] = {[T_U16] = f##_u16, [T_S16] = f##_s16, [T_U32] = f##_u32, [T_S32] = f##_s32, [T_U64] = f##_u64, [T_S64] = f##_s64}
#define WIDER(op, f) [op] = {[T_U16] = f##_u16, [T_S16] = f##_s16, [T_U32] = f##_u32, [T_S32] = f##_s32}

static pure *const table[OPS][TYPES] = {
	SAME(O_ADD, add), SAME(O_SUB, sub), SAME(O_MUL, mul), SAME(O_MAD, mad), SAME(O_ABS, abs), SAME(O_NEG, neg),
	BOTH(O_MULHI, mulhi), BOTH(O_MADHI, madhi), BOTH(O_SAD, sad), BOTH(O_DIV, div), BOTH(O_REM, rem), BOTH(O_MIN, min), BOTH(O_MAX, max),
	WIDER(O_MULWIDE, mulwide), WIDER(O_MADWIDE, madwide),
	[O_MUL24] = {[T_U32] = mul24, [T_S32] = mul24}, [O_MAD24] = {[T_U32] = mad24, [T_S32] = mad24},
	[O_DP4A] = {[T_U32] = dp4a, [T_S32] = dp4a}, [O_DP2A] = {[T_U32] = dp2a, [T_S32] = dp2a},
};

pure *fake_integer_pure(const inst *in) {
	if (in->sat && in->type == T_S32)
		return in->op == O_ADD ? add_sat : in->op == O_SUB ? sub_sat : in->op == O_MADHI ? madhi_sat : NULL;
	return in->carry_out ? NULL : table[in->op][in->type];
}
