/* Operands as they are written: registers, constants, special registers, variables, vectors, addresses. */
#include "machine.h"
#include "parse.h"
#include <string.h>

typedef struct { const char *name; uint8_t type, kind; } special;

static const special specials[] = {
	{"%tid.x", T_U32, V_TID_X}, {"%tid.y", T_U32, V_TID_Y}, {"%tid.z", T_U32, V_TID_Z},
	{"%ntid.x", T_U32, V_NTID_X}, {"%ntid.y", T_U32, V_NTID_Y}, {"%ntid.z", T_U32, V_NTID_Z},
	{"%ctaid.x", T_U32, V_CTAID_X}, {"%ctaid.y", T_U32, V_CTAID_Y}, {"%ctaid.z", T_U32, V_CTAID_Z},
	{"%nctaid.x", T_U32, V_NCTAID_X}, {"%nctaid.y", T_U32, V_NCTAID_Y}, {"%nctaid.z", T_U32, V_NCTAID_Z},
	{"%laneid", T_U32, V_LANEID}, {"%warpid", T_U32, V_WARPID}, {"%nwarpid", T_U32, V_NWARPID}, {"%smid", T_U32, V_SMID},
	{"%nsmid", T_U32, V_NSMID}, {"%gridid", T_U64, V_GRIDID}, {"%lanemask_eq", T_U32, V_EQ}, {"%lanemask_lt", T_U32, V_LT},
	{"%lanemask_le", T_U32, V_LE}, {"%lanemask_gt", T_U32, V_GT}, {"%lanemask_ge", T_U32, V_GE},
	{"%total_smem_size", T_U32, V_TOTAL_SHARED}, {"%dynamic_smem_size", T_U32, V_DYNAMIC_SHARED_SIZE},
	{"%clock", T_U32, V_CLOCK}, {"%clock_hi", T_U32, V_CLOCK_HI}, {"%clock64", T_U64, V_CLOCK64},
	{"%globaltimer", T_U64, V_GLOBALTIMER}, {"%globaltimer_lo", T_U32, V_GLOBALTIMER_LO}, {"%globaltimer_hi", T_U32, V_GLOBALTIMER_HI},
};

/* fake_value returns a slot that has its value before a warp starts, one for equal values. */
int fake_value(parser *p, value_kind kind, uint64_t v) {
	function *f = p->f;
	if (f->value_count * 2 >= p->value_buckets) { /* the index grows with the values */
		p->value_buckets = p->value_buckets ? 2 * p->value_buckets : 64;
		int room = 0;
		while (room < p->value_buckets)
			p->value_index = fake_grow(p->value_index, &room, room, sizeof *p->value_index);
		memset(p->value_index, 0, (size_t)p->value_buckets * sizeof *p->value_index);
		for (int i = 0; i < f->value_count; i++) {
			uint64_t h = (f->values[i].value * 0x9E3779B97F4A7C15ull + f->values[i].kind) >> 20;
			while (p->value_index[h % (uint64_t)p->value_buckets])
				h++;
			p->value_index[h % (uint64_t)p->value_buckets] = (uint32_t)i + 1;
		}
	}
	uint64_t h = (v * 0x9E3779B97F4A7C15ull + kind) >> 20;
	for (;; h++) {
		uint32_t *at = &p->value_index[h % (uint64_t)p->value_buckets];
		if (!*at) {
			f->values = fake_grow(f->values, &f->value_room, f->value_count, sizeof *f->values);
			f->values[f->value_count++] = (value){(uint8_t)kind, v};
			*at = (uint32_t)f->value_count;
		}
		value *have = &f->values[*at - 1];
		if (have->kind == kind && have->value == v)
			return VALUE_SLOT + (int)*at - 1;
	}
}

static int special_register(parser *p, operand *o) {
	token t = p->token;
	fake_next(p);
	char text[64];
	size_t n = t.length < 32 ? t.length : 32;
	memcpy(text, t.at, n);
	if (fake_is(p, ".") && p->token.joined) {
		text[n++] = '.';
		fake_next(p);
		size_t k = p->token.length < 16 ? p->token.length : 16;
		memcpy(text + n, p->token.at, k);
		n += k;
		fake_next(p);
	}
	text[n] = 0;
	for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
		if (strcmp(specials[i].name, text))
			continue;
		o->type = specials[i].type;
		if (specials[i].kind >= V_CLOCK) {
			o->kind = A_CLOCK;
			o->clock = specials[i].kind;
		} else {
			o->kind = A_VALUE;
			o->slot = fake_value(p, specials[i].kind, 0);
		}
		return 1;
	}
	return 0;
}

