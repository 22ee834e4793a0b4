package driver

import (
	"cmp"
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// A Wrong is what went wrong in the floating-point operations of an op that was submitted.
//
//	submitted     o1 divide    o2 log       the program asked to be told (Wanted)
//	fused         o2 divide+log             Parts o1, o2; Watched says of which part each instruction is
//	found         divide: by zero           Wrong{o1, ...}, once, however many tiles find it
type Wrong struct {
	Op    scheduler.OpID
	Name  string
	Flags tile.Flags
	Where scheduler.Where
	Asked uint32 // by which call of the program's, which waits for it: scheduler.Op's
}

// watch says what a launch should find out. What was found in other tiles of the same ops is not looked for again.
//
// Found begins as what need not be found: flags that were told, and those that the op does not want. A device looks for
// the others, and stops looking for each once it is found.
func (s *slot) watch(op *scheduler.Op) *tile.Watch {
	watched := op.Program.Watched
	if op.Wanted == 0 || len(watched) == 0 {
		return nil
	}
	w := &s.watched
	w.Wanted, w.Found = op.Wanted, w.Found[:0]
	for i := range watched {
		part := partOf(op, &watched[i])
		w.Found = append(w.Found, uint32(begun(part).Told|w.Wanted&^part.Wanted))
	}
	return w
}

// partOf returns the op that the program submitted, of those that were fused into one.
func partOf(op *scheduler.Op, w *tile.Watched) *scheduler.Op {
	if len(op.Parts) == 0 {
		return op
	}
	return op.Parts[w.Part]
}

// begun returns the op that began an operation of several steps.
func begun(op *scheduler.Op) *scheduler.Op {
	for op.Continues != nil {
		op = op.Continues
	}
	return op
}

// wentWrong keeps what a launch has found out until the program takes it. Each op tells of each flag once.
//
// Told is on the op that the program submitted, whichever tile, fused op or step found the flag.
func (r *Runtime) wentWrong(op *scheduler.Op, w *tile.Watch) {
	if w == nil {
		return
	}
	for i := range op.Program.Watched {
		watched := &op.Program.Watched[i]
		part := partOf(op, watched)
		first := begun(part)
		found := tile.Flags(w.Found[i]) & part.Wanted &^ first.Told
		if found == 0 {
			continue
		}
		first.Told |= found
		r.wrongs = append(r.wrongs, Wrong{part.ID, cmp.Or(watched.Tells, part.Tells, part.Name), found, part.Where, part.Asked})
		if r.opt.Wrong != nil {
			r.opt.Wrong()
		}
	}
}

// TakeWrongs returns what went wrong in ops that have been computed since it was last called, in the order of the
// program.
func (r *Runtime) TakeWrongs() []Wrong {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.wrongs
	r.wrongs = nil
	slices.SortStableFunc(all, func(a, b Wrong) int { return cmp.Compare(a.Op, b.Op) })
	return all
}
