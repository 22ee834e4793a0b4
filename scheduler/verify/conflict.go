package verify

import (
	"fmt"
	"slices"
	"sort"

	"weft/scheduler"
	"weft/scheduler/region"
)

// Which tasks conflict, by brute force: the slow twin of history.go in scheduler/core.

// users knows, for each byte of an instance, who wrote it last and who has read it since, in the
// order of the plan. Conflicts with earlier ones follow from those: a task that comes after the last
// writer comes after those that the last writer had to wait for.
//
// A use of bytes makes edges to these alone:
//
//	w1  r2  r3  w4  r5        events on one byte, in the order of the plan
//	 ^---+---+   |   |        r2 and r3 follow w1
//	     ^---^---+   |        w4 follows r2 and r3, and by them w1
//	             ^---+        r5 follows w4: writers holds w4, readers r5
//
// so that their number stays linear, and every pair that conflicts is joined by a path of them.
type users struct {
	writers *tags     // events; 0 for none
	readers []readers // disjoint, in ascending order
}

// readers are who read some bytes since they were written.
//
// The lists of two neighbours may be equal: readers are cut where reads begin and end, and are not joined again. A
// write deletes them.
type readers struct {
	lo, hi int64
	by     []event
}

// need calls fn for everything that a use of bytes conflicts with.
func (u *users) need(bytes *region.Set, write bool, fn func(event)) {
	var some [8]tag // as many as there mostly are
	found := some[:0]
	for _, part := range bytes.Intervals() {
		found = u.writers.of(part, found[:0])
		for _, w := range found {
			if w.by != 0 {
				fn(w.by)
			}
		}
		for i := u.at(part.Lo); write && i < len(u.readers) && u.readers[i].lo < part.Hi; i++ {
			for _, by := range u.readers[i].by {
				fn(by)
			}
		}
	}
}

// at returns the position of the first readers whose bytes end behind a byte.
func (u *users) at(lo int64) int {
	return sort.Search(len(u.readers), func(i int) bool { return u.readers[i].hi > lo })
}

// write notes a writer, which stands for all that used the bytes before: whatever comes later and waits for it has
// waited for those.
func (u *users) write(by event, bytes *region.Set) {
	u.writers.setAll(bytes.Intervals(), by)
	if len(u.readers) > 0 {
		u.change(bytes.Intervals(), func([]event) []event { return nil })
	}
}

// read notes a reader. Who is over is dropped now and then.
func (u *users) read(by event, bytes *region.Set, alive map[event]*checked) {
	u.change(bytes.Intervals(), func(list []event) []event {
		// A store that is only read, as constants are, would gather readers forever. They are looked through when
		// the list would grow anyway: at no more than a constant cost for each.
		if len(list) >= 16 && len(list) == cap(list) {
			list = slices.DeleteFunc(list, func(by event) bool { return alive[by] == nil })
		}
		return append(list, by)
	})
}

// change makes other lists of those of the bytes of ascending disjoint parts, in one pass over the readers from the
// first part to the last: replacing them one by one would move the tail for each of many, as of a column. A byte that
// nothing has read has no list, nor has one of which none is left.
//
//	readers    [ a      )    [ b    )
//	parts          [       )    [ )
//	new        [ a )[ a')[ )[b)[b')[b)        a', b' and that of the gap are what to has made of a, b and nothing
func (u *users) change(parts []region.Interval, to func([]event) []event) {
	if len(parts) == 0 {
		return
	}
	first := u.at(parts[0].Lo)
	rest := u.readers[first:] // what has not been passed
	var some [8]readers       // as many as there mostly are
	list := some[:0]
	for _, p := range parts {
		for len(rest) > 0 && rest[0].hi <= p.Lo {
			list, rest = append(list, rest[0]), rest[1:]
		}
		if len(rest) > 0 && rest[0].lo < p.Lo {
			list = append(list, readers{rest[0].lo, p.Lo, slices.Clone(rest[0].by)})
			rest[0].lo = p.Lo
		}
		for at := p.Lo; at < p.Hi; {
			r := readers{lo: at, hi: p.Hi}
			switch {
			case len(rest) == 0:
			case rest[0].lo > at:
				r.hi = min(p.Hi, rest[0].lo)
			case rest[0].hi > p.Hi:
				r.by = slices.Clone(rest[0].by)
				rest[0].lo = p.Hi
			default:
				r, rest = rest[0], rest[1:]
			}
			at = r.hi
			if r.by = to(r.by); r.by != nil {
				list = append(list, r)
			}
		}
	}
	u.readers = slices.Replace(u.readers, first, len(u.readers)-len(rest), list...)
}

