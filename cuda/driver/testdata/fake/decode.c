/* From words and types to the fields of an instruction, and to the function that computes it. */
#include "machine.h"
#include "parse.h"

typedef struct { uint8_t word, value; } pair;

static uint8_t choose(const words *w, const pair *pairs, int n, uint8_t otherwise) {
	for (int i = 0; i < n; i++)
		if (has(w, pairs[i].word))
			return pairs[i].value;
	return otherwise;
}

#define CHOOSE(w, pairs, otherwise) choose(w, pairs, (int)(sizeof pairs / sizeof *pairs), otherwise)

static const pair rounds[] = {
	{W_RN, NEAREST}, {W_RZ, ZERO}, {W_RM, DOWN}, {W_RP, UP}, {W_RNI, NEAREST}, {W_RZI, ZERO}, {W_RMI, DOWN}, {W_RPI, UP},
};

static const pair spaces[] = {
	{W_GLOBAL, S_GLOBAL}, {W_SHARED, S_SHARED}, {W_SHAREDCTA, S_SHARED}, {W_LOCAL, S_LOCAL}, {W_CONST, S_CONST}, {W_PARAM, S_PARAM},
	{W_PARAMENTRY, S_PARAM}, {W_PARAMFUNC, S_PARAM},
};

static const pair comparisons[] = {
	{W_EQ, W_EQ}, {W_NE, W_NE}, {W_LT, W_LT}, {W_LE, W_LE}, {W_GT, W_GT}, {W_GE, W_GE}, {W_LO, W_LT}, {W_LS, W_LE}, {W_HI, W_GT}, {W_HS, W_GE},
	{W_EQU, W_EQU}, {W_NEU, W_NEU}, {W_LTU, W_LTU}, {W_LEU, W_LEU}, {W_GTU, W_GTU}, {W_GEU, W_GEU}, {W_NUM, W_NUM}, {W_TESTNAN, W_TESTNAN},
};

static const pair operations[] = {
	{W_AND, W_AND}, {W_OR, W_OR}, {W_XOR, W_XOR}, {W_EXCH, W_EXCH}, {W_CAS, W_CAS}, {W_ADD, W_ADD}, {W_INC, W_INC}, {W_DEC, W_DEC},
	{W_MIN, W_MIN}, {W_MAX, W_MAX}, {W_POPC, W_POPC},
};

static const pair modes[] = {
	{W_UP, W_UP}, {W_DOWN, W_DOWN}, {W_BFLY, W_BFLY}, {W_IDX, W_IDX}, {W_ALL, W_ALL}, {W_ANY, W_ANY}, {W_UNI, W_UNI}, {W_BALLOT, W_BALLOT},
	{W_F4E, W_F4E}, {W_B4E, W_B4E}, {W_RC8, W_RC8}, {W_ECL, W_ECL}, {W_ECR, W_ECR}, {W_RC16, W_RC16},
	{W_FINITE, W_FINITE}, {W_INFINITE, W_INFINITE}, {W_NUMBER, W_NUMBER}, {W_NOTANUMBER, W_NOTANUMBER}, {W_NORMAL, W_NORMAL}, {W_SUBNORMAL, W_SUBNORMAL},
	{W_ARRIVE, W_ARRIVE}, {W_L, W_L}, {W_R, W_R}, {W_SHIFTAMT, W_SHIFTAMT},
};

/* Parts of a product are operations of their own. */
static uint8_t part(uint8_t operation, const words *w) {
	bool hi = has(w, W_HI), wide = has(w, W_WIDE);
	switch (operation) {
	case O_MUL:
		return hi ? O_MULHI : wide ? O_MULWIDE : O_MUL;
	case O_MAD:
		return hi ? O_MADHI : wide ? O_MADWIDE : O_MAD;
	case O_MADC:
		return hi ? O_MADCHI : O_MADC;
	default:
		return operation;
	}
}

void fake_decode(const form *row, const words *w, const type *types, int type_count, inst *in) {
	in->op = part(row->op, w);
	in->type = (uint8_t)(type_count ? types[0] : T_NONE);
	in->type2 = (uint8_t)(type_count ? types[type_count - 1] : T_NONE);
	in->round = CHOOSE(w, rounds, NEAREST);
	in->space = CHOOSE(w, spaces, S_GENERIC);
	if (row->op == O_SETP || row->op == O_SET) {
		in->cmp = CHOOSE(w, comparisons, 0);
		in->bool_op = CHOOSE(w, operations, 0);
	}
	in->atom = CHOOSE(w, operations, 0);
	in->mode = CHOOSE(w, modes, 0);
	in->to = has(w, W_TO);
	in->ftz = has(w, W_FTZ);
	in->sat = has(w, W_SAT);
	in->approx = has(w, W_APPROX) || has(w, W_FULL);
	in->nan = has(w, W_NAN);
	in->negate = has(w, W_RELU);
	in->carry_out = has(w, W_CC);
	in->wide = has(w, W_WRAP) || has(w, W_HI) || has(w, W_RNI) || has(w, W_RZI) || has(w, W_RMI) || has(w, W_RPI) || has(w, W_FULL);
	in->is_volatile = has(w, W_VOLATILE) || has(w, W_RELAXED) || has(w, W_ACQUIRE) || has(w, W_RELEASE);
	in->vector = has(w, W_V2) ? 2 : has(w, W_V4) ? 4 : 1;
	in->aligned = row->op == O_BAR && (row->name[3] == 0 || has(w, W_ALIGNED));
	in->extend = row->op == O_CVT || row->op == O_LD;
}

/* fake_find_pure looks for the function of a pure instruction. */
pure *fake_find_pure(const inst *in) {
	pure *(*const families[])(const inst *) = {fake_integer_pure, fake_bits_pure, fake_compare_pure, fake_float_pure, fake_half_pure, fake_convert_pure};
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		pure *f = families[i](in);
		if (f)
			return f;
	}
	return NULL;
}
