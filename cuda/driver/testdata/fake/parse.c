/* A module's text: directives, entries and functions. */
#include "machine.h"
#include "parse.h"
#include <stdlib.h>
#include <string.h>

enum { NEWEST = 90 }; /* the version of PTX that the driver reads, times ten */

/* line passes to the end of the line: .loc and .file end there. */
static void line(parser *p) {
	uint32_t at = p->token.line;
	while (p->token.kind != K_END && p->token.line == at)
		fake_next(p);
}

static void braces(parser *p) {
	int depth = 0;
	do {
		depth += fake_is(p, "{") - fake_is(p, "}");
		fake_next(p);
	} while (depth && p->token.kind != K_END);
}

static void statement_end(parser *p) {
	while (p->token.kind != K_END && !fake_is(p, ";"))
		fake_next(p);
	fake_take(p, ";");
}

/* is_label looks ahead for a colon. */
static bool is_label(const parser *p) {
	const char *at = p->at;
	while (at < p->end && (*at == ' ' || *at == '\t'))
		at++;
	return p->token.kind == K_NAME && at < p->end && *at == ':' && !(at + 1 < p->end && at[1] == ':');
}

static void define_label(parser *p) {
	token t = p->token;
	for (int i = 0; i < p->label_count; i++)
		if (p->labels[i].scope == p->scope && p->labels[i].length == t.length && !memcmp(p->labels[i].name, t.at, t.length))
			fake_error(p, t.line, "Duplicate definition of label '%.*s'", (int)t.length, t.at);
	p->labels = fake_grow(p->labels, &p->label_room, p->label_count, sizeof *p->labels);
	p->labels[p->label_count++] = (label){(char *)t.at, t.length, p->scope, p->f->count, t.line};
	fake_next(p);
	fake_next(p);
}

static const struct { const char *name; uint8_t space; } state_spaces[] = {
	{"local", S_LOCAL}, {"shared", S_SHARED}, {"param", S_FRAME}, {"global", S_GLOBAL}, {"const", S_CONST},
};

/* directive reads a directive inside a body. */
static void directive(parser *p, bool external) {
	token t = p->token;
	if (fake_take(p, "reg")) {
		fake_registers_declared(p);
		return;
	}
	for (size_t i = 0; i < sizeof state_spaces / sizeof *state_spaces; i++)
		if (fake_take(p, state_spaces[i].name)) {
			fake_declaration(p, state_spaces[i].space, external);
			return;
		}
	if (fake_is(p, "loc") || fake_is(p, "file")) {
		line(p);
	} else if (fake_is(p, "pragma")) {
		statement_end(p);
	} else if (fake_take(p, "extern")) {
		fake_expect(p, ".");
		directive(p, true);
	} else {
		fake_error(p, t.line, "Parsing error near '.%.*s': syntax error", (int)t.length, t.at);
		p->aborted = true;
	}
}

static void body(parser *p) {
	int depth = 1;
	while (!p->aborted && depth) {
		if (p->token.kind == K_END) {
			fake_expect(p, "}");
		} else if (fake_take(p, "{")) {
			fake_open(p);
			depth++;
		} else if (fake_is(p, "}")) {
			if (--depth)
				fake_close(p);
			fake_next(p);
		} else if (fake_take(p, ".")) {
			directive(p, false);
		} else if (is_label(p)) {
			define_label(p);
		} else if (!fake_take(p, ";")) {
			fake_statement(p);
		}
	}
}

/* settle turns the marked slots of values into the slots after the registers. */
static int32_t settled(const function *f, int32_t slot) { return slot >= VALUE_SLOT ? slot - VALUE_SLOT + f->registers : slot; }

static void settle(function *f) {
	for (int i = 0; i < f->count; i++) {
		inst *in = &f->code[i];
		for (int k = 0; k < 5; k++)
			in->s[k] = settled(f, in->s[k]);
		in->base = settled(f, in->base);
		for (int k = 0; in->call && k < in->call->argument_count; k++)
			if (!in->call->arguments[k].bytes)
				in->call->arguments[k].from = settled(f, in->call->arguments[k].from);
	}
}

