//go:build extension

// Normals and exponentials of PCG64, many at a time, with NumPy's bits. NumPy draws them by a ziggurat of 256 layers (Marsaglia and Tsang, 2000): a word
// names a layer, a sign, and a place in it, which is the number where the layer holds all up to there, as it does in 99 of 100 cases. So the words are
// drawn together, and those cases are decided here.
//
// The widths of the layers are NumPy's constants, and are learned from it: its own function is given words for which its answer is a
// width. Where layers end and how high they are follows from these to some digits, which decide all but a few words; the rest, and the tail, are
// drawn by NumPy's function from where the state has come to. All of it is tried against NumPy before it is used.
#include "shim.h"
#include "few.h"
#include "bitgen.h"
#include <math.h>
#include <string.h>

enum { LAYERS = 256, BLOCK = 1024, FURTHER = 64, DOUBT = 1 << 10, TRIED = 4096, PLACE = 20, SHORT = 32 };

// A distribution's ziggurat.
typedef struct {
	const char *method;              // of NumPy's generators
	int layer_at, place_at, places;  // bits of a word: where the layer's number and the place begin, how many the place has
	int known;                       // 1, or -1 where NumPy draws otherwise
	double width[LAYERS];            // of a place
	double height[LAYERS];           // the density at the layer's last place
	uint64_t within[LAYERS], beyond[LAYERS]; // places that are in it for certain, and from which on they are not
} ziggurat;

static ziggurat of_kind[] = {[WEFT_NORMALS] = {.method = "standard_normal", .place_at = 9, .places = 52},
	[WEFT_EXPONENTIALS] = {.method = "standard_exponential", .layer_at = 3, .place_at = 11, .places = 53}};

static double density(const ziggurat *z, double x) { return exp(z == &of_kind[WEFT_NORMALS] ? -0.5 * x * x : -x); }

// What NumPy is given to learn from: words that name one layer after the other.
static uint64_t layer_asked;
static const ziggurat *asked_of;

static uint64_t next_word(void *state)
{
	(void)state;
	return layer_asked++ % LAYERS << asked_of->layer_at | (uint64_t)1 << (PLACE + asked_of->place_at);
}
static uint32_t next_half(void *state) { return (uint32_t)next_word(state); }
static double next_float(void *state)
{
	(void)state;
	return 0.0;
}
static const bitgen asking = {NULL, next_word, next_half, next_float, next_word};

// drawn has a generator of NumPy's draw n numbers, and copies them.
static int drawn(const ziggurat *z, PyObject *generator, int64_t n, double *to)
{
	Py_buffer view;
	PyObject *made = PyObject_CallMethod(generator, z->method, "L", (long long)n);
	int ok = made && PyObject_GetBuffer(made, &view, PyBUF_SIMPLE) == 0;
	if (ok) {
		ok = view.len == n * (int64_t)sizeof *to;
		if (ok)
			memcpy(to, view.buf, (size_t)view.len);
		PyBuffer_Release(&view);
	}
	Py_XDECREF(made);
	return ok;
}

// generator_of calls numpy.random.Generator, of the module, with what it draws from.
static PyObject *generator_of(PyObject *module, PyObject *source)
{
	return module && source ? PyObject_CallMethod(module, "Generator", "O", source) : NULL;
}

