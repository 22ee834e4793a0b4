/* Declarations: registers, variables with their initial values, parameters. */
#include "machine.h"
#include "parse.h"
#include <stdlib.h>
#include <string.h>

/* declared is what stands before a name: .align, vector, type. */
typedef struct { uint32_t align; int vector; type type; } declared;

static bool type_of(parser *p, declared *d) {
	*d = (declared){0, 1, T_NONE};
	while (fake_is(p, ".")) {
		fake_next(p);
		token t = p->token;
		if (fake_take(p, "align")) {
			d->align = (uint32_t)p->token.value;
			if (p->token.kind != K_INTEGER || !d->align || (d->align & (d->align - 1)))
				return fake_expect(p, "a power of two");
			fake_next(p);
		} else if (fake_take(p, "v2")) {
			d->vector = 2;
		} else if (fake_take(p, "v4")) {
			d->vector = 4;
		} else if (fake_take(p, "ptr")) { /* where a pointer parameter points is advice */
			while (fake_is(p, ".")) {
				fake_next(p);
				bool align = fake_is(p, "align");
				fake_next(p);
				if (align)
					fake_next(p);
			}
			return d->type ? true : fake_expect(p, "a type");
		} else if ((d->type = fake_type_named(t.at, t.length))) {
			fake_next(p);
			if (!fake_is(p, "."))
				return true;
		} else {
			return fake_expect(p, "a type");
		}
	}
	return d->type ? true : fake_expect(p, "a type");
}

/* fake_registers_declared reads what follows .reg. */
void fake_registers_declared(parser *p) {
	declared d;
	if (!type_of(p, &d))
		return;
	if (d.vector > 1) {
		fake_error(p, p->token.line, "the fake driver's machine has no vector registers");
		p->aborted = true;
		return;
	}
	do {
		token t = p->token;
		if (t.kind != K_NAME) {
			fake_expect(p, "a register");
			return;
		}
		fake_next(p);
		name *n = fake_declare(p, t.at, t.length, N_REGISTER, t.line);
		n->type = d.type;
		n->at = p->f->registers;
		int count = 1;
		if (fake_take(p, "<")) {
			n->count = count = (int)p->token.value;
			if (p->token.kind != K_INTEGER || count < 1 || p->token.value > 1 << 20) {
				fake_expect(p, "a number of registers");
				return;
			}
			fake_next(p);
			if (!fake_expect(p, ">"))
				return;
		}
		p->f->registers += count;
	} while (fake_take(p, ","));
	fake_expect(p, ";");
}

static uint8_t *storage(parser *p, space s, uint32_t bytes, uint32_t align, size_t *at) {
	fake_module *m = p->m;
	uint8_t **memory = s == S_GLOBAL ? &m->memory : &m->constants;
	size_t *used = s == S_GLOBAL ? &m->memory_bytes : &m->constant_bytes, *room = s == S_GLOBAL ? &m->memory_room : &m->constant_room;
	*at = (*used + align - 1) / align * align;
	*used = *at + bytes;
	if (*used > *room) {
		size_t more = 2 * *used + 4096;
		uint8_t *bigger;
		if (posix_memalign((void **)&bigger, 256, more))
			abort();
		memset(bigger, 0, more);
		if (*memory)
			memcpy(bigger, *memory, *room);
		free(*memory);
		*memory = bigger;
		*room = more;
	}
	return *memory + *at;
}

