// x86-64-v4: AVX-512, in vectors of 512 bits.
#if defined(__x86_64__) && !defined(BASE_ALONE)
#pragma GCC target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2,lzcnt,movbe,prefer-vector-width=512")
#define RUN lockstep_run_v4
#include "run.h"
#endif
