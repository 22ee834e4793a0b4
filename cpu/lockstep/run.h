// The walk over the steps, and the masks. A step is taken where a lane of its scope is left.
#include "lockstep.h"

#define EACH_LANE _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++)

typedef struct { uint64_t half[2]; } wide;

// at returns the address of a lane's operand.
static inline char *at(const lockstep_row *r, int32_t v, int64_t lane) {
	return r->operand[v].p + lane * r->operand[v].step;
}

// count says for how many of n lanes a mask of zeros and ones holds.
static int64_t count(const uint8_t *mask, int64_t n) {
	int64_t sum = 0;
	for (int64_t i = 0; i < n; i++) sum += mask[i];
	return sum;
}

// first is the lowest lane of a mask that holds for one.
static int64_t first(const uint8_t *mask) {
	int64_t i = 0;
	while (!mask[i]) i++;
	return i;
}

// end takes lanes out of a scope and those around it.
static void end(lockstep_row *r, int64_t scope, const uint8_t *lanes) {
	for (; scope >= 0; scope = r->scope[scope].outer) {
		lockstep_scope *s = &r->scope[scope];
		for (int64_t i = 0; i < r->lanes; i++) s->mask[i] &= !lanes[i];
		s->count = count(s->mask, r->lanes);
	}
}

// fail ends lanes, the lowest of which has failed as the fault says.
static void fail(lockstep_row *r, const lockstep_step *s, const uint8_t *lanes, lockstep_fault f) {
	f.instr = s->instr;
	f.lane = first(lanes);
	if (!r->fault.kind || f.lane < r->fault.lane) r->fault = f;
	end(r, s->scope, lanes);
}

// spread fills n elements with one.
static void spread(int64_t size, int64_t n, char *d, const char *x) {
	switch (size) {
	case 1: __builtin_memset(d, *x, (size_t)n); break;
	case 2: { uint16_t v = *(const uint16_t *)x; EACH_LANE ((uint16_t *)d)[i] = v; break; }
	case 4: { uint32_t v = *(const uint32_t *)x; EACH_LANE ((uint32_t *)d)[i] = v; break; }
	case 8: { uint64_t v = *(const uint64_t *)x; EACH_LANE ((uint64_t *)d)[i] = v; break; }
	default: { wide v = *(const wide *)x; for (int64_t i = 0; i < n; i++) ((wide *)d)[i] = v; }
	}
}

// call runs a primitive on n lanes; bits of scalars say which inputs are one element for all.
static void call(const lockstep_row *r, const vm_primitive *q, uint32_t scalars, int64_t n, char **p) {
	for (int f = 0; f < VM_FORMS && q->form[f].loop; f++)
		if (q->form[f].scalars == scalars) {
			q->form[f].loop(n, p);
			return;
		}
	for (int k = 0; k < q->inputs; k++)
		if (scalars >> k & 1) {
			char *to = r->room + 16 * n * k;
			spread(q->size[1 + k], n, to, p[1 + k]);
			p[1 + k] = to;
		}
	q->form[0].loop(n, p);
}

// compute takes a step that is a primitive: on one element, where the result is the same in all lanes.
static void compute(lockstep_row *r, const lockstep_step *s) {
	const vm_primitive *q = r->machine->rows[s->kind].primitive;
	const vm_operand *o = r->operand;
	char *p[1 + VM_INPUTS] = {o[s->d].p, o[s->in[0]].p, o[s->in[1]].p, o[s->in[2]].p, o[s->in[3]].p, o[s->in[4]].p};
	if (o[s->d].step == 0) {
		q->form[0].loop(1, p);
		return;
	}
	uint32_t scalars = 0;
	for (int k = 0; k < q->inputs; k++)
		if (o[s->in[k]].step == 0) scalars |= 1u << k;
	call(r, q, scalars, r->lanes, p);
}

// choose makes the mask of a branch: of the lanes around it, those for which the condition is what it says.
static int64_t choose(lockstep_row *r, const lockstep_step *s, uint8_t holds) {
	int64_t n = r->lanes;
	const uint8_t *outer = r->scope[s->scope].mask, *c = (const uint8_t *)r->operand[s->in[0]].p;
	uint8_t *mask = r->scope[s->d].mask;
	if (r->operand[s->in[0]].step == 0) {
		if (*c == holds) __builtin_memcpy(mask, outer, (size_t)n);
		else __builtin_memset(mask, 0, (size_t)n);
	} else EACH_LANE mask[i] = outer[i] & (c[i] == holds);
	return r->scope[s->d].count = count(mask, n);
}