// learn asks NumPy for the widths.
static int learn(ziggurat *z, PyObject *module)
{
	PyObject *types = PyImport_ImportModule("types"), *threading = PyImport_ImportModule("threading");
	PyObject *capsule = PyCapsule_New((void *)&asking, "BitGenerator", NULL), *lock = threading ? PyObject_CallMethod(threading, "Lock", NULL) : NULL;
	PyObject *source = types ? PyObject_CallMethod(types, "SimpleNamespace", NULL) : NULL;
	int ok = capsule && lock && source && PyObject_SetAttrString(source, "capsule", capsule) == 0 && PyObject_SetAttrString(source, "lock", lock) == 0;
	PyObject *generator = ok ? generator_of(module, source) : NULL;
	layer_asked = 0;
	asked_of = z;
	ok = generator && drawn(z, generator, LAYERS, z->width) && layer_asked == LAYERS;
	for (int i = 0; ok && i < LAYERS; i++) {
		z->width[i] = ldexp(z->width[i], -PLACE);
		double last = ldexp(z->width[i], z->places), before = i > 1 ? ldexp(z->width[i - 1], z->places) : 0;
		ok = last > 0.01 && last < 10 && (i < 2 || z->width[i] > z->width[i - 1]);
		z->height[i] = i ? density(z, last) : 1;
		uint64_t end = (uint64_t)ldexp(before / last, z->places);
		z->within[i] = end > DOUBT ? end - DOUBT : 0;
		z->beyond[i] = end + DOUBT;
	}
	if (ok) { // the lowest layer: what is behind the last width is the tail's
		z->within[0] = (uint64_t)ldexp(z->width[LAYERS - 1] / z->width[0], z->places) - DOUBT;
		z->beyond[0] = UINT64_MAX;
	}
	Py_XDECREF(types);
	Py_XDECREF(threading);
	Py_XDECREF(capsule);
	Py_XDECREF(lock);
	Py_XDECREF(source);
	Py_XDECREF(generator);
	return ok;
}

// A word, as the ziggurat reads it.
typedef struct {
	int layer;
	uint64_t place;
	double x; // the number, where the place counts
} reading;

static inline __attribute__((always_inline)) reading read_word(const ziggurat *z, int kind, uint64_t r)
{
	if (kind == WEFT_EXPONENTIALS) {
		reading w = {(int)(r >> 3 & 0xff), r >> 11, 0};
		w.x = (double)(int64_t)w.place * z->width[w.layer];
		return w;
	}
	reading w = {(int)(r & 0xff), r >> 9 & 0xfffffffffffff, 0};
	union {
		double value;
		uint64_t bits;
	} x = {(double)(int64_t)w.place * z->width[w.layer]};
	x.bits ^= r << 55 & (uint64_t)1 << 63; // the sign
	w.x = x.value;
	return w;
}

int weft_pcg_one(int kind, weft_pcg *state, double *to)
{
	const ziggurat *z = &of_kind[kind];
	weft_pcg next = *state;
	reading w = read_word(z, kind, weft_pcg_next(&next));
	if (w.place >= z->within[w.layer])
		return 0;
	*state = next;
	*to = w.x;
	return 1;
}

// beside_edge decides about a place that is behind the layer's certain part by a word for how high it is: 1 where it counts, 0 where not, -1 where
// the digits that are known here do not tell.
static int beside_edge(const ziggurat *z, int layer, double x, uint64_t word)
{
	double y = (z->height[layer - 1] - z->height[layer]) * ((double)(word >> 11) * 0x1p-53) + z->height[layer], top = density(z, x);
	return y < top * (1 - 1e-9) ? 1 : y > top * (1 + 1e-9) ? 0 : -1;
}

// walked returns how many steps lie between two states, or FURTHER where they are more.
static int64_t walked(const weft_pcg *from, const weft_pcg *to)
{
	weft_pcg at = *from;
	for (int64_t k = 0; k < FURTHER; k++) {
		if (memcmp(&at, to, sizeof at) == 0)
			return k;
		weft_pcg_step(&at, 1);
	}
	return FURTHER;
}

