//go:build extension

// Fourier transforms of few elements along an axis, by the plans of package routines: the bits are those of the same routine by way
// of the scheduler.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"

enum { FLOAT16 = 10, FLOAT32 = 11, FLOAT64 = 12, COMPLEX64 = 13, COMPLEX128 = 14 }; // tile.DTypes
enum { MOST = 1 << 14 };                                                              // elements before and after: planning a transform costs as much as some thousand of them

static int nothing(PyObject *o) { return o == Py_None || o == weft_no_value; }

// named returns the axis that an argument names, or -1.
static int named(PyObject *axis, int ndim)
{
	int overflow;
	if (!PyLong_CheckExact(axis))
		return -1;
	long long at = PyLong_AsLongLongAndOverflow(axis, &overflow);
	return overflow || at < -ndim || at >= ndim ? -1 : (int)(at < 0 ? at + ndim : at);
}

// fft(a, n=None, axis=-1, norm=None, out=None), ifft, rfft and irfft
PyObject *weft_few_transform(int kind, PyObject *const *args)
{
	weft_few x;
	int forth = kind == WEFT_FFT || kind == WEFT_RFFT;
	if (!nothing(args[1]) || !nothing(args[3]) || !nothing(args[4]) || !weft_most_of(args[0], MOST, 0, &x) || x.l->ndim == 0)
		return NULL;
	int at = named(args[2], x.l->ndim);
	if (at < 0)
		return NULL;
	int complex = x.l->dtype >= COMPLEX64, single = x.l->dtype == FLOAT32 || x.l->dtype == COMPLEX64;
	if (x.l->dtype == FLOAT16 || (kind == WEFT_RFFT && complex))
		return NULL;
	if (!x.l->contiguous && x.l->ndim > 1) // the result lies as the array does
		return NULL;
	int64_t shape[WEFT_NEAR], extent = x.l->shape[at], rows = x.l->size / extent, n = extent, inner = 1;
	for (int i = at + 1; i < x.l->ndim; i++)
		inner *= x.l->shape[i];
	for (int i = 0; i < x.l->ndim; i++)
		shape[i] = x.l->shape[i];
	if (kind == WEFT_IRFFT)
		n = 2 * (extent - 1);
	int64_t made = kind == WEFT_RFFT ? n / 2 + 1 : n;
	int from = kind == WEFT_RFFT || (kind != WEFT_IRFFT && !complex) ? FLOAT64 : COMPLEX128, to = kind == WEFT_IRFFT ? FLOAT64 : COMPLEX128;
	if (n < 1 || rows * made > MOST)
		return NULL;
	shape[at] = made;
	char *in = weft_few_packed(&x, from, weft_scratch[1]);
	const void *code = single ? weft_conversion_code(to, to == FLOAT64 ? FLOAT32 : COMPLEX64) : NULL;
	weft_layout l;
	weft_lay(&l, single ? to == FLOAT64 ? FLOAT32 : COMPLEX64 : to, x.l->ndim, shape);
	weft_array *result = in && (code || !single) ? weft_new_small(&l) : NULL;
	if (!result)
		return NULL;
	if (inner > 1) // after which what was packed is not wanted any more
		in = weft_turned(from, rows / inner, extent, inner, in, weft_scratch[3]);
	char *last = !single ? result->bytes : inner > 1 ? weft_scratch[1] : weft_scratch[2], *out = inner > 1 ? weft_scratch[2] : last;
	goTransform(kind, from == FLOAT64, rows, n, forth ? 1 : 1 / (double)n, in, out);
	if (inner > 1)
		weft_turned(to, rows / inner, inner, made, out, last);
	if (single)
		eager_map(code, rows * made, result->bytes, (char *[EAGER_INPUTS]){last}, 0, NULL);
	weft_note_made(WEFT_NOTE_FFT, (PyObject *)result, result->at.dtype, x.array, NULL);
	return (PyObject *)result;
}
