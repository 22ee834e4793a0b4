package live

import (
	"context"
	"slices"

	"weft/profiler"
)

// beside puts two traces on one time axis, each beginning at 0, the lanes of the second one below those of the first.
// So everything that can be asked of a trace can be asked of two. The numbers of tasks, ops and sources of the second
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
	whole := func(t *profiler.Trace) *profiler.Increment {
		return &profiler.Increment{
			Lanes: t.Lanes, Sources: t.Sources, Forms: t.Forms[1:], Labels: t.Labels[1:], Ops: t.Ops, Tasks: t.Tasks, Records: t.Records, Lost: t.Lost,
		}
	}
	one := (&shift{time: -startA}).move(whole(a))
	other := (&shift{len(a.Lanes), len(a.Forms) - 1, len(a.Labels) - 1, first, -startB, one.Lost}).move(whole(b))
	both = &profiler.Trace{
		Machine: slices.Clone(a.Machine), Lanes: slices.Concat(one.Lanes, other.Lanes), Lost: other.Lost, Sources: slices.Concat(one.Sources, other.Sources),
		Forms: slices.Concat(a.Forms[:1], one.Forms, other.Forms), Labels: slices.Concat(a.Labels[:1], one.Labels, other.Labels),
		Ops: slices.Concat(one.Ops, other.Ops), Tasks: slices.Concat(one.Tasks, other.Tasks), Records: slices.Concat(one.Records, other.Records), Cut: a.Cut || b.Cut,
	}
	return both, first
}

// shift is how the numbers and times of a run are changed, so that it can stand beside another one.
type shift struct {
	lanes, forms, labels int      // of the other one, rows 0 not counted
	first                uint32   // added to numbers of tasks, ops and sources
	time                 int64    // added to times
	lost                 []uint64 // of the other one's lanes
}

func (s *shift) number(id uint32) uint32 {
	if id == 0 {
		return 0
	}
	return id + s.first
}

func (s *shift) where(w profiler.Where) profiler.Where {
	return profiler.Where{Source: s.number(w.Source), Line: w.Line}
}

// at moves a time. The start of a run may be known only about.
func (s *shift) at(t int64) int64 { return min(max(t+s.time, 0), maxTime-1) }

// move returns rows that are changed, and leaves the old ones as they are. Documents are left out.
func (s *shift) move(inc *profiler.Increment) profiler.Increment {
	out := profiler.Increment{
		Lanes: inc.Lanes, Sources: slices.Clone(inc.Sources), Forms: slices.Clone(inc.Forms), Labels: slices.Clone(inc.Labels), Ops: slices.Clone(inc.Ops),
		Tasks: slices.Clone(inc.Tasks), Records: slices.Clone(inc.Records),
	}
	for i := range out.Sources {
		out.Sources[i].ID = s.number(out.Sources[i].ID)
	}
	for i := range out.Forms {
		out.Forms[i].Where, out.Forms[i].Parts = s.where(out.Forms[i].Where), out.Forms[i].Parts.Shift(s.first)
	}
	for i := range out.Labels {
		out.Labels[i].Where = s.where(out.Labels[i].Where)
	}
	for i := range out.Ops {
		op := &out.Ops[i]
		if op.ID = s.number(op.ID); op.Form != 0 {
			op.Form += uint32(s.forms)
		}
	}
	for i := range out.Tasks {
		task := &out.Tasks[i]
		task.ID, task.Planned, task.After = s.number(task.ID), s.at(task.Planned), slices.Clone(task.After)
		for k := range task.After {
			task.After[k] = s.number(task.After[k])
		}
	}
	for i := range out.Records {
		rec := &out.Records[i]
		rec.Start, rec.End = s.at(rec.Start), s.at(rec.End)
		rec.Task, rec.Op = s.number(rec.Task), s.number(rec.Op)
		if rec.Label != 0 {
			rec.Label += uint32(s.labels)
		}
		rec.Lane += uint16(s.lanes)
	}
	if inc.Lost != nil {
		out.Lost = slices.Concat(s.lost, inc.Lost)
	}
	return out
}

// Of two profiles that are read in pieces, the second one's numbers begin behind secondFirst, and its start is taken
// from its first startPieces pieces with records: what is recorded first comes early in a file.
const (
	secondFirst = 1_000_000_000
	startPieces = 16
)

// readSecond reads a profile beside the one that was read.
func (f *feed) readSecond(ctx context.Context, pieces pieces) error {
	f.mu.Lock()
	tables := f.store.Tables()
	s := &shift{len(tables.Lanes), len(tables.Forms) - 1, len(tables.Labels) - 1, secondFirst, 0, slices.Clone(tables.Lost)}
	startA, _ := f.store.Span()
	f.catalog.second = s.lanes
	f.mu.Unlock()
	var held []profiler.Increment
	started, records := false, 0
	startB := int64(maxTime)
	begin := func() (shown bool) {
		if started = true; records > 0 {
			s.time = startA - startB
		}
		for i := range held {
			moved := s.move(&held[i])
			shown = f.add(&moved)
		}
		held = nil
		return shown
	}
	err := f.read(ctx, pieces, func(inc *profiler.Increment) bool {
		if started {
			moved := s.move(inc)
			return f.add(&moved)
		}
		held = append(held, *inc)
		for i := range inc.Records {
			startB = min(startB, inc.Records[i].Start)
		}
		if len(inc.Records) > 0 {
			records++
		}
		return records == startPieces && begin()
	})
	if !started {
		begin()
	}
	return err
}
