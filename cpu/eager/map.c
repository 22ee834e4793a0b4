#include "cloned.h"
#include "eager.h"

#include <string.h>

// Registers are this far apart: see spacing in package cpu.
enum { SPACING = EAGER_BLOCK * EAGER_WIDEST + 128 };

static _Alignas(64) char registers[EAGER_REGISTERS * SPACING];
static _Alignas(64) char spread[VM_INPUTS][EAGER_BLOCK * EAGER_WIDEST]; // scalars that a loop has to have as vectors

static const vm_machine *machine;

const vm_machine *eager_machine(void)
{
	for (int k = 2; k >= 0 && !machine; k--) // the plainest comes first
		machine = vm_machines(k);
	return machine;
}

const vm_primitive *eager_primitive(int row) { return eager_machine()->rows[row].primitive; }

#define UNROLLED _Pragma("GCC unroll 8") for (int64_t i = 0; i < n; i++)

// Every second element (the real parts of complex ones), every third and fourth (the channels of pictures), and all of them from the back, are moved in
// vectors.
#define EVERY(bits, nth, name) \
	CLONED static void name##_##bits(int64_t n, uint##bits##_t *restrict to, const uint##bits##_t *restrict from) \
	{ \
		for (int64_t i = 0; i < n; i++) \
			to[i] = from[nth * i]; \
	}
#define VECTORS(bits) \
	EVERY(bits, 2, seconds) \
	EVERY(bits, 3, thirds) \
	EVERY(bits, 4, fourths) \
	CLONED static void backwards_##bits(int64_t n, uint##bits##_t *restrict to, const uint##bits##_t *restrict from) \
	{ \
		for (int64_t i = 0; i < n; i++) \
			to[i] = from[-i]; \
	}

VECTORS(8)
VECTORS(16)
VECTORS(32)
VECTORS(64)

#define COPY(bits) { \
	typedef uint##bits##_t T; \
	if (d == sizeof(T) && s == 2 * sizeof(T)) \
		seconds_##bits(n, (T *)to, (const T *)from); \
	else if (d == sizeof(T) && s == 3 * sizeof(T)) \
		thirds_##bits(n, (T *)to, (const T *)from); \
	else if (d == sizeof(T) && s == 4 * sizeof(T)) \
		fourths_##bits(n, (T *)to, (const T *)from); \
	else if (d == sizeof(T) && s == -(int64_t)sizeof(T)) \
		backwards_##bits(n, (T *)to, (const T *)from); \
	else \
		SCALAR_COPY(T) \
	break; \
}

#define SCALAR_COPY(T) { \
	if (d == sizeof(T)) \
		UNROLLED ((T *)to)[i] = *(const T *)(from + i * s); \
	else \
		UNROLLED *(T *)(to + i * d) = *(const T *)(from + i * s); \
}

typedef struct { uint64_t a, b; } wide;

void eager_copy(int size, int64_t n, char *to, int64_t d, const char *from, int64_t s)
{
	if (s == size && d == size) {
		vm_copy(to, from, (size_t)(n * size));
		return;
	}
	switch (size) {
	case 1: COPY(8)
	case 2: COPY(16)
	case 4: COPY(32)
	case 8: COPY(64)
	default: SCALAR_COPY(wide)
	}
}

// loop_of returns the loop of a primitive for operands of which those in scalars are one element for all. Where there
// is none, *rest gets those that the general loop has to have as vectors.
static vm_loop *loop_of(const vm_primitive *q, uint32_t scalars, uint32_t *rest)
{
	*rest = 0;
	for (int f = 0; f < VM_FORMS && q->form[f].loop; f++)
		if (q->form[f].scalars == scalars)
			return q->form[f].loop;
	*rest = scalars & ~(uint32_t)q->form[0].scalars;
	return q->form[0].loop;
}

// call runs a primitive on n elements, at most EAGER_BLOCK where rest is not 0.
static void call(const vm_primitive *q, vm_loop *loop, uint32_t rest, int64_t n, char **p)
{
	for (int i = 0; rest >> i; i++)
		if (rest >> i & 1) {
			eager_copy(q->size[1 + i], n, spread[i], q->size[1 + i], p[1 + i], 0);
			p[1 + i] = spread[i];
		}
	loop(n, p);
}