static void performance(parser *p) {
	function *f = p->f;
	while (fake_is(p, ".")) {
		fake_next(p);
		token t = p->token;
		bool maxntid = fake_is(p, "maxntid"), reqntid = fake_is(p, "reqntid"), number = fake_is(p, "minnctapersm") || fake_is(p, "maxnreg") || fake_is(p, "maxnctapersm");
		fake_next(p);
		if (maxntid || reqntid) {
			f->reqntid = reqntid;
			for (int i = 0; i < 3; i++)
				f->maxntid[i] = 1;
			for (int i = 0; i < 3; i++) {
				f->maxntid[i] = (uint32_t)p->token.value;
				if (p->token.kind != K_INTEGER)
					fake_expect(p, "a number");
				fake_next(p);
				if (!fake_take(p, ","))
					break;
			}
		} else if (number) {
			fake_next(p);
		} else if (t.length == 6 && !memcmp(t.at, "pragma", 6)) {
			statement_end(p);
		} else if (t.length != 8 || memcmp(t.at, "noreturn", 8)) {
			fake_error(p, t.line, "Parsing error near '.%.*s': syntax error", (int)t.length, t.at);
			p->aborted = true;
			return;
		}
	}
}

static function *new_function(parser *p, bool entry) {
	fake_module *m = p->m;
	m->functions = fake_grow(m->functions, &m->function_room, m->function_count, sizeof *m->functions);
	struct fake_kernel *k = calloc(1, sizeof *k);
	if (!k)
		abort();
	k->f.index = m->function_count;
	m->functions[m->function_count++] = k;
	k->f.entry = entry;
	k->f.module = m;
	return &k->f;
}

/* same says whether a definition has the parameters of its declaration. */
static bool same(const function *a, const function *b) {
	bool ok = a->result_count == b->result_count && a->formal_count == b->formal_count;
	for (int i = 0; ok && i < a->result_count; i++)
		ok = a->results[i].bytes == b->results[i].bytes && a->results[i].type == b->results[i].type;
	for (int i = 0; ok && i < a->formal_count; i++)
		ok = a->formals[i].bytes == b->formals[i].bytes && a->formals[i].type == b->formals[i].type;
	return ok;
}

/* procedure reads an .entry or a .func. */
static void procedure(parser *p, bool entry) {
	function *f = new_function(p, entry);
	p->f = f;
	p->value_buckets = 0;
	fake_open(p);
	if (!entry && fake_is(p, "(") && !fake_formals(p, true))
		return;
	token t = p->token;
	f->line = t.line;
	if (t.kind != K_NAME) {
		fake_expect(p, "a name");
		return;
	}
	f->name = strndup(t.at, t.length);
	fake_next(p);
	if (fake_is(p, "(") && !fake_formals(p, false))
		return;
	performance(p);
	/* The name belongs outside. */
	int scope = p->scope, index;
	name *old = fake_find(p, t.at, t.length, &index);
	if (old && old->kind == N_FUNCTION) {
		function *first = &p->m->functions[old->at]->f;
		if (first->defined || first->entry != entry || !same(first, f)) {
			fake_error(p, t.line, "Duplicate definition of function '%s', first on line %u", f->name, old->line);
		} else { /* the definition takes the place of the declaration */
			function declared = *first;
			*first = *f;
			*f = declared;
			free(f->name);
			f->name = NULL;
			f->defined = false;
			p->f = f = first;
		}
	} else {
		/* Scopes close in the order of their opening, so that the outer name is put below the parameters' names. */
		name *own = fake_declare(p, t.at, t.length, N_FUNCTION, t.line);
		own->at = p->m->function_count - 1;
		own->scope = 0;
		int at = p->stack_count - 1;
		while (at > 0 && p->stack[at - 1]->scope == scope) {
			p->stack[at] = p->stack[at - 1];
			at--;
		}
		p->stack[at] = own;
	}
	if (fake_is(p, "{")) {
		f->defined = true;
		fake_next(p);
		body(p);
		inst end = {.guard = -1, .line = p->token.line, .base = -1, .op = O_RET, .d = {-1, -1, -1, -1}, .s = {-1, -1, -1, -1, -1}};
		fake_emit(p, end);
		if (!p->aborted)
			fake_close(p);
		settle(f);
	} else if (fake_expect(p, ";")) {
		fake_close(p);
	}
	p->f = NULL;
}

static void version(parser *p) {
	const char *at = p->token.at;
	char *end;
	long major = strtol(at, &end, 10), minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
	p->m->version = (int)(10 * major + minor);
	fake_next(p);
}