static inline __attribute__((always_inline)) int many(int kind, weft_pcg *state, int64_t n, double *to, int (*one)(void *context, double *to), void *context)
{
	const ziggurat *z = &of_kind[kind];
	if (n < SHORT) {
		for (int64_t i = 0; i < n; i++)
			if (!weft_pcg_one(kind, state, &to[i]) && one(context, &to[i]) < 0)
				return -1;
		return 1;
	}
	uint64_t words[BLOCK]; // not static: another thread may draw while NumPy does
	for (int64_t i = 0; i < n;) {
		int64_t m = n - i + (n - i) / 32 + 8, j = 0; // some words are thrown away
		m = m < BLOCK ? m : BLOCK;
		weft_pcg start = *state;
		if (!weft_pcg_words(state, m, words))
			return 0;
		while (i < n && j < m) {
			reading w = read_word(z, kind, words[j]);
			to[i] = w.x;
			if (__builtin_expect(w.place < z->within[w.layer], 1)) {
				i++;
				j++;
				continue;
			}
			if (j + 1 == m)
				break; // the words for this one begin the next block
			int counts = w.place >= z->beyond[w.layer] ? beside_edge(z, w.layer, w.x, words[j + 1]) : -1;
			if (counts >= 0) {
				i += counts;
				j += 2;
				continue;
			}
			weft_pcg before = start;
			weft_pcg_step(&before, (uint64_t)j);
			*state = before;
			if (one(context, &to[i++]) < 0)
				return -1;
			int64_t steps = walked(&before, state);
			if (steps == FURTHER || j + steps > m) { // another thread has drawn meanwhile, or the block is at its end
				start = *state;
				j = m = 0;
				break;
			}
			j += steps;
		}
		weft_pcg_step(&start, (uint64_t)j);
		*state = start;
	}
	return 1;
}

int weft_pcg_many(int kind, weft_pcg *state, int64_t n, double *to, int (*one)(void *context, double *to), void *context)
{
	if (kind == WEFT_NORMALS) // each has a loop of its own
		return many(WEFT_NORMALS, state, n, to, one, context);
	return many(WEFT_EXPONENTIALS, state, n, to, one, context);
}

// trial is what numbers of a trial are drawn by.
typedef struct {
	const ziggurat *z;
	PyObject *generator;
} trial;

static int by_generator(void *context, double *to)
{
	const trial *t = context;
	return drawn(t->z, t->generator, 1, to) ? 0 : -1;
}

// agrees compares some thousand numbers, and the state behind them, with NumPy's.
static int agrees(const ziggurat *z, int kind, PyObject *module)
{
	static double want[TRIED], got[TRIED];
	PyObject *bits[2] = {NULL}, *generator[2] = {NULL};
	weft_pcg *state[2] = {NULL};
	for (int i = 0; i < 2; i++) {
		bits[i] = PyObject_CallMethod(module, "PCG64", "i", 12);
		generator[i] = generator_of(module, bits[i]);
		PyObject *capsule = generator[i] ? PyObject_GetAttrString(bits[i], "capsule") : NULL;
		bitgen *b = capsule ? PyCapsule_GetPointer(capsule, "BitGenerator") : NULL;
		state[i] = b ? weft_pcg_state(bits[i], b->state, b->next_uint64) : NULL;
		Py_XDECREF(capsule);
	}
	int ok = state[0] && state[1] && drawn(z, generator[0], TRIED, want) && weft_pcg_many(kind, state[1], TRIED, got, by_generator, &(trial){z, generator[1]}) == 1 &&
		memcmp(want, got, sizeof want) == 0 && memcmp(state[0], state[1], sizeof *state[0]) == 0;
	for (int i = 0; i < 2; i++) {
		Py_XDECREF(generator[i]);
		Py_XDECREF(bits[i]);
	}
	return ok;
}

int weft_knows(int kind)
{
	ziggurat *z = &of_kind[kind];
	if (!z->known) {
		z->known = -1; // also for what is drawn while it is found out
		PyObject *module = PyImport_ImportModule("numpy.random");
		if (module && learn(z, module) && agrees(z, kind, module))
			z->known = 1;
		Py_XDECREF(module);
		if (PyErr_Occurred())
			weft_interrupted();
	}
	return z->known > 0;
}
