// One instruction set's machine: the files that choose the set include this, with VECTOR the bytes
// of its vectors and MACHINE the name of what it defines.

#include "copy.h"
#include "vm.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "loops.h"
#include "lanes.h"
#include "dots.h"
#include "arithmetic.h"
#include "truths.h"
#include "whole.h"
#include "places.h"
#include "pcg64.h"
#include "philox.h"
#include "floats.h"
#include "elementary.h"
#include "moves.h"
#include "casts.h"
#include "halves.h"

// From a product, a difference and a sum side by side GCC 12 makes one instruction that fuses them,
// although contraction is off; it cannot where there is no such instruction.
#if VECTOR > 16
#pragma GCC push_options
#pragma GCC target("no-fma,no-avx512f")
#endif
#include "pairs.h"
#if VECTOR > 16
#pragma GCC pop_options
#endif

#include "table.h"
#include "strip.h"
#include "steps.h"
#include "flow.h"

// stream_end waits until what was written past the caches is in order with other stores.
static void stream_end(const vm_launch *l) {
#if defined(__x86_64__)
	if (l->stream) _mm_sfence();
#else
	(void)l;
#endif
}

#include "map.h"
#include "reduce.h"

const vm_machine MACHINE = {NAME, map, reduce, rows, sizeof(rows) / sizeof(rows[0]), strip_names, STRIP_OPS, {dot_f32, dot_f64}};