/* target reads .target; where there are several, the last architecture counts. */
static void target(parser *p) {
	do {
		token t = p->token;
		if (t.length > 3 && !memcmp(t.at, "sm_", 3)) {
			char *end;
			p->m->sm = (int)strtol(t.at + 3, &end, 10);
			p->architecture_only = *end == 'a' || *end == 'f';
		} else if (t.kind != K_NAME) {
			fake_expect(p, "an architecture");
			return;
		}
		fake_next(p);
	} while (fake_take(p, ","));
}

static void module_directive(parser *p) {
	bool external = false;
	token t = p->token;
	while (fake_take(p, "visible") || fake_take(p, "weak") || fake_take(p, "common") || fake_is(p, "extern")) {
		if (fake_is(p, "extern")) {
			external = true;
			fake_next(p);
		}
		if (!fake_expect(p, "."))
			return;
	}
	if (fake_take(p, "version")) {
		version(p);
	} else if (fake_take(p, "target")) {
		target(p);
	} else if (fake_take(p, "address_size")) {
		if (p->token.kind != K_INTEGER || p->token.value != 64)
			fake_error(p, p->token.line, "the address size is 64");
		fake_next(p);
	} else if (fake_take(p, "entry")) {
		procedure(p, true);
	} else if (fake_take(p, "func")) {
		procedure(p, false);
	} else if (fake_take(p, "section")) {
		while (p->token.kind != K_END && !fake_is(p, "{"))
			fake_next(p);
		braces(p);
	} else if (fake_is(p, "file") || fake_is(p, "loc")) {
		line(p);
	} else if (fake_is(p, "pragma") || fake_is(p, "alias")) {
		statement_end(p);
	} else {
		for (size_t i = 0; i < sizeof state_spaces / sizeof *state_spaces; i++)
			if (state_spaces[i].space != S_LOCAL && state_spaces[i].space != S_FRAME && fake_take(p, state_spaces[i].name)) {
				fake_declaration(p, state_spaces[i].space, external);
				return;
			}
		fake_error(p, t.line, "Parsing error near '.%.*s': syntax error", (int)t.length, t.at);
		p->aborted = true;
	}
}

static void free_parser(parser *p) {
	while (p->stack_count)
		free(p->stack[--p->stack_count]);
	free(p->stack);
	free(p->buckets);
	free(p->scopes);
	free(p->labels);
	free(p->uses);
	free(p->value_index);
}

int fake_module_load(fake_module **out, const char *text, int cc, fake_logs logs) {
	*out = NULL;
	fake_module *m = calloc(1, sizeof *m);
	if (!m)
		abort();
	m->cc = cc;
	parser p = {.text = text, .at = text, .end = text + strlen(text), .line = 1, .logs = logs, .m = m};
	if (logs.errors && logs.error_room)
		logs.errors[0] = 0;
	if (logs.infos && logs.info_room)
		logs.infos[0] = 0;
	int rc = 0;
	fake_next(&p);
	while (!rc && !p.aborted && p.token.kind != K_END) {
		uint32_t at = p.token.line;
		if (!fake_expect(&p, "."))
			break;
		module_directive(&p);
		if (!p.aborted && !m->version) {
			fake_error(&p, at, "Missing .version directive at start of file");
			p.aborted = true;
		} else if (m->version > NEWEST) {
			fake_error(&p, at, "Unsupported .version %d.%d; current version is '%d.%d'", m->version / 10, m->version % 10, NEWEST / 10, NEWEST % 10);
			rc = 222;
		} else if (m->sm > cc || (p.architecture_only && m->sm != cc)) {
			fake_error(&p, at, "SM version specified by .target is higher than the device's: sm_%d on sm_%d", m->sm, cc);
			rc = 209;
		}
	}
	if (!rc && !p.aborted && !m->sm)
		fake_error(&p, p.line, "Missing .target directive");
	for (int i = 0; !p.aborted && i < m->function_count; i++)
		if (m->functions[i]->f.name && !m->functions[i]->f.defined)
			fake_error(&p, m->functions[i]->f.line, "Unresolved extern function '%s'", m->functions[i]->f.name);
	if (!rc && p.errors)
		rc = 218;
	free_parser(&p);
	if (!rc && !fake_link(m))
		rc = 218;
	if (rc) {
		fake_module_free(m);
		return rc;
	}
	*out = m;
	return 0;
}
