/* All functions of float32. The gamma function and its logarithm go through float64, and are rounded once more, so that they
 * are within 0.51 units in the last place. For w_tan_f32 see w_wide_f32 and angles64.h. */
#ifndef WEFT_SINGLES32_H
#define WEFT_SINGLES32_H

#include "error64.h"
#include "exponents64.h"
#include "functions32.h"
#include "gamma64.h"
#include "hyperbolics32.h"
#include "narrow32.h"
#include "roots32.h"
#include "roots64.h"
#include "tangents32.h"
#include "trigonometry64.h"

W_BODY float w_gamma_f32(float x) { return (float)w_gamma_f64((double)x); }

W_BODY float w_lgamma_f32(float x) { return (float)w_lgamma_f64((double)x); }

#endif
