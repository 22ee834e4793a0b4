// Sums, differences, products and quotients of floats as steps of their own. Their loops come in two
// kinds: for the caches, and streaming, which writes past the caches and so saves reading what
// is overwritten. Where several follow each other they are a strip (strip.h).

#if defined(__x86_64__)

#if VECTOR == 64
#define STREAM_STORE(d, v) _mm512_stream_si512((__m512i *)(d), (__m512i)(v))
#elif VECTOR == 32
#define STREAM_STORE(d, v) _mm256_stream_si256((__m256i *)(d), (__m256i)(v))
#else
#define STREAM_STORE(d, v) _mm_stream_si128((__m128i *)(d), (__m128i)(v))
#endif

// The vectors of an index that stays 0 hold one element throughout. Where an operand starts at
// element i, its vector does. Taking 0 away, unlike adding it, keeps -0.
#define VECTOR_OF_i(T, q, vec) (*(const vec *)((q) + i))
#define VECTOR_OF_0(T, q, vec) (*(q) - (vec){})

// STREAM is a loop over two operands; functions of one get it twice.
#define STREAM(name, T, I, J, ...) \
	static void name(int64_t n, char *const *p) { \
		typedef T vec __attribute__((vector_size(VECTOR), aligned(1), may_alias)); \
		T *d = (T *)p[0]; \
		const T *a = (const T *)p[1], *b = (const T *)p[2]; \
		int64_t i = 0; \
		for (; i < n && ((uintptr_t)(d + i) & (VECTOR - 1)) != 0; i++) { T x = a[I], y = b[J]; (void)y; d[i] = (__VA_ARGS__); } \
		for (; i + (int64_t)(VECTOR / sizeof(T)) <= n; i += VECTOR / sizeof(T)) { \
			vec x = VECTOR_OF_##I(T, a, vec), y = VECTOR_OF_##J(T, b, vec); \
			(void)y; \
			STREAM_STORE(d + i, (vec)(__VA_ARGS__)); \
		} \
		for (; i < n; i++) { T x = a[I], y = b[J]; (void)y; d[i] = (__VA_ARGS__); } \
	}

#else // no such stores

#define STREAM(name, T, I, J, ...) \
	static void name(int64_t n, char *const *p) { \
		T *d = (T *)p[0]; \
		const T *a = (const T *)p[1], *b = (const T *)p[2]; \
		EACH { T x = a[I], y = b[J]; (void)y; d[i] = (__VA_ARGS__); } \
	}

#endif

#define ARITHMETIC(name, T, lanes, ...) \
	SCALARS_LOOPS(name, T, T, T, __VA_ARGS__) \
	STREAM(name##_vv_stream, T, i, i, __VA_ARGS__) \
	STREAM(name##_vs_stream, T, i, 0, __VA_ARGS__) \
	STREAM(name##_sv_stream, T, 0, i, __VA_ARGS__) \
	PRIMITIVE(name, 2, {sizeof(T), sizeof(T), sizeof(T)}, {{0, name##_vv, name##_vv_stream}, {2, name##_vs, name##_vs_stream}, {1, name##_sv, name##_sv_stream}}, lanes, lanes##_fold, lanes##_rows)

#define FLOAT_ARITHMETIC(T, t) \
	ARITHMETIC(add_##t, T, lanes_add_##t, x + y) \
	ARITHMETIC(sub_##t, T, no_lanes, x - y) \
	ARITHMETIC(mul_##t, T, lanes_mul_##t, x * y) \
	ARITHMETIC(div_##t, T, no_lanes, x / y)

FLOAT_ARITHMETIC(float, f32)
FLOAT_ARITHMETIC(double, f64)
