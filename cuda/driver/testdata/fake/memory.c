/* Loads and stores: where an address lies, and what may go wrong there. */
#include "pure.h"

/* touch_shared notes an access to shared memory. Two warps that touch a byte between two barriers, one of them to write, race; a fence or
   an atomic counts as a barrier, so that what is reported is one. */
static bool touch_shared(warp *w, const inst *in, int lane, uint32_t at, uint32_t n, int how) {
	block *b = w->block;
	uint16_t me = (uint16_t)(w->index + 1);
	for (uint32_t i = at; i < at + n; i++) {
		shadow *s = &b->shadow[i];
		bool now = s->epoch == b->epoch;
		if (now && !(how & FAKE_ATOMIC)) {
			bool written = s->writer && s->writer != me && !(s->writer & 0x8000), read = (how & FAKE_WRITE) && s->reader && s->reader != me;
			if (written || read) {
				fake_fault(w, in, lane, 719, "shared memory at byte %u is %s by warp %u and by warp %u with no barrier between", i,
					written ? how & FAKE_WRITE ? "written" : "written and read" : "read and written", (written ? s->writer : s->reader & 0x7fffu) - 1u, w->index);
				return false;
			}
		}
		if (!now) {
			s->epoch = b->epoch;
			s->reader = 0;
			s->writer |= s->writer ? 0x8000 : 0; /* written, in an earlier time */
		}
		if (how & FAKE_WRITE)
			s->writer = how & FAKE_ATOMIC ? 0x8000 : me;
		else if (!(how & FAKE_ATOMIC))
			s->reader = s->reader && s->reader != me ? 0x8000 | me : me; /* the top bit: another one has, too */
	}
	return true;
}

/* fake_place turns an address into a pointer to n bytes; NULL where it has faulted. */
uint8_t *fake_place(warp *w, const inst *in, int lane, uint64_t address, uint32_t n, int how, space *where) {
	block *b = w->block;
	run *r = b->run;
	fake_module *m = r->module;
	space s = (space)in->space;
	uint64_t local = (uint64_t)(uintptr_t)(w->memory + (size_t)lane * r->entry->lane_bytes);
	uint64_t at = s == S_SHARED ? address - SHARED_BASE : address;
	if (address & (n - 1)) {
		fake_fault(w, in, lane, 716, "address 0x%llx is not a multiple of %u", (unsigned long long)address, n);
		return NULL;
	}
	if (s == S_GENERIC) {
		uint64_t shared = (uint64_t)(uintptr_t)b->shared, constants = (uint64_t)(uintptr_t)m->constants, params = (uint64_t)(uintptr_t)r->launch->params;
		if (r->shared_bytes && at - shared < r->shared_bytes) {
			s = S_SHARED;
			at -= shared;
		} else if (at - local < r->entry->lane_bytes) {
			s = S_LOCAL;
			at -= local;
		} else if (at - constants < m->constant_bytes && !(how & FAKE_WRITE)) {
			s = S_CONST;
			at -= constants;
		} else if (at - params < r->entry->param_bytes && !(how & FAKE_WRITE)) {
			s = S_PARAM;
			at -= params;
		} else {
			s = S_GLOBAL;
		}
	}
	*where = s;
	uint8_t *start;
	uint64_t size;
	const char *what;
	switch (s) {
	case S_GLOBAL: {
		uint64_t globals = (uint64_t)(uintptr_t)m->memory;
		if (at - globals < m->memory_bytes && at - globals + n <= m->memory_bytes)
			return (uint8_t *)(uintptr_t)at;
		const fake_launch *l = r->launch;
		fake_who who = {l->device, l->launch, b->linear, w->index * LANES + (uint32_t)lane, in->line, l->kernel};
		int rc = fake_touch(&who, at, n, how);
		if (!rc)
			return (uint8_t *)(uintptr_t)at;
		fake_fault(w, in, lane, rc, "%s of %u bytes at address 0x%llx, which no allocation holds", how & FAKE_WRITE ? "a write" : "a read", n, (unsigned long long)at);
		return NULL;
	}
	case S_SHARED:
		start = b->shared;
		size = r->shared_bytes;
		what = "shared";
		break;
	case S_CONST:
		start = m->constants;
		size = m->constant_bytes;
		what = "constant";
		break;
	case S_PARAM:
		start = (uint8_t *)(uintptr_t)r->launch->params;
		size = r->entry->param_bytes;
		what = "parameter";
		break;
	default:
		start = (uint8_t *)(uintptr_t)local;
		size = r->entry->lane_bytes;
		what = "local";
	}
	if (at >= size || n > size - at) {
		fake_fault(w, in, lane, 700, "%s of %u bytes at byte %lld of %s memory, which has %llu", how & FAKE_WRITE ? "a write" : "a read", n, (long long)at, what, (unsigned long long)size);
		return NULL;
	}
	if (s == S_SHARED && !touch_shared(w, in, lane, (uint32_t)at, n, how))
		return NULL;
	return start + at;
}