static inline char *address(const eager_code *c, const eager_place *v, int64_t at, char *out, char *const *in, uint32_t ones,
	const uint64_t (*uniforms)[2])
{
	switch (v->kind) {
	case EAGER_REGISTER: return registers + v->n * SPACING;
	case EAGER_INPUT: return in[v->n] + (ones >> v->n & 1 ? 0 : at * v->size);
	case EAGER_OUTPUT: return out + at * v->size;
	case EAGER_LITERAL: return (char *)c->literal[v->n];
	}
	return (char *)uniforms[v->n];
}

static inline int is_scalar(const eager_place *v, uint32_t ones)
{
	return v->kind >= EAGER_LITERAL || (v->kind == EAGER_INPUT && ones >> v->n & 1);
}

// mapping is one primitive over n elements; some of them are a part. step is from element to element, 0 of a scalar.
typedef struct {
	vm_loop *loop;
	char *const *p;
	int64_t n, some, step[1 + VM_INPUTS];
} mapping;

static void map_part(void *of, int64_t part)
{
	const mapping *m = of;
	int64_t at = part * m->some, left = m->n - at;
	char *p[1 + VM_INPUTS];
	for (int i = 0; i <= VM_INPUTS; i++)
		p[i] = m->p[i] + at * m->step[i];
	m->loop(left < m->some ? left : m->some, p);
}

enum { SHARED = 512 << 10 }; // bytes from which on others help: a caller that computes less is through before they have what they need in their caches

// map_shared runs one primitive on n elements, of which scalars are one for all.
static void map_shared(const vm_primitive *q, vm_loop *loop, uint32_t scalars, int64_t n, char *const *p)
{
	mapping m = {loop, p, n, 0, {q->size[0]}};
	int64_t bytes = q->size[0];
	for (int i = 0; i < q->inputs; i++)
		bytes += m.step[1 + i] = scalars >> i & 1 ? 0 : q->size[1 + i];
	if (n * bytes >= SHARED)
		eager_share(eager_parts(n, bytes, &m.some), n * bytes, map_part, &m);
	else
		loop(n, (char **)p);
}

void eager_map(const eager_code *c, int64_t n, char *out, char *const *in, uint32_t ones, const uint64_t (*uniforms)[2])
{
	int64_t most = n;
	for (int64_t at = 0; at < n; at += most) {
		for (int k = 0; k < c->steps; k++) {
			const eager_step *s = &c->step[k];
			const vm_primitive *q = s->primitive;
			uint32_t scalars = 0, rest = 0;
			if (n > 1)
				for (int i = 0; i < q->inputs; i++)
					scalars |= (uint32_t)is_scalar(&c->place[s->in[i]], ones) << i;
			vm_loop *loop = n > 1 ? loop_of(q, scalars, &rest) : q->form[0].loop;
			if (k == 0 && at == 0 && (rest || !c->direct) && n > EAGER_BLOCK)
				most = EAGER_BLOCK;
			char *p[1 + VM_INPUTS];
			p[0] = address(c, &c->place[s->d], at, out, in, ones, uniforms);
			for (int i = 0; i < VM_INPUTS; i++)
				p[1 + i] = i < q->inputs ? address(c, &c->place[s->in[i]], at, out, in, ones, uniforms) : p[1];
			if (n > EAGER_BLOCK && most == n && !rest)
				map_shared(q, loop, scalars, n, p);
			else
				call(q, loop, rest, n - at < most ? n - at : most, p);
		}
	}
}

// A row of an operation: where the result and the inputs begin, and the bytes from element to element, 0 of an input that is one for all.
typedef struct {
	char *p[1 + VM_INPUTS];
	int64_t step[1 + VM_INPUTS];
} row;

static _Alignas(64) char beside[EAGER_BLOCK * EAGER_WIDEST]; // results of a block, that lie side by side

