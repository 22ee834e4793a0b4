// What sorts, for one width of T.
#if VECTOR > 16
#include "network.h"
#include "partition.h"
#else
#include "plain.h"
#endif
#include "quicksort.h"
