//go:build extension

// Arrays of few elements whose memory is the Python object's own (weft_array.bytes). Operations on them are computed at once, by
// eager.c, so that Go never hears of most of them. An array becomes one of Go's when something else than that wants its
// handle (weft_settle); the views of it that have no handle see Go's memory from then on.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <stdlib.h>
#include <string.h>

enum { COMPLEX64 = 13, COMPLEX128 = 14 }; // tile.DTypes

const uint8_t weft_sizes[WEFT_DTYPES] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16};

void weft_lay(weft_layout *l, int dtype, int ndim, const int64_t *shape)
{
	l->dtype = dtype;
	l->ndim = ndim;
	l->known = 1;
	l->contiguous = 1;
	l->size = 1;
	int64_t step = weft_sizes[dtype];
	for (int i = ndim - 1; i >= 0; i--) {
		l->shape[i] = shape[i];
		l->strides[i] = step;
		l->size *= shape[i];
		step *= shape[i] ? shape[i] : 1; // as NumPy counts them, where there are no elements
	}
}

int weft_is_contiguous(const weft_layout *l)
{
	int64_t step = weft_sizes[l->dtype];
	if (l->size == 0)
		return 1;
	for (int i = l->ndim - 1; i >= 0; i--) {
		if (l->shape[i] != 1 && l->strides[i] != step)
			return 0;
		step *= l->shape[i];
	}
	return 1;
}

int64_t weft_smalls;

weft_array *weft_new_small(const weft_layout *l)
{
	int64_t bytes = l->size * weft_sizes[l->dtype];
	char *memory = weft_take_block(bytes);
	weft_array *a = memory ? (weft_array *)weft_wrap(0) : NULL;
	if (!a) {
		weft_give_block(memory, bytes);
		PyErr_Clear(); // the general function finds that out as well
		return NULL;
	}
	a->bytes = memory;
	weft_smalls++;
	a->at = *l;
	a->place.memory = ++weft_layouts.memories;
	return a;
}

weft_array *weft_new_packed(int dtype, int ndim, const int64_t *shape)
{
	weft_layout l;
	if (!weft_eager || ndim > WEFT_NEAR)
		return NULL;
	weft_lay(&l, dtype, ndim, shape);
	return l.size > WEFT_MOST || l.size * weft_sizes[dtype] > weft_limit ? NULL : weft_new_small(&l);
}

PyObject *weft_small_of(int dtype, int ndim, const int64_t *shape, const void *data, int64_t bytes)
{
	weft_array *a = bytes > weft_limit ? NULL : weft_new_packed(dtype, ndim, shape);
	if (a)
		memcpy(a->bytes, data, bytes);
	return (PyObject *)a;
}

char *weft_opened_data(const weft_array *a, const weft_array *owner)
{
	if (!owner->opened)
		return NULL;
	if (__builtin_expect(weft_checks, 0))
		goUsed(owner->opened, owner->opens);
	return owner->opens + a->place.offset;
}

int weft_settle(weft_array *a)
{
	if (a->borrowed)
		return weft_lend_borrowed(a);
	uint64_t out;
	weft_error e = {NULL, NULL};
	weft_layout flat = a->at;
	int64_t n = a->at.size;
	if (!a->at.contiguous)
		weft_lay(&flat, a->at.dtype, 1, &n);
	int64_t bytes = n * weft_sizes[flat.dtype];
	char *memory = a->lasting ? a->bytes : weft_lasting_block(a->bytes, bytes);
	if (!memory) {
		goNoRoom(bytes);
		return 0; // the caller that wanted a handle raises the reason: 0 names no array
	}
	if (goTakeOver(memory, bytes, flat.dtype, flat.shape, flat.ndim, a->place.memory, &out, &e) != WEFT_OK) {
		if (memory != a->bytes)
			weft_return_block(memory, bytes);
		free(e.type);
		free(e.text);
		return 0;
	}
	a->handle = out;
	if (memory != a->bytes)
		weft_give_block(a->bytes, bytes);
	a->bytes = NULL;
	weft_smalls--;
	if (!a->at.contiguous) {
		a->handle = goView(out, &a->at, 0, 0);
		goFree(out);
	}
	a->lasting = 0;
	if (a->exports)
		weft_keep_exported(a);
	return 1;
}

void weft_forget_small(weft_array *a)
{
	if (a->borrowed) {
		weft_give_borrowed(a);
		return;
	}
	int64_t bytes = a->at.size * weft_sizes[a->at.dtype];
	if (a->lasting)
		weft_return_block(a->bytes, bytes);
	else
		weft_give_block(a->bytes, bytes);
	a->lasting = 0;
	a->bytes = NULL;
	weft_smalls--;
}

const weft_layout *weft_layout_of(weft_array *a)
{
	if (!a->at.known) {
		weft_info info;
		goInfo(weft_handle((PyObject *)a), &info);
		if (info.ndim > WEFT_NEAR)
			return NULL;
		a->at.dtype = info.dtype;
		a->at.ndim = info.ndim;
		a->at.contiguous = info.contiguous;
		a->at.size = info.size;
		memcpy(a->at.shape, info.shape, sizeof a->at.shape);
		memcpy(a->at.strides, info.strides, sizeof a->at.strides);
		a->at.known = 1;
	}
	return &a->at;
}

