package viz

import (
	"slices"

	"weft/profiler"
)

// beside puts two traces on one time axis, each beginning at 0, the lanes of the second one below those of the first. So
// everything that can be asked of a trace can be asked of two. The numbers of tasks, ops and sources of the second
// one begin behind first, a power of ten, so that they still can be read.
func beside(a, b *profiler.Trace) (both *profiler.Trace, first uint32) {
	first = 10
	for _, t := range []*profiler.Trace{a, b} {
		for _, rec := range t.Records {
			for first < 1e9 && (rec.Task >= first || rec.Op >= first) {
				first *= 10
			}
		}
		for _, s := range t.Sources {
			for first < 1e9 && s.ID >= first {
				first *= 10
			}
		}
	}
	startA, _ := a.Span()
	startB, _ := b.Span()
	number := func(id uint32) uint32 {
		if id == 0 {
			return 0
		}
		return id + first
	}
	where := func(w profiler.Where) profiler.Where { return profiler.Where{Source: number(w.Source), Line: w.Line} }
	both = &profiler.Trace{
		Machine: slices.Clone(a.Machine), Lanes: slices.Concat(a.Lanes, b.Lanes), Lost: slices.Concat(a.Lost, b.Lost), Sources: slices.Clone(a.Sources),
		Forms: slices.Clone(a.Forms), Labels: slices.Clone(a.Labels), Ops: slices.Clone(a.Ops), Tasks: slices.Clone(a.Tasks), Cut: a.Cut || b.Cut,
		Records: make([]profiler.Record, 0, len(a.Records)+len(b.Records)),
	}
	for _, s := range b.Sources {
		s.ID = number(s.ID)
		both.Sources = append(both.Sources, s)
	}
	for _, f := range b.Forms[1:] {
		f.Where = where(f.Where)
		both.Forms = append(both.Forms, f)
	}
	for _, l := range b.Labels[1:] {
		l.Where = where(l.Where)
		both.Labels = append(both.Labels, l)
	}
	for _, op := range b.Ops {
		op.ID = number(op.ID)
		if op.Form != 0 {
			op.Form += uint32(len(a.Forms) - 1)
		}
		both.Ops = append(both.Ops, op)
	}
	for i := range both.Tasks {
		both.Tasks[i].Planned = max(both.Tasks[i].Planned-startA, 0)
	}
	for _, task := range b.Tasks {
		after := make([]uint32, 0, len(task.After))
		for _, id := range task.After {
			after = append(after, number(id))
		}
		both.Tasks = append(both.Tasks, profiler.Task{ID: number(task.ID), Planned: max(task.Planned-startB, 0), After: after})
	}
	for _, rec := range a.Records {
		rec.Start, rec.End = rec.Start-startA, rec.End-startA
		both.Records = append(both.Records, rec)
	}
	for _, rec := range b.Records {
		rec.Start, rec.End = rec.Start-startB, rec.End-startB
		rec.Task, rec.Op = number(rec.Task), number(rec.Op)
		if rec.Label != 0 {
			rec.Label += uint32(len(a.Labels) - 1)
		}
		rec.Lane += uint16(len(a.Lanes))
		both.Records = append(both.Records, rec)
	}
	return both, first
}
