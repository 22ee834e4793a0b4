// Parts of one operation that several threads compute; see hands.c.
#ifndef WEFT_EAGER_HANDS_H
#define WEFT_EAGER_HANDS_H

#include <stdatomic.h>
#include <stdint.h>

typedef void eager_part(void *of, int64_t i);

// eager_share computes parts 0 to n-1, in any order, each of them once: bytes is what all of them read and write. Parts of one call write to memory of their
// own, and use none that is one for the process. The caller holds the lock that guards the latter, and parts share nothing themselves.
void eager_share(int64_t n, int64_t bytes, eager_part *part, void *of);

// eager_parts is into how many parts so many units go, each of which has so many bytes; *units is how many a part has.
int64_t eager_parts(int64_t all, int64_t bytes, int64_t *units);

// eager_lets_sleep is set by a caller for whose work hands that sleep are not woken at once: it comes alone, bound by memory.
extern int eager_lets_sleep;

void eager_hands(int most); // how many threads may help
extern _Atomic int64_t eager_busy; // threads of others that compute, which leave as many hands less

#endif
