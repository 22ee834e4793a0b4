/* What an entry reaches: its functions, where their registers and frames lie, the shared memory they use. And what the driver half asks
   of a module. */
#include "machine.h"
#include "parse.h"
#include <stdlib.h>
#include <string.h>

enum { UNSEEN, OPEN, DONE };

static void visit(function *entry, function *f, int *room) {
	f->mark = OPEN;
	entry->reach = fake_grow(entry->reach, room, entry->reach_count, sizeof(function *));
	entry->reach[entry->reach_count++] = f;
	for (int i = 0; i < f->count; i++) {
		if (!f->code[i].call)
			continue;
		function *callee = f->code[i].call->callee;
		if (callee->mark == OPEN)
			entry->recurses = true;
		else if (callee->mark == UNSEEN)
			visit(entry, callee, room);
	}
	f->mark = DONE;
}

static void lay_out(fake_module *m, function *e) {
	int n = e->reach_count;
	e->base = calloc((size_t)n, sizeof *e->base);
	e->frame_base = calloc((size_t)n, sizeof *e->frame_base);
	e->shared_offset = calloc((size_t)m->shared_count + 1, sizeof *e->shared_offset);
	if (!e->base || !e->frame_base || !e->shared_offset)
		abort();
	for (int v = 0; v < m->shared_count; v++)
		e->shared_offset[v] = -1;
	e->shared_align = 16;
	for (int i = 0; i < n; i++) {
		function *f = e->reach[i];
		e->base[i] = e->slots;
		e->slots += f->registers + f->value_count;
		e->frame_base[i] = (e->lane_bytes + 15) / 16 * 16;
		e->lane_bytes = e->frame_base[i] + f->frame;
		for (int k = 0; k < f->value_count; k++) {
			if (f->values[k].kind != V_SHARED)
				continue;
			shared_variable *s = &m->shared[f->values[k].value];
			int64_t *at = &e->shared_offset[f->values[k].value];
			if (s->align > e->shared_align)
				e->shared_align = s->align;
			if (s->dynamic) {
				*at = -2;
			} else if (*at < 0) {
				e->shared_static = (e->shared_static + s->align - 1) / s->align * s->align;
				*at = e->shared_static;
				e->shared_static += s->bytes;
			}
		}
	}
}

/* relocate gives the variables that hold addresses of variables their values. */
static void relocate(fake_module *m) {
	for (int i = 0; i < m->relocation_count; i++) {
		relocation *r = &m->relocations[i];
		uint64_t v = r->offset + (r->of == S_GLOBAL ? (uint64_t)(uintptr_t)m->memory : (uint64_t)(uintptr_t)m->constants);
		memcpy((r->in == S_GLOBAL ? m->memory : m->constants) + r->at, &v, sizeof v);
	}
}

bool fake_link(fake_module *m) {
	for (int i = 0; i < m->function_count; i++) {
		function *e = &m->functions[i]->f;
		if (!e->entry || !e->name)
			continue;
		for (int k = 0; k < m->function_count; k++)
			m->functions[k]->f.mark = UNSEEN;
		int room = 0;
		visit(e, e, &room);
		lay_out(m, e);
	}
	relocate(m);
	return true;
}

void fake_module_free(fake_module *m) {
	if (!m)
		return;
	for (int i = 0; i < m->function_count; i++) {
		function *f = &m->functions[i]->f;
		for (int k = 0; k < f->count; k++)
			if (f->code[k].call) {
				free(f->code[k].call->arguments);
				free(f->code[k].call->results);
				free(f->code[k].call);
			}
		free(f->code);
		free(f->name);
		free(f->values);
		free(f->results);
		free(f->formals);
		free(f->params);
		free(f->reach);
		free(f->base);
		free(f->frame_base);
		free(f->shared_offset);
		free(m->functions[i]);
	}
	for (int i = 0; i < m->global_count; i++)
		free(m->globals[i].name);
	free(m->functions);
	free(m->globals);
	free(m->shared);
	free(m->relocations);
	free(m->memory);
	free(m->constants);
	free(m);
}

const fake_kernel *fake_entry(const fake_module *m, const char *name) {
	for (int i = 0; i < m->function_count; i++)
		if (m->functions[i]->f.entry && m->functions[i]->f.name && !strcmp(m->functions[i]->f.name, name))
			return m->functions[i];
	return NULL;
}

const char *fake_entry_name(const fake_kernel *k) { return k->f.name; }
size_t fake_param_count(const fake_kernel *k) { return (size_t)k->f.param_count; }

void fake_param(const fake_kernel *k, size_t i, size_t *offset, size_t *size) {
	*offset = k->f.params[i].offset;
	*size = k->f.params[i].bytes;
}

size_t fake_param_bytes(const fake_kernel *k) { return k->f.param_bytes; }
uint32_t fake_shared_bytes(const fake_kernel *k) { return k->f.shared_static; }
void fake_max_threads(const fake_kernel *k, uint32_t n[3]) { memcpy(n, k->f.maxntid, sizeof k->f.maxntid); }

/* fake_registers is an estimate: this machine allocates none. A quarter of what is declared lives at a time, 16 at least. */
int fake_registers(const fake_kernel *k) {
	int n = 16 + k->f.registers / 4;
	return n > 255 ? 255 : n;
}

int fake_global(const fake_module *m, const char *name, void **at, size_t *bytes) {
	for (int i = 0; i < m->global_count; i++) {
		if (strcmp(m->globals[i].name, name))
			continue;
		*at = (m->globals[i].constant ? m->constants : m->memory) + m->globals[i].at;
		*bytes = m->globals[i].bytes;
		return 0;
	}
	return 500; /* CUDA_ERROR_NOT_FOUND */
}
