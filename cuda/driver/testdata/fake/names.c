/* Names and their scopes. A block of statements in braces is a scope, for registers, variables and labels alike. */
#include "machine.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 12 };

static uint32_t hash(const char *s, size_t n) {
	uint32_t h = 2166136261u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)s[i]) * 16777619u;
	return h % BUCKETS;
}

static name *lookup(parser *p, const char *text, size_t n) {
	if (p->buckets)
		for (name *s = p->buckets[hash(text, n)]; s; s = s->next)
			if (s->length == n && !memcmp(s->text, text, n))
				return s;
	return NULL;
}

/* fake_find finds a name, or the range %r<n> that it is in; index is its place there. */
name *fake_find(parser *p, const char *text, size_t n, int *index) {
	*index = 0;
	name *s = lookup(p, text, n);
	if (s && !s->count)
		return s;
	size_t stem = n;
	while (stem > 0 && isdigit((unsigned char)text[stem - 1]))
		stem--;
	if (stem == n)
		return NULL;
	/* %r12 is in %r<20>, but also in %r1<5>: each end of the stem is tried. A number has no leading zero. */
	for (; stem < n; stem++) {
		if (text[stem] == '0' && stem + 1 < n)
			continue;
		s = lookup(p, text, stem);
		long i = 0;
		for (size_t k = stem; k < n && i < 1 << 24; k++)
			i = 10 * i + text[k] - '0';
		if (s && s->count && i < s->count) {
			*index = (int)i;
			return s;
		}
	}
	return NULL;
}

name *fake_declare(parser *p, const char *text, size_t n, name_kind kind, uint32_t line) {
	if (!p->buckets)
		p->buckets = calloc(BUCKETS, sizeof *p->buckets);
	name *old = lookup(p, text, n);
	if (old && old->scope == p->scope)
		fake_error(p, line, "Duplicate definition of '%.*s', first on line %u", (int)n, text, old->line);
	name *s = calloc(1, sizeof *s);
	if (!s || !p->buckets)
		abort();
	uint32_t h = hash(text, n);
	*s = (name){.next = p->buckets[h], .text = text, .length = n, .scope = p->scope, .kind = kind, .line = line};
	p->buckets[h] = s;
	p->stack = fake_grow(p->stack, &p->stack_room, p->stack_count, sizeof *p->stack);
	p->stack[p->stack_count++] = s;
	return s;
}

void fake_open(parser *p) {
	int depth = 0;
	while (p->scopes && p->scopes[depth] >= 0)
		depth++;
	p->scopes = fake_grow(p->scopes, &p->scopes_room, depth + 1, sizeof *p->scopes);
	p->scopes[depth] = p->scope;
	p->scopes[depth + 1] = -1;
	p->scope = ++p->scope_next;
}

/* fake_close ends a scope: its names go, its labels are found, and what it does not have is looked for outside. */
void fake_close(parser *p) {
	int depth = 0;
	while (p->scopes[depth] >= 0)
		depth++;
	int outer = p->scopes[depth - 1];
	while (p->stack_count && p->stack[p->stack_count - 1]->scope == p->scope) {
		name *s = p->stack[--p->stack_count];
		name **at = &p->buckets[hash(s->text, s->length)];
		while (*at != s)
			at = &(*at)->next;
		*at = s->next;
		free(s);
	}
	int kept = 0;
	for (int i = 0; i < p->use_count; i++) {
		label *u = &p->uses[i];
		bool found = false;
		for (int k = 0; u->scope == p->scope && k < p->label_count && !found; k++) {
			label *l = &p->labels[k];
			if (l->scope != p->scope || l->length != u->length || memcmp(l->name, u->name, u->length))
				continue;
			p->f->code[u->pc].target = (uint32_t)l->pc;
			found = true;
		}
		if (found)
			continue;
		if (u->scope == p->scope)
			u->scope = outer;
		if (u->scope == 0)
			fake_error(p, u->line, "Undefined label '%.*s'", (int)u->length, u->name);
		else
			p->uses[kept++] = *u;
	}
	p->use_count = kept;
	kept = 0;
	for (int k = 0; k < p->label_count; k++)
		if (p->labels[k].scope != p->scope)
			p->labels[kept++] = p->labels[k];
	p->label_count = kept;
	p->scope = outer;
	p->scopes[depth - 1] = -1;
}
