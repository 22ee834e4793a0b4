// Primitives that look at the size of elements alone, and coordinates.

#define MOVES(T, bits) \
	static void move_##bits##_v(int64_t n, char *const *p) { \
		if (p[0] != p[1]) vm_copy(p[0], p[1], (size_t)n * sizeof(T)); \
	} \
	static void move_##bits##_s(int64_t n, char *const *p) { \
		T *d = (T *)p[0], x = *(const T *)p[1]; \
		EACH d[i] = x; \
	} \
	PRIMITIVE(move_##bits, 1, {sizeof(T), sizeof(T)}, {{0, move_##bits##_v, stream_copy_##bits}, {1, move_##bits##_s, stream_fill_##bits}}, 0) \
	TERNARY_LOOP(select_##bits##_vv, T, uint8_t, i, T, i, T, i, x ? y : z) \
	TERNARY_LOOP(select_##bits##_vs, T, uint8_t, i, T, i, T, 0, x ? y : z) \
	TERNARY_LOOP(select_##bits##_sv, T, uint8_t, i, T, 0, T, i, x ? y : z) \
	TERNARY_LOOP(select_##bits##_ss, T, uint8_t, i, T, 0, T, 0, x ? y : z) \
	PRIMITIVE(select_##bits, 3, {sizeof(T), 1, sizeof(T), sizeof(T)}, \
		{{0, select_##bits##_vv, 0}, {4, select_##bits##_vs, 0}, {2, select_##bits##_sv, 0}, {6, select_##bits##_ss, 0}}, 0)

#define STREAM_MOVES(T, bits) \
	STREAM(stream_copy_##bits, T, i, i, x) \
	STREAM(stream_fill_##bits, T, 0, 0, x)

STREAM_MOVES(uint8_t, 8)
STREAM_MOVES(uint16_t, 16)
STREAM_MOVES(uint32_t, 32)
STREAM_MOVES(uint64_t, 64)
#define stream_copy_128 0
#define stream_fill_128 0

MOVES(uint8_t, 8)
MOVES(uint16_t, 16)
MOVES(uint32_t, 32)
MOVES(uint64_t, 64)
MOVES(wide16, 128)

// index writes the coordinates of a block: a cell holds the first one, another the distance.
static void index_ss(int64_t n, char *const *p) {
	int64_t *d = (int64_t *)p[0];
	int64_t first = *(const int64_t *)p[1], by = *(const int64_t *)p[2];
	EACH d[i] = first + i * by;
}
PRIMITIVE(index_i64, 2, {8, 8, 8}, {{3, index_ss, 0}}, 0)
