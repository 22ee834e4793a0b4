// Primitives on integers and bools. What does not look at the sign has one loop for both
// signs, on unsigned elements, which wrap.

// W is a type in which products do not overflow as int would.
#define UNSIGNED(T, t, W) \
	LANED(add_##t, T, lanes_add_##t, x + y) \
	SCALARS(sub_##t, T, T, T, x - y) \
	LANED(mul_##t, T, lanes_mul_##t, (W)x * y) \
	UNARY(neg_##t, T, T, -x) \
	UNARY(not_##t, T, T, ~x) \
	SCALARS(and_##t, T, T, T, x & y) \
	SCALARS(or_##t, T, T, T, x | y) \
	BINARY(xor_##t, T, T, T, x ^ y) \
	BINARY(shl_##t, T, T, T, y < 8 * sizeof(T) ? (T)((W)x << (y & (8 * sizeof(T) - 1))) : 0) \
	BINARY(shr_##t, T, T, T, y < 8 * sizeof(T) ? (T)(x >> (y & (8 * sizeof(T) - 1))) : 0) \
	TRUTHS(eq_##t, T, x == y) \
	TRUTHS(ne_##t, T, x != y) \
	UNARY(sign_##t, T, T, x != 0) \
	TRUTH(bool_##t, T, x != 0) \
	BINARY(pow_##t, T, T, T, power_u64(x, y)) \
	COMMON(T, t)

#define COMMON(T, t) \
	TRUTHS(lt_##t, T, x < y) \
	TRUTHS(le_##t, T, x <= y) \
	LANED(min_##t, T, lanes_min_##t, x < y ? x : y) \
	LANED(max_##t, T, lanes_max_##t, x > y ? x : y)

// Shift counts are unsigned: negative ones are past the width.
#define SIGNED(T, t, U) \
	UNARY(abs_##t, T, T, x < 0 ? (T)-(U)x : x) \
	UNARY(sign_##t, T, T, (x > 0) - (x < 0)) \
	BINARY(shr_##t, T, T, U, x >> (y < 8 * sizeof(T) ? y : 8 * sizeof(T) - 1)) \
	BINARY(pow_##t, T, T, T, power_i64(x, y)) \
	COMMON(T, t)

// power_u64 wraps; the low bits are those of narrower products, too.
static inline uint64_t power_u64(uint64_t x, uint64_t y) {
	uint64_t p = 1;
	for (; y != 0; y >>= 1, x *= x)
		if (y & 1) p *= x;
	return p;
}

// A negative exponent gives 0, except for the bases 1 and -1.
static inline uint64_t power_i64(int64_t x, int64_t y) {
	if (y >= 0) return power_u64((uint64_t)x, (uint64_t)y);
	if (x == 1) return 1;
	return x == -1 ? (y & 1 ? (uint64_t)-1 : 1) : 0;
}

UNSIGNED(uint8_t, u8, uint32_t)
UNSIGNED(uint16_t, u16, uint32_t)
UNSIGNED(uint32_t, u32, uint32_t)
UNSIGNED(uint64_t, u64, uint64_t)
SIGNED(int8_t, i8, uint8_t)
SIGNED(int16_t, i16, uint16_t)
SIGNED(int32_t, i32, uint32_t)
SIGNED(int64_t, i64, uint64_t)

UNARY(not_bool, uint8_t, uint8_t, x ^ 1)
LANED(and_bool, uint8_t, lanes_and_u8, x & y)
LANED(or_bool, uint8_t, lanes_or_u8, x | y)

// Division rounds to minus infinity; by zero it gives 0, and so does its remainder. Quotients
// of up to 32 bits are exact when they are truncated from a double, those of 16 from a float; both have vectors. least is the least integer, whose quotient by -1 does not fit, or 0.
//
// What is divided by zero is so as a float, which raises flags, and has any quotient before it is masked: a choice between two would keep loops from having vectors, or the division
// from being done. Of the least integer by -1 the loop raises the flag.

#if defined(__x86_64__)
#define DIVISOR(T, y) (y)
#define NOTES_ZERO(found, y)
#define RAISES_ZERO(found)
#else // such a float makes no integer
#define DIVISOR(T, y) ((y) == 0 ? (T)1 : (y))
#define NOTES_ZERO(found, y) found |= (y) == 0;
#define RAISES_ZERO(found) if (found) raise_zero();
#endif

#define NARROW_LOOP(name, T, t, I, least, ...) \
	static void name##_vv(int64_t n, char *const *p) { \
		T *d = (T *)p[0]; \
		const T *a = (const T *)p[1], *b = (const T *)p[2]; \
		I large = 0; \
		T zero = 0; \
		EACH { T x = a[i], y = b[i]; I q = narrow_quotient_##t(x, y); (void)q; NOTES_ZERO(zero, y) large |= (least) != 0 ? q ^ (I)(T)q : 0; d[i] = (__VA_ARGS__); } \
		(void)zero; \
		RAISES_ZERO(zero) \
		if (__builtin_expect(large != 0, 0)) raise_over(); \
	} \
	PRIMITIVE(name, 2, {sizeof(T), sizeof(T), sizeof(T)}, {{0, name##_vv, 0}}, 0)

// A quotient by zero may be the least integer, from which one is taken off without a sign: that wraps.
#define NARROW_QUOTIENT(T, t, F, I, U, least) \
	static inline I narrow_quotient_##t(T x, T y) { \
		F a = x, b = DIVISOR(T, y); \
		I q = (I)(a / b); \
		q = (I)((U)q - (U)(((F)q * b != a) & ((a < 0) != (b < 0)))); \
		return q & -(I)(y != 0); \
	} \
	NARROW_LOOP(floordiv_##t, T, t, I, least, (T)q) \
	NARROW_LOOP(rem_##t, T, t, I, 0, (T)((uint64_t)x - (uint64_t)q * (uint64_t)y) & -(T)(y != 0))

NARROW_QUOTIENT(int8_t, i8, float, int32_t, uint32_t, INT8_MIN)
NARROW_QUOTIENT(int16_t, i16, float, int32_t, uint32_t, INT16_MIN)
NARROW_QUOTIENT(int32_t, i32, double, int64_t, uint64_t, INT32_MIN)
NARROW_QUOTIENT(uint8_t, u8, float, int32_t, uint32_t, 0)
NARROW_QUOTIENT(uint16_t, u16, float, int32_t, uint32_t, 0)
NARROW_QUOTIENT(uint32_t, u32, double, int64_t, uint64_t, 0)

static inline int64_t quotient_i64(int64_t x, int64_t y) {
	if (y == 0) return 0;
	if (y == -1) return (int64_t)-(uint64_t)x; // the smallest integer would trap
	int64_t q = x / y;
	return q - (q * y != x && (x < 0) != (y < 0));
}

static inline int64_t remainder_i64(int64_t x, int64_t y) {
	if (y == 0 || y == -1) return 0;
	int64_t r = x % y;
	return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static inline uint64_t quotient_u64(uint64_t x, uint64_t y) { return y == 0 ? 0 : x / y; }
static inline uint64_t remainder_u64(uint64_t x, uint64_t y) { return y == 0 ? 0 : x % y; }

// A division of 64 bits has no vectors. Integers up to 2^51, which NEAREST makes doubles of and back, and which are most that
// programs divide, are divided as these: where the sum with NEAREST rounds to a whole number, that is the quotient's floor, or 1 more
// (a rounded quotient is no less than a whole number that the quotient is no less than), and the remainder tells which. Products of the
// whole number and the divisor are exact.
//
//	a / b  2.3 -> 2, remainder on the divisor's side      2.7 -> 3, on the other: 1 less
#define NEAREST 0x1.8p52 // its last place is 1, also 2^51 up and down
#define MODERATE 0x8000000000000ull // 2^51

static inline double moderate_double(uint64_t x) { return from64(x + bits64(NEAREST)) - NEAREST; }
static inline uint64_t moderate_integer(double x) { return bits64(x + NEAREST) - bits64(NEAREST); }

// A scalar is divided by once: x times its reciprocal is off by 2^-52 of the quotient, which is 1/4 at most, as reciprocals of 1 and -1 are
// exact. The next whole number is the quotient's floor or 1 more then, too.

// moderate_rest gives the whole number next to a quotient of a and b, and the remainder of that. Without branches, that the loop has
// vectors on all machines.
static inline uint64_t moderate_rest(double a, double b, double quotient, uint64_t *remainder) {
	double sum = quotient + NEAREST;
	*remainder = moderate_integer(a - (sum - NEAREST) * b);
	return bits64(sum) - bits64(NEAREST);
}

// wrong_side is all ones for a remainder on the other side of zero than its divisor.
static inline uint64_t wrong_side(uint64_t r, uint64_t y) { return -(uint64_t)(((int64_t)(r ^ y) < 0) & (r != 0)); }

#define MODERATE_DIVISION(by, ...) \
	static inline uint64_t moderate_quotient##by(uint64_t x, uint64_t y) { \
		double a = moderate_double(x), b = moderate_double(y); \
		uint64_t r, q = moderate_rest(a, b, __VA_ARGS__, &r); \
		return (q + wrong_side(r, y)) & -(uint64_t)(y != 0); \
	} \
	static inline uint64_t moderate_remainder##by(uint64_t x, uint64_t y) { \
		double a = moderate_double(x), b = moderate_double(y); \
		uint64_t r; \
		moderate_rest(a, b, __VA_ARGS__, &r); \
		return (r + (y & wrong_side(r, y))) & -(uint64_t)(y != 0); \
	}

MODERATE_DIVISION(, a / b)
MODERATE_DIVISION(_by, a * (1 / b))

static inline int moderate_i64(int64_t x, int64_t y) {
	return (((uint64_t)x + MODERATE) | ((uint64_t)y + MODERATE)) / (2 * MODERATE) == 0;
}

static inline int moderate_u64(uint64_t x, uint64_t y) { return (x | y) / MODERATE == 0; }

#define LARGE_QUOTIENT(x, y) ((x) == INT64_MIN && (y) == -1)
#define FITS_ALWAYS(x, y) 0

GUARDED_DIVISION(floordiv_i64, int64_t, moderate_i64, moderate_quotient, moderate_quotient_by, quotient_i64, LARGE_QUOTIENT)
GUARDED_DIVISION(rem_i64, int64_t, moderate_i64, moderate_remainder, moderate_remainder_by, remainder_i64, FITS_ALWAYS)
GUARDED_DIVISION(floordiv_u64, uint64_t, moderate_u64, moderate_quotient, moderate_quotient_by, quotient_u64, FITS_ALWAYS)
GUARDED_DIVISION(rem_u64, uint64_t, moderate_u64, moderate_remainder, moderate_remainder_by, remainder_u64, FITS_ALWAYS)
