// Lanes of reductions: 32 accumulators in vectors, which the compiler keeps in processor
// registers. Each lane takes its elements in order, so that the width of a vector does not show
// in the result.

#define LANES(name, T, M, ...) \
	typedef T name##_t __attribute__((vector_size((VECTOR < VM_LANES * sizeof(T) ? VECTOR : VM_LANES * sizeof(T))), aligned(1), may_alias)); \
	typedef M name##_m __attribute__((vector_size((VECTOR < VM_LANES * sizeof(T) ? VECTOR : VM_LANES * sizeof(T))))); \
	static void name(int64_t rounds, char *acc, const char *from) { \
		enum { N = VM_LANES * sizeof(T) / sizeof(name##_t) }; \
		name##_t s[N]; \
		for (int k = 0; k < N; k++) s[k] = ((name##_t *)acc)[k]; \
		for (; rounds > 0; rounds--) { \
			const name##_t *v = (const name##_t *)from; \
			_Pragma("GCC unroll 32") for (int k = 0; k < N; k++) { \
				name##_t x = s[k], y = v[k]; \
				s[k] = (name##_t)(__VA_ARGS__); \
			} \
			from += VM_LANES * sizeof(T); \
		} \
		for (int k = 0; k < N; k++) ((name##_t *)acc)[k] = s[k]; \
	}

// PICK is x where the mask holds and y elsewhere.
#define PICK(name, mask) (((name##_m)(mask) & (name##_m)x) | (~(name##_m)(mask) & (name##_m)y))

#define WHOLE_LANES(T, t, S, s) \
	LANES(lanes_add_##t, T, S, x + y) \
	LANES(lanes_mul_##t, T, S, x * y) \
	LANES(lanes_min_##t, T, S, PICK(lanes_min_##t, x < y)) \
	LANES(lanes_max_##t, T, S, PICK(lanes_max_##t, x > y)) \
	LANES(lanes_min_##s, S, S, PICK(lanes_min_##s, x < y)) \
	LANES(lanes_max_##s, S, S, PICK(lanes_max_##s, x > y))

WHOLE_LANES(uint8_t, u8, int8_t, i8)
WHOLE_LANES(uint16_t, u16, int16_t, i16)
WHOLE_LANES(uint32_t, u32, int32_t, i32)
WHOLE_LANES(uint64_t, u64, int64_t, i64)

LANES(lanes_and_u8, uint8_t, int8_t, x & y)
LANES(lanes_or_u8, uint8_t, int8_t, x | y)

#define FLOAT_LANES(T, t, S) \
	LANES(lanes_add_##t, T, S, x + y) \
	LANES(lanes_mul_##t, T, S, x * y) \
	LANES(lanes_min_##t, T, S, PICK(lanes_min_##t, (x < y) | (x != x))) \
	LANES(lanes_max_##t, T, S, PICK(lanes_max_##t, (x > y) | (x != x)))

FLOAT_LANES(float, f32, int32_t)
FLOAT_LANES(double, f64, int64_t)

// A sum of complex numbers is one of their parts.
#define PAIR_LANES(name, of, T) \
	static void name(int64_t rounds, char *acc, const char *from) { \
		typedef T vector __attribute__((vector_size(VECTOR), aligned(1), may_alias)); \
		enum { N = 2 * VM_LANES * sizeof(T) / VECTOR }; \
		vector s[N]; \
		for (int k = 0; k < N; k++) s[k] = ((vector *)acc)[k]; \
		for (; rounds > 0; rounds--, from += 2 * VM_LANES * sizeof(T)) \
			_Pragma("GCC unroll 64") for (int k = 0; k < N; k++) s[k] += ((const vector *)from)[k]; \
		for (int k = 0; k < N; k++) ((vector *)acc)[k] = s[k]; \
	}

PAIR_LANES(lanes_add_c64, f32, float)
PAIR_LANES(lanes_add_c128, f64, double)