/* Constant expressions of integers, in the precedence of C (PTX ISA, "Constant Expressions"). */
static const struct { const char *text; int level; } operators[] = {
	{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4}, {"&", 5}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"<", 7}, {">", 7},
	{"+", 9}, {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10},
};

static uint64_t applied(const char *op, uint64_t a, uint64_t b) {
	int64_t x = (int64_t)a, y = (int64_t)b;
	switch (op[0]) {
	case '|': return op[1] ? a || b : a | b;
	case '&': return op[1] ? a && b : a & b;
	case '^': return a ^ b;
	case '=': return a == b;
	case '!': return a != b;
	case '<': return op[1] == '<' ? a << (b & 63) : op[1] ? x <= y : x < y;
	case '>': return op[1] == '>' ? (uint64_t)(x >> (b & 63)) : op[1] ? x >= y : x > y;
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	case '/': return b == 0 ? 0 : y == -1 ? 0 - a : (uint64_t)(x / y);
	default: return b == 0 || y == -1 ? 0 : (uint64_t)(x % y);
	}
}

static bool expression(parser *p, int level, uint64_t *v);

static bool primary(parser *p, uint64_t *v) {
	if (fake_take(p, "("))
		return expression(p, 1, v) && fake_expect(p, ")");
	bool minus = fake_is(p, "-"), invert = fake_is(p, "~"), negate = fake_is(p, "!");
	if (minus || invert || negate || fake_is(p, "+")) {
		fake_next(p);
		if (!primary(p, v))
			return false;
		*v = minus ? 0 - *v : invert ? ~*v : negate ? !*v : *v;
		return true;
	}
	if (fake_is(p, "WARP_SZ")) {
		*v = LANES;
	} else if (p->token.kind == K_INTEGER) {
		*v = p->token.value;
	} else {
		return fake_expect(p, "a number");
	}
	fake_next(p);
	return true;
}

/* operator_here is the operator at the next token, which may be two marks. */
static int operator_here(const parser *p) {
	for (size_t i = 0; p->token.kind == K_MARK && i < sizeof operators / sizeof *operators; i++) {
		const char *t = operators[i].text;
		if (t[0] == *p->token.at && (!t[1] || p->token.at[1] == t[1]))
			return (int)i;
	}
	return -1;
}

static bool expression(parser *p, int level, uint64_t *v) {
	if (!primary(p, v))
		return false;
	for (int i; (i = operator_here(p)) >= 0 && operators[i].level >= level;) {
		uint64_t b;
		fake_next(p);
		if (operators[i].text[1])
			fake_next(p);
		if (!expression(p, operators[i].level + 1, &b))
			return false;
		*v = applied(operators[i].text, *v, b);
	}
	return true;
}

/* signed_integer reads a number with an optional sign. */
static bool signed_integer(parser *p, uint64_t *v) {
	bool minus = fake_take(p, "-");
	if (p->token.kind != K_INTEGER) {
		fake_expect(p, "a number");
		return false;
	}
	*v = minus ? -p->token.value : p->token.value;
	fake_next(p);
	return true;
}

/* added reads "+ number", where it stands, into an operand's offset. */
static bool added(parser *p, operand *o) {
	uint64_t v = 0;
	if (!fake_take(p, "+"))
		return true;
	if (!signed_integer(p, &v))
		return false;
	o->offset += (int64_t)v;
	return true;
}

/* variable_base gives the slot that a variable's address starts from, and adds its place to the offset. */
static void variable_base(parser *p, operand *o) {
	const name *n = o->name;
	o->slot = -1;
	switch (n->space) {
	case S_SHARED:
		o->slot = fake_value(p, V_SHARED, (uint64_t)n->at);
		break;
	case S_LOCAL:
	case S_FRAME:
		o->slot = fake_value(p, V_FRAME, 0);
		o->offset += n->at;
		break;
	case S_GLOBAL: /* its memory has no address before the module is complete */
		o->slot = fake_value(p, V_GLOBAL, 0);
		o->offset += n->at;
		break;
	default:
		o->offset += n->at;
	}
}

