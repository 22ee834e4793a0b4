#ifndef EAGER_CLONED_H
#define EAGER_CLONED_H

#include <stdint.h> // which says whose library it is

// CLONED is for loops that are compiled for wider vectors as well; the loader picks one for this processor.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define CLONED __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CLONED
#endif

#endif
