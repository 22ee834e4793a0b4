package cpu

import (
	"weft/cpu/lockstep"
)

// mostKept is of how many steps a row keeps where their elements are.
const mostKept = 32

// onlyOnce tells of each place whether it has one value while a row runs: one step writes it, if any, which stands in
// no loop, and no lanes go ahead of others that turn. Those that wait at grid barriers have that value later: what
// is told of it is kept where all lanes have it.
func (lo *threadLowering) onlyOnce() []bool {
	lo.differs(none, false) // which makes room for all places
	once := make([]bool, len(lo.rows))
	if len(lo.spins) > 0 {
		return once
	}
	writers := make([]int, len(once))
	loops := 0
	for k := range lo.c.steps {
		switch s := &lo.c.steps[k]; s.Kind {
		case lockstep.Loop:
			loops++
		case lockstep.Again:
			loops--
		default:
			if _, d := lo.touches(s); d != none {
				writers[d] += 1 + loops
			}
		}
	}
	for v := range once {
		once[v] = writers[v] <= 1
	}
	return once
}

// keep has steps that read or write elements in loops keep where those are, as far as indices tell that are computed
// once.
func (lo *threadLowering) keep() {
	loops := 0
	for k := range lo.c.steps {
		s := &lo.c.steps[k]
		lead := 0
		switch s.Kind {
		case lockstep.Loop:
			loops++
			continue
		case lockstep.Again:
			loops--
			continue
		case lockstep.Put:
			lead = 1
		case lockstep.Element:
		default:
			continue
		}
		if loops == 0 || len(lo.c.kept) == mostKept {
			continue
		}
		axes := int64(0)
		for axis, v := range s.In[lead:] {
			if v != none && lo.rows[v] && lo.once[v] {
				axes |= 1 << axis
			}
		}
		if axes != 0 {
			lo.c.kept = append(lo.c.kept, axes)
			s.Type = int32(len(lo.c.kept))
		}
	}
}
