/* What one instruction does to the registers of the lanes that are at it. */
#include "pure.h"

/* fake_defined faults where a lane of mask uses a value that nothing has written. */
bool fake_defined(const warp *w, const inst *in, int slot, uint32_t mask, const char *what) {
	uint32_t bad = mask & ~w->defined[slot];
	if (!bad)
		return true;
	fake_fault(w, in, __builtin_ctz(bad), 719, "%s comes from a register or memory that was never written", what);
	return false;
}

/* compute runs a pure instruction on the lanes of mask. */
static void compute(warp *w, const inst *in, uint32_t mask, int base) {
	static const uint64_t nothing[LANES];
	const uint64_t *s[4] = {nothing, nothing, nothing, nothing};
	uint64_t inverted[LANES], other[LANES], second[LANES];
	uint32_t defined = ~0u;
	for (int k = 0; k < in->source_count; k++) {
		s[k] = lanes_of(w->r, base, in->s[k]);
		defined &= w->defined[base + in->s[k]];
		if (in->inverse >> k & 1) {
			for (int i = 0; i < LANES; i++)
				inverted[i] = s[k][i] ^ 1;
			s[k] = inverted;
		}
	}
	if (in->op == O_SELP) { /* what is not chosen need not be defined */
		const uint32_t *have = w->defined + base;
		uint32_t first = 0;
		for (int i = 0; i < LANES; i++)
			first |= (uint32_t)(s[2][i] & 1) << i;
		defined = have[in->s[2]] & ((have[in->s[0]] & first) | (have[in->s[1]] & ~first));
	}
	if (in->d[1] >= 0) {
		inst opposite = *in;
		opposite.negate = 1;
		in->pure(second, s, &opposite);
	}
	if (in->d[0] >= 0) {
		uint64_t *d = lanes_of(w->r, base, in->d[0]), *to = mask == ~0u ? d : other;
		in->pure(to, s, in);
		uint8_t bytes = fake_types[in->type].bytes;
		if (in->extend && in->dst_bytes > bytes && fake_types[in->type].class == 's') {
			int up = 64 - 8 * bytes;
			uint64_t keep = in->dst_bytes == 8 ? ~0ull : (1ull << 8 * in->dst_bytes) - 1;
			for (int i = 0; i < LANES; i++)
				to[i] = (uint64_t)((int64_t)(to[i] << up) >> up) & keep;
		}
		if (to == other)
			for (int i = 0; i < LANES; i++)
				d[i] = mask >> i & 1 ? other[i] : d[i];
		uint32_t *have = &w->defined[base + in->d[0]];
		*have = (*have & ~mask) | (defined & mask);
	}
	if (in->d[1] >= 0) {
		uint64_t *d = lanes_of(w->r, base, in->d[1]);
		for (int i = 0; i < LANES; i++)
			d[i] = mask >> i & 1 ? second[i] : d[i];
		uint32_t *have = &w->defined[base + in->d[1]];
		*have = (*have & ~mask) | (defined & mask);
	}
}

/* carried is add.cc and its kin: the carry goes in and out by lane. A subtraction adds the complement, so that its carry is the opposite of
   a borrow; this shows only where an addition's carry goes into a subtraction, of which PTX says otherwise than an H200 does. */
static void carried(warp *w, const inst *in, uint32_t mask, int base) {
	int bits = 8 * fake_types[in->type].bytes;
	uint64_t m = type_mask((type)in->type);
	bool takes = in->op == O_ADDC || in->op == O_SUBC || in->op == O_MADC || in->op == O_MADCHI;
	for (int i = 0; i < LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		unsigned __int128 a = lanes_of(w->r, base, in->s[0])[i] & m, b = lanes_of(w->r, base, in->s[1])[i] & m, r;
		unsigned in_carry = takes ? w->carry >> i & 1 : 0;
		if (in->op == O_SUB || in->op == O_SUBC) {
			r = a + (~b & m) + (takes ? in_carry : 1);
		} else if (in->op == O_ADD || in->op == O_ADDC) {
			r = a + b + in_carry;
		} else {
			unsigned __int128 product = a * b;
			if (fake_types[in->type].class == 's') {
				int up = 64 - bits;
				product = (unsigned __int128)((__int128)((int64_t)(uint64_t)(a << up) >> up) * ((int64_t)(uint64_t)(b << up) >> up));
			}
			uint64_t part = (in->op == O_MADHI || in->op == O_MADCHI ? (uint64_t)(product >> bits) : (uint64_t)product) & m;
			r = (unsigned __int128)part + (lanes_of(w->r, base, in->s[2])[i] & m) + in_carry;
		}
		if (in->carry_out)
			w->carry = (w->carry & ~(1u << i)) | (uint32_t)(r >> bits & 1) << i;
		if (in->d[0] >= 0)
			lanes_of(w->r, base, in->d[0])[i] = (uint64_t)r & m;
	}
	if (in->d[0] < 0)
		return;
	uint32_t defined = ~0u, *have = &w->defined[base + in->d[0]];
	for (int k = 0; k < in->source_count; k++)
		defined &= w->defined[base + in->s[k]];
	*have = (*have & ~mask) | (defined & mask);
}

