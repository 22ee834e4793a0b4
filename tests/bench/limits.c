// What this machine can do: memory bandwidth, and some of the programs as one hand-written,
// fused, parallel pass over memory. Compiled when the benchmark starts, for the machine that it
// runs on, with everything that the benchmarked libraries may not do: contraction to
// multiply-adds, reassociation, vector mathematics of 3 ulp.
//
// Arrays are C-ordered; results go into buffers of the caller that are aligned to 64 bytes.

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

// Below this many bytes a second core does not pay, and results stay in the cache.
#define PARALLEL (1 << 18)
#define STREAM (32 << 20)

// part gives this thread's share of n elements, cut at multiples of 64.
static void part(int64_t n, int64_t *lo, int64_t *hi) {
	int64_t t = omp_get_thread_num(), all = omp_get_num_threads(), each = (n / all + 63) / 64 * 64;
	*lo = t * each < n ? t * each : n;
	*hi = t == all - 1 || (t + 1) * each > n ? n : (t + 1) * each;
}

#define REAL double
#define NAME(x) x##_f64
#define LANES 8
#define LOAD _mm512_loadu_pd
#define STORE_AROUND _mm512_stream_pd
#define FMA _mm512_fmadd_pd
#define EXP exp
#define LOG log
#define SQRT sqrt
#define ABS fabs
#include "limit_types.inc"

#define REAL float
#define NAME(x) x##_f32
#define LANES 16
#define LOAD _mm512_loadu_ps
#define STORE_AROUND _mm512_stream_ps
#define FMA _mm512_fmadd_ps
#define EXP expf
#define LOG logf
#define SQRT sqrtf
#define ABS fabsf
#include "limit_types.inc"

// copy is STREAM's: stores that read the line first, as most programs' do. limits.py forbids the
// compiler to turn the loop into memcpy, which stores around the cache.
void copy(const double *a, double *y, int64_t n) {
#pragma omp parallel
	{
		int64_t lo, hi;
		part(n, &lo, &hi);
		for (int64_t i = lo; i < hi; i++)
			y[i] = a[i];
	}
}

// copy_around stores around the cache, as memcpy does for large blocks.
void copy_around(const double *a, double *y, int64_t n) {
#pragma omp parallel
	{
		int64_t lo, hi;
		part(n, &lo, &hi);
#ifdef __AVX512F__
		int64_t i = lo;
		for (; i + 8 <= hi; i += 8)
			_mm512_stream_pd(y + i, _mm512_loadu_pd(a + i));
		for (; i < hi; i++)
			y[i] = a[i];
		_mm_sfence();
#else
		memcpy(y + lo, a + lo, (hi - lo) * sizeof *y);
#endif
	}
}