/* written says whether all of n bytes have been written, where the machine half knows. */
static bool written(const warp *w, const uint8_t *at, uint32_t n, space where) {
	const block *b = w->block;
	bool all = true;
	if (where == S_SHARED)
		for (uint32_t i = 0; i < n; i++)
			all &= b->shadow[at - b->shared + i].writer != 0;
	else if (where == S_LOCAL || where == S_FRAME)
		for (uint32_t i = 0; i < n; i++)
			all &= w->memory_defined[at - w->memory + i] != 0;
	return all;
}

static void load(warp *w, const inst *in, uint32_t mask, int base) {
	uint32_t bytes = fake_types[in->type].bytes;
	int n = in->vector;
	bool extend = fake_types[in->type].class == 's' && in->dst_bytes > bytes;
	uint64_t keep = in->dst_bytes >= 8 || !in->dst_bytes ? ~0ull : (1ull << 8 * in->dst_bytes) - 1;
	for (uint32_t left = mask; left; left &= left - 1) {
		int i = __builtin_ctz(left);
		uint64_t address = (in->base >= 0 ? lanes_of(w->r, base, in->base)[i] : 0) + (uint64_t)in->offset;
		space where;
		uint8_t *at = fake_place(w, in, i, address, bytes * (uint32_t)n, FAKE_READ | (in->is_volatile ? FAKE_ATOMIC : 0), &where);
		if (!at)
			return;
		for (int k = 0; k < n; k++) {
			if (in->d[k] < 0)
				continue;
			uint64_t v = 0;
			switch (bytes) {
			case 1: v = *(volatile uint8_t *)(at + k); break;
			case 2: v = *(volatile uint16_t *)(at + 2 * k); break;
			case 4: v = *(volatile uint32_t *)(at + 4 * k); break;
			default: v = *(volatile uint64_t *)(at + 8 * k);
			}
			if (extend)
				v = (uint64_t)((int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes)) & keep;
			lanes_of(w->r, base, in->d[k])[i] = v;
			uint32_t *have = &w->defined[base + in->d[k]];
			bool ok = where == S_GLOBAL || written(w, at + (uint32_t)k * bytes, bytes, where);
			*have = (*have & ~(1u << i)) | (uint32_t)ok << i;
		}
	}
}

static void store(warp *w, const inst *in, uint32_t mask, int base) {
	uint32_t bytes = fake_types[in->type].bytes;
	int n = in->vector;
	for (uint32_t left = mask; left; left &= left - 1) {
		int i = __builtin_ctz(left);
		uint64_t address = (in->base >= 0 ? lanes_of(w->r, base, in->base)[i] : 0) + (uint64_t)in->offset;
		space where;
		uint8_t *at = fake_place(w, in, i, address, bytes * (uint32_t)n, FAKE_WRITE | (in->is_volatile ? FAKE_ATOMIC : 0), &where);
		if (!at)
			return;
		for (int k = 0; k < n; k++) {
			uint64_t v = lanes_of(w->r, base, in->s[k])[i];
			bool defined = w->defined[base + in->s[k]] >> i & 1;
			if (where == S_LOCAL || where == S_FRAME) /* a register that is spilt need not be defined */
				memset(w->memory_defined + (at - w->memory) + (uint32_t)k * bytes, defined, bytes);
			else if (!defined && !fake_defined(w, in, base + in->s[k], 1u << i, "the value stored"))
				return;
			switch (bytes) {
			case 1: *(volatile uint8_t *)(at + k) = (uint8_t)v; break;
			case 2: *(volatile uint16_t *)(at + 2 * k) = (uint16_t)v; break;
			case 4: *(volatile uint32_t *)(at + 4 * k) = (uint32_t)v; break;
			default: *(volatile uint64_t *)(at + 8 * k) = v;
			}
		}
	}
}

void fake_memory(warp *w, const inst *in, uint32_t mask, int base) {
	if (in->op == O_PREFETCH || (in->base >= 0 && !fake_defined(w, in, base + in->base, mask, "the address")))
		return;
	w->block->strong += in->is_volatile;
	if (in->op == O_LD)
		load(w, in, mask, base);
	else
		store(w, in, mask, base);
}
