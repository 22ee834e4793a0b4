// Conversions with NumPy's astype rules. Floats become integers by truncation; what is out of
// range gives what the loops of NumPy give on x86-64, which C leaves undefined: elsewhere it is written out.

#if defined(__x86_64__)

// The processor's own conversions are those of NumPy's loops. They raise the flag of invalid operations where a number does not fit.
#define TRUNCATE32(v) ((int32_t)(v))
#define TRUNCATE64(v) ((int64_t)(v))
#define FROM_FLOAT_LOOP(name, D, A, U, limit, ...) UNARY(name, D, A, __VA_ARGS__)

#else

static inline int64_t truncate64(double v) {
	int fits = v >= -0x1p63 && v < 0x1p63;
	int64_t t = (int64_t)(fits ? v : 0);
	return fits ? t : INT64_MIN;
}

static inline int32_t truncate32(double v) {
	int fits = v > -0x1p31 - 1 && v < 0x1p31;
	int32_t t = (int32_t)(fits ? v : 0);
	return fits ? t : INT32_MIN;
}

#define TRUNCATE32(v) truncate32(v)
#define TRUNCATE64(v) truncate64(v)
#define FROM_FLOAT_LOOP(...) BOUNDED(__VA_ARGS__)

#endif

// The upper half of the unsigned integers is converted less 2**31 or 2**63.
#define UPPER(v, half) ((v) >= (half) ? (v) - (half) : (v))
#define TRUNCATE_U32(v) ((uint32_t)TRUNCATE32(UPPER(v, 0x1p31f)) ^ (uint32_t)((v) >= 0x1p31f) << 31)
#define TRUNCATE_U64(v) ((uint64_t)TRUNCATE64(UPPER(v, 0x1p63f)) ^ (uint64_t)((v) >= 0x1p63f) << 63)

// The bits of 2**31 and 2**63, in which NumPy's loops convert.
#define LIMITS_f32 0x4f000000u, 0x5f000000u
#define LIMITS_f64 0x41e0000000000000u, 0x43e0000000000000u
#define FROM_FLOAT(T, t, U, ...) FROM_FLOATS(T, t, U, __VA_ARGS__)
#define FROM_FLOATS(T, t, U, limit31, limit63) \
	FROM_FLOAT_LOOP(i8_##t, int8_t, T, U, limit31, (int8_t)TRUNCATE32(x)) \
	FROM_FLOAT_LOOP(i16_##t, int16_t, T, U, limit31, (int16_t)TRUNCATE32(x)) \
	FROM_FLOAT_LOOP(i32_##t, int32_t, T, U, limit31, TRUNCATE32(x)) \
	FROM_FLOAT_LOOP(i64_##t, int64_t, T, U, limit63, TRUNCATE64(x)) \
	FROM_FLOAT_LOOP(u8_##t, uint8_t, T, U, limit31, (uint8_t)TRUNCATE32(x)) \
	FROM_FLOAT_LOOP(u16_##t, uint16_t, T, U, limit31, (uint16_t)TRUNCATE32(x)) \
	FROM_FLOAT_LOOP(u32_##t, uint32_t, T, U, limit63, TRUNCATE_U32(x)) \
	FROM_FLOAT_LOOP(u64_##t, uint64_t, T, U, limit63, TRUNCATE_U64(x))

FROM_FLOAT(float, f32, uint32_t, LIMITS_f32)
FROM_FLOAT(double, f64, uint64_t, LIMITS_f64)
UNARY(f64_f32, double, float, x)
UNARY(f32_f64, float, double, x)

// Integers wrap, and become the nearest float. To a width, the sign of the source alone matters,
// and only where the result is wider.

#define FROM_WHOLE(T, t) \
	UNARY(f32_##t, float, T, x) \
	UNARY(f64_##t, double, T, x)

FROM_WHOLE(int8_t, i8)
FROM_WHOLE(int16_t, i16)
FROM_WHOLE(int32_t, i32)
FROM_WHOLE(uint8_t, u8)
FROM_WHOLE(uint16_t, u16)
FROM_WHOLE(uint32_t, u32)

#ifdef __AVX512DQ__
static inline double nearest64(int64_t x) { return (double)x; }
static inline double nearest_u64(uint64_t x) { return (double)x; }
#else
// There is no instruction that converts vectors of 64-bit integers. Their halves are the low bits of doubles of known exponents, both exact; the
// last sum rounds, once.
static inline double nearest64(int64_t x)
{
	double low = from64(((uint64_t)x & 0xffffffff) | 0x4330000000000000); // 2**52 + low
	double high = from64(((uint64_t)x >> 32 ^ 0x80000000) | 0x4530000000000000); // 2**84 + (high + 2**31) * 2**32
	return (high - 0x1.00000801p84) + low; // less 2**84 + 2**63 + 2**52
}

static inline double nearest_u64(uint64_t x)
{
	double low = from64((x & 0xffffffff) | 0x4330000000000000);
	double high = from64(x >> 32 | 0x4530000000000000);
	return (high - 0x1.00000001p84) + low;
}
#endif

UNARY(f32_i64, float, int64_t, x)
UNARY(f32_u64, float, uint64_t, x)
UNARY(f64_i64, double, int64_t, nearest64(x))
UNARY(f64_u64, double, uint64_t, nearest_u64(x))

UNARY(w16_i8, int16_t, int8_t, x)
UNARY(w32_i8, int32_t, int8_t, x)
UNARY(w64_i8, int64_t, int8_t, x)
UNARY(w32_i16, int32_t, int16_t, x)
UNARY(w64_i16, int64_t, int16_t, x)
UNARY(w64_i32, int64_t, int32_t, x)
UNARY(w16_u8, uint16_t, uint8_t, x)
UNARY(w32_u8, uint32_t, uint8_t, x)
UNARY(w64_u8, uint64_t, uint8_t, x)
UNARY(w32_u16, uint32_t, uint16_t, x)
UNARY(w64_u16, uint64_t, uint16_t, x)
UNARY(w64_u32, uint64_t, uint32_t, x)
UNARY(n8_u16, uint8_t, uint16_t, x)
UNARY(n8_u32, uint8_t, uint32_t, x)
UNARY(n8_u64, uint8_t, uint64_t, x)
UNARY(n16_u32, uint16_t, uint32_t, x)
UNARY(n16_u64, uint16_t, uint64_t, x)
UNARY(n32_u64, uint32_t, uint64_t, x)

// Complex numbers.

#define PAIR(T, re, im) ((T){re, im})
#define RESULT_PAIR(name, D, A, ...) \
	static void name##_v(int64_t n, char *const *p) { \
		D *d = (D *)p[0]; \
		const A *a = (const A *)p[1]; \
		EACH { A x = a[i]; d[i] = (D){__VA_ARGS__}; } \
	} \
	PRIMITIVE(name, 1, {sizeof(D), sizeof(A)}, {{0, name##_v, 0}}, 0)

RESULT_PAIR(c64_f32, c64, float, x, 0)
RESULT_PAIR(c128_f64, c128, double, x, 0)
RESULT_PAIR(c128_c64, c128, c64, x.re, x.im)
RESULT_PAIR(c64_c128, c64, c128, (float)x.re, (float)x.im)
UNARY(bool_c64, uint8_t, c64, (x.re != 0) | (x.im != 0))
UNARY(bool_c128, uint8_t, c128, (x.re != 0) | (x.im != 0))