// write_number writes a number as an element of a dtype; see weft_write.
static int write_number(const weft_value *v, int dtype, void *to)
{
	union {
		int8_t i8;
		int16_t i16;
		int32_t i32;
		int64_t i64;
		float f[2];
		double d[2];
	} c = {.d = {0, 0}};
	double d = v->kind == WEFT_FLOAT ? v->re : (double)v->i;
	int whole = v->kind == WEFT_BOOL || v->kind == WEFT_INT;
	if (!whole && v->kind != WEFT_FLOAT)
		return 0;
	switch (dtype) {
	case 1:
		c.i8 = whole ? v->i != 0 : d != 0;
		break;
	case 2: case 3: case 4: case 5: {
		int bits = 8 * weft_sizes[dtype] - 1;
		if (!whole || (bits < 63 && (v->i < -((int64_t)1 << bits) || v->i >= (int64_t)1 << bits)))
			return 0;
		c.i64 = v->i;
		break;
	}
	case 6: case 7: case 8: case 9: {
		int bits = 8 * weft_sizes[dtype];
		if (!whole || v->i < 0 || (bits < 64 && v->i >> bits))
			return 0;
		c.i64 = v->i;
		break;
	}
	case 11: case 13:
		c.f[0] = (float)d;
		break;
	case 12: case 14:
		c.d[0] = d;
		break;
	case 10: {
		const void *code = weft_conversion_code(12, 10);
		if (code)
			eager_map(code, 1, to, (char *[EAGER_INPUTS]){(char *)&d}, 0, NULL);
		return code != NULL;
	}
	default:
		return 0;
	}
	weft_copy_element(to, &c, weft_sizes[dtype]);
	return 1;
}

int weft_write(const weft_value *v, int dtype, void *to)
{
	// A NumPy scalar of another dtype has to fit a signed integer, which the general function looks at.
	if (v->dtype && v->dtype != dtype && dtype >= WEFT_FIRST_SIGNED && dtype <= WEFT_LAST_SIGNED)
		return 0;
	return write_number(v, dtype, to);
}

int weft_write_uniform(const weft_value *v, const weft_recipe *r, uint64_t bits[2])
{
	if (v->kind == WEFT_COMPLEX) {
		float narrow[2] = {(float)v->re, (float)v->im};
		double wide[2] = {v->re, v->im};
		if (r->number != COMPLEX64 && r->number != COMPLEX128)
			return 0;
		weft_copy_element(bits, r->number == COMPLEX64 ? (void *)narrow : (void *)wide, weft_sizes[r->number]);
		return 1;
	}
	if (v->kind != WEFT_FLOAT && (v->i < r->low || v->i > r->high))
		return 0;
	return weft_write(&(weft_value){.kind = v->kind, .i = v->i, .re = v->re}, r->number, bits);
}

int weft_number(PyObject *o, weft_value *v)
{
	v->dtype = 0;
	if (PyFloat_CheckExact(o)) {
		v->kind = WEFT_FLOAT;
		v->re = PyFloat_AsDouble(o);
		return 1;
	}
	if (PyLong_CheckExact(o)) {
		int overflow;
		v->kind = WEFT_INT;
		v->i = PyLong_AsLongLongAndOverflow(o, &overflow);
		return overflow == 0;
	}
	if (o == Py_True || o == Py_False) {
		v->kind = WEFT_BOOL;
		v->i = o == Py_True;
		return 1;
	}
	return weft_read_scalar(o, v) && v->kind != WEFT_UINT && v->kind != WEFT_COMPLEX;
}

int weft_value_at(const char *data, int dtype, weft_value *v)
{
	union {
		int8_t i8;
		int16_t i16;
		int32_t i32;
		int64_t i64;
		uint16_t u16;
		float f[2];
		double d[2];
	} c;
	weft_copy_element(&c, data, weft_sizes[dtype]);
	*v = (weft_value){.kind = WEFT_INT};
	switch (dtype) {
	case 1: v->kind = WEFT_BOOL; v->i = c.i8 != 0; break;
	case 2: v->i = c.i8; break;
	case 3: v->i = c.i16; break;
	case 4: v->i = c.i32; break;
	case 5: v->i = c.i64; break;
	case 6: v->i = (uint8_t)c.i8; break;
	case 7: v->i = c.u16; break;
	case 8: v->i = (uint32_t)c.i32; break;
	case 9: v->kind = c.i64 < 0 ? WEFT_UINT : WEFT_INT; v->i = c.i64; break;
	case 11: v->kind = WEFT_FLOAT; v->re = c.f[0]; break;
	case 12: v->kind = WEFT_FLOAT; v->re = c.d[0]; break;
	case 13: v->kind = WEFT_COMPLEX; v->re = c.f[0]; v->im = c.f[1]; break;
	case 14: v->kind = WEFT_COMPLEX; v->re = c.d[0]; v->im = c.d[1]; break;
	default: return 0; // halves
	}
	return 1;
}
