package routines

import (
	"math/bits"
	"slices"
)

const (
	digit     = 11 // bits that one pass sorts by: 2048 counters fit the L1 cache
	buckets   = 1 << digit
	cacheable = 1 << 16 // elements that are sorted digit by digit from the lowest, in the L2 cache
	smallest  = 192     // elements below which comparing is faster
)

// span is a range of positions in the sorted result.
type span struct{ lo, hi int }

// sorter sorts keys, or only so far that the wanted positions are right.
type sorter struct {
	kth []int // wanted positions, ascending; nil wants all
}

// wants reports whether any position of a span matters.
func (s *sorter) wants(at span) bool {
	if s.kth == nil {
		return true
	}
	i, _ := slices.BinarySearch(s.kth, at.lo)
	return i < len(s.kth) && s.kth[i] < at.hi
}

// Large inputs are cut by the highest bits in which they differ into buckets that fit the
// cache, and each bucket is sorted by its other bits from the lowest digit up. Every pass is
// stable. src and other have the same length; the result is left in other or src, as away says.

func sortKeys[K word](s *sorter, par Parallel, src, other []K, at int, away bool) {
	n := len(src)
	if n <= smallest {
		if away {
			copy(other, src)
			src = other
		}
		slices.Sort(src)
		return
	}
	width, sorted := differing(par, src)
	switch {
	case sorted || !s.wants(span{at, at + n}):
		if away {
			copy(other, src)
		}
	case n <= cacheable:
		upward(src, other, width, away)
	default:
		downward(s, par, src, other, at, width, away)
	}
}

// differing returns the number of low bits in which keys differ from each other, and
// whether they are sorted already.
func differing[K word](par Parallel, a []K) (width int, sorted bool) {
	var diff, wrong [maxChunks]K
	split(par, len(a), 1, func(lo, hi int) {
		d, first, before := K(0), a[0], a[max(lo-1, 0)]
		bad := K(0)
		for _, x := range a[lo:hi] {
			d |= x ^ first
			if x < before {
				bad = 1
			}
			before = x
		}
		c := chunkOf(len(a), lo)
		diff[c], wrong[c] = d, bad
	})
	d, bad := K(0), K(0)
	for c := range diff {
		d |= diff[c]
		bad |= wrong[c]
	}
	return bits.Len64(uint64(d)), bad == 0
}

// chunkOf is the number of the chunk of split (at weight 1) that starts at lo.
func chunkOf(n, lo int) int {
	return lo / max(grain, (n+maxChunks-1)/maxChunks)
}

// upward is the radix sort from the lowest digit. Of long keys it first looks at the two
// highest digits alone, which leaves little to do if the keys are spread at all.
func upward[K word](src, other []K, width int, away bool) {
	if width > 3*digit {
		digits(src, other, width-2*digit, width, away)
		to := src
		if away {
			to = other
		}
		if insertion(to, 4*len(to)) {
			return
		}
		if away { // what is left is unordered still
			src, other, away = other, src, false
		}
	}
	digits(src, other, 0, width, away)
}

// insertion is insertion sort. It gives up, and says so, after so many moves.
func insertion[K word](a []K, moves int) bool {
	for i := 1; i < len(a); i++ {
		x := a[i]
		j := i
		for ; j > 0 && x < a[j-1]; j-- {
			a[j] = a[j-1]
		}
		a[j] = x
		if moves -= i - j; moves < 0 {
			return false
		}
	}
	return true
}

// digits sorts by the bits from low to width, 11 at most at a time.
func digits[K word](src, other []K, low, width int, away bool) {
	passes := (width - low + digit - 1) / digit
	step := (width - low + passes - 1) / passes
	mask := 1<<step - 1
	var count [buckets]int32
	moved := false
	for p := range passes {
		shift := uint(low + p*step)
		clear(count[:])
		for _, x := range src {
			count[int(x>>shift)&mask&(buckets-1)]++
		}
		if count[int(src[0]>>shift)&mask] == int32(len(src)) {
			continue
		}
		total := int32(0)
		for b := range count[:1<<step] {
			total, count[b] = total+count[b], total
		}
		for _, x := range src {
			b := int(x>>shift) & mask & (buckets - 1)
			other[count[b]] = x
			count[b]++
		}
		src, other, moved = other, src, !moved
	}
	if moved != away {
		copy(other, src)
	}
}

// downward moves the keys into buckets by the highest digit, then sorts the buckets.
func downward[K word](s *sorter, par Parallel, src, other []K, at, width int, away bool) {
	shift := uint(max(width-digit, 0))
	n := len(src)
	counts := make([][buckets]int, (n+chunk(n)-1)/chunk(n))
	par(len(counts), func(c int) {
		count := &counts[c]
		for _, x := range src[c*chunk(n) : min(n, (c+1)*chunk(n))] {
			count[int(x>>shift)&(buckets-1)]++
		}
	})
	starts := offsets(counts)
	par(len(counts), func(c int) {
		next := &counts[c]
		var base [buckets]int
		for b := range base {
			base[b] = starts[b] + next[b]
		}
		for _, x := range src[c*chunk(n) : min(n, (c+1)*chunk(n))] {
			b := int(x>>shift) & (buckets - 1)
			other[base[b]] = x
			base[b]++
		}
	})
	rest(par, starts, shift == 0, func(par Parallel, lo, hi int, done bool) {
		if done {
			if !away {
				copy(src[lo:hi], other[lo:hi])
			}
			return
		}
		sortKeys(s, par, other[lo:hi], src[lo:hi], at+lo, !away)
	})
}

// chunk is the number of elements that are counted together.
func chunk(n int) int { return max(cacheable, (n+63)/64) }

// offsets turns the counts of each chunk into distances from the start of the bucket, and
// returns the starts of the buckets, and the end.
func offsets(counts [][buckets]int) []int {
	starts := make([]int, buckets+1)
	total := 0
	for b := range buckets {
		starts[b] = total
		within := 0
		for c := range counts {
			within, counts[c][b] = within+counts[c][b], within
		}
		total += within
	}
	starts[buckets] = total
	return starts
}

// rest sorts the buckets: small ones side by side in groups, big ones one after the other
// with all processors. done says that a bucket's keys are equal.
func rest(par Parallel, starts []int, done bool, sort func(par Parallel, lo, hi int, done bool)) {
	n := starts[buckets]
	var groups []span
	for b := 0; b < buckets; b++ {
		lo, hi := starts[b], starts[b+1]
		if hi-lo > max(n/8, 4*cacheable) {
			sort(par, lo, hi, done)
			continue
		}
		if last := len(groups) - 1; last >= 0 && groups[last].hi == b && starts[b+1]-starts[groups[last].lo] <= max(n/256, grain) {
			groups[last].hi = b + 1
		} else if hi > lo {
			groups = append(groups, span{b, b + 1})
		}
	}
	par(len(groups), func(i int) {
		for b := groups[i].lo; b < groups[i].hi; b++ {
			if starts[b] < starts[b+1] {
				sort(Serial, starts[b], starts[b+1], done)
			}
		}
	})
}
