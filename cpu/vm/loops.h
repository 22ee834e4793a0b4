// Macros that make primitives of expressions. A loop for every way in which operands may lie
// would be too much code: most primitives have one, for elements side by side, and the machine
// packs other operands; those that programs use most have loops for scalars, too.
//
// Within an expression x, y, z are the elements of the inputs. Results and operands may be the
// same memory, element by element, which is no dependence between elements: ivdep says so.

#define EACH _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++)

#define PRIMITIVE(name, ...) static const vm_primitive name = {__VA_ARGS__};

#define UNARY_LOOP(name, D, A, ...) \
	static void name(int64_t n, char *const *p) { \
		D *d = (D *)p[0]; \
		const A *a = (const A *)p[1]; \
		EACH { A x = a[i]; d[i] = (__VA_ARGS__); } \
	}

#define BINARY_LOOP(name, D, A, I, B, J, ...) \
	static void name(int64_t n, char *const *p) { \
		D *d = (D *)p[0]; \
		const A *a = (const A *)p[1]; \
		const B *b = (const B *)p[2]; \
		EACH { A x = a[I]; B y = b[J]; d[i] = (__VA_ARGS__); } \
	}

#define TERNARY_LOOP(name, D, A, I, B, J, C, K, ...) \
	static void name(int64_t n, char *const *p) { \
		D *d = (D *)p[0]; \
		const A *a = (const A *)p[1]; \
		const B *b = (const B *)p[2]; \
		const C *c = (const C *)p[3]; \
		EACH { A x = a[I]; B y = b[J]; C z = c[K]; d[i] = (__VA_ARGS__); } \
	}

// UNARY, BINARY and TERNARY make a primitive with one loop, SCALARS with one for a scalar on
// either side too.

