/* The fundamental types of PTX, and which registers fit which instructions (PTX ISA, "Type checking rules" and "Operand size exceeding
   instruction-type size"). */
#include "machine.h"
#include <string.h>

const type_row fake_types[TYPES] = {
	[T_NONE] = {"", 0, 0}, [T_PRED] = {"pred", 1, 'p'},
	[T_B8] = {"b8", 1, 'b'}, [T_B16] = {"b16", 2, 'b'}, [T_B32] = {"b32", 4, 'b'}, [T_B64] = {"b64", 8, 'b'},
	[T_U8] = {"u8", 1, 'u'}, [T_U16] = {"u16", 2, 'u'}, [T_U32] = {"u32", 4, 'u'}, [T_U64] = {"u64", 8, 'u'},
	[T_S8] = {"s8", 1, 's'}, [T_S16] = {"s16", 2, 's'}, [T_S32] = {"s32", 4, 's'}, [T_S64] = {"s64", 8, 's'},
	[T_F16] = {"f16", 2, 'f'}, [T_F16X2] = {"f16x2", 4, 'x'}, [T_BF16] = {"bf16", 2, 'f'}, [T_BF16X2] = {"bf16x2", 4, 'x'},
	[T_F32] = {"f32", 4, 'f'}, [T_F64] = {"f64", 8, 'f'},
};

type fake_type_named(const char *s, size_t n) {
	for (int t = T_PRED; t < TYPES; t++)
		if (strlen(fake_types[t].name) == n && !memcmp(fake_types[t].name, s, n))
			return t;
	return T_NONE;
}

bool fake_type_fits(type want, type has, bool relaxed) {
	if (want == has)
		return true;
	type_row w = fake_types[want], h = fake_types[has];
	if (w.class == 'p' || h.class == 'p')
		return false;
	bool size = h.bytes == w.bytes || (relaxed && h.bytes > w.bytes);
	if (!size)
		return false;
	switch (w.class) {
	case 'b':
		return true;
	case 'u':
	case 's': /* a pair of halves counts as 32 bits */
		return h.class == 'b' || h.class == 'u' || h.class == 's' || h.class == 'x';
	default: /* floats: bits only, or the very type */
		return h.class == 'b';
	}
}
