package region

import "strings"

// Area is a set of bytes, kept as intervals and combs that share none. Sets of intervals
// alone cost what a Set costs; a tile of columns is one comb instead of an interval per row.
// The zero value is empty. All operations are exact.
//
// Equal sets may be cut into different pieces.
//
// Pieces do not overlap, whichever of the two they are: Add first takes out what is there already, Remove cuts what it
// meets. The core keeps one for each instance: the bytes that are valid in it.
type Area struct {
	plain Set
	combs []Comb // of more than one run
}

// Empty reports whether there is no byte in the area.
func (a *Area) Empty() bool { return len(a.combs) == 0 && a.plain.Empty() }

// Len returns the number of bytes.
func (a *Area) Len() int64 {
	n := a.plain.Len()
	for _, c := range a.combs {
		n += c.Len()
	}
	return n
}

// Pieces appends the disjoint parts of the area to dst.
func (a *Area) Pieces(dst []Comb) []Comb {
	for _, p := range a.plain.parts {
		dst = append(dst, p.Comb())
	}
	return append(dst, a.combs...)
}

// Fits reports whether a comb and the area's lie in the same rows, or it has so few runs that
// this does not matter. An area that takes in only what fits stays a short list.
func (a *Area) Fits(c Comb) bool {
	if c.N <= fewRuns {
		return true
	}
	for _, own := range a.combs {
		if own.N > fewRuns && own.Step != c.Step {
			return false
		}
	}
	return true
}

// fewRuns is how many runs are not worth a row of their own.
const fewRuns = 4

// Add puts bytes into the area.
func (a *Area) Add(c Comb) {
	switch {
	case c.N == 0:
	case c.N == 1:
		a.cut(c)
		a.plain.Add(c.Hull())
	default:
		n := 0
		for _, own := range a.combs {
			if !c.Covers(own) {
				a.combs[n] = own
				n++
			}
		}
		a.combs = a.combs[:n]
		var few [8]Comb
		for _, part := range a.Missing(c, few[:0]) {
			a.put(part)
		}
	}
}

// put adds a piece that shares no byte with the others, and joins it with one that it
// continues.
//
// A piece that was joined may continue another one, so that it goes around until nothing does: tiles of columns that
// come one by one end as one comb, and at last as an interval.
//
//	#...#...#...    put .#...#...#..    gives ##..##..##..    and so on
func (a *Area) put(c Comb) {
	for again := true; again && c.N > 1; {
		again = false
		for i, own := range a.combs {
			if joined, ok := join(own, c); ok {
				a.combs[i] = a.combs[len(a.combs)-1]
				a.combs = a.combs[:len(a.combs)-1]
				c, again = joined, true
				break
			}
		}
	}
	if c.N == 1 {
		a.plain.Add(c.Hull())
	} else {
		a.combs = append(a.combs, c)
	}
}

// join returns two disjoint combs as one, if they are one: side by side, or one below the
// other.
func join(a, b Comb) (Comb, bool) {
	if a.Step != b.Step {
		return Comb{}, false
	}
	if b.Lo < a.Lo {
		a, b = b, a
	}
	switch {
	case a.N == b.N && a.Lo+a.Run == b.Lo && a.Run+b.Run <= a.Step:
		return NewComb(a.Lo, a.Run+b.Run, a.Step, a.N), true
	case a.Run == b.Run && a.Lo+a.N*a.Step == b.Lo:
		return NewComb(a.Lo, a.Run, a.Step, a.N+b.N), true
	}
	return Comb{}, false
}

// cut takes bytes out of the combs.
func (a *Area) cut(c Comb) {
	var few [8]Comb
	for i := 0; i < len(a.combs); {
		if !a.combs[i].Overlaps(c) {
			i++
			continue
		}
		left := a.combs[i].Subtract(c, few[:0])
		a.combs[i] = a.combs[len(a.combs)-1]
		a.combs = a.combs[:len(a.combs)-1]
		for _, part := range left { // behind i, and found disjoint when it comes to them
			if part.N == 1 {
				a.plain.Add(part.Hull())
			} else {
				a.combs = append(a.combs, part)
			}
		}
	}
}

// Remove takes bytes out of the area.
//
// Taking a comb out of an interval leaves a comb of gaps, and not as many intervals: so the intervals that it meets are
// taken out whole, and what is left of them is put back as pieces.
func (a *Area) Remove(c Comb) {
	if c.N == 0 {
		return
	}
	a.cut(c)
	if c.N == 1 {
		a.plain.Remove(c.Hull())
		return
	}
	hull := c.Hull()
	var left []Comb
	var cut Interval // what is put back may stick out of c's hull
	for i := a.plain.from(hull.Lo); i < len(a.plain.parts) && a.plain.parts[i].Lo < hull.Hi; i++ {
		cut = cut.Hull(a.plain.parts[i])
		left = a.plain.parts[i].Comb().Subtract(c, left)
	}
	a.plain.Remove(cut)
	for _, part := range left {
		a.put(part)
	}
}

// Covers reports whether every byte of a comb is in the area.
func (a *Area) Covers(c Comb) bool {
	if c.N <= 1 && a.plain.Covers(c.Hull()) {
		return true
	}
	var few [8]Comb
	return len(a.Missing(c, few[:0])) == 0
}

// Common appends the parts of a comb that are in the area to dst.
func (a *Area) Common(c Comb, dst []Comb) []Comb {
	hull := c.Hull()
	for i := a.plain.from(hull.Lo); i < len(a.plain.parts) && a.plain.parts[i].Lo < hull.Hi; i++ {
		dst = c.Intersect(a.plain.parts[i].Comb(), dst)
	}
	for _, own := range a.combs {
		dst = c.Intersect(own, dst)
	}
	return dst
}

// Missing appends the parts of a comb that are not in the area to dst.
func (a *Area) Missing(c Comb, dst []Comb) []Comb {
	if c.N == 0 {
		return dst
	}
	if len(a.combs) == 0 && c.N == 1 {
		var few [8]Interval
		for _, gap := range a.plain.Missing(c.Hull(), few[:0]) {
			dst = append(dst, gap.Comb())
		}
		return dst
	}
	var few [2][8]Comb
	left, next := append(few[0][:0], c), few[1][:0]
	take := func(own Comb) {
		next = next[:0]
		for _, part := range left {
			next = part.Subtract(own, next)
		}
		left, next = next, left
	}
	hull := c.Hull()
	for i := a.plain.from(hull.Lo); i < len(a.plain.parts) && a.plain.parts[i].Lo < hull.Hi && len(left) > 0; i++ {
		take(a.plain.parts[i].Comb())
	}
	for _, own := range a.combs {
		take(own)
	}
	return append(dst, left...)
}

// String prints the pieces: [0,8) [16,24) x3/32, or {} for the empty area.
func (a *Area) String() string {
	if a.Empty() {
		return "{}"
	}
	var words []string
	for _, c := range a.Pieces(nil) {
		words = append(words, c.String())
	}
	return strings.Join(words, " ")
}
