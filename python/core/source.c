//go:build extension

// What NumPy's generators draw from: the bit generator's functions, the lock that guards it, and for a RandomState where its second
// normal is kept. It is looked for once for each generator, among whose attributes it stands.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "draw.h"
#include <string.h>

static PyTypeObject *source_type;
static PyObject *attribute, *capsule_name, *generator_name, *legacy_name, *lock_name, *acquire_name, *release_name;

int weft_called(PyObject *method)
{
	PyObject *done = PyObject_CallNoArgs(method);
	Py_XDECREF(done);
	return done ? 0 : -1;
}

// kept is numpy/random's aug_bitgen_t.
typedef struct {
	const bitgen *of;
	int has;
	double gauss;
} kept;

// find_spare finds where a RandomState keeps the second normal of a pair. There is no promise of NumPy's: it stands behind a pointer to the object's
// own copy of what the bit generator tells. So polar.c tries it, once, before it is used.
static void find_spare(PyObject *generator, weft_source *s)
{
	PyObject *told = PyObject_GetAttrString((PyObject *)Py_TYPE(generator), "__basicsize__");
	Py_ssize_t bytes = told ? PyLong_AsSsize_t(told) : 0;
	Py_XDECREF(told);
	PyErr_Clear();
	char *object = (char *)generator;
	for (Py_ssize_t at = (Py_ssize_t)sizeof(PyObject); at + (Py_ssize_t)sizeof(kept) <= bytes; at += (Py_ssize_t)sizeof(void *)) {
		char *own;
		memcpy(&own, object + at, sizeof own);
		if (own < object || own + sizeof(bitgen) > object + bytes || memcmp(own, s->b, sizeof(bitgen)) != 0)
			continue;
		kept *k = (kept *)(object + at);
		if (k->has != 0 && k->has != 1)
			continue;
		s->spare = &k->gauss;
		s->has_spare = &k->has;
	}
}

// The generator of numpy.random's functions, which takes no attribute, and its source.
static PyObject *unmarked;
static weft_source *its;

weft_source *weft_source_of(PyObject *generator)
{
	PyObject *found = generator == unmarked ? Py_NewRef((PyObject *)its) : PyObject_GetAttr(generator, attribute), *of = NULL;
	PyErr_Clear();
	if (found && Py_TYPE(found) == source_type) {
		of = PyObject_GetAttr(generator, ((weft_source *)found)->legacy ? legacy_name : generator_name);
		if (of && ((weft_source *)found)->of == of) {
			Py_DECREF(of);
			return (weft_source *)found;
		}
		Py_XDECREF(of);
	}
	Py_XDECREF(found);
	PyErr_Clear();
	of = PyObject_GetAttr(generator, generator_name);
	int legacy = !of;
	if (!of) {
		PyErr_Clear();
		of = PyObject_GetAttr(generator, legacy_name); // of a RandomState
	}
	PyErr_Clear();
	weft_source *s = of ? weft_alloc(source_type) : NULL;
	PyObject *lock = s ? PyObject_GetAttr(of, lock_name) : NULL;
	if (!lock || !(s->capsule = PyObject_GetAttr(of, capsule_name)) || !(s->acquire = PyObject_GetAttr(lock, acquire_name)) ||
		!(s->release = PyObject_GetAttr(lock, release_name)) || !(s->b = PyCapsule_GetPointer(s->capsule, "BitGenerator"))) {
		Py_XDECREF((PyObject *)s);
		s = NULL;
	}
	if (s) {
		s->of = Py_NewRef(of);
		s->legacy = legacy;
		if (weft_called(s->acquire) == 0) {
			s->pcg = weft_pcg_state(of, s->b->state, s->b->next_uint64);
			weft_called(s->release);
		}
		PyErr_Clear();
		if (legacy)
			find_spare(generator, s);
		if (PyObject_SetAttr(generator, attribute, (PyObject *)s) < 0) {
			PyObject *before = (PyObject *)its, *of_before = unmarked;
			unmarked = Py_NewRef(generator);
			its = (weft_source *)Py_NewRef((PyObject *)s);
			Py_XDECREF(before);
			Py_XDECREF(of_before);
		}
	}
	PyErr_Clear();
	Py_XDECREF(of);
	Py_XDECREF(lock);
	return s;
}

static void source_dealloc(PyObject *self)
{
	weft_source *s = (weft_source *)self;
	Py_XDECREF(s->of);
	Py_XDECREF(s->capsule);
	Py_XDECREF(s->acquire);
	Py_XDECREF(s->release);
	Py_XDECREF(s->twin);
	weft_release(self);
}

uint32_t weft_below(const bitgen *b, uint32_t most, int masked)
{
	if (most == 0)
		return 0;
	if (most == UINT32_MAX)
		return b->next_uint32(b->state);
	if (masked) {
		uint32_t mask = UINT32_MAX >> __builtin_clz(most), x;
		while ((x = b->next_uint32(b->state) & mask) > most)
			;
		return x;
	}
	uint32_t count = most + 1;
	uint64_t m = (uint64_t)b->next_uint32(b->state) * count;
	if ((uint32_t)m < count) {
		uint32_t few = (UINT32_MAX - most) % count;
		while ((uint32_t)m < few)
			m = (uint64_t)b->next_uint32(b->state) * count;
	}
	return (uint32_t)(m >> 32);
}

static PyType_Slot slots[] = {
	{Py_tp_dealloc, (void *)source_dealloc},
	{Py_tp_doc, "What a generator draws few numbers from."},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "weft._core.source",
	.basicsize = sizeof(weft_source),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = slots,
};

int weft_init_sources(void)
{
	struct {
		PyObject **to;
		const char *text;
	} names[] = {{&attribute, "_source"}, {&capsule_name, "capsule"}, {&generator_name, "bit_generator"}, {&legacy_name, "_bit_generator"},
		{&lock_name, "lock"}, {&acquire_name, "acquire"}, {&release_name, "release"}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!(*names[i].to = PyUnicode_InternFromString(names[i].text)))
			return -1;
	return weft_make_type(&spec, &source_type);
}
