/* The functions of float32 that go through float64 (those that do not are in functions32.h, narrow32.h and roots32.h): each is rounded once more, so that it is
 * within 0.51 units in the last place. For w_tan_f32 see w_wide_f32 and angles64.h. */
#ifndef WEFT_SINGLES32_H
#define WEFT_SINGLES32_H

#include "error64.h"
#include "exponents64.h"
#include "functions32.h"
#include "gamma64.h"
#include "narrow32.h"
#include "roots32.h"
#include "roots64.h"
#include "trigonometry64.h"

#define W_UNARY_F32(name) \
    W_BODY float w_##name##_f32(float x) { return (float)w_##name##_f64((double)x); }
#define W_BINARY_F32(name) \
    W_BODY float w_##name##_f32(float x, float y) { return (float)w_##name##_f64((double)x, (double)y); }

W_UNARY_F32(asinh)
W_UNARY_F32(acosh)
W_UNARY_F32(atanh)
W_UNARY_F32(tan)
W_UNARY_F32(erfc)
W_UNARY_F32(gamma)
W_UNARY_F32(lgamma)
W_BINARY_F32(atan2)

#undef W_UNARY_F32
#undef W_BINARY_F32

#endif
