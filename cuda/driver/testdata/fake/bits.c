/* Bits, logic, shifts, moves and selections (PTX ISA, "Logic and Shift Instructions", "Data Movement"). */
#include "pure.h"

#define LOGIC(w, U)                                                                              \
	PURE(and##w, (U)(A[i] & B[i]))                                                                \
	PURE(or##w, (U)(A[i] | B[i]))                                                                 \
	PURE(xor##w, (U)(A[i] ^ B[i]))                                                                \
	PURE(not##w, (U)~A[i])                                                                        \
	PURE(cnot##w, (U)A[i] == 0)                                                                   \
	PURE(mov##w, (U)A[i])                                                                         \
	PURE(selp##w, (U)(C[i] & 1 ? A[i] : B[i]))                                                    \
	PURE(slct_s##w, (U)((int32_t)C[i] >= 0 ? A[i] : B[i]))                                        \
	PURE(slct_f##w, (U)(f32_of(C[i]) >= 0 || (in->ftz && !(C[i] & 0x7f800000)) ? A[i] : B[i]))

LOGIC(16, uint16_t)
LOGIC(32, uint32_t)
LOGIC(64, uint64_t)

PURE(and_p, A[i] & B[i] & 1)
PURE(or_p, (A[i] | B[i]) & 1)
PURE(xor_p, (A[i] ^ B[i]) & 1)
PURE(not_p, ~A[i] & 1)
PURE(mov_p, A[i] & 1)

/* A shift by as many bits as there are, or more, is one by all of them. */
#define SHIFTS(w, U, S)                                                                          \
	PURE(shl##w, (uint32_t)B[i] >= w ? (U)0 : (U)(A[i] << (B[i] & (w - 1))))                      \
	PURE(shr_u##w, (uint32_t)B[i] >= w ? (U)0 : (U)((U)A[i] >> (B[i] & (w - 1))))                 \
	PURE(shr_s##w, (U)((S)A[i] >> ((uint32_t)B[i] >= w ? w - 1 : (int)B[i])))

SHIFTS(16, uint16_t, int16_t)
SHIFTS(32, uint32_t, int32_t)
SHIFTS(64, uint64_t, int64_t)

static inline uint32_t funnel(uint32_t low, uint32_t high, uint32_t n, bool wrap, bool left) {
	n = wrap ? n & 31 : n > 32 ? 32 : n;
	uint64_t both = (uint64_t)high << 32 | low;
	return (uint32_t)(left ? (n == 32 ? low : both << n >> 32) : both >> n);
}
PURE(shf, funnel((uint32_t)A[i], (uint32_t)B[i], (uint32_t)C[i], in->wide, in->mode == W_L))

PURE(popc32, (uint64_t)__builtin_popcount((uint32_t)A[i]))
PURE(popc64, (uint64_t)__builtin_popcountll(A[i]))
PURE(clz32, (uint32_t)A[i] ? (uint64_t)__builtin_clz((uint32_t)A[i]) : 32)
PURE(clz64, A[i] ? (uint64_t)__builtin_clzll(A[i]) : 64)

static inline uint64_t reversed(uint64_t v) {
	v = (v >> 1 & 0x5555555555555555) | (v & 0x5555555555555555) << 1;
	v = (v >> 2 & 0x3333333333333333) | (v & 0x3333333333333333) << 2;
	v = (v >> 4 & 0x0f0f0f0f0f0f0f0f) | (v & 0x0f0f0f0f0f0f0f0f) << 4;
	return __builtin_bswap64(v);
}
PURE(brev32, reversed(A[i]) >> 32)
PURE(brev64, reversed(A[i]))

static inline uint32_t find(int64_t v, int width, bool amount) {
	uint64_t u = (uint64_t)v & (width == 64 ? ~0ull : 0xffffffffu);
	if (!u)
		return UINT32_MAX;
	uint32_t at = 63 - (uint32_t)__builtin_clzll(u);
	return amount ? (uint32_t)width - 1 - at : at;
}
PURE(bfind_u32, find((int64_t)A[i], 32, in->mode == W_SHIFTAMT))
PURE(bfind_u64, find((int64_t)A[i], 64, in->mode == W_SHIFTAMT))
PURE(bfind_s32, find((int32_t)A[i] < 0 ? ~(int64_t)A[i] : (int64_t)A[i], 32, in->mode == W_SHIFTAMT))
PURE(bfind_s64, find((int64_t)A[i] < 0 ? ~(int64_t)A[i] : (int64_t)A[i], 64, in->mode == W_SHIFTAMT))

/* Positions and lengths are 0..255; PTX leaves others open, and NVIDIA's assembler does not cut them to 8 bits where there are 64.
   extract is bfe: bits beyond the register, and beyond the field, are the field's sign, or zero. */
static inline uint64_t extract(uint64_t a, uint32_t pos, uint32_t len, int width, bool is_signed) {
	pos &= 255;
	len &= 255;
	uint32_t top = (uint32_t)width - 1;
	uint32_t at = pos + len - 1 > top ? top : pos + len - 1;
	bool sign = is_signed && len && a >> at & 1;
	uint32_t have = pos > top ? 0 : len > top + 1 - pos ? top + 1 - pos : len;
	uint64_t mask = have >= 64 ? ~0ull : (1ull << have) - 1;
	uint64_t field = (pos > 63 ? 0 : a >> pos) & mask;
	return sign ? field | ~mask : field;
}
PURE(bfe_u32, extract((uint32_t)A[i], (uint32_t)B[i], (uint32_t)C[i], 32, false))
PURE(bfe_s32, (uint32_t)extract((uint32_t)A[i], (uint32_t)B[i], (uint32_t)C[i], 32, true))
PURE(bfe_u64, extract(A[i], (uint32_t)B[i], (uint32_t)C[i], 64, false))
PURE(bfe_s64, extract(A[i], (uint32_t)B[i], (uint32_t)C[i], 64, true))

static inline uint64_t insert(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, uint32_t width) {
	pos &= 255;
	len &= 255;
	if (pos >= width || !len)
		return b;
	len = len > width - pos ? width - pos : len;
	uint64_t mask = (len >= 64 ? ~0ull : (1ull << len) - 1) << pos;
	return (b & ~mask) | (a << pos & mask);
}
PURE(bfi32, (uint32_t)insert(A[i], B[i], (uint32_t)C[i], (uint32_t)E[i], 32))
PURE(bfi64, insert(A[i], B[i], (uint32_t)C[i], (uint32_t)E[i], 64))

static inline uint32_t mask_of(uint32_t at, uint32_t n, bool wrap) {
	if (wrap) {
		at &= 31;
		n &= 31;
	}
	if (at > 31)
		return 0;
	n = n > 32 ? 32 : n;
	return (uint32_t)(((1ull << n) - 1) << at);
}
PURE(bmsk, mask_of((uint32_t)A[i], (uint32_t)B[i], in->wide))

static inline uint32_t extended(uint32_t v, uint32_t n, bool wrap, bool is_signed) {
	n = wrap ? n & 31 : n > 32 ? 32 : n;
	if (!n)
		return 0;
	uint32_t up = v << (32 - n);
	return is_signed ? (uint32_t)((int32_t)up >> (32 - n)) : up >> (32 - n);
}
PURE(szext, extended((uint32_t)A[i], (uint32_t)B[i], in->wide, in->type == T_S32))

static inline uint32_t looked_up(uint32_t a, uint32_t b, uint32_t c, unsigned table) {
	uint32_t r = 0;
	for (unsigned k = 0; k < 8; k++)
		r |= table >> k & 1 ? (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c) : 0;
	return r;
}
PURE(lop3, looked_up((uint32_t)A[i], (uint32_t)B[i], (uint32_t)C[i], in->mode))

static inline uint32_t permuted(uint32_t a, uint32_t b, uint32_t c, int mode) {
	uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t r = 0, n = c & 3;
	for (uint32_t k = 0; k < 4; k++) {
		uint32_t at, sign = 0;
		switch (mode) {
		case W_F4E: at = n + k; break;
		case W_B4E: at = (n - k) & 7; break;
		case W_RC8: at = n; break;
		case W_ECL: at = k > n ? k : n; break;
		case W_ECR: at = k < n ? k : n; break;
		case W_RC16: at = 2 * (n & 1) + (k & 1); break;
		default:
			at = c >> 4 * k & 7;
			sign = c >> (4 * k + 3) & 1;
		}
		uint32_t v = (uint32_t)(bytes >> 8 * at) & 255;
		r |= (sign ? (v >> 7 ? 255 : 0) : v) << 8 * k;
	}
	return r;
}
PURE(prmt, permuted((uint32_t)A[i], (uint32_t)B[i], (uint32_t)C[i], in->mode))

#define SIZES(op, f)                                                                             \
	[op] = {[T_B16] = f##16, [T_U16] = f##16, [T_S16] = f##16, [T_B32] = f##32, [T_U32] = f##32, [T_S32] = f##32, [T_F32] = f##32, \
		[T_B64] = f##64, [T_U64] = f##64, [T_S64] = f##64, [T_F64] = f##64}
#define LOGICAL(op, f) [op] = {[T_PRED] = f##_p, [T_B16] = f##16, [T_B32] = f##32, [T_B64] = f##64}

static pure *const table[OPS][TYPES] = {
	LOGICAL(O_AND, and), LOGICAL(O_OR, or), LOGICAL(O_XOR, xor), LOGICAL(O_NOT, not),
	[O_CNOT] = {[T_B16] = cnot16, [T_B32] = cnot32, [T_B64] = cnot64},
	SIZES(O_SELP, selp), SIZES(O_SHL, shl),
	[O_SHR] = {[T_B16] = shr_u16, [T_U16] = shr_u16, [T_S16] = shr_s16, [T_B32] = shr_u32, [T_U32] = shr_u32, [T_S32] = shr_s32,
		[T_B64] = shr_u64, [T_U64] = shr_u64, [T_S64] = shr_s64},
	[O_SHF] = {[T_B32] = shf}, [O_LOP3] = {[T_B32] = lop3}, [O_PRMT] = {[T_B32] = prmt}, [O_BMSK] = {[T_B32] = bmsk},
	[O_SZEXT] = {[T_U32] = szext, [T_S32] = szext}, [O_POPC] = {[T_B32] = popc32, [T_B64] = popc64}, [O_CLZ] = {[T_B32] = clz32, [T_B64] = clz64},
	[O_BREV] = {[T_B32] = brev32, [T_B64] = brev64}, [O_BFI] = {[T_B32] = bfi32, [T_B64] = bfi64},
	[O_BFIND] = {[T_U32] = bfind_u32, [T_S32] = bfind_s32, [T_U64] = bfind_u64, [T_S64] = bfind_s64},
	[O_BFE] = {[T_U32] = bfe_u32, [T_S32] = bfe_s32, [T_U64] = bfe_u64, [T_S64] = bfe_s64},
};

static pure *const moves[TYPES] = {
	[T_PRED] = mov_p, [T_B16] = mov16, [T_U16] = mov16, [T_S16] = mov16, [T_B32] = mov32, [T_U32] = mov32, [T_S32] = mov32, [T_F32] = mov32,
	[T_B64] = mov64, [T_U64] = mov64, [T_S64] = mov64, [T_F64] = mov64,
};

pure *fake_bits_pure(const inst *in) {
	int bytes = fake_types[in->type].bytes;
	if (in->op == O_MOV)
		return in->base == -2 ? NULL : moves[in->type];
	if (in->op == O_SLCT)
		return in->type2 == T_F32 ? (bytes == 2 ? slct_f16 : bytes == 4 ? slct_f32 : slct_f64) : (bytes == 2 ? slct_s16 : bytes == 4 ? slct_s32 : slct_s64);
	return table[in->op][in->type];
}