// firstShared returns the first bytes that are in both sets.
func firstShared(a, b *region.Set) (region.Interval, bool) {
	x, y := a.Intervals(), b.Intervals()
	for len(x) > 0 && len(y) > 0 {
		if common := x[0].Intersect(y[0]); !common.Empty() {
			return common, true
		}
		if x[0].Hi < y[0].Hi {
			x = x[1:]
		} else {
			y = y[1:]
		}
	}
	return region.Interval{}, false
}

// conflicts finds everything that a task must wait for, and remembers it as a user.
//
// Writes are asked for before reads are noted, so that a task which updates bytes in place does not wait for itself. A
// free counts as a write of the whole instance: it comes behind all users, and nothing may come behind it.
func (c *Checker) conflicts(ct *checked) {
	need := func(on event) {
		before := c.tasks[on]
		if before == nil || before == ct || before.met == ct.by { // it has ended, or is known
			return
		}
		// met marks the pair as found, as an operand of many pieces meets the same task in each of them.
		before.met = ct.by
		ct.prev = append(ct.prev, on)
		before.next = append(before.next, ct.by)
		if ct.task == nil || c.counts(ct.task) {
			c.Conflicts++
		}
		c.waits(ct, before)
	}
	if ct.task != nil && ct.task.Kind == scheduler.Free {
		if h := c.instance(ct.task.Src); h != nil {
			all := region.Of(region.Interval{Lo: ct.task.Src.Lo, Hi: ct.task.Src.Hi})
			h.users.need(&all, true, need)
			h.users.write(ct.by, &all)
		}
		return
	}
	for _, w := range [2]bool{true, false} { // what it writes first: its own reads are of before
		uses := ct.reads
		if w {
			uses = ct.writes
		}
		for i := range uses {
			if h := c.instance(uses[i].inst); h != nil {
				h.users.need(&uses[i].bytes, w, need)
			}
		}
	}
	for i := range ct.writes {
		if h := c.instance(ct.writes[i].inst); h != nil {
			h.users.write(ct.by, &ct.writes[i].bytes)
		}
	}
	for i := range ct.reads {
		if h := c.instance(ct.reads[i].inst); h != nil {
			h.users.read(ct.by, &ct.reads[i].bytes, c.tasks)
		}
	}
}

// waits makes sure that a task waits for one before it that it conflicts with: by its After, by
// that of what it waits for, or because the other was over when this one was planned. Tasks that run
// in order wait for nothing: of them, the times alone tell.
//
// The search follows After from the later task back, and leaves out IDs below the one that it looks for, since a task
// waits for smaller IDs only (inv 2). Completed tasks are no longer in c.tasks: a path through one of them is no path
// here, but then ended says that the other one was over, too.
func (c *Checker) waits(ct, before *checked) {
	if ct.task == nil || before.task == nil || ct.task.InOrder || slices.Contains(ct.task.After, before.task.ID) || c.ended(before.task, ct.task) {
		return
	}
	if ct.task.Lacks != nil && before.task.Lacks != nil && ct.task.Op == before.task.Op {
		return // neither runs: both only fail
	}
	if !c.line.reaches(c.tasks, ct, before) {
		c.wrong(4, ct.task, "%v does not wait for %v; %s", ct, before, c.shared(ct, before)).Other = before.task.ID
	}
}

// line is whom one task waits for, directly or behind others, followed back as far as was asked for.
type line struct {
	of   *checked
	open []*checked // in it, and not followed: the next one last
	far  []*checked // nor these, which lie before what was asked for
}

// reaches reports whether before, a task that has not ended, is in the line of ct. A task waits for earlier ones of the
// plan alone, so that those before it need not be followed.
func (l *line) reaches(tasks map[event]*checked, ct, before *checked) bool {
	if l.of != ct {
		l.of, l.open, l.far = ct, append(l.open[:0], ct), l.far[:0]
	} else if before.lined != ct.by {
		l.open, l.far = append(l.open, l.far...), l.far[:0]
	}
	for len(l.open) > 0 && before.lined != ct.by {
		t := l.open[len(l.open)-1]
		l.open = l.open[:len(l.open)-1]
		if t.by <= before.by {
			l.far = append(l.far, t)
			continue
		}
		for _, on := range t.waitsFor(tasks) {
			if !on.over && on.lined != ct.by {
				on.lined = ct.by
				l.open = append(l.open, on)
			}
		}
	}
	return before.lined == ct.by
}