#define UNARY(name, D, A, ...) \
	UNARY_LOOP(name##_v, D, A, __VA_ARGS__) \
	PRIMITIVE(name, 1, {sizeof(D), sizeof(A)}, {{0, name##_v, 0}}, 0)

// POLES is a primitive of a function whose results at poles, and outside of where it is defined, are constants, which raise no flag of the processor: the loop does, those
// of invalid operations and of divisions by zero. bad says of the bits b of an operand, an unsigned integer, by the highest bit whether it may be such a one; of what is no number it may say
// anything.
#define POLES(name, T, U, bad, ...) \
	static void name##_v(int64_t n, char *const *p) { \
		T *d = (T *)p[0]; \
		const T *a = (const T *)p[1]; \
		U found = 0; \
		EACH { T x = a[i]; U b; __builtin_memcpy(&b, &x, sizeof b); found |= (bad); d[i] = (__VA_ARGS__); } \
		if (found >> (8 * sizeof(U) - 1)) { \
			raise_invalid(); \
			raise_zero(); \
		} \
	} \
	PRIMITIVE(name, 1, {sizeof(T), sizeof(T)}, {{0, name##_v, 0}}, 0)

// Operands of zero and less, of -1 and less, of less than 1, and of 1 and more in size; sign is the highest bit, and one are the bits of 1.
#define BAD_LOG(sign, one) b | (b - 1)
#define BAD_LOG1P(sign, one) b & ~(b - ((sign) | (one)))
#define BAD_ACOSH(sign, one) b | (b - (one))
#define BAD_ATANH(sign, one) ~((b & ~(sign)) - (one))
#define BAD(which, ...) which(__VA_ARGS__)
#define BITS_f32 0x80000000u, 0x3f800000u
#define BITS_f64 0x8000000000000000u, 0x3ff0000000000000u

static __attribute__((noinline)) void raise_invalid(void) {
	volatile double x = 0;
	x = x / x;
}

static __attribute__((noinline)) void raise_zero(void) {
	volatile double x = 0;
	x = 1 / x;
}

static __attribute__((noinline)) void raise_over(void) {
	volatile double x = 0x1p1023;
	x = x * x;
}

#if !defined(__x86_64__)
// BOUNDED is a primitive that makes integers of floats, which raises the flag of invalid operations itself: what it gives for those that do not fit is chosen without a conversion. limit
// are the bits of the least size that does not fit, U is an unsigned integer of the operand's size. The bits of infinities, and of what is no number, are greater than all others, and what
// a greater size leaves of the limit has the highest bit.
#define BOUNDED(name, D, A, U, limit, ...) \
	static void name##_v(int64_t n, char *const *p) { \
		D *d = (D *)p[0]; \
		const A *a = (const A *)p[1]; \
		U found = 0; \
		EACH { A x = a[i]; U b; __builtin_memcpy(&b, &x, sizeof b); found |= (limit) - 1 - (b & (U)~(U)0 >> 1); d[i] = (__VA_ARGS__); } \
		if (found >> (8 * sizeof(U) - 1)) raise_invalid(); \
	} \
	PRIMITIVE(name, 1, {sizeof(D), sizeof(A)}, {{0, name##_v, 0}}, 0)
#endif

// raise_division raises the flags of integers that were divided by zero, and of quotients that do not fit.
static inline void raise_division(int zero, int large) {
	if (__builtin_expect(zero, 0)) raise_zero();
	if (__builtin_expect(large, 0)) raise_over();
}

#define BINARY(name, D, A, B, ...) \
	BINARY_LOOP(name##_vv, D, A, i, B, i, __VA_ARGS__) \
	PRIMITIVE(name, 2, {sizeof(D), sizeof(A), sizeof(B)}, {{0, name##_vv, 0}}, 0)

#define SCALARS_LOOPS(name, D, A, B, ...) \
	BINARY_LOOP(name##_vv, D, A, i, B, i, __VA_ARGS__) \
	BINARY_LOOP(name##_vs, D, A, i, B, 0, __VA_ARGS__) \
	BINARY_LOOP(name##_sv, D, A, 0, B, i, __VA_ARGS__)

#define SCALARS(name, D, A, B, ...) \
	SCALARS_LOOPS(name, D, A, B, __VA_ARGS__) \
	PRIMITIVE(name, 2, {sizeof(D), sizeof(A), sizeof(B)}, {{0, name##_vv, 0}, {2, name##_vs, 0}, {1, name##_sv, 0}}, 0)

// The steps of reductions: also with lanes.
#define LANED(name, T, lanes, ...) \
	SCALARS_LOOPS(name, T, T, T, __VA_ARGS__) \
	PRIMITIVE(name, 2, {sizeof(T), sizeof(T), sizeof(T)}, {{0, name##_vv, 0}, {2, name##_vs, 0}, {1, name##_sv, 0}}, lanes, lanes##_fold, lanes##_rows)

// GUARDED is a primitive with a quick function for where holds is true of a whole run of elements,
// and one for everything. Both give the same bits. A result may be its operand's memory, so that
// the operands are looked at first.
#define GUARDED(name, T, holds, quick, any) \
	GUARDED_LOOP(name##_vv, T, b[i], holds, quick, any) \
	PRIMITIVE(name, 2, {sizeof(T), sizeof(T), sizeof(T)}, {{0, name##_vv, 0}}, 0)

// GUARDED_DIVISION is one of integers, which has another quick function for where the second operand is a scalar, and raises flags: quick does, where it divides by zero, and what over says does
// not fit does not hold.
#define GUARDED_DIVISION(name, T, holds, quick, by, any, over) \
	GUARDED_DIVISION_LOOP(name##_vv, T, b[i], holds, quick, any, over) \
	GUARDED_DIVISION_LOOP(name##_vs, T, scalar, holds, by, any, over) \
	PRIMITIVE(name, 2, {sizeof(T), sizeof(T), sizeof(T)}, {{0, name##_vv, 0}, {2, name##_vs, 0}}, 0)

// y is the second operand of element i, of which scalar is the first.
#define GUARDED_LOOP(loop, T, y, holds, quick, any) \
	static void loop(int64_t n, char *const *p) { \
		enum { SOME = 128 }; \
		const T scalar = *(const T *)p[2]; \
		(void)scalar; \
		for (int64_t at = 0; at < n; at += SOME) { \
			T *d = (T *)p[0] + at; \
			const T *a = (const T *)p[1] + at; \
			const T *b = (const T *)p[2] + at; \
			(void)b; \
			int64_t some = n - at < SOME ? n - at : SOME; \
			int others = 0; \
			for (int64_t i = 0; i < some; i++) others |= !holds(a[i], y); \
			if (others) { \
				_Pragma("GCC ivdep") for (int64_t i = 0; i < some; i++) d[i] = any(a[i], y); \
			} else { \
				_Pragma("GCC ivdep") for (int64_t i = 0; i < some; i++) d[i] = quick(a[i], y); \
			} \
		} \
	}

#define GUARDED_DIVISION_LOOP(loop, T, y, holds, quick, any, over) \
	static void loop(int64_t n, char *const *p) { \
		enum { SOME = 128 }; \
		const T scalar = *(const T *)p[2]; \
		(void)scalar; \
		for (int64_t at = 0; at < n; at += SOME) { \
			T *d = (T *)p[0] + at; \
			const T *a = (const T *)p[1] + at; \
			const T *b = (const T *)p[2] + at; \
			(void)b; \
			int64_t some = n - at < SOME ? n - at : SOME; \
			int others = 0; \
			for (int64_t i = 0; i < some; i++) others |= !holds(a[i], y); \
			if (others) { \
				T zero = 0, large = 0; \
				_Pragma("GCC ivdep") for (int64_t i = 0; i < some; i++) { zero |= y == 0; large |= over(a[i], y); d[i] = any(a[i], y); } \
				raise_division(zero != 0, large != 0); \
			} else { \
				_Pragma("GCC ivdep") for (int64_t i = 0; i < some; i++) d[i] = quick(a[i], y); \
			} \
		} \
	}

typedef struct { float re, im; } c64;
typedef struct { double re, im; } c128;
typedef struct { uint64_t a, b; } wide16; // 16 bytes that are only moved

static inline uint32_t bits32(float x) { uint32_t b; __builtin_memcpy(&b, &x, 4); return b; }
static inline uint64_t bits64(double x) { uint64_t b; __builtin_memcpy(&b, &x, 8); return b; }
static inline float from32(uint32_t b) { float x; __builtin_memcpy(&x, &b, 4); return x; }
static inline double from64(uint64_t b) { double x; __builtin_memcpy(&x, &b, 8); return x; }
