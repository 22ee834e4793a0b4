/* What the files of the parser share. */
#ifndef PARSE_H
#define PARSE_H

#include "machine.h"

/* A word as it is written after an opcode. */
typedef struct { const char *at; size_t length; int id; } spelled;

bool fake_match(const form *row, const spelled *list, int count, words *matched, type types[4], int *type_count);
int fake_word_id(const char *at, size_t n);

typedef enum { A_REGISTER, A_CONSTANT, A_VALUE, A_CLOCK, A_VARIABLE, A_VECTOR, A_ADDRESS, A_NAME, A_SINK } operand_kind;

typedef struct operand {
	operand_kind kind;
	token token;
	type type;      /* of a register or a special register */
	int slot;       /* register, value; base of an address or -1 */
	int second;     /* slot of q in p|q; -1 */
	bool negated;   /* !p */
	int64_t offset; /* address */
	const name *name; /* variable, or that of an address */
	int elements[4], element_types[4], count; /* vector */
	value_kind clock;
} operand;

bool fake_operand(parser *p, operand *o); /* operand.c */
int fake_constant(parser *p, const operand *o, type t); /* the slot of a constant for an instruction of type t */
bool fake_check(parser *p, const form *row, const words *w, const type *types, int type_count, operand *o, inst *in); /* check.c */
void fake_decode(const form *row, const words *w, const type *types, int type_count, inst *in); /* decode.c */
bool fake_cvt_rules(parser *p, const words *w, type to, type from, uint32_t line);
int fake_slot_name(parser *p, const name *n, int index);
void fake_call(parser *p, inst in, bool uni);
inst *fake_emit(parser *p, inst in);
bool fake_link(fake_module *m); /* link.c */

#endif
