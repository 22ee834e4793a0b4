package region

import "strconv"

// Interval is the bytes from Lo up to but not including Hi. It is empty unless Lo < Hi.
type Interval struct{ Lo, Hi int64 }

// Empty reports whether there is no byte in it.
func (a Interval) Empty() bool { return a.Lo >= a.Hi }

// Len returns the number of bytes.
func (a Interval) Len() int64 { return max(0, a.Hi-a.Lo) }

// Overlaps reports whether a byte is in both.
func (a Interval) Overlaps(b Interval) bool {
	return a.Lo < b.Hi && b.Lo < a.Hi && !a.Empty() && !b.Empty()
}

// Covers reports whether every byte of b is in a.
func (a Interval) Covers(b Interval) bool {
	return b.Empty() || a.Lo <= b.Lo && b.Hi <= a.Hi
}

// Intersect returns the bytes that are in both.
func (a Interval) Intersect(b Interval) Interval {
	c := Interval{max(a.Lo, b.Lo), min(a.Hi, b.Hi)}
	if c.Empty() {
		return Interval{}
	}
	return c
}

// Hull returns the smallest interval that covers both.
func (a Interval) Hull(b Interval) Interval {
	switch {
	case a.Empty():
		return b
	case b.Empty():
		return a
	}
	return Interval{min(a.Lo, b.Lo), max(a.Hi, b.Hi)}
}

// String prints [16,32).
func (a Interval) String() string {
	return "[" + strconv.FormatInt(a.Lo, 10) + "," + strconv.FormatInt(a.Hi, 10) + ")"
}
