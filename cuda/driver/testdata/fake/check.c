/* The rules of PTX's types for operands, and those that the table of instructions cannot say. */
#include "machine.h"
#include "parse.h"
#include <string.h>

static bool mismatch(parser *p, const form *row, uint32_t line) {
	fake_error(p, line, "Arguments mismatch for instruction '%s'", row->name);
	return false;
}

/* fake_constant gives a constant the type of its instruction. It returns -1 where the kinds differ: a float instruction takes float
   constants only, an integer one integers; bits of 32 take a 0f constant, bits of 64 a 0d one. */
int fake_constant(parser *p, const operand *o, type t) {
	token k = o->token;
	uint64_t v = k.value;
	char class = fake_types[t].class;
	if (class == 'x' || t == T_F16 || t == T_BF16) { /* there are no constants of 16 bits */
		return -1;
	} else if (class == 'f') {
		union { double d; uint64_t u; } wide = {.u = v};
		union { float f; uint32_t u; } narrow = {.u = (uint32_t)v};
		if (k.kind == K_INTEGER)
			return -1;
		double d = k.kind == K_FLOAT ? (double)narrow.f : wide.d;
		if (t == T_F32 && k.kind != K_FLOAT) {
			narrow.f = (float)d;
			v = narrow.u;
		} else if (t == T_F64 && k.kind == K_FLOAT) {
			v = narrow.u; /* the ISA does not say what a 0f constant is here; NVIDIA's assembler takes its bits */
		}
	} else if (class == 'p') {
		if (k.kind != K_INTEGER)
			return -1;
		v = v != 0;
	} else if (k.kind != K_INTEGER && t) {
		bool fits = class == 'b' && ((k.kind == K_FLOAT && fake_types[t].bytes == 4) || (k.kind != K_FLOAT && fake_types[t].bytes == 8));
		if (!fits)
			return -1;
	}
	return fake_value(p, V_CONST, t ? v & type_mask(t) : v);
}

/* source is an operand that is read as type t. */
static bool source(parser *p, const form *row, const operand *o, type t, bool relaxed, int32_t *slot) {
	switch (o->kind) {
	case A_CONSTANT:
		if (o->negated)
			return mismatch(p, row, o->token.line);
		*slot = fake_constant(p, o, t);
		return *slot >= 0 || mismatch(p, row, o->token.line);
	case A_REGISTER:
		if (o->second >= 0 || (o->negated && t != T_PRED) || !fake_type_fits(t, o->type, relaxed))
			return mismatch(p, row, o->token.line);
		*slot = o->slot;
		return true;
	case A_VALUE:
		if (row->op != O_CVT) {
			fake_error(p, o->token.line, "Special register argument not allowed for instruction '%s'", row->name);
			return false;
		}
		*slot = o->slot;
		return fake_type_fits(t, o->type, relaxed) || mismatch(p, row, o->token.line);
	default:
		return mismatch(p, row, o->token.line);
	}
}

static bool destination(parser *p, const form *row, const operand *o, type t, bool relaxed, int32_t *slot) {
	if (o->kind == A_SINK) {
		*slot = -1;
		return true;
	}
	if (o->kind != A_REGISTER || o->negated) {
		fake_error(p, o->token.line, "Result register required for instruction '%s'", row->name);
		return false;
	}
	if (!fake_type_fits(t, o->type, relaxed))
		return mismatch(p, row, o->token.line);
	*slot = o->slot;
	return true;
}

