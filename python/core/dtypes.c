//go:build extension

// Dtypes: how many bytes an element has, how a number is written as one and read, and which code makes elements of one dtype
// those of another; NumPy's objects for them, and the numbers that weft has for those (tile.DTypes).
#include "shim.h"
#include "table.h"
#include "_cgo_export.h"
#include "few.h"
#include "handover.h"

PyTypeObject *weft_np_type, *weft_np_descr;

const uint8_t weft_sizes[WEFT_DTYPES] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16};

static weft_conversion conversions[WEFT_DTYPES][WEFT_DTYPES];

const void *weft_conversion_code(int from, int to)
{
	weft_conversion *c = &conversions[from][to];
	if (!c->known) {
		goConversion(from, to, c);
		c->known = 1;
	}
	return c->code;
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

int weft_np_unknown_dtype(PyObject *dtype)
{
	const np_dtype *of = (const np_dtype *)dtype;
	switch (of->kind) {
	case 'S': case 'U': case 'O': case 'V': case 'M': case 'm': case 'T':
		return 1;
	default:
		return of->type == 'g' || of->type == 'G' || of->type == 'q' || of->type == 'Q'; // those of long doubles, and long longs, which are others than longs of as many bits
	}
}

int weft_np_unknown(const np_array *a) { return weft_np_unknown_dtype(a->descr); }

int weft_is_unknown_dtype(PyObject *o) { return PyType_IsSubtype(Py_TYPE(o), weft_np_descr) && weft_np_unknown_dtype(o); }

static PyObject *dtype_codes; // what users write as a dtype -> code; a cache

int weft_init_dtypes(void)
{
	weft_set(&dtype_codes, PyDict_New());
	return dtype_codes ? 0 : -1;
}

PyObject *weft_dtype_object(int dtype)
{
	return PyList_GetItem(weft_dtypes, dtype);
}

// is_another says whether a dtype is none of weft's, though it equals one: that has something attached to it, for which weft's arrays have no room, or is of long longs.
static int is_another(PyObject *dtype)
{
	if (weft_is_unknown_dtype(dtype))
		return 1;
	PyObject *metadata = PyObject_GetAttrString(dtype, "metadata");
	int has = metadata != Py_None; // an error shows where it is made an array of
	PyErr_Clear();
	Py_XDECREF(metadata);
	return has;
}

int weft_dtype_code(PyObject *o)
{
	if (Py_TYPE(o) == weft_array_type) {
		PyErr_SetString(PyExc_TypeError, "Cannot construct a dtype from an array");
		return -1;
	}
	PyObject *code = PyDict_GetItemWithError(dtype_codes, o);
	int is_dtype = PyObject_TypeCheck(o, weft_np_descr);
	if (code) {
		int known = (int)PyLong_AsLong(code);
		return is_dtype && o != weft_dtype_object(known) && is_another(o) ? 0 : known;
	}
	if (PyErr_Occurred() && weft_overlook() < 0) // of an unhashable description, such as a list of fields
		return -1;
	PyObject *hook = weft_hook("dtype_code");
	if (!hook)
		return -1;
	code = PyObject_CallFunctionObjArgs(hook, o, NULL);
	if (!code)
		return -1;
	int n = (int)PyLong_AsLong(code);
	// Bounded: programs may make dtypes in a loop.
	if (PyDict_Size(dtype_codes) < 256 && (n || !is_dtype) && PyDict_SetItem(dtype_codes, o, code) < 0)
		PyErr_Clear();
	Py_DECREF(code);
	return PyErr_Occurred() ? -1 : n;
}

int weft_dtype_of_few(PyObject *o)
{
	int dtype = weft_dtype_code(o);
	return dtype < 0 ? weft_overlook() : dtype;
}

// The codes are those of tile.DType: int8 is 2, uint64 is 9.
int weft_dtype_is_integer(int dtype)
{
	return dtype >= 2 && dtype <= 9;
}
