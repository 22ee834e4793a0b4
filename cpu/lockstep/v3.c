// x86-64-v3: AVX2.
#if defined(__x86_64__) && !defined(BASE_ALONE)
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,movbe")
#define RUN lockstep_run_v3
#include "run.h"
#endif
