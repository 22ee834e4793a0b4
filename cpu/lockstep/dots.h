// Sums of products, which inner loops are of more often than of anything else:
//
//	for k in range(...):
//	    total += x[ty, k] * y[k, tx]
//
// Turns move both elements by as many bytes each time, so that a sum stays in a register for all turns: some vectors of
// lanes take all of them before the next ones do. Products and sums are rounded one by one, as elsewhere.

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(__AVX512F__)
#define DOT_BYTES 64
#else
#define DOT_BYTES 32
#endif
enum { DOT_VECTORS = 8, DOT_TURNS = 1024 }; // turns at a time, between looks at whether to stop

// dot_operand is one of both: an element of a group of lanes, or elements side by side, where lanes' offsets lead.
typedef struct {
	const char *p;
	int64_t step;
	const int64_t *offset; // or NULL: the same in all lanes
	int side;              // by side
} dot_operand;

#define DOT_LOOP(T, X, Y) \
	for (int64_t k = 0; k < turns; k++, p += a->step, q += b->step) { \
		for (int v = 0; v < DOT_VECTORS; v++) { \
			vec_##T x = X(T, p + from[v]), y = Y(T, q + to[v]); \
			sum[v] += x * y; \
		} \
	}
#define DOT_ONE(T, p) (*(const T *)(p) - (vec_##T){0})
#define DOT_SIDE(T, p) (*(const near_##T *)(p))

static const int64_t nowhere[LOCKSTEP_LANES]; // offsets of what is the same in all lanes

// dots makes d of what it adds to s, of n lanes, which are a multiple of a group.
#define DOTS(T) \
	typedef T vec_##T __attribute__((vector_size(DOT_BYTES))); \
	typedef T near_##T __attribute__((vector_size(DOT_BYTES), aligned(__alignof__(T)), may_alias)); \
	static void dots_##T(int64_t n, int64_t turns, const dot_operand *a, const dot_operand *b, const T *s, T *d) { \
		enum { LANES = DOT_BYTES / sizeof(T) }; \
		const int64_t *xs = a->offset ? a->offset : nowhere, *ys = b->offset ? b->offset : nowhere; \
		for (int64_t i = 0; i < n; i += DOT_VECTORS * LANES) { \
			vec_##T sum[DOT_VECTORS]; \
			int64_t from[DOT_VECTORS], to[DOT_VECTORS]; \
			uint64_t differ = 0, unpaired = 0, unlike = 0; \
			for (int v = 0; v < DOT_VECTORS; v++) { \
				int64_t lane = i + v * LANES < n ? i + v * LANES : i; /* those behind the last are computed, and dropped */ \
				from[v] = xs[lane]; \
				to[v] = ys[lane]; \
				differ |= (uint64_t)(to[v] - to[0]); \
				unpaired |= (uint64_t)(to[v] - to[v & 1]) | (uint64_t)(from[v] - from[v & ~1]); \
				unlike |= (uint64_t)(to[v] - to[v & 3]) | (uint64_t)(from[v] - from[v & ~3]); \
				sum[v] = DOT_SIDE(T, s + lane); \
			} \
			const char *p = a->p, *q = b->p; \
			if (a->side) { \
				DOT_LOOP(T, DOT_SIDE, DOT_SIDE) \
			} else if (!differ) { \
				q += to[0]; \
				for (int64_t k = 0; k < turns; k++, p += a->step, q += b->step) { \
					vec_##T y = DOT_SIDE(T, q); \
					for (int v = 0; v < DOT_VECTORS; v++) sum[v] += DOT_ONE(T, p + from[v]) * y; \
				} \
			} else if (!unpaired) { /* rows of two vectors: each element of a is for both, and those of b are for all rows */ \
				const char *low = q + to[0], *high = q + to[1]; \
				for (int64_t k = 0; k < turns; k++, p += a->step, low += b->step, high += b->step) { \
					vec_##T y = DOT_SIDE(T, low), z = DOT_SIDE(T, high); \
					for (int v = 0; v < DOT_VECTORS; v += 2) { \
						vec_##T x = DOT_ONE(T, p + from[v]); \
						sum[v] += x * y; \
						sum[v + 1] += x * z; \
					} \
				} \
			} else if (!unlike) { /* rows of four */ \
				for (int64_t k = 0; k < turns; k++, p += a->step, q += b->step) { \
					vec_##T y[4]; \
					for (int v = 0; v < 4; v++) y[v] = DOT_SIDE(T, q + to[v]); \
					for (int v = 0; v < DOT_VECTORS; v += 4) { \
						vec_##T x = DOT_ONE(T, p + from[v]); \
						for (int u = 0; u < 4; u++) sum[v + u] += x * y[u]; \
					} \
				} \
			} else { \
				DOT_LOOP(T, DOT_ONE, DOT_SIDE) \
			} \
			for (int v = 0; v < DOT_VECTORS; v++) \
				if (i + v * LANES < n) *(near_##T *)(d + i + v * LANES) = sum[v]; \
		} \
	}
DOTS(float)
DOTS(double)
#undef DOTS
#undef DOT_LOOP

// dot_of finds an operand, which code c reads: where it is in this turn, and by how much each turn moves it, which adds
// `by` to the counter. It returns 0 where the elements do not lie so, or where one of them may be out of bounds.
static int dot_of(const lockstep_row *r, const lockstep_code *c, char *const *p, const uint8_t *rows, const char *at, int32_t counter, int64_t by,
	int64_t turns, const spots *is, dot_operand *to) {
	const lockstep_memory *m = &r->memory[r->step[c->step].n];
	*to = (dot_operand){at, 0, c->code == CODE_FOUND ? is->offset : 0, c->code == CODE_FOUND && is->how == SPOTS_NEXT};
	if (!at || (c->code == CODE_FOUND && is->how == SPOTS_APART)) return 0;
	for (int64_t axis = 0; axis < m->axes; axis++) {
		if (c->in[axis] != counter || rows[c->in[axis]]) continue;
		int64_t now = *(const int64_t *)p[counter], last;
		if (now < 0 || __builtin_mul_overflow(turns - 1, by, &last) || __builtin_add_overflow(last, now, &last) || last >= m->extent[axis]) return 0;
		if (turns > 1) to->step += by * m->stride[axis]; // by less than the extent
	}
	return 1;
}
