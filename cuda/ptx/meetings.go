package ptx

import "weft/tile"

// Barriers, tallies, votes, shuffles and matches are instructions of their own. Those of a warp take a mask of the
// threads that come, or have ended; what the hardware makes of a thread that does not come is undefined, so that only a
// mask without the thread itself is a fault here.

// meeting emits an instruction at which threads meet.
func (e *emitter) meeting(v int, args []value) value {
	in := &e.p.Code[v]
	switch in.Op {
	case tile.Tally:
		return one(tile.Int32, e.tally(in.Form, args[0].r[0]))
	case tile.Vote:
		mask := e.ownMask(v, args[0])
		if in.Form == tile.VoteBallot {
			return one(tile.Uint32, e.word("vote.sync.ballot.b32", args[1].r[0], mask))
		}
		how := [...]string{tile.VoteAll: "all", tile.VoteAny: "any", tile.VoteEq: "uni"}[in.Form]
		return one(tile.Bool, e.pred("vote.sync."+how+".pred", args[1].r[0], mask))
	case tile.Shuffle:
		return e.exchange(in.Form, e.ownMask(v, args[0]), args[1], args[2].r[0])
	case tile.Match:
		how := [...]string{tile.MatchAny: "any", tile.MatchAll: "all"}[in.Form]
		mask := e.ownMask(v, args[0])
		r, k := e.asBits(args[1])
		return one(tile.Uint32, e.word("match."+how+".sync."+bitsOf(k), r, mask))
	case tile.Active:
		return one(tile.Uint32, e.word("activemask.b32"))
	}
	e.do("barrier.sync", "0")
	return value{}
}

// tally counts for how many threads of the block p holds, or says whether for all or any.
func (e *emitter) tally(form tile.Form, p string) string {
	switch form {
	case tile.TallyAnd:
		return e.word("selp.u32", "1", "0", e.pred("barrier.red.and.pred", "0", p))
	case tile.TallyOr:
		return e.word("selp.u32", "1", "0", e.pred("barrier.red.or.pred", "0", p))
	}
	return e.word("barrier.red.popc.u32", "0", p)
}

// ownMask returns a mask, which has to name the thread itself.
func (e *emitter) ownMask(v int, mask value) string {
	m := mask.r[0]
	named := e.label("named")
	own := e.word("and.b32", e.word("shr.u32", m, e.word("mov.u32", "%laneid")), "1")
	e.when(e.pred("setp.ne.u32", own, "0"), "bra", named)
	e.failThread(v, tile.FaultMask, 0)
	e.place(named)
	return m
}

// asBits returns a value of one part as untyped bits, in a word or a long.
func (e *emitter) asBits(v value) (r string, k class) {
	switch scalars[v.t].class {
	case float:
		if v.t == tile.Float16 {
			return e.word("cvt.u32.u16", e.to(half, "cvt.rn.f16.f32", v.r[0])), word
		}
		return e.word("mov.b32", v.r[0]), word
	case dbl:
		return e.long("mov.b64", v.r[0]), long
	case long:
		return v.r[0], long
	case pred:
		return e.word("selp.u32", "1", "0", v.r[0]), word
	}
	return v.r[0], word
}

// exchange gives each thread the value of another; its own where that is beyond the warp, not in the mask, or has
// ended.
func (e *emitter) exchange(form tile.Form, mask string, v value, by string) value {
	lane := e.word("mov.u32", "%laneid")
	by = e.word("and.b32", by, "31")
	var op, from string
	clamp := "31"
	switch form {
	case tile.ShuffleIdx:
		op, from = "idx", by
	case tile.ShuffleUp:
		op, from, clamp = "up", e.word("sub.s32", lane, by), "0"
	case tile.ShuffleDown:
		op, from = "down", e.word("add.s32", lane, by)
	default:
		op, from = "bfly", e.word("xor.b32", lane, by)
	}
	// Who has ended has no vote. A count of 32 and more, as of a lane below 0, leaves no bit.
	come := e.word("vote.sync.ballot.b32", e.pred("setp.eq.u32", lane, lane), mask)
	there := e.pred("setp.ne.u32", e.word("and.b32", e.word("shr.u32", come, from), "1"), "0")
	word := func(r string) string {
		return e.word("selp.b32", e.word("shfl.sync."+op+".b32", r, by, clamp, mask), r, there)
	}
	got := value{t: v.t}
	for i := range v.parts() {
		switch scalars[v.t].class {
		case pred:
			got.r[i] = e.pred("setp.ne.u32", word(e.word("selp.u32", "1", "0", v.r[i])), "0")
		case float:
			got.r[i] = e.float("mov.b32", word(e.word("mov.b32", v.r[i])))
		case long, dbl:
			lo, hi := e.reg('r'), e.reg('r')
			e.do("mov.b64", "{"+lo+", "+hi+"}", v.r[i])
			got.r[i] = e.to(scalars[v.t].class, "mov.b64", "{"+word(lo)+", "+word(hi)+"}")
		default:
			got.r[i] = word(v.r[i])
		}
	}
	return got
}
