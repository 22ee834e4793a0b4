package cpu

import (
	"slices"

	"weft/cpu/lockstep"
)

// dots has a code take all turns at once of a loop that counts, and adds products of two elements to a sum that stays
// where it is; see cpu/lockstep/dots.h. The turns' own codes stand behind it, for elements that do not lie so.
func (l *innerLowering) dots(ahead, turn []lockstep.Code) []lockstep.Code {
	// The condition, and who leaves by it, stand before the first turn.
	if len(turn) != 6 || turn[5].Code != lockstep.CodeCount {
		return turn
	}
	x, y, sum, counter := &turn[2], &turn[3], &turn[4], turn[5].D
	if sum.Code < lockstep.CodeSums || sum.Code >= lockstep.CodeSums+12 || sum.D != sum.In[2] {
		return turn
	}
	if reads := [2]int32{sum.In[0], sum.In[1]}; reads != [2]int32{x.D, y.D} && reads != [2]int32{y.D, x.D} || x.D == y.D {
		return turn
	}
	for _, c := range []*lockstep.Code{x, y} {
		if c.Code != lockstep.CodeFound && c.Code != lockstep.CodeOne || l.loop.values[c.D].Result != 0 {
			return turn
		}
		for _, v := range c.In[:len(l.reads(&l.c.steps[c.Step]))] {
			if l.loop.values[v].Row == 0 && v != counter && !l.fixed(turn, v) {
				return turn
			}
		}
	}
	l.borrow(ahead, turn, sum.D)
	l.loop.Again++
	return append(turn[:2:2], append([]lockstep.Code{{Code: lockstep.CodeDots}}, turn[2:]...)...)
}

// borrow has the sum begin where the value lies that it begins with, rather than with a copy, if nothing else writes
// either.
func (l *innerLowering) borrow(ahead, turn []lockstep.Code, sum int32) {
	begins := -1
	for i := range ahead {
		if ahead[i].D != sum {
			continue
		}
		if begins >= 0 || ahead[i].Code != lockstep.CodeCopy {
			return
		}
		begins = i
	}
	if begins < 0 {
		return
	}
	from := ahead[begins].In[0]
	if v := l.loop.values[from]; v.Row == 0 || v.Slot >= 0 || !l.fixed(turn, from) || slices.ContainsFunc(ahead, func(c lockstep.Code) bool { return c.D == from }) {
		return
	}
	ahead[begins].Stays = 1
}
