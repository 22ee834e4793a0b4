//go:build extension

// The elements of arrays that are more than few, for what goes through them once and tells the program at once what it found:
// where they are, side by side, and room for results.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <stdlib.h>
#include <string.h>

static int ask_settled(void *handle, int on_main, weft_error *e) { return goSettled(*(uint64_t *)handle, on_main, e); }

// settle is weft_await of what has a value elsewhere than in its own memory: 0 where it has none, or with an exception.
static int settle(weft_array *a)
{
	a = weft_owner(a);
	uint64_t handle = a->handle;
	return handle && weft_wait(ask_settled, &handle) == 0;
}

int weft_await(PyObject *array) { return settle((weft_array *)array) || !PyErr_Occurred() ? 0 : -1; }

// is_asked_again says whether it was tried in vain before to open an array, and notes that it was.
static int is_asked_again(weft_array *a) { return weft_owner(a)->refused++ > 0; }

int weft_many_of(PyObject *o, int64_t most, int waits, weft_few *x)
{
	if (!weft_eager || Py_TYPE(o) != weft_array_type)
		return 0;
	x->array = (weft_array *)o;
	x->l = weft_layout_of(x->array);
	if (!x->l || x->l->size == 0 || x->l->size > most)
		return 0;
	if (waits)
		weft_chain_end(x->l);
	x->data = weft_data(x->array);
	if (!x->data && (weft_open_now(x->array, 1) || (waits && !weft_devices && (waits != WEFT_WAITS_AGAIN || is_asked_again(x->array)) && settle(x->array) && weft_open_now(x->array, 1))))
		x->data = weft_data(x->array);
	x->l = weft_layout_of(x->array);
	return x->data && x->l;
}

static struct {
	char *at;
	size_t bytes;
} rooms[WEFT_ROOMS];

char *weft_room(int which, int64_t bytes)
{
	size_t want = bytes < WEFT_BLOCK ? WEFT_BLOCK : (size_t)bytes;
	if (rooms[which].bytes < want) {
		free(rooms[which].at);
		rooms[which].at = aligned_alloc(64, (want + 63) & ~(size_t)63);
		rooms[which].bytes = rooms[which].at ? want : 0;
	}
	return rooms[which].at;
}

char *weft_many_packed(const weft_few *x, int dtype, int which)
{
	int from = x->l->dtype;
	const void *code = from == dtype ? NULL : weft_conversion_code(from, dtype);
	if (from != dtype && !code)
		return NULL;
	char *data = x->data;
	if (!x->l->contiguous) {
		eager_layout e = {x->l->ndim, x->l->size, x->l->shape, x->l->strides};
		if (!(data = weft_room(code ? WEFT_ROOM_BEFORE : which, x->l->size * weft_sizes[from])))
			return NULL;
		eager_pack(weft_sizes[from], &e, x->data, data);
	}
	if (!code)
		return data;
	char *to = weft_room(which, x->l->size * weft_sizes[dtype]), *in[EAGER_INPUTS] = {data};
	if (to)
		eager_map(code, x->l->size, to, in, 0, NULL);
	return to;
}

weft_array *weft_many_made(int dtype, int ndim, const int64_t *shape)
{
	weft_layout l;
	if (!weft_eager || ndim > WEFT_NEAR)
		return NULL;
	weft_lay(&l, dtype, ndim, shape);
	return l.size * weft_sizes[dtype] <= WEFT_BLOCK ? weft_new_small(&l) : weft_new_open(&l);
}
