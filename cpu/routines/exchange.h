// Pieces that are copied between two lists of places. See exchange.c.
#include <stdint.h>

// weft_exchange copies pieces of so many bytes to to + to1[i] + to2[k] from from + from1[i] + from2[k], for all i from 0 to
// n1-1 and, within each, all k from 0 to n2-1.
void weft_exchange(int64_t size, char *to, const char *from, const int64_t *to1, const int64_t *from1, int64_t n1, const int64_t *to2,
	const int64_t *from2, int64_t n2);
