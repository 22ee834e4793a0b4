/* What lanes of a warp do together: shfl.sync, vote.sync, match.sync, redux.sync, bar.warp.sync. Lanes go on when all that their mask
   names, and that have not ended, are at the same instruction. */
#include "pure.h"

static void give(warp *w, int base, int32_t slot, int lane, uint64_t v, bool defined) {
	if (slot < 0)
		return;
	lanes_of(w->r, base, slot)[lane] = v;
	uint32_t *have = &w->defined[base + slot];
	*have = (*have & ~(1u << lane)) | (uint32_t)defined << lane;
}

/* source_lane is the lane that a shuffle reads, by the rules of c's clamp and segment mask. */
static int source_lane(int lane, uint32_t b, uint32_t c, int mode, bool *in_range) {
	int by = (int)(b & 31), clamp = (int)(c & 31), segment = (int)(c >> 8 & 31);
	int most = (lane & segment) | (clamp & ~segment), least = lane & segment, j;
	switch (mode) {
	case W_UP:
		j = lane - by;
		*in_range = j >= most;
		break;
	case W_DOWN:
		j = lane + by;
		*in_range = j <= most;
		break;
	case W_BFLY:
		j = lane ^ by;
		*in_range = j <= most;
		break;
	default:
		j = least | (by & ~segment);
		*in_range = j <= most;
	}
	return *in_range ? j & 31 : lane;
}

static void shuffle(warp *w, const inst *in, uint32_t members, int base) {
	uint64_t a[LANES];
	memcpy(a, lanes_of(w->r, base, in->s[0]), sizeof a);
	uint32_t have = w->defined[base + in->s[0]];
	for (int i = 0; i < LANES; i++) {
		if (!(members >> i & 1))
			continue;
		bool in_range;
		int j = source_lane(i, (uint32_t)lanes_of(w->r, base, in->s[1])[i], (uint32_t)lanes_of(w->r, base, in->s[2])[i], in->mode, &in_range);
		give(w, base, in->d[0], i, a[j], (members & have) >> j & 1); /* the value of a lane that does not take part is undefined */
		give(w, base, in->d[1], i, in_range, true);
	}
}

static void vote(warp *w, const inst *in, uint32_t members, int base) {
	if (!fake_defined(w, in, base + in->s[0], members, "the predicate of a vote"))
		return;
	uint32_t p = lanes_where(w, base + in->s[0]);
	p = (in->inverse & 1 ? ~p : p) & members;
	uint64_t v = in->mode == W_BALLOT ? p : in->mode == W_ALL ? p == members : in->mode == W_ANY ? p != 0 : p == 0 || p == members;
	for (int i = 0; i < LANES; i++)
		if (members >> i & 1)
			give(w, base, in->d[0], i, v, true);
}

static void match(warp *w, const inst *in, uint32_t members, int base) {
	if (!fake_defined(w, in, base + in->s[0], members, "the value of a match"))
		return;
	const uint64_t *a = lanes_of(w->r, base, in->s[0]);
	uint64_t keep = type_mask((type)in->type), r[LANES];
	for (int i = 0; i < LANES; i++) {
		r[i] = 0;
		for (int k = 0; k < LANES; k++)
			r[i] |= (uint64_t)(members >> k & 1 && (a[k] & keep) == (a[i] & keep)) << k;
	}
	for (int i = 0; i < LANES; i++) {
		if (!(members >> i & 1))
			continue;
		bool all = r[i] == members;
		give(w, base, in->d[0], i, in->mode == W_ALL && !all ? 0 : r[i], true);
		give(w, base, in->d[1], i, all, true);
	}
}

static void reduce(warp *w, const inst *in, uint32_t members, int base) {
	if (!fake_defined(w, in, base + in->s[0], members, "the value of a reduction"))
		return;
	const uint64_t *a = lanes_of(w->r, base, in->s[0]);
	bool first = true, is_signed = in->type == T_S32;
	uint32_t r = 0;
	for (int i = 0; i < LANES; i++) {
		uint32_t v = (uint32_t)a[i];
		if (!(members >> i & 1))
			continue;
		bool less = is_signed ? (int32_t)v < (int32_t)r : v < r;
		if (first)
			r = v;
		else
			r = in->atom == W_ADD ? r + v : in->atom == W_AND ? r & v : in->atom == W_OR ? r | v : in->atom == W_XOR ? r ^ v : less == (in->atom == W_MIN) ? v : r;
		first = false;
	}
	for (int i = 0; i < LANES; i++)
		if (members >> i & 1)
			give(w, base, in->d[0], i, r, true);
}

/* fake_exchange runs an instruction for those lanes of mask whose partners are all there, and returns them. */
uint32_t fake_exchange(warp *w, const inst *in, uint32_t mask, int base) {
	int last = in->source_count - 1;
	uint32_t left = mask, done = 0;
	if (!fake_defined(w, in, base + in->s[last], mask, "the member mask"))
		return 0;
	const uint64_t *named = lanes_of(w->r, base, in->s[last]);
	while (left && !w->block->run->fault) {
		int lane = __builtin_ctz(left);
		uint32_t members = (uint32_t)named[lane] & w->here & w->live, same = 0; /* lanes beyond the block's end, or that have ended, are not waited for */
		for (int i = 0; i < LANES; i++)
			same |= (uint32_t)(left >> i & 1 && ((uint32_t)named[i] & w->here & w->live) == members) << i;
		if (same & ~members) {
			fake_fault(w, in, __builtin_ctz(same & ~members), 719, "lane %d is not in the member mask 0x%08x that it gives", __builtin_ctz(same & ~members), (uint32_t)named[lane]);
			return done;
		}
		left &= ~same;
		if ((same & members) != members)
			continue;
		switch (in->op) {
		case O_SHFL: shuffle(w, in, members, base); break;
		case O_VOTE: vote(w, in, members, base); break;
		case O_MATCH: match(w, in, members, base); break;
		case O_REDUX: reduce(w, in, members, base); break;
		default: break;
		}
		done |= members;
	}
	return done;
}
