// x86-64-v3: AVX2, FMA and conversions of float16.
#if defined(__x86_64__) && !defined(BASE_ALONE)
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,movbe")
#define VECTOR 32
#define MACHINE vm_v3
#define NAME "v3"
#include "machine.h"
#endif
