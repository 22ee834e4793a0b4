//go:build extension

// x.flags: what NumPy's flagsobj says of an array when it is asked for.
#include "shim.h"
#include "_cgo_export.h"
#include "handover.h"
#include <string.h>

enum { WRITEBACK = 0x2000 }; // of numpy/ndarraytypes.h, as those of handover.h

typedef struct {
	PyObject_HEAD
	PyObject *array;
	long told;
} flags;

static PyTypeObject *flags_type;

static PyObject *truth(int is) { return Py_NewRef(is ? Py_True : Py_False); }

static int is_fortran(const weft_info *l)
{
	int64_t step = weft_sizes[l->dtype];
	for (int i = 0; l->size && i < l->ndim; i++) {
		if (l->shape[i] != 1 && l->strides[i] != step)
			return 0;
		step *= l->shape[i];
	}
	return 1;
}

int weft_owns(weft_array *a) { return !a->base && !a->lender && (a->bytes || !goLent(weft_handle((PyObject *)a))); }

static long told_of(PyObject *array)
{
	weft_info info;
	weft_get_info(array, &info);
	weft_array *a = (weft_array *)array;
	return (info.contiguous || info.size == 0 ? C_ORDER : 0) | (is_fortran(&info) ? F_ORDER : 0) | (weft_owns(a) ? OWNED : 0) | (a->misaligned ? 0 : ALIGNED) | (info.writable ? WRITABLE | (a->warns ? WARNS : 0) : 0);
}

PyObject *weft_get_flags(PyObject *self, void *unused)
{
	(void)unused;
	ENTER(NULL)
	flags *f = weft_alloc(flags_type);
	if (!f)
		return NULL;
	f->array = Py_NewRef(self);
	f->told = told_of(self);
	return (PyObject *)f;
}

// What is told: all of the bits of every, one of any, and none of none.
typedef struct {
	const char *name;
	long every, any, none;
} word;

// The words by which NumPy's flags are attributes; farray asks for any of its bits there, too.
static const word words[] = {
	{"c_contiguous", C_ORDER, 0, 0}, {"contiguous", C_ORDER, 0, 0}, {"f_contiguous", F_ORDER, 0, 0}, {"fortran", F_ORDER, 0, 0},
	{"owndata", OWNED, 0, 0}, {"fnc", F_ORDER, 0, C_ORDER}, {"forc", 0, F_ORDER | C_ORDER, 0}, {"behaved", ALIGNED | WRITABLE, 0, 0},
	{"carray", ALIGNED | WRITABLE | C_ORDER, 0, 0}, {"farray", 0, ALIGNED | WRITABLE | F_ORDER, C_ORDER},
	{"aligned", ALIGNED, 0, 0}, {"writeable", WRITABLE, 0, 0}, {"_writeable_no_warn", WRITABLE, 0, 0}, {"writebackifcopy", WRITEBACK, 0, 0},
};

// The words by which they are items.
static const word items[] = {
	{"C", C_ORDER, 0, 0}, {"C_CONTIGUOUS", C_ORDER, 0, 0}, {"CONTIGUOUS", C_ORDER, 0, 0}, {"F", F_ORDER, 0, 0}, {"F_CONTIGUOUS", F_ORDER, 0, 0}, {"FORTRAN", F_ORDER, 0, 0},
	{"O", OWNED, 0, 0}, {"OWNDATA", OWNED, 0, 0}, {"W", WRITABLE, 0, 0}, {"WRITEABLE", WRITABLE, 0, 0}, {"A", ALIGNED, 0, 0}, {"ALIGNED", ALIGNED, 0, 0},
	{"X", WRITEBACK, 0, 0}, {"WRITEBACKIFCOPY", WRITEBACK, 0, 0}, {"B", ALIGNED | WRITABLE, 0, 0}, {"BEHAVED", ALIGNED | WRITABLE, 0, 0},
	{"CA", ALIGNED | WRITABLE | C_ORDER, 0, 0}, {"CARRAY", ALIGNED | WRITABLE | C_ORDER, 0, 0}, {"FA", 0, ALIGNED | WRITABLE | F_ORDER, C_ORDER},
	{"FARRAY", 0, ALIGNED | WRITABLE | F_ORDER, C_ORDER}, {"FNC", F_ORDER, 0, C_ORDER}, {"FORC", 0, F_ORDER | C_ORDER, 0}, {NULL, 0, 0, 0},
};

// settable says that a word is one of those that the program may set.
static int settable(const word *w) { return (w->every == ALIGNED || w->every == WRITABLE || w->every == WRITEBACK) && *w->name != '_'; }

static int is(const flags *f, const word *w) { return (f->told & w->every) == w->every && (!w->any || f->told & w->any) && !(f->told & w->none); }

// get warns where an array of broadcast_arrays is asked whether it may be written.
static PyObject *get(PyObject *self, void *about)
{
	const flags *f = (flags *)self;
	const word *w = about;
	if (f->told & WARNS && w->every & WRITABLE && *w->name != '_' &&
		PyErr_WarnEx(PyExc_FutureWarning, "future versions will not create a writeable array from broadcast_array. Set the writable flag explicitly to avoid this warning.", 1) < 0)
		return NULL;
	return truth(is(f, w));
}

