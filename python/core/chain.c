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
//
// An operation that stands between two waits alone has nothing to be fused with. Where the last ones did, the next is computed at once up to
// WEFT_ALONE bytes: the first call after a pause finds neither code nor data in a cache, and planning has much of both. If another
// operation follows it before the program waits, that one is planned, and so is all until operations stand alone again.
#include "shim.h"
#include "few.h"

enum {
	SHORT = 2 << 20, // bytes of results that chains have on the average, for the tier to go further
	LONG = 3 << 20,  // and that one has which ends that
	ENDLESS = 4 << 20,
	TWICE = 2,
	WEIGHT = 2, // chains over which the average goes, about
};

static int64_t chain, average = ENDLESS;

static int alone;       // how many chains in a row, TWICE at most, were one operation
static int taken;       // operations of this chain that were computed because of that

void weft_chain_more(int64_t bytes)
{
	chain += bytes;
	if (chain > LONG) {
		average = ENDLESS;
		weft_limit = WEFT_LEAST;
	}
}

static void cut(void)
{
	if (chain == 0)
		return;
	average += ((chain < ENDLESS ? chain : ENDLESS) - average) / WEIGHT;
	chain = 0;
	if (average < SHORT && !weft_devices) // which have memory of their own
		weft_limit = WEFT_BLOCK;
}

void weft_chain_cut(void)
{
	if (taken) // it would have been computed together with the value
		alone = 0;
	cut();
}

void weft_chain_wait(void)
{
	uint64_t now = weft_submitted, n = now - weft_waited_at + (uint64_t)taken;
	if (n > 1)
		alone = 0;
	else if (n == 1 && alone < TWICE)
		alone++;
	weft_waited_at = now;
	taken = 0;
	cut();
}

int weft_alone(void) { return alone == TWICE && !taken && weft_waited() && weft_eager && !weft_devices; }

void weft_alone_taken(void) { taken = 1; }

weft_array *weft_new_alone(const weft_layout *l)
{
	if (!weft_alone() || l->size > WEFT_FOLD_MOST || l->size * weft_sizes[l->dtype] > WEFT_ALONE)
		return NULL;
	taken = 1;
	return weft_new_small(l);
}

int weft_alone_of(PyObject *o, weft_few *x)
{
	if (!weft_alone() || Py_TYPE(o) != weft_array_type)
		return 0;
	x->array = (weft_array *)o;
	x->l = weft_layout_of(x->array);
	if (!x->l || x->l->size == 0 || x->l->size > WEFT_FOLD_MOST || (!weft_data(x->array) && !weft_open_now(x->array, WEFT_READS_SETTLED)))
		return 0;
	x->l = weft_layout_of(x->array);
	x->data = weft_data(x->array);
	return x->data != NULL;
}
