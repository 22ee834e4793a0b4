package routines

import (
	"cmp"
	"math/bits"
	"slices"
)

// pair is a key and the position that its element came from.
type pair[K, I word] struct {
	key K
	at  I
}

// The functions below are those of radix.go for pairs. They stand twice because a key read
// through a function costs as much as the pass itself. Equal keys keep their order.

func sortPairs[K, I word](s *sorter, par Parallel, src, other []pair[K, I], at int, away bool) {
	n := len(src)
	if n <= smallest {
		if away {
			copy(other, src)
			src = other
		}
		slices.SortFunc(src, func(x, y pair[K, I]) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.at, y.at)) })
		return
	}
	width, sorted := differingPairs(par, src)
	switch {
	case sorted || !s.wants(span{at, at + n}):
		if away {
			copy(other, src)
		}
	case n <= cacheable:
		upwardPairs(src, other, width, away)
	default:
		downwardPairs(s, par, src, other, at, width, away)
	}
}

// differing returns the number of low bits in which keys differ from each other, and
// whether they are sorted already.
func differingPairs[K, I word](par Parallel, a []pair[K, I]) (width int, sorted bool) {
	var diff, wrong [maxChunks]K
	split(par, len(a), 1, func(lo, hi int) {
		d, first, before := K(0), a[0].key, a[max(lo-1, 0)].key
		bad := K(0)
		for i := range a[lo:hi] {
			x := a[lo+i].key
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

// upwardPairs is the radix sort from the lowest digit. Of long keys it first looks at the two
// highest digits alone, which leaves little to do if the keys are spread at all.
func upwardPairs[K, I word](src, other []pair[K, I], width int, away bool) {
	if width > 3*digit {
		digitsPairs(src, other, width-2*digit, width, away)
		to := src
		if away {
			to = other
		}
		if insertionPairs(to, 4*len(to)) {
			return
		}
		if away { // what is left is unordered still
			src, other, away = other, src, false
		}
	}
	digitsPairs(src, other, 0, width, away)
}

// insertionPairs is insertion sort. It gives up, and says so, after so many moves.
func insertionPairs[K, I word](a []pair[K, I], moves int) bool {
	for i := 1; i < len(a); i++ {
		x := a[i]
		j := i
		for ; j > 0 && x.key < a[j-1].key; j-- {
			a[j] = a[j-1]
		}
		a[j] = x
		if moves -= i - j; moves < 0 {
			return false
		}
	}
	return true
}

// digitsPairs sorts by the bits from low to width, 11 at most at a time.
func digitsPairs[K, I word](src, other []pair[K, I], low, width int, away bool) {
	passes := (width - low + digit - 1) / digit
	step := (width - low + passes - 1) / passes
	mask := 1<<step - 1
	var count [buckets]int32
	moved := false
	for p := range passes {
		shift := uint(low + p*step)
		clear(count[:])
		for i := range src {
			x := &src[i]
			count[int(x.key>>shift)&mask&(buckets-1)]++
		}
		if count[int(src[0].key>>shift)&mask] == int32(len(src)) {
			continue
		}
		total := int32(0)
		for b := range count[:1<<step] {
			total, count[b] = total+count[b], total
		}
		for _, x := range src {
			b := int(x.key>>shift) & mask & (buckets - 1)
			other[count[b]] = x
			count[b]++
		}
		src, other, moved = other, src, !moved
	}
	if moved != away {
		copy(other, src)
	}
}

// downwardPairs moves the keys into buckets by the highest digit, then sorts the buckets.
func downwardPairs[K, I word](s *sorter, par Parallel, src, other []pair[K, I], at, width int, away bool) {
	shift := uint(max(width-digit, 0))
	n := len(src)
	counts := make([][buckets]int, (n+chunk(n)-1)/chunk(n))
	par(len(counts), func(c int) {
		count := &counts[c]
		for _, x := range src[c*chunk(n) : min(n, (c+1)*chunk(n))] {
			count[int(x.key>>shift)&(buckets-1)]++
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
			b := int(x.key>>shift) & (buckets - 1)
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
		sortPairs(s, par, other[lo:hi], src[lo:hi], at+lo, !away)
	})
}
