/* One instruction of the text: guard, opcode and words, operands. */
#include "machine.h"
#include "parse.h"
#include <stdlib.h>
#include <string.h>

pure *fake_find_pure(const inst *in);

inst *fake_emit(parser *p, inst in) {
	function *f = p->f;
	f->code = fake_grow(f->code, &f->room, f->count, sizeof *f->code);
	f->code[f->count] = in;
	return &f->code[f->count++];
}

/* guard reads @p or @!p. */
static bool guard(parser *p, inst *in) {
	if (!fake_take(p, "@"))
		return true;
	in->guard_not = fake_take(p, "!");
	operand o;
	if (!fake_operand(p, &o))
		return false;
	if (o.kind != A_REGISTER || o.type != T_PRED) {
		fake_error(p, o.token.line, "Predicate expression expected");
		return false;
	}
	in->guard = o.slot;
	return true;
}

/* spell reads the words after an opcode, "::" included. */
static int spell(parser *p, spelled list[16]) {
	int n = 0;
	while (fake_is(p, ".") && n < 16) {
		fake_next(p);
		const char *at = p->token.at;
		const char *end = at + p->token.length;
		fake_next(p);
		while (fake_is(p, ":") && p->token.joined && p->at < p->end && *p->at == ':') {
			fake_next(p);
			fake_next(p);
			end = p->token.at + p->token.length;
			fake_next(p);
			if (p->token.joined && p->token.kind == K_NAME) { /* 128B is a number and a name to the lexer */
				end = p->token.at + p->token.length;
				fake_next(p);
			}
		}
		list[n] = (spelled){at, (size_t)(end - at), 0};
		list[n].id = fake_word_id(at, list[n].length);
		n++;
	}
	return n;
}

static void use_label(parser *p, const token *t) {
	p->uses = fake_grow(p->uses, &p->use_room, p->use_count, sizeof *p->uses);
	p->uses[p->use_count++] = (label){(char *)t->at, t->length, p->scope, p->f->count, t->line};
}

/* elements are the halves of a mov that packs or unpacks: together as wide as the whole. */
static bool elements(parser *p, const operand *v, type whole, inst *in, bool unpack) {
	int bytes = fake_types[whole].bytes;
	bool ok = fake_types[whole].class == 'b' && (v->count == 2 || v->count == 4);
	for (int i = 0; ok && i < v->count; i++) {
		type e = (type)v->element_types[i];
		ok = (!e && (unpack ? v->elements[i] < 0 : v->elements[i] >= 0)) || (e != T_PRED && e && fake_types[e].bytes * v->count == bytes);
		*(unpack ? &in->d[i] : &in->s[i]) = v->elements[i];
	}
	if (!ok) {
		fake_error(p, in->line, "Arguments mismatch for instruction 'mov'");
		return false;
	}
	in->vector = (uint8_t)v->count;
	in->dst_bytes = (uint8_t)(bytes / v->count);
	in->source_count = (uint8_t)(unpack ? 1 : v->count);
	in->op = unpack ? O_UNPACK : O_PACK;
	return true;
}

static bool mov(parser *p, const operand *o, type t, inst *in) {
	int bytes = fake_types[t].bytes;
	const char *what = "Arguments mismatch for instruction 'mov'";
	if (o[0].kind == A_VECTOR) {
		if (o[1].kind == A_REGISTER && fake_type_fits(t, o[1].type, false)) {
			in->s[0] = o[1].slot;
			return elements(p, &o[0], t, in, true);
		}
		fake_error(p, in->line, "%s", what);
		return false;
	}
	if (o[0].kind != A_REGISTER || o[0].negated || !fake_type_fits(t, o[0].type, false)) {
		fake_error(p, in->line, o[0].kind == A_REGISTER ? "%s" : "Result register required for instruction 'mov'", what);
		return false;
	}
	in->d[0] = o[0].slot;
	in->source_count = 1;
	bool ok = true;
	switch (o[1].kind) {
	case A_VECTOR:
		return elements(p, &o[1], t, in, false);
	case A_REGISTER:
		ok = fake_type_fits(t, o[1].type, false) && (!o[1].negated || t == T_PRED) && o[1].second < 0;
		in->s[0] = o[1].slot;
		in->inverse = o[1].negated;
		break;
	case A_CONSTANT:
		in->s[0] = fake_constant(p, &o[1], t);
		ok = in->s[0] >= 0;
		break;
	case A_VALUE: /* an index or a size may be read into 16 bits, %gridid into 32 */
		ok = fake_types[t].class != 'f' && (bytes == fake_types[o[1].type].bytes || (bytes == 2 && p->f->values[o[1].slot - VALUE_SLOT].kind <= V_NCTAID_Z) || (bytes == 4 && o[1].type == T_U64));
		in->s[0] = o[1].slot;
		break;
	case A_CLOCK:
		ok = fake_types[t].class != 'f' && bytes == fake_types[o[1].type].bytes;
		in->op = O_CLOCK;
		in->mode = (uint8_t)o[1].clock;
		in->source_count = 0;
		break;
	case A_VARIABLE:
		ok = fake_types[t].class != 'f' && bytes >= 4;
		if (ok && bytes == 4 && o[1].name->space == S_GLOBAL)
			what = "an address of 64 bits does not fit into a register of 32";
		ok = ok && !(bytes == 4 && o[1].name->space == S_GLOBAL);
		in->op = O_MOV;
		in->base = -2;
		in->s[0] = o[1].slot;
		in->source_count = o[1].slot >= 0;
		in->offset = o[1].offset;
		break;
	default:
		ok = false;
	}
	if (!ok)
		fake_error(p, in->line, "%s", what);
	return ok;
}