// waitsFor returns the tasks of a task's After, without those that ended before it was called first. Lines of many
// later tasks lead through one task, whose After is looked up once.
func (ct *checked) waitsFor(tasks map[event]*checked) []*checked {
	if !ct.traced {
		ct.traced = true
		for _, id := range ct.task.After {
			if on := tasks[event(id)]; on != nil {
				ct.after = append(ct.after, on)
			}
		}
	}
	return ct.after
}

// inOrder makes sure that what starts now starts after the end of all that it conflicts with and
// that comes before it, and before the start of what comes after it. A task between two others that
// never runs, because what it reads has failed, does not put them in order: those on its far side are
// looked at. What begins behind others on an ordered device starts after their end; LookBack knows the times. Of what
// comes after, only LookBack knows which tasks never run.
func (c *Checker) inOrder(ct *checked) {
	var before, after func(list []event, direct bool)
	before = func(list []event, direct bool) {
		for _, id := range list {
			other := c.tasks[id]
			switch {
			case other == nil || other.passed == ct.by:
			case !other.started:
				other.passed = ct.by
				before(other.prev, false)
			case !c.back && c.behind(ct, other):
			case direct || c.meet(ct, other):
				c.disorder(ct, other, "starts before the end of")
			}
		}
	}
	before(ct.prev, true)
	after = func(list []event, direct bool) {
		for _, id := range list {
			other := c.tasks[id]
			switch {
			case other == nil && direct:
				c.wrong(4, ct.task, "%v starts after the end of %s, which comes behind it in the stream and uses the same bytes", ct, eventText(id)).Other = taskOf(id)
			case other == nil || other.passed == ct.by:
			case !other.started && !other.never:
			case !other.started:
				other.passed = ct.by
				after(other.next, false)
			case direct || c.meet(ct, other):
				c.disorder(ct, other, "starts after the start of")
			}
		}
	}
	after(ct.next, true)
	ct.prev, ct.next = nil, nil
}

// behind reports whether a task begins behind another one that has begun and not ended: it says so, or one of those
// that it names does.
func (c *Checker) behind(ct, other *checked) bool {
	if ct.task == nil || other.task == nil || !other.started {
		return false
	}
	seen := map[scheduler.TaskID]bool{}
	list := []*checked{ct}
	for len(list) > 0 {
		t := list[len(list)-1].task
		list = list[:len(list)-1]
		for _, id := range t.Behind {
			if id == other.task.ID {
				return true
			}
			if on := c.tasks[event(id)]; on != nil && on.started && id > other.task.ID && !seen[id] {
				seen[id] = true
				list = append(list, on)
			}
		}
	}
	return false
}

// disorder notes two tasks that ran at the wrong time.
func (c *Checker) disorder(ct, other *checked, how string) {
	v := c.wrong(4, ct.task, "%v %s %v; %s", ct, how, other, c.shared(ct, other))
	v.Other = taskOf(other.by)
}

// meet reports whether two tasks conflict.
func (c *Checker) meet(a, b *checked) bool { return c.shared(a, b) != "" }

// shared says which bytes two tasks share of which one writes.
func (c *Checker) shared(a, b *checked) string {
	try := func(x, y []access) string {
		for i := range x {
			for k := range y {
				if x[i].inst.ID != y[k].inst.ID {
					continue
				}
				if common, shared := firstShared(&x[i].bytes, &y[k].bytes); shared {
					return "both use bytes " + common.String() + " of " + x[i].inst.ID.String() + " (" + x[i].inst.Store.String() + ")"
				}
			}
		}
		return ""
	}
	// Two reads conflict in no case, so that three of the four pairs are left.
	for _, pair := range [][2][]access{{a.writes, b.writes}, {a.writes, b.reads}, {a.reads, b.writes}} {
		if text := try(pair[0], pair[1]); text != "" {
			return text
		}
	}
	for _, t := range [2]*checked{a, b} {
		if t.task != nil && t.task.Kind == scheduler.Free {
			return "it frees " + t.task.Src.ID.String()
		}
	}
	return ""
}

// taskOf returns the task that an event is, or 0.
func taskOf(e event) scheduler.TaskID {
	if e > hostTag {
		return 0
	}
	return scheduler.TaskID(e)
}

func eventText(e event) string {
	if t := taskOf(e); t != 0 {
		return t.String()
	}
	return fmt.Sprintf("the host's access %d", e-hostTag)
}
