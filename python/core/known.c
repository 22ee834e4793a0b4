//go:build extension

// What C remembers of Go's layouts and launches. A layout is an interned dtype, shape and strides (arrays.Layout); C keeps a
// mirror of those that it shows. What an operator makes of the layouts of its operands is remembered as well (launches). Go's
// tables are bounded: when they are full, both sides forget the older half.
//
//	layouts   0 ... forgotten ... base ... known ...
//	mirror                        [0]      [n]
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "known.h"
#include <stdlib.h>
#include <string.h>

// The mirror of Go's layouts, by number less weft_layouts.base.
static weft_layout *mirror;
static uint64_t mirrored;

static const weft_layout *mirrored_layout(uint64_t id)
{
	uint64_t at = id - weft_layouts.base;
	if (at >= mirrored) {
		uint64_t room = at + at / 2 + 64;
		weft_layout *more = realloc(mirror, room * sizeof *mirror);
		if (!more)
			return NULL;
		memset(more + mirrored, 0, (room - mirrored) * sizeof *mirror);
		mirror = more;
		mirrored = room;
	}
	if (!mirror[at].known)
		goLayout(id, &mirror[at]);
	return &mirror[at];
}

// What operators make of layouts.
typedef struct {
	weft_pattern pattern;
	weft_launch launch;
	int used;
} known_launch;

#define LAUNCHES 4096 // a power of two
static known_launch launches[LAUNCHES];

// weft_forget_layouts starts anew when operators give something else than before. What was looked up before is void.
void weft_forget_layouts(void)
{
	memset(launches, 0, sizeof launches);
	free(mirror);
	mirror = NULL;
	mirrored = 0;
	goForget(1);
}

// age_layouts makes room when Go has none for another layout or launch: the older half of them is forgotten.
static void age_layouts(void)
{
	uint64_t before = weft_layouts.base;
	goForget(0);
	uint64_t gone = weft_layouts.base - before, kept = mirrored > gone ? mirrored - gone : 0;
	if (kept)
		memmove(mirror, mirror + gone, kept * sizeof *mirror);
	if (mirrored)
		memset(mirror + kept, 0, (mirrored - kept) * sizeof *mirror);
	for (known_launch *k = launches; k < launches + LAUNCHES; k++) {
		const uint64_t layouts[] = {k->pattern.x, k->pattern.y, k->pattern.out, k->launch.id < 0 ? 0 : k->launch.result};
		if (k->used && k->launch.id >= 0 && k->launch.id < weft_layouts.launches)
			k->used = 0;
		for (int i = 0; i < 4; i++)
			if (layouts[i] >= WEFT_LAYOUTS && layouts[i] < weft_layouts.base)
				k->used = 0;
	}
}

static inline uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9E3779B97F4A7C15u;
	return h ^ h >> 29;
}

// The numbers of layouts that arrays without a handle have. One that was forgotten is below weft_layouts.base.
#define LAYOUTS 1024 // a power of two
static struct {
	uint64_t layout;
	weft_layout l;
} layouts[LAYOUTS];

static uint64_t interned(const weft_layout *l)
{
	uint64_t h = (uint64_t)l->dtype << 8 | l->ndim;
	int same = 1;
	for (int i = 0; i < l->ndim; i++)
		h = mix(mix(h, (uint64_t)l->shape[i]), (uint64_t)l->strides[i]);
	typeof(&layouts[0]) k = &layouts[h >> 20 & (LAYOUTS - 1)];
	same = k->layout >= weft_layouts.base && k->l.dtype == l->dtype && k->l.ndim == l->ndim;
	for (int i = 0; same && i < l->ndim; i++)
		same = k->l.shape[i] == l->shape[i] && k->l.strides[i] == l->strides[i];
	if (!same) {
		k->l = *l;
		k->layout = goIntern((weft_layout *)l);
	}
	return k->layout;
}

int weft_look(weft_array *a)
{
	if (__builtin_expect(a->place.layout >= weft_layouts.base, 1))
		return 1;
	if (weft_layouts.plain)
		return 0;
	for (int tries = 0; tries < 2 && a->place.layout < weft_layouts.base; tries++) {
		if (tries > 0)
			age_layouts();
		if (!a->handle)
			a->place.layout = interned(&a->at);
		else
			goPlace(a->handle, &a->place);
	}
	return a->place.layout != WEFT_NO_LAYOUT;
}

void weft_get_info(PyObject *array, weft_info *info)
{
	weft_array *a = (weft_array *)array;
	const weft_layout *l = a->at.known ? &a->at : a->place.layout >= weft_layouts.base ? mirrored_layout(a->place.layout) : NULL;
	if (!l || l->ndim > WEFT_NEAR || (a->handle && a->place.layout < weft_layouts.base)) { // readonly may be another
		goInfo(weft_handle(array), info);
		return;
	}
	info->dtype = l->dtype;
	info->ndim = l->ndim;
	info->writable = a->place.readonly != WEFT_WRITES_NOT;
	info->contiguous = l->contiguous;
	info->size = l->size;
	memcpy(info->shape, l->shape, sizeof l->shape);
	memcpy(info->strides, l->strides, sizeof l->strides);
}

const weft_launch *weft_known_launch(const weft_pattern *p)
{
	uint64_t h = mix(mix(mix(mix(mix(p->op, p->x), p->y), p->out), p->x_away), p->y_away);
	known_launch *k = &launches[h >> 20 & (LAUNCHES - 1)];
	if (!k->used || memcmp(&k->pattern, p, sizeof *p)) {
		k->used = 0;
		if (!goPrepare((weft_pattern *)p, &k->launch)) {
			age_layouts();
			return NULL;
		}
		k->pattern = *p;
		k->used = 1;
	}
	return k->launch.id < 0 ? NULL : &k->launch;
}