/* initial reads one initial value into bytes. */
static bool initial(parser *p, space s, size_t place, declared d) {
	fake_module *m = p->m;
	bool generic = fake_take(p, "generic") && fake_expect(p, "(");
	operand o;
	token t = p->token;
	int index;
	name *n = t.kind == K_NAME ? fake_find(p, t.at, t.length, &index) : NULL;
	uint64_t v = 0;
	if (n && n->kind == N_VARIABLE && (n->space == S_GLOBAL || n->space == S_CONST) && fake_types[d.type].bytes == 8) {
		fake_next(p);
		m->relocations = fake_grow(m->relocations, &m->relocation_room, m->relocation_count, sizeof *m->relocations);
		relocation *r = &m->relocations[m->relocation_count++];
		*r = (relocation){place, (uint8_t)s, n->space, (uint64_t)n->at};
		if (fake_take(p, "+")) {
			r->offset += p->token.value;
			fake_next(p);
		}
	} else {
		bool minus = fake_take(p, "-");
		t = p->token;
		if (t.kind == K_END || t.kind == K_NAME || t.kind == K_MARK || !fake_operand(p, &o))
			return fake_expect(p, "an initial value");
		v = t.value;
		if (fake_types[d.type].class == 'f') {
			union { float f; uint32_t u; } narrow = {.u = (uint32_t)v};
			union { double d; uint64_t u; } wide = {.u = v};
			double x = t.kind == K_FLOAT ? (double)narrow.f : t.kind == K_INTEGER ? (double)v : wide.d;
			wide.d = minus ? -x : x;
			narrow.f = (float)wide.d;
			if (t.kind != K_FLOAT || d.type != T_F32)
				v = d.type == T_F32 ? narrow.u : wide.u;
		} else if (t.kind != K_INTEGER) {
			fake_error(p, t.line, "a float constant does not initialise .%s", fake_types[d.type].name);
			return false;
		} else {
			v = minus ? -v : v;
		}
	}
	if (generic && !fake_expect(p, ")"))
		return false;
	memcpy((s == S_GLOBAL ? m->memory : m->constants) + place, &v, fake_types[d.type].bytes);
	return true;
}

static bool initials(parser *p, space s, size_t place, size_t end, declared d) {
	size_t at = place;
	uint32_t bytes = fake_types[d.type].bytes;
	int depth = 0;
	do {
		while (fake_take(p, "{"))
			depth++;
		if (at + bytes > end) {
			fake_error(p, p->token.line, "more initial values than the variable has elements");
			return false;
		}
		if (!initial(p, s, at, d))
			return false;
		at += bytes;
		while (depth && fake_take(p, "}"))
			depth--;
	} while (depth && fake_take(p, ","));
	return !depth || fake_expect(p, "}");
}

/* place gives a variable its place in its space. */
static void place(parser *p, name *n, space s, declared d, bool open) {
	fake_module *m = p->m;
	uint32_t align = d.align ? d.align : (uint32_t)fake_types[d.type].bytes * (uint32_t)d.vector;
	size_t at;
	switch (s) {
	case S_GLOBAL:
	case S_CONST:
		storage(p, s, n->bytes, align, &at);
		n->at = (int)at;
		m->globals = fake_grow(m->globals, &m->global_room, m->global_count, sizeof *m->globals);
		m->globals[m->global_count++] = (global){strndup(n->text, n->length), at, n->bytes, s == S_CONST};
		break;
	case S_SHARED:
		m->shared = fake_grow(m->shared, &m->shared_room, m->shared_count, sizeof *m->shared);
		n->at = m->shared_count;
		m->shared[m->shared_count++] = (shared_variable){n->bytes, align, open};
		break;
	default: /* .local, and .param of calls */
		p->f->frame = (p->f->frame + align - 1) / align * align;
		n->at = (int)p->f->frame;
		p->f->frame += n->bytes;
	}
}

/* dimensions reads [4][8]; open is set by []. */
static bool dimensions(parser *p, uint64_t *count, bool *open) {
	*count = 1;
	while (fake_take(p, "[")) {
		if (fake_is(p, "]")) {
			*open = true;
		} else {
			if (p->token.kind != K_INTEGER)
				return fake_expect(p, "a number of elements");
			*count *= p->token.value;
			fake_next(p);
		}
		if (!fake_expect(p, "]"))
			return false;
	}
	return true;
}