// set hands a bit to setflags, by the name of the parameter, and remembers it.
static int set(PyObject *self, PyObject *value, long bit)
{
	flags *f = (flags *)self;
	if (!f->array) {
		PyErr_SetString(PyExc_ValueError, "Cannot set flags on array scalars.");
		return -1;
	}
	const char *name = bit == WRITABLE ? "write" : bit == ALIGNED ? "align" : "uic";
	int on = PyObject_IsTrue(value);
	PyObject *method = on < 0 ? NULL : PyObject_GetAttrString(f->array, "setflags"), *none = PyTuple_New(0);
	PyObject *named = Py_BuildValue("{s:O}", name, on > 0 ? Py_True : Py_False), *done = method && named && none ? PyObject_Call(method, none, named) : NULL;
	if (done)
		f->told = (on ? f->told | bit : f->told & ~bit) & ~(bit == WRITABLE ? WARNS : 0);
	Py_XDECREF(method);
	Py_XDECREF(none);
	Py_XDECREF(named);
	Py_XDECREF(done);
	return done ? 0 : -1;
}

static int set_word(PyObject *self, PyObject *value, void *about)
{
	const word *w = about;
	if (!value) {
		PyErr_Format(PyExc_AttributeError, "Cannot delete flags %s attribute", w->name);
		return -1;
	}
	return set(self, value, w->every);
}

static PyObject *num(PyObject *self, void *unused)
{
	(void)unused;
	return PyLong_FromLong(((flags *)self)->told);
}

#define WORD(i) {NULL, get, NULL, NULL, (void *)&words[i]}
static PyGetSetDef getset[] = {
	WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5), WORD(6), WORD(7), WORD(8), WORD(9), WORD(10), WORD(11), WORD(12), WORD(13),
	{"num", num, NULL, NULL, NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

// item_of finds what a key, text or bytes, names among the items; NULL with an exception.
static const word *item_of(PyObject *key)
{
	PyObject *text = PyBytes_Check(key) ? PyUnicode_FromEncodedObject(key, "latin-1", NULL) : PyUnicode_Check(key) ? Py_NewRef(key) : NULL;
	const word *w = items;
	while (text && w->name && PyUnicode_CompareWithASCIIString(text, w->name) != 0)
		w++;
	int found = text && w->name;
	Py_XDECREF(text);
	if (!found)
		PyErr_SetString(PyExc_KeyError, "Unknown flag");
	return found ? w : NULL;
}

static PyObject *item(PyObject *self, PyObject *key)
{
	const word *w = item_of(key);
	return w ? get(self, (void *)w) : NULL;
}

static int set_item(PyObject *self, PyObject *key, PyObject *value)
{
	const word *w = item_of(key);
	for (size_t i = 0; w && i < sizeof words / sizeof *words; i++)
		if (settable(&words[i]) && words[i].every == w->every && !w->any && !w->none)
			return set_word(self, value, (void *)&words[i]);
	if (w)
		PyErr_SetString(PyExc_KeyError, "Unknown flag");
	return -1;
}

static PyObject *shown(PyObject *self)
{
	long told = ((flags *)self)->told;
#define SAID(bit) (told & (bit) ? "True" : "False")
	return PyUnicode_FromFormat("  C_CONTIGUOUS : %s\n  F_CONTIGUOUS : %s\n  OWNDATA : %s\n  WRITEABLE : %s%s\n  ALIGNED : %s\n  WRITEBACKIFCOPY : %s\n",
		SAID(C_ORDER), SAID(F_ORDER), SAID(OWNED), SAID(WRITABLE), told & WARNS ? "  (with WARN_ON_WRITE=True)" : "", SAID(ALIGNED), SAID(WRITEBACK));
#undef SAID
}

static PyObject *compare(PyObject *self, PyObject *other, int op)
{
	PyTypeObject *numpys = (PyTypeObject *)weft_hook("flags");
	if (!numpys)
		return NULL;
	if ((op != Py_EQ && op != Py_NE) || (Py_TYPE(other) != flags_type && Py_TYPE(other) != numpys))
		return Py_NewRef(Py_NotImplemented);
	PyObject *number = PyObject_GetAttrString(other, "num");
	long theirs = number ? PyLong_AsLong(number) : -1;
	Py_XDECREF(number);
	return PyErr_Occurred() ? NULL : truth((((flags *)self)->told == theirs) == (op == Py_EQ));
}

static void dealloc(PyObject *self)
{
	Py_XDECREF(((flags *)self)->array);
	weft_release(self);
}

// flags(array), or of a new array of no axes, as NumPy's type has it.
static PyObject *new_flags(PyTypeObject *type, PyObject *args, PyObject *named)
{
	(void)type;
	PyObject *array = NULL;
	if (named && PyDict_Size(named))
		return PyErr_Format(PyExc_TypeError, "flagsobj() takes no keyword arguments");
	if (!PyArg_ParseTuple(args, "|O!:flagsobj", weft_array_type, &array))
		return NULL;
	if (array)
		return weft_get_flags(array, NULL);
	flags *f = weft_alloc(flags_type);
	if (f)
		f->told = C_ORDER | F_ORDER | OWNED | ALIGNED | WRITABLE;
	return (PyObject *)f;
}

static PyType_Slot slots[] = {
	{Py_tp_new, (void *)new_flags},
	{Py_tp_dealloc, (void *)dealloc},
	{Py_tp_getset, getset},
	{Py_tp_repr, (void *)shown},
	{Py_tp_str, (void *)shown},
	{Py_tp_richcompare, (void *)compare},
	{Py_tp_hash, (void *)PyObject_HashNotImplemented},
	{Py_mp_subscript, (void *)item},
	{Py_mp_ass_subscript, (void *)set_item},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "numpy._core.multiarray.flagsobj",
	.basicsize = sizeof(flags),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

int weft_init_flags(void)
{
	for (int i = 0; i < (int)(sizeof words / sizeof *words); i++) {
		getset[i].name = words[i].name;
		getset[i].set = settable(&words[i]) ? set_word : NULL;
	}
	return weft_make_type(&spec, &flags_type);
}
