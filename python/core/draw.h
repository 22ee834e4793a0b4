// What the files that draw from NumPy's generators share.
#ifndef WEFT_DRAW_H
#define WEFT_DRAW_H

#include "few.h"
#include "bitgen.h"

// weft_source is what a generator draws from. It stands among the generator's attributes.
typedef struct {
	PyObject_HEAD
	const bitgen *b;
	int legacy;                            // the generator is a RandomState
	PyObject *of;                          // the bit generator, which owns b by way of the capsule
	PyObject *capsule, *acquire, *release; // the latter are methods of the lock that guards it
	PyObject *twin;                        // NumPy's own generator of the same bit generator; NULL until it is asked for
	double *spare;                         // of a RandomState: the second normal of a pair, and whether there is one; NULL where they are not found
	int *has_spare;
	weft_pcg *pcg;                         // the state, where it can be drawn from directly; see congruential.c
} weft_source;

// source.c
weft_source *weft_source_of(PyObject *generator); // a generator's; NULL, without an exception, where it has none that could be kept
int weft_init_sources(void);                      // 0, or -1 with an exception
int weft_called(PyObject *method);               // calls a method of the lock: 0, or -1 with an exception
// weft_below draws an integer from 0 to most as NumPy does it: the upper half of a product with 32 bits, which are thrown away where the lower half is one of a
// few; or, masked, as many bits as most has until
// they are no more, as all generators do where they change an order, and the legacy ones otherwise, too.
uint32_t weft_below(const bitgen *b, uint32_t most, int masked);

// polar.c: normals as the legacy generators draw them, in pairs. NULL without exception where NumPy has to do it. class is NumPy's of the generator.
PyObject *weft_polar(PyObject *self, PyObject *class, double low, double scale, int standard, int ndim, const int64_t *shape, int64_t count);

// shuffle.c: of a generator. NULL without exception where NumPy has to do it.
PyObject *weft_shuffled(PyObject *self, PyObject *x);
PyObject *weft_permuted(PyObject *self, PyObject *x);
PyObject *weft_chosen(PyObject *self, int legacy, PyObject *from, int ndim, const int64_t *shape, int64_t count);

#endif
