// Which instruction sets this processor has, and the way into their machines.
#include "sorting.h"

const sorting_machine *sorting_machines(int i) {
	switch (i) {
	case 0: return &sorting_base;
#if defined(__x86_64__) && !defined(BASE_ALONE)
	case 1:
		__builtin_cpu_init();
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") ? &sorting_v3 : 0;
	case 2:
		return sorting_machines(1) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? &sorting_v4 : 0;
#endif
	}
	return 0;
}

#define M ((const sorting_machine *)m)

void sorting_rows(uintptr_t m, const sorting_order *o, int width, const void *x, void *out, int64_t rows, int64_t n) {
	M->rows[width](o, x, out, rows, n);
}

void sorting_sample(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, int64_t *out, int64_t samples) {
	M->sample[width](o, x, n, out, samples);
}

void sorting_count(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, const sorting_buckets *b, int64_t *counts, int64_t *range) {
	M->count[width](o, x, n, b, counts, range);
}

void sorting_place(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, const sorting_buckets *b, int64_t *next, void *out) {
	M->place[width](o, x, n, b, next, out);
}

void sorting_bucket(uintptr_t m, const sorting_order *o, int width, void *x, int64_t n) { M->bucket[width](o, x, n); }

int sorting_prepare(uintptr_t m, const sorting_order *o, int width, const void *x, void *out, int64_t n) { return M->prepare[width](o, x, out, n); }

int64_t sorting_cut(uintptr_t m, const sorting_order *o, int width, void *x, int64_t n) { return M->cut[width](o, x, n); }

void sorting_finish(uintptr_t m, const sorting_order *o, int width, void *x, int64_t n) { M->finish[width](o, x, n); }

void sorting_span(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, int64_t *range) { M->span[width](o, x, n, range); }

void sorting_position_rows(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t *out, int64_t rows, int64_t n) {
	M->position_rows[width](o, x, out, rows, n);
}

void sorting_place_positions(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t first, int64_t n, const sorting_buckets *b,
	int64_t *next, int64_t *out) {
	M->place_positions[width](o, x, first, n, b, next, out);
}

void sorting_position_bucket(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t *out, int64_t n, int bits, int cut) {
	M->position_bucket[width](o, x, out, n, bits, cut);
}

void sorting_count_below(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, int64_t low, int64_t high, int64_t *counts) {
	M->count_below[width](o, x, n, low, high, counts);
}

void sorting_split(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, int64_t low, int64_t high, int64_t *next, void *out) {
	M->split[width](o, x, n, low, high, next, out);
}

void sorting_split_positions(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t first, int64_t n, int64_t low, int64_t high,
	int64_t *next, int64_t *out) {
	M->split_positions[width](o, x, first, n, low, high, next, out);
}

int64_t sorting_distinct(uintptr_t m, const sorting_order *o, int width, void *x, int64_t n, int first, int apart) {
	return M->distinct[width](o, x, n, first, apart);
}

int64_t sorting_starts(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, int first, int apart, int64_t from, int64_t *out) {
	return M->starts[width](o, x, n, first, apart, from, out);
}

int64_t sorting_best_end(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, int greatest) {
	return M->best_end[width](o, x, n, greatest);
}

void sorting_select_row(uintptr_t m, const sorting_order *o, int width, const void *x, void *out, int64_t n, int64_t kth, int64_t *room) {
	M->select_row[width](o, x, out, n, kth, room);
}

void sorting_select_places(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t *out, int64_t n, int64_t kth, int64_t *room) {
	M->select_places[width](o, x, out, n, kth, room);
}
