#include "cloned.h"
#include "eager.h"

#include <math.h>
#include <string.h>

// Elements that are numbers, where others may be among them: a comparison with one that is none is false, so that none of these is ever chosen.

CLONED int64_t eager_numbers(int64_t n, const double *x, double *restrict to)
{
	int64_t none = 0;
	for (int64_t i = 0; i < n; i++) {
		none += x[i] != x[i];
		to[i] = x[i] != x[i] ? 0.0 : x[i];
	}
	return none;
}

CLONED void eager_are_numbers(int64_t n, const double *x, uint8_t *restrict to)
{
	for (int64_t i = 0; i < n; i++)
		to[i] = x[i] == x[i];
}

CLONED void eager_squares_of_numbers(int64_t n, const double *x, const double *mean, int step, double *restrict to)
{
	if (step == 0) {
		const double from = *mean;
		for (int64_t i = 0; i < n; i++) {
			const double away = x[i] - from;
			to[i] = x[i] != x[i] ? 0.0 : away * away;
		}
		return;
	}
	for (int64_t i = 0; i < n; i++) {
		const double away = x[i] - mean[i];
		to[i] = x[i] != x[i] ? 0.0 : away * away;
	}
}

// The best of a row is kept in as many places as several vectors have, so that no comparison waits for the one before.
enum { BESIDE = 32, COLUMNS = 512 }; // places, and columns that are taken together

#define BEST(name, T, better, start) \
	CLONED static void name##_row(int64_t n, const T *x, T *to) \
	{ \
		T best[BESIDE]; \
		int64_t i = 0; \
		for (int k = 0; k < BESIDE; k++) \
			best[k] = start; \
		for (; i + BESIDE <= n; i += BESIDE) \
			for (int k = 0; k < BESIDE; k++) \
				best[k] = x[i + k] better best[k] ? x[i + k] : best[k]; \
		for (int k = 0; i + k < n; k++) \
			best[k] = x[i + k] better best[k] ? x[i + k] : best[k]; \
		for (int k = 1; k < BESIDE; k++) \
			best[0] = best[k] better best[0] ? best[k] : best[0]; \
		*to = best[0]; \
	} \
	CLONED static void name##_columns(int64_t n, int64_t inner, const T *data, T *out) \
	{ \
		for (int64_t at = 0; at < inner; at += COLUMNS) { \
			const int64_t some = inner - at < COLUMNS ? inner - at : COLUMNS; \
			T best[COLUMNS]; \
			for (int64_t k = 0; k < some; k++) \
				best[k] = start; \
			for (int64_t i = 0; i < n; i++) { \
				const T *x = data + i * inner + at; \
				for (int64_t k = 0; k < some; k++) \
					best[k] = x[k] better best[k] ? x[k] : best[k]; \
			} \
			memcpy(out + at, best, (size_t)some * sizeof(T)); \
		} \
	} \
	static void name(int64_t outer, int64_t n, int64_t inner, const T *x, T *to) \
	{ \
		for (int64_t o = 0; o < outer; o++, x += n * inner, to += inner) \
			if (inner == 1) \
				name##_row(n, x, to); \
			else \
				name##_columns(n, inner, x, to); \
	}

BEST(most_f32, float, >, -INFINITY)
BEST(most_f64, double, >, -INFINITY)
BEST(least_f32, float, <, INFINITY)
BEST(least_f64, double, <, INFINITY)

enum { FLOAT64 = 12 }; // a tile.DType

void eager_best_numbers(int most, int dtype, int64_t outer, int64_t n, int64_t inner, const void *x, void *to)
{
	if (dtype == FLOAT64)
		(most ? most_f64 : least_f64)(outer, n, inner, x, to);
	else
		(most ? most_f32 : least_f32)(outer, n, inner, x, to);
}
