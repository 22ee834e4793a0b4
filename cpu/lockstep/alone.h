// A row of one lane, as a function of numbers is: no masks, and where a step goes on is a jump. Its steps become
// operations once, each with the address of its code and of its operands, and each jumps to the next one. Scalar code
// that loops are made of has code of its own here; what has none runs as a row's does.
//
//	if x > 0        IF    to behind the else, where it does not hold
//	    y = x * 2   mul, KEEP
//	else            ELSE  to the end: who comes here has taken the first branch
//	    y = 0       KEEP

// The operations with code of their own: what there is for each row of lockstep_singles, in its order.
#define SINGLE_BINARY(name, T, R, ...) \
	name: { T x = *(const T *)o->a, y = *(const T *)o->b; *(R *)o->d = (R)(__VA_ARGS__); o++; goto *o->go; }
#define SINGLE_UNARY(name, T, R, ...) \
	name: { T x = *(const T *)o->a; *(R *)o->d = (R)(__VA_ARGS__); o++; goto *o->go; }

// divided and remaining are the floor of a quotient and what is left of it, 0 by 0; see the reference of package tile.
static inline int64_t divided(int64_t x, int64_t y) {
	if ((uint64_t)y + 1 <= 1) return y ? (int64_t)-(uint64_t)x : 0;
	int64_t q = x / y;
	return q - (q * y != x && (x < 0) != (y < 0));
}

static inline int64_t remaining(int64_t x, int64_t y) {
	if ((uint64_t)y + 1 <= 1) return 0;
	int64_t m = x % y;
	return m != 0 && (m < 0) != (y < 0) ? m + y : m;
}

// alone runs the steps of a row of one lane.
static void alone(lockstep_row *r) {
	static const void *const singles[] = {0, LOCKSTEP_SINGLES(SINGLE_LABEL)};
	const vm_operand *v = r->operand;
	lockstep_single *ops = r->single, *o = ops;
	for (int64_t i = 0; i < r->scopes; i++) r->scope[i].mask[0] = 1, r->scope[i].count = 1;
	if (!ops[0].go) for (int64_t k = 0; k <= r->steps; k++) {
		const lockstep_step *s = &r->step[k];
		const void *go = &&end;
		if (k < r->steps) {
			ops[k] = (lockstep_single){0, v[s->d].p, v[s->in[0]].p, v[s->in[1]].p, v[s->in[2]].p, ops + s->to, s};
			switch (s->kind) {
			case LOCKSTEP_IF:
				go = &&if_;
				if (s->to < r->steps && r->step[s->to].kind == LOCKSTEP_ELSE && r->step[s->to].in[0] == s->in[0]) ops[k].to++;
				break;
			case LOCKSTEP_ELSE: go = &&jump; break;
			case LOCKSTEP_LOOP:
			case LOCKSTEP_COPY: go = &&next; break;
			case LOCKSTEP_WHILE: go = &&if_; break;
			case LOCKSTEP_AGAIN: go = &&again; break;
			case LOCKSTEP_KEEP: go = s->n == 8 ? &&keep8 : s->n == 1 ? &&keep1 : &&keep; break;
			case LOCKSTEP_LEAVE: break;
			case LOCKSTEP_FAIL: go = &&fail; break;
			case LOCKSTEP_BARRIER:
			case LOCKSTEP_TALLY: go = &&meet; break;
			case LOCKSTEP_ELEMENT:
			case LOCKSTEP_PUT:
			case LOCKSTEP_ATOMIC:
			case LOCKSTEP_CAS: go = &&access; break;
			default: go = s->form ? singles[s->form] : &&call;
			}
		}
		ops[k].go = go;
	}
	goto *o->go;
	LOCKSTEP_SINGLES(SINGLE_CODE)
if_:
	o = *(const uint8_t *)o->a ? o + 1 : o->to;
	goto *o->go;
again:
	if (r->stop && __atomic_load_n(r->stop, __ATOMIC_RELAXED)) {
		r->fault.kind = LOCKSTEP_STOPPED;
		return;
	}
jump:
	o = o->to;
	goto *o->go;
keep8:
	*(uint64_t *)o->d = *(const uint64_t *)o->a;
	o++;
	goto *o->go;
keep1:
	*(uint8_t *)o->d = *(const uint8_t *)o->a;
	o++;
	goto *o->go;
keep:
	__builtin_memmove(o->d, o->a, (size_t)o->s->n);
next:
	o++;
	goto *o->go;
call:
	compute(r, o->s);
	o++;
	goto *o->go;
meet:
	meet(r, o->s);
	o++;
	goto *o->go;
access:
	r->shape[o->s->d] = LOCKSTEP_UNKNOWN;
	access(r, o->s);
	if (!r->scope[0].count) return;
	o++;
	goto *o->go;
fail:
	failed(r, o->s);
end:;
}