/* pack and unpack are mov between a vector and a register. */
static void pack(warp *w, const inst *in, uint32_t mask, int base) {
	int bits = 8 * in->dst_bytes;
	uint64_t m = bits == 64 ? ~0ull : (1ull << bits) - 1;
	if (in->op == O_UNPACK) {
		uint64_t whole[LANES];
		memcpy(whole, lanes_of(w->r, base, in->s[0]), sizeof whole);
		for (int k = 0; k < in->vector; k++) {
			if (in->d[k] < 0)
				continue;
			uint64_t *d = lanes_of(w->r, base, in->d[k]);
			for (int i = 0; i < LANES; i++)
				d[i] = mask >> i & 1 ? whole[i] >> bits * k & m : d[i];
			uint32_t *have = &w->defined[base + in->d[k]];
			*have = (*have & ~mask) | (w->defined[base + in->s[0]] & mask);
		}
		return;
	}
	uint64_t whole[LANES] = {0};
	uint32_t defined = ~0u;
	for (int k = 0; k < in->vector; k++) {
		const uint64_t *s = lanes_of(w->r, base, in->s[k]);
		for (int i = 0; i < LANES; i++)
			whole[i] |= (s[i] & m) << bits * k;
		defined &= w->defined[base + in->s[k]];
	}
	uint64_t *d = lanes_of(w->r, base, in->d[0]);
	for (int i = 0; i < LANES; i++)
		d[i] = mask >> i & 1 ? whole[i] : d[i];
	uint32_t *have = &w->defined[base + in->d[0]];
	*have = (*have & ~mask) | (defined & mask);
}

/* set_lanes writes a value per lane, defined. */
static void set_lanes(warp *w, int base, int32_t to, uint32_t mask, const uint64_t *v) {
	if (to < 0)
		return;
	int slot = base + to;
	uint64_t *d = w->r + (size_t)slot * LANES;
	for (int i = 0; i < LANES; i++)
		d[i] = mask >> i & 1 ? v[i] : d[i];
	w->defined[slot] |= mask;
}

/* address_of is mov and cvta of a variable, cvta of a register, and isspacep. */
static void address_of(warp *w, const inst *in, uint32_t mask, int base) {
	run *r = w->block->run;
	uint64_t v[LANES];
	uint32_t defined = in->s[0] >= 0 ? w->defined[base + in->s[0]] : ~0u;
	uint64_t shared = (uint64_t)(uintptr_t)w->block->shared, constants = (uint64_t)(uintptr_t)r->module->constants;
	uint64_t params = (uint64_t)(uintptr_t)r->launch->params;
	for (int i = 0; i < LANES; i++) {
		uint64_t a = (in->s[0] >= 0 ? lanes_of(w->r, base, in->s[0])[i] : 0) + (in->base == -2 ? (uint64_t)in->offset : 0);
		uint64_t local = (uint64_t)(uintptr_t)(w->memory + (size_t)i * r->entry->lane_bytes);
		uint64_t window = in->space == S_SHARED ? shared - SHARED_BASE : in->space == S_LOCAL || (in->space == S_PARAM && w->f[i] && !w->f[i]->entry) ? local :
			in->space == S_CONST ? constants : in->space == S_PARAM ? params : 0;
		if (in->op == O_CVTA) {
			a = in->to ? a - window : a + window;
		} else if (in->op == O_ISSPACEP) {
			bool is_shared = a - shared < r->shared_bytes, is_local = a - local < r->entry->lane_bytes;
			bool is_const = a - constants < r->module->constant_bytes, is_param = a - params < r->entry->param_bytes;
			a = in->space == S_SHARED ? is_shared : in->space == S_LOCAL ? is_local : in->space == S_CONST ? is_const :
				in->space == S_PARAM ? is_param : !is_shared && !is_local;
		}
		v[i] = in->op == O_ISSPACEP ? a : a & type_mask((type)in->type);
	}
	set_lanes(w, base, in->d[0], mask, v);
	if (in->d[0] >= 0)
		w->defined[base + in->d[0]] &= ~mask | defined;
}

static void read_clock(warp *w, const inst *in, uint32_t mask, int base) {
	uint64_t turns = w->block->run->turns, t = in->mode >= V_GLOBALTIMER ? 32 * turns : turns, v[LANES];
	if (in->mode == V_CLOCK_HI || in->mode == V_GLOBALTIMER_HI)
		t >>= 32;
	for (int i = 0; i < LANES; i++)
		v[i] = t & type_mask((type)in->type);
	set_lanes(w, base, in->d[0], mask, v);
}

/* fake_step runs an instruction that does not part the lanes. */
void fake_step(warp *w, const inst *in, uint32_t mask, int base) {
	if (in->pure) {
		compute(w, in, mask, base);
		return;
	}
	switch (in->op) {
	case O_LD:
	case O_ST:
	case O_PREFETCH:
		fake_memory(w, in, mask, base);
		break;
	case O_ATOM:
	case O_RED:
		fake_atomic(w, in, mask, base);
		break;
	case O_MOV:
	case O_CVTA:
	case O_ISSPACEP:
		address_of(w, in, mask, base);
		break;
	case O_PACK:
	case O_UNPACK:
		pack(w, in, mask, base);
		break;
	case O_CLOCK:
		read_clock(w, in, mask, base);
		break;
	case O_FENCE:
		w->block->epoch++;
		break;
	case O_ACTIVEMASK: {
		uint64_t v[LANES];
		for (int i = 0; i < LANES; i++)
			v[i] = mask;
		set_lanes(w, base, in->d[0], mask, v);
		break;
	}
	case O_NOTHING:
		break;
	default:
		carried(w, in, mask, base);
	}
}
