package verify

import (
	"fmt"
	"slices"
	"sort"

	"weft/scheduler"
	"weft/scheduler/region"
)

// tag says whose value some bytes hold: an op's ID, or hostTag plus the number of a write of
// the host; 0 is never written, failed is what a failed task leaves.
type tag struct {
	lo, hi int64
	by     uint64
}

// An op's tag is its OpID. A write of the host has one number, as a tag and as an event:
//
//	0 ........ 1<<40 ............................ ^0-1      ^0
//	none  ops  hostTag  accesses of the host      older   failed
//
// IDs of ops and tasks have 32 bits, so that both stay below hostTag.
const (
	hostTag = uint64(1) << 40
	failed  = ^uint64(0)
	older   = failed - 1 // written before the log begins
)

// tags are the tags of a range of bytes, in ascending order without gaps or equal
// neighbours.
//
// The list tiles its range: list[i].hi == list[i+1].lo, and by differs between neighbours, so that two lists over the
// same bytes are equal exactly where the values are. That is what differ relies on.
//
//	bytes    0        40            80     96
//	list     [ op 3   )[ op 7       )[ 0   )       40..80 was written by o7, 80..96 by no op yet
type tags struct{ list []tag }

func newTags(lo, hi int64, by uint64) *tags { return &tags{[]tag{{lo, hi, by}}} }

// of appends the tags of some bytes to dst.
func (t *tags) of(x region.Interval, dst []tag) []tag {
	first := sort.Search(len(t.list), func(i int) bool { return t.list[i].hi > x.Lo })
	for _, g := range t.list[first:] {
		if g.lo >= x.Hi {
			break
		}
		dst = appendTag(dst, tag{max(g.lo, x.Lo), min(g.hi, x.Hi), g.by})
	}
	return dst
}

// appendTag appends a tag that is not empty, and joins it with an equal neighbour.
func appendTag(dst []tag, g tag) []tag {
	if g.lo >= g.hi {
		return dst
	}
	if n := len(dst); n > 0 && dst[n-1].hi == g.lo && dst[n-1].by == g.by {
		dst[n-1].hi = g.hi
		return dst
	}
	return append(dst, g)
}

// set gives some bytes a tag.
func (t *tags) set(x region.Interval, by uint64) {
	if !x.Empty() {
		t.setAll([]region.Interval{x}, by)
	}
}

// setAll gives the bytes of ascending disjoint intervals a tag, in one pass over the tags that
// they change.
func (t *tags) setAll(parts []region.Interval, by uint64) {
	if len(parts) == 0 || len(t.list) == 0 {
		return
	}
	lo, hi := parts[0].Lo, parts[len(parts)-1].Hi
	// What changes is the tags from first up to last, which are replaced at once. With many parts, as of a column,
	// replacing them one by one would move the tail of the list for each.
	//
	//	list   [ a          )[ b   )[ c          )
	//	parts      [ )  [ )      [ )
	//	new    [ a )[x)[a)[x)[b  )[x)[ c         )
	first := sort.Search(len(t.list), func(i int) bool { return t.list[i].hi >= lo }) // one that ends where the parts begin may become longer
	last := first
	var some [8]tag // as many as there mostly are
	list := some[:0]
	i, at := first, t.list[min(first, len(t.list)-1)].lo
	// upTo goes on to a byte, over tags that stay as they are or that a part covers.
	upTo := func(end int64, keep bool) {
		for i < len(t.list) && at < end {
			g := t.list[i]
			next := min(g.hi, end)
			if keep {
				list = appendTag(list, tag{at, next, g.by})
			}
			if at = next; at == g.hi {
				i++
			}
		}
	}
	for _, p := range parts {
		upTo(p.Lo, true)
		list = appendTag(list, tag{p.Lo, p.Hi, by})
		upTo(p.Hi, false)
	}
	for last = i; last < len(t.list) && t.list[last].lo <= hi; last++ {
		upTo(t.list[last].hi, true)
	}
	t.list = slices.Replace(t.list, first, last, list...)
}

// paste gives bytes the tags that lay elsewhere: those of a copy's range, without gaps.
//
// Each value that occurs is set once, with all of its parts, for the reason that setAll takes many: halos of columns
// come as hundreds of short runs of one or two values.
func (t *tags) paste(found []tag) {
	for i, g := range found {
		if slices.ContainsFunc(found[:i], func(other tag) bool { return other.by == g.by }) {
			continue
		}
		var parts []region.Interval
		for _, other := range found[i:] {
			if other.by == g.by {
				parts = append(parts, region.Interval{Lo: other.lo, Hi: other.hi})
			}
		}
		t.setAll(parts, g.by)
	}
}

// differ says where two lists of tags differ, or nothing.
//
// Both lists are over the same bytes. A cut at another place means that a neighbour differs, so that the first
// difference is enough to name.
func differ(found, want []tag) string {
	for i := range want {
		if i < len(found) && found[i] == want[i] {
			continue
		}
		if i < len(found) && found[i].lo == want[i].lo {
			return fmt.Sprintf("bytes [%d,%d) hold the value of %s, wanted that of %s", want[i].lo, min(found[i].hi, want[i].hi), tagText(found[i].by), tagText(want[i].by))
		}
		return fmt.Sprintf("bytes from %d on are cut differently", want[i].lo)
	}
	return ""
}

func tagText(by uint64) string {
	switch {
	case by == 0:
		return "no op"
	case by == failed:
		return "a failed task"
	case by == older:
		return "an op before the log begins"
	case by > hostTag:
		return fmt.Sprintf("the host's write %d", by-hostTag)
	}
	return scheduler.OpID(by).String()
}
