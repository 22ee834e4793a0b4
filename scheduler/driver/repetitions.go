package driver

import (
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// keepNumbers returns a copy of a repetition's uniforms, if it has any. Most repeat those of the one before, and share its
// copy. One by one they would take as long to compare as the rest of what is logged, so that the edition says it.
func (s *Script) keepNumbers(numbers []tile.Scalar, edition uint64) []tile.Scalar {
	if edition != 0 && edition == s.edition {
		return s.kept
	}
	s.edition = edition
	for i := range s.Runs {
		for _, n := range s.Runs[i].Numbers {
			if len(s.kept) == 0 || numbers[n].Bits != s.kept[n].Bits { // of one script they have the same types
				s.kept = slices.Clone(numbers)
				return s.kept
			}
		}
	}
	return s.kept
}

// enacted logs a repetition. The cast and the times remain the caller's.
func (l *eventLog) enacted(script *Script, x *scheduler.Cast, edition uint64, planned int64, times []int64, failed bool) {
	if l.off {
		return
	}
	l.contract()
	if l.ops == nil {
		l.make()
	}
	w := &l.windows
	row := w.add()
	l.lastOp, l.lastTask = x.Last()
	row.op, row.task, row.weight, row.brief, row.repeated, row.wide = l.lastOp, l.lastTask, 0, false, true, nil
	row.last, row.entries = 0, 0
	row.cast = enacted{
		script: x.Script, from: x.From, numbers: script.keepNumbers(x.Numbers, edition),
		planned: planned, at: w.put, runs: len(times) / 2, failed: failed,
	}
	outside := len(script.Outside)
	w.reserve(len(times) + 2*(outside+len(script.makes)))
	put, words := w.put, w.words
	push := func(word int64) {
		words[put&uint64(len(words)-1)] = word
		put++
	}
	for _, at := range times {
		push(at)
	}
	for _, inst := range x.Slots[:outside] {
		push(instanceWord(inst))
		push(inst.Hi)
	}
	for _, slot := range script.makes { // of the others there are many, and they have none
		push(instanceWord(x.Slots[slot]))
		push(x.Slots[slot].Hi)
	}
	w.put = put
	l.count(row, 1)
	l.dropSome()
}

// reserve makes room for so many more words.
func (w *windowLog) reserve(n int) {
	oldest := w.at(0).cast.at
	if int(w.put-oldest)+n <= len(w.words) {
		return
	}
	grown := make([]int64, max(1<<10, 2*len(w.words)))
	for at := oldest; at != w.put; at++ {
		grown[at&uint64(len(grown)-1)] = w.word(at)
	}
	w.words = grown
	w.reserve(n)
}

// instanceWord names an instance and its store.
func instanceWord(inst *scheduler.Instance) int64 { return int64(inst.ID)<<32 | int64(inst.Store) }

func (w *windowLog) set(at uint64, word int64) { w.words[at&uint64(len(w.words)-1)] = word }

func (w *windowLog) word(at uint64) int64 { return w.words[at&uint64(len(w.words)-1)] }

// cast returns the repetition, without its instances.
func (x *enacted) cast() *scheduler.Cast {
	return &scheduler.Cast{Script: x.script, From: x.from, Numbers: x.numbers}
}

// expansion is what a repetition stands for.
type expansion struct {
	ops    []*scheduler.Op
	tasks  []scheduler.Ran // by ID
	splits []scheduler.Split
}

// expand makes what a repetition stands for.
func (w *windowLog) expand(x *enacted) *expansion {
	cast, at := x.cast(), x.at+uint64(2*x.runs)
	slot := func(used bool) {
		var inst *scheduler.Instance
		if used {
			inst, at = w.instance(w.word(at), w.word(at+1)), at+2
		}
		cast.Slots = append(cast.Slots, inst)
	}
	for range x.script.Outside {
		slot(true)
	}
	for _, made := range x.script.Fresh {
		slot(made.Used)
	}
	to := new(expansion)
	var tasks []scheduler.Ended
	to.ops, tasks, to.splits = cast.Expand()
	end := x.planned
	for _, t := range tasks {
		row := scheduler.Ran{Task: t.Task, Planned: x.planned}
		switch {
		case t.Run < 0:
			row.Start, row.End = end, end
		case t.Run < x.runs:
			at := x.at + uint64(2*t.Run)
			row.Start, row.End = w.word(at), w.word(at+1)
			end = row.End
		case t.Run == x.runs && x.failed:
			row.Start, row.End, row.Failed = end, end, true
		}
		to.tasks = append(to.tasks, row)
	}
	slices.SortFunc(to.tasks, func(a, b scheduler.Ran) int { return int(a.ID) - int(b.ID) })
	return to
}

// instance returns the instance that two words tell of, the same for the same words.
func (w *windowLog) instance(name, bytes int64) *scheduler.Instance {
	id := scheduler.InstanceID(name >> 32)
	inst := w.instances[id]
	if inst == nil {
		inst = &scheduler.Instance{ID: id, Store: scheduler.StoreID(name), Hi: bytes}
		if w.instances == nil {
			w.instances = map[scheduler.InstanceID]*scheduler.Instance{}
		}
		w.instances[id] = inst
	}
	return inst
}
