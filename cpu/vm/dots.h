// Sums of products of floats in the canonical order: 32 lanes in vectors, each of which takes products of elements that lie side by
// side, rounded before they are added.

#define DOT(name, T, fold) \
	static void name(int64_t n, const char *a, const char *b, char *to) { \
		typedef T vector __attribute__((vector_size(VECTOR), aligned(1), may_alias)); \
		enum { N = VM_LANES * sizeof(T) / VECTOR }; \
		_Alignas(64) T lane[VM_LANES]; \
		vector s[N]; \
		int64_t at = 0, first = n < VM_LANES ? n : VM_LANES; \
		if (n >= VM_LANES) { \
			for (int k = 0; k < N; k++) s[k] = ((const vector *)a)[k] * ((const vector *)b)[k]; \
			for (at = VM_LANES; at + VM_LANES <= n; at += VM_LANES) { \
				const vector *x = (const vector *)(a + at * sizeof(T)), *y = (const vector *)(b + at * sizeof(T)); \
				_Pragma("GCC unroll 32") for (int k = 0; k < N; k++) { \
					vector term = x[k] * y[k]; \
					s[k] += term; \
				} \
			} \
			for (int k = 0; k < N; k++) ((vector *)lane)[k] = s[k]; \
		} \
		for (int64_t i = at; i < n; i++) { \
			T term = ((const T *)a)[i] * ((const T *)b)[i]; \
			lane[i - at] = at == 0 ? term : lane[i - at] + term; \
		} \
		if (first == VM_LANES) fold((char *)lane); \
		else for (int64_t h = VM_LANES / 2; h > 0; h /= 2) \
			for (int64_t k = 0; k < h && k + h < first; k++) lane[k] += lane[k + h]; \
		*(T *)to = lane[0]; \
	}

DOT(dot_f32, float, lanes_add_f32_fold)
DOT(dot_f64, double, lanes_add_f64_fold)
