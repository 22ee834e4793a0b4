/* atom and red: lane after lane, from one that chance picks. Other launches may run at the same time, so that memory changes by
   compare-and-swap. */
#include "pure.h"

static uint64_t min_of(uint64_t a, uint64_t b, type t, bool larger) {
	bool less;
	switch (t) {
	case T_U32: less = (uint32_t)a < (uint32_t)b; break;
	case T_S32: less = (int32_t)a < (int32_t)b; break;
	case T_S64: less = (int64_t)a < (int64_t)b; break;
	default: less = a < b;
	}
	return less != larger ? a : b;
}

static uint64_t halves(uint64_t a, uint64_t b, int parts) {
	uint64_t r = 0;
	for (int k = 0; k < parts; k++) /* the sum of two float16 is exact in a double */
		r |= (uint64_t)fake_narrow(fake_half((uint16_t)(a >> 16 * k)) + fake_half((uint16_t)(b >> 16 * k)), NEAREST, false) << 16 * k;
	return r;
}

static uint64_t flushed(uint64_t v) { return v & 0x7f800000 ? v : v & 0x80000000; }

/* sum adds as the memory does: float32 in global memory without subnormals, float64 with a NaN as it is, the operand's first. */
static uint64_t sum(uint64_t a, uint64_t b, type t, space where) {
	switch (t) {
	case T_F16: return halves(a, b, 1);
	case T_F16X2: return halves(a, b, 2);
	case T_F32: {
		bool flush = where == S_GLOBAL;
		volatile float x = f32_of(flush ? flushed(a) : a), y = f32_of(flush ? flushed(b) : b);
		uint64_t r = f32_bits(x + y);
		return flush ? flushed(r) : r;
	}
	case T_F64: {
		volatile double x = f64_of(a), y = f64_of(b);
		return y != y ? b : x != x ? a : f64_bits(x + y);
	}
	default: return a + b;
	}
}

static uint64_t next(const inst *in, uint64_t old, uint64_t b, uint64_t c, space where) {
	switch (in->atom) {
	case W_AND: return old & b;
	case W_OR: return old | b;
	case W_XOR: return old ^ b;
	case W_EXCH: return b;
	case W_CAS: return old == b ? c : old;
	case W_ADD: return sum(old, b, (type)in->type, where);
	case W_INC: return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
	case W_DEC: return (uint32_t)old == 0 || (uint32_t)old > (uint32_t)b ? b : old - 1;
	default: return min_of(old, b, (type)in->type, in->atom == W_MAX);
	}
}

#define SWAP(U)                                                                                   \
	for (;;) {                                                                                     \
		U was = __atomic_load_n((U *)(void *)at, __ATOMIC_SEQ_CST);                                \
		U is = (U)next(in, was, b, c, where);                                                             \
		if (__atomic_compare_exchange_n((U *)(void *)at, &was, is, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) \
			return was;                                                                            \
	}

static uint64_t swap(const inst *in, uint8_t *at, uint64_t b, uint64_t c, space where) {
	switch (fake_types[in->type].bytes) {
	case 2: SWAP(uint16_t)
	case 4: SWAP(uint32_t)
	default: SWAP(uint64_t)
	}
}

void fake_atomic(warp *w, const inst *in, uint32_t mask, int base) {
	uint32_t bytes = fake_types[in->type].bytes;
	uint64_t keep = type_mask((type)in->type);
	if (in->base >= 0 && !fake_defined(w, in, base + in->base, mask, "the address"))
		return;
	for (int k = 0; k < in->source_count; k++)
		if (!fake_defined(w, in, base + in->s[k], mask, "the operand of the atomic"))
			return;
	int first = (int)fake_random(&w->block->run->random, LANES);
	for (int k = 0; k < LANES; k++) {
		int i = (first + k) % LANES;
		if (!(mask >> i & 1))
			continue;
		uint64_t address = (in->base >= 0 ? lanes_of(w->r, base, in->base)[i] : 0) + (uint64_t)in->offset;
		uint64_t b = lanes_of(w->r, base, in->s[0])[i] & keep, c = in->source_count > 1 ? lanes_of(w->r, base, in->s[1])[i] & keep : 0;
		space where;
		uint8_t *at = fake_place(w, in, i, address, bytes, FAKE_READ | FAKE_WRITE | FAKE_ATOMIC, &where);
		if (!at)
			return;
		if (where != S_GLOBAL && where != S_SHARED) {
			fake_fault(w, in, i, 700, "an atomic on address 0x%llx, which is neither global nor shared memory", (unsigned long long)address);
			return;
		}
		uint64_t was = swap(in, at, b, c, where);
		if (in->op == O_ATOM && in->d[0] >= 0) {
			lanes_of(w->r, base, in->d[0])[i] = was;
			w->defined[base + in->d[0]] |= 1u << i;
		}
	}
	w->block->epoch++;
	w->block->strong++;
}
