/* How a pure instruction is written: an expression over lane i of the sources A, B, C, E. */
#ifndef PURE_H
#define PURE_H

#include "machine.h"
#include <math.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=off", "no-math-errno", "no-trapping-math")
#define EACH_LANE _Pragma("GCC ivdep") for (int i = 0; i < LANES; i++)
#else
#pragma STDC FP_CONTRACT OFF
#define EACH_LANE for (int i = 0; i < LANES; i++)
#endif

#define PURE(name, ...)                                                                           \
	static void name(uint64_t *d, const uint64_t *const *s, const inst *in) {                     \
		const uint64_t *A = s[0], *B = s[1], *C = s[2], *E = s[3];                                \
		(void)in, (void)A, (void)B, (void)C, (void)E;                                             \
		EACH_LANE d[i] = (uint64_t)(__VA_ARGS__);                                                 \
	}

static inline float f32_of(uint64_t v) { union { uint32_t u; float f; } x = {.u = (uint32_t)v}; return x.f; }
static inline double f64_of(uint64_t v) { union { uint64_t u; double f; } x = {.u = v}; return x.f; }
static inline uint64_t f64_bits(double v) { union { double f; uint64_t u; } x = {.f = v}; return x.u; }
static inline uint64_t raw32(float v) { union { float f; uint32_t u; } x = {.f = v}; return x.u; }

/* NaNs. PTX ISA, "Floating Point Instructions": single precision instructions return an unspecified NaN, double precision ones support
   payloads. 0x7fffffff is what NVIDIA's devices give for float32, 0x7fff for float16. For float64, CUDA's math_constants.h has
   CUDART_NAN = 0xfff8000000000000, which is also what SSE makes of an invalid operation; that a NaN operand comes through quiet, and the
   first of two, is SSE's rule and not confirmed for devices. */
#define NAN32 0x7fffffffu
#define NAN16 0x7fffu
#define NAN64 0xfff8000000000000ull
static inline uint64_t f32_bits(float v) { return v != v ? NAN32 : raw32(v); }

uint16_t fake_narrow(double v, int round, bool brain); /* convert.c: to float16 or bfloat16 */
double fake_half(uint16_t v);
double fake_brain(uint16_t v);

#endif