/* address checks the operand of ld, st, atom and their kin, and where it points. */
static bool memory(parser *p, const form *row, const operand *o, inst *in) {
	if (o->kind != A_ADDRESS)
		return mismatch(p, row, o->token.line);
	in->base = o->slot;
	in->offset = o->offset;
	if (!o->name) {
		if (o->slot < 0 && in->space != S_LOCAL) {
			fake_error(p, o->token.line, "Immediate addresses allowed only for .local state space");
			return false;
		}
		if (o->slot >= 0 && (fake_types[o->type].class == 'f' || fake_types[o->type].class == 'x' || o->type == T_PRED || fake_types[o->type].bytes < 4)) {
			fake_error(p, o->token.line, "Illegal to use a symbol of type .%s as address operand. Use integer or bit only.", fake_types[o->type].name);
			return false;
		}
		if (o->slot >= 0 && fake_types[o->type].bytes == 4 && in->space != S_SHARED && in->space != S_LOCAL && in->space != S_CONST && in->space != S_PARAM) {
			fake_error(p, o->token.line, "an address of 32 bits in a module of 64");
			return false;
		}
		if (in->space == S_PARAM && !p->f->entry)
			in->space = S_FRAME;
		return true;
	}
	int of = o->name->space;
	bool parameter = in->space == S_PARAM && (of == S_PARAM || of == S_FRAME);
	if (in->space == S_GENERIC && of != S_PARAM && of != S_CONST) {
		in->space = of == S_FRAME ? S_FRAME : (uint8_t)of; /* a generic access to a named variable */
	} else if (of != in->space && !(parameter)) {
		fake_error(p, o->token.line, "State space mismatch between instruction and address in instruction '%s'", row->name);
		return false;
	}
	if (parameter)
		in->space = (uint8_t)of;
	if (of == S_PARAM && row->op != O_LD) {
		fake_error(p, o->token.line, "Illegal to write to function input parameter '%.*s'", (int)o->name->length, o->name->text);
		return false;
	}
	if (of == S_CONST && (row->op != O_LD || !strcmp(row->name, "ldu"))) {
		fake_error(p, o->token.line, "State space incorrect for instruction '%s'", row->name);
		return false;
	}
	return true;
}

/* vector is the register or vector that ld writes or st reads. */
static bool vector(parser *p, const form *row, const operand *o, inst *in, bool written) {
	int n = in->vector ? in->vector : 1;
	if (n == 1) {
		if (written)
			return destination(p, row, o, in->type, true, &in->d[0]);
		in->source_count = 1;
		return source(p, row, o, in->type, true, &in->s[0]);
	}
	if (o->kind != A_VECTOR || o->count != n)
		return mismatch(p, row, o->token.line);
	for (int i = 0, bytes = 0; i < n; i++) {
		int has_bytes = fake_types[o->element_types[i]].bytes;
		if (has_bytes && bytes && bytes != has_bytes) {
			fake_error(p, o->token.line, "Incompatible elements of vector expression");
			return false;
		}
		bytes = has_bytes ? has_bytes : bytes;
		if (o->element_types[i] && !fake_type_fits(in->type, (type)o->element_types[i], true))
			return mismatch(p, row, o->token.line);
		if (!written && o->elements[i] < 0)
			return mismatch(p, row, o->token.line);
		if (written)
			in->d[i] = o->elements[i];
		else
			in->s[i] = o->elements[i];
	}
	in->source_count = (uint8_t)(written ? 0 : n);
	return true;
}

static type twice(type t) { return t == T_U16 ? T_U32 : t == T_S16 ? T_S32 : t == T_U32 ? T_U64 : T_S64; }

