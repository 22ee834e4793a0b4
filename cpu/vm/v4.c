// x86-64-v4: AVX-512, in vectors of 512 bits.
#if defined(__x86_64__) && !defined(BASE_ALONE)
#pragma GCC target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2,lzcnt,movbe,prefer-vector-width=512")
#define VECTOR 64
#define MACHINE vm_v4
#define NAME "v4"
#include "machine.h"
#endif
