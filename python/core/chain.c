//go:build extension

// How far the eager tier goes. To plan and fuse operations over some hundred kilobytes saves passes over memory, and costs some forty
// microseconds at each value that is read, whatever it is: the window is planned, and operations that are recorded cost more than those that are done. A pass over a
// megabyte that stays in a cache takes as long. So what is worth planning follows from how much is computed between two values that the program reads:
//
//	for ...:                              for ...:
//	    left = f(lo) * f(mid) < 0             u = u + d * (roll(u, 1) + roll(u, -1) - 2 * u)
//	    hi = np.where(left, mid, hi)          v = ...
//	    if (hi - lo).max() < e: break
//	a chain of some 160 KiB each, read    a chain without end
//
// A chain is counted in bytes of results, and ends where a value of as many elements is wanted, or the program waits. While chains are short the tier takes operands of WEFT_BLOCK
// bytes, otherwise of WEFT_LEAST. That follows from the operations alone, never from a clock, and changes no bit of a result.
#include "shim.h"
#include "few.h"

enum {
	SHORT = 2 << 20, // bytes of results that chains have on the average, for the tier to go further
	LONG = 3 << 20,  // and that one has which ends that
	ENDLESS = 4 << 20,
	WEIGHT = 2, // chains over which the average goes, about
};

int64_t weft_limit = WEFT_LEAST;
static int64_t chain, average = ENDLESS;

void weft_chain_more(int64_t bytes)
{
	chain += bytes;
	if (chain > LONG) {
		average = ENDLESS;
		weft_limit = WEFT_LEAST;
	}
}

void weft_chain_cut(void)
{
	if (chain == 0)
		return;
	average += ((chain < ENDLESS ? chain : ENDLESS) - average) / WEIGHT;
	chain = 0;
	if (average < SHORT && !weft_devices) // which have memory of their own
		weft_limit = WEFT_BLOCK;
}