/* reach checks that the target and the version of PTX have an instruction. */
static bool reach(parser *p, const form *row, const words *w, uint32_t line) {
	if (p->m->sm < row->sm)
		fake_error(p, line, "Feature '%s' requires .target sm_%d or higher", row->name, row->sm);
	else if (p->m->version < row->ptx)
		fake_error(p, line, "Feature '%s' requires PTX ISA .version %d.%d or later", row->name, row->ptx / 10, row->ptx % 10);
	else if (p->m->version < 83 && (has(w, W_PARAMENTRY) || has(w, W_PARAMFUNC)))
		fake_error(p, line, "Feature '::entry' requires PTX ISA .version 8.3 or later");
	else
		return true;
	return false;
}

static bool barrier_rules(parser *p, const operand *o, int n, const inst *in) {
	int first = in->atom ? 1 : 0;
	if (o[first].kind == A_CONSTANT && o[first].token.value > 15) {
		fake_error(p, in->line, "Barrier number '%llu' out of range, expected to be in range [0..15]", (unsigned long long)o[first].token.value);
		return false;
	}
	int count = n - first - (in->atom ? 1 : 0);
	if (count == 2 && o[first + 1].kind == A_CONSTANT && o[first + 1].token.value % LANES) {
		fake_error(p, in->line, "Number of threads participating in barrier must be in multiple of warp size");
		return false;
	}
	return true;
}

/* rest passes to the end of a statement. */
static void rest(parser *p) {
	while (p->token.kind != K_END && !fake_is(p, ";") && !fake_is(p, "}"))
		fake_next(p);
	fake_take(p, ";");
}

/* runs_without says whether an instruction is run by the warp, not by a pure function. */
static bool runs_without(const inst *in) {
	switch (in->op) {
	case O_CLOCK: case O_CVTA: case O_ISSPACEP: case O_PACK: case O_UNPACK: case O_ADDC: case O_SUBC: case O_MADC: case O_MADCHI:
		return true;
	case O_MOV:
		return in->base == -2;
	default:
		return in->op >= O_LD || in->carry_out;
	}
}

static bool instruction(parser *p, inst in) {
	token name = p->token;
	if (name.kind != K_NAME)
		return fake_expect(p, "an instruction");
	fake_next(p);
	spelled list[16];
	int words_count = spell(p, list);
	if (name.length == 4 && !memcmp(name.at, "call", 4)) {
		fake_call(p, in, words_count > 0);
		return true;
	}
	int rows;
	const form *row = fake_forms_of(name.at, name.length, &rows);
	if (!row) {
		fake_error(p, name.line, "Not a name of any known instruction: '%.*s'", (int)name.length, name.at);
		return false;
	}
	operand o[6];
	int n = 0;
	if (row->op == O_BRA && p->token.kind == K_NAME) {
		o[n++] = (operand){.kind = A_NAME, .token = p->token};
		if (p->token.at[0] == '%')
			o[0].kind = A_REGISTER;
		fake_next(p);
	} else if (!fake_is(p, ";")) {
		do {
			if (n == 6 || !fake_operand(p, &o[n++]))
				return false;
		} while (fake_take(p, ","));
	}
	if (!fake_is(p, ";"))
		return fake_expect(p, ";");
	words w;
	type types[4];
	int type_count, matched = -1;
	bool any = false;
	for (int i = 0; i < rows && matched < 0; i++) {
		if (!fake_match(&row[i], list, words_count, &w, types, &type_count))
			continue;
		any = true;
		if ((int)strlen(row[i].operands) == n)
			matched = i;
	}
	if (matched < 0) {
		if (any)
			fake_error(p, name.line, "Arguments mismatch for instruction '%.*s'", (int)name.length, name.at);
		else
			fake_error(p, name.line, "Unexpected modifiers or types specified for '%.*s'", (int)name.length, name.at);
		return false;
	}
	row += matched;
	fake_decode(row, &w, types, type_count, &in);
	if (!reach(p, row, &w, name.line))
		return false;
	if (in.vector * fake_types[in.type].bytes > 16 && (in.op == O_LD || in.op == O_ST)) {
		fake_error(p, name.line, "a vector of more than 16 bytes for instruction '%.*s'", (int)name.length, name.at);
		return false;
	}
	if (in.op == O_CVTA && in.type == T_U32) {
		fake_error(p, name.line, "'cvta' of 32 bits in a module of 64");
		return false;
	}
	switch (row->op) {
	case O_BRA:
		if (o[0].kind != A_NAME) {
			fake_error(p, name.line, "Arguments mismatch for instruction 'bra'");
			return false;
		}
		use_label(p, &o[0].token);
		fake_emit(p, in);
		return true;
	case O_MOV:
		if (!mov(p, o, types[0], &in))
			return false;
		break;
	case O_CVT:
		if (!fake_cvt_rules(p, &w, types[0], types[1], name.line))
			return false;
		/* fall through */
	default:
		if (!fake_check(p, row, &w, types, type_count, o, &in) || (row->op == O_BAR && !barrier_rules(p, o, n, &in)))
			return false;
	}
	in.pure = fake_find_pure(&in);
	if (!in.pure && !runs_without(&in)) {
		fake_error(p, name.line, "the fake driver's machine does not have '%.*s' for these types", (int)name.length, name.at);
		return false;
	}
	fake_emit(p, in);
	return true;
}

/* fake_statement reads one instruction; an error in it is reported and the next one is read. */
void fake_statement(parser *p) {
	inst in = {.guard = -1, .line = p->token.line, .base = -1, .d = {-1, -1, -1, -1}, .s = {-1, -1, -1, -1, -1}};
	if (!guard(p, &in) || (in.line = p->token.line, !instruction(p, in))) {
		if (!p->aborted)
			rest(p);
		return;
	}
	if (!p->aborted)
		fake_expect(p, ";");
}
