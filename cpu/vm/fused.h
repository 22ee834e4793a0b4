// The arithmetic that takes most of the time, and superinstructions: several instructions as one
// pass, each operation rounded as before. Their loops come in three kinds: for the caches,
// for a scalar operand, and streaming, which writes past the caches and so saves reading what
// is overwritten.

// INPUTS declares the operands of an expression: x, y, z, u, v, w.
#define INPUTS(T, count, I0, I1, I2, I3, I4, I5) \
	const T *p0 = (const T *)p[1], *p1 = (const T *)p[count > 1 ? 2 : 1], *p2 = (const T *)p[count > 2 ? 3 : 1]; \
	const T *p3 = (const T *)p[count > 3 ? 4 : 1], *p4 = (const T *)p[count > 4 ? 5 : 1], *p5 = (const T *)p[count > 5 ? 6 : 1]; \
	(void)p0, (void)p1, (void)p2, (void)p3, (void)p4, (void)p5;

#define ELEMENTS(T, I0, I1, I2, I3, I4, I5) \
	T x = p0[I0], y = p1[I1], z = p2[I2], u = p3[I3], v = p4[I4], w = p5[I5]; \
	(void)x, (void)y, (void)z, (void)u, (void)v, (void)w;

#define FUSED_LOOP(name, T, count, I0, I1, I2, I3, I4, I5, ...) \
	static void name(int64_t n, char *const *p) { \
		T *d = (T *)p[0]; \
		INPUTS(T, count, I0, I1, I2, I3, I4, I5) \
		EACH { ELEMENTS(T, I0, I1, I2, I3, I4, I5) d[i] = (__VA_ARGS__); } \
	}

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

#define STREAM(name, T, count, I0, I1, I2, I3, I4, I5, ...) \
	static void name(int64_t n, char *const *p) { \
		typedef T vec __attribute__((vector_size(VECTOR), aligned(1), may_alias)); \
		T *d = (T *)p[0]; \
		INPUTS(T, count, I0, I1, I2, I3, I4, I5) \
		int64_t i = 0; \
		for (; i < n && ((uintptr_t)(d + i) & (VECTOR - 1)) != 0; i++) { ELEMENTS(T, I0, I1, I2, I3, I4, I5) d[i] = (__VA_ARGS__); } \
		for (; i + (int64_t)(VECTOR / sizeof(T)) <= n; i += VECTOR / sizeof(T)) { \
			vec x = VECTOR_OF_##I0(T, p0, vec), y = VECTOR_OF_##I1(T, p1, vec), z = VECTOR_OF_##I2(T, p2, vec); \
			vec u = VECTOR_OF_##I3(T, p3, vec), v = VECTOR_OF_##I4(T, p4, vec), w = VECTOR_OF_##I5(T, p5, vec); \
			(void)x, (void)y, (void)z, (void)u, (void)v, (void)w; \
			STREAM_STORE(d + i, (vec)(__VA_ARGS__)); \
		} \
		for (; i < n; i++) { ELEMENTS(T, I0, I1, I2, I3, I4, I5) d[i] = (__VA_ARGS__); } \
	}

#else // no such stores

#define STREAM FUSED_LOOP

#endif

#define FUSED_FORM(name, T, count, I0, I1, I2, I3, I4, I5, ...) \
	FUSED_LOOP(name, T, count, I0, I1, I2, I3, I4, I5, __VA_ARGS__) \
	STREAM(name##_stream, T, count, I0, I1, I2, I3, I4, I5, __VA_ARGS__)

#define FUSED2(name, T, lanes, ...) \
	FUSED_FORM(name##_vv, T, 2, i, i, i, i, i, i, __VA_ARGS__) \
	FUSED_FORM(name##_vs, T, 2, i, 0, i, i, i, i, __VA_ARGS__) \
	FUSED_FORM(name##_sv, T, 2, 0, i, 0, 0, 0, 0, __VA_ARGS__) \
	PRIMITIVE(name, 2, {sizeof(T), sizeof(T), sizeof(T)}, {{0, name##_vv, name##_vv_stream}, {2, name##_vs, name##_vs_stream}, {1, name##_sv, name##_sv_stream}}, lanes, lanes##_fold)

// Of three inputs the lowering makes the second the scalar of a product.
#define FUSED3(name, T, ...) \
	FUSED_FORM(name##_vvv, T, 3, i, i, i, i, i, i, __VA_ARGS__) \
	FUSED_FORM(name##_vsv, T, 3, i, 0, i, i, i, i, __VA_ARGS__) \
	FUSED_FORM(name##_vvs, T, 3, i, i, 0, i, i, i, __VA_ARGS__) \
	FUSED_FORM(name##_vss, T, 3, i, 0, 0, i, i, i, __VA_ARGS__) \
	PRIMITIVE(name, 3, {sizeof(T), sizeof(T), sizeof(T), sizeof(T)}, {{0, name##_vvv, name##_vvv_stream}, \
		{2, name##_vsv, name##_vsv_stream}, {4, name##_vvs, name##_vvs_stream}, {6, name##_vss, name##_vss_stream}}, 0)

#define SIZES(T) {sizeof(T), sizeof(T), sizeof(T), sizeof(T), sizeof(T), sizeof(T), sizeof(T)}

// Sums of several, and a sum times a factor, which is the last input.
#define SUMS(name, T, count, ...) \
	FUSED_FORM(name##_all, T, count, i, i, i, i, i, i, __VA_ARGS__) \
	PRIMITIVE(name, count, SIZES(T), {{0, name##_all, name##_all_stream}}, 0)

#define SCALED(name, T, count, scalar, I2, I3, I4, I5, ...) \
	FUSED_FORM(name##_v, T, count, i, i, i, i, i, i, __VA_ARGS__) \
	FUSED_FORM(name##_s, T, count, i, i, I2, I3, I4, I5, __VA_ARGS__) \
	PRIMITIVE(name, count, SIZES(T), {{0, name##_v, name##_v_stream}, {scalar, name##_s, name##_s_stream}}, 0)

#define FUSED(T, t) \
	FUSED2(add_##t, T, lanes_add_##t, x + y) \
	FUSED2(sub_##t, T, no_lanes, x - y) \
	FUSED2(mul_##t, T, lanes_mul_##t, x * y) \
	FUSED2(div_##t, T, no_lanes, x / y) \
	FUSED3(muladd_##t, T, x * y + z) \
	FUSED3(mulsub_##t, T, x * y - z) \
	FUSED3(submul_##t, T, z - x * y) \
	SUMS(add3_##t, T, 3, x + y + z) \
	SUMS(add4_##t, T, 4, x + y + z + u) \
	SUMS(add5_##t, T, 5, x + y + z + u + v) \
	SCALED(addmul_##t, T, 3, 4, 0, i, i, i, (x + y) * z) \
	SCALED(add3mul_##t, T, 4, 8, i, 0, i, i, (x + y + z) * u) \
	SCALED(add4mul_##t, T, 5, 16, i, i, 0, i, (x + y + z + u) * v) \
	SCALED(add5mul_##t, T, 6, 32, i, i, i, 0, (x + y + z + u + v) * w)

FUSED(float, f32)
FUSED(double, f64)
