package region

import (
	"slices"
	"strings"
)

// Set is a set of bytes, kept as disjoint intervals in ascending order with a gap between
// neighbours, so that equal sets have equal intervals. The zero value is empty.
//
//	[0,8) [16,24)   add [8,16)   gives   [0,24)
//
// Its operations search by halves, and move what is behind the place that they change: they cost the logarithm of the
// number of intervals where these stay as many.
type Set struct{ parts []Interval }

// Of returns the set of the bytes of some intervals.
func Of(parts ...Interval) Set {
	var s Set
	for _, p := range parts {
		s.Add(p)
	}
	return s
}

// Intervals returns the set's intervals, which the caller must not change.
func (s *Set) Intervals() []Interval { return s.parts }

// Empty reports whether there is no byte in the set.
func (s *Set) Empty() bool { return len(s.parts) == 0 }

// Len returns the number of bytes.
func (s *Set) Len() int64 {
	var n int64
	for _, p := range s.parts {
		n += p.Len()
	}
	return n
}

// from returns the position of the first interval that ends behind at.
func (s *Set) from(at int64) int {
	lo, hi := 0, len(s.parts)
	for lo < hi {
		if mid := (lo + hi) / 2; s.parts[mid].Hi > at {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// Add puts bytes into the set.
func (s *Set) Add(x Interval) {
	if x.Empty() {
		return
	}
	i := s.from(x.Lo - 1) // an interval that ends at x.Lo grows into x
	j := i
	for j < len(s.parts) && s.parts[j].Lo <= x.Hi {
		x = x.Hull(s.parts[j])
		j++
	}
	if j == i+1 {
		s.parts[i] = x
		return
	}
	s.parts = slices.Replace(s.parts, i, j, x)
}

// Remove takes bytes out of the set.
func (s *Set) Remove(x Interval) {
	if x.Empty() {
		return
	}
	i := s.from(x.Lo)
	j := i
	var kept [2]Interval // what is left of the first and of the last interval that x cuts
	n := 0
	for j < len(s.parts) && s.parts[j].Lo < x.Hi {
		p := s.parts[j]
		if p.Lo < x.Lo {
			kept[n] = Interval{p.Lo, x.Lo}
			n++
		}
		if p.Hi > x.Hi {
			kept[n] = Interval{x.Hi, p.Hi}
			n++
		}
		j++
	}
	if i < j {
		s.parts = slices.Replace(s.parts, i, j, kept[:n]...)
	}
}

// Union adds every byte of another set.
func (s *Set) Union(t *Set) {
	for _, p := range t.parts {
		s.Add(p)
	}
}

// Subtract removes every byte of another set.
func (s *Set) Subtract(t *Set) {
	for _, p := range t.parts {
		s.Remove(p)
	}
}

// Covers reports whether every byte of x is in the set.
func (s *Set) Covers(x Interval) bool {
	if x.Empty() {
		return true
	}
	i := s.from(x.Lo)
	return i < len(s.parts) && s.parts[i].Covers(x)
}

// Common appends the parts of x that are in the set to dst, in ascending order.
func (s *Set) Common(x Interval, dst []Interval) []Interval {
	for i := s.from(x.Lo); i < len(s.parts) && s.parts[i].Lo < x.Hi; i++ {
		if c := s.parts[i].Intersect(x); !c.Empty() {
			dst = append(dst, c)
		}
	}
	return dst
}

// Missing appends the parts of x that are not in the set to dst, in ascending order.
func (s *Set) Missing(x Interval, dst []Interval) []Interval {
	at := x.Lo
	for i := s.from(x.Lo); i < len(s.parts) && s.parts[i].Lo < x.Hi; i++ {
		if gap := (Interval{at, s.parts[i].Lo}); !gap.Empty() {
			dst = append(dst, gap)
		}
		at = s.parts[i].Hi
	}
	if gap := (Interval{at, x.Hi}); !gap.Empty() {
		dst = append(dst, gap)
	}
	return dst
}

// String prints the intervals: [0,8) [16,24), or {} for the empty set.
func (s *Set) String() string {
	if s.Empty() {
		return "{}"
	}
	words := make([]string, len(s.parts))
	for i, p := range s.parts {
		words[i] = p.String()
	}
	return strings.Join(words, " ")
}
