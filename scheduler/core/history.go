package core

import (
	"slices"

	"weft/scheduler/region"
)

// history remembers which tasks used which bytes of an instance, as far as later tasks may
// have to wait for them: disjoint segments in ascending order. Bytes in no segment were not
// used by any task that is still to complete.
//
//	after t1 writes [0,64), t2 reads [32,64):    [0,32) w t1    [32,64) w t1 r t2
//	after t3 writes [0,16):                      [0,16) w t3    [16,32) w t1    [32,64) w t1 r t2
//
// What leaves gaps that others use at the same time, as tiles of columns do, is kept beside
// the segments, use by use (combs.go).
//
// Its size does not grow with time: a write replaces what was before it, reads of completed tasks are dropped when a
// list would grow, and segments without pending tasks when there are twice as many as after the last look.
type history struct {
	segments []segment
	limit    int        // segments at which to look for some that are completed; doubles
	first    [1]segment // where segments begins: most instances are used whole
	combs    *combs     // nil until there is one
}

// segment is bytes with the same past.
//
//	group     tiles of one op write side by side, in any order: they are one writer of the segment
//	ordered   readers of another op wait for the writers, and a later writer waits for the readers: not for both
type segment struct {
	lo, hi  int64
	group   uint32 // of the writers: tiles of one op may interleave, so that there may be several
	ordered bool   // a reader of a later group waits for all the writers
	writers crew   // the last
	readers crew   // since
}

// crew is a list of tasks. Most have one or two, which need no memory of their own.
type crew struct {
	few  [2]*node
	more []*node
}

func (c *crew) add(n *node) {
	for i := range c.few {
		if c.few[i] == nil || c.few[i].state == completed {
			c.few[i] = n
			return
		}
	}
	if len(c.more) == cap(c.more) {
		c.more = slices.DeleteFunc(c.more, func(n *node) bool { return n.state == completed })
	}
	c.more = append(c.more, n)
}

// each calls fn for every task that is not completed.
func (c *crew) each(fn func(*node)) {
	for _, n := range c.few {
		if n != nil && n.state != completed {
			fn(n)
		}
	}
	for _, n := range c.more {
		if n.state != completed {
			fn(n)
		}
	}
}

// has reports whether a task was the last to join.
func (c *crew) has(n *node) bool {
	return c.few[0] == n || c.few[1] == n || len(c.more) > 0 && c.more[len(c.more)-1] == n
}

func (c *crew) clone() crew { return crew{c.few, slices.Clone(c.more)} }

// collect calls need for every task that a use of the bytes must wait for.
//
// What each has to wait for:
//
//	a read     the last writers
//	a write    the readers since, and the last writers unless each of those readers has waited for them
func (h *history) collect(u *use, write bool, need func(*node)) {
	if h.combs != nil {
		h.combs.collect(u, write, need)
	}
	for i := h.at(u.bytes.Lo); i < len(h.segments) && h.segments[i].lo < u.bytes.Hi; i++ {
		s := &h.segments[i]
		if u.comb != nil && !u.comb.Overlaps(region.Interval{Lo: s.lo, Hi: s.hi}.Comb()) {
			continue
		}
		if !write || !s.ordered {
			s.writers.each(need)
		}
		if write {
			s.readers.each(need)
		}
	}
}

// at returns the position of the first segment that ends behind a byte.
func (h *history) at(lo int64) int {
	i, j := 0, len(h.segments)
	for i < j {
		if mid := (i + j) / 2; h.segments[mid].hi > lo {
			j = mid
		} else {
			i = mid + 1
		}
	}
	return i
}

// wrote records a write. Writes of the same group stand side by side; a write of another
// group makes the past forgotten, because it waited for it.
func (h *history) wrote(u *use, n *node, group uint32) {
	if u.comb != nil || h.combs != nil {
		h.besides().wrote(u, n, group)
		if u.comb != nil {
			return
		}
	}
	bytes := u.bytes
	i, j := h.cut(bytes)
	for k := i; k < j; k++ {
		if h.segments[k].group == group {
			h.join(i, bytes, n, group)
			return
		}
	}
	fresh := segment{lo: bytes.Lo, hi: bytes.Hi, group: group}
	fresh.writers.add(n)
	switch {
	case h.segments == nil:
		h.first[0] = fresh
		h.segments = h.first[:]
	case j == i+1:
		h.segments[i] = fresh
	default:
		h.segments = slices.Replace(h.segments, i, j, fresh)
	}
}

// join is wrote where some of the bytes were written by the same group already.
func (h *history) join(i int, bytes region.Interval, n *node, group uint32) {
	h.fill(bytes)
	for ; i < len(h.segments) && h.segments[i].lo < bytes.Hi; i++ {
		s := &h.segments[i]
		if s.group == group {
			s.writers.add(n)
		} else {
			*s = segment{lo: s.lo, hi: s.hi, group: group}
			s.writers.add(n)
		}
	}
}

// read records a read.
func (h *history) read(u *use, n *node, group uint32) {
	if u.comb != nil {
		h.besides().add(combUse{*u.comb, n, group, false})
		return
	}
	bytes := u.bytes
	i, _ := h.cut(bytes)
	h.fill(bytes)
	for ; i < len(h.segments) && h.segments[i].lo < bytes.Hi; i++ {
		s := &h.segments[i]
		if s.readers.has(n) {
			continue
		}
		s.readers.add(n)
		if s.group != group {
			s.ordered = true
		}
	}
}

// cut makes segments end at both ends of the bytes, and returns the range of the segments
// that lie within.
func (h *history) cut(bytes region.Interval) (i, j int) {
	if len(h.segments) >= max(h.limit, 16) {
		h.segments = slices.DeleteFunc(h.segments, func(s segment) bool {
			pending := false
			s.writers.each(func(*node) { pending = true })
			s.readers.each(func(*node) { pending = true })
			return !pending
		})
		h.limit = 2 * len(h.segments)
	}
	i = h.at(bytes.Lo)
	if i < len(h.segments) && h.segments[i].lo < bytes.Lo {
		h.split(i, bytes.Lo)
		i++
	}
	j = i
	for j < len(h.segments) && h.segments[j].hi <= bytes.Hi {
		j++
	}
	if j < len(h.segments) && h.segments[j].lo < bytes.Hi {
		h.split(j, bytes.Hi)
		j++
	}
	return i, j
}

// split divides a segment at a byte within it.
func (h *history) split(i int, at int64) {
	left := h.segments[i]
	left.hi = at
	left.writers, left.readers = left.writers.clone(), left.readers.clone()
	h.segments[i].lo = at
	h.segments = slices.Insert(h.segments, i, left)
}

// fill adds segments without a past where there are none; the bytes' ends are segments'
// ends already.
func (h *history) fill(bytes region.Interval) {
	if h.segments == nil {
		h.first[0] = segment{lo: bytes.Lo, hi: bytes.Hi}
		h.segments = h.first[:]
		return
	}
	at := bytes.Lo
	i := h.at(at)
	for at < bytes.Hi {
		if i < len(h.segments) && h.segments[i].lo == at {
			at = h.segments[i].hi
			i++
			continue
		}
		end := bytes.Hi
		if i < len(h.segments) {
			end = min(end, h.segments[i].lo)
		}
		h.segments = slices.Insert(h.segments, i, segment{lo: at, hi: end})
		at = end
		i++
	}
}
