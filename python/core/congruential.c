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

// A state as it lies: the halves of the number that goes through the states, the lower one first, and those of what each step adds.
enum { LOW, HIGH, ADDED_LOW, ADDED_HIGH, WORDS };

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
			PyErr_Clear();
	}
	return type && PyType_Check(type) ? (PyTypeObject *)type : NULL;
}

uint64_t *weft_pcg_state(PyObject *generator, void *state, uint64_t (*next)(void *state))
{
	PyTypeObject *type = pcg64_type();
	uint64_t *at, before[WORDS];
	if (!type || !PyObject_TypeCheck(generator, type) || !state)
		return NULL;
	memcpy(&at, state, sizeof at); // numpy/random/src/pcg64/pcg64.h: pcg64_state begins with the address of pcg64_random_t
	memcpy(before, at, sizeof before);
	word x = stepped(WORD(before[HIGH], before[LOW]), WORD(before[ADDED_HIGH], before[ADDED_LOW]), 1);
	uint64_t given = next(state), want[WORDS] = {(uint64_t)x, (uint64_t)(x >> 64), before[ADDED_LOW], before[ADDED_HIGH]};
	int found = given == output(x) && memcmp(at, want, sizeof want) == 0;
	memcpy(at, before, sizeof before);
	return found ? at : NULL;
}

int weft_pcg_draw(uint64_t *state, int64_t n, double *to)
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
	word x = WORD(state[HIGH], state[LOW]), added = WORD(state[ADDED_HIGH], state[ADDED_LOW]);
	for (int64_t i = 0; i < n; i += PLACES) {
		int64_t some = n - i < PLACES ? n - i : PLACES;
		const uint64_t words[4][2] = {{(uint64_t)(x >> 64)}, {(uint64_t)x}, {state[ADDED_HIGH]}, {state[ADDED_LOW]}};
		eager_map(code.code, some, (char *)(to + i), in, 0, words);
		eager_floats(some, (char *)(to + i));
		x = stepped(x, added, (uint64_t)some);
	}
	state[HIGH] = (uint64_t)(x >> 64);
	state[LOW] = (uint64_t)x;
	return 1;
}
