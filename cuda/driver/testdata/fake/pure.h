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
   payloads. What this machine gives is what an H200 gave (versus/versus.c): 0x7fffffff for float32 and 0x7fff for float16, neg and abs
   included; for float64 0xfff8000000000000 of an invalid operation, which is CUDA's CUDART_NAN, and otherwise a NaN operand, quiet, with
   its sign, also by neg and abs: of two the second, in a division the first, in a fused operation b, then c, then a. */
#define NAN32 0x7fffffffu
#define NAN16 0x7fffu
#define NAN64 0xfff8000000000000ull
static inline uint64_t f32_bits(float v) { return v != v ? NAN32 : raw32(v); }

uint16_t fake_narrow(double v, int round, bool brain); /* convert.c: to float16 or bfloat16 */
double fake_half(uint16_t v);
double fake_brain(uint16_t v);

#endif
