package region

import "slices"

// maxCompared bounds the elements that Overlap compares one by one.
const maxCompared = 1 << 12

// Overlap reports whether two layouts of the same bytes may share a byte. "No" is
// certain. "Yes" is certain as well, except for layouts of many elements whose strides do
// not nest, such as (24, 16): deciding those is a hard problem, and the answer is yes.
func Overlap(a, b Layout) bool {
	origin := make([]int, max(len(a.Shape), len(b.Shape)))
	ha, _ := Footprint(a, origin, a.Shape)
	hb, _ := Footprint(b, origin, b.Shape)
	if !ha.Overlaps(hb) {
		return false
	}
	// From here on all strides are positive and all offsets are the lowest bytes.
	sa, sb := steps(a), steps(b)
	if apart(ha.Lo, a.Size, sa, hb.Lo, b.Size, sb) {
		return false
	}
	if yes, known := nested(ha.Lo, a.Size, sa, hb.Lo, b.Size, sb); known {
		return yes
	}
	if count(sa) > maxCompared || count(sb) > maxCompared {
		return true
	}
	return meet(starts(ha.Lo, sa), a.Size, starts(hb.Lo, sb), b.Size)
}

// step is one axis with more than one element: n elements, by bytes apart.
type step struct{ by, n int64 }

func steps(l Layout) []step {
	var s []step
	for i, n := range l.Shape {
		if by := l.Strides[i]; n > 1 && by != 0 {
			s = append(s, step{max(by, -by), int64(n)})
		}
	}
	slices.SortFunc(s, func(x, y step) int { return int(min(1, max(-1, y.by-x.by))) })
	return s
}

// apart reports whether the offsets alone keep the layouts apart: all elements of one
// start at the same distance from those of the other, modulo the strides' divisor, as in
// a[::2] and a[1::2].
func apart(lo int64, na int64, sa []step, hi int64, nb int64, sb []step) bool {
	var g int64
	for _, s := range slices.Concat(sa, sb) {
		for x := s.by; x != 0; {
			g, x = x, g%x
		}
	}
	if g == 0 {
		return false
	}
	d := ((hi-lo)%g + g) % g
	return d >= na && g-d >= nb
}

// nested decides when the strides nest as those of an array's axes do: each is at least
// as large as everything that the smaller ones reach. Then a byte has one position along
// each stride, both layouts are boxes of positions, and boxes are easy to compare: the
// columns a[:,0] and a[:,1] differ in their position along the second axis.
func nested(lo, na int64, sa []step, hi, nb int64, sb []step) (overlap, known bool) {
	base := min(lo, hi)
	x, y := lo-base, hi-base // what is left of the offsets
	// reach is how far the axes taken so far leave room for: 0 means no bound yet.
	var room int64
	overlap = true
	i, j := 0, 0
	for i < len(sa) || j < len(sb) {
		by := int64(0)
		if i < len(sa) {
			by = sa[i].by
		}
		if j < len(sb) {
			by = max(by, sb[j].by)
		}
		extent := [2]int64{1, 1}
		if i < len(sa) && sa[i].by == by {
			extent[0] = sa[i].n
			i++
		}
		if j < len(sb) && sb[j].by == by {
			extent[1] = sb[j].n
			j++
		}
		p, q := x/by, y/by
		if room > 0 && (max(p+extent[0], q+extent[1]))*by > room {
			return false, false
		}
		x, y = x%by, y%by
		if p+extent[0] <= q || q+extent[1] <= p {
			overlap = false
		}
		room = by
	}
	if room > 0 && (x+na > room || y+nb > room) {
		return false, false
	}
	if x+na <= y || y+nb <= x {
		overlap = false
	}
	return overlap, true
}

func count(s []step) int64 {
	n := int64(1)
	for _, x := range s {
		n = min(n*x.n, maxCompared+1)
	}
	return n
}

// starts lists where the elements start, in ascending order.
func starts(at int64, s []step) []int64 {
	list := []int64{at}
	for _, x := range s {
		for i, n := 0, len(list); i < n; i++ {
			for k := int64(1); k < x.n; k++ {
				list = append(list, list[i]+k*x.by)
			}
		}
	}
	slices.Sort(list)
	return list
}

// meet reports whether an element of one list overlaps an element of the other.
func meet(a []int64, na int64, b []int64, nb int64) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i]+na <= b[j]:
			i++
		case b[j]+nb <= a[i]:
			j++
		default:
			return true
		}
	}
	return false
}