#define KEEP_LOOP(T) { \
	T *restrict d = (T *)r->operand[s->d].p; \
	const T *x = (const T *)r->operand[s->in[0]].p; \
	if (r->operand[s->in[0]].step) EACH_LANE d[i] = mask[i] ? x[i] : d[i]; \
	else { T v = *x; EACH_LANE d[i] = mask[i] ? v : d[i]; } \
	break; \
}

// keep changes a result in the lanes of the step's scope.
static void keep(lockstep_row *r, const lockstep_step *s) {
	int64_t n = r->lanes, size = s->n;
	const uint8_t *mask = r->scope[s->scope].mask;
	if (r->operand[s->d].step == 0) {
		__builtin_memmove(r->operand[s->d].p, r->operand[s->in[0]].p, (size_t)size);
		return;
	}
	if (r->scope[s->scope].count == n && r->operand[s->in[0]].step) {
		__builtin_memmove(r->operand[s->d].p, r->operand[s->in[0]].p, (size_t)(n * size));
		return;
	}
	switch (size) {
	case 1: KEEP_LOOP(uint8_t)
	case 2: KEEP_LOOP(uint16_t)
	case 4: KEEP_LOOP(uint32_t)
	case 8: KEEP_LOOP(uint64_t)
	default: KEEP_LOOP(wide)
	}
}

#include "shadow.h"
#include "memory.h"
#include "copies.h"
#include "split.h"
#include "warp.h"

// failed takes a fail, for the lanes of the step's scope.
static void failed(lockstep_row *r, const lockstep_step *s) {
	uint8_t lanes[LOCKSTEP_LANES];
	__builtin_memcpy(lanes, r->scope[s->scope].mask, (size_t)r->lanes);
	lockstep_fault f = {.kind = LOCKSTEP_FAILED};
	for (int v = 0; v < s->n; v++)
		__builtin_memcpy(f.value[v], at(r, s->in[v], first(lanes)), (size_t)(s->form >> (5 * v) & 31));
	fail(r, s, lanes, f);
}

#include "alone.h"
#include "inner.h"

// leaving ends lanes that took another way than the scope d, where nothing is left to do for them.
static void leaving(lockstep_row *r, int64_t outer, const uint8_t *stay, const uint8_t *were) {
	uint8_t lanes[LOCKSTEP_LANES];
	for (int64_t i = 0; i < r->lanes; i++) lanes[i] = were[i] & !stay[i];
	end(r, outer, lanes);
}