static bool address(parser *p, operand *o) {
	o->kind = A_ADDRESS;
	o->slot = -1;
	if (p->token.kind == K_NAME) {
		int index;
		name *n = fake_find(p, p->token.at, p->token.length, &index);
		if (!n || n->kind == N_FUNCTION) {
			fake_error(p, p->token.line, "Unknown symbol '%.*s'", (int)p->token.length, p->token.at);
			p->token.kind = K_NAME;
			n = NULL;
		} else if (n->kind == N_REGISTER) {
			o->slot = n->at + index;
			o->type = n->type;
		} else {
			o->name = n;
			variable_base(p, o);
		}
		fake_next(p);
		if (!added(p, o))
			return false;
		if (!n) {
			fake_expect(p, "]");
			return false;
		}
	} else {
		uint64_t v = 0;
		if (!signed_integer(p, &v))
			return false;
		o->offset = (int64_t)v;
	}
	return fake_expect(p, "]");
}

/* fake_operand reads one operand. It returns false where it has reported an error. */
bool fake_operand(parser *p, operand *o) {
	*o = (operand){.token = p->token, .slot = -1, .second = -1};
	if (fake_take(p, "["))
		return address(p, o);
	if (fake_take(p, "{")) {
		o->kind = A_VECTOR;
		do {
			operand e;
			if (o->count == 4) {
				fake_error(p, p->token.line, "a vector has at most 4 elements");
				return p->aborted = true, false;
			}
			if (!fake_operand(p, &e))
				return false;
			if (e.kind == A_SINK) {
				e.slot = -1;
			} else if (e.kind == A_CONSTANT) {
				e.slot = fake_constant(p, &e, T_NONE);
			} else if (e.kind != A_REGISTER) {
				fake_error(p, e.token.line, "a vector's element is a register");
				return false;
			}
			o->elements[o->count] = e.slot;
			o->element_types[o->count++] = e.type;
		} while (fake_take(p, ","));
		return fake_expect(p, "}");
	}
	if (fake_take(p, "!"))
		o->negated = true;
	bool minus = false;
	if (!o->negated && fake_is(p, "-")) { /* of a float; the sign of an integer is part of its expression */
		const char *at = p->at;
		while (*at == ' ')
			at++;
		minus = (*at >= '0' && *at <= '9') && (strcspn(at, ".;,") < strcspn(at, ";,") || (at[0] == '0' && strchr("fFdD", at[1])));
		if (minus)
			fake_next(p);
	}
	token t = p->token;
	if (t.kind == K_INTEGER || fake_is(p, "-") || fake_is(p, "~") || fake_is(p, "(") || fake_is(p, "+") || fake_is(p, "WARP_SZ")) {
		o->kind = A_CONSTANT;
		if (!expression(p, 1, &t.value))
			return false;
		t.kind = K_INTEGER;
		o->token = t;
		return true;
	}
	switch (t.kind) {
	case K_FLOAT:
	case K_DOUBLE:
	case K_DECIMAL:
		o->kind = A_CONSTANT;
		if (minus && (t.kind == K_FLOAT || t.kind == K_DOUBLE))
			return fake_expect(p, "a number");
		if (minus)
			t.value ^= 1ull << 63;
		o->token = t;
		fake_next(p);
		return true;
	case K_NAME:
		break;
	default:
		return fake_expect(p, "an operand");
	}
	if (fake_is(p, "_")) {
		o->kind = A_SINK;
		fake_next(p);
	} else {
		int index;
		name *n = fake_find(p, t.at, t.length, &index);
		if (n && n->kind == N_REGISTER) {
			o->kind = A_REGISTER;
			o->slot = n->at + index;
			o->type = n->type;
			fake_next(p);
		} else if (n && n->kind == N_VARIABLE) {
			o->kind = A_VARIABLE;
			o->name = n;
			variable_base(p, o);
			fake_next(p);
			return added(p, o);
		} else if (!n && t.at[0] == '%') {
			if (!special_register(p, o)) {
				fake_error(p, t.line, "Unknown symbol '%.*s'", (int)t.length, t.at);
				return false;
			}
		} else {
			o->kind = A_NAME;
			fake_next(p);
		}
	}
	if (fake_take(p, "|")) {
		operand q;
		if (!fake_operand(p, &q))
			return false;
		if (q.kind != A_SINK && (q.kind != A_REGISTER || q.type != T_PRED)) {
			fake_error(p, q.token.line, "Predicate expression expected after '|'");
			return false;
		}
		o->second = q.slot;
		if (q.kind == A_SINK)
			o->second = -1;
	}
	return true;
}