// block_row runs a primitive on a row, a block at a time: of what does not lie side by side, and of scalars that it has to have as vectors,
// it gets copies, which stay in the first-level cache.
static void block_row(const vm_primitive *q, vm_loop *loop, uint32_t rest, int64_t n, const row *r)
{
	int apart = r->step[0] != q->size[0];
	for (int64_t at = 0; at < n; at += EAGER_BLOCK) {
		int64_t few = n - at < EAGER_BLOCK ? n - at : EAGER_BLOCK;
		char *p[1 + VM_INPUTS], *to = r->p[0] + at * r->step[0];
		p[0] = apart ? beside : to;
		for (int i = 1; i <= VM_INPUTS; i++) {
			p[i] = r->p[i] + at * r->step[i];
			if (i == 2 && r->p[2] == r->p[1] && r->step[2] == r->step[1] && q->size[2] == q->size[1]) { // a square
				p[2] = p[1];
			} else if (i <= q->inputs && r->step[i] && r->step[i] != q->size[i]) {
				eager_copy(q->size[i], few, spread[i - 1], q->size[i], p[i], r->step[i]);
				p[i] = spread[i - 1];
			}
		}
		call(q, loop, rest, few, p);
		if (apart)
			eager_copy(q->size[0], few, to, r->step[0], beside, q->size[0]);
	}
}

int eager_along(int axes, const int64_t *shape)
{
	int last = axes - 1, longest = last;
	if (last < 0 || shape[last] >= EAGER_NARROW)
		return last;
	for (int k = last - 1; k >= 0; k--)
		if (shape[k] > shape[longest])
			longest = k;
	return shape[longest] >= 2 * shape[last] ? longest : last;
}

void eager_rows(const eager_code *c, int axes, const int64_t *shape, char *out, char *const *in, const int64_t (*steps)[1 + EAGER_INPUTS],
	uint32_t ones, const uint64_t (*uniforms)[2])
{
	const eager_step *s = c->step;
	const vm_primitive *q = s->primitive;
	uint32_t scalars = 0, rest;
	int last = axes - 1, blocks = steps[last][0] != q->size[0];
	int64_t at[EAGER_AXES] = {0}, move[EAGER_AXES][1 + VM_INPUTS] = {{0}}, n = shape[last];
	row r = {{out}, {steps[last][0]}};
	for (int i = 0; i < VM_INPUTS; i++) {
		const eager_place *v = &c->place[s->in[i < q->inputs ? i : 0]];
		r.p[1 + i] = address(c, v, 0, out, in, ones, uniforms);
		if (i < q->inputs)
			scalars |= (uint32_t)is_scalar(v, ones) << i;
		for (int k = 0; k < last; k++)
			move[k][1 + i] = v->kind == EAGER_INPUT ? steps[k][1 + v->n] : 0;
		r.step[1 + i] = i >= q->inputs || is_scalar(v, ones) ? 0 : steps[last][1 + v->n];
		blocks = blocks || (r.step[1 + i] && r.step[1 + i] != q->size[1 + i]);
	}
	for (int k = 0; k < last; k++)
		move[k][0] = steps[k][0];
	vm_loop *loop = loop_of(q, scalars, &rest);
	for (int axis = 0; axis >= 0;) {
		if (rest || blocks)
			block_row(q, loop, rest, n, &r);
		else
			loop(n, r.p);
		for (axis = last - 1; axis >= 0; axis--) {
			int64_t back = ++at[axis] < shape[axis] ? 0 : shape[axis];
			for (int i = 0; i <= VM_INPUTS; i++)
				r.p[i] += move[axis][i] * (1 - back);
			if (!back)
				break;
			at[axis] = 0;
		}
	}
}

int eager_joined(const eager_layout *l, int64_t *shape, int64_t *strides)
{
	int n = 0;
	for (int k = 0; k < l->ndim; k++) {
		if (l->shape[k] == 1)
			continue;
		if (n > 0 && strides[n - 1] == l->strides[k] * l->shape[k])
			shape[n - 1] *= l->shape[k];
		else
			shape[n++] = l->shape[k];
		strides[n - 1] = l->strides[k];
	}
	return n;
}

// go_on goes to the next point along all axes but one or two, in the order of C.
static inline void go_on(const eager_layout *l, int but, int other, int64_t *at, const int64_t *apart, char **strided, char **packed)
{
	for (int k = l->ndim - 1; k >= 0; k--) {
		if (k == but || k == other)
			continue;
		*strided += l->strides[k];
		*packed += apart[k];
		if (++at[k] < l->shape[k])
			return;
		*strided -= l->shape[k] * l->strides[k];
		*packed -= l->shape[k] * apart[k];
		at[k] = 0;
	}
}

enum { TURNED = 8 }; // elements of each of two axes that are worth it to be copied as a block