// The masks of four lanes, of which lanes 0 and 2 satisfy the condition. Scope 0 is the program, 1 the first branch, 2 the
// second; a value that both set is kept by each in its own lanes. A branch without lanes is jumped over:
//
//	if x > 0        IF    1    scope 0: 1111    scope 1: 1010
//	    y = x * 2   mul        computed in all lanes: results of lanes that are not in the scope are not kept
//	                KEEP       y of lanes 0, 2
//	else            ELSE  2                     scope 2: 0101
//	    y = 0       KEEP       y of lanes 1, 3
//	return          LEAVE      the lanes of the step's scope leave all scopes around it
//
// Primitives run in all lanes, because masks cost more than what they would save, and none of them can fault: integer
// division by zero is 0. Whatever touches memory, or other lanes, looks at its scope's mask.
//
// walk takes the steps from the k'th on. It returns where its lanes are to be parked, or behind the last step.
static int64_t walk(lockstep_row *r, int64_t k) {
	static const uint8_t nobody[LOCKSTEP_LANES];
	for (;;) {
		if (k >= r->steps || !r->scope[0].count) {
			if (r->waiting || !r->parked) return r->steps;
			k = resume(r);
		}
		const lockstep_step *s = &r->step[k];
		if (s->kind < LOCKSTEP_IF) {
			r->shape[s->d] = LOCKSTEP_UNKNOWN;
			compute(r, s);
			if (s->n) r->shape[s->d] = r->shape[s->in[s->n - 1]];
			k++;
			continue;
		}
		if (s->kind > LOCKSTEP_LOOP) r->shape[s->d] = LOCKSTEP_UNKNOWN; // what begins a scope has no result
		int64_t next = k + 1;
		lockstep_scope *scope = &r->scope[s->scope];
		switch (s->kind) {
		case LOCKSTEP_IF:
			if (!choose(r, s, 1)) next = s->to;
			if (s->idle) leaving(r, s->scope, r->scope[s->d].mask, scope->mask);
			break;
		case LOCKSTEP_ELSE:
			if (s->idle) leaving(r, s->scope, nobody, r->scope[s->n].mask); // those of the first branch, n
			if (!choose(r, s, 0)) next = s->to;
			break;
		case LOCKSTEP_LOOP:
			if (s->n && scope->count) { // a walk that takes it for no lane leaves at once
				int how = inner(r, &r->loop[s->n - 1], scope);
				if (how == INNER_STOPPED) {
					r->fault.kind = LOCKSTEP_STOPPED;
					return k;
				}
				if (how == INNER_DONE) {
					next = r->loop[s->n - 1].end;
					break;
				}
			}
			__builtin_memcpy(r->scope[s->d].mask, scope->mask, (size_t)r->lanes);
			r->scope[s->d].count = scope->count;
			r->scope[s->d].turns = r->scope[s->d].still = 0;
			break;
		case LOCKSTEP_WHILE: {
			int64_t before = scope->count;
			uint8_t were[LOCKSTEP_LANES];
			if (s->idle) __builtin_memcpy(were, scope->mask, (size_t)r->lanes);
			int64_t n = r->lanes;
			const uint8_t *c = (const uint8_t *)r->operand[s->in[0]].p;
			if (r->operand[s->in[0]].step == 0) {
				if (!*c) {
					__builtin_memset(scope->mask, 0, (size_t)n);
					scope->count = 0;
				}
			} else {
				uint8_t *mask = scope->mask;
				EACH_LANE mask[i] &= c[i];
				scope->count = count(mask, n);
			}
			if (s->idle) leaving(r, scope->outer, scope->mask, were);
			if (!scope->count) next = s->to;
			else if (s->n) {
				scope->still = scope->count == before ? scope->still + 1 : 0;
				if (scope->still >= (scope->spins ? 1 : r->patience) && scope->count < r->scope[0].count) {
					scope->spins = 1;
					split(r, s);
					if (r->fault.kind == LOCKSTEP_STOPPED) return k;
				}
			}
			break;
		}
		case LOCKSTEP_AGAIN:
			if (r->stop && __atomic_load_n(r->stop, __ATOMIC_RELAXED)) {
				r->fault.kind = LOCKSTEP_STOPPED;
				return k;
			}
			scope->turns++;
			next = s->to;
			if (s->n && ++r->spent >= r->turns) {
				if (r->waiting) return next;
				if (!park(r, next, 1)) exhausted(r);
				r->pause = LOCKSTEP_TURNS;
				return r->steps;
			}
			break;
		case LOCKSTEP_KEEP: keep(r, s); break;
		case LOCKSTEP_ELEMENT:
		case LOCKSTEP_PUT:
		case LOCKSTEP_ATOMIC:
		case LOCKSTEP_CAS:
			if (scope->count) access(r, s);
			break;
		case LOCKSTEP_COPY:
			if (scope->count == r->lanes && copied(r, &r->copy[s->n - 1])) next = s->to;
			break;
		case LOCKSTEP_BARRIER:
		case LOCKSTEP_TALLY:
			if (!scope->count) break;
			if ((next = gather(r, s, k)) == k) meet(r, s), passed(r), next++;
			if (next < 0) return k;
			break;
		case LOCKSTEP_GRID_BARRIER:
			if (!scope->count) break;
			if ((next = assemble(r, s, k)) < 0) return k;
			break;
		case LOCKSTEP_VOTE:
		case LOCKSTEP_SHUFFLE:
		case LOCKSTEP_MATCH:
		case LOCKSTEP_ACTIVE:
			if (!scope->count) break;
			if ((next = gather(r, s, k)) == k) r->now++, warps(r, s), next++;
			if (next < 0) return k;
			break;
		case LOCKSTEP_FENCE: fence(r, s); break;
		case LOCKSTEP_LEAVE: {
			uint8_t lanes[LOCKSTEP_LANES];
			__builtin_memcpy(lanes, scope->mask, (size_t)r->lanes);
			end(r, s->scope, lanes);
			break;
		}
		case LOCKSTEP_FAIL:
			if (scope->count) failed(r, s);
			break;
		}
		k = next;
	}
}

void RUN(lockstep_row *r) {
	if (r->single && r->lanes == 1) {
		r->waiting = 0;
		alone(r);
		return;
	}
	int64_t k = r->pause == LOCKSTEP_ENDED ? 0 : proceed(r);
	if (r->pause == LOCKSTEP_GRID) {
		const lockstep_step *s = &r->step[k++];
		uint8_t lanes[LOCKSTEP_LANES];
		__builtin_memcpy(lanes, r->scope[s->scope].mask, (size_t)r->lanes);
		if (r->fails) fail(r, s, lanes, (lockstep_fault){.kind = LOCKSTEP_ALONE, .other = r->other});
	}
	r->notes = r->places = 0; // what another row has left: this one's became marks where it paused
	r->pause = LOCKSTEP_ENDED;
	r->waiting = r->spent = 0;
	walk(r, k);
	if (r->pause != LOCKSTEP_ENDED) mark_notes(r);
	if (r->pause == LOCKSTEP_ENDED) lockstep_forget((uintptr_t)r);
}
