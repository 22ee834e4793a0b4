package cpu

import (
	"slices"

	"weft/cpu/lockstep"
	"weft/tile"
)

// mostCopies is of how many copies a row keeps where their elements are.
const mostCopies = 16

// copies puts a step before those that read elements of one memory and put them into another, if that is all that they
// do: of what is computed once for a row, or the sum of that and of what is the same in all lanes. The step does the
// same without rows of indices and of elements, and goes behind the others, where it can: see cpu/lockstep/copies.h.
func (lo *threadLowering) copies() {
	if lo.p.Guarded {
		return
	}
	uses := make([]int, len(lo.rows))
	for k := range lo.c.steps {
		reads, _ := lo.touches(&lo.c.steps[k])
		for _, v := range reads {
			uses[v]++
		}
	}
	var before []int // steps, in order
	for k := range lo.c.steps {
		if lo.c.steps[k].Kind != lockstep.Put || len(before) == mostCopies {
			continue
		}
		if first, c, ok := lo.copyOf(k, uses); ok {
			before, lo.c.copies = append(before, first), append(lo.c.copies, c)
		}
	}
	lo.insert(before)
}

// copyOf finds the first of the steps that end in a put, and what they copy.
func (lo *threadLowering) copyOf(put int, uses []int) (first int, c lockstep.Copy, ok bool) {
	add := int32(lo.table[[2]string{"add", "int64"}].Row)
	sums, element := map[int32]*lockstep.Step{}, -1
	for first = put; first > 0; first-- {
		s := &lo.c.steps[first-1]
		if s.Scope != lo.c.steps[put].Scope || s.D == none || uses[s.D] != 1 {
			break
		}
		if s.Kind == add && s.N > 0 {
			sums[s.D] = s
		} else if s.Kind == lockstep.Element && element < 0 && s.D == lo.c.steps[put].In[0] {
			element = first - 1
		} else {
			break
		}
	}
	if element < 0 {
		return 0, c, false
	}
	c.From.Step, c.To.Step = int32(element), int32(put)
	from, to := lo.c.steps[element], lo.c.steps[put]
	params := int32(len(lo.p.Params))
	if shared := (from.N < params) != (to.N < params); !shared || slices.ContainsFunc([]int32{from.N, to.N}, func(n int32) bool {
		return n >= params && lo.p.Scratch[n-params].Space != tile.Shared
	}) { // they may be the same memory, or are a lane's own
		return 0, c, false
	}
	for _, side := range []struct {
		to *lockstep.Side
		in []int32
	}{{&c.From, from.In[:]}, {&c.To, to.In[1:]}} {
		for axis, v := range side.in {
			sum := sums[v]
			switch {
			case v == none:
				continue
			case !lo.rows[v]:
				side.to.By[axis] = v
				continue
			case lo.once[v]:
				side.to.Row[axis] = v
				continue
			case sum == nil || !lo.once[sum.In[sum.N-1]]:
				return 0, c, false
			}
			side.to.Row[axis], side.to.By[axis] = sum.In[sum.N-1], sum.In[2-sum.N]
			delete(sums, v)
		}
	}
	return first, c, len(sums) == 0 // each sum is an index of one of them
}

// insert puts the copies before the steps of these numbers.
func (lo *threadLowering) insert(before []int) {
	moved := func(k int32, onto bool) int32 { // a jump onto the first step of a copy comes to that
		n, found := slices.BinarySearch(before, int(k))
		if found && !onto {
			n++
		}
		return k + int32(n)
	}
	var steps []lockstep.Step
	for k, s := range lo.c.steps {
		if n, found := slices.BinarySearch(before, k); found {
			c := &lo.c.copies[n]
			c.From.Step, c.To.Step = moved(c.From.Step, false), moved(c.To.Step, false)
			steps = append(steps, lockstep.Step{Kind: lockstep.Copies, N: int32(n + 1), Scope: s.Scope, To: c.To.Step + 1, Instr: s.Instr})
		}
		switch s.Kind {
		case lockstep.If, lockstep.Else, lockstep.While, lockstep.Again:
			s.To = moved(s.To, true)
		}
		steps = append(steps, s)
	}
	lo.c.steps = steps
	for i, l := range lo.loops {
		lo.loops[i] = [2]int{int(moved(int32(l[0]), true)), int(moved(int32(l[1]), false))}
	}
}
