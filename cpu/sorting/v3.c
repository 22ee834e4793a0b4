// x86-64-v3: AVX2.
#if defined(__x86_64__) && !defined(BASE_ALONE)
#pragma GCC target("avx2,bmi,bmi2,lzcnt,movbe,popcnt")
#define VECTOR 32
#define NETWORK 8
#define MACHINE sorting_v3
#define NAME "v3"
#include "machine.h"
#endif
