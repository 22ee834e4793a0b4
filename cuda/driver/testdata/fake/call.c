/* The call instruction: arguments and results against the function's. */
#include "machine.h"
#include "parse.h"
#include <stdlib.h>
#include <string.h>

/* pass pairs an operand with a formal; false where the kinds differ. */
static bool pass(parser *p, const operand *o, const formal *f, passed *out) {
	*out = (passed){0, f->at, f->bytes};
	if (f->bytes) { /* a .param variable of the caller, or a register or constant where it is one value */
		if (o->kind != A_VARIABLE || o->name->space != S_FRAME || o->name->bytes != f->bytes || fake_types[o->name->type].class == 'p')
			return false;
		out->from = (int32_t)o->offset;
		return true;
	}
	if (o->kind == A_CONSTANT) {
		out->from = fake_constant(p, o, (type)f->type);
		return out->from >= 0;
	}
	out->from = o->slot;
	return o->kind == A_REGISTER && fake_type_fits((type)f->type, o->type, false);
}

static bool list(parser *p, operand *o, int *n) {
	*n = 0;
	if (fake_take(p, ")"))
		return true;
	do {
		if (*n == 64 || !fake_operand(p, &o[(*n)++]))
			return false;
	} while (fake_take(p, ","));
	return fake_expect(p, ")");
}

/* fake_call reads what follows "call": (results), name, (arguments). */
void fake_call(parser *p, inst in, bool uni) {
	(void)uni;
	operand *results = calloc(128, sizeof *results), *arguments = results + 64;
	int result_count = 0, argument_count = 0, index;
	if (!results)
		abort();
	bool ok = !fake_take(p, "(") || (list(p, results, &result_count) && fake_expect(p, ","));
	token t = p->token;
	name *n = ok && t.kind == K_NAME ? fake_find(p, t.at, t.length, &index) : NULL;
	if (ok && (!n || n->kind != N_FUNCTION)) {
		fake_error(p, t.line, n ? "the fake driver's machine has no indirect calls: '%.*s'" : "Call to '%.*s' requires call prototype", (int)t.length, t.at);
		ok = false;
	} else if (ok) {
		fake_next(p);
		ok = !fake_take(p, ",") || (fake_expect(p, "(") && list(p, arguments, &argument_count));
	}
	if (ok) {
		function *f = &p->m->functions[n->at]->f;
		call *c = calloc(1, sizeof *c);
		if (!c)
			abort();
		*c = (call){f, calloc((size_t)argument_count + 1, sizeof(passed)), calloc((size_t)result_count + 1, sizeof(passed)), argument_count, result_count};
		ok = !f->entry && result_count == f->result_count && argument_count == f->formal_count;
		for (int i = 0; ok && i < argument_count; i++)
			ok = pass(p, &arguments[i], &f->formals[i], &c->arguments[i]);
		for (int i = 0; ok && i < result_count; i++)
			ok = results[i].kind != A_CONSTANT && pass(p, &results[i], &f->results[i], &c->results[i]);
		if (!ok)
			fake_error(p, in.line, "Call to '%s' does not match its definition on line %u", f->name, f->line);
		in.op = O_CALL;
		in.call = c;
		fake_emit(p, in);
	}
	free(results);
	if (!ok && !p->aborted)
		while (p->token.kind != K_END && !fake_is(p, ";"))
			fake_next(p);
}