void fake_declaration(parser *p, space s, bool external) {
	declared d;
	if (!type_of(p, &d))
		return;
	do {
		token t = p->token;
		uint64_t count;
		bool open = false;
		if (t.kind != K_NAME) {
			fake_expect(p, "a name");
			return;
		}
		fake_next(p);
		int copies = 0;
		if (fake_take(p, "<")) { /* .param .b32 a<4> */
			copies = (int)p->token.value;
			fake_next(p);
			if (!fake_expect(p, ">"))
				return;
		}
		if (!dimensions(p, &count, &open))
			return;
		if (copies) {
			fake_error(p, t.line, "the fake driver's machine has no ranges of variables");
			p->aborted = true;
			return;
		}
		if (open && !(s == S_SHARED && external) && !fake_is(p, "=")) {
			fake_error(p, t.line, "'%.*s' has no size", (int)t.length, t.at);
			count = 1;
		}
		uint32_t each = (uint32_t)fake_types[d.type].bytes * (uint32_t)d.vector;
		if (open && fake_is(p, "=")) { /* as many elements as there are values */
			parser ahead = *p;
			int depth = 0;
			count = 1;
			do {
				fake_next(&ahead);
				depth += fake_is(&ahead, "{") - fake_is(&ahead, "}");
				count += fake_is(&ahead, ",");
			} while (depth > 0 && ahead.token.kind != K_END);
			open = false;
		}
		name *n = fake_declare(p, t.at, t.length, N_VARIABLE, t.line);
		n->space = (uint8_t)s;
		n->type = d.type;
		n->bytes = open ? 0 : (uint32_t)(count * each);
		place(p, n, s, d, open);
		if (fake_take(p, "=")) {
			if (s != S_GLOBAL && s != S_CONST)
				fake_error(p, t.line, "Initial value not allowed for '%.*s'", (int)t.length, t.at);
			else if (!initials(p, s, (size_t)n->at, (size_t)n->at + n->bytes, d))
				return;
		}
	} while (!p->aborted && fake_take(p, ","));
	fake_expect(p, ";");
}

/* fake_formals reads the parameters in parentheses of an entry or a function, or its results. */
bool fake_formals(parser *p, bool results) {
	function *f = p->f;
	if (!fake_expect(p, "(") || fake_take(p, ")"))
		return !p->aborted;
	int room = 0, count = 0, param_room = 0;
	formal *list = NULL;
	do {
		declared d;
		uint64_t elements;
		bool open = false;
		if (!fake_expect(p, "."))
			break;
		bool in_register = fake_take(p, "reg");
		if (!in_register && !fake_expect(p, "param"))
			break;
		if (!type_of(p, &d))
			break;
		token t = p->token;
		if (t.kind != K_NAME) {
			fake_expect(p, "a name");
			break;
		}
		fake_next(p);
		if (!dimensions(p, &elements, &open))
			break;
		if (in_register && f->entry)
			fake_error(p, t.line, "a parameter of an entry is in .param");
		name *n = fake_declare(p, t.at, t.length, in_register ? N_REGISTER : N_VARIABLE, t.line);
		n->type = d.type;
		uint32_t each = fake_types[d.type].bytes, align = d.align ? d.align : each;
		n->bytes = (uint32_t)elements * each;
		list = fake_grow(list, &room, count, sizeof *list);
		if (in_register) {
			n->at = f->registers++;
			list[count++] = (formal){n->at, 0, d.type};
		} else if (f->entry) {
			n->space = S_PARAM;
			f->param_bytes = (f->param_bytes + align - 1) / align * align;
			n->at = (int)f->param_bytes;
			f->param_bytes += n->bytes;
			f->params = fake_grow(f->params, &param_room, f->param_count, sizeof *f->params);
			f->params[f->param_count++] = (param){(uint32_t)n->at, n->bytes};
		} else {
			n->space = S_FRAME;
			f->frame = (f->frame + align - 1) / align * align;
			n->at = (int)f->frame;
			f->frame += n->bytes;
			list[count++] = (formal){n->at, n->bytes, d.type};
		}
	} while (fake_take(p, ","));
	if (results) {
		f->results = list;
		f->result_count = count;
	} else {
		f->formals = list;
		f->formal_count = count;
	}
	return !p->aborted && fake_expect(p, ")");
}
