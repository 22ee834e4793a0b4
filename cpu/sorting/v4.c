// x86-64-v4: AVX-512, in vectors of 512 bits.
#if defined(__x86_64__) && !defined(BASE_ALONE)
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,lzcnt,movbe,popcnt,prefer-vector-width=512")
#define VECTOR 64
#define NETWORK 16
#define MACHINE sorting_v4
#define NAME "v4"
#include "machine.h"
#endif
