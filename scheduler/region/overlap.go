package region

import "slices"

// maxTried bounds the positions that Overlap looks at.
const maxTried = 1 << 12

// Overlap reports whether two layouts of the same bytes may share a byte. "No" is
// certain. "Yes" is certain as well, except for layouts of many elements whose strides do
// not nest, such as (24, 16): deciding those is a hard problem, and the answer is yes.
//
// It asks whether a linear equation has a solution in bounded integers, which is as hard as subset sum in general;
// NumPy's solver bounds its work as well. Arrays' strides nest, and for these the first terms leave one or two
// candidates each.
func Overlap(a, b Layout) bool {
	ha, hb := hull(&a), hull(&b)
	if !ha.Overlaps(hb) {
		return false
	}
	// From here on all strides are positive and all offsets are the lowest bytes. An element of
	// a and one of b are at the distance
	//
	//	d + c0*s0 + c1*s1 + ...    with c between -(n-1) of b and n-1 of a along that stride
	//
	// and share a byte if that is more than -a.Size and less than b.Size.
	var few [8]term
	terms := addTerms(few[:0], &a, false)
	terms = addTerms(terms, &b, true)
	d := ha.Lo - hb.Lo
	if apart(d, a.Size, b.Size, terms) {
		return false
	}
	tried := 0
	return reaches(d, 1-a.Size, b.Size-1, terms, &tried)
}

// term is a stride with the least and the largest number of steps along it, and how far
// the terms behind it reach.
type term struct{ by, least, most, down, up int64 }

// hull is the bytes from the first to the last; an empty layout has none.
func hull(l *Layout) Interval {
	x := Interval{l.Offset, l.Offset + l.Size}
	for i, n := range l.Shape {
		if n == 0 {
			return Interval{}
		}
		if reach := int64(n-1) * l.Strides[i]; reach < 0 {
			x.Lo += reach
		} else {
			x.Hi += reach
		}
	}
	return x
}

// addTerms adds the axes of a layout, the largest stride first; equal strides are one term.
func addTerms(terms []term, l *Layout, minus bool) []term {
	for i, n := range l.Shape {
		by := max(l.Strides[i], -l.Strides[i])
		if n < 2 || by == 0 {
			continue
		}
		at := 0
		for at < len(terms) && terms[at].by > by {
			at++
		}
		if at == len(terms) || terms[at].by != by {
			terms = slices.Insert(terms, at, term{by: by})
		}
		if minus {
			terms[at].least -= int64(n - 1)
		} else {
			terms[at].most += int64(n - 1)
		}
	}
	down, up := int64(0), int64(0)
	for i := len(terms) - 1; i >= 0; i-- {
		t := &terms[i]
		t.down, t.up = down, up
		down += t.least * t.by
		up += t.most * t.by
	}
	return terms
}

// apart reports whether the offsets alone keep the layouts apart: all elements of one
// start at the same distance from those of the other, modulo the strides' divisor, as in
// a[::2] and a[1::2].
//
// All distances between elements are d plus a multiple of g, the greatest common divisor of the strides: the one next
// to zero on either side decides.
//
//	a = x[::2], b = x[1::2] of float64      strides 16, so g is 16; d is -8: distances ..., -8, 8, ...: never below 8
func apart(d, na, nb int64, terms []term) bool {
	var g int64
	for _, t := range terms {
		for x := t.by; x != 0; {
			g, x = x, g%x
		}
	}
	if g == 0 {
		return false
	}
	d = (d%g + g) % g // of a behind b, less than a step
	return d >= nb && g-d >= na
}

// reaches reports whether d plus some steps lies in [lo, hi]. Along each stride it tries the
// numbers of steps that the smaller strides can make up for; where strides nest, as those of
// an array's axes do, these are one or two.
//
// down and up of a term say how far the terms behind it can still move the sum: a number of steps is a candidate if the
// rest can bring the sum into [lo, hi].
func reaches(d, lo, hi int64, terms []term, tried *int) bool {
	if len(terms) == 0 {
		return lo <= d && d <= hi
	}
	t := &terms[0]
	first := max(t.least, ceilDiv(lo-t.up-d, t.by))
	last := min(t.most, floorDiv(hi-t.down-d, t.by))
	for c := first; c <= last; c++ {
		if *tried++; *tried > maxTried || reaches(d+c*t.by, lo, hi, terms[1:], tried) {
			return true
		}
	}
	return false
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func ceilDiv(a, b int64) int64 { return -floorDiv(-a, b) }