/* fake_check holds operands against a row's letters and puts them into the instruction. */
bool fake_check(parser *p, const form *row, const words *w, const type *types, int type_count, operand *o, inst *in) {
	(void)w;
	type t = type_count ? types[0] : T_NONE, last = type_count ? types[type_count - 1] : T_NONE;
	bool ok = true;
	for (const char *l = row->operands; *l; l++, o++) {
		int32_t *s = &in->s[in->source_count];
		if (o->second >= 0 && !strchr("eRQ", *l))
			return mismatch(p, row, o->token.line);
		switch (*l) {
		case 'e':
		case 'd':
			ok = destination(p, row, o, t, false, &in->d[0]);
			in->d[1] = o->second;
			break;
		case 'w':
			ok = destination(p, row, o, twice(t), false, &in->d[0]);
			break;
		case 'D':
			ok = destination(p, row, o, t, true, &in->d[0]);
			if (o->kind == A_REGISTER)
				in->dst_bytes = fake_types[o->type].bytes;
			break;
		case 'R':
		case 'r':
			ok = destination(p, row, o, T_U32, false, &in->d[0]) && (o->type != T_F16X2 || mismatch(p, row, o->token.line));
			in->d[1] = o->second;
			break;
		case 'Q':
		case 'P':
			ok = destination(p, row, o, T_PRED, false, &in->d[0]);
			in->d[1] = o->second;
			break;
		case 's':
		case 'a':
			if (*l == 'a' && o->kind == A_VARIABLE) {
				in->s[0] = o->slot;
				in->offset = o->offset;
				in->base = -2;
				if (o->name->space != in->space && !(in->space == S_PARAM && o->name->space == S_FRAME)) {
					fake_error(p, o->token.line, "State space mismatch between instruction and address in instruction '%s'", row->name);
					return false;
				}
				in->source_count++;
				break;
			}
			ok = source(p, row, o, t, false, s);
			if (o->negated)
				in->inverse |= (uint8_t)(1 << in->source_count);
			in->source_count++;
			break;
		case 'z':
			ok = source(p, row, o, types[1], false, s);
			in->source_count++;
			break;
		case 'S':
			ok = source(p, row, o, last, true, s);
			in->source_count++;
			break;
		case 'x':
			ok = source(p, row, o, twice(t), false, s);
			in->source_count++;
			break;
		case 'u':
			ok = source(p, row, o, T_U32, false, s) && (o->type != T_F16X2 || mismatch(p, row, o->token.line));
			if ((row->op == O_BFE || row->op == O_BFI) && o->kind == A_CONSTANT && o->token.value > 255) {
				fake_error(p, o->token.line, "Argument of instruction '%s': value '%lld' out of range, expected to be in range [0..255]", row->name, (long long)o->token.value);
				return false;
			}
			in->source_count++;
			break;
		case 'n':
			ok = source(p, row, o, T_PRED, false, s);
			if (o->negated)
				in->inverse |= (uint8_t)(1 << in->source_count);
			in->source_count++;
			break;
		case 'k':
			ok = (o->kind == A_CONSTANT && o->token.kind == K_INTEGER) || mismatch(p, row, o->token.line);
			in->mode = (uint8_t)o->token.value;
			break;
		case 'g':
			if (o->kind != A_REGISTER || !(fake_type_fits(T_U64, o->type, false) || fake_type_fits(T_U32, o->type, false)))
				return mismatch(p, row, o->token.line);
			*s = o->slot;
			in->source_count++;
			break;
		case 'm':
			ok = memory(p, row, o, in);
			break;
		case 'v':
			ok = vector(p, row, o, in, true);
			in->dst_bytes = o->kind == A_REGISTER ? fake_types[o->type].bytes : 0;
			for (int i = 0; o->kind == A_VECTOR && i < o->count; i++)
				if (o->element_types[i] && fake_types[o->element_types[i]].bytes > in->dst_bytes)
					in->dst_bytes = fake_types[o->element_types[i]].bytes;
			break;
		case 'V':
			ok = vector(p, row, o, in, false);
			break;
		default:
			ok = false;
		}
		if (!ok)
			return false;
	}
	return true;
}

/* fake_cvt_rules are the rounding modifiers that a conversion needs, or may not have. */
bool fake_cvt_rules(parser *p, const words *w, type to, type from, uint32_t line) {
	bool whole = has(w, W_RNI) || has(w, W_RZI) || has(w, W_RMI) || has(w, W_RPI), real = has(w, W_RN) || has(w, W_RZ) || has(w, W_RM) || has(w, W_RP);
	bool to_float = fake_types[to].class == 'f', from_float = fake_types[from].class == 'f';
	int to_bytes = fake_types[to].bytes, from_bytes = fake_types[from].bytes;
	bool needs_real = to_float && (!from_float || to_bytes < from_bytes || (to == T_BF16 && from == T_F32));
	bool needs_whole = from_float && !to_float;
	if ((needs_real && !real) || (needs_whole && !whole)) {
		fake_error(p, line, "Rounding modifier required for instruction 'cvt'");
		return false;
	}
	if ((real && !needs_real) || (whole && !needs_whole && to != from) || (whole && !from_float)) {
		fake_error(p, line, "Illegal rounding modifier for instruction 'cvt'");
		return false;
	}
	if (has(w, W_SAT) && !to_float && !from_float) {
		bool to_signed = fake_types[to].class == 's', from_signed = fake_types[from].class == 's';
		if (to_bytes > from_bytes ? to_signed || !from_signed : to_bytes == from_bytes && to_signed == from_signed) {
			fake_error(p, line, "Illegal modifier '.sat' for instruction 'cvt': .%s holds every .%s", fake_types[to].name, fake_types[from].name);
			return false;
		}
	}
	if (has(w, W_FTZ) && to != T_F32 && from != T_F32) {
		fake_error(p, line, "Modifier '.ftz' requires a type of .f32 for instruction 'cvt'");
		return false;
	}
	return true;
}