// beside_of is the axis other than the last one along which elements lie side by side, in either direction, or -1.
static int beside_of(int size, const eager_layout *l)
{
	const int last = l->ndim - 1;
	int found = -1;
	for (int k = 0; k < last; k++)
		if ((l->strides[k] == size || l->strides[k] == -size) && l->shape[k] >= TURNED && l->shape[last] >= TURNED)
			found = k;
	return last >= 0 && (l->strides[last] == size || l->strides[last] == -size) ? -1 : found;
}

// walk_turned copies blocks of an axis along which elements lie side by side in the array, and the last one, along which they do where they are packed.
static void walk_turned(int size, const eager_layout *l, int axis, char *strided, char *packed, const int64_t *apart, int out)
{
	const int last = l->ndim - 1, back = l->strides[axis] < 0;
	const int64_t along = l->shape[axis], across = l->shape[last], step = l->strides[last], next = back ? -apart[axis] : apart[axis];
	int64_t at[EAGER_AXES] = {0};
	for (int64_t done = 0; done < l->size; done += along * across) {
		char *low = back ? strided + (along - 1) * l->strides[axis] : strided, *first = back ? packed + (along - 1) * apart[axis] : packed;
		if (out)
			eager_turn(size, across, along, first, next, low, step);
		else
			eager_turn(size, along, across, low, step, first, next);
		go_on(l, axis, last, at, apart, &strided, &packed);
	}
}

// walk calls eager_copy for each run along an axis: the last one, or, where that is short, as of points with two or three coordinates, the longest.
static void walk(int size, const eager_layout *given, char *strided, char *packed, int out)
{
	int64_t shape[EAGER_AXES], strides[EAGER_AXES];
	const eager_layout joined = {eager_joined(given, shape, strides), given->size, shape, strides}, *l = &joined;
	int along = eager_along(l->ndim, l->shape);
	if (along < 0) {
		eager_copy(size, 1, out ? strided : packed, size, out ? packed : strided, size);
		return;
	}
	int64_t at[EAGER_AXES] = {0}, apart[EAGER_AXES], run = l->shape[along], step = l->strides[along];
	for (int64_t k = l->ndim - 1, of = size; k >= 0; of *= l->shape[k--])
		apart[k] = of;
	const int axis = beside_of(size, l);
	if (axis >= 0) {
		walk_turned(size, l, axis, strided, packed, apart, out);
		return;
	}
	for (int64_t done = 0; done < l->size; done += run) {
		if (out)
			eager_copy(size, run, strided, step, packed, apart[along]);
		else
			eager_copy(size, run, packed, apart[along], strided, step);
		go_on(l, along, along, at, apart, &strided, &packed);
	}
}

#define FILL(T) { \
	const T value = *(const T *)one; \
	if (step == sizeof(T)) { \
		T *side = (T *)to; \
		for (int64_t i = 0; i < n; i++) \
			side[i] = value; \
	} else { \
		_Pragma("GCC unroll 8") for (int64_t i = 0; i < n; i++, to += step) \
			*(T *)to = value; \
	} \
	break; \
}

// fill writes one element to n places.
static void fill(int size, int64_t n, char *to, int64_t step, const char *one)
{
	switch (size) {
	case 1: FILL(uint8_t)
	case 2: FILL(uint16_t)
	case 4: FILL(uint32_t)
	case 8: FILL(uint64_t)
	default: FILL(wide)
	}
}

void eager_fill(int size, const eager_layout *given, const char *one, char *to)
{
	int64_t shape[EAGER_AXES], strides[EAGER_AXES];
	const eager_layout joined = {eager_joined(given, shape, strides), given->size, shape, strides}, *l = &joined;
	int64_t at[EAGER_AXES] = {0}, along = eager_along(l->ndim, l->shape);
	int64_t run = l->ndim ? l->shape[along] : 1, step = l->ndim ? l->strides[along] : size;
	for (int64_t done = 0; done < l->size; done += run) {
		fill(size, run, to, step, one);
		for (int64_t k = l->ndim - 1; k >= 0; k--) {
			if (k == along)
				continue;
			to += l->strides[k];
			if (++at[k] < l->shape[k])
				break;
			to -= l->shape[k] * l->strides[k];
			at[k] = 0;
		}
	}
}

void eager_pack(int size, const eager_layout *l, const char *from, char *to) { walk(size, l, (char *)from, to, 0); }

void eager_unpack(int size, const eager_layout *l, const char *from, char *to) { walk(size, l, to, (char *)from, 1); }
