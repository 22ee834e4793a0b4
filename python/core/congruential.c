//go:build extension

// Floats of PCG64, NumPy's default generator, many at a time: by the program that draws numbers at places. The state lies in NumPy's own object, and
// is moved on there, so that all that is drawn afterwards is as if NumPy had drawn these, too.
//
// Where the state lies is no promise of NumPy's. So it is tried with each generator: the object's own function has to give the number, and leave the state,
// that the words which were found there lead to.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { PLACES = 4096 };

typedef unsigned __int128 word;

#define WORD(high, low) ((word)(high) << 64 | (low))

static const uint64_t factor[2] = {0x2360ed051fc65da4u, 0x4385df649fccf645u};

// stepped is the number n steps further.
static word stepped(word x, word added, uint64_t n)
{
	word a = WORD(factor[0], factor[1]);
	for (; n > 0; n >>= 1) {
		if (n & 1)
			x = x * a + added;
		added *= a + 1;
		a *= a;
	}
	return x;
}

static uint64_t output(word x)
{
	uint64_t folded = (uint64_t)(x >> 64) ^ (uint64_t)x;
	unsigned turn = (unsigned)(x >> 122);
	return folded >> turn | folded << (-turn & 63);
}

static PyTypeObject *pcg64_type(void)
{
	static PyObject *type;
	if (!type) {
		PyObject *module = PyImport_ImportModule("numpy.random");
		type = module ? PyObject_GetAttrString(module, "PCG64") : NULL;
		Py_XDECREF(module);
		if (!type)
			weft_interrupted();
	}
	return type && PyType_Check(type) ? (PyTypeObject *)type : NULL;
}

weft_pcg *weft_pcg_state(PyObject *generator, void *state, uint64_t (*next)(void *state))
{
	PyTypeObject *type = pcg64_type();
	weft_pcg *at, before;
	if (!type || !PyObject_TypeCheck(generator, type) || !state)
		return NULL;
	memcpy(&at, state, sizeof at); // numpy/random/src/pcg64/pcg64.h: pcg64_state begins with the address of pcg64_random_t
	before = *at;
	weft_pcg want = before;
	uint64_t word = weft_pcg_next(&want);
	int found = next(state) == word && memcmp(at, &want, sizeof want) == 0;
	*at = before;
	return found ? at : NULL;
}

int weft_is_pcg64(PyObject *generator) { return Py_TYPE(generator) == pcg64_type(); }

void weft_pcg_step(weft_pcg *s, uint64_t n)
{
	word x = stepped(WORD(s->high, s->low), WORD(s->added_high, s->added_low), n);
	s->high = (uint64_t)(x >> 64);
	s->low = (uint64_t)x;
}

uint64_t weft_pcg_next(weft_pcg *s)
{
	word x = WORD(s->high, s->low) * WORD(factor[0], factor[1]) + WORD(s->added_high, s->added_low);
	s->high = (uint64_t)(x >> 64);
	s->low = (uint64_t)x;
	return output(x);
}

int weft_pcg_words(weft_pcg *s, int64_t n, uint64_t *to)
{
	static uint64_t place[PLACES];
	static weft_conversion code;
	if (!code.known) {
		goDraw(&code);
		code.known = 1;
		for (int i = 0; i < PLACES; i++)
			place[i] = (uint64_t)i;
	}
	if (!code.code)
		return 0;
	char *in[EAGER_INPUTS] = {(char *)place};
	for (int64_t i = 0; i < n; i += PLACES) {
		int64_t some = n - i < PLACES ? n - i : PLACES;
		const uint64_t words[4][2] = {{s->high}, {s->low}, {s->added_high}, {s->added_low}};
		eager_map(code.code, some, (char *)(to + i), in, 0, words);
		weft_pcg_step(s, (uint64_t)some);
	}
	return 1;
}

int weft_pcg_draw(weft_pcg *s, int64_t n, double *to)
{
	for (int64_t i = 0; i < n; i += PLACES) { // which are still in the first-level cache when they become floats
		int64_t some = n - i < PLACES ? n - i : PLACES;
		if (!weft_pcg_words(s, some, (uint64_t *)(to + i)))
			return 0;
		eager_floats(some, (char *)(to + i));
	}
	return 1;
}
